//! Makes an index from sorted names, in one pass and constant memory.

use fst::raw::Builder;
use std::cell::RefCell;
use std::hash::Hasher;
use std::io;
use twox_hash::XxHash3_64;

/// The first bytes of an index of any version; a number and a line feed follow.
const MAGIC: &[u8] = b"doiscan index ";

/// The first bytes of an index of this version.
pub(crate) const HEAD: &[u8; 16] = b"doiscan index 2\n";

/// The type of the automaton, 8 bytes after its beginning: by it, an index is recognised whose first bytes are damaged.
const TYPE: &[u8; 8] = b"doiscan\n";

/// Length of the checksum of all bytes in front of it, which ends the file.
pub(crate) const SUM: usize = 8;

/// Length of the foot: the case of letters, and the checksum.
pub(crate) const FOOT: usize = 1 + SUM;

/// The case of the ASCII letters in all names of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// As canonical names have it.
    #[default]
    Upper,
    /// As `--case lower` writes lists.
    Lower,
}

/// Whether a file that begins with `head` is an index of any version, perhaps with damage to its first bytes.
pub fn is_index(head: &[u8]) -> bool {
    let rest = head.get(HEAD.len() + TYPE.len()..);
    has_version(head) || rest.is_some_and(|rest| rest.starts_with(TYPE))
}

/// Whether `head` is that of an index of any version.
pub(crate) fn has_version(head: &[u8]) -> bool {
    let version = head.strip_prefix(MAGIC).unwrap_or_default();
    let digits = version.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 0 && version.get(digits) == Some(&b'\n')
}

/// The bytes that the builder wrote and nobody took.
struct Written(RefCell<Vec<u8>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.get_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes an index. Names are pushed, and what [`Encoder::take`] returns is written to a file from
/// time to time.
pub struct Encoder {
    builder: Builder<Written>,
    sum: XxHash3_64,
    names: u64,
}

impl Default for Encoder {
    fn default() -> Self {
        let written = Written(RefCell::new(HEAD.to_vec()));
        let builder = Builder::new_type(written, u64::from_le_bytes(*TYPE));
        Encoder { builder: builder.expect(IN_MEMORY), sum: XxHash3_64::new(), names: 0 }
    }
}

const IN_MEMORY: &str = "writing to memory succeeds";

impl Encoder {
    /// Adds a name. Returns false, and adds nothing, if it does not sort after the last one.
    #[inline]
    pub fn push(&mut self, name: &[u8]) -> bool {
        // Unlike `add`, `insert` refuses a name that is there.
        let is_next = self.builder.insert(name, 0).is_ok();
        self.names += u64::from(is_next);
        is_next
    }

    /// Number of names.
    pub fn names(&self) -> u64 {
        self.names
    }

    /// Returns the bytes that are complete and were not taken, if there are `least`, or else none.
    pub fn take(&mut self, least: usize) -> Vec<u8> {
        let written = &self.builder.get_ref().0;
        if written.borrow().len() < least {
            return Vec::new();
        }
        let bytes = written.take();
        self.sum.write(&bytes);
        bytes
    }

    /// Ends the file and returns its last bytes, which follow those that were taken.
    pub fn finish(self, case: Case) -> Vec<u8> {
        let Encoder { builder, mut sum, .. } = self;
        let mut bytes = builder.into_inner().expect(IN_MEMORY).0.into_inner();
        bytes.push(case as u8);
        sum.write(&bytes);
        bytes.extend_from_slice(&sum.finish().to_le_bytes());
        bytes
    }
}
