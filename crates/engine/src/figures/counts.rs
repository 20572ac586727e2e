//! Counters. Each worker has a set; the sets are added up at the end.

use doiscan_core::doi::Reason;
use doiscan_core::scan::{Repair, Repairs};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;
use std::time::Duration;

/// Figures counted while scanning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counts {
    /// Inputs scanned, completely or up to a fault.
    pub files: u64,
    /// Bytes of all inputs, as reported when they were opened, or as read from inputs of unknown
    /// size.
    pub planned: u64,
    /// Bytes scanned.
    pub bytes: u64,
    /// Bytes not scanned because of a [`Problem`](doiscan_input::problem::Problem).
    pub lost: u64,
    /// Positions that looked like a DOI.
    pub candidates: u64,
    /// Candidates accepted as DOIs.
    pub accepted: u64,
    /// Candidates rejected, in the order of [`Reason::ALL`].
    pub rejected: [u64; Reason::ALL.len()],
    /// Accepted candidates that were repaired, in the order of [`Repair::ALL`].
    pub repaired: [u64; Repair::ALL.len()],
    /// Accepted candidates whose names no index has, if there are indexes.
    pub unknown: u64,
    /// Those whose prefix no index has.
    pub unknown_prefix: u64,
    /// EIDRs, if they were searched for.
    pub eidrs: EidrCounts,
}

/// Counts of EIDRs, found as DOIs and as values of keys and columns named EIDR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EidrCounts {
    /// Occurrences of valid EIDRs.
    pub found: u64,
    /// Occurrences of EIDRs with a wrong check character.
    pub wrong_check: u64,
    /// Values with another shape.
    pub wrong_shape: u64,
}

impl AddAssign for EidrCounts {
    fn add_assign(&mut self, other: EidrCounts) {
        self.found += other.found;
        self.wrong_check += other.wrong_check;
        self.wrong_shape += other.wrong_shape;
    }
}

impl Counts {
    /// Counts one DOI and its repairs.
    pub fn accept(&mut self, repairs: Repairs) {
        self.candidates += 1;
        self.accepted += 1;
        if !repairs.is_empty() {
            for kind in repairs.iter() {
                self.repaired[kind as usize] += 1;
            }
        }
    }

    /// Counts one rejected candidate.
    pub fn reject(&mut self, reason: Reason) {
        self.candidates += 1;
        self.rejected[reason as usize] += 1;
    }

    /// What was counted since `before`. EIDRs, which are counted elsewhere, are left at 0.
    pub fn since(&self, before: &Counts) -> Counts {
        let mut counts = Counts { eidrs: EidrCounts::default(), ..self.clone() };
        counts.zip(before, |count, before| *count -= before);
        counts
    }

    /// Applies `change` to each count, except those of EIDRs, and the same one of `other`.
    fn zip(&mut self, other: &Counts, change: impl Fn(&mut u64, u64)) {
        change(&mut self.files, other.files);
        change(&mut self.planned, other.planned);
        change(&mut self.bytes, other.bytes);
        change(&mut self.lost, other.lost);
        change(&mut self.candidates, other.candidates);
        change(&mut self.accepted, other.accepted);
        change(&mut self.unknown, other.unknown);
        change(&mut self.unknown_prefix, other.unknown_prefix);
        let rejected = self.rejected.iter_mut().zip(other.rejected);
        let repaired = self.repaired.iter_mut().zip(other.repaired);
        rejected.chain(repaired).for_each(|(count, other)| change(count, other));
    }

    /// Number of rejected candidates, for any reason.
    pub fn rejected_total(&self) -> u64 {
        self.rejected.iter().sum()
    }

    /// The repairs that occurred, with their counts, in the order of [`Repair::ALL`].
    pub fn repairs(&self) -> impl Iterator<Item = (Repair, u64)> {
        Repair::ALL.into_iter().zip(self.repaired).filter(|&(_, count)| count > 0)
    }

    /// The reasons that occurred, with their counts, in the order of [`Reason::ALL`].
    pub fn reasons(&self) -> impl Iterator<Item = (Reason, u64)> {
        Reason::ALL.into_iter().zip(self.rejected).filter(|&(_, count)| count > 0)
    }
}

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, other: &Counts) {
        self.zip(other, |sum, count| *sum += count);
        self.eidrs += other.eidrs;
    }
}

/// The figures of one input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InputStats {
    /// Its name, as in rows of hits.
    pub name: Vec<u8>,
    /// Bytes and candidates. `files`, `planned` and `repaired` are kept only for the whole run and
    /// are 0 here.
    pub counts: Counts,
    /// Time that workers spent on it: reading, unpacking, scanning.
    pub spent: Duration,
    /// Which part of it was not read, and why.
    pub problem: String,
    /// Number of its distinct DOIs, if they were collected.
    pub distinct: Option<u64>,
}

impl InputStats {
    /// Adds the figures of another part of the input.
    pub fn add(&mut self, other: &InputStats) {
        self.counts += &other.counts;
        self.spent += other.spent;
        // The parts come in the order of their problems, and several may tell the same.
        if !self.problem.ends_with(&other.problem) {
            let between = if self.problem.is_empty() { "" } else { "; " };
            self.problem += between;
            self.problem += &other.problem;
        }
        self.distinct = self.distinct.max(other.distinct);
    }
}

/// The figures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Figures counted while scanning.
    pub counts: Counts,
    /// Names handed to the collector by workers.
    pub pushed: u64,
    /// Names received by the collector, including repeats.
    pub received: u64,
    /// Distinct names collected: names kept, minus those that were in more than one run.
    pub distinct: u64,
    /// Names written.
    pub written: u64,
    /// Bytes written.
    pub output_bytes: u64,
    /// Distinct shortDOIs, if they were searched for.
    pub short: Option<u64>,
    /// Distinct EIDRs, if they were searched for.
    pub eidrs: Option<u64>,
    /// The records that share their own DOI, if they were searched.
    pub duplicates: Option<Duplicates>,
    /// Whether names were looked up in indexes.
    pub has_index: bool,
    /// Distinct names that no index has, if they are listed.
    pub unknown: Option<u64>,
    /// Number of spilled runs; 0 if everything fitted in memory.
    pub runs: u64,
    /// Bytes written to runs, including later merge passes.
    pub spilled_bytes: u64,
    /// Peak memory of the process in bytes, including mapped files, if the system reports it.
    pub peak_memory: Option<u64>,
    /// Number of scanning threads.
    pub threads: usize,
    /// Seconds from the listing of inputs to the end of the output.
    pub seconds: f64,
}

impl Stats {
    /// Input bytes per second, in units of 10⁹. 0 if no time was measured.
    pub fn gigabytes_per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.counts.bytes as f64 / 1e9 / self.seconds } else { 0.0 }
    }
}

/// Number of DOIs and works that several records have, and of these records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicates {
    /// Works, which are DOIs but for versions.
    pub works: u64,
    /// Records that have one of them.
    pub records: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_counter() {
        for (index, reason) in Reason::ALL.into_iter().enumerate() {
            let mut counts = Counts::default();
            counts.reject(reason);
            assert_eq!(counts.rejected[index], 1);
            assert_eq!(counts.reasons().collect::<Vec<_>>(), [(reason, 1)]);
        }
    }

    #[test]
    fn the_problems_of_parts_are_separated() {
        for (one, next, expected) in [
            ("", "", ""),
            ("gone", "", "gone"),
            ("", "gone", "gone"),
            ("gone", "cut", "gone; cut"),
            ("gone", "gone", "gone"),
        ] {
            let part = |problem: &str| InputStats { problem: problem.into(), ..Default::default() };
            let mut sum = part(one);
            sum.add(&part(next));
            assert_eq!(sum.problem, expected);
        }
    }

    #[test]
    fn adding_adds_every_field() {
        let mut one = Counts { files: 1, planned: 2, bytes: 3, lost: 4, ..Counts::default() };
        one.repaired = [1; Repair::ALL.len()];
        (one.unknown, one.unknown_prefix) = (7, 2);
        one.eidrs = EidrCounts { found: 1, wrong_check: 2, wrong_shape: 3 };
        one.accept(Repairs::default());
        one.reject(Reason::ALL[0]);
        let mut sum = one.clone();
        sum += &one;
        let expected = Counts {
            files: 2,
            planned: 4,
            bytes: 6,
            lost: 8,
            candidates: 4,
            accepted: 2,
            rejected: one.rejected.map(|n| n * 2),
            repaired: [2; Repair::ALL.len()],
            unknown: 14,
            unknown_prefix: 4,
            eidrs: EidrCounts { found: 2, wrong_check: 4, wrong_shape: 6 },
        };
        assert_eq!(sum, expected);
    }
}
