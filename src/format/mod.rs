//! Which notation a file is written in, from its name and its first bytes. Pure.

use crate::scan::Notation;
use std::path::Path;

/// The delimiters of CSV, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The notation of the file `path` that begins with `head`.
///
/// Only CSV makes a difference: there a name fills its cell although no quote
/// stands around it. Everything else is told by the bytes near a candidate.
pub fn detect(path: Option<&Path>, head: &[u8]) -> Notation {
    let extension = path.and_then(Path::extension).and_then(|e| e.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "tsv" | "tab" => Notation::Csv(b'\t'),
        "csv" => delimiter(head).map_or(Notation::Unknown, Notation::Csv),
        _ => Notation::Unknown,
    }
}

/// The delimiter that stands most often in the first line of `head`.
fn delimiter(head: &[u8]) -> Option<u8> {
    let line = head.split(|&b| b == b'\n').next()?;
    let count = |d: u8| line.iter().filter(|&&b| b == d).count();
    let best = DELIMITERS.into_iter().rev().max_by_key(|&d| count(d))?;
    (count(best) > 0).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_by_its_name_and_first_line() {
        for (name, head, expected) in [
            ("a.csv", "id,doi,year\n1,2,3", Notation::Csv(b',')),
            ("a.CSV", "id;doi;\"x, y\"\n", Notation::Csv(b';')),
            ("a.csv", "id\tdoi\n", Notation::Csv(b'\t')),
            ("a.csv", "doi\n10.1000/a,b\n", Notation::Unknown),
            ("a.tsv", "", Notation::Csv(b'\t')),
            ("a.txt", "id,doi\n", Notation::Unknown),
            ("csv", "id,doi\n", Notation::Unknown),
        ] {
            assert_eq!(detect(Some(Path::new(name)), head.as_bytes()), expected, "{name}");
        }
        assert_eq!(detect(None, b"id,doi\n"), Notation::Unknown);
    }
}
