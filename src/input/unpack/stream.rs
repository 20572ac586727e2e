//! Bytes that come one after the other: standard input, a pipe, a file of `/proc`, what
//! a decoder gives.
//!
//! They are cut into blocks. A block carries over from the one before it the
//! positions whose bytes behind were not there yet, and [`LOOKBEHIND`] bytes
//! before those, so that the answer is that of the whole input in one piece.
//! UTF-16 is read as UTF-8, mail as its decoded parts, and a PDF file as the addresses in it;
//! positions and counts are those of the decoded text.

use super::magic;
use super::mail::{self, Mail};
use super::pdf::{self, Pdf};
use crate::format::Format;
use crate::input::{HEAD, Kind, Unit, Window};
use crate::quality::Problem;
use crate::scan::{LOOKBEHIND, Surroundings};
use encoding_rs_io::DecodeReaderBytes;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::ops::Range;

/// Opens what has no size, or does not tell it. Waits for the writer of a named pipe.
///
/// # Errors
///
/// When it cannot be opened; of standard input, when it was closed at the start.
#[cfg(unix)]
pub fn open(unit: &Unit) -> Result<File, Problem> {
    use std::os::fd::AsFd;
    let fail = |e: io::Error| Problem::io(&unit.path, &e);
    if unit.kind != Kind::Standard {
        return File::open(&unit.path).map_err(fail);
    }
    if crate::sys::process::was_closed(0) {
        return Err(Problem::new(&unit.path, "standard input is closed"));
    }
    io::stdin().as_fd().try_clone_to_owned().map(File::from).map_err(fail)
}

/// Whether an input of this format that begins with `head` is decoded before it is scanned.
pub fn is_encoded(head: &[u8], format: Format) -> bool {
    coding(head, format).is_some()
}

/// What an input is decoded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Utf16,
    Mail,
    Pdf,
}

/// What an input of this format that begins with `head` is decoded from.
fn coding(head: &[u8], format: Format) -> Option<Coding> {
    let is_auto = format == Format::Auto;
    match () {
        () if magic::is_utf16(head) => Some(Coding::Utf16),
        () if format == Format::Pdf || is_auto && pdf::is_pdf(head) => Some(Coding::Pdf),
        () if format == Format::Mail || is_auto && mail::is_mail(head) => Some(Coding::Mail),
        () => None,
    }
}

/// A reader whose bytes are cut into blocks.
#[derive(Debug)]
pub struct Stream<R> {
    reader: Source<R>,
    /// Bytes for the next block, and the first position in them.
    carry: Vec<u8>,
    start: usize,
    read: u64,
    ended: bool,
    /// What the reader failed with behind the bytes that were carried over.
    fault: Option<io::Error>,
}

/// A part of a stream, to be scanned by whoever has it.
#[derive(Debug, Default)]
pub struct Block {
    /// Space for bytes, of which the first `len` count.
    buffer: Vec<u8>,
    len: usize,
    starts: Range<usize>,
    offset: u64,
    fault: Option<io::Error>,
}

impl Block {
    /// Its positions and the bytes around them. What it failed with goes with the
    /// first window.
    pub fn window(&mut self) -> Window<'_> {
        Window {
            bytes: &self.buffer[..self.len],
            starts: self.starts.clone(),
            offset: self.offset,
            fault: self.fault.take(),
        }
    }

    /// How many positions it has.
    pub fn positions(&self) -> u64 {
        self.starts.len() as u64
    }
}

/// Reads UTF-16 as UTF-8.
type Decoder<R> = BufReader<DecodeReaderBytes<R, Vec<u8>>>;

/// A reader of the UTF-16 in `reader`, as UTF-8. Behind a buffer: asked for fewer than four
/// bytes at the end, encoding_rs_io 0.1.8 loses a part of what stands for half a character.
pub(in crate::input) fn decoder<R: Read>(reader: R) -> Decoder<R> {
    BufReader::with_capacity(HEAD, DecodeReaderBytes::new(reader))
}

/// Where bytes come from.
enum Source<R> {
    Plain(R),
    /// The head that was read already, and the rest.
    Utf16(Box<Decoder<Chain<Cursor<Vec<u8>>, R>>>),
    Mail(Box<Mail<Chain<Cursor<Vec<u8>>, R>>>),
    Pdf(Box<Pdf<Chain<Cursor<Vec<u8>>, R>>>),
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::Plain(reader) => reader.read(out),
            Source::Utf16(reader) => reader.read(out),
            Source::Mail(reader) => reader.read(out),
            Source::Pdf(reader) => reader.read(out),
        }
    }
}

impl<R> fmt::Debug for Source<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::Plain(_) => "Plain",
            Source::Utf16(_) => "Utf16",
            Source::Mail(_) => "Mail",
            Source::Pdf(_) => "Pdf",
        })
    }
}

impl<R: Read> Stream<R> {
    /// Takes `reader`, of this format, and reads its head.
    ///
    /// # Errors
    ///
    /// When not even the first byte can be read.
    pub fn new(mut reader: R, format: Format) -> io::Result<Self> {
        let mut carry = vec![0; HEAD];
        let (got, fault) = fill(&mut reader, &mut carry);
        carry.truncate(got);
        let coding = coding(&carry, format).filter(|_| fault.is_none());
        let Some(coding) = coding else {
            return Stream::with_head(Source::Plain(reader), carry, fault);
        };
        let is_mailbox = mail::is_mailbox(&carry);
        let whole = Cursor::new(carry).chain(reader);
        Stream::decoded(match coding {
            Coding::Utf16 => Source::Utf16(Box::new(decoder(whole))),
            Coding::Pdf => Source::Pdf(Box::new(Pdf::new(whole))),
            Coding::Mail => Source::Mail(Box::new(Mail::new(whole, is_mailbox))),
        })
    }

    fn decoded(mut source: Source<R>) -> io::Result<Self> {
        let mut head = vec![0; HEAD];
        let (got, fault) = fill(&mut source, &mut head);
        head.truncate(got);
        Stream::with_head(source, head, fault)
    }

    fn with_head(reader: Source<R>, carry: Vec<u8>, fault: Option<io::Error>) -> io::Result<Self> {
        match fault {
            Some(error) if carry.is_empty() => Err(error),
            fault => {
                let (start, read, ended) = (0, carry.len() as u64, fault.is_some());
                Ok(Stream { reader, carry, start, read, ended, fault })
            }
        }
    }

    /// What the running text is, if decoding tells: that of a mail, or the addresses in a PDF
    /// file, which are a part of what it holds.
    pub fn running(&self) -> Option<Surroundings> {
        match self.reader {
            Source::Mail(_) => Some(Surroundings::Mail),
            Source::Pdf(_) => Some(Surroundings::Pdf),
            Source::Plain(_) | Source::Utf16(_) => None,
        }
    }

    /// The first bytes, [`HEAD`] where there are so many, of a stream of which no block
    /// was taken.
    pub fn head(&self) -> &[u8] {
        &self.carry
    }

    /// The first `len` bytes of a stream of which no block was taken, fewer when there
    /// are not so many.
    pub fn longer_head(&mut self, len: usize) -> &[u8] {
        let kept = self.carry.len();
        if kept < len && !self.ended {
            self.carry.resize(len, 0);
            let (got, fault) = fill(&mut self.reader, &mut self.carry[kept..]);
            self.carry.truncate(kept + got);
            self.read += got as u64;
            (self.ended, self.fault) = (fault.is_some(), fault);
        }
        &self.carry
    }

    /// Makes `block` the next one: about `len` new bytes. False at the end, or after a
    /// block with a fault.
    pub fn next_block(&mut self, len: usize, lookahead: usize, block: &mut Block) -> bool {
        if self.ended && self.carry.is_empty() && self.fault.is_none() {
            return false;
        }
        // With less than this no position would have its bytes behind it.
        let wanted = self.start + lookahead + len.max(1);
        let kept = self.carry.len();
        let len = wanted.max(kept + 1);
        let buffer = &mut block.buffer;
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        buffer[..kept].copy_from_slice(&self.carry);
        let mut filled = kept;
        if !self.ended {
            let (got, fault) = fill(&mut self.reader, &mut buffer[kept..len]);
            filled += got;
            self.read += got as u64;
            (self.ended, self.fault) = (filled < len, fault);
        }
        let end = if self.ended { filled } else { filled - lookahead };
        block.starts = self.start..end;
        block.len = filled;
        block.offset = self.read - filled as u64;
        block.fault = self.fault.take();
        self.carry.clear();
        if !self.ended {
            let keep_from = end.saturating_sub(LOOKBEHIND);
            self.carry.extend_from_slice(&buffer[keep_from..filled]);
            self.start = end - keep_from;
        }
        true
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

    /// Gives at most three bytes at a time, then perhaps an error, once.
    struct Drip<'a>(&'a [u8], bool);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() && std::mem::take(&mut self.1) {
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
            for (size, lookahead) in [(1, 1), (1, 300), (100, 64), (1_000, 5_000), (20_000, 9)] {
                let whole = &bytes[..len];
                let mut stream = Stream::new(Drip(whole, false), Format::Auto).expect("head");
                if size > 1 {
                    assert_eq!(stream.longer_head(size), &whole[..len.min(size.max(HEAD))]);
                }
                let mut block = Block::default();
                let mut at = 0;
                while stream.next_block(size, lookahead, &mut block) {
                    let window = block.window();
                    assert!(window.fault.is_none());
                    let before = window.starts.start;
                    assert_eq!(before, at.min(LOOKBEHIND));
                    let base = at - before;
                    assert_eq!(window.offset, base as u64);
                    assert_eq!(window.bytes, &whole[base..base + window.bytes.len()]);
                    at = base + window.starts.end;
                    assert!((at + lookahead).min(len) <= base + window.bytes.len());
                }
                assert_eq!(at, len, "{size} {lookahead}");
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
            let mut stream = Stream::new(Drip(&bytes, false), Format::Auto).expect("head");
            let (mut block, mut read) = (Block::default(), Vec::new());
            while stream.next_block(1_000, 100, &mut block) {
                let window = block.window();
                read.extend_from_slice(&window.bytes[window.starts.clone()]);
            }
            assert!(read == text.as_bytes());
        }
    }

    #[test]
    fn half_a_character_at_the_end_is_one_however_the_blocks_fall() {
        for size in 1..9 {
            let (mut block, mut read) = (Block::default(), Vec::new());
            // Longer than the head, which is read in one piece.
            let mut long = vec![0xff, 0xfe];
            long.extend(b"a\0".repeat(HEAD + 7));
            long.push(b'c');
            let mut stream = Stream::new(Drip(&long, false), Format::Auto).expect("head");
            while stream.next_block(size, 1, &mut block) {
                let window = block.window();
                read.extend_from_slice(&window.bytes[window.starts.clone()]);
            }
            let whole = "a".repeat(HEAD + 7) + "\u{fffd}";
            assert_eq!(read.len(), whole.len(), "{size}");
            assert!(read == whole.as_bytes());
        }
    }

    #[test]
    fn a_fault_comes_once_with_what_was_read_before_it() {
        for (len, head) in [(5_000, 0), (4_000, 0), (5_000, 10_000), (4_096, 5_000)] {
            let text = vec![b'x'; len];
            let mut stream = Stream::new(Drip(&text, true), Format::Auto).expect("head");
            stream.longer_head(head);
            let mut block = Block::default();
            assert!(stream.next_block(1 << 20, 100, &mut block));
            let window = block.window();
            assert_eq!(window.starts, 0..len);
            assert_eq!(window.fault.expect("fault").to_string(), "bad disk");
            assert!(!stream.next_block(1 << 20, 100, &mut block));
        }
        assert!(Stream::new(Drip(b"", true), Format::Auto).is_err());
    }
}
