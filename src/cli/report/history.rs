//! Collects the data for the page of a state: its last run and the earlier runs.

use super::data::{INPUTS, ReportData, run_of};
use super::text::time;
use doiscan_engine::StoreError;
use doiscan_engine::state::{Example, History, PastRun, PrefixLine, RepeatsLine};
use serde_json::{Map, Value, json};

/// Maximum number of prefixes listed with changes.
const CHANGES: usize = 20;

/// Outcomes of runs that ended normally.
const ENDED: [&str; 3] = ["passed", "accepted", "failed"];

/// Returns the last run that ended, and its record.
pub(super) fn last(history: &History) -> Option<(i64, Value)> {
    let ended = history.runs().iter().rev().filter(|run| ENDED.contains(&run.outcome.as_str()));
    for run in ended {
        if let Ok(Value::Object(mut record)) = serde_json::from_str(&run.record) {
            // Programs other than the command do not record their invocation.
            for (name, text) in
                [("started", &run.started), ("ended", &run.finished), ("version", &run.version)]
            {
                record.entry(name).or_insert_with(|| json!(text));
            }
            return Some((run.id, Value::Object(record)));
        }
    }
    None
}

/// Adds the examples stored in the state, and the prefixes and repeats of run `id`, to a record.
pub(super) fn complete(record: &mut Value, history: &History, id: i64) {
    let run = history.runs().iter().find(|run| run.id == id).cloned().unwrap_or_default();
    let prefix = |line: &PrefixLine| json!({"prefix": line.prefix, "dois": line.dois});
    let bin = |line: &RepeatsLine| json!({"from": line.least, "to": line.most, "dois": line.dois});
    record["digest"] = json!({
        "rejected": {}, "repaired": {},
        "prefixes": run.prefixes.iter().map(prefix).collect::<Vec<_>>(),
        "prefix_count": run.prefix_count,
        "repeats": (!run.repeats.is_empty()).then(|| run.repeats.iter().map(bin).collect::<Vec<_>>()),
    });
    for example in history.examples() {
        let group = if example.is_rejected { "rejected" } else { "repaired" };
        let Some(group) = record["digest"][group].as_object_mut() else { continue };
        add(group, example, id);
    }
}

/// Number of examples of each kind.
const EXAMPLES: usize = 3;

fn add(group: &mut Map<String, Value>, example: &Example, id: i64) {
    let examples = group.entry(example.key.clone()).or_insert_with(|| json!([]));
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
        let runs = history.runs();
        let [changed, largest] = history.inputs(id, INPUTS)?;
        let changes = runs.iter().find(|run| run.id == id).map(|run| &run.changes);
        let notes = runs.iter().rfind(|run| run.id > id).map(later).into_iter().collect();
        let of = |run: &PastRun| if run.id == id { run_of(record) } else { run.clone() };
        Ok(ReportData {
            record,
            notes,
            runs: runs.iter().map(of).collect(),
            inputs: largest.first,
            input_count: Some(largest.count),
            changed: Some((changed.count, changed.first)),
            prefix_changes: changes.into_iter().flatten().take(CHANGES).cloned().collect(),
        })
    }
}

/// Describes a run that began after the last one that ended.
fn later(run: &PastRun) -> String {
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
