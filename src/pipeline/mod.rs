//! Joins the layers: turns a [`Plan`] into the list of distinct names and a [`Report`]. The only
//! layer that starts threads.
#![expect(clippy::disallowed_methods, reason = "this layer measures how long a run takes")]

mod cancel;
mod dedup;
mod error;
mod gate;
mod lines;
pub mod lists;
mod memory;
mod outputs;
mod plan;
mod pool;
mod progress;
mod rows;
mod scan;
mod silent;
mod stack;
mod state;

pub use crate::sys::cancel::Cancel;
pub use error::Error;
pub use gate::{GateOutcome, Gates, Refusal};
pub use lines::{BLOCK, LONGEST_LINE, LinePlan, LineReport, LineWork, Piece, Place};
pub use lines::{TableColumn, Value, Values, run_lines};
pub use plan::{CHUNK, Judge, Plan, Record, Report, StatePlan, Target};
pub use progress::Progress;
pub use rows::digest::{Digest, Example, Examples};
pub use scan::run::{run, run_with};
pub use silent::Silent;
pub use stack::with_stack;
pub use state::dry_run::{DryRun, dry_run};
pub use state::store::{Beginning, Begun, Ending, FileState, KnownInput, ReadInput, Segment};
pub use state::store::{SegmentKind, StateReport, Step, Store, StoreError, Trust};
