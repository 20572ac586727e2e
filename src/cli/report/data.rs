//! What the page shows, whether of one run or of many.

use super::text::text;
use serde_json::Value;

/// All that a page shows.
pub(super) struct ReportData<'a> {
    /// The record of the run, as `--stats` writes it.
    pub(super) record: &'a Value,
    /// All runs that are known, this one the last. The page has plots if there are several.
    pub(super) runs: Vec<Run>,
    /// Inputs, those that matter most first.
    pub(super) inputs: Vec<Input>,
    /// All inputs, of which `inputs` are some; none if there is no account of each.
    pub(super) input_count: Option<u64>,
    /// Inputs that the run read or missed, those whose DOIs changed most first, and how many
    /// there are; none if inputs are not remembered.
    pub(super) changed: Option<(u64, Vec<Input>)>,
    /// Prefixes of which most names came and went.
    pub(super) prefix_changes: Vec<PrefixChange>,
    /// What is to be said besides.
    pub(super) notes: Vec<String>,
}

/// The figures of a run that plots show.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// RFC 3339.
    pub(super) started: String,
    pub(super) outcome: String,
    pub(super) distinct: Option<u64>,
    pub(super) added: Option<u64>,
    pub(super) removed: Option<u64>,
    pub(super) problems: Option<u64>,
    pub(super) bytes_read: Option<u64>,
    pub(super) seconds: Option<f64>,
}

/// What an input gave.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    pub(super) name: String,
    /// Whether it is new, changed or gone, if that is known.
    pub(super) change: Option<String>,
    pub(super) bytes: Option<u64>,
    /// DOIs, and how many they were before.
    pub(super) accepted: Option<u64>,
    pub(super) before: Option<u64>,
    pub(super) rejected: Option<u64>,
    pub(super) seconds: Option<f64>,
    pub(super) problem: Option<String>,
}

/// Names of a prefix that came and went.
#[derive(Clone, Debug, Default)]
pub(super) struct PrefixChange {
    pub(super) prefix: String,
    pub(super) added: u64,
    pub(super) removed: u64,
}

/// Inputs that the page lists.
pub(super) const INPUTS: usize = 20;

impl<'a> ReportData<'a> {
    /// The page of one run.
    pub(super) fn of_record(record: &'a Value) -> ReportData<'a> {
        let all = record["per_input"].as_array();
        let mut inputs: Vec<_> = all.into_iter().flatten().map(Input::of_record).collect();
        let input_count = all.map(|all| all.len() as u64);
        inputs.sort_by(|a, b| b.accepted.cmp(&a.accepted).then(a.name.cmp(&b.name)));
        inputs.truncate(INPUTS);
        let runs = vec![Run::of_record(record)];
        let (prefix_changes, notes) = Default::default();
        ReportData { record, runs, inputs, input_count, changed: None, prefix_changes, notes }
    }
}

impl Run {
    /// The figures of a record.
    pub(super) fn of_record(record: &Value) -> Run {
        let outcome = match &record["error"] {
            Value::Null => text(record, "outcome"),
            _ => "error",
        };
        let number = |name: &str| record[name].as_u64();
        Run {
            started: text(record, "started").to_owned(),
            outcome: outcome.to_owned(),
            distinct: number("distinct"),
            added: number("added"),
            removed: number("removed"),
            problems: record["problems"].as_array().map(|problems| problems.len() as u64),
            bytes_read: number("bytes_read").or(number("bytes")),
            seconds: record["seconds"].as_f64(),
        }
    }
}

impl Input {
    fn of_record(input: &Value) -> Input {
        let number = |name: &str| input[name].as_u64().unwrap_or(0);
        Input {
            name: text(input, "input").to_owned(),
            bytes: Some(number("bytes")),
            accepted: Some(number("accepted")),
            rejected: Some(number("candidates").saturating_sub(number("accepted"))),
            seconds: input["seconds"].as_f64(),
            ..Input::default()
        }
    }
}
