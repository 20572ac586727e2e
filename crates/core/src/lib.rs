//! Finds, judges and converts DOIs (Digital Object Identifiers) in bytes of any notation.
//!
//! Every function here is pure: bytes in, values out. Nothing reads a file, a clock or the
//! environment, starts a thread or prints.
//!
//! | module | purpose |
//! |---|---|
//! | [`doi`] | syntax and canonical form of names, EIDRs, conversion |
//! | [`decode`] | escaping: JSON, TeX, entities, percent-encoding |
//! | [`scan`] | finds names in text |
//! | [`mod@format`] | notations of files; cells and columns of tables |
//! | [`judge`] | judges a single value |
//!
//! Each module uses only the modules above it; `judge` also uses `scan`.

pub mod decode;
pub mod doi;
pub mod format;
pub mod judge;
mod rule;
pub mod scan;
mod vector;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
