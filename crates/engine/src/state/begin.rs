//! Begins a run with a state: loads the state, checks it for damage and selects the inputs to read.

use super::compare::{Comparison, Kept, compare};
use super::live::Live;
use super::night::{Done, Night};
use super::replaced;
use super::segments::{self, Opened, remove_stale};
use super::store::{Beginning, SegmentKind, Trust};
use crate::error::Error;
use crate::plan::{Plan, StatePlan};
use doiscan_input::{InputKind, Units};
use doiscan_os::disk::Disk;
use doiscan_sets::pool::Pool;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex};

/// Store numbers of inputs that lost records. Each is mapped to its source in the last good run, if
/// that source was lost too.
type Refused = BTreeMap<i64, Option<u32>>;

impl<'a> Night<'a> {
    /// Compares `units` with the state of `plan` and checks the segments for damage.
    pub(crate) fn begin(
        plan: &Plan,
        state: &'a StatePlan,
        disk: &Arc<dyn Disk>,
        units: &'a Units,
        pool: &Pool,
    ) -> Result<Night<'a>, Error> {
        let (options, list) = (options(plan, state), list(plan));
        let begun = state.store.begin(&Beginning { options: &options, list: &list })?;
        let mut notes: Vec<String> = begun.note.iter().cloned().collect();
        if !begun.is_same && begun.run > 1 {
            notes.push("the options or the version differ from the last run".to_owned());
        }
        remove_stale(&*state.store, &**disk, &begun.segments);
        let hashes = hashes(state.trust, units, pool)?;
        let again = |refused: &Refused, hashes| {
            compare(units, &*state.store, state.trust, begun.is_same, hashes, refused)
        };
        let (mut comparison, mut remembered) = again(&Refused::new(), hashes)?;
        let next_segment = Arc::new(AtomicU64::new(begun.next_segment));
        let (folder, kinds) = (state.store.segments(), kinds(plan));
        let mut opened =
            segments::open(disk, &folder, &begun.segments, &kinds, &next_segment, pool)?;
        let mut has_good = begun.has_good;
        if !opened.damage.is_empty() {
            let refused = refused(&opened, &comparison, &kinds)?;
            has_good &= !loses_good(&opened, &comparison);
            (comparison, remembered) = again(&refused, comparison.hashes)?;
            let files = opened.damage.iter().map(|(what, _)| what.as_str());
            let what = files.collect::<Vec<_>>().join("; ");
            let inputs = if refused.len() == 1 { "input is" } else { "inputs are" };
            notes.push(format!("{what}; {} {inputs} read again", refused.len()));
        }
        let mut next_source = begun.next_source.max(1);
        let lost_good = begun.has_good && !has_good;
        if !has_good {
            comparison.good.clear();
            match replaced::names(plan, disk, next_source)? {
                Ok(Some(old)) => {
                    let kind = if plan.counts { SegmentKind::Counts } else { SegmentKind::Names };
                    opened.runs.entry(kind).or_default().push(old);
                    comparison.good.push(next_source);
                    (next_source, has_good) = (next_source.saturating_add(1), true);
                }
                Ok(None) => {}
                Err(what) => notes.push(format!(
                    "additions and removals are unknown, and every DOI is an addition: {what}"
                )),
            }
        }
        let committed: HashSet<u64> = begun.segments.iter().map(|s| s.number).collect();
        let done = Done::new(committed, state.checkpoint);
        Ok(Night {
            plan: state,
            disk: Arc::clone(disk),
            units,
            run: begun.run,
            has_good,
            knows_inputs: begun.has_good,
            lost_good,
            comparison,
            remembered,
            opened: Mutex::new(opened),
            notes,
            next_source: AtomicU32::new(next_source),
            next_segment,
            done: Mutex::new(done),
        })
    }
}

/// Returns the options of `plan` that affect the answer, as JSON. Inputs that were read with other
/// options are read again.
pub(super) fn options(plan: &Plan, state: &StatePlan) -> String {
    // No `..`: whoever adds a field decides here whether it affects what is remembered of an input.
    let Plan {
        scan,
        format,
        columns,
        limits,
        lower,
        counts,
        hits,
        rejects,
        short_doi,
        // Which inputs there are, and how they are read.
        inputs: _,
        lists: _,
        select: _,
        threads: _,
        io: _,
        memory: _,
        temporary: _,
        chunk: _,
        cancel: _,
        // What is written of that which is remembered.
        output: _,
        layout: _,
        per_input: _,
        stats_inputs: _,
        digest: _,
        gates: _,
        judge: _,
        state: _,
        // Refused with a state, or set only by engines that have none.
        eidr: _,
        part: _,
    } = plan;
    let has = |is: bool| if is { "true" } else { "false" }.to_owned();
    let fields = [
        ("rules", state.rules.clone()),
        ("scan", format!("{scan:?}")),
        ("format", format!("{format:?}")),
        ("columns", format!("{columns:?}")),
        ("limits", format!("{limits:?}")),
        ("lower", has(*lower)),
        ("counts", has(*counts)),
        ("hits", has(hits.is_some())),
        ("rejects", has(rejects.is_some())),
        ("short_doi", has(short_doi.is_some())),
        ("trust", format!("{:?}", state.trust)),
    ];
    let mut json = Vec::new();
    for (name, value) in fields {
        json.extend_from_slice(if json.is_empty() { b"{\"" } else { b", \"" });
        json.extend_from_slice(name.as_bytes());
        json.extend_from_slice(b"\": ");
        json.extend_from_slice(json_string(&value).as_bytes());
    }
    json.push(b'}');
    String::from_utf8_lossy(&json).into_owned()
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

/// Returns a description of the list. Lists with the same description can be compared.
pub(super) fn list(plan: &Plan) -> String {
    let kind = if plan.counts { SegmentKind::Counts } else { SegmentKind::Names };
    format!("{}, {}", kind.name(), if plan.lower { "lower" } else { "upper" })
}

/// Returns the kinds of segments that `plan` needs.
fn kinds(plan: &Plan) -> Vec<SegmentKind> {
    let kinds = [
        (SegmentKind::Names, !plan.counts),
        (SegmentKind::Counts, plan.counts),
        (SegmentKind::Short, plan.short_doi.is_some()),
        (SegmentKind::Hits, plan.hits.is_some()),
        (SegmentKind::Rejects, plan.rejects.is_some()),
        (SegmentKind::Inputs, true),
    ];
    kinds.into_iter().filter(|(_, is_wanted)| *is_wanted).map(|(kind, _)| kind).collect()
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
fn refused(
    opened: &Opened,
    comparison: &Comparison,
    kinds: &[SegmentKind],
) -> Result<Refused, Error> {
    let mut live = Live::default();
    comparison.kept.iter().for_each(|kept| live.add_now(kept.source));
    let live = Arc::new(live);
    segments::count(&opened.runs, &live)?;
    let is_whole = |kept: &Kept| kept.is_whole(kinds, |kind| live.seen(kept.source, kind));
    let lost = comparison.kept.iter().filter(|kept| !is_whole(kept));
    Ok(lost.map(|kept| (kept.id, kept.is_good.then_some(kept.source))).collect())
}

/// Whether names of the last good run may be lost that no current input contains.
fn loses_good(opened: &Opened, comparison: &Comparison) -> bool {
    let lists = [SegmentKind::Names, SegmentKind::Counts];
    let has_damage = lists.into_iter().any(|kind| opened.is_damaged(kind));
    let kept: HashSet<u32> =
        comparison.kept.iter().filter(|kept| kept.is_good).map(|kept| kept.source).collect();
    has_damage && comparison.good.iter().any(|source| !kept.contains(source))
}

impl Kept {
    /// Whether all records of the input are present. `seen` returns the number found.
    pub(super) fn is_whole(
        &self,
        kinds: &[SegmentKind],
        seen: impl Fn(SegmentKind) -> u64,
    ) -> bool {
        kinds.iter().all(|&kind| match kind {
            SegmentKind::Names | SegmentKind::Counts => self.distinct[0] == Some(seen(kind)),
            SegmentKind::Hits => self.details.accepted == seen(kind),
            SegmentKind::Rejects => self.details.rejected == seen(kind),
            SegmentKind::Inputs => self.details.parts == seen(kind),
            SegmentKind::Short => self.distinct[1] == Some(seen(kind)),
        })
    }
}
