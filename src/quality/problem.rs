//! An input that could not be read, or not to its end.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong with one input. The others go on; the run ends with exit 3.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The input, as the user named it or as it was found in a folder.
    pub path: PathBuf,
    /// What happened, in lower case, with the operating system's words where it spoke.
    pub message: String,
    /// Whether the fault is not the input's: it was asked for what it has not.
    pub misfit: bool,
}

impl Problem {
    /// A problem in our words.
    pub fn new(path: &Path, message: impl Into<String>) -> Self {
        Problem { path: path.to_path_buf(), message: message.into(), misfit: false }
    }

    /// The input is sound but has not what it was asked for, such as a column.
    pub fn misfit(path: &Path, message: impl Into<String>) -> Self {
        Problem { misfit: true, ..Problem::new(path, message) }
    }

    /// A problem in the operating system's words.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        Problem::new(path, error.to_string())
    }
}

/// The most faults of one input that are kept: enough to tell its cause.
const KEPT: usize = 4;

/// Sorts problems by path, and keeps of each path those that differ, the first few.
pub fn settle(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort();
    problems.dedup();
    let mut kept: Vec<Problem> = Vec::with_capacity(problems.len());
    for same in problems.chunk_by(|a, b| a.path == b.path) {
        kept.extend(same.iter().take(KEPT).cloned());
        if let (Some(last), Some(more @ 1..)) = (kept.last_mut(), same.len().checked_sub(KEPT)) {
            last.message = format!("{} ({more} more)", last.message);
        }
    }
    kept
}

/// As it is: whoever prints it escapes it first.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_differ_are_kept_and_many_are_counted() {
        let problem = |path: &str, message: &str| Problem::new(Path::new(path), message);
        let some = [("b", "cut"), ("a", "changed"), ("b", "cut"), ("a", "bad sum")];
        let mut problems: Vec<_> = some.iter().map(|(p, m)| problem(p, m)).collect();
        problems.extend((1..=6).map(|n| problem("c", &format!("cut after {n}"))));
        let settled: Vec<_> = settle(problems).iter().map(Problem::to_string).collect();
        let expected = [
            "a: bad sum",
            "a: changed",
            "b: cut",
            "c: cut after 1",
            "c: cut after 2",
            "c: cut after 3",
            "c: cut after 4 (2 more)",
        ];
        assert_eq!(settled, expected);
    }
}
