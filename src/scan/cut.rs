//! Judges names at a place where the input was cut by damage, a read error or a limit.
//!
//! Whether such a name is whole depends on the missing bytes. The last bytes are therefore scanned
//! once without an addition and once with each of several continuations. A candidate is rejected as
//! [`Reason::CutByFault`] if its answer differs, or if no blank or quote separates its name from
//! the cut.

use super::{LOOKBEHIND, Match, Notation, Repairs, Scanner, Sink};
use crate::doi::Reason;
use std::collections::BTreeSet;
use std::ops::Range;

/// Possible continuations: more of the name, each delimiter of a field, a line end, the next line
/// of a broken name.
const CONTINUATIONS: [&[u8]; 20] = [
    b"0", b"a", b"/", b".0", b"\"", b"'", b"`", b"<", b">", b"}", b")", b"]", b";", b",", b"|",
    b"\t", b"\n", b"\na", b" 0", b"\"\n",
];

/// Maximum number of bytes between a name and the cut in which an escape or a SICI may be
/// incomplete.
const REACH: usize = 64;

/// Answers of one scan, with the offsets at which they start.
#[derive(Debug, Default)]
pub(crate) struct Answers(Vec<(usize, Answer)>);

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Name { end: usize, doi: Vec<u8>, repairs: Repairs },
    Rejected(Reason),
}

impl Sink for Answers {
    fn accept(&mut self, found: &Match<'_>) {
        let (end, repairs) = (found.end, found.repairs);
        self.0.push((found.start, Answer::Name { end, doi: found.doi.to_vec(), repairs }));
    }

    fn reject(&mut self, start: usize, reason: Reason) {
        self.0.push((start, Answer::Rejected(reason)));
    }
}

impl Scanner {
    /// Like [`Scanner::scan`], for a haystack that was cut at its end.
    pub fn scan_cut<S: Sink>(
        &mut self,
        haystack: &[u8],
        starts: Range<usize>,
        notation: Notation,
        sink: &mut S,
    ) {
        let tail =
            starts.start.max(haystack.len().saturating_sub(self.lookahead())).min(starts.end);
        self.scan(haystack, starts.start..tail, notation, sink);
        let from = tail.saturating_sub(LOOKBEHIND);
        let starts = tail - from..starts.end - from;
        let mut moved = Moved { sink, by: from };
        settle(&haystack[from..], &mut moved, |bytes, answers| {
            self.scan(bytes, starts.clone(), notation, answers);
        });
    }
}

/// Passes the answers of `scan` for `cut` to `sink`, and rejects candidates whose answers depend on
/// the missing bytes. Calls `scan` with `cut`, and with longer inputs that begin with it.
pub(crate) fn settle<S: Sink>(cut: &[u8], sink: &mut S, mut scan: impl FnMut(&[u8], &mut Answers)) {
    let mut answers = Answers::default();
    scan(cut, &mut answers);
    let mut open: BTreeSet<usize> =
        answers.0.iter().filter(|(_, a)| a.touches_end(cut)).map(|(start, _)| *start).collect();
    let mut longer = cut.to_vec();
    for continuation in CONTINUATIONS {
        if open.len() == answers.0.len() {
            break;
        }
        longer.truncate(cut.len());
        longer.extend_from_slice(continuation);
        let mut others = Answers::default();
        scan(&longer, &mut others);
        let mut others = others.0.into_iter().peekable();
        for (start, answer) in &answers.0 {
            while others.next_if(|(other, _)| other < start).is_some() {}
            if others.peek().is_none_or(|(other, found)| (other, found) != (start, answer)) {
                open.insert(*start);
            }
        }
    }
    for (start, answer) in answers.0 {
        match answer {
            _ if open.contains(&start) => sink.reject(start, Reason::CutByFault),
            Answer::Rejected(reason) => sink.reject(start, reason),
            Answer::Name { end, doi, repairs } => {
                sink.accept(&Match { start, end, doi: &doi, repairs });
            }
        }
    }
}

impl Answer {
    /// Whether a name ends near the end of `cut`, without a blank or a quote after it.
    fn touches_end(&self, cut: &[u8]) -> bool {
        let Answer::Name { end, .. } = self else { return false };
        let rest = &cut[*end..];
        rest.len() < REACH && !rest.iter().any(|b| b.is_ascii_whitespace() || *b == b'"')
    }
}

/// Converts answers for a part of a haystack to offsets in the whole haystack.
struct Moved<'a, S> {
    sink: &'a mut S,
    by: usize,
}

impl<S: Sink> Sink for Moved<'_, S> {
    fn accept(&mut self, found: &Match<'_>) {
        let (start, end) = (found.start + self.by, found.end + self.by);
        self.sink.accept(&Match { start, end, ..*found });
    }

    fn reject(&mut self, start: usize, reason: Reason) {
        self.sink.reject(start + self.by, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{Joining, Options};

    /// Returns the names and the reasons for rejection, in order.
    fn answers(text: &str, options: &Options) -> Vec<String> {
        let (mut scanner, mut answers) = (Scanner::new(options.clone()), Answers::default());
        scanner.scan_cut(text.as_bytes(), 0..text.len(), Notation::Unknown, &mut answers);
        let words = answers.0.into_iter().map(|(_, answer)| match answer {
            Answer::Name { doi, .. } => String::from_utf8(doi).expect("UTF-8"),
            Answer::Rejected(reason) => reason.name().to_owned(),
        });
        words.collect()
    }

    #[test]
    fn a_name_that_touches_the_cut_is_rejected() {
        let cut = "cut-by-fault";
        for (text, expected) in [
            ("10.1234/name.1\n10.1234/other.9876", &["10.1234/NAME.1", cut][..]),
            ("10.1234/name.1 10.1234/other.", &["10.1234/NAME.1", cut]),
            ("10.1234/name.1 10.1234/", &["10.1234/NAME.1", cut]),
            ("10.1234/name.1 10.12", &["10.1234/NAME.1", cut]),
            ("10.1234/name.1\n", &["10.1234/NAME.1"]),
            ("10.1234/name.1 ", &["10.1234/NAME.1"]),
            ("see 10.1234/name.1, which", &["10.1234/NAME.1"]),
            ("\"10.1234/name.1\"", &["10.1234/NAME.1"]),
            ("\"10.1234/name.1\",\"a\":\"b", &["10.1234/NAME.1"]),
            ("\"10.1234/name.1", &[cut]),
            ("10.1234/name&am", &[cut]),
            ("10.1234/name\\u00", &[cut]),
            ("10.1234/(SICI)1097-4571(199806)49:8", &[cut]),
            ("10.1234/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.", &[cut]),
            ("<doi>10.1234/name.1</d", &[cut]),
            ("{10.1234/name.1 ", &["10.1234/NAME.1"]),
        ] {
            assert_eq!(answers(text, &Options::default()), expected, "{text}");
        }
        let joined = Options { joining: Joining::Always, ..Options::default() };
        assert_eq!(answers("10.1234/name-\n", &joined), [cut]);
        let never = Options { joining: Joining::Never, ..Options::default() };
        assert_eq!(answers("10.1234/name-\n", &never), ["10.1234/NAME-"]);
    }

    #[test]
    fn a_cut_anywhere_invents_no_name() {
        let text = "10.1234/a\n10.1234/b-1.x.\nsee (10.1234/c(2)d), \"10.1234/e+f\" doi:10.1234/g%2Fh \
                    <doi>10.1234/i&lt;j&gt;k</doi> {10.1234/l\\_m} 10.1002/(SICI)1097-4571(199806)49:8\
                    &lt;693::AID-ASI4&gt;3.0.CO;2-O \"10.1234\\/n\\u002Fo\" 10.1234/p/full; 10.1234/q:a \
                    10.1234/caf\u{e9}-\u{2010}x https://doi.org/10.1234/r?s=t&amp;u=v 10.1234/w...... 5 ";
        for options in [
            Options::default(),
            Options { joining: Joining::Always, ..Options::default() },
            Options { strict: true, ..Options::default() },
        ] {
            let whole = answers(text, &options);
            for len in (0..text.len()).filter(|&len| text.is_char_boundary(len)) {
                let cut = answers(&text[..len], &options);
                let invented = cut.iter().find(|a| a.starts_with("10.") && !whole.contains(a));
                assert_eq!(invented, None, "{}", &text[..len]);
            }
        }
    }
}
