//! Lists the figures that gates may name: those of the record of `scan --stats`.

use crate::cli::summary;
use doiscan_engine::Report;
use serde_json::Value;

/// Fields that are null in the record of a run that does not collect them. They are not figures.
const NO_FIGURES: [&str; 3] = ["digest", "per_input", "refusal"];

/// The number of inputs that were not read, or not to their ends.
const PROBLEMS: &str = "problems";

/// The figures that only runs with a flag have, and the flag. Names that end in `.` stand for all that begin so.
const NEEDS: [(&str, &str); 4] = [
    ("--state", "last. added removed inputs_gone inputs_new inputs_changed state_bytes"),
    ("--short-doi", "short_dois"),
    ("--eidr", "eidrs."),
    ("--known", "unknown unknown_dois unknown_prefix"),
];

/// Returns the flags without which a run does not have the figure `name`, which `last.` may precede.
pub(super) fn needs(name: &str) -> impl Iterator<Item = &'static str> {
    let is_in = |name: &str, figure: &str| match figure.ends_with('.') {
        true => name.starts_with(figure),
        false => name == figure,
    };
    let plain = name.strip_prefix("last.").unwrap_or(name);
    let is_named = move |figure: &str| is_in(name, figure) || is_in(plain, figure);
    NEEDS.into_iter().filter(move |(_, all)| all.split(' ').any(is_named)).map(|(flag, _)| flag)
}

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
    fn every_figure_that_needs_a_flag_is_a_figure() {
        let names = names();
        for figure in NEEDS.iter().flat_map(|(_, figures)| figures.split(' ')) {
            let is_it = |name: &&String| name.as_str() == figure || name.starts_with(figure);
            assert!(figure == "last." || names.iter().any(|name| is_it(&name)), "{figure}");
        }
        assert!(needs("eidrs.found").eq(["--eidr"]) && needs("added").eq(["--state"]));
        assert_eq!(needs("distinct").count(), 0);
    }

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
            "repaired.compatibility",
            "short_dois",
        ] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
    }
}
