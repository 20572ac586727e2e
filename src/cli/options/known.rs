//! The flag for indexes of known names.

use anyhow::Result;
use clap::Args;
use doiscan_engine::Registries;
use doiscan_os::io::command::AUTO;
use std::path::{Path, PathBuf};

/// `--known`.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Recognition")]
pub(in crate::cli) struct KnownFlag {
    /// Say which DOIs are in INDEX, which doiscan index made; may be repeated
    ///
    /// Adds the column known (known or unknown) and, for unknown DOIs, the column nearest: at most three
    /// known DOIs that differ by one or two typing errors, the most likely first. The case of letters
    /// does not matter. Values without a DOI have neither.
    #[arg(long, value_name = "INDEX")]
    known: Vec<PathBuf>,
}

impl KnownFlag {
    /// Opens the indexes, if there are any. Fails if an output would replace one.
    pub(in crate::cli) fn open(
        &self,
        outputs: &[(&str, Option<&Path>)],
    ) -> Result<Option<Registries>> {
        if self.known.is_empty() {
            return Ok(None);
        }
        doiscan_engine::check_replaced(&self.known, outputs)?;
        Ok(Some(Registries::open(&self.known, AUTO)?))
    }
}
