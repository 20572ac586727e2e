//! Columns of strings in Parquet files, each value on a line of its own.
//!
//! Of the rows nothing is needed but that a value ends: levels are read to tell how many
//! values there are, and lists are their elements. A page is held at a time, and of a
//! column its dictionary: together they have the limit of a window.

mod cells;
mod coded;
mod footer;
mod lines;
mod page;
mod thrift;
mod values;

use crate::format::{ColumnError, Naming};
use crate::input::files::Opened;
use crate::input::unpack::limit::Meter;
use crate::quality::Problem;
use footer::{Chunk, Footer, Leaf};
use std::io;
use std::path::Path;
use std::sync::Arc;

pub(super) use lines::lines;
pub use values::Values;

/// The first and the last bytes of a file.
const MAGIC: &[u8; 4] = b"PAR1";

/// Bytes of a footer, at most. Those of real files have some 100 bytes for a column of a
/// row group.
const LONGEST_FOOTER: u64 = 64 * 1024 * 1024;

/// Whether an input that begins with `head` is such a file.
pub fn is_parquet(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// A Parquet file: row groups, in each of them the chosen columns.
#[derive(Debug)]
pub struct Parquet {
    file: Arc<Opened>,
    meter: Meter,
    leaves: Vec<Leaf>,
    /// Those that are read, and where they are in each row group.
    chosen: Vec<usize>,
    groups: Vec<Vec<Chunk>>,
}

impl Parquet {
    /// The columns `wanted` of `file`, by name or number; when there are none, those of
    /// strings whose names contain `doi`, and if no name does all of strings. Where they are chosen
    /// by name, those whose names are `is_more` are read too. What is read and unpacked is added to
    /// `meter`.
    ///
    /// # Errors
    ///
    /// When its footer cannot be read, or it has not the columns.
    pub fn open(
        file: Arc<Opened>,
        wanted: &[String],
        is_more: &dyn Fn(&str) -> bool,
        meter: Meter,
    ) -> Result<Parquet, Problem> {
        let fail = |message: String| Problem::new(file.path(), message);
        let footer = read_footer(&file).map_err(|message| fail(message.to_string()))?;
        let footer = Footer::new(footer).map_err(fail)?;
        let chosen = choose(&footer.leaves, wanted, is_more, file.path())?;
        let groups = footer.groups(&chosen, file.size());
        let groups = groups.ok_or_else(|| fail("its footer is damaged".to_owned()))?;
        let parquet = Parquet { file, meter, leaves: footer.leaves, chosen, groups };
        match parquet.bytes() <= parquet.file.size() {
            true => Ok(parquet),
            false => Err(Problem::new(
                parquet.file.path(),
                "its columns share bytes, which is refused".to_owned(),
            )),
        }
    }

    /// The file.
    pub fn file(&self) -> &Opened {
        &self.file
    }

    /// What was read and unpacked.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// How many row groups there are.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// How many columns are read.
    pub fn columns(&self) -> usize {
        self.chosen.len()
    }

    /// The name of the column `column`, of those that are read.
    pub fn column_name(&self, column: usize) -> &str {
        let leaf = self.chosen.get(column).and_then(|&leaf| self.leaves.get(leaf));
        leaf.map_or("", |leaf| leaf.name.as_str())
    }

    /// Bytes of the file that are not read.
    pub fn unread(&self) -> u64 {
        self.file.size().saturating_sub(self.bytes())
    }

    /// Bytes of all that is read, one after the other.
    fn bytes(&self) -> u64 {
        let read = self.groups.iter().flatten().flatten();
        let read = read.map(|(bytes, _)| bytes.end - bytes.start);
        read.fold(0, u64::saturating_add)
    }
}

/// The footer's bytes: they stand before their length and four more.
fn read_footer(file: &Opened) -> io::Result<Vec<u8>> {
    let damaged = |words: &str| io::Error::new(io::ErrorKind::InvalidData, words);
    let mut end = [0; 8];
    let at = file.size().checked_sub(8).ok_or_else(|| damaged("ends before its footer"))?;
    let got = file.read_at(&mut end, at)?;
    let [a, b, c, d, magic @ ..] = end;
    if got < end.len() || &magic != MAGIC {
        return Err(damaged("its end is missing: expected a footer and PAR1"));
    }
    let len = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start = at.checked_sub(len).filter(|_| len <= LONGEST_FOOTER);
    let start = start.ok_or_else(|| damaged("its footer is longer than 64 MiB or the file"))?;
    let mut footer = vec![0; len as usize];
    match file.read_at(&mut footer, start)? == footer.len() {
        true => Ok(footer),
        false => Err(damaged("ends before its footer")),
    }
}

/// The columns that are read, as indexes of leaves, in order.
fn choose(
    leaves: &[Leaf],
    wanted: &[String],
    is_more: &dyn Fn(&str) -> bool,
    path: &Path,
) -> Result<Vec<usize>, Problem> {
    let texts = || (0..leaves.len()).filter(|&i| leaves[i].is_text);
    if wanted.is_empty() {
        let is_doi = |&i: &usize| leaves[i].path.to_ascii_lowercase().contains("doi");
        let has_doi = texts().any(|i| is_doi(&i));
        let is_chosen = |i: &usize| !has_doi || is_doi(i) || is_more(&leaves[*i].name);
        let chosen: Vec<usize> = texts().filter(is_chosen).collect();
        let none = || Problem::new(path, "a Parquet file without a column of strings");
        return if chosen.is_empty() { Err(none()) } else { Ok(chosen) };
    }
    let names = Naming(leaves.iter().map(|leaf| leaf.name.clone()).collect());
    let paths = Naming(leaves.iter().map(|leaf| leaf.path.clone()).collect());
    let misfit = |error: ColumnError| Problem::misfit(path, error.to_string());
    let mut chosen = Vec::new();
    for name in wanted {
        let found = names.find(name).or_else(|error| paths.find(name).map_err(|_| error));
        let found = found.map_err(misfit)?;
        if let Some(&other) = found.iter().find(|&&i| !leaves[i].is_text) {
            let message = format!("column {} holds no strings", names.0[other]);
            return Err(Problem::misfit(path, message));
        }
        chosen.extend(found);
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}
