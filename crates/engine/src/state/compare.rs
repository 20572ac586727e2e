//! Selects the inputs that must be read.

use super::catalogue::{Begun, InputLine};
use super::data::{Bytes, FileState, Trust, name_hash};
use super::details::decode;
use super::store::Store;
use crate::error::Error;
use crate::plan::report::{GONE_NAMED, InputChanges};
use crate::reading::Details;
use doiscan_input::{InputKind, Unit, Units};
use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// An input of the catalogue that counts now, or that only the last good run had.
#[derive(Debug)]
pub(super) struct KnownInput {
    /// Its place among the inputs of the catalogue.
    pub(super) id: u32,
    /// Number carried by its records in the last good run, if it was part of that run.
    pub(super) good: Option<u32>,
    pub(super) line: InputLine,
}

/// Why an input is read whose records are lost.
pub(super) const DAMAGED: &str = "again: damaged";

/// An input that must be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToRead {
    /// Index among all inputs.
    pub(super) index: u32,
    /// If the last good run had it, whether it counts as changed since then.
    pub(super) good: Option<bool>,
    /// Reason for reading it.
    pub(super) change: &'static &'static str,
}

/// What the last good run knew of an input that must be read.
#[derive(Clone, Debug)]
pub(super) struct Past {
    pub(super) id: u32,
    pub(super) good: Option<u32>,
    pub(super) before: Option<u64>,
}

/// What becomes of an input of the catalogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Fate {
    /// It stays as it is.
    #[default]
    Stays,
    Kept,
    /// It no longer exists.
    Gone,
    /// It is now a further name of another input.
    Linked,
    /// It is read, and gets a new line.
    Read,
}

/// The result of comparing all inputs with the state.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    pub(super) to_read: Vec<ToRead>,
    /// By the index of those to read that the catalogue knows.
    pub(super) past: HashMap<u32, Past>,
    /// By place in the catalogue.
    pub(super) fates: Vec<Fate>,
    /// Sources of the inputs whose records are kept, and the members of those that have some.
    pub(super) kept: Vec<u32>,
    pub(super) members: Vec<(u32, Vec<Vec<u8>>)>,
    /// Sources of the last good run.
    pub(super) good: Vec<u32>,
    /// How the inputs differ from those of the last good run.
    pub(super) since_good: InputChanges,
    /// Places in the catalogue of the inputs that only the last good run had.
    pub(super) gone_since: HashSet<u32>,
    /// The first inputs that only the last good run had, sorted by path.
    pub(super) gone_first: Vec<PathBuf>,
    /// The inputs that were further names in the last good run, of inputs that are gone.
    met_again: HashSet<u32>,
    /// Content hashes by input index, if contents are compared.
    pub(super) hashes: HashMap<usize, [u8; 16]>,
    pub(super) skipped_bytes: u64,
}

/// Returns the reason why a known input must be read, if there is one.
fn difference(
    known: &InputLine,
    unit: &Unit,
    trust: Trust,
    hash: Option<&[u8; 16]>,
) -> Option<&'static &'static str> {
    let (Some(old), Some(new)) = (known.file, file_state(unit)) else { return Some(&"always") };
    let size = (old.size != new.size).then_some(&"changed: size");
    let times = || {
        let is_other = (old.device, old.inode) != (new.device, new.inode);
        let times = (old.mtime_ns, old.ctime_ns) != (new.mtime_ns, new.ctime_ns);
        let other = is_other.then_some(&"changed: another file");
        size.or(other).or(times.then_some(&"changed: time"))
    };
    let change = match (trust, hash, &known.hash) {
        (Trust::Content, Some(hash), Some(Bytes(old))) => {
            size.or((old != hash).then_some(&"changed: content"))
        }
        (Trust::Content, None, _) => Some(&"always"),
        // The content was not compared when it was read.
        (Trust::Content, Some(_), None) => times().or(Some(&"again")),
        (Trust::Times, ..) => times(),
    };
    change.or((!known.trusted).then_some(&"again"))
}

/// Returns the state that identifies an unchanged file. None for inputs such as streams, which can
/// deliver different bytes each time.
pub(super) fn file_state(unit: &Unit) -> Option<FileState> {
    let is_file = matches!(unit.kind, InputKind::File { .. } | InputKind::Empty);
    unit.identity().filter(|_| is_file).map(FileState::from)
}

/// Finds the inputs that the store knows.
struct Matcher<'a> {
    units: &'a Units,
    /// Input indexes by device and inode.
    files: HashMap<(u64, u64), usize, foldhash::fast::FixedState>,
    /// Indexes of other inputs by path.
    others: HashMap<PathBuf, usize>,
}

impl<'a> Matcher<'a> {
    fn new(units: &'a Units) -> Self {
        let mut files = HashMap::with_capacity_and_hasher(units.len(), Default::default());
        let mut others = HashMap::new();
        for index in 0..units.len() {
            match units.file(index) {
                Some(file) => drop(files.insert(file, index)),
                None => {
                    let path = units.get(index).map(|unit| unit.path).unwrap_or_default();
                    others.insert(path, index);
                }
            }
        }
        Matcher { units, files, others }
    }

    /// Returns the input that is the same file as `known`.
    fn place(&self, known: &InputLine) -> Option<(usize, Unit)> {
        let index = match known.file {
            Some(file) => *self.files.get(&(file.device, file.inode))?,
            None => *self.others.get(&known.input.0)?,
        };
        Some((index, self.units.get(index)?))
    }

    /// Returns the input that has the path of `known`, byte by byte, and is also the same file.
    fn same_file(&self, known: &InputLine) -> Option<(usize, Unit)> {
        self.place(known).filter(|(_, unit)| unit.path.as_os_str() == known.input.0.as_os_str())
    }

    /// Whether the path of `known` still leads to a file that is listed under another path, as a folder is
    /// that was entered by a link.
    fn is_still_there(&self, known: &InputLine) -> bool {
        let listed = |file: &FileState| self.files.contains_key(&(file.device, file.inode));
        let Some(file) = known.file.filter(listed) else { return false };
        let found = doiscan_input::probe(&known.input.0).ok();
        let found = found.as_ref().and_then(file_state);
        found.is_some_and(|found| (found.device, found.inode) == (file.device, file.inode))
    }
}

/// Compares the inputs with the state.
pub(super) fn compare(
    units: &Units,
    store: &Store,
    trust: Trust,
    begun: &Begun,
    hashes: HashMap<usize, [u8; 16]>,
) -> Result<(Comparison, Details), Error> {
    let matcher = Matcher::new(units);
    let (mut found, mut remembered) = (Comparison::default(), Details::default());
    remembered.problems.keep_dropped();
    let mut state = vec![Decision::Unknown; units.len()];
    let mut others: HashMap<OsString, KnownInput> = HashMap::new();
    let mut decide = |found: &mut Comparison, known: KnownInput, index: usize, unit: &Unit| {
        let difference = difference(&known.line, unit, trust, hashes.get(&index));
        let good = meet(&mut found.since_good, &known, difference);
        let (id, source) = (known.id as usize, known.line.source);
        let before = known.line.before(&begun.head);
        let past = Past { id: known.id, good: known.good, before };
        let change = match source {
            // Only the last good run had it.
            None => &"new",
            Some(source) => match take(&known, difference, begun.again) {
                Ok(details) => {
                    found.skipped_bytes += unit.size;
                    found.kept.push(source);
                    found.fates[id] = Fate::Kept;
                    if !details.members.is_empty() {
                        found.members.push((source, details.members.clone()));
                    }
                    remembered.append(details);
                    return Decision::Kept;
                }
                Err(change) => change,
            },
        };
        found.fates[id] = Fate::Read;
        found.past.insert(index as u32, past);
        Decision::Read(change, good)
    };
    found.since_good.new = units.len() as u64;
    let mut each = |line: InputLine| {
        let (id, good) = (found.fates.len() as u32, line.good(&begun.head));
        found.fates.push(Fate::Stays);
        if line.source.is_none() && good.is_none() {
            return;
        }
        found.good.extend(good);
        found.since_good.gone += u64::from(good.is_some());
        let known = KnownInput { id, good, line };
        match matcher.same_file(&known.line).filter(|_| known.line.source.is_some()) {
            Some((index, unit)) => state[index] = decide(&mut found, known, index, &unit),
            None => drop(others.insert(known.line.input.0.clone().into(), known)),
        }
    };
    store.each_input(&mut each)?;
    for (index, mut decision) in state.into_iter().enumerate() {
        if let Decision::Unknown = decision
            && !others.is_empty()
            && let Some(unit) = units.get(index)
            && let Some(known) = others.remove(unit.path.as_os_str())
        {
            decision = decide(&mut found, known, index, &unit);
        }
        let (change, good) = match decision {
            Decision::Kept => continue,
            Decision::Read(change, good) => (change, good),
            Decision::Unknown => (&"new", None),
        };
        found.to_read.push(ToRead { index: index as u32, change, good });
    }
    found.to_read.shrink_to_fit();
    found.link_others(&mut others, &matcher);
    found.meet_others(&mut others, &matcher, begun, |known, index, unit| {
        difference(known, unit, trust, hashes.get(&index))
    });
    found.miss(others);
    found.hashes = hashes;
    Ok((found, remembered))
}

/// Counts a listed input as not gone and not new if the last good run had it. Returns whether it counts as
/// changed.
fn meet(
    since_good: &mut InputChanges,
    known: &KnownInput,
    difference: Option<&'static &'static str>,
) -> Option<bool> {
    known.good?;
    let is_changed = difference.is_some_and(|change| change.starts_with("changed"));
    let was_read = known.line.source.is_some() && known.line.source != known.good;
    since_good.gone -= 1;
    since_good.new -= 1;
    since_good.changed += u64::from(is_changed || was_read);
    Some(is_changed || was_read)
}

impl Comparison {
    /// Notes that an input of the catalogue is a further name of another input.
    fn link(&mut self, known: &KnownInput) {
        if known.line.source.is_some() {
            self.fates[known.id as usize] = Fate::Linked;
        }
    }

    /// Takes out of `others` the inputs whose paths are now further names of listed inputs.
    fn link_others(&mut self, others: &mut HashMap<OsString, KnownInput>, matcher: &Matcher<'_>) {
        let names = matcher.units.other_names().map(PathBuf::into_os_string);
        let in_links = others.iter().filter(|(_, known)| matcher.is_still_there(&known.line));
        let linked: Vec<_> = names.chain(in_links.map(|(name, _)| name.clone())).collect();
        for known in linked.iter().filter_map(|name| others.remove(name)) {
            self.since_good.gone -= u64::from(known.good.is_some());
            self.link(&known);
        }
    }

    /// Notes the inputs that no longer exist.
    fn miss(&mut self, others: HashMap<OsString, KnownInput>) {
        for known in others.into_values() {
            if known.line.source.is_some() {
                self.fates[known.id as usize] = Fate::Gone;
            }
            if known.good.is_some() {
                self.gone_since.insert(known.id);
                self.gone_first.push(known.line.input.0);
            }
        }
        self.gone_first.sort_unstable();
        self.gone_first.truncate(GONE_NAMED);
    }

    /// Takes out of `others` the inputs that are still listed: under a further name of the last good run, which became the
    /// first, or under one that is still a further name. `difference` compares one with its file.
    fn meet_others(
        &mut self,
        others: &mut HashMap<OsString, KnownInput>,
        matcher: &Matcher<'_>,
        begun: &Begun,
        difference: impl Fn(&InputLine, usize, &Unit) -> Option<&'static &'static str>,
    ) {
        let was_listed = |name: &Path, file| {
            begun.head.good_other_names.binary_search(&name_hash(name, file)).is_ok()
        };
        // The files that are listed under further names of the last good run.
        let listed_again: LazyCell<HashSet<_>, _> = LazyCell::new(|| {
            let files = matcher.units.other_names().filter_map(|name| {
                let file = file_state(&doiscan_input::probe(&name).ok()?);
                was_listed(&name, file).then_some(file)?
            });
            files.map(|file| (file.device, file.inode)).collect()
        });
        others.retain(|_, known| {
            let place = matcher.place(&known.line).filter(|_| known.good.is_some());
            let Some((index, unit)) = place else { return true };
            if was_listed(&unit.path, file_state(&unit)) {
                let difference = difference(&known.line, index, &unit);
                return !self.meet_again(known, index as u32, difference);
            }
            let file = known.line.file.map(|file| (file.device, file.inode));
            // A file that was written since may have taken the number of one that is gone.
            let is_same = known
                .line
                .file
                .zip(file_state(&unit))
                .is_some_and(|(old, new)| (old.size, old.mtime_ns) == (new.size, new.mtime_ns));
            let is_listed = is_same && file.is_some_and(|file| listed_again.contains(&file));
            if is_listed {
                self.since_good.gone -= 1;
                self.link(known);
            }
            !is_listed
        });
    }

    /// Counts the input `index` as not new, and `known`, whose further name it was in the last good run, as not
    /// gone. Returns false if it was counted before.
    fn meet_again(
        &mut self,
        known: &KnownInput,
        index: u32,
        difference: Option<&'static &'static str>,
    ) -> bool {
        if !self.met_again.insert(index) {
            return false;
        }
        let place = self.to_read.binary_search_by_key(&index, |read| read.index).ok();
        // If it is not read, a refused run has read it since.
        let is_changed = place.is_none() || difference.is_some_and(|d| d.starts_with("changed"));
        if let Some(place) = place {
            self.to_read[place].good = Some(is_changed);
        }
        self.since_good.gone -= 1;
        self.since_good.new -= 1;
        self.since_good.changed += u64::from(is_changed);
        self.link(known);
        true
    }

    /// How the inputs differ from those of the last good run, without the inputs at the places `left_out`
    /// among those to read.
    pub(super) fn changes_without(&self, left_out: &[usize]) -> InputChanges {
        let mut changes = self.since_good;
        for place in left_out {
            match self.to_read[*place].good {
                None => changes.new -= 1,
                Some(is_changed) => {
                    changes.gone += 1;
                    changes.changed -= u64::from(is_changed);
                }
            }
        }
        changes
    }
}

/// The decision about an input.
#[derive(Clone, Copy, Debug)]
enum Decision {
    Unknown,
    Kept,
    /// The fields of [`ToRead`].
    Read(&'static &'static str, Option<bool>),
}

/// Returns the remembered results of an input, or why it must be read.
fn take(
    known: &KnownInput,
    difference: Option<&'static &'static str>,
    again: Option<&'static &'static str>,
) -> Result<Details, &'static &'static str> {
    match again.filter(|again| **again != DAMAGED).or(difference).or(again) {
        Some(change) => Err(change),
        None => decode(known.line.details.clone()).ok_or(&DAMAGED),
    }
}
