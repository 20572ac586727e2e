//! Finds records that have the same DOI.

use crate::error::Error;
use crate::plan::Plan;
use crate::plan::report::Report;
use crate::run::run;
use tempfile::Builder;

/// Writes the records that share their own DOI to [`Plan::duplicates`]. The list of all DOIs is not kept.
///
/// # Errors
///
/// Fails like [`run()`](crate::run()).
pub fn duplicates(plan: Plan) -> Result<Report, Error> {
    let mut list = Builder::new();
    list.prefix(".doiscan-");
    let list = match plan.temporary.first() {
        Some(folder) => list.tempfile_in(folder),
        None => list.tempfile(),
    };
    let list = list.map_err(|error| Error::NoInput(error.to_string()))?.into_temp_path();
    run(&Plan { output: Some(list.to_path_buf()), ..plan }, &())
}
