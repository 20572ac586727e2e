//! Counts misplaced quotes.

use core::fmt;
use core::ops::AddAssign;

/// Malformed quotes of a table. Near such a quote, a cell may be in another column than its author
/// intended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quoting {
    /// Quotes that open a cell and are never closed. They are read as unquoted cells.
    pub unclosed: u64,
    /// Quoted cells with text after the closing quote, which suggests a quote that was not doubled.
    pub trailed: u64,
    /// Offset of the first malformed quote.
    pub first: Option<u64>,
}

impl Quoting {
    /// Counts an unclosed cell that opens at `at`.
    pub(super) fn unclosed(&mut self, at: usize) {
        self.unclosed += 1;
        self.see(at as u64);
    }

    /// Counts a closing quote at `at` that is followed by text.
    pub(super) fn trailed(&mut self, at: usize) {
        self.trailed += 1;
        self.see(at as u64);
    }

    /// Returns the same counts with offsets relative to a position `by` bytes earlier.
    #[must_use]
    pub fn moved(self, by: u64) -> Self {
        Quoting { first: self.first.map(|at| at + by), ..self }
    }

    /// Whether no quote is malformed.
    pub fn is_sound(&self) -> bool {
        self.first.is_none()
    }

    fn see(&mut self, at: u64) {
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
    }
}

impl AddAssign for Quoting {
    fn add_assign(&mut self, other: Quoting) {
        self.unclosed += other.unclosed;
        self.trailed += other.trailed;
        if let Some(at) = other.first {
            self.see(at);
        }
    }
}

/// Formats a problem of the input: `2 cells with an unclosed quote, …`.
impl fmt::Display for Quoting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        let kinds =
            [(self.unclosed, "an unclosed quote"), (self.trailed, "text after the closing quote")];
        for (count, what) in kinds.into_iter().filter(|(count, _)| *count > 0) {
            let cells = if count == 1 { "cell" } else { "cells" };
            write!(f, "{between}{count} {cells} with {what}")?;
            between = ", ";
        }
        if let Some(first) = self.first {
            write!(f, "; the first at byte {first}; cells near it may be shifted")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_words() {
        let mut sum = Quoting::default();
        assert!(sum.is_sound());
        let mut other = Quoting::default();
        other.trailed(7);
        sum += other.moved(100);
        assert_eq!(
            sum.to_string(),
            "1 cell with text after the closing quote; the first at byte 107; \
             cells near it may be shifted"
        );
        sum.unclosed(3);
        sum.unclosed(9);
        assert!(!sum.is_sound());
        assert_eq!(
            sum.to_string(),
            "2 cells with an unclosed quote, 1 cell with text after the closing quote; \
             the first at byte 3; cells near it may be shifted"
        );
    }
}
