//! Checksums of rows. Every row on which an answer depends has one, computed by the SQL function
//! `row_sum` from the table's name and the values of the row.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};
use twox_hash::XxHash3_64;

/// The tables whose rows have a checksum, and the checksum of a row.
pub(super) const SUMS: [(&str, &str); 4] = [
    ("inputs", INPUT),
    (
        "runs",
        "row_sum('runs', id, outcome, record, list_path, list_device, list_inode, list_size,
         list_mtime_ns)",
    ),
    ("segments", "row_sum('segments', number, kind, records, bytes)"),
    ("settings", "row_sum('settings', name, value)"),
];

/// The checksum of a row of `inputs`.
pub(super) const INPUT: &str =
    "row_sum('inputs', id, path, device, inode, size, mtime_ns, ctime_ns,
    hash, state, last_read, distinct_dois, distinct_short_dois, trusted, source, good, details)";

/// Makes `row_sum` known to a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("row_sum", -1, flags, |values| Ok(row_sum(values)))
}

/// Computes the checksum of values and their types.
fn row_sum(values: &Context<'_>) -> i64 {
    let mut bytes = Vec::new();
    for index in 0..values.len() {
        let value = values.get_raw(index);
        bytes.push(value.data_type() as u8);
        match value {
            ValueRef::Null => {}
            ValueRef::Integer(number) => bytes.extend_from_slice(&number.to_le_bytes()),
            ValueRef::Real(number) => bytes.extend_from_slice(&number.to_le_bytes()),
            ValueRef::Text(text) | ValueRef::Blob(text) => {
                bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
                bytes.extend_from_slice(text);
            }
        }
    }
    XxHash3_64::oneshot(&bytes) as i64
}

/// Writes the checksums of the rows of `table` that have none.
pub(super) fn seal(connection: &Connection, table: &str) -> Result<()> {
    for (_, sum) in SUMS.iter().filter(|(name, _)| *name == table) {
        connection
            .execute(&format!("UPDATE {table} SET checksum = {sum} WHERE checksum IS NULL"), [])?;
    }
    Ok(())
}

/// Returns the name of a table with a row that is not the one that was written.
pub(super) fn damaged_table(connection: &Connection) -> Result<Option<&'static str>> {
    for (table, sum) in SUMS {
        let text = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE checksum IS NOT {sum})");
        if connection.query_row(&text, [], |row| row.get(0))? {
            return Ok(Some(table));
        }
    }
    Ok(None)
}

/// Returns the name of an index of inputs whose entries are not those of the table.
pub(super) fn damaged_index(connection: &Connection) -> Result<Option<&'static str>> {
    let indexes = [("path", "sqlite_autoindex_inputs_1"), ("source", "sqlite_autoindex_inputs_2")];
    for (column, index) in indexes {
        let sum = |by: &str| {
            let sum = format!("coalesce(sum(row_sum({column}, id) & 0xffffffff), 0)");
            connection.query_row(&format!("SELECT {sum} FROM inputs {by}"), [], |row| {
                row.get::<_, i64>(0)
            })
        };
        if sum("NOT INDEXED")? != sum(&format!("INDEXED BY {index}"))? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}
