//! Finds every DOI (Digital Object Identifier) in bytes of any notation, and collects them from
//! many large inputs into one sorted list of distinct names.
//!
//! # Which entry when
//!
//! | to | use |
//! |---|---|
//! | list the DOIs of a text | [`scan::Scanner::names`] |
//! | get positions, repairs and reasons too, without allocation | [`scan::Scanner::scan`] with a [`scan::Sink`] |
//! | scan a stream or a large file in parts | the same, with [`scan::LOOKBEHIND`] bytes before each part and [`scan::Scanner::lookahead`] bytes after it |
//! | detect the notation of a file | [`pipeline::Format::notation`] |
//! | judge one value, such as a cell of a column | [`quality::Judge`] |
//! | parse, compare and convert a name | [`doi::Reader`], [`doi::Doi`], [`doi::Writer`], [`doi::Converter`] |
//! | work with EIDRs | [`doi::eidr`] |
//! | read lines of a list that doiscan wrote | [`doi::batch::decode`] |
//! | turn files, folders and archives into one sorted list | [`pipeline::run`] |
//!
//! # Find
//!
//! [`scan::Scanner`] is the core, a pure function over `&[u8]`. It undoes escaping, so names are
//! canonical:
//!
//! ```
//! use doiscan::scan::{Notation, Options, Scanner};
//!
//! let text = br#"{"URL": "https:\/\/doi.org\/10.1000\/xyz123"} and doi:10.1000/182."#;
//! let found = Scanner::new(Options::default()).names(text, Notation::Unknown);
//! assert_eq!(found, ["10.1000/XYZ123", "10.1000/182"]);
//! ```
//!
//! # Find with positions and reasons
//!
//! ```
//! use doiscan::doi::Reason;
//! use doiscan::scan::{Match, Notation, Options, Scanner, Sink};
//!
//! #[derive(Default)]
//! struct Found(Vec<String>);
//!
//! impl Sink for Found {
//!     fn accept(&mut self, found: &Match<'_>) {
//!         let name = String::from_utf8_lossy(found.doi);
//!         self.0.push(format!("{}..{} {name}", found.start, found.end));
//!     }
//!
//!     fn reject(&mut self, start: usize, reason: Reason) {
//!         self.0.push(format!("{start} {}", reason.name()));
//!     }
//! }
//!
//! let text = b"doi:10.1000/182, version 10.2.1";
//! let mut found = Found::default();
//! let mut scanner = Scanner::new(Options::default().with_strict(true));
//! scanner.scan(text, 0..text.len(), Notation::Unknown, &mut found);
//! assert_eq!(found.0, ["4..15 10.1000/182", "25 no-separator"]);
//! ```
//!
//! # Judge and convert
//!
//! ```
//! use doiscan::doi::{Form, Reader, Writer};
//! use doiscan::quality::{Judge, Note};
//!
//! let mut judge = Judge::new(false);
//! let verdict = judge.judge(b"doi:10.1000/abc.");
//! assert!(verdict.is_valid() && verdict.notes.contains(Note::Repaired));
//!
//! let mut reader = Reader::default();
//! let doi = reader.read(b"https://doi.org/10.1000/456%23789")?.doi;
//! assert_eq!(doi.canonical(), "10.1000/456#789");
//! assert_eq!(Writer::default().written(&doi, Form::Urn), "urn:doi:10.1000:456%23789");
//! # Ok::<(), doiscan::doi::Invalid>(())
//! ```
//!
//! # Scan files
//!
//! [`pipeline::run`] is the main job of the command. It reads archives and compressed files, uses
//! all cores, spills names that exceed [`pipeline::Plan::memory`], and replaces the output as a
//! whole or not at all:
//!
//! ```
//! use doiscan::pipeline::{Plan, run};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::write(folder.join("notes.txt"), "see 10.1000/182 and 10.1000/ABC")?;
//! let mut plan = Plan::new([folder.join("notes.txt")]);
//! plan.output = Some(folder.join("dois.txt"));
//! let report = run(&plan, &())?; // `()` ignores the progress
//! assert!(report.refusal.is_none(), "the list is in place");
//! assert_eq!((report.stats.written, report.problems.len()), (2, 0));
//! assert_eq!(std::fs::read_to_string(folder.join("dois.txt"))?, "10.1000/182\n10.1000/ABC\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Terms
//!
//! | term | meaning |
//! |---|---|
//! | canonical | the one spelling of a DOI: without `doi:` or an address, decoded, ASCII letters in upper case |
//! | prefix | the part in front of the first slash, such as `10.1000` |
//! | registrant | the digits and full stops after `10.` in the prefix |
//! | suffix | all text after the first slash |
//! | candidate | a place where `10.` in any spelling is followed by a digit; it becomes a name or a reject |
//! | reject | a candidate that is no DOI, with a [`doi::Reason`] |
//! | repair | a change that makes a name of text that is no DOI as written, with a [`scan::Repair`] |
//! | notation | the syntax around a name, such as CSV ([`scan::Notation`]), or of a single value, such as a URL |
//! | run | one call of [`pipeline::run`]; a spilled run is sorted names in a temporary file |
//! | shard | one of 64 parts, by hash, of the table that keeps each name once |
//!
//! # Features
//!
//! * `cli` (default): the command. Without it the library prints nothing and does not depend on
//!   clap, indicatif or mimalloc.
//! * `parquet` (default): reads the text columns of Parquet files, and writes Parquet.
//! * `state` (default): what the command keeps between runs with `--state`.
//! * `serde`: serialises names as text.
//! * `internals`: exports parts of private modules for the tests, the fuzz targets and the Python
//!   package of this repository.
//!
//! # Stability
//!
//! Semantic versioning covers the items of this documentation, which `docs/api.txt` in the
//! repository lists. It does not cover the modules `cli` and `internals`, or messages: programs use
//! codes and names such as [`doi::Reason::name`]. An array such as [`doi::Reason::ALL`] may grow in
//! a minor version.

// Each module uses only the modules before it:
// sys → doi → decode → scan → format → collect → output → quality → input → pipeline → state → cli.

#![cfg_attr(
    not(all(feature = "cli", feature = "internals")),
    allow(unreachable_pub, reason = "some public items are exported only with these features")
)]
#![cfg_attr(
    not(all(feature = "cli", feature = "state")),
    allow(dead_code, unused_imports, reason = "some items are used only with these features")
)]

#[cfg(feature = "internals")]
use doiscan_core::decode;
use doiscan_core::format;
pub use doiscan_core::{doi, scan};

mod collect;
mod input;
mod output;
pub mod pipeline;
pub mod quality;
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
        pub use crate::collect::merge::{Merge, NameSource, shared};
        pub use crate::collect::run::{BlockDecoder, BlockEncoder};
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
            Archive, Block, Codec, Decoder, HEAD, Input, InputName, Io, Limits, List, ListError,
            Meter,
        };
        pub use crate::input::{
            MemberRange, Opened, Own, Packing, Request, Section, Split, Stream, Visit,
        };
        #[cfg(feature = "parquet")]
        pub use crate::input::{Parquet, is_parquet};
        pub use crate::input::{find_member, is_again, is_encoded, list, probe, refused, unpack};
    }

    pub mod lists {
        pub use crate::pipeline::lists::{DiffSide, Figures, MergePlan, Operation};
        pub use crate::pipeline::lists::{diff, merge};
    }

    pub mod output {
        pub use crate::output::escape;
    }

    pub mod naive {
        pub use crate::scan::naive::scan;
    }

    pub mod short {
        pub use crate::scan::short::{LOOKAHEAD, ShortDois};
    }
}

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
