//! Numbers as people read them.

/// A count with its noun: `1 file`, `2,000 files`.
pub(in crate::cli) fn plural(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Digits in groups of three: `12,345,678`.
pub(in crate::cli) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Bytes a second in a unit that fits: `85 kB/s`, `1.24 GB/s`.
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

/// Bytes in a unit that fits: `512 B`, `4.2 MB`.
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
