//! Does a piece of work for each input, so that `scripts/cost` can count its instructions.
//!
//! The list has a line `MODE LIMIT FILE` for each input. Under callgrind, with `--toggle-collect`
//! and `--dump-after` set to `measured`, each line produces one dump.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a tool, not the library")]

use doiscan::doi::{Form, Reader, Reason, Writer};
use doiscan::quality::Judge;
use doiscan::scan::{Joining, Match, Notation, Options, Scanner, Sink};
use std::error::Error;
use std::fs;
use std::hint::black_box;

const USAGE: &str = "\
usage: cost LIST      do the work of each line `MODE LIMIT FILE`; prints its answers
MODE is scan, csv, join, strict, check, check-strict or convert; LIMIT is --max-length";

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo bench` runs every bench with its own flags.
    let Some(list) = std::env::args().skip(1).find(|a| !a.starts_with("--")) else {
        println!("{USAGE}");
        return Ok(());
    };
    for line in fs::read_to_string(list)?.lines() {
        let mut words = line.splitn(3, ' ');
        let (Some(mode), Some(limit), Some(path)) = (words.next(), words.next(), words.next())
        else {
            return Err(USAGE.into());
        };
        let text = fs::read(path)?;
        let mut work = Work::new(mode, limit.parse()?)?;
        println!("{}", measured(&mut work, &text));
    }
    Ok(())
}

/// The work of a mode.
enum Work {
    Scan(Box<Scanner>, Notation),
    Check(Box<Judge>),
    Convert(Reader, Writer),
}

impl Work {
    fn new(mode: &str, max_length: usize) -> Result<Work, Box<dyn Error>> {
        let scan = |notation, strict, joining| {
            let options = Options { max_length, strict, joining };
            Work::Scan(Box::new(Scanner::new(options)), notation)
        };
        Ok(match mode {
            "scan" => scan(Notation::Unknown, false, Joining::Auto),
            "csv" => scan(Notation::Csv(b','), false, Joining::Auto),
            "join" => scan(Notation::Unknown, false, Joining::Always),
            "strict" => scan(Notation::Unknown, true, Joining::Auto),
            "check" => Work::Check(Box::new(Judge::new(false))),
            "check-strict" => Work::Check(Box::new(Judge::new(true))),
            "convert" => Work::Convert(Reader::default(), Writer::default()),
            _ => return Err(USAGE.into()),
        })
    }
}

/// Does the work and returns the number of answers. Not inlined, because counting starts and ends
/// with this function.
#[inline(never)]
fn measured(work: &mut Work, text: &[u8]) -> u64 {
    let lines = || text.split(|&b| b == b'\n');
    match work {
        Work::Scan(scanner, notation) => {
            let mut answers = Answers(0);
            scanner.scan(text, 0..text.len(), *notation, &mut answers);
            answers.0
        }
        Work::Check(judge) => {
            lines().filter(|line| black_box(judge.judge(line)).is_valid()).count() as u64
        }
        Work::Convert(reader, writer) => {
            let mut out = Vec::new();
            lines()
                .filter(|line| match reader.read(line) {
                    Ok(reading) => {
                        out.clear();
                        writer.write(&reading.doi, Form::Url, black_box(&mut out));
                        true
                    }
                    Err(error) => {
                        black_box(error);
                        false
                    }
                })
                .count() as u64
        }
    }
}

struct Answers(u64);

impl Sink for Answers {
    fn accept(&mut self, found: &Match<'_>) {
        black_box(found.doi);
        self.0 += 1;
    }

    fn reject(&mut self, _: usize, _: Reason) {
        self.0 += 1;
    }
}
