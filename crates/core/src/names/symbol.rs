//! Characters as a model sees them.

/// Any digit.
pub(super) const DIGIT: u8 = b'0';
/// Any letter, where letters are not told apart.
pub(super) const LETTER: u8 = b'a';
/// Any character outside ASCII.
const FOREIGN: u8 = 0x7f;
/// The end of a DOI.
pub(super) const END: u8 = 0;

/// The symbol of a byte of a DOI in canonical form: digits are one symbol, letters stand for themselves.
pub(super) fn literal(byte: u8) -> u8 {
    LITERALS[usize::from(byte)]
}

/// The kind of a byte: digits are one, letters are one, each mark is one.
pub(super) fn kind(byte: u8) -> u8 {
    KINDS[usize::from(byte)]
}

const LITERALS: [u8; 256] = {
    let (mut symbols, mut byte) = (KINDS, 0);
    while byte < 128 {
        if (byte as u8).is_ascii_alphabetic() {
            symbols[byte] = (byte as u8).to_ascii_uppercase();
        }
        byte += 1;
    }
    symbols
};

const KINDS: [u8; 256] = {
    let (mut kinds, mut byte) = ([FOREIGN; 256], 0);
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' | b'a'..=b'z' => LETTER,
            mark => mark,
        };
        byte += 1;
    }
    kinds
};

/// The key of a registrant: four bits a character, mixed. `None` if it has more than eight, or others than digits and
/// full stops.
pub(super) fn registrant(text: &[u8]) -> Option<u32> {
    let step = |key: u32, byte: &u8| match byte {
        b'0'..=b'9' => Some(key << 4 | u32::from(byte - b'0' + 1)),
        b'.' => Some(key << 4 | 11),
        _ => None,
    };
    let key = (text.len() <= 8).then(|| text.iter().try_fold(0, step)).flatten();
    key.map(|key| key.wrapping_mul(MIX))
}

/// The key of a word that DOIs have of the registrant with this key.
pub(super) fn word(registrant: u32, word: &[u8]) -> u32 {
    let step = |key: u32, byte: &u8| (key ^ u32::from(*byte)).wrapping_mul(MIX).rotate_left(13);
    word.iter().fold(registrant, step)
}

/// Spreads keys, so that their first octet tells where they are.
const MIX: u32 = 0x9e37_79b1;

/// The last three runs of one kind, with their lengths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs {
    /// The latest is last.
    runs: [(u8, u8); 3],
}

impl Default for Runs {
    fn default() -> Runs {
        Runs { runs: [(END, 0), (END, 0), (END, 1)] }
    }
}

impl Runs {
    pub(super) fn push(&mut self, byte: u8) {
        let kind = kind(byte);
        let last = &mut self.runs[2];
        if last.0 == kind {
            let most = if kind == DIGIT { 12 } else { 4 };
            last.1 = most.min(last.1 + 1);
        } else {
            self.runs = [self.runs[1], self.runs[2], (kind, 1)];
        }
    }

    /// The keys of the last three runs, the last two and the last.
    pub(super) fn contexts(self) -> [u32; 3] {
        [0, 1, 2].map(|from| {
            let step = |key: u32, (kind, len): &(u8, u8)| {
                let run = u32::from(*kind) << 4 | u32::from(*len);
                (key ^ run).wrapping_mul(MIX).rotate_left(13)
            };
            self.runs[from..].iter().fold(from as u32 + 1, step)
        })
    }
}
