//! What is said at the end of a run: for people, and as JSON for programs.

use crate::doi::Reason;
use crate::pipeline::Report;
use crate::scan::Repair;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The summary for a terminal or a log. `verbose` names every reason.
pub(super) fn text(report: &Report, verbose: bool) -> String {
    let (stats, counts) = (&report.stats, &report.stats.counts);
    let mut text = format!(
        "{} distinct DOIs from {} accepted of {} candidates in {} bytes of {}; {:.3} s, {:.2} GB/s",
        grouped(stats.distinct),
        grouped(counts.accepted),
        grouped(counts.candidates),
        grouped(counts.bytes),
        plural(counts.files, "file"),
        stats.seconds,
        stats.gigabytes_per_second(),
    );
    // Writing to a String cannot fail.
    if let Some(peak) = stats.peak_memory {
        let _ = write!(text, ", peak memory {} MB", grouped(peak.div_ceil(1_000_000)));
    }
    if counts.rejected_total() > 0 {
        let _ = write!(text, "\nrejected {}", grouped(counts.rejected_total()));
        let mut between = ": ";
        for (reason, count) in counts.reasons() {
            let _ = match verbose {
                true => write!(text, "\n  {:>15} {reason}", grouped(count)),
                false => write!(text, "{between}{} {reason}", grouped(count)),
            };
            between = ", ";
        }
    }
    let repaired: Vec<_> = counts
        .repairs()
        .map(|(kind, count)| format!("{} {}", grouped(count), kind.name()))
        .collect();
    if !repaired.is_empty() {
        let _ = write!(text, "\nrepaired {}", repaired.join(", "));
    }
    if stats.runs > 0 {
        let _ = write!(text, "\nspilled {} bytes", grouped(stats.spilled_bytes));
        let _ = write!(text, " in {}", plural(stats.runs, "run"));
    }
    if let Some(short) = stats.short {
        let _ = write!(text, "\n{} distinct shortDOIs", grouped(short));
    }
    if !report.problems.is_empty() {
        // In order of their paths, some with more than one.
        let inputs = report.problems.chunk_by(|a, b| a.path == b.path).count();
        let problems = plural(inputs as u64, "input");
        let _ = write!(text, "\n{problems} not read, or not wholly: the list is incomplete");
    }
    text
}

/// The figures for programs.
pub(super) fn json(report: &Report) -> Value {
    let (stats, counts) = (&report.stats, &report.stats.counts);
    let name = |reason: Reason| reason.name().to_owned();
    let rejected: Map<String, Value> =
        Reason::ALL.into_iter().zip(counts.rejected).map(|(r, n)| (name(r), n.into())).collect();
    let repaired: Map<String, Value> = Repair::ALL
        .into_iter()
        .zip(counts.repaired)
        .map(|(kind, n)| (kind.name().to_owned(), n.into()))
        .collect();
    let problems: Vec<Value> = report
        .problems
        .iter()
        .map(|p| json!({"path": p.path.to_string_lossy(), "message": p.message}))
        .collect();
    json!({
        "files": counts.files,
        "bytes": counts.bytes,
        "bytes_lost": counts.lost,
        "candidates": counts.candidates,
        "accepted": counts.accepted,
        "rejected": rejected,
        "repaired": repaired,
        "rejected_total": counts.rejected_total(),
        "distinct": stats.distinct,
        "output_bytes": stats.output_bytes,
        "short_dois": stats.short,
        "runs": stats.runs,
        "spilled_bytes": stats.spilled_bytes,
        "peak_memory": stats.peak_memory,
        "threads": stats.threads,
        "seconds": stats.seconds,
        "gigabytes_per_second": stats.gigabytes_per_second(),
        "complete": report.problems.is_empty(),
        "problems": problems,
    })
}

pub(super) fn plural(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Digits in groups of three: `12,345,678`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::{Problem, Stats};
    use crate::scan::Repairs;
    use std::path::Path;

    fn report() -> Report {
        let mut stats = Stats { distinct: 1, seconds: 0.5, ..Stats::default() };
        stats.counts.files = 1;
        stats.counts.bytes = 1_500_000_000;
        stats.counts.accept(Repairs::default());
        stats.counts.reject(Reason::NoSeparator);
        Report { stats, problems: Vec::new() }
    }

    #[test]
    fn numbers_are_grouped() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn the_summary_says_all_in_two_lines() {
        assert_eq!(
            text(&report(), false),
            "1 distinct DOIs from 1 accepted of 2 candidates in 1,500,000,000 bytes of 1 file; \
             0.500 s, 3.00 GB/s\nrejected 1: 1 no-separator"
        );
        let mut partial = report();
        for message in ["changed", "gone"] {
            partial.problems.push(Problem::new(Path::new("x"), message));
        }
        assert!(
            text(&partial, true)
                .ends_with("1 input not read, or not wholly: the list is incomplete")
        );
    }

    #[test]
    fn the_json_names_every_reason() {
        let json = json(&report());
        assert!(Reason::ALL.into_iter().all(|r| json["rejected"][r.name()].is_u64()));
        assert_eq!((&json["complete"], &json["distinct"]), (&Value::Bool(true), &1.into()));
    }
}
