//! The operating system: file operations that tests can make fail, mappings, memory, signals and
//! the state of the process. The only layer with `unsafe`; it uses no other layer.

pub mod allocator;
pub mod bzip2_tables;
pub mod cancel;
pub mod disk;
#[cfg(unix)]
pub mod folder;
#[cfg(unix)]
mod guard;
pub mod io;
mod map;
pub mod memory;
pub mod process;
mod unfinished;
pub(crate) mod vector;

pub(crate) use map::Map;
pub(crate) use unfinished::Listed;
