//! Opens an index, and looks names up.

#![expect(clippy::disallowed_methods, reason = "opens the index that the user names")]

use crate::build::{Case, FOOT, HEAD, SUM, has_version, is_index};
use crate::error::Error;
use crate::walk;
use doiscan_os::Map;
use doiscan_os::allocator::catch;
use doiscan_os::io::Io;
use fst::Streamer;
use fst::raw::{Fst, Stream};
use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::hash::Hasher;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// An index of names. Threads may share it.
pub struct Registry {
    path: PathBuf,
    fst: Fst<Bytes>,
    starts: walk::Starts,
    case: Case,
    identity: u64,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The bytes of the file.
pub(crate) enum Bytes {
    Mapped(Map),
    Read(Vec<u8>),
}

impl Bytes {
    #[inline]
    fn all(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map.bytes(),
            Bytes::Read(bytes) => bytes,
        }
    }
}

/// The bytes of the automaton.
impl AsRef<[u8]> for Bytes {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        let all = self.all();
        all.get(HEAD.len()..all.len().saturating_sub(FOOT)).unwrap_or_default()
    }
}

/// Names after which a walk releases what it mapped. Otherwise all of the file would count as memory of the process.
const RELEASE: u64 = 1 << 20;

/// Number of bytes that are read and checked at once.
const BUFFER: usize = 64 * 1024;

impl Registry {
    /// Opens an index, after reading it once to check it. What `io` maps is not kept in memory.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is not an index of this version or is damaged.
    pub fn open(path: &Path, io: Io) -> Result<Registry, Error> {
        let failed = |cause| Error::Io { path: path.to_path_buf(), cause };
        let damaged = |what| Error::Damaged { path: path.to_path_buf(), what };
        let (mut file, head) = begin(path).map_err(failed)?;
        check_head(path, &head)?;
        let length = file.metadata().map_err(failed)?.len();
        let map = Map::new(&file, length, io, false);
        file.rewind().map_err(failed)?;
        let (mut sum, mut bytes, mut buffer) = (XxHash3_64::new(), Vec::new(), vec![0; BUFFER]);
        let mut rest = length.saturating_sub(SUM as u64);
        while rest > 0 {
            let part = &mut buffer[..rest.min(BUFFER as u64) as usize];
            file.read_exact(part).map_err(failed)?;
            sum.write(part);
            if map.is_none() {
                bytes.extend_from_slice(part);
            }
            rest -= part.len() as u64;
        }
        let mut written = [0; SUM];
        file.read_exact(&mut written).map_err(failed)?;
        let identity = sum.finish();
        if identity != u64::from_le_bytes(written) {
            return Err(damaged("its checksum is not the one that was written"));
        }
        bytes.extend_from_slice(&written);
        let bytes = map.map_or(Bytes::Read(bytes), Bytes::Mapped);
        let case = match bytes.all()[bytes.all().len() - FOOT] {
            0 => Case::Upper,
            _ => Case::Lower,
        };
        let fst = Fst::new(bytes).map_err(|_| damaged("it is not well formed"))?;
        let starts = walk::Starts::new(fst.as_bytes(), fst.root().addr());
        Ok(Registry { path: path.to_path_buf(), fst, starts, case, identity })
    }

    /// Whether the file at `path` is an index of any version, or named as one.
    pub fn is_index(path: &Path) -> bool {
        let is_named = path.extension().is_some_and(|suffix| suffix == "doix");
        begin(path).is_ok_and(|(_, head)| is_named || is_index(&head))
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A number that differs for indexes that hold other names.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// Returns a name in the case of the index. All other functions take and return names in this
    /// case.
    pub fn spelt<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        match self.case {
            Case::Upper if has(name, u8::is_ascii_lowercase) => name.to_ascii_uppercase().into(),
            Case::Lower if has(name, u8::is_ascii_uppercase) => name.to_ascii_lowercase().into(),
            _ => name.into(),
        }
    }

    /// Whether a name is known.
    ///
    /// # Errors
    ///
    /// This and all following functions fail if the file changed, or cannot be read any more.
    #[inline]
    pub fn contains(&self, name: &[u8]) -> Result<bool, Error> {
        Ok(self.longest_prefix(name)? == Some(name.len()))
    }

    /// Length of the longest known name that `text` begins with.
    #[inline]
    pub fn longest_prefix(&self, text: &[u8]) -> Result<Option<usize>, Error> {
        Ok(self.follow(text)?.1)
    }

    /// Whether a known name begins with `prefix`.
    pub fn has_prefix(&self, prefix: &[u8]) -> Result<bool, Error> {
        Ok(!self.fst.is_empty() && self.follow(prefix)?.0 == prefix.len())
    }

    /// Number of bytes of `text` with which a known name begins, and of those that are a known name.
    #[inline]
    fn follow(&self, text: &[u8]) -> Result<(usize, Option<usize>), Error> {
        let found = walk::follow(self.fst.as_bytes(), &self.starts, text);
        found.filter(|_| !self.is_hit()).ok_or_else(|| self.vanished())
    }

    /// Whether a page of the file has vanished.
    #[inline]
    fn is_hit(&self) -> bool {
        matches!(self.fst.as_inner(), Bytes::Mapped(map) if map.is_hit())
    }

    /// All names, in sorted order.
    pub fn names(&self) -> Names<'_> {
        Names { registry: self, stream: self.fst.stream(), passed: 0 }
    }

    /// Calls `work`. If a page of the file vanishes, because the file was cut or the disk is bad, its bytes are zeros,
    /// and `fst` may panic.
    #[inline]
    pub(crate) fn guarded<'r, T>(
        &'r self,
        work: impl FnOnce(&'r Fst<Bytes>) -> T,
    ) -> Result<T, Error> {
        match catch(|| work(&self.fst)) {
            Some(answer) if !self.is_hit() => Ok(answer),
            _ => Err(self.vanished()),
        }
    }

    #[cold]
    fn vanished(&self) -> Error {
        let what = "it changed while it was in use, or a part of it can no longer be read";
        Error::Damaged { path: self.path.clone(), what }
    }
}

/// Whether a byte satisfies `is`. Without an early end, this takes many bytes at a time.
fn has(name: &[u8], is: fn(&u8) -> bool) -> bool {
    name.iter().fold(false, |any, byte| any | is(byte))
}

/// A walk over all names of an index.
pub struct Names<'r> {
    registry: &'r Registry,
    stream: Stream<'r>,
    passed: u64,
}

impl Names<'_> {
    /// The next name, until the last.
    ///
    /// # Errors
    ///
    /// As for [`Registry::contains`].
    #[expect(clippy::should_implement_trait, reason = "names are lent")]
    pub fn next(&mut self) -> Result<Option<&[u8]>, Error> {
        self.passed += 1;
        if let Bytes::Mapped(map) = self.registry.fst.as_inner()
            && self.passed.is_multiple_of(RELEASE)
        {
            map.release(0..map.bytes().len());
        }
        let stream = &mut self.stream;
        Ok(self.registry.guarded(|_| stream.next())?.map(|(name, _)| name))
    }
}

/// Opens a regular file and reads the bytes by which an index is recognised. Opening a pipe would wait.
fn begin(path: &Path) -> io::Result<(File, Vec<u8>)> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let (mut file, mut head) = (File::open(path)?, Vec::with_capacity(2 * HEAD.len()));
    Read::by_ref(&mut file).take(2 * HEAD.len() as u64).read_to_end(&mut head)?;
    Ok((file, head))
}

/// Refuses files that are not indexes of this version.
fn check_head(path: &Path, head: &[u8]) -> Result<(), Error> {
    let path = path.to_path_buf();
    match () {
        () if head.starts_with(HEAD) => Ok(()),
        () if has_version(head) => Err(Error::Version { path }),
        () if is_index(head) => Err(Error::Damaged { path, what: "its first bytes changed" }),
        () => Err(Error::Refused { path }),
    }
}
