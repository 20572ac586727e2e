//! Stores the memory of runs in a folder. A [`Store`] consists of a catalogue, which is the SQLite
//! database `doiscan.db`, and of the segments that runs write.
//!
//! Users open the catalogue with their own tools, so docs/state.md describes it. Only one process
//! uses a state at a time: it holds a lock on the file `lock`, which contains the mark of a state
//! and its process ID.
#![expect(
    clippy::disallowed_methods,
    reason = "this layer keeps files of its own, and their times"
)]

mod catalogue;
mod checksum;
mod digest;
mod files;
mod folder;
mod history;
mod inputs;
mod lock;
mod schema;
#[cfg(test)]
mod tests;

pub(in crate::state) use catalogue::replaces_other;
pub use files::{is_segment, own_files};
pub use folder::Store;
pub use history::{Example, History, Input, PastRun, PrefixChange};
