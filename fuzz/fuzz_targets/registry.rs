//! An index answers like a sorted set, and a changed byte or a cut is an error, never another answer.
//!
//! The first byte selects the damage, the others describe the names.

#![no_main]

use doiscan_fuzz::text::names;
use doiscan_os::io::Io;
use doiscan_registry::{Case, Encoder, Error, Registry};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;
use std::io::Write;

/// Opens an index with these bytes.
fn open(bytes: &[u8]) -> Result<Registry, Error> {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("written");
    Registry::open(file.path(), Io::READ)
}

/// The answers about a text.
fn answers(registry: &Registry, text: &[u8]) -> Result<(bool, Option<usize>, bool), Error> {
    Ok((registry.contains(text)?, registry.longest_prefix(text)?, registry.has_prefix(text)?))
}

fuzz_target!(|data: &[u8]| {
    let [place, data @ ..] = data else { return };
    let known: BTreeSet<Vec<u8>> = names(data).into_iter().collect();
    let mut encoder = Encoder::default();
    assert!(known.iter().all(|name| encoder.push(name)));
    let bytes = encoder.finish(Case::Upper);
    let registry = open(&bytes).expect("what was written");
    let texts = known
        .iter()
        .flat_map(|name| [&name[..], &name[..name.len() / 2], &data[..data.len().min(20)]]);
    let mut expected = Vec::new();
    for text in texts.clone().take(200) {
        let longest = (0..=text.len()).rev().find(|&length| known.contains(&text[..length]));
        let has_prefix =
            known.range(text.to_vec()..).next().is_some_and(|name| name.starts_with(text));
        let answer = (known.contains(text), longest, has_prefix);
        assert_eq!(answers(&registry, text).expect("sound"), answer);
        for near in registry.nearest(text, 3).expect("sound") {
            assert!(known.contains(&near.name));
        }
        expected.push(answer);
    }
    let at = usize::from(*place) * bytes.len() / 256;
    let mut changed = bytes.clone();
    changed[at] ^= 1 << (place % 8);
    for bytes in [&changed[..], &bytes[..at], data] {
        let Ok(registry) = open(bytes) else { continue };
        for (text, expected) in texts.clone().zip(&expected) {
            assert!(
                answers(&registry, text).is_err()
                    || answers(&registry, text).ok() == Some(*expected)
            );
        }
    }
});
