//! Joins the layers: turns a [`Plan`] into the list of distinct names and a [`Report`]. The only
//! layer that starts threads.
#![expect(clippy::disallowed_methods, reason = "this layer measures how long a run takes")]

mod cancel;
mod dedup;
mod error;
mod gate;
mod lines;
pub(crate) mod lists;
mod memory;
mod outputs;
mod own;
mod plan;
mod plan_check;
mod pool;
mod progress;
mod rows;
mod scan;
mod silent;
pub(crate) mod stack;
mod state;

pub use doiscan_sets::collect::Error as CollectError;
pub use doiscan_sets::collect::run::Error as SpillError;
pub use doiscan_core::format::Format;
pub use doiscan_input::{Document, Io, LeftOut, Limits, NameList};
pub use doiscan_input::{PatternError, RequestError, Select};
pub use doiscan_engine::output::{Compression, Error as OutputError, Layout, LayoutError, OutputFormat};
pub use doiscan_os::cancel::Cancel;
pub use error::Error;
pub use gate::{Gates, Refusal};
pub use plan::{Plan, Report, ReportFile, SideFile};
pub use plan_check::PlanError;
pub use progress::Progress;
pub use scan::run::{run, run_with};
pub use silent::Silent;

pub(crate) use gate::GateOutcome;
pub(crate) use lines::{InputValue, TableColumn, ValueSource, run_lines};
pub(crate) use lines::{LinePart, LinePlace, LinePlan, LineWork};
pub(crate) use plan::{CHUNK, GateJudge, StatePlan};
pub(crate) use plan_check::{MOST_DEPTH, NamedFile};
pub(crate) use plan_check::{
    check_columns, check_counts, check_distinct, check_files, check_replaced,
};
pub(crate) use rows::digest::{Digest, Example};
pub(crate) use state::dry_run::{DryRun, dry_run};
pub(crate) use state::store::{
    Beginning, Begun, Ending, FileState, KnownInput, ReadInput, Segment,
};
pub(crate) use state::store::{SegmentKind, StateReport, StateUpdate, Store, StoreError, Trust};
