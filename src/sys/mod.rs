//! The operating system: file operations that tests can make fail, mappings, memory, signals and
//! the state of the process. The only layer with `unsafe`; it uses no other layer.

pub(crate) mod allocator;
pub(crate) mod bzip2_tables;
pub(crate) mod cancel;
pub(crate) mod disk;
#[cfg(unix)]
pub(crate) mod folder;
#[cfg(unix)]
mod guard;
pub(crate) mod io;
mod map;
pub(crate) mod memory;
pub(crate) mod process;
mod unfinished;

pub(crate) use map::Map;
pub(crate) use unfinished::Listed;
