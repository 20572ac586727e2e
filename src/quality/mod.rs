//! Figures of a run, problems of inputs, consistency checks of the sums, and the judgement of a
//! single value.

mod check;
mod code;
mod counts;
mod problem;

pub use check::Mismatch;
pub(crate) use check::{answered, conserved};
pub(crate) use code::{ProblemCode, fault, is_unread, unread};
pub use counts::{Counts, EidrCounts, InputStats, Stats};
pub use doiscan_core::judge::{Judge, Note, Notes, Verdict};
pub(crate) use problem::Problems;
pub use problem::{Omitted, Problem};
