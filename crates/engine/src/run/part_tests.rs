//! Tests of scans of parts of a file.

use super::run;
use crate::plan::Plan;
use crate::plan::report::Report;
use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;

/// Scans a part of a file, or all of it, and returns the list and the report.
fn scan(file: &Path, part: Option<Range<u64>>) -> (BTreeSet<String>, Report) {
    let output = file.with_extension("list");
    let mut plan = Plan {
        output: Some(output.clone()),
        inputs: vec![file.to_path_buf()],
        threads: NonZeroUsize::new(2),
        chunk: NonZeroUsize::new(20_000).expect("not zero"),
        part,
        ..Plan::default()
    };
    plan.gates.allow_empty = true;
    let report = run(&plan, &()).expect("a list");
    (fs::read_to_string(output).expect("read").lines().map(str::to_owned).collect(), report)
}

#[test]
fn parts_of_a_text_have_its_names_and_its_figures_once() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("in");
    let lines = (0..9_000).map(|n| format!("see 10.{}/{n}. v10.1234/x\n", 1000 + n % 90));
    fs::write(&path, lines.collect::<String>()).expect("write");
    let (expected, whole) = scan(&path, None);
    let size = fs::metadata(&path).expect("metadata").len();
    for step in [7_777, 50_000, size] {
        let (mut names, mut figures) = (BTreeSet::new(), [0; 4]);
        for start in (0..size).step_by(step as usize) {
            // The last part ends after the file.
            let (found, report) = scan(&path, Some(start..start + step));
            names.extend(found);
            let counts = &report.stats.counts;
            let part = [counts.files, counts.bytes, counts.accepted, counts.rejected_total()];
            figures.iter_mut().zip(part).for_each(|(sum, figure)| *sum += figure);
        }
        let counts = &whole.stats.counts;
        let once = [1, size, counts.accepted, counts.rejected_total()];
        assert_eq!((&names, figures), (&expected, once), "{step}");
    }
}
