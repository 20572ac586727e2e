//! Lists the figures that gates may name: those of the record of `scan --stats`.

use crate::cli::summary;
use doiscan_engine::Report;
use serde_json::Value;

/// Fields that are null in the record of a run that does not collect them. They are not figures.
const NO_FIGURES: [&str; 3] = ["digest", "per_input", "refusal"];

/// The number of inputs that were not read, or not to their ends.
const PROBLEMS: &str = "problems";

/// Returns the names of all figures, sorted.
pub(super) fn names() -> Vec<String> {
    let mut names = vec![PROBLEMS.to_owned()];
    let mut report = Report::default();
    // Without `--eidr` this field is null.
    report.stats.eidrs = Some(0);
    for (name, value) in summary::figures(&report) {
        match value {
            _ if NO_FIGURES.contains(&name.as_str()) => {}
            Value::Number(_) | Value::Null => names.push(name),
            Value::Object(members) => {
                names.extend(members.keys().map(|member| format!("{name}.{member}")));
            }
            Value::Array(_) | Value::Bool(_) | Value::String(_) => {}
        }
    }
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_name_is_a_figure_of_the_schema() {
        let schema: Value =
            serde_json::from_str(include_str!("../../../docs/stats.schema.json")).expect("JSON");
        let fields = &schema["$defs"]["scan"]["properties"];
        let names = names();
        for name in &names {
            let kind = match name.split_once('.') {
                _ if name == PROBLEMS => &json!("integer"),
                Some((group, member)) => match &fields[group]["properties"][member] {
                    Value::Null => &fields[group]["additionalProperties"]["type"],
                    field => &field["type"],
                },
                None => &fields[name]["type"],
            };
            let is_number = |kind: &Value| kind == "integer" || kind == "number";
            let is_figure = kind.as_array().map_or(is_number(kind), |k| k.iter().any(is_number));
            assert!(is_figure, "{name}: {kind}");
        }
        for name in [
            "distinct",
            "problems",
            "eidrs.found",
            "rejected.no-suffix",
            "repaired.dash",
            "short_dois",
        ] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
    }
}
