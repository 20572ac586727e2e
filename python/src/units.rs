//! Cuts files into units of work, for engines that distribute them over machines. `Plan::part`
//! scans a unit.

use crate::addresses::open;
use crate::guard::detached;
use doiscan::doi::batch;
use doiscan::pipeline::Format;
use doiscan::scan::{LOOKBEHIND, Options, Scanner};
use doiscan_input::{
    Archive, Codec, FileKind, HEAD, Limits, MemberRange, Meter, Opened, Packing, Parquet,
    find_member, refused,
};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes in which the second member of a file must start for the file to be cut.
const SECOND: u64 = 4 * 1024 * 1024;

/// Compressed bytes that are decoded at once, unless they are too many when decoded.
const STEP: u64 = 512 * 1024;

/// The most decoded bytes for each compressed byte. Members near the limit of `--max-ratio`, 1,000,
/// are left to a scan of the whole file, which knows how many bytes came before.
const RATIO: u64 = 500;

/// Bytes in front of a position and after it that may decide, and bytes of a file's beginning that
/// [`kind`] needs.
#[pyfunction]
#[pyo3(signature = (max_length=2048))]
pub(crate) fn margins(max_length: usize) -> (usize, usize, usize) {
    let options = Options::default().with_max_length(max_length);
    (LOOKBEHIND, Scanner::new(options).lookahead(), HEAD)
}

/// How a file can be cut, judged by its first and last bytes: `text`, `tar`, `zip`, `parquet`,
/// `members` (of a compressed file), or `whole` if it cannot.
#[pyfunction]
pub(crate) fn kind(name: PathBuf, head: &[u8], tail: &[u8]) -> &'static str {
    match FileKind::of(&name, head, tail, Format::Auto) {
        FileKind::Parquet => "parquet",
        FileKind::Packed(Packing::Zip) => "zip",
        FileKind::Packed(Packing::Tar) => "tar",
        FileKind::Packed(Packing::Codec(Codec::Gzip | Codec::Bzip2 | Codec::Zstd)) => "members",
        FileKind::Text if refused(&name, head).is_none() => "text",
        FileKind::Text | FileKind::Packed(_) | FileKind::Whole(_) => "whole",
    }
}

/// The starts of parts of a zip archive or a Parquet file, each of at most `size` bytes unless it is
/// one member or row group, or `None` if the file cannot be cut. If `is_unique`, no two parts of an
/// archive have members of the same name.
#[pyfunction]
pub(crate) fn cuts(
    py: Python<'_>,
    path: PathBuf,
    size: u64,
    is_unique: bool,
) -> PyResult<Option<Vec<u64>>> {
    detached(py, || find_cuts(&path, size, is_unique))?
}

fn find_cuts(path: &Path, size: u64, is_unique: bool) -> PyResult<Option<Vec<u64>>> {
    let file = open(path)?;
    let end = file.size();
    let kind = FileKind::of(path, &file.head(HEAD)?, &[], Format::Auto);
    let starts = if kind == FileKind::Parquet {
        let meter = Meter::new(Limits::default());
        Parquet::open(file, &[], &|_| false, meter).ok().and_then(|file| file.group_starts())
    } else {
        Archive::member_starts(&file, is_unique)
    };
    Ok(starts.map(|starts| joined(&starts, size, end)))
}

/// Joins neighbouring parts while they have at most `size` bytes. `end` is the end of the last one.
fn joined(starts: &[u64], size: u64, end: u64) -> Vec<u64> {
    let mut kept = vec![0];
    let ends = starts.iter().skip(2).chain([&end]);
    for (&start, &end) in starts.iter().skip(1).zip(ends) {
        if kept.last().is_some_and(|first| end - first > size) {
            kept.push(start);
        }
    }
    kept
}

/// The first decoded bytes of a compressed file, if it can be cut: text with a second member near
/// its beginning.
#[pyfunction]
pub(crate) fn members_head(
    py: Python<'_>,
    name: PathBuf,
    path: PathBuf,
) -> PyResult<Option<Cow<'static, [u8]>>> {
    detached(py, || Ok(find_head(&name, &path)?.map(Cow::Owned)))?
}

fn find_head(name: &Path, path: &Path) -> PyResult<Option<Vec<u8>>> {
    let file = open(path)?;
    let Packing::Codec(codec) = Packing::of(&file.head(HEAD)?) else { return Ok(None) };
    if find_member(&file, codec, 1..SECOND)?.is_none() {
        return Ok(None);
    }
    let (mut head, mut at) = (Vec::new(), 0);
    while head.len() < HEAD {
        if at >= file.size().min(SECOND) {
            return Ok(None);
        }
        let Some((bytes, end)) = decode(&file, codec, at, at + 1) else { return Ok(None) };
        head.extend(bytes);
        at = end;
    }
    head.truncate(HEAD);
    let kind = self::kind(Codec::inner_name(name), &head, &[]);
    Ok((kind == "text").then_some(head))
}

/// Decodes the members of a compressed file that start from `start` to `until` into the new file
/// `out`, after `head` unless they are the first, with the bytes after them that may decide.
/// Returns the start of the first member, if there is one, the end of the last, and the length of
/// their content, or `None` if the members cannot be read apart from those before them.
#[pyfunction]
#[pyo3(signature = (path, start, until, head, out, *, max_length=2048))]
pub(crate) fn decode_members(
    py: Python<'_>,
    path: PathBuf,
    start: u64,
    until: u64,
    head: &[u8],
    out: PathBuf,
    max_length: usize,
) -> PyResult<(Option<u64>, u64, Option<u64>)> {
    let file = open(&path)?;
    let Packing::Codec(codec) = Packing::of(&file.head(HEAD)?) else {
        return Err(PyOSError::new_err(format!("{}: is no longer compressed", path.display())));
    };
    detached(py, || -> PyResult<_> {
        let begin = if start == 0 { Some(0) } else { find_member(&file, codec, start..until)? };
        let Some(begin) = begin else { return Ok((None, start, None)) };
        let mut out = create(&out)?;
        if begin > 0 {
            out.write_all(head)?;
        }
        let (mut at, mut len) = (begin, 0);
        while at < until.min(file.size()) {
            let Some((bytes, end)) = decode(&file, codec, at, until.min(at + STEP)) else {
                return Ok((Some(begin), at, None));
            };
            out.write_all(&bytes)?;
            (at, len) = (end, len + bytes.len() as u64);
        }
        let (end, mut missing) = (at, margin(max_length));
        while missing > 0 && at < file.size() {
            let Some((bytes, end)) = decode(&file, codec, at, at + 1) else {
                return Ok((Some(begin), at, None));
            };
            out.write_all(&bytes)?;
            (at, missing) = (end, missing.saturating_sub(bytes.len()));
        }
        Ok((Some(begin), end, Some(len)))
    })?
}

#[expect(clippy::disallowed_methods, reason = "a temporary file, which is read once")]
fn create(path: &Path) -> std::io::Result<File> {
    File::create(path)
}

/// Decoded bytes that follow a part: it ends [`LOOKBEHIND`] bytes after its last member.
fn margin(max_length: usize) -> usize {
    let options = Options::default().with_max_length(max_length);
    LOOKBEHIND + Scanner::new(options).lookahead()
}

/// Decodes the members that start from `at` to `until`, or at least the first of them. Returns the
/// content and the end of the last one, or `None` if they are damaged, too large or too dense.
fn decode(file: &Arc<Opened>, codec: Codec, at: u64, until: u64) -> Option<(Vec<u8>, u64)> {
    let meter = Meter::new(Limits::default());
    let range = MemberRange::new(file, codec, &meter, at, until);
    let found = range.decode().or_else(|| range.moved(at, at + 1).decode())?;
    let most = (found.end - at).saturating_mul(RATIO).saturating_add(1024 * 1024);
    (found.bytes.len() as u64 <= most).then_some((found.bytes, found.end))
}

/// The name of the content of a compressed file, which may tell its notation.
#[pyfunction]
pub(crate) fn inner_name(name: PathBuf) -> PathBuf {
    Codec::inner_name(&name)
}

/// The bytes by which lists and rows are sorted, of a DOI as rows spell it.
#[pyfunction]
pub(crate) fn list_key(doi: &str) -> Cow<'_, [u8]> {
    Cow::Owned(batch::encode(&batch::decode(doi.as_bytes())).into_owned())
}

/// Whether a cell of CSV follows an apostrophe, because a spreadsheet would run it.
#[pyfunction]
pub(crate) fn is_formula(cell: &str) -> bool {
    doiscan_engine::output::escape::is_formula(cell.as_bytes())
}
