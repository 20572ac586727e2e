//! Says what is wrong with inputs, and what else a run noticed.

use super::log::{Event, Level, Log};
use super::numbers::{grouped, plural};
use super::stats;
use super::terminal::in_shell;
use doiscan_engine::figures::Cause;
use doiscan_engine::{Report, Silent};
use doiscan_input::LeftOut;
use doiscan_input::problem::Problem;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

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
        let kind = kind(problem);
        match groups.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, alike)) => alike.push(problem),
            None => groups.push((kind, vec![problem])),
        }
    }
    let several = |alike: &[&Problem]| match alike {
        alike if all || alike.len() <= MANY => alike.iter().map(ToString::to_string).collect(),
        alike => vec![combined(alike)],
    };
    groups.iter().flat_map(|(_, alike)| several(alike)).collect()
}

fn combined(alike: &[&Problem]) -> String {
    let names: Vec<_> = alike[1..NAMED].iter().map(|p| p.path.display().to_string()).collect();
    let more = grouped((alike.len() - NAMED) as u64);
    format!("{}; the same for {} and {more} more", alike[0], names.join(", "))
}

/// Returns the message without the name of its file, digits and commas, for grouping similar problems.
fn kind(problem: &Problem) -> String {
    let name = problem.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let words = problem.message.split(' ').filter(|word| *word != name);
    words.flat_map(str::chars).filter(|c| !c.is_ascii_digit() && *c != ',').collect()
}

/// Says the warnings among the notes about a run.
pub(in crate::cli) fn say_warnings(report: &Report, log: Log) {
    notes(report).filter(|note| note.level() == Level::Warn).for_each(|note| log.say(note));
}

/// Returns what a run noticed besides the problems, of all kinds. Warnings are said with `--quiet` too; the
/// others are part of the summary.
pub(in crate::cli) fn notes(report: &Report) -> impl Iterator<Item = Event> {
    // The problem of an input may say already that it is empty.
    let is_said = move |path: &PathBuf| {
        let mut problems = report.problems.iter();
        problems.any(|problem| problem.path == *path && problem.message.starts_with("is empty"))
    };
    let is_new = move |silent: &&Silent| {
        silent.cause != Cause::Empty
            || silent.count > silent.first.len() as u64
            || !silent.first.iter().all(is_said)
    };
    let of_state = report.state.iter().flat_map(|state| &state.notes);
    let of_state = of_state.map(|note| Event::new(Level::Warn, "state", format!("state: {note}")));
    let omitted = report.omitted.iter().map(|omitted| {
        let event = Event::new(Level::Warn, "problems-omitted", omitted.to_string());
        event.with("count", omitted.count)
    });
    let unused = report.is_pre_unused.then(|| {
        Event::new(Level::Warn, "pre-unused", "--pre was run for no input: none matches --pre-glob")
    });
    let silent = report.silent.iter().filter(is_new);
    let silent = silent.map(|silent| of_silent(silent, report.misfit.as_ref()));
    let notes = left_out(&report.left_out).into_iter().chain(abandoned(&report.abandoned));
    notes.chain(unused).chain(silent).chain(of_state).chain(omitted)
}

/// Describes the files in folders that were not used as inputs.
fn left_out(left_out: &LeftOut) -> Vec<Event> {
    let mut notes = Vec::new();
    let mut note = |name, count, message| {
        notes.push(Event::new(Level::Info, name, message).with("count", count));
    };
    if let Some(near) = &left_out.near {
        let (files, near) = (plural(left_out.by_globs, "file"), near.display());
        let message =
            format!("{files} left out by --glob; {near} would match if case were ignored");
        note("glob-case", left_out.by_globs, message);
    }
    match left_out.own.as_slice() {
        own @ [first, _, _, _, ..] => {
            let (files, first) = (plural(own.len() as u64, "file"), first.display());
            let message =
                format!("{files}, such as {first}, are written by this run and were not read");
            note("own-outputs", own.len() as u64, message);
        }
        own => {
            for path in own {
                let message = format!("{} is written by this run and was not read", path.display());
                note("own-outputs", 1, message);
            }
        }
    }
    if let Some((name, input)) = left_out.same_first.first() {
        let (name, input) = (name.display(), input.display());
        let names = match left_out.same {
            1 => format!("{name} is"),
            count => format!("{}, such as {name}, are", plural(count, "name")),
        };
        let message = format!("{names} not read: same as {input}");
        note("inputs-same", left_out.same, message);
    }
    if let Some(first) = &left_out.first {
        let (files, path) = (plural(left_out.earlier, "file"), first.display());
        let verb = if left_out.earlier == 1 { "was" } else { "were" };
        let message = format!(
            "{files} of earlier runs {verb} not read, such as {path}; to read a file, name it"
        );
        note("earlier-outputs", left_out.earlier, message);
    }
    if let Some(first) = &left_out.first_lock {
        let (files, path) = (plural(left_out.locks, "file"), first.display());
        let verb = if left_out.locks == 1 { "was" } else { "were" };
        let message =
            format!("{files} of documents open in Office {verb} not read, such as {path}");
        note("office-locks", left_out.locks, message);
    }
    notes
}

/// Names a temporary file that a killed run left for another output.
fn abandoned(files: &[PathBuf]) -> Option<Event> {
    let first = files.first()?.display();
    let message = match files.len() {
        1 => format!("{first} is left from a run that was killed; you may delete it"),
        count => format!(
            "{} are left from runs that were killed, such as {first}; you may delete them",
            plural(count as u64, "temporary file")
        ),
    };
    Some(Event::new(Level::Info, "left-from-killed", message).with("count", files.len()))
}

/// Describes inputs in which nothing was found, and that deserve a look. `misfit` says why one was not searched.
fn of_silent(silent: &Silent, misfit: Option<&Problem>) -> Event {
    let first = silent.first.first().map_or(Cow::Borrowed(""), |path| path.to_string_lossy());
    let number = |noun: &str| {
        let more = if silent.is_more { "more than " } else { "" };
        format!("{more}{}", plural(silent.count, noun))
    };
    let all = |noun: &str, verb: &str, what: &str| match (silent.count, verb) {
        (1, verb) => format!("{first}: {verb} {what}"),
        (_, "has") => format!("{} have {what}, such as {first}", number(noun)),
        _ => format!("{} are {what}, such as {first}", number(noun)),
    };
    let (level, name, message) = match silent.cause {
        Cause::Compound => {
            // A member of an archive is a file after extraction.
            let file = first.rsplit('!').next().unwrap_or_default();
            let extract = if file.len() == first.len() { "" } else { "extract it and " };
            let convert = "soffice --convert-to pdf --outdir converted";
            let message = format!(
                "{} searched as bytes, such as {first}; to scan the text, {extract}run: {convert} {} && doiscan \
                 scan converted",
                number("old Office file"),
                in_shell(file)
            );
            (Level::Info, "inputs-compound", message)
        }
        Cause::NotUtf8 => {
            let verb = if silent.count == 1 { "is" } else { "are" };
            let message = format!(
                "{} {verb} not UTF-8, such as {first}; DOIs with letters of another encoding are rejected",
                number("input")
            );
            (Level::Info, "inputs-not-utf8", message)
        }
        Cause::NoValue => {
            let what = "no value in the selected columns";
            (Level::Warn, "tables-without-values", all("table", "has", what))
        }
        Cause::InPart => {
            let what = "columns of text without doi in their names, which are not read; to read them, add --column";
            (Level::Info, "tables-read-in-part", all("table", "has", what))
        }
        Cause::NoText => {
            let what = "no text, only images or graphics";
            (Level::Info, "documents-without-text", all("document", "has", what))
        }
        Cause::List => {
            let name = Path::new(&*first).file_name().unwrap_or_default().to_string_lossy();
            let was =
                if silent.count == 1 { "was read as an input" } else { "were read as inputs" };
            let (lists, glob) = (number("list"), in_shell(&format!("!{name}")));
            let message =
                format!("{lists} of DOIs {was}, such as {first}; -g {glob} leaves it out");
            (Level::Info, "lists-read", message)
        }
        Cause::NoField => {
            let what = "none of the columns or fields that are searched";
            let misfit = misfit.filter(|problem| silent.first.contains(&problem.path));
            let why =
                misfit.map(|problem| format!("{problem}; to search another, add --column NAME"));
            let message = match (why, silent.count) {
                (None, _) => all("input", "has", what),
                (Some(why), 1) => why,
                (Some(why), _) => format!("{} have {what}, such as {why}", number("input")),
            };
            (Level::Info, "inputs-without-fields", message)
        }
        _ => (Level::Warn, "inputs-empty", all("input", "is", "empty")),
    };
    Event::new(level, name, message).with("count", silent.count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use doiscan_input::problem::ProblemCode;

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
        // The advice names the file.
        let dump = |path: &str| {
            let advice = format!("is not read; try: sqlite3 {path} .dump");
            Problem::new(Path::new(path), ProblemCode::Unsupported, advice)
        };
        let problems: Vec<_> =
            (0..11).map(|n| dump(&format!("{}.db", "x".repeat(n + 1)))).collect();
        let expected =
            "x.db: is not read; try: sqlite3 x.db .dump; the same for xx.db, xxx.db and 8 more";
        assert_eq!(lines(&problems, false), [expected]);
    }
}
