//! Selects the inputs that must be read.

use super::data::{Begun, Distinct, FileState, KnownInput, StoreError, Trust, name_hash};
use super::details::decode;
use super::sqlite::Store;
use crate::plan::report::{GONE_NAMED, InputChanges};
use crate::reading::Details;
use doiscan_input::{InputKind, Unit, Units};
use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// An input that must be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToRead {
    /// Index among all inputs.
    pub(super) index: usize,
    /// Reason for reading it.
    pub(super) change: &'static str,
    /// Source of the last good run with the same content, if its records were lost.
    pub(super) lost: Option<u32>,
    /// If the last good run had it, whether it counts as changed since then.
    pub(super) good: Option<bool>,
}

/// An input whose records are kept.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) id: i64,
    pub(super) source: u32,
    /// Numbers of names in it, once they were counted.
    pub(super) distinct: Option<Distinct>,
    pub(super) is_good: bool,
    pub(super) details: KeptDetails,
}

/// The part of an input's details that the checks need.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptDetails {
    pub(super) accepted: u64,
    pub(super) rejected: u64,
    pub(super) parts: u64,
    pub(super) members: Vec<Vec<u8>>,
}

impl KeptDetails {
    pub(super) fn of(details: &Details) -> Self {
        KeptDetails {
            accepted: details.counts.accepted,
            rejected: details.counts.rejected_total(),
            parts: details.parts,
            members: details.members.clone(),
        }
    }
}

/// The result of comparing all inputs with the state.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    pub(super) to_read: Vec<ToRead>,
    pub(super) kept: Vec<Kept>,
    /// Store numbers of known inputs that no longer exist.
    pub(super) gone: Vec<i64>,
    /// Store numbers of known inputs that are now further names of inputs.
    pub(super) linked: Vec<i64>,
    /// Sources of the last good run.
    pub(super) good: Vec<u32>,
    /// How the inputs differ from those of the last good run.
    pub(super) since_good: InputChanges,
    /// Store numbers of the inputs that only the last good run had.
    pub(super) gone_since: Vec<i64>,
    /// The first inputs that only the last good run had, sorted by path.
    pub(super) gone_first: Vec<PathBuf>,
    /// The inputs that were further names in the last good run, of inputs that are gone.
    met_again: HashSet<usize>,
    /// Content hashes by input index, if contents are compared.
    pub(super) hashes: HashMap<usize, [u8; 16]>,
    pub(super) skipped_bytes: u64,
}

/// Returns the reason why a known input must be read, if there is one.
fn difference(
    known: &KnownInput,
    unit: &Unit,
    trust: Trust,
    hash: Option<&[u8; 16]>,
) -> Option<&'static str> {
    let (Some(old), Some(new)) = (known.file, file_state(unit)) else { return Some("always") };
    let size = (old.size != new.size).then_some("changed: size");
    let times = || {
        let is_other = (old.device, old.inode) != (new.device, new.inode);
        let times = (old.mtime_ns, old.ctime_ns) != (new.mtime_ns, new.ctime_ns);
        let other = is_other.then_some("changed: another file");
        size.or(other).or(times.then_some("changed: time"))
    };
    let change = match (trust, hash, &known.hash) {
        (Trust::Content, Some(hash), Some(old)) => {
            size.or((old != hash).then_some("changed: content"))
        }
        (Trust::Content, None, _) => Some("always"),
        // The content was not compared when it was read.
        (Trust::Content, Some(_), None) => times().or(Some("again")),
        (Trust::Times, ..) => times(),
    };
    change.or((!known.is_trusted).then_some("again"))
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
    fn place(&self, known: &KnownInput) -> Option<(usize, Unit)> {
        let index = match known.file {
            Some(file) => *self.files.get(&(file.device, file.inode))?,
            None => *self.others.get(&known.path)?,
        };
        Some((index, self.units.get(index)?))
    }

    /// Returns the input that has the path of `known`, byte by byte, and is also the same file.
    fn same_file(&self, known: &KnownInput) -> Option<(usize, Unit)> {
        self.place(known).filter(|(_, unit)| unit.path.as_os_str() == known.path.as_os_str())
    }

    /// Whether the path of `known` still leads to a file that is listed under another path, as a folder is
    /// that was entered by a link.
    fn is_still_there(&self, known: &KnownInput) -> bool {
        let listed = |file: &FileState| self.files.contains_key(&(file.device, file.inode));
        let Some(file) = known.file.filter(listed) else { return false };
        let found = doiscan_input::probe(&known.path).ok();
        let found = found.as_ref().and_then(file_state);
        found.is_some_and(|found| (found.device, found.inode) == (file.device, file.inode))
    }
}

/// Compares the inputs with the state, which is used only if `begun` says that the options and rules are
/// the same. The inputs in `refused`, given by their store numbers, lost records and are read
/// again. Each is mapped to its source in the last good run, if the content is unchanged since
/// then.
pub(super) fn compare(
    units: &Units,
    store: &Store,
    trust: Trust,
    begun: &Begun,
    hashes: HashMap<usize, [u8; 16]>,
    refused: &BTreeMap<i64, Option<u32>>,
) -> Result<(Comparison, Details), StoreError> {
    let (matcher, of_rules) = (Matcher::new(units), (begun.is_same, refused));
    let (mut found, mut remembered) = (Comparison::default(), Details::default());
    remembered.problems.keep_dropped();
    let mut state = vec![Decision::Unknown; units.len()];
    let mut others: HashMap<OsString, KnownInput> = HashMap::new();
    let mut decide = |found: &mut Comparison, known: KnownInput, index: usize, unit: &Unit| {
        let difference = difference(&known, unit, trust, hashes.get(&index));
        let good = meet(&mut found.since_good, &known, difference);
        // Only the last good run had it.
        if known.source.is_none() {
            return Decision::Read("new", None, good);
        }
        match take(known, difference, of_rules, &mut remembered) {
            Ok(kept) => {
                found.skipped_bytes += unit.size;
                found.kept.push(kept);
                Decision::Kept
            }
            Err((change, lost)) => Decision::Read(change, lost, good),
        }
    };
    found.since_good.new = units.len() as u64;
    let mut each = |known: KnownInput| {
        found.good.extend(known.good);
        found.since_good.gone += u64::from(known.good.is_some());
        match matcher.same_file(&known).filter(|_| known.source.is_some()) {
            Some((index, unit)) => state[index] = decide(&mut found, known, index, &unit),
            None => drop(others.insert(known.path.clone().into(), known)),
        }
    };
    store.catalogue(|catalogue| catalogue.each_input(&mut each))?;
    for (index, mut decision) in state.into_iter().enumerate() {
        if let Decision::Unknown = decision
            && let Some(unit) = units.get(index)
            && let Some(known) = others.remove(unit.path.as_os_str())
        {
            decision = decide(&mut found, known, index, &unit);
        }
        let (change, lost, good) = match decision {
            Decision::Kept => continue,
            Decision::Read(change, lost, good) => (change, lost, good),
            Decision::Unknown => ("new", None, None),
        };
        found.to_read.push(ToRead { index, change, lost, good });
    }
    let names = units.other_names().map(PathBuf::into_os_string);
    let in_links = others.iter().filter(|(_, known)| matcher.is_still_there(known));
    let linked: Vec<_> = names.chain(in_links.map(|(name, _)| name.clone())).collect();
    for known in linked.iter().filter_map(|name| others.remove(name)) {
        found.since_good.gone -= u64::from(known.good.is_some());
        found.linked.extend(known.source.map(|_| known.id));
    }
    found.meet_others(&mut others, &matcher, begun, |known, index, unit| {
        difference(known, unit, trust, hashes.get(&index))
    });
    let gone = || others.values().filter(|known| known.good.is_some());
    found.gone_since = gone().map(|known| known.id).collect();
    found.gone_first = gone().map(|known| known.path.clone()).collect();
    found.gone_first.sort_unstable();
    found.gone_first.truncate(GONE_NAMED);
    let gone = others.into_values().filter(|known| known.source.is_some());
    found.gone = gone.map(|known| known.id).collect();
    found.gone.sort_unstable();
    found.hashes = hashes;
    Ok((found, remembered))
}

/// Counts a listed input as not gone and not new if the last good run had it. Returns whether it counts as
/// changed.
fn meet(
    since_good: &mut InputChanges,
    known: &KnownInput,
    difference: Option<&'static str>,
) -> Option<bool> {
    known.good?;
    let is_changed = difference.is_some_and(|change| change.starts_with("changed"));
    let was_read = known.source.is_some() && known.source != known.good;
    since_good.gone -= 1;
    since_good.new -= 1;
    since_good.changed += u64::from(is_changed || was_read);
    Some(is_changed || was_read)
}

impl Comparison {
    /// Takes out of `others` the inputs that are still listed: under a further name of the last good run, which became the
    /// first, or under one that is still a further name. `difference` compares one with its file.
    fn meet_others(
        &mut self,
        others: &mut HashMap<OsString, KnownInput>,
        matcher: &Matcher<'_>,
        begun: &Begun,
        difference: impl Fn(&KnownInput, usize, &Unit) -> Option<&'static str>,
    ) {
        let was_listed = |name: &Path, file| begun.other_names.contains(&name_hash(name, file));
        // The files that are listed under further names of the last good run.
        let listed_again: LazyCell<HashSet<_>, _> = LazyCell::new(|| {
            let files = matcher.units.other_names().filter_map(|name| {
                let file = file_state(&doiscan_input::probe(&name).ok()?);
                was_listed(&name, file).then_some(file)?
            });
            files.map(|file| (file.device, file.inode)).collect()
        });
        others.retain(|_, known| {
            let place = matcher.place(known).filter(|_| known.good.is_some());
            let Some((index, unit)) = place else { return true };
            if was_listed(&unit.path, file_state(&unit)) {
                return !self.meet_again(known, index, difference(known, index, &unit));
            }
            let file = known.file.map(|file| (file.device, file.inode));
            // A file that was written since may have taken the number of one that is gone.
            let is_same = known
                .file
                .zip(file_state(&unit))
                .is_some_and(|(old, new)| (old.size, old.mtime_ns) == (new.size, new.mtime_ns));
            let is_listed = is_same && file.is_some_and(|file| listed_again.contains(&file));
            if is_listed {
                self.since_good.gone -= 1;
                self.linked.extend(known.source.map(|_| known.id));
            }
            !is_listed
        });
    }

    /// Counts the input `index` as not new, and `known`, whose further name it was in the last good run, as not
    /// gone. Returns false if it was counted before.
    fn meet_again(
        &mut self,
        known: &KnownInput,
        index: usize,
        difference: Option<&'static str>,
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
        self.linked.extend(known.source.map(|_| known.id));
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
    Read(&'static str, Option<u32>, Option<bool>),
}

/// Takes over the remembered results of an input, or returns why it must be read.
fn take(
    known: KnownInput,
    difference: Option<&'static str>,
    (is_same, refused): (bool, &BTreeMap<i64, Option<u32>>),
    remembered: &mut Details,
) -> Result<Kept, (&'static str, Option<u32>)> {
    if !is_same {
        return Err(("again: other options or rules", None));
    }
    if let Some(change) = difference {
        return Err((change, None));
    }
    if let Some(&lost) = refused.get(&known.id) {
        return Err(("again: damaged", lost));
    }
    let (Some(source), Some(details)) = (known.source, decode(&known.details)) else {
        return Err(("again: damaged", None));
    };
    let (id, distinct, is_good) = (known.id, known.distinct, known.good == known.source);
    let kept = Kept { id, source, distinct, is_good, details: KeptDetails::of(&details) };
    remembered.append(details);
    Ok(kept)
}
