//! The plan of a run over values: where to find them and how to answer each.

use crate::error::Error;
#[cfg(doc)]
use crate::output::OutputFormat;
use crate::output::{CsvStyle, Layout};
use doiscan_core::format::Format;
use doiscan_core::format::fields::Wanted;
use doiscan_input::ReadSheet;
use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

/// Default maximum number of bytes of a line that is held in memory as a whole: more than any record of Crossref, and few
/// enough that copies of it fit beside the rest.
pub const LONGEST_LINE: usize = 8 * 1024 * 1024;

/// Default number of bytes read at a time: enough to make turns cheap, and few enough to stay in
/// the cache.
pub(super) const BLOCK: NonZeroUsize = NonZeroUsize::new(256 * 1024).expect("not zero");

/// Answers values.
pub trait LineWork: Sync {
    /// State of one worker, such as scratch space.
    type Worker;
    /// Counters, which are added in the order of the blocks.
    type Tally: AddAssign + Default + Send;

    /// The state of a new worker.
    fn worker(&self) -> Self::Worker;

    /// Appends the header of the output. `columns` are those of the first table, if it has a header,
    /// and `csv` is its style.
    /// `has_records` says that the first input is a bibliography, or a table that its header tells.
    fn header(&self, _columns: &[String], _csv: CsvStyle, _has_records: bool, _out: &mut Vec<u8>) {}

    /// Appends the answer to one value.
    fn value(
        &self,
        worker: &mut Self::Worker,
        value: &InputValue<'_>,
        out: &mut Vec<u8>,
        tally: &mut Self::Tally,
    );

    /// Returns the error because of which the answers so far must not be used. It ends the run.
    fn failure(&self) -> Option<Error> {
        None
    }
}

/// A value and its position.
#[derive(Clone, Copy, Debug)]
pub struct InputValue<'a> {
    /// The line without its end, or the text of the cell. Empty if a record has no such cell.
    pub bytes: &'a [u8],
    /// Whether the line is longer than [`LinePlan::longest`]. These are its first bytes.
    pub is_cut: bool,
    /// All cells of its record, if [`LinePlan::keep_columns`] is set.
    pub cells: &'a [InputCell<'a>],
    /// The names of the columns, if the table has a header.
    pub columns: &'a [String],
    /// The style of the first table.
    pub csv: CsvStyle,
    /// Whether it is that of a record: a cell, or a field of a bibliography. Blank lines of tables are none.
    pub is_record: bool,
    /// The record of a bibliography, by its key or number.
    pub record: Option<&'a [u8]>,
    /// Its position.
    pub place: LinePlace<'a>,
}

/// A cell of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputCell<'a> {
    /// Its text.
    pub text: Cow<'a, [u8]>,
    /// Whether it is a number: as the spreadsheet stores it, or by the digits of other tables.
    pub is_number: bool,
}

/// The position of a value.
#[derive(Clone, Copy, Debug)]
pub struct LinePlace<'a> {
    /// The path of the input, as given by the user.
    pub path: &'a Path,
    /// The line number in the input, from 1. For a record it is that of its first line.
    pub line: u64,
    /// Whether the input is a file that begins as a list of DOIs.
    pub is_list: bool,
    /// Whether the first input is a bibliography, or a table that its header tells, so that all rows have a column for the
    /// record.
    pub has_records: bool,
}

/// A spreadsheet of which only the first sheet was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstSheet {
    /// The path of the input.
    pub path: PathBuf,
    /// The sheet.
    pub sheet: ReadSheet,
}

/// Where the inputs contain values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ValueSource {
    /// One value on each line.
    #[default]
    Lines,
    /// Values that each end with a zero byte.
    Zeros,
    /// Values in a column of a table.
    Column(TableColumn),
}

/// A column of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// The format given by the user.
    pub format: Format,
    /// Its name in the first record, or its number from 1.
    pub name: String,
    /// Whether the first record is a header.
    pub has_header: bool,
    /// The sheet of a spreadsheet, by name or by number from 1. The first if `None`.
    pub sheet: Option<String>,
}

impl ValueSource {
    /// The byte that ends a line.
    pub(super) fn end(&self) -> u8 {
        if *self == ValueSource::Zeros { 0 } else { b'\n' }
    }
}

/// All settings of a run over values.
#[derive(Clone, Debug)]
pub struct LinePlan {
    /// Files, and `-` for standard input, in order.
    pub inputs: Vec<PathBuf>,
    /// Those of the inputs that are values themselves, not paths.
    pub literals: Vec<PathBuf>,
    /// Where the inputs contain values.
    pub values: ValueSource,
    /// The fields of bibliographies that are values. If none are wanted, bibliographies are read as lines. If own ones are,
    /// tables with a column for them are read as tables.
    pub fields: Wanted,
    /// Whether answers need all cells of a record. All tables must then have the same columns.
    pub keep_columns: bool,
    /// The output file, or standard output if `None`.
    pub output: Option<PathBuf>,
    /// The format of the answers. Those of [`OutputFormat::Xlsx`] are cells, and others are written
    /// as they are.
    pub layout: Layout,
    /// Folders for temporary files.
    pub temporary: Vec<PathBuf>,
    /// Maximum number of threads. Defaults to one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Bytes read at a time.
    pub block: NonZeroUsize,
    /// Maximum number of bytes of a line or record that is held in memory as a whole.
    pub longest: usize,
    /// Whether the counters decide something. If so, all values are counted even after the reader
    /// of the output has closed it.
    pub is_gate: bool,
}

/// No inputs, and default settings.
impl Default for LinePlan {
    fn default() -> Self {
        LinePlan {
            inputs: Vec::new(),
            literals: Vec::new(),
            values: ValueSource::Lines,
            fields: Wanted::default(),
            keep_columns: false,
            output: None,
            layout: Layout::default(),
            temporary: Vec::new(),
            threads: None,
            block: BLOCK,
            longest: LONGEST_LINE,
            is_gate: false,
        }
    }
}
