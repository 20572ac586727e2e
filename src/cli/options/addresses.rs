//! Which addresses a command reads and writes.

use crate::cli::terminal::in_shell;
use anyhow::{Result, bail};
use doiscan_input::printed_by;
use std::path::{Path, PathBuf};

/// The files that a command writes, each with its flag.
type Outputs<'a> = [(&'static str, Option<&'a Path>)];

/// Fails like [`check_read`] and [`check_written`].
pub(in crate::cli) fn check_addresses(
    command: &str,
    inputs: &[PathBuf],
    outputs: &Outputs<'_>,
) -> Result<()> {
    check_read(command, inputs)?;
    outputs
        .iter()
        .filter_map(|(flag, path)| Some((flag, (*path)?)))
        .try_for_each(|(flag, path)| check_written(command, flag, path))
}

/// Fails if an input is an address that this build does not read, which says what to do.
pub(in crate::cli) fn check_read<'a>(
    command: &str,
    inputs: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<()> {
    inputs.into_iter().try_for_each(|path| check_local(command, path))
}

/// Fails if an index is at an address: it is mapped.
pub(in crate::cli) fn check_indexes(paths: &[PathBuf]) -> Result<()> {
    match paths.iter().find(|path| path.to_str().is_some_and(|path| path.contains("://"))) {
        Some(path) if !path.exists() => {
            bail!("--known {}: an index is a local file; copy it first", path.display())
        }
        _ => Ok(()),
    }
}

/// Fails if `path` is an address, which says how to read what is there.
fn check_local(command: &str, path: &Path) -> Result<()> {
    let Some((printed, end)) = printed_by(path) else { return Ok(()) };
    let shown = in_shell(&path.to_string_lossy());
    if cfg!(feature = "remote") {
        bail!("{shown}: expected s3://, gs://, az://, http:// or https://");
    }
    bail!(
        "{shown} is an address, not a file; pipe it: {printed} {shown}{end} | doiscan {command} -"
    )
}

/// Fails if `path` is an address that this build does not write, which says what to do.
pub(in crate::cli) fn check_written(command: &str, flag: &str, path: &Path) -> Result<()> {
    let shown = path.to_string_lossy();
    let Some((scheme, _)) = shown.split_once("://") else { return Ok(()) };
    let is_folder = || path.parent().is_some_and(Path::is_dir);
    if doiscan_input::address(path).is_some() || is_folder() {
        return Ok(());
    }
    let pipe = match (flag, scheme) {
        ("--output", "s3") => {
            format!(", or pipe the list: doiscan {command} ... | aws s3 cp - {shown}")
        }
        ("--output", "gs") => {
            format!(", or pipe the list: doiscan {command} ... | gcloud storage cp - {shown}")
        }
        _ => String::new(),
    };
    match scheme {
        "s3" | "gs" | "az" => bail!(
            "{flag} {shown}: this build writes only files; build doiscan with --features remote (docs/remote.md){pipe}"
        ),
        _ => bail!(
            "{flag} {shown} is an address, not a file; write a file, or to s3://, gs:// or az://"
        ),
    }
}
