//! Parses a whole value in any of the textual forms.

use super::binary::{COMPACT_LEN, FULL_LEN};
use super::cursor::Cursor;
use super::form::is_scheme;
use super::spelling::{read_base64, read_hex};
use super::suffix::{digits, prefix, suffix};
use super::{Eidr, EidrForm, Error, Missing, SubPrefix};
use crate::doi::notation;

/// Marks that follow the scheme of a URN.
const MARKS: [&str; 3] = ["eidr:", "eidr-u:", "eidr-s:"];

type Read = Result<(Eidr, EidrForm), Error>;

impl Eidr {
    /// Parses a whole value in any textual form, including encoded binary forms. Letters may be of
    /// either case. Hyphens must be present at every position or at none. Surrounding blanks are
    /// not trimmed. For raw bytes of a binary form, use [`Eidr::from_binary`].
    ///
    /// # Errors
    ///
    /// Returns [`Error::Check`] if only the check character is wrong, and [`Error::Missing`] if the
    /// value lacks information that its form must contain. Otherwise reports what was expected, and
    /// where.
    ///
    /// ```
    /// use doiscan_core::doi::eidr::Eidr;
    ///
    /// let eidr = Eidr::parse(b"http://dx.doi.org/10.5240/5FD4-FEE1-22F5-583E-FECC-O")?;
    /// assert_eq!(eidr.name(), "10.5240/5FD4-FEE1-22F5-583E-FECC-O");
    ///
    /// let error = Eidr::parse(b"10.5240/5FD4-FEE1-22F5-583E-FECC-0").unwrap_err();
    /// assert_eq!(error.to_string(), "check character: expected \"O\", found \"0\" at byte 34");
    ///
    /// let error = Eidr::parse(b"5FD4-FEE1-22F5-583E-FECC-O").unwrap_err();
    /// assert_eq!(error.to_string(), "expected a sub-prefix such as 10.5240 before the suffix");
    /// # Ok::<(), doiscan_core::doi::eidr::Error>(())
    /// ```
    pub fn parse(value: &[u8]) -> Result<Self, Error> {
        Self::recognise(value).map(|(eidr, _)| eidr)
    }

    /// Like [`Eidr::parse`], and also returns the form. A name without hyphens is [`EidrForm::Plain`]
    /// only if there is no notation around it.
    ///
    /// # Errors
    ///
    /// As for [`Eidr::parse`].
    ///
    /// ```
    /// use doiscan_core::doi::eidr::{Eidr, EidrForm};
    ///
    /// let (party, form) = Eidr::recognise(b"urn:eidr:10.5237:9dd9-e249")?;
    /// assert_eq!((party.name().as_str(), form), ("10.5237/9DD9-E249", EidrForm::UrnColon));
    /// # Ok::<(), doiscan_core::doi::eidr::Error>(())
    /// ```
    pub fn recognise(value: &[u8]) -> Read {
        let mut cursor = Cursor::new(value, 0);
        if cursor.eat("urn:") {
            return urn(cursor);
        }
        if cursor.eat("info:doi") {
            return info(cursor);
        }
        if cursor.eat("doi:") {
            return name(cursor, EidrForm::Doi);
        }
        if let Some(len) = notation::address_len(value) {
            cursor.skip(len);
            return url(cursor);
        }
        if cursor.eat("https://") || cursor.eat("http://") {
            return Err(cursor.unexpected("a resolver such as \"doi.org/\""));
        }
        if value.starts_with(b"10.") || value.starts_with(b"10/") {
            return name(cursor, EidrForm::Canonical);
        }
        without_name(value)
    }
}

/// Parses `prefix "/" suffix`.
fn name(cursor: Cursor<'_>, form: EidrForm) -> Read {
    separated(cursor, form, "/", "\"/\"")
}

/// Parses a name whose slash is written as `separator`.
fn separated(
    mut cursor: Cursor<'_>,
    form: EidrForm,
    separator: &str,
    expected: &'static str,
) -> Read {
    let sub_prefix = prefix(&mut cursor)?;
    cursor.expect(separator, expected)?;
    let read = suffix(cursor, sub_prefix)?;
    let is_plain = form == EidrForm::Canonical && !read.has_hyphens;
    Ok((Eidr::of_suffix(sub_prefix, read.number), if is_plain { EidrForm::Plain } else { form }))
}

/// Parses `info:doi/`, as registered by RFC 4452, or `info:doi:`, as printed in EIDR's document.
fn info(mut cursor: Cursor<'_>) -> Read {
    if !cursor.eat(":") {
        cursor.expect("/", "\"/\"")?;
    }
    name(cursor, EidrForm::Info)
}

/// Parses a name after the address of a resolver. `%2F` may replace its slash.
fn url(cursor: Cursor<'_>) -> Read {
    let rest = cursor.rest();
    if !rest.is_empty() && rest.iter().all(u8::is_ascii_alphanumeric) {
        return Err(Error::Missing(Missing::ShortDoi));
    }
    match rest.get(7..10) {
        Some(b"%2F" | b"%2f") => separated(cursor, EidrForm::Url, "%2F", "\"%2F\""),
        _ => name(cursor, EidrForm::Url),
    }
}

/// Parses `urn:SCHEME:eidr:…`, or `urn:eidr:…` of RFC 7972.
fn urn(mut cursor: Cursor<'_>) -> Read {
    let len = cursor.rest().iter().take_while(|&&byte| byte != b':').count();
    let scheme = &cursor.rest()[..len];
    if !is_scheme(scheme) || len == cursor.rest().len() {
        return Err(cursor.unexpected("the name of a URN scheme and \":\""));
    }
    if cursor.eat("eidr:") {
        return separated(cursor.up_to_component(), EidrForm::UrnColon, ":", "\":\"");
    }
    if let Some(mark) = MARKS.into_iter().find(|mark| cursor.eat(mark)) {
        return Err(Error::Missing(Missing::Scheme(mark)));
    }
    cursor.skip(len + 1);
    if cursor.eat("eidr:") {
        return separated(cursor, EidrForm::Urn, "%2F", "\"%2F\"");
    }
    if cursor.eat("eidr-u:") {
        return separated(cursor, EidrForm::U, "_", "\"_\"");
    }
    cursor.expect("eidr-s:", "\"eidr:\", \"eidr-u:\" or \"eidr-s:\"")?;
    let read = suffix(cursor, SubPrefix::Content)?;
    Ok((Eidr::of_suffix(SubPrefix::Content, read.number), EidrForm::S))
}

/// Parses a value that begins neither with a notation nor with `10.`: an encoded binary form, or an
/// incomplete form.
fn without_name(value: &[u8]) -> Read {
    let mut cursor = Cursor::new(value, 0);
    if let Some(mark) = MARKS.into_iter().find(|mark| cursor.eat(mark)) {
        return Err(Error::Missing(Missing::Scheme(mark)));
    }
    if is_suffix(value) {
        return Err(Error::Missing(Missing::SubPrefix));
    }
    spelled(value).unwrap_or_else(|| {
        Err(cursor.unexpected(
            "\"10.\", \"doi:\", \"info:doi/\", \"urn:\", \"https://\" or a binary form in hexadecimal or Base64",
        ))
    })
}

/// Whether `value` has the shape of a suffix, with or without the check character.
fn is_suffix(value: &[u8]) -> bool {
    let start = Cursor::new(value, 0);
    let digits_alone = |count| {
        let mut cursor = start;
        digits(&mut cursor, count).is_ok() && cursor.end().is_ok()
    };
    matches!(suffix(start, SubPrefix::Content), Ok(_) | Err(Error::Check { .. }))
        || SubPrefix::ALL.into_iter().any(|known| digits_alone(known.digits()))
}

/// Parses a binary form in hexadecimal digits or Base64. Values with exactly this many hexadecimal
/// digits are rarely anything else. Any word of 16 letters is valid Base64, so a Base64 value must
/// also have a known sub-prefix. Returns `None` if it is neither.
fn spelled(value: &[u8]) -> Option<Read> {
    if let Some(bytes) = read_hex(value) {
        let is_any = matches!(bytes.len(), 11 | COMPACT_LEN) || is_content(&bytes);
        return is_any.then(|| of_bytes(&bytes, |at| at * 2));
    }
    let bytes = read_base64(value)?;
    is_content(&bytes).then(|| of_bytes(&bytes, |at| at * 4 / 3))
}

/// Whether bytes have the length and the first bytes of a binary form.
fn is_content(bytes: &[u8]) -> bool {
    match bytes.len() {
        COMPACT_LEN => bytes.starts_with(&SubPrefix::Content.number().to_be_bytes()),
        FULL_LEN => SubPrefix::of_name(bytes) == Some(SubPrefix::Content),
        _ => false,
    }
}

/// Parses a binary form. `place` maps offsets of bytes to offsets in the encoded value.
fn of_bytes(bytes: &[u8], place: impl Fn(usize) -> usize) -> Read {
    let form = if bytes.len() == FULL_LEN { EidrForm::Full } else { EidrForm::Compact };
    Eidr::from_binary(bytes).map(|eidr| (eidr, form)).map_err(|error| error.placed(place))
}
