//! A scan of several files, whose bytes come piece by piece. Memory holds the distinct names and one
//! piece, so files may be of any size.

use doiscan_core::doi::Reason;
use doiscan_core::format::Format;
use doiscan_core::scan::{LOOKBEHIND, Match, Notation, Options, Scanner, Sink};
use flate2::Crc;
use flate2::write::{DeflateDecoder, MultiGzDecoder};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write;
use wasm_bindgen::prelude::wasm_bindgen;

/// Bytes that are scanned at a time.
const PIECE: usize = 1024 * 1024;

/// Bytes of compressed data that are decoded at a time, so that a small file that grows without end
/// does not fill the memory.
const PACKED: usize = 16 * 1024;

/// First bytes by which the notation is detected.
const HEAD: usize = 4096;

/// Bytes of a rejected candidate that are shown.
const SHOWN: usize = 48;

/// What is known of a name.
#[derive(Clone, Copy)]
struct Name {
    count: u32,
    inputs: u32,
    /// The last input it was found in, to count inputs.
    last: u32,
    /// The index in [`Session::parts`] and the offset of its first occurrence.
    first: (u32, u64),
}

/// Rejected candidates of one reason.
#[derive(Clone, Default)]
struct Rejected {
    count: u32,
    part: u32,
    offset: u64,
    raw: String,
}

/// How the bytes of an input are packed.
enum Decoder {
    None,
    Gzip(MultiGzDecoder<Vec<u8>>),
    Deflate(DeflateDecoder<Vec<u8>>),
}

/// The input that is read.
struct Current {
    name: String,
    format: Format,
    decoder: Decoder,
    crc: Crc,
    notation: Option<Notation>,
    buffer: Vec<u8>,
    /// The offset of the buffer in the input, and the index in it of the next byte to scan.
    offset: u64,
    from: usize,
}

/// A scan of several files.
#[wasm_bindgen]
pub struct Session {
    scanner: Scanner,
    results: Results,
    current: Option<Current>,
    inputs: Vec<String>,
    /// For each part that was read, its input and its place in it, such as `page 3`.
    parts: Vec<(u32, String)>,
    bytes: u64,
    /// The names in the order of the table.
    order: Vec<Vec<u8>>,
}

#[derive(Default)]
struct Results {
    names: HashMap<Vec<u8>, Name>,
    accepted: u64,
    rejected: Vec<Rejected>,
}

/// Collects the results of one piece.
struct Collect<'a> {
    results: &'a mut Results,
    piece: &'a [u8],
    input: u32,
    part: u32,
    offset: u64,
}

impl Sink for Collect<'_> {
    fn accept(&mut self, found: &Match<'_>) {
        self.results.accepted += 1;
        if let Some(name) = self.results.names.get_mut(found.doi) {
            name.count += 1;
            name.inputs += u32::from(name.last != self.input);
            name.last = self.input;
            return;
        }
        let first = (self.part, self.offset + found.start as u64);
        let name = Name { count: 1, inputs: 1, last: self.input, first };
        self.results.names.insert(found.doi.to_vec(), name);
    }

    fn reject(&mut self, start: usize, reason: Reason) {
        let rejected = &mut self.results.rejected[reason as usize];
        rejected.count += 1;
        if rejected.count == 1 {
            let raw = &self.piece[start..self.piece.len().min(start + SHOWN)];
            let line = raw.split(|byte| byte.is_ascii_control()).next().unwrap_or_default();
            rejected.raw = String::from_utf8_lossy(line).into_owned();
            (rejected.part, rejected.offset) = (self.part, self.offset + start as u64);
        }
    }
}

#[wasm_bindgen]
impl Session {
    /// Begins a scan of no files.
    #[wasm_bindgen(constructor)]
    pub fn new(strict: bool) -> Session {
        let rejected = vec![Rejected::default(); Reason::ALL.len()];
        Session {
            scanner: Scanner::new(Options::default().with_strict(strict)),
            results: Results { rejected, ..Results::default() },
            current: None,
            inputs: Vec::new(),
            parts: Vec::new(),
            bytes: 0,
            order: Vec::new(),
        }
    }

    /// Begins a file. `packing` is `gzip`, `deflate` or empty; `format` a notation of `doiscan scan
    /// --format`, or `auto`.
    pub fn begin(&mut self, name: &str, packing: &str, format: &str) {
        let decoder = match packing {
            "gzip" => Decoder::Gzip(MultiGzDecoder::new(Vec::new())),
            "deflate" => Decoder::Deflate(DeflateDecoder::new(Vec::new())),
            _ => Decoder::None,
        };
        self.inputs.push(name.to_owned());
        self.open(name, "", decoder, format);
    }

    /// Begins a part of the document that was begun. `place` is its place, such as `page 3`.
    pub fn part(&mut self, place: &str, format: &str) {
        let name = self.inputs.last().cloned().unwrap_or_default();
        self.open(&name, place, Decoder::None, format);
    }

    fn open(&mut self, name: &str, place: &str, decoder: Decoder, format: &str) {
        let format = Format::ALL.into_iter().find(|known| known.name() == format);
        self.parts.push((self.inputs.len() as u32 - 1, place.to_owned()));
        self.current = Some(Current {
            // The suffix of the content tells its notation.
            name: name.trim_end_matches(".gz").to_owned(),
            format: format.unwrap_or_default(),
            decoder,
            crc: Crc::new(),
            notation: None,
            buffer: Vec::new(),
            offset: 0,
            from: 0,
        });
    }

    /// Scans the next bytes of the file.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be decoded. What was decoded before is scanned.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        for part in bytes.chunks(PACKED.max(if self.is_packed() { PACKED } else { PIECE })) {
            let decoded = self.current.as_mut().map_or(Ok(()), |current| current.decode(part));
            self.scan(false);
            decoded?;
        }
        Ok(())
    }

    /// Ends the file. `crc` is the checksum of its bytes, if the archive has one.
    ///
    /// # Errors
    ///
    /// Fails if the file is cut or damaged.
    pub fn end(&mut self, crc: Option<u32>) -> Result<(), String> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let ended = current.finish();
        let sum = current.crc.sum();
        self.scan(true);
        self.current = None;
        ended?;
        match crc {
            Some(crc) if crc != sum => Err("is damaged: its checksum differs".to_owned()),
            _ => Ok(()),
        }
    }

    /// Number of distinct names.
    #[wasm_bindgen(getter)]
    pub fn distinct(&self) -> usize {
        self.results.names.len()
    }

    /// Number of occurrences.
    #[wasm_bindgen(getter)]
    pub fn accepted(&self) -> f64 {
        self.results.accepted as f64
    }

    /// Number of bytes that were scanned, decoded.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> f64 {
        self.bytes as f64
    }

    /// Orders the rows of [`Session::rows`]: by name, or by `count`, the most frequent first.
    pub fn sort(&mut self, by: &str) {
        let names = &self.results.names;
        self.order = names.keys().cloned().collect();
        self.order.sort_unstable();
        if by == "count" {
            self.order.sort_by_key(|name| std::cmp::Reverse(names[name].count));
        }
    }

    /// Returns `len` rows from `from` on as TSV: name, occurrences, inputs, first input, part of it, offset in that.
    pub fn rows(&self, from: usize, len: usize) -> String {
        let mut text = String::new();
        for name in self.order.iter().skip(from).take(len) {
            let Name { count, inputs, first: (part, offset), .. } = self.results.names[name];
            let (name, [input, part]) = (String::from_utf8_lossy(name), self.place(part));
            let _ = writeln!(text, "{name}\t{count}\t{inputs}\t{input}\t{part}\t{offset}");
        }
        text
    }

    /// Returns the list as `doiscan scan` writes it: one name a line, sorted by bytes.
    pub fn list(&self) -> String {
        let mut names: Vec<_> = self.results.names.keys().collect();
        names.sort_unstable();
        names
            .into_iter()
            .fold(String::new(), |text, name| text + &String::from_utf8_lossy(name) + "\n")
    }

    /// Returns the counts as CSV.
    pub fn csv(&self) -> String {
        let quoted = |text: &str| match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        let mut names: Vec<_> = self.results.names.iter().collect();
        names.sort_unstable_by_key(|(name, _)| *name);
        let mut text = String::from("doi,count,inputs,input,part,offset\n");
        for (name, Name { count, inputs, first: (part, offset), .. }) in names {
            let name = quoted(&String::from_utf8_lossy(name));
            let [input, part] = self.place(*part).map(quoted);
            let _ = writeln!(text, "{name},{count},{inputs},{input},{part},{offset}");
        }
        text
    }

    /// Returns the rejected candidates as TSV: reason, number, an example, its input, part and offset.
    pub fn rejected(&self) -> String {
        let mut text = String::new();
        for (reason, rejected) in Reason::ALL.iter().zip(&self.results.rejected) {
            let Rejected { count, part, offset, raw } = rejected;
            if *count > 0 {
                let (reason, [input, part]) = (reason.name(), self.place(*part));
                let _ = writeln!(text, "{reason}\t{count}\t{raw}\t{input}\t{part}\t{offset}");
            }
        }
        text
    }
}

impl Session {
    /// The input of a part, and its place in it.
    fn place(&self, part: u32) -> [&str; 2] {
        let Some((input, place)) = self.parts.get(part as usize) else { return [""; 2] };
        [&self.inputs[*input as usize], place]
    }

    fn is_packed(&self) -> bool {
        self.current.as_ref().is_some_and(|current| !matches!(current.decoder, Decoder::None))
    }

    /// Scans the bytes that have come, except those whose result later bytes may change.
    fn scan(&mut self, is_end: bool) {
        let Some(current) = &mut self.current else { return };
        let lookahead = self.scanner.lookahead();
        let ready = current.buffer.len() - current.from;
        if !is_end && ready < PIECE + lookahead {
            return;
        }
        let notation = *current.notation.get_or_insert_with(|| {
            let head = &current.buffer[..current.buffer.len().min(HEAD)];
            current.format.notation(Some(current.name.as_bytes()), head)
        });
        let end = current.buffer.len() - if is_end { 0 } else { lookahead };
        let mut sink = Collect {
            results: &mut self.results,
            piece: &current.buffer,
            input: self.inputs.len() as u32 - 1,
            part: self.parts.len() as u32 - 1,
            offset: current.offset,
        };
        self.scanner.scan(&current.buffer, current.from..end, notation, &mut sink);
        self.bytes += (end - current.from) as u64;
        let kept = end.saturating_sub(LOOKBEHIND);
        current.buffer.drain(..kept);
        current.offset += kept as u64;
        current.from = end - kept;
    }
}

impl Current {
    /// Decodes `bytes` to the end of the buffer.
    fn decode(&mut self, bytes: &[u8]) -> Result<(), String> {
        let begin = self.buffer.len();
        let written = match &mut self.decoder {
            Decoder::None => {
                self.buffer.extend_from_slice(bytes);
                Ok(())
            }
            Decoder::Gzip(decoder) => {
                let written = decoder.write_all(bytes).and_then(|()| decoder.flush());
                self.buffer.append(decoder.get_mut());
                written
            }
            Decoder::Deflate(decoder) => {
                let written = decoder.write_all(bytes).and_then(|()| decoder.flush());
                self.buffer.append(decoder.get_mut());
                written
            }
        };
        self.crc.update(&self.buffer[begin..]);
        written.map_err(|error| format!("cannot be decompressed: {error}"))
    }

    /// Takes what the decoder still holds.
    fn finish(&mut self) -> Result<(), String> {
        let begin = self.buffer.len();
        let ended = match &mut self.decoder {
            Decoder::None => Ok(()),
            Decoder::Gzip(decoder) => {
                let ended = decoder.try_finish();
                self.buffer.append(decoder.get_mut());
                ended
            }
            Decoder::Deflate(decoder) => {
                let ended = decoder.try_finish();
                self.buffer.append(decoder.get_mut());
                ended
            }
        };
        self.crc.update(&self.buffer[begin..]);
        ended.map_err(|error| format!("ends early or is damaged: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(pieces: &[&[u8]], packing: &str) -> Result<Session, String> {
        let mut session = Session::new(false);
        session.begin("a.txt", packing, "auto");
        for piece in pieces {
            session.push(piece)?;
        }
        session.end(None)?;
        Ok(session)
    }

    #[test]
    fn any_pieces_give_the_same() {
        let text = (0..60_000).map(|n| format!("see 10.1000/{} and 10.1\n", n % 50_000));
        let text = text.collect::<String>();
        let whole = session(&[text.as_bytes()], "").expect("a list");
        assert_eq!((whole.distinct(), whole.accepted()), (50_000, 60_000.0));
        for len in [1_000, 65_536, 999_999] {
            let pieces: Vec<_> = text.as_bytes().chunks(len).collect();
            let pieces = session(&pieces, "").expect("a list");
            assert_eq!(pieces.csv(), whole.csv());
            assert_eq!(pieces.rejected(), whole.rejected());
        }
        assert!(
            whole.rejected().contains("no-separator\t60000\t10.1\ta.txt\t\t18"),
            "{}",
            whole.rejected()
        );
    }

    #[test]
    fn parts_of_a_document_are_one_input() {
        let mut session = Session::new(false);
        session.begin("a.pdf", "", "text");
        for place in ["page 1", "page 2"] {
            session.part(place, "text");
            session.push(b"10.1000/a 10.1 ").expect("text");
            session.end(None).expect("text");
        }
        let csv = "doi,count,inputs,input,part,offset\n10.1000/A,2,1,a.pdf,page 1,0\n";
        assert_eq!(session.csv(), csv);
        assert_eq!(session.rejected(), "no-separator\t2\t10.1 \ta.pdf\tpage 1\t10\n");
    }

    #[test]
    fn gzip_has_members_and_its_faults_are_told() {
        let member = |text: &str| {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(text.as_bytes()).expect("write");
            gzip.finish().expect("end")
        };
        let packed = [member("10.1000/a "), member("10.1000/b")].concat();
        for len in [1, 7, packed.len()] {
            let pieces: Vec<_> = packed.chunks(len).collect();
            assert_eq!(session(&pieces, "gzip").expect("a list").list(), "10.1000/A\n10.1000/B\n");
        }
        assert!(session(&[&packed[..packed.len() - 3]], "gzip").is_err(), "cut");
        let mut damaged = packed.clone();
        let crc = packed.len() - 8;
        damaged[crc] ^= 1;
        assert!(session(&[&damaged], "gzip").is_err(), "damaged");
    }

    #[test]
    fn checksums_of_archives_are_compared() {
        let mut session = Session::new(false);
        session.begin("a", "", "auto");
        session.push(b"10.1000/a").expect("bytes");
        assert!(session.end(Some(1)).is_err());
        assert_eq!(session.list(), "10.1000/A\n");
    }
}
