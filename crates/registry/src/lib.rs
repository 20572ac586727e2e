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
//! assert_eq!(registry.count(b"10.1000/")?, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The file
//!
//! A tree of blocks, written from the leaves up in one pass, between a head and a foot. All
//! numbers are little-endian.
//!
//! | part | bytes |
//! |---|---|
//! | head | `doiscan index 1\n` |
//! | blocks | a branch follows the blocks under it |
//! | foot | position, length and checksum of the root: 8, 4, 8; case: 4; names: 8; length of the file: 8; XXH3 of head and these: 8 |
//!
//! A leaf has [`FAN`] names and a branch [`FAN`] children; only the last of a level has fewer. The
//! number of a name, from 0, thus tells the way to it, and counts need no more data. A leaf begins
//! with four bytes, a branch with twenty for each child: position, length and checksum (8, 4, 8).
//! Then both have the same form: for each name one byte for the length of the prefix it shares
//! with the one before (at most 254), one for the length of the rest (255: LEB128 in front of the
//! rest), and then the rests. The names of a branch are those that separate its children, as short
//! as they can be. The four bytes of a leaf are the length of the longest known name that its
//! first name begins with, plus one, or 0: with it, one way from the root to a leaf finds the
//! longest known prefix of a text.
//!
//! # Damage
//!
//! A block is read only if it has the length and the checksum that its parent states, and the root
//! those of the foot, so no byte of a file can change unnoticed. Opening reads the foot alone, and a
//! block is checked when it is first read. If a page of a mapped file vanishes later, because the
//! file is cut or the disk fails, the lookup fails. Whatever is wrong is an [`Error`].

mod bits;
mod block;
mod build;
mod cursor;
mod distance;
mod error;
mod nearest;
mod registry;

pub use block::FAN;
pub use build::{Case, Encoder, MAGIC};
pub use cursor::Cursor;
pub use error::Error;
pub use nearest::{MOST, Near};
pub use registry::Registry;

#[cfg(test)]
mod tests;
