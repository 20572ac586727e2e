//! Decides where a name in running text ends: a score for each place where it could.
//!
//! A place is good if the text before it looks like a DOI, if DOIs end there, and if the text after it looks
//! like words rather than like the rest of a DOI. All three are logarithms of probabilities, so they add up. What the notation tells of a
//! place (a blank, a full stop, a change of case) is added in the same unit.

use super::model::{FEW, LONGEST, Model, Place, SURE, Walk, Whole};
use super::symbol::{DIGIT, LETTER, kind};
use arrayvec::ArrayVec;

/// What follows a run of characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gap {
    /// Something that ends a name.
    #[default]
    End,
    /// A line end, and the first word of the next line.
    Line,
    /// Tags without blanks, and the next word.
    Tag,
    /// A blank, and the next word.
    Blank,
    /// A line end and a blank line, and the first word after them.
    Far,
}

/// A suffix as it stands in running text, and what follows it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Text<'a> {
    /// The digits of the registrant.
    pub registrant: &'a [u8],
    /// The suffix up to the blank, the line end or the mark that ends it, as it is spelled.
    pub run: &'a [u8],
    /// How many bytes of it the notation leaves: without the punctuation of a sentence.
    pub plain: usize,
    /// Whether a label or an address is in front of the DOI.
    pub is_address: bool,
    /// What follows.
    pub gap: Gap,
    /// The next word, after a line end or a blank.
    pub next: &'a [u8],
    /// The words after it, each after a blank or a line end, at most [`MORE`].
    pub more: &'a [&'a [u8]],
    /// Whether blanks divide the name or its address before the run, so that another one tells nothing.
    pub is_loose: bool,
    /// Whether the full stop at the end of the run is followed by a word that begins with a capital: of a sentence, or of the
    /// author of the next entry.
    pub is_sentence: bool,
    /// Whether the run ends its line, so that no number of a note is glued to it.
    pub ends_line: bool,
    /// What is known of the run without that punctuation, if the model was asked.
    pub ends: Option<Whole>,
}

/// Where a name ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// After this number of bytes of the run.
    Run(usize),
    /// After this number of bytes of the next word.
    Next(usize),
    /// In the next word, without the hyphen at the end of the run, which divides a word.
    Divided,
    /// Somewhere else: DOIs of the registrant begin so, and none ends here.
    Stem,
}

/// Cost of a character of words and sentences, and of the first one of its kind.
const WORDS: [(f32, f32); 3] = [(1.89, 4.17), (0.6, 3.97), (-0.06, 2.12)];
/// Cost of a capital within a word.
const CAPITAL: f32 = 1.5;
/// A name in small and in capital letters.
const MIXED_CASE: f32 = -3.08;
/// An end before or after marks that the notation does not trim or that it does, each.
const MARK: f32 = -3.0;
/// A word that is glued after a mark, between letters and digits, within letters or within digits.
const GLUED: [f32; 3] = [-4.13, -6.8, -11.26];
/// The most that what follows costs: it may be of any kind.
const OTHER: f32 = -75.0;
/// A word of a page, and the factor of the cost of what follows it.
const PAGE: (f32, f32) = (-5.01, 1.29);
/// An end before glued text where no DOI is known to end, and where all end.
const UNSUPPORTED: f32 = -3.29;
const NEVER_LONGER: f32 = 2.18;
/// Maximum length of the number of an entry with its full stops.
const ENTRY: usize = b".123.".len();
/// The fewest letters of a word, and digits of a long number.
const WORD: usize = 3;
const LONG: usize = 5;
/// A name that continues after a line end, and after a blank.
const OVER: [f32; 2] = [-3.0, -5.64];
/// One that continues after a blank where blanks divide names.
const LOOSE: f32 = 4.0;
/// A name after whose run no DOI ends, and none goes on as the next word does.
const UNFINISHED: f32 = 6.35;
const NEW: f32 = -1.99;
/// A run that ends in a full stop, of a registrant that is not known there, and of one that is.
const FULL_STOP: (f32, f32) = (1.23, -1.0);
/// A name over a gap that is not known, and whose rest is letters.
const UNKNOWN: (f32, f32) = (-4.28, -1.3);
/// The rest after a gap in other letters.
const OTHER_CASE: f32 = -2.0;
/// A name over a gap before which a whole DOI stands, one with a mark after it, and a rest of digits.
const WHOLE: (f32, f32, f32) = (-1.02, -1.5, -1.5);
/// A name that ends in a mark, and within brackets.
const ODD_END: f32 = -0.79;
const OPEN: f32 = -2.67;

/// Words that pages append to an address, or that are glued to it.
const PAGES: [&[u8]; 14] = [
    b"FULL",
    b"ABSTRACT",
    b"PDF",
    b"HTML",
    b"META",
    b"REFERENCES",
    b"INTRODUCTION",
    b"KEYWORDS",
    b"SUPPLEMENT",
    b"FIGURE",
    b"EPUB",
    b"ACCESSED",
    b"PMID",
    b"HTTP",
];

/// Whether `word` is one of a page, or its beginning, such as `suppl`.
pub(crate) fn is_page(word: &[u8]) -> bool {
    let begins = |text: &[u8], start: &[u8]| {
        text.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start))
    };
    PAGES.iter().any(|page| begins(word, page) || begins(page, word))
}

/// Whether the path of a page may begin with `word`, which begins with so many `letters`.
fn is_path(word: &[u8], letters: usize) -> bool {
    letters >= WORD && (is_page(word) || word[..letters].iter().any(u8::is_ascii_lowercase))
}

/// The fewest DOIs of a registrant that begin so and of which none ends here for a name to be refused.
const MANY: f32 = 300.0;
/// The fewest of them for a name that ends in a letter, which is no number that could be shorter.
const SOME: f32 = 100.0;
/// The least logarithm of the share of ends for the beginning of a cut text to be a name: half of all.
const CUT_END: f32 = -0.7;
/// The same, where nothing is known of the registrant: nearly all.
const NEW_END: f32 = -0.0834;

/// Maximum number of bytes of the next word that are looked at.
pub const MOST_NEXT: usize = 60;

/// Maximum number of words after the next one that are looked at.
pub const MORE: usize = 7;

impl Text<'_> {
    /// Whether the run up to `at` is only the beginning of a name: the text is cut there, or many DOIs continue and none ends.
    /// `front` is the place before the marks before `at`; `goes_on` says whether DOIs go on like the next word.
    fn is_stem(&self, at: usize, place: Place, front: Place, goes_on: bool) -> bool {
        let last = match self.next {
            b"." if !self.run.ends_with(b"-") => b'.',
            _ => self.run.last().copied().unwrap_or_default(),
        };
        let is_line = matches!(self.gap, Gap::Line | Gap::Far);
        // A long number at a line end may be shorter than others.
        let digits = self.run.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let is_cut = is_line && digits < LONG || b"-_/(.".contains(&last);
        if last == b'-' && place.ending < SURE || is_line && last == b'_' && front.ending < 1.0 {
            return true;
        }
        let run = &self.run[..at];
        if place.ending > 0.0 || run.is_empty() {
            return false;
        }
        let has_digit = run.iter().any(u8::is_ascii_digit);
        is_cut && !has_digit && place.passing >= SURE
            || run[at - 1].is_ascii_alphabetic() && place.passing > SOME
            || place.passing > MANY && (is_cut || self.is_loose || goes_on)
            || place.passing >= FEW && self.is_loose && self.next == b"."
    }

    /// The length of the run up to `at` without marks at its end.
    fn letters(&self, at: usize) -> usize {
        self.run[..at].iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |last| last + 1)
    }
}

impl Model {
    /// Decides where a name ends.
    pub fn end(&self, text: Text<'_>) -> End {
        match self.is_plain(text) {
            true => End::Run(text.plain),
            false => self.weigh(text),
        }
    }

    /// Like [`Model::end`], if the decision is not [plain](Model::is_plain).
    pub fn weigh(&self, text: Text<'_>) -> End {
        let next = nearest(text);
        let run = text.run.len();
        if self.is_divided(text, next) {
            return End::Divided;
        }
        // No DOI goes on in the number of an entry in brackets.
        let is_number = next.starts_with(b"[") && is_entry(next);
        let next = if is_number { &[] } else { next };
        let mut raw = ArrayVec::<u8, LONGEST>::new();
        let mut gaps = ArrayVec::<usize, { MORE + 2 }>::new();
        let reads_more = !next.is_empty() && next.len() == text.next.len();
        let more = text.more.iter().copied().take(MORE).filter(|_| reads_more);
        for word in [text.run, next].into_iter().chain(more) {
            if raw.try_extend_from_slice(word).is_err() || gaps.try_push(raw.len()).is_err() {
                break;
            }
        }
        gaps.pop();
        let walk = Walk::new(self, text.registrant, &raw);
        let at = Ends { text, raw: &raw, gaps: &gaps, walk: &walk }.best();
        let is_word = |byte: &u8| byte.is_ascii_alphabetic();
        let goes_on = !raw.get(run).is_none_or(is_word) && walk.passing(run + 1) > 0.0;
        match at <= run {
            true if text.is_stem(at, walk.place(at), walk.place(text.letters(at)), goes_on) => {
                End::Stem
            }
            true => End::Run(at),
            false => End::Next((at - run).min(next.len())),
        }
    }

    /// Whether the decision is plain, as it is for nearly every DOI: it is known to be whole, or nothing is known of its
    /// registrant and nothing can be glued to it, and no DOI goes on like the next word. It then ends with its plain part,
    /// whatever is in front of it and after the next word. So do those that are too long.
    pub fn is_plain(&self, text: Text<'_>) -> bool {
        if text.run.len() > LONGEST - MOST_NEXT {
            return true;
        }
        let next = nearest(text);
        let plain = &text.run[..text.plain];
        let ends = text.ends.or_else(|| self.ends(text.registrant, plain));
        let ends = ends.map(|ends| ends != Whole::No);
        let is_glued = |byte: &u8| byte.is_ascii_uppercase() || b"?#[".contains(byte);
        let is_whole = ends.unwrap_or_else(|| !plain.iter().any(is_glued));
        if text.gap == Gap::End || !is_whole || plain.is_empty() {
            return text.gap == Gap::End && is_whole;
        }
        let is_run = text.plain == text.run.len();
        if text.gap == Gap::Blank && is_run && next.first().is_some_and(u8::is_ascii_alphanumeric) {
            return true;
        }
        let is_open = matches!(text.run.last(), Some(b'-' | b'_'));
        if is_open || next.is_empty() || is_entry(next) {
            return !is_open;
        }
        let word = &next[..plain_end(next)];
        let is_word = !word.is_empty() && word.iter().all(u8::is_ascii_alphabetic);
        let goes_on = |word: &[u8]| self.known(text.registrant, [text.run, word]);
        is_word && goes_on(word).ending < 1.0
            || ends.is_some() && !next.is_empty() && goes_on(&next[..1]).passing == 0.0
    }

    /// Whether the hyphen at the end of the run divides a word that the next one ends: without it, they are a whole DOI.
    fn is_divided(&self, text: Text<'_>, next: &[u8]) -> bool {
        let Some(front) = text.run.strip_suffix(b"-").filter(|_| text.gap != Gap::End) else {
            return false;
        };
        let word = &next[..plain_end(next)];
        word.first().is_some_and(u8::is_ascii_alphabetic)
            && front.last().is_some_and(u8::is_ascii_alphabetic)
            && self.known(text.registrant, [text.run, word]).passing == 0.0
            && self.known(text.registrant, [front, word]).ending >= 1.0
    }

    /// Whether `suffix` under `registrant`, before a mark that stands for what was left out, is a whole DOI.
    pub fn is_whole(&self, registrant: &[u8], suffix: &[u8]) -> bool {
        let walk = Walk::new(self, registrant, suffix);
        let mut odds = walk.odds(suffix.len());
        let is_known = walk.passing(suffix.len()) > 0.0;
        let least = if is_known { CUT_END } else { NEW_END };
        suffix.len() <= LONGEST && odds.next().is_some_and(|odds| odds.end > least)
    }
}

/// The bytes of the next word that are looked at.
fn nearest(text: Text<'_>) -> &[u8] {
    &text.next[..text.next.len().min(MOST_NEXT)]
}

/// The places where a name could end.
struct Ends<'a> {
    text: Text<'a>,
    /// The run and the words after it.
    raw: &'a [u8],
    /// Where each of the words begins; the first one after the run.
    gaps: &'a [usize],
    walk: &'a Walk<'a>,
}

/// What was read up to a place.
#[derive(Clone, Copy, Default)]
struct Before {
    case: f32,
    /// The last letter, and the last one of the run.
    letter: Option<u8>,
    letter_of_run: Option<u8>,
    open: i32,
}

impl Ends<'_> {
    /// The best place.
    fn best(&self) -> usize {
        let mut places = ArrayVec::new();
        self.places(&mut places);
        let [(first, ..), _, ..] = places[..] else {
            return places.first().map_or(self.text.plain, |(at, ..)| *at);
        };
        let (mut odds, mut next) = (self.walk.odds(first), first);
        let mut best = (f32::NEG_INFINITY, first);
        let mut rest = (usize::MAX, 0.0);
        for &(at, limit, cost) in &places {
            let Some(odds) = odds.nth(at - next) else { break };
            next = at + 1;
            if rest.0 != limit && self.text.gap != Gap::End {
                let next =
                    self.gaps.iter().find(|gap| **gap > limit).map_or(self.raw.len(), |at| *at);
                let other = f32::max(0.0, OTHER - words(&self.raw[limit..next]));
                rest = (limit, words(&self.raw[limit..]) + other);
            }
            let score = odds.path + odds.end + cost + rest.1;
            if score > best.0 {
                best = (score, at);
            }
        }
        best.1
    }

    /// The places where the notation and the registrant's DOIs allow an end, with the end of the word and the cost of each.
    fn places(&self, places: &mut ArrayVec<(usize, usize, f32), LONGEST>) {
        let mut before = Before::default();
        let (mut from, mut crossed) = (0, 0.0);
        for word in 0..=self.gaps.len() {
            let (limit, plain) = (self.limit(word), self.plain(word));
            for at in from + 1..=limit {
                before.take(self.raw[at - 1], word == 0);
                let over = || word.checked_sub(1).map_or(0.0, |gap| self.over_gap(gap, at, before));
                let mut cost = crossed + self.notation(at, limit, plain, before);
                if cost > f32::NEG_INFINITY {
                    cost += over();
                }
                if at == limit {
                    crossed += over();
                }
                if cost > f32::NEG_INFINITY {
                    places.push((at, limit, cost));
                }
            }
            from = limit;
            if crossed == f32::NEG_INFINITY {
                break;
            }
        }
    }

    /// The end of the run, if `words` is 0, or of that word.
    fn limit(&self, words: usize) -> usize {
        self.gaps.get(words).copied().unwrap_or(self.raw.len())
    }

    /// Where the punctuation of a sentence at the end of the run or of a word begins.
    fn plain(&self, words: usize) -> usize {
        let Some(gap) = words.checked_sub(1) else { return self.text.plain };
        self.gaps[gap] + plain_end(&self.raw[self.gaps[gap]..self.limit(words)])
    }

    /// What the notation tells of an end at `at`, in a word up to `limit` whose punctuation begins at `plain`.
    fn notation(&self, at: usize, limit: usize, plain: usize, before: Before) -> f32 {
        // Nothing is glued within a word of the text that follows.
        let is_within = at < limit
            && self.gaps.first().is_some_and(|gap| at > *gap)
            && self.raw[at - 1..=at].iter().all(u8::is_ascii_alphabetic);
        if is_within
            || at < plain && !self.may_be_glued(at, limit, plain)
            || at > plain && self.walk.place(at).ending < 1.0
        {
            return f32::NEG_INFINITY;
        }
        let mut cost = before.case;
        if at > plain {
            cost += MARK * (limit - plain) as f32;
        } else if at < plain {
            cost += self.glued(at, limit);
        }
        if b".,:;!?'-_/(".contains(&self.raw[at - 1]) {
            cost += ODD_END;
        }
        if before.open > 0 && at < self.gaps[0] {
            cost += OPEN;
        }
        cost
    }

    /// What an end at `at` costs before glued text up to `limit`.
    fn glued(&self, at: usize, limit: usize) -> f32 {
        let (last, tail) = (self.raw[at - 1], &self.raw[at..limit]);
        let never = self.never_longer(at, tail);
        let class = match tail[0] {
            next if !next.is_ascii_alphanumeric() => 0,
            next if kind(next) != kind(last) => 1,
            _ => 2,
        };
        let word = tail.iter().position(|byte| !is_mark(byte)).map_or(tail, |at| &tail[at..]);
        let begins =
            |page: &&&[u8]| word.get(..page.len()).is_some_and(|w| w.eq_ignore_ascii_case(page));
        let is_word = |page: &&&[u8]| !word[page.len()..].first().is_some_and(u8::is_ascii_digit);
        let place = self.walk.place(at);
        let cost = match PAGES.iter().find(begins).filter(is_word) {
            Some(page) => PAGE.0 + PAGE.1 * words(&word[page.len()..]),
            None if tail[0] == b'.' && is_title_word(word) => PAGE.0,
            // The number of the next entry, or the initial of its author.
            None if never && self.text.is_sentence && tail[0] == b'.' && limit - at <= ENTRY => {
                if place.is_sure() || tail[1].is_ascii_uppercase() {
                    PAGE.0
                } else {
                    words(tail)
                }
            }
            None => words(tail),
        };
        let support = match place.ending < 1.0 || place.passing < 3.0 {
            true => UNSUPPORTED,
            false if never => NEVER_LONGER,
            false => 0.0,
        };
        GLUED[class] + cost + support
    }

    /// Whether no DOI goes on at `at` with the first letter or digit of `tail`.
    fn never_longer(&self, at: usize, tail: &[u8]) -> bool {
        let first = tail.iter().position(u8::is_ascii_alphanumeric).unwrap_or(0);
        self.walk.passing(at + first + 1) == 0.0
    }

    /// Whether what the model knows of DOIs that end at `at` allows that the text up to `plain` is glued to one, in a word up
    /// to `limit`.
    fn may_be_glued(&self, at: usize, limit: usize, plain: usize) -> bool {
        let (last, tail) = (self.raw[at - 1], &self.raw[at..plain]);
        // Most places are such.
        if tail[0].is_ascii_digit() && last.is_ascii_digit() {
            return false;
        }
        let place = self.walk.place(at);
        let is_open = place.ending < 1.0 && !last.is_ascii_digit() && tail[0] != b'[';
        if is_open && tail[0] != b'.' {
            return false;
        }
        let word = tail.iter().position(|byte| !is_mark(byte)).map_or(&[][..], |at| &tail[at..]);
        let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
        let letters = match word {
            [b'A'..=b'Z' | b'a'..=b'z', ..] => {
                word.iter().take_while(|byte| is_letter(byte)).count()
            }
            _ => 0,
        };
        let has_word = letters >= WORD;
        let is_title = matches!(word, [b'A'..=b'Z', b'a'..=b'z' | 0x80.., ..]);
        let is_sentence = tail[0] == b'.'
            && is_title_word(word)
            && !self.walk.model().has_word(self.text.registrant, tail);
        if is_open && !is_sentence {
            return false;
        }
        let never = self.never_longer(at, &self.raw[at..limit]);
        let digits = tail[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let count = tail.iter().filter(|byte| byte.is_ascii_digit()).count();
        let is_number = digits + 1 == tail.len() && (1..4).contains(&digits);
        let sure = |least| never && place.is_sure() && place.ending >= least;
        let ends = |least| never && place.lost <= 0.02 * place.passing && place.ending >= least;
        match tail[0] {
            _ if is_sentence && place.passing == 0.0 => true,
            // A letter that tells one of several apart.
            b'a'..=b'z' | b'A'..=b'Z' if tail.len() == 1 => false,
            // The notation ends a name at such a mark, unless it is encoded, and then it is one of the name.
            b'?' | b'#' | b':' | b';' => false,
            b'-' if tail.len() == 2 && tail[1].is_ascii_alphabetic() => false,
            b'-' => self.walk.passing(at + 1) == 0.0 && sure(100.0),
            b'[' => !place.is_unfinished() && (place.ending >= 1.0 || last.is_ascii_digit()),
            _ if has_word && (is_title || self.is_other_case(at, tail)) => {
                place.ending >= 1.0 || is_title && last.is_ascii_digit() && count == 0
            }
            b'.' if self.text.ends_line => false,
            b'.' if self.text.is_sentence && (tail.len() == 2 || is_number) => {
                let is_initial = tail[1].is_ascii_uppercase() && place.passing == 0.0;
                is_initial || never && place.ending >= 3.0
            }
            b'.' if is_title && count == 0 => never && place.ending >= 3.0,
            // The paths of pages are words in small letters.
            b'/' if tail.get(1).is_some_and(u8::is_ascii_alphanumeric)
                && !is_path(word, letters) =>
            {
                false
            }
            b'/' | b'_' if has_word => ends(10.0),
            // So are components named.
            b'.' if has_word => sure(10.0),
            _ if has_word && count > 0 => sure(100.0),
            _ if has_word => ends(30.0),
            // A reference has a shorter number than a component.
            b'.' | b'_' | b'/' | b'A'..=b'Z' | b'a'..=b'z' if count > 2 => false,
            // A number or a version of a DOI.
            b'_' if matches!(tail, [_, b'0'..=b'9' | b'V' | b'v', ..]) => false,
            _ => ends(10.0),
        }
    }

    /// Whether the tail at `at` begins in other letters than the text before it ends in, or no letter is before it.
    fn is_other_case(&self, at: usize, tail: &[u8]) -> bool {
        let letter = |byte: &&u8| byte.is_ascii_alphabetic();
        let before = self.raw[..at].iter().rev().find(letter);
        let next = tail.iter().find(letter);
        match (before, next) {
            (Some(before), Some(next)) => before.is_ascii_uppercase() != next.is_ascii_uppercase(),
            (None, Some(next)) => next.is_ascii_uppercase(),
            _ => false,
        }
    }

    /// Whether what the model knows allows that a name goes on over the gap before `rest` up to `at`.
    fn may_go_on(&self, gap: usize, at: usize) -> bool {
        let from = self.gaps[gap];
        let (front, over) = (self.walk.place(from), self.walk.place(at));
        let last = self.raw[..from].last().copied().unwrap_or(b'/');
        let is_open = b"-_/(.:".contains(&last);
        let rest = &self.raw[from..at];
        let is_known = self.walk.passing(0) > 0.0;
        let (is_blank, is_far) = (self.text.gap == Gap::Blank, self.text.gap == Gap::Far);
        let is_letters = rest.iter().all(u8::is_ascii_alphabetic);
        let is_whole = self.walk.place(self.plain(gap)).ending > 0.0;
        // An author after a full stop.
        if is_whole && last == b'.' && is_title_word(rest) {
            return false;
        }
        if front.is_unfinished() && over.ending >= 1.0 && (is_open || !is_blank || !is_letters) {
            return true;
        }
        if from == 0 {
            return !is_entry(self.word(gap)) && self.may_begin(at);
        }
        if !self.raw[..from].iter().any(u8::is_ascii_alphanumeric) {
            return false;
        }
        if is_far {
            return front.is_unfinished() && rest.iter().filter(|b| b.is_ascii_digit()).count() > 3;
        }
        let is_begun = is_open || front.ending == 0.0 && over.ending >= 1.0;
        // A slash between blanks divides what is whole from other text.
        if is_blank && is_whole && self.word(gap) == b"/" && !self.is_loose(gap) {
            return false;
        }
        if is_entry(self.word(gap)) && (is_whole || !is_begun && !front.is_unfinished()) {
            return false;
        }
        // DOIs that look like this one end here, and none is known that goes on so.
        if is_whole && !is_open && over.passing == 0.0 && !self.is_loose(gap) {
            return false;
        }
        if self.is_loose(gap) && is_known {
            return over.passing > 0.0 || front.ending == 0.0 && (is_open || !is_letters);
        }
        if is_letters {
            return !is_blank && over.ending >= 1.0 && front.ending == 0.0;
        }
        // A sentence ends in a full stop, and the next one begins with a capital.
        let is_sentence = last == b'.' && rest[0].is_ascii_uppercase();
        let is_part = is_known && over.passing > 0.0 && is_mark(&rest[0]);
        let is_apart = self.text.gap == Gap::Tag && !is_known && !is_open && !is_mark(&rest[0]);
        let is_next = is_sentence && if is_blank { !is_known } else { over.passing == 0.0 };
        !is_blank && !is_apart && !is_next || is_open && !is_next || is_part || self.is_loose(gap)
    }

    /// The word after `gap`.
    fn word(&self, gap: usize) -> &[u8] {
        &self.raw[self.gaps[gap]..self.limit(gap + 1)]
    }

    /// Whether blanks before this gap divide the name or its address.
    fn is_loose(&self, gap: usize) -> bool {
        self.text.is_loose || gap > 0
    }

    /// Whether a suffix may begin in the next word, up to `at`, after the slash of its prefix.
    fn may_begin(&self, at: usize) -> bool {
        let rest = &self.raw[..at];
        let is_number = rest.len() < 4 && rest.iter().all(u8::is_ascii_digit);
        let is_unknown = self.walk.passing(0) == 0.0;
        let is_part = |byte: &u8| byte.is_ascii_digit() || is_mark(byte);
        let has_parts = rest[..rest.len() - 1].iter().any(is_part);
        let word = &self.raw[..self.limit(1)];
        let goes_on = self.walk.passing(word.len()) > 0.0 && word.iter().any(is_mark);
        let is_begun = self.text.is_loose && (is_unknown || self.walk.passing(at) > 0.0);
        let begins_another = rest.starts_with(b"10.");
        let is_apart = self.text.gap == Gap::Far && !rest.iter().any(u8::is_ascii_digit);
        self.text.is_address
            && !begins_another
            && !is_apart
            && (is_begun
                || goes_on
                || has_parts && (!is_number || is_unknown || self.walk.passing(at) > 0.0))
    }

    /// What a name costs that continues over the `gap` up to `at`.
    fn over_gap(&self, gap: usize, at: usize, before: Before) -> f32 {
        let (from, plain) = (self.gaps[gap], self.plain(gap));
        let rest = &self.raw[from..at];
        if !self.may_go_on(gap, at) {
            return f32::NEG_INFINITY;
        }
        let mut cost = match self.text.gap {
            Gap::Blank if self.is_loose(gap) => LOOSE,
            Gap::Blank => OVER[1],
            _ => OVER[0],
        };
        let front = self.walk.place(from);
        if front.passing >= 20.0 {
            if front.ending == 0.0 {
                cost += UNFINISHED;
            }
            if self.walk.passing(from + 1) == 0.0 {
                cost += NEW;
            }
        } else if from > 0 && self.raw[from - 1] == b'.' {
            let is_known = self.walk.passing(plain) >= 20.0;
            cost += if is_known { FULL_STOP.1 } else { FULL_STOP.0 };
        }
        if self.walk.passing(at) < 3.0 && !self.is_loose(gap) {
            cost += UNKNOWN.0;
            if rest.iter().all(u8::is_ascii_alphabetic) {
                cost += UNKNOWN.1;
            }
        }
        if let (Some(front), Some(last)) = (before.letter_of_run, before.letter)
            && front.is_ascii_lowercase() != last.is_ascii_lowercase()
            && gap == 0
        {
            cost += OTHER_CASE;
        }
        if plain > 0 && self.walk.place(plain).ending > 0.0 {
            cost += if from == plain { WHOLE.0 } else { WHOLE.1 };
            if rest.iter().all(u8::is_ascii_digit) {
                cost += WHOLE.2;
            }
        }
        cost
    }
}

impl Before {
    fn take(&mut self, byte: u8, is_run: bool) {
        if byte.is_ascii_alphabetic() {
            if self
                .letter
                .is_some_and(|last| last.is_ascii_lowercase() != byte.is_ascii_lowercase())
            {
                self.case += MIXED_CASE;
            }
            self.letter = Some(byte);
        }
        if is_run {
            self.letter_of_run = self.letter;
        }
        self.open += match byte {
            b'(' | b'[' | b'<' => 1,
            b')' | b']' | b'>' => -1,
            _ => 0,
        };
    }
}

/// Whether `byte` comes before what is glued to a DOI.
fn is_mark(byte: &u8) -> bool {
    b"/.-_#?([".contains(byte)
}

/// The logarithm of the probability of `text` as words.
fn words(text: &[u8]) -> f32 {
    let (mut cost, mut last) = (0.0, 0);
    for &byte in text {
        let kind = kind(byte);
        let (first, each) = match kind {
            LETTER => WORDS[0],
            DIGIT => WORDS[1],
            _ => WORDS[2],
        };
        cost += each;
        if kind != last {
            cost += first;
        } else if byte.is_ascii_uppercase() {
            cost += CAPITAL;
        }
        last = kind;
    }
    -cost
}

/// Whether `word` is one in title case, as at the beginning of a sentence.
fn is_title_word(word: &[u8]) -> bool {
    matches!(word, [b'A'..=b'Z', rest @ ..] if !rest.is_empty() && rest.iter().all(|b| b.is_ascii_lowercase() || !b.is_ascii()))
}

/// Whether `token` begins an entry of a list: `12.`, `3)`, `[37]`, a line of a log: `2021-03-22`, or a reference without an author:
/// `1998,`, `2007;`.
fn is_entry(token: &[u8]) -> bool {
    if let [b'1', b'9', a, b, rest @ ..] | [b'2', b'0', a, b, rest @ ..] = token
        && [a, b].iter().all(|byte| byte.is_ascii_digit())
    {
        return match rest {
            [b';', ..] | [b','] => true,
            [b'-', a, b, b'-', c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()),
            _ => false,
        };
    }
    let (number, marks) = match token {
        [b'[', rest @ ..] => (rest, &b"]"[..]),
        _ => (token, &b".)"[..]),
    };
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=3).contains(&digits)
        && number[0] != b'0'
        && matches!(number[digits..], [mark] if marks.contains(&mark))
}

/// The length of `word` without the punctuation of a sentence and closing brackets that it does not open.
fn plain_end(word: &[u8]) -> usize {
    let count = |text: &[u8], byte: u8| text.iter().filter(|b| **b == byte).count();
    let mut end = word.len();
    while let Some(&last) = word[..end].last() {
        let opening = match last {
            b')' => b'(',
            b']' => b'[',
            b'>' => b'<',
            b'.' | b',' | b':' | b';' | b'!' | b'?' | b'\'' | b'*' | b'"' | b'<' => 0,
            _ => break,
        };
        if opening > 0 && count(&word[..end], opening) >= count(&word[..end], last) {
            break;
        }
        end -= 1;
    }
    end
}
