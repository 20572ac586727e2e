//! What the fuzz targets share: the answers of a scan, text made of notations, and
//! the encoders that are the other half of `decode`, and readers of what is packed.

pub mod answers;
pub mod encode;
pub mod text;
pub mod unpacked;
