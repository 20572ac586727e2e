//! Lists of inputs: files that contain paths, one per line or each ended by a zero byte. They are
//! read as a stream, so memory use does not depend on the length of the list.

use crate::limit::{Limits, Meter};
use crate::problem::{Problem, ProblemCode};
use crate::source::{Section, Unit};
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Number of bytes read at a time.
const BUFFER: usize = 64 * 1024;

/// Maximum length of a path on Linux, without the terminating zero byte (`PATH_MAX`).
const LONGEST: usize = 4095;

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A list of inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameList {
    /// The path of the list, `-` for standard input.
    pub path: PathBuf,
    /// The byte that ends each name.
    pub end: u8,
}

impl NameList {
    /// A list at `path`, `-` for standard input, whose names are lines.
    pub fn lines(path: impl Into<PathBuf>) -> NameList {
        NameList { path: path.into(), end: b'\n' }
    }

    /// Calls `visit` with each name in order, or with a problem if the name cannot be a path. Skips
    /// empty names.
    ///
    /// # Errors
    ///
    /// Fails if the list cannot be read.
    pub(super) fn each(
        &self,
        mut visit: impl FnMut(Result<&Path, Problem>),
    ) -> Result<(), Problem> {
        let section = Section::stream(&Unit::stream(&self.path), Meter::new(Limits::default()))?;
        let names =
            each_name(BufReader::with_capacity(BUFFER, section), self.end, |number, name, len| {
                // Windows programs begin text with a byte order mark, which no name begins with.
                let is_marked = number == 1 && self.end == b'\n' && name.starts_with(MARK);
                let mark = if is_marked { MARK.len() } else { 0 };
                let (name, len) = (&name[mark..], len - mark);
                if len > 0 {
                    match self.name(number, name, len) {
                        Ok(path) => visit(Ok(&path)),
                        Err(problem) => visit(Err(problem)),
                    }
                }
            });
        names.map_err(|error| Problem::io(&self.path, &error))
    }

    /// Checks the name with this number, whose length in the list is `len` bytes.
    fn name<'a>(&self, number: u64, name: &'a [u8], len: usize) -> Result<Cow<'a, Path>, Problem> {
        let unit = if self.end == b'\n' { "line" } else { "name" };
        if len > LONGEST {
            let message =
                format!("{unit} {number}: the name has {len} bytes, more than a path can have");
            return Err(Problem::new(&self.path, ProblemCode::Unreadable, message));
        }
        if name.contains(&0) {
            let message =
                format!("{unit} {number}: the name contains a zero byte; use --files0-from");
            return Err(Problem::new(&self.path, ProblemCode::Unreadable, message));
        }
        Ok(doiscan_os::paths::path(name))
    }
}

/// Calls `visit` with the number of each name, its first bytes, as many as a path can have and one
/// more, and its length.
fn each_name(
    mut reader: impl BufRead,
    end: u8,
    mut visit: impl FnMut(u64, &[u8], usize),
) -> io::Result<()> {
    let (mut name, mut piece) = (Vec::new(), Vec::new());
    for number in 1.. {
        name.clear();
        let mut len = 0;
        let is_last = loop {
            piece.clear();
            if reader.by_ref().take(BUFFER as u64).read_until(end, &mut piece)? == 0 {
                break true;
            }
            let is_ended = piece.pop_if(|last| *last == end).is_some();
            len += piece.len();
            name.extend_from_slice(&piece[..piece.len().min(LONGEST + 1 - name.len())]);
            if is_ended {
                break false;
            }
        };
        visit(number, &name, len);
        if is_last {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_however_the_list_is_read() {
        let text = format!("a\n\nb c\n{}\nd", "x".repeat(5_000));
        let expected = [(1, 1), (2, 0), (3, 3), (4, 5_000), (5, 1)];
        for size in [1, 2, 3, 100, 10_000] {
            let mut found = Vec::new();
            let reader = BufReader::with_capacity(size, text.as_bytes());
            let names = each_name(reader, b'\n', |number, name, len| {
                assert_eq!(name.len(), len.min(LONGEST + 1));
                found.push((number, len));
            });
            assert!(names.is_ok() && found == expected, "{size}: {found:?}");
        }
    }

    #[test]
    fn what_cannot_be_a_path_is_named_with_its_line() {
        let list = |end| NameList { path: PathBuf::from("list"), end };
        let message = |end, name: &[u8], len| {
            list(end).name(7, name, len).map(|_| ()).map_err(|problem| problem.to_string())
        };
        let long = "list: line 7: the name has 4096 bytes, more than a path can have".to_owned();
        assert_eq!(message(b'\n', &[b'x'; 4096], 4096), Err(long));
        let zero = "list: line 7: the name contains a zero byte; use --files0-from".to_owned();
        assert_eq!(message(b'\n', b"a\0b", 3), Err(zero));
        assert_eq!(message(0, b"a\nb", 3), Ok(()));
    }
}
