//! The syntax of DOIs and their notations. Pure: no input or output, no clock.
//!
//! [`Doi::parse`] judges a name. [`Reader`] reads a value written as an address, a URN or with a
//! label. [`Writer`] writes a name in such a notation:
//!
//! ```
//! use doiscan_core::doi::{Form, Reader, Writer};
//!
//! let mut reader = Reader::default();
//! let reading = reader.read(b"https://doi.org/10.1000/456%23789")?;
//! assert_eq!(reading.doi.as_str(), "10.1000/456#789");
//! assert_eq!(Writer::default().written(&reading.doi, Form::Info), "info:doi/10.1000/456%23789");
//! # Ok::<(), doiscan_core::doi::Invalid>(())
//! ```
//!
//! Sources: ANSI/NISO Z39.84-2000 and Z39.84-2005, ISO 26324, the DOI handbook.

pub mod batch;
mod canonical;
mod character;
mod convert;
pub mod eidr;
mod form;
mod holds;
mod invalid;
pub mod notation;
mod owned;
mod percent;
mod reader;
mod reason;
mod syntax;
mod version;

pub use canonical::{fold, is_folded};
pub use character::is_graphic;
pub use character::{first_space, is_space};
pub use convert::{ConvertError, Converter, Target};
pub use form::{Form, RESOLVER, Writer};
pub use holds::{holds, is_ascii_without};
pub use invalid::{Found, Invalid, Part};
pub use owned::DoiBuf;
pub use reader::{Reader, Reading, Tail};
pub use reason::Reason;
pub use syntax::Doi;
pub use syntax::{LEAST_DIGITS, MAX_DIGITS, Registrant, registrant};
pub use version::without_version;
