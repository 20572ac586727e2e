//! The runs that a state knows, for those who look at them. Reading needs no lock, and a run that
//! goes on is not disturbed.

use super::digest::{REJECTED, REPAIRED};
use super::schema::{self, DIGEST_VERSION};
use super::store::CATALOGUE;
use crate::pipeline::StoreError;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use std::path::Path;
use std::time::Duration;

/// How long to wait while a run writes the catalogue.
const PATIENCE: Duration = Duration::from_secs(30);

/// The runs that a state knows.
#[derive(Debug)]
pub struct History {
    connection: Connection,
    path: String,
    version: i64,
}

/// A run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Its number.
    pub id: i64,
    /// RFC 3339.
    pub started: String,
    /// RFC 3339, if it came to its end.
    pub finished: Option<String>,
    /// The version of the program.
    pub version: String,
    /// As in docs/state.md.
    pub outcome: String,
    /// Distinct names.
    pub distinct: Option<u64>,
    /// Names that came since the good run before it.
    pub added: Option<u64>,
    /// Names that went.
    pub removed: Option<u64>,
    /// Problems with inputs.
    pub problems: Option<u64>,
    /// Bytes of inputs that were read.
    pub bytes_read: Option<u64>,
    /// How long it took.
    pub seconds: Option<f64>,
}

/// What an input gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Its path.
    pub name: String,
    /// Why it was read, or that it is gone.
    pub change: Option<String>,
    /// Bytes that were scanned.
    pub bytes: Option<u64>,
    /// DOIs in it, repeats included, and how many they were when it was read before.
    pub accepted: Option<u64>,
    /// As `accepted`, when it was read before.
    pub before: Option<u64>,
    /// Rejected candidates.
    pub rejected: Option<u64>,
    /// Distinct DOIs.
    pub distinct: Option<u64>,
    /// Seconds that were spent on it.
    pub seconds: Option<f64>,
    /// What was not read of it, and why.
    pub problem: Option<String>,
}

/// Names of a registrant prefix that came and went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrefixChange {
    /// The prefix.
    pub prefix: String,
    /// Names that came.
    pub added: u64,
    /// Names that went.
    pub removed: u64,
}

/// A candidate that was rejected or repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// Whether it was rejected; otherwise it was repaired.
    pub is_rejected: bool,
    /// The reason, or the kind of repair.
    pub key: String,
    /// The run that read it, and when that began.
    pub run: i64,
    /// RFC 3339.
    pub started: String,
    /// The name of the input.
    pub input: String,
    /// Its line, from 1.
    pub line: u64,
    /// Its first byte.
    pub offset: u64,
    /// The text before it.
    pub before: String,
    /// What it looks like.
    pub text: String,
    /// The DOI, if it was accepted.
    pub doi: Option<String>,
}

impl History {
    /// Opens the catalogue of the state in `folder`.
    ///
    /// # Errors
    ///
    /// When there is none, when a newer version wrote it, or when it cannot be read.
    pub fn open(folder: &Path) -> Result<History, StoreError> {
        let path = folder.join(CATALOGUE).display().to_string();
        let fail = |error: rusqlite::Error| StoreError(format!("{path}: {error}"));
        if !folder.join(CATALOGUE).exists() {
            return Err(StoreError(format!("{path}: there is no state")));
        }
        // A journal that a killed run left must be played back, which writes.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(folder.join(CATALOGUE), flags).map_err(fail)?;
        connection.busy_timeout(PATIENCE).map_err(fail)?;
        connection.pragma_update(None, "query_only", true).map_err(fail)?;
        // One view of all tables.
        connection.execute_batch("BEGIN").map_err(fail)?;
        let version = schema::version(&connection).map_err(fail)?;
        if version > schema::VERSION {
            let (path, known) = (folder.display(), schema::VERSION);
            let what = format!("was written by a newer doiscan: schema {version}");
            return Err(StoreError(format!("state {path}: {what}, expected at most {known}")));
        }
        Ok(History { connection, path, version })
    }

    /// All runs, the oldest first.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn runs(&self) -> Result<Vec<Run>, StoreError> {
        let text = "SELECT id, started, finished, version, outcome, distinct_dois, added, removed,
                    problems, bytes_read, seconds FROM runs ORDER BY id";
        self.all(text, [], |row| {
            Ok(Run {
                id: row.get(0)?,
                started: row.get(1)?,
                finished: row.get(2)?,
                version: row.get(3)?,
                outcome: row.get(4)?,
                distinct: number(row, 5)?,
                added: number(row, 6)?,
                removed: number(row, 7)?,
                problems: number(row, 8)?,
                bytes_read: number(row, 9)?,
                seconds: row.get(10)?,
            })
        })
    }

    /// The record of a run, as JSON.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn record(&self, run: i64) -> Result<Option<String>, StoreError> {
        let text = "SELECT record FROM runs WHERE id = ?";
        let found = self.connection.query_row(text, [run], |row| row.get(0)).optional();
        found.map(Option::flatten).map_err(|e| self.failed(&e))
    }

    /// How many inputs a run read or missed, and those of them whose DOIs changed most.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn changed(&self, run: i64, most: usize) -> Result<(u64, Vec<Input>), StoreError> {
        let text = "SELECT count(*) FROM run_inputs WHERE run = ?";
        let count = self.connection.query_row(text, [run], |row| row.get::<_, i64>(0));
        let count = count.map_err(|e| self.failed(&e))? as u64;
        let text = "SELECT name, change, bytes, accepted, before, rejected_total, distinct_dois, seconds,
            problem FROM (
                SELECT i.name, r.*, (SELECT p.accepted FROM run_inputs p WHERE p.input = r.input
                    AND p.run < r.run AND p.accepted IS NOT NULL ORDER BY p.run DESC LIMIT 1) AS before
                FROM run_inputs r JOIN inputs i ON i.id = r.input WHERE r.run = ?1)
            ORDER BY abs(coalesce(accepted, 0) - coalesce(before, 0)) DESC, problem IS NULL,
                accepted DESC, name LIMIT ?2";
        let inputs = self.all(text, params![run, most as i64], |row| {
            Ok(Input {
                name: lossy(row, 0)?,
                change: row.get(1)?,
                bytes: number(row, 2)?,
                accepted: number(row, 3)?,
                before: number(row, 4)?,
                rejected: number(row, 5)?,
                distinct: number(row, 6)?,
                seconds: row.get(7)?,
                problem: row.get(8)?,
            })
        })?;
        Ok((count, inputs))
    }

    /// The inputs with most distinct DOIs, and how many inputs there are.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn largest(&self, most: usize) -> Result<(u64, Vec<Input>), StoreError> {
        let text = "SELECT count(*) FROM inputs WHERE state = 'live'";
        let count = self.connection.query_row(text, [], |row| row.get::<_, i64>(0));
        let count = count.map_err(|e| self.failed(&e))? as u64;
        let text = "SELECT name, size, distinct_dois FROM inputs WHERE state = 'live'
                    ORDER BY distinct_dois DESC, name LIMIT ?";
        let inputs = self.all(text, [most as i64], |row| {
            let (bytes, distinct) = (number(row, 1)?, number(row, 2)?);
            Ok(Input { name: lossy(row, 0)?, bytes, distinct, ..Input::default() })
        })?;
        Ok((count, inputs))
    }

    /// The prefixes of which most names came and went in a run.
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
            Ok(PrefixChange { prefix: row.get(0)?, added, removed })
        })
    }

    /// The prefixes with most DOIs in the list of a run, and how many prefixes there are.
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
        let prefix = |row: &Row<'_>| Ok((row.get(0)?, number(row, 1)?.unwrap_or(0)));
        Ok((count, self.all(text, [run], prefix)?))
    }

    /// How many DOIs occur so often in a run: least, most, DOIs. Empty if that was not counted.
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

    /// The newest examples of each reason and of each kind of repair.
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
                is_rejected: row.get::<_, String>(0)? == REJECTED,
                key: row.get(1)?,
                run: row.get(2)?,
                started: row.get(3)?,
                input: row.get(4)?,
                line: number(row, 5)?.unwrap_or(0),
                offset: number(row, 6)?.unwrap_or(0),
                before: row.get(7)?,
                text: row.get(8)?,
                doi: row.get(9)?,
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
        StoreError(format!("{}: {error}", self.path))
    }
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(|number| number as u64))
}

/// Text that need not be UTF-8.
fn lossy(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    let bytes = row.get_ref(column)?.as_bytes_or_null()?.unwrap_or_default();
    Ok(String::from_utf8_lossy(bytes).into_owned())
}
