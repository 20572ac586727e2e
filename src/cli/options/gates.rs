//! Gates: when a new list may replace an old one.

use crate::pipeline::{self, Refusal};
use clap::Args;
use std::path::Path;

/// The gates of `scan`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct Gates {
    /// Write an empty list rather than fail
    ///
    /// Without it, a scan that finds no input, can read none or finds no DOI ends with
    /// exit status 2 and keeps an old FILE that is not empty.
    #[arg(long)]
    allow_empty: bool,

    /// Fail with fewer than N distinct DOIs, and keep the old FILE
    ///
    /// The exit status is 1.
    #[arg(long, value_name = "N")]
    min_count: Option<u64>,

    /// Fail if the list loses more than PERCENT of its lines
    ///
    /// The new list is compared with the old FILE of -o, which is kept. The exit status is 1.
    #[arg(long, value_name = "PERCENT", value_parser = percent, requires = "file")]
    max_drop: Option<f64>,

    /// Keep the old FILE if any input cannot be read to its end
    ///
    /// The exit status is 3 with and without it.
    #[arg(long, requires = "file")]
    keep_old_on_error: bool,
}

impl Gates {
    pub(in crate::cli) fn gates(&self) -> pipeline::Gates {
        pipeline::Gates {
            allow_empty: self.allow_empty,
            keep_old_on_error: self.keep_old_on_error,
            min_count: self.min_count,
            max_drop: self.max_drop,
        }
    }
}

/// The sentence for a list that was not put in place.
pub(in crate::cli) fn sentence(refusal: &Refusal, output: Option<&Path>) -> String {
    match output.filter(|path| path.is_file()) {
        Some(path) => format!("{refusal}; {} is as it was", path.display()),
        None => refusal.to_string(),
    }
}

/// A part in percent, with or without its sign.
fn percent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.strip_suffix('%').unwrap_or(text).parse().ok();
    let percent = number.filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| "expected a number from 0 to 100".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_has_its_sign_or_none() {
        assert_eq!(percent("2.5"), Ok(2.5));
        assert_eq!(percent("100%"), Ok(100.0));
        for wrong in ["", "%", "-1", "101", "nan", "1M"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
