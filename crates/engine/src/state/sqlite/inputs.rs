//! Reads and writes the rows about inputs that the engine uses.

use crate::state::data::{Distinct, FileState, KnownInput, ReadInput};
use rusqlite::{Row, Statement, params};

/// The columns that [`known`] reads, in order.
pub(super) const KNOWN: &str = "SELECT id, path, device, inode, size, mtime_ns, ctime_ns, hash,
    trusted, source, good, distinct_dois, distinct_short_dois, details
    FROM inputs WHERE state = 'live' OR good IS NOT NULL";

/// Writes an input that was read, without its checksum. An existing row keeps its number.
pub(super) const UPSERT: &str = "INSERT INTO inputs (path, device, inode, size, mtime_ns, ctime_ns,
    hash, trusted, source, details, last_read, state)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'live')
    ON CONFLICT (path) DO UPDATE SET device = ?2, inode = ?3, size = ?4, mtime_ns = ?5,
    ctime_ns = ?6, hash = ?7, trusted = ?8, source = ?9, details = ?10, last_read = ?11,
    state = 'live', distinct_dois = NULL, distinct_short_dois = NULL,
    good = CASE WHEN ?12 THEN ?9 ELSE good END
    RETURNING id";

/// Reads a row of [`KNOWN`].
pub(super) fn known(row: &Row<'_>) -> rusqlite::Result<KnownInput> {
    let path: Vec<u8> = row.get(1)?;
    let number = |column| row.get::<_, Option<i64>>(column);
    let file = match (number(2)?, number(3)?, number(4)?, number(5)?, number(6)?) {
        (Some(device), Some(inode), Some(size), Some(mtime_ns), Some(ctime_ns)) => {
            let (device, inode, size) = (device as u64, inode as u64, size as u64);
            Some(FileState { device, inode, size, mtime_ns, ctime_ns })
        }
        _ => None,
    };
    let hash = row.get::<_, Option<Vec<u8>>>(7)?.and_then(|hash| hash.try_into().ok());
    let details = row.get::<_, Option<Vec<u8>>>(13)?.unwrap_or_default();
    let count = |column| number(column).map(|n| n.map(|n| n as u64));
    let short = count(12)?.unwrap_or_default();
    Ok(KnownInput {
        id: row.get(0)?,
        path: doiscan_os::paths::path(&path).into_owned(),
        file,
        hash,
        is_trusted: row.get(8)?,
        source: row.get(9)?,
        good: row.get(10)?,
        distinct: count(11)?.map(|list| Distinct { list, short }),
        details,
    })
}

/// Runs [`UPSERT`]. Returns the number of the input.
pub(super) fn upsert(
    statement: &mut Statement<'_>,
    run: i64,
    input: &ReadInput,
) -> rusqlite::Result<i64> {
    let path = input.path.as_os_str().as_encoded_bytes();
    let file = |number: fn(FileState) -> i64| input.file.map(number);
    statement.query_row(
        params![
            path,
            file(|f| f.device as i64),
            file(|f| f.inode as i64),
            file(|f| f.size as i64),
            file(|f| f.mtime_ns),
            file(|f| f.ctime_ns),
            input.hash.as_ref().map(|hash| hash.as_slice()),
            input.is_trusted,
            input.source,
            input.details,
            run,
            input.is_good,
        ],
        |row| row.get(0),
    )
}
