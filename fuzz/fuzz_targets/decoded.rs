//! A mail gives the same text for any input chunk size and read size, and decoding terminates.
//!
//! The first two bytes select the sizes, the others are the data.

#![no_main]

use doiscan_core::format::Format;
use doiscan_fuzz::unpacked::{Drip, limits, read};
use doiscan_input::problem::Problem;
use doiscan_input::{DocumentPart, InputName, Meter, Visit, unpack};
use libfuzzer_sys::fuzz_target;
use std::io::Read;
use std::path::Path;

/// Reads the text of mails in reads of this size.
struct Mails {
    step: usize,
    texts: Vec<(Vec<u8>, Option<String>)>,
}

impl Visit for Mails {
    fn input(&mut self, _: &InputName, _: &mut dyn Read) {}

    fn part(&mut self, _: &DocumentPart<'_>, text: &mut dyn Read) -> bool {
        let (text, fault) = read(text, self.step);
        self.texts.push((text, fault.map(|fault| fault.to_string())));
        true
    }

    fn format(&self) -> Format {
        Format::Mail
    }

    fn problem(&mut self, _: Problem) {}
}

fuzz_target!(|data: &[u8]| {
    let [given, step, data @ ..] = data else { return };
    let mails = |given, step| {
        let mut mails = Mails { step, texts: Vec::new() };
        let meter = Meter::new(limits());
        unpack(Drip(data, given), &InputName::new(Path::new("x")), &meter, &mut mails);
        mails.texts
    };
    let steps = (1 + usize::from(*given), 1 + usize::from(*step));
    let whole = mails(usize::MAX, 1 << 16);
    assert!(mails(steps.0, steps.1) == whole, "steps {steps:?}");
});
