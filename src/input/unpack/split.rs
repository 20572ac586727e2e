//! Compressed files of many members, cut where members begin, so that several can be
//! decoded at the same time: multistream bzip2, gzip of blocks (BGZF) or of parts that
//! were joined, zstd of many frames.
//!
//! Where a member begins is guessed by the magic number, which may stand within
//! another one by chance or by intent. So what was decoded from a place counts only when
//! the members before it end right there, and [`Segment::decode`] says where they do.

use super::bytes::{Bytes, Input};
use super::codec::{Codec, Decoder};
use super::limit::{Limits, Meter};
use crate::input::files::{Opened, Section};
use memchr::memmem;
use std::io;
use std::sync::Arc;

/// Compressed bytes of a segment, at least. One of bzip2 takes a tenth of a second.
const STEP: u64 = 512 * 1024;

/// Bytes that a segment may unpack to when it is held in memory.
const MOST: u64 = 16 * 1024 * 1024;

/// Bytes of memory that a segment may take while it is decoded, in a buffer that grows.
pub const SEGMENT: usize = 2 * MOST as usize;

/// Bytes that are searched at a time.
const WINDOW: usize = 64 * 1024;

/// The longest magic number.
const MAGIC: usize = 10;

/// A compressed file and how far it is cut.
#[derive(Debug)]
pub struct Split {
    file: Arc<Opened>,
    codec: Codec,
    /// Compressed bytes of a segment, at least.
    step: u64,
    /// Where the next segment begins.
    at: Option<u64>,
}

/// Members from one place to another. Either may be a wrong guess.
#[derive(Clone, Debug)]
pub struct Segment {
    file: Arc<Opened>,
    codec: Codec,
    meter: Meter,
    /// Where it begins, in compressed bytes.
    pub start: u64,
    /// Where the next one begins.
    pub until: u64,
}

/// What a segment held.
#[derive(Debug, PartialEq, Eq)]
pub struct Segmented {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Its members.
    pub members: u64,
    /// Where the last of them ended, in compressed bytes: at the end of the segment, or
    /// behind it, when the next one began at a wrong guess.
    pub end: u64,
}

impl Split {
    /// Cuts `file`. None when no second member begins near its start, or when it is not
    /// worth it.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn new(file: &Arc<Opened>, codec: Codec) -> io::Result<Option<Split>> {
        Split::with_step(file, codec, STEP)
    }

    /// Cuts `file` as [`Split::new`] does, into segments of `step` compressed bytes or
    /// more: small ones show in small files what happens between them. The second
    /// member has to begin within the first eight steps.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn with_step(file: &Arc<Opened>, codec: Codec, step: u64) -> io::Result<Option<Split>> {
        let can = matches!(codec, Codec::Gzip | Codec::Bzip2 | Codec::Zstd);
        let step = step.max(1);
        if !can || file.size() < 2 * step {
            return Ok(None);
        }
        let split = Split { file: Arc::clone(file), codec, step, at: Some(0) };
        // A file of one member is searched once, in this part alone.
        let found = split.find(1, 8 * step)?;
        Ok(found.is_some().then_some(split))
    }

    /// The next segment, none behind the last, of an input that `meter` measures.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn next(&mut self, meter: &Meter) -> io::Result<Option<Segment>> {
        let Some(start) = self.at else { return Ok(None) };
        self.at = self.find(start + self.step, self.file.size())?;
        let until = self.at.unwrap_or(self.file.size());
        let (file, codec, meter) = (Arc::clone(&self.file), self.codec, meter.clone());
        Ok(Some(Segment { file, codec, meter, start, until }))
    }

    /// The first place from `from` on, and before `to`, where a member may begin.
    fn find(&self, from: u64, to: u64) -> io::Result<Option<u64>> {
        let mut buffer = vec![0; WINDOW + MAGIC];
        let mut at = from;
        while at < to.min(self.file.size()) {
            let got = self.file.read_at(&mut buffer, at)?;
            let place = begin(self.codec, &buffer[..got]).filter(|&p| p < WINDOW);
            if let Some(place) = place {
                return Ok(Some(at + place as u64).filter(|&place| place < to));
            }
            at += WINDOW as u64;
        }
        Ok(None)
    }
}

/// Where in `bytes` a member begins that has a header such as encoders write.
fn begin(codec: Codec, bytes: &[u8]) -> Option<usize> {
    let magic: &[u8] = match codec {
        Codec::Gzip => b"\x1f\x8b\x08",
        Codec::Bzip2 => b"BZh",
        _ => b"\x28\xb5\x2f\xfd",
    };
    let is_header = |&at: &usize| {
        let head = &bytes[at..bytes.len().min(at + MAGIC)];
        match codec {
            // Flags of names and extra fields; what is said of speed; a known system.
            Codec::Gzip => {
                head.len() == MAGIC
                    && head[3] & 0xe2 == 0
                    && matches!(head[8], 0 | 2 | 4)
                    && matches!(head[9], 0..=13 | 255)
            }
            Codec::Bzip2 => head.len() == MAGIC && Codec::of(head) == Some(Codec::Bzip2),
            _ => true,
        }
    };
    memmem::find_iter(bytes, magic).find(is_header)
}

impl Segment {
    /// The segment of the same file from `start` to `until`.
    #[must_use]
    pub fn moved(&self, start: u64, until: u64) -> Segment {
        Segment { start, until, ..self.clone() }
    }

    /// What measures the input.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Decodes its members and those that reach over its end. None when that is not
    /// possible: damage, too much to hold, something between the members. Then
    /// [`Segment::rest`] says what is wrong.
    pub fn decode(&self) -> Option<Segmented> {
        let limits = Limits { size: MOST, ratio: u64::MAX, ..*self.meter.limits() };
        let meter =
            Meter::counting(limits, self.meter.ledger().clone(), self.meter.cancel().clone());
        let section =
            Section::new(Arc::clone(&self.file), self.start..self.file.size(), meter.clone());
        let (codec, window) = (self.codec, limits.window);
        let mut decoder = Decoder::single(codec, Input::new(section), meter, window);
        let (mut bytes, mut members) = (Vec::new(), 0);
        let is_last = self.until >= self.file.size();
        loop {
            let end = self.start + decoder.source().offset();
            let is_at_end = match is_last {
                true => decoder.source().peek(1).ok()?.is_empty(),
                false => end >= self.until,
            };
            if is_at_end {
                return Some(Segmented { bytes, members, end });
            }
            decoder.read_member(&mut bytes).ok()?;
            members += 1;
            let source = decoder.source();
            if self.start + source.offset() == end
                || Codec::of(source.peek(MAGIC).ok()?) != Some(codec)
            {
                // Padding or something else: for who reads on from here.
                let end = self.start + source.offset();
                let is_done = end == self.until && end == self.file.size();
                return is_done.then_some(Segmented { bytes, members, end });
            }
        }
    }

    /// A reader of all from the start of this segment to the end of the file, before
    /// which `members` stand.
    pub fn rest(&self, members: u64) -> Decoder<Input<Section>> {
        let meter = &self.meter;
        let bytes = self.start..self.file.size();
        let section = Section::new(Arc::clone(&self.file), bytes, meter.clone());
        let source = Input::at(section, self.start);
        Decoder::behind(members, self.codec, source, meter.clone(), meter.limits().window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Io, probe};
    use std::io::Write;

    /// Members of `len` bytes each, some stored as they are, and what they hold.
    fn members(codec: Codec, count: u32, len: usize) -> (Vec<u8>, Vec<u8>) {
        let (mut packed, mut plain) = (Vec::new(), Vec::new());
        let mut state = 1u32;
        for index in 0..count {
            let mut text = Vec::new();
            while text.len() < len {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                text.push((state >> 24) as u8);
            }
            // A magic number within stored bytes is a place where nothing begins.
            if index % 7 == 0 {
                text[len / 2..len / 2 + 10].copy_from_slice(b"\x1f\x8b\x08\0\0\0\0\0\0\x03");
            }
            match codec {
                Codec::Bzip2 => {
                    let level = bzip2::Compression::new(1);
                    let mut encoder = bzip2::write::BzEncoder::new(&mut packed, level);
                    encoder.write_all(&text).expect("write");
                }
                Codec::Zstd => packed.extend(zstd::encode_all(&text[..], 1).expect("zstd")),
                _ => {
                    let level = flate2::Compression::none();
                    let mut encoder = flate2::write::GzEncoder::new(&mut packed, level);
                    encoder.write_all(&text).expect("write");
                }
            }
            plain.extend(text);
        }
        (packed, plain)
    }

    fn open(bytes: &[u8]) -> (tempfile::NamedTempFile, Arc<Opened>) {
        let file = tempfile::NamedTempFile::new().expect("file");
        std::fs::write(&file, bytes).expect("write");
        let unit = probe(file.path()).expect("probe");
        let opened = Arc::new(Opened::open(&unit, Io::READ).expect("open"));
        (file, opened)
    }

    #[test]
    fn segments_that_follow_one_another_hold_everything() {
        for codec in [Codec::Gzip, Codec::Bzip2, Codec::Zstd] {
            let (packed, plain) = members(codec, 30, 100_000);
            let (_keep, file) = open(&packed);
            let mut split = Split::new(&file, codec).expect("read").expect("members");
            let (mut at, mut all, mut count) = (0, Vec::new(), 0);
            while let Some(segment) = split.next(&Meter::new(Limits::default())).expect("read") {
                if segment.until <= at {
                    continue;
                }
                let segment = segment.moved(at, segment.until);
                let found = segment.decode().expect("sound");
                assert!(found.end >= segment.until);
                (at, count) = (found.end, count + found.members);
                all.extend(found.bytes);
            }
            assert_eq!((at, count), (packed.len() as u64, 30), "{codec:?}");
            assert!(all == plain, "{codec:?}");
        }
    }

    #[test]
    fn small_segments_hold_one_member_each() {
        for codec in [Codec::Gzip, Codec::Bzip2, Codec::Zstd] {
            let (packed, plain) = members(codec, 6, 100);
            let (_keep, file) = open(&packed);
            let mut split = Split::with_step(&file, codec, 40).expect("read").expect("members");
            let (mut at, mut all, mut count) = (0, Vec::new(), 0);
            while let Some(segment) = split.next(&Meter::new(Limits::default())).expect("read") {
                if segment.until > at {
                    let found = segment.moved(at, segment.until).decode().expect("sound");
                    assert_eq!(found.members, 1, "{codec:?}");
                    (at, count) = (found.end, count + 1);
                    all.extend(found.bytes);
                }
            }
            assert_eq!((at, count), (packed.len() as u64, 6), "{codec:?}");
            assert!(all == plain, "{codec:?}");
            let step = packed.len() as u64;
            assert!(Split::with_step(&file, codec, step).expect("read").is_none());
        }
    }

    #[test]
    fn one_member_is_not_cut_and_damage_is_left_to_the_reader_of_the_rest() {
        let (packed, _) = members(Codec::Gzip, 1, 3_000_000);
        let (_keep, file) = open(&packed);
        // The magic number within it is found, and nothing can be decoded there.
        let split = Split::new(&file, Codec::Gzip).expect("read").expect("a guess");
        let guess = split.find(1, u64::MAX).expect("read").expect("a place");
        let meter = Meter::new(Limits::default());
        let segment = Segment {
            file,
            codec: Codec::Gzip,
            meter: meter.clone(),
            start: guess,
            until: guess + 1,
        };
        assert_eq!(segment.decode(), None);
        let (_keep, file) = open(&members(Codec::Bzip2, 1, 1_500_000).0);
        assert!(Split::new(&file, Codec::Bzip2).expect("read").is_none());

        let (mut packed, _) = members(Codec::Gzip, 30, 100_000);
        packed[1_000_000] ^= 1;
        let (_keep, file) = open(&packed);
        let mut split = Split::new(&file, Codec::Gzip).expect("read").expect("members");
        let first = split.next(&meter).expect("read").expect("a segment");
        let second = split.next(&meter).expect("read").expect("a segment");
        let count = first.decode().expect("sound").members;
        assert!(second.decode().is_none());
        let error = io::copy(&mut second.rest(count), &mut io::sink()).expect_err("damage");
        let message = error.to_string();
        assert!(message.starts_with("gzip member 10 is damaged at byte 1000"), "{message}");
    }
}
