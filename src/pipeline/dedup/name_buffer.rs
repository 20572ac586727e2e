//! Buffers for names in the form in which they are written.

use crate::collect::run::Encoder;
use crate::output::lines;

/// Bytes after which a buffer for sorted names is full.
pub(in crate::pipeline) const BUFFER: usize = 256 * 1024;

/// How a list differs from an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pipeline) enum Change {
    Added,
    Removed,
}

/// Names in some form, in a buffer that is used again.
pub(in crate::pipeline) trait NameBuffer: Send {
    /// Empties it.
    fn clear(&mut self);

    /// Appends a name.
    fn push(&mut self, name: &[u8]);

    /// Bytes in it.
    fn len(&self) -> usize;

    /// What was appended is all.
    fn close(&mut self) {}

    /// Hears that a name is not in an earlier list, or in that alone.
    fn changed(&mut self, name: &[u8], change: Change) {
        let _ = (name, change);
    }
}

/// Lines.
impl NameBuffer for Vec<u8> {
    fn clear(&mut self) {
        self.clear();
    }

    #[inline]
    fn push(&mut self, name: &[u8]) {
        lines(std::iter::once(name), self);
    }

    fn len(&self) -> usize {
        self.len()
    }
}

/// Blocks of a run.
impl NameBuffer for Encoder {
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
