//! Defines the tables of the catalogue and migrates older catalogues. docs/state.md explains the
//! tables.

use super::checksum::{self, SUMS};
use super::files::APPLICATION;
use rusqlite::{Connection, Transaction};

/// The schema version, stored in `PRAGMA user_version`.
pub(super) const VERSION: i64 = MIGRATIONS.len() as i64;

/// The first version with examples, prefixes and repeats.
pub(super) const DIGEST_VERSION: i64 = 2;

/// Migrations from each version to the next. Append new ones; never change existing ones.
const MIGRATIONS: [&str; 3] = [FIRST, DIGEST, CHECKSUMS];

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

/// Version 3: every row on which an answer depends has a checksum, which [`migrate`] writes.
const CHECKSUMS: &str = "
ALTER TABLE runs ADD COLUMN checksum INTEGER;
ALTER TABLE segments ADD COLUMN checksum INTEGER;
";

/// Whether a catalogue can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Sound,
    /// A newer version of the program wrote it.
    Newer(i64),
    /// It is not what was written, with a description.
    Damaged(String),
}

/// Migrates the catalogue to this version, unless it is newer or damaged. Then the catalogue stays
/// unchanged.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<Condition> {
    let version = version(connection)?;
    if version > VERSION {
        return Ok(Condition::Newer(version));
    }
    let Some(missing) = usize::try_from(version).ok().and_then(|at| MIGRATIONS.get(at..)) else {
        return Ok(Condition::Damaged(format!("its version is {version}")));
    };
    if missing.is_empty() {
        return Ok(Condition::Sound);
    }
    let transaction = connection.transaction()?;
    missing.iter().try_for_each(|migration| transaction.execute_batch(migration))?;
    for (table, sum) in SUMS {
        transaction.execute(&format!("UPDATE {table} SET checksum = {sum}"), [])?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    set_version(&transaction, VERSION)?;
    transaction.commit()?;
    Ok(Condition::Sound)
}

/// Checks every page, the text of the schema, the indexes of inputs and the checksum of every row that
/// has one. `integrity_check` would look up every row in every index: for a million inputs that took
/// 5.5 s of processor time, `quick_check` 0.7 s.
pub(super) fn check(connection: &Connection) -> rusqlite::Result<Condition> {
    let damaged = |what: String| Ok(Condition::Damaged(what));
    let application: u32 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application != APPLICATION {
        return damaged(format!("its application ID is {application}, expected {APPLICATION}"));
    }
    let mut expected = Connection::open_in_memory()?;
    checksum::register(&expected)?;
    migrate(&mut expected)?;
    let (expected, found) = (objects(&expected)?, objects(connection)?);
    // Users may add views and indexes.
    if let Some([_, name, ..]) = expected.iter().find(|object| !found.contains(object)) {
        return damaged(format!("its definition of {name:?} is not the one that was written"));
    }
    let what: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if what != "ok" {
        return damaged(what.replace('\n', " "));
    }
    if let Some(index) = checksum::damaged_index(connection)? {
        return damaged(format!("{index} does not match its table"));
    }
    Ok(match checksum::damaged_table(connection)? {
        Some(table) => Condition::Damaged(format!("a row of {table} is not what was written")),
        None => Condition::Sound,
    })
}

/// Returns type, name, table and text of every table and index.
fn objects(connection: &Connection) -> rusqlite::Result<Vec<[Option<String>; 4]>> {
    let mut query = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master")?;
    let rows =
        query.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
    rows.collect()
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

    fn memory() -> Connection {
        let connection = Connection::open_in_memory().expect("open");
        checksum::register(&connection).expect("a function");
        connection
    }

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
        let mut newest = memory();
        assert_eq!(migrate(&mut newest).expect("migrate"), Condition::Sound);
        assert_eq!(check(&newest).expect("check"), Condition::Sound);
        for from in 0..=MIGRATIONS.len() {
            let mut connection = memory();
            for migration in &MIGRATIONS[..from] {
                connection.execute_batch(migration).expect("an older version");
            }
            connection.pragma_update(None, "user_version", from as i64).expect("version");
            assert_eq!(migrate(&mut connection).expect("migrate"), Condition::Sound);
            assert_eq!(version(&connection).expect("version"), VERSION);
            assert_eq!(columns(&connection), columns(&newest), "from {from}");
        }
    }

    #[test]
    fn a_newer_version_is_left_alone() {
        let mut connection = memory();
        for is_new in [true, false] {
            connection.pragma_update(None, "user_version", VERSION + 1).expect("version");
            let newer = Condition::Newer(VERSION + 1);
            assert_eq!(migrate(&mut connection).expect("no error"), newer);
            assert_eq!(columns(&connection).is_empty(), is_new);
            connection.pragma_update(None, "user_version", 0).expect("version");
            let _ = migrate(&mut connection);
        }
    }

    #[test]
    fn a_version_that_was_not_written_is_damage() {
        for version in [-VERSION, VERSION - 1] {
            let mut connection = memory();
            migrate(&mut connection).expect("migrate");
            connection.pragma_update(None, "user_version", version).expect("version");
            match migrate(&mut connection) {
                Ok(condition) => assert!(matches!(condition, Condition::Damaged(_)), "{version}"),
                Err(error) => assert!(error.to_string().contains("duplicate column"), "{error}"),
            }
        }
    }
}
