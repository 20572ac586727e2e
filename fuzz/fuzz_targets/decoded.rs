//! A mail and a PDF file give the same text for any input chunk size and read size, and decoding
//! terminates.
//!
//! The first three bytes select the format and the sizes, the others are the data.

#![no_main]

use doiscan_core::format::Format;
use doiscan_fuzz::unpacked::{Drip, limits, read};
use doiscan_input::problem::Problem;
use doiscan_input::{DocumentPart, InputName, Meter, Visit, unpack};
use libfuzzer_sys::fuzz_target;
use std::io::Read;
use std::path::Path;

/// Reads the text of documents of this format in reads of this size.
struct Documents {
    format: Format,
    step: usize,
    texts: Vec<(Vec<u8>, Option<String>)>,
}

impl Visit for Documents {
    fn input(&mut self, _: &InputName, _: &mut dyn Read) {}

    fn part(&mut self, _: &DocumentPart<'_>, text: &mut dyn Read) -> bool {
        let (text, fault) = read(text, self.step);
        self.texts.push((text, fault.map(|fault| fault.to_string())));
        true
    }

    fn format(&self) -> Format {
        self.format
    }

    fn problem(&mut self, _: Problem) {}
}

fuzz_target!(|data: &[u8]| {
    let [format, given, step, data @ ..] = data else { return };
    let format = if format % 2 == 0 { Format::Pdf } else { Format::Mail };
    let documents = |given, step| {
        let mut documents = Documents { format, step, texts: Vec::new() };
        let meter = Meter::new(limits());
        unpack(Drip(data, given), &InputName::new(Path::new("x")), &meter, &mut documents);
        documents.texts
    };
    let steps = (1 + usize::from(*given), 1 + usize::from(*step));
    let whole = documents(usize::MAX, 1 << 16);
    assert!(documents(steps.0, steps.1) == whole, "steps {steps:?}");
});
