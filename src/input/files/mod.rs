//! Files and folders: finds and selects the inputs, and reads the bytes of an open file.

mod kind;
mod names;
mod open;
mod paths;
mod select;
mod units;
mod walk;

pub(crate) use kind::{Identity, InputKind, Unit};
pub use names::NameList;
pub(crate) use open::content_hash;
pub use open::{Opened, Section};
pub use select::{PatternError, Select};
pub(crate) use units::Units;
pub use walk::{LeftOut, Own, Request, RequestError, list, probe};
pub(crate) use walk::{Listing, folder_id};
