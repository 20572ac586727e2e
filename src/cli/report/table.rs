//! Tables.

use maud::{Markup, html};

/// A table that scrolls where it is too wide.
pub(super) fn table(name: &str, rows: Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(name) { table { (rows) } }
    }
}
