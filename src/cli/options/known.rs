//! The flags for indexes of known names.

use super::addresses::check_indexes;
use super::output::{destination, target};
use anyhow::{Result, bail};
use clap::Args;
use doiscan_engine::{Registries, SideFile};
use doiscan_os::io::command::AUTO;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `--known` of `check`.
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
        check_indexes(&self.known)?;
        doiscan_engine::check_replaced(&self.known, outputs)?;
        opened(&self.known)
    }
}

/// Opens indexes, if there are any.
fn opened(paths: &[PathBuf]) -> Result<Option<Registries>> {
    Ok(if paths.is_empty() { None } else { Some(Registries::open(paths, AUTO)?) })
}

/// `--known` of `scan`, and what is done with unknown names.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Recognition")]
pub(in crate::cli) struct KnownNames {
    /// Look DOIs up in INDEX, which doiscan index made; may be repeated
    ///
    /// A DOI that is known is taken as it is. If it is not, but a part of it is, or what the text goes on
    /// with makes a known one, the known one is taken and counted as repair registry. With --strict none is
    /// changed. Counts and hits have a column known.
    #[arg(long, value_name = "INDEX")]
    known: Vec<PathBuf>,

    /// Reject DOIs that no INDEX has, with the reason unknown
    #[arg(long, requires = "known")]
    only_known: bool,

    /// Also list the DOIs that no INDEX has in FILE, with counts
    ///
    /// A row has the number of occurrences and of inputs, and the first place. The suffix selects the format: .csv, .tsv, .jsonl, .parquet or .xlsx.
    #[arg(long, value_name = "FILE", value_parser = destination(), requires = "known", conflicts_with = "only_known",
          help_heading = "Output")]
    unknown: Option<PathBuf>,
}

impl KnownNames {
    /// Opens the indexes, if there are any.
    pub(in crate::cli) fn open(&self) -> Result<Option<Arc<Registries>>> {
        check_indexes(&self.known)?;
        Ok(opened(&self.known)?.map(Arc::new))
    }

    /// The files of the indexes.
    pub(in crate::cli) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.known.iter().cloned()
    }

    pub(in crate::cli) fn is_only(&self) -> bool {
        self.only_known
    }

    /// The flag for unknown names and its file.
    pub(in crate::cli) fn file(&self) -> (&str, Option<&Path>) {
        ("--unknown", self.unknown.as_deref())
    }

    /// The file for unknown names and its layout.
    pub(in crate::cli) fn unknown(&self, has_state: bool) -> Result<Option<SideFile>> {
        if has_state && self.unknown.is_some() {
            bail!(
                "--state cannot be used with --unknown: a state does not remember unknown DOIs; --counts FILE marks them"
            );
        }
        target("--unknown", self.unknown.as_deref())
    }
}
