//! The collectors of a run: names, and records of what else was asked for.

use super::groups::InputNames;
use super::record;
use crate::collect::run::Space;
use crate::collect::{All, Collector, Counted, Keep, Ledger, Names, Reservation};
use crate::pipeline::dedup::spill::Spill;
use crate::pipeline::memory::Memory;
use crate::pipeline::plan::{INPUTS, Plan};
use crate::pipeline::scan::chain::Chain;
use crate::pipeline::scan::source::Source;
use crate::sys::disk::Disk;
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// All collectors. Those of the list are the names or the counts, and the other is empty.
pub(in crate::pipeline) struct Collectors {
    pub(in crate::pipeline) names: Spill<Names>,
    /// ShortDOIs, which are never in one list with DOIs.
    pub(in crate::pipeline) short: Option<Spill<Names>>,
    /// EIDRs in canonical form.
    pub(in crate::pipeline) eidrs: Option<Spill<Names>>,
    pub(in crate::pipeline) counts: Option<Spill<Counted>>,
    pub(in crate::pipeline) hits: Option<Spill<All>>,
    pub(in crate::pipeline) rejects: Option<Spill<All>>,
    /// What was seen in each input, in parts.
    pub(in crate::pipeline) inputs: Option<Spill<All>>,
    /// Whether examples of candidates are kept.
    pub(in crate::pipeline) has_examples: bool,
    /// Inputs that were opened, and how many are too many to tell of each.
    opened: AtomicU64,
    most: u64,
    numbers: Mutex<Numbers>,
}

/// Records that were handed over.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::pipeline) struct Pushed {
    pub(in crate::pipeline) names: u64,
    pub(in crate::pipeline) short: u64,
    pub(in crate::pipeline) eidrs: u64,
    pub(in crate::pipeline) counts: u64,
    pub(in crate::pipeline) hits: u64,
    pub(in crate::pipeline) rejects: u64,
    pub(in crate::pipeline) inputs: u64,
}

impl Pushed {
    /// Records of the list.
    pub(in crate::pipeline) fn list(&self) -> u64 {
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

/// The numbers of inputs by their names.
struct Numbers {
    of: HashMap<Vec<u8>, u32>,
    bytes: usize,
    held: Reservation,
}

impl Collectors {
    /// Those that `plan` asks for, with their shares of the memory.
    pub(in crate::pipeline) fn new(
        disk: &Arc<dyn Disk>,
        plan: &Plan,
        memory: Memory,
        threads: usize,
    ) -> Self {
        let ledger = Ledger::default();
        let (hits, rejects) = (plan.hits.is_some(), plan.rejects.is_some());
        let (short, has_file) = (plan.short_doi.is_some(), plan.stats_inputs.is_some());
        let eidrs = plan.eidr.is_some();
        let inputs = plan.per_input || has_file;
        // Hits need most: every occurrence with all its columns. ShortDOIs and EIDRs need
        // least: dumps that hold any hold many more DOIs.
        let parts = 3
            + 6 * usize::from(hits)
            + 2 * usize::from(rejects)
            + usize::from(short)
            + usize::from(eidrs)
            + usize::from(inputs);
        let share = |part| memory.names / parts * part;
        fn spill<K: Keep>(
            disk: &Arc<dyn Disk>,
            plan: &Plan,
            bytes: usize,
            ledger: &Ledger,
            (threads, batch): (usize, usize),
        ) -> Spill<K> {
            let space = Space::new(Arc::clone(disk), plan.temporary.clone());
            let collector = Collector::with_limit(bytes, ledger.clone()).with_batches(batch);
            Spill::new(collector, space, threads)
        }
        // Rows are not looked up: what is collected beside names goes through small buffers.
        let (many, threads) = ((threads, memory.batch), (threads, 0));
        let counts = plan.counts.then(|| spill(disk, plan, share(3), &ledger, many));
        let hits = hits.then(|| spill(disk, plan, share(6), &ledger, threads));
        let rejects = rejects.then(|| spill(disk, plan, share(2), &ledger, threads));
        let short = short.then(|| spill(disk, plan, share(1), &ledger, threads));
        let eidrs = eidrs.then(|| spill(disk, plan, share(1), &ledger, threads));
        let inputs = inputs.then(|| spill(disk, plan, share(1), &ledger, threads));
        let numbers = Numbers { of: HashMap::new(), bytes: 0, held: ledger.reserve() };
        let (opened, most) = (AtomicU64::new(0), if has_file { u64::MAX } else { INPUTS });
        let names = spill(disk, plan, share(3), &ledger, many);
        Collectors {
            names,
            short,
            eidrs,
            counts,
            hits,
            rejects,
            inputs,
            has_examples: plan.digest,
            opened,
            most,
            numbers: Mutex::new(numbers),
        }
    }

    /// Whether more than names is collected.
    pub(in crate::pipeline) fn has_rows(&self) -> bool {
        self.counts.is_some() || self.has_lines()
    }

    /// Whether what is collected has lines.
    fn has_lines(&self) -> bool {
        self.hits.is_some() || self.rejects.is_some() || self.has_examples
    }

    /// Notes that an input was opened.
    pub(in crate::pipeline) fn opened(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether there are too many inputs to tell of each.
    pub(in crate::pipeline) fn has_many_inputs(&self) -> bool {
        self.opened.load(Ordering::Relaxed) > self.most
    }

    /// The account of memory that is deducted from the shares of all.
    pub(in crate::pipeline) fn ledger(&self) -> &Ledger {
        self.names.ledger()
    }

    /// The input `name`, if rows tell of it.
    pub(in crate::pipeline) fn source(&self, name: &Path) -> Option<Source> {
        let name = name.as_os_str().as_bytes();
        self.has_rows().then(|| Source {
            key: record::input_key(name),
            number: if self.counts.is_some() { self.number(name) } else { 0 },
            lines: self.has_lines().then(|| Chain::new(1)),
            begin: 0,
        })
    }

    /// As [`Collectors::source`], of values that are each written after a line feed: there is
    /// one more than belongs to the text.
    #[cfg(feature = "parquet")]
    pub(in crate::pipeline) fn source_of_values(&self, name: &Path) -> Option<Source> {
        let source = self.source(name)?;
        let lines = source.lines.is_some().then(|| Chain::new(0));
        Some(Source { lines, begin: 1, ..source })
    }

    /// The number of the input `name`: equal names have one.
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

    /// The names of inputs, by their numbers.
    pub(in crate::pipeline) fn input_names(&self) -> InputNames {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let of = std::mem::take(&mut numbers.of);
        let mut names = vec![Vec::new(); of.len()];
        // In any order: each goes to its place.
        #[expect(clippy::iter_over_hash_type, reason = "each name goes to its place")]
        for (name, number) in of {
            names[number as usize] = name;
        }
        InputNames::new(names)
    }
}
