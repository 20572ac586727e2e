//! Lists the inputs of a run, on all threads.

use crate::error::Error;
use crate::gate::no_input;
use crate::memory;
use crate::output;
use crate::plan::{CHUNK, Plan};
use doiscan_input::problem::Problem;
use doiscan_input::{LeftOut, Listing, Own, Request, Units};
use doiscan_sets::pool::Pool;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread::available_parallelism;

/// Inputs with a total size below this are scanned by one thread, because starting others costs
/// more than they save.
const ALONE: u64 = 256 * 1024;

/// Files of folders that are examined before they are added to the inputs. Until then, an entry
/// takes ten times as much memory.
const AT_ONCE: usize = 64 * 1024;

/// The inputs of a run.
pub(crate) struct Inputs {
    pub units: Units,
    pub problems: Vec<Problem>,
    pub left_out: LeftOut,
    /// Whether the user named one input and nothing else.
    pub is_one: bool,
}

/// Lists the inputs and starts the threads of the run. `written` are the files that the run writes
/// besides the list.
pub(crate) fn list(plan: &Plan, written: &[&Path]) -> Result<(Inputs, Pool), Error> {
    let own = own(plan, written);
    let request =
        Request { inputs: &plan.inputs, lists: &plan.lists, select: &plan.select, own: &own };
    let mut listing = doiscan_input::list(&request)?;
    let is_one = plan.inputs.len() == 1 && plan.lists.is_empty() && listing.found.is_empty();
    let pool = Pool::new(threads_for(plan, &listing).min(memory::threads(plan.memory)));
    let found = std::mem::take(&mut listing.found);
    for files in found.chunks(AT_ONCE) {
        let probed = pool.map(files, |&file| listing.probe(file))?;
        listing.add(probed, &own);
    }
    listing.settle();
    let Listing { units, problems, left_out, .. } = listing;
    if units.is_empty() && problems.is_empty() && !plan.gates.allow_empty {
        let lists: Vec<_> = plan.lists.iter().map(|list| list.path.as_path()).collect();
        return Err(Error::NoInput(no_input(&plan.inputs, &lists, &plan.select, &left_out)));
    }
    Ok((Inputs { units, problems, left_out, is_one }, pool))
}

/// The files that the run writes and must not read.
fn own(plan: &Plan, written: &[&Path]) -> Own {
    let list = plan.output.as_deref();
    let outputs = || list.into_iter().chain(written.iter().copied());
    let files = outputs().map(Some).chain(list.is_none().then_some(None));
    // Refused outputs of this or an earlier run are not inputs either.
    let failed = outputs().map(output::beside).filter_map(|path| output::existing(Some(&path)));
    Own {
        files: files.filter_map(output::existing).chain(failed).collect(),
        prefixes: outputs().filter_map(output::temporary_prefix).collect(),
        folder: plan
            .state
            .as_ref()
            .and_then(|state| doiscan_input::folder_id(state.store.folder())),
    }
}

/// Uses one thread if the input is small and of known size, otherwise all threads.
fn threads_for(plan: &Plan, listing: &Listing) -> NonZeroUsize {
    let units = &listing.units;
    let small = listing.found.len() <= 1 && !units.has_stream() && units.size() <= ALONE;
    // Tests with small chunks expect them to be distributed over threads.
    let alone = small && plan.chunk >= CHUNK;
    match plan.threads {
        _ if alone => NonZeroUsize::MIN,
        Some(threads) => threads,
        None => available_parallelism().unwrap_or(NonZeroUsize::MIN),
    }
}
