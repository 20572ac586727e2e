//! A file cut where members may begin gives the same result as one decoder that reads the file
//! sequentially: the same bytes and the same error.
//!
//! The first two bytes select the codec and the size of segments. The others are a script of
//! pieces: sound members, magic numbers without a member, zeros and arbitrary bytes. The script may
//! also change one byte of the result.

#![no_main]

use doiscan_fuzz::unpacked::{limits, read};
use doiscan_input::{Codec, Decoder, Input, Meter, Opened, Section, Split, probe};
use doiscan_input::{Io, Limits};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

const CODECS: [Codec; 3] = [Codec::Gzip, Codec::Bzip2, Codec::Zstd];

/// Disables the limits on bombs, because the point at which a bomb is reported depends on the
/// amount of buffered data.
fn unlimited() -> Limits {
    let mut limits = limits();
    (limits.ratio, limits.size) = (u64::MAX, u64::MAX);
    limits
}

/// Ten bytes compressed with bzip2.
const BZIP2: &[u8] = b"\
    \x42\x5a\x68\x31\x31\x41\x59\x26\x53\x59\xe5\xff\x26\x64\x00\
    \x00\x03\x19\x00\x00\x01\xe0\x00\x30\x00\x20\x00\x21\x80\x0c\
    \x01\x88\x82\xd2\xee\x2e\xe4\x8a\x70\xa1\x21\xcb\xfe\x4c\xc8";

/// The decoded bytes, and the error that follows them.
type Given = (Vec<u8>, Option<String>);

/// Appends a member that stores `bytes` uncompressed.
fn member(codec: Codec, bytes: &[u8], packed: &mut Vec<u8>) {
    let len = (bytes.len() as u16).to_le_bytes();
    match codec {
        Codec::Gzip => {
            packed.extend(b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01");
            packed.extend(len);
            packed.extend(len.map(|byte| !byte));
            packed.extend(bytes);
            packed.extend(crc32(bytes).to_le_bytes());
            packed.extend((bytes.len() as u32).to_le_bytes());
        }
        Codec::Zstd => {
            packed.extend(b"\x28\xb5\x2f\xfd\x20");
            packed.push(len[0]);
            packed.extend(&((u32::from(len[0]) << 3) | 1).to_le_bytes()[..3]);
            packed.extend(bytes);
        }
        _ => packed.extend(BZIP2),
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| bit(crc)))
}

/// Builds the file that the script describes.
fn written(codec: Codec, mut script: &[u8]) -> Vec<u8> {
    let (mut packed, mut change) = (Vec::new(), None);
    while let [what, len, rest @ ..] = script {
        let (bytes, behind) = rest.split_at(rest.len().min(usize::from(*len)));
        script = behind;
        match what % 8 {
            0..=3 => member(codec, bytes, &mut packed),
            4 => match codec {
                Codec::Gzip => packed.extend(b"\x1f\x8b\x08\0\0\0\0\0\0\x03"),
                Codec::Bzip2 => packed.extend(b"BZh91AY&SY"),
                _ => packed.extend(b"\x28\xb5\x2f\xfd"),
            },
            5 => packed.resize(packed.len() + usize::from(what / 8), 0),
            6 => packed.extend(bytes),
            _ => change = bytes.first_chunk::<3>().copied(),
        }
    }
    if let Some([high, low, with]) = change
        && !packed.is_empty()
    {
        let at = usize::from(u16::from_be_bytes([high, low])) % packed.len();
        packed[at] ^= with;
    }
    packed
}

/// Decodes all of `file` with one decoder.
fn serial(file: &Arc<Opened>, codec: Codec) -> Given {
    let meter = Meter::new(unlimited());
    let all = Section::new(Arc::clone(file), 0..file.size(), meter.clone());
    let mut decoder = Decoder::new(codec, Input::new(all), meter, unlimited().window);
    let (bytes, error) = read(&mut decoder, 1 << 12);
    (bytes, error.map(|error| error.to_string()))
}

/// Decodes `file` in segments. Each segment is decoded from its cut before it is known whether a
/// member begins there. Returns None if the file is not cut.
fn ahead(file: &Arc<Opened>, codec: Codec, step: u64) -> Option<Given> {
    let mut split = Split::with_step(file, codec, step).expect("a file")?;
    let meter = Meter::new(unlimited());
    let (mut at, mut members, mut all) = (0, 0, Vec::new());
    while let Some(segment) = split.next(&meter).expect("a file") {
        let guessed = segment.decode();
        if segment.until <= at {
            continue;
        }
        let here = segment.moved(at, segment.until);
        let found = if segment.start == at { guessed } else { here.decode() };
        let Some(found) = found else {
            let (bytes, error) = read(&mut here.rest(members), 1 << 12);
            all.extend(bytes);
            return Some((all, error.map(|error| error.to_string())));
        };
        assert!(found.end > at, "a segment that goes nowhere");
        (at, members) = (found.end, members + found.members);
        all.extend(found.bytes);
    }
    assert!(at == file.size(), "{at} of {} bytes", file.size());
    Some((all, None))
}

/// Removes the part of a message that depends on the chunk size: the bzip2 decoder consumes more
/// bytes than it has examined if they are available.
fn placed(codec: Codec, error: Option<String>) -> Option<String> {
    let error = error?;
    match error.split_once(" at byte ") {
        Some((before, behind)) if codec == Codec::Bzip2 => {
            Some(format!("{before}{}", behind.trim_start_matches(|c: char| c.is_ascii_digit())))
        }
        _ => Some(error),
    }
}

fuzz_target!(|data: &[u8]| {
    let [codec, step, script @ ..] = data else { return };
    let codec = CODECS[usize::from(*codec) % CODECS.len()];
    let packed = written(codec, script);
    let path = std::env::temp_dir().join(format!("doiscan-fuzz-{}", std::process::id()));
    std::fs::write(&path, &packed).expect("a file");
    let unit = probe(&path).expect("a file");
    let Ok(file) = Opened::open(&unit, Io::READ).map(Arc::new) else { return };
    let Some((bytes, error)) = ahead(&file, codec, u64::from(*step)) else { return };
    let (whole, fault) = serial(&file, codec);
    let (error, fault) = (placed(codec, error), placed(codec, fault));
    assert!(error == fault, "{codec:?}: {error:?} where one decoder says {fault:?}\n{packed:x?}");
    assert!(bytes == whole, "{codec:?}: {} bytes of {}", bytes.len(), whole.len());
});
