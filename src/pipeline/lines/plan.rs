//! What a run over values is given: where they stand, and what is done with each.

use crate::format::Format;
use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Bytes of the longest line that is held as a whole.
pub const LONGEST_LINE: usize = 1024 * 1024;

/// Bytes that are read at a time by default: enough to make turns cheap, and few enough to stay
/// in the cache.
pub const BLOCK: NonZeroUsize = NonZeroUsize::new(256 * 1024).expect("not zero");

/// Answers values.
pub trait LineWork: Sync {
    /// State of one worker, such as scratch space.
    type Worker;
    /// Counters.
    type Tally: Default + Send;

    /// The state of a new worker.
    fn worker(&self) -> Self::Worker;

    /// Appends what stands in front of all answers. `columns` are those of the first table with a
    /// header.
    fn header(&self, _columns: &[String], _out: &mut Vec<u8>) {}

    /// Appends the answer to one value.
    fn value(
        &self,
        worker: &mut Self::Worker,
        value: &Value<'_>,
        out: &mut Vec<u8>,
        tally: &mut Self::Tally,
    );

    /// Appends the answer to a part of a line that is longer than [`LinePlan::longest`]. The
    /// parts come in order, perhaps to several workers.
    fn piece(
        &self,
        worker: &mut Self::Worker,
        piece: &Piece<'_>,
        place: &Place<'_>,
        out: &mut Vec<u8>,
        tally: &mut Self::Tally,
    );

    /// Adds the counters of a block, in the order of the blocks.
    fn gather(&self, sum: &mut Self::Tally, block: Self::Tally);
}

/// A value and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    /// The line without its end, or the text of the cell. A record that has no such cell has an
    /// empty one.
    pub bytes: &'a [u8],
    /// The cells of its record, with [`LinePlan::keep_columns`].
    pub cells: &'a [Cow<'a, [u8]>],
    /// The names of the columns, if the table has a header.
    pub columns: &'a [String],
    /// Where it stands.
    pub place: Place<'a>,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The input as it was named.
    pub path: &'a Path,
    /// The number of its line, or of the first line of its record, in the input, from 1.
    pub line: u64,
}

/// A part of a long line.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The bytes, cut between characters where they are UTF-8.
    pub bytes: &'a [u8],
    /// Whether it begins the line.
    pub is_first: bool,
    /// Whether it ends it.
    pub is_last: bool,
}

/// Where values stand in the inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Values {
    /// One on each line.
    #[default]
    Lines,
    /// Each ends with a zero byte.
    Zeros,
    /// In a column of a table.
    Column(TableColumn),
}

/// A column of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// What the user says about the notation.
    pub format: Format,
    /// Its name in the first record, or its number from 1.
    pub name: String,
    /// Whether the first record is a header.
    pub has_header: bool,
}

impl Values {
    /// The byte that ends a line.
    pub(super) fn end(&self) -> u8 {
        if *self == Values::Zeros { 0 } else { b'\n' }
    }
}

/// Everything that a run over values needs to know.
#[derive(Clone, Debug)]
pub struct LinePlan {
    /// Files, and `-` for standard input, in this order.
    pub inputs: Vec<PathBuf>,
    /// Where values stand in them.
    pub values: Values,
    /// Whether answers need all cells of a record. Then all tables must have the same columns.
    pub keep_columns: bool,
    /// The output file; standard output when none.
    pub output: Option<PathBuf>,
    /// The most threads to use; one for each core when none is given.
    pub threads: Option<NonZeroUsize>,
    /// Bytes that are read at a time.
    pub block: NonZeroUsize,
    /// Bytes of the longest line or record that is held as a whole.
    pub longest: usize,
    /// Whether the counters decide something: then the values are counted to the last even if
    /// nobody reads the answers any more.
    pub is_gate: bool,
}

/// No inputs, and the usual settings.
impl Default for LinePlan {
    fn default() -> Self {
        LinePlan {
            inputs: Vec::new(),
            values: Values::Lines,
            keep_columns: false,
            output: None,
            threads: None,
            block: BLOCK,
            longest: LONGEST_LINE,
            is_gate: false,
        }
    }
}
