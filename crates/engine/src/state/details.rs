//! The results of an input, other than its identity, as its line in the catalogue has them.
//!
//! Only a run with the same rules and options reads them, so numbers stand for problems and causes.

use super::data::{Bytes, Name};
use crate::figures::{Cause, Counts};
use crate::reading::Details;
use doiscan_input::problem::{Problem, ProblemCode};
use serde::{Deserialize, Serialize};

/// A problem: its path, message and code, and whether the input lacks only what was requested.
type Fault = (Name, String, usize, bool);

/// The encoded results of an input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Encoded {
    sums: [u64; 8],
    /// The counts that are not zero, with their places.
    rejected: Vec<(usize, u64)>,
    repaired: Vec<(usize, u64)>,
    /// The first problems of each input in it, and the number of the others.
    problems: Vec<(Vec<Fault>, u64)>,
    omitted: (u64, Name),
    suspects: Vec<(usize, Name, bool)>,
    members: Vec<Bytes>,
}

/// The counts that are single numbers.
fn sums(counts: &mut Counts) -> [&mut u64; 8] {
    let Counts {
        files, planned, bytes, lost, candidates, accepted, unknown, unknown_prefix, ..
    } = counts;
    [files, planned, bytes, lost, candidates, accepted, unknown, unknown_prefix]
}

/// Encodes the results of an input.
pub(super) fn encode(details: &Details) -> Encoded {
    let counts = &details.counts;
    let sparse = |counts: &[u64]| {
        counts.iter().copied().enumerate().filter(|(_, count)| *count > 0).collect()
    };
    let mut problems = Vec::new();
    details.problems.each_input(|first, more| {
        let encoded = |problem: &Problem| {
            let Problem { path, message, code, misfit, .. } = problem.clone();
            (Name(path), message, code as usize, misfit)
        };
        problems.push((first.iter().map(encoded).collect(), more));
    });
    let (omitted, last) = details.problems.omitted();
    let suspects = details.suspects.iter();
    Encoded {
        sums: sums(&mut counts.clone()).map(|sum| *sum),
        rejected: sparse(&counts.rejected),
        repaired: sparse(&counts.repaired),
        problems,
        omitted: (omitted, Name(last.to_path_buf())),
        suspects: suspects
            .map(|(cause, path, is)| (cause.index(), Name(path.clone()), *is))
            .collect(),
        members: details.members.iter().cloned().map(Bytes).collect(),
    }
}

/// Decodes the output of [`encode`]. Returns None if it was made by other rules.
pub(super) fn decode(encoded: Encoded) -> Option<Details> {
    let mut details = Details::default();
    let counts = &mut details.counts;
    sums(counts).into_iter().zip(encoded.sums).for_each(|(to, sum)| *to = sum);
    for (place, count) in encoded.rejected {
        *counts.rejected.get_mut(place)? = count;
    }
    for (place, count) in encoded.repaired {
        *counts.repaired.get_mut(place)? = count;
    }
    for (first, more) in encoded.problems {
        let decoded = |(Name(path), message, code, misfit): Fault| {
            let mut problem = Problem::new(&path, *ProblemCode::ALL.get(code)?, message);
            problem.misfit = misfit;
            Some(problem)
        };
        let first = first.into_iter().map(decoded).collect::<Option<_>>()?;
        details.problems.add_input(first, more);
    }
    let (omitted, Name(last)) = encoded.omitted;
    details.problems.omit(omitted, last);
    for (cause, Name(path), has_name) in encoded.suspects {
        details.suspects.push((*Cause::ALL.get(cause)?, path, has_name));
    }
    details.members = encoded.members.into_iter().map(|Bytes(member)| member).collect();
    Some(details)
}

#[cfg(test)]
mod tests {
    use super::*;
    use doiscan_core::doi::Reason;
    use doiscan_core::scan::Repairs;
    use doiscan_input::Document;
    use std::path::Path;

    #[test]
    fn details_come_back_as_they_were() {
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
        let line = serde_json::to_string(&encode(&details)).expect("a line");
        let encoded: Encoded = serde_json::from_str(&line).expect("encoded");
        let found = decode(encoded.clone()).expect("details");
        assert_eq!(found.counts, details.counts);
        assert_eq!(found.problems.clone().settle(), details.problems.settle());
        assert_eq!((found.suspects, found.members), (details.suspects, details.members));
        for place in [Reason::ALL.len(), usize::MAX] {
            assert!(decode(Encoded { rejected: vec![(place, 1)], ..encoded.clone() }).is_none());
            let suspects = vec![(place, Name::default(), true)];
            assert!(decode(Encoded { suspects, ..encoded.clone() }).is_none());
        }
    }
}
