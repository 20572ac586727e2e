//! Judges one value that should be a DOI.

mod note;

use note::is_test;
pub use note::{Note, Notes};

use crate::doi::eidr::{self, Eidr, Missing};
use crate::doi::{Doi, Found, Invalid, Part, Reader, Reason, Tail, batch, fold};
use crate::names::Model;
use crate::scan::{CellNames, Cleaner, Tidied, is_licence, plain_value, short};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The judgement of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict<'a> {
    /// The canonical name: of the value if it is valid, otherwise of the one DOI that the value most
    /// likely means. `10.` and a registrant, a slash and a suffix, without `doi:` or an address,
    /// decoded, with ASCII letters in upper case. Octets, which need not be UTF-8. `None` if no
    /// single DOI was found, and in strict mode for every invalid value.
    ///
    /// Unless the judge is strict, it is the DOI that a scan of a cell with this value lists, if the scan lists one.
    pub doi: Option<&'a [u8]>,
    /// Why the value is not a DOI. `None` if it is valid.
    pub reason: Option<Invalid>,
    /// Further facts about the value.
    pub notes: Notes,
    /// With [`Note::EidrCheck`]: the correct check character, and the one found.
    pub check: Option<(char, char)>,
    /// With [`Note::SeveralDois`]: the canonical DOIs in the value, in order, at most 1,024.
    pub several: Vec<Vec<u8>>,
}

impl Verdict<'_> {
    /// The verdict on a value that is not a DOI and means none.
    pub fn refused(reason: Invalid) -> Verdict<'static> {
        let (reason, notes) = (Some(reason), Notes::default());
        Verdict { doi: None, reason, notes, check: None, several: Vec::new() }
    }

    /// Whether the value is a DOI in one of the accepted notations.
    pub fn is_valid(&self) -> bool {
        self.reason.is_none()
    }

    /// Says why the value is not a DOI, and what to do with a shortDOI in it. `None` if it is valid.
    pub fn message(&self) -> Option<String> {
        let remedy = match self.notes.contains(Note::ShortDoi) {
            true => format!("; {}", Missing::ShortDoi),
            false => String::new(),
        };
        self.reason.as_ref().map(|reason| format!("{reason}{remedy}"))
    }
}

/// Judges values. Holds only scratch space.
#[derive(Debug)]
pub struct Judge {
    is_strict: bool,
    reader: Reader,
    cleaner: Cleaner,
    name: Vec<u8>,
    /// How many times a DOI was judged again.
    round: usize,
}

/// Maximum number of times that a DOI is judged again.
const MAX_ROUNDS: usize = 4;

/// Maximum number of consecutive repairs. Each undoes one layer of escapes, and no observed value
/// needs more than two.
const MAX_REPAIRS: usize = 16;

impl Judge {
    /// Creates a judge. A strict judge repairs nothing and follows the standards to the letter,
    /// including those of EIDR.
    pub fn new(is_strict: bool) -> Self {
        let reader = if is_strict { Reader::strict() } else { Reader::default() };
        Judge { is_strict, reader, cleaner: Cleaner::default(), name: Vec::new(), round: 0 }
    }

    /// Returns the judge with this model of names, in place of the built-in one.
    #[must_use]
    pub fn with_names(self, names: Option<Arc<Model>>) -> Judge {
        Judge { cleaner: Cleaner::new(names), ..self }
    }

    /// Judges a whole value by Z39.84-2005, in the notations that [`Reader::read`] accepts.
    ///
    /// Unless the judge is strict, it trims a valid name of text that no name ends
    /// in, such as a full stop or the segment of a publisher's page, and finds the single name in an invalid
    /// value. Both are noted as [`Note::Repaired`], and do not change whether the value as written is
    /// valid. A value with several DOIs is invalid and means none of them. Judging the DOI of a verdict again
    /// returns the same DOI.
    ///
    /// ```
    /// use doiscan_core::judge::{Judge, Note};
    ///
    /// let mut judge = Judge::new(false);
    /// let verdict = judge.judge(b"doi:10.1000/abc.");
    /// assert!(verdict.is_valid() && verdict.notes.contains(Note::Repaired));
    /// assert_eq!(verdict.doi, Some(&b"10.1000/ABC"[..]));
    ///
    /// let verdict = judge.judge(b"see 10.1000/abc");
    /// let reason = verdict.reason.unwrap().to_string();
    /// assert_eq!(reason, "does not begin with 10.: found \"s\" at byte 1");
    /// assert_eq!(verdict.doi, Some(&b"10.1000/ABC"[..]));
    /// ```
    pub fn judge(&mut self, value: &[u8]) -> Verdict<'_> {
        let is_plain = !self.is_strict && plain_value(value, &mut self.name);
        self.verdict(value, is_plain)
    }

    /// Judges the value of a cell or a field. Unless the judge is strict, blanks around it are no part of it.
    pub fn judge_cell(&mut self, value: &[u8]) -> Verdict<'_> {
        if self.is_strict {
            return self.verdict(value, false);
        }
        let (at, value) = within_blanks(value);
        let is_plain = plain_value(value, &mut self.name);
        let mut verdict = self.verdict(value, is_plain);
        if let Some(invalid) = &mut verdict.reason {
            invalid.at += at;
        }
        verdict
    }

    /// Judges a `line` of a list that a scan wrote. A name in the spelling of [`batch`] is its own DOI if a scan
    /// writes it for a source that encodes its marks: `10.1000/A"B` for `10.1000/a%22b`, but never `10.1000/A.`.
    pub fn judge_line(&mut self, line: &[u8]) -> Verdict<'_> {
        if self.is_strict || plain_value(line, &mut self.name) {
            return self.judge(line);
        }
        let mut folded = line.to_vec();
        fold(&mut folded);
        let name = batch::decode(&folded).into_owned();
        if !batch::is_spelled(&folded)
            || self.cleaner.names(&batch::spelled_out(&name)).only() != Ok(&name)
        {
            return self.judge(line);
        }
        self.name.clone_from(&name);
        let mut verdict = self.verdict(line, true);
        let _ = Doi::parse(&name).map(|doi| verdict.notes.of(&doi));
        verdict.notes.set(Note::PercentEncoded, *name != folded);
        verdict
    }

    /// Judges `value`. If it `is_plain`, its name was read, and only rules for registrants concern it.
    fn verdict(&mut self, value: &[u8], is_plain: bool) -> Verdict<'_> {
        let mut notes = Notes::default();
        let mut reason = if is_plain { None } else { self.read(value, &mut notes).err() };
        let value = &*one_line(value);
        let cell = if is_plain { None } else { self.cleaner.cell(value) };
        let (several, only) = match cell {
            Some(cell) if cell.names.len() > 1 && !self.is_strict => {
                return self.refuse_several(value, cell);
            }
            Some(cell) if cell.names.len() > 1 => (cell.names, None),
            only => (Vec::new(), only),
        };
        let mut is_name = reason.is_none();
        if !self.is_strict && !is_plain {
            let is_found = !is_name && self.recover(value, only, &mut notes);
            is_name |= is_found;
            let tidied = if is_name { self.repair(value, is_found) } else { Tidied::default() };
            notes.set(Note::Doubtful, tidied.is_doubtful);
            if tidied.is_changed || is_found {
                notes.set(Note::Repaired, true);
                let unsettled = if is_name { self.settle() } else { None };
                is_name = is_name && unsettled.is_none();
                reason = reason.or(unsettled);
                // The result of a repair is a DOI.
                let _ = Doi::parse(&self.name).map(|doi| notes.of(&doi));
            }
        }
        let mut check = None;
        if is_name {
            notes.set(Note::Licence, is_licence(&self.name));
            notes.set(Note::TestPrefix, is_test(&self.name));
            let wrong = self.eidr(value, &mut notes, &mut check);
            reason = reason.or(wrong.filter(|_| self.is_strict));
            is_name = !self.is_strict || reason.is_none();
        } else {
            note_short(value, &mut notes);
        }
        notes.set(Note::SeveralDois, !several.is_empty());
        Verdict { doi: is_name.then_some(self.name.as_slice()), reason, notes, check, several }
    }

    /// Replaces the repaired name by the one that judging it gives, until judging it again changes nothing. Returns why there is
    /// none.
    fn settle(&mut self) -> Option<Invalid> {
        let line = batch::encode(&self.name).into_owned();
        let round = self.round + 1;
        let mut judge = Judge { round, ..Judge::new(false).with_names(self.cleaner.model()) };
        let verdict = judge.judge(&line);
        if let Some(name) = verdict.doi.filter(|_| round <= MAX_ROUNDS) {
            self.name = name.to_vec();
            return None;
        }
        let (reason, part, found) = (Reason::SeveralDois, Part::Value, Found::More);
        verdict.reason.or(Some(Invalid { reason, part, at: 0, expected: "one DOI", found }))
    }

    /// Returns the verdict on a value with several DOIs.
    fn refuse_several(&self, value: &[u8], cell: CellNames) -> Verdict<'static> {
        let (reason, part, found) = (Reason::SeveralDois, Part::Value, Found::More);
        let reason = Invalid { reason, part, at: cell.second, expected: "one DOI", found };
        let mut verdict = Verdict { several: cell.names, ..Verdict::refused(reason) };
        verdict.notes.set(Note::SeveralDois, true);
        note_short(value, &mut verdict.notes);
        verdict
    }

    /// Reads `value` and stores its canonical name.
    fn read(&mut self, value: &[u8], notes: &mut Notes) -> Result<(), Invalid> {
        self.name.clear();
        if self.read_urn(value) {
            return Ok(());
        }
        let reading = self.reader.read(value)?;
        notes.of(&reading.doi);
        notes.set(Note::PercentEncoded, reading.is_encoded);
        notes.set(Note::Query, reading.tail == Some(Tail::Query));
        notes.set(Note::Fragment, reading.tail == Some(Tail::Fragment));
        self.name.extend_from_slice(reading.doi.as_str().as_bytes());
        fold(&mut self.name);
        Ok(())
    }

    /// Reads a URN form that only EIDRs have, such as `urn:SCHEME:eidr-s:7791-…`, and stores its
    /// canonical name. A wrong check character is kept.
    fn read_urn(&mut self, value: &[u8]) -> bool {
        if !value.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"urn:")) {
            return false;
        }
        let (eidr, found) = match Eidr::parse(value) {
            Ok(eidr) => (eidr, None),
            Err(eidr::Error::Check { expected, found, at }) => {
                let mut right = value.to_vec();
                // Replaces one ASCII character by another.
                right[at] = u8::try_from(expected).unwrap_or_default();
                let Ok(eidr) = Eidr::parse(&right) else { return false };
                (eidr, u8::try_from(found.to_ascii_uppercase()).ok())
            }
            Err(_) => return false,
        };
        self.name.extend_from_slice(eidr.name().as_bytes());
        if let (Some(last), Some(found)) = (self.name.last_mut(), found) {
            *last = found;
        }
        true
    }

    /// Sets the notes on a name under a prefix of EIDR, and inserts missing hyphens. Returns why it
    /// is not an EIDR that its registry accepts.
    fn eidr(
        &mut self,
        value: &[u8],
        notes: &mut Notes,
        check: &mut Option<(char, char)>,
    ) -> Option<Invalid> {
        let wrong = |at: usize, expected| {
            let at = value.len().saturating_sub(self.name.len()) + at;
            let found = value.get(at).map_or(Found::End, |&byte| Found::Char(byte.into()));
            Some(Invalid { reason: Reason::NotEidr, part: Part::Suffix, at, expected, found })
        };
        match eidr::judge(&self.name)? {
            eidr::Shape::Canonical => None,
            eidr::Shape::Wrong { expected, found, .. } => {
                notes.set(Note::EidrCheck, true);
                *check = Some((expected, found));
                wrong(self.name.len() - 1, eidr::check_character_text(expected))
            }
            eidr::Shape::Unhyphenated(eidr) => {
                notes.set(Note::EidrHyphens, true);
                let reason = wrong(12, "\"-\" after each four digits");
                if !self.is_strict {
                    notes.set(Note::Repaired, true);
                    self.name = eidr.name().into_bytes();
                }
                reason
            }
            eidr::Shape::Other { at, is_content } => {
                notes.set(Note::EidrShape, true);
                is_content.then(|| wrong(at, "XXXX-XXXX-XXXX-XXXX-XXXX-C of an EIDR")).flatten()
            }
        }
    }

    /// Finds the likely name of an invalid value. The value may be valid except for encoded
    /// blanks, or contain a single name, which is known if the value was scanned as a `cell`.
    fn recover(&mut self, value: &[u8], cell: Option<CellNames>, notes: &mut Notes) -> bool {
        let trimmed = trim(within_blanks(value).1);
        if trimmed.len() < value.len() && self.read(trimmed, notes).is_ok() {
            return true;
        }
        let cell = cell.unwrap_or_else(|| self.cleaner.names(value));
        cell.only().map(|name| self.name.clone_from(name)).is_ok() && self.join(value)
    }

    /// Joins the name to the second of the two words of `value`, if the model knows that DOIs seldom end at the blank and
    /// that one ends with the word: `10.1038/3505 7062`. Returns whether there is a likely name.
    fn join(&mut self, value: &[u8]) -> bool {
        let mut words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let (Some(first), Some(word), None) = (words.next(), words.next(), words.next()) else {
            return true;
        };
        let (Some(model), Ok(doi)) = (self.cleaner.model(), Doi::parse(&self.name)) else {
            return true;
        };
        let (mut first, mut word) = (first.to_vec(), word.to_vec());
        fold(&mut first);
        fold(&mut word);
        let (registrant, suffix) = (doi.registrant().as_bytes(), doi.suffix().as_bytes());
        let place = |word: &[u8]| model.known(registrant, [suffix, word]);
        let goes_on =
            word.iter().any(u8::is_ascii_digit) && place(&word[..1]).passing > place(b"").ending;
        if !goes_on || !first.ends_with(&self.name) {
            return true;
        }
        let whole = place(&word);
        let is_whole = whole.ending >= 1.0 && 2.0 * whole.ending >= whole.passing;
        self.name.append(&mut word);
        is_whole
    }

    /// Repairs the name spelled by `value` until judging the result would change nothing.
    fn repair(&mut self, value: &[u8], is_found: bool) -> Tidied {
        let value = trim(within_blanks(value).1);
        let mut all = Tidied::default();
        if !is_found {
            all = self.cleaner.tidy(value, &mut self.name);
        }
        for _ in 0..MAX_REPAIRS {
            let line = batch::encode(&self.name);
            if !is_found && !all.is_changed && line.eq_ignore_ascii_case(value) {
                break;
            }
            let line = line.into_owned();
            let Tidied { is_changed, is_doubtful } = self.cleaner.tidy(&line, &mut self.name);
            all.is_doubtful |= is_doubtful;
            if !is_changed {
                break;
            }
            all.is_changed = true;
        }
        all
    }
}

/// Notes whether `value` contains a shortDOI.
fn note_short(value: &[u8], notes: &mut Notes) {
    short::each(value, 0..value.len(), |_| notes.set(Note::ShortDoi, true));
}

/// Returns `value` without white space and byte order marks around it, and where that begins.
fn within_blanks(value: &[u8]) -> (usize, &[u8]) {
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let (begun, text) = match str::from_utf8(value) {
        Ok(text) => {
            let begun = text.trim_start_matches(is_blank);
            (begun.len(), begun.trim_end_matches(is_blank).as_bytes())
        }
        Err(_) => (value.trim_ascii_start().len(), value.trim_ascii()),
    };
    (value.len() - begun, text)
}

/// Returns `value` without encoded blanks at its end.
fn trim(value: &[u8]) -> &[u8] {
    let mut text = value;
    while let Some(len) = ENCODED_BLANKS.iter().find_map(|blank| ends(text, blank)) {
        text = &text[..len];
    }
    text
}

/// Percent-encoded characters at the end of a value that belong to no name.
const ENCODED_BLANKS: [&[u8]; 6] = [b"%20", b"%09", b"%0A", b"%0D", b"%C2%A0", b"%E2%80%8B"];

/// Returns the length of `text` without `end`, in any case.
fn ends(text: &[u8], end: &[u8]) -> Option<usize> {
    let len = text.len().checked_sub(end.len())?;
    text[len..].eq_ignore_ascii_case(end).then_some(len)
}

/// Returns a value with blanks for the line ends within it, which are repaired like blanks.
fn one_line(value: &[u8]) -> Cow<'_, [u8]> {
    match memchr::memchr2(b'\n', b'\r', value) {
        None => value.into(),
        Some(_) => {
            let blank = |byte: &u8| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte };
            value.iter().map(blank).collect()
        }
    }
}

#[cfg(test)]
mod tests;
