//! Merges sorted sources of names into one.
//!
//! The naive form takes the least of all heads repeatedly. This version departs from it in two
//! ways:
//!
//! * It uses a tree of losers (Knuth, TAOCP 3, 5.4.1). Each node keeps the loser of the comparison
//!   made there, so a new head is compared with one loser a level.
//! * Names adjacent in order share long prefixes. Every head carries the number of bytes that it
//!   shares with the last name returned. Of two heads, the one that shares more is less. Bytes are
//!   compared only if both share equally many, starting after the shared prefix (Bingmann, Eberle,
//!   Sanders: Engineering Parallel String Sorting, 2017). A source knows the number because the
//!   codec of a run stores it.

use doiscan_os::prefix::shared;
use std::cmp::Ordering;

/// Yields names in byte order, one at a time.
pub trait NameSource {
    /// The error of a failed [`NameSource::advance`].
    type Error;

    /// Advances to the next name. Returns false at the end.
    ///
    /// # Errors
    ///
    /// Fails if the next name cannot be read. The names returned so far are then incomplete.
    fn advance(&mut self) -> Result<bool, Self::Error>;

    /// The current name.
    fn name(&self) -> &[u8];

    /// Length of the prefix that the current name shares with the previous one; 0 for the first.
    fn shared(&self) -> usize;
}

/// The least of the current names of all sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The source it comes from. Equal names are returned in the order of their sources.
    pub source: usize,
    /// Whether the previous name was the same.
    pub is_repeat: bool,
    /// Length of the prefix that it shares with the previous name.
    pub shared: usize,
}

/// A source in the tree of losers.
#[derive(Clone, Copy, Debug)]
struct Player {
    source: usize,
    /// Length of the prefix that its name shares with the name that beat it, or with the last name
    /// returned.
    shared: usize,
    ended: bool,
}

/// Merges several sources into one.
#[derive(Debug)]
pub struct Merge<S> {
    sources: Vec<S>,
    /// The winner, followed by the loser at each node.
    tree: Vec<Player>,
    /// Length of the last name returned, or `None` before the first.
    last: Option<usize>,
}

impl<S: NameSource> Merge<S> {
    /// Merges `sources`, on which [`NameSource::advance`] must not have been called yet.
    ///
    /// # Errors
    ///
    /// Fails if a source fails.
    pub fn new(mut sources: Vec<S>) -> Result<Self, S::Error> {
        let count = sources.len();
        let mut winners = Vec::with_capacity(2 * count);
        // The tree is stored as an array: the children of node n are 2n and 2n + 1, and the leaves
        // come last.
        winners.resize(count, Player { source: 0, shared: 0, ended: true });
        for (source, names) in sources.iter_mut().enumerate() {
            winners.push(Player { source, shared: 0, ended: !names.advance()? });
        }
        let mut merge = Merge { sources, tree: winners[..count].to_vec(), last: None };
        for node in (1..count).rev() {
            let (winner, loser) = merge.play(winners[2 * node], winners[2 * node + 1]);
            winners[node] = winner;
            merge.tree[node] = loser;
        }
        if count > 0 {
            merge.tree[0] = winners[1];
        }
        Ok(merge)
    }

    /// Advances to the next name, which may be a repeat. Returns `None` at the end.
    ///
    /// # Errors
    ///
    /// Fails if a source fails.
    pub fn advance(&mut self) -> Result<Option<Head>, S::Error> {
        if self.last.is_some() {
            self.replace()?;
        }
        let Some(&winner) = self.tree.first().filter(|winner| !winner.ended) else {
            return Ok(None);
        };
        let len = self.sources[winner.source].name().len();
        let is_repeat = self.last == Some(len) && winner.shared == len;
        self.last = Some(len);
        Ok(Some(Head { source: winner.source, is_repeat, shared: winner.shared }))
    }

    /// The current name.
    pub fn name(&self) -> &[u8] {
        self.sources[self.tree[0].source].name()
    }

    /// The merged sources, for reading their state.
    pub fn sources(&self) -> &[S] {
        &self.sources
    }

    /// Advances the winning source and compares its next name with the losers on the path to the
    /// root.
    fn replace(&mut self) -> Result<(), S::Error> {
        let source = self.tree[0].source;
        if self.tree[0].ended {
            return Ok(());
        }
        let ended = !self.sources[source].advance()?;
        let shared = if ended { 0 } else { self.sources[source].shared() };
        let mut winner = Player { source, shared, ended };
        let mut node = (source + self.sources.len()) / 2;
        while node > 0 {
            (winner, self.tree[node]) = self.play(winner, self.tree[node]);
            node /= 2;
        }
        self.tree[0] = winner;
        Ok(())
    }

    /// Compares two players. Returns the winner and the loser.
    #[inline]
    fn play(&self, a: Player, b: Player) -> (Player, Player) {
        if a.ended || b.ended || a.shared != b.shared {
            let wins = b.ended || !a.ended && a.shared > b.shared;
            return if wins { (a, b) } else { (b, a) };
        }
        let (left, right) = (self.sources[a.source].name(), self.sources[b.source].name());
        let shared = a.shared + shared(&left[a.shared..], &right[a.shared..]);
        // A prefix of a name sorts before the name.
        let order = left.get(shared).cmp(&right.get(shared));
        let wins = order.then(a.source.cmp(&b.source)) == Ordering::Less;
        let (winner, loser) = if wins { (a, b) } else { (b, a) };
        (winner, Player { shared, ..loser })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// A sorted list in memory.
    struct List {
        names: Vec<Vec<u8>>,
        /// One more than the index of the current name.
        at: usize,
    }

    impl List {
        fn new(mut names: Vec<Vec<u8>>) -> Self {
            names.sort_unstable();
            List { names, at: 0 }
        }
    }

    impl NameSource for List {
        type Error = Infallible;

        fn advance(&mut self) -> Result<bool, Infallible> {
            self.at += 1;
            Ok(self.at <= self.names.len())
        }

        fn name(&self) -> &[u8] {
            &self.names[self.at - 1]
        }

        fn shared(&self) -> usize {
            self.at.checked_sub(2).map_or(0, |before| shared(&self.names[before], self.name()))
        }
    }

    fn lists() -> impl Strategy<Value = Vec<Vec<Vec<u8>>>> {
        let name = "(10\\.1/)?[AB\u{0}]{0,12}".prop_map(String::into_bytes);
        prop::collection::vec(prop::collection::vec(name, 0..20), 0..12)
    }

    proptest! {
        /// Merging equals sorting, with equal names in the order of their sources.
        #[test]
        fn merging_is_sorting(lists in lists()) {
            let mut expected: Vec<(Vec<u8>, usize)> = Vec::new();
            for (source, names) in lists.iter().enumerate() {
                expected.extend(names.iter().map(|name| (name.clone(), source)));
            }
            expected.sort();
            let mut merge = Merge::new(lists.into_iter().map(List::new).collect()).expect("infallible");
            let mut before: Option<Vec<u8>> = None;
            for (name, source) in expected {
                let head = merge.advance().expect("infallible").expect("one more");
                prop_assert_eq!((merge.name(), head.source), (&name[..], source));
                prop_assert_eq!(head.is_repeat, before.as_ref() == Some(&name));
                let same = before.map_or(0, |before| shared(&before, &name));
                prop_assert_eq!(head.shared, same);
                before = Some(name);
            }
            prop_assert_eq!(merge.advance().expect("infallible"), None);
            prop_assert_eq!(merge.advance().expect("infallible"), None);
        }

        #[test]
        fn shared_is_what_a_loop_counts(a in "[AB]{0,30}", b in "[AB]{0,30}", head in "[AB]{0,30}") {
            let (a, b) = (head.clone() + &a, head + &b);
            let naive = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
            prop_assert_eq!(shared(a.as_bytes(), b.as_bytes()), naive);
        }
    }
}
