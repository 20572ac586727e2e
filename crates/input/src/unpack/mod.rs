//! Codecs and archives: reads the content of packed inputs within limits of size and ratio.

pub(crate) mod archive;
pub(crate) mod bytes;
pub(crate) mod codec;
mod database;
pub(crate) mod document;
mod folded;
pub(crate) mod magic;
pub(crate) mod mail;
mod signature;
pub(crate) mod split;
pub(crate) mod stream;
mod wide;
