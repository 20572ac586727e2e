//! What runs remember, in a folder: a [`State`] has a catalogue, the SQLite database `doiscan.db`,
//! and the segments that `pipeline` writes.
//!
//! People open the catalogue with their own tools; docs/state.md describes it. One process has the
//! state at a time: it holds a lock on the file `lock`, which names it.
#![expect(
    clippy::disallowed_methods,
    reason = "this layer keeps files of its own, and their times"
)]

mod catalogue;
mod digest;
mod history;
mod lock;
mod rows;
mod schema;
mod store;
#[cfg(test)]
mod tests;

pub use history::{Example, History, Input, PrefixChange, Run};
pub use lock::Lock;
pub use schema::VERSION;
pub use store::State;
