//! What a run counted, what went wrong with its inputs, whether the sums agree, and what is
//! to be said of a single value.

mod check;
mod counts;
mod problem;
mod verdict;

pub use check::{Mismatch, answered, conserved};
pub use counts::{Counts, Stats};
pub use problem::{Problem, settle};
pub use verdict::{Judge, Note, Notes, Verdict};
