//! Scans all inputs on all threads.

use super::queue::Queue;
use super::worker::Worker;
use crate::error::Error;
use crate::figures::{Counts, Documents, Examples};
use crate::plan::Plan;
use crate::plan::remember::{Remembered, StateRun};
use crate::progress::Progress;
use crate::rows::collectors::{Collectors, RecordCounts};
use crate::rows::groups::InputNames;
use doiscan_core::format::Quoting;
use doiscan_input::problem::{Problem, ProblemCode, Problems};
use doiscan_input::{LeftOut, Units};
use doiscan_sets::pool::Pool;
use std::collections::BTreeMap;

/// The results of all workers, except the names in the collector.
#[derive(Default)]
pub(crate) struct Scanned {
    pub counts: Counts,
    pub pushed: RecordCounts,
    pub documents: Documents,
    pub examples: Examples,
    pub left_out: LeftOut,
}

impl Scanned {
    /// Adds what a state knows of the inputs. Returns the counts of inputs that were not read, and
    /// the names of all.
    pub(crate) fn add(
        &mut self,
        remembered: Remembered,
        problems: &mut Problems,
    ) -> (Counts, InputNames) {
        let Remembered { skipped, problems: found, documents, sources } = remembered;
        self.counts += &skipped;
        problems.append(found);
        for (document, path, has_doi) in documents {
            self.documents.found(document, &path, u64::from(has_doi));
        }
        (skipped, InputNames::of_sources(sources.into_iter()))
    }
}

/// What workers share.
pub(crate) struct Scan<'a> {
    pub plan: &'a Plan,
    pub units: &'a Units,
    pub pool: &'a Pool,
    pub collectors: &'a Collectors,
    pub state: Option<&'a dyn StateRun>,
}

impl Scan<'_> {
    /// Scans every input and adds up the counts of all workers.
    pub(crate) fn run(
        &self,
        progress: &dyn Progress,
        problems: &mut Problems,
    ) -> Result<Scanned, Error> {
        let Scan { plan, units, pool, collectors, state } = *self;
        let queue = Queue::new(units, plan, state);
        let work = || Worker::new(plan, &queue, collectors, progress, pool.threads(), state).run();
        let mut sum = Scanned::default();
        let mut quoting = BTreeMap::new();
        for done in pool.all(|| queue.close(), work)? {
            sum.counts += &done.counts;
            sum.pushed += done.pushed;
            sum.documents.add(done.documents);
            sum.examples.append(done.examples);
            sum.left_out.append_earlier(done.left_out.earlier, done.left_out.first);
            problems.append(done.problems);
            for (path, found) in done.quoting {
                *quoting.entry(path).or_insert_with(Quoting::default) += found;
            }
        }
        for (path, quoting) in quoting {
            // Any other problem of the input is more informative.
            if !problems.has(&path) {
                problems.push(Problem::new(&path, ProblemCode::UnclosedQuote, quoting.to_string()));
            }
        }
        Ok(sum)
    }
}
