//! Renders tables.

use maud::{Markup, html};

/// Renders a table that scrolls if it is too wide.
pub(super) fn table(name: &str, rows: Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(name) { table { (rows) } }
    }
}
