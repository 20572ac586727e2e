//! The table of outputs: what each kind of records is, and where a plan wants it. To add an output,
//! add a kind, its row here, and the writer of its records in `rows`.
//!
//! The order of rows is the order of the records' bytes (`rows::record` describes their keys).

use super::kind::Kind;
use super::remember::{Start, StateRun};
use super::{Plan, SideFile, StatePlan};
use crate::error::Error;
use crate::output::{COUNTS, Column, HITS, Layout, NAMES, REJECTS, inputs};
use doiscan_input::Units;
use doiscan_os::disk::Disk;
use doiscan_sets::pool::Pool;
use std::path::Path;
use std::sync::Arc;

/// What is kept of records with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepRule {
    /// One of them.
    Once,
    /// Their sum.
    Sum,
    /// All of them.
    All,
    /// Records are not collected: the list decides which there are.
    WithList,
}

/// The file of an output, or standard output, and its format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub path: Option<&'a Path>,
    pub layout: Layout,
}

/// What a kind of records is.
pub(crate) struct OutputRow {
    /// Its name, the suffix of its segments.
    pub name: &'static str,
    /// The setting that names its file.
    pub flag: &'static str,
    pub columns: fn() -> &'static [Column],
    pub keep: KeepRule,
    /// Its share of the memory for records.
    share: usize,
    /// Where the plan wants it, if at all.
    target: fn(&Plan) -> Option<Target<'_>>,
    /// Whether a state remembers it, in segments of its own.
    pub is_remembered: bool,
    /// Whether a gate may refuse its file.
    pub is_gated: bool,
    /// Whether its rows need a format with several columns.
    pub is_table: bool,
}

/// A list of names that accompanies the list.
const NAME_LIST: OutputRow = OutputRow {
    name: "names",
    flag: "",
    columns: || NAMES,
    keep: KeepRule::Once,
    share: 1,
    target: |_| None,
    is_remembered: false,
    is_gated: true,
    is_table: false,
};

/// A table of records that are all kept.
const TABLE: OutputRow =
    OutputRow { keep: KeepRule::All, is_remembered: true, is_table: true, ..NAME_LIST };

static ROWS: [OutputRow; Kind::ALL.len()] = [
    OutputRow {
        flag: "--output",
        share: 3,
        target: |plan| (!plan.counts).then(|| list(plan)),
        is_remembered: true,
        ..NAME_LIST
    },
    // `check_counts` names the setting that asks for several columns.
    OutputRow {
        name: "counts",
        flag: "--output",
        columns: || COUNTS,
        keep: KeepRule::Sum,
        share: 3,
        target: |plan| plan.counts.then(|| list(plan)),
        is_table: false,
        ..TABLE
    },
    OutputRow {
        name: "short",
        flag: "--short-doi",
        target: |plan| {
            let path = plan.short_doi.as_deref()?;
            // Whoever made the plan has seen that the name can be that of a list.
            let (layout, _) = Layout::of(path).unwrap_or_default();
            Some(Target { path: Some(path), layout })
        },
        is_remembered: true,
        ..NAME_LIST
    },
    OutputRow {
        name: "eidrs",
        flag: "--eidr",
        target: |plan| plan.eidr.as_ref().map(file),
        ..NAME_LIST
    },
    // Hits need the most memory: every occurrence with all its columns.
    OutputRow {
        name: "hits",
        flag: "--hits",
        columns: || HITS,
        share: 6,
        target: |plan| plan.hits.as_ref().map(file),
        ..TABLE
    },
    OutputRow {
        name: "rejects",
        flag: "--rejects",
        columns: || REJECTS,
        share: 2,
        target: |plan| plan.rejects.as_ref().map(file),
        ..TABLE
    },
    OutputRow {
        name: "added",
        flag: "--added",
        keep: KeepRule::WithList,
        target: |plan| plan.state.as_ref()?.added.as_ref().map(file),
        ..NAME_LIST
    },
    OutputRow {
        name: "removed",
        flag: "--removed",
        keep: KeepRule::WithList,
        target: |plan| plan.state.as_ref()?.removed.as_ref().map(file),
        ..NAME_LIST
    },
    OutputRow {
        name: "inputs",
        flag: "--stats-inputs",
        columns: inputs,
        target: |plan| plan.stats_inputs.as_ref().map(file),
        is_gated: false,
        ..TABLE
    },
];

fn list(plan: &Plan) -> Target<'_> {
    Target { path: plan.output.as_deref(), layout: plan.layout }
}

fn file(file: &SideFile) -> Target<'_> {
    Target { path: Some(&file.path), layout: file.layout }
}

impl Kind {
    /// The row of the table.
    pub(crate) fn row(self) -> &'static OutputRow {
        &ROWS[self as usize]
    }

    /// Where the plan wants the records, if they have an output.
    pub(crate) fn target(self, plan: &Plan) -> Option<Target<'_>> {
        (self.row().target)(plan)
    }

    /// Whether the records are collected, with or without an output.
    pub(crate) fn is_collected(self, plan: &Plan) -> bool {
        match self {
            // The report or the state may need them.
            Kind::Inputs => plan.per_input || plan.stats_inputs.is_some() || plan.state.is_some(),
            Kind::Added | Kind::Removed => false,
            _ => self.target(plan).is_some(),
        }
    }

    /// The part of `bytes` that the records may take.
    pub(crate) fn share(self, plan: &Plan, bytes: usize) -> usize {
        let share = |kind: Kind| kind.row().share;
        let all = Kind::ALL.into_iter().filter(|kind| kind.is_collected(plan));
        bytes / all.map(share).sum::<usize>() * share(self)
    }

    /// The kinds that a state remembers, that of the list first.
    pub(crate) fn remembered(plan: &Plan) -> Vec<Kind> {
        let is_kept = |kind: &Kind| kind.row().is_remembered && kind.is_collected(plan);
        Kind::ALL.into_iter().filter(is_kept).collect()
    }
}

impl StatePlan {
    /// Begins a run of `plan`.
    pub(crate) fn begin<'a>(
        &'a self,
        plan: &'a Plan,
        units: &'a Units,
        pool: &'a Pool,
        disk: &'a Arc<dyn Disk>,
    ) -> Result<Box<dyn StateRun + 'a>, Error> {
        self.state.begin(&Start::new(plan, units, pool, disk))
    }
}

impl<'a> Start<'a> {
    /// What a run of `plan` begins with.
    pub(crate) fn new(
        plan: &'a Plan,
        units: &'a Units,
        pool: &'a Pool,
        disk: &'a Arc<dyn Disk>,
    ) -> Start<'a> {
        Start {
            units,
            pool,
            disk,
            settings: plan.affecting(),
            kinds: Kind::remembered(plan),
            is_lower: plan.lower,
            list: plan.output.as_deref(),
            temporary: &plan.temporary,
        }
    }
}
