//! EIDR: the identifiers of the Entertainment ID Registry, which are DOIs with a shape.
//!
//! ```
//! use doiscan::doi::eidr::{Binary, Eidr, Form, Style};
//!
//! let eidr = Eidr::parse(b"urn:eidr:10.5240:7791-8534-2c23-9030-8610-5")?;
//! assert_eq!(eidr.name(), "10.5240/7791-8534-2C23-9030-8610-5");
//!
//! let mut out = Vec::new();
//! eidr.write(Form::Compact, Style { binary: Binary::Hex, ..Style::default() }, &mut out)?;
//! assert_eq!(out, b"1478779185342C2390308610");
//! assert_eq!(Eidr::parse(&out), Ok(eidr));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Sources: EIDR's technical note on identifier formats ("the document" below), ISO 7064,
//! RFC 4452 (`info:`), RFC 4648 (Base64), RFC 7972 (`urn:eidr:`), RFC 8141 (URN).
//!
//! # Kinds
//!
//! `10.5240` names content: 20 hexadecimal digits and a check character. `10.5237` (parties),
//! `10.5238` (users) and `10.5239` (video services) have 8 digits and no check character, so nothing
//! tells a wrong one from a right one. A DOI under these prefixes that has another shape, such as the
//! registered `10.5237/superparty`, stays a DOI and is no [`Eidr`]. A sub-prefix that is not
//! listed is refused, in the 16 bits of the compact binary form too: [`SubPrefix`] says why.
//!
//! # Sizes
//!
//! Bytes of content's forms; `n` is the length of the scheme's name alone. The table of the document's
//! section 4 counts `urn:`, the name and `:eidr:` together as the "scheme identifier".
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
//! So the figures agree once the scheme identifier is taken for all that stands before `10.5240`; with
//! the name alone a URN takes 10 or 12 bytes more than the table says. Parties, users and services
//! take 17 bytes, 16 without the hyphen.
//!
//! # Where the document is not followed to the letter
//!
//! * Its example is `10.5240/5FD4-FEE1-22F5-583E-FECC-O` with the letter O, which the check character
//!   confirms. Scans of it show the digit 0, the pattern `XXXX=XXXK` for `XXXX-XXXX`, a blank for the
//!   underscore of `eidr-u:10.5240_5FD4`, `info:doi1:` for `info:doi:`, and a shortDOI alphabet of 27
//!   characters with `g` twice and no `q`. None of these spellings is read.
//! * It prints `info:doi:`; RFC 4452 has registered `info:doi/`. Both are read, the latter is written.
//! * Its proxy is `http://dx.doi.org/`. `https://doi.org/` is written, which its operator now
//!   recommends; both are read. Flags of the proxy behind the name (`?locatt=…`) are no part of a form.
//! * A shortDOI cannot be read or written without asking its service, and other gradations of the
//!   binary forms (section 2.1.3) or further `eidr-s` marks have no agreed layout. All are refused.

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

pub use check_character::{check_character, check_character_text};
pub use error::{Error, Found, Missing, Unwritable};
pub use form::{BadScheme, Binary, Form, Scheme, Style};
pub use identifier::{Check, Eidr, Shape, check_of, judge};
pub use sub_prefix::SubPrefix;
