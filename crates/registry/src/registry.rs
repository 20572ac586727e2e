//! Opens an index and answers from it.
#![expect(clippy::disallowed_methods, reason = "opens the file of the index")]

use crate::bits::Bits;
use crate::block::{FAN, MALFORMED, Names, Place};
use crate::build::{Case, FOOT, HEAD, LINK, Link, MAGIC, checksum, foot_checksum};
use crate::error::Error;
use doiscan_os::Map;
use doiscan_os::io::Io;
use doiscan_os::prefix::shared;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// An index of names. Threads may share it.
#[derive(Debug)]
pub struct Registry {
    path: PathBuf,
    bytes: Bytes,
    root: Link,
    case: Case,
    names: u64,
    identity: u64,
    /// From the leaves to the root.
    levels: Vec<Level>,
    /// The blocks that were checked, numbered level after level.
    checked: Bits,
}

/// The blocks of one level.
#[derive(Clone, Copy, Debug)]
struct Level {
    blocks: u64,
    /// Number of blocks in the levels below, which numbers its first.
    first: u64,
}

/// The bytes of the file.
#[derive(Debug)]
enum Bytes {
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

/// A leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf<'a> {
    /// Its number, from 0.
    pub(crate) number: u64,
    pub(crate) names: Names<'a>,
    /// Length of the longest known name that the first one begins with.
    prefix: Option<usize>,
}

/// A branch of leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Twig<'a> {
    number: u64,
    links: &'a [u8],
    names: Names<'a>,
}

impl Registry {
    /// Opens an index. Reads only its foot: opening takes the same time for any size, if `io` maps
    /// the file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is not an index of this version, or if its foot is damaged.
    pub fn open(path: &Path, io: Io) -> Result<Registry, Error> {
        let failed = |cause| Error::Io { path: path.to_path_buf(), cause };
        let (mut file, head) = begin(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        // A file that is not an index is not read to its end.
        check_head(&head).map_err(|what| Error::Refused { path: path.to_path_buf(), what })?;
        let bytes = match Map::new(&file, length, io, false) {
            Some(map) => Bytes::Mapped(map),
            None => {
                let mut bytes = head;
                file.read_to_end(&mut bytes).map_err(failed)?;
                Bytes::Read(bytes)
            }
        };
        Registry::new(path, bytes)
    }

    /// Whether the file at `path` is an index of any version.
    pub fn is_index(path: &Path) -> bool {
        begin(path).is_ok_and(|(_, head)| head.starts_with(MAGIC))
    }

    fn new(path: &Path, bytes: Bytes) -> Result<Registry, Error> {
        let damaged = |what| Error::Damaged { path: path.to_path_buf(), what };
        let foot = Foot::read(bytes.all()).map_err(damaged)?;
        let mut levels = vec![Level { blocks: foot.names.div_ceil(FAN as u64), first: 0 }];
        let mut blocks = levels[0].blocks;
        while let Some(below) = levels.last().map(|level| level.blocks).filter(|&below| below > 1) {
            let level = Level { blocks: below.div_ceil(FAN as u64), first: blocks };
            blocks += level.blocks;
            levels.push(level);
        }
        Ok(Registry {
            path: path.to_path_buf(),
            bytes,
            root: foot.root,
            case: foot.case,
            names: foot.names,
            identity: foot.identity,
            levels,
            checked: Bits::new(blocks),
        })
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of names.
    pub fn names(&self) -> u64 {
        self.names
    }

    /// A number that differs for indexes that hold other names.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// Returns a name in the case of the index. All other functions take and return names in this
    /// case.
    pub fn spelt<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        match self.case {
            Case::Upper if name.iter().any(u8::is_ascii_lowercase) => {
                name.to_ascii_uppercase().into()
            }
            Case::Lower if name.iter().any(u8::is_ascii_uppercase) => {
                name.to_ascii_lowercase().into()
            }
            _ => name.into(),
        }
    }

    /// Whether a name is known.
    ///
    /// # Errors
    ///
    /// This and all following functions fail if a block is damaged.
    #[inline]
    pub fn contains(&self, name: &[u8]) -> Result<bool, Error> {
        Ok(self.find(name)?.is_some_and(|(_, place)| place.is_equal))
    }

    /// Length of the longest known name that `text` begins with.
    pub fn longest_prefix(&self, text: &[u8]) -> Result<Option<usize>, Error> {
        let mut text = text;
        loop {
            let Some((leaf, place)) = self.find(text)? else { return Ok(None) };
            if let Some(prefix) = place.prefix {
                return Ok(Some(prefix));
            }
            // No name of this leaf is a prefix. One of an earlier leaf is then less than the first
            // name of this one, and is the beginning of both.
            let Some(prefix) = leaf.prefix else { return Ok(None) };
            let first = leaf.names.first().ok_or_else(|| self.damaged(MALFORMED))?;
            let same = shared(first, text);
            if prefix <= same {
                return Ok(Some(prefix));
            }
            if same == text.len() {
                // It would be a name of an earlier leaf that sorts after the text.
                return Err(self.damaged(MALFORMED));
            }
            text = &text[..same];
        }
    }

    /// Number of names that sort before `name`.
    pub fn rank(&self, name: &[u8]) -> Result<u64, Error> {
        Ok(match self.find(name)? {
            Some((leaf, place)) => leaf.number * FAN as u64 + place.index as u64,
            None => 0,
        })
    }

    /// Number of names that begin with `prefix`.
    pub fn count(&self, prefix: &[u8]) -> Result<u64, Error> {
        Ok(self.end_of(prefix)? - self.rank(prefix)?)
    }

    /// The number after the last name that begins with `prefix`.
    pub fn end_of(&self, prefix: &[u8]) -> Result<u64, Error> {
        match after(prefix) {
            Some(next) => self.rank(&next),
            None => Ok(self.names),
        }
    }

    /// Finds the leaf that holds a name if any does, and its place there. `None` if there are no
    /// names.
    #[inline]
    pub(crate) fn find(&self, name: &[u8]) -> Result<Option<(Leaf<'_>, Place)>, Error> {
        self.find_by(name, &mut None)
    }

    /// Like [`Registry::find`], for a name that does not sort before the first of `twig`: near names are found
    /// without a way from the root. Sets `twig` to the branch that holds the leaf.
    #[inline]
    pub(crate) fn find_near<'r>(
        &'r self,
        name: &[u8],
        twig: &mut Option<Twig<'r>>,
    ) -> Result<Option<(Leaf<'r>, Place)>, Error> {
        if let Some(Twig { number, links, names }) = *twig {
            let place = names.search(name, Place::default());
            let place = place.ok_or_else(|| self.damaged(MALFORMED))?;
            // Another child follows, so the name is not after the last.
            let child = (place.index + usize::from(place.is_equal)).checked_sub(1);
            if let Some(child) = child.filter(|_| place.index < names.len()) {
                let link = self.child(links, child)?;
                return self.find_in(number * FAN as u64 + child as u64, link, name);
            }
        }
        self.find_by(name, twig)
    }

    #[inline]
    fn find_by<'r>(
        &'r self,
        name: &[u8],
        twig: &mut Option<Twig<'r>>,
    ) -> Result<Option<(Leaf<'r>, Place)>, Error> {
        let mut number = 0;
        let mut link = self.root;
        for level in (1..self.levels.len()).rev() {
            let (links, names) = self.branch(level, number, link)?;
            *twig = Some(Twig { number, links, names });
            let place = names.search(name, Place::default());
            let place = place.ok_or_else(|| self.damaged(MALFORMED))?;
            // The last child whose separator is not greater.
            let child = (place.index + usize::from(place.is_equal)).saturating_sub(1);
            number = number * FAN as u64 + child as u64;
            link = self.child(links, child)?;
        }
        self.find_in(number, link, name)
    }

    /// Finds the place of a name in a leaf.
    #[inline]
    fn find_in(
        &self,
        number: u64,
        link: Link,
        name: &[u8],
    ) -> Result<Option<(Leaf<'_>, Place)>, Error> {
        let Some(leaf) = self.leaf_at(number, link)? else { return Ok(None) };
        let place = leaf.names.search(name, Place::default());
        let place = place.ok_or_else(|| self.damaged(MALFORMED))?;
        self.check_pages()?;
        Ok(Some((leaf, place)))
    }

    /// Returns the leaf with this number.
    pub(crate) fn leaf(&self, number: u64) -> Result<Option<Leaf<'_>>, Error> {
        if number >= self.levels[0].blocks {
            return Ok(None);
        }
        let mut link = self.root;
        for level in (1..self.levels.len()).rev() {
            let under = (FAN as u64).pow(level as u32);
            let (links, _) = self.branch(level, number / under, link)?;
            link = self.child(links, (number / (under / FAN as u64) % FAN as u64) as usize)?;
        }
        self.leaf_at(number, link)
    }

    /// Reads a leaf. `None` if there are no names.
    #[inline]
    fn leaf_at(&self, number: u64, link: Link) -> Result<Option<Leaf<'_>>, Error> {
        if self.names == 0 {
            return Ok(None);
        }
        let bytes = self.block(number, link)?;
        let count = (self.names - number * FAN as u64).min(FAN as u64) as usize;
        let (head, bytes) = bytes.split_first_chunk().ok_or_else(|| self.damaged(MALFORMED))?;
        let names = Names::new(bytes, count).ok_or_else(|| self.damaged(MALFORMED))?;
        let prefix = (u32::from_le_bytes(*head) as usize).checked_sub(1);
        Ok(Some(Leaf { number, names, prefix }))
    }

    /// Reads a branch: the links to its children, and the names that separate them.
    #[inline]
    fn branch(&self, level: usize, number: u64, link: Link) -> Result<(&[u8], Names<'_>), Error> {
        let bytes = self.block(self.levels[level].first + number, link)?;
        let below = self.levels[level - 1].blocks;
        let count = below.saturating_sub(number * FAN as u64).min(FAN as u64) as usize;
        let parts = bytes.split_at_checked(count * LINK);
        let (links, bytes) = parts.ok_or_else(|| self.damaged(MALFORMED))?;
        Ok((links, Names::new(bytes, count).ok_or_else(|| self.damaged(MALFORMED))?))
    }

    #[inline]
    fn child(&self, links: &[u8], child: usize) -> Result<Link, Error> {
        let bytes = links.get(child * LINK..).and_then(|bytes| bytes.first_chunk());
        Ok(Link::read(bytes.ok_or_else(|| self.damaged(MALFORMED))?))
    }

    /// Returns the bytes of a block, which is `number` among all, and checks them if nobody has.
    #[inline]
    fn block(&self, number: u64, link: Link) -> Result<&[u8], Error> {
        let at = usize::try_from(link.at).unwrap_or(usize::MAX);
        let bytes = self.bytes.all().get(at..).and_then(|bytes| bytes.get(..link.len as usize));
        let bytes = bytes.ok_or_else(|| self.damaged("a block lies outside the file"))?;
        if !self.checked.contains(number) {
            if checksum(bytes) != link.sum {
                return Err(self.damaged("a block has the wrong checksum"));
            }
            self.checked.insert(number);
        }
        Ok(bytes)
    }

    /// Fails if a page that was read has vanished, because the file was cut or the disk is bad. Its
    /// bytes were zeros then.
    #[inline]
    pub(crate) fn check_pages(&self) -> Result<(), Error> {
        match &self.bytes {
            Bytes::Mapped(map) if map.is_hit() => Err(self.damaged("")),
            _ => Ok(()),
        }
    }

    /// An error about the bytes of the file, or about a file that was cut or could not be read.
    #[cold]
    pub(crate) fn damaged(&self, what: &'static str) -> Error {
        let what = match &self.bytes {
            Bytes::Mapped(map) if map.is_hit() => "a part of it can no longer be read",
            _ => what,
        };
        Error::Damaged { path: self.path.clone(), what }
    }
}

/// Opens a regular file and reads the bytes in which the head of an index is. Opening a pipe would wait.
fn begin(path: &Path) -> io::Result<(File, Vec<u8>)> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let (mut file, mut head) = (File::open(path)?, Vec::with_capacity(HEAD.len()));
    Read::by_ref(&mut file).take(HEAD.len() as u64).read_to_end(&mut head)?;
    Ok((file, head))
}

/// What the foot says.
struct Foot {
    root: Link,
    case: Case,
    names: u64,
    identity: u64,
}

impl Foot {
    fn read(bytes: &[u8]) -> Result<Foot, &'static str> {
        const SHORT: &str = "its end is missing";
        let (head, rest) = bytes.split_at_checked(HEAD.len()).ok_or(SHORT)?;
        let (_, foot) = rest.split_last_chunk::<FOOT>().ok_or(SHORT)?;
        let number = |at: usize| {
            let bytes = foot[at..].first_chunk();
            bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        if head != HEAD || foot_checksum(&foot[..FOOT - 8]) != number(FOOT - 8) {
            return Err("its last bytes are not the end that was written");
        }
        if number(32) != bytes.len() as u64 {
            return Err("its length is not the one that was written");
        }
        // A name takes two bytes and more.
        if number(24) > number(32) / 2 {
            return Err(MALFORMED);
        }
        let root = foot.first_chunk().map(Link::read).ok_or(SHORT)?;
        let case = match foot[20] {
            0 => Case::Upper,
            _ => Case::Lower,
        };
        Ok(Foot { root, case, names: number(24), identity: number(FOOT - 8) })
    }
}

/// Refuses files that are not indexes of this version.
fn check_head(head: &[u8]) -> Result<(), &'static str> {
    match head {
        _ if head == HEAD => Ok(()),
        _ if head.starts_with(MAGIC) => {
            Err("is an index of another version of doiscan; make it anew with doiscan index")
        }
        _ => Err("is not an index; doiscan index makes one of sorted lists"),
    }
}

/// Returns the first text after all those that begin with `prefix`. `None` if there is none.
pub(crate) fn after(prefix: &[u8]) -> Option<Vec<u8>> {
    let kept = prefix.iter().rposition(|&byte| byte < u8::MAX)?;
    let mut next = prefix[..=kept].to_vec();
    next[kept] += 1;
    Some(next)
}
