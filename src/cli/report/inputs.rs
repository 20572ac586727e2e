//! The section on inputs: those with the most DOIs, and those that changed most.

use super::data::ReportData;
use super::table::table;
use super::text::{NAME, shown};
use crate::cli::numbers::{grouped, plural, size};
use doiscan_engine::state::sqlite::Input;
use maud::{Markup, html};

/// Renders the inputs with the most DOIs, and those that changed most.
pub(super) fn inputs(data: &ReportData<'_>) -> Markup {
    html! {
        section {
            h2 { "Where the DOIs come from" }
            @if let Some((count, inputs)) = &data.changed { (changed(*count, inputs)) h3 { "Inputs with the most DOIs" } }
            @match data.input_count {
                None => p { "This page does not list the inputs; " code { "--stats-inputs FILE" } " writes a list." },
                Some(count) => {
                    @if count > data.inputs.len() as u64 {
                        p.quiet { "The first " (data.inputs.len()) " of " (plural(count, "input")) "." }
                    }
                    (rows("Inputs with the most DOIs", &data.inputs))
                }
            }
        }
    }
}

/// Renders the inputs that the run read or missed.
fn changed(count: u64, inputs: &[Input]) -> Markup {
    html! {
        h3 { "Inputs that were read or removed" }
        @if inputs.is_empty() { p { "None: no input has changed." } }
        @else {
            p.quiet {
                "Sorted by the change in their number of DOIs, largest first."
                @if count > inputs.len() as u64 { " These are " (inputs.len()) " of " (plural(count, "input")) "." }
            }
            (rows("Inputs that were read or removed", inputs))
        }
    }
}

/// Renders a table. Omits columns without data.
fn rows(name: &str, inputs: &[Input]) -> Markup {
    let has = |is_known: fn(&Input) -> bool| inputs.iter().any(is_known);
    let (changes, before) = (has(|input| input.change.is_some()), has(|i| i.before.is_some()));
    let (rejected, seconds) = (has(|i| i.rejected.is_some()), has(|i| i.seconds.is_some()));
    let number = |number: Option<u64>| number.map_or_else(|| "–".to_owned(), grouped);
    table(
        name,
        html! {
            thead { tr {
                th scope="col" { "input" }
                @if changes { th scope="col" { "change" } }
                th.n scope="col" { "DOIs" }
                @if before { th.n scope="col" { "before" } }
                @if rejected { th.n scope="col" { "rejected" } }
                th.n scope="col" { "size" }
                @if seconds { th.n scope="col" { "seconds" } }
            } }
            tbody {
                @for input in inputs { tr {
                    td {
                        span.raw { (shown(&input.name, NAME)) }
                        @if let Some(problem) = &input.problem { br; span.bad { (shown(problem, 100)) } }
                    }
                    @if changes { td { (shown(input.change.as_deref().unwrap_or_default(), 20)) } }
                    td.n { (number(input.accepted)) }
                    @if before { td.n { (number(input.before)) } }
                    @if rejected { td.n { (number(input.rejected)) } }
                    td.n { (input.bytes.map_or_else(|| "–".to_owned(), size)) }
                    @if seconds {
                        td.n { (input.seconds.map_or_else(|| "–".to_owned(), |seconds| format!("{seconds:.3}"))) }
                    }
                } }
            }
        },
    )
}
