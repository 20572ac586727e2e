//! Buffers for names in their output encoding.

use crate::collect::run::BlockEncoder;

/// Fill level in bytes at which a buffer for sorted names is full.
pub const BUFFER: usize = 256 * 1024;

/// How a name differs from an earlier list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameChange {
    /// It came.
    Added,
    /// It went.
    Removed,
}

/// A reusable buffer for names in some encoding.
pub trait NameBuffer: Send {
    /// Empties the buffer.
    fn clear(&mut self);

    /// Appends a name.
    fn push(&mut self, name: &[u8]);

    /// Appends a record that comes in parts: its key, its context and the rest. `record` is scratch
    /// space.
    fn push_parts(&mut self, parts: [&[u8]; 3], record: &mut Vec<u8>) {
        record.clear();
        parts.iter().for_each(|part| record.extend_from_slice(part));
        self.push(record);
    }

    /// Number of bytes in the buffer.
    fn len(&self) -> usize;

    /// Whether it holds no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Called when the buffer is complete and is about to be written.
    fn close(&mut self) {}

    /// Called for a name that is missing in an earlier list, or is only in that list.
    fn changed(&mut self, name: &[u8], change: NameChange) {
        let _ = (name, change);
    }
}

/// Names as lines.
impl NameBuffer for Vec<u8> {
    fn clear(&mut self) {
        self.clear();
    }

    #[inline]
    fn push(&mut self, name: &[u8]) {
        self.extend_from_slice(name);
        self.push(b'\n');
    }

    fn len(&self) -> usize {
        self.len()
    }
}

/// Names as blocks of a run.
impl NameBuffer for BlockEncoder {
    fn clear(&mut self) {
        self.clear();
    }

    fn push(&mut self, name: &[u8]) {
        self.push(name);
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn close(&mut self) {
        self.close();
    }
}
