//! Thrift's compact protocol, as far as footers and page headers need it. Every size is
//! compared with the bytes that are left before anything is done with it.

use crate::collect::varint;
/// Structures and lists within one another.
const DEPTH: u32 = 32;

/// Kinds of values, by their numbers on the wire.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
pub(super) const STRUCT: u8 = 12;

/// Reads values one after the other. None of any means that the bytes are no such value.
#[derive(Clone, Debug)]
pub(super) struct Thrift<'a> {
    rest: &'a [u8],
}

/// The field of a structure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) id: i16,
    kind: u8,
}

impl<'a> Thrift<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Thrift { rest: bytes }
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// An unsigned number, seven bits a byte, the lowest first.
    pub(super) fn varint(&mut self) -> Option<u64> {
        varint::take::<10>(&mut self.rest)
    }

    /// A signed number.
    pub(super) fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The next field after the one with the number `last`. None within, at the end of
    /// the structure.
    fn field(&mut self, last: i16) -> Option<Option<Field>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        let id = match head >> 4 {
            0 => i16::try_from(self.zigzag()?).ok()?,
            delta => last.checked_add(i16::from(delta))?,
        };
        Some(Some(Field { id, kind: head & 0x0f }))
    }

    /// Gives each field of a structure to `take`, which reads it, or says that it did not.
    pub(super) fn each(
        &mut self,
        mut take: impl FnMut(&mut Self, Field) -> Option<bool>,
    ) -> Option<()> {
        let mut last = 0;
        while let Some(field) = self.field(last)? {
            last = field.id;
            if !take(self, field)? {
                self.skip(field.kind, DEPTH)?;
            }
        }
        Some(())
    }

    /// A whole number as the value of `field`.
    pub(super) fn number(&mut self, field: Field) -> Option<i64> {
        if matches!(field.kind, I16 | I32 | I64) { self.zigzag() } else { None }
    }

    /// A size or a count as the value of `field`: of the format they have 31 bits.
    pub(super) fn size(&mut self, field: Field) -> Option<u32> {
        i32::try_from(self.number(field)?).ok().and_then(|size| u32::try_from(size).ok())
    }

    /// The structure that `field` is, its fields to `take`.
    pub(super) fn inner(
        &mut self,
        field: Field,
        take: impl FnMut(&mut Self, Field) -> Option<bool>,
    ) -> Option<()> {
        if field.kind == STRUCT { self.each(take) } else { None }
    }

    /// The kind and number of the elements of the list that `field` is. Each takes a
    /// byte at least.
    pub(super) fn list(&mut self, field: Field) -> Option<(u8, usize)> {
        if field.kind == LIST { self.elements() } else { None }
    }

    /// The kind and number of the elements of a list.
    pub(super) fn elements(&mut self) -> Option<(u8, usize)> {
        let head = self.byte()?;
        let len = match head >> 4 {
            15 => usize::try_from(self.varint()?).ok()?,
            len => usize::from(len),
        };
        (len <= self.rest.len()).then_some((head & 0x0f, len))
    }

    /// Passes over a value within an element of a list.
    pub(super) fn skip_one(&mut self, kind: u8) -> Option<()> {
        self.skip(kind, DEPTH)
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let len = match kind {
            TRUE | FALSE => 0,
            BYTE => 1,
            I16 | I32 | I64 => return self.varint().map(drop),
            DOUBLE => 8,
            BINARY => usize::try_from(self.varint()?).ok()?,
            LIST | SET => {
                let (kind, len) = self.elements()?;
                // Within a list a truth takes a byte.
                let kind = if matches!(kind, TRUE | FALSE) { BYTE } else { kind };
                return (0..len).try_for_each(|_| self.skip(kind, depth));
            }
            STRUCT => {
                let mut last = 0;
                while let Some(field) = self.field(last)? {
                    last = field.id;
                    self.skip(field.kind, depth)?;
                }
                0
            }
            _ => return None,
        };
        self.rest = self.rest.get(len..)?;
        Some(())
    }

    /// The truth that `field` is.
    pub(super) fn truth(field: Field) -> bool {
        field.kind == TRUE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (bytes, expected) in [
            (&[0][..], Some(0)),
            (&[1], Some(-1)),
            (&[2], Some(1)),
            (&[0xac, 0x02], Some(150)),
            (&[0x80], None),
            (&[0xff; 11], None),
        ] {
            assert_eq!(Thrift::new(bytes).zigzag(), expected, "{bytes:?}");
        }
    }

    #[test]
    fn what_is_deep_or_long_is_none() {
        let deep = [0x1c; 1_000];
        assert_eq!(Thrift::new(&deep).skip(STRUCT, DEPTH), None);
        assert_eq!(Thrift::new(&[0xf3, 0xff, 0xff, 0x03]).skip(LIST, DEPTH), None);
        assert_eq!(Thrift::new(&[0x23, 1, 2]).skip(LIST, DEPTH), Some(()));
        assert_eq!(Thrift::new(&[0xff, 0x7f]).skip(BINARY, DEPTH), None);
    }
}
