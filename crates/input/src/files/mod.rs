//! Lists the inputs: walks folders, selects files, reads lists of names.

mod names;
mod paths;
mod select;
mod units;
mod walk;

pub use select::{PatternError, Select};
pub use units::Units;
pub use walk::{LeftOut, Own, Request, RequestError, list, probe};
pub use walk::{Listing, folder_id};
