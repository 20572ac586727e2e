//! The tables of the scanner's rules. To add a rule, add a row: its examples are its tests.

mod tails;
mod words;

pub(super) use tails::{FILES, WORDS};
pub(super) use words::{KEY_LABELS, LEADS};

#[cfg(test)]
mod tests;
