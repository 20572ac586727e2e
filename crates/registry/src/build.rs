//! Makes an index from sorted names, in one pass and constant memory.

use crate::block::{BlockEncoder, FAN};
use doiscan_os::prefix::shared;
use twox_hash::XxHash3_64;

/// The first bytes of an index of any version; a number and a line feed follow.
pub const MAGIC: &[u8] = b"doiscan index ";

/// The first bytes of an index of this version.
pub(crate) const HEAD: &[u8; 16] = b"doiscan index 1\n";

/// Length of the foot.
pub(crate) const FOOT: usize = 48;

/// Bytes of a branch for each child, besides its name.
pub(crate) const LINK: usize = 20;

/// The case of the ASCII letters in all names of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// As canonical names have it.
    #[default]
    Upper,
    /// As `--case lower` writes lists.
    Lower,
}

/// Where a block is, and its checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) at: u64,
    pub(crate) len: u32,
    pub(crate) sum: u64,
}

impl Link {
    #[inline]
    pub(crate) fn read(bytes: &[u8; LINK]) -> Link {
        let [a, b, c, d, e, f, g, h, i, j, k, l, rest @ ..] = *bytes;
        Link {
            at: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            len: u32::from_le_bytes([i, j, k, l]),
            sum: u64::from_le_bytes(rest),
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.at.to_le_bytes());
        out.extend_from_slice(&self.len.to_le_bytes());
        out.extend_from_slice(&self.sum.to_le_bytes());
    }
}

/// The checksum of a block.
#[inline]
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// An open branch.
#[derive(Debug, Default)]
struct Branch {
    links: Vec<u8>,
    names: BlockEncoder,
    last: Vec<u8>,
    /// The separator in front of the first child.
    first: Vec<u8>,
    /// Number of branches of this level that were closed.
    closed: u64,
    /// The only child, if there is one.
    only: Link,
}

/// Makes an index. Names are pushed, and what [`Encoder::bytes`] holds is written to a file from
/// time to time.
#[derive(Debug)]
pub struct Encoder {
    out: Vec<u8>,
    /// Bytes that were cleared from `out`.
    before: u64,
    leaf: BlockEncoder,
    /// Four bytes of the open leaf, and the separator in front of it.
    leaf_head: [u8; 4],
    separator: Vec<u8>,
    leaves: u64,
    levels: Vec<Branch>,
    last: Vec<u8>,
    /// Lengths of the names with which the last one begins, without itself.
    prefixes: Vec<u32>,
    names: u64,
}

impl Default for Encoder {
    fn default() -> Self {
        Encoder {
            out: HEAD.to_vec(),
            before: 0,
            leaf: BlockEncoder::default(),
            leaf_head: [0; 4],
            separator: Vec::new(),
            leaves: 0,
            levels: Vec::new(),
            last: Vec::new(),
            prefixes: Vec::new(),
            names: 0,
        }
    }
}

impl Encoder {
    /// Adds a name. Returns false, and adds nothing, if it does not sort after the last one.
    #[inline]
    pub fn push(&mut self, name: &[u8]) -> bool {
        let known = shared(&self.last, name);
        if self.names > 0 && self.last.get(known) >= name.get(known) {
            return false;
        }
        self.prefixes(known);
        if self.leaf.len() == 0 {
            let longest = self.prefixes.last().map_or(0, |&length| length + 1);
            self.leaf_head = longest.to_le_bytes();
            self.separator.clear();
            if self.names > 0 {
                self.separator.extend_from_slice(&name[..known + 1]);
            }
        }
        self.leaf.push(name, known);
        self.last.truncate(known);
        self.last.extend_from_slice(&name[known..]);
        self.names += 1;
        if self.leaf.len() == FAN {
            self.close_leaf();
        }
        true
    }

    /// Updates `prefixes` for a name that shares `known` bytes with the last one.
    #[inline]
    fn prefixes(&mut self, known: usize) {
        while self.prefixes.last().is_some_and(|&length| length as usize > known) {
            self.prefixes.pop();
        }
        if self.names > 0 && known == self.last.len() {
            self.prefixes.push(known as u32);
        }
    }

    /// The bytes that are complete, without those cleared.
    pub fn bytes(&self) -> &[u8] {
        &self.out
    }

    /// Discards the bytes, which the caller has written.
    pub fn clear(&mut self) {
        self.before += self.out.len() as u64;
        self.out.clear();
    }

    /// Number of names.
    pub fn names(&self) -> u64 {
        self.names
    }

    fn close_leaf(&mut self) {
        let begin = self.out.len();
        self.out.extend_from_slice(&self.leaf_head);
        self.leaf.take(&mut self.out);
        let link = self.link(begin);
        let separator = std::mem::take(&mut self.separator);
        self.leaves += 1;
        self.add(0, &separator, link);
        self.separator = separator;
    }

    /// Describes the block that begins at `begin` of `out`.
    fn link(&self, begin: usize) -> Link {
        let bytes = &self.out[begin..];
        let at = self.before + begin as u64;
        Link { at, len: bytes.len() as u32, sum: checksum(bytes) }
    }

    /// Adds a child to the open branch of a level.
    fn add(&mut self, level: usize, separator: &[u8], link: Link) {
        if self.levels.len() == level {
            self.levels.push(Branch::default());
        }
        let branch = &mut self.levels[level];
        if branch.names.len() == 0 {
            branch.first.clear();
            branch.first.extend_from_slice(separator);
            branch.only = link;
        }
        let known = shared(&branch.last, separator);
        branch.names.push(separator, known);
        branch.last.truncate(known);
        branch.last.extend_from_slice(&separator[known..]);
        link.write(&mut branch.links);
        if branch.names.len() == FAN {
            self.close_branch(level);
        }
    }

    fn close_branch(&mut self, level: usize) {
        let begin = self.out.len();
        let branch = &mut self.levels[level];
        self.out.append(&mut branch.links);
        branch.names.take(&mut self.out);
        branch.closed += 1;
        let separator = std::mem::take(&mut branch.first);
        let link = self.link(begin);
        self.add(level + 1, &separator, link);
        self.levels[level].first = separator;
    }

    /// Ends the file and returns its last bytes, which follow those that were cleared.
    pub fn finish(mut self, case: Case) -> Vec<u8> {
        if self.leaf.len() > 0 {
            self.close_leaf();
        }
        let mut below = self.leaves;
        let mut level = 0;
        while below > 1 {
            if self.levels[level].names.len() > 0 {
                self.close_branch(level);
            }
            below = self.levels[level].closed;
            level += 1;
        }
        // The only block of its level is the root, and the only child in the level above.
        let root = self.levels.get(level).map(|branch| branch.only).unwrap_or_default();
        let foot = self.out.len();
        root.write(&mut self.out);
        self.out.extend_from_slice(&(case as u32).to_le_bytes());
        self.out.extend_from_slice(&self.names.to_le_bytes());
        let length = self.before + (foot + FOOT) as u64;
        self.out.extend_from_slice(&length.to_le_bytes());
        let sum = foot_checksum(&self.out[foot..]);
        self.out.extend_from_slice(&sum.to_le_bytes());
        self.out
    }
}

/// The checksum of the foot, which includes the head.
pub(crate) fn foot_checksum(fields: &[u8]) -> u64 {
    checksum(&[HEAD, fields].concat())
}
