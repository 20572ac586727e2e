//! Finds where a name can begin: `10.` and the spellings that escape its full stop.

use aho_corasick::AhoCorasick;
use memchr::memmem::Finder;
use std::ops::Range;

/// The anchor as nearly everybody writes it.
const PLAIN: &[u8] = b"10.";

/// The other spellings.
const ESCAPED: [&[u8]; 8] = [
    b"10%2E",
    b"10%2e",
    b"10&#46;",
    b"10&#x2E;",
    b"10&#x2e;",
    b"10\\u002E",
    b"10\\u002e",
    b"10\\.",
];

/// Bytes that are searched at a time: they stay in the first-level cache while
/// the second search passes over them.
const BLOCK: usize = 16 * 1024;

/// A place where a name can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    /// Offset of its `1`.
    pub(super) start: usize,
    /// Offset behind its full stop.
    pub(super) end: usize,
}

/// The anchor at the start of `bytes`, if there is one: its length.
pub(super) fn anchor(bytes: &[u8]) -> Option<usize> {
    std::iter::once(PLAIN).chain(ESCAPED).find(|s| bytes.starts_with(s)).map(<[u8]>::len)
}

/// The searchers for the anchors.
#[derive(Debug)]
pub(super) struct Anchors {
    plain: Finder<'static>,
    escaped: AhoCorasick,
    /// Escaped anchors of the block in hand.
    found: Vec<Anchor>,
}

impl Anchors {
    /// Builds the searchers.
    pub(super) fn new() -> Self {
        // Eight short literals: building can only fail over limits they do not reach.
        #[expect(clippy::unwrap_used, reason = "fixed patterns, covered by every test")]
        let escaped = AhoCorasick::new(ESCAPED).unwrap();
        Anchors { plain: Finder::new(PLAIN), escaped, found: Vec::new() }
    }

    /// Calls `visit` with each anchor that starts in `starts`, in order.
    pub(super) fn each(
        &mut self,
        haystack: &[u8],
        starts: Range<usize>,
        mut visit: impl FnMut(Anchor),
    ) {
        let mut begin = starts.start;
        while begin < starts.end {
            let end = starts.end.min(begin + BLOCK);
            self.find_escaped(haystack, begin..end);
            let mut escaped = self.found.drain(..).peekable();
            let reach = haystack.len().min(end + PLAIN.len() - 1);
            for at in self.plain.find_iter(&haystack[begin..reach]) {
                let start = begin + at;
                while let Some(anchor) = escaped.next_if(|a| a.start < start) {
                    visit(anchor);
                }
                visit(Anchor { start, end: start + PLAIN.len() });
            }
            escaped.for_each(&mut visit);
            begin = end;
        }
    }

    /// Collects the escaped anchors that start in `block`.
    fn find_escaped(&mut self, haystack: &[u8], block: Range<usize>) {
        let longest = ESCAPED.iter().map(|s| s.len()).max().unwrap_or(0);
        let reach = haystack.len().min(block.end + longest - 1);
        for found in self.escaped.find_iter(&haystack[block.start..reach]) {
            let (start, end) = (block.start + found.start(), block.start + found.end());
            if start < block.end {
                self.found.push(Anchor { start, end });
            }
        }
    }
}
