//! Cuts MARC records in files (ISO 2709): a leader, a directory, and fields.

use super::Run;
use memchr::memchr;

/// Length of the leader, and of an entry of the directory: tag, length, start.
const LEADER: usize = 24;
const ENTRY: usize = 12;

pub(super) fn cut(run: &mut Run<'_>) {
    while run.at < run.end {
        if let Some(len) = record(run) {
            run.at += len;
            continue;
        }
        // Goes on after the terminator of a damaged record.
        run.at = run.next(|bytes| memchr(0x1d, bytes)).map_or(run.end, |end| end + 1);
    }
}

/// Reads the record at the position, and returns its length.
fn record(run: &mut Run<'_>) -> Option<usize> {
    let (at, bytes) = (run.at, run.bytes);
    // Some programs write line ends between records.
    if matches!(bytes[at], b'\r' | b'\n') {
        return Some(1);
    }
    let leader = bytes.get(at..at + LEADER)?;
    let (len, data) = (number(&leader[..5])?, number(&leader[12..17])?);
    if len <= data || data < LEADER {
        return None;
    }
    let directory = bytes.get(at + LEADER..at + data)?;
    run.begin(at, b"");
    for entry in directory.chunks_exact(ENTRY) {
        let (Some(size), Some(start)) = (number(&entry[3..7]), number(&entry[7..])) else {
            // Not read again, so that damage costs no time.
            return Some(data);
        };
        let start = at + data + start;
        if super::is_named(&entry[..3], run.cutter.format.row().key) {
            run.key(bytes.get(start..start + size.saturating_sub(1)).unwrap_or_default());
        }
        if let Some(rule) = run.cutter.rules.named(&entry[..3])
            && run.cutter.rules.all[rule].is_shown
        {
            run.field(start, (start + size).min(at + len), false);
        }
    }
    Some(len)
}

fn number(digits: &[u8]) -> Option<usize> {
    digits.iter().try_fold(0, |sum, byte| {
        Some(sum * 10 + usize::from(byte.checked_sub(b'0').filter(|d| *d < 10)?))
    })
}
