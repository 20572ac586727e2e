//! Finds records that have the same DOI.

use crate::error::Error;
use crate::output::usual_folder;
use crate::plan::Plan;
use crate::plan::report::Report;
use crate::run::run;
use std::path::PathBuf;
use tempfile::Builder;

/// Writes the records that share their own DOI to [`Plan::duplicates`]. The list of all DOIs is not kept.
///
/// # Errors
///
/// Fails like [`run()`](crate::run()).
pub fn duplicates(plan: Plan) -> Result<Report, Error> {
    let at = plan.temporary.first().map_or(usual_folder(), PathBuf::as_path);
    // A folder, because a file would be found where inputs are listed.
    let folder = Builder::new().prefix(".doiscan-").tempdir_in(at);
    let folder = folder.map_err(|error| Error::temporary(at, &error))?;
    run(&Plan { output: Some(folder.path().join("list")), ..plan }, &())
}
