//! Prints problems with inputs to standard error.

use super::log::{Event, Level, Log};
use super::numbers::grouped;
use super::stats;
use doiscan_input::problem::Problem;

/// Above this number of similar problems, they are combined into one line.
const MANY: usize = 10;

/// Number of inputs that a combined line names.
const NAMED: usize = 3;

/// Prints the problems. More than ten that differ only in the input and in figures are combined
/// into one line that names the first three inputs, unless `all` is set. In JSON, each problem is
/// an event.
pub(in crate::cli) fn say(problems: &[Problem], all: bool, log: Log) {
    let event = |message| Event::new(Level::Warn, "problem", message);
    match log {
        Log::Text => lines(problems, all).into_iter().for_each(|line| log.say(event(line))),
        Log::Json => problems.iter().for_each(|problem| {
            log.say(event(problem.to_string()).with_all(stats::problem(problem)));
        }),
    }
}

fn lines(problems: &[Problem], all: bool) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&Problem>)> = Vec::new();
    for problem in problems {
        let kind = kind(&problem.message);
        match groups.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, alike)) => alike.push(problem),
            None => groups.push((kind, vec![problem])),
        }
    }
    let several = |alike: &[&Problem]| match alike {
        alike if all || alike.len() <= MANY => alike.iter().map(ToString::to_string).collect(),
        alike => vec![one_line(alike)],
    };
    groups.iter().flat_map(|(_, alike)| several(alike)).collect()
}

fn one_line(alike: &[&Problem]) -> String {
    let names: Vec<_> = alike[1..NAMED].iter().map(|p| p.path.display().to_string()).collect();
    let more = grouped((alike.len() - NAMED) as u64);
    format!("{}; the same for {} and {more} more", alike[0], names.join(", "))
}

/// Returns a message without its digits and commas, for grouping similar problems.
fn kind(message: &str) -> String {
    message.chars().filter(|c| !c.is_ascii_digit() && *c != ',').collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use doiscan_input::problem::ProblemCode;
    use std::path::Path;

    #[test]
    fn many_that_are_alike_are_one_line() {
        let mut problems = vec![Problem::new(Path::new("x"), ProblemCode::Changed, "changed")];
        let cut = |n: u32| format!("ends early after {n} bytes");
        problems
            .extend((1..=3).map(|n| Problem::new(Path::new("a"), ProblemCode::Truncated, cut(n))));
        assert_eq!(lines(&problems, false).len(), 4);
        problems.extend(
            ["b", "c", "d", "e", "f", "g", "h", "i"]
                .into_iter()
                .map(|path| Problem::new(Path::new(path), ProblemCode::Truncated, cut(1_000_000))),
        );
        assert_eq!(
            lines(&problems, false),
            ["x: changed", "a: ends early after 1 bytes; the same for a, a and 8 more"]
        );
        assert_eq!(lines(&problems, true).len(), 12);
    }
}
