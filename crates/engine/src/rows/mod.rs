//! Rows: formatted by all threads and written to their files in order.

pub(crate) mod buffer;
pub(crate) mod collectors;
pub(crate) mod digest;
pub(crate) mod file;
pub(crate) mod groups;
pub(crate) mod inputs;
pub(crate) mod publish;
pub(crate) mod record;
mod write_list;
