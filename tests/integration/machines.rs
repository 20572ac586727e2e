//! `--metrics` and `--log-format`: output for monitoring and log collectors.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::shell;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A title, a colour, bidirectional marks, a quote and a tag.
const EVIL: &str = "\u{1b}]0;pwned\u{7}\u{1b}[31m\u{202e}\"><script>alert(1)</script>";

/// A metric: its help text, and its samples by label.
#[derive(Debug, Default)]
struct Metric {
    help: String,
    samples: BTreeMap<Vec<(String, String)>, f64>,
}

/// Parses the text format of Prometheus (version 0.0.4), and panics on invalid input.
fn parsed(text: &str) -> BTreeMap<String, Metric> {
    assert!(text.ends_with('\n'), "a line feed ends the last line");
    let mut metrics: BTreeMap<String, Metric> = BTreeMap::new();
    let mut helped = None;
    let mut current = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').expect("help");
            check_name(name);
            assert!(!metrics.contains_key(name), "{name} twice");
            assert!(is_escaped(help, false), "{help}");
            helped = Some((name.to_owned(), help.to_owned()));
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a type");
            let (of, help) = helped.take().expect("help before the type");
            assert_eq!((name, kind), (of.as_str(), "gauge"));
            metrics.insert(of, Metric { help, ..Metric::default() });
            current = name.to_owned();
        } else {
            let (name, labels, value) = sample(line);
            assert_eq!(name, current, "samples follow their type");
            let old = metrics.get_mut(&name).expect("a type").samples.insert(labels, value);
            assert!(old.is_none(), "{line} twice");
        }
    }
    metrics.retain(|name, metric| {
        assert!(!metric.samples.is_empty() && !metric.help.is_empty(), "{name}");
        true
    });
    metrics
}

fn check_name(name: &str) {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_';
    assert!(name.starts_with("doiscan_") && name.chars().all(is_fine), "{name}");
}

/// Whether each backslash begins an escape of the format.
fn is_escaped(text: &str, is_label: bool) -> bool {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some('\\' | 'n') => {}
                Some('"') if is_label => {}
                _ => return false,
            },
            '"' if is_label => return false,
            c if c.is_control() => return false,
            _ => {}
        }
    }
    true
}

/// Returns the name, the labels and the value of a line.
fn sample(line: &str) -> (String, Vec<(String, String)>, f64) {
    let (head, value) = line.rsplit_once(' ').expect("a value");
    let value: f64 = value.parse().expect("a number");
    let Some((name, rest)) = head.split_once('{') else {
        check_name(head);
        return (head.to_owned(), Vec::new(), value);
    };
    check_name(name);
    let mut rest = rest.strip_suffix('}').expect("a bracket");
    let mut labels = Vec::new();
    while !rest.is_empty() {
        let (label, more) = rest.split_once("=\"").expect("a label");
        assert!(label.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{label}");
        let mut is_inside = false;
        let end = more.find(|c| {
            let is_end = c == '"' && !is_inside;
            is_inside = c == '\\' && !is_inside;
            is_end
        });
        let (text, more) = more.split_at(end.expect("a quote"));
        assert!(is_escaped(text, true), "{text}");
        labels.push((label.to_owned(), text.to_owned()));
        rest = more[1..].strip_prefix(',').unwrap_or(&more[1..]);
    }
    (name.to_owned(), labels, value)
}

fn metrics(folder: &Path) -> BTreeMap<String, Metric> {
    parsed(&fs::read_to_string(folder.join("m.prom")).expect("metrics"))
}

fn only(metrics: &BTreeMap<String, Metric>, name: &str) -> f64 {
    let metric = metrics.get(name).unwrap_or_else(|| panic!("{name}"));
    *metric.samples.get(&Vec::new()).unwrap_or_else(|| panic!("{name}"))
}

fn labelled(metrics: &BTreeMap<String, Metric>, name: &str, label: &str, value: &str) -> f64 {
    metrics[name].samples[&vec![(label.to_owned(), value.to_owned())]]
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).expect("write");
    write("in", b"10.1000/182 10.1000/ and 10.1000/183. 10.1000/182");
    fs::create_dir(folder.path().join("evil")).expect("mkdir");
    write(&format!("evil/{}", EVIL.replace('/', "")), b"\x1f\x8b");
    write(&format!("evil/{}", "n".repeat(255)), b"\x1f\x8b");
    write("evil/cut\n.gz", b"\x1f\x8b");
    write("evil/long.tar", &crate::report::long_name(EVIL));
    write("evil/b", b"10.1000/\xff\xfe\x1b[31m");
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        let name = std::ffi::OsStr::from_bytes(b"evil/\xff\xfe");
        fs::write(folder.path().join(name), b"\x1f\x8b").expect("write");
    }
    folder
}

#[test]
fn metrics_have_the_figures_of_the_record() {
    let folder = folder();
    let line = "$D scan -q in -o list --metrics m.prom --stats s --fail-on 'distinct > 5' \
                --state st --fail-on 'distinct > 5' --fail-on 'distinct < last.distinct'";
    assert_eq!(shell(folder.path(), line).0, Some(0));
    let metrics = metrics(folder.path());
    let stats = fs::read(folder.path().join("s")).expect("stats");
    let stats: Value = serde_json::from_slice(&stats).expect("JSON");
    let mut count = 0;
    for (name, value) in stats.as_object().expect("an object") {
        let metric = match name.as_str() {
            "gigabytes_per_second" | "schema_version" => continue,
            "peak_memory" => "doiscan_peak_memory_bytes".to_owned(),
            name => format!("doiscan_{name}"),
        };
        match value {
            Value::Number(number) => assert_eq!(number.as_f64(), Some(only(&metrics, &metric))),
            Value::Object(members) => members.iter().for_each(|(member, number)| {
                let label = if name == "rejected" { "reason" } else { "kind" };
                let value = labelled(&metrics, &metric, label, member);
                assert_eq!(number.as_f64(), Some(value), "{name} {member}");
            }),
            _ => continue,
        }
        count += 1;
        assert_ne!(metrics[&metric].help, *name, "help");
    }
    assert!(count > 15, "{count}");
    assert_eq!(labelled(&metrics, "doiscan_rejected", "reason", "no-suffix"), 1.0);
    assert_eq!(labelled(&metrics, "doiscan_outcome", "outcome", "passed"), 1.0);
    assert_eq!(labelled(&metrics, "doiscan_gate_fired", "expression", "distinct > 5"), 0.0);
    assert_eq!(metrics["doiscan_gate_fired"].samples.len(), 2);
    assert_eq!(
        (only(&metrics, "doiscan_complete"), only(&metrics, "doiscan_problems")),
        (1.0, 0.0)
    );
    assert!(only(&metrics, "doiscan_ended_timestamp_seconds") > 1.7e9);
}

#[test]
fn metrics_of_runs_that_are_refused_fail_or_miss_something() {
    let folder = folder();
    let at = folder.path();
    for (flags, status, outcome, complete) in [
        ("in --fail-on 'distinct > 0' -o list", 1, "failed", 1.0),
        ("in --fail-on 'distinct > 0' --accept -o list", 0, "accepted", 1.0),
        ("in evil -o list", 3, "passed", 0.0),
        ("in -o no/list", 2, "error", 0.0),
        ("in none -o list", 2, "error", 0.0),
    ] {
        fs::write(at.join("m.prom"), "doiscan_distinct 99\n").expect("write");
        let (found, _, err) = shell(at, &format!("$D scan -q {flags} --metrics m.prom"));
        assert_eq!(found, Some(status), "{flags}: {err}");
        let metrics = metrics(at);
        assert_eq!(only(&metrics, "doiscan_exit_status"), f64::from(status), "{flags}");
        assert_eq!(only(&metrics, "doiscan_complete"), complete, "{flags}");
        for known in ["passed", "failed", "accepted", "error"] {
            let value = labelled(&metrics, "doiscan_outcome", "outcome", known);
            assert_eq!(value, f64::from(u8::from(known == outcome)), "{flags}: {known}");
        }
        assert_eq!(metrics.contains_key("doiscan_distinct"), outcome != "error", "{flags}");
    }
    let (status, _, err) = shell(at, "$D scan in -o list --metrics ./list");
    assert_eq!(status, Some(2));
    assert!(err.contains("--output and --metrics are the same file"), "{err}");
}

#[test]
fn every_metric_is_explained() {
    let explained = include_str!("../../docs/metrics.md");
    let folder = folder();
    let line = "$D scan -q in -o list --metrics m.prom --stats s --fail-on 'distinct > 5'";
    assert_eq!(shell(folder.path(), line).0, Some(0));
    let stats = include_str!("../../docs/stats.md");
    for name in metrics(folder.path()).keys() {
        let field = name.trim_start_matches("doiscan_");
        let is_explained = explained.contains(&format!("| `{name}` |"));
        assert!(is_explained || stats.contains(&format!("| `{field}` |")), "{name}");
    }
}

/// Returns the objects that a line of shell writes to standard error.
fn events(folder: &Path, line: &str) -> Vec<Value> {
    let (_, _, err) = shell(folder, line);
    assert!(!err.contains(['\u{1b}', '\u{7}', '\u{202e}', '\r']), "{line}: {err:?}");
    let explained = include_str!("../../docs/log.md");
    let parse = |text: &str| {
        let event: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
        let keys: Vec<_> = event.as_object().expect("an object").keys().take(4).collect();
        assert!(["time", "level", "event", "msg"].iter().all(|k| event[k].is_string()), "{keys:?}");
        assert!(
            chrono::DateTime::parse_from_rfc3339(event["time"].as_str().unwrap_or_default())
                .is_ok()
        );
        let row = format!("| `{}` | {} |", event["event"], event["level"]).replace('"', "");
        assert!(explained.contains(&row), "docs/log.md: {row}");
        event
    };
    err.lines().map(parse).collect()
}

fn names(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["event"].as_str()).collect()
}

#[test]
fn the_log_is_json_for_every_command_and_every_end() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("list"), "10.1000/182\n10.1000/A\n").expect("write");
    fs::write(at.join("other"), "10.1000/182\n").expect("write");
    for (line, expected) in [
        ("$D scan in -o o --log-format json", &["summary"][..]),
        ("$D --log-format json scan -q in -o o", &[]),
        ("DOISCAN_LOG_FORMAT=json $D scan -v in -o o", &["input", "summary"]),
        (
            "$D scan in -o o --log-format json --fail-on 'files > 0' --state st --fail-on 'files < last.files'",
            &["summary", "gate-fired", "gates-undecided", "refused"],
        ),
        (
            "$D scan -q in -o o --log-format json --fail-on 'distinct < 9' --accept",
            &["gate-fired", "accepted"],
        ),
        ("$D scan in none --log-format json", &["error"]),
        ("$D scan in -o no/o --log-format=json", &["error"]),
        ("$D scan in -j 99999 -o o --log-format=json", &["threads-capped", "summary"]),
        ("$D scan --wrong --log-format json", &["usage-error"]),
        ("$D in --log-format json", &["usage-error"]),
        ("$D scan --fail-on 'x > 1' in --log-format json", &["usage-error"]),
        ("$D check in -o o --log-format json", &["summary"]),
        ("$D check list -o o --log-format json", &["summary"]),
        ("$D convert --to url in -o o --log-format json", &["value-refused", "summary"]),
        ("$D merge list other -o o --log-format json", &["summary"]),
        ("$D diff list other -o o --log-format json", &["summary"]),
        ("$D diff in other --log-format json", &["made-list", "summary"]),
        ("$D diff none other --log-format json", &["error"]),
    ] {
        assert_eq!(names(&events(at, line)), expected, "{line}");
    }
    let found = events(at, "$D scan in -o o --log-format json --fail-on 'files > 0'");
    assert_eq!((&found[0]["distinct"], &found[0]["level"]), (&2.into(), &"INFO".into()));
    assert_eq!((&found[1]["left"], &found[1]["right"]), (&1.0.into(), &0.0.into()));
    assert_eq!((&found[2]["code"], &found[2]["level"]), (&"gate".into(), &"ERROR".into()));
    let (status, out, _) = shell(at, "$D --log-format json --help");
    assert_eq!((status, out.starts_with("Find every DOI")), (Some(0), true), "{out}");
}

#[test]
fn hostile_names_are_text_in_the_log_and_the_metrics() {
    let folder = folder();
    let at = folder.path();
    let line = "$D scan -v evil -o o --log-format json --metrics m.prom --progress always";
    let found = events(at, line);
    let problems: Vec<_> = found.iter().filter(|event| event["event"] == "problem").collect();
    assert_eq!(problems.len(), if cfg!(target_os = "linux") { 5 } else { 4 }, "{found:?}");
    let evil = format!("evil/{}", EVIL.replace('/', ""));
    assert!(problems.iter().any(|problem| problem["path"] == evil), "{problems:?}");
    assert!(problems.iter().any(|problem| problem["path"] == "evil/cut\n.gz"), "{problems:?}");
    assert!(problems.iter().all(|problem| problem["code"] == "truncated"));
    assert!(!metrics(at).is_empty());
    let gate = "$(printf '\\033[31m\"><script>')";
    let found = events(at, &format!("$D scan in --log-format json --fail-on \"{gate}\""));
    assert_eq!(names(&found), ["usage-error"]);
    let (_, _, err) = shell(at, "$D scan -v evil -o o");
    assert!(!err.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{err:?}");
}
