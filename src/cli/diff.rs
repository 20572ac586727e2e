//! `doiscan diff`: what came and what went between two lists.

use super::exit::Exit;
use super::summary::grouped;
use super::terminal;
use crate::pipeline::lists::{self, Told};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

const HELP: &str = "\
One line a change, in the order of names: +10.1000/CAME or -10.1000/WENT. With --added or
--removed the names alone, which is a list again. What a list is: doiscan merge --help.

Exit status: 0 no difference; 1 they differ; 2 fatal or usage error.";

/// Tell what came and what went between two sorted lists.
#[derive(Debug, Args)]
#[command(after_help = HELP, help_template = super::flags::TEMPLATE)]
pub(super) struct Diff {
    /// The old list, - for standard input
    #[arg(value_name = "OLD")]
    pub(super) old: PathBuf,

    /// The new list
    #[arg(value_name = "NEW")]
    pub(super) new: PathBuf,

    /// Write to FILE, not to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Only the names that came, without a sign
    #[arg(long, conflicts_with = "removed")]
    pub(super) added: bool,

    /// Only the names that went, without a sign
    #[arg(long)]
    pub(super) removed: bool,

    /// Say nothing but what went wrong
    #[arg(short, long)]
    pub(super) quiet: bool,
}

/// Runs `doiscan diff`.
pub(super) fn diff(flags: &Diff) -> Result<Exit> {
    super::once(&[flags.old.clone(), flags.new.clone()])?;
    let told = match (flags.added, flags.removed) {
        (true, _) => Told::Added,
        (_, true) => Told::Removed,
        _ => Told::Both,
    };
    let found = match lists::diff(&flags.old, &flags.new, told, flags.output.as_deref()) {
        // Only differences are written: there is one that nobody read.
        Err(error) if error.is_closed_pipe() => return Ok(Exit::Gate),
        result => result?,
    };
    if !flags.quiet {
        let (added, removed) = (grouped(found.added), grouped(found.removed));
        terminal::say(&format!(
            "{added} added, {removed} removed, {} in both",
            grouped(found.kept)
        ));
    }
    Ok(if found.added + found.removed == 0 { Exit::Done } else { Exit::Gate })
}
