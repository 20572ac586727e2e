//! A read-only index of sorted, distinct names in one file, `.doix`.
//!
//! [`Encoder`] makes the file from a stream of sorted names, [`Registry`] answers from it:
//!
//! ```
//! use doiscan_registry::{Case, Encoder, Registry};
//! # use doiscan_os::io::Io;
//!
//! let mut encoder = Encoder::default();
//! for name in ["10.1000/ABC", "10.1000/ABC.DEF", "10.1016/J.CELL.2009.01.042"] {
//!     encoder.push(name.as_bytes());
//! }
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("known.doix");
//! std::fs::write(&path, encoder.finish(Case::Upper))?;
//! let registry = Registry::open(&path, Io::READ)?;
//! assert!(registry.contains(b"10.1000/ABC")?);
//! assert_eq!(registry.longest_prefix(b"10.1000/ABC.DE")?, Some(11));
//! assert!(registry.has_prefix(b"10.1000/")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The file
//!
//! | part | bytes |
//! |---|---|
//! | head | `doiscan index 2\n` |
//! | automaton | a set of the crate `fst`, with its version and `doiscan\n` as its type in front: 8, 8 |
//! | foot | case of the letters: 1; XXH3 of all bytes in front of it, little-endian: 8 |
//!
//! The checksum that `fst` writes is not used: it can be compared only of bytes that are all in memory, or mapped.
//!
//! # Damage
//!
//! Opening reads the file once and compares its checksum, so no byte can change unnoticed. If a page of a mapped file
//! vanishes later, because the file is cut or the disk fails, the lookup fails. Whatever is wrong is an [`Error`].

mod build;
mod distance;
mod error;
mod nearest;
mod registry;
mod walk;

pub use build::{Case, Encoder, is_index};
pub use error::Error;
pub use nearest::{MOST, Near};
pub use registry::{Names, Registry};

#[cfg(test)]
mod tests;
