//! Reads the headers of the pages of a column, and decompresses the pages.
//!
//! The sizes in a header are untrusted. The reader of the crate `parquet` reserves these sizes, up
//! to 2 GiB, and lets gzip and lz4 produce more (apache/arrow-rs#10734). Here the size of a page is
//! limited, and no codec produces a byte more than the header states.

use super::thrift::Thrift;
use crate::problem::ProblemCode;
use flate2::Crc;
use flate2::read::MultiGzDecoder;
use std::fmt;
use std::io::Read;

/// The type of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    Data,
    DataV2,
    Dictionary,
    /// An index page or an unknown type.
    #[default]
    Other,
}

/// The fields of a page header that are needed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header {
    pub(super) kind: Kind,
    /// Uncompressed size of the page in bytes. `packed` is the compressed size.
    pub(super) size: u32,
    pub(super) packed: u32,
    /// Number of values, including nulls. `nulls` is set only for version 2 pages.
    pub(super) values: u32,
    pub(super) nulls: u32,
    pub(super) encoding: u32,
    /// Encodings of the levels in version 1 pages.
    pub(super) definition: u32,
    pub(super) repetition: u32,
    /// Sizes in bytes of the levels in version 2 pages, which are never compressed.
    pub(super) definition_len: u32,
    pub(super) repetition_len: u32,
    pub(super) is_packed: bool,
    /// CRC-32 of the page as it is stored, if the writer wrote it.
    crc: Option<u32>,
}

impl Header {
    /// Decodes the header at the start of `bytes` and returns it with its length.
    pub(super) fn read(bytes: &[u8]) -> Option<(Header, usize)> {
        let mut thrift = Thrift::new(bytes);
        let mut h = Header { is_packed: true, ..Header::default() };
        let (mut kind, mut sizes) = (None, 0);
        thrift.each(|t, field| {
            match field.id {
                1 => kind = Some(t.number(field)?),
                2 => (h.size, sizes) = (t.size(field)?, sizes + 1),
                3 => (h.packed, sizes) = (t.size(field)?, sizes + 1),
                4 => h.crc = Some(t.number(field)? as u32),
                5 => t.inner(field, |t, field| {
                    match field.id {
                        1 => h.values = t.size(field)?,
                        2 => h.encoding = t.size(field)?,
                        3 => h.definition = t.size(field)?,
                        4 => h.repetition = t.size(field)?,
                        _ => return Some(false),
                    }
                    Some(true)
                })?,
                7 => t.inner(field, |t, field| {
                    match field.id {
                        1 => h.values = t.size(field)?,
                        2 => h.encoding = t.size(field)?,
                        _ => return Some(false),
                    }
                    Some(true)
                })?,
                8 => t.inner(field, |t, field| {
                    match field.id {
                        1 => h.values = t.size(field)?,
                        2 => h.nulls = t.size(field)?,
                        4 => h.encoding = t.size(field)?,
                        5 => h.definition_len = t.size(field)?,
                        6 => h.repetition_len = t.size(field)?,
                        7 => h.is_packed = Thrift::truth(field),
                        _ => return Some(false),
                    }
                    Some(field.id != 7)
                })?,
                _ => return Some(false),
            }
            Some(true)
        })?;
        h.kind = match kind? {
            0 => Kind::Data,
            2 => Kind::Dictionary,
            3 => Kind::DataV2,
            _ => Kind::Other,
        };
        (sizes == 2).then_some((h, bytes.len() - thrift.left()))
    }

    /// Whether `stored` is the page that was written, as far as the header tells.
    pub(super) fn is_sound(&self, stored: &[u8]) -> bool {
        self.crc.is_none_or(|expected| {
            let mut crc = Crc::new();
            crc.update(stored);
            crc.sum() == expected
        })
    }

    /// Number of bytes of levels before the compressed bytes.
    pub(super) fn levels(&self) -> usize {
        match self.kind {
            Kind::DataV2 => self.definition_len as usize + self.repetition_len as usize,
            _ => 0,
        }
    }
}

/// Why pages are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    Missing,
    Elsewhere,
    Encrypted,
    /// Compressed with this unsupported codec.
    Packed(&'static str),
    /// The pages start at this offset.
    Beyond(i64),
}

impl Unread {
    /// The code of the problem.
    pub(super) fn code(self) -> ProblemCode {
        match self {
            Unread::Encrypted => ProblemCode::Encrypted,
            Unread::Elsewhere | Unread::Packed(_) => ProblemCode::Unsupported,
            Unread::Missing | Unread::Beyond(_) => ProblemCode::Unreadable,
        }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Missing => f.write_str("is missing"),
            Unread::Elsewhere => f.write_str("is in another file, which is not supported"),
            Unread::Encrypted => f.write_str("is encrypted, which is not supported"),
            Unread::Packed(codec) => {
                write!(f, "is compressed with {codec}, which is not supported")
            }
            Unread::Beyond(start) => {
                write!(f, "begins at byte {start} and extends beyond the end of the file")
            }
        }
    }
}

/// The compression of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageCodec {
    Plain,
    Snappy,
    Gzip,
    Zstd,
    /// A single lz4 block.
    Lz4Raw,
    /// lz4 blocks, each preceded by its sizes, as Hadoop writes them; or one block without sizes.
    Lz4,
}

impl PageCodec {
    /// Returns the codec with this number in the format, if it is supported.
    pub(super) fn new(number: i64) -> Result<PageCodec, Unread> {
        Ok(match number {
            0 => PageCodec::Plain,
            1 => PageCodec::Snappy,
            2 => PageCodec::Gzip,
            3 => return Err(Unread::Packed("LZO")),
            4 => return Err(Unread::Packed("BROTLI")),
            5 => PageCodec::Lz4,
            6 => PageCodec::Zstd,
            7 => PageCodec::Lz4Raw,
            _ => return Err(Unread::Packed("an unknown codec")),
        })
    }

    /// Decompresses `packed` to exactly `size` bytes, or returns `None`.
    pub(super) fn unpack(self, packed: &[u8], size: usize) -> Option<Vec<u8>> {
        let out = match self {
            PageCodec::Plain => packed.to_vec(),
            PageCodec::Snappy => {
                let is_so = snap::raw::decompress_len(packed).ok()? == size;
                // Zeroed memory that is never written to takes no physical memory.
                let mut out = if is_so { vec![0; size] } else { return None };
                let len = snap::raw::Decoder::new().decompress(packed, &mut out).ok()?;
                out.truncate(len);
                out
            }
            PageCodec::Gzip => {
                let mut out = Vec::with_capacity(size);
                let most = size as u64 + 1;
                MultiGzDecoder::new(packed).take(most).read_to_end(&mut out).ok()?;
                out
            }
            PageCodec::Zstd => zstd::bulk::decompress(packed, size).ok()?,
            PageCodec::Lz4Raw => lz4(packed, size)?,
            PageCodec::Lz4 => hadoop(packed, size).or_else(|| lz4(packed, size))?,
        };
        (out.len() == size).then_some(out)
    }
}

fn lz4(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut out = vec![0; size];
    let len = lz4_flex::block::decompress_into(packed, &mut out).ok()?;
    out.truncate(len);
    Some(out)
}

fn hadoop(mut packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut out = vec![0; size];
    let mut at = 0_usize;
    while let Some((sizes, rest)) = packed.split_first_chunk::<8>() {
        let [a, b, c, d, e, f, g, h] = *sizes;
        let len = u32::from_be_bytes([a, b, c, d]) as usize;
        let block = rest.get(..u32::from_be_bytes([e, f, g, h]) as usize)?;
        let into = out.get_mut(at..at.checked_add(len)?)?;
        if lz4_flex::block::decompress_into(block, into).ok()? != len {
            return None;
        }
        (at, packed) = (at + len, &rest[block.len()..]);
    }
    (packed.is_empty() && at == size).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_checksum() {
        let page = b"10.1000/182";
        let mut crc = Crc::new();
        crc.update(page);
        let header = Header { crc: Some(crc.sum()), ..Header::default() };
        assert!(header.is_sound(page) && !header.is_sound(b"10.1000/183"));
        assert!(Header::default().is_sound(b"10.1000/183"));
    }

    #[test]
    fn no_codec_gives_more_or_less_than_was_said() {
        let text = b"10.1000/182 ".repeat(1_000);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, &text).unwrap();
        let block = lz4_flex::block::compress(&text);
        let len = [text.len() as u32, block.len() as u32].map(u32::to_be_bytes).concat();
        for (codec, packed) in [
            (PageCodec::Plain, text.clone()),
            (PageCodec::Snappy, snap::raw::Encoder::new().compress_vec(&text).unwrap()),
            (PageCodec::Gzip, gzip.finish().unwrap()),
            (PageCodec::Zstd, zstd::bulk::compress(&text, 1).unwrap()),
            (PageCodec::Lz4Raw, block.clone()),
            (PageCodec::Lz4, [&len[..], &block].concat()),
            (PageCodec::Lz4, block),
        ] {
            assert_eq!(codec.unpack(&packed, text.len()).as_ref(), Some(&text), "{codec:?}");
            for size in [0, 1, text.len() - 1, text.len() + 1, 100_000_000] {
                assert_eq!(codec.unpack(&packed, size), None, "{codec:?} {size}");
            }
            let cut = packed.len() - 1;
            assert_eq!(codec.unpack(&packed[..cut], text.len()), None, "{codec:?}");
        }
    }
}
