//! Files and folders: finds and selects the inputs, and reads the bytes of an open file.

mod kind;
mod names;
mod open;
mod paths;
mod select;
mod units;
mod walk;

pub use kind::{Identity, InputKind, Unit};
pub use names::NameList;
pub use open::content_hash;
pub use open::{Opened, Section};
pub use select::{PatternError, Select};
pub use units::Units;
pub use walk::{LeftOut, Own, Request, RequestError, list, probe};
pub use walk::{Listing, folder_id};
