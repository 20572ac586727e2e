//! Lists of inputs: files that contain paths, one per line or each ended by a zero byte. They are
//! read as a stream, so memory use does not depend on the length of the list.

use crate::limit::{Limits, Meter};
use crate::problem::{Problem, ProblemCode};
use crate::source::{Section, Unit};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Number of bytes read at a time.
const BUFFER: usize = 64 * 1024;

/// Maximum length of a path on Linux, without the terminating zero byte (`PATH_MAX`).
const LONGEST: usize = 4095;

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
        let meter = Meter::new(Limits::default());
        let mut reader = Section::stream(&Unit::stream(&self.path), meter)?;
        let mut names = Splitter::new(self.end);
        let mut visit = |number: u64, name: &[u8], len: usize| {
            if len > 0 {
                visit(self.name(number, name, len));
            }
        };
        let mut buffer = vec![0; BUFFER];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(got) => names.push(&buffer[..got], &mut visit),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Problem::io(&self.path, &e)),
            }
        }
        names.finish(&mut visit);
        Ok(())
    }

    /// Checks the name with this number, whose length in the list is `len` bytes.
    fn name<'a>(&self, number: u64, name: &'a [u8], len: usize) -> Result<&'a Path, Problem> {
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
        Ok(Path::new(OsStr::from_bytes(name)))
    }
}

/// Splits the input into names. Of a name that is too long, only the first bytes and the length are
/// kept.
struct Splitter {
    end: u8,
    /// The first bytes of the current name. `len` is the number of its bytes so far.
    begun: Vec<u8>,
    len: usize,
    number: u64,
}

impl Splitter {
    fn new(end: u8) -> Self {
        Splitter { end, begun: Vec::new(), len: 0, number: 0 }
    }

    fn push(&mut self, mut bytes: &[u8], visit: &mut impl FnMut(u64, &[u8], usize)) {
        while let Some(at) = memchr::memchr(self.end, bytes) {
            self.add(&bytes[..at]);
            self.finish(visit);
            bytes = &bytes[at + 1..];
        }
        self.add(bytes);
    }

    fn add(&mut self, bytes: &[u8]) {
        let room = (LONGEST + 1).saturating_sub(self.begun.len());
        self.begun.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.len += bytes.len();
    }

    fn finish(&mut self, visit: &mut impl FnMut(u64, &[u8], usize)) {
        self.number += 1;
        visit(self.number, &self.begun, self.len);
        self.begun.clear();
        self.len = 0;
    }
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
            let mut names = Splitter::new(b'\n');
            let mut visit = |number: u64, name: &[u8], len: usize| {
                assert_eq!(name.len(), len.min(LONGEST + 1));
                found.push((number, len));
            };
            text.as_bytes().chunks(size).for_each(|bytes| names.push(bytes, &mut visit));
            names.finish(&mut visit);
            assert_eq!(found, expected, "{size}");
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
