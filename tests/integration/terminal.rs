//! The progress bar on a terminal, which `script` creates.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests make files, start processes, and say what they skip"
)]

use crate::command::shell;

/// Returns what is sent to a terminal of this width while `command` runs. Returns `None` without
/// `script`.
fn sent(width: usize, command: &str) -> Option<String> {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        println!("skipped: the bar, which needs script (util-linux)");
        return None;
    }
    let folder = tempfile::tempdir().expect("folder");
    let text = "10.1000/182 and 10.1000/ABC and 10.1000/182\n".repeat(1000);
    std::fs::write(folder.path().join("a_name_that_is_longer_than_most_names.txt"), text)
        .expect("write");
    let line = format!(
        "TERM=xterm script -qec 'stty cols {width} rows 24; {}' /dev/null",
        command.replace('\'', "\"")
    );
    Some(shell(folder.path(), &line).1)
}

/// Returns the texts that were drawn, without control sequences.
fn drawn(sent: &str) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut rest = sent.chars();
    while let Some(c) = rest.next() {
        match c {
            '\r' | '\n' => texts.push(String::new()),
            // A control sequence ends with a letter.
            '\u{1b}' => {
                let _ = rest.by_ref().find(char::is_ascii_alphabetic);
            }
            c => texts.last_mut().expect("a text").push(c),
        }
    }
    texts.retain(|text| !text.trim().is_empty());
    texts
}

#[test]
fn the_bar_is_one_line_at_any_width() {
    for width in [20, 40, 80, 200] {
        let command = "(cat a_*; sleep 0.7) | $D scan -o list a_* -";
        let Some(sent) = sent(width, command) else { return };
        let texts = drawn(&sent);
        let bars: Vec<_> =
            texts.iter().filter(|text| text.contains('%') || text.contains("kB")).collect();
        assert!(!bars.is_empty(), "{width}: {sent:?}");
        for bar in bars.iter().filter(|bar| !bar.contains("candidates")) {
            assert!(bar.chars().count() <= width, "{width}: {bar}");
        }
        let all = bars.iter().any(|bar| bar.contains("occurrences"));
        assert!(all || width < 80, "{width}: {texts:?}");
    }
}

#[test]
fn the_bar_is_gone_before_the_first_line_of_the_list() {
    for command in ["(cat a_*; sleep 0.7) | $D scan", "(cat a_*; sleep 0.7) | $D scan | head -n 1"]
    {
        let Some(sent) = sent(80, command) else { return };
        let list = sent.find("10.1000/182\r\n").expect("the list");
        let (before, after) = sent.split_at(list);
        assert!(before.contains("occurrences of"), "{sent:?}");
        // The last bar is erased, and none is drawn afterwards.
        let (_, rest) = before.rsplit_once("\u{1b}[2K").expect("an erased line");
        assert!(!rest.contains("occurrences"), "{sent:?}");
        assert!(!after.contains("occurrences"), "{sent:?}");
    }
}
