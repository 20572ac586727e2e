//! Dates, which Excel stores as numbers of days with a style (ECMA-376 18.8.30; MS-XLS 2.4.126).

use std::collections::HashMap;

/// Number of seconds of a day.
const DAY: i64 = 86_400;

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Date,
    Time,
}

/// The styles of a workbook, as far as they make a number a date.
#[derive(Debug, Default)]
pub(super) struct Dates {
    /// The meanings of the formats that the workbook defines.
    formats: HashMap<u32, Option<Meaning>>,
    /// The meaning of each style.
    styles: Vec<Option<Meaning>>,
    /// Whether days are counted from 1904-01-01.
    pub(super) is_from_1904: bool,
}

impl Dates {
    /// Defines the format `id`.
    pub(super) fn define(&mut self, id: u32, code: &str) {
        self.formats.insert(id, meaning(code));
    }

    /// Adds the next style, which has the format `id`.
    pub(super) fn add_style(&mut self, id: u32) {
        let built_in = match id {
            14..=17 | 22 | 27..=31 | 36 | 50..=54 | 57 | 58 => Some(Meaning::Date),
            18..=21 | 32..=35 | 45 | 47 | 55 | 56 => Some(Meaning::Time),
            _ => None,
        };
        self.styles.push(self.formats.get(&id).copied().unwrap_or(built_in));
    }

    /// Returns the number `value` in this style as `YYYY-MM-DD`, `YYYY-MM-DDThh:mm:ss` or `hh:mm:ss`, if it is a
    /// date or a time of day.
    pub(super) fn text(&self, style: usize, value: f64) -> Option<String> {
        let meaning = (*self.styles.get(style)?)?;
        // Excel shows no day before its first, and none after the year 9999.
        if !(0.0..2_958_466.0).contains(&value) {
            return None;
        }
        let seconds = (value * DAY as f64).round() as i64;
        let (day, second) = (seconds / DAY, seconds % DAY);
        let time = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
        if day == 0 && meaning == Meaning::Time {
            return Some(time);
        }
        let date = date(match (self.is_from_1904, day) {
            (true, _) => day + FROM_1904,
            // Excel has a day 60, 1900-02-29, which never was.
            (false, 60) => return Some("1900-02-29".to_owned()),
            (false, ..60) => day + 1,
            (false, _) => day,
        });
        Some(if second == 0 { date } else { format!("{date}T{time}") })
    }
}

/// Number of days from the day 0 of the usual count to 1904-01-01.
const FROM_1904: i64 = 1462;

/// Returns what a number means that is shown by the first section of a format code such as `yyyy\-mm\-dd`.
fn meaning(code: &str) -> Option<Meaning> {
    let (mut has_day, mut has_month, mut has_time) = (false, false, false);
    let mut rest = code.chars();
    while let Some(character) = rest.next() {
        match character.to_ascii_lowercase() {
            ';' => break,
            '"' => drop(rest.by_ref().find(|&c| c == '"')),
            '\\' | '_' | '*' => drop(rest.next()),
            '[' => {
                let inner: String = rest.by_ref().take_while(|&c| c != ']').collect();
                // Elapsed time is a number of hours, not a time of day.
                if inner.chars().all(|c| "hmsHMS".contains(c)) {
                    return None;
                }
            }
            'y' | 'd' => has_day = true,
            'm' => has_month = true,
            'h' | 's' => has_time = true,
            _ => {}
        }
    }
    match () {
        () if has_day || has_month && !has_time => Some(Meaning::Date),
        () if has_time => Some(Meaning::Time),
        () => None,
    }
}

/// Returns the date of a day, counted so that 61 is 1900-03-01, as `YYYY-MM-DD`.
fn date(day: i64) -> String {
    // Days since 0000-03-01, in cycles of 400 years that all have 146,097 days.
    let day = day + 693_899;
    let (cycle, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", cycle * 400 + year + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_codes_mean_dates_times_or_numbers() {
        use Meaning::{Date, Time};
        for (code, expected) in [
            ("General", None),
            ("0.00", None),
            ("#,##0.00 \"days\"", None),
            ("[Red]0", None),
            ("0.00E+00", None),
            ("0_d", None),
            ("yyyy\\-mm\\-dd", Some(Date)),
            ("[$-407]D. MMMM YYYY;@", Some(Date)),
            ("mmm", Some(Date)),
            ("h:mm", Some(Time)),
            ("mm:ss", Some(Time)),
            ("[h]:mm", None),
            ("0;yyyy", None),
        ] {
            assert_eq!(meaning(code), expected, "{code}");
        }
    }

    #[test]
    fn numbers_are_dates() {
        let mut dates = Dates::default();
        dates.define(164, "0.0");
        dates.define(165, "dd.mm.yyyy hh:mm");
        [0, 14, 21, 164, 165].into_iter().for_each(|id| dates.add_style(id));
        for (style, value, expected) in [
            (0, 45_000.0, None),
            (3, 45_000.0, None),
            (9, 45_000.0, None),
            (1, 45_000.0, Some("2023-03-15")),
            (1, 1.0, Some("1900-01-01")),
            (1, 59.0, Some("1900-02-28")),
            (1, 60.0, Some("1900-02-29")),
            (1, 61.0, Some("1900-03-01")),
            (1, 36_585.0, Some("2000-02-29")),
            (1, 2_958_465.0, Some("9999-12-31")),
            (1, 2_958_466.0, None),
            (1, -1.0, None),
            (2, 0.5, Some("12:00:00")),
            (2, 45_000.25, Some("2023-03-15T06:00:00")),
            (4, 45_000.75, Some("2023-03-15T18:00:00")),
            (4, 44_999.999_999_9, Some("2023-03-15")),
        ] {
            assert_eq!(dates.text(style, value).as_deref(), expected, "{style} {value}");
        }
        dates.is_from_1904 = true;
        assert_eq!(dates.text(1, 0.0).as_deref(), Some("1904-01-01"));
        assert_eq!(dates.text(1, 43_538.0).as_deref(), Some("2023-03-15"));
    }
}
