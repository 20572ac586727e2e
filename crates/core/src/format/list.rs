//! Recognises lists written by `doiscan`.

use crate::doi::{Doi, batch, is_folded};

/// Number of lines examined.
const LINES: usize = 64;

/// Whether `head` begins a list of names written by `doiscan`: its first lines end in a line feed,
/// are canonical names in the spelling of [`batch`], and ascend in byte order.
///
/// Lists in lower case are not recognised. A sorted column of a table looks the same and contains
/// many values such as `10.1000/abc.`. There the full stop is junk, whereas in a list it is part of
/// the name.
pub(super) fn is_list(head: &[u8]) -> bool {
    let lines = head.split_inclusive(|&b| b == b'\n').take(LINES);
    let mut before: &[u8] = b"";
    for (index, line) in lines.enumerate() {
        let Some(line) = line.strip_suffix(b"\n") else { return index > 0 };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line <= before || !is_spelled(line) {
            return false;
        }
        before = line;
    }
    !before.is_empty()
}

/// Whether `line` is a canonical name in its batch spelling.
fn is_spelled(line: &[u8]) -> bool {
    let name = batch::decode(line);
    is_folded(line) && Doi::parse(&name).is_ok() && *batch::encode(&name) == *line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        for text in [
            "10.1000/A\n",
            "10.1000/A\r\n10.1000/B\r\n",
            "10.1000/A%2541\n10.1000/A.\n",
            "10.1000/A\n10.1000/B\n10.10",
            "10.1000/A\n10.1000/É\n",
        ] {
            assert!(is_list(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn other_text() {
        for text in [
            "",
            "\n",
            "10.1000/A",
            "10.1000/a\n",
            "10.1000/B\n10.1000/A\n",
            "10.1000/A\n10.1000/A\n",
            "10.1000/A\n\n",
            "10.1000/A%41\n",
            "10.1000/A%2F\n",
            "10.1000/A\tB\n",
            "doi\n10.1000/A\n",
            "DOI:10.1000/A\n",
            "10/F77\n",
        ] {
            assert!(!is_list(text.as_bytes()), "{text}");
        }
    }
}
