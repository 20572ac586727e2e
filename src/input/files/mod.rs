//! Files and folders: what each input is, which are chosen, and the bytes of an open file.

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
pub use paths::PathId;
pub use select::{PatternError, Select};
pub use units::Units;
pub use walk::{LeftOut, Listing, Own, Request, RequestError, folder_id, list, probe};
