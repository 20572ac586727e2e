//! What is kept from one run to the next, and the trait of who keeps it.

use crate::input::Identity;
use crate::pipeline::gate::GateOutcome;
use crate::pipeline::rows::digest::Digest;
use std::fmt::Debug;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// What the records of a segment are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SegmentKind {
    /// A name, zero, and the number of the source.
    Names,
    /// As [`SegmentKind::Names`], with the number of the member and what is counted.
    Counts,
    /// ShortDOIs, as [`SegmentKind::Names`].
    Short,
    /// Accepted occurrences, and the number of the source in four bytes.
    Hits,
    /// Rejected candidates, and the number of the source in four bytes.
    Rejects,
    /// What was seen in a part of an input, and the number of the source in four bytes.
    Inputs,
}

impl SegmentKind {
    /// All of them, in the order of their discriminants.
    pub const ALL: [SegmentKind; 6] = [
        SegmentKind::Names,
        SegmentKind::Counts,
        SegmentKind::Short,
        SegmentKind::Hits,
        SegmentKind::Rejects,
        SegmentKind::Inputs,
    ];

    /// The suffix of their files.
    pub const fn name(self) -> &'static str {
        match self {
            SegmentKind::Names => "names",
            SegmentKind::Counts => "counts",
            SegmentKind::Short => "short",
            SegmentKind::Hits => "hits",
            SegmentKind::Rejects => "rejects",
            SegmentKind::Inputs => "inputs",
        }
    }
}

/// A segment that the store knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number, by which its file is named.
    pub number: u64,
    /// What its records are.
    pub kind: SegmentKind,
    /// Its records.
    pub records: u64,
    /// Bytes of its file.
    pub bytes: u64,
}

/// How an input is known again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// The device.
    pub device: u64,
    /// The file on the device.
    pub inode: u64,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds from 1970 to the last change of the content.
    pub mtime_ns: i64,
    /// Nanoseconds from 1970 to the last change of the content or the attributes.
    pub ctime_ns: i64,
}

impl FileState {
    /// The state of a file that was looked at.
    pub fn of(meta: &Metadata) -> Self {
        Identity::of(meta).into()
    }
}

impl From<Identity> for FileState {
    fn from(identity: Identity) -> Self {
        let nanoseconds = |(seconds, rest): (i64, i64)| {
            seconds.saturating_mul(1_000_000_000).saturating_add(rest)
        };
        FileState {
            device: identity.dev,
            inode: identity.ino,
            size: identity.size,
            mtime_ns: nanoseconds(identity.mtime),
            ctime_ns: nanoseconds(identity.ctime),
        }
    }
}

/// An input as the store knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownInput {
    /// Its number in the store.
    pub id: i64,
    /// Its path.
    pub path: PathBuf,
    /// How it was when it was read; none of a stream.
    pub file: Option<FileState>,
    /// XXH3 of its bytes, if contents are compared.
    pub hash: Option<[u8; 16]>,
    /// Whether the same file need not be read again.
    pub is_trusted: bool,
    /// The number that its records carry; none when it is gone.
    pub source: Option<u32>,
    /// The number of its records in the last good run, if it was in that.
    pub good: Option<u32>,
    /// Distinct names and shortDOIs in it, when they have been counted.
    pub distinct: [Option<u64>; 2],
    /// What else is known of it.
    pub details: Vec<u8>,
}

/// An input that was read to its end, or up to a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadInput {
    /// Its path.
    pub path: PathBuf,
    /// How it was when it was listed; none of a stream.
    pub file: Option<FileState>,
    /// XXH3 of its bytes, if contents are compared.
    pub hash: Option<[u8; 16]>,
    /// Whether the same file need not be read again.
    pub is_trusted: bool,
    /// The number that its records carry.
    pub source: u32,
    /// Whether the last good run had the same of it, under another number.
    pub is_good: bool,
    /// Why it was read.
    pub change: &'static str,
    /// Bytes that were scanned.
    pub bytes: u64,
    /// Candidates, those accepted, and those rejected.
    pub candidates: [u64; 3],
    /// Seconds that workers spent on it.
    pub seconds: f64,
    /// What was not read of it, and why.
    pub problem: Option<String>,
    /// What else is known of it.
    pub details: Vec<u8>,
}

/// A run that begins.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// The options that bear on the answer, and the version of the rules: JSON.
    pub options: &'a str,
    /// Whether lists of other options can be compared with this one: they have the same kind of
    /// records, in the same case.
    pub list: &'a str,
}

/// What a store says to a run that begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Begun {
    /// The number of the run.
    pub run: i64,
    /// The number of the next source.
    pub next_source: u32,
    /// The number of the next segment.
    pub next_segment: u64,
    /// What is kept.
    pub segments: Vec<Segment>,
    /// Whether the inputs were read with the same options and rules.
    pub is_same: bool,
    /// Whether there was a good run whose list can be compared.
    pub has_good: bool,
    /// What is to be said.
    pub note: Option<String>,
}

/// What becomes part of the state at once, or not at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The run.
    pub run: i64,
    /// Segments that were written.
    pub added: Vec<Segment>,
    /// The numbers of segments that are not needed any more.
    pub dropped: Vec<u64>,
    /// Inputs that were read.
    pub read: Vec<ReadInput>,
    /// The numbers, in the store, of inputs that are gone.
    pub gone: Vec<i64>,
    /// The numbers, in the store, of inputs that the next run must read.
    pub distrusted: Vec<i64>,
    /// Distinct names and shortDOIs of sources, now that they are counted.
    pub distinct: Vec<(u32, [u64; 2])>,
    /// Whether the last good run cannot be compared with any more.
    pub forget_good: bool,
    /// The number of the next source.
    pub next_source: u32,
    /// The number of the next segment.
    pub next_segment: u64,
}

/// The figures of a run that ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ending {
    /// The run.
    pub run: i64,
    /// Whether its list is good: `last` from now on.
    pub is_good: bool,
    /// Whether it is good because the caller accepted a list that gates refuse.
    pub is_accepted: bool,
    /// How the gates of the caller were decided.
    pub gates: Vec<GateOutcome>,
    /// Inputs: all, those read, those skipped.
    pub inputs: [u64; 3],
    /// Bytes of files read, and of those skipped.
    pub bytes: [u64; 2],
    /// Candidates, those accepted, and those rejected.
    pub candidates: [u64; 3],
    /// Distinct names.
    pub distinct: u64,
    /// Names that came and went.
    pub changed: Option<[u64; 2]>,
    /// Problems.
    pub problems: u64,
    /// Seconds of the run.
    pub seconds: f64,
    /// The most memory it took.
    pub peak_memory: Option<u64>,
    /// The record of the run, as JSON.
    pub record: String,
    /// Names that came and went, by registrant: kind, registrant, count.
    pub prefixes: Vec<(&'static str, Vec<u8>, u64)>,
    /// Examples of candidates in the inputs that were read, prefixes and repeats in the list.
    pub digest: Option<Digest>,
    /// The list, and the file that is about to take its place.
    pub list: Option<(PathBuf, FileState)>,
}

/// What a state brought to a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateReport {
    /// What is to be said of it: that it was damaged, or that options are other ones.
    pub notes: Vec<String>,
    /// Inputs that were read, and those that were not as they are unchanged.
    pub inputs: [u64; 2],
    /// Bytes of those files.
    pub bytes: [u64; 2],
    /// Names that came and went since the last good run, if there was one.
    pub changed: Option<[u64; 2]>,
    /// Bytes that the segments take.
    pub size: u64,
}

/// A store that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(pub String);

/// Keeps what runs remember. One process has it at a time.
pub trait Store: Debug + Send + Sync {
    /// Its folder, which is no input.
    fn folder(&self) -> &Path;

    /// The folder of the segments.
    fn segments(&self) -> PathBuf {
        self.folder().join("segments")
    }

    /// What is known, without a run.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn look(&self, beginning: &Beginning<'_>) -> Result<Begun, StoreError>;

    /// Begins a run.
    ///
    /// # Errors
    ///
    /// When it cannot be read or written.
    fn begin(&self, beginning: &Beginning<'_>) -> Result<Begun, StoreError>;

    /// Gives out every input that is live or was in the last good run.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn each_input(&self, each: &mut dyn FnMut(KnownInput)) -> Result<(), StoreError>;

    /// The segments.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn known_segments(&self) -> Result<Vec<Segment>, StoreError>;

    /// Bytes that the state takes.
    fn bytes(&self) -> u64;

    /// Makes a step.
    ///
    /// # Errors
    ///
    /// When it was not made.
    fn commit(&self, step: &Step) -> Result<(), StoreError>;

    /// Notes the figures of a run whose files are about to be put in place.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    fn prepare(&self, ending: &Ending) -> Result<(), StoreError>;

    /// Notes that the files of a run are in place, or are not to be.
    ///
    /// # Errors
    ///
    /// When that cannot be written.
    fn end(&self, run: i64, is_good: bool) -> Result<(), StoreError>;
}

/// How an input is known again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// By device, number, size and times.
    #[default]
    Times,
    /// By its bytes.
    Content,
}
