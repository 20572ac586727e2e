//! The least that a scan can cost: every thread looks for `10.` in its share of
//! the mapped file, and the places are counted. `scripts/bench` measures
//! `doiscan` against it.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a tool, not the library")]

use memchr::memmem::Finder;
use memmap2::Mmap;
use std::error::Error;
use std::fs::File;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pages are mapped a chunk at a time by one call, which costs less than a
/// fault for every 64 KB.
const CHUNK: usize = 2 * 1024 * 1024;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo bench` and `cargo test` run every bench with flags of their own.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let Some(path) = args.first() else {
        println!("usage: sweep FILE [THREADS]; prints how often `10.` stands in FILE");
        return Ok(());
    };
    let threads: usize = args.get(1).map_or(Ok(2), |n| n.parse())?;
    println!("{}", sweep(&map(&File::open(path)?)?, threads));
    Ok(())
}

#[expect(unsafe_code, reason = "to map is what is measured")]
fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: the file was made for this measurement and nothing else writes to it.
    unsafe { Mmap::map(file) }
}

fn sweep(map: &Mmap, threads: usize) -> usize {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| worker(map, &next))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or(0)).sum()
    })
}

fn worker(map: &Mmap, next: &AtomicUsize) -> usize {
    let finder = Finder::new(b"10.");
    let mut count = 0;
    loop {
        let start = next.fetch_add(CHUNK, Ordering::Relaxed);
        if start >= map.len() {
            return count;
        }
        // What begins in this chunk may end in the next.
        let end = map.len().min(start + CHUNK + 2);
        // Only a wish: without it the pages are mapped as they are touched.
        #[cfg(target_os = "linux")]
        let _ = map.advise_range(memmap2::Advice::PopulateRead, start, end - start);
        count += finder.find_iter(&map[start..end]).count();
    }
}
