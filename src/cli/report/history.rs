//! Collects the data for the page of a state: its last run and the earlier runs.

use super::data::{INPUTS, ReportData, run_of};
use super::text::time;
use doiscan_engine::StoreError;
use doiscan_engine::state::sqlite::{self as state, History};
use serde_json::{Map, Value, json};

/// Maximum number of prefixes listed with changes.
const CHANGES: usize = 20;

/// Outcomes of runs that ended normally.
const ENDED: [&str; 3] = ["passed", "accepted", "failed"];

/// Returns the last run that ended, and its record.
pub(super) fn last(history: &History) -> Result<Option<(state::PastRun, Value)>, StoreError> {
    let runs = history.runs()?;
    for run in runs.into_iter().rev().filter(|run| ENDED.contains(&run.outcome.as_str())) {
        let record = history.record(run.id)?.and_then(|text| serde_json::from_str(&text).ok());
        if let Some(Value::Object(mut record)) = record {
            // Programs other than the command do not record their invocation.
            let finished = run.finished.clone().unwrap_or_default();
            for (name, text) in
                [("started", &run.started), ("ended", &finished), ("version", &run.version)]
            {
                record.entry(name).or_insert_with(|| json!(text));
            }
            return Ok(Some((run, Value::Object(record))));
        }
    }
    Ok(None)
}

/// Adds the examples stored in the state, and the prefixes and repeats of run `id`, to a record.
pub(super) fn complete(record: &mut Value, history: &History, id: i64) -> Result<(), StoreError> {
    let (count, prefixes) = history.prefixes(id)?;
    let prefix = |(prefix, dois)| json!({"prefix": prefix, "dois": dois});
    let bins = history.repeats(id)?;
    let bin = |&(from, to, dois)| json!({"from": from, "to": to, "dois": dois});
    record["digest"] = json!({
        "rejected": {}, "repaired": {},
        "prefixes": prefixes.into_iter().map(prefix).collect::<Vec<_>>(),
        "prefix_count": count,
        "repeats": (!bins.is_empty()).then(|| bins.iter().map(bin).collect::<Vec<_>>()),
    });
    for example in history.examples()? {
        let group = if example.is_rejected { "rejected" } else { "repaired" };
        let Some(group) = record["digest"][group].as_object_mut() else { continue };
        add(group, example, id);
    }
    Ok(())
}

/// Number of examples of each kind.
const EXAMPLES: usize = 3;

fn add(group: &mut Map<String, Value>, example: state::Example, id: i64) {
    let examples = group.entry(example.key).or_insert_with(|| json!([]));
    let Some(examples) = examples.as_array_mut().filter(|all| all.len() < EXAMPLES) else { return };
    let read = (example.run != id).then(|| time(&example.started));
    examples.push(json!({
        "input": example.input, "line": example.line, "offset": example.offset,
        "before": example.before, "text": example.text, "doi": example.doi, "read": read,
    }));
}

impl<'a> ReportData<'a> {
    /// Returns the data for the page of run `id` and the earlier runs.
    pub(super) fn of_history(
        record: &'a Value,
        history: &History,
        id: i64,
    ) -> Result<ReportData<'a>, StoreError> {
        let runs = history.runs()?;
        let (count, changed) = history.changed(id, INPUTS)?;
        let (input_count, inputs) = history.largest(INPUTS)?;
        let notes = runs.iter().rfind(|run| run.id > id).map(later).into_iter().collect();
        let of = |run: state::PastRun| if run.id == id { run_of(record) } else { run };
        Ok(ReportData {
            record,
            notes,
            runs: runs.into_iter().map(of).collect(),
            inputs,
            input_count: Some(input_count),
            changed: Some((count, changed)),
            prefix_changes: history.prefix_changes(id, CHANGES)?,
        })
    }
}

/// Describes a run that began after the last one that ended.
fn later(run: &state::PastRun) -> String {
    let begun = format!("A later run began on {}", time(&run.started));
    match run.outcome.as_str() {
        "interrupted" => {
            format!("{begun} and was interrupted. This page is about the run before it.")
        }
        _ => format!(
            "{begun} and has not finished: it is still running, or it was killed. This page is about the run \
             before it."
        ),
    }
}
