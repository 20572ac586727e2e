//! Finds every DOI (Digital Object Identifier) in bytes of any notation, and collects them from
//! many large inputs into one sorted list of distinct names.
//!
//! Each module uses only the modules listed before it:
//! `sys → doi → decode → scan → format → collect → output → quality → input → pipeline → state → cli`.
//!
//! The core is [`scan::Scanner::scan`], a pure function over `&[u8]`:
//!
//! ```
//! use doiscan::scan::{Notation, Options, Scanner};
//!
//! let text = br#"{"URL": "https:\/\/doi.org\/10.1000\/xyz123"} and doi:10.1000/182."#;
//! let found = Scanner::new(Options::default()).names(text, Notation::Unknown);
//! assert_eq!(found, ["10.1000/XYZ123", "10.1000/182"]);
//! ```

pub mod collect;
pub mod decode;
pub mod doi;
pub mod format;
pub mod input;
pub mod output;
pub mod pipeline;
pub mod quality;
pub mod scan;
#[cfg(feature = "state")]
pub mod state;
pub mod sys;

#[cfg(feature = "cli")]
pub mod cli;

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
