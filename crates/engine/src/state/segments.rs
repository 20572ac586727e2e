//! Opens, checks and compacts segments.

use super::filter::{SourceFilters, Wanted};
use super::live::Live;
use super::store::Store;
use crate::error::Error;
use crate::plan::kind::Kind;
use crate::plan::remember::Segment;
use doiscan_os::disk::Disk;
use doiscan_os::folder;
use doiscan_sets::collect::run::{self, Run, Segments, Space};
use doiscan_sets::dedup::merge::{MergePlan, RangeMerge};
use doiscan_sets::dedup::spill::write_run;
use doiscan_sets::pool::Pool;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Above this number of segments of one kind, all are merged.
const MANY: usize = 8;

/// Largest share of dead records of a kind before its segments are merged.
const DEAD: f64 = 0.15;

/// The open segments of a state.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) runs: BTreeMap<Kind, Vec<Run>>,
    /// Descriptions of damage.
    pub(super) damage: Vec<String>,
}

/// Returns the segments of one kind in `folder`.
pub(super) fn of_kind(folder: &Path, kind: Kind, next: &Arc<AtomicU64>) -> Segments {
    Segments::new(folder.to_path_buf(), kind.row().name, Arc::clone(next))
}

/// Removes the segments in the folder of `store` that are not among the `known` ones. Leaves files
/// that have no name of a segment.
pub(super) fn remove_stale(store: &Store, disk: &dyn Disk, known: &[Segment]) {
    let folder = store.segments();
    let known: HashSet<OsString> =
        known.iter().map(|s| format!("{:08}.{}", s.number, s.kind.row().name).into()).collect();
    let Ok(entries) = folder::entries(&folder) else { return };
    for (name, _) in entries.flatten().filter(|(name, _)| !known.contains(name)) {
        if is_name(&name.to_string_lossy()) {
            // The next run tries again to remove files that remain.
            let _ = disk.remove(&folder.join(name));
        }
    }
}

/// Whether a segment may have this name.
fn is_name(name: &str) -> bool {
    let is_number = |text: &str| text.len() >= 8 && text.bytes().all(|b| b.is_ascii_digit());
    let is_kind = |text: &str| {
        Kind::ALL.iter().any(|kind| kind.row().is_remembered && kind.row().name == text)
    };
    name.split_once('.').is_some_and(|(number, kind)| is_number(number) && is_kind(kind))
}

/// Opens the segments of the `wanted` kinds and checks every block. Those that cannot be read are damage.
pub(super) fn open(
    disk: &Arc<dyn Disk>,
    folder: &Path,
    known: &[Segment],
    wanted: &[Kind],
    next: &Arc<AtomicU64>,
    pool: &Pool,
) -> Result<Opened, Error> {
    let (mut runs, mut damage) = (BTreeMap::new(), Vec::new());
    let opened = pool.each(known, |segment| {
        if !wanted.contains(&segment.kind) {
            return None;
        }
        let result = of_kind(folder, segment.kind, next).open(disk, segment.number);
        Some(result.and_then(|mut run| {
            if (run.len(), run.file_bytes()) != (segment.records, segment.bytes) {
                let path = run.path().unwrap_or(Path::new("")).to_path_buf();
                let what = "it is not the one that the catalogue lists";
                return Err(run::Error::DamagedSegment { path, what });
            }
            let bad = run.leave_out_damaged()?;
            Ok((run, bad))
        }))
    })?;
    for (segment, result) in known.iter().zip(opened) {
        match result {
            None => {}
            Some(Ok((run, 0))) => runs.entry(segment.kind).or_insert_with(Vec::new).push(run),
            Some(Ok((run, bad))) => {
                let path = run.path().unwrap_or(Path::new("")).display();
                let blocks = if bad == 1 { "block" } else { "blocks" };
                damage.push(format!("{path} has {bad} damaged {blocks}"));
            }
            Some(Err(error)) => damage.push(error.to_string()),
        }
    }
    Ok(Opened { runs, damage })
}

/// Whether to merge all segments of a kind into one: there are many, or many of their records are dead.
pub(super) fn must_merge(segments: usize, dead: f64) -> bool {
    segments > MANY || dead > DEAD
}

/// Merges segments of one kind into one, with the records that `live` keeps. Returns None if no
/// record is left.
pub(super) fn merge(
    runs: &[Run],
    kind: Kind,
    live: &Arc<Live>,
    space: &Space,
    memory: usize,
    pool: &Pool,
) -> Result<Option<Run>, Error> {
    let sources = SourceFilters { live: Arc::clone(live), kind, wanted: Wanted::Kept };
    let threads = pool.threads();
    let (run, _) = pool.run(|together| {
        let plan = MergePlan::new(runs, memory, threads);
        let ranges = plan.ranges(runs);
        let tasks = || {
            let merge = |range| RangeMerge::new(runs, range, &plan, false).with(Some(&sources));
            ranges.iter().map(merge)
        };
        write_run::<RangeMerge<'_>, _>(space, 0, together, threads, tasks, |_| 0)
    })??;
    Ok((!run.is_empty()).then_some(run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_segments_are_those_of_segments() {
        for (name, expected) in [
            ("00000001.names", true),
            ("123456789.hits", true),
            ("1.names", false),
            ("0000000a.names", false),
            ("00000001.wav", false),
            ("00000001.names.txt", false),
            ("00000001", false),
            ("notes.names", false),
        ] {
            assert_eq!(is_name(name), expected, "{name}");
        }
    }
}
