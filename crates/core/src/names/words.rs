//! Words that DOIs of a registrant have after a number, such as `/PDB` and `-SUPPLEMENT`: elsewhere such a word is the path
//! of a page, or glued to the DOI.

use super::symbol;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The fewest letters of a word.
pub(crate) const FEWEST: usize = 3;

/// Number of words of one registrant that are counted at a time.
const MOST: usize = 1 << 12;

/// The fewest DOIs of a registrant that have a word, and the part of its DOIs that they must be: fewer are damaged.
const LEAST: (f64, f64) = (2.0, 2e-4);

/// The words of one registrant, with the number of DOIs that have them.
#[derive(Debug, Default)]
pub(super) struct Words(BTreeMap<Vec<u8>, f64>);

impl Words {
    /// Counts the words of a suffix.
    pub(super) fn push(&mut self, suffix: &[u8]) {
        for word in after_number(suffix) {
            match self.0.get_mut(word) {
                Some(count) => *count += 1.0,
                None => {
                    self.0.insert(word.to_vec(), 1.0);
                }
            }
        }
        if self.0.len() > MOST {
            self.0.retain(|_, count| *count > 1.0);
        }
    }

    /// The keys of the words that enough of the `names` of `registrant` have.
    pub(super) fn keys(self, registrant: u32, names: f64) -> impl Iterator<Item = (u32, f64)> {
        let least = f64::max(LEAST.0, names * LEAST.1);
        let words = self.0.into_iter().filter(move |(_, count)| *count >= least);
        words.map(move |(word, count)| (symbol::word(registrant, &word), count))
    }
}

/// The words of `suffix` after its first digit, each with the mark before it.
fn after_number(suffix: &[u8]) -> impl Iterator<Item = &[u8]> {
    let first = suffix.iter().position(u8::is_ascii_digit).unwrap_or(suffix.len());
    (first..suffix.len()).filter_map(|at| word(&suffix[at..]))
}

/// The mark and the word that `text` begins with.
pub(super) fn word(text: &[u8]) -> Option<&[u8]> {
    let (_, rest) = text.split_first().filter(|(mark, _)| b"-_./".contains(mark))?;
    let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_end = !rest.get(letters).is_some_and(u8::is_ascii_digit);
    (letters >= FEWEST && is_end).then(|| &text[..=letters])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_a_number() {
        for (suffix, expected) in [
            ("PDB1AL6/PDB", &["/PDB"][..]),
            ("BG-11-899-2014-SUPPLEMENT", &["-SUPPLEMENT"]),
            ("PEERJ.1V0.1/REVIEWS/1", &["/REVIEWS"]),
            ("J.CELL.2009.01.042", &[]),
            ("182/AB", &[]),
            ("182/ABC12", &[]),
        ] {
            let words: Vec<_> = after_number(suffix.as_bytes()).collect();
            let expected: Vec<_> = expected.iter().map(|word| word.as_bytes()).collect();
            assert_eq!(words, expected, "{suffix}");
        }
    }

    #[test]
    fn few_words_are_damage() {
        let mut words = Words::default();
        for suffix in ["1/PDB", "2/PDB", "3/FULL"] {
            words.push(suffix.as_bytes());
        }
        assert_eq!(words.keys(7, 3.0).collect::<Vec<_>>(), [(symbol::word(7, b"/PDB"), 2.0)]);
    }
}
