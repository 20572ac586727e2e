//! End-to-end conservation: all names inserted in random notations and containers are found, and no
//! others.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::shell;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;

/// Pseudorandom numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// Generates a name. Names are distinct, because each contains `number`.
    fn name(&mut self, number: usize) -> String {
        let registrant = 1_000 + self.below(80_000);
        let mut name = format!("10.{registrant}/");
        for _ in 0..self.below(4) {
            let piece =
                ["j.cell", "S0140-6736", "978-3", "(19)", "a_b", "Xy", "v1.", "1/2", "journal:"];
            name.push_str(self.of(&piece));
        }
        name.push_str(&format!("{number:x}"));
        name
    }
}

/// Writes `name` in one of many notations.
fn write(random: &mut Random, name: &str, out: &mut String) {
    let words = random.of(&["see", "Title of a work,", "vol. 12 (2019)", "text;", ""]);
    let name = if random.below(3) == 0 { name.to_ascii_uppercase() } else { name.to_owned() };
    let entities = name.replace('/', "&#x2F;").replace('(', "&#40;").replace(')', "&#41;");
    let percent =
        name.replace('/', "%2F").replace('(', "%28").replace(')', "%29").replace(':', "%3A");
    let tex = name.replace('_', "\\_");
    out.push_str(&match random.below(14) {
        0 => format!("{words} {name} {words}\n"),
        1 => format!("{words} doi:{name}, and\n"),
        2 => format!("{words} https://doi.org/{name}\n"),
        3 => format!("{words} http://dx.doi.org/{percent}\n"),
        4 => format!("{{\"t\":\"{words}\",\"DOI\":\"{}\"}}\n", name.replace('/', "\\/")),
        5 => format!("{{\"doi\": \"{}\"}}\n", name.replace('/', "\\u002F")),
        6 => format!("<x>{words}</x><doi>{name}</doi>\n"),
        7 => format!("<p>{words} <a href=\"https://doi.org/{entities}\">x</a></p>\n"),
        8 => format!("@article{{k,\n  doi = {{{tex}}},\n  title = {{{words}}}\n}}\n"),
        9 => format!("\"{words}\",\"{name}\",2019\n"),
        10 => format!("({words} {name})\n"),
        11 => format!("DO  - {name}\nER  - \n"),
        12 => format!("[{words}](https://doi.org/{})\n", percent),
        _ => format!("{{\"s\":\"{{\\\"doi\\\":\\\"{}\\\"}}\"}}\n", name.replace('/', "\\\\\\/")),
    });
}

/// Compresses `bytes` in some format. Returns the result and its suffix.
fn compressed(random: &mut Random, bytes: &[u8]) -> (Vec<u8>, &'static str) {
    let out = Vec::new();
    match random.below(5) {
        0 => (bytes.to_vec(), ""),
        1 => {
            let half = bytes.len() / 2;
            let members = [&bytes[..half], &bytes[half..]].map(|part| {
                let mut writer =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                writer.write_all(part).expect("write");
                writer.finish().expect("gzip")
            });
            (members.concat(), ".gz")
        }
        2 => {
            let mut writer = bzip2::write::BzEncoder::new(out, bzip2::Compression::fast());
            writer.write_all(bytes).expect("write");
            (writer.finish().expect("bzip2"), ".bz2")
        }
        3 => {
            let mut writer = liblzma::write::XzEncoder::new(out, 0);
            writer.write_all(bytes).expect("write");
            (writer.finish().expect("xz"), ".xz")
        }
        _ => (zstd::encode_all(bytes, 1).expect("zstd"), ".zst"),
    }
}

/// Packs files of inserted names into archives, some of them nested, and returns the names.
fn plant(seed: u64, names: usize, folder: &std::path::Path) -> BTreeSet<String> {
    let mut random = Random(seed);
    let mut planted = BTreeSet::new();
    let (mut number, mut archives) = (0, 0);
    let mut inner: Option<Vec<u8>> = None;
    while number < names {
        let mut archive = tar::Builder::new(Vec::new());
        let mut add = |path: String, bytes: &[u8]| {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, path, bytes).expect("a member");
        };
        if let Some(bytes) = inner.take() {
            add("inner.tar".to_owned(), &bytes);
        }
        for member in 0..1 + random.below(12) {
            let mut text = String::new();
            for _ in 0..random.below(400).min((names - number) as u64) {
                let name = random.name(number);
                write(&mut random, &name, &mut text);
                planted.insert(name.to_ascii_uppercase());
                number += 1;
            }
            let (bytes, suffix) = compressed(&mut random, text.as_bytes());
            add(format!("m{member}.txt{suffix}"), &bytes);
        }
        let bytes = archive.into_inner().expect("an archive");
        if random.below(3) == 0 && number < names {
            inner = Some(bytes);
            continue;
        }
        let (bytes, suffix) = compressed(&mut random, &bytes);
        fs::write(folder.join(format!("a{archives:05}.tar{suffix}")), bytes).expect("write");
        archives += 1;
    }
    planted
}

/// Scans the inserted names in several ways.
fn conserved(seed: u64, names: usize, ways: &[&str]) {
    let folder = tempfile::tempdir().expect("folder");
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("folder");
    let planted = plant(seed, names, &data);
    assert_eq!(planted.len(), names);
    for flags in ways {
        let (status, list, err) =
            shell(folder.path(), &format!("$D scan -q --max-depth 64 {flags} data"));
        assert_eq!((status, err.as_str()), (Some(0), ""), "seed {seed} {flags}");
        let found: BTreeSet<String> = list.lines().map(str::to_owned).collect();
        let lost: Vec<_> = planted.difference(&found).take(5).collect();
        let invented: Vec<_> = found.difference(&planted).take(5).collect();
        assert!(
            lost.is_empty() && invented.is_empty(),
            "seed {seed} {flags}: {lost:?} {invented:?}"
        );
    }
}

#[test]
fn planted_names_are_all_found_and_no_others() {
    for seed in 1..=3 {
        conserved(seed, 3_000, &["-j 1", "-j 3 --chunk-size 1000 --io read"]);
    }
}

#[test]
#[ignore = "a million names take a minute"]
fn a_million_planted_names_are_all_found_and_no_others() {
    conserved(4, 1_000_000, &["-j 1", "-j 2 -S 16M", "-j 8 --chunk-size 5000"]);
}
