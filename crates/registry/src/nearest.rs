//! Finds the known names nearest to one that is not known.
//!
//! The walk visits names in sorted order. It keeps a row of distances for each byte of the current
//! name; when no name that begins so can be near enough, it computes the least text that can, and
//! skips to the first name that is not less. While edits are left, each next byte that known names
//! have is tried; without, only bytes of the query go on, so that most skips end a branch.

use crate::cursor::Cursor;
use crate::distance::{FAR, Query, Row, cost};
use crate::error::Error;
use crate::registry::Registry;
use doiscan_os::prefix::shared;
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
    /// Fails if a block is damaged.
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
            Walk::new(self, Query::new(name, most), fixed).run(&mut found)?;
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

/// A walk over all names near enough.
struct Walk<'r, 'q> {
    cursor: Cursor<'r>,
    query: Query<'q>,
    /// Names must begin with this number of bytes of the query.
    fixed: usize,
    /// The beginning of a name, and its rows: one more than bytes.
    path: Vec<u8>,
    rows: Vec<Row>,
}

impl<'r, 'q> Walk<'r, 'q> {
    fn new(registry: &'r Registry, query: Query<'q>, fixed: usize) -> Self {
        let rows = vec![query.begin()];
        Walk { cursor: Cursor::new(registry), query, fixed, path: Vec::new(), rows }
    }

    fn run(mut self, found: &mut Found<'_>) -> Result<(), Error> {
        let head = &self.query.text[..self.fixed];
        let mut is_more = self.cursor.seek(head)?;
        while is_more && self.cursor.name().starts_with(head) {
            is_more = match self.follow() {
                Some(dead) => self.least_after(dead) && self.cursor.skip_to(&self.path)?,
                None => {
                    if self.is_near() {
                        found.push(&self.path);
                    }
                    self.cursor.advance()?
                }
            };
        }
        Ok(())
    }

    /// Whether the path is near enough.
    fn is_near(&self) -> bool {
        let depth = self.path.len();
        self.query.distance(&self.rows[depth], depth).is_some()
    }

    /// Follows the current name as far as it can be near. Returns the byte at which it cannot.
    fn follow(&mut self) -> Option<u8> {
        let name = self.cursor.name();
        let same = shared(&self.path, name);
        self.path.truncate(same);
        self.rows.truncate(same + 1);
        for &byte in &name[same..] {
            let Some(row) = self.query.next(&self.rows, &self.path, byte) else {
                return Some(byte);
            };
            self.path.push(byte);
            self.rows.push(row);
        }
        None
    }

    /// Makes the path the least text that sorts after all that begin with the path and `dead`, and
    /// that is near or may go on so. Returns false if there is none.
    fn least_after(&mut self, dead: u8) -> bool {
        let mut than = Some(dead);
        loop {
            let next = self.query.least_next(&self.rows, &self.path, than);
            let next =
                next.and_then(|byte| Some((byte, self.query.next(&self.rows, &self.path, byte)?)));
            match next {
                Some((byte, row)) => {
                    self.path.push(byte);
                    self.rows.push(row);
                    if self.query.is_free(&row) || self.is_near() {
                        return true;
                    }
                    than = None;
                }
                None if self.path.len() <= self.fixed => return false,
                None => {
                    than = self.path.pop();
                    self.rows.pop();
                }
            }
        }
    }
}
