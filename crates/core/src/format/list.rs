//! Recognises lists written by `doiscan`.

use crate::doi::batch;
use crate::judge::{Judge, Note};

/// Number of lines examined.
const LINES: usize = 64;

/// A list has at most one odd line in this many. The rules of running text change nine of 400,000 names in real lists,
/// and `check` changes 52,068 of the 57,398 distinct matches of `grep -oE '10\.[0-9]{4,}/[^[:space:]]+'` in dirty text.
const NAMES_PER_ODD: u64 = 16;

/// Counts the lines of what may be a list, and those of them that no scan writes.
#[derive(Debug)]
pub struct Oddities {
    judge: Judge,
    lines: u64,
    odd: u64,
}

impl Default for Oddities {
    fn default() -> Self {
        Oddities { judge: Judge::new(false), lines: 0, odd: 0 }
    }
}

impl Oddities {
    /// Counts `line`, which has the form of a name in the spelling of [`batch`]: `10.1000/182.` and
    /// `10.1000/182;10.1000/183` are odd.
    pub fn see(&mut self, line: &[u8]) {
        let verdict = self.judge.judge_line(line);
        self.lines += 1;
        self.odd +=
            u64::from(!verdict.several.is_empty() || verdict.notes.contains(Note::Repaired));
    }

    /// Whether the lines are those of a list. A text with one DOI a line has other ends.
    pub fn is_list(&self) -> bool {
        self.odd * NAMES_PER_ODD <= self.lines
    }
}

/// Whether `head` begins a list of names written by `doiscan`: its first lines end in a line feed,
/// are canonical names in the spelling of [`batch`], ascend in byte order, and have few [`Oddities`].
///
/// Lists in lower case are not recognised. A sorted column of a table looks the same and contains
/// many values such as `10.1000/abc.`. There the full stop is junk, whereas in a list it is part of
/// the name.
pub fn is_list(head: &[u8]) -> bool {
    // Nearly all other text.
    if !head.starts_with(b"10.") {
        return false;
    }
    let lines = head.split_inclusive(|&b| b == b'\n').take(LINES);
    let (mut before, mut oddities) = (&b""[..], Oddities::default());
    for line in lines {
        let Some(line) = line.strip_suffix(b"\n") else { break };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line <= before || !batch::is_spelled(line) {
            return false;
        }
        oddities.see(line);
        before = line;
    }
    !before.is_empty() && oddities.is_list()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        for text in [
            "10.1000/A\n",
            "10.1000/A\r\n10.1000/B\r\n",
            "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O\n",
            "10.1000/A\n10.1000/B\n10.10",
            "10.1000/A\n10.1000/É\n",
            "10.1000/A\"B\n10.1000/A&B;C\n10.1000/A\\N\n",
            "10.1000/%%252F\n",
            "10.1000/182\"\n",
        ] {
            assert!(is_list(text.as_bytes()), "{text}");
        }
        let names: String = (10..25).map(|n| format!("10.1000/{n}\n")).collect();
        assert!(is_list(format!("{names}10.1000/A%2541.\n").as_bytes()));
        assert!(!is_list(format!("{names}10.1000/A.\n10.1000/B,\n").as_bytes()));
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
            "10.1000/182.\n",
            "10.1000/182,\n",
            "10.1000/182)\n10.1000/183)\n",
            "10.1000/182;10.1000/183\n",
            "10.1000/182,10.1000/183\n",
            "10.1000/182|10.1000/183\n",
        ] {
            assert!(!is_list(text.as_bytes()), "{text}");
        }
    }
}
