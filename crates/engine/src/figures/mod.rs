//! The figures of a run and the checks that their sums agree.

mod check;
mod counts;

pub use check::Mismatch;
pub use check::{answered, conserved};
pub use counts::{Counts, EidrCounts, InputStats, Stats};
