//! Flags for the inputs of `merge` and `diff`.

use crate::cli::terminal::in_shell;
use anyhow::{Result, bail};
use doiscan_input::ListError;
use std::path::PathBuf;

/// Fails when standard input is named more than once: the second list would be empty.
pub(in crate::cli) fn standard_input_once(lists: &[PathBuf]) -> Result<()> {
    match lists.iter().filter(|path| path.as_os_str() == "-").count() {
        0 | 1 => Ok(()),
        _ => bail!("standard input (-) is named more than once; it can be only one of the lists"),
    }
}

/// Adds to an error of a list the command that makes a list of its file.
pub(in crate::cli) fn with_remedy(error: doiscan_engine::Error) -> anyhow::Error {
    let doiscan_engine::Error::List(ListError::Line { path, .. }) = &error else {
        return error.into();
    };
    let name = match path.to_str() {
        Some("-") | None => return error.into(),
        Some(name) => in_shell(name),
    };
    anyhow::anyhow!(
        "{error}; to make a sorted list of its DOIs, run: doiscan scan {name} -o sorted.txt"
    )
}
