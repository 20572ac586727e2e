//! A mail and a PDF file give the same text for any input chunk size and read size, and decoding
//! terminates. The only fault of a mail is UTF-16 text that ends within a character.
//!
//! The first three bytes select the format and the sizes, the others are the data.

#![no_main]

use doiscan_core::format::Format;
use doiscan_fuzz::unpacked::{Drip, blocks, limits, read};
use doiscan_input::problem::Problem;
use doiscan_input::{InputName, Meter, Visit, unpack};
use libfuzzer_sys::fuzz_target;
use std::io::Read;
use std::path::Path;

/// Reads the text of documents in reads of this size.
#[derive(Default)]
struct Documents {
    step: usize,
    texts: Vec<(Vec<u8>, Option<String>)>,
}

impl Visit for Documents {
    fn input(&mut self, _: &InputName, _: &mut dyn Read) {}

    fn part(&mut self, _: &InputName, _: Format, text: &mut dyn Read) -> bool {
        let (text, fault) = read(text, self.step);
        self.texts.push((text, fault.map(|fault| fault.to_string())));
        true
    }

    fn format(&self) -> Format {
        Format::Pdf
    }

    fn problem(&mut self, _: Problem) {}
}

fn documents(data: &[u8], given: usize, step: usize) -> Vec<(Vec<u8>, Option<String>)> {
    let mut documents = Documents { step, ..Documents::default() };
    let meter = Meter::new(limits());
    unpack(Drip(data, given), &InputName::new(Path::new("x")), &meter, &mut documents);
    documents.texts
}

fuzz_target!(|data: &[u8]| {
    let [format, given, step, data @ ..] = data else { return };
    let steps = (1 + usize::from(*given), 1 + usize::from(*step));
    if format % 2 == 0 {
        let whole = documents(data, usize::MAX, 1 << 16);
        return assert!(documents(data, steps.0, steps.1) == whole, "steps {steps:?}");
    }
    let text = |given, step| {
        let (text, fault) = blocks(&mut Drip(data, given), Format::Mail, step);
        (text, fault.map(|fault| fault.to_string()))
    };
    let whole = text(usize::MAX, 1 << 16);
    let is_known = |fault: &String| fault.starts_with("UTF-16 text ends early");
    assert!(whole.1.iter().all(is_known), "{:?}", whole.1);
    assert!(text(steps.0, steps.1) == whole, "steps {steps:?}");
});
