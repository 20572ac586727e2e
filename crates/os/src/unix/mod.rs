//! Linux, macOS and other systems of their kind.
#![expect(clippy::disallowed_methods, reason = "the calls of the system themselves")]

pub mod children;
pub(crate) mod files;
pub mod folder;
mod groups;
mod guard;
pub(crate) mod map;
pub mod memory;
pub mod process;
