//! Makes sorted lists of arguments that are none: sorts unsorted lists and lists in the other case, reads indexes,
//! and scans everything else.

use super::{PAIR, READ};
use crate::error::Error;
use crate::figures::Mismatch;
use crate::files::open;
use crate::memory::{Memory, without};
use crate::output::Layout;
use crate::plan::kind::Kind;
use crate::plan::report::Report;
use crate::plan::{CHUNK, Plan};
use crate::rows::buffer::Records;
use crate::rows::file::RowFile;
use crate::run::run;
use doiscan_core::format::Format;
use doiscan_input::problem::Problem;
use doiscan_input::{Codec, Io, Letters, List, ListError, Look, look};
use doiscan_os::Listed;
use doiscan_os::disk::{Disk, System};
use doiscan_os::ledger::Ledger;
use doiscan_os::paths::folder;
use doiscan_registry::{Cursor, Registry};
use doiscan_sets::collect::Collector;
use doiscan_sets::collect::Names;
use doiscan_sets::collect::run::Space;
use doiscan_sets::dedup::publish::each;
use doiscan_sets::dedup::spill::Spill;
use doiscan_sets::pool::Pool;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempPath;

/// Lists for [`merge`](super::merge) and [`diff`](super::diff).
#[derive(Debug, Default)]
pub struct Prepared {
    /// The lists: those given, and temporary ones.
    pub lists: Vec<PathBuf>,
    /// What was made, in the order of the lists. The files are removed with it.
    pub made: Vec<MadeList>,
}

/// A list that was made of an argument.
#[derive(Debug)]
pub struct MadeList {
    /// The argument.
    pub path: PathBuf,
    /// What it is.
    pub was: Argument,
    /// Number of names.
    pub names: u64,
    list: TempPath,
    /// Removes the list if a signal ends the process.
    _listed: Listed,
}

impl MadeList {
    /// The report of the scan, if the argument was scanned.
    pub fn report(&self) -> Option<&Report> {
        match &self.was {
            Argument::Scanned(report) => Some(report),
            _ => None,
        }
    }
}

/// What an argument is that is no list as the others.
#[derive(Debug)]
pub enum Argument {
    /// A list that is not sorted.
    Unsorted,
    /// A list in lower case, where another is in upper case.
    LowerCase,
    /// An index of known names.
    Index,
    /// Anything else. The report of its scan.
    Scanned(Box<Report>),
}

/// Memory and folders for [`prepare`].
#[derive(Clone, Copy, Debug)]
pub struct Preparation<'a> {
    /// Bytes of memory for names.
    pub memory: Option<usize>,
    /// Folders for runs; the lists are in the first.
    pub temporary: &'a [PathBuf],
    /// The file that will be written, which must not be among the files of a scanned folder.
    pub output: Option<&'a Path>,
    /// What is scanned of tables.
    pub tables: TableChoice<'a>,
}

/// The part of tables that is scanned, as in a [`Plan`].
#[derive(Clone, Copy, Debug, Default)]
pub struct TableChoice<'a> {
    /// The columns to search, or all of them. A table with columns is scanned even if it is a list.
    pub columns: &'a [String],
    /// The sheet of spreadsheets to search, or all of them.
    pub sheet: Option<&'a str>,
    /// The format of all inputs. With another than that of lists, each is scanned.
    pub format: Format,
}

impl TableChoice<'_> {
    /// Whether `path` is scanned whatever it holds: its format is given, or columns are chosen and it is named as a
    /// table.
    fn asks_scan(&self, path: &Path) -> bool {
        if !matches!(self.format, Format::Auto | Format::List) {
            return true;
        }
        let name = Codec::inner_name(path);
        let is_parquet = || name.extension().is_some_and(|suffix| suffix == "parquet");
        let is_table =
            || self.format.table(Some(name.as_os_str().as_encoded_bytes()), b"").is_some();
        !self.columns.is_empty() && (is_table() || is_parquet())
    }
}

/// Makes a sorted list of each of `lists` that is none: a folder, an archive, a document, a table that `scan` does not
/// write, text, an index, or a list that is not in order. Whether a file is a list is told by
/// its first lines ([`look`]): a sorted list is read as it is, and if it is damaged, an error. Made lists
/// have the letter case of those that are not made. If these differ, those in lower case are made too.
///
/// # Errors
///
/// Fails if an input cannot be listed, if none of the files of a folder can be read, or if a list cannot
/// be written. Files of which a part cannot be read are problems of the report.
pub fn prepare(lists: &[PathBuf], with: Preparation<'_>) -> Result<Prepared, Error> {
    if with.output.is_none() && doiscan_os::process::was_closed(1) {
        return Err(Error::StdoutClosed);
    }
    let look = |path: &PathBuf| match with.tables.asks_scan(path) {
        true => Look::Other,
        false => look(path),
    };
    let looks: Vec<Look> = lists.iter().map(look).collect();
    let is_lower = is_lower(&looks);
    let mut prepared = Prepared::default();
    for (path, look) in lists.iter().zip(&looks) {
        let in_other_case = |seen: &Letters| seen.lower && !seen.upper && !is_lower;
        match look {
            Look::List(seen) if !in_other_case(seen) => {
                prepared.lists.push(path.clone());
                continue;
            }
            _ => {}
        }
        let temporary = with.temporary.first().map_or(Path::new("."), PathBuf::as_path);
        if let Some(parent) = with.output.map(folder) {
            check_outside(path, parent, "the output lies")?;
        }
        check_outside(path, temporary, "temporary files (--temp-dir) would lie")?;
        let file = tempfile::Builder::new().prefix(".doiscan-list-").tempfile_in(temporary);
        let failed = |cause: io::Error| Error::NoInput(format!("{}: {cause}", temporary.display()));
        let list = file.map_err(failed)?.into_temp_path();
        let listed = Listed::new(&list);
        let (names, was) = match look {
            Look::List(_) => (sort(path, &list, is_lower, with)?, Argument::LowerCase),
            Look::Unsorted(_) => (sort(path, &list, is_lower, with)?, Argument::Unsorted),
            Look::Other if Registry::is_index(path) => {
                (write_index(path, &list, is_lower, with)?, Argument::Index)
            }
            Look::Other => {
                let report = scan(path, &list, is_lower, with)?;
                (report.stats.written, Argument::Scanned(Box::new(report)))
            }
        };
        prepared.lists.push(list.to_path_buf());
        let path = path.clone();
        prepared.made.push(MadeList { path, was, names, list, _listed: listed });
    }
    Ok(prepared)
}

/// Whether made lists are in lower case: those that are read as they are decide, or else the others.
fn is_lower(looks: &[Look]) -> bool {
    let of = |letters: &mut dyn Iterator<Item = Letters>| {
        let (upper, lower) = letters.fold((false, false), |(upper, lower), seen| {
            (upper || seen.upper, lower || seen.lower)
        });
        (upper || lower).then_some(lower && !upper)
    };
    let kept = of(&mut looks.iter().filter_map(|look| match look {
        Look::List(letters) => Some(*letters),
        _ => None,
    }));
    let unsorted = of(&mut looks.iter().filter_map(|look| match look {
        Look::Unsorted(letters) => Some(*letters),
        _ => None,
    }));
    kept.or(unsorted).unwrap_or(false)
}

impl Prepared {
    /// Names the argument instead of its list in an error.
    #[must_use]
    pub fn named(&self, error: Error) -> Error {
        let given = |path: PathBuf| {
            let made = self.made.iter().find(|made| *made.list == *path);
            made.map_or(path, |made| made.path.clone())
        };
        match error {
            Error::EmptyList(path) => Error::EmptyList(given(path)),
            Error::MixedCase { upper, lower } => {
                Error::MixedCase { upper: given(upper), lower: given(lower) }
            }
            error => error,
        }
    }
}

/// Fails if a file that is written lies in a folder that is scanned: it would be found there.
fn check_outside(path: &Path, folder: &Path, what: &str) -> Result<(), Error> {
    match path.canonicalize().ok().zip(folder.canonicalize().ok()) {
        Some((scanned, folder)) if folder.starts_with(&scanned) => {
            Err(Error::NoInput(format!("{what} in {}, which is scanned", path.display())))
        }
        _ => Ok(()),
    }
}

/// Scans `path` into `list`.
fn scan(path: &Path, list: &Path, lower: bool, with: Preparation<'_>) -> Result<Report, Error> {
    let plan = Plan {
        output: Some(list.to_path_buf()),
        lower,
        memory: with.memory,
        temporary: with.temporary.to_vec(),
        columns: with.tables.columns.to_vec(),
        sheet: with.tables.sheet.map(str::to_owned),
        format: with.tables.format,
        ..Plan::new([path])
    };
    let misfit = |message| Error::Misfit(Problem::misfit(path, message));
    let report = run(&plan, &()).map_err(|error| match error {
        Error::NoInput(_) => misfit("contains no files"),
        error => error,
    })?;
    match (&report.refusal, report.problems.first()) {
        (None, _) => Ok(report),
        (Some(_), Some(problem)) => Err(Error::Misfit(problem.clone())),
        (Some(_), None) => Err(misfit("nothing was read")),
    }
}

/// Sorts the names of the list at `path` into `list`, and returns their number.
fn sort(path: &Path, list: &Path, lower: bool, with: Preparation<'_>) -> Result<u64, Error> {
    let memory = without(with.memory, doiscan_input::ahead(path));
    let with = Preparation { memory, ..with };
    let mut names = List::open(path, READ)?;
    write_sorted(list, lower, with, &mut |push| {
        while names.advance_unordered()? {
            if names.name().starts_with(b"10/") {
                let (path, line) = (path.to_path_buf(), names.lines());
                let what =
                    "expected only DOIs in a list that is sorted first, not shortDOIs".to_owned();
                return Err(Error::List(ListError::Line { path, line, what }));
            }
            if !push(names.name()) {
                break;
            }
        }
        Ok(names.lines())
    })
}

/// Writes the names of the index at `path` into `list`, and returns their number.
fn write_index(path: &Path, list: &Path, lower: bool, with: Preparation<'_>) -> Result<u64, Error> {
    let registry = Registry::open(path, Io::READ)?;
    let mut cursor = Cursor::new(&registry);
    write_sorted(list, lower, with, &mut |push| {
        let mut names = 0;
        while cursor.advance()? {
            names += 1;
            if !push(cursor.name()) {
                break;
            }
        }
        Ok(names)
    })
}

/// Passes names to a function, which returns false when no more are wanted, and returns how many it passed.
type Give<'a> = dyn FnMut(&mut dyn FnMut(&[u8]) -> bool) -> Result<u64, Error> + 'a;

/// Sorts the names that `give` passes on into `list`, and returns their number.
fn write_sorted(
    list: &Path,
    lower: bool,
    with: Preparation<'_>,
    give: &mut Give<'_>,
) -> Result<u64, Error> {
    let disk: Arc<dyn Disk> = Arc::new(System);
    let memory = Memory::share(with.memory, CHUNK, PAIR.get());
    let collector = Collector::with_limit(memory.names, Ledger::default());
    let space = Space::new(Arc::clone(&disk), with.temporary.to_vec());
    let spill: Spill<Names> = Spill::new(collector, space, PAIR.get());
    let (mut feed, mut name) = (spill.feed(), Vec::new());
    let given = give(&mut |given| {
        name.clear();
        name.extend_from_slice(given);
        match lower {
            true => name.make_ascii_lowercase(),
            false => name.make_ascii_uppercase(),
        }
        feed.push(&name);
        feed.make_room()
    })?;
    let pushed = feed.finish();
    let output = open(&disk, Some(list), &[])?;
    let records = Records::of(Kind::Names);
    let mut file = RowFile::new(output, Layout::default(), records, 1, memory.merge)?;
    let pool = Pool::new(PAIR);
    let write = |text: &mut Vec<u8>, together| file.text(text, together);
    let published = each(spill, memory.merge, &pool, Vec::new, write)?;
    Mismatch::unless_equal("lines", given, "handed over", pushed)?;
    Mismatch::unless_equal("lines", pushed, "received", published.received)?;
    file.finish(false)?.finish()?;
    Ok(published.written)
}
