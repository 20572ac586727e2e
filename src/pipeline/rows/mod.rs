//! Rows: formatted by all threads and written to their files in order.

pub(in crate::pipeline) mod buffer;
pub(in crate::pipeline) mod collectors;
pub(in crate::pipeline) mod digest;
pub(in crate::pipeline) mod file;
pub(in crate::pipeline) mod groups;
pub(in crate::pipeline) mod inputs;
pub(in crate::pipeline) mod publish;
pub(in crate::pipeline) mod record;
