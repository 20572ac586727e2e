//! A command that is run for an input: it gets a path, and its standard output is read in place of the
//! input.

use crate::files::Select;
use crate::limit::Meter;
use crate::problem::{Problem, ProblemCode, fault, plural};
use doiscan_os::Listed;
use doiscan_os::children::{self, Group};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time after which a waiting reader looks whether the run was cancelled.
const PAUSE: Duration = Duration::from_millis(50);

/// Time for which the output of a command that has ended may pause while another process keeps it open.
const GRACE: Duration = Duration::from_secs(5);

/// Number of last bytes that are kept of the messages.
const MESSAGES: usize = 4 * 1024;

/// Maximum number of characters of a message that is quoted.
const QUOTED: usize = 300;

/// A command, and the inputs for which it is run.
#[derive(Clone)]
pub struct Pre {
    command: PathBuf,
    select: Select,
    /// Where inputs are written that have no path.
    folder: PathBuf,
    /// Time after which the command is ended.
    limit: Duration,
    /// Whether it took an input.
    is_used: Arc<AtomicBool>,
}

/// Shows what determines the text of an input that is read to its end.
impl fmt::Debug for Pre {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let globs: Vec<&str> = self.select.texts().collect();
        write!(f, "{:?} {globs:?}", self.command)
    }
}

impl Pre {
    /// Runs `command` for inputs that `select` takes. Inputs that have no path are written to a
    /// temporary file in `folder`. A command that takes longer than `limit` is ended.
    pub fn new(command: PathBuf, select: Select, folder: PathBuf, limit: Duration) -> Pre {
        Pre { command, select, folder, limit, is_used: Arc::default() }
    }

    #[doc(hidden)]
    /// Whether the command is run for the input with the content `name`. Standard input has no name.
    pub fn takes(&self, name: &Path) -> bool {
        let takes = name != Path::new("-") && self.select.takes_file(name);
        if takes {
            self.is_used.store(true, Ordering::Relaxed);
        }
        takes
    }

    #[doc(hidden)]
    /// Whether it takes only some inputs, and was asked for none of them.
    pub fn is_unused(&self) -> bool {
        self.select.texts().next().is_some() && !self.is_used.load(Ordering::Relaxed)
    }

    #[doc(hidden)]
    /// Runs the command for the file `path`, whose size counts for the ratio of `meter`.
    ///
    /// # Errors
    ///
    /// Fails if the command cannot be started.
    pub fn run(&self, path: &Path, meter: &Meter) -> Result<Prepared, Problem> {
        let meta = path.metadata().map_err(|error| Problem::io(path, &error))?;
        meter.count(meta.len(), 0);
        self.start(path, meta.len(), meter).map_err(|error| {
            let message = format!("the command {} cannot be run: {error}", self.command.display());
            Problem::new(path, ProblemCode::of(&error), message)
        })
    }

    /// Like [`Pre::run`], for bytes in `source`. Returns the file that holds them too.
    pub(crate) fn run_copy(
        &self,
        source: &mut dyn Read,
        name: &Path,
        meter: &Meter,
    ) -> io::Result<(Prepared, Copied)> {
        let mut suffix = OsString::new();
        if let Some(extension) = name.extension() {
            suffix.push(".");
            suffix.push(extension);
        }
        let mut copy = tempfile::Builder::new();
        let mut copy = copy.prefix("doiscan-").suffix(&suffix).tempfile_in(&self.folder)?;
        let listed = Listed::new(copy.path());
        let size = io::copy(source, copy.as_file_mut())?;
        meter.count(size, 0);
        let prepared = self.start(copy.path(), size, meter).map_err(|error| {
            let message = format!("the command {} cannot be run: {error}", self.command.display());
            fault(ProblemCode::of(&error), message)
        })?;
        Ok((prepared, Copied { _file: copy, _listed: listed }))
    }

    fn start(&self, path: &Path, size: u64, meter: &Meter) -> io::Result<Prepared> {
        // A name that begins with a hyphen is not to be a flag.
        let is_flag = path.as_os_str().as_encoded_bytes().starts_with(b"-");
        let path = if is_flag { Path::new(".").join(path) } else { path.to_path_buf() };
        let mut command = Command::new(&self.command);
        command.arg(path).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let begin = now();
        let (mut child, group) = children::start(&mut command)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        Ok(Prepared {
            command: self.command.clone(),
            limit: self.limit,
            begin,
            child,
            group: Some(group),
            stdout: stdout.ok_or_else(|| io::Error::other("no pipe"))?,
            stderr,
            messages: Vec::new(),
            idle_since: None,
            lacks_text: size > 0,
            meter: meter.clone(),
            is_over: false,
        })
    }
}

#[expect(clippy::disallowed_methods, reason = "the time of a command is limited")]
fn now() -> Instant {
    Instant::now()
}

/// The file that a command reads. It is removed when this is dropped.
pub(crate) struct Copied {
    _file: tempfile::NamedTempFile,
    _listed: Listed,
}

/// The standard output of a command. Its end is an error if the command failed.
pub struct Prepared {
    command: PathBuf,
    limit: Duration,
    begin: Instant,
    child: Child,
    /// Until its leader was waited for.
    group: Option<Group>,
    stdout: ChildStdout,
    /// Standard error until its end.
    stderr: Option<ChildStderr>,
    /// The last messages.
    messages: Vec<u8>,
    /// Since when the command has ended and its output pauses.
    idle_since: Option<Instant>,
    /// Whether the file has bytes, and the output so far has blanks alone.
    lacks_text: bool,
    meter: Meter,
    is_over: bool,
}

impl Prepared {
    /// Waits until standard output or standard error has bytes, and reads those of standard error.
    /// Returns whether standard output has some, or has ended.
    fn wait(&mut self, pause: Duration, wants_output: bool) -> io::Result<bool> {
        self.meter.cancel().check()?;
        if self.begin.elapsed() > self.limit {
            let limit = plural(self.limit.as_secs(), "second");
            let message = format!("took more than {limit} (limit: --pre-timeout)");
            // Unlike other limits, the same bytes may need less time in the next run of a state.
            return Err(self.fault(ProblemCode::Unreadable, &message));
        }
        let stdout = wants_output.then_some(&self.stdout);
        let [has_output, has_messages] = children::ready(stdout, self.stderr.as_ref(), pause)?;
        if let (true, Some(stderr)) = (has_messages, &mut self.stderr) {
            let mut new = [0; MESSAGES];
            match stderr.read(&mut new)? {
                0 => self.stderr = None,
                n => {
                    self.messages.extend_from_slice(&new[..n]);
                    self.messages.drain(..self.messages.len().saturating_sub(MESSAGES));
                }
            }
        }
        Ok(has_output)
    }

    /// Waits until standard output has bytes or has ended.
    fn wait_for_output(&mut self) -> io::Result<()> {
        while !self.wait(PAUSE, true)? {
            if !children::has_ended(&mut self.child)? {
                continue;
            }
            if self.idle_since.get_or_insert_with(now).elapsed() > GRACE {
                self.is_over = true;
                self.kill();
                self.end()?;
                let message = "ended, but a process that it started kept its output open; \
                               let the command wait for it";
                return Err(self.fault(ProblemCode::Unreadable, message));
            }
        }
        self.idle_since = None;
        Ok(())
    }

    /// Waits for the end of the command, and for its last message.
    fn end(&mut self) -> io::Result<()> {
        while !children::has_ended(&mut self.child)? {
            if self.stderr.is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            self.wait(Duration::from_millis(5), false)?;
        }
        // The number of the group may be used anew once its leader was waited for.
        self.group = None;
        let status = self.child.wait()?;
        // Another process may keep standard error open.
        for _ in 0..64 {
            if self.stderr.is_none() || status.success() {
                break;
            }
            self.wait(Duration::from_millis(5), false)?;
        }
        if status.success() { Ok(()) } else { Err(self.failure(status)) }
    }

    fn kill(&self) {
        if let Some(group) = &self.group {
            group.kill();
        }
    }

    fn failure(&self, status: ExitStatus) -> io::Error {
        let how = match (status.code(), children::signal(status)) {
            (Some(code), _) => format!("failed with status {code}"),
            (_, Some(signal)) => format!("was ended by signal {signal}"),
            _ => "failed".to_owned(),
        };
        let messages = String::from_utf8_lossy(&self.messages);
        let last = messages.lines().rev().map(str::trim).find(|line| !line.is_empty());
        let last: String = last.unwrap_or_default().chars().take(QUOTED).collect();
        let colon = if last.is_empty() { "" } else { ": " };
        self.fault(ProblemCode::Unreadable, &format!("{how}{colon}{last}"))
    }

    fn fault(&self, code: ProblemCode, what: &str) -> io::Error {
        fault(code, format!("the command {} {what}", self.command.display()))
    }
}

impl Read for Prepared {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.is_over || out.is_empty() {
            return Ok(0);
        }
        let room = self.meter.room()?;
        // One byte more than the limit tells that there is more.
        let len = out.len().min(usize::try_from(room).unwrap_or(usize::MAX).max(1));
        self.wait_for_output()?;
        let got = self.stdout.read(&mut out[..len])?;
        if got == 0 {
            self.is_over = true;
            self.end()?;
            if self.lacks_text {
                return Err(self.fault(ProblemCode::Unreadable, "printed no text"));
            }
        } else if room == 0 {
            return Err(self.meter.large());
        }
        self.lacks_text &= out[..got].iter().all(|byte| *byte <= b' ');
        self.meter.count(0, got as u64);
        Ok(got)
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if self.group.is_some() {
            self.kill();
            let _ = self.child.wait();
        }
    }
}
