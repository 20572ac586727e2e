//! The progress bar, and the names of inputs as they are opened.

use super::terminal;
use crate::pipeline::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::Path;

/// Hears the progress of a run.
pub(super) struct Bar {
    bar: ProgressBar,
    verbose: bool,
}

impl Bar {
    /// A bar on standard error when `shown`; it draws nothing otherwise.
    pub(super) fn new(shown: bool, verbose: bool) -> Bar {
        let bar = if shown {
            ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(8))
        } else {
            ProgressBar::hidden()
        };
        let template = "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Bar { bar, verbose }
    }

    /// Takes the bar off the screen.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn total(&self, bytes: u64) {
        self.bar.set_length(bytes);
    }

    fn add(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    fn input(&self, path: &Path) {
        if self.verbose {
            self.bar.suspend(|| terminal::say_line(&path.to_string_lossy()));
        }
    }

    fn writing(&self) {
        self.bar.set_message("sorting and writing");
    }
}
