//! Codecs and archives: reads the content of packed inputs within limits of size and ratio.

pub(in crate::input) mod archive;
pub(in crate::input) mod bytes;
pub(in crate::input) mod codec;
pub(in crate::input) mod limit;
pub(in crate::input) mod magic;
pub(in crate::input) mod mail;
pub(in crate::input) mod pdf;
pub(in crate::input) mod split;
pub(in crate::input) mod stream;
mod wide;
