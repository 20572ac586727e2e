//! What the fuzz targets share: the answers of a scan, text made of notations, and
//! the encoders that are the other half of `decode`, readers of what is packed, and Parquet
//! files.

pub mod answers;
pub mod encode;
pub mod tables;
pub mod text;
pub mod unpacked;
