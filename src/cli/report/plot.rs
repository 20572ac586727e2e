//! Draws plots as SVG, each with a title, axes, units, and a table of its figures.

use super::text::{compact, shown};
use crate::cli::numbers::figure;
use maud::{Markup, html};

/// Dimensions in drawing units. They are small so that text stays legible on a phone.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 390.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 180.0;

/// Height of a row of bars, and the left and right ends of its bars.
const ROW: f64 = 20.0;
const BARS: f64 = 150.0;
const BARS_END: f64 = 335.0;

/// Maximum number of runs in the table below a plot. The last runs are kept.
const ROWS: usize = 120;

/// The description of a plot.
pub(super) struct Plot<'a> {
    /// Unique name for the elements of the page.
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    /// Labels of the axes, with units.
    pub(super) x: &'a str,
    pub(super) y: &'a str,
}

/// A series of values, one for each label. None where the value is unknown.
pub(super) struct Series<'a> {
    pub(super) name: &'a str,
    pub(super) values: Vec<Option<f64>>,
}

/// Returns the round values shown on an axis from `least` to `most`.
fn ticks(least: f64, most: f64) -> Vec<f64> {
    let span = if most > least { most - least } else { least.abs().max(1.0) };
    let rough = span / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|s| *s >= rough);
    // The number of DOIs is an integer.
    let is_whole = least.fract() == 0.0 && most.fract() == 0.0;
    let step = step.unwrap_or(rough).max(if is_whole { 1.0 } else { 0.0 });
    let (first, last) =
        ((least / step).floor(), (most / step).ceil().max((least / step).floor() + 1.0));
    (0..=(last - first) as u32).map(|n| (first + f64::from(n)) * step).collect()
}

/// Maps values to drawing units.
struct Scale {
    ticks: Vec<f64>,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(least: f64, most: f64, from: f64, to: f64) -> Scale {
        Scale { ticks: ticks(least, most), from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let (least, most) = (self.ticks[0], self.ticks[self.ticks.len() - 1]);
        self.from + (value - least) / (most - least) * (self.to - self.from)
    }
}

/// Formats a coordinate with one decimal.
fn c(value: f64) -> String {
    format!("{value:.1}")
}

/// Renders the frame of a plot: title, unit of the values, and grid lines at round values.
fn frame(plot: &Plot<'_>, scale: &Scale) -> Markup {
    html! {
        text.title x="0" y="14" { (plot.title) }
        text.small x="0" y="30" { (plot.y) }
        @for tick in &scale.ticks {
            @let y = c(scale.at(*tick));
            line.grid x1=(LEFT) x2=(RIGHT) y1=(y) y2=(y) {}
            text.small x=(LEFT - 5.0) y=(c(scale.at(*tick) + 4.0)) text-anchor="end" { (compact(*tick)) }
        }
        line.axis x1=(LEFT) x2=(LEFT) y1=(TOP) y2=(BOTTOM) {}
        text.small x=(c((LEFT + RIGHT) / 2.0)) y=(HEIGHT - 2.0) text-anchor="middle" { (plot.x) }
    }
}

/// Renders the first and the last label below the axis.
fn ends(labels: &[String]) -> Markup {
    html! {
        @if let [first, .., last] = labels {
            text.small x=(LEFT) y=(BOTTOM + 15.0) { (first) }
            text.small x=(RIGHT) y=(BOTTOM + 15.0) text-anchor="end" { (last) }
        }
    }
}

/// Draws a line over runs, with dots at the marked runs.
pub(super) fn line(
    plot: &Plot<'_>,
    labels: &[String],
    series: &Series<'_>,
    is_marked: &[bool],
) -> Markup {
    let known: Vec<f64> = series.values.iter().flatten().copied().collect();
    let least = known.iter().copied().fold(f64::INFINITY, f64::min);
    let most = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if known.is_empty() {
        return html! {};
    }
    let scale = Scale::new(least, most, BOTTOM, TOP);
    let step = (RIGHT - LEFT - 16.0) / (labels.len().max(2) - 1) as f64;
    let place = |(index, value): (usize, &Option<f64>)| {
        value.map(|value| (LEFT + 8.0 + index as f64 * step, scale.at(value)))
    };
    let points: Vec<_> = series.values.iter().enumerate().map(place).collect();
    let mut path = String::new();
    let mut is_open = false;
    for point in &points {
        if let Some((x, y)) = point {
            path += &format!("{}{} {}", if is_open { "L" } else { "M" }, c(*x), c(*y));
        }
        is_open = point.is_some();
    }
    let drawing = html! {
        (frame(plot, &scale))
        (ends(labels))
        line.axis x1=(LEFT) x2=(RIGHT) y1=(BOTTOM) y2=(BOTTOM) {}
        path.path d=(path) {}
        @if points.len() <= 40 {
            @for (x, y) in points.iter().flatten() { circle.bar cx=(c(*x)) cy=(c(*y)) r="2.5" {} }
        }
        @for (point, is_marked) in points.iter().zip(is_marked) {
            @if let (Some((x, y)), true) = (point, is_marked) {
                circle.other cx=(c(*x)) cy=(c(*y)) r="4" {}
            }
        }
    };
    figure_of(plot, HEIGHT, drawing, labels, std::slice::from_ref(series))
}

/// Draws bars upwards and downwards over runs, for additions and removals.
pub(super) fn up_and_down(plot: &Plot<'_>, labels: &[String], series: &[Series<'_>; 2]) -> Markup {
    let most = |series: &Series<'_>| series.values.iter().flatten().copied().fold(0.0, f64::max);
    let [up, down] = series;
    if up.values.iter().chain(&down.values).flatten().next().is_none() {
        return html! {};
    }
    let scale = Scale::new(-most(down), most(up), BOTTOM, TOP);
    let step = (RIGHT - LEFT) / labels.len().max(1) as f64;
    let width = (step * 0.8).max(0.5);
    let zero = scale.at(0.0);
    let bars = |values: &[Option<f64>], sign: f64| -> Vec<(f64, f64, f64)> {
        let placed = values.iter().enumerate().filter_map(|(index, value)| {
            let end = scale.at(sign * (*value)?);
            Some((LEFT + (index as f64 + 0.1) * step, zero.min(end), (zero - end).abs()))
        });
        placed.collect()
    };
    let drawing = html! {
        (frame(plot, &scale))
        (ends(labels))
        @for (x, y, height) in bars(&up.values, 1.0) {
            rect.bar x=(c(x)) y=(c(y)) width=(c(width)) height=(c(height)) {}
        }
        @for (x, y, height) in bars(&down.values, -1.0) {
            rect.other x=(c(x)) y=(c(y)) width=(c(width)) height=(c(height)) {}
        }
        line.axis x1=(LEFT) x2=(RIGHT) y1=(c(zero)) y2=(c(zero)) {}
    };
    figure_of(plot, HEIGHT, drawing, labels, series)
}

/// Draws horizontal bars with their values, one below the other.
pub(super) fn bars(plot: &Plot<'_>, labels: &[String], series: &Series<'_>) -> Markup {
    let most = series.values.iter().flatten().copied().fold(0.0, f64::max);
    let scale = Scale::new(0.0, most, BARS, BARS_END);
    let height = TOP + ROW * labels.len() as f64 + 30.0;
    let bottom = height - 30.0;
    let drawing = html! {
        text.title x="0" y="14" { (plot.title) }
        text.small x="0" y="30" { (plot.y) }
        @for tick in &scale.ticks {
            @let x = c(scale.at(*tick));
            line.grid x1=(x) x2=(x) y1=(TOP) y2=(c(bottom)) {}
            text.small x=(x) y=(c(bottom + 13.0)) text-anchor="middle" { (compact(*tick)) }
        }
        text.small x=(c((BARS + BARS_END) / 2.0)) y=(c(height - 3.0)) text-anchor="middle" { (plot.x) }
        @for (index, (label, value)) in labels.iter().zip(&series.values).enumerate() {
            @let y = TOP + index as f64 * ROW;
            @let end = scale.at(value.unwrap_or(0.0));
            text x=(BARS - 6.0) y=(c(y + 14.0)) text-anchor="end" { (shown(label, 22)) }
            rect.bar x=(BARS) y=(c(y + 3.0)) width=(c(end - BARS)) height=(ROW - 6.0) {}
            text.small x=(c(end + 4.0)) y=(c(y + 14.0)) { (compact(value.unwrap_or(0.0))) }
        }
        line.axis x1=(BARS) x2=(BARS) y1=(TOP) y2=(c(bottom)) {}
    };
    // The labels are of the vertical axis.
    let plot = Plot { x: plot.y, y: plot.x, ..*plot };
    figure_of(&plot, height, drawing, labels, std::slice::from_ref(series))
}

/// Combines a drawing with the table of its figures.
fn figure_of(
    plot: &Plot<'_>,
    height: f64,
    drawing: Markup,
    labels: &[String],
    series: &[Series<'_>],
) -> Markup {
    let title = format!("{}-title", plot.id);
    let skipped = labels.len().saturating_sub(ROWS);
    html! {
        figure id=(plot.id) {
            svg viewBox=(format!("0 0 {WIDTH} {}", c(height))) role="img" aria-labelledby=(title) {
                title id=(title) { (plot.title) " (" (plot.y) " / " (plot.x) "); the table below has the figures" }
                (drawing)
            }
            details {
                summary { "Figures: " (plot.title) }
                div.scroll tabindex="0" role="region" aria-label=(format!("Figures: {}", plot.title)) {
                    table {
                        thead { tr {
                            th scope="col" { (plot.x) }
                            @for series in series { th.n scope="col" { (series.name) } }
                        } }
                        tbody {
                            @for (index, label) in labels.iter().enumerate().skip(skipped) { tr {
                                th scope="row" { (label) }
                                @for series in series {
                                    td.n { (series.values[index].map_or_else(|| "–".to_owned(), figure)) }
                                }
                            } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_hold_all_values() {
        for (least, most, expected) in [
            (0.0, 0.0, &[0.0, 1.0][..]),
            (0.0, 10.0, &[0.0, 5.0, 10.0]),
            (0.0, 7.0, &[0.0, 2.0, 4.0, 6.0, 8.0]),
            (-30.0, 100.0, &[-50.0, 0.0, 50.0, 100.0]),
            (980.0, 1_003.0, &[980.0, 990.0, 1_000.0, 1_010.0]),
        ] {
            let found = ticks(least, most);
            assert!(found[0] <= least && found[found.len() - 1] >= most, "{found:?}");
            assert_eq!(found, expected, "{least} {most}");
        }
        for power in -3..18 {
            let most = 7.3 * 10f64.powi(power);
            assert!((2..9).contains(&ticks(0.0, most).len()), "{most}");
            assert!((2..9).contains(&ticks(most, most).len()), "{most}");
        }
    }
}
