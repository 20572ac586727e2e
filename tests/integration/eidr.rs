//! `scan --eidr`: every form of an EIDR, in every kind of input, becomes one line of one list.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::{is_for_windows, shell};
use doiscan::doi::eidr::{Binary, Eidr, EidrForm, Scheme, Style, SubPrefix};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const NAME: &str = "10.5240/7791-8534-2C23-9030-8610-5";

/// Creates an EIDR of content.
fn eidr(number: u128) -> Eidr {
    let suffix = number.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C) & ((1 << 80) - 1);
    Eidr::new(SubPrefix::Content, suffix).expect("80 bits")
}

/// Returns `eidr` in every form for running text, and in the forms accepted only in columns and
/// keys named EIDR.
fn forms(eidr: Eidr) -> (Vec<String>, Vec<String>) {
    let scheme = Scheme::new("x1").expect("a scheme");
    let write = |form, binary| {
        let mut out = Vec::new();
        let style = Style { binary, scheme: Some(scheme) };
        eidr.write(form, style, &mut out).expect("a form of content");
        String::from_utf8(out).expect("text")
    };
    let is_for_text = |form: &EidrForm| !matches!(form, EidrForm::Compact | EidrForm::Full);
    let forms = EidrForm::ALL.into_iter().filter(is_for_text);
    let mut texts: Vec<String> = forms.map(|form| write(form, Binary::Hex)).collect();
    let name = eidr.name();
    let suffix = &name["10.5240/".len()..];
    texts.extend([
        name.to_lowercase(),
        format!("https://ui.eidr.org/view/content?id={name}"),
        format!("https://ui.eidr.org/view/content?id={}", name.replace('/', "%2F")),
        format!("md:cid:eidr-s:{suffix}"),
        format!("urn:dece:cid:eidr-s:{suffix}"),
        format!("https://doi.org/{}", name.replace('/', "%2f")),
        format!("HTTP://DX.DOI.ORG/{name}"),
    ]);
    let mut bare = vec![suffix.to_owned(), suffix.to_lowercase(), suffix.replace('-', "")];
    for binary in [Binary::Hex, Binary::Base64Url, Binary::Base64UrlPadded] {
        bare.extend([write(EidrForm::Compact, binary), write(EidrForm::Full, binary)]);
    }
    (texts, bare)
}

/// Runs a command that must succeed. Returns its output.
fn run(at: &Path, line: &str) -> String {
    let (status, out, err) = shell(at, line);
    assert_eq!(status, Some(0), "{line}\n{err}");
    out
}

fn stats(at: &Path) -> Value {
    let text = fs::read(at.join("stats")).expect("the record");
    let stats: Value = serde_json::from_slice(&text).expect("JSON");
    stats["eidrs"].clone()
}

/// Returns the EIDRs in `text`, stored in a file of this name, and their number of occurrences.
fn found(text: &str, name: &str) -> (Vec<String>, u64) {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::write(at.join(name), text).expect("write");
    let line = format!("$D scan -q --allow-empty -o dois --eidr - --stats stats {name}");
    let list = run(at, &line);
    (list.lines().map(str::to_owned).collect(), stats(at)["found"].as_u64().expect("a number"))
}

#[test]
fn every_form_is_the_same_line() {
    let eidr = Eidr::from_name(NAME).expect("an EIDR");
    let one = || vec![NAME.to_owned()];
    let (texts, bare) = forms(eidr);
    for form in &texts {
        for text in [format!("see {form}\n"), format!("{{\"id\":\"{form}\"}}\n")] {
            assert_eq!(found(&text, "in"), (one(), 1), "{text}");
        }
    }
    for form in texts.iter().chain(&bare) {
        for (text, name) in [
            (format!("{{\"eidr\":\"{form}\"}}\n"), "in"),
            (format!("{{\"x\":1,\"contentEIDR\" : [\n\"{form}\" ]}}\n"), "in"),
            (format!("<eidr>{form}</eidr>\n"), "in"),
            (format!("<id type=\"EIDR\"> {form} </id>\n"), "in"),
            (format!("@misc{{x, eidr = {{{form}}}}}\n"), "in"),
            (format!("title,EIDR\nx,{form}\n"), "in.csv"),
            (format!("\"EIDR\",\"title\"\n\"{form}\",\"x\"\n"), "in.csv"),
            (format!("title\tEIDR ID\tx\n\"a\nb\"\t {form} \tx\n"), "in.tsv"),
            (format!("EIDR\n{form}\n"), "in.csv"),
        ] {
            assert_eq!(found(&text, name), (one(), 1), "{name}: {text}");
        }
    }
    for form in &bare {
        for (text, name) in [
            (format!("{form}\n"), "in"),
            (format!("see {form}\n"), "in"),
            (format!("{{\"isan\":\"{form}\"}}\n"), "in"),
            (format!("{{\"eidr_status\":\"{form}\"}}\n"), "in"),
            (format!("isan,EIDR\n{form},x\n"), "in.csv"),
            (format!("isan,EIDR\n\"\n{form},x\",x\n"), "in.csv"),
        ] {
            assert_eq!(found(&text, name), (vec![], 0), "{name}: {text}");
        }
    }
}

#[test]
fn the_list_of_dois_is_as_without() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::write(at.join("in.csv"), mixed(50).0).expect("write");
    run(
        at,
        "$D scan -q in.csv -o a --rejects r.tsv; $D scan -q in.csv -o b --rejects s.tsv --eidr e",
    );
    run(at, "cmp a b && cmp r.tsv s.tsv && test -s e");
    // Identifiers of parties, users and services are EIDRs. Other names under their prefixes are
    // not reported as misshapen.
    let text = "10.5237/9dd9-e249 10.5237/superparty 10.5238/Ray";
    assert_eq!(found(text, "in"), (vec!["10.5237/9DD9-E249".to_owned()], 1));
}

#[test]
fn wrong_ones_are_counted() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let csv = "id,eidr\n\
               1,7791-8534-2C23-9030-8610-5\n\
               2,7791-8534-2C23-9030-8610-6\n\
               3,10.5240/7791-8534-2C23-9030-8610-7\n\
               4,tt0133093\n\
               5,10.5240/BLADE\n\
               6,7791-8534-2C23-9030-8610\n\
               7,\n\
               8,none\n\
               9,\"7791-8534-2C23-9030-8610-5; 7791-8534-2C23-9030-8610-8\"\n";
    fs::write(at.join("in.csv"), csv).expect("write");
    let (status, out, err) = shell(at, "$D scan in.csv -o dois --eidr - --stats stats");
    assert_eq!((status, out), (Some(0), format!("{NAME}\n")), "{err}");
    let line =
        "\n1 distinct EIDR from 2 found, 3 with a wrong check character, 3 with a wrong shape\n";
    assert!(err.contains(line), "{err}");
    let expected = r#"{"distinct":1,"found":2,"wrong_check":3,"wrong_shape":3}"#;
    assert_eq!(stats(at).to_string(), expected);
    // Only the chosen columns are searched.
    for (column, count) in [("eidr", "1\n"), ("id", "0\n"), ("2", "1\n")] {
        let scan = format!("$D scan -q --allow-empty in.csv -o dois --column {column} --eidr e");
        assert_eq!(run(at, &format!("{scan}; wc -l < e")), count, "{column}");
    }
    assert_eq!(stats_without(at), Value::Null);
}

fn stats_without(at: &Path) -> Value {
    run(at, "$D scan -q in.csv -o dois --stats stats");
    stats(at)
}

/// Generates a table with EIDRs in all forms, some of them twice. Returns it and its EIDRs.
fn mixed(count: u128) -> (String, BTreeSet<String>) {
    let mut text = "n,title,EIDR,note\n".to_owned();
    let mut names = BTreeSet::new();
    for n in 0..count {
        let (one, other, more) = (eidr(n), eidr(n / 3 + 7), eidr(1_000 + n));
        names.extend([one, other, more].map(Eidr::name));
        let n = n as usize;
        let (texts, bare) = forms(one);
        let cell = &bare[n % bare.len()];
        let note = &forms(other).0[n * 5 % texts.len()];
        let key = &forms(more).1[n * 7 % bare.len()];
        text += &format!("{n},\"a, {n}\nb\",{cell},\"{note} {{\"\"eidr\"\":\"\"{key}\"\"}}\"\n");
    }
    (text, names)
}

#[test]
fn the_same_for_any_threads_chunks_memory_and_container() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let (text, names) = mixed(3_000);
    fs::write(at.join("in.csv"), text).expect("write");
    let list: String = names.iter().map(|name| format!("{name}\n")).collect();
    fs::write(at.join("expected"), list).expect("write");
    run(at, "gzip -k in.csv; tar cf in.tar in.csv; mkdir d; cp in.csv d");
    run(at, "bzip2 -k in.csv");
    for scan in [
        "in.csv",
        "-j 1 in.csv",
        "-j 3 --chunk-size 1000 in.csv",
        "-j 8 --chunk-size 77 in.csv",
        "-j 2 --chunk-size 100000 --io read in.csv",
        "-S 1K -T . --chunk-size 30000 -j 3 in.csv",
        "in.csv.gz",
        "-j 1 in.csv.bz2",
        "-j 3 --chunk-size 1000 in.tar",
        "-S 1K -T . in.tar",
        "d in.csv.gz --counts --output-format csv --hits h.csv --rejects r.csv",
        "--format csv < in.csv",
    ] {
        run(at, &format!("$D scan -q -o dois --eidr e --stats stats {scan} && cmp e expected"));
        let stats = stats(at);
        let twice = if scan.starts_with('d') { 2 } else { 1 };
        assert_eq!(stats["found"].as_u64(), Some(9_000 * twice), "{scan}");
        assert_eq!(stats["distinct"].as_u64(), Some(names.len() as u64), "{scan}");
        assert_eq!(stats["wrong_check"].as_u64(), Some(0), "{scan}");
        assert_eq!(stats["wrong_shape"].as_u64(), Some(0), "{scan}");
    }
}

#[test]
fn what_is_counted_does_not_depend_on_where_chunks_begin() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let (right, wrong) = (&NAME[8..], "7791-8534-2C23-9030-8610-6");
    let csv = format!(
        "EIDR,title\n\"{right}\n{right},{wrong}\",\"a\n{right},\"\n{right},\"tt0133093\n\"\n\
         tt0133093,{{\"\"eidr\"\":[\"\"{right}\"\", \"\"{wrong}\"\"]}}\n\"{right}\""
    );
    fs::write(at.join("in.csv"), csv).expect("write");
    let expected = r#"{"distinct":1,"found":5,"wrong_check":2,"wrong_shape":1}"#;
    for chunk in (1..120).chain([1_000]) {
        let scan = "$D scan -q --allow-empty in.csv -o dois --eidr - --stats stats -j 2";
        assert_eq!(
            run(at, &format!("{scan} --chunk-size {chunk}")),
            format!("{NAME}\n"),
            "{chunk}"
        );
        assert_eq!(stats(at).to_string(), expected, "{chunk}");
    }
}

/// Whether a cell is quoted depends on its closing quote, which may be far after the end of its
/// chunk.
#[test]
fn cells_after_long_cells_are_in_their_columns() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let rows: String = (0..3)
        .map(|n| format!("\"{}x,y\",{}\n", "some, text\n".repeat(20_000), &eidr(n).name()[8..]))
        .collect();
    fs::write(at.join("in.csv"), format!("title,EIDR\n{rows}")).expect("write");
    run(at, "gzip -k in.csv");
    for scan in ["in.csv", "--chunk-size 10000 -j 2 in.csv", "--chunk-size 10000 in.csv.gz"] {
        let line = format!("$D scan -q --allow-empty -o dois --eidr - {scan} | wc -l");
        assert_eq!(run(at, &line), "3\n", "{scan}");
    }
}

#[test]
fn the_suffix_of_the_file_is_its_form() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::write(at.join("in"), format!("{NAME} 10.5240/EA73-79D7-1B2B-B378-3A73-M")).expect("write");
    let list = "10.5240/7791-8534-2C23-9030-8610-5\n10.5240/EA73-79D7-1B2B-B378-3A73-M\n";
    for suffix in ["txt", "csv", "tsv.gz", "jsonl.zst", "jsonl", "csv.zst", "txt.gz"] {
        let scan =
            format!("$D scan -q in --case lower -o d --eidr e.{suffix} && $D merge -q e.{suffix}");
        assert_eq!(run(at, &scan), list, "{suffix}");
    }
    assert_eq!(run(at, "cat e.csv"), format!("doi\n{list}"));
    assert_eq!(run(at, "cat e.jsonl | head -n 1"), format!("{{\"doi\":\"{NAME}\"}}\n"));
    assert_eq!(run(at, "$D scan -q in -o d --eidr e.parquet && $D merge -q e.parquet"), list);
}

#[test]
fn it_is_replaced_together_with_the_list_or_not_at_all() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::write(at.join("in"), format!("eidr: {}", &NAME[8..])).expect("write");
    fs::write(at.join("dois"), "in the way of 10.5240/EA73-79D7-1B2B-B378-3A73-M\n")
        .expect("write");
    for (flags, status) in [
        ("-o list", 2),
        ("dois -o list --fail-on 'distinct < 2'", 1),
        ("dois missing -o list", 2),
        ("dois -o list --stats no/such", 2),
        ("dois -o list --stats /dev/full", 2),
        ("dois -o list --hits /dev/full", 2),
    ] {
        if flags.contains("/dev") && is_for_windows() {
            continue;
        }
        fs::write(at.join("list"), "old\n").expect("write");
        fs::write(at.join("e"), "old\n").expect("write");
        let (found, _, err) = shell(at, &format!("$D scan -q in {flags} --eidr e"));
        assert_eq!(found, Some(status), "{flags}\n{err}");
        assert_eq!(run(at, "cat list e"), "old\nold\n", "{flags}");
    }
    for (flags, message) in [
        ("-o x --eidr x", "--output and --eidr are the same file"),
        ("-o x --eidr ./in", "--eidr would replace an input"),
        ("-o - --eidr -", "--output and --eidr would both be written to standard output"),
        ("-o x --eidr /dev/full", "No space left"),
        ("-o x --eidr no/such", "the folder no does not exist"),
    ] {
        if flags.contains("/dev") && is_for_windows() {
            continue;
        }
        let (status, _, err) = shell(at, &format!("$D scan in dois {flags}"));
        assert!(status == Some(2) && err.contains(message), "{flags}\n{err}");
    }
    // The outputs of a run are not inputs.
    run(
        at,
        "mkdir d; cp dois d; $D scan -q d -o d/list --eidr d/e; $D scan -q d -o d/list --eidr d/e",
    );
    assert_eq!(run(at, "wc -l < d/e"), "1\n");
}

/// A value that a fault may have truncated is not listed.
#[test]
fn a_fault_cuts_no_value() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let filler = "x".repeat(10);
    let rows: String = (0..500).map(|n| format!("{filler},{}\n", &eidr(n).name()[8..])).collect();
    fs::write(at.join("in.csv"), format!("title,EIDR\n{rows}")).expect("write");
    run(
        at,
        "$D scan -q --allow-empty in.csv -o d --eidr whole; gzip -n in.csv; wc -c < in.csv.gz > size",
    );
    let size: usize = run(at, "cat size").trim().parse().expect("a number");
    // Without the checksum of its member, a value at the end of the text may be incomplete.
    for (end, count) in [("", "0\n"), ("\n", "1\n")] {
        fs::write(at.join("end.csv"), format!("title,EIDR\nx,{}{end}", &NAME[8..])).expect("write");
        let cut = "gzip -n -c end.csv | head -c -8 > end.csv.gz; rm end.csv; \
                   $D scan -q --allow-empty end.csv.gz -o d --eidr e; wc -l < e";
        assert_eq!(shell(at, cut).1, count, "{end:?}");
    }
    for len in (100..size).step_by(size / 23) {
        let cut = "head -c LEN in.csv.gz > cut.csv.gz; $D scan -q --allow-empty cut.csv.gz -o d --eidr e; \
                   LC_ALL=C comm -13 whole e";
        let (_, out, _) = shell(at, &cut.replace("LEN", &len.to_string()));
        assert_eq!(out, "", "{len}");
    }
}

#[test]
fn columns_of_parquet() {
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let schema = "message films { required binary doi (UTF8); required binary EIDR (UTF8);
        required binary title (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let file = fs::File::create(at.join("in.parquet")).expect("a file");
    let options = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(file, schema, options).expect("a writer");
    let mut expected = BTreeSet::new();
    for group in 0..3_u128 {
        let eidrs = || (0..40).map(|n| eidr(group * 30 + n));
        expected.extend(eidrs().map(Eidr::name));
        let mut columns = writer.next_row_group().expect("a row group");
        let bare = |(n, eidr): (usize, Eidr)| {
            let (_, bare) = forms(eidr);
            bare[n % bare.len()].clone()
        };
        for column in 0..3 {
            let values: Vec<ByteArray> = match column {
                0 => {
                    (0..40).map(|n| ByteArray::from(format!("10.1000/{n}").into_bytes())).collect()
                }
                1 => eidrs().enumerate().map(|e| ByteArray::from(bare(e).into_bytes())).collect(),
                _ => eidrs().map(|_| ByteArray::from(eidr(9_999).name().into_bytes())).collect(),
            };
            let mut column = columns.next_column().expect("next").expect("a column");
            column.typed::<ByteArrayType>().write_batch(&values, None, None).expect("written");
            column.close().expect("closed");
        }
        columns.close().expect("closed");
    }
    writer.close().expect("closed");
    let expected: String = expected.into_iter().map(|name| name + "\n").collect();
    for flags in ["", "-j 1", "-j 4 --chunk-size 100", "--column EIDR", "--hits h.csv"] {
        let line =
            format!("$D scan -q --allow-empty in.parquet -o d --eidr - --stats stats {flags}");
        assert_eq!(run(at, &line), expected, "{flags}");
        assert_eq!(stats(at)["found"].as_u64(), Some(120), "{flags}");
    }
    let line = "$D scan -q --allow-empty in.parquet -o d --eidr - --column title";
    assert_eq!(run(at, line), format!("{}\n", eidr(9_999).name()));
}
