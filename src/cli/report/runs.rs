//! Plots figures over runs.

use super::data::Run;
use super::plot::{Plot, Series, line, up_and_down};
use super::text::{shown, time};
use crate::cli::numbers::grouped;
use maud::{Markup, html};

/// Maximum number of points of a plot: one year of nightly runs.
const POINTS: usize = 366;

/// Combines the runs that share a point of the plots.
fn together(runs: &[Run]) -> Run {
    let most = |value: fn(&Run) -> Option<u64>| runs.iter().filter_map(value).max();
    let sum =
        |value: fn(&Run) -> Option<u64>| runs.iter().filter_map(value).reduce(u64::saturating_add);
    let failed = runs.iter().find(|run| !has_passed(run));
    Run {
        started: runs.last().map(|run| run.started.clone()).unwrap_or_default(),
        outcome: failed.or(runs.last()).map(|run| run.outcome.clone()).unwrap_or_default(),
        distinct: runs.iter().rev().find_map(|run| run.distinct),
        added: sum(|run| run.added),
        removed: sum(|run| run.removed),
        problems: most(|run| run.problems),
        bytes_read: most(|run| run.bytes_read),
        seconds: runs.iter().filter_map(|run| run.seconds).reduce(f64::max),
    }
}

fn has_passed(run: &Run) -> bool {
    run.outcome == "passed"
}

/// Renders the plots of the runs, if there are several runs.
pub(super) fn plots(runs: &[Run]) -> Markup {
    if runs.len() < 2 {
        return html! {};
    }
    let (all, failed) = (runs.len(), runs.iter().filter(|run| !has_passed(run)).count());
    let each = all.div_ceil(POINTS);
    // Groups from the newest run backwards, so that the newest point combines as many runs as the
    // others.
    let runs: Vec<Run> = runs.rchunks(each).rev().map(together).collect();
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
            @if each > 1 {
                "Each point stands for " (each) " runs: the last number of distinct DOIs, the total added and removed, \
                and the maximum of problems, bytes and seconds."
            }
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
    fn many_runs_share_points_and_none_that_failed_is_lost() {
        let run = |n: u64| Run {
            started: format!("run {n}"),
            outcome: if n == 500 { "failed" } else { "passed" }.to_owned(),
            distinct: Some(n),
            added: Some(1),
            problems: Some(n % 3),
            seconds: Some(n as f64),
            ..Run::default()
        };
        let runs: Vec<_> = (0..2_000).map(run).collect();
        let page = plots(&runs).into_string();
        assert!(page.contains("2,000 runs. 1 did not pass"), "{page}");
        assert!(page.contains("Each point stands for 6 runs"), "{page}");
        let point = together(&runs[496..502]);
        assert_eq!((point.outcome.as_str(), point.started.as_str()), ("failed", "run 501"));
        assert_eq!((point.distinct, point.added, point.problems), (Some(501), Some(6), Some(2)));
        assert_eq!((point.removed, point.seconds), (None, Some(501.0)));
    }
}
