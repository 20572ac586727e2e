//! Compresses text in independent blocks, so that all cores can share the work. The bytes of a file
//! never depend on the number of threads.

use super::layout::Compression;
use std::io::{self, Write};

/// Bytes of text in a gzip member or zstd frame.
pub const BLOCK: usize = 1024 * 1024;

/// The gzip level: the default of the `gzip` command.
const GZIP: u32 = 6;

/// The zstd level: the default of the `zstd` command.
const ZSTD: i32 = 3;

/// Compresses one block as a complete member or frame.
///
/// # Errors
///
/// Fails if the encoder fails, which happens only when memory runs out.
pub fn compress(compression: Compression, block: &[u8]) -> io::Result<Vec<u8>> {
    match compression {
        Compression::None => Ok(block.to_vec()),
        Compression::Zstd => {
            let mut encoder = zstd::bulk::Compressor::new(ZSTD)?;
            encoder.include_checksum(true)?;
            encoder.compress(block)
        }
        Compression::Gzip => {
            let level = flate2::Compression::new(GZIP);
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
            encoder.write_all(block)?;
            encoder.finish()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn blocks_one_after_the_other_are_the_text() {
        let text: Vec<u8> =
            (0..300_000_u32).flat_map(|i| format!("10.1/{i}\n").into_bytes()).collect();
        let packed = |compression| {
            let blocks = text.chunks(BLOCK).map(|block| compress(compression, block));
            blocks.collect::<io::Result<Vec<_>>>().expect("compress").concat()
        };
        let mut back = Vec::new();
        let gzip = packed(Compression::Gzip);
        flate2::read::MultiGzDecoder::new(gzip.as_slice()).read_to_end(&mut back).expect("gzip");
        assert!(back == text && gzip.len() < text.len() / 2);
        let zstd = zstd::decode_all(packed(Compression::Zstd).as_slice()).expect("zstd");
        assert!(zstd == text);
        assert!(packed(Compression::None) == text);
    }
}
