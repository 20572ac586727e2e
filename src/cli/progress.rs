//! Shows progress: a bar on a terminal, lines in a log, and the names of inputs as they are opened.

use super::log::{Event, Level, Log};
use super::numbers::{grouped, plural, rate, size};
use super::terminal;
use doiscan_engine::Progress;
use doiscan_os::lock::lock;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Interval between two lines in a log.
const PAUSE: Duration = Duration::from_secs(30);

/// Interval of the checks whether a line is due.
const TICK: Duration = Duration::from_millis(500);

/// Width of the bar itself in columns, if there is room for it.
const BAR: usize = 20;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    Nothing,
    /// One line, redrawn continuously.
    Bar,
    /// A line every [`PAUSE`].
    Lines,
}

/// Shows the progress of a run.
pub(super) struct Bar {
    bar: ProgressBar,
    verbose: bool,
    /// Whether the list is written to standard output. If so, the bar is removed first.
    is_before_list: bool,
    lines: Option<Lines>,
    state: Arc<State>,
    log: Log,
}

/// The current progress.
#[derive(Default)]
struct State {
    done: AtomicU64,
    total: AtomicU64,
    occurrences: AtomicU64,
    input: Mutex<String>,
}

/// The schedule of log lines.
struct Lines {
    begin: Instant,
    /// Seconds from the start to the previous line.
    last: AtomicU64,
}

impl Bar {
    pub(super) fn new(show: Show, verbose: bool, is_before_list: bool, log: Log) -> Bar {
        let state = Arc::new(State::default());
        let bar = match show {
            Show::Bar => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8)),
            Show::Nothing | Show::Lines => ProgressBar::hidden(),
        };
        let of_bar = Arc::clone(&state);
        let draw = move |progress: &ProgressState, out: &mut dyn Write| {
            let _ = out.write_str(&of_bar.line(progress.elapsed(), terminal::width()));
        };
        if let Ok(style) = ProgressStyle::with_template("{line}") {
            bar.set_style(style.with_key("line", draw));
        }
        let lines = (show == Show::Lines).then(Lines::new);
        Bar { bar, verbose, is_before_list, lines, state, log }
    }

    /// Removes the bar from the screen.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Writes a line to the log if one is due.
    fn log(&self) {
        if let Some(spent) = self.lines.as_ref().and_then(Lines::due) {
            self.log.say(self.state.event(spent));
        }
    }
}

impl Progress for Bar {
    fn pause(&self) -> Option<Duration> {
        (self.lines.is_some() || !self.bar.is_hidden()).then_some(TICK)
    }

    fn tick(&self) {
        self.bar.tick();
        self.log();
    }

    fn total(&self, bytes: u64) {
        self.state.total.store(bytes, Ordering::Relaxed);
    }

    fn add(&self, bytes: u64) {
        self.state.done.fetch_add(bytes, Ordering::Relaxed);
        self.bar.inc(bytes);
        self.log();
    }

    fn found(&self, names: u64) {
        self.state.occurrences.fetch_add(names, Ordering::Relaxed);
    }

    fn input(&self, path: &Path) {
        let name = path.to_string_lossy();
        if self.verbose {
            let event = Event::new(Level::Info, "input", &*name).with("input", &*name);
            self.bar.suspend(|| self.log.say_name(event));
        }
        if self.pause().is_some() {
            self.state.set_input(terminal::escaped(&name).replace('\n', "\\n"));
        }
    }

    fn writing(&self) {
        self.state.set_input("sorting and writing".to_owned());
        match self.is_before_list {
            true => self.clear(),
            false => self.bar.tick(),
        }
    }
}

impl State {
    fn set_input(&self, name: String) {
        *lock(&self.input) = name;
    }

    fn input(&self) -> String {
        lock(&self.input).clone()
    }

    /// Formats the bar within `width` columns. Drops what does not fit, least important parts
    /// first, and shortens the name of the input from the left.
    fn line(&self, spent: Duration, width: usize) -> String {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let occurrences = plural(self.occurrences.load(Ordering::Relaxed), "occurrence");
        let mut line = String::new();
        if total > 0 {
            if width >= 60 {
                line = drawn(done, total) + " ";
            }
            line += &format!("{} %", 100 * done.min(total) / total);
        } else {
            line += &size(done);
        }
        let of_total = (total > 0).then(|| format!("{} of {}", size(done), size(total)));
        let parts =
            [left(done, total, spent), Some(occurrences), Some(rate_of(done, spent)), of_total];
        for part in parts.into_iter().flatten() {
            if columns(&line) + 2 + columns(&part) < width {
                line = line + ", " + &part;
            }
        }
        let room = width.saturating_sub(columns(&line) + 2);
        match shortened(&self.input(), room) {
            Some(name) => line + " " + &name,
            None => line,
        }
    }

    /// Returns the progress as an event.
    fn event(&self, spent: Duration) -> Event {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        Event::new(Level::Info, "progress", self.log_line(spent))
            .with("bytes", done)
            .with("bytes_total", total)
            .with("occurrences", self.occurrences.load(Ordering::Relaxed))
            .with("seconds", spent.as_secs_f64())
            .with("input", self.input())
    }

    /// Formats the progress: `1.07 GB of 4.29 GB (25 %), 35.8 MB/s, 90 s left, 1,204 occurrences of
    /// DOIs, at dump.tar`.
    fn log_line(&self, spent: Duration) -> String {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let mut line = size(done);
        // Writing to a String cannot fail.
        if total > 0 {
            let percent = 100.0 * done as f64 / total as f64;
            let _ = write!(line, " of {} ({percent:.0} %)", size(total));
        }
        let _ = write!(line, ", {}", rate_of(done, spent));
        if let Some(left) = left(done, total, spent) {
            let _ = write!(line, ", {left}");
        }
        let found = grouped(self.occurrences.load(Ordering::Relaxed));
        let _ = write!(line, ", {found} occurrences of DOIs, at {}", self.input());
        line
    }
}

impl Lines {
    fn new() -> Lines {
        Lines { begin: Instant::now(), last: AtomicU64::new(0) }
    }

    /// Returns the time since the start if a line is due. If several threads ask at once, only one
    /// gets it.
    fn due(&self) -> Option<Duration> {
        let now = self.begin.elapsed();
        let last = self.last.load(Ordering::Relaxed);
        if now.as_secs() < last + PAUSE.as_secs() {
            return None;
        }
        let order = Ordering::Relaxed;
        self.last.compare_exchange(last, now.as_secs(), order, order).ok()?;
        Some(now)
    }
}

/// Draws a bar: `[=====>              ]`.
fn drawn(done: u64, total: u64) -> String {
    let full = (BAR as f64 * (done as f64 / total as f64).min(1.0)) as usize;
    let head = if full < BAR { ">" } else { "" };
    format!("[{}{head}{}]", "=".repeat(full), " ".repeat(BAR - full - head.len()))
}

/// Formats the average rate since the start.
fn rate_of(done: u64, spent: Duration) -> String {
    rate(done, spent.as_secs_f64().max(0.001))
}

/// Formats the remaining time, such as `3 s left`, once a rate is known.
fn left(done: u64, total: u64, spent: Duration) -> Option<String> {
    let rate = done as f64 / spent.as_secs_f64().max(0.001);
    let seconds = (total.saturating_sub(done) as f64 / rate).ceil().max(1.0);
    (total > done && rate > 0.0).then(|| match seconds {
        s if s < 120.0 => format!("{s:.0} s left"),
        s if s < 7200.0 => format!("{:.0} min left", s / 60.0),
        s => format!("{:.0} h left", s / 3600.0),
    })
}

/// Shortens a name to `room` columns. Keeps its end, which is more informative than its beginning.
fn shortened(name: &str, room: usize) -> Option<String> {
    if columns(name) <= room {
        return (!name.is_empty()).then(|| name.to_owned());
    }
    let mut used = 1;
    let is_kept = |c: &char| {
        used += width_of(*c);
        used <= room
    };
    let mut end: Vec<char> = name.chars().rev().take_while(is_kept).collect();
    end.reverse();
    (end.len() >= 4).then(|| format!("…{}", end.into_iter().collect::<String>()))
}

/// Returns the width of a text on a terminal in columns, or an overestimate.
fn columns(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

/// East Asian characters and pictographs, all above U+1100, may take two columns.
fn width_of(c: char) -> usize {
    if u32::from(c) < 0x1100 || c == '…' { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(done: u64, total: u64, names: u64, input: &str) -> State {
        let state = State::default();
        state.done.store(done, Ordering::Relaxed);
        state.total.store(total, Ordering::Relaxed);
        state.occurrences.store(names, Ordering::Relaxed);
        state.set_input(input.to_owned());
        state
    }

    #[test]
    fn a_line_in_a_log_says_what_is_known() {
        let (mb, spent) = (1_000_000, Duration::from_secs(30));
        assert_eq!(
            state(600 * mb, 2_400 * mb, 1_204, "a.tar!b.gz").log_line(spent),
            "600 MB of 2.40 GB (25 %), 20.0 MB/s, 90 s left, \
             1,204 occurrences of DOIs, at a.tar!b.gz"
        );
        assert_eq!(state(0, 0, 0, "-").log_line(spent), "0 B, 0 B/s, 0 occurrences of DOIs, at -");
    }

    #[test]
    fn the_bar_is_one_line_of_what_fits() {
        let spent = Duration::from_secs(9);
        let state = state(750_000_000, 1_000_000_000, 1_204, "/data/dumps/crossref.tar!a.json.gz");
        let rows = [
            (20, "75 %, 3 s left"),
            (40, "75 %, 3 s left, 1,204 occurrences"),
            (80, "[===============>    ] 75 %, 3 s left, 1,204 occurrences, 83.3 MB/s"),
            (
                200,
                "[===============>    ] 75 %, 3 s left, 1,204 occurrences, 83.3 MB/s, \
                 750 MB of 1.00 GB /data/dumps/crossref.tar!a.json.gz",
            ),
        ];
        for (width, line) in rows {
            assert!(state.line(spent, width).starts_with(line), "{width}");
        }
        for width in 1..=250 {
            let line = state.line(spent, width);
            assert!(columns(&line) < width.max(6), "{width}: {line}");
        }
    }

    #[test]
    fn lines_come_with_pauses() {
        let mut lines = Lines::new();
        assert_eq!(lines.due(), None);
        lines.begin = lines.begin.checked_sub(PAUSE).expect("the clock runs");
        assert!(lines.due().is_some());
        assert_eq!(lines.due(), None);
    }

    #[test]
    fn long_names_show_their_end() {
        assert_eq!(shortened("a/b", 3).as_deref(), Some("a/b"));
        assert_eq!(shortened("a/bcdefg", 6).as_deref(), Some("…cdefg"));
        assert_eq!(shortened("数/据/端.gz", 6).as_deref(), Some("…端.gz"));
        assert_eq!(shortened("a/bcdefg", 3), None);
        assert_eq!(shortened("", 80), None);
    }
}
