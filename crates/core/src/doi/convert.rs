//! Converts an identifier from any notation to a chosen form.

use super::eidr::{self, Eidr, Shape};
use super::{Doi, Form, Reader, Writer};
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

/// The form to write: a form of DOIs, or one that only EIDRs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// A form of every DOI.
    Doi(Form),
    /// A form of EIDRs only.
    Eidr(eidr::EidrForm),
}

impl Target {
    /// Every form.
    pub const ALL: [Target; 18] = [
        Target::Doi(Form::Plain),
        Target::Doi(Form::Lower),
        Target::Doi(Form::Doi),
        Target::Doi(Form::Info),
        Target::Doi(Form::Urn),
        Target::Doi(Form::Url),
        Target::Doi(Form::Html),
        Target::Eidr(eidr::EidrForm::Canonical),
        Target::Eidr(eidr::EidrForm::Plain),
        Target::Eidr(eidr::EidrForm::Compact),
        Target::Eidr(eidr::EidrForm::Full),
        Target::Eidr(eidr::EidrForm::Urn),
        Target::Eidr(eidr::EidrForm::UrnColon),
        Target::Eidr(eidr::EidrForm::U),
        Target::Eidr(eidr::EidrForm::S),
        Target::Eidr(eidr::EidrForm::Info),
        Target::Eidr(eidr::EidrForm::Url),
        Target::Eidr(eidr::EidrForm::Doi),
    ];

    /// The stable name, such as `url` or `eidr-canonical`.
    pub fn name(self) -> &'static str {
        match self {
            Target::Doi(Form::Plain) => "plain",
            Target::Doi(Form::Lower) => "lower",
            Target::Doi(Form::Doi) => "doi",
            Target::Doi(Form::Info) => "info",
            Target::Doi(Form::Urn) => "urn",
            Target::Doi(Form::Url) => "url",
            Target::Doi(Form::Html) => "html",
            Target::Eidr(form) => form.name(),
        }
    }

    /// Returns the form with this name.
    pub fn named(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Returns the form of EIDRs, if this is one.
    pub fn eidr(self) -> Option<eidr::EidrForm> {
        match self {
            Target::Doi(_) => None,
            Target::Eidr(form) => Some(form),
        }
    }
}

/// Writes identifiers in one form.
///
/// ```
/// use doiscan_core::doi::{Converter, Form, Reader, Target};
///
/// let converter = Converter::new(Target::Doi(Form::Url));
/// let mut url = Vec::new();
/// converter.write(&mut Reader::default(), b"doi:10.1000/456#789", &mut url)?;
/// assert_eq!(url, b"https://doi.org/10.1000/456%23789");
/// # Ok::<(), doiscan_core::doi::ConvertError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Converter<'a> {
    /// The form.
    pub to: Target,
    /// Settings for writing DOIs.
    pub writer: Writer,
    /// Settings for writing EIDRs.
    pub style: eidr::Style<'a>,
}

/// The reason why a value cannot be written in a form, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertError(String);

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for ConvertError {}

impl<'a> Converter<'a> {
    /// Creates a converter to `to` with the default resolver and escaping. Binary forms are written
    /// as hexadecimal digits.
    pub fn new(to: Target) -> Self {
        let style = eidr::Style { scheme: None, binary: eidr::Binary::Hex };
        Converter { to, writer: Writer::default(), style }
    }

    /// Appends the identifier `value` in the chosen form.
    ///
    /// # Errors
    ///
    /// Fails if `value` is not an identifier, or has no such form. Part of it may have been
    /// appended.
    pub fn write(
        &self,
        reader: &mut Reader,
        value: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), ConvertError> {
        // Text after the check character in `urn:eidr:10.5240:…-O:extra` is not part of the name.
        let is_urn = value.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"urn:"));
        if let Some(eidr) = is_urn.then(|| Eidr::parse(value).ok()).flatten() {
            return self.write_eidr(eidr, out);
        }
        match (self.to, reader.read(value)) {
            (Target::Doi(form), Ok(reading)) => self.write_doi(&reading.doi, form, out),
            (Target::Doi(form), Err(error)) => {
                let eidr = Eidr::parse(value).map_err(|of_eidr| {
                    let is_short = of_eidr == eidr::Error::Missing(eidr::Missing::ShortDoi);
                    if is_short || is_named_eidr(value) { said(of_eidr) } else { said(error) }
                })?;
                self.write_name(eidr, form, out)
            }
            (Target::Eidr(form), reading) => {
                let eidr = match reading {
                    Ok(reading) => Eidr::from_name(reading.doi.as_str()),
                    Err(_) => Eidr::parse(value),
                };
                eidr.map_err(said)?.write(form, self.style, out).map_err(said)
            }
        }
    }

    /// Appends `doi`. An EIDR is written in upper case and with hyphens, because the registry
    /// requires both.
    fn write_doi(&self, doi: &Doi<'_>, form: Form, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        match eidr::judge(doi.as_str().as_bytes()) {
            Some(Shape::Canonical | Shape::Unhyphenated(_)) => {
                let eidr = Eidr::from_name(doi.as_str()).map_err(said)?;
                return self.write_name(eidr, form, out);
            }
            Some(Shape::Wrong { .. }) => {
                let name = doi.canonical();
                self.writer.write(&Doi::try_from(name.as_str()).map_err(said)?, form, out);
            }
            Some(Shape::Other { .. }) | None => self.writer.write(doi, form, out),
        }
        Ok(())
    }

    /// Appends `eidr` in the chosen form.
    fn write_eidr(&self, eidr: Eidr, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        match self.to {
            Target::Doi(form) => self.write_name(eidr, form, out),
            Target::Eidr(form) => eidr.write(form, self.style, out).map_err(said),
        }
    }

    /// Appends the DOI of `eidr`.
    fn write_name(&self, eidr: Eidr, form: Form, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        let name = eidr.name();
        self.writer.write(&Doi::try_from(name.as_str()).map_err(said)?, form, out);
        Ok(())
    }
}

fn said(error: impl fmt::Display) -> ConvertError {
    ConvertError(error.to_string())
}

/// Whether `eidr` occurs near the start of `value`.
fn is_named_eidr(value: &[u8]) -> bool {
    value.windows(4).take(64).any(|word| word.eq_ignore_ascii_case(b"eidr"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_found_by_its_name() {
        for target in Target::ALL {
            assert_eq!(Target::named(target.name()), Some(target));
        }
        assert_eq!(Target::named("URL"), None);
    }

    #[test]
    fn a_short_doi_is_named_for_every_form() {
        for target in Target::ALL {
            for value in ["10/f77", "https://doi.org/f77", "doi:10/f77"] {
                let converter = Converter::new(target);
                let error =
                    converter.write(&mut Reader::default(), value.as_bytes(), &mut Vec::new());
                let words = error.expect_err("no DOI").to_string();
                assert!(
                    words.starts_with("a shortDOI does not contain its DOI: "),
                    "{} {value}: {words}",
                    target.name()
                );
            }
        }
    }

    #[test]
    fn a_value_that_is_no_identifier_is_an_error() {
        let converter = Converter::new(Target::Doi(Form::Plain));
        let error = converter.write(&mut Reader::default(), b"eidr:x", &mut Vec::new());
        assert!(error.is_err());
    }

    /// A long value that only mentions EIDR is reported as no DOI.
    #[test]
    fn eidr_is_looked_for_near_the_start() {
        for (before, is_named) in [(0, true), (63, true), (64, false)] {
            let value = [&b"x".repeat(before)[..], b"EIDR and more"].concat();
            assert_eq!(is_named_eidr(&value), is_named, "{before}");
        }
    }
}
