//! Defines the data kept between runs, and the trait that stores it.

use crate::gate::GateOutcome;
use crate::rows::digest::Digest;
use doiscan_input::Identity;
use std::fmt::Debug;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// The content of a segment's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SegmentKind {
    /// A name, a zero byte and the number of the source.
    Names,
    /// Like [`SegmentKind::Names`], followed by the number of the member and the counted data.
    Counts,
    /// ShortDOIs, encoded like [`SegmentKind::Names`].
    Short,
    /// Accepted occurrences, each followed by the number of the source in four bytes.
    Hits,
    /// Rejected candidates, each followed by the number of the source in four bytes.
    Rejects,
    /// The findings in a part of an input, followed by the number of the source in four bytes.
    Inputs,
}

impl SegmentKind {
    /// All kinds, in the order of their discriminants.
    pub const ALL: [SegmentKind; 6] = [
        SegmentKind::Names,
        SegmentKind::Counts,
        SegmentKind::Short,
        SegmentKind::Hits,
        SegmentKind::Rejects,
        SegmentKind::Inputs,
    ];

    /// Returns the suffix of the segment files.
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

/// A segment listed in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Number of the segment, part of its file name.
    pub number: u64,
    /// Kind of its records.
    pub kind: SegmentKind,
    /// Number of records.
    pub records: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// The metadata that identifies an unchanged file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Device number.
    pub device: u64,
    /// Inode number on the device.
    pub inode: u64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Time of the last change of the content or the attributes, in nanoseconds since 1970.
    pub ctime_ns: i64,
}

impl FileState {
    /// Returns the state of the file with this metadata.
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

/// An input as recorded in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownInput {
    /// Number in the store.
    pub id: i64,
    /// Path.
    pub path: PathBuf,
    /// State of the file when it was read. None for a stream.
    pub file: Option<FileState>,
    /// XXH3 of the content, if contents are compared.
    pub hash: Option<[u8; 16]>,
    /// Whether an unchanged file can be skipped.
    pub is_trusted: bool,
    /// Number carried by its records. None if the input is gone.
    pub source: Option<u32>,
    /// Number carried by its records in the last good run, if it was part of that run.
    pub good: Option<u32>,
    /// Numbers of distinct names and shortDOIs in it, once they were counted.
    pub distinct: [Option<u64>; 2],
    /// Encoded details.
    pub details: Vec<u8>,
}

/// An input that was read to its end, or up to a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadInput {
    /// Path.
    pub path: PathBuf,
    /// State of the file when it was listed. None for a stream.
    pub file: Option<FileState>,
    /// XXH3 of the content, if contents are compared.
    pub hash: Option<[u8; 16]>,
    /// Whether an unchanged file can be skipped.
    pub is_trusted: bool,
    /// Number carried by its records.
    pub source: u32,
    /// Whether the last good run contained the same content under another source number.
    pub is_good: bool,
    /// Reason why it was read.
    pub change: &'static str,
    /// Bytes scanned.
    pub bytes: u64,
    /// Numbers of candidates, accepted candidates and rejected candidates.
    pub candidates: [u64; 3],
    /// Seconds that workers spent on it.
    pub seconds: f64,
    /// The part that was not read, and why.
    pub problem: Option<String>,
    /// Encoded details.
    pub details: Vec<u8>,
}

/// A run that begins.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// The options that affect the answer and the version of the rules, as JSON.
    pub options: &'a str,
    /// The kind of records of the list and the case of its names. Lists can be compared if these
    /// are equal, even when other options differ.
    pub list: &'a str,
}

/// The store's answer to a run that begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Begun {
    /// Number of the run.
    pub run: i64,
    /// Number of the next source.
    pub next_source: u32,
    /// Number of the next segment.
    pub next_segment: u64,
    /// Segments of the state.
    pub segments: Vec<Segment>,
    /// Whether the inputs were read with the same options and rules.
    pub is_same: bool,
    /// Whether there is a good run whose list can be compared.
    pub has_good: bool,
    /// A note for the user.
    pub note: Option<String>,
}

/// An atomic update of the state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateUpdate {
    /// Number of the run.
    pub run: i64,
    /// Segments written.
    pub added: Vec<Segment>,
    /// Numbers of segments no longer needed.
    pub dropped: Vec<u64>,
    /// Inputs read.
    pub read: Vec<ReadInput>,
    /// Store numbers of inputs that are gone.
    pub gone: Vec<i64>,
    /// Store numbers of inputs that the next run must read.
    pub distrusted: Vec<i64>,
    /// Newly counted distinct names and shortDOIs by source.
    pub distinct: Vec<(u32, [u64; 2])>,
    /// Whether the last good run can no longer be compared.
    pub forget_good: bool,
    /// Number of the next source.
    pub next_source: u32,
    /// Number of the next segment.
    pub next_segment: u64,
}

/// The figures of a run that ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ending {
    /// Number of the run.
    pub run: i64,
    /// Whether its list is good. If so, it becomes the last good run.
    pub is_good: bool,
    /// Whether it is good only because the caller accepted a list that gates rejected.
    pub is_accepted: bool,
    /// Outcomes of the caller's gates.
    pub gates: Vec<GateOutcome>,
    /// Numbers of inputs: all, read and skipped.
    pub inputs: [u64; 3],
    /// Bytes of files read and of files skipped.
    pub bytes: [u64; 2],
    /// Numbers of candidates, accepted candidates and rejected candidates.
    pub candidates: [u64; 3],
    /// Number of distinct names.
    pub distinct: u64,
    /// Numbers of names added and removed.
    pub changed: Option<[u64; 2]>,
    /// Number of problems.
    pub problems: u64,
    /// Duration in seconds.
    pub seconds: f64,
    /// Peak memory in bytes.
    pub peak_memory: Option<u64>,
    /// Record of the run, as JSON.
    pub record: String,
    /// Names added and removed by registrant: kind, registrant, count.
    pub prefixes: Vec<(&'static str, Vec<u8>, u64)>,
    /// Examples of candidates in the inputs read, and prefixes and repeats in the list.
    pub digest: Option<Digest>,
    /// The path of the list, and the state of the file that is about to replace it.
    pub list: Option<(PathBuf, FileState)>,
}

/// The effect of the state on a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateReport {
    /// Notes for the user, such as damage to the state or changed options.
    pub notes: Vec<String>,
    /// Numbers of inputs that were read and of unchanged inputs that were skipped.
    pub inputs: [u64; 2],
    /// Bytes of those files.
    pub bytes: [u64; 2],
    /// Names added and removed since the last good run, if there was one.
    pub changed: Option<[u64; 2]>,
    /// Inputs gone, new and changed since that run.
    pub since_good: Option<[u64; 3]>,
    /// Size of the segments in bytes.
    pub size: u64,
}

/// A failure of the store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(pub String);

/// Stores the data kept between runs. Only one process uses it at a time.
pub trait Store: Debug + Send + Sync {
    /// Returns the folder of the state, which is excluded from the inputs.
    fn folder(&self) -> &Path;

    /// Returns the folder of the segments.
    fn segments(&self) -> PathBuf {
        self.folder().join("segments")
    }

    /// Returns the recorded state without beginning a run.
    ///
    /// # Errors
    ///
    /// When the state cannot be read.
    fn look(&self, beginning: &Beginning<'_>) -> Result<Begun, StoreError>;

    /// Begins a run.
    ///
    /// # Errors
    ///
    /// When the state cannot be read or written.
    fn begin(&self, beginning: &Beginning<'_>) -> Result<Begun, StoreError>;

    /// Calls `each` for every input that is live or was part of the last good run.
    ///
    /// # Errors
    ///
    /// When the inputs cannot be read.
    fn each_input(&self, each: &mut dyn FnMut(KnownInput)) -> Result<(), StoreError>;

    /// Returns the segments.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    fn known_segments(&self) -> Result<Vec<Segment>, StoreError>;

    /// Returns the size of the state in bytes.
    fn bytes(&self) -> u64;

    /// Applies an update.
    ///
    /// # Errors
    ///
    /// When the update was not applied.
    fn commit(&self, step: &StateUpdate) -> Result<(), StoreError>;

    /// Stores the figures of a run before its files are put in place.
    ///
    /// # Errors
    ///
    /// When the figures cannot be written.
    fn prepare(&self, ending: &Ending) -> Result<(), StoreError>;

    /// Records whether the files of a run were put in place.
    ///
    /// # Errors
    ///
    /// When the record cannot be written.
    fn end(&self, run: i64, is_good: bool) -> Result<(), StoreError>;
}

/// How to recognise an unchanged input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// By device, inode, size and times.
    #[default]
    Times,
    /// By content.
    Content,
}
