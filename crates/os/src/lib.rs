//! The operating system: file operations that tests can make fail, mappings, memory, signals and
//! the state of the process. Apart from the vectors of
//! `doiscan-core`, the only crate with `unsafe`; it depends on no other crate of doiscan.

pub mod allocator;
pub mod bzip2_tables;
pub mod cancel;
pub mod children;
pub mod disk;
pub mod folder;
mod guard;
pub mod io;
pub mod ledger;
pub mod lock;
mod map;
pub mod memory;
pub mod prefix;
pub mod process;
#[cfg(feature = "testing")]
pub mod testing;
mod unfinished;
pub mod varint;

pub use map::Map;
pub use unfinished::Listed;
