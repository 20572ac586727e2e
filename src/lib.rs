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

#![cfg_attr(
    not(all(feature = "cli", feature = "internals")),
    allow(unreachable_pub, reason = "some public items are exported only with these features")
)]
#![cfg_attr(
    not(all(feature = "cli", feature = "state")),
    allow(dead_code, unused_imports, reason = "some items are used only with these features")
)]

mod collect;
mod decode;
pub mod doi;
mod format;
mod input;
mod output;
pub mod pipeline;
pub mod quality;
pub mod scan;
#[cfg(feature = "state")]
mod state;
mod sys;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

/// What the tests, the benches, the fuzz targets and the Python package use of the private modules.
/// Semantic versioning does not cover it.
#[cfg(feature = "internals")]
#[doc(hidden)]
#[allow(missing_docs, reason = "the modules have the names of those whose items they export")]
pub mod internals {
    pub mod collect {
        pub use crate::collect::merge::{Merge, Source, shared};
        pub use crate::collect::run::{Decoder, Encoder};
        pub use crate::collect::{Collector, Names};
    }

    pub mod decode {
        pub use crate::decode::{Char, Entity, Json, Latex, Layer, Percent, Text, Utf8};
    }

    pub mod format {
        pub use crate::format::{Cell, Dialect, Inside, Place, Quoting};
    }

    pub mod input {
        pub use crate::input::{
            Archive, Block, Codec, Decoder, HEAD, Input, List, ListError, Meter, Name,
        };
        pub use crate::input::{Opened, Own, Packing, Request, Section, Split, Stream, Visit};
        #[cfg(feature = "parquet")]
        pub use crate::input::{Parquet, is_parquet};
        pub use crate::input::{is_again, is_encoded, list, probe, refused, unpack};
    }

    pub mod lists {
        pub use crate::pipeline::lists::{DiffSide, Figures, Operation, Plan};
        pub use crate::pipeline::lists::{diff, merge};
    }

    pub mod output {
        pub use crate::output::escape;
    }

    pub mod scan {
        pub use crate::scan::{naive, short};
    }
}

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
