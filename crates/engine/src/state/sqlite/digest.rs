//! Stores the digest of a run, which its page shows in addition to the figures: prefixes, repeats,
//! and examples of candidates.

use crate::figures::{Digest, Example};
use crate::output::escape;
use doiscan_core::doi::Reason;
use doiscan_core::scan::Repair;
use rusqlite::{Transaction, params};

/// Number of examples kept for each reason and each kind of repair.
const EXAMPLES: i64 = 3;

/// Kinds of examples.
pub(super) const REJECTED: &str = "rejected";
pub(super) const REPAIRED: &str = "repaired";

pub(super) fn write(
    transaction: &Transaction<'_>,
    run: i64,
    digest: &Digest,
) -> rusqlite::Result<()> {
    let text = "UPDATE runs SET prefixes = ?2 WHERE id = ?1";
    transaction.execute(text, params![run, digest.prefix_count as i64])?;
    for (prefix, dois) in &digest.prefixes {
        let text = "INSERT OR REPLACE INTO prefixes (run, prefix, dois) VALUES (?, ?, ?)";
        transaction.execute(text, params![run, escaped(prefix), *dois as i64])?;
    }
    for (bin, dois) in digest.repeats.iter().flatten() {
        let text = "INSERT OR REPLACE INTO repeats (run, least, most, dois) VALUES (?, ?, ?, ?)";
        let most = i64::try_from(*bin.end()).ok();
        transaction.execute(text, params![run, *bin.start() as i64, most, *dois as i64])?;
    }
    for reason in Reason::ALL {
        let examples = digest.examples.rejected(reason);
        replace(transaction, run, (REJECTED, reason.name()), examples)?;
    }
    for kind in Repair::ALL {
        let examples = digest.examples.repaired(kind);
        replace(transaction, run, (REPAIRED, kind.name()), examples)?;
    }
    Ok(())
}

/// Stores these examples and keeps older ones as far as there is room.
fn replace<'a>(
    transaction: &Transaction<'_>,
    run: i64,
    (kind, key): (&str, &str),
    examples: impl Iterator<Item = &'a Example>,
) -> rusqlite::Result<()> {
    // A file that is read again, such as a log that grows, gives the same places again.
    let same = "DELETE FROM examples WHERE kind = ? AND key = ? AND input = ? AND offset = ?";
    let text = "INSERT INTO examples (kind, key, run, input, line, offset, before, text, doi)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    for example in examples {
        let input = escaped(&example.input);
        transaction.execute(same, params![kind, key, input, example.offset as i64])?;
        transaction.execute(
            text,
            params![
                kind,
                key,
                run,
                input,
                example.line as i64,
                example.offset as i64,
                escaped(&example.before),
                escaped(&example.text),
                (!example.doi.is_empty()).then(|| escaped(&example.doi)),
            ],
        )?;
    }
    let text =
        "DELETE FROM examples WHERE kind = ?1 AND key = ?2 AND id NOT IN (SELECT id FROM examples
                WHERE kind = ?1 AND key = ?2 ORDER BY run DESC, id LIMIT ?3)";
    transaction.execute(text, params![kind, key, EXAMPLES])?;
    Ok(())
}

/// Escapes bytes as text, reversibly.
fn escaped(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    escape::bytes(bytes, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}
