//! Codecs and archives: reads the content of packed inputs within limits of size and ratio.

pub(in doiscan_input) mod archive;
pub(in doiscan_input) mod bytes;
pub(in doiscan_input) mod codec;
pub(in doiscan_input) mod limit;
pub(in doiscan_input) mod magic;
pub(in doiscan_input) mod mail;
pub(in doiscan_input) mod pdf;
pub(in doiscan_input) mod split;
pub(in doiscan_input) mod stream;
mod wide;
