//! How much may be unpacked, and how much was.

use crate::collect::{Ledger, Reservation};
use crate::sys::cancel::Cancel;
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a bomb may cost. Memory is bounded by the window of a codec and the depth
/// alone, as nothing unpacked is kept; ratio and size bound the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a decoder's window or dictionary (zstd, xz), or of a page of a Parquet
    /// file with its dictionary. 128 MiB is what `zstd --long` writes and its decoder
    /// grants; `xz -9` needs 64 MiB, and pages that duckdb writes 100 MB.
    pub window: u64,
    /// How many bytes may be unpacked for each byte that was read, beyond those that are
    /// free (see [`Meter::member`]). Deflate reaches 1032, real dumps stay below 100.
    pub ratio: u64,
    /// Bytes that one input may unpack to in each layer, its members in order.
    pub size: u64,
    /// Containers and codecs within one another.
    pub depth: u32,
}

impl Limits {
    /// Unpacked bytes of an input for which the ratio does not count: they take about a
    /// second.
    pub const FREE: u64 = 1024 * 1024 * 1024;
}

/// The ratio bounds the time already, so there is no limit of size.
impl Default for Limits {
    fn default() -> Self {
        Limits { window: 128 * 1024 * 1024, ratio: 1_000, size: u64::MAX, depth: 8 }
    }
}

/// The fewest bytes that a member of an archive may unpack to whatever its ratio, and the
/// unpacked bytes after which the ratio is looked at again.
const STEP: u64 = 1024 * 1024;

/// Bytes of an archive after which a member has half of [`Limits::FREE`]: about what the
/// smallest members take.
const MEMBER: u64 = 256;

/// Layers that are counted apart; those within them are counted with the last.
const LAYERS: usize = 32;

/// Counts the bytes that are unpacked, and says when a limit is reached.
///
/// The ratio counts in each unit: an input, or a member of an archive that is not itself
/// compressed, such as can be decoded side by side with others. Within a unit, and where the
/// size of a whole input counts, decoders run one after the other. Each layer counts apart,
/// as how far an outer one is ahead of an inner one depends on buffers. So the place where a
/// limit is reached depends on the data alone.
#[derive(Clone, Debug)]
pub struct Meter {
    unit: Arc<Unit>,
    layer: usize,
}

#[derive(Debug)]
struct Unit {
    whole: Arc<Whole>,
    /// Bytes for which the ratio does not count.
    free: u64,
    /// Bytes that the outermost codec has taken.
    taken: AtomicU64,
    unpacked: [AtomicU64; LAYERS],
}

/// What is counted for an input with all its members.
#[derive(Debug)]
struct Whole {
    limits: Limits,
    beside: Ledger,
    cancel: Cancel,
    read: AtomicU64,
    told: AtomicU64,
    unpacked: [AtomicU64; LAYERS],
}

impl Unit {
    fn new(whole: Arc<Whole>, free: u64) -> Arc<Unit> {
        Arc::new(Unit { whole, free, taken: AtomicU64::new(0), unpacked: Default::default() })
    }
}

impl Meter {
    /// The meter of an input of which nothing was read.
    pub fn new(limits: Limits) -> Self {
        Meter::counting(limits, Ledger::default(), Cancel::default())
    }

    /// As [`Meter::new`]; the memory of decoders is counted by `beside`, and reading fails once
    /// `cancel` is set.
    pub fn counting(limits: Limits, beside: Ledger, cancel: Cancel) -> Self {
        let (read, told, unpacked) = Default::default();
        let whole = Arc::new(Whole { limits, beside, cancel, read, told, unpacked });
        Meter { unit: Unit::new(whole, Limits::FREE), layer: 0 }
    }

    /// The meter of the member that begins at byte `begin` of an archive. Later members have
    /// fewer free bytes, so that many small bombs cost not much more than one.
    #[must_use]
    pub fn member(&self, begin: u64) -> Meter {
        let free = (Limits::FREE / (1 + begin / MEMBER)).max(STEP);
        Meter { unit: Unit::new(Arc::clone(&self.unit.whole), free), layer: 0 }
    }

    /// The meter of what is within the codec that this meter counts.
    #[must_use]
    pub(super) fn deeper(&self) -> Meter {
        Meter { unit: Arc::clone(&self.unit), layer: (self.layer + 1).min(LAYERS - 1) }
    }

    /// What is allowed.
    pub fn limits(&self) -> &Limits {
        &self.unit.whole.limits
    }

    /// Where the memory of decoders is counted.
    pub fn ledger(&self) -> &Ledger {
        &self.unit.whole.beside
    }

    /// What ends reading before its time.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.unit.whole.cancel
    }

    /// The memory of a decoder, none yet.
    pub(in crate::input) fn reserve(&self) -> Reservation {
        self.ledger().reserve()
    }

    /// Notes bytes that were read, for the progress.
    pub fn add_read(&self, bytes: u64) {
        self.unit.whole.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes that were read since this was asked last.
    pub fn read_since(&self) -> u64 {
        let whole = &self.unit.whole;
        let read = whole.read.load(Ordering::Relaxed);
        read.saturating_sub(whole.told.fetch_max(read, Ordering::Relaxed))
    }

    /// Adds what is read from `reader`.
    pub fn reader<R>(&self, reader: R) -> Metered<R> {
        Metered { reader, meter: self.clone() }
    }

    /// Notes `taken` packed bytes and `given` unpacked ones.
    pub fn count(&self, taken: u64, given: u64) {
        if self.layer == 0 {
            self.unit.taken.fetch_add(taken, Ordering::Relaxed);
        }
        self.unit.unpacked[self.layer].fetch_add(given, Ordering::Relaxed);
        self.unit.whole.unpacked[self.layer].fetch_add(given, Ordering::Relaxed);
    }

    /// Unpacked bytes that may be given before this is asked again.
    ///
    /// # Errors
    ///
    /// When the ratio is reached or the run was cancelled. The size is reached when there is more
    /// after 0 bytes.
    pub(super) fn room(&self) -> io::Result<u64> {
        self.unit.whole.cancel.check()?;
        let (unpacked, whole) = self.unpacked();
        let past = unpacked % STEP;
        if past == 0 && unpacked > self.allowed() {
            return Err(self.dense());
        }
        Ok((STEP - past).min(self.limits().size.saturating_sub(whole)))
    }

    /// Whether `bytes` more stay within the limits wherever they lie in what is read next.
    pub fn has_room(&self, bytes: u64) -> bool {
        let (unpacked, whole) = self.unpacked();
        unpacked.saturating_add(bytes) <= self.allowed()
            && whole.saturating_add(bytes) <= self.limits().size
    }

    /// Counts a page: `taken` packed bytes and `given` unpacked ones.
    ///
    /// # Errors
    ///
    /// When that is too much, or the run was cancelled.
    #[cfg(feature = "parquet")]
    pub(in crate::input) fn page(&self, taken: u64, given: u64) -> io::Result<()> {
        self.unit.whole.cancel.check()?;
        self.count(taken, given);
        let (unpacked, whole) = self.unpacked();
        match () {
            () if whole > self.limits().size => Err(self.large()),
            () if unpacked > self.allowed() => Err(self.dense()),
            () => Ok(()),
        }
    }

    /// Whether the limit of size may be reached by an archive of `packed` bytes, so that its
    /// members have to be read in their order.
    pub fn is_ordered(&self, packed: u64) -> bool {
        let Limits { ratio, size, .. } = *self.limits();
        // The free bytes of members add up like 1 + 1/2 + 1/3 …, and each has a step or two.
        let free = (64 * Limits::FREE).saturating_add((packed / 64).saturating_mul(2 * STEP));
        size != u64::MAX && ratio.saturating_mul(packed).saturating_add(free) > size
    }

    fn unpacked(&self) -> (u64, u64) {
        let load = |counts: &[AtomicU64]| counts[self.layer].load(Ordering::Relaxed);
        (load(&self.unit.unpacked), load(&self.unit.whole.unpacked))
    }

    fn allowed(&self) -> u64 {
        let taken = self.unit.taken.load(Ordering::Relaxed);
        self.limits().ratio.saturating_mul(taken).max(self.unit.free)
    }

    fn dense(&self) -> io::Error {
        let ratio = self.limits().ratio;
        invalid(format!("unpacks to more than {ratio} times its size (--max-ratio)"))
    }

    /// The error of a decoder that has more than the limit of size allows.
    pub(super) fn large(&self) -> io::Error {
        invalid(format!("unpacks to more than {} bytes (--max-unpacked)", self.limits().size))
    }

    /// The error of a decoder before which others reached the limit of size.
    pub(super) fn unread(&self) -> io::Error {
        let size = self.limits().size;
        let message =
            format!("is not read, as {size} bytes were unpacked before it (--max-unpacked)");
        io::Error::new(io::ErrorKind::InvalidData, Unread(message))
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Why nothing was read of a member.
#[derive(Debug)]
struct Unread(String);

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unread {}

/// Whether nothing was read because of a limit.
pub(super) fn is_unread(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Unread>())
}

/// A reader whose bytes are counted.
#[derive(Debug)]
pub struct Metered<R> {
    reader: R,
    meter: Meter,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.meter.unit.whole.cancel.check()?;
        let n = self.reader.read(out)?;
        self.meter.add_read(n as u64);
        Ok(n)
    }
}
