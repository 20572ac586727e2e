//! Every path in a file, made absolute.

use super::tokens::Token;

/// One path that a file uses.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) line: usize,
    /// `["crate", …]` for a path of this crate. A keyword or a macro that may be
    /// reserved is a path of one part, such as `unsafe` or `println!`.
    pub(super) path: Vec<String>,
    /// It stands in a `use`.
    pub(super) imported: bool,
    /// It stands in a module of tests.
    pub(super) tested: bool,
}

/// What `module` uses, in order.
pub(super) fn found_in(module: &[String], tokens: &[Token]) -> Vec<Found> {
    let mut reader = Reader {
        tokens,
        at: 0,
        module: module.to_vec(),
        open: Vec::new(),
        tests: 0,
        found: Vec::new(),
    };
    while reader.at < tokens.len() {
        reader.step();
    }
    reader.found
}

#[derive(PartialEq)]
enum Block {
    Module { of_tests: bool },
    Other,
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    /// Where the reader is: the file's module and the inline ones around this place.
    module: Vec<String>,
    /// For each open brace, what it opened.
    open: Vec<Block>,
    /// How many modules of tests are open.
    tests: usize,
    found: Vec<Found>,
}

impl Reader<'_> {
    fn step(&mut self) {
        if self.sees(&["mod"]) && self.peek(2) == "{" {
            self.enter();
        } else if self.sees(&["{"]) {
            self.open.push(Block::Other);
            self.at += 1;
        } else if self.sees(&["}"]) {
            self.leave();
        } else if self.sees(&["use", "<"]) {
            // The generics that a returned type captures, no import.
            self.at += 2;
        } else if self.sees(&["use"]) {
            self.at += 1;
            self.tree(&[], true);
        } else if self.sees(&["extern", "crate", "self"]) {
            self.push(self.at, vec!["extern crate self".to_owned()], false);
            self.at += 3;
        } else if self.sees(&["#", "[", "path"]) {
            self.push(self.at, vec!["#[path]".to_owned()], false);
            self.at += 3;
        } else {
            self.expression();
        }
    }

    /// `mod name {`. It is of tests when `#[cfg(test)]` stands right before it.
    fn enter(&mut self) {
        let before = &self.tokens[..self.at];
        let of_tests = ["#", "[", "cfg", "(", "test", ")", "]"]
            .iter()
            .rev()
            .zip(before.iter().rev())
            .filter(|(text, token)| token.is(text))
            .count()
            == 7;
        self.tests += usize::from(of_tests);
        self.module.push(self.peek(1).to_owned());
        self.open.push(Block::Module { of_tests });
        self.at += 3;
    }

    /// `}`
    fn leave(&mut self) {
        if let Some(Block::Module { of_tests }) = self.open.pop() {
            self.tests -= usize::from(of_tests);
            self.module.pop();
        }
        self.at += 1;
    }

    /// A path outside `use`, a keyword, a macro, or nothing of interest.
    fn expression(&mut self) {
        let start = self.at;
        // `pub(crate)` names no path, nor does `self` or `super` alone.
        let mut parts: Vec<String> = Vec::new();
        while self.tokens.get(self.at).is_some_and(Token::is_word) {
            parts.push(self.peek(0).to_owned());
            self.at += 1;
            if self.peek(0) != "::" {
                break;
            }
            self.at += 1;
        }
        match parts.as_slice() {
            [] => self.at += 1,
            [single] if single != "unsafe" && self.peek(0) != "!" => {
                if single == "rayon" {
                    self.push(start, parts, false);
                }
            }
            _ => {
                if let (Some(name), "!") = (parts.last(), self.peek(0)) {
                    self.push(start, vec![format!("{name}!")], false);
                }
                if parts.len() > 1 || parts == ["unsafe"] {
                    self.push(start, parts, false);
                }
            }
        }
    }

    /// One branch of a `use`: `a::b`, `a::{b, c}`, `a::*`, `a as b`. Stops behind it.
    fn tree(&mut self, before: &[String], outermost: bool) {
        let start = self.at;
        let mut path = before.to_vec();
        loop {
            match self.peek(0) {
                "" | ";" | "," | "}" => break,
                "{" => {
                    self.branches(&path);
                    if outermost {
                        break;
                    }
                    return;
                }
                "as" => self.at += 2,
                "::" => self.at += 1,
                "self" if !path.is_empty() => self.at += 1,
                part => {
                    path.push(part.to_owned());
                    self.at += 1;
                }
            }
        }
        let ended_in_branches = self.at > 0 && self.tokens[self.at - 1].is("}");
        if !ended_in_branches && !path.is_empty() {
            self.push(start, path, true);
        }
    }

    /// `{a, b}` behind `path`.
    fn branches(&mut self, path: &[String]) {
        self.at += 1;
        while !matches!(self.peek(0), "" | "}") {
            self.tree(path, false);
            if self.peek(0) == "," {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    /// Keeps `path`, made absolute.
    fn push(&mut self, at: usize, path: Vec<String>, imported: bool) {
        let line = self.tokens[at.min(self.tokens.len() - 1)].line;
        let tested = self.tests > 0 || self.module.last().is_some_and(|last| last == "tests");
        let path = absolute(&self.module, path);
        self.found.push(Found { line, path, imported, tested });
    }

    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text.as_str())
    }

    fn sees(&self, texts: &[&str]) -> bool {
        texts.iter().enumerate().all(|(ahead, text)| self.peek(ahead) == *text)
    }
}

/// `path`, written in `module`, from the root of the crate: `self` and `super` are followed.
fn absolute(module: &[String], path: Vec<String>) -> Vec<String> {
    if !path.first().is_some_and(|first| first == "self" || first == "super") {
        return path;
    }
    let mut from_root = vec!["crate".to_owned()];
    from_root.extend_from_slice(module);
    for part in path {
        match part.as_str() {
            "self" => {}
            "super" if from_root.len() > 1 => {
                from_root.pop();
            }
            _ => from_root.push(part),
        }
    }
    from_root
}
