//! Indexes of known names, asked as if they were one.

use crate::error::Error;
use doiscan_core::doi::batch;
use doiscan_core::scan::known::Known;
use doiscan_input::Io;
use doiscan_os::lock::lock;
use doiscan_registry::{MOST, Near, Registry};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Open indexes, which threads share. They hold names as lists spell them ([`batch`]), in either case. The first lookup that meets damage is remembered, and from then on
/// nothing is known: whoever asked must [check](Registries::check) before the answers are used.
#[derive(Debug)]
pub struct Registries {
    registries: Vec<Registry>,
    failure: Mutex<Option<Error>>,
    has_failed: AtomicBool,
}

impl Registries {
    /// Opens indexes, after reading each once to check it. What `io` maps is not kept in memory.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, is not an index or is damaged.
    pub fn open(paths: &[PathBuf], io: Io) -> Result<Registries, Error> {
        let open = |path: &PathBuf| Registry::open(path, io);
        let registries = paths.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Registries { registries, failure: Mutex::default(), has_failed: AtomicBool::new(false) })
    }

    /// The paths, as they were given.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.registries.iter().map(Registry::path)
    }

    /// Shows which names are known: a text that differs if the names do.
    pub(crate) fn identity(&self) -> String {
        let mut all: Vec<u64> = self.registries.iter().map(Registry::identity).collect();
        all.sort_unstable();
        format!("{all:x?}")
    }

    /// Whether a lookup has failed.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Ends the lookups.
    ///
    /// # Errors
    ///
    /// Fails if one of them met damage.
    pub fn check(&self) -> Result<(), Error> {
        lock(&self.failure).take().map_or(Ok(()), Err)
    }

    /// The value of a lookup, or none if it fails.
    fn note<T: Default>(&self, found: Result<T, doiscan_registry::Error>) -> T {
        found.unwrap_or_else(|error| {
            lock(&self.failure).get_or_insert(error.into());
            self.has_failed.store(true, Ordering::Relaxed);
            T::default()
        })
    }

    /// Whether any index has the canonical name `name`.
    pub fn contains(&self, name: &[u8]) -> bool {
        self.contains_plain(&batch::encode(name))
    }

    /// Like [`contains`](Registries::contains), for a name that lists spell as it is.
    pub(crate) fn contains_plain(&self, name: &[u8]) -> bool {
        let has = |registry: &Registry| self.note(registry.contains(&registry.spelt(name)));
        self.registries.iter().any(has)
    }

    /// Whether any index has a name that begins with `prefix`, which ends in a slash.
    pub(crate) fn has_prefix(&self, prefix: &[u8]) -> bool {
        self.registries.iter().any(|registry| self.note(registry.has_prefix(prefix)))
    }

    /// Length of the longest known name that the canonical `text` begins with.
    pub fn longest_prefix(&self, text: &[u8]) -> Option<usize> {
        let line = &*batch::encode(text);
        let longest =
            |registry: &Registry| self.note(registry.longest_prefix(&registry.spelt(line)));
        let len = self.registries.iter().filter_map(longest).max()?;
        // Of a text with encoded characters only the whole is told: a prefix would be shorter in the text.
        match line.len() == text.len() {
            true => Some(len),
            false => (len == line.len()).then_some(text.len()),
        }
    }

    /// Returns the known names nearest to a canonical name that is not known, in canonical form: at
    /// most three, the most likely first ([`Registry::nearest`]).
    pub fn nearest(&self, name: &[u8]) -> Vec<Vec<u8>> {
        let head = memchr::memchr(b'/', name).map_or(0, |at| at + 1);
        let mut found: Vec<Near> = Vec::new();
        for registry in &self.registries {
            found.extend(self.note(registry.nearest(&registry.spelt(&batch::encode(name)), head)));
        }
        found.iter_mut().for_each(|near| near.name.make_ascii_uppercase());
        found.sort();
        found.dedup();
        found.truncate(MOST);
        found.into_iter().map(|near| batch::decode(&near.name).into_owned()).collect()
    }
}

impl Known for &Registries {
    fn longest(&mut self, text: &[u8]) -> Option<usize> {
        self.longest_prefix(text)
    }
}
