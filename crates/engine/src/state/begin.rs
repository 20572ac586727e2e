//! Begins a run with a state: loads the state, checks it for damage and selects the inputs to read.

use super::catalogue::{Begun, InputLine};
use super::compare::{DAMAGED, Fate, compare};
use super::data::{Beginning, Trust, written_hash};
use super::replaced;
use super::run::{FolderRun, Progress};
use super::segments::{self, remove_stale};
use super::store::{Store, last_list, replaces_other};
use crate::error::Error;
use crate::plan::kind::Kind;
use crate::plan::remember::{DryRun, Start, State, StateRun};
use doiscan_input::{InputKind, Units};
use doiscan_sets::pool::Pool;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

/// A state that is kept in a folder.
#[derive(Debug)]
pub struct StateFolder {
    /// The folder.
    pub store: Store,
    /// How unchanged inputs are recognised.
    pub trust: Trust,
    /// The version of the recognition rules, in any notation.
    pub rules: String,
}

impl StateFolder {
    /// Returns what a run begins with, and what the state knows.
    fn begun(&self, start: &Start<'_>) -> Result<(Beginning, Begun), Error> {
        let trust = ("trust", format!("{:?}", self.trust));
        let settings = start.settings.iter().cloned().chain([("rules", self.rules.clone()), trust]);
        let options = settings.map(|(name, value)| (name.to_owned(), value)).collect();
        let case = if start.is_lower { "lower" } else { "upper" };
        let beginning = Beginning { options, list: format!("{}, {case}", list(start).row().name) };
        let (catalogue, note) = self.store.begun()?;
        let (old, new) = (&catalogue.head.options, &beginning.options);
        let names: BTreeMap<_, _> = old.iter().chain(new).collect();
        let differing = names.into_keys().filter(|name| old.get(*name) != new.get(*name)).cloned();
        let (differing, head) = (differing.collect(), &catalogue.head);
        let begun = Begun {
            run: catalogue.runs.last().map_or(1, |run| run.id + 1),
            again: (old != new).then_some(&"again: other options or rules"),
            differing,
            has_good: head.good.is_some() && head.has_names && head.list == beginning.list,
            last_list: last_list(&catalogue),
            note,
            head: head.clone(),
        };
        Ok((beginning, begun))
    }
}

impl State for StateFolder {
    fn folder(&self) -> &Path {
        self.store.folder()
    }

    fn has_written(&self, path: &Path) -> Result<bool, Error> {
        let hash = doiscan_input::probe(path).and_then(|unit| doiscan_input::content_hash(&unit));
        let Ok(hash) = hash else { return Ok(false) };
        Ok(self.store.head().written.contains(&written_hash(path, hash)))
    }

    fn begin<'a>(&'a self, start: &Start<'a>) -> Result<Box<dyn StateRun + 'a>, Error> {
        let (beginning, begun) = self.begun(start)?;
        Ok(Box::new(self.compared(start, beginning, begun)?))
    }

    fn look(&self, start: &Start<'_>) -> Result<DryRun, Error> {
        let units = start.units;
        let (_, begun) = self.begun(start)?;
        let hashes = hashes(self.trust, units, start.pool)?;
        let (comparison, _) = compare(units, &self.store, self.trust, &begun, hashes)?;
        let read = comparison.to_read.iter();
        let read = read.filter_map(|r| Some((units.get(r.index as usize)?, *r.change)));
        let mut found = DryRun {
            to_read: read.map(|(unit, change)| (unit.path, change, unit.size)).collect(),
            skipped: comparison.kept.len() as u64,
            skipped_bytes: comparison.skipped_bytes,
            ..DryRun::default()
        };
        found.to_read.sort_unstable();
        let mut id = 0;
        let mut add = |line: InputLine| {
            let is_gone = match begun.head.good {
                Some(_) => comparison.gone_since.contains(&id),
                None => comparison.fates[id as usize] == Fate::Gone,
            };
            if is_gone {
                found.gone.push(line.input.0);
            }
            id += 1;
        };
        self.store.each_input(&mut add)?;
        found.gone.sort_unstable();
        Ok(found)
    }
}

impl StateFolder {
    /// Compares the inputs with the state and checks the segments for damage.
    fn compared<'a>(
        &'a self,
        start: &Start<'a>,
        beginning: Beginning,
        mut begun: Begun,
    ) -> Result<FolderRun<'a>, Error> {
        let (units, pool, kinds) = (start.units, start.pool, &start.kinds);
        let mut notes: Vec<String> = begun.note.iter().cloned().collect();
        if begun.again.is_some() && begun.run > 1 {
            let differing: Vec<_> = begun.differing.iter().map(|name| option(name)).collect();
            let differing = differing.join(", ");
            notes.push(format!("the options or the version differ from the last run: {differing}"));
        }
        let known = begun.head.segments();
        remove_stale(&self.store, &**start.disk, &known);
        let next_segment = Arc::new(AtomicU64::new(begun.head.next_segment.max(1)));
        let folder = self.store.segments();
        let mut opened = segments::open(start.disk, &folder, &known, kinds, &next_segment, pool)?;
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
            notes.push(format!("{}; every input is read again", opened.damage.join("; ")));
            opened.runs.clear();
            (begun.again, has_good) = (Some(&DAMAGED), false);
        }
        let has_names = has_good;
        let hashes = hashes(self.trust, units, pool)?;
        let (mut comparison, remembered) = compare(units, &self.store, self.trust, &begun, hashes)?;
        let mut next_source = begun.head.next_source.max(1);
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
        let progress = Progress::new(remembered, &**start.disk, self.store.folder())?;
        Ok(FolderRun {
            store: &self.store,
            disk: Arc::clone(start.disk),
            units,
            pool,
            kinds: kinds.clone(),
            started: now(),
            has_good,
            has_names,
            knows_inputs: begun.head.good.is_some() && !is_other,
            beginning,
            begun,
            comparison,
            opened: Mutex::new(opened),
            notes,
            first_source: next_source,
            next_source: AtomicU32::new(next_source),
            next_segment,
            progress: Mutex::new(progress),
            live: OnceLock::new(),
        })
    }
}

/// The current time, RFC 3339.
pub(super) fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
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
