//! The word after a line end: where it stands, and whether it can be the rest of a name.

use super::breaks::{LINE_ENDS, MAX_LINE, line_break};
use super::column::{column, in_column, is_left_of, margin, numbered};
use super::form::{self, article, ends_in_serial};
use super::front::Front;
use crate::scan::anchor::{self, Anchor};
use crate::scan::prefix::Prefix;
use crate::scan::{glued, hyphen, ocr};

/// The first word of the next line.
#[derive(Debug)]
pub(in crate::scan) struct Next<'a> {
    /// Where it begins.
    pub(in crate::scan) at: usize,
    /// Its text.
    pub(in crate::scan) token: &'a [u8],
    /// Whether it is alone on its line, or in its column.
    pub(super) is_alone: bool,
    /// Whether the number of PubMed or the end of an element follows it, which ends a reference.
    pub(super) ends_entry: bool,
    /// Whether U+2010 or U+2011 and a digit follow it: `nhess‐14‐2487‐2014`.
    pub(super) is_hyphenated: bool,
}

/// Returns the first word of the line after the one that ends at `at`, in the same column.
pub(super) fn next<'a>(before: &[u8], after: &'a [u8], at: usize) -> Option<Next<'a>> {
    let rest = &after[at..after.len().min(at + MAX_LINE)];
    if let Some(len) = line_break(rest) {
        return Next::after_break(after, at + len);
    }
    let end = memchr::memchr(b'\n', rest)?;
    // What follows a carriage return alone is in no column of this line.
    if memchr::memchr(b'\r', &rest[..end]).is_some_and(|at| at + 1 < end) {
        return None;
    }
    let is_gap = !rest[..end].iter().all(|b| matches!(b, b' ' | b'\r' | b'\\'));
    let mut from = at + end + 1;
    let mut line = line_at(after, from);
    let (column, is_column) = column(before);
    let place = match is_gap || is_column {
        _ if numbered(before, line).is_some() => numbered(before, line)?,
        // Lines of two columns alternate where their heights differ.
        _ if is_left_of(line, column) => {
            from += line.len() + 1;
            line = line_at(after, from.min(after.len()));
            in_column(line, column)?
        }
        true => in_column(line, column)?,
        false => {
            let margin = margin(before, line).unwrap_or(0);
            margin + line[margin..].iter().position(|b| !matches!(b, b' ' | b'\t' | b'\x0c'))?
        }
    };
    // No name continues after the end of quotes, of a quoted cell, of braces or of code.
    let is_part = |b: &&u8| b.is_ascii_graphic() && !matches!(b, b'"' | b'}' | b'`');
    let len = line[place..].iter().take_while(is_part).count();
    let token = &line[place..place + len];
    let behind = &line[place + len..];
    // The next line of a program after a comment.
    if behind.starts_with(b" = ") {
        return None;
    }
    let is_end = behind.trim_ascii().is_empty() || matches!(behind[0], b'"' | b'}' | b'`');
    let ends_entry = ends_entry(behind);
    let is_alone = is_end || behind.starts_with(b"   ") || ends_entry;
    let is_hyphenated = matches!(behind, [0xe2, 0x80, 0x90 | 0x91, b'0'..=b'9', ..]);
    (len > 0).then_some(Next { at: from + place, token, is_alone, ends_entry, is_hyphenated })
}

/// Returns the line at `from`, at most [`MAX_LINE`] bytes of it.
fn line_at(text: &[u8], from: usize) -> &[u8] {
    let line = &text[from..text.len().min(from + MAX_LINE)];
    &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())]
}

/// Whether `behind`, after a word, ends a reference: with the number of PubMed, or the end of an element.
fn ends_entry(behind: &[u8]) -> bool {
    let rest = behind.trim_ascii_start();
    rest.starts_with(b"PMID:") || rest.starts_with(b"</")
}

/// Returns where the first word of a line begins, after blanks and the tags of a change of font:
/// `</span><span style="font-size:9px">`.
fn begin(line: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += line[at..].iter().position(|b| !b.is_ascii_whitespace())?;
        let is_font = [&b"<span"[..], b"</span"].iter().any(|tag| line[at..].starts_with(tag));
        match is_font {
            true => at += 1 + memchr::memchr(b'>', &line[at..])?,
            false => return Some(at),
        }
    }
}

impl<'a> Next<'a> {
    /// Returns the first word after the line end at `at` and a blank line, or the mark of a heading or an entry: programs that
    /// convert PDF files write both within paragraphs. Of nine texts with `10.1016/j.` before a blank line, six
    /// go on after it.
    pub(super) fn beyond(before: &[u8], after: &'a [u8], at: usize) -> Option<Next<'a>> {
        let rest = &after[at..after.len().min(at + MAX_LINE)];
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let marks = rest[blanks..].iter().take_while(|b| matches!(b, b'#' | b'-')).count();
        let lines = rest[..blanks].iter().filter(|b| **b == b'\n').count();
        let is_gap = match marks {
            0 => lines == 2,
            _ => (1..=2).contains(&lines) && rest.get(blanks + marks) == Some(&b' '),
        };
        let from = at + blanks + marks + usize::from(marks > 0);
        (is_gap && !column(before).1).then(|| Next::after_break(after, from)).flatten()
    }

    /// Returns the first word after the element before `from` that ends a line. Tags end words.
    fn after_break(after: &'a [u8], from: usize) -> Option<Next<'a>> {
        let rest = &after[from..after.len().min(from + MAX_LINE)];
        let place = begin(rest)?;
        let is_part = |b: &&u8| b.is_ascii_graphic() && !b"<\"|\\".contains(b);
        let len = rest[place..].iter().take_while(is_part).count();
        let behind = &rest[place + len..];
        let ends_entry = ends_entry(behind);
        let is_alone = line_break(behind).is_some()
            || ends_entry
            || matches!(behind, [b'|', ..] | [b'"', b'\r' | b'\n', ..]);
        let token = &rest[place..place + len];
        let is_hyphenated = false;
        (len > 0).then_some(Next { at: from + place, token, is_alone, ends_entry, is_hyphenated })
    }
}

/// Registrants of names that begin with a code and a colon: `10.1051/jphys:019630024010100`.
const WITH_CODES: [&[u8]; 4] = [b"10.1049/", b"10.1051/", b"10.1093/", b"10.1385/"];

/// Whether `suffix` ends in a number between colons.
fn ends_in_volume(suffix: &[u8]) -> bool {
    let mut parts = suffix.rsplit(|&b| b == b':').skip(1);
    let is_number =
        parts.next().is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit));
    is_number && parts.next().is_some()
}

impl Next<'_> {
    /// Whether the word can only be the rest of `front`. `is_unfinished` says that the name is cut short within a known form.
    pub(super) fn is_rest(&self, front: Front<'_>, is_unfinished: bool) -> bool {
        if !self.is_of_name() {
            return false;
        }
        let (last, suffix) = (front.last(), front.suffix());
        let has_codes = WITH_CODES.contains(&front.prefix());
        let is_wanted =
            || self.has_digit() && (self.is_alone || !self.is_number()) || self.has_parts();
        match last {
            b'.' | b'/' | b'-' if self.is_hyphenated && is_unfinished => true,
            _ if matches!(self.token, [b'.' | b'-' | b'/' | b'_', next, ..] if next.is_ascii_alphanumeric()) =>
            {
                // The formula of a radical: `.CH2CH2CH2CH2CH2.`.
                let is_other = self.token[1].is_ascii_uppercase() && self.token.ends_with(b".");
                is_unfinished && self.has_digit() || self.is_strong() && !is_other
            }
            b'(' | b':' | b'-' | b'.' if self.closes(last, suffix) => true,
            b'/' if suffix.is_empty() && self.token.starts_with(b"10.") => false,
            b'/' if suffix.is_empty() && self.has_scheme() => has_codes && self.has_digit(),
            b'/' if suffix.is_empty() => is_wanted() || self.has_digit() && !self.is_reference(),
            b'.' | b'/' if is_unfinished => {
                let is_part = self.is_alone || !self.is_number() || self.is_part();
                self.has_digit() && is_part || self.is_check()
            }
            b'/' => self.has_digit() && (self.has_parts() || self.is_alone && self.is_strong()),
            b'-' => {
                self.has_digit() && !self.is_entry() || self.is_check() || self.is_author(front)
            }
            b'_' if suffix.strip_suffix(b"_").is_some_and(form::is_book) => {
                self.has_digit() && (!self.is_entry() || self.word().len() == 3)
            }
            b'_' | b'(' => self.has_digit() && !self.is_reference() || self.is_check(),
            b')' if suffix.starts_with(b"JHEP") => {
                is_unfinished && self.word().len() == 3 && self.is_number()
            }
            // `10.1385/ABAB:126:2:␤149`
            b':' if ends_in_volume(suffix) => self.has_digit(),
            // A reference begins with its number, and does not end in it: `2016.1.␤446 PMID: 27913514`.
            b'.' if self.ends_entry && suffix.iter().any(u8::is_ascii_digit) => self.has_digit(),
            // Parts with letters first are those of another column, or of a citation.
            b'.' if suffix.iter().any(u8::is_ascii_digit)
                && self.token[0].is_ascii_alphabetic()
                && self.has_parts() =>
            {
                false
            }
            b'.' => {
                let is_apart = self.has_scheme() || self.token.starts_with(b"10.");
                let is_apart = is_apart || self.is_dated() && !form::ends_in_issn(suffix);
                self.is_alone && self.is_strong() && !is_apart
            }
            b')' | b':' | b'\\' => is_unfinished && self.has_digit() && !self.is_reference(),
            b'A'..=b'Z' | b'a'..=b'z' if is_unfinished => self.is_torn(),
            b'0'..=b'9' | b'X' | b'x' if ends_in_serial(suffix) => self.is_year_in_brackets(),
            b'0'..=b'9' if article(suffix).is_some_and(|digits| digits < 6) => self.is_checked(),
            _ => self.is_alone && self.is_half(),
        }
    }

    /// Whether the word is the author after the month of D-Lib Magazine: `10.1045/december2001-␤lagoze`.
    fn is_author(&self, front: Front<'_>) -> bool {
        let is_month = front.prefix() == b"10.1045/" && !front.is_bare();
        is_month && self.word().iter().all(u8::is_ascii_lowercase)
    }

    /// Whether the word closes the bracket that is open in `suffix` or opened by `last`: `18(2:␤19)2022`.
    fn closes(&self, last: u8, suffix: &[u8]) -> bool {
        let bracket = |text: &[u8]| text.iter().copied().find(|b| b"()".contains(b));
        let open = memchr::memrchr2(b'(', b')', suffix);
        let is_open = last == b'(' || open.is_some_and(|at| suffix[at] == b'(');
        is_open && self.has_digit() && bracket(self.token) == Some(b')')
    }

    /// Whether the word is the number of the next reference and its mark: `12.`, `3)`.
    pub(super) fn is_entry(&self) -> bool {
        self.is_reference() && self.word().len() < self.token.len()
    }

    /// Whether the word begins with the year of a SICI: `(08)60162-0`. The number of a reference stands alone: `(12)`.
    pub(super) fn is_year_in_brackets(&self) -> bool {
        matches!(self.token, [b'(', a, b, b')', c, ..] if [a, b, c].iter().all(|byte| byte.is_ascii_digit()))
    }

    /// Whether the word is the end of an article number and its check character: `130-5`.
    fn is_checked(&self) -> bool {
        let [digits @ .., b'-', check] = self.word() else { return false };
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) && check.is_ascii_alphanumeric()
    }

    /// Whether the word begins the next entry of a list, or a sentence: `Nosarti,`, `13.`, `[37]`,
    /// an address. In 2 texts of 12 where a name without a digit ends a line before such a word, it
    /// is cut; both stand in the list of stems. Registrants with known forms have no names without a
    /// digit.
    pub(super) fn begins_entry(&self) -> bool {
        // `{[}Anonymous]`, `**Miller**`
        let first = self.token.iter().find(|b| !b"{*_".contains(b));
        first.is_some_and(|b| b.is_ascii_uppercase() || !b.is_ascii() || b"[(".contains(b))
            || self.is_reference()
            || glued::begins_another(self.token)
    }

    /// Whether another name begins inside the word. The two would overlap if they were joined.
    pub(in crate::scan) fn holds_another(&self) -> bool {
        memchr::memmem::find_iter(self.token, b"10").any(|start| {
            let len = anchor::anchor(&self.token[start..]);
            let anchor = len.map(|len| Anchor { start, end: start + len });
            let prefix = anchor.and_then(|anchor| Prefix::new(self.token, anchor));
            prefix.is_some_and(|prefix| prefix.suffix().is_ok())
                || ocr::begins(&self.token[start..])
        })
    }

    /// Whether the word begins with the name of another scheme: `swh:1:dir:`, `arXiv:`. No name
    /// ends in a full stop and continues so.
    pub(super) fn has_scheme(&self) -> bool {
        let letters = self.token.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        letters > 1 && self.token.get(letters) == Some(&b':')
    }

    /// Whether every character of the word can be part of a name.
    pub(super) fn is_of_name(&self) -> bool {
        let word = self.word();
        let is_first =
            word.first().is_some_and(|b| b.is_ascii_alphanumeric() || b"(-./_".contains(b));
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"-._/()[]:;<>%+".contains(b);
        // The brackets of a SICI in XML are `&lt;` and `&gt;`.
        let is_sici = || {
            [&b"&lt;"[..], b"&gt;"].iter().any(|code| memchr::memmem::find(word, code).is_some())
        };
        // Markdown escapes underscores: `tacl\_a\_00300`.
        let is_escape = || memchr::memmem::find(word, br"\_").is_some();
        // The protocol of a line of an access log, the time of a line of wget.
        let is_log = word.starts_with(b"HTTP/") || word.starts_with(b"--");
        let is_other = |b: &u8| *b == b'&' && is_sici() || *b == b'\\' && is_escape();
        is_first && !is_log && word.iter().all(|b| is_part(b) || is_other(b))
    }

    /// Returns the word without the fragment of an address, the entity of a line end, and the punctuation of the
    /// sentence.
    pub(super) fn word(&self) -> &[u8] {
        // Words are too short for `memchr`.
        let end = self.token.iter().position(|&b| b == b'#').unwrap_or(self.token.len());
        let (token, fragment) = self.token.split_at(end);
        let is_line_end = LINE_ENDS.iter().any(|code| fragment.eq_ignore_ascii_case(code));
        let token = token.strip_suffix(b"&").filter(|_| is_line_end).unwrap_or(token);
        // Markdown ends a line with a backslash.
        let marks = token.iter().rev().take_while(|b| b".,;)]'\"\\".contains(b)).count();
        &token[..token.len() - marks]
    }

    pub(super) fn has_digit(&self) -> bool {
        self.token.iter().any(u8::is_ascii_digit)
    }

    pub(super) fn digits(&self) -> usize {
        self.token.iter().filter(|b| b.is_ascii_digit()).count()
    }

    /// Whether the word is a number of twelve digits or more.
    pub(super) fn is_long(&self) -> bool {
        let word = self.word();
        word.len() >= 12 && word.iter().all(u8::is_ascii_digit)
    }

    /// Whether the word is a number of up to three digits, like the number of a page or a
    /// reference.
    pub(super) fn is_number(&self) -> bool {
        let word = self.word();
        word.len() <= 3 && word.iter().all(u8::is_ascii_digit)
    }

    /// Whether the word is a number that no reference has: with a comma or a leading zero. References may have two
    /// digits and a full stop: `01. Smith`.
    fn is_part(&self) -> bool {
        let word = self.word();
        let is_plain = word.len() == 3 || word.len() == self.token.len();
        self.token.ends_with(b",") || is_plain && matches!(word, [b'0', _, ..])
    }

    /// Whether the word begins with a date: `2019-05-12`, `(2016.11.04)`.
    pub(super) fn is_dated(&self) -> bool {
        let date = self.token.strip_prefix(b"(").unwrap_or(self.token);
        matches!(date, [b'1' | b'2', _, _, _, b'-' | b'/' | b'.', ..])
    }

    /// Whether the word is a single letter alone on its line, like the check characters of an ISSN
    /// and of Springer, and the `x` of Wiley.
    pub(super) fn is_check(&self) -> bool {
        let is_alone = || matches!(self.word(), [letter] if letter.is_ascii_alphabetic());
        self.is_wiley() || self.is_alone && is_alone()
    }

    /// Whether the word is the `x` with which names of Wiley end, before punctuation, as no sentence begins.
    pub(super) fn is_wiley(&self) -> bool {
        matches!(self.token, [b'x', b'.' | b',' | b';' | b')' | b']', ..]) && self.word() == b"x"
    }

    /// Whether the word is the number of the next reference: `12. Babaian`.
    pub(super) fn is_reference(&self) -> bool {
        self.is_number() && !self.is_alone
    }

    /// Whether the word has parts separated by `.` or `/`: `figshare.8950505.v1`, `r.manuals`.
    /// Words of a sentence usually have none.
    pub(super) fn has_parts(&self) -> bool {
        let word = self.word();
        word.windows(3).any(|w| {
            b"./".contains(&w[1]) && w[0].is_ascii_alphanumeric() && w[2].is_ascii_alphanumeric()
        }) && !word.starts_with(b"www.")
    }

    /// Whether the word, alone on its line, cannot be a page number. It has five digits, is a
    /// version, or has parts and three digits.
    pub(super) fn is_strong(&self) -> bool {
        let is_version = matches!(self.word(), [b'v', rest @ ..] if !rest.is_empty() && rest.iter().all(u8::is_ascii_digit));
        self.digits() >= 5 || is_version || self.digits() >= 3 && self.has_parts()
    }

    /// Whether the word can only be the last part of a marked name: a number of five or six digits, with which no sentence
    /// begins, and which is too short for most numbers of PubMed (those of the ACM have seven), a chapter (`ch9`) or a
    /// version (`pub3`).
    pub(super) fn is_number_or_chapter(&self, prefix: &[u8]) -> bool {
        let word = self.word();
        let letters = word.iter().take_while(|b| b.is_ascii_lowercase()).count();
        let (letters, digits) = word.split_at(letters);
        let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        let most = if prefix == b"10.1145/" { 7 } else { 6 };
        let is_size = match letters {
            b"" => (5..=most).contains(&digits.len()),
            b"ch" | b"pub" => digits.len() <= 3,
            _ => false,
        };
        is_number && is_size
    }

    /// Whether the word is the number of an article of the ACM, near that of its proceedings: `10.1145/3210825.3210832`.
    pub(super) fn is_of_proceedings(&self, front: Front<'_>) -> bool {
        let number = front.suffix().strip_suffix(b".").unwrap_or_default();
        let (word, is_acm) = (self.word(), front.prefix() == b"10.1145/");
        is_acm && word.len() == 7 && number.len() == 7 && word[..3] == number[..3]
    }

    /// Whether the word is what follows the whole name of an article or a book, and nothing else: a figure, a table or a
    /// supplement of PLOS (`g003`), an entry of an encyclopedia of Wiley (`wattso030`), a version of Research Square
    /// (`v1`), or the end of all names of the Protein Data Bank.
    pub(super) fn is_component(&self, front: Front<'_>) -> bool {
        let word = self.word();
        let letters = word.iter().take_while(|b| b.is_ascii_lowercase()).count();
        let (letters, digits) = word.split_at(letters);
        let lengths = match letters {
            b"v" => 1..=2,
            b"" | b"e" | b"g" | b"t" | b"s" => 3..=3,
            _ => 3..=5,
        };
        let is_known = match front.prefix() {
            b"10.2210/" => return word == b"pdb",
            b"10.21203/" => letters == b"v",
            b"10.1371/" => matches!(letters, b"e" | b"g" | b"t" | b"s"),
            // The components of an article: `10.7554/eLife.03032.003`.
            b"10.7554/" => letters.is_empty() && digits.starts_with(b"0"),
            b"10.1002/" if letters == b"pub" => return digits.len() == 1,
            b"10.1002/" => letters.len() >= 3 && front.suffix().starts_with(b"978"),
            _ => false,
        };
        is_known && lengths.contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
    }

    /// Whether the word, alone on its line, continues a word of the name:
    /// `10.1016/j.neuropsycholog␤ia.2015.07.019`.
    pub(super) fn is_torn(&self) -> bool {
        self.is_alone && self.has_parts() && self.is_part_of_word()
    }

    /// Whether the word is the end of a word and the number or the parts after it: `nal.pcbi.1005993`, `ture12373`.
    pub(super) fn is_part_of_word(&self) -> bool {
        let is_small = self.token.first().is_some_and(u8::is_ascii_lowercase);
        let least = if self.has_parts() { 3 } else { 5 };
        is_small && self.digits() >= least
    }

    /// Whether the word is the end of the one that the hyphen at the end of `front` divides.
    pub(super) fn ends_word(&self, front: Front<'_>) -> bool {
        let Some(name) = front.name.strip_suffix(b"-") else { return false };
        let is_small = self.token.first().is_some_and(u8::is_ascii_lowercase);
        let is_whole = || is_small && form::completes(name, front.start, self.word());
        front.last() == b'-'
            && front.is_bare()
            && (hyphen::divides(front.name, front.start) && self.is_part_of_word() || is_whole())
    }

    /// Whether the word is the letter that ends names of Wiley, or the issue after a volume:
    /// `10.1111/j.1467-6419.2011.00706␤.x`, `10.2469/faj.v65.␤n3.6`.
    #[cold]
    pub(super) fn is_last(&self, front: Front<'_>) -> bool {
        let suffix = front.suffix();
        let part = suffix.strip_suffix(b".").unwrap_or(suffix).rsplit(|b| *b == b'.').next();
        let issue = match suffix.ends_with(b".") {
            true => Some(self.word()),
            false => self.word().strip_prefix(b"."),
        };
        let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let has_volume = || matches!(part, Some([b'V', volume @ ..]) if is_number(volume));
        match (self.word(), issue) {
            ([b'.', b'x' | b'X'], _) => front.is_within_form(),
            (_, Some([b'n' | b'N', b'0'..=b'9', ..])) => has_volume(),
            _ => false,
        }
    }

    /// Whether the word is the second half of a number and the parts after it: `7.2006.10762721`,
    /// `750.v1`.
    pub(super) fn is_half(&self) -> bool {
        let mut parts = self.word().split(|&b| b == b'.');
        let is_number = |part: Option<&[u8]>| {
            part.is_some_and(|p| !p.is_empty() && p.iter().all(u8::is_ascii_digit))
        };
        if !is_number(parts.next()) {
            return false;
        }
        match parts.next() {
            Some([b'v', version @ ..]) => is_number(Some(version)) && parts.next().is_none(),
            year => {
                let is_year = year.is_some_and(|y| {
                    y.len() == 4 && (y.starts_with(b"19") || y.starts_with(b"20"))
                });
                let last = parts.next();
                is_year && is_number(year) && is_number(last) && last.is_some_and(|l| l.len() >= 5)
            }
        }
    }
}
