//! Writes an identifier in a form.

use super::spelling::{write_base64, write_base64_url, write_hex};
use super::{Binary, Eidr, EidrForm, Style, SubPrefix, Unwritable};
use alloc::vec::Vec;

impl Eidr {
    /// Appends the identifier in the chosen form to `out`. The text is ASCII, except for
    /// [`Binary::Bytes`]. Appends nothing on failure.
    ///
    /// # Errors
    ///
    /// Returns [`Unwritable`] if the form would lose the sub-prefix, is not defined for it, or
    /// lacks a scheme.
    ///
    /// ```
    /// use doiscan_core::doi::eidr::{Binary, Eidr, EidrForm, Scheme, Style};
    ///
    /// let eidr = Eidr::from_name("10.5240/5FD4-FEE1-22F5-583E-FECC-O")?;
    /// let style = Style { scheme: Some(Scheme::new("studio")?), binary: Binary::Base64 };
    /// let mut out = Vec::new();
    /// eidr.write(EidrForm::Urn, style, &mut out)?;
    /// assert_eq!(out, b"urn:studio:eidr:10.5240%2F5FD4-FEE1-22F5-583E-FECC-O");
    ///
    /// out.clear();
    /// eidr.write(EidrForm::Compact, style, &mut out)?;
    /// assert_eq!(out, b"FHhf1P7hIvVYPv7M");
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn write(
        self,
        form: EidrForm,
        style: Style<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        match form {
            EidrForm::Compact => spell(&self.compact()?, style.binary, out),
            EidrForm::Full => spell(&self.full()?, style.binary, out),
            EidrForm::Urn => self.write_urn(form, style, "eidr:", "%2F", out)?,
            EidrForm::U => self.write_urn(form, style, "eidr-u:", "_", out)?,
            EidrForm::S => self.write_short_urn(style, out)?,
            EidrForm::Canonical => self.write_text("", "/", true, out),
            EidrForm::Plain => self.write_text("", "/", false, out),
            EidrForm::UrnColon => self.write_text("urn:eidr:", ":", true, out),
            EidrForm::Info => self.write_text("info:doi/", "/", true, out),
            EidrForm::Url => self.write_text("https://doi.org/", "/", true, out),
            EidrForm::Doi => self.write_text("doi:", "/", true, out),
        }
        Ok(())
    }

    /// Appends `before`, `10.` and the sub-prefix, `separator`, and the suffix.
    fn write_text(self, before: &str, separator: &str, hyphens: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(before.as_bytes());
        out.extend_from_slice(self.sub_prefix().prefix().as_bytes());
        out.extend_from_slice(separator.as_bytes());
        self.write_suffix(hyphens, out);
    }

    fn write_urn(
        self,
        form: EidrForm,
        style: Style<'_>,
        mark: &str,
        separator: &str,
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        write_scheme(form, style, out)?;
        self.write_text(mark, separator, true, out);
        Ok(())
    }

    fn write_short_urn(self, style: Style<'_>, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        let sub_prefix = self.sub_prefix();
        if sub_prefix != SubPrefix::Content {
            return Err(Unwritable::Lossy { form: EidrForm::S, sub_prefix });
        }
        write_scheme(EidrForm::S, style, out)?;
        out.extend_from_slice(b"eidr-s:");
        self.write_suffix(true, out);
        Ok(())
    }
}

fn write_scheme(form: EidrForm, style: Style<'_>, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    let scheme = style.scheme.ok_or(Unwritable::NoScheme { form })?;
    for part in ["urn:", scheme.as_str(), ":"] {
        out.extend_from_slice(part.as_bytes());
    }
    Ok(())
}

fn spell(bytes: &[u8], binary: Binary, out: &mut Vec<u8>) {
    match binary {
        Binary::Bytes => out.extend_from_slice(bytes),
        Binary::Hex => write_hex(bytes, out),
        Binary::Base64 => write_base64(bytes, out),
        Binary::Base64Url => write_base64_url(bytes, false, out),
        Binary::Base64UrlPadded => write_base64_url(bytes, true, out),
    }
}
