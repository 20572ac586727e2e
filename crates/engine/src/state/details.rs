//! Encodes the results of an input, other than its identity, as bytes.
//!
//! Only a run with the same rules and options reads them, so the encoding may change with the
//! rules.

use crate::figures::Cause;
use crate::reading::Details;
use doiscan_input::problem::{Problem, ProblemCode};
use doiscan_os::varint;
use std::path::PathBuf;

/// Encodes the results of an input.
pub(super) fn encode(details: &Details) -> Vec<u8> {
    let (mut out, counts) = (Vec::new(), &details.counts);
    let sums = [counts.files, counts.planned, counts.bytes, counts.lost];
    for sum in sums.into_iter().chain([
        counts.candidates,
        counts.accepted,
        counts.unknown,
        counts.unknown_prefix,
    ]) {
        varint::push(sum, &mut out);
    }
    sparse(&counts.rejected, &mut out);
    sparse(&counts.repaired, &mut out);
    varint::push(details.problems.inputs() as u64, &mut out);
    details.problems.each_input(|problems, more| {
        varint::push(problems.len() as u64, &mut out);
        varint::push(more, &mut out);
        for problem in problems {
            text(problem.path.as_os_str().as_encoded_bytes(), &mut out);
            text(problem.message.as_bytes(), &mut out);
            out.push(problem.code as u8 * 2 + u8::from(problem.misfit));
        }
    });
    let (omitted, last) = details.problems.omitted();
    varint::push(omitted, &mut out);
    text(last.as_os_str().as_encoded_bytes(), &mut out);
    varint::push(details.suspects.len() as u64, &mut out);
    for (cause, path, has_name) in &details.suspects {
        out.push(cause.index() as u8 * 2 + u8::from(*has_name));
        text(path.as_os_str().as_encoded_bytes(), &mut out);
    }
    varint::push(details.members.len() as u64, &mut out);
    details.members.iter().for_each(|member| text(member, &mut out));
    out
}

/// Decodes the output of [`encode`]. Returns None for other bytes.
pub(super) fn decode(mut bytes: &[u8]) -> Option<Details> {
    let bytes = &mut bytes;
    let mut details = Details::default();
    let counts = &mut details.counts;
    for sum in [
        &mut counts.files,
        &mut counts.planned,
        &mut counts.bytes,
        &mut counts.lost,
        &mut counts.candidates,
        &mut counts.accepted,
        &mut counts.unknown,
        &mut counts.unknown_prefix,
    ] {
        *sum = varint::take::<10>(bytes)?;
    }
    take_sparse(bytes, &mut counts.rejected)?;
    take_sparse(bytes, &mut counts.repaired)?;
    for _ in 0..varint::take::<10>(bytes)? {
        let (count, more) = (varint::take::<10>(bytes)?, varint::take::<10>(bytes)?);
        let mut problems = Vec::new();
        for _ in 0..count {
            let path = path(take_text(bytes)?);
            let message = String::from_utf8_lossy(take_text(bytes)?).into_owned();
            let kind = take_byte(bytes)?;
            let code = *ProblemCode::ALL.get(usize::from(kind / 2))?;
            let mut problem = Problem::new(&path, code, message);
            problem.misfit = kind % 2 == 1;
            problems.push(problem);
        }
        details.problems.add_input(problems, more);
    }
    details.problems.omit(varint::take::<10>(bytes)?, path(take_text(bytes)?));
    for _ in 0..varint::take::<10>(bytes)? {
        let kind = take_byte(bytes)?;
        let cause = *Cause::ALL.get(usize::from(kind / 2))?;
        details.suspects.push((cause, path(take_text(bytes)?), kind % 2 == 1));
    }
    for _ in 0..varint::take::<10>(bytes)? {
        details.members.push(take_text(bytes)?.to_vec());
    }
    bytes.is_empty().then_some(details)
}

fn path(bytes: &[u8]) -> PathBuf {
    doiscan_os::paths::path(bytes).into_owned()
}

/// Writes the nonzero counts with their indexes.
fn sparse(counts: &[u64], out: &mut Vec<u8>) {
    varint::push(counts.iter().filter(|count| **count > 0).count() as u64, out);
    for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        out.push(index as u8);
        varint::push(*count, out);
    }
}

fn take_sparse(bytes: &mut &[u8], counts: &mut [u64]) -> Option<()> {
    for _ in 0..varint::take::<10>(bytes)? {
        let index = take_byte(bytes)?;
        *counts.get_mut(usize::from(index))? = varint::take::<10>(bytes)?;
    }
    Some(())
}

fn text(text: &[u8], out: &mut Vec<u8>) {
    varint::push(text.len() as u64, out);
    out.extend_from_slice(text);
}

fn take_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = usize::try_from(varint::take::<10>(bytes)?).ok()?;
    let (text, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(text)
}

fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&byte, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use doiscan_core::doi::Reason;
    use doiscan_core::scan::Repairs;
    use doiscan_input::Document;
    use std::path::Path;

    #[test]
    fn details_come_back_and_no_cut_is_taken_for_a_whole() {
        let mut details = Details::default();
        details.counts.accept(Repairs::from_bits(3));
        details.counts.reject(Reason::NoSuffix);
        (details.counts.bytes, details.counts.planned) = (1 << 40, 1 << 41);
        for n in 0..7 {
            let code = ProblemCode::ALL[n];
            details.problems.push(Problem::new(Path::new("a!b"), code, format!("cut after {n}")));
        }
        details.problems.push(Problem::misfit(Path::new("c"), "no column"));
        details.suspects.push((Cause::Document(Document::Docx), "d".into(), true));
        details.suspects.push((Cause::Empty, "e".into(), false));
        details.members = vec![b"a!b".to_vec(), Vec::new()];
        let bytes = encode(&details);
        let found = decode(&bytes).expect("details");
        assert_eq!(found.counts, details.counts);
        assert_eq!(found.problems.clone().settle(), details.problems.settle());
        assert_eq!((found.suspects, found.members), (details.suspects, details.members));
        assert!((0..bytes.len()).all(|end| decode(&bytes[..end]).is_none()));
    }
}
