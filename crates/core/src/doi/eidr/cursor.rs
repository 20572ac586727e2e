//! A position in a value that is read from left to right.

use super::error::{ByteOrEnd, Error};

/// Comparisons ignore ASCII case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    value: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(value: &'a [u8], at: usize) -> Self {
        Cursor { value, at }
    }

    /// The current offset.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.value.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.value.get(self.at).copied()
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Returns the cursor with the value cut before text that follows a name in `urn:eidr:`. From
    /// the second colon on, the value is an application's component, as in `10.5240:…-6:extra` (RFC
    /// 7972).
    pub(super) fn up_to_component(self) -> Self {
        let mut colons = memchr::memchr_iter(b':', self.rest());
        match colons.nth(1) {
            Some(colon) => Cursor { value: &self.value[..self.at + colon], at: self.at },
            None => self,
        }
    }

    /// Skips `text` if it comes next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let here = self.rest().get(..text.len());
        let is_here = here.is_some_and(|here| here.eq_ignore_ascii_case(text.as_bytes()));
        self.at += if is_here { text.len() } else { 0 };
        is_here
    }

    /// Skips `text`, or fails with a message that calls it `expected`.
    pub(super) fn expect(&mut self, text: &str, expected: &'static str) -> Result<(), Error> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    pub(super) fn end(&self) -> Result<(), Error> {
        if self.at >= self.value.len() { Ok(()) } else { Err(self.unexpected("the end")) }
    }

    pub(super) fn unexpected(&self, expected: &'static str) -> Error {
        let found = self.peek().map_or(ByteOrEnd::End, ByteOrEnd::Byte);
        Error::Syntax { expected, found, at: self.at }
    }
}
