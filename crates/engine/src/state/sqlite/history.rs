//! Reads the history of runs from a state. Reading needs no lock and does not disturb a run in
//! progress.

use super::catalogue::GOOD;
use super::digest::{REJECTED, REPAIRED};
use super::files::{self, CATALOGUE};
use super::schema::{self, DIGEST_VERSION};
use crate::state::data::StoreError;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use std::path::Path;
use std::time::Duration;

/// How long to wait while a run writes the catalogue.
const PATIENCE: Duration = Duration::from_secs(30);

/// The runs recorded in a state.
#[derive(Debug)]
pub struct History {
    connection: Connection,
    path: String,
    version: i64,
}

/// A run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastRun {
    /// Number of the run.
    pub id: i64,
    /// Start time, RFC 3339.
    pub started: String,
    /// End time, RFC 3339, if the run ended.
    pub finished: Option<String>,
    /// Version of the program.
    pub version: String,
    /// Outcome, one of the values in docs/state.md.
    pub outcome: String,
    /// Number of distinct names.
    pub distinct: Option<u64>,
    /// Names added since the previous good run.
    pub added: Option<u64>,
    /// Names removed since the previous good run.
    pub removed: Option<u64>,
    /// Number of problems with inputs.
    pub problems: Option<u64>,
    /// Bytes of the inputs read.
    pub bytes_read: Option<u64>,
    /// Duration in seconds.
    pub seconds: Option<f64>,
}

/// The results of one input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Path.
    pub name: String,
    /// Reason why it was read, or that it is gone.
    pub change: Option<String>,
    /// Bytes scanned.
    pub bytes: Option<u64>,
    /// Number of DOIs in it, including repeats.
    pub accepted: Option<u64>,
    /// Number of DOIs found when it was last read before.
    pub before: Option<u64>,
    /// Number of rejected candidates.
    pub rejected: Option<u64>,
    /// Number of distinct DOIs.
    pub distinct: Option<u64>,
    /// Seconds spent on it.
    pub seconds: Option<f64>,
    /// The part that was not read, and why.
    pub problem: Option<String>,
}

/// Names of a registrant prefix that were added and removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrefixChange {
    /// The prefix.
    pub prefix: String,
    /// Number of names added.
    pub added: u64,
    /// Number of names removed.
    pub removed: u64,
}

/// A candidate that was rejected or repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// Whether it was rejected rather than repaired.
    pub is_rejected: bool,
    /// The reason for the rejection, or the kind of repair.
    pub key: String,
    /// Number of the run that read it.
    pub run: i64,
    /// Start time of that run, RFC 3339.
    pub started: String,
    /// Name of the input.
    pub input: String,
    /// Line number, from 1.
    pub line: u64,
    /// Offset of its first byte.
    pub offset: u64,
    /// The text before it.
    pub before: String,
    /// The text of the candidate.
    pub text: String,
    /// The DOI, if the candidate was accepted.
    pub doi: Option<String>,
}

impl History {
    /// Opens the catalogue of the state in `folder`.
    ///
    /// # Errors
    ///
    /// When there is no catalogue, when a newer version wrote it, or when it cannot be read.
    pub fn open(folder: &Path) -> Result<History, StoreError> {
        let path = folder.join(CATALOGUE).display().to_string();
        let fail = |error: rusqlite::Error| StoreError::Failed(format!("{path}: {error}"));
        files::inspect(folder)?;
        if !folder.join(CATALOGUE).exists() {
            return Err(StoreError::Failed(format!(
                "{path} does not exist: the folder has no state; doiscan scan --state makes one"
            )));
        }
        // Playing back the journal that a killed run left requires write access.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(folder.join(CATALOGUE), flags).map_err(fail)?;
        connection.busy_timeout(PATIENCE).map_err(fail)?;
        connection.pragma_update(None, "query_only", true).map_err(fail)?;
        // Reads all tables in one transaction, for a consistent view.
        connection.execute_batch("BEGIN").map_err(fail)?;
        let version = schema::version(&connection).map_err(fail)?;
        if version > schema::VERSION {
            let (path, known) = (folder.display(), schema::VERSION);
            let what = format!("was written by a newer doiscan: schema {version}");
            return Err(StoreError::Failed(format!(
                "state {path}: {what}, expected at most {known}"
            )));
        }
        Ok(History { connection, path, version })
    }

    /// Returns all runs, oldest first.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn runs(&self) -> Result<Vec<PastRun>, StoreError> {
        let text = "SELECT id, started, finished, version, outcome, distinct_dois, added, removed,
                    problems, bytes_read, seconds FROM runs ORDER BY id";
        self.all(text, [], |row| {
            Ok(PastRun {
                id: row.get(0)?,
                started: lossy(row, 1)?,
                finished: text_of(row, 2)?,
                version: lossy(row, 3)?,
                outcome: lossy(row, 4)?,
                distinct: number(row, 5)?,
                added: number(row, 6)?,
                removed: number(row, 7)?,
                problems: number(row, 8)?,
                bytes_read: number(row, 9)?,
                seconds: real(row, 10)?,
            })
        })
    }

    /// Returns the record of a run, as JSON.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn record(&self, run: i64) -> Result<Option<String>, StoreError> {
        let text = "SELECT record FROM runs WHERE id = ?";
        let found = self.connection.query_row(text, [run], |row| text_of(row, 0)).optional();
        found.map(Option::flatten).map_err(|e| self.failed(&e))
    }

    /// Returns the number of inputs that were read or missed since the last good run before `run`, and up to
    /// `most` of them: those whose DOIs changed most. Each is as in the last run that read or missed it.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn changed(&self, run: i64, most: usize) -> Result<(u64, Vec<Input>), StoreError> {
        let text = format!("SELECT id FROM (SELECT * FROM runs WHERE id < ?) WHERE {GOOD} LIMIT 1");
        let last = self.connection.query_row(&text, [run], |row| row.get::<_, i64>(0)).optional();
        let last = last.map_err(|e| self.failed(&e))?.unwrap_or(0);
        let text = "SELECT count(DISTINCT input) FROM run_inputs WHERE run > ?1 AND run <= ?2";
        let count = self.connection.query_row(text, [last, run], |row| row.get::<_, i64>(0));
        let count = count.map_err(|e| self.failed(&e))? as u64;
        let text = "SELECT name, change, bytes, accepted, before, rejected_total, distinct_dois, seconds,
            problem FROM (
                SELECT i.name, r.*, (SELECT p.accepted FROM run_inputs p WHERE p.input = r.input
                    AND p.run <= ?1 AND p.accepted IS NOT NULL ORDER BY p.run DESC LIMIT 1) AS before
                FROM (SELECT *, max(run) FROM run_inputs WHERE run > ?1 AND run <= ?2 GROUP BY input) r
                JOIN inputs i ON i.id = r.input)
            ORDER BY abs(coalesce(accepted, 0) - coalesce(before, 0)) DESC, problem IS NULL,
                accepted DESC, name LIMIT ?3";
        let inputs = self.all(text, params![last, run, most as i64], |row| {
            Ok(Input {
                name: lossy(row, 0)?,
                change: text_of(row, 1)?,
                bytes: number(row, 2)?,
                accepted: number(row, 3)?,
                before: number(row, 4)?,
                rejected: number(row, 5)?,
                distinct: number(row, 6)?,
                seconds: real(row, 7)?,
                problem: text_of(row, 8)?,
            })
        })?;
        Ok((count, inputs))
    }

    /// Returns the number of inputs, and up to `most` of them: those with the most distinct DOIs.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn largest(&self, most: usize) -> Result<(u64, Vec<Input>), StoreError> {
        let text = "SELECT count(*) FROM inputs WHERE state = 'live'";
        let count = self.connection.query_row(text, [], |row| row.get::<_, i64>(0));
        let count = count.map_err(|e| self.failed(&e))? as u64;
        let text = "SELECT name, (SELECT bytes FROM run_inputs WHERE run = last_read AND input = inputs.id),
                    distinct_dois FROM inputs WHERE state = 'live'
                    ORDER BY distinct_dois DESC, name LIMIT ?";
        let inputs = self.all(text, [most as i64], |row| {
            let (bytes, distinct) = (number(row, 1)?, number(row, 2)?);
            Ok(Input { name: lossy(row, 0)?, bytes, distinct, ..Input::default() })
        })?;
        Ok((count, inputs))
    }

    /// Returns up to `most` prefixes: those with the most names added and removed in a run.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn prefix_changes(&self, run: i64, most: usize) -> Result<Vec<PrefixChange>, StoreError> {
        let text = "SELECT key, sum(CASE kind WHEN 'prefix-added' THEN count ELSE 0 END),
            sum(CASE kind WHEN 'prefix-removed' THEN count ELSE 0 END) FROM changes
            WHERE run = ?1 AND kind IN ('prefix-added', 'prefix-removed')
            GROUP BY key ORDER BY sum(count) DESC, key LIMIT ?2";
        self.all(text, params![run, most as i64], |row| {
            let (added, removed) = (number(row, 1)?, number(row, 2)?);
            let (added, removed) = (added.unwrap_or(0), removed.unwrap_or(0));
            Ok(PrefixChange { prefix: lossy(row, 0)?, added, removed })
        })
    }

    /// Returns the number of prefixes in the list of a run, and those with the most DOIs.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn prefixes(&self, run: i64) -> Result<(u64, Vec<(String, u64)>), StoreError> {
        if self.version < DIGEST_VERSION {
            return Ok((0, Vec::new()));
        }
        let text = "SELECT prefixes FROM runs WHERE id = ?";
        let count = self.connection.query_row(text, [run], |row| number(row, 0)).optional();
        let count = count.map_err(|e| self.failed(&e))?.flatten().unwrap_or(0);
        let text = "SELECT prefix, dois FROM prefixes WHERE run = ? ORDER BY dois DESC, prefix";
        let prefix = |row: &Row<'_>| Ok((lossy(row, 0)?, number(row, 1)?.unwrap_or(0)));
        Ok((count, self.all(text, [run], prefix)?))
    }

    /// Returns how often DOIs occur in a run, as ranges: lowest number of occurrences, highest
    /// number, DOIs. Empty if occurrences were not counted.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn repeats(&self, run: i64) -> Result<Vec<(u64, Option<u64>, u64)>, StoreError> {
        if self.version < DIGEST_VERSION {
            return Ok(Vec::new());
        }
        let text = "SELECT least, most, dois FROM repeats WHERE run = ? ORDER BY least";
        self.all(text, [run], |row| {
            Ok((number(row, 0)?.unwrap_or(0), number(row, 1)?, number(row, 2)?.unwrap_or(0)))
        })
    }

    /// Returns the newest examples of each reason and of each kind of repair.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn examples(&self) -> Result<Vec<Example>, StoreError> {
        if self.version < DIGEST_VERSION {
            return Ok(Vec::new());
        }
        let text = "SELECT kind, key, run, started, input, line, offset, before, text, doi
            FROM examples JOIN runs ON runs.id = run WHERE kind IN (?, ?) ORDER BY run DESC, examples.id";
        self.all(text, [REJECTED, REPAIRED], |row| {
            Ok(Example {
                is_rejected: lossy(row, 0)? == REJECTED,
                key: lossy(row, 1)?,
                run: row.get(2)?,
                started: lossy(row, 3)?,
                input: lossy(row, 4)?,
                line: number(row, 5)?.unwrap_or(0),
                offset: number(row, 6)?.unwrap_or(0),
                before: lossy(row, 7)?,
                text: lossy(row, 8)?,
                doi: text_of(row, 9)?,
            })
        })
    }

    fn all<T>(
        &self,
        text: &str,
        values: impl rusqlite::Params,
        each: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut query = self.connection.prepare(text).map_err(|e| self.failed(&e))?;
        let rows = query.query_map(values, each).map_err(|e| self.failed(&e))?;
        rows.collect::<Result<_, _>>().map_err(|e| self.failed(&e))
    }

    fn failed(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::Failed(format!("{}: {error}", self.path))
    }
}

// Rows of the history have no checksum. A damaged value is shown as it is, or left out.

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    Ok(row.get_ref(column)?.as_i64().ok().map(|number| number as u64))
}

fn real(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<f64>> {
    Ok(row.get_ref(column)?.as_f64().ok())
}

/// Returns text that may not be valid UTF-8.
fn text_of(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    let bytes = row.get_ref(column)?.as_bytes_or_null().ok().flatten();
    Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
}

fn lossy(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    text_of(row, column).map(Option::unwrap_or_default)
}
