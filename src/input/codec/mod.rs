//! Compressed data: which codec it is, told by its first bytes, and a reader of
//! what it holds.
//!
//! One loop reads every codec, member by member, as each allows several in one
//! file. The ready-made readers of the crates are not used for three reasons: those
//! for one member stop behind it and say all is well, those for several take zero
//! padding for a fault, and all of them drop what the call that meets a fault has
//! decoded before it.

mod engine;
mod lz4;

use super::bytes::{Bytes, again};
use super::limit::Meter;
use crate::collect::Held;
use engine::{Engine, Outcome};
use lz4::Frames;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A way of compressing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// RFC 1952.
    Gzip,
    /// bzip2.
    Bzip2,
    /// The .xz file format.
    Xz,
    /// The format before it, `.lzma`.
    Lzma,
    /// RFC 8878.
    Zstd,
    /// The lz4 frame format.
    Lz4,
    /// RFC 1951 without a header, as in zip archives.
    Deflate,
}

/// The magic number of skippable frames of zstd and lz4 without its last four bits.
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

impl Codec {
    /// The codec of data that begins with `head`.
    pub fn of(head: &[u8]) -> Option<Codec> {
        if is_skippable(head) {
            return Some(behind_skippable(head));
        }
        [Codec::Gzip, Codec::Bzip2, Codec::Xz, Codec::Zstd, Codec::Lz4, Codec::Lzma]
            .into_iter()
            .find(|codec| codec.begins(head))
    }

    /// Whether a member of this codec begins with `head`.
    fn begins(self, head: &[u8]) -> bool {
        match self {
            Codec::Gzip => head.starts_with(b"\x1f\x8b"),
            Codec::Bzip2 => is_bzip2(head),
            Codec::Xz => head.starts_with(b"\xfd7zXZ\0"),
            Codec::Lzma => is_lzma(head),
            Codec::Zstd => head.starts_with(b"\x28\xb5\x2f\xfd"),
            Codec::Lz4 => head.starts_with(b"\x04\x22\x4d\x18"),
            Codec::Deflate => false,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Gzip => "gzip",
            Codec::Bzip2 => "bzip2",
            Codec::Xz => "xz",
            Codec::Lzma => "lzma",
            Codec::Zstd => "zstd",
            Codec::Lz4 => "lz4",
            Codec::Deflate => "deflate",
        }
    }

    /// What its specification calls the units that follow one another.
    fn unit(self) -> &'static str {
        match self {
            Codec::Gzip => "member",
            Codec::Bzip2 | Codec::Xz | Codec::Lzma | Codec::Deflate => "stream",
            Codec::Zstd | Codec::Lz4 => "frame",
        }
    }

    /// Whether its window is as large as the data says.
    pub(super) fn has_window(self) -> bool {
        matches!(self, Codec::Xz | Codec::Lzma | Codec::Zstd)
    }

    /// The name of what `path` holds: without the codec's suffix, `.tgz` as `.tar`.
    pub fn inner_name(path: &Path) -> PathBuf {
        const SUFFIXES: [&str; 9] =
            ["gz", "bz2", "xz", "zst", "lz4", "lzma", "bgz", "zstd", "gzip"];
        const TARS: [&str; 5] = ["tgz", "tbz2", "txz", "tzst", "tbz"];
        let has = |suffixes: &[&str]| {
            path.extension().is_some_and(|e| suffixes.iter().any(|s| e.eq_ignore_ascii_case(s)))
        };
        match () {
            () if has(&SUFFIXES) => path.with_extension(""),
            () if has(&TARS) => path.with_extension("tar"),
            () => path.to_path_buf(),
        }
    }
}

/// Text may begin with three letters: `BZh` counts with its level and the magic of a
/// block or of the end behind it, as far as there are bytes.
fn is_bzip2(head: &[u8]) -> bool {
    let magic = &head[head.len().min(4)..head.len().min(10)];
    head.starts_with(b"BZh")
        && matches!(head.get(3), Some(b'1'..=b'9'))
        && (b"\x31\x41\x59\x26\x53\x59".starts_with(magic)
            || b"\x17\x72\x45\x38\x50\x90".starts_with(magic))
}

/// There is no magic number: the properties that all encoders write, a dictionary of
/// 2ⁿ or 2ⁿ + 2ⁿ⁻¹ bytes and a size that is unknown or below 2³⁸, as xz takes it.
fn is_lzma(head: &[u8]) -> bool {
    let Some(header) = head.first_chunk::<13>() else { return false };
    let dictionary = u32::from_le_bytes([header[1], header[2], header[3], header[4]]);
    let size = header[5..].iter().rev().fold(0u64, |sum, &b| sum << 8 | u64::from(b));
    let top = dictionary.checked_ilog2().unwrap_or(0);
    let rest = dictionary - (1u32 << top).min(dictionary);
    header[0] == 0x5d
        && top >= 12
        && (rest == 0 || rest == 1 << (top - 1))
        && (size == u64::MAX || size < 1 << 38)
}

fn is_skippable(head: &[u8]) -> bool {
    head.first().is_some_and(|b| b & 0xf0 == 0x50) && head[1..].starts_with(&SKIPPABLE)
}

/// Skippable frames begin data of two codecs. zstd's, when the head does not reach
/// behind them: only its tools write them.
fn behind_skippable(mut head: &[u8]) -> Codec {
    while is_skippable(head) {
        let len = head[4..].first_chunk().map_or(u32::MAX, |len| u32::from_le_bytes(*len));
        head = head.get(8usize.saturating_add(len as usize)..).unwrap_or_default();
    }
    if Codec::Lz4.begins(head) { Codec::Lz4 } else { Codec::Zstd }
}

/// Reads what compressed bytes hold, all members one after the other.
///
/// An error comes behind all bytes that were decoded before it, names the member and
/// the place in the compressed bytes, and comes once: afterwards
/// [`is_again`](super::is_again) holds.
pub struct Decoder<B: Bytes> {
    codec: Codec,
    meter: Meter,
    window: u64,
    held: Held,
    body: Body<B>,
    state: State,
    /// Members that were begun.
    members: u64,
    /// Whether what stands behind the first one is somebody else's.
    single: bool,
}

enum Body<B: Bytes> {
    Steps(B, Option<Engine>),
    Lz4(Frames<B>),
}

enum State {
    Between,
    Within,
    Ended,
    /// An error that is to be told.
    Pending(io::Error),
    Failed,
}

impl<B: Bytes> Decoder<B> {
    /// A reader of what `source` holds. `window` bounds that of the codec, in bytes.
    pub fn new(codec: Codec, source: B, meter: Meter, window: u64) -> Self {
        let body = match codec {
            Codec::Lz4 => Body::Lz4(Frames::new(source)),
            _ => Body::Steps(source, None),
        };
        let mut held = meter.hold();
        if codec == Codec::Lz4 {
            held.set(lz4::MEMORY);
        }
        let state = State::Between;
        Decoder { codec, meter, window, held, body, state, members: 0, single: false }
    }

    /// A reader of one member, which takes nothing behind it.
    pub(super) fn single(codec: Codec, source: B, meter: Meter, window: u64) -> Self {
        Decoder { single: true, ..Decoder::new(codec, source, meter, window) }
    }

    /// A reader of members before which others stand, so that it counts on from them.
    pub(super) fn behind(members: u64, codec: Codec, source: B, meter: Meter, window: u64) -> Self {
        Decoder { members, ..Decoder::new(codec, source, meter, window) }
    }

    /// The compressed bytes.
    pub fn source(&mut self) -> &mut B {
        match &mut self.body {
            Body::Steps(source, _) => source,
            Body::Lz4(frames) => frames.source(),
        }
    }

    /// Goes to the next member. False when there is none.
    fn next_member(&mut self) -> io::Result<bool> {
        let codec = self.codec;
        if self.single && self.members > 0 {
            return Ok(false);
        }
        self.skip_frames()?;
        let behind = self.members > 0;
        // Only between members: bare deflate may begin with a zero byte.
        let padding = if behind { skip_zeros(self.source())? } else { 0 };
        if self.source().peek(1)?.is_empty() {
            let odd = codec == Codec::Xz && !padding.is_multiple_of(4);
            return if odd { Err(self.damaged("padding is no multiple of 4")) } else { Ok(false) };
        }
        if behind && !codec.begins(self.source().peek(13)?) {
            let name = codec.name();
            let at = self.source().offset();
            return Err(invalid(format!("no {name} data from byte {at} on")));
        }
        self.members += 1;
        if let Body::Steps(_, engine) = &mut self.body {
            *engine = Some(Engine::new(codec, self.window)?);
        }
        Ok(true)
    }

    /// Skippable frames hold nothing to read.
    fn skip_frames(&mut self) -> io::Result<()> {
        if !matches!(self.codec, Codec::Zstd | Codec::Lz4) {
            return Ok(());
        }
        while is_skippable(self.source().peek(8)?) {
            let header = self.source().peek(8)?.first_chunk::<8>().copied();
            let Some([.., a, b, c, d]) = header else { return Err(self.early()) };
            let len = 8 + u64::from(u32::from_le_bytes([a, b, c, d]));
            if take(self.source(), len)? < len {
                return Err(self.early());
            }
        }
        Ok(())
    }

    /// Decodes the next bytes of a member. None when it has ended.
    fn within(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        match &mut self.body {
            Body::Lz4(frames) => match frames.read(out) {
                Ok(0) if frames.is_short() => Err(self.early()),
                Ok(0) => Ok(None),
                Ok(n) => Ok(Some(n)),
                Err(error) if frames.has_failed() => Err(error),
                Err(_) if frames.is_short() => Err(self.early()),
                Err(error) => Err(self.damaged(&error.to_string())),
            },
            Body::Steps(..) => self.steps(out),
        }
    }

    fn steps(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            let Body::Steps(source, Some(engine)) = &mut self.body else { return Ok(None) };
            let input = source.fill_buf()?;
            let ended = input.is_empty();
            let step = engine.step(input, out);
            self.held.set(engine.memory());
            source.consume(step.taken);
            let stuck = ended && step.given == 0;
            match step.outcome {
                Outcome::End => self.state = State::Between,
                Outcome::Fault(what) => self.state = State::Pending(self.damaged(&what)),
                Outcome::TooLarge => self.state = State::Pending(self.too_large()),
                Outcome::More if stuck => return Err(self.early()),
                Outcome::More => {}
            }
            let more = matches!(self.state, State::Within);
            if step.given > 0 || !more {
                return Ok(Some(step.given));
            }
        }
    }

    fn label(&self) -> String {
        format!("{} {} {}", self.codec.name(), self.codec.unit(), self.members.max(1))
    }

    fn early(&mut self) -> io::Error {
        let message = format!("{} ends early at byte {}", self.label(), self.source().offset());
        io::Error::new(io::ErrorKind::UnexpectedEof, message)
    }

    fn damaged(&mut self, what: &str) -> io::Error {
        let at = self.source().offset();
        invalid(format!("{} is damaged at byte {at} ({what})", self.label()))
    }

    fn too_large(&mut self) -> io::Error {
        let (label, window) = (self.label(), self.window);
        invalid(format!("{label} needs a window of more than {window} bytes (--max-window)"))
    }
}

impl<B: Bytes> Read for Decoder<B> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !out.is_empty() {
            let result = match std::mem::replace(&mut self.state, State::Within) {
                State::Ended => {
                    self.state = State::Ended;
                    return Ok(0);
                }
                State::Pending(error) => Err(error),
                State::Failed => Err(again()),
                State::Between => self.next_member().map(|more| {
                    self.state = if more { State::Within } else { State::Ended };
                    0
                }),
                State::Within => self.within(out).and_then(|given| {
                    if given.is_none() {
                        self.state = State::Between;
                    }
                    let given = given.unwrap_or(0);
                    self.meter.add_unpacked(given as u64).map(|()| given)
                }),
            };
            match result {
                Ok(0) => {}
                Ok(given) => return Ok(given),
                Err(error) => {
                    self.state = State::Failed;
                    return Err(error);
                }
            }
        }
        Ok(0)
    }
}

impl<B: Bytes> std::fmt::Debug for Decoder<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoder").field("codec", &self.codec).finish_non_exhaustive()
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Takes zero bytes; returns how many.
fn skip_zeros(source: &mut impl Bytes) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let bytes = source.peek(1)?;
        let zeros = bytes.iter().take_while(|&&b| b == 0).count();
        let all = zeros == bytes.len();
        source.consume(zeros);
        skipped += zeros as u64;
        if !all || zeros == 0 {
            return Ok(skipped);
        }
    }
}

/// Takes `len` bytes or all there are; returns how many.
pub(super) fn take(source: &mut impl Bytes, len: u64) -> io::Result<u64> {
    let mut taken = 0;
    while taken < len {
        let bytes = source.peek(1)?.len() as u64;
        if bytes == 0 {
            break;
        }
        let now = bytes.min(len - taken);
        source.consume(now as usize);
        taken += now;
    }
    Ok(taken)
}

#[cfg(test)]
mod tests;
