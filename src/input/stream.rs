//! An input without a size: standard input, a pipe, a device, a file of `/proc`.
//!
//! Its bytes come in blocks. A block carries over from the one before it the
//! positions whose bytes behind were not there yet, and [`LOOKBEHIND`] bytes
//! before those, so that the answer is that of the whole input in one piece.
//! UTF-16 is read as UTF-8, and positions and counts are those of the UTF-8.

use super::{HEAD, Window, magic};
use crate::quality::Problem;
use crate::scan::LOOKBEHIND;
use encoding_rs_io::DecodeReaderBytes;
use std::fmt;
use std::fs::File;
use std::io::{self, Chain, Cursor, Read};
use std::path::{Path, PathBuf};

/// An open stream. Whoever has it takes the next block; blocks can be scanned
/// at the same time, as each is in its taker's buffer.
#[derive(Debug)]
pub struct Stream<R = File> {
    path: PathBuf,
    reader: Source<R>,
    /// Bytes for the next block, and the first position in them.
    carry: Vec<u8>,
    start: usize,
    read: u64,
    ended: bool,
}

/// Reads UTF-16 as UTF-8: the head that was read already, and the rest.
type Decoder<R> = DecodeReaderBytes<Chain<Cursor<Vec<u8>>, R>, Vec<u8>>;

/// Where bytes come from.
enum Source<R> {
    Plain(R),
    Utf16(Box<Decoder<R>>),
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::Plain(reader) => reader.read(out),
            Source::Utf16(reader) => reader.read(out),
        }
    }
}

impl<R> fmt::Debug for Source<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::Plain(_) => "Plain",
            Source::Utf16(_) => "Utf16",
        })
    }
}

impl Stream<File> {
    /// Opens a pipe, a device, or a file that does not tell its size. Waits
    /// for the writer of a named pipe.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or its first bytes cannot be read.
    pub fn open(path: &Path) -> Result<Self, Problem> {
        let file = File::open(path).map_err(|e| Problem::io(path, &e))?;
        Stream::new(path, file)
    }

    /// Standard input.
    ///
    /// # Errors
    ///
    /// When it was closed at the start or cannot be read.
    #[cfg(unix)]
    pub fn standard() -> Result<Self, Problem> {
        let path = Path::new("-");
        Stream::new(path, Stream::standard_file().map_err(|e| Problem::io(path, &e))?)
    }

    /// The descriptor of standard input, once more.
    #[cfg(unix)]
    pub(super) fn standard_file() -> io::Result<File> {
        use std::os::fd::AsFd;
        if super::process::was_closed(0) {
            return Err(io::Error::other("standard input is closed"));
        }
        Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
    }
}

impl<R: Read> Stream<R> {
    /// Takes `reader` and reads its head.
    ///
    /// # Errors
    ///
    /// When not even the head can be read.
    pub fn new(path: &Path, mut reader: R) -> Result<Self, Problem> {
        let mut carry = vec![0; HEAD];
        let (got, fault) = fill(&mut reader, &mut carry);
        carry.truncate(got);
        if magic::is_utf16(&carry) {
            let whole = Cursor::new(carry).chain(reader);
            let source = Source::Utf16(Box::new(DecodeReaderBytes::new(whole)));
            return Stream::from_source(path, source);
        }
        Stream::with_head(path, Source::Plain(reader), carry, fault)
    }

    fn from_source(path: &Path, mut source: Source<R>) -> Result<Self, Problem> {
        let mut head = vec![0; HEAD];
        let (got, fault) = fill(&mut source, &mut head);
        head.truncate(got);
        Stream::with_head(path, source, head, fault)
    }

    fn with_head(
        path: &Path,
        reader: Source<R>,
        carry: Vec<u8>,
        fault: Option<io::Error>,
    ) -> Result<Self, Problem> {
        let got = carry.len();
        match fault {
            Some(error) if got == 0 => Err(Problem::io(path, &error)),
            // Any other fault comes again with the first block.
            _ => Ok(Stream {
                path: path.to_path_buf(),
                reader,
                carry,
                start: 0,
                read: got as u64,
                ended: false,
            }),
        }
    }

    /// Its path as listed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes read until now.
    pub fn bytes(&self) -> u64 {
        self.read
    }

    /// The first bytes, at most [`HEAD`]. Only before the first block.
    pub fn head(&self) -> &[u8] {
        &self.carry
    }

    /// The first `len` bytes, or all that there are. Waits for them. Only before
    /// the first block, which reports what kept them from being read.
    pub fn longer_head(&mut self, len: usize) -> &[u8] {
        let kept = self.carry.len();
        if kept < len {
            self.carry.resize(len, 0);
            let (got, _) = fill(&mut self.reader, &mut self.carry[kept..]);
            self.carry.truncate(kept + got);
            self.read += got as u64;
        }
        &self.carry
    }

    /// The next block: about `block` new bytes, in `buffer`. None at the end,
    /// or after a block with a fault.
    pub fn next_block<'b>(
        &mut self,
        block: usize,
        lookahead: usize,
        buffer: &'b mut Vec<u8>,
    ) -> Option<Window<'b>> {
        if self.ended {
            return None;
        }
        // With less than this no position would have its bytes behind it.
        let wanted = self.start + lookahead + block.max(1);
        let kept = self.carry.len();
        let len = wanted.max(kept + 1);
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        buffer[..kept].copy_from_slice(&self.carry);
        let (got, fault) = fill(&mut self.reader, &mut buffer[kept..len]);
        let filled = kept + got;
        self.read += got as u64;
        self.ended = filled < len;
        let end = if self.ended { filled } else { filled - lookahead };
        let starts = self.start..end;
        let keep_from = end.saturating_sub(LOOKBEHIND);
        self.carry.clear();
        self.carry.extend_from_slice(&buffer[keep_from..filled]);
        self.start = end - keep_from;
        let offset = self.read - filled as u64;
        Some(Window { bytes: &buffer[..filled], starts, offset, fault })
    }
}

/// Reads until `buffer` is full or there is no more. Returns the bytes read,
/// and the error that ended it.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut got = 0;
    while got < buffer.len() {
        match reader.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return (got, Some(e)),
        }
    }
    (got, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives at most three bytes at a time, then perhaps an error.
    struct Drip<'a>(&'a [u8], bool);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() && self.1 {
                return Err(io::Error::other("bad disk"));
            }
            let n = self.0.len().min(3).min(out.len());
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn blocks_cover_every_position_once_with_its_surroundings() {
        let bytes: Vec<u8> = (0..9_000u32).map(|i| (i % 253) as u8).collect();
        for len in [0, 1, 255, 256, 257, 4_095, 4_096, 4_097, 4_200, 9_000] {
            for (block, lookahead) in [(1, 1), (1, 300), (100, 64), (1_000, 5_000), (20_000, 9)] {
                let whole = &bytes[..len];
                let mut stream = Stream::new(Path::new("x"), Drip(whole, false)).expect("head");
                if block > 1 {
                    assert_eq!(stream.longer_head(block), &whole[..len.min(block.max(HEAD))]);
                }
                let mut buffer = Vec::new();
                let mut at = 0;
                while let Some(window) = stream.next_block(block, lookahead, &mut buffer) {
                    assert!(window.fault.is_none());
                    let before = window.starts.start;
                    assert_eq!(before, at.min(LOOKBEHIND));
                    let base = at - before;
                    assert_eq!(window.offset, base as u64);
                    assert_eq!(window.bytes, &whole[base..base + window.bytes.len()]);
                    at = base + window.starts.end;
                    assert!((at + lookahead).min(len) <= base + window.bytes.len());
                }
                assert_eq!((at, stream.bytes()), (len, len as u64), "{block} {lookahead}");
            }
        }
    }

    #[test]
    fn utf16_is_read_as_utf8() {
        let text = "é 10.1000/日本 ".repeat(2_000);
        for big in [false, true] {
            let octets = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
            let units = std::iter::once(0xfeff).chain(text.encode_utf16());
            let bytes: Vec<u8> = units.flat_map(octets).collect();
            let mut stream = Stream::new(Path::new("x"), Drip(&bytes, false)).expect("head");
            let (mut buffer, mut read) = (Vec::new(), Vec::new());
            while let Some(window) = stream.next_block(1_000, 100, &mut buffer) {
                read.extend_from_slice(&window.bytes[window.starts.clone()]);
            }
            assert!(read == text.as_bytes());
        }
    }

    #[test]
    fn a_fault_comes_with_what_was_read_before_it() {
        let text = [b'x'; 5_000];
        let mut stream = Stream::new(Path::new("x"), Drip(&text, true)).expect("head");
        let mut buffer = Vec::new();
        let window = stream.next_block(1 << 20, 100, &mut buffer).expect("a block");
        assert_eq!(window.starts, 0..5_000);
        assert_eq!(window.fault.expect("fault").to_string(), "bad disk");
        assert!(stream.next_block(1 << 20, 100, &mut buffer).is_none());
    }
}
