//! Writes the inputs of `scripts/bench`. The same seed gives the same bytes.
//!
//! Not a measurement. It is a bench because the micro-benchmarks use the same text.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a tool, not the library")]

mod text;

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use text::{Kind, Text};

const USAGE: &str = "\
usage: generate KIND BYTES SEED FILE           write one file of at least BYTES
       generate KIND BYTES SEED FOLDER COUNT   write COUNT files of BYTES each
KIND is prose, json, escaped, references, csv, citations, slashes, dots, parens, suffix or distinct; prints `bytes dois`";

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo bench` and `cargo test` run every bench with their own flags.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let (kind, size, seed, path) = match args.as_slice() {
        [] => {
            println!("{USAGE}");
            return Ok(());
        }
        [kind, size, seed, path, ..] => (kind, size.parse()?, seed.parse()?, Path::new(path)),
        _ => return Err(USAGE.into()),
    };
    let kind = Kind::named(kind).ok_or(USAGE)?;
    let (bytes, dois) = match args.get(4) {
        Some(count) => folder(kind, size, seed, path, count.parse()?)?,
        None => file(kind, size, seed, path)?,
    };
    println!("{bytes} {dois}");
    Ok(())
}

fn file(kind: Kind, size: u64, seed: u64, path: &Path) -> io::Result<(u64, u64)> {
    let mut text = Text::new(kind, size, seed);
    let mut file = File::create(path)?;
    let mut buffer = Vec::with_capacity(2 * 1024 * 1024);
    let mut bytes = 0;
    while bytes < size {
        text.extend(&mut buffer);
        if buffer.len() >= 1024 * 1024 || bytes + buffer.len() as u64 >= size {
            file.write_all(&buffer)?;
            bytes += buffer.len() as u64;
            buffer.clear();
        }
    }
    Ok((bytes, text.dois))
}

/// Writes a thousand files to each sub-folder. Every file ends at the end of a record.
fn folder(kind: Kind, size: u64, seed: u64, path: &Path, count: u64) -> io::Result<(u64, u64)> {
    let mut text = Text::new(kind, size * count, seed);
    let mut buffer = Vec::new();
    let mut bytes = 0;
    for i in 0..count {
        let parent = path.join(format!("{:03}", i / 1000));
        if i % 1000 == 0 {
            fs::create_dir_all(&parent)?;
        }
        buffer.clear();
        while (buffer.len() as u64) < size {
            text.extend(&mut buffer);
        }
        fs::write(parent.join(format!("{i:06}.txt")), &buffer)?;
        bytes += buffer.len() as u64;
    }
    Ok((bytes, text.dois))
}
