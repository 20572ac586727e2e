//! `check --explain`: where the DOI of a value could end, and what the model of names tells of each place.

use crate::cli::numbers::grouped;
use doiscan_core::names::Model;
use std::collections::BTreeSet;

/// Marks of a sentence, which end no DOI.
const MARKS: &[u8] = b".,:;!?'*)]";

/// Returns a line for each place where a DOI that begins in `value` could end, the chosen one first. `doi` is the canonical name
/// of the verdict.
pub(super) fn ends(value: &[u8], doi: Option<&[u8]>, model: Option<&Model>) -> Vec<String> {
    let value = value.to_ascii_uppercase();
    let Some((registrant, run)) = run(&value) else { return chosen(doi, "as decoded") };
    let prefix = [b"10.", registrant, b"/"].concat();
    let name = |len: usize| [&prefix, &run[..len]].concat();
    let line = |name: &[u8], why: &str| {
        let suffix = name.strip_prefix(&*prefix).unwrap_or_default();
        let behind = run.strip_prefix(suffix).and_then(|behind| behind.first());
        let known = model.map(|model| known(model, registrant, suffix, behind));
        let known = known.map_or(String::new(), |known| format!("; {known}"));
        format!("{}: {why}{known}", String::from_utf8_lossy(name))
    };
    let plain = run.iter().rposition(|byte| !MARKS.contains(byte)).map_or(0, |last| last + 1);
    let read = doi.and_then(|doi| doi.strip_prefix(&*prefix));
    let mut lines = match (doi, read) {
        (Some(doi), Some(suffix)) if run.starts_with(suffix) => vec![line(doi, "chosen")],
        (Some(doi), Some(_)) if doi.starts_with(&name(plain)) => {
            vec![line(doi, "chosen, goes on over a break")]
        }
        (Some(doi), Some(_)) => vec![line(doi, "chosen, as decoded or repaired")],
        _ => chosen(doi, "as decoded or repaired"),
    };
    let ends = BTreeSet::from([plain, run.len()]);
    for len in ends.into_iter().filter(|len| *len > 0 && doi != Some(name(*len).as_slice())) {
        let why = match len < run.len() {
            true => "before trailing marks",
            false => "where the notation ends it",
        };
        lines.push(line(&name(len), why));
    }
    lines
}

/// The line of a chosen DOI that is spelled otherwise in the value.
fn chosen(doi: Option<&[u8]>, how: &str) -> Vec<String> {
    doi.map(|doi| format!("{}: chosen, {how}", String::from_utf8_lossy(doi))).into_iter().collect()
}

/// Returns the registrant and the run of characters after it of the first DOI in `value`.
fn run(value: &[u8]) -> Option<(&[u8], &[u8])> {
    memchr::memmem::find_iter(value, b"10.").find_map(|at| {
        let rest = &value[at + 3..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        let suffix = rest[digits..].strip_prefix(b"/").filter(|_| digits >= 4)?;
        let is_part = |byte: &&u8| **byte > b' ' && !b"\"<>".contains(byte);
        Some((&rest[..digits], &suffix[..suffix.iter().take_while(is_part).count()]))
    })
}

/// What the model tells of the end of `suffix` before the byte `behind`.
fn known(model: &Model, registrant: &[u8], suffix: &[u8], behind: Option<&u8>) -> String {
    let of = format!("10.{}", String::from_utf8_lossy(registrant));
    let place = model.known(registrant, [suffix, b""]);
    if !model.knows(registrant) {
        return format!("no DOI of {of} is known");
    }
    if place.passing == 0.0 {
        return format!("no DOI of {of} begins so");
    }
    let [ending, passing] =
        [place.ending, place.passing].map(|count| grouped(count.round() as u64));
    let mut text = format!("DOIs of {of} end here: about {ending} of {passing} that begin so");
    if let Some(next) = behind
        && model.known(registrant, [suffix, &[*next]]).passing == 0.0
    {
        text += &format!("; none goes on with {:?}", *next as char);
    }
    text
}
