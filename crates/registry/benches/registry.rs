//! Measures the index on seeded names in the shapes of real ones: bytes, building, opening,
//! lookups and suggestions, in seconds of processor time. Each answer is checked.
//!
//!   cargo bench -p doiscan-registry -- FOLDER NAMES
//!
//! FOLDER keeps the sorted names (`NAMES.txt`) and the index (`NAMES.doix`) for further runs.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a tool, not the library")]

use doiscan_os::io::command::MMAP;
use doiscan_registry::{Case, Encoder, Registry};
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo bench` and `cargo test` run every bench with their own flags.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let [folder, count] = args.as_slice() else {
        println!("usage: registry FOLDER NAMES");
        return Ok(());
    };
    let count: u64 = count.parse()?;
    let list = Path::new(folder).join(format!("{count}.txt"));
    let index = Path::new(folder).join(format!("{count}.doix"));
    if !list.exists() {
        write_list(&list, count)?;
    }
    build(&list, &index)?;
    let open = Instant::now();
    let registry = Registry::open(&index, MMAP)?;
    println!("open: {:.1} ms", open.elapsed().as_secs_f64() * 1e3);
    let known = known(&registry)?;
    lookups(&registry, &known)?;
    suggestions(&registry, &known)
}

/// Writes the distinct ones of `count` names in sorted order, one part after the other.
fn write_list(path: &Path, count: u64) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    for bounds in BOUNDS.windows(2) {
        let mut names: Vec<Box<[u8]>> = Vec::new();
        let mut text = Vec::with_capacity(80);
        for n in 0..count {
            text.clear();
            name(n, &mut text);
            if (bounds[0]..bounds[1]).contains(&&text[..]) {
                names.push(text.as_slice().into());
            }
        }
        names.sort_unstable();
        names.dedup();
        for name in names {
            out.write_all(&name)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(out.flush()?)
}

/// Builds the index from a list.
fn build(list: &Path, index: &Path) -> Result<(), Box<dyn Error>> {
    let mut reader = BufReader::with_capacity(1 << 20, File::open(list)?);
    let mut out = File::create(index)?;
    let (mut encoder, mut line, mut text) = (Encoder::default(), Vec::new(), 0);
    let begin = processor();
    while reader.read_until(b'\n', &mut line)? > 0 {
        text += line.len();
        line.pop();
        assert!(encoder.push(&line), "sorted");
        line.clear();
        out.write_all(&encoder.take(1 << 20))?;
    }
    let names = encoder.names() as f64;
    out.write_all(&encoder.finish(Case::Upper))?;
    let seconds = processor() - begin;
    let bytes = out.metadata()?.len() as f64;
    let peak = doiscan_os::memory::peak().unwrap_or(0) / (1024 * 1024);
    println!(
        "build: {names} names of {:.1} bytes, {:.2} bytes a name in the index, {:.2} M/s, peak {peak} MiB",
        text as f64 / names,
        bytes / names,
        names / seconds / 1e6
    );
    Ok(())
}

/// Number of lookups.
const LOOKUPS: u64 = 2_000_000;

/// Walks over all names, and returns every n-th, in random order.
fn known(registry: &Registry) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let begin = processor();
    let (mut walk, mut names, mut passed) = (registry.names(), 0, Vec::new());
    while let Some(name) = walk.next()? {
        if mix(names).is_multiple_of(4) && passed.len() < 4 * LOOKUPS as usize {
            passed.push((mix(names + 77), name.to_vec()));
        }
        names += 1;
    }
    rate("walk", names, begin);
    passed.sort_unstable();
    let known = passed.into_iter().cycle().take(LOOKUPS as usize);
    Ok(known.map(|(_, name)| name).collect())
}

/// Looks up known and unknown names in random order.
fn lookups(registry: &Registry, known: &[Vec<u8>]) -> Result<(), Box<dyn Error>> {
    for round in ["first", "warm"] {
        let begin = processor();
        let mut found = 0;
        for name in known {
            found += u64::from(registry.contains(name)?);
        }
        assert_eq!(found, LOOKUPS);
        rate(&format!("contains, known, {round}"), LOOKUPS, begin);
    }
    let texts: Vec<Vec<u8>> = known.iter().map(|name| [name, &b". See"[..]].concat()).collect();
    let begin = processor();
    for (text, name) in texts.iter().zip(known) {
        let prefix = registry.longest_prefix(text)?;
        assert!(prefix >= Some(name.len()));
    }
    rate("longest prefix", LOOKUPS, begin);
    let begin = processor();
    for text in &texts {
        black_box(registry.contains(text)?);
    }
    rate("contains, unknown", LOOKUPS, begin);
    let begin = processor();
    for name in known.iter().take(200_000) {
        black_box(registry.has_prefix(&name[..name.len() - 2])?);
    }
    rate("prefix", 200_000, begin);
    Ok(())
}

/// Corrects names with one and two typing errors, and names that are far from all.
fn suggestions(registry: &Registry, known: &[Vec<u8>]) -> Result<(), Box<dyn Error>> {
    const QUERIES: u64 = 5_000;
    for edits in [1, 2, 6] {
        let (mut queries, mut n) = (Vec::new(), 0);
        while queries.len() < QUERIES as usize {
            n += 1;
            let name = &known[(mix(n * 31 + edits) % LOOKUPS) as usize];
            let damaged = (0..edits).fold(name.clone(), |text, e| damaged(&text, mix(n * 7 + e)));
            if !registry.contains(&damaged)? {
                queries.push((name, damaged));
            }
        }
        let begin = processor();
        let (mut first, mut any, mut none) = (0, 0, 0);
        for (name, query) in &queries {
            let head = query.iter().position(|&b| b == b'/').map_or(0, |at| at + 1);
            let near = registry.nearest(query, head)?;
            first += u64::from(near.first().is_some_and(|near| near.name == **name));
            any += u64::from(near.iter().any(|near| near.name == **name));
            none += u64::from(near.is_empty());
        }
        rate(
            &format!("nearest, {edits} edits ({first} first, {any} among three, {none} without)"),
            QUERIES,
            begin,
        );
    }
    Ok(())
}

fn rate(what: &str, count: u64, begin: f64) {
    println!("{what}: {:.0} a second", count as f64 / (processor() - begin));
}

/// Seconds that this thread has run, whatever else the machine does; where that is unknown, seconds
/// since the first call.
fn processor() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let known = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = known.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| BEGIN.elapsed().as_secs_f64(), |n| n / 1e9)
}

/// One typing error after the first 8 bytes.
fn damaged(name: &[u8], seed: u64) -> Vec<u8> {
    let mut name = name.to_vec();
    let at = 8 + (seed >> 8) as usize % (name.len() - 9);
    match seed % 6 {
        0 => drop(name.remove(at)),
        1 => name.insert(at, name[at]),
        2 => name.swap(at, at + 1),
        3 => name[at] = b'0' + (seed >> 32) as u8 % 10,
        4 => name[at] = b'A' + (seed >> 32) as u8 % 26,
        _ => match name.iter().rposition(|&b| b == b'0') {
            Some(zero) => drop(name.remove(zero)),
            None => name.insert(at, b'0'),
        },
    }
    name
}

/// The bounds of parts that are sorted one after the other.
const BOUNDS: [&[u8]; 9] = [
    b"",
    b"10.1007",
    b"10.1016/J.F",
    b"10.1016/J.K",
    b"10.1016/J.P",
    b"10.1016/J.U",
    b"10.1016/K",
    b"10.1080",
    b"11",
];

/// Shapes of names, and their shares in 1,000. `#` is a digit, `@` a letter, `j` the code of one of
/// 20,000 journals, `y` a year, `m` a month, and `n` one of 250 articles.
const SHAPES: [(u64, &[u8]); 13] = [
    (600, b"10.1016/J.j.y.m.n"),
    (80, b"10.1007/S1####-0##-####-#"),
    (20, b"10.1007/978-3-###-#####-#_##"),
    (60, b"10.1002/j.y####"),
    (3, b"10.1002/(SICI)####-####(199###)##:#<###::AID-j##>3.0.CO;2-@"),
    (47, b"10.1080/########.y.######"),
    (40, b"10.1016/S####-####(##)#####-#"),
    (30, b"10.1021/ACS.j.#@#####"),
    (30, b"10.1038/S4####-0##-0####-#"),
    (20, b"10.1371/JOURNAL.PONE.#######"),
    (20, b"10.5281/ZENODO.#######"),
    (40, b"10.2####/j-y-@@##"),
    (10, b"10.####/@@-####"),
];

/// Appends the `n`-th name.
fn name(n: u64, out: &mut Vec<u8>) {
    let (mut seed, mut share) = (mix(n), mix(n) % 1000);
    let fits = |shape: &&(u64, &[u8])| match share.checked_sub(shape.0) {
        Some(rest) => {
            share = rest;
            false
        }
        None => true,
    };
    let (_, pattern) = SHAPES.iter().find(fits).unwrap_or(&SHAPES[0]);
    for &byte in *pattern {
        seed = mix(seed);
        match byte {
            b'#' => out.push(b'0' + (seed % 10) as u8),
            b'@' => out.push(b'A' + (seed % 26) as u8),
            b'j' => {
                let mut code = mix(seed % 20_000);
                for _ in 0..3 + code % 4 {
                    code /= 7;
                    out.push(b'A' + (code % 26) as u8);
                }
            }
            b'y' => number(1996 + seed % 29, 4, out),
            b'm' => number(1 + seed % 12, 2, out),
            b'n' => number(1 + seed % 250, 3, out),
            other => out.push(other),
        }
    }
}

fn number(number: u64, digits: u32, out: &mut Vec<u8>) {
    out.extend((0..digits).rev().map(|place| b'0' + (number / 10_u64.pow(place) % 10) as u8));
}

fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
