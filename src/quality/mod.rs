//! What a run counted, what went wrong with its inputs, and whether the sums agree.

mod check;
mod counts;
mod problem;

pub use check::{Mismatch, conserved};
pub use counts::{Counts, Stats};
pub use problem::Problem;
