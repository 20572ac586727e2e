//! The forms in which a DOI is written. [`Reader`](super::Reader) is the inverse.
//!
//! Sources: DOI handbook, "Encoding rules for URL presentation" (mandatory and recommended
//! characters, `/./`, URN), Z39.84-2005 appendix E, RFC 3986 and RFC 8141.

use super::batch;
use super::percent::{encode, is_uri};
use super::syntax::Doi;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

/// A form of a DOI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// The canonical name: `10.1000/ABC`.
    #[default]
    Plain,
    /// The canonical name with ASCII letters in lower case: `10.1000/abc`.
    Lower,
    /// `doi:10.1000/abc`.
    Doi,
    /// The `info` URI of RFC 4452: `info:doi/10.1000/abc`.
    Info,
    /// `urn:doi:10.1000:abc`: a colon for the first slash, `%2F` for each other.
    Urn,
    /// The address of a resolver: `https://doi.org/10.1000/abc`.
    Url,
    /// An HTML link to that address, with the encoded name as its text:
    /// `<a href="https://doi.org/10.1000/a%22b">10.1000/a%22b</a>` (Z39.84, appendix E).
    Html,
}

/// Settings for writing forms. All forms except [`Form::Plain`] and [`Form::Lower`] keep the letter
/// case of the DOI, because they change its representation and not the DOI.
///
/// ```
/// use doiscan_core::doi::{Doi, Form, Writer};
///
/// let doi = Doi::parse(b"10.1000/456#789")?;
/// let writer = Writer::default();
/// assert_eq!(writer.written(&doi, Form::Url), "https://doi.org/10.1000/456%23789");
/// assert_eq!(writer.written(&doi, Form::Doi), "doi:10.1000/456#789");
///
/// let doi = Doi::parse(b"10.123/456ABC/zyz")?;
/// assert_eq!(writer.written(&doi, Form::Urn), "urn:doi:10.123:456ABC%2Fzyz");
/// # Ok::<(), doiscan_core::doi::Invalid>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Writer {
    /// The address of the resolver, with or without a trailing slash.
    pub resolver: String,
    /// Whether addresses also encode the characters for which encoding is recommended, in addition
    /// to those for which it is mandatory. Browsers change some of the recommended ones.
    pub recommended: bool,
    /// Whether addresses encode commas, as required by a which-RA request.
    pub which_ra: bool,
}

/// The resolver of the DOI system.
pub const RESOLVER: &str = "https://doi.org/";

impl Default for Writer {
    fn default() -> Self {
        Writer { resolver: RESOLVER.to_owned(), recommended: true, which_ra: false }
    }
}

impl Writer {
    /// Returns `doi` in this form as text.
    pub fn written(&self, doi: &Doi<'_>, form: Form) -> String {
        let mut out = Vec::new();
        self.write(doi, form, &mut out);
        // The appended text is ASCII or the name itself.
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Appends `doi` in this form.
    pub fn write(&self, doi: &Doi<'_>, form: Form, out: &mut Vec<u8>) {
        let name = doi.as_str().as_bytes();
        let start = out.len();
        match form {
            Form::Plain => {
                batch::write(name, out);
                out[start..].make_ascii_uppercase();
            }
            Form::Lower => {
                batch::write(name, out);
                out[start..].make_ascii_lowercase();
            }
            Form::Doi => {
                out.extend_from_slice(b"doi:");
                batch::write(name, out);
            }
            Form::Info => {
                out.extend_from_slice(b"info:doi/");
                encoded(name, is_uri, out);
            }
            Form::Urn => {
                out.extend_from_slice(b"urn:doi:");
                out.extend_from_slice(doi.prefix().as_bytes());
                out.push(b':');
                let is_kept = |byte| is_uri(byte) && byte != b'/';
                encoded(doi.suffix().as_bytes(), is_kept, out);
            }
            Form::Url => {
                self.resolver(out);
                self.path(name, out);
            }
            Form::Html => self.link(name, out),
        }
    }

    /// Appends a link to the address of `name`.
    fn link(&self, name: &[u8], out: &mut Vec<u8>) {
        let (mut address, mut path) = (Vec::new(), Vec::new());
        self.resolver(&mut address);
        self.path(name, &mut path);
        address.extend_from_slice(&path);
        out.extend_from_slice(b"<a href=\"");
        escape_html(&address, out);
        out.extend_from_slice(b"\">");
        escape_html(&path, out);
        out.extend_from_slice(b"</a>");
    }

    /// Appends the address of the resolver, with a trailing slash.
    fn resolver(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.resolver.as_bytes());
        if !self.resolver.ends_with('/') {
            out.push(b'/');
        }
    }

    /// Appends `name` as the path of an address.
    fn path(&self, name: &[u8], out: &mut Vec<u8>) {
        for (at, &byte) in name.iter().enumerate() {
            if self.is_url_character(byte) && !(byte == b'/' && is_by_dots(name, at)) {
                out.push(byte);
            } else {
                encode(byte, out);
            }
        }
    }

    /// Whether `byte` is written unencoded in an address.
    fn is_url_character(&self, byte: u8) -> bool {
        match byte {
            // Browsers treat a backslash as a slash, so encoding it is not optional.
            b'%' | b'"' | b'#' | b'?' | b'\\' => false,
            b'<' | b'>' | b'{' | b'}' | b'^' | b'[' | b']' | b'`' | b'|' | b'+' => {
                !self.recommended
            }
            b',' => !self.which_ra,
            _ => byte.is_ascii_graphic(),
        }
    }
}

/// Appends each byte unchanged if `is_kept` accepts it, and encoded otherwise.
fn encoded(name: &[u8], is_kept: impl Fn(u8) -> bool, out: &mut Vec<u8>) {
    for &byte in name {
        if is_kept(byte) { out.push(byte) } else { encode(byte, out) }
    }
}

/// Appends `text` with the special characters of HTML escaped.
fn escape_html(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            _ => out.push(byte),
        }
    }
}

/// Whether the slash at `at` in `name` must be encoded because a browser would remove the segment
/// `.` or `..`. This is the slash after such a segment (written `/.%2F` in the handbook), or the
/// one before it if the segment ends the name.
fn is_by_dots(name: &[u8], at: usize) -> bool {
    let is_after = name[..at].ends_with(b"/.") || name[..at].ends_with(b"/..");
    is_after || matches!(&name[at + 1..], b"." | b"..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(writer: &Writer, name: &str, form: Form) -> String {
        writer.written(&Doi::try_from(name).unwrap(), form)
    }

    #[test]
    fn forms() {
        let writer = Writer::default();
        for (form, expected) in [
            (Form::Plain, "10.1000/ABC/É#<1>"),
            (Form::Lower, "10.1000/abc/É#<1>"),
            (Form::Doi, "doi:10.1000/aBc/É#<1>"),
            (Form::Info, "info:doi/10.1000/aBc/%C3%89%23%3C1%3E"),
            (Form::Urn, "urn:doi:10.1000:aBc%2F%C3%89%23%3C1%3E"),
            (Form::Url, "https://doi.org/10.1000/aBc/%C3%89%23%3C1%3E"),
            (
                Form::Html,
                "<a href=\"https://doi.org/10.1000/aBc/%C3%89%23%3C1%3E\">10.1000/aBc/%C3%89%23%3C1%3E</a>",
            ),
        ] {
            assert_eq!(written(&writer, "10.1000/aBc/É#<1>", form), expected);
        }
    }

    #[test]
    fn mandatory_and_recommended_characters() {
        let all = "10.1000/!\"#$%&'()*+,-.:;<=>?@[\\]^_`{|}~";
        let mut writer = Writer { recommended: false, ..Writer::default() };
        assert_eq!(
            written(&writer, all, Form::Url),
            "https://doi.org/10.1000/!%22%23$%25&'()*+,-.:;<=>%3F@[%5C]^_`{|}~"
        );
        writer.recommended = true;
        assert_eq!(
            written(&writer, all, Form::Url),
            "https://doi.org/10.1000/!%22%23$%25&'()*%2B,-.:;%3C=%3E%3F@%5B%5C%5D%5E_%60%7B%7C%7D~"
        );
        writer.which_ra = true;
        assert!(written(&writer, all, Form::Url).contains("*%2B%2C-"));
    }

    #[test]
    fn links_are_escaped() {
        let writer = Writer { recommended: false, ..Writer::default() };
        assert_eq!(
            written(&writer, "10.1000/a<b>&'c'\"d\"", Form::Html),
            "<a href=\"https://doi.org/10.1000/a&lt;b&gt;&amp;&#39;c&#39;%22d%22\">\
             10.1000/a&lt;b&gt;&amp;&#39;c&#39;%22d%22</a>"
        );
    }

    #[test]
    fn segments_of_dots_are_guarded() {
        for (name, expected) in [
            ("10.1000/a/./b", "10.1000/a/.%2Fb"),
            ("10.1000/a/../b", "10.1000/a/..%2Fb"),
            ("10.1000/./b", "10.1000/.%2Fb"),
            ("10.1000/a/././b", "10.1000/a/.%2F.%2Fb"),
            ("10.1000/a/..", "10.1000/a%2F.."),
            ("10.1000/.", "10.1000%2F."),
            ("10.1000/a/.../b", "10.1000/a/.../b"),
            ("10.1000/a./b", "10.1000/a./b"),
        ] {
            let url = written(&Writer::default(), name, Form::Url);
            assert_eq!(url, format!("https://doi.org/{expected}"));
        }
    }

    #[test]
    fn the_resolver_may_end_in_a_slash() {
        for resolver in ["https://doi-org.example.edu", "https://doi-org.example.edu/"] {
            let writer = Writer { resolver: resolver.to_owned(), ..Writer::default() };
            let url = written(&writer, "10.1000/1", Form::Url);
            assert_eq!(url, "https://doi-org.example.edu/10.1000/1");
        }
    }

    #[test]
    fn a_percent_sign_that_would_be_read_is_encoded() {
        for (name, expected) in
            [("10.1000/a%41", "10.1000/A%2541"), ("10.1000/a%.1%4", "10.1000/A%.1%4")]
        {
            assert_eq!(written(&Writer::default(), name, Form::Plain), expected);
        }
    }
}
