//! Plots figures over runs.

use super::data::Run;
use super::plot::{Plot, Series, line, up_and_down};
use super::text::{shown, time};
use crate::cli::numbers::grouped;
use maud::{Markup, html};

/// Maximum number of points of a plot: one year of nightly runs.
const POINTS: usize = 366;

fn has_passed(run: &Run) -> bool {
    run.outcome == "passed"
}

/// Renders the plots of the runs, if there are several runs.
pub(super) fn plots(runs: &[Run]) -> Markup {
    if runs.len() < 2 {
        return html! {};
    }
    let (all, failed) = (runs.len(), runs.iter().filter(|run| !has_passed(run)).count());
    let runs = &runs[all.saturating_sub(POINTS)..];
    // Shows dates without times if no two consecutive dates are equal.
    let dates: Vec<String> = runs.iter().map(|run| time(&run.started)).collect();
    let days: Vec<String> = dates.iter().map(|date| date.chars().take(10).collect()).collect();
    let is_daily = days.windows(2).all(|two| two[0] != two[1]);
    let label = |(run, date): (&Run, String)| match run.outcome.as_str() {
        "passed" => date,
        outcome => format!("{date} {}", shown(outcome, 20)),
    };
    let labels = if is_daily { days } else { dates };
    let labels: Vec<String> = runs.iter().zip(labels).map(label).collect();
    let marks: Vec<bool> = runs.iter().map(|run| !has_passed(run)).collect();
    let of = |value: fn(&Run) -> Option<u64>| -> Vec<Option<f64>> {
        runs.iter().map(|run| value(run).map(|n| n as f64)).collect()
    };
    let over = |id, title, y| Plot { id, title, x: "run", y };
    html! {
        p.quiet {
            (grouped(all as u64)) " runs. "
            @if failed > 0 { (grouped(failed as u64)) " did not pass: a large dot marks them. " }
            @if all > POINTS { "The plots show the last " (POINTS) "." }
        }
        div.plots {
            (line(&over("distinct", "Distinct DOIs", "DOIs"), &labels,
                &Series { name: "DOIs", values: of(|run| run.distinct) }, &marks))
            (up_and_down(&over("changes", "DOIs added and removed", "added (up), removed (down)"), &labels, &[
                Series { name: "added", values: of(|run| run.added) },
                Series { name: "removed", values: of(|run| run.removed) },
            ]))
            (line(&over("problems", "Problems with inputs", "problems"), &labels,
                &Series { name: "problems", values: of(|run| run.problems) }, &[]))
            (line(&over("read", "Bytes read", "bytes"), &labels,
                &Series { name: "bytes", values: of(|run| run.bytes_read) }, &[]))
            (line(&over("seconds", "Time", "seconds"), &labels, &Series {
                name: "seconds", values: runs.iter().map(|run| run.seconds).collect(),
            }, &[]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_runs_the_last_are_shown() {
        let run = |n: u64| Run {
            started: format!("run {n}"),
            outcome: if n == 500 { "failed" } else { "passed" }.to_owned(),
            distinct: Some(n),
            ..Run::default()
        };
        let runs: Vec<_> = (0..2_000).map(run).collect();
        let page = plots(&runs).into_string();
        assert!(page.contains("2,000 runs. 1 did not pass"), "{page}");
        assert!(page.contains("The plots show the last 366."), "{page}");
        assert!(page.contains("run 1634") && !page.contains("run 1633"), "{page}");
    }
}
