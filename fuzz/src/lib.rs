//! Code shared by the fuzz targets: the answers of a scan, text in nested notations, encoders that
//! invert `decode`, readers of packed data, and Parquet files.

pub mod answers;
pub mod encode;
pub mod tables;
pub mod text;
pub mod unpacked;
