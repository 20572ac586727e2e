//! Begins a run with a state: loads the state, checks it for damage and selects the inputs to read.

use super::compare::{Comparison, Kept, compare};
use super::data::{Beginning, Begun, KnownInput, Lost, Trust};
use super::live::Live;
use super::replaced;
use super::run::{FolderRun, Progress};
use super::segments::{self, Opened, remove_stale};
use super::sqlite::{Store, replaces_other};
use crate::error::Error;
use crate::plan::kind::Kind;
use crate::plan::remember::{DryRun, Start, State, StateRun};
use doiscan_input::{InputKind, Units};
use doiscan_sets::pool::Pool;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// Store numbers of inputs that lost records. Each is mapped to its source in the last good run, if
/// that source was lost too.
type Refused = BTreeMap<i64, Option<u32>>;

/// A state that is kept in a folder.
#[derive(Debug)]
pub struct StateFolder {
    /// The folder.
    pub store: Store,
    /// How unchanged inputs are recognised.
    pub trust: Trust,
    /// How often the state is saved while inputs are read.
    pub checkpoint: Duration,
    /// The version of the recognition rules, in any notation.
    pub rules: String,
}

impl StateFolder {
    /// Passes what a run begins with to `begin`.
    fn begun<T>(&self, start: &Start<'_>, begin: impl Fn(&Beginning<'_>) -> T) -> T {
        let rules = [("rules", self.rules.clone())].into_iter();
        let settings = rules.chain(start.settings.iter().cloned());
        let options = json(settings.chain([("trust", format!("{:?}", self.trust))]));
        let case = if start.is_lower { "lower" } else { "upper" };
        let list = format!("{}, {case}", list(start).row().name);
        begin(&Beginning { options: &options, list: &list })
    }
}

impl State for StateFolder {
    fn folder(&self) -> &Path {
        self.store.folder()
    }

    fn has_written(&self, path: &Path) -> Result<bool, Error> {
        let hash = doiscan_input::probe(path).and_then(|unit| doiscan_input::content_hash(&unit));
        let Ok(hash) = hash else { return Ok(false) };
        Ok(self.store.catalogue(|catalogue| catalogue.has_written(path, hash))?)
    }

    fn begin<'a>(&'a self, start: &Start<'a>) -> Result<Box<dyn StateRun + 'a>, Error> {
        let begun = self
            .begun(start, |beginning| self.store.begun(|catalogue| catalogue.begin(beginning)))?;
        Ok(Box::new(self.compared(start, begun)?))
    }

    fn renew(&self) -> Result<bool, Error> {
        Ok(self.store.renew()?)
    }

    fn look(&self, start: &Start<'_>) -> Result<DryRun, Error> {
        let units = start.units;
        let begun =
            self.begun(start, |beginning| self.store.begun(|catalogue| catalogue.look(beginning)))?;
        let hashes = hashes(self.trust, units, start.pool)?;
        let (comparison, _) =
            compare(units, &self.store, self.trust, &begun, hashes, &Refused::new())?;
        let read = comparison.to_read.iter().filter_map(|r| Some((units.get(r.index)?, r.change)));
        let mut found = DryRun {
            to_read: read.map(|(unit, change)| (unit.path, change, unit.size)).collect(),
            skipped: comparison.kept.len() as u64,
            skipped_bytes: comparison.skipped_bytes,
            ..DryRun::default()
        };
        found.to_read.sort_unstable();
        let gone = if begun.knows_inputs { &comparison.gone_since } else { &comparison.gone };
        let gone: HashSet<_> = gone.iter().copied().collect();
        let mut add = |known: KnownInput| {
            if gone.contains(&known.id) {
                found.gone.push(known.path);
            }
        };
        self.store.catalogue(|catalogue| catalogue.each_input(&mut add))?;
        found.gone.sort_unstable();
        Ok(found)
    }
}

impl StateFolder {
    /// Compares the inputs with the state and checks the segments for damage.
    fn compared<'a>(&'a self, start: &Start<'a>, begun: Begun) -> Result<FolderRun<'a>, Error> {
        let (units, pool, kinds) = (start.units, start.pool, &start.kinds);
        let mut notes: Vec<String> = begun.note.iter().cloned().collect();
        if !begun.is_same && begun.run > 1 {
            let differing: Vec<_> = begun.differing.iter().map(|name| option(name)).collect();
            let differing = differing.join(", ");
            notes.push(format!("the options or the version differ from the last run: {differing}"));
        }
        remove_stale(&self.store, &**start.disk, &begun.segments);
        let hashes = hashes(self.trust, units, pool)?;
        let again = |refused: &Refused, hashes| {
            compare(units, &self.store, self.trust, &begun, hashes, refused)
        };
        let (mut comparison, mut remembered) = again(&Refused::new(), hashes)?;
        let next_segment = Arc::new(AtomicU64::new(begun.next_segment));
        let folder = self.store.segments();
        let mut opened =
            segments::open(start.disk, &folder, &begun.segments, kinds, &next_segment, pool)?;
        let is_other = replaces_other(start.list, begun.last_list.as_deref());
        if let Some((list, last)) = start.list.zip(begun.last_list.as_ref().filter(|_| is_other)) {
            let (list, last) = (list.display(), last.display());
            notes.push(format!(
                "the last good run wrote {last}; additions and removals are those since {list}, and which \
                 inputs changed is unknown"
            ));
        }
        let mut has_good = begun.has_good && !is_other;
        if !opened.damage.is_empty() {
            let refused = refused(&opened, &comparison, kinds)?;
            has_good &= !loses_good(&opened, &comparison);
            (comparison, remembered) = again(&refused, comparison.hashes)?;
            let files = opened.damage.iter().map(|(what, _)| what.as_str());
            let what = files.collect::<Vec<_>>().join("; ");
            let inputs = if refused.len() == 1 { "input is" } else { "inputs are" };
            notes.push(format!("{what}; {} {inputs} read again", refused.len()));
        }
        let mut next_source = begun.next_source.max(1);
        let lost = lost(begun.has_good && !has_good, &opened);
        if !has_good {
            comparison.good.clear();
            match replaced::names(start, next_source)? {
                Ok(Some(old)) => {
                    opened.runs.entry(list(start)).or_default().push(old);
                    comparison.good.push(next_source);
                    (next_source, has_good) = (next_source.saturating_add(1), true);
                }
                Ok(None) => {}
                Err(what) => notes.push(format!(
                    "additions and removals are unknown, and every DOI is an addition: {what}"
                )),
            }
        }
        let committed = begun.segments.iter().map(|s| s.number).collect();
        Ok(FolderRun {
            store: &self.store,
            checkpoint: self.checkpoint,
            disk: Arc::clone(start.disk),
            units,
            pool,
            run: begun.run,
            has_good,
            knows_inputs: begun.knows_inputs && !is_other,
            lost,
            comparison,
            opened: Mutex::new(opened),
            notes,
            next_source: AtomicU32::new(next_source),
            next_segment,
            progress: Mutex::new(Progress::new(committed, self.checkpoint, remembered)),
            live: OnceLock::new(),
        })
    }
}

/// What of the last good run can no longer be compared, if that `is_lost`.
fn lost(is_lost: bool, opened: &Opened) -> Lost {
    match is_lost {
        false => Lost::Nothing,
        true if opened.damage.is_empty() => Lost::Names,
        true => Lost::All,
    }
}

/// The kind of the list.
fn list(start: &Start<'_>) -> Kind {
    start.kinds.first().copied().unwrap_or(Kind::Names)
}

/// Returns the flags that set an option, or other words for it.
fn option(name: &str) -> Cow<'_, str> {
    match name {
        "rules" => "the version of doiscan".into(),
        "scan" => "--strict, --join-lines, --max-length or --names".into(),
        "limits" => "a limit of unpacking, such as --max-ratio".into(),
        "columns" => "--column".into(),
        "lower" => "--case".into(),
        name => format!("--{}", name.replace('_', "-")).into(),
    }
}

/// Encodes settings as a JSON object.
fn json(settings: impl Iterator<Item = (&'static str, String)>) -> String {
    let fields = settings.map(|(name, value)| format!("\"{name}\": {}", json_string(&value)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

/// Encodes a text as a JSON string.
fn json_string(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            letter if letter.is_control() => json += &format!("\\u{:04x}", letter as u32),
            letter => json.push(letter),
        }
    }
    json.push('"');
    json
}

/// Returns the content hashes of all files, if contents are compared.
pub(super) fn hashes(
    trust: Trust,
    units: &Units,
    pool: &Pool,
) -> Result<HashMap<usize, [u8; 16]>, Error> {
    if trust == Trust::Times {
        return Ok(HashMap::new());
    }
    let indexes: Vec<usize> = (0..units.len()).collect();
    let hashes = pool.each(&indexes, |&index| {
        let unit = units
            .get(index)
            .filter(|unit| matches!(unit.kind, InputKind::File { .. } | InputKind::Empty))?;
        Some((index, doiscan_input::content_hash(&unit).ok()?))
    })?;
    Ok(hashes.into_iter().flatten().collect())
}

/// Returns the inputs that lost records in damaged segments.
fn refused(opened: &Opened, comparison: &Comparison, kinds: &[Kind]) -> Result<Refused, Error> {
    let mut live = Live::default();
    comparison.kept.iter().for_each(|kept| live.add_now(kept.source));
    let live = Arc::new(live);
    segments::count(&opened.runs, &live)?;
    let is_whole = |kept: &Kept| kept.is_whole(kinds, |kind| live.seen(kept.source, kind));
    let has_bad_pairs = opened.is_damaged(Kind::Pairs);
    let lost = comparison.kept.iter().filter(|kept| has_bad_pairs || !is_whole(kept));
    Ok(lost.map(|kept| (kept.id, kept.is_good.then_some(kept.source))).collect())
}

/// Whether names of the last good run may be lost that no current input contains.
fn loses_good(opened: &Opened, comparison: &Comparison) -> bool {
    let has_damage = [Kind::Names, Kind::Counts].into_iter().any(|kind| opened.is_damaged(kind));
    let kept: HashSet<u32> =
        comparison.kept.iter().filter(|kept| kept.is_good).map(|kept| kept.source).collect();
    has_damage && comparison.good.iter().any(|source| !kept.contains(source))
}

impl Kept {
    /// Whether all records of the input are present. `seen` returns the number found.
    pub(super) fn is_whole(&self, kinds: &[Kind], seen: impl Fn(Kind) -> u64) -> bool {
        kinds.iter().all(|&kind| {
            let expected = match kind {
                Kind::Names | Kind::Counts => self.distinct.map(|distinct| distinct.list),
                Kind::Short => self.distinct.map(|distinct| distinct.short),
                Kind::Hits => Some(self.details.accepted),
                Kind::Rejects => Some(self.details.rejected),
                Kind::Inputs => Some(self.details.parts),
                // Their number is not stored. Whoever asks knows if any of them is damaged.
                Kind::Pairs => return true,
                Kind::Eidrs | Kind::Added | Kind::Removed | Kind::Unknown => None,
            };
            expected == Some(seen(kind))
        })
    }
}
