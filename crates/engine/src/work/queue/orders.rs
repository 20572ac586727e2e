//! Many orders of the threads that share the queue and the ranges decoded ahead. A thread that waits for ever fails the test.

#![expect(clippy::disallowed_methods, reason = "tests make files")]

use super::super::prefetch::Prefetch;
use super::tests::block;
use super::*;
use doiscan_input::{Codec, Io, Limits, Meter, Opened, Split, probe};
use shuttle::thread;
use std::io::{Read, Write};
use std::sync::LazyLock;

const ORDERS: usize = 20_000;
const WORKERS: usize = 2;

static UNITS: LazyLock<Units> = LazyLock::new(Units::default);

fn every_order(test: impl Fn() + Send + Sync + 'static) {
    let test = Arc::new(test);
    let same = Arc::clone(&test);
    shuttle::check_random(move || same(), ORDERS);
    shuttle::check_pct(move || test(), ORDERS, 3);
}

/// Works until the queue is empty. Returns the number of blocks.
fn work(queue: &Queue<'_>, mut finished: Finished) -> usize {
    let mut blocks = 0;
    while let Some(piece) = queue.next(finished) {
        finished = Finished::Work;
        match piece {
            Work::Decode(task) => task.run(),
            Work::Block(_) => {
                blocks += 1;
                finished = Finished::Block;
                queue.recycle(Block::default());
            }
            _ => unreachable!("no other piece was added"),
        }
    }
    blocks
}

/// Runs `reader`, which has an input, beside idle workers. Returns the sum of what all of them did.
fn beside_workers(reader: impl FnOnce(&Queue<'_>) -> usize + Send + 'static) -> usize {
    let queue = Arc::new(Queue::new(&UNITS, None));
    lock(&queue.state).working += 1;
    let start = |queue: &Arc<Queue<'static>>| {
        let queue = Arc::clone(queue);
        thread::spawn(move || work(&queue, Finished::Nothing))
    };
    let workers: Vec<_> = (0..WORKERS).map(|_| start(&queue)).collect();
    let own = reader(&queue);
    let mut done = vec![work(&queue, Finished::Work)];
    done.extend(workers.into_iter().map(|worker| worker.join().expect("no panic")));
    let state = lock(&queue.state);
    assert_eq!((state.working, state.scanning, state.waiting), (0, 0, 0));
    own + done.into_iter().sum::<usize>()
}

/// Offers blocks. Returns the number of those that no worker takes, which the reader scans itself.
fn offer(queue: &Queue<'_>, blocks: usize) -> usize {
    (0..blocks).filter(|_| queue.offer(block()).is_err()).count()
}

#[test]
fn each_block_is_scanned_once() {
    every_order(|| assert_eq!(beside_workers(|queue| offer(queue, 5)), 5));
}

#[test]
fn a_closed_queue_ends_all_workers() {
    every_order(|| {
        let blocks = beside_workers(|queue| {
            let own = offer(queue, 3);
            queue.close();
            assert_eq!(offer(queue, 1), 1);
            own
        });
        assert!(blocks <= 3);
    });
}

/// A gzip file of many members, and its content.
fn members() -> (Arc<Opened>, Vec<u8>) {
    let (mut packed, mut plain) = (Vec::new(), Vec::new());
    for index in 0..6_u8 {
        let text = [index; 40];
        let mut encoder = flate2::write::GzEncoder::new(packed, flate2::Compression::none());
        encoder.write_all(&text).expect("write");
        packed = encoder.finish().expect("finish");
        plain.extend(text);
    }
    let file = tempfile::NamedTempFile::new().expect("file");
    std::fs::write(&file, packed).expect("write");
    let unit = probe(file.path()).expect("probe");
    (Arc::new(Opened::open(&unit, Io::READ).expect("open")), plain)
}

#[test]
fn ranges_decoded_ahead_give_the_bytes_of_one_decoder() {
    static FILE: LazyLock<(Arc<Opened>, Vec<u8>)> = LazyLock::new(members);
    every_order(|| {
        beside_workers(|queue| {
            let split =
                Split::with_step(&FILE.0, Codec::Gzip, 64).expect("read").expect("many members");
            let meter = Meter::new(Limits::default());
            let mut read = Vec::new();
            Prefetch::new(queue, 3, meter, split).read_to_end(&mut read).expect("sound");
            assert!(read == FILE.1);
            0
        });
    });
}
