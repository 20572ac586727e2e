//! EIDR: the identifiers of the Entertainment ID Registry, which are DOIs of a fixed shape.
//!
//! ```
//! use doiscan_core::doi::eidr::{Binary, Eidr, EidrForm, Style};
//!
//! let eidr = Eidr::parse(b"urn:eidr:10.5240:7791-8534-2c23-9030-8610-5")?;
//! assert_eq!(eidr.name(), "10.5240/7791-8534-2C23-9030-8610-5");
//!
//! let mut out = Vec::new();
//! eidr.write(EidrForm::Compact, Style { binary: Binary::Hex, ..Style::default() }, &mut out)?;
//! assert_eq!(out, b"1478779185342C2390308610");
//! assert_eq!(Eidr::parse(&out), Ok(eidr));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! Sources: EIDR's technical note on identifier formats ("the document" below), ISO 7064,
//! RFC 4452 (`info:`), RFC 4648 (Base64), RFC 7972 (`urn:eidr:`), RFC 8141 (URN).
//!
//! # Kinds
//!
//! `10.5240` identifies content, with 20 hexadecimal digits and a check character. `10.5237`
//! (parties), `10.5238` (users) and `10.5239` (video services) have 8 digits and no check
//! character, so errors in them cannot be detected. A DOI under these prefixes with another shape,
//! such as the registered `10.5237/superparty`, is a DOI but not an [`Eidr`]. A sub-prefix that is
//! not listed is rejected, also in the 16 bits of the compact binary form; [`SubPrefix`] explains
//! why.
//!
//! # Sizes
//!
//! Sizes of the forms of content in bytes, where `n` is the length of the scheme's name alone. The
//! table in section 4 of the document counts `urn:`, the name and `:eidr:` together as the "scheme
//! identifier".
//!
//! | form | bytes | the document |
//! |---|---|---|
//! | `eidr-canonical` | 34 | 34 |
//! | `eidr-plain` | 29 | 29 |
//! | `eidr-compact` | 12; as hexadecimal 24, as Base64 16 | 12 |
//! | `eidr-full` | 19; as hexadecimal 38, as Base64 28 | 19 |
//! | `eidr-urn` | 46 + n | 36 and the scheme identifier, which is 10 + n |
//! | `eidr-u` | 46 + n | 34 and the scheme identifier, which is 12 + n |
//! | `eidr-s` | 38 + n | not in the table |
//! | `eidr-urn-colon` | 43 | not in the table |
//! | `eidr-info` | 43: 9 + 34 | 43; `info:doi:` is as long as `info:doi/` |
//! | `eidr-url` | 50; 52 for `http://dx.doi.org/` | not in the table |
//! | `eidr-doi` | 38 | not in the table |
//!
//! The figures agree if the scheme identifier is everything before `10.5240`. Counting only the
//! name, a URN takes 10 or 12 bytes more than the table says. Identifiers of parties, users and
//! services take 17 bytes, or 16 without the hyphen.
//!
//! # Deviations from the document
//!
//! * Its example is `10.5240/5FD4-FEE1-22F5-583E-FECC-O` with the letter O, which the check
//!   character confirms. Scans of it show the digit 0, the pattern `XXXX=XXXK` instead of
//!   `XXXX-XXXX`, a blank instead of the underscore in `eidr-u:10.5240_5FD4`, `info:doi1:` instead
//!   of `info:doi:`, and a shortDOI alphabet of 27 characters with `g` twice and no `q`. None of
//!   these spellings is accepted.
//! * It prints `info:doi:`, whereas RFC 4452 registers `info:doi/`. Both are read, and the latter
//!   is written.
//! * Its proxy is `http://dx.doi.org/`. `https://doi.org/`, which the operator now recommends, is
//!   written, and both are read. Flags of the proxy after the name (`?locatt=…`) are not part of
//!   any form.
//! * A shortDOI cannot be read or written without asking its service. Other gradations of the
//!   binary forms (section 2.1.3) and further `eidr-s` marks have no agreed layout. All of these
//!   are rejected.

mod binary;
mod check_character;
mod cursor;
mod error;
mod form;
mod identifier;
mod parse;
mod spelling;
mod sub_prefix;
mod suffix;
#[cfg(test)]
mod tests;
mod write;

pub use check_character::check_character;
pub use check_character::check_character_text;
pub use error::{ByteOrEnd, Error, Missing, Unwritable};
pub use form::{BadScheme, Binary, EidrForm, Scheme, Style};
pub use identifier::{Check, Eidr, Shape, check_of, judge};
pub use sub_prefix::SubPrefix;
