//! Measures the minimum cost of a scan: every thread searches its share of the mapped file for
//! `10.` and counts the matches. `scripts/bench` compares `doiscan` with it.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a tool, not the library")]

use memchr::memmem::Finder;
use memmap2::Mmap;
use std::error::Error;
use std::fs::File;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pages are mapped one chunk at a time by a single call, which costs less than a fault for every
/// 64 KB.
const CHUNK: usize = 2 * 1024 * 1024;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo bench` and `cargo test` run every bench with their own flags.
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
        // A match that begins in this chunk may end in the next.
        let end = map.len().min(start + CHUNK + 2);
        // Advice only: if it fails, pages are mapped on first access.
        #[cfg(target_os = "linux")]
        let _ = map.advise_range(memmap2::Advice::PopulateRead, start, end - start);
        count += finder.find_iter(&map[start..end]).count();
    }
}
