//! An open regular file. Its bytes are returned in windows, either mapped or read.

use super::kind::{FileChange, Identity, Unit};
use crate::problem::{Problem, ProblemCode, fault};
use crate::unpack::limit::Meter;
use crate::{Io, Window};
use doiscan_core::scan::LOOKBEHIND;
use doiscan_os::Map;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use twox_hash::XxHash3_128;

/// An open regular file, or a part of one: an archive member that is stored uncompressed.
#[derive(Debug)]
pub struct Opened {
    path: PathBuf,
    file: Arc<File>,
    map: Option<Arc<Map>>,
    before: Identity,
    /// The size when the file was listed. The file may have grown before it was opened.
    listed: u64,
    /// The byte range in the file.
    part: Range<u64>,
}

impl Opened {
    /// Opens a listed file. If mapping fails, the file is read instead.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened, or if it is not the file that was listed.
    pub fn open(unit: &Unit, io: Io) -> Result<Opened, Problem> {
        let fail = |e: io::Error| Problem::io(&unit.path, &e);
        let file = File::open(&unit.path).map_err(fail)?;
        let meta = file.metadata().map_err(fail)?;
        let before = Identity::of(&meta);
        if !meta.is_file() || unit.identity.map(|i| i.file()) != Some(before.file()) {
            return Err(Problem::new(
                &unit.path,
                ProblemCode::Changed,
                "was replaced by another file during the run",
            ));
        }
        let is_mapped = unit.is_mapped(io);
        let map = if is_mapped { Map::new(&file, before.size, io, unit.is_remote()) } else { None };
        let map = map.map(Arc::new);
        let (path, file, part) = (unit.path.clone(), Arc::new(file), 0..before.size);
        Ok(Opened { path, file, map, before, listed: unit.size, part })
    }

    /// Opens a listed file to be read in one window, and assumes that it has not changed since it
    /// was listed. This saves a system call for each small file. The caller must call
    /// [`Opened::check`] after the window was read and before it is scanned. Returns `None` for
    /// files that cannot be read in this way.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened.
    pub fn listed(unit: &Unit, io: Io) -> Result<Option<Opened>, Problem> {
        let Some(before) = unit.identity.filter(|_| !unit.is_mapped(io)) else { return Ok(None) };
        let file = File::open(&unit.path).map_err(|e| Problem::io(&unit.path, &e))?;
        let (path, file, part) = (unit.path.clone(), Arc::new(file), 0..before.size);
        Ok(Some(Opened { path, file, map: None, before, listed: unit.size, part }))
    }

    /// Returns the range `bytes` of this file under the name `path`.
    pub fn section(&self, path: PathBuf, bytes: Range<u64>) -> Opened {
        let (file, map) = (Arc::clone(&self.file), self.map.clone());
        let begin = (self.part.start + bytes.start).min(self.part.end);
        let part = begin..(self.part.start + bytes.end).min(self.part.end);
        Opened { path, file, map, part, ..*self }
    }

    /// The path as listed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The size in bytes when it was opened.
    pub fn size(&self) -> u64 {
        self.part.end - self.part.start
    }

    /// Reads at `offset` until `buffer` is full or the file ends. Returns the number of bytes read.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let len = usize::try_from(self.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        let len = len.min(buffer.len());
        let (got, fault) = fill(&self.file, &mut buffer[..len], self.part.start + offset);
        fault.map_or(Ok(got), Err)
    }

    /// Returns the first bytes, at most `len`. Returns fewer if reading fails; the first window
    /// reports the error.
    pub fn head(&self, len: usize) -> Vec<u8> {
        let mut head = vec![0; len.min(self.size().try_into().unwrap_or(len))];
        let (got, _) = fill(&self.file, &mut head, self.part.start);
        head.truncate(got);
        head
    }

    /// Returns the last 22 bytes, enough to recognise an archive by its end. Returns fewer if
    /// reading fails.
    pub fn tail(&self) -> Vec<u8> {
        let mut tail = vec![0; 22];
        let got = self.read_at(&mut tail, self.size().saturating_sub(22)).unwrap_or(0);
        tail.truncate(got);
        tail
    }

    /// Returns the positions `starts` with [`LOOKBEHIND`] bytes before them and `lookahead` bytes
    /// after them, as far as the file has them. `buffer` is used if the bytes must be read.
    pub fn window<'a>(
        &'a self,
        starts: Range<u64>,
        lookahead: usize,
        buffer: &'a mut Vec<u8>,
    ) -> Window<'a> {
        let from = starts.start.saturating_sub(LOOKBEHIND as u64);
        let to = starts.end.saturating_add(lookahead as u64).min(self.size());
        let positions = (starts.start - from) as usize..(starts.end - from) as usize;
        if let Some(map) = &self.map {
            // The map has the size of the file, so its offsets fit `usize`.
            let base = self.part.start as usize;
            if let Ok(bytes) = map.resident(base + from as usize..base + to as usize) {
                return Window { bytes, starts: positions, offset: from, fault: None };
            }
        }
        self.read(from, (to - from) as usize, positions, buffer)
    }

    /// Releases the memory of these positions. The caller does not read them again, except those
    /// next to other positions.
    pub fn release(&self, positions: Range<u64>) {
        if let Some(map) = &self.map {
            let base = self.part.start as usize;
            map.release(base + positions.start as usize..base + positions.end as usize);
        }
    }

    fn read<'a>(
        &self,
        from: u64,
        len: usize,
        starts: Range<usize>,
        buffer: &'a mut Vec<u8>,
    ) -> Window<'a> {
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        let (got, fault) = fill(&self.file, &mut buffer[..len], self.part.start + from);
        let starts = starts.start.min(got)..starts.end.min(got);
        Window { bytes: &buffer[..got], starts, offset: from, fault }
    }

    /// Returns whether the path still refers to this file. A rename changes the change time of a
    /// file but may leave its content the same.
    fn is_named(&self) -> bool {
        let found = std::fs::metadata(&self.path).map(|meta| Identity::of(&meta).file());
        found.is_ok_and(|file| file == self.before.file())
    }

    /// Checks that the file has not changed since it was opened, and is not shorter than when it
    /// was listed.
    ///
    /// # Errors
    ///
    /// Fails if the size or a time of change differs, or if a mapped page could not be read.
    pub fn check(&self) -> Result<(), Problem> {
        let meta = self.file.metadata().map_err(|e| Problem::io(&self.path, &e))?;
        let (before, after) = (self.before, Identity::of(&meta));
        let size = before.size.max(self.listed);
        let is_hit = self.map.as_ref().is_some_and(|map| map.is_hit());
        let change =
            after.change_since(&before).filter(|c| *c == FileChange::Content || self.is_named());
        let (code, how) = match change {
            None if size == before.size && !is_hit => return Ok(()),
            None if size == before.size => {
                (ProblemCode::Unreadable, "a part of it was unavailable".to_owned())
            }
            Some(FileChange::Hidden) => {
                let how = "was rewritten, with its modification time restored,";
                (ProblemCode::Unreadable, how.to_owned())
            }
            _ if after.size == size => (ProblemCode::Changed, "changed".to_owned()),
            _ => (ProblemCode::Changed, format!("changed from {size} to {} bytes", after.size)),
        };
        let message = format!("{how} while it was read; the DOIs found in it are kept");
        Err(Problem::new(&self.path, code, message))
    }
}

/// Returns the 128-bit XXH3 hash of the content of a file.
///
/// # Errors
///
/// Fails if the file cannot be read to its end.
pub fn content_hash(unit: &Unit) -> Result<[u8; 16], Problem> {
    let file = Opened::open(unit, Io::READ)?;
    let (mut hash, mut at) = (XxHash3_128::new(), 0);
    let mut buffer = vec![0; 1024 * 1024];
    while at < file.size() {
        let got = file.read_at(&mut buffer, at).map_err(|e| Problem::io(&unit.path, &e))?;
        hash.write(&buffer[..got]);
        at += got as u64;
    }
    file.check()?;
    Ok(hash.finish_128().to_be_bytes())
}

/// Reads a part of a file sequentially.
#[derive(Debug)]
pub struct Section {
    file: Arc<Opened>,
    bytes: Range<u64>,
    meter: Meter,
}

impl Section {
    /// Reads the range `bytes` of `file`, limited to the size of the file. Adds the bytes read to
    /// `meter`.
    pub fn new(file: Arc<Opened>, bytes: Range<u64>, meter: Meter) -> Self {
        let end = bytes.end.min(file.size());
        Section { file, bytes: bytes.start.min(end)..end, meter }
    }
}

impl Read for Section {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.bytes.end - self.bytes.start;
        let len = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if len == 0 {
            return Ok(0);
        }
        let at = self.file.part.start + self.bytes.start;
        let got = self.file.file.read_at(&mut out[..len], at)?;
        if got == 0 {
            let message = format!("ends early, after {at} bytes");
            return Err(fault(ProblemCode::Truncated, message));
        }
        self.bytes.start += got as u64;
        self.meter.add_read(got as u64);
        Ok(got)
    }
}

/// Reads from `at` until `buffer` is full. Returns the number of bytes read, and the error if there
/// are fewer than requested.
fn fill(file: &File, buffer: &mut [u8], at: u64) -> (usize, Option<io::Error>) {
    let mut got = 0;
    while got < buffer.len() {
        match file.read_at(&mut buffer[got..], at + got as u64) {
            Ok(0) => {
                let message = format!("ends early, after {} bytes", at + got as u64);
                return (got, Some(fault(ProblemCode::Truncated, message)));
            }
            Ok(n) => got += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return (got, Some(e)),
        }
    }
    (got, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe;

    fn open(bytes: &[u8], io: Io) -> (tempfile::NamedTempFile, Opened) {
        let file = tempfile::NamedTempFile::new().expect("file");
        std::fs::write(&file, bytes).expect("write");
        let unit = probe(file.path()).expect("probe");
        let opened = Opened::open(&unit, io).expect("open");
        (file, opened)
    }

    #[test]
    fn windows_are_the_same_mapped_and_read() {
        let bytes: Vec<u8> = (0..20_000u32).map(|i| (i % 251) as u8).collect();
        let (_keep, mapped) = open(&bytes, doiscan_os::io::command::MMAP);
        let (_keep, read) = open(&bytes, Io::READ);
        assert!(mapped.map.is_some() && read.map.is_none());
        for (start, end) in [(0, 20_000), (0, 1), (255, 256), (256, 300), (5_000, 9_000)] {
            let (mut a, mut b) = (Vec::new(), vec![7; 30_000]);
            let one = mapped.window(start..end, 100, &mut a);
            let two = read.window(start..end, 100, &mut b);
            assert_eq!((one.bytes, &one.starts), (two.bytes, &two.starts));
            assert_eq!((one.offset, two.offset), (start.saturating_sub(256), one.offset));
            assert!(one.fault.is_none() && two.fault.is_none());
            assert_eq!(&one.bytes[one.starts.clone()], &bytes[start as usize..end as usize]);
            assert_eq!(one.starts.start, 256.min(start as usize));
        }
    }

    #[test]
    fn a_file_cut_short_before_it_is_opened_is_noticed_and_a_longer_one_is_fine() {
        for (size, fine) in [(100, false), (20_000, true)] {
            let file = tempfile::NamedTempFile::new().expect("file");
            std::fs::write(&file, [b'x'; 10_000]).expect("write");
            let unit = probe(file.path()).expect("probe");
            file.as_file().set_len(size).expect("resize");
            let opened = Opened::open(&unit, Io::READ).expect("open");
            assert_eq!((opened.size(), opened.check().is_ok()), (size, fine));
        }
    }

    #[test]
    fn a_rewrite_that_restores_the_time_is_noticed_and_links_and_permissions_are_not() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("in");
        let change = |how: &dyn Fn()| {
            std::fs::write(&path, "10.1000/a").expect("write");
            let opened = Opened::open(&probe(&path).expect("probe"), Io::READ).expect("open");
            // The kernel updates timestamps every 4 ms.
            std::thread::sleep(std::time::Duration::from_millis(20));
            how();
            opened.check().map_err(|problem| problem.message)
        };
        let rewrite = || {
            let time = path.metadata().and_then(|meta| meta.modified()).expect("time");
            std::fs::write(&path, "10.1000/b").expect("write");
            let file = std::fs::File::options().write(true).open(&path).expect("open");
            file.set_modified(time).expect("time");
        };
        let message = change(&rewrite).expect_err("rewritten");
        assert!(message.starts_with("was rewritten, with its modification time restored, while"));
        let other = folder.path().join("other");
        assert_eq!(change(&|| std::fs::hard_link(&path, &other).expect("link")), Ok(()));
        let mode = std::fs::Permissions::from_mode(0o600);
        assert_eq!(
            change(&|| std::fs::set_permissions(&path, mode.clone()).expect("mode")),
            Ok(())
        );
        assert_eq!(change(&|| std::fs::rename(&path, &other).expect("rename")), Ok(()));
        assert_eq!(change(&|| drop(std::fs::read(&path).expect("read"))), Ok(()));
    }

    #[test]
    fn a_file_cut_short_gives_what_is_left_and_says_so() {
        for io in [doiscan_os::io::command::MMAP, Io::READ] {
            let (file, opened) = open(&[b'x'; 10_000], io);
            std::fs::File::options()
                .write(true)
                .open(&file)
                .expect("open")
                .set_len(100)
                .expect("cut");
            let mut buffer = Vec::new();
            let window = opened.window(0..8_192, 10, &mut buffer);
            if io == Io::READ {
                assert_eq!((window.bytes.len(), window.starts), (100, 0..100));
                let fault = window.fault.expect("fault").to_string();
                assert_eq!(fault, "ends early, after 100 bytes");
            }
            let problem = opened.check().expect_err("changed");
            assert!(problem.message.starts_with("changed from 10000 to 100 bytes"));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_page_that_went_missing_is_reported_when_the_file_looks_as_before() {
        let bytes = vec![b'x'; 64 * 1024];
        let (file, mut opened) = open(&bytes, doiscan_os::io::command::MMAP);
        let mut buffer = Vec::new();
        let window = opened.window(0..bytes.len() as u64, 0, &mut buffer);
        let cut = std::fs::File::options().write(true).open(&file).expect("open");
        cut.set_len(0).expect("cut");
        assert!(window.bytes.iter().all(|&b| b == 0), "zeros for what is missing");
        cut.set_len(bytes.len() as u64).expect("grow");
        opened.before = Identity::of(&cut.metadata().expect("metadata"));
        let problem = opened.check().expect_err("a hit");
        assert!(problem.message.starts_with("a part of it was unavailable"), "{problem}");
    }
}
