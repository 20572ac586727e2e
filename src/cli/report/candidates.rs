//! The section on rejected and repaired candidates: counts, reasons and examples.

use super::plot::{Plot, Series, bars};
use super::text::{shown, text};
use crate::cli::numbers::grouped;
use crate::cli::reasons;
use crate::doi::Reason;
use crate::scan::Repair;
use maud::{Markup, html};
use serde_json::Value;

/// A reason for rejection, or a kind of repair.
struct Kind<'a> {
    name: &'static str,
    count: u64,
    meaning: &'static str,
    advice: &'static str,
    examples: &'a Value,
}

/// Renders the rejected candidates by reason, most frequent first.
pub(super) fn rejected(record: &Value) -> Markup {
    let kinds = Reason::ALL.into_iter().map(|reason| {
        let (meaning, advice) = reasons::advice(reason);
        (reason.name(), meaning, advice)
    });
    let plot = Plot {
        id: "rejected",
        title: "Candidates that are not DOIs, by reason",
        x: "candidates",
        y: "reason",
    };
    section("Rejected candidates", record, "rejected", &plot, kinds)
}

/// Renders the accepted candidates whose damage was repaired.
pub(super) fn repaired(record: &Value) -> Markup {
    let kinds = Repair::ALL.into_iter().map(|kind| {
        let (meaning, advice) = of_repair(kind);
        (kind.name(), meaning, advice)
    });
    let plot =
        Plot { id: "repaired", title: "Repaired DOIs, by kind of damage", x: "DOIs", y: "damage" };
    section("Repaired DOIs", record, "repaired", &plot, kinds)
}

fn section(
    title: &str,
    record: &Value,
    field: &str,
    plot: &Plot<'_>,
    kinds: impl Iterator<Item = (&'static str, &'static str, &'static str)>,
) -> Markup {
    let kind = |(name, meaning, advice)| Kind {
        name,
        count: record[field][name].as_u64().unwrap_or(0),
        meaning,
        advice,
        examples: &record["digest"][field][name],
    };
    let mut kinds: Vec<_> = kinds.map(kind).filter(|kind| kind.count > 0).collect();
    kinds.sort_by(|a, b| b.count.cmp(&a.count).then(a.name.cmp(b.name)));
    let labels: Vec<_> = kinds.iter().map(|kind| kind.name.to_owned()).collect();
    let values = kinds.iter().map(|kind| Some(kind.count as f64)).collect();
    html! {
        section {
            h2 { (title) }
            @if kinds.is_empty() { p { "None." } }
            @else {
                (bars(plot, &labels, &Series { name: plot.x, values }))
                @for kind in &kinds {
                    div.reason {
                        h3 { (kind.name) ": " (grouped(kind.count)) }
                        p { (kind.meaning) " " b { "What to do: " } (kind.advice) "." }
                        (examples(kind.examples))
                    }
                }
            }
        }
    }
}

fn examples(examples: &Value) -> Markup {
    let examples = examples.as_array().map(Vec::as_slice).unwrap_or_default();
    html! {
        @if !examples.is_empty() {
            ul.examples {
                @for example in examples { li {
                    span.raw {
                        (shown(last_line(text(example, "before")), 40)) mark { (shown(text(example, "text"), 100)) }
                        @if let Some(doi) = example["doi"].as_str() { " → " (shown(doi, 100)) }
                    }
                    " "
                    span.quiet {
                        "line " (example["line"].as_u64().unwrap_or(0)) " of " (shown(text(example, "input"), 80))
                        @if let Some(read) = example["read"].as_str() { ", read on " (shown(read, 40)) }
                    }
                } }
            }
        }
    }
}

/// Returns the text after the last line feed, which is escaped.
fn last_line(text: &str) -> &str {
    text.rsplit("\\x0A").next().unwrap_or(text)
}

/// Returns the meaning of a kind of repair, and advice.
fn of_repair(kind: Repair) -> (&'static str, &'static str) {
    match kind {
        Repair::Dash => (
            "A dash of the typesetter stood for a hyphen.",
            "nothing; if one source has many, correct it there",
        ),
        Repair::ZeroWidth => (
            "A character without width, such as a soft hyphen, was in the DOI.",
            "nothing; if one source has many, remove such characters there",
        ),
        Repair::Trailing => (
            "A full stop, a comma or a semicolon ended the field.",
            "nothing; doiscan check --invalid names such values of a column",
        ),
        Repair::LineEnd => {
            ("A line end was within the DOI.", "nothing; --join-lines never leaves such DOIs out")
        }
        Repair::PublisherPath => (
            "Segments of a publisher's page, such as /full, followed the DOI.",
            "nothing, unless a publisher's DOIs end so; --strict keeps them",
        ),
        Repair::Version => (
            "The version of a preprint followed its DOI.",
            "nothing, unless versions are to be told apart; --strict keeps them",
        ),
        Repair::QuotedPrintable => (
            "A soft line break of quoted-printable text was within the DOI.",
            "nothing; the source is mail that was not decoded",
        ),
        Repair::LostHyphen => (
            "A hyphen was lost at a line end or is another character.",
            "look at the examples: the hyphen is guessed from the form of the DOI",
        ),
        Repair::Badge => ("The escapes and the colour of a badge were around the DOI.", "nothing"),
    }
}
