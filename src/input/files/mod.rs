//! Files and folders: finds and selects the inputs, and reads the bytes of an open file.

mod kind;
mod names;
mod open;
mod paths;
mod select;
mod units;
mod walk;

pub use kind::{Identity, Kind, Unit};
pub use names::NameList;
pub use open::{Opened, Section, content_hash};
pub use select::{PatternError, Select};
pub use units::Units;
pub use walk::{LeftOut, Listing, Own, Request, RequestError, folder_id, list, probe};
