//! Reads an input in blocks of whole lines, or of whole records of a table.
//!
//! A line longer than a limit comes in pieces, and a record longer than that is an error, so that
//! memory is bounded.

use super::Text;
use crate::format::Dialect;
use crate::quality::Problem;
use memchr::{memchr, memrchr};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What blocks consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineUnit {
    /// Lines: each ends with this byte.
    Line(u8),
    /// Records of a table.
    Record(Dialect),
}

impl LineUnit {
    fn noun(self) -> &'static str {
        match self {
            LineUnit::Line(b'\n') => "line",
            LineUnit::Line(_) => "value",
            LineUnit::Record(_) => "record",
        }
    }
}

/// An open input.
pub struct Lines<R = Text> {
    path: PathBuf,
    reader: R,
    unit: LineUnit,
    /// Bytes that were read and not handed out, beginning with a line or within one.
    carry: Vec<u8>,
    /// Whether the carry begins within a line of which pieces were handed out.
    is_within: bool,
    ended: bool,
    fault: Option<io::Error>,
    /// Whether the fault came within a line.
    is_broken: bool,
}

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineBlock {
    /// Whole lines with their ends; the last line of an input may have none.
    Lines,
    /// A part of a line that is longer than the limit, without its end.
    Piece {
        /// Whether it begins the line.
        is_first: bool,
        /// Whether it ends it.
        is_last: bool,
    },
}

impl Lines<Text> {
    /// Opens a file, or standard input for `-`. What is compressed is decompressed, UTF-16
    /// read as UTF-8, and a byte order mark is no part of the first line.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, when its first bytes cannot be read, and when these are of a
    /// kind that has no lines.
    pub fn open(path: &Path) -> Result<Self, Problem> {
        super::open(path).map(|text| Lines::new(path, text))
    }
}

impl<R: Read> Lines<R> {
    /// The lines that `reader` gives.
    pub fn new(path: &Path, reader: R) -> Self {
        Lines {
            path: path.to_path_buf(),
            reader,
            unit: LineUnit::Line(b'\n'),
            carry: Vec::new(),
            is_within: false,
            ended: false,
            fault: None,
            is_broken: false,
        }
    }

    /// Its path as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Blocks consist of these from now on.
    pub fn set_unit(&mut self, unit: LineUnit) {
        self.unit = unit;
    }

    /// The first bytes of the input, before the first block is read: up to the end of the first
    /// record that is not blank, or `most`.
    pub fn head(&mut self, most: usize) -> &[u8] {
        let mut head = std::mem::take(&mut self.carry);
        let is_short = |head: &[u8]| {
            let is_quoted = memchr::memchr_iter(b'"', head).count() % 2 == 1;
            is_quoted || memchr(b'\n', head.trim_ascii_start()).is_none()
        };
        while !self.ended && head.len() < most && is_short(&head) {
            self.read(&mut head, HEAD);
        }
        self.carry = head;
        &self.carry
    }

    /// Why the input was not read to its end. The line that broke off is not handed out; its
    /// pieces may have been.
    pub fn fault(&mut self) -> Option<Problem> {
        let error = self.fault.take()?;
        let noun = self.unit.noun();
        let rest = match self.is_broken {
            true => format!("; the {noun} that breaks off there is left out"),
            false => String::new(),
        };
        Some(Problem::new(&self.path, format!("{error}{rest}")))
    }

    /// Reads the next block into `buffer`: the bytes of one read of up to `size` bytes, after the
    /// beginning of a line from an earlier one. A line of more than `longest` bytes comes in
    /// pieces. `None` at the end.
    pub fn next_block(
        &mut self,
        buffer: &mut Vec<u8>,
        size: usize,
        longest: usize,
    ) -> Option<LineBlock> {
        buffer.clear();
        std::mem::swap(buffer, &mut self.carry);
        match self.unit {
            LineUnit::Line(end) => self.next_lines(buffer, end, size.max(1), longest),
            LineUnit::Record(dialect) => self.next_records(buffer, &dialect, size.max(1), longest),
        }
    }

    fn next_lines(
        &mut self,
        buffer: &mut Vec<u8>,
        end: u8,
        size: usize,
        longest: usize,
    ) -> Option<LineBlock> {
        let mut searched = 0;
        loop {
            if self.is_within {
                if let Some(piece) = self.piece(buffer, end, false) {
                    return Some(piece);
                }
            } else if let Some(at) = memrchr(end, &buffer[searched..]) {
                return Some(self.hand_out(buffer, searched + at + 1, 0, LineBlock::Lines));
            } else if buffer.len() > longest
                && let Some(piece) = self.piece(buffer, end, true)
            {
                return Some(piece);
            }
            if self.ended {
                return self.last(buffer);
            }
            searched = buffer.len();
            self.read(buffer, size);
        }
    }

    fn next_records(
        &mut self,
        buffer: &mut Vec<u8>,
        dialect: &Dialect,
        size: usize,
        longest: usize,
    ) -> Option<LineBlock> {
        loop {
            let whole = dialect.whole_records(buffer);
            if whole > 0 {
                return Some(self.hand_out(buffer, whole, 0, LineBlock::Lines));
            }
            if buffer.len() > longest.saturating_add(dialect.lookahead()) && !self.ended {
                let message = format!(
                    "a record is longer than {longest} bytes; it and all after it are left out"
                );
                (self.fault, self.ended) = (Some(io::Error::other(message)), true);
                return None;
            }
            if self.ended {
                return self.last(buffer);
            }
            // Reading twice as much each time searches no byte more than twice.
            self.read(buffer, size.max(buffer.len()));
        }
    }

    /// Hands out the first `len` bytes of `buffer`, and keeps those `skip` bytes after them.
    fn hand_out(
        &mut self,
        buffer: &mut Vec<u8>,
        len: usize,
        skip: usize,
        block: LineBlock,
    ) -> LineBlock {
        self.carry.extend_from_slice(&buffer[len + skip..]);
        buffer.truncate(len);
        block
    }

    /// The next part of a long line, if there is one: up to its end, or all of `buffer`.
    fn piece(&mut self, buffer: &mut Vec<u8>, end: u8, is_first: bool) -> Option<LineBlock> {
        if let Some(at) = memchr(end, buffer) {
            self.is_within = false;
            let line = without_return(&buffer[..at], end).len();
            let block = LineBlock::Piece { is_first, is_last: true };
            return Some(self.hand_out(buffer, line, at + 1 - line, block));
        }
        let len = cut(buffer);
        self.is_within |= len > 0;
        let block = LineBlock::Piece { is_first, is_last: false };
        (len > 0).then(|| self.hand_out(buffer, len, 0, block))
    }

    /// The rest at the end of the input.
    fn last(&mut self, buffer: &mut Vec<u8>) -> Option<LineBlock> {
        let is_within = std::mem::take(&mut self.is_within);
        if self.fault.is_some() {
            self.is_broken = is_within || !buffer.is_empty();
            // The last piece of a line is handed out in any case: its row must end.
            buffer.clear();
        }
        match is_within {
            true => Some(LineBlock::Piece { is_first: false, is_last: true }),
            false => (!buffer.is_empty()).then_some(LineBlock::Lines),
        }
    }

    /// Reads once, up to `size` bytes more.
    fn read(&mut self, buffer: &mut Vec<u8>, size: usize) {
        let start = buffer.len();
        buffer.resize(start + size, 0);
        let got = loop {
            match self.reader.read(&mut buffer[start..]) {
                Ok(got) => break got,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.fault = Some(e);
                    break 0;
                }
            }
        };
        buffer.truncate(start + got);
        self.ended = got == 0;
    }
}

/// First bytes that are read at a time.
const HEAD: usize = 16 * 1024;

/// A line that ends with `end`, without the carriage return in front of a line feed.
pub fn without_return(line: &[u8], end: u8) -> &[u8] {
    match end {
        b'\n' => line.strip_suffix(b"\r").unwrap_or(line),
        _ => line,
    }
}

/// Where a part of a line may be cut: not within a character, nor before what may be the
/// second half of the line's end.
fn cut(bytes: &[u8]) -> usize {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let is_continued = |b: &u8| b & 0xc0 == 0x80;
    let tail = bytes.iter().rev().take(3).take_while(|b| is_continued(b)).count();
    let lead = bytes.len() - tail;
    let needed = match lead.checked_sub(1).map(|at| bytes[at]) {
        Some(0xc2..=0xdf) => 1,
        Some(0xe0..=0xef) => 2,
        Some(0xf0..=0xf4) => 3,
        _ => return bytes.len(),
    };
    if tail < needed { lead - 1 } else { bytes.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives `step` bytes at a time, then perhaps an error.
    struct Drip<'a>(&'a [u8], usize, bool);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() && self.2 {
                return Err(io::Error::other("bad disk"));
            }
            let n = self.0.len().min(self.1).min(out.len());
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    /// Every line that the blocks hold, the parts of long ones joined.
    fn lines(reader: Drip<'_>, size: usize, longest: usize) -> (Vec<Vec<u8>>, bool) {
        let mut lines = Lines::new(Path::new("x"), reader);
        lines.head(size);
        let (mut found, mut buffer) = (Vec::new(), Vec::new());
        while let Some(block) = lines.next_block(&mut buffer, size, longest) {
            match block {
                LineBlock::Lines => found.extend(split(&buffer)),
                LineBlock::Piece { is_first, .. } => {
                    if is_first {
                        found.push(Vec::new());
                    }
                    found.last_mut().expect("a first piece").extend_from_slice(&buffer);
                }
            }
        }
        (found, lines.fault().is_some())
    }

    fn split(text: &[u8]) -> Vec<Vec<u8>> {
        let lines = text.split_inclusive(|&b| b == b'\n');
        lines
            .map(|line| match line {
                [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] | line => line.to_vec(),
            })
            .collect()
    }

    proptest! {
        #[test]
        fn blocks_hold_every_line_once(
            text in prop::collection::vec(prop::sample::select(b"ab\n\n\r\xc3\xa9\xe2".to_vec()), 0..60),
            size in 1..20_usize,
            step in 1..9_usize,
            longest in 1..20_usize,
        ) {
            let (found, _) = lines(Drip(&text, step, false), size, longest);
            prop_assert_eq!(found, split(&text));
        }
    }

    #[test]
    fn records_are_whole_or_an_error() {
        let text = b"a,\"b\nc\"\nd\n\"e\nf\",\"g";
        for step in 1..30 {
            let mut lines = Lines::new(Path::new("x"), Drip(text, step, false));
            lines.set_unit(LineUnit::Record(Dialect::new(b',')));
            let (mut buffer, mut all) = (Vec::new(), Vec::new());
            while lines.next_block(&mut buffer, 9, 99).is_some() {
                assert!(!buffer.starts_with(b"c") && !buffer.starts_with(b"f"), "{buffer:?}");
                all.extend_from_slice(&buffer);
            }
            assert_eq!((all.as_slice(), lines.fault()), (&text[..], None));
        }
        let long = vec![b'x'; 3 << 20];
        let mut lines = Lines::new(Path::new("x"), Drip(&long, usize::MAX, false));
        lines.set_unit(LineUnit::Record(Dialect::new(b',')));
        assert_eq!(lines.next_block(&mut Vec::new(), 1 << 20, 1 << 20), None);
        let fault = lines.fault().expect("too long").message;
        assert!(fault.starts_with("a record is longer than 1048576 bytes; it and all"), "{fault}");
    }

    #[test]
    fn zero_bytes_end_values() {
        let mut lines = Lines::new(Path::new("x"), Drip(b"a\r\nb\0c\0", 9, false));
        lines.set_unit(LineUnit::Line(0));
        let mut buffer = Vec::new();
        assert_eq!(lines.next_block(&mut buffer, 9, 99), Some(LineBlock::Lines));
        assert_eq!(buffer, b"a\r\nb\0c\0");
    }

    #[test]
    fn characters_are_not_cut() {
        let text = "é本🐔x".repeat(50);
        let mut lines = Lines::new(Path::new("x"), Drip(text.as_bytes(), 1, false));
        let (mut buffer, mut pieces) = (Vec::new(), 0);
        while lines.next_block(&mut buffer, 7, 5).is_some() {
            pieces += 1;
            assert!(str::from_utf8(&buffer).is_ok(), "{buffer:?}");
        }
        assert!(pieces > 100, "{pieces}");
    }

    #[test]
    fn a_line_that_breaks_off_is_left_out() {
        for (text, expected) in [("ab\ncd", &["ab"][..]), ("ab\n", &["ab"]), ("ab", &[]), ("", &[])]
        {
            let (found, is_fault) = lines(Drip(text.as_bytes(), 1, true), 9, 99);
            assert!(is_fault);
            assert!(found.iter().eq(expected.iter().map(|line| line.as_bytes())), "{text:?}");
        }
    }
}
