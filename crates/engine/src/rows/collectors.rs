//! The collectors of a run: for names, and for the records of other requested outputs.

use super::groups::InputNames;
use super::record;
use crate::memory::Memory;
use crate::plan::{INPUTS, Plan};
use crate::scan::chain::Chain;
use crate::scan::row_input::RowInput;
use crate::state::live::Live;
use crate::state::reading::InputReading;
use crate::state::sieve::{Sources, Wanted};
use crate::state::store::SegmentKind;
use doiscan_os::disk::Disk;
use doiscan_os::ledger::{Ledger, Reservation};
use doiscan_sets::collect::run::Run;
use doiscan_sets::collect::run::Space;
use doiscan_sets::collect::{All, Collector, Counted, Keep, Names};
use doiscan_sets::dedup::spill::Spill;
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a worker's buffers for names if they are written to segments.
const SEGMENT_BATCH: usize = 8 * 1024 * 1024;

/// Returns where the records of a kind are kept, and its existing segments.
pub(crate) type SegmentsOf<'a> = dyn Fn(SegmentKind) -> (Space, Vec<Run>) + 'a;

/// All collectors. The list is built from either `names` or `counts`; the other stays empty.
pub(crate) struct Collectors {
    pub names: Spill<Names>,
    /// ShortDOIs, which are never in the same list as DOIs.
    pub short: Option<Spill<Names>>,
    /// EIDRs in canonical form.
    pub eidrs: Option<Spill<Names>>,
    pub counts: Option<Spill<Counted>>,
    pub hits: Option<Spill<All>>,
    pub rejects: Option<Spill<All>>,
    /// Figures of each input, in parts.
    pub inputs: Option<Spill<All>>,
    /// Whether examples of candidates are kept.
    pub has_examples: bool,
    /// Number of inputs opened, and the limit above which the report omits per-input figures.
    opened: AtomicU64,
    most: u64,
    numbers: Mutex<Numbers>,
}

/// Numbers of records handed over.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pushed {
    pub names: u64,
    pub short: u64,
    pub eidrs: u64,
    pub counts: u64,
    pub hits: u64,
    pub rejects: u64,
    pub inputs: u64,
}

impl Pushed {
    /// Number of records of the list.
    pub(crate) fn list(&self) -> u64 {
        self.names + self.counts
    }
}

impl std::ops::AddAssign for Pushed {
    fn add_assign(&mut self, other: Pushed) {
        self.names += other.names;
        self.short += other.short;
        self.eidrs += other.eidrs;
        self.counts += other.counts;
        self.hits += other.hits;
        self.rejects += other.rejects;
        self.inputs += other.inputs;
    }
}

/// Parameters for creating collectors.
#[derive(Clone, Copy)]
struct CollectorSettings<'a> {
    disk: &'a Arc<dyn Disk>,
    plan: &'a Plan,
    ledger: &'a Ledger,
    threads: usize,
    night: Option<&'a SegmentsOf<'a>>,
    /// Bytes of a worker's buffers for one collector.
    batch: usize,
}

impl CollectorSettings<'_> {
    fn spill<K: Keep>(&self, bytes: usize, kind: SegmentKind) -> Spill<K> {
        let collector = Collector::with_limit(bytes, self.ledger.clone()).with_batches(self.batch);
        let temporary = Space::new(Arc::clone(self.disk), self.plan.temporary.clone());
        match self.night.map(|night| night(kind)) {
            None => Spill::new(collector, temporary, self.threads),
            Some((space, runs)) => Spill::new(collector, space, self.threads).with(runs, temporary),
        }
    }
}

/// The numbers of inputs, by name.
struct Numbers {
    of: HashMap<Vec<u8>, u32>,
    bytes: usize,
    held: Reservation,
}

impl Collectors {
    /// Creates the collectors that `plan` needs, each with its share of the memory.
    pub(crate) fn new(
        disk: &Arc<dyn Disk>,
        plan: &Plan,
        memory: Memory,
        threads: usize,
        night: Option<&SegmentsOf<'_>>,
    ) -> Self {
        let ledger = Ledger::default();
        let (hits, rejects) = (plan.hits.is_some(), plan.rejects.is_some());
        let (short, has_file) = (plan.short_doi.is_some(), plan.stats_inputs.is_some());
        let eidrs = plan.eidr.is_some();
        let inputs = plan.per_input || has_file || night.is_some();
        // Hits need the most memory: every occurrence with all its columns. ShortDOIs and EIDRs
        // need the least: dumps that contain them contain many more DOIs.
        let parts = 3
            + 6 * usize::from(hits)
            + 2 * usize::from(rejects)
            + usize::from(short)
            + usize::from(eidrs)
            + usize::from(inputs);
        let share = |part| memory.names / parts * part;
        // Rows are not deduplicated, so their collectors use small buffers.
        let means = CollectorSettings { disk, plan, ledger: &ledger, threads, night, batch: 0 };
        // Segments are small, so that larger buffers would take more memory than they hold.
        let most = if night.is_some() { SEGMENT_BATCH } else { usize::MAX };
        let many = CollectorSettings { batch: memory.batch.min(most), ..means };
        let counts = plan.counts.then(|| many.spill(share(3), SegmentKind::Counts));
        let hits = hits.then(|| means.spill(share(6), SegmentKind::Hits));
        let rejects = rejects.then(|| means.spill(share(2), SegmentKind::Rejects));
        let short = short.then(|| means.spill(share(1), SegmentKind::Short));
        // A state does not remember EIDRs.
        let eidrs = eidrs.then(|| {
            CollectorSettings { night: None, ..means }.spill(share(1), SegmentKind::Short)
        });
        let inputs = inputs.then(|| means.spill(share(1), SegmentKind::Inputs));
        let numbers = Numbers { of: HashMap::new(), bytes: 0, held: ledger.reserve() };
        // The next run may be asked to report each input.
        let is_told = has_file || night.is_some();
        let (opened, most) = (AtomicU64::new(0), if is_told { u64::MAX } else { INPUTS });
        let names = many.spill(share(3), SegmentKind::Names);
        Collectors {
            names,
            short,
            eidrs,
            counts,
            hits,
            rejects,
            inputs,
            has_examples: plan.keeps_digest(),
            opened,
            most,
            numbers: Mutex::new(numbers),
        }
    }

    /// Whether anything besides names is collected.
    pub(crate) fn has_rows(&self) -> bool {
        self.counts.is_some() || self.has_lines()
    }

    /// Whether any of the collected records contains a line number.
    fn has_lines(&self) -> bool {
        self.hits.is_some() || self.rejects.is_some() || self.has_examples
    }

    /// Counts an input that was opened.
    pub(crate) fn opened(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether there are too many inputs to report each.
    pub(crate) fn has_many_inputs(&self) -> bool {
        self.opened.load(Ordering::Relaxed) > self.most
    }

    /// The ledger of memory deducted from all shares.
    pub(crate) fn ledger(&self) -> &Ledger {
        self.names.ledger()
    }

    /// Writes the collected records as segments.
    pub(crate) fn save(&self) -> Result<(), doiscan_sets::Error> {
        // Saves nothing if anything was lost.
        self.each(Spill::check, Spill::check, Spill::check)?;
        self.each(Spill::save, Spill::save, Spill::save)
    }

    fn each(
        &self,
        names: impl Fn(&Spill<Names>) -> Result<(), doiscan_sets::Error>,
        counts: impl Fn(&Spill<Counted>) -> Result<(), doiscan_sets::Error>,
        rows: impl Fn(&Spill<All>) -> Result<(), doiscan_sets::Error>,
    ) -> Result<(), doiscan_sets::Error> {
        names(&self.names)?;
        self.short.iter().try_for_each(&names)?;
        self.counts.iter().try_for_each(&counts)?;
        let all = [&self.hits, &self.rejects, &self.inputs];
        all.into_iter().flatten().try_for_each(rows)
    }

    /// Calls `each` with every segment.
    pub(crate) fn each_segment(&self, mut each: impl FnMut(SegmentKind, &Run)) {
        self.names.each_segment(|run| each(SegmentKind::Names, run));
        let mut of = |kind, spill: &Option<Spill<All>>| {
            if let Some(spill) = spill {
                spill.each_segment(|run| each(kind, run));
            }
        };
        of(SegmentKind::Hits, &self.hits);
        of(SegmentKind::Rejects, &self.rejects);
        of(SegmentKind::Inputs, &self.inputs);
        if let Some(spill) = &self.short {
            spill.each_segment(|run| each(SegmentKind::Short, run));
        }
        if let Some(spill) = &self.counts {
            spill.each_segment(|run| each(SegmentKind::Counts, run));
        }
    }

    /// Ends the writing of segments. From now on only the records that are live according to `live`
    /// count.
    pub(crate) fn settle(&self, live: &Arc<Live>) {
        let of = |kind| Sources { live: Arc::clone(live), kind, wanted: Wanted::Answer };
        self.names.settle(of(SegmentKind::Names));
        self.short.iter().for_each(|spill| spill.settle(of(SegmentKind::Short)));
        self.counts.iter().for_each(|spill| spill.settle(of(SegmentKind::Counts)));
        self.hits.iter().for_each(|spill| spill.settle(of(SegmentKind::Hits)));
        self.rejects.iter().for_each(|spill| spill.settle(of(SegmentKind::Rejects)));
        self.inputs.iter().for_each(|spill| spill.settle(of(SegmentKind::Inputs)));
    }

    /// Returns the source for the input `name`, if rows mention inputs. If inputs are remembered,
    /// it is a part of `reading`.
    pub(crate) fn source(&self, name: &Path, reading: Option<&InputReading>) -> Option<RowInput> {
        let name = name.as_os_str().as_bytes();
        self.has_rows().then(|| RowInput {
            key: record::input_key(name),
            number: match (&self.counts, reading) {
                (None, _) => Vec::new(),
                (Some(_), None) => self.number(name).to_be_bytes().to_vec(),
                (Some(_), Some(reading)) => reading.number(name),
            },
            trailer: reading.map_or(Vec::new(), |reading| reading.source.to_le_bytes().to_vec()),
            lines: self.has_lines().then(|| Chain::new(1)),
            begin: 0,
        })
    }

    /// Like [`Collectors::source`], for values that are each preceded by a line feed. The first
    /// line feed is not part of the text, so lines start at 0 and the text begins at offset 1.
    pub(crate) fn source_of_values(
        &self,
        name: &Path,
        reading: Option<&InputReading>,
    ) -> Option<RowInput> {
        let source = self.source(name, reading)?;
        let lines = source.lines.is_some().then(|| Chain::new(0));
        Some(RowInput { lines, begin: 1, ..source })
    }

    /// Returns the number of the input `name`. Equal names have the same number.
    fn number(&self, name: &[u8]) -> u32 {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = numbers.of.get(name) {
            return number;
        }
        let number = numbers.of.len() as u32;
        numbers.of.insert(name.to_vec(), number);
        numbers.bytes += name.len() + 2 * size_of::<(Vec<u8>, u32)>();
        let bytes = numbers.bytes;
        numbers.held.set(bytes);
        number
    }

    /// Returns the names of inputs, indexed by their numbers.
    pub(crate) fn input_names(&self) -> InputNames {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let of = std::mem::take(&mut numbers.of);
        let mut names = vec![Vec::new(); of.len()];
        // The order does not matter, because each name is stored at its index.
        #[expect(clippy::iter_over_hash_type, reason = "each name goes to its place")]
        for (name, number) in of {
            names[number as usize] = name;
        }
        InputNames::new(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Layout;
    use crate::plan::SideFile;
    use doiscan_os::disk::System;

    fn file() -> SideFile {
        SideFile::new("x", Layout::default())
    }

    fn collectors(plan: &Plan, names: usize, is_remembered: bool) -> Collectors {
        let disk: Arc<dyn Disk> = Arc::new(System);
        let memory = Memory { names, ..Memory::share(None, plan.chunk, 1) };
        let space = |_| (Space::new(Arc::new(System), Vec::new()), Vec::new());
        let night = is_remembered.then_some(&space as &SegmentsOf<'_>);
        Collectors::new(&disk, plan, memory, 1, night)
    }

    fn limit<K: Keep>(spill: &Option<Spill<K>>) -> usize {
        spill.as_ref().map_or(0, Spill::limit)
    }

    #[test]
    fn the_shares_of_all_collectors_are_the_memory() {
        let memory = 1 << 30;
        for bits in 0..64 {
            let has = |bit: u8| bits >> bit & 1 == 1;
            let plan = Plan {
                counts: has(0),
                hits: has(1).then(file),
                rejects: has(2).then(file),
                short_doi: has(3).then(|| "x".into()),
                eidr: has(4).then(file),
                per_input: has(5),
                ..Plan::default()
            };
            let all = collectors(&plan, memory, false);
            // Of the collectors for names and for counts, one stays empty.
            let list = all.names.limit();
            assert!([0, list].contains(&limit(&all.counts)));
            let names = list + limit(&all.short) + limit(&all.eidrs);
            let sum = names + limit(&all.hits) + limit(&all.rejects) + limit(&all.inputs);
            assert!(sum <= memory && sum > memory - 20, "{bits:b}: {sum}");
        }
    }

    #[test]
    fn a_report_has_no_more_than_10_000_inputs_and_a_file_has_all() {
        let report = Plan { per_input: true, ..Plan::default() };
        let in_file = Plan { stats_inputs: Some(file()), ..report.clone() };
        for (plan, is_remembered, is_limited) in
            [(&report, false, true), (&report, true, false), (&in_file, false, false)]
        {
            let collectors = collectors(plan, usize::MAX, is_remembered);
            (0..10_000).for_each(|_| collectors.opened());
            assert!(!collectors.has_many_inputs());
            collectors.opened();
            assert_eq!(collectors.has_many_inputs(), is_limited);
        }
        // A run with a state decides when it knows all inputs.
        let reports = |plan: &Plan| [10_000, 10_001].map(|count| plan.reports_inputs(count));
        assert_eq!(reports(&report), [true, false]);
        assert_eq!(reports(&in_file), [true, true]);
        assert_eq!(reports(&Plan::default()), [false, false]);
    }
}
