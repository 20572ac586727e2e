//! Lists of inputs: files that contain paths, one per line or each ended by a zero byte. They are
//! read as a stream, so memory use does not depend on the length of the list.

use crate::limit::{Limits, Meter};
use crate::problem::{Problem, ProblemCode};
use crate::source::{Section, Unit};
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Number of bytes read at a time.
const BUFFER: usize = 64 * 1024;

/// Maximum length of a path on Linux, without the terminating zero byte (`PATH_MAX`).
const LONGEST: usize = 4095;

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Calls `visit` with each name of the list `path`, `-` for standard input, in order, or with a problem if the name
/// cannot be a path. Skips empty names. Names end with zero bytes if the first one does, else with line ends.
///
/// # Errors
///
/// Fails if the list cannot be read.
pub(super) fn each(
    path: &Path,
    mut visit: impl FnMut(Result<&Path, Problem>),
) -> Result<(), Problem> {
    let mut section = Section::stream(&Unit::stream(path), Meter::new(Limits::default()))?;
    let mut head = Vec::new();
    let read = section.by_ref().take(LONGEST as u64 + 1).read_to_end(&mut head);
    read.map_err(|error| Problem::io(path, &error))?;
    let end = if head.contains(&0) { 0 } else { b'\n' };
    // Windows programs begin text with a byte order mark, which no name begins with.
    let head = head.strip_prefix(MARK).filter(|_| end == b'\n').unwrap_or(&head);
    let reader = BufReader::with_capacity(BUFFER, head.chain(section));
    let names = each_name(reader, end, |number, name, len| {
        if len > 0 {
            match self::name(path, number, name, len) {
                Ok(path) => visit(Ok(&path)),
                Err(problem) => visit(Err(problem)),
            }
        }
    });
    names.map_err(|error| Problem::io(path, &error))
}

/// Checks the name with this number in the list `path`, whose length in the list is `len` bytes.
fn name<'a>(
    path: &Path,
    number: u64,
    name: &'a [u8],
    len: usize,
) -> Result<Cow<'a, Path>, Problem> {
    let what = match () {
        () if len > LONGEST => format!("has {len} bytes, more than a path can have"),
        () if name.contains(&0) => "contains a zero byte".to_owned(),
        () => return Ok(doiscan_os::paths::path(name)),
    };
    let message = format!("name {number} {what}");
    Err(Problem::new(path, ProblemCode::Unreadable, message))
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
    fn what_cannot_be_a_path_is_named_with_its_number() {
        let message = |text: &[u8], len| {
            name(Path::new("list"), 7, text, len).map(|_| ()).map_err(|problem| problem.to_string())
        };
        let long = "list: name 7 has 4096 bytes, more than a path can have".to_owned();
        assert_eq!(message(&[b'x'; 4096], 4096), Err(long));
        assert_eq!(message(b"a\0b", 3), Err("list: name 7 contains a zero byte".to_owned()));
        assert_eq!(message(b"a\nb", 3), Ok(()));
    }
}
