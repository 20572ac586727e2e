//! Where the list goes: standard output, a device or pipe, or a file that is
//! either the old one or the whole new one, never something between.
#![expect(clippy::disallowed_methods, reason = "this layer makes files, and puts them in place")]

pub mod escape;
mod form;
mod lines;
mod pack;
#[cfg(feature = "parquet")]
pub mod parquet;
mod replace;
mod rows;
mod terminal;

pub use form::{Compression, Form, Layout, LayoutError};
pub use lines::lines;
pub use pack::{BLOCK, compress};
pub use rows::{COUNTS, Column, HITS, Kind as ColumnKind, NAMES, REJECTS, TextRows, Value};
pub use terminal::needs_escape;

use crate::sys::disk::{Disk, System};
use replace::Replacement;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use terminal::Escaper;

/// An output that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {cause}", .path.display())]
pub struct Error {
    action: &'static str,
    path: PathBuf,
    cause: io::Error,
}

impl Error {
    fn new(action: &'static str, path: &Path, cause: io::Error) -> Self {
        Error { action, path: path.to_path_buf(), cause }
    }

    /// Whether the reader of the output went away, which is no fault.
    pub fn is_closed_pipe(&self) -> bool {
        self.cause.kind() == io::ErrorKind::BrokenPipe
    }

    /// The output it is about.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Whether two paths of outputs lead to one file, so that one would replace the other:
/// however they are spelled and whatever links lie on the way. Devices may be shared.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let path = replace::resolve(path).ok()?;
        let folder = replace::folder(&path).canonicalize().ok()?;
        Some((folder, path.file_name()?.to_owned()))
    };
    let is_device = |path: &Path| path.metadata().is_ok_and(|m| !m.is_file());
    (a == b || place(a).is_some_and(|found| Some(found) == place(b))) && !is_device(a)
}

/// An open output. Ends with [`Output::finish`]; dropped before that, a
/// [`replacement`](Output::file) leaves the old file as it was.
#[derive(Debug)]
pub struct Output {
    disk: Arc<dyn Disk>,
    kind: Kind,
    path: PathBuf,
    written: u64,
    /// Of an output that is a terminal.
    escaper: Option<Escaper>,
}

#[derive(Debug)]
enum Kind {
    Through(File),
    Replace(Replacement),
}

impl Output {
    /// Standard output, unbuffered: whoever writes brings large pieces.
    ///
    /// # Errors
    ///
    /// When the descriptor cannot be duplicated.
    pub fn standard() -> Result<Output, Error> {
        Output::standard_on(Arc::new(System))
    }

    /// As [`Output::standard`], written by `disk`.
    ///
    /// # Errors
    ///
    /// When the descriptor cannot be duplicated.
    pub fn standard_on(disk: Arc<dyn Disk>) -> Result<Output, Error> {
        let path = Path::new("standard output");
        let file = duplicate_stdout().map_err(|e| Error::new("open", path, e))?;
        Ok(Output::new(disk, Kind::Through(file), path))
    }

    /// The file `path`, replaced as a whole by [`Output::finish`]. Devices and
    /// pipes are written through.
    ///
    /// # Errors
    ///
    /// When nothing can be written there.
    pub fn file(path: &Path) -> Result<Output, Error> {
        Output::file_on(Arc::new(System), path)
    }

    /// As [`Output::file`], made, written and put in place by `disk`.
    ///
    /// # Errors
    ///
    /// When nothing can be written there.
    pub fn file_on(disk: Arc<dyn Disk>, path: &Path) -> Result<Output, Error> {
        if is_stdout(path) {
            return Output::standard_on(disk);
        }
        let fail = |e| Error::new("open", path, e);
        let kind = match std::fs::metadata(path) {
            Ok(old) if old.is_dir() => return Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(old) if !old.is_file() => {
                Kind::Through(OpenOptions::new().write(true).open(path).map_err(fail)?)
            }
            Ok(old) => Kind::Replace(Replacement::of(&*disk, path, &old).map_err(fail)?),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                Kind::Replace(Replacement::new(&*disk, path).map_err(fail)?)
            }
            Err(e) => return Err(fail(e)),
        };
        Ok(Output::new(disk, kind, path))
    }

    fn new(disk: Arc<dyn Disk>, kind: Kind, path: &Path) -> Output {
        let is_terminal = matches!(&kind, Kind::Through(file) if file.is_terminal());
        let escaper = is_terminal.then(Escaper::default);
        Output { disk, kind, path: path.to_path_buf(), written: 0, escaper }
    }

    /// Writes all of `bytes`. On a terminal, controls and marks of direction are escaped.
    ///
    /// # Errors
    ///
    /// When not all of them could be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match &mut self.escaper {
            None => self.write_through(bytes)?,
            Some(escaper) => {
                let shown = escaper.escape(bytes);
                self.write_through(&shown)?;
            }
        }
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn write_through(&self, bytes: &[u8]) -> Result<(), Error> {
        let file = match &self.kind {
            Kind::Through(file) => file,
            Kind::Replace(replacement) => replacement.file(),
        };
        self.disk.write(file, bytes).map_err(|e| Error::new("write", &self.path, e))
    }

    /// Bytes written until now.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Its error when what is to be written cannot be made.
    pub fn failed(&self, cause: io::Error) -> Error {
        Error::new("write", &self.path, cause)
    }

    /// Puts the output in place and returns its bytes. When this returns, a
    /// replaced file is on the disk.
    ///
    /// # Errors
    ///
    /// When the file system refuses, or holds another number of bytes than was written.
    pub fn finish(self) -> Result<u64, Error> {
        self.sync()?.put_in_place()
    }

    /// Brings all of it to the disk, beside its place. Of several outputs all can be
    /// synced before the first is put in place: what fails then leaves every old file.
    ///
    /// # Errors
    ///
    /// When the file system refuses, or holds another number of bytes than was written.
    pub fn sync(mut self) -> Result<Synced, Error> {
        if let Some(mut escaper) = self.escaper.take() {
            self.write_through(&escaper.finish())?;
        }
        // Nothing else is buffered here. A file that standard output was sent
        // to is the caller's, who may sync it or not.
        if let Kind::Replace(replacement) = &mut self.kind {
            replacement
                .sync(&*self.disk, self.written)
                .map_err(|e| Error::new("write", &self.path, e))?;
        }
        Ok(Synced(self))
    }
}

/// An output that is whole and on the disk, and still beside its place: dropped, it
/// leaves the old file as it was.
#[derive(Debug)]
pub struct Synced(Output);

impl Synced {
    /// Bytes of the output.
    pub fn bytes(&self) -> u64 {
        self.0.written
    }

    /// Leaves the old file as it is, puts the new one [`beside`] it and returns its bytes. What was
    /// written through to a device or a pipe is there.
    ///
    /// # Errors
    ///
    /// As those of [`Synced::put_in_place`].
    pub fn put_beside(mut self) -> Result<u64, Error> {
        if let Kind::Replace(replacement) = &mut self.0.kind {
            replacement.go_beside();
            self.0.path = beside(&self.0.path);
        }
        self.put_in_place()
    }

    /// What is known of the file, which is the same when it is put in place. None of what was
    /// written through.
    pub fn metadata(&self) -> Option<std::fs::Metadata> {
        let Kind::Replace(replacement) = &self.0.kind else { return None };
        replacement.file().metadata().ok()
    }

    /// Puts it in place and returns its bytes.
    ///
    /// # Errors
    ///
    /// When the file system refuses. Where only the folder could not be synced, the new
    /// file is in place.
    pub fn put_in_place(self) -> Result<u64, Error> {
        let Output { disk, kind, path, written, .. } = self.0;
        if let Kind::Replace(replacement) = kind {
            replacement.put_in_place(&*disk).map_err(|e| Error::new("write", &path, e))?;
        }
        Ok(written)
    }
}

/// Removes the temporary files that runs which were killed have left for the output
/// `path`: before a folder is listed that holds them. Failing is no harm.
pub fn remove_stale(path: &Path) {
    replace::remove_stale_of(path);
}

/// Where a new file is kept that does not replace the old one `path`: `FILE.failed`, where links
/// lead to.
pub fn beside(path: &Path) -> PathBuf {
    let path = replace::resolve(path).unwrap_or_else(|_| path.to_path_buf());
    replace::beside(&path)
}

/// How the names of the temporary files of the output `path` begin.
pub fn temporary_prefix(path: &Path) -> Option<OsString> {
    replace::resolve(path).ok()?.file_name().map(replace::prefix)
}

/// Device and number of the regular file that an output replaces or, of standard output
/// (none), that it is written to. None when there is no such file.
#[cfg(unix)]
pub fn existing(path: Option<&Path>) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let meta = match path.filter(|path| !is_stdout(path)) {
        Some(path) => std::fs::metadata(path),
        None => duplicate_stdout().and_then(|file| file.metadata()),
    };
    meta.ok().filter(|meta| meta.is_file()).map(|meta| (meta.dev(), meta.ino()))
}

/// Whether `path` is a name of this process's standard output. Opening one anew would
/// truncate what `>>` was to keep.
pub fn is_stdout(path: &Path) -> bool {
    ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

#[cfg(unix)]
fn duplicate_stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn duplicate_stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_new_file_appears_when_finished_and_not_before() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("list");
        let mut output = Output::file(&path).expect("open");
        output.write(b"10.1/A\n").expect("write");
        assert!(!path.exists());
        assert_eq!(output.finish().expect("finish"), 7);
        assert_eq!(fs::read(&path).expect("read"), b"10.1/A\n");
        assert_eq!(fs::read_dir(&folder).expect("list").count(), 1);
    }

    #[test]
    fn an_unfinished_output_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("list");
        fs::write(&path, "old").expect("write");
        let mut output = Output::file(&path).expect("open");
        output.write(b"new").expect("write");
        drop(output);
        assert_eq!(fs::read(&path).expect("read"), b"old");
        assert_eq!(fs::read_dir(&folder).expect("list").count(), 1);
    }

    #[test]
    fn errors_name_the_path() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("none/list");
        let message = Output::file(&path).expect_err("no folder").to_string();
        assert!(message.starts_with(&format!("cannot open {}: ", path.display())), "{message}");
        assert!(Output::file(folder.path()).is_err(), "a folder is no output");
    }
}
