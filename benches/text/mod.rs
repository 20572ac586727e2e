//! Generates text with DOIs. The same seed gives the same bytes.
//!
//! Six kinds are realistic: running text with occasional DOIs, Crossref-like JSON lines with
//! reference lists, with and without escaped slashes, numbered references, and two tables of citations. One table draws cited works nearly evenly, the
//! other as real ones do. Four kinds are hostile and test whether the cost stays linear. The last
//! is a list of distinct names, for sets larger than memory.

// Each bench uses a different part of this module.
#![allow(dead_code)]

mod distinct;
mod names;
mod random;

use names::Names;
use random::Random;

/// The kind of text to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Running text, one DOI in about 31 KB.
    Prose,
    /// One Crossref-like record a line, one DOI in about 280 bytes, each about five times.
    Json,
    /// The same records with `\/` for each slash, as PHP and Crossref write them.
    Escaped,
    /// Numbered references, one a line, each with a DOI, as in the text of an article.
    References,
    /// `oci,citing,cited,…`, one DOI in about 64 bytes, each about 5.4 times.
    Csv,
    /// The same columns in the shape of a real index: rows sorted by citing work, the number of
    /// references log-normal with a mean of 30, cited works by popularity.
    Citations,
    /// `10.1234/10.1234/…`: every candidate extends to the end of the file.
    Slashes,
    /// `10.10.10.…`: an anchor every three bytes, and no end of the registrant.
    Dots,
    /// A prefix, then `((((…`: no bracket is ever closed.
    Parens,
    /// A prefix, then an endless suffix.
    Suffix,
    /// A list of distinct names, in no order.
    Distinct,
}

impl Kind {
    pub(crate) const ALL: [(&'static str, Kind); 11] = [
        ("prose", Kind::Prose),
        ("json", Kind::Json),
        ("escaped", Kind::Escaped),
        ("references", Kind::References),
        ("csv", Kind::Csv),
        ("citations", Kind::Citations),
        ("slashes", Kind::Slashes),
        ("dots", Kind::Dots),
        ("parens", Kind::Parens),
        ("suffix", Kind::Suffix),
        ("distinct", Kind::Distinct),
    ];

    /// Returns the kind with this name, if there is one.
    pub(crate) fn named(name: &str) -> Option<Kind> {
        Kind::ALL.iter().find(|(known, _)| *known == name).map(|&(_, kind)| kind)
    }
}

/// Generates one kind of text, a piece at a time.
pub(crate) struct Text {
    kind: Kind,
    random: Random,
    names: Names,
    record: u64,
    /// Number of DOIs in the text generated so far.
    pub(crate) dois: u64,
}

impl Text {
    /// Creates a generator for `kind` with a final size of about `size` bytes. The number of names
    /// depends on the size, so that the frequency of repeats does not.
    pub(crate) fn new(kind: Kind, size: u64, seed: u64) -> Self {
        // Distinct names = bytes / bytes per DOI / occurrences per name. The pool is larger,
        // because a skewed draw never reaches all of it. Measured with `sort -u` at 64 MB and 1 GB.
        let pool = match kind {
            Kind::Json | Kind::Escaped => size / 1420,
            Kind::References => size / 400,
            Kind::Csv | Kind::Citations => size / 280,
            _ => u64::MAX,
        };
        let random = Random::new(seed);
        Text { kind, names: Names::new(seed, pool.max(64)), random, record: 0, dois: 0 }
    }

    /// Appends the next record, paragraph or piece: a few KB at most.
    pub(crate) fn extend(&mut self, out: &mut Vec<u8>) {
        match self.kind {
            Kind::Prose => self.paragraph(out),
            Kind::Json => self.crossref_record(out),
            Kind::Escaped => {
                let start = out.len();
                self.crossref_record(out);
                let slash = |&byte: &u8| (byte == b'/').then_some(b'\\').into_iter().chain([byte]);
                let record: Vec<u8> = out.drain(start..).collect();
                out.extend(record.iter().flat_map(slash));
            }
            Kind::References => self.numbered_reference(out),
            Kind::Csv | Kind::Citations => self.citing_work(out),
            Kind::Slashes => repeat(out, b"10.1234/"),
            Kind::Dots => repeat(out, b"10."),
            Kind::Parens => self.tail(out, b"10.1234/", b"("),
            Kind::Suffix => self.tail(out, b"10.1234/", b"abcdefgh"),
            Kind::Distinct => {
                distinct::write(self.record, out);
                out.push(b'\n');
                self.dois += 1;
            }
        }
        self.record += 1;
    }

    /// Generates a whole text of at least `size` bytes.
    pub(crate) fn make(kind: Kind, size: usize, seed: u64) -> (Vec<u8>, u64) {
        let mut text = Text::new(kind, size as u64, seed);
        let mut out = Vec::with_capacity(size + 64 * 1024);
        while out.len() < size {
            text.extend(&mut out);
        }
        (out, text.dois)
    }

    fn tail(&self, out: &mut Vec<u8>, head: &[u8], rest: &[u8]) {
        if self.record == 0 {
            out.extend_from_slice(head);
        }
        repeat(out, rest);
    }

    fn paragraph(&mut self, out: &mut Vec<u8>) {
        for _ in 0..self.random.between(3, 9) {
            self.sentence(out);
        }
        out.push(b'\n');
    }

    /// Appends about 110 bytes, of which one in a hundred is a digit, as in articles.
    fn sentence(&mut self, out: &mut Vec<u8>) {
        self.words(out, 8, 24);
        match self.random.below(280) {
            0 => self.mention(out),
            1..=3 => number(out, b" 10.", self.random.below(100)),
            4..=5 => number(out, b" in 20", 10),
            6..=40 => number(out, b", page ", self.random.below(2000)),
            41..=60 => number(out, b" since 19", self.random.between(50, 100)),
            _ => {}
        }
        out.extend_from_slice(b". ");
    }

    /// Appends a DOI as it occurs in running text.
    fn mention(&mut self, out: &mut Vec<u8>) {
        let (before, after): (&[u8], &[u8]) = match self.random.below(5) {
            0 => (b" (https://doi.org/", b")"),
            1 => (b" https://doi.org/", b""),
            2 => (b" DOI: ", b""),
            3 => (b" (doi:", b")"),
            _ => (b", doi:", b","),
        };
        out.extend_from_slice(before);
        self.doi(out);
        out.extend_from_slice(after);
    }

    fn numbered_reference(&mut self, out: &mut Vec<u8>) {
        number(out, b"[", self.record % 90 + 1);
        out.extend_from_slice(b"] ");
        self.words(out, 8, 18);
        number(out, b". ", self.random.below(400));
        number(out, b" (20", self.random.between(10, 26));
        number(out, b"), ", self.random.below(9000));
        out.push(b'.');
        self.mention(out);
        out.extend_from_slice(b".\n");
    }

    fn crossref_record(&mut self, out: &mut Vec<u8>) {
        let own = self.names.nth(self.record);
        let references = self.random.between(4, 50);
        out.extend_from_slice(b"{\"DOI\":\"");
        self.named_doi(out, own);
        out.extend_from_slice(b"\",\"type\":\"journal-article\",\"title\":[\"");
        self.words(out, 6, 16);
        out.extend_from_slice(b"\"],\"publisher\":\"");
        self.words(out, 2, 4);
        number(out, b"\",\"issued\":{\"date-parts\":[[20", self.random.between(10, 26));
        number(out, b"]]},\"reference-count\":", references);
        out.extend_from_slice(b",\"reference\":[");
        for i in 0..references {
            if i > 0 {
                out.push(b',');
            }
            self.reference(out, i + 1);
        }
        out.extend_from_slice(b"],\"URL\":\"https://doi.org/");
        self.named_doi(out, own);
        out.extend_from_slice(b"\"}\n");
    }

    /// Appends one entry of a reference list. Three of four have a DOI.
    fn reference(&mut self, out: &mut Vec<u8>, i: u64) {
        number(out, b"{\"key\":\"ref", i);
        match self.random.below(8) {
            0..=4 => {
                out.extend_from_slice(b"\",\"doi-asserted-by\":\"crossref\",\"DOI\":\"");
                self.doi(out);
                out.extend_from_slice(b"\",\"article-title\":\"");
                self.words(out, 4, 9);
            }
            5 => {
                out.extend_from_slice(b"\",\"unstructured\":\"");
                self.words(out, 8, 18);
                out.extend_from_slice(b". https://doi.org/");
                self.doi(out);
                out.push(b'.');
            }
            _ => {
                out.extend_from_slice(b"\",\"unstructured\":\"");
                self.words(out, 8, 20);
            }
        }
        number(out, b"\",\"volume\":\"", self.random.below(400));
        number(out, b"\",\"first-page\":\"", self.random.below(9000));
        number(out, b"\",\"year\":\"19", self.random.between(50, 100));
        out.extend_from_slice(b"\",\"journal-title\":\"");
        self.words(out, 2, 4);
        out.extend_from_slice(b"\"}");
    }

    /// Appends the rows of one citing work.
    fn citing_work(&mut self, out: &mut Vec<u8>) {
        if self.record == 0 {
            out.extend_from_slice(b"oci,citing,cited,creation,timespan,journal_sc,author_sc\n");
        }
        let citing = self.names.nth(self.record);
        let source = self.random.digits(18);
        let rows = match self.kind {
            Kind::Citations => self.random.log_normal(),
            _ => self.random.between(1, 50),
        };
        for _ in 0..rows {
            number(out, b"02001", source);
            number(out, b"-02001", self.random.digits(18));
            out.push(b',');
            self.named_doi(out, citing);
            out.push(b',');
            match self.kind {
                Kind::Citations => self.popular_doi(out),
                _ => self.doi(out),
            }
            number(out, b",20", self.random.between(10, 26));
            number(out, b"-0", self.random.between(1, 10));
            number(out, b"-1", self.random.below(10));
            number(out, b",P", self.random.between(1, 40));
            number(out, b"Y", self.random.between(1, 12));
            out.extend_from_slice(b"M,no,no\n");
        }
    }

    /// Appends a DOI that may have been cited before.
    fn doi(&mut self, out: &mut Vec<u8>) {
        let name = self.names.draw(&mut self.random);
        self.named_doi(out, name);
    }

    /// Appends a DOI with the popularity of real works: a few are cited very often.
    fn popular_doi(&mut self, out: &mut Vec<u8>) {
        let name = self.names.draw_popular(&mut self.random);
        self.named_doi(out, name);
    }

    /// Appends a DOI. One in twelve has the other letter case, at random.
    fn named_doi(&mut self, out: &mut Vec<u8>, name: u64) {
        let start = out.len();
        self.names.write(name, out);
        match self.random.below(24) {
            0 => out[start..].make_ascii_uppercase(),
            1 => out[start..].make_ascii_lowercase(),
            _ => {}
        }
        self.dois += 1;
    }

    fn words(&mut self, out: &mut Vec<u8>, least: u64, most: u64) {
        for i in 0..self.random.between(least, most + 1) {
            if i > 0 {
                out.push(b' ');
            }
            out.extend_from_slice(names::word(&mut self.random));
        }
    }
}

/// Appends about 4 KB of `piece`.
fn repeat(out: &mut Vec<u8>, piece: &[u8]) {
    for _ in 0..4096 / piece.len() {
        out.extend_from_slice(piece);
    }
}

fn number(out: &mut Vec<u8>, before: &[u8], value: u64) {
    out.extend_from_slice(before);
    names::decimal(out, value);
}
