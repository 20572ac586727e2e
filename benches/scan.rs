//! Benchmarks scanning only, from memory, on one thread: no files, no deduplication, no output.
//!
//! Each text is 8 MiB, larger than the caches of one core, and every round checks that all DOIs
//! were found. Differences below five per cent mean little on a shared machine. To compare two
//! versions of a loop, count instructions with `valgrind --tool=callgrind`.

#![allow(missing_docs, reason = "criterion_group! makes a public function")]

mod text;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use doiscan::doi::Reason;
use doiscan::scan::{Match, Notation, Options, Scanner, Sink};
use std::hint::black_box;
use text::{Kind, Text};

#[derive(Default)]
struct Tally {
    accepted: u64,
    rejected: u64,
}

impl Sink for Tally {
    fn accept(&mut self, found: &Match<'_>) {
        black_box(found.doi);
        self.accepted += 1;
    }

    fn reject(&mut self, _start: usize, _reason: Reason) {
        self.rejected += 1;
    }
}

fn count(scanner: &mut Scanner, text: &[u8]) -> Tally {
    let mut tally = Tally::default();
    scanner.scan(text, 0..text.len(), Notation::default(), &mut tally);
    tally
}

fn everyday(c: &mut Criterion) {
    let mut group = c.benchmark_group("everyday");
    for name in ["prose", "json", "csv"] {
        let kind = Kind::named(name).expect("a kind of text");
        let (text, dois) = Text::make(kind, 8 * 1024 * 1024, 1);
        let mut scanner = Scanner::new(Options::default());
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| assert_eq!(count(&mut scanner, &text).accepted, dois, "{name}"));
        });
    }
    group.finish();
}

/// The cost per byte at 1 MiB and at 4 MiB, which is equal if the cost is linear.
fn hostile(c: &mut Criterion) {
    let mut group = c.benchmark_group("hostile");
    group.sample_size(10);
    for name in ["slashes", "dots", "parens", "suffix"] {
        let kind = Kind::named(name).expect("a kind of text");
        for mib in [1, 4] {
            let (text, _) = Text::make(kind, mib * 1024 * 1024, 1);
            let mut scanner = Scanner::new(Options::default());
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(BenchmarkId::new(name, mib), |b| {
                b.iter(|| {
                    let tally = count(&mut scanner, &text);
                    assert!(tally.accepted + tally.rejected <= text.len() as u64, "{name}");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, everyday, hostile);
criterion_main!(benches);
