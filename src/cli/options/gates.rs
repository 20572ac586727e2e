//! Flags for gates, which decide whether a new list may replace an old one.

use crate::cli::gates;
use crate::cli::log::{Event, Level, Log};
use crate::cli::summary;
use anyhow::Result;
use clap::Args;
use doiscan_engine::output;
use doiscan_engine::{GateJudge, GateOutcome, Refusal, Report};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The gates of `scan`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct GateFlags {
    /// Write an empty list rather than fail
    ///
    /// Without it, the exit status is 2 and the old FILE is kept if there are no inputs, if none can be
    /// read, or if no DOI is found and the old FILE is not empty.
    #[arg(long)]
    allow_empty: bool,

    /// Fail if the list has over PERCENT fewer DOIs than the old FILE
    ///
    /// The old FILE of -o is kept, and the exit status is 1. If the old FILE is damaged (not sorted, a DOI twice,
    /// or no line end after the last), it cannot be compared: the exit status is 2, and --accept replaces it.
    #[arg(long, value_name = "PERCENT", value_parser = percent, requires = "file", hide = true)]
    max_drop: Option<f64>,

    /// Fail if EXPR is true, such as 'rejected_total > 5% of candidates'
    ///
    /// EXPR compares two terms with <, <=, >, >=, == or !=. A term is a number, a figure of --stats, a number times
    /// a figure, N% of a figure, or the same of last.NAME, a figure of the last good run (with --state).
    /// docs/gates.md explains it, and --max-drop PERCENT, which compares with the old FILE. May be repeated. The
    /// old FILE is kept, and the exit status is 1.
    #[arg(long, value_name = "EXPR", value_parser = checked)]
    fail_on: Vec<String>,

    /// Put the list in place even if gates fire
    ///
    /// The gates that fire are still reported.
    #[arg(long)]
    accept: bool,
}

impl GateFlags {
    pub(in crate::cli) fn gates(&self) -> doiscan_engine::Gates {
        doiscan_engine::Gates {
            allow_empty: self.allow_empty,
            max_drop: self.max_drop,
            accept: self.accept,
        }
    }

    /// Returns the gates of `--fail-on`. `last` is the record of the last good run, if there is
    /// one, and `used` the flags of the run on which figures depend.
    pub(in crate::cli) fn judge(
        &self,
        last: Option<Value>,
        used: &[&str],
    ) -> Result<Option<GateJudge>> {
        let gates = gates::FailOnGates::parse(&self.fail_on)?;
        gates.check_flags(used)?;
        let judge = GateJudge::new(move |report| {
            let record = record(report);
            let last = last.clone().or_else(|| replaced(&record));
            gates.evaluate(&record, last.as_ref())
        });
        Ok((!self.fail_on.is_empty()).then_some(judge))
    }
}

/// Returns the figures that gates compare.
fn record(report: &Report) -> Value {
    let mut figures = summary::figures(report);
    let omitted = report.omitted.as_ref().map_or(0, |omitted| omitted.count);
    let problems = report.problems.len() as u64 + omitted;
    figures.insert("problems".to_owned(), problems.into());
    Value::Object(figures)
}

/// Returns the record of the list that the run replaces, if the run was compared with it: the number
/// of its DOIs. A state that is new or was damaged knows nothing else of the last good run.
fn replaced(record: &Value) -> Option<Value> {
    let figure = |name: &str| record.get(name)?.as_u64();
    let distinct = figure("distinct")? + figure("removed")?;
    Some(serde_json::json!({ "distinct": distinct.checked_sub(figure("added")?)? }))
}

/// Checks that a gate can be parsed, and returns it.
fn checked(text: &str) -> Result<String> {
    gates::FailOnGates::parse(&[text.to_owned()]).map(|_| text.to_owned())
}

/// Reports which gates fired or could not be decided, and why the list was refused.
pub(in crate::cli) fn say(report: &Report, output: Option<&Path>, log: Log) {
    // What the refusal says is not said twice.
    let flag = report.refusal.as_ref().or(report.accepted.as_ref()).map(Refusal::code);
    let is_said = |gate: &GateOutcome| {
        flag.is_some_and(|flag| {
            gate.expression.strip_prefix("--").is_some_and(|g| g.starts_with(flag))
        })
    };
    let others: Vec<_> = report.gates.iter().filter(|gate| !is_said(gate)).cloned().collect();
    gates::events(&others, &record(report)).into_iter().for_each(|event| log.say(event));
    let event = |level, name, refusal: &Refusal, message: String| {
        log.say(Event::new(level, name, message).with("code", refusal.code()));
    };
    if let Some(refusal) = &report.refusal {
        event(Level::Error, "refused", refusal, sentence(report, refusal, output));
    }
    if let Some(refusal) = &report.accepted {
        let message = format!("{refusal}; the new list is in place because of --accept");
        event(Level::Warn, "accepted", refusal, message);
    }
}

/// Where the lists of a refused run are.
pub(in crate::cli) struct RefusedLists<'a> {
    /// The list that was not replaced.
    pub(in crate::cli) old: Option<&'a Path>,
    /// The list that was refused, if it is kept.
    pub(in crate::cli) new: Option<PathBuf>,
}

impl RefusedLists<'_> {
    /// The lists of a run that wrote to `output`.
    pub(in crate::cli) fn of<'a>(
        report: &Report,
        refusal: &Refusal,
        output: Option<&'a Path>,
    ) -> RefusedLists<'a> {
        let files = output.and_then(|path| Some((path, output::beside(path)?)));
        let is_kept = refusal.is_gate() && report.unkept.is_none();
        let (old, new) = files.unzip();
        RefusedLists {
            old: old.filter(|path| output::is_there(path)),
            new: new.filter(|_| is_kept),
        }
    }
}

/// Describes a list that was not put in place.
fn sentence(report: &Report, refusal: &Refusal, output: Option<&Path>) -> String {
    let lists = RefusedLists::of(report, refusal, output);
    let (old, new) = (lists.old.map(Path::display), lists.new.as_deref().map(Path::display));
    let kept = old.as_ref().map(|old| format!("{old} is unchanged"));
    let lost = report.unkept.as_ref().map(|error| format!("the new list was not kept: {error}"));
    let beside = new.as_ref().map(|new| format!("the new list is {new}")).or(lost);
    let compare = old.zip(new.as_ref());
    let compare = compare.map(|(old, new)| format!("compare them with: doiscan diff {old} {new}"));
    let accept = new.as_ref().map(|_| "to accept the new list, run again with --accept".to_owned());
    let parts = [Some(refusal.to_string()), kept, beside, compare, accept];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Parses a percentage, with or without its sign. A fraction without it was meant as a share of 1.
fn percent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.strip_suffix('%').unwrap_or(text).trim().parse().ok();
    let percent = number.filter(|percent| (0.0..=100.0).contains(percent));
    let percent = percent.ok_or("expected a number from 0 to 100")?;
    if percent > 0.0 && percent < 1.0 && !text.ends_with('%') {
        let share = (percent * 1e10).round() / 1e8;
        return Err(format!("PERCENT is of 100; did you mean {share}%? If not, write {text}%"));
    }
    Ok(percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_has_its_sign_or_none() {
        assert_eq!(percent("2.5"), Ok(2.5));
        assert_eq!(percent("100%"), Ok(100.0));
        assert_eq!((percent("0.02%"), percent("0"), percent("1")), (Ok(0.02), Ok(0.0), Ok(1.0)));
        for wrong in ["", "%", "-1", "101", "nan", "1M"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
        for (share, meant) in [("0.02", "mean 2%?"), ("0.07", "mean 7%?"), (".005", "mean 0.5%?")] {
            assert!(percent(share).is_err_and(|message| message.contains(meant)), "{share}");
        }
    }
}
