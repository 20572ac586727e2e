//! Writes the record of a run in the Prometheus text format for the textfile collector of its node
//! exporter (`--metrics`). docs/metrics.md explains it.

use super::terminal::one_line;
use chrono::DateTime;
use serde_json::Value;
use std::collections::HashSet;
use std::fmt::{Display, Write};
use std::time::SystemTime;

/// The schema of the record. Its descriptions become the help texts of the metrics.
const SCHEMA: &str = include_str!("../../docs/stats.schema.json");

/// Numbers of the record that are not metrics: the quotient of two others, and the schema version.
const LEFT_OUT: [&str; 2] = ["gigabytes_per_second", "schema_version"];

/// Figures whose names do not contain their units.
const UNITS: [(&str, &str); 1] = [("peak_memory", "peak_memory_bytes")];

/// Returns the metrics of a record.
pub(in crate::cli) fn text(record: &Value) -> String {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    let mut metrics = Metrics { schema, text: String::new() };
    metrics.run(record);
    for (name, value) in record.as_object().into_iter().flatten() {
        metrics.field(name, value);
    }
    metrics.text
}

struct Metrics {
    schema: Value,
    text: String,
}

impl Metrics {
    /// Adds metrics that are not numbers in the record.
    fn run(&mut self, record: &Value) {
        let text = |name: &str| record[name].as_str().unwrap_or_default();
        let labels = [("version", text("version")), ("commit", text("commit"))];
        self.metric("info", "the doiscan that wrote this file");
        self.sample("info", &labels, 1);
        for (name, field, help) in [
            ("started_timestamp_seconds", "started", "start of the run, in seconds since 1970"),
            ("ended_timestamp_seconds", "ended", "end of the run, in seconds since 1970"),
        ] {
            if let Some(seconds) = seconds(text(field)) {
                self.metric(name, help);
                self.sample(name, &[], seconds);
            }
        }
        if let Some(listed) = record["problems"].as_array() {
            let omitted = record["problems_omitted"].as_u64().unwrap_or(0);
            self.metric("problems", "problems with inputs that could not be read completely");
            self.sample("problems", &[], listed.len() as u64 + omitted);
        }
        // A failed run has no outcome in its record.
        let outcome = match &record["error"] {
            Value::Null => text("outcome"),
            _ => "error",
        };
        let help = "1 for how the run ended: passed, failed (the list was refused), accepted \
                    (refused, but put in place by --accept), error (there is no list)";
        self.metric("outcome", help);
        for known in ["passed", "failed", "accepted", "error"] {
            self.sample("outcome", &[("outcome", known)], u8::from(known == outcome));
        }
    }

    fn field(&mut self, name: &str, value: &Value) {
        let metric = UNITS.iter().find(|(field, _)| *field == name).map_or(name, |unit| unit.1);
        match value {
            _ if LEFT_OUT.contains(&name) => {}
            Value::Number(number) => {
                self.metric(metric, &self.help(name));
                self.sample(metric, &[], number);
            }
            Value::Bool(is_so) => {
                self.metric(metric, &self.help(name));
                self.sample(metric, &[], u8::from(*is_so));
            }
            Value::Object(members) if members.values().all(Value::is_number) => {
                self.metric(metric, &self.help(name));
                let label = if name == "rejected" { "reason" } else { "kind" };
                for (member, number) in members {
                    self.sample(metric, &[(label, member)], number);
                }
            }
            Value::Array(gates) if name == "gates" => self.gates(gates),
            Value::Object(_) | Value::Array(_) | Value::String(_) | Value::Null => {}
        }
    }

    fn gates(&mut self, gates: &[Value]) {
        let expression = |gate: &Value| gate["expression"].as_str().unwrap_or_default().to_owned();
        let mut seen = HashSet::new();
        // Prometheus rejects two samples with the same labels.
        let gates: Vec<_> = gates.iter().filter(|gate| seen.insert(expression(gate))).collect();
        let fired: fn(&Value) -> bool = |gate| gate["fired"] == true;
        for (metric, help, is_so) in [
            ("gate_fired", "1 for each gate that fired", fired),
            ("gate_undecided", "1 for each gate that was not evaluated", |gate| {
                gate["note"].is_string()
            }),
        ] {
            if !gates.is_empty() {
                self.metric(metric, help);
            }
            for gate in &gates {
                self.sample(metric, &[("expression", &expression(gate))], u8::from(is_so(gate)));
            }
        }
    }

    /// Returns the description of a record field from the schema.
    fn help(&self, field: &str) -> String {
        let of = |fields: &Value| fields[field]["description"].as_str().map(str::to_owned);
        let scan = &self.schema["$defs"]["scan"]["properties"];
        of(scan).or_else(|| of(&self.schema["properties"])).unwrap_or_else(|| field.to_owned())
    }

    /// Begins a metric.
    fn metric(&mut self, name: &str, help: &str) {
        let help = one_line(help).replace('\\', "\\\\");
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "# HELP doiscan_{name} {help}\n# TYPE doiscan_{name} gauge");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<_> = labels.iter().map(|(k, v)| format!("{k}=\"{}\"", quoted(v))).collect();
        let labels = match labels.as_slice() {
            [] => String::new(),
            labels => format!("{{{}}}", labels.join(",")),
        };
        let _ = writeln!(self.text, "doiscan_{name}{labels} {value}");
    }
}

/// Escapes the value of a label as the format requires, without control characters.
fn quoted(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// Converts a time to seconds since 1970.
fn seconds(time: &str) -> Option<f64> {
    let time = SystemTime::from(DateTime::parse_from_rfc3339(time).ok()?);
    Some(time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn labels_and_help_are_escaped() {
        let gate = "\"\\\n\u{1b}[31m\u{202e}";
        let text = text(&json!({"gates": [{"expression": gate, "fired": true}], "a\nb": 1}));
        let shown = r#"doiscan_gate_fired{expression="\"\\\\n\\u{1b}[31m\\u{202e}"} 1"#;
        assert!(text.contains(shown), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']));
    }

    #[test]
    fn a_record_that_is_none_has_an_outcome() {
        let text = text(&json!({"error": "no"}));
        assert!(text.contains("doiscan_outcome{outcome=\"error\"} 1\n"), "{text}");
        assert!(text.contains("doiscan_outcome{outcome=\"passed\"} 0\n"), "{text}");
    }
}
