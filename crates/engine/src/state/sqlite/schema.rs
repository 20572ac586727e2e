//! Defines the tables of the catalogue and migrates older catalogues. docs/state.md explains the
//! tables.

use rusqlite::{Connection, Transaction};

/// The schema version, stored in `PRAGMA user_version`.
pub(super) const VERSION: i64 = MIGRATIONS.len() as i64;

/// The first version with examples, prefixes and repeats.
pub(super) const DIGEST_VERSION: i64 = 2;

/// Migrations from each version to the next. Append new ones; never change existing ones.
const MIGRATIONS: [&str; 2] = [FIRST, DIGEST];

const FIRST: &str = "
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    finished TEXT,
    version TEXT NOT NULL,
    options TEXT NOT NULL,
    outcome TEXT NOT NULL,
    inputs_total INTEGER, inputs_read INTEGER, inputs_skipped INTEGER,
    bytes_read INTEGER, bytes_skipped INTEGER,
    candidates INTEGER, accepted INTEGER, rejected_total INTEGER, distinct_dois INTEGER,
    added INTEGER, removed INTEGER, problems INTEGER,
    seconds REAL, peak_memory INTEGER,
    record TEXT,
    list_path BLOB, list_device INTEGER, list_inode INTEGER, list_size INTEGER,
    list_mtime_ns INTEGER
);
CREATE TABLE inputs (
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL UNIQUE,
    name TEXT AS (CAST(path AS TEXT)) VIRTUAL,
    device INTEGER, inode INTEGER, size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER,
    hash BLOB,
    state TEXT NOT NULL,
    last_read INTEGER REFERENCES runs(id),
    distinct_dois INTEGER, distinct_short_dois INTEGER,
    trusted INTEGER NOT NULL,
    source INTEGER UNIQUE,
    good INTEGER,
    details BLOB, checksum INTEGER
);
CREATE TABLE run_inputs (
    run INTEGER NOT NULL REFERENCES runs(id),
    input INTEGER NOT NULL REFERENCES inputs(id),
    change TEXT NOT NULL,
    reason TEXT,
    bytes INTEGER, candidates INTEGER, accepted INTEGER, rejected_total INTEGER,
    distinct_dois INTEGER, seconds REAL, problem TEXT,
    PRIMARY KEY (run, input)
) WITHOUT ROWID;
CREATE TABLE gates (
    run INTEGER NOT NULL REFERENCES runs(id),
    expression TEXT NOT NULL,
    fired INTEGER NOT NULL,
    \"left\" REAL, \"right\" REAL,
    note TEXT
);
CREATE TABLE changes (
    run INTEGER NOT NULL REFERENCES runs(id),
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    count INTEGER NOT NULL
);
CREATE INDEX changes_by_run ON changes(run);
CREATE TABLE segments (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    records INTEGER NOT NULL,
    bytes INTEGER NOT NULL
);
CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    checksum INTEGER NOT NULL
) WITHOUT ROWID;
";

/// Version 2: the data that a page shows in addition to the figures.
const DIGEST: &str = "
ALTER TABLE runs ADD COLUMN prefixes INTEGER;
CREATE TABLE prefixes (
    run INTEGER NOT NULL REFERENCES runs(id),
    prefix TEXT NOT NULL,
    dois INTEGER NOT NULL,
    PRIMARY KEY (run, prefix)
) WITHOUT ROWID;
CREATE TABLE repeats (
    run INTEGER NOT NULL REFERENCES runs(id),
    least INTEGER NOT NULL,
    most INTEGER,
    dois INTEGER NOT NULL,
    PRIMARY KEY (run, least)
) WITHOUT ROWID;
CREATE TABLE examples (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs(id),
    input TEXT NOT NULL,
    line INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    before TEXT NOT NULL,
    text TEXT NOT NULL,
    doi TEXT
);
CREATE INDEX run_inputs_by_input ON run_inputs(input, run);
";

/// Migrates the catalogue to this version. If its version is newer, returns that version and leaves
/// the catalogue unchanged.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<Option<i64>> {
    let version = version(connection)?;
    let Some(missing) = usize::try_from(version).ok().and_then(|at| MIGRATIONS.get(at..)) else {
        return Ok(Some(version));
    };
    if missing.is_empty() {
        return Ok(None);
    }
    let transaction = connection.transaction()?;
    missing.iter().try_for_each(|migration| transaction.execute_batch(migration))?;
    set_version(&transaction, VERSION)?;
    transaction.commit()?;
    Ok(None)
}

pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn set_version(transaction: &Transaction<'_>, version: i64) -> rusqlite::Result<()> {
    transaction.pragma_update(None, "user_version", version)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the columns of all tables, as `table.column`.
    fn columns(connection: &Connection) -> Vec<String> {
        let text =
            "SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c
                    WHERE m.type = 'table' ORDER BY 1";
        let mut query = connection.prepare(text).expect("a query");
        let rows = query.query_map([], |row| row.get(0)).expect("rows");
        rows.collect::<Result<_, _>>().expect("columns")
    }

    #[test]
    fn every_version_becomes_this_one() {
        let mut newest = Connection::open_in_memory().expect("open");
        assert_eq!(migrate(&mut newest).expect("migrate"), None);
        for from in 0..=MIGRATIONS.len() {
            let mut connection = Connection::open_in_memory().expect("open");
            for migration in &MIGRATIONS[..from] {
                connection.execute_batch(migration).expect("an older version");
            }
            connection.pragma_update(None, "user_version", from as i64).expect("version");
            assert_eq!(migrate(&mut connection).expect("migrate"), None);
            assert_eq!(version(&connection).expect("version"), VERSION);
            assert_eq!(columns(&connection), columns(&newest), "from {from}");
        }
    }

    #[test]
    fn a_newer_version_is_left_alone() {
        let mut connection = Connection::open_in_memory().expect("open");
        connection.pragma_update(None, "user_version", VERSION + 1).expect("version");
        assert_eq!(migrate(&mut connection).expect("no error"), Some(VERSION + 1));
        assert!(columns(&connection).is_empty());
    }
}
