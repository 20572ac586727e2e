//! How far a run is: a bar on a terminal, lines in a log, and the names of inputs as
//! they are opened.

use super::summary::grouped;
use super::terminal;
use crate::pipeline::Progress;
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two lines in a log.
const PAUSE: Duration = Duration::from_secs(30);

/// Characters of an input's name beside the bar, its last ones.
const NAME: usize = 40;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    Nothing,
    /// One line that is drawn again and again.
    Bar,
    /// A line every [`PAUSE`].
    Lines,
}

/// Hears the progress of a run.
pub(super) struct Bar {
    bar: ProgressBar,
    verbose: bool,
    names: Arc<AtomicU64>,
    lines: Option<Lines>,
}

/// What lines are made of.
struct Lines {
    begin: Instant,
    done: AtomicU64,
    total: AtomicU64,
    /// Seconds from the begin to the line before.
    last: AtomicU64,
    input: Mutex<String>,
}

impl Bar {
    pub(super) fn new(show: Show, verbose: bool) -> Bar {
        let bar = match show {
            Show::Bar => {
                ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(8))
            }
            Show::Nothing | Show::Lines => ProgressBar::hidden(),
        };
        let names = Arc::new(AtomicU64::new(0));
        let lines = (show == Show::Lines).then(Lines::new);
        let bar = Bar { bar, verbose, names, lines };
        bar.style("{spinner} {bytes} {bytes_per_sec} {dois} DOIs {wide_msg}");
        bar
    }

    fn style(&self, template: &str) {
        let names = Arc::clone(&self.names);
        let show = move |_: &indicatif::ProgressState, out: &mut dyn Write| {
            let _ = out.write_str(&grouped(names.load(Ordering::Relaxed)));
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.with_key("dois", show));
        }
    }

    /// Takes the bar off the screen.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn total(&self, bytes: u64) {
        if let Some(lines) = &self.lines {
            lines.total.store(bytes, Ordering::Relaxed);
        }
        if bytes > 0 {
            self.bar.set_length(bytes);
            self.style(
                "{bar:20} {bytes}/{total_bytes} {bytes_per_sec} {eta} {dois} DOIs {wide_msg}",
            );
        }
    }

    fn add(&self, bytes: u64) {
        self.bar.inc(bytes);
        if let Some(lines) = &self.lines {
            lines.done.fetch_add(bytes, Ordering::Relaxed);
            if let Some(line) = lines.due(self.names.load(Ordering::Relaxed)) {
                terminal::say_line(&line);
            }
        }
    }

    fn found(&self, names: u64) {
        self.names.fetch_add(names, Ordering::Relaxed);
    }

    fn input(&self, path: &Path) {
        let name = path.to_string_lossy();
        if self.verbose {
            self.bar.suspend(|| terminal::say_line(&name));
        }
        if let Some(lines) = &self.lines {
            *lines.input.lock().unwrap_or_else(PoisonError::into_inner) = name.clone().into_owned();
        }
        if !self.bar.is_hidden() {
            self.bar.set_message(short(&terminal::escaped(&name).replace('\n', "\\n")));
        }
    }

    fn writing(&self) {
        self.bar.set_message("sorting and writing");
    }
}

impl Lines {
    fn new() -> Lines {
        let (done, total, last) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        Lines { begin: Instant::now(), done, total, last, input: Mutex::default() }
    }

    /// The next line, when it is time; for one of those who ask at once.
    fn due(&self, names: u64) -> Option<String> {
        let now = self.begin.elapsed();
        let last = self.last.load(Ordering::Relaxed);
        if now.as_secs() < last + PAUSE.as_secs() {
            return None;
        }
        let (order, now_secs) = (Ordering::Relaxed, now.as_secs());
        self.last.compare_exchange(last, now_secs, order, order).ok()?;
        let input = self.input.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Some(line(self.done.load(order), self.total.load(order), now, names, &input))
    }
}

/// `doiscan: 1.00 GiB of 4.00 GiB (25 %), 34.13 MiB/s, 2 minutes left, 1,204 DOIs, at dump.tar`.
fn line(done: u64, total: u64, spent: Duration, names: u64, input: &str) -> String {
    let rate = done as f64 / spent.as_secs_f64().max(0.001);
    let mut line = format!("doiscan: {}", HumanBytes(done));
    // Writing to a String cannot fail.
    if total > 0 {
        let percent = 100.0 * done as f64 / total as f64;
        let _ = write!(line, " of {} ({percent:.0} %)", HumanBytes(total));
    }
    let _ = write!(line, ", {}/s", HumanBytes(rate as u64));
    if total > done && rate > 0.0 {
        let left = Duration::from_secs_f64(((total - done) as f64 / rate).min(1e9));
        let _ = write!(line, ", {} left", HumanDuration(left));
    }
    let _ = write!(line, ", {} DOIs, at {input}", grouped(names));
    line
}

/// The end of a name, which tells more than its begin.
fn short(name: &str) -> String {
    match name.chars().count().checked_sub(NAME) {
        None | Some(0) => name.to_owned(),
        Some(more) => format!("…{}", name.chars().skip(more + 1).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_what_is_known() {
        let (mib, second) = (1024 * 1024, Duration::from_secs(30));
        assert_eq!(
            line(600 * mib, 2_400 * mib, second, 1_204, "a.tar!b.gz"),
            "doiscan: 600.00 MiB of 2.34 GiB (25 %), 20.00 MiB/s, 2 minutes left, \
             1,204 DOIs, at a.tar!b.gz"
        );
        assert_eq!(line(0, 0, second, 0, "-"), "doiscan: 0 B, 0 B/s, 0 DOIs, at -");
    }

    #[test]
    fn lines_come_with_pauses() {
        let mut lines = Lines::new();
        assert_eq!(lines.due(1), None);
        lines.begin = lines.begin.checked_sub(PAUSE).expect("the clock runs");
        assert!(lines.due(1).is_some());
        assert_eq!(lines.due(1), None);
    }

    #[test]
    fn long_names_show_their_end() {
        assert_eq!(short("a/b"), "a/b");
        let long = format!("{}/end.gz", "é".repeat(60));
        assert_eq!(short(&long).chars().count(), NAME);
        assert!(short(&long).ends_with("é/end.gz") && short(&long).starts_with('…'));
    }
}
