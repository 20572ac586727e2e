//! What a DOI is. Pure: no input or output, no clock.
//!
//! Sources: ANSI/NISO Z39.84-2000 and Z39.84-2005, ISO 26324.

mod canonical;
mod character;
pub mod eidr;
mod reason;
mod syntax;

pub use canonical::{fold, is_canonical};
pub use character::is_graphic;
pub use reason::Reason;
pub use syntax::{Doi, Invalid, MAX_DIGITS, MIN_DIGITS, Registrant, registrant};
