//! Counts the names of a list or an index by prefix.

use super::READ;
use crate::error::Error;
use doiscan_input::{Io, List};
use doiscan_registry::Registry;
use std::path::Path;

/// A prefix, such as `10.1000`, and the number of names that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixCount {
    /// The text in front of the slash.
    pub prefix: Vec<u8>,
    /// The number of distinct names.
    pub names: u64,
}

/// Counts the names of a sorted list, or of an index, by prefix, reading it once. Prefixes are in the order of the names.
///
/// # Errors
///
/// Fails if the file cannot be read, is no list and no index, is not sorted or is damaged.
pub fn prefixes(path: &Path, io: Io) -> Result<Vec<PrefixCount>, Error> {
    match Registry::is_index(path) {
        true => of_index(&Registry::open(path, io)?),
        false => of_list(List::open(path, READ)?),
    }
}

fn of_index(registry: &Registry) -> Result<Vec<PrefixCount>, Error> {
    let (mut names, mut counts) = (registry.names(), Vec::<PrefixCount>::new());
    while let Some(name) = names.next()? {
        let prefix = &name[..head(name)];
        match counts.last_mut() {
            Some(last) if last.prefix == prefix => last.names += 1,
            _ => counts.push(PrefixCount { prefix: prefix.to_vec(), names: 1 }),
        }
    }
    Ok(counts)
}

fn of_list(mut list: List) -> Result<Vec<PrefixCount>, Error> {
    let (mut counts, mut length) = (Vec::<PrefixCount>::new(), None);
    while list.advance()? {
        let name = list.name();
        let is_repeat = length == Some(name.len()) && list.shared() == name.len();
        length = Some(name.len());
        match counts.last_mut() {
            _ if is_repeat => {}
            Some(last) if list.shared() > last.prefix.len() => last.names += 1,
            _ => counts.push(PrefixCount { prefix: name[..head(name)].to_vec(), names: 1 }),
        }
    }
    Ok(counts)
}

/// Length of the text in front of the first slash.
fn head(name: &[u8]) -> usize {
    memchr::memchr(b'/', name).unwrap_or(name.len())
}
