//! Undoes codecs and containers, layer by layer, and pushes each input in them, with
//! its name and its bytes, to a visitor. Nothing is ever written to disk, and no
//! layer keeps more than its buffers.

mod index;
mod name;
mod tar;
mod tar_header;
mod zip;
mod zip_directory;
mod zip_record;

pub use index::{Archive, Part};
pub use name::Name;

use super::bytes::{Bytes, Input, is_again};
use super::codec::Decoder;
use super::limit::Meter;
use super::{Codec, HEAD};
use crate::quality::Problem;
use std::io::{self, Read};

/// Takes what is found in an input.
pub trait Visit {
    /// One input that is no container: its name and its bytes, of which as many may be
    /// read as it likes. What they fail with is its to report, unless
    /// [`is_again`](super::is_again).
    fn input(&mut self, name: &Name, bytes: &mut dyn Read);

    /// What is not read, or not wholly.
    fn problem(&mut self, problem: Problem);
}

/// What an input is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// To be scanned as it is, or refused by name.
    Plain,
    /// Compressed.
    Codec(Codec),
    /// A tar archive.
    Tar,
    /// A zip archive.
    Zip,
}

impl Packing {
    /// What begins with `head`, [`HEAD`] bytes where there are so many.
    pub fn of(head: &[u8]) -> Packing {
        if let Some(codec) = Codec::of(head) {
            return Packing::Codec(codec);
        }
        match () {
            () if zip_record::is_archive(head) => Packing::Zip,
            () if tar_header::is_archive(head) => Packing::Tar,
            () => Packing::Plain,
        }
    }

    /// What a file is that begins with `head` and ends with `tail`: a program that unpacks
    /// itself is a zip archive.
    pub fn of_file(head: &[u8], tail: &[u8]) -> Packing {
        match Packing::of(head) {
            Packing::Plain if zip_directory::ends_archive(tail) => Packing::Zip,
            packing => packing,
        }
    }
}

/// Bytes that tell an archive by its end.
pub(super) const TAIL: usize = zip_record::END_LEN;

/// The layers around an input.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    meter: Meter,
    /// Containers and codecs.
    depth: u32,
    /// Codecs whose window is as large as they say.
    windows: u32,
}

/// The window of a codec within two others that have one as well, so that the sum of
/// all stays near twice the limit.
const INNER_WINDOW: u64 = 16 * 1024 * 1024;

impl Layers {
    pub(super) fn new(meter: Meter) -> Self {
        Layers { meter, depth: 0, windows: 0 }
    }

    fn deeper(&self) -> Layers {
        Layers { depth: self.depth + 1, ..self.clone() }
    }

    fn window(&self) -> u64 {
        let window = self.meter.limits().window;
        if self.windows < 2 { window } else { window.min(INNER_WINDOW) }
    }

    fn decoder<'a>(&self, codec: Codec, source: &'a mut dyn Bytes) -> Decoder<&'a mut dyn Bytes> {
        Decoder::new(codec, source, self.meter.clone(), self.window())
    }

    fn with_window(&self, codec: Codec) -> Layers {
        Layers { windows: self.windows + u32::from(codec.has_window()), ..self.clone() }
    }
}

/// Pushes all that `bytes` hold to `visit`. The bytes read from the source are for the
/// caller to add to `meter`.
pub fn unpack(bytes: impl Read, name: &Name, meter: &Meter, visit: &mut dyn Visit) {
    open(&mut Input::new(bytes), name, &Layers::new(meter.clone()), visit);
}

/// As [`unpack`], of bytes that `codec` was undone from already.
pub fn unpack_decoded(
    bytes: impl Read,
    codec: Codec,
    name: &Name,
    meter: &Meter,
    visit: &mut dyn Visit,
) {
    let layers = Layers::new(meter.clone()).deeper().with_window(codec);
    open(&mut Input::new(bytes), &name.decoded(), &layers, visit);
}

/// Undoes the next layer.
fn open(source: &mut dyn Bytes, name: &Name, layers: &Layers, visit: &mut dyn Visit) {
    let packing = match source.peek(HEAD) {
        Ok(head) => Packing::of(head),
        Err(error) => return report(&error, name, visit),
    };
    if packing != Packing::Plain && layers.depth >= layers.meter.limits().depth {
        let message = format!("is nested in {} others and not read (--max-depth)", layers.depth);
        return visit.problem(Problem::new(name.path(), message));
    }
    match packing {
        Packing::Plain => plain(source, name, visit),
        Packing::Codec(codec) => {
            let mut decoder = Input::new(layers.decoder(codec, source));
            open(&mut decoder, &name.decoded(), &layers.deeper().with_window(codec), visit);
        }
        Packing::Tar => tar::walk(source, name, &layers.deeper(), visit),
        Packing::Zip => zip::walk(source, name, &layers.deeper(), visit),
    }
}

/// Pushes what is no container. Of a stream nobody knows before its end that it ends as a zip
/// archive does, and what went by is not kept.
fn plain(source: &mut dyn Bytes, name: &Name, visit: &mut dyn Visit) {
    let mut ending = Ending { source, last: Vec::new() };
    visit.input(name, &mut ending);
    if zip_directory::ends_archive(&ending.last) {
        let message = "is a zip archive with something before it, which was searched as text; \
                       its members are read when it is a file of its own";
        visit.problem(Problem::new(name.path(), message));
    }
}

/// Keeps the last bytes of what is read, as many as tell an archive by its end.
struct Ending<'a> {
    source: &'a mut dyn Bytes,
    last: Vec<u8>,
}

impl Read for Ending<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(out)?;
        let new = &out[n.saturating_sub(TAIL)..n];
        let kept = self.last.len().min(TAIL - new.len());
        self.last.drain(..self.last.len() - kept);
        self.last.extend_from_slice(new);
        Ok(n)
    }
}

/// Reports that a container cannot be read on, unless a member said so.
fn report(error: &io::Error, name: &Name, visit: &mut dyn Visit) {
    if !is_again(error) {
        let message = format!("{error}; what was found before it is kept");
        visit.problem(Problem::new(name.path(), message));
    }
}

#[cfg(test)]
mod tests;
