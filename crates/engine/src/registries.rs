//! Indexes of known names, asked as if they were one.

use crate::error::Error;
use doiscan_input::Io;
use doiscan_registry::{MOST, Near, Registry};
use std::path::PathBuf;

/// Open indexes, which threads share.
#[derive(Debug)]
pub struct Registries(Vec<Registry>);

impl Registries {
    /// Opens indexes, which takes the same time for any size if `io` maps files.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, is not an index or is damaged.
    pub fn open(paths: &[PathBuf], io: Io) -> Result<Registries, Error> {
        let open = |path: &PathBuf| Registry::open(path, io);
        Ok(Registries(paths.iter().map(open).collect::<Result<_, _>>()?))
    }

    /// Whether any index has the canonical name `name`.
    ///
    /// # Errors
    ///
    /// Fails if an index is damaged.
    pub fn contains(&self, name: &[u8]) -> Result<bool, Error> {
        for registry in &self.0 {
            if registry.contains(&registry.spelt(name))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the known names nearest to a canonical name that is not known, in canonical form: at
    /// most three, the most likely first ([`Registry::nearest`]).
    ///
    /// # Errors
    ///
    /// Fails if an index is damaged.
    pub fn nearest(&self, name: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let head = memchr::memchr(b'/', name).map_or(0, |at| at + 1);
        let mut found: Vec<Near> = Vec::new();
        for registry in &self.0 {
            found.extend(registry.nearest(&registry.spelt(name), head)?);
        }
        found.iter_mut().for_each(|near| near.name.make_ascii_uppercase());
        found.sort();
        found.dedup();
        found.truncate(MOST);
        Ok(found.into_iter().map(|near| near.name).collect())
    }
}
