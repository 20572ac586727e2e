//! Names in the formats of publishers, and words.

use super::random::{Random, mix};

/// A pool of names. The n-th is computed from the seed and n, so none is stored.
pub(super) struct Names {
    seed: u64,
    pool: u64,
}

impl Names {
    pub(super) fn new(seed: u64, pool: u64) -> Self {
        Names { seed, pool }
    }

    /// Draws a name. Some are cited often, most once or twice. Squaring a uniform draw gives the
    /// first hundredth of the pool a tenth of the citations.
    pub(super) fn draw(&self, random: &mut Random) -> u64 {
        let u = random.next() >> 32;
        let square = (u * u) >> 32;
        self.nth(((u128::from(square) * u128::from(self.pool)) >> 32) as u64)
    }

    /// Draws a name by its popularity. The index is the size of the pool times the fourth power of
    /// a uniform draw, so the first hundredth of the pool gets a third of the citations.
    pub(super) fn draw_popular(&self, random: &mut Random) -> u64 {
        let u = random.next() >> 32;
        let square = (u * u) >> 32;
        let fourth = (square * square) >> 32;
        self.nth(((u128::from(fourth) * u128::from(self.pool)) >> 32) as u64)
    }

    /// Returns the n-th name of the pool, which repeats after its last.
    pub(super) fn nth(&self, n: u64) -> u64 {
        mix(self.seed.rotate_left(32) ^ (n % self.pool))
    }

    /// Appends the DOI with this number.
    ///
    /// The shares are roughly those of the large publishers. Lengths range from 15 to 68 with a
    /// mean of 27, as in citation indexes. No name ends in punctuation, so that a regular
    /// expression can find it too.
    pub(super) fn write(&self, name: u64, out: &mut Vec<u8>) {
        let random = &mut Random::new(name);
        match random.below(200) {
            0..=39 => elsevier(out, random),
            40..=45 => pii(out, random),
            46..=69 => springer(out, random),
            70..=74 => fill(out, random, b"10.1007/978-3-#####-####-#_##"),
            75..=90 => fill(out, random, b"10.1111/j.####-####.20##.0####.x"),
            91..=92 => sici(out, random),
            93..=105 => of_journal(out, random, b"10.1002/", &WILEY, b".20#######"),
            106..=115 => fill(out, random, b"10.1371/journal.pone.#######"),
            116..=125 => of_journal(out, random, b"10.1021/acs.", &ACS, b".#b#####"),
            126..=133 => fill(out, random, b"10.1103/PhysRevLett.###.0#####"),
            134..=141 => fill(out, random, b"10.1109/TPAMI.20##.#######"),
            142..=149 => fill(out, random, b"10.1038/s4####-0##-0####-#"),
            150..=155 => fill(out, random, b"10.1038/nature#####"),
            156..=163 => of_journal(out, random, b"10.1093/", &OXFORD, b"###"),
            164..=169 => fill(out, random, b"10.1126/science.#######"),
            170..=177 => of_journal(out, random, b"10.3390/", &MDPI, b"########"),
            178..=183 => fill(out, random, b"10.5281/zenodo.#######"),
            184..=189 => {
                of_journal(out, random, b"10.1146/annurev.", &REVIEWS, b".##.######.######");
            }
            190..=195 => fill(out, random, b"10.2####/@@@@-####-@@##"),
            _ => fill(out, random, b"10.####/%%%%-%%##.%%%%"),
        }
    }
}

fn elsevier(out: &mut Vec<u8>, random: &mut Random) {
    of_journal(out, random, b"10.1016/j.", &ELSEVIER, b".20##.0#.###");
}

// Journals as the publishers name them in their DOIs. The scanner treats a DOI that looks like others of its registrant
// differently from one that does not.
const ELSEVIER: [&str; 12] = [
    "scitotenv",
    "neuroimage",
    "celrep",
    "foodchem",
    "cub",
    "cell",
    "jclepro",
    "vaccine",
    "dib",
    "apenergy",
    "jbi",
    "ecss",
];
const WILEY: [&str; 8] = ["anie", "chem", "adma", "adfm", "smll", "ejoc", "cctc", "cbic"];
const ACS: [&str; 8] =
    ["nanolett", "est", "analchem", "jpcc", "chemmater", "langmuir", "jafc", "jpcb"];
const OXFORD: [&str; 6] =
    ["nar/gk@", "mnras/st@", "bioinformatics/bt@", "molbev/ms@", "cid/ci@", "brain/aw@"];
const MDPI: [&str; 6] = ["ijms", "su", "s", "molecules", "nu", "ijerph"];
const REVIEWS: [&str; 6] = ["arplant", "psych", "biochem", "neuro", "phyto", "nutr"];

/// Appends a DOI with the code of a journal between `prefix` and the pattern `rest`.
fn of_journal(out: &mut Vec<u8>, random: &mut Random, prefix: &[u8], codes: &[&str], rest: &[u8]) {
    out.extend_from_slice(prefix);
    let code = codes[random.below(codes.len() as u64) as usize];
    fill(out, random, code.as_bytes());
    fill(out, random, rest);
}

fn pii(out: &mut Vec<u8>, random: &mut Random) {
    fill(out, random, b"10.1016/S####-####(##)#####-#");
}

fn springer(out: &mut Vec<u8>, random: &mut Random) {
    fill(out, random, b"10.1007/s####0-0##-####-#");
}

/// A Serial Item and Contribution Identifier, with angle brackets and `;`.
fn sici(out: &mut Vec<u8>, random: &mut Random) {
    fill(out, random, b"10.1002/(SICI)####-####(199###)##:#<###::AID-@@@##>3.0.CO;2-%");
}

/// Appends the pattern, in which `#` is a digit, `@` a lower case letter and `%` an upper case one.
/// The first `#` of a number is 1 to 9, so that no registrant begins with 0.
fn fill(out: &mut Vec<u8>, random: &mut Random, pattern: &[u8]) {
    for &byte in pattern {
        let after_digit = out.last().is_some_and(u8::is_ascii_digit);
        out.push(match byte {
            b'#' if after_digit => b'0' + random.below(10) as u8,
            b'#' => b'1' + random.below(9) as u8,
            b'@' => b'a' + random.below(26) as u8,
            b'%' => b'A' + random.below(26) as u8,
            other => other,
        });
    }
}

pub(super) fn decimal(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

pub(super) fn word(random: &mut Random) -> &'static [u8] {
    WORDS[random.below(WORDS.len() as u64) as usize].as_bytes()
}

/// Short words are listed several times, because they are frequent in texts.
const WORDS: [&str; 120] = [
    "the",
    "of",
    "and",
    "in",
    "to",
    "a",
    "the",
    "of",
    "and",
    "in",
    "to",
    "a",
    "the",
    "of",
    "is",
    "for",
    "with",
    "as",
    "by",
    "that",
    "on",
    "are",
    "was",
    "from",
    "this",
    "we",
    "were",
    "at",
    "which",
    "an",
    "between",
    "these",
    "not",
    "have",
    "both",
    "than",
    "after",
    "under",
    "more",
    "results",
    "analysis",
    "model",
    "data",
    "effect",
    "study",
    "cells",
    "method",
    "protein",
    "surface",
    "energy",
    "field",
    "growth",
    "temperature",
    "response",
    "structure",
    "sample",
    "rate",
    "time",
    "water",
    "phase",
    "group",
    "measured",
    "observed",
    "increase",
    "significant",
    "function",
    "control",
    "density",
    "distribution",
    "values",
    "system",
    "properties",
    "process",
    "species",
    "treatment",
    "pressure",
    "reaction",
    "theory",
    "random",
    "network",
    "neural",
    "climate",
    "soil",
    "carbon",
    "oxygen",
    "membrane",
    "kinetics",
    "patients",
    "clinical",
    "binding",
    "sequence",
    "genome",
    "expression",
    "quantum",
    "magnetic",
    "optical",
    "spectrum",
    "particle",
    "velocity",
    "boundary",
    "convergence",
    "estimate",
    "parameter",
    "simulation",
    "evidence",
    "hypothesis",
    "experiment",
    "transport",
    "diffusion",
    "catalyst",
    "polymer",
    "crystal",
    "electron",
    "stellar",
    "galaxy",
    "résumé",
    "Müller",
    "naïve",
    "Poincaré",
    "étude",
];
