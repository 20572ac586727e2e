//! The sections on the DOIs of the list: their prefixes and their numbers of occurrences.

use super::plot::{Plot, Series, bars};
use super::table::table;
use super::text::{shown, text};
use crate::cli::numbers::grouped;
use doiscan_engine::state::PrefixChange;
use maud::{Markup, html};
use serde_json::Value;

/// Number of prefixes in the plot.
const PREFIXES: usize = 20;

/// Maximum number of prefixes listed with changes.
const CHANGES: usize = 20;

/// Renders the prefixes with the most DOIs, and those with the most changes.
pub(super) fn prefixes(record: &Value, changes: &[PrefixChange]) -> Markup {
    let digest = &record["digest"];
    let Some(prefixes) = digest["prefixes"].as_array().filter(|all| !all.is_empty()) else {
        return html! {};
    };
    let most = &prefixes[..prefixes.len().min(PREFIXES)];
    let labels: Vec<_> = most.iter().map(|prefix| shown(text(prefix, "prefix"), 22)).collect();
    let values = most.iter().map(|prefix| prefix["dois"].as_f64()).collect();
    let plot = Plot {
        id: "prefixes",
        title: "Prefixes with the most DOIs",
        x: "distinct DOIs",
        y: "prefix",
    };
    let count = digest["prefix_count"].as_u64().unwrap_or(0);
    html! {
        p.quiet { "The list has DOIs with " (grouped(count)) " distinct " (if count == 1 { "prefix" } else { "prefixes" }) "."
            @if count > most.len() as u64 { " The plot has the first " (most.len()) "; " code { "doiscan prefixes LIST" } " counts all." } }
        (bars(&plot, &labels, &Series { name: "distinct DOIs", values }))
        @if !changes.is_empty() {
            h3 { "Prefixes with the most changes since the last good run" }
            (table("Prefixes with the most changes", html! {
                thead { tr { th scope="col" { "prefix" } th.n scope="col" { "added" } th.n scope="col" { "removed" } } }
                tbody {
                    @for change in changes.iter().take(CHANGES) { tr {
                        td.raw { (shown(&change.prefix, 40)) }
                        td.n { (grouped(change.added)) } td.n { (grouped(change.removed)) }
                    } }
                }
            }))
            @if changes.len() > CHANGES { p.quiet { "And " (grouped((changes.len() - CHANGES) as u64)) " more; the catalogue of the state lists up to 100." } }
        }
    }
}

/// Renders how often DOIs occur, if that was counted.
pub(super) fn repeats(record: &Value) -> Markup {
    let Some(bins) = record["digest"]["repeats"].as_array() else { return html! {} };
    let label = |bin: &Value| match (bin["from"].as_u64(), bin["to"].as_u64()) {
        (Some(from), Some(to)) if from == to => from.to_string(),
        (Some(from), Some(to)) => format!("{from}–{to}"),
        (Some(from), None) => format!("≥{from}"),
        _ => String::new(),
    };
    let labels: Vec<_> = bins.iter().map(label).collect();
    let values = bins.iter().map(|bin| bin["dois"].as_f64()).collect();
    let plot = Plot {
        id: "repeats",
        title: "Occurrences per DOI",
        x: "distinct DOIs",
        y: "occurrences of a DOI",
    };
    html! {
        (bars(&plot, &labels, &Series { name: "distinct DOIs", values }))
    }
}
