//! Turns a [`Plan`] into the list of distinct names and a [`Report`]: assigns work to threads,
//! collects names and rows, decides about gates and writes the outputs.
#![expect(clippy::disallowed_methods, reason = "this layer measures how long a run takes")]

mod cancel;
mod error;
pub mod figures;
mod gate;
mod lines;
pub mod lists;
mod memory;
pub mod output;
mod outputs;
mod own;
mod plan;
mod plan_check;
mod progress;
mod rows;
mod scan;
mod silent;
pub mod stack;
pub mod state;

pub use crate::output::{Compression, Error as OutputError, Layout, LayoutError, OutputFormat};
pub use doiscan_core::format::Format;
pub use doiscan_input::{Document, Io, LeftOut, Limits, NameList};
pub use doiscan_input::{PatternError, RequestError, Select};
pub use doiscan_os::cancel::Cancel;
pub use doiscan_sets::collect::Error as CollectError;
pub use doiscan_sets::collect::run::Error as SpillError;
pub use error::Error;
pub use gate::{Gates, Refusal};
pub use plan::{Plan, Report, ReportFile, SideFile};
pub use plan_check::PlanError;
pub use progress::Progress;
pub use scan::run::{run, run_with};
pub use silent::Silent;

pub use gate::GateOutcome;
pub use lines::{InputValue, TableColumn, ValueSource, run_lines};
pub use lines::{LinePart, LinePlace, LinePlan, LineWork};
pub use plan::{CHUNK, GateJudge, StatePlan};
pub use plan_check::{MOST_DEPTH, NamedFile};
pub use plan_check::{check_columns, check_counts, check_distinct, check_files, check_replaced};
pub use rows::digest::{Digest, Example};
pub use state::dry_run::{DryRun, dry_run};
pub use state::store::{StateReport, StoreError, Trust};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
