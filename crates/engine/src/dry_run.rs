//! Lists what a run would read, and why.

use crate::error::Error;
use crate::plan::Plan;
use crate::plan::check::Outputs;
use crate::plan::remember::{DryRun, Start};
use crate::work::inputs;
use doiscan_os::disk::{Disk, System};
use std::sync::Arc;

/// Determines what a run with this plan would read. Writes nothing.
///
/// # Errors
///
/// When the inputs cannot be listed or the state cannot be read.
pub fn dry_run(plan: &Plan) -> Result<DryRun, Error> {
    let (inputs, pool) = inputs::list(plan, &Outputs::new(plan, &[]))?;
    let (units, disk) = (&inputs.units, Arc::new(System) as Arc<dyn Disk>);
    let found = match &plan.state {
        Some(state) => state.state.look(&Start::new(plan, units, &pool, &disk))?,
        None => {
            let all = (0..units.len()).filter_map(|index| units.get(index));
            let mut to_read: Vec<_> = all.map(|unit| (unit.path, "new", unit.size)).collect();
            to_read.sort_unstable();
            DryRun { to_read, ..DryRun::default() }
        }
    };
    Ok(DryRun { problems: inputs.problems, ..found })
}
