//! Percent-encoding (Z39.84, appendix E; RFC 3986, section 2.1).

use super::{Char, Layer, decode_utf8};

/// Decodes `%XX` if the octets are UTF-8, and `%A0`, the no-break space of Latin-1. Keeps other octets as written.
///
/// `%%3C` is read as `%3C`, because RPM specifications double the sign, but `%%25` is a sign and an encoded one: lists
/// write the name `10.1000/%%41` so.
#[derive(Clone, Copy, Debug)]
pub struct Percent<L>(pub L);

impl<L: Layer> Layer for Percent<L> {
    fn at(&self, at: usize) -> Option<Char> {
        let first = self.0.at(at)?;
        if !first.is(b'%') {
            return Some(first);
        }
        Some(self.encoded(at).or_else(|| self.no_break_space(at)).unwrap_or(first))
    }
}

impl<L: Layer> Percent<L> {
    /// Decodes the character of one to four octets that is encoded at `at`.
    fn encoded(&self, at: usize) -> Option<Char> {
        let mut octets = [0; 4];
        let mut next = at;
        for len in 0..octets.len() {
            (octets[len], next) = self.octet(next)?;
            if let Some(c) = decode_utf8(&octets[..=len]) {
                return Some(Char { code: c.into(), next, literal: true });
            }
        }
        None
    }

    /// Decodes `%A0` at `at`, which begins no character of UTF-8.
    fn no_break_space(&self, at: usize) -> Option<Char> {
        let (octet, next) = self.octet(at)?;
        (octet == 0xa0).then_some(Char { code: octet.into(), next, literal: true })
    }

    /// Decodes the octet `%XX` at `at`.
    fn octet(&self, at: usize) -> Option<(u8, usize)> {
        let sign = self.0.spells(at, b"%")?;
        let second = self.0.spells(sign, b"%");
        let (octet, next) = self.0.hex(second.unwrap_or(sign), 2)?;
        let is_octet = second.is_none() || octet != u32::from(b'%');
        Some((u8::try_from(octet).ok().filter(|_| is_octet)?, next))
    }
}
