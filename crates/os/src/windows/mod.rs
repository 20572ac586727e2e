//! Windows.
#![expect(clippy::disallowed_methods, reason = "the calls of the system themselves")]

pub mod children;
pub(crate) mod files;
pub mod folder;
pub(crate) mod map;
pub mod memory;
pub mod process;
