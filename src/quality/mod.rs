//! What a run counted, what went wrong with its inputs, whether the sums agree, and what is
//! to be said of a single value.

mod check;
mod counts;
mod note;
mod problem;
mod verdict;

pub use check::{Mismatch, answered, conserved};
pub use counts::{Counts, EidrCounts, InputStats, Stats};
pub use note::{Note, Notes};
pub use problem::{Omitted, Problem, Problems};
pub use verdict::{Judge, Verdict};
