//! Formats numbers for users.

use indicatif::HumanCount;

/// Formats a count with its noun: `1 file`, `2,000 files`.
pub(in crate::cli) fn plural(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Groups digits by three: `12,345,678`.
pub(in crate::cli) fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// Formats a figure with at most six decimals: `12,345`, `0.05`.
pub(in crate::cli) fn figure(number: f64) -> String {
    if number != 0.0 && number.abs() < 1e-6 || number.abs() >= 1e15 {
        return format!("{number:e}");
    }
    let text = format!("{:.6}", number.abs());
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    let decimals = decimals.trim_end_matches('0');
    let sign = if number < 0.0 { "-" } else { "" };
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{decimals}")
}

/// Formats bytes per second in a suitable unit: `85 kB/s`, `1.24 GB/s`.
pub(in crate::cli) fn rate(bytes: u64, seconds: f64) -> String {
    let mut value = if seconds > 0.0 { bytes as f64 / seconds } else { 0.0 };
    let mut unit = "B";
    for larger in ["kB", "MB", "GB"] {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1000.0, larger);
    }
    let digits = match value {
        value if unit == "B" || value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}/s")
}

/// Formats bytes in a suitable unit: `512 B`, `4.2 MB`.
pub(in crate::cli) fn size(bytes: u64) -> String {
    rate(bytes, 1.0).trim_end_matches("/s").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn figures_have_the_decimals_they_need() {
        for (number, text) in [
            (0.0, "0"),
            (1_234_567.0, "1,234,567"),
            (-1_234.5, "-1,234.5"),
            (0.05, "0.05"),
            (0.1 + 0.2, "0.3"),
            (1e-7, "1e-7"),
            (1e15, "1e15"),
        ] {
            assert_eq!(figure(number), text);
        }
    }

    #[test]
    fn rates_have_three_digits_and_a_unit_that_fits() {
        let cases = [
            (0, 0.0, "0 B/s"),
            (85, 0.001, "85.0 kB/s"),
            (999, 1.0, "999 B/s"),
            (4_915, 0.003, "1.64 MB/s"),
            (999_600, 1.0, "1.00 MB/s"),
            (123_456_789, 1.0, "123 MB/s"),
            (12_345_678_901, 1.0, "12.3 GB/s"),
            (5_000_000_000_000, 1.0, "5000 GB/s"),
        ];
        for (bytes, seconds, text) in cases {
            assert_eq!(rate(bytes, seconds), text);
        }
        assert_eq!(size(4_200_000), "4.20 MB");
    }
}
