//! `doiscan check`: judges one value a line.

use super::exit::Exit;
use super::flags;
use super::summary::{grouped, plural};
use super::terminal;
use crate::doi::{Found, Invalid, Part, Reason};
use crate::pipeline::{self, LinePlan, LineWork, Piece, Place};
use crate::quality::{Judge, Note, Notes, Verdict};
use anyhow::Result;
use std::io::Write;

/// Runs `doiscan check`.
pub(super) fn check(flags: &flags::Check) -> Result<Exit> {
    let work = Checks { flags };
    let plan = LinePlan {
        inputs: super::inputs(&flags.files, "check")?,
        output: flags.output.clone(),
        threads: flags.threads,
        is_gate: flags.fail_on.is_some(),
        ..LinePlan::default()
    };
    let report = pipeline::run_lines(&plan, &work)?;
    for problem in &report.problems {
        terminal::say_line(&format!("doiscan: {problem}"));
    }
    if !flags.quiet {
        terminal::say(&report.tally.summary());
    }
    Ok(match () {
        () if !report.problems.is_empty() => Exit::Partial,
        () if flags.fail_on.is_some() && report.tally.invalid > 0 => Exit::Gate,
        () => Exit::Done,
    })
}

/// What is counted.
#[derive(Debug, Default)]
struct Tally {
    valid: u64,
    invalid: u64,
    /// Invalid, and the name that was meant is found.
    recovered: u64,
    notes: [u64; Note::ALL.len()],
}

impl Tally {
    fn count(&mut self, verdict: &Verdict<'_>) {
        self.valid += u64::from(verdict.is_valid());
        self.invalid += u64::from(!verdict.is_valid());
        self.recovered += u64::from(!verdict.is_valid() && verdict.doi.is_some());
        for note in verdict.notes.iter() {
            self.notes[note as usize] += 1;
        }
    }

    fn summary(&self) -> String {
        let mut text = format!(
            "{}: {} valid, {} not",
            plural(self.valid + self.invalid, "value"),
            grouped(self.valid),
            grouped(self.invalid)
        );
        if self.recovered > 0 {
            text += &format!(" ({} with a DOI within)", grouped(self.recovered));
        }
        let mut between = "\n";
        for (note, count) in Note::ALL.into_iter().zip(self.notes).filter(|&(_, n)| n > 0) {
            text += between;
            text += &format!("{} {}", grouped(count), note.name());
            between = ", ";
        }
        text
    }
}

/// Writes a row for each line.
struct Checks<'a> {
    flags: &'a flags::Check,
}

impl LineWork for Checks<'_> {
    type Worker = Judge;
    type Tally = Tally;

    fn worker(&self) -> Judge {
        Judge::new(self.flags.strict)
    }

    fn line(
        &self,
        judge: &mut Judge,
        line: &[u8],
        _: &Place<'_>,
        out: &mut Vec<u8>,
        tally: &mut Tally,
    ) {
        let verdict = judge.judge(line);
        tally.count(&verdict);
        if self.is_shown(&verdict) {
            self.begin(out);
            self.value(line, out);
            self.end(&verdict, out);
        }
    }

    fn piece(
        &self,
        _: &mut Judge,
        piece: &Piece<'_>,
        _: &Place<'_>,
        out: &mut Vec<u8>,
        tally: &mut Tally,
    ) {
        let too_long = Verdict { doi: None, reason: Some(too_long()), notes: Notes::default() };
        if self.is_shown(&too_long) {
            if piece.is_first {
                self.begin(out);
            }
            self.value(piece.bytes, out);
        }
        if piece.is_last {
            tally.count(&too_long);
            if self.is_shown(&too_long) {
                self.end(&too_long, out);
            }
        }
    }

    fn gather(&self, sum: &mut Tally, block: Tally) {
        sum.valid += block.valid;
        sum.invalid += block.invalid;
        sum.recovered += block.recovered;
        for (sum, count) in sum.notes.iter_mut().zip(block.notes) {
            *sum += count;
        }
    }
}

/// Why a line that comes in pieces is no DOI.
fn too_long() -> Invalid {
    Invalid {
        reason: Reason::TooLong,
        part: Part::Value,
        at: pipeline::LONGEST_LINE,
        expected: "at most 1 MiB",
        found: Found::More,
    }
}

impl Checks<'_> {
    fn is_shown(&self, verdict: &Verdict<'_>) -> bool {
        if verdict.is_valid() { !self.flags.invalid } else { !self.flags.valid }
    }

    fn is_json(&self) -> bool {
        self.flags.output_format == flags::RowFormat::Jsonl
    }

    fn begin(&self, out: &mut Vec<u8>) {
        if self.is_json() {
            out.extend_from_slice(b"{\"input\":\"");
        }
    }

    /// The value, or a piece of it.
    fn value(&self, value: &[u8], out: &mut Vec<u8>) {
        if self.is_json() { json_text(value, out) } else { tsv_text(value, out) }
    }

    /// All columns behind the value.
    fn end(&self, verdict: &Verdict<'_>, out: &mut Vec<u8>) {
        if self.is_json() {
            json_end(verdict, out)
        } else {
            tsv_end(verdict, out)
        }
        out.push(b'\n');
    }
}

fn tsv_end(verdict: &Verdict<'_>, out: &mut Vec<u8>) {
    let valid: &[u8] = if verdict.is_valid() { b"\ttrue\t" } else { b"\tfalse\t" };
    out.extend_from_slice(valid);
    out.extend_from_slice(verdict.doi.unwrap_or_default());
    out.push(b'\t');
    if let Some(reason) = &verdict.reason {
        // Writing to a Vec cannot fail.
        let _ = write!(out, "{reason}");
    }
    out.push(b'\t');
    for (index, note) in verdict.notes.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(note.name().as_bytes());
    }
}

fn json_end(verdict: &Verdict<'_>, out: &mut Vec<u8>) {
    let valid: &[u8] = if verdict.is_valid() { b"true" } else { b"false" };
    out.extend_from_slice(b"\",\"valid\":");
    out.extend_from_slice(valid);
    out.extend_from_slice(b",\"doi\":");
    json_string(verdict.doi, out);
    out.extend_from_slice(b",\"reason\":");
    let reason = verdict.reason.as_ref().map(ToString::to_string);
    json_string(reason.as_deref().map(str::as_bytes), out);
    out.extend_from_slice(b",\"notes\":[");
    for (index, note) in verdict.notes.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        json_string(Some(note.name().as_bytes()), out);
    }
    out.extend_from_slice(b"]}");
}

fn json_string(text: Option<&[u8]>, out: &mut Vec<u8>) {
    let Some(text) = text else { return out.extend_from_slice(b"null") };
    out.push(b'"');
    json_text(text, out);
    out.push(b'"');
}

/// A value in a column: a tabulator would begin the next one, and a carriage return hide it.
fn tsv_text(value: &[u8], out: &mut Vec<u8>) {
    let mut rest = value;
    while let Some(at) = memchr::memchr2(b'\t', b'\r', rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(if rest[at] == b'\t' { b"\\t" } else { b"\\r" });
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// A value within a JSON string. What is no UTF-8 becomes U+FFFD.
fn json_text(value: &[u8], out: &mut Vec<u8>) {
    let is_plain = |b: &u8| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\');
    if value.iter().all(is_plain) {
        return out.extend_from_slice(value);
    }
    let text = String::from_utf8_lossy(value);
    let start = out.len();
    // Writing to a Vec cannot fail.
    let _ = serde_json::to_writer(&mut *out, &text);
    out.pop();
    out.remove(start);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn place() -> Place<'static> {
        Place { path: Path::new("x"), line: 1 }
    }

    fn rows(json: bool, value: &[u8]) -> String {
        let output_format = if json { flags::RowFormat::Jsonl } else { flags::RowFormat::Tsv };
        let flags = flags::Check { output_format, ..flags::Check::default() };
        let work = Checks { flags: &flags };
        let mut out = Vec::new();
        work.line(&mut work.worker(), value, &place(), &mut out, &mut Tally::default());
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn rows_of_tsv() {
        for (value, row) in [
            (&b"doi:10.1000/a"[..], "doi:10.1000/a\ttrue\t10.1000/A\t\t\n"),
            (
                b"10.123/a/b.",
                "10.123/a/b.\ttrue\t10.123/A/B\t\treserved-suffix,short-registrant,repaired\n",
            ),
            (
                b"\t10.1000/a\r",
                "\\t10.1000/a\\r\tfalse\t10.1000/A\tdirectory: expected \"10.\", found U+0009 at byte 1\trepaired\n",
            ),
            (b"", "\tfalse\t\tdirectory: expected \"10.\", found the end at byte 1\t\n"),
        ] {
            assert_eq!(rows(false, value), row);
        }
    }

    #[test]
    fn rows_of_json() {
        for (value, row) in [
            (
                &b"10.1000/a\"\\"[..],
                r#"{"input":"10.1000/a\"\\","valid":true,"doi":"10.1000/A","reason":null,"notes":["repaired"]}"#,
            ),
            (
                b"10.1000/\xe9",
                "{\"input\":\"10.1000/\u{fffd}\",\"valid\":false,\"doi\":null,\"reason\":\"suffix: expected UTF-8, found the byte E9 at byte 9\",\"notes\":[]}",
            ),
            (
                b"x\t\x01",
                r#"{"input":"x\t\u0001","valid":false,"doi":null,"reason":"directory: expected \"10.\", found \"x\" at byte 1","notes":[]}"#,
            ),
        ] {
            assert_eq!(rows(true, value), format!("{row}\n"));
        }
    }

    #[test]
    fn a_line_in_pieces_is_too_long() {
        let flags = flags::Check::default();
        let work = Checks { flags: &flags };
        let (mut out, mut tally) = (Vec::new(), Tally::default());
        for (index, bytes) in [&b"10.1000/a"[..], b"b", b"c"].into_iter().enumerate() {
            let piece = Piece { bytes, is_first: index == 0, is_last: index == 2 };
            work.piece(&mut work.worker(), &piece, &place(), &mut out, &mut tally);
        }
        let row =
            "10.1000/abc\tfalse\t\tvalue: expected at most 1 MiB, found more at byte 1048577\t\n";
        assert_eq!((String::from_utf8_lossy(&out).as_ref(), tally.invalid), (row, 1));
    }

    #[test]
    fn a_line_in_pieces_is_one_json_object() {
        let output_format = flags::RowFormat::Jsonl;
        let flags = flags::Check { output_format, ..flags::Check::default() };
        let work = Checks { flags: &flags };
        let (mut out, mut tally) = (Vec::new(), Tally::default());
        for (index, bytes) in [&b"a\""[..], b"b", b"\\"].into_iter().enumerate() {
            let piece = Piece { bytes, is_first: index == 0, is_last: index == 2 };
            work.piece(&mut work.worker(), &piece, &place(), &mut out, &mut tally);
        }
        let row = r#"{"input":"a\"b\\","valid":false,"doi":null,"reason":"value: expected at most 1 MiB, found more at byte 1048577","notes":[]}"#;
        assert_eq!(String::from_utf8_lossy(&out), format!("{row}\n"));
    }
}
