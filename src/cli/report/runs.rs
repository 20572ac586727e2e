//! Plots over the runs.

use super::data::Run;
use super::plot::{Plot, Series, line, up_and_down};
use super::text::{shown, time};
use maud::{Markup, html};

/// Runs in a plot: a year of nights.
const RUNS: usize = 366;

/// Plots of the runs, if there are several.
pub(super) fn plots(runs: &[Run]) -> Markup {
    if runs.len() < 2 {
        return html! {};
    }
    let all = runs.len();
    let runs = &runs[all.saturating_sub(RUNS)..];
    // Dates are enough while no two are the same.
    let dates: Vec<String> = runs.iter().map(|run| time(&run.started)).collect();
    let days: Vec<String> = dates.iter().map(|date| date.chars().take(10).collect()).collect();
    let is_daily = days.windows(2).all(|two| two[0] != two[1]);
    let label = |(run, date): (&Run, String)| match run.outcome.as_str() {
        "passed" => date,
        outcome => format!("{date} {}", shown(outcome, 20)),
    };
    let labels = if is_daily { days } else { dates };
    let labels: Vec<String> = runs.iter().zip(labels).map(label).collect();
    let marks: Vec<bool> = runs.iter().map(|run| run.outcome != "passed").collect();
    let failed = marks.iter().filter(|is_marked| **is_marked).count();
    let of = |value: fn(&Run) -> Option<u64>| -> Vec<Option<f64>> {
        runs.iter().map(|run| value(run).map(|n| n as f64)).collect()
    };
    let over = |id, title, y| Plot { id, title, x: "run", y };
    html! {
        section {
            h2 { "Over the runs" }
            p.quiet { "The last " (runs.len()) " of " (all) " runs. " (failed) " of them did not pass: a dot marks them." }
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
}
