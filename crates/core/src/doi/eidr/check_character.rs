//! The check character: ISO 7064, Mod 37,36, over the suffix only.
//!
//! The errors it detects, with `p` the register (1 to 36) before a character of value `a` (0 to
//! 35):
//!
//! * **Every change of one character**, including the check character. The next register is
//!   `2 ((p + a) mod 36, or 36 for 0) mod 37`. For a given `p` this is a bijection of `a`, and for
//!   a given `a` one of `p`. Registers that differ therefore stay different up to the end, where
//!   each requires a different check character.
//! * **Every exchange of two neighbours except these:** hexadecimal digits `a` and `a + 1`, in
//!   either order, if the register before them is `18 - a`. The first digit makes its sum 18 or 19
//!   and the register 36 (equivalent to 0) or 1, and the second digit adds one more or one less.
//!   These are 30 of the 8,640 combinations of a register and two unequal digits, 0.35 %. For the
//!   last digit and the check character, the only exceptions are `01` and `10` at register 18.

/// The register before the first character.
const START: u8 = 36;

/// The register, updated with one character at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Register(u8);

impl Register {
    pub(super) const fn new() -> Self {
        Register(START)
    }

    /// Processes a character with this value, 0 to 35.
    pub(super) const fn push(self, value: u8) -> Self {
        let sum = match (self.0 + value) % 36 {
            0 => 36,
            sum => sum,
        };
        Register(sum * 2 % 37)
    }

    /// Returns the character that makes the sum 1 modulo 36, in upper case.
    pub(super) const fn check(self) -> u8 {
        character((37 - self.0) % 36)
    }
}

/// `0`–`9`, `A`–`Z` for 0 to 35.
pub(super) const fn character(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'A' + value - 10 }
}

/// The value of a digit or letter of either case, 0 to 35.
pub(super) const fn value(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'A'..=b'Z' => Some(character - b'A' + 10),
        b'a'..=b'z' => Some(character - b'a' + 10),
        _ => None,
    }
}

/// Computes the check character of a suffix written without it, with or without hyphens.
///
/// The suffix may have any length and any letters, as in ISO 7064. An EIDR has 20 hexadecimal
/// digits; Mod 37,36 was chosen to allow other letters in the future. Returns `None` if a character
/// is not an ASCII digit, letter or hyphen.
///
/// It detects every change of one character. It detects every exchange of unequal neighbours except
/// one in 300, namely of some digits that differ by one, such as the `34` of
/// `7791-8534-2C23-9030-8610-5`.
///
/// ```
/// use doiscan_core::doi::eidr::check_character;
///
/// assert_eq!(check_character(b"5FD4-FEE1-22F5-583E-FECC"), Some('O'));
/// assert_eq!(check_character(b"5FD4-FEE1-22F5-583E-FECD"), Some('M'));
/// assert_eq!(check_character(b"7791-8543-2C23-9030-8610"), Some('5'));
/// assert_eq!(check_character(b"7791 8534"), None);
/// ```
pub fn check_character(suffix: &[u8]) -> Option<char> {
    let register = suffix
        .iter()
        .filter(|&&byte| byte != b'-')
        .try_fold(Register::new(), |register, &byte| Some(register.push(value(byte)?)))?;
    Some(register.check().into())
}

/// Returns `check` as static text for messages.
pub fn check_character_text(check: char) -> &'static str {
    const CHARACTERS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let at = CHARACTERS.find(check);
    at.map_or("a check character", |at| &CHARACTERS[at..=at])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Registered identifiers.
    const KNOWN: [&str; 13] = [
        "7791-8534-2C23-9030-8610-5",
        "EA73-79D7-1B2B-B378-3A73-M",
        "5FD4-FEE1-22F5-583E-FECC-O",
        "0430-3D62-36AF-39A0-CB23-8",
        "43A3-BBBA-125C-CD42-C155-7",
        "D5AC-D4EB-F207-19AE-08C2-9",
        "E925-8313-CDAD-3F68-6EF1-H",
        "6F7E-EF59-329B-1F0A-8440-2",
        "2B3B-1E0E-9314-2C6E-A453-3",
        "7EC7-228A-510A-053E-CBB8-J",
        "354B-4B1D-02AA-068E-CDFD-3",
        "9450-3CB5-BB29-5430-CCDA-B",
        "1F2A-E1C5-680A-14C6-E76B-I",
    ];

    fn registers() -> impl Iterator<Item = Register> {
        (1..=36).map(Register)
    }

    fn check_of(text: &str) -> Option<char> {
        check_character(text.as_bytes())
    }

    #[test]
    fn registered_identifiers() {
        for suffix in KNOWN {
            let (digits, check) = suffix.rsplit_once('-').unwrap();
            assert_eq!(check_of(digits).unwrap().to_string(), check, "{suffix}");
            assert_eq!(check_of(&digits.to_lowercase()), check_of(digits));
            assert_eq!(check_of(&digits.replace('-', "")), check_of(digits));
        }
    }

    #[test]
    fn only_digits_letters_and_hyphens() {
        assert_eq!(check_of(""), Some('1'));
        for text in [" ", "É", "12/3", "1_2", "@", "[", "`", "{", ":", "/"] {
            assert_eq!(check_of(text), None, "{text}");
        }
    }

    /// Because `check` differs for every register, this implies that every change of one character
    /// is detected.
    #[test]
    fn unequal_characters_or_registers_stay_unequal() {
        for before in registers() {
            let after: std::collections::BTreeSet<u8> =
                (0..36).map(|value| before.push(value).0).collect();
            assert!(after.into_iter().eq(1..=36), "{before:?}");
        }
        for value in 0..36 {
            let after: std::collections::BTreeSet<u8> =
                registers().map(|before| before.push(value).0).collect();
            assert!(after.into_iter().eq(1..=36), "{value}");
        }
        let checks: std::collections::BTreeSet<u8> = registers().map(Register::check).collect();
        assert_eq!(checks.len(), 36);
    }

    #[test]
    fn every_substitution_in_registered_identifiers_is_caught() {
        for suffix in KNOWN.map(|suffix| suffix.replace('-', "")) {
            for at in 0..20 {
                for digit in "0123456789ABCDEF".chars() {
                    let mut changed = suffix.clone();
                    changed.replace_range(at..=at, &digit.to_string());
                    let wrong = check_of(&changed[..20]) != changed.chars().last();
                    assert_eq!(wrong, changed != suffix, "{changed}");
                }
            }
        }
    }

    /// Tests every register and every two digits. Later characters cannot make equal registers
    /// unequal.
    #[test]
    fn neighbours_that_may_be_exchanged() {
        let mut missed = Vec::new();
        for before in registers() {
            for first in 0..16 {
                for second in (0..16).filter(|&second| second != first) {
                    let written = before.push(first).push(second);
                    let exchanged = before.push(second).push(first);
                    if written.0 == exchanged.0 {
                        assert_eq!(first.abs_diff(second), 1);
                        assert_eq!(before.0, 18 - first.min(second));
                        missed.push((before.0, first, second));
                    }
                }
            }
        }
        assert_eq!(missed.len(), 30, "of {}", 36 * 16 * 15);
    }

    #[test]
    fn last_digit_and_check_character_that_may_be_exchanged() {
        let mut missed = Vec::new();
        for before in registers() {
            for digit in 0..16 {
                let check = value(before.push(digit).check()).unwrap();
                let exchanged = check < 16 && before.push(check).check() == character(digit);
                if exchanged && check != digit {
                    missed.push((before.0, digit, check));
                }
            }
        }
        assert_eq!(missed, [(18, 0, 1), (18, 1, 0)]);
    }
}
