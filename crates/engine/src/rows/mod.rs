//! Rows: formatted by all threads and written to their files in order.

pub(crate) mod buffer;
pub(crate) mod chain;
pub(crate) mod changes;
pub(crate) mod collectors;
pub(crate) mod duplicates;
pub(crate) mod file;
pub(crate) mod groups;
pub(crate) mod inputs;
pub(crate) mod publish;
pub(crate) mod record;
pub(crate) mod row_input;
pub(crate) mod write;
