//! Flags for a command that prepares inputs.

use anyhow::{Context, Result, bail};
use clap::Args;
use doiscan_input::{Pre, Select};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The command that prepares inputs of `scan`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub(in crate::cli) struct PreFlags {
    /// Search the output of COMMAND FILE in place of each file
    ///
    /// For formats that are not read, such as DjVu: COMMAND is a program or a script that gets a path as
    /// its one argument and writes text. At most -j commands run at once. If one fails, the file is
    /// named with the last line of its messages, and the exit status is 3. A file in an archive is
    /// written to a temporary file (-T) first. --pre-glob GLOB chooses files, --pre-timeout SECONDS ends
    /// commands (600). See docs/how-to.md.
    #[arg(long, value_name = "COMMAND")]
    pre: Option<PathBuf>,

    /// Run the command of --pre only for files that match GLOB
    ///
    /// A GLOB with a slash matches the whole path, as in '**/scanned/*.pdf'. !GLOB leaves files out. May be
    /// repeated; the last GLOB that matches a file decides.
    #[arg(long, value_name = "GLOB", requires = "pre", hide = true)]
    pre_glob: Vec<String>,

    /// End a command of --pre that takes longer than SECONDS
    ///
    /// The file is named, and the exit status is 3; what the command wrote before counts.
    #[arg(long, value_name = "SECONDS", requires = "pre", default_value_t = 600,
          value_parser = clap::value_parser!(u32).range(1..), hide = true)]
    pre_timeout: u32,
}

impl PreFlags {
    /// Returns the command, whose temporary files are written to the first of `folders`.
    pub(in crate::cli) fn pre(&self, folders: &[PathBuf]) -> Result<Option<Arc<Pre>>> {
        let Some(command) = self.pre.clone() else { return Ok(None) };
        if command.as_os_str().is_empty() {
            bail!("--pre: expected a command");
        }
        let select = Select::new(&self.pre_glob).context("--pre-glob")?;
        let folder = folders.first().cloned().unwrap_or_else(|| PathBuf::from("."));
        let limit = Duration::from_secs(self.pre_timeout.into());
        Ok(Some(Arc::new(Pre::new(command, select, folder, limit))))
    }
}
