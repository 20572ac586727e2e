//! Stores the bytes of a shard's names in blocks that never move.

use super::budget::{BLOCK, Budget};
use super::error::Error;
use doiscan_os::prefix::shared;
use doiscan_os::varint;

/// Length of the longest name that [`Arena::push_short`] takes.
pub(super) const SHORT: usize = 31;

/// Length-prefixed names, stored consecutively.
#[derive(Debug, Default)]
pub(super) struct Arena {
    blocks: Vec<Vec<u8>>,
    /// The block that takes the next name. It is not always the last: a name longer than a block
    /// gets its own block, which may also be the first.
    filling: usize,
    len: usize,
    /// Allocated bytes of all blocks, filled or not.
    bytes: usize,
    /// Length of the prefix common to all names compared with the first.
    shared: usize,
}

impl Arena {
    /// Number of names in the arena.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of memory the arena uses.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the blocks for reuse.
    pub(super) fn into_blocks(self) -> impl Iterator<Item = Vec<u8>> {
        self.blocks.into_iter()
    }

    /// Appends `name` and returns its position.
    #[inline]
    pub(super) fn push(&mut self, name: &[u8], budget: &Budget) -> Result<u32, Error> {
        self.push_both(&[], name, budget)
    }

    /// Like [`Arena::push`], for a name in two parts.
    #[inline]
    pub(super) fn push_both(
        &mut self,
        start: &[u8],
        rest: &[u8],
        budget: &Budget,
    ) -> Result<u32, Error> {
        let len = start.len() + rest.len();
        let (head, head_len) = match len {
            // Nearly every name.
            0..0x80 => ([len as u8, 0, 0, 0, 0], 1),
            _ => varint::encode(u32::try_from(len).map_err(|_| Error::NameTooLong)?),
        };
        let block = self.block_for(head_len + len, budget)?;
        let bytes = &mut self.blocks[block];
        let at = ((block as u32) << 16) | bytes.len() as u32;
        match head_len {
            1 => bytes.push(head[0]),
            _ => bytes.extend_from_slice(&head[..head_len]),
        }
        bytes.extend_from_slice(start);
        bytes.extend_from_slice(rest);
        self.len += 1;
        Ok(at)
    }

    /// Like [`Arena::push`], for a short name, in fewer instructions. `name` is the start of `bytes`.
    #[inline]
    pub(super) fn push_short(
        &mut self,
        bytes: &[u8; SHORT],
        len: usize,
        budget: &Budget,
    ) -> Result<u32, Error> {
        debug_assert!(len <= SHORT);
        let index = self.filling;
        let Some(block) = self.blocks.get_mut(index).filter(|b| b.len() + 1 + SHORT <= BLOCK)
        else {
            return self.push(&bytes[..len], budget);
        };
        let at = block.len();
        let mut record = [0; 1 + SHORT];
        record[0] = len as u8;
        record[1..].copy_from_slice(bytes);
        block.extend_from_slice(&record);
        block.truncate(at + 1 + len);
        self.len += 1;
        Ok((index as u32) << 16 | at as u32)
    }

    /// Like [`Arena::push`], for a name that is compared with the first.
    pub(super) fn push_compared(&mut self, name: &[u8], budget: &Budget) -> Result<u32, Error> {
        self.shared = match self.first_name() {
            None => name.len(),
            Some(first) => shared(&first[..self.shared], &name[..self.shared.min(name.len())]),
        };
        self.push(name, budget)
    }

    /// Returns the common prefix of all names, if the arena is not empty and every name was
    /// compared.
    pub(super) fn prefix(&self) -> Option<&[u8]> {
        self.first_name().map(|first| &first[..self.shared])
    }

    fn first_name(&self) -> Option<&[u8]> {
        (self.len > 0).then(|| self.get(0))
    }

    /// Returns the name at `at`, a position returned by [`Arena::push`].
    #[inline]
    pub(super) fn get(&self, at: u32) -> &[u8] {
        let record = &self.blocks[(at >> 16) as usize][(at & 0xffff) as usize..];
        let (len, head) = decode(record);
        &record[head..head + len]
    }

    /// Returns the first byte of the record at `at`, which belongs to its length.
    #[inline]
    pub(super) fn first(&self, at: u32) -> u8 {
        self.blocks[(at >> 16) as usize][(at & 0xffff) as usize]
    }

    /// Returns the record at `at` for modification in place.
    pub(super) fn get_mut(&mut self, at: u32) -> &mut [u8] {
        let record = &mut self.blocks[(at >> 16) as usize][(at & 0xffff) as usize..];
        let (len, head) = decode(record);
        &mut record[head..head + len]
    }

    /// Appends `record`, which replaces another record. The old one no longer counts.
    pub(super) fn replace(&mut self, record: &[u8], budget: &Budget) -> Result<u32, Error> {
        self.len -= 1;
        self.push(record, budget)
    }

    /// Iterates over all records and their positions, including replaced records.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.blocks.iter().enumerate().flat_map(|(index, block)| {
            let mut at = 0;
            std::iter::from_fn(move || {
                let place = ((index as u32) << 16) | at as u32;
                let record = block.get(at..).filter(|rest| !rest.is_empty())?;
                let (len, head) = decode(record);
                at += head + len;
                Some((place, &record[head..head + len]))
            })
        })
    }

    /// Returns a block with room for `need` bytes.
    #[inline]
    fn block_for(&mut self, need: usize, budget: &Budget) -> Result<usize, Error> {
        match self.blocks.get(self.filling) {
            Some(block) if block.len() + need <= BLOCK => Ok(self.filling),
            _ => self.add_block(need, budget),
        }
    }

    #[cold]
    #[inline(never)]
    fn add_block(&mut self, need: usize, budget: &Budget) -> Result<usize, Error> {
        let index = self.blocks.len();
        if index > usize::from(u16::MAX) {
            return Err(Error::Full);
        }
        let block = budget.block(need);
        self.bytes += block.capacity();
        self.blocks.push(block);
        if need <= BLOCK {
            self.filling = index;
        }
        Ok(index)
    }
}

/// Decodes the length at the start of `record`. Returns it and the number of bytes it occupies.
#[inline]
fn decode(record: &[u8]) -> (usize, usize) {
    let first = record[0];
    if first < 0x80 {
        return (usize::from(first), 1);
    }
    decode_long(record)
}

#[cold]
fn decode_long(record: &[u8]) -> (usize, usize) {
    let mut rest = record;
    let len = varint::take::<5>(&mut rest).expect("what `push` wrote");
    (len as usize, record.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_size_come_back() {
        let sizes = [3, 127, 128, 70_000, 5, BLOCK - 3, BLOCK, BLOCK - 2, 40_000, 30_000, 1];
        for first in 0..sizes.len() {
            come_back(&[&sizes[first..], &sizes[..first]].concat());
        }
    }

    #[test]
    fn short_names_come_back() {
        let budget = Budget::new(usize::MAX, doiscan_os::ledger::Ledger::default());
        let mut arena = Arena::default();
        let name = |i: usize| std::array::from_fn::<u8, SHORT, _>(|at| (i + at) as u8);
        let places: Vec<_> = (0..10_000)
            .map(|i| arena.push_short(&name(i), i % (SHORT + 1), &budget).expect("room"))
            .collect();
        let names = (0..10_000).map(name).enumerate();
        let expected: Vec<_> = names.map(|(i, name)| name[..i % (SHORT + 1)].to_vec()).collect();
        assert!(arena.iter().eq(places.into_iter().zip(expected.iter().map(|name| &name[..]))));
        assert_eq!(arena.len(), 10_000);
        assert!(arena.blocks.iter().all(|block| block.capacity() == BLOCK));
    }

    #[test]
    fn names_fill_the_last_block_that_no_long_name_has() {
        let budget = Budget::new(usize::MAX, doiscan_os::ledger::Ledger::default());
        let mut arena = Arena::default();
        for len in [5, BLOCK, 5, 2 * BLOCK, 40_000, 30_000, 5, BLOCK, 5] {
            arena.push(&vec![b'A'; len], &budget).expect("room");
        }
        let lens: Vec<_> = arena.blocks.iter().map(Vec::len).collect();
        assert_eq!(lens, [40_015, BLOCK + 3, 2 * BLOCK + 3, 30_015, BLOCK + 3]);
        let taken: usize = arena.blocks.iter().map(Vec::capacity).sum();
        assert_eq!(arena.bytes(), taken);
    }

    /// Checks that names of these sizes, pushed in this order, are returned unchanged.
    fn come_back(sizes: &[usize]) {
        let (mut arena, budget) =
            (Arena::default(), Budget::new(usize::MAX, doiscan_os::ledger::Ledger::default()));
        let names: Vec<_> = sizes.iter().map(|&n| vec![n as u8; n]).collect();
        let places: Vec<_> = names.iter().map(|n| arena.push(n, &budget).expect("room")).collect();
        for (place, name) in places.iter().zip(&names) {
            assert_eq!(arena.get(*place), name);
            assert_eq!(arena.get_mut(*place), name);
        }
        let mut listed: Vec<_> = arena.iter().map(|(at, name)| (at, name.to_vec())).collect();
        let mut expected: Vec<_> = places.into_iter().zip(names).collect();
        listed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(listed, expected);
        assert_eq!(arena.len(), sizes.len());
        assert!(arena.bytes() >= sizes.iter().sum());
    }
}
