//! Measures the minimum cost of a scan of compressed files: every thread takes files, or parts of
//! archives, and decodes them with the readers of `doiscan` into an unused buffer.
//! `lab/bench-packed` compares `doiscan` with it.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a tool, not the library")]

use doiscan::pipeline::{Io, Limits, Select};
use doiscan::quality::Problem;
use doiscan_input::{
    Archive, HEAD, InputName, Meter, Opened, Own, Packing, Request, Section, Visit, list, unpack,
};
use std::error::Error;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The piece of work that a thread takes.
enum Piece {
    File(Arc<Opened>, PathBuf),
    Part(Arc<Archive>, usize),
}

/// Counts bytes.
struct Count(u64, Vec<u8>);

impl Visit for Count {
    fn input(&mut self, _: &InputName, bytes: &mut dyn Read) {
        while let Ok(n @ 1..) = bytes.read(&mut self.1) {
            self.0 += n as u64;
        }
    }

    fn problem(&mut self, problem: Problem) {
        println!("{problem}");
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo bench` and `cargo test` run every bench with their own flags.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let Some(path) = args.first() else {
        println!("usage: decode PATH [THREADS]; prints how many bytes PATH unpacks to");
        return Ok(());
    };
    let threads: usize = args.get(1).map_or(Ok(2), |n| n.parse())?;
    println!("{}", decode(&pieces(Path::new(path))?, threads));
    Ok(())
}

fn pieces(path: &Path) -> Result<Vec<Piece>, Box<dyn Error>> {
    let (inputs, select, own) = ([path.to_path_buf()], Select::default(), Own::default());
    let request = Request { inputs: &inputs, lists: &[], select: &select, own: &own };
    let mut listing = list(&request)?;
    let probed = listing.found.iter().map(|&file| listing.probe(file)).collect();
    listing.add(probed, &own);
    let mut pieces = Vec::new();
    for unit in (0..listing.units.len()).filter_map(|index| listing.units.get(index)) {
        let path = unit.path.clone();
        let file = Arc::new(Opened::open(&unit, Io::READ).map_err(|p| p.to_string())?);
        let (meter, packing) =
            (Meter::new(Limits::default()), Packing::of(&file.head(HEAD).expect("a head")));
        let mut count = Count(0, Vec::new());
        match Archive::index(&file, packing, &meter, 2 << 20, &mut count) {
            Some(archive) => {
                let archive = Arc::new(archive);
                let parts = 0..archive.parts().len();
                pieces.extend(parts.map(|part| Piece::Part(Arc::clone(&archive), part)));
            }
            None => pieces.push(Piece::File(file, path)),
        }
    }
    Ok(pieces)
}

fn decode(pieces: &[Piece], threads: usize) -> u64 {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut count = Count(0, vec![0; 256 * 1024]);
        while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            match piece {
                Piece::Part(archive, part) => archive.read(&archive.parts()[*part], &mut count),
                Piece::File(file, path) => {
                    let meter = Meter::new(Limits::default());
                    let all = Section::new(Arc::clone(file), 0..file.size(), meter.clone());
                    unpack(all, &InputName::new(path), &meter, &mut count);
                }
            }
        }
        count.0
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or(0)).sum()
    })
}
