//! Runs the examples of every row by every route, and with the row switched off.

mod page;

use super::*;
use crate::doi::notation::{HOSTS, LABELS, SERVICES};
use crate::doi::{Reason, fold};
use crate::judge::{Judge, Note};
use crate::rule::{Row, Table, without};
use crate::scan::{Match, Notation, Options, Repair, Repairs, Scanner, Sink, naive};

/// Every table, in the order of the page.
static TABLES: [&Table; 4] = [&HOSTS, &SERVICES, &LABELS, &FILES];

/// The effects that cut a tail.
const TAILS: [&str; 3] = ["publisher-path", "version", "glued"];

/// The answer to a text: its names, or why there is none, and all repairs.
#[derive(Debug, Default, PartialEq)]
struct Answer {
    names: Vec<String>,
    reason: Option<Reason>,
    repairs: Repairs,
}

impl Sink for Answer {
    fn accept(&mut self, found: &Match<'_>) {
        self.names.push(String::from_utf8_lossy(found.doi).into_owned());
        self.repairs |= found.repairs;
    }

    fn reject(&mut self, _: usize, reason: Reason) {
        self.reason.get_or_insert(reason);
    }
}

impl Answer {
    fn text(&self) -> String {
        match self.reason.filter(|_| self.names.is_empty()) {
            Some(reason) => reason.name().to_owned(),
            None => self.names.join(" "),
        }
    }
}

/// Returns the answer of the scanner and of the oracle.
fn scan(text: &str, strict: bool) -> Answer {
    scan_by(Options::default().with_strict(strict), text)
}

fn scan_by(options: Options, text: &str) -> Answer {
    let (mut fast, mut slow) = (Answer::default(), Answer::default());
    naive::scan(text.as_bytes(), 0..text.len(), Notation::Unknown, &options, &mut slow);
    Scanner::new(options).scan(text.as_bytes(), 0..text.len(), Notation::Unknown, &mut fast);
    assert_eq!(fast, slow, "{text}");
    fast
}

/// Returns the DOI of a verdict, and whether it is repaired.
fn check(value: &str, strict: bool) -> (String, bool) {
    check_by(Judge::new(strict), value)
}

fn check_by(mut judge: Judge, value: &str) -> (String, bool) {
    let verdict = judge.judge(value.as_bytes());
    let doi = verdict.doi.map(|doi| String::from_utf8_lossy(doi).into_owned());
    (doi.unwrap_or_default(), verdict.notes.contains(Note::Repaired))
}

/// Returns the name in `text` as written: up to a blank or a quote, in upper case.
fn written(text: &str) -> String {
    let name = &text[text.find("10.").expect("an example has a name")..];
    let name = name.split([' ', '"', '\n']).next().unwrap_or_default();
    let mut name = name.as_bytes().to_vec();
    fold(&mut name);
    String::from_utf8(name).expect("an example is text")
}

fn examples() -> impl Iterator<Item = (&'static Table, &'static Row, &'static str, &'static str)> {
    let rows = TABLES.into_iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)));
    rows.flat_map(|(table, row)| row.examples.iter().map(move |&(text, to)| (table, row, text, to)))
}

/// Returns the result of an example by the route of its table, and the kinds of its repairs.
fn result(text: &str) -> (String, String) {
    result_by(Options::default(), text)
}

fn result_by(options: Options, text: &str) -> (String, String) {
    let answer = scan_by(options, text);
    let repairs: Vec<_> = answer.repairs.iter().map(Repair::name).collect();
    (answer.text(), repairs.join(" "))
}

#[test]
fn every_example_holds() {
    for (table, row, text, expected) in examples() {
        let (found, repairs) = result(text);
        assert_eq!(found, expected, "{}: {text}", table.about.name);
        let effect = table.about.effect;
        let is_repair =
            effect == "repaired" || Repair::ALL.iter().any(|kind| kind.name() == effect);
        let repair = if is_repair { effect } else { "" };
        assert!(repairs.contains(repair), "{}: {text}: {repairs}", row.text);
        assert!(is_repair || repairs.is_empty(), "{}: {text}: {repairs}", row.text);
        let is_reason = Reason::ALL.iter().any(|reason| reason.name() == effect);
        assert!(!is_reason || expected == effect, "{}: {text}", row.text);
    }
}

#[test]
fn strict_leaves_the_text_as_written() {
    for (table, _, text, expected) in examples() {
        let answer = scan(text, true);
        assert!(answer.repairs.is_empty(), "{text}");
        let written = written(text);
        if TAILS.contains(&table.about.effect) || table.about.effect == "lost-hyphen" {
            let name = written.trim_end_matches('.').replace('\\', "");
            assert_eq!(answer.text(), name, "{text}");
            assert_ne!(name, expected, "{text}");
        }
        let (doi, is_repaired) = check(&written, true);
        assert!(!is_repaired && (doi.is_empty() || doi == written), "{text}: {doi}");
    }
}

#[test]
fn no_row_is_idle() {
    // A row may be for names that no model knows.
    let is_idle = |row, text| {
        [Options::default(), Options::default().with_names(None)].into_iter().all(|options| {
            let result = || result_by(options.clone(), text);
            without(row, result) == result()
        })
    };
    let idle: Vec<_> = examples()
        .filter(|&(_, row, text, _)| is_idle(row, text))
        .map(|(table, row, text, _)| format!("{} {:?} {text:?}", table.about.name, row.text))
        .collect();
    assert!(idle.is_empty(), "these examples hold without their rows:\n{}", idle.join("\n"));
}
