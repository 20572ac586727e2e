//! Finds the gaps within a SICI, whose code tells where it ends.

use super::front::Front;
use super::next::Next;
use crate::decode::{Layer, Text};
use crate::scan::sici::{self, Progress};
use core::ops::Range;

/// Maximum number of bytes of a SICI that blanks divide.
const MAX_SICI: usize = 128;

/// Returns the blanks, or the line end if the name may go on `over_lines`, that divide a SICI after `front`. Its code follows:
/// `10.1002/ 1521-4095 (200108) 13:15<1173::AID-ADMA1173>3.0.CO;2-1`, as Scopus writes it, `0044-7400(2000)029 [ 0126:FITEOT]2.0.CO;2`, as
/// Web of Science does.
pub(super) fn gap(front: Front<'_>, over_lines: bool) -> Option<Range<usize>> {
    let Front { after, at, .. } = front;
    if sici::progress(front.suffix()) != Progress::Partial {
        return None;
    }
    let near = &after[at..after.len().min(at + 2 * MAX_SICI)];
    if memchr::memchr(b';', near).is_none() && memchr::memmem::find(near, b"%3B").is_none() {
        return None;
    }
    let mut read = front.suffix().to_vec();
    // A name of running text ends before a bracket that does not close.
    if let Some(open) = memchr::memrchr2(b'[', b'(', &after[..at])
        && memchr::memrchr(b']', &after[..at]).is_none_or(|close| close < open)
        && after[open] == b'['
        && !read.contains(&b'[')
    {
        read.extend(after[open..at].iter().map(u8::to_ascii_uppercase));
    }
    let text = Text { bytes: &after[..after.len().min(at + 2 * MAX_SICI)], twice: false };
    let (mut place, mut gap) = (at, None::<Range<usize>>);
    while read.len() < MAX_SICI {
        let c = text.at(place)?;
        match c.ascii()? {
            b'\r' | b'\n' if !over_lines => return None,
            b' ' | b'\r' | b'\n' | b'\t' => match &mut gap {
                Some(gap) if gap.end == place => gap.end = c.next,
                None => gap = Some(place..c.next),
                Some(_) => {}
            },
            byte => read.push(byte.to_ascii_uppercase()),
        }
        place = c.next;
        if read.ends_with(b";2") {
            let is_part = |b: &&u8| b.is_ascii_alphanumeric() || b"-#".contains(b);
            let len = after[place..].iter().take_while(is_part).count();
            let is_code = len == 0 || sici::is_code(&[b"2", &after[place..place + len]].concat());
            let is_whole = is_code || after[place..].starts_with(b"-") && len == 1;
            return gap.filter(|_| is_whole && sici::progress(&read) == Progress::Whole);
        }
    }
    None
}

/// Returns the gap within or after the pages of a SICI that follow `front`, or after its semicolon:
/// `<108::AID-␤IGS5>3.0.CO;2-2`, `<108::AID-IGS5> 3.0.CO;2-2`, `<108::AID-IGS5>3.␤0.CO;2-2`, `3.0.CO; 2-2`. `next` returns
/// the word after a gap.
pub(super) fn pages<'a>(
    Front { after, at, name, start, .. }: Front<'a>,
    next: impl Fn(usize) -> Option<Next<'a>>,
) -> Option<Range<usize>> {
    let rest = &after[at..after.len().min(at + MAX_SICI)];
    match rest.first()? {
        b';' if sici::is_before_semicolon(&name[start..]) => {
            let next = next(at + 1).filter(|next| sici::is_code(next.word()))?;
            Some(at + 1..next.at)
        }
        b'<' => {
            let digits = rest[1..].iter().take_while(|b| b.is_ascii_digit()).count();
            let is_end = |b: &u8| !b.is_ascii_graphic() || b"<>\"".contains(b);
            let len = 1 + rest[1..].iter().position(is_end)?;
            let is_closed = rest[len] == b'>';
            let end = at + len + usize::from(is_closed);
            let has_pages = digits > 0 && rest[1 + digits] == b':';
            // A line end within the version.
            if let [a, b'.', ..] = rest[end - at..]
                && is_closed
                && a.is_ascii_digit()
                && has_pages
            {
                let next = next(end + 2)?;
                let version = [&[a, b'.'], next.token].concat();
                return sici::begins_version(&version).then_some(end + 2..next.at);
            }
            let next = has_pages.then(|| next(end)).flatten()?;
            let close = if is_closed { 0 } else { 1 + memchr::memchr(b'>', next.token)? };
            sici::begins_version(&next.token[close..]).then_some(end..next.at)
        }
        _ => None,
    }
}
