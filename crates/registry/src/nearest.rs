//! Finds the known names nearest to one that is not known.
//!
//! `fst` finds the names that an automaton of the distance accepts, and follows no beginning that none of them has.

use crate::distance::{FAR, Query, cost};
use crate::error::Error;
use crate::registry::Registry;
use doiscan_os::prefix::shared;
use fst::{IntoStreamer, Streamer};
use std::cmp::Reverse;

/// Largest number of names that [`Registry::nearest`] returns.
pub const MOST: usize = 3;

/// A known name near another.
///
/// Near names of several indexes are sorted like those of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near {
    order: Order,
    /// The name.
    pub name: Vec<u8>,
}

/// The order of near names: cost of the confusion, another head, length of the shared prefix.
type Order = (u16, bool, Reverse<usize>);

impl Registry {
    /// Returns the known names nearest to `name`, which is not known: at most [`MOST`], the most
    /// likely first. A known name that differs by hyphens in place of dashes, or lacks the query or the fragment
    /// of an address, a dash at the end or the characters that are not ASCII, is the only one. Otherwise all are at the same edit distance, 1 or else 2; exchanging two adjacent bytes
    /// is one edit. At distance 2 all names are searched that share the first `head` bytes. If
    /// there is none, digits that are written as the letters O, I and L are corrected together, or else
    /// the last segments of an address are left out, such as `/full`.
    ///
    /// Of names at the same distance, those come first that differ by usual confusions, such as a
    /// missing zero; then those that share the head, then those that share the longest prefix.
    ///
    /// # Errors
    ///
    /// As for [`Registry::contains`].
    pub fn nearest(&self, name: &[u8], head: usize) -> Result<Vec<Near>, Error> {
        let head = head.min(name.len());
        let mut found = Found { name, head, near: Vec::new() };
        let hyphened = with_hyphens(name);
        let end = hyphened.iter().position(|b| b"?#&".contains(b)).unwrap_or(hyphened.len());
        let ascii: Vec<u8> = hyphened.iter().copied().filter(u8::is_ascii).collect();
        let dashes = hyphened.iter().rev().take_while(|b| **b == b'-').count();
        let dashes = if hyphened.len() < name.len() { dashes } else { 0 };
        let undashed = &hyphened[..hyphened.len() - dashes];
        for likely in [&hyphened[..], &hyphened[..end], undashed, &ascii] {
            if likely != name && self.contains(likely)? {
                found.push(likely);
                return Ok(found.near);
            }
        }
        for (most, fixed) in [(1, 0), (FAR as u8, head)] {
            let query = Query::new(name, most, fixed);
            self.guarded(|fst| {
                let mut names = fst.search(query).into_stream();
                while let Some((name, _)) = names.next() {
                    found.push(name);
                }
            })?;
            if !found.near.is_empty() {
                return Ok(found.near);
            }
        }
        for letters in [&b"O"[..], b"IL", b"OIL"] {
            let digits = with_digits(name, letters);
            if digits != name && self.contains(&digits)? {
                found.push(&digits);
                return Ok(found.near);
            }
        }
        for at in (head..end).rev().filter(|&at| hyphened[at] == b'/') {
            if self.contains(&hyphened[..at])? {
                found.push(&hyphened[..at]);
                break;
            }
        }
        Ok(found.near)
    }
}

/// Returns `name` with hyphens instead of dashes (U+2010 to U+2013, U+2212).
fn with_hyphens(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let [first, after @ ..] = rest {
        let (byte, after) = match rest {
            [0xe2, 0x80, 0x90..=0x93, after @ ..] | [0xe2, 0x88, 0x92, after @ ..] => (b'-', after),
            _ => (*first, after),
        };
        out.push(byte);
        rest = after;
    }
    out
}

/// Returns `name` with digits instead of those of `letters` that stand beside digits.
fn with_digits(name: &[u8], letters: &[u8]) -> Vec<u8> {
    let mut name = name.to_vec();
    let is_part = |byte: &u8| byte.is_ascii_digit() || letters.contains(&byte.to_ascii_uppercase());
    for part in name.chunk_by_mut(|a, b| is_part(a) == is_part(b)) {
        if part.iter().any(u8::is_ascii_digit) && part.iter().all(is_part) {
            for byte in part {
                *byte = match byte.to_ascii_uppercase() {
                    b'O' => b'0',
                    b'I' | b'L' => b'1',
                    _ => *byte,
                };
            }
        }
    }
    name
}

/// The nearest names so far.
struct Found<'a> {
    name: &'a [u8],
    head: usize,
    near: Vec<Near>,
}

impl Found<'_> {
    fn push(&mut self, name: &[u8]) {
        let same = shared(self.name, name);
        let order = (cost(self.name, name), same < self.head, Reverse(same));
        let at = self.near.partition_point(|near| (near.order, &near.name[..]) < (order, name));
        if at < MOST {
            self.near.truncate(MOST - 1);
            self.near.insert(at, Near { order, name: name.to_vec() });
        }
    }
}
