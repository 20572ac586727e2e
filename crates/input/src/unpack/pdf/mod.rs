//! PDF files as text: link addresses, document information and XMP metadata, but not the pages.
//!
//! Objects are read in file order (ISO 32000-1, 7.5), including those in object streams. The
//! cross-reference tables are not used, so a damaged file gives what is left of it. Each address is
//! written as a line, and positions and counts refer to these lines.

mod tokens;

use crate::problem::{ProblemCode, fault};
use flate2::{Decompress, FlushDecompress, Status};
use memchr::memmem;
use std::io::{self, Read};
use tokens::{Content, Tokens};

/// Size of the read buffer and of the inflate buffer in bytes.
const BUFFER: usize = 64 * 1024;

/// Number of bytes that all object streams of a file may inflate to, in addition to [`RATIO`] bytes
/// for each byte of the file. Deflate reaches 1032; objects reach about 10.
const FREE: u64 = 64 * 1024 * 1024;
const RATIO: u64 = 64;

const END: &[u8] = b"endstream";

/// Returns whether an input that starts with `head` is a PDF file. TeX files have comments that
/// start with `%PDF`.
pub(super) fn is_pdf(head: &[u8]) -> bool {
    matches!(head, [b'%', b'P', b'D', b'F', b'-', b'1'..=b'9', b'.', b'0'..=b'9', ..])
}

/// The part of the file that is being read.
enum Place {
    Objects,
    /// At the data of a stream, after the carriage return or blank that follows its keyword.
    Begin(Content),
    /// In stream data that is skipped.
    Skipped,
    /// In uncompressed text.
    Text,
    /// In compressed objects, or in compressed text if there are no tokens.
    Packed(Box<Decompress>, Option<Tokens>),
}

/// Reads the addresses in a PDF file as lines.
pub(super) struct Pdf<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The range `at..len` of the buffer holds unread bytes.
    at: usize,
    len: usize,
    is_ended: bool,
    place: Place,
    tokens: Tokens,
    /// Number of bytes of the file that were read. `inflated` is the number of inflated bytes.
    read: u64,
    inflated: u64,
    inflate: Vec<u8>,
    out: Vec<u8>,
    given: usize,
    fault: Option<io::Error>,
    /// Whether a string ended within a character, which is reported at the end.
    is_cut: bool,
}

impl<R: Read> Pdf<R> {
    pub(crate) fn new(reader: R) -> Self {
        Pdf {
            reader,
            buffer: vec![0; BUFFER],
            at: 0,
            len: 0,
            is_ended: false,
            place: Place::Objects,
            tokens: Tokens::default(),
            read: 0,
            inflated: 0,
            inflate: vec![0; BUFFER],
            out: Vec::new(),
            given: 0,
            fault: None,
            is_cut: false,
        }
    }

    /// Moves the unread bytes to the start of the buffer and reads more. Returns false at the end.
    fn fill(&mut self) -> bool {
        self.buffer.copy_within(self.at..self.len, 0);
        (self.at, self.len) = (0, self.len - self.at);
        while !self.is_ended && self.fault.is_none() {
            match self.reader.read(&mut self.buffer[self.len..]) {
                Ok(0) => self.is_ended = true,
                Ok(got) => {
                    self.len += got;
                    self.read += got as u64;
                    return true;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.fault = Some(error),
            }
        }
        false
    }

    /// Processes the next bytes. Returns false at the end.
    fn step(&mut self) -> bool {
        if self.at == self.len && !self.fill() {
            return false;
        }
        match &mut self.place {
            Place::Objects => {
                self.objects();
                self.is_cut |= self.tokens.is_cut;
                true
            }
            Place::Begin(content) => {
                let content = *content;
                self.begin(content);
                true
            }
            Place::Skipped => self.pass(false),
            Place::Text => self.pass(true),
            Place::Packed(..) => self.inflate(),
        }
    }

    fn objects(&mut self) {
        while self.at < self.len {
            let byte = self.buffer[self.at];
            self.at += 1;
            let Some(content) = self.tokens.take(byte, &mut self.out) else { continue };
            return match byte {
                b'\n' => self.enter(content),
                _ => self.place = Place::Begin(content),
            };
        }
    }

    /// Skips the rest of the line end before the data.
    fn begin(&mut self, content: Content) {
        match self.buffer[self.at] {
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'\n' => {
                self.at += 1;
                self.enter(content);
            }
            _ => self.enter(content),
        }
    }

    /// Enters the data of a stream.
    fn enter(&mut self, content: Content) {
        let inflate = || Box::new(Decompress::new(true));
        self.place = match content {
            Content::Other => Place::Skipped,
            Content::Objects { is_packed: true } => {
                Place::Packed(inflate(), Some(Tokens::default()))
            }
            // The keyword that ends the stream is an ordinary token.
            Content::Objects { is_packed: false } => Place::Objects,
            Content::Metadata { is_packed: true } => Place::Packed(inflate(), None),
            Content::Metadata { is_packed: false } => Place::Text,
        };
    }

    /// Skips the data up to its end, or copies it if it is text. Returns false if the file ends
    /// first.
    fn pass(&mut self, is_text: bool) -> bool {
        let rest = &self.buffer[self.at..self.len];
        let found = memmem::find(rest, END);
        // The end marker may start in the last bytes.
        let len = found.unwrap_or_else(|| rest.len().saturating_sub(END.len() - 1));
        if is_text {
            self.out.extend_from_slice(&rest[..len]);
        }
        self.at += len;
        match found {
            Some(_) => {
                self.at += END.len();
                self.leave(is_text);
                true
            }
            None if self.fill() => true,
            None => {
                if is_text {
                    self.out.extend_from_slice(&self.buffer[self.at..self.len]);
                }
                self.at = self.len;
                false
            }
        }
    }

    /// Leaves the data of a stream, after its end marker.
    fn leave(&mut self, is_text: bool) {
        if is_text {
            self.out.extend_from_slice(b"\n\n");
        }
        (self.place, self.tokens) = (Place::Objects, Tokens::default());
    }

    /// Inflates more data. Skips damaged data. Returns false if the file ends first.
    fn inflate(&mut self) -> bool {
        let Place::Packed(inflate, tokens) = &mut self.place else { return true };
        let before = (inflate.total_in(), inflate.total_out());
        let rest = &self.buffer[self.at..self.len];
        let status = inflate.decompress(rest, &mut self.inflate, FlushDecompress::None);
        let taken = inflate.total_in() - before.0;
        let given = inflate.total_out() - before.1;
        self.at += taken as usize;
        self.inflated += given;
        let text = &self.inflate[..given as usize];
        match tokens {
            None => self.out.extend_from_slice(text),
            Some(tokens) => {
                for byte in text {
                    // No stream starts inside an object stream.
                    let _ = tokens.take(*byte, &mut self.out);
                }
                self.is_cut |= tokens.is_cut;
            }
        }
        let passed = self.read - (self.len - self.at) as u64;
        if self.inflated > FREE.saturating_add(passed.saturating_mul(RATIO)) {
            let message =
                format!("the object streams unpack to more than {RATIO} times their size");
            self.fault = Some(fault(ProblemCode::Unreadable, message));
            (self.at, self.len, self.is_ended) = (0, 0, true);
            return false;
        }
        match status {
            Ok(Status::Ok | Status::BufError) if taken + given > 0 => true,
            Ok(Status::Ok | Status::BufError) if self.len - self.at < BUFFER => self.fill(),
            _ => {
                if tokens.is_none() {
                    self.out.extend_from_slice(b"\n\n");
                }
                self.place = Place::Skipped;
                true
            }
        }
    }
}

impl<R: Read> Read for Pdf<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.out.len() {
            (self.given, self.out) = (0, Vec::new());
            let goes_on = self.fault.is_none() && self.step();
            if self.out.is_empty() && !goes_on {
                let message = "a string in UTF-16 ends within a character";
                let cut = || fault(ProblemCode::Damaged, message);
                let is_cut = std::mem::take(&mut self.is_cut);
                return self.fault.take().or_else(|| is_cut.then(cut)).map_or(Ok(0), Err);
            }
        }
        let len = buffer.len().min(self.out.len() - self.given);
        buffer[..len].copy_from_slice(&self.out[self.given..self.given + len]);
        self.given += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    fn packed(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).expect("memory");
        encoder.finish().expect("memory")
    }

    /// An object with a stream.
    fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
        let begin = format!("1 0 obj\n<<{dictionary} /Length {}>>\nstream\r\n", data.len());
        [begin.as_bytes(), data, b"\nendstream\nendobj\n"].concat()
    }

    /// Returns the text of `source`, given and requested in steps of these sizes, and the error at
    /// its end.
    fn text(source: &[u8], given: usize, step: usize) -> (Vec<u8>, Option<String>) {
        struct Drip<'a>(&'a [u8], usize);
        impl Read for Drip<'_> {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let len = out.len().min(self.1);
                self.0.read(&mut out[..len])
            }
        }
        let mut pdf = Pdf::new(Drip(source, given));
        let (mut out, mut piece) = (Vec::new(), vec![0; step]);
        loop {
            match pdf.read(&mut piece) {
                Ok(0) => return (out, None),
                Ok(got) => out.extend_from_slice(&piece[..got]),
                Err(error) => return (out, Some(error.to_string())),
            }
        }
    }

    const OBJECTS: &str = "/Type /ObjStm /Filter /FlateDecode";

    fn file() -> Vec<u8> {
        let page = b"BT (10.1000/page) Tj /URI (10.1000/no) ET";
        let digit = |n: u32| b'0' + (n.wrapping_mul(2_654_435_761) >> 13) as u8 % 10;
        let numbers: Vec<u8> = (0..200_000).map(digit).collect();
        let objects = [&b"1 0 2 9 <</URI(10.1000/b)>>"[..], &numbers, b"/URI (10.1000/c)"].concat();
        let parts = [
            b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n<</S/URI/URI(https://doi.org/10.1000/a)>>\n".to_vec(),
            stream("/Filter /FlateDecode", &packed(page)),
            stream("", page),
            stream(OBJECTS, &packed(&objects)),
            stream("/Type /Metadata /Subtype /XML", b"<prism:doi>10.1000/d</prism:doi>"),
            stream("/Type /Metadata /Filter /FlateDecode", &packed(b"<doi>10.1000/e</doi>")),
            stream("/Type /ObjStm", b"<</URI(10.1000/f)>>"),
            b"trailer <</Info <</Subject (doi:10.1000/g)>> >>\nstartxref\n0\n%%EOF\n".to_vec(),
        ];
        parts.concat()
    }

    #[test]
    fn addresses_and_metadata_are_read_and_pages_are_not() {
        let (whole, fault) = text(&file(), usize::MAX, 1 << 16);
        let whole = String::from_utf8_lossy(&whole).into_owned();
        for name in ["a", "b", "c", "d", "e", "f", "g"] {
            assert!(whole.contains(&format!("10.1000/{name}")), "{name}");
        }
        assert!(!whole.contains("page") && !whole.contains("no"), "{whole}");
        assert_eq!(fault, None);
    }

    #[test]
    fn steps_change_nothing() {
        let whole = text(&file(), usize::MAX, 1 << 16);
        for (given, step) in [(1, 1), (7, 100), (BUFFER, 3)] {
            assert!(text(&file(), given, step) == whole, "{given} {step}");
        }
    }

    #[test]
    fn every_cut_and_damage_ends() {
        let file = [
            stream(OBJECTS, &packed(b"<</URI(10.1000/b)>>")),
            stream("/Type /Metadata", b"<doi>10.1000/d</doi>"),
        ]
        .concat();
        for at in 0..file.len() {
            assert_eq!(text(&file[..at], usize::MAX, 100).1, None);
            let mut damaged = file.clone();
            damaged[at] ^= 0x21;
            assert_eq!(text(&damaged, usize::MAX, 100).1, None);
        }
    }

    #[test]
    fn a_string_that_ends_within_a_character_is_named_and_its_last_word_left_out() {
        let objects = b"<</URI <FEFF0061002000310030002e31> /URI (10.1000/a)>>";
        for source in [objects.to_vec(), stream(OBJECTS, &packed(objects))] {
            let message = "a string in UTF-16 ends within a character".to_owned();
            let expected = (b"a \n\n10.1000/a\n\n".to_vec(), Some(message));
            assert_eq!(text(&source, usize::MAX, 100), expected);
        }
    }

    #[test]
    fn a_bomb_is_given_up() {
        let bomb = packed(&vec![0; 160 << 20]);
        let source = [b"%PDF-1.7\n".to_vec(), stream(OBJECTS, &bomb)].concat();
        let message = "the object streams unpack to more than 64 times their size";
        assert_eq!(text(&source, usize::MAX, 100), (Vec::new(), Some(message.to_owned())));
    }

    #[test]
    fn pdf_files_are_told_by_their_version() {
        assert!(is_pdf(b"%PDF-1.7\n") && is_pdf(b"%PDF-2.0"));
        assert!(!is_pdf(b"%PDF output") && !is_pdf(b"%PDF-") && !is_pdf(b" %PDF-1.7"));
    }
}
