//! Lists what a run would read, and why.

use super::begin::{hashes, list, options};
use super::compare::compare;
use super::store::Beginning;
use crate::error::Error;
use crate::plan::Plan;
use crate::plan_check::Outputs;
use crate::scan::inputs;
use doiscan_input::problem::Problem;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a run would read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DryRun {
    /// Inputs to read, sorted by path, with the reason and the size in bytes.
    pub to_read: Vec<(PathBuf, &'static str, u64)>,
    /// Remembered inputs that no longer exist.
    pub gone: Vec<PathBuf>,
    /// Inputs that would be skipped: their number and their bytes.
    pub skipped: [u64; 2],
    /// Inputs that cannot be listed.
    pub problems: Vec<Problem>,
}

/// Determines what a run with this plan would read. Writes nothing.
///
/// # Errors
///
/// When the inputs cannot be listed or the state cannot be read.
pub fn dry_run(plan: &Plan) -> Result<DryRun, Error> {
    let (inputs, pool) = inputs::list(plan, &Outputs::new(plan, &[]))?;
    let units = &inputs.units;
    let mut found = DryRun { problems: inputs.problems, ..DryRun::default() };
    let Some(state) = &plan.state else {
        let all = (0..units.len()).filter_map(|index| units.get(index));
        found.to_read = all.map(|unit| (unit.path, "new", unit.size)).collect();
        found.to_read.sort_unstable();
        return Ok(found);
    };
    let (options, list) = (options(plan, state), list(plan));
    let begun = state.store.look(&Beginning { options: &options, list: &list })?;
    let hashes = hashes(state.trust, units, &pool)?;
    let (comparison, _) =
        compare(units, &*state.store, state.trust, begun.is_same, hashes, &BTreeMap::new())?;
    let unit = |index| units.get(index);
    let read = comparison.to_read.iter().filter_map(|r| Some((unit(r.index)?, r.change)));
    found.to_read = read.map(|(unit, change)| (unit.path, change, unit.size)).collect();
    found.to_read.sort_unstable();
    let gone: std::collections::HashSet<_> = comparison.gone.iter().copied().collect();
    state.store.each_input(&mut |known| {
        if gone.contains(&known.id) {
            found.gone.push(known.path);
        }
    })?;
    found.gone.sort_unstable();
    found.skipped = [comparison.kept.len() as u64, comparison.skipped_bytes];
    Ok(found)
}
