//! Compares addresses with a parser of the WHATWG URL standard, which browsers follow.

use crate::chains::{FEW, MANY, lines};
use doiscan::doi::{Doi, Form, Writer, batch};
use url::Url;

/// Writes the address of each name and parses it. With recommended encoding the parser must change
/// nothing. With either encoding, the path must be the name, and there must be no query or
/// fragment.
fn check(count: usize) {
    let recommended = Writer::default();
    let mut mandatory = Writer::default();
    mandatory.recommended = false;
    for line in lines(count) {
        let name = batch::decode(&line);
        let doi = Doi::parse(&name).expect("a DOI");
        let address = recommended.written(&doi, Form::Url);
        let parsed = Url::parse(&address).expect("an address");
        assert_eq!(parsed.as_str(), address, "a browser changes it");
        for writer in [&recommended, &mandatory] {
            let address = writer.written(&doi, Form::Url);
            let parsed = Url::parse(&address).expect("an address");
            assert_eq!((parsed.query(), parsed.fragment()), (None, None), "{address}");
            assert_eq!(parsed.host_str(), Some("doi.org"), "{address}");
            assert_eq!(batch::decode(&parsed.path().as_bytes()[1..]), name, "{address}");
        }
    }
}

#[test]
fn browsers_read_the_name() {
    check(FEW);
}

#[test]
#[ignore = "takes some seconds"]
fn browsers_read_many_names() {
    check(MANY);
}
