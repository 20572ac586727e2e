//! The bytes of a shard's names, in blocks that never move.

use super::Error;
use super::budget::Budget;

/// Bytes of a block, so that an offset is (block, place in it) in 16 bits each.
/// Blocks and not one growing buffer: a doubling copy would hold the names
/// three times for a moment.
pub(super) const BLOCK: usize = 64 * 1024;

/// Names one after the other, each behind its length.
#[derive(Debug, Default)]
pub(super) struct Arena {
    blocks: Vec<Vec<u8>>,
    /// The block that is being filled. Not always the last: a name longer
    /// than a block gets one of its own.
    filling: usize,
    len: usize,
    /// Bytes of all blocks, filled or not.
    bytes: usize,
}

impl Arena {
    /// Names in the arena.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its blocks, to be filled again.
    pub(super) fn into_blocks(self) -> impl Iterator<Item = Vec<u8>> {
        self.blocks.into_iter()
    }

    /// Appends `name` and returns where it is.
    pub(super) fn push(&mut self, name: &[u8], budget: &Budget) -> Result<u32, Error> {
        let (head, head_len) = encode(u32::try_from(name.len()).map_err(|_| Error::NameTooLong)?);
        let block = self.block_for(head_len + name.len(), budget)?;
        let bytes = &mut self.blocks[block];
        let at = ((block as u32) << 16) | bytes.len() as u32;
        bytes.extend_from_slice(&head[..head_len]);
        bytes.extend_from_slice(name);
        self.len += 1;
        Ok(at)
    }

    /// The name at `at`, which came from [`Arena::push`].
    #[inline]
    pub(super) fn get(&self, at: u32) -> &[u8] {
        let record = &self.blocks[(at >> 16) as usize][(at & 0xffff) as usize..];
        let (len, head) = decode(record);
        &record[head..head + len]
    }

    /// Every name and where it is.
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

    /// A block with room for `need` bytes.
    fn block_for(&mut self, need: usize, budget: &Budget) -> Result<usize, Error> {
        match self.blocks.get(self.filling) {
            Some(block) if BLOCK - block.len() >= need => Ok(self.filling),
            _ => self.add_block(need, budget),
        }
    }

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

/// A length in seven bits a byte, lowest first: one byte for nearly every name.
fn encode(mut len: u32) -> ([u8; 5], usize) {
    let mut bytes = [0; 5];
    let mut at = 0;
    while len >= 0x80 {
        bytes[at] = len as u8 | 0x80;
        len >>= 7;
        at += 1;
    }
    bytes[at] = len as u8;
    (bytes, at + 1)
}

/// The length at the start of `record` and the bytes it takes.
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
    let (mut len, mut at) = (0, 0);
    loop {
        len |= usize::from(record[at] & 0x7f) << (7 * at);
        at += 1;
        if record[at - 1] < 0x80 {
            return (len, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_survive() {
        for len in [0, 1, 127, 128, 16_383, 16_384, 2_097_152, u32::MAX] {
            let (bytes, n) = encode(len);
            assert_eq!(decode(&bytes[..n]), (len as usize, n), "{len}");
        }
    }

    #[test]
    fn names_of_every_size_come_back() {
        let (mut arena, budget) =
            (Arena::default(), Budget::new(usize::MAX, crate::collect::Beside::default()));
        let sizes = [3, 127, 128, 70_000, 5, BLOCK - 3, BLOCK, BLOCK - 2, 40_000, 30_000, 1];
        let names: Vec<_> = sizes.iter().map(|&n| vec![n as u8; n]).collect();
        let places: Vec<_> = names.iter().map(|n| arena.push(n, &budget).expect("room")).collect();
        for (place, name) in places.iter().zip(&names) {
            assert_eq!(arena.get(*place), name);
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
