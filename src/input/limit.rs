//! How much may be unpacked, and how much was.

use crate::collect::{Beside, Held};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a bomb may cost. Memory is bounded by the window of a codec and the depth
/// alone, as nothing unpacked is kept; ratio and size bound the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a decoder's window or dictionary (zstd, xz), or of a page of a Parquet
    /// file with its dictionary. 128 MiB is what `zstd --long` writes and its decoder
    /// grants; `xz -9` needs 64 MiB, and pages that duckdb writes 100 MB.
    pub window: u64,
    /// So many times as many bytes as were read may be unpacked, once those are more
    /// than [`Limits::FREE`]. Deflate reaches 1032, real dumps stay below 100.
    pub ratio: u64,
    /// Bytes that one input may unpack to, members of members included.
    pub size: u64,
    /// Containers and codecs within one another.
    pub depth: u32,
}

impl Limits {
    /// Unpacked bytes of an input below which the ratio does not count: they take
    /// about a second.
    pub const FREE: u64 = 1024 * 1024 * 1024;
}

/// Wikidata's dump, the largest that is known, unpacks to less than 2 TiB.
impl Default for Limits {
    fn default() -> Self {
        Limits { window: 128 * 1024 * 1024, ratio: 1_000, size: 16 << 40, depth: 8 }
    }
}

/// Bytes read from one input and bytes unpacked from it, by all who read it.
#[derive(Clone, Debug)]
pub struct Meter(Arc<State>);

#[derive(Debug)]
struct State {
    limits: Limits,
    beside: Beside,
    read: AtomicU64,
    told: AtomicU64,
    unpacked: AtomicU64,
    exceeded: AtomicBool,
}

impl Meter {
    /// The meter of an input of which nothing was read.
    pub fn new(limits: Limits) -> Self {
        Meter::counting(limits, Beside::default())
    }

    /// As [`Meter::new`]; the memory of decoders is counted by `beside`.
    pub fn counting(limits: Limits, beside: Beside) -> Self {
        let (read, told, unpacked) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let exceeded = AtomicBool::new(false);
        Meter(Arc::new(State { limits, beside, read, told, unpacked, exceeded }))
    }

    /// What is allowed.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Where the memory of decoders is counted.
    pub fn beside(&self) -> &Beside {
        &self.0.beside
    }

    /// The memory of a decoder, none yet.
    pub(super) fn hold(&self) -> Held {
        self.0.beside.hold()
    }

    /// Notes bytes that were read.
    pub fn add_read(&self, bytes: u64) {
        self.0.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes that were read since this was asked last.
    pub fn read_since(&self) -> u64 {
        let read = self.0.read.load(Ordering::Relaxed);
        read.saturating_sub(self.0.told.fetch_max(read, Ordering::Relaxed))
    }

    /// Adds what is read from `reader`.
    pub fn reader<R>(&self, reader: R) -> Metered<R> {
        Metered { reader, meter: self.clone() }
    }

    /// Notes bytes that were unpacked.
    ///
    /// # Errors
    ///
    /// The first time it is too much with the limit's name; afterwards an error that
    /// was reported already.
    pub fn add_unpacked(&self, bytes: u64) -> io::Result<()> {
        let state = &*self.0;
        let unpacked = state.unpacked.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let Limits { ratio, size, .. } = state.limits;
        let most = ratio.saturating_mul(state.read.load(Ordering::Relaxed)).max(Limits::FREE);
        if unpacked <= most && unpacked <= size {
            return Ok(());
        }
        if state.exceeded.swap(true, Ordering::Relaxed) {
            return Err(super::bytes::again());
        }
        let message = match unpacked > size {
            true => format!("unpacks to more than {size} bytes (--max-unpacked)"),
            false => format!("unpacks to more than {ratio} times its size (--max-ratio)"),
        };
        Err(io::Error::new(io::ErrorKind::InvalidData, message))
    }
}

/// A reader whose bytes are counted.
#[derive(Debug)]
pub struct Metered<R> {
    reader: R,
    meter: Meter,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(out)?;
        self.meter.add_read(n as u64);
        Ok(n)
    }
}
