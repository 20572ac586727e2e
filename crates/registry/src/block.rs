//! The names of a block: front-coded, and searched without being decoded.

use doiscan_os::prefix::shared;
use doiscan_os::varint;

/// Names in a leaf and children of a branch.
///
/// Measured on 49.4 million seeded names of 27 bytes (`benches/registry.rs`), one busy core, random
/// order:
///
/// | fan | bytes a name | lookups, million a second | names with one error, a second |
/// |---|---|---|---|
/// | 16 | 10.30 | 0.62 | 4,490 |
/// | 32 | 8.58 | 0.70 | 4,530 |
/// | 64 | 7.76 | 0.85 | 4,890 |
pub const FAN: usize = 64;

/// Largest length of a shared prefix that is stored. Bytes shared beyond it are stored again.
const CAP: usize = 254;

/// The length of a rest that does not fit one byte.
const LONG: u8 = 255;

pub(crate) const MALFORMED: &str = "a block is not well formed";

/// Encodes the names of one block.
#[derive(Debug, Default)]
pub(crate) struct BlockEncoder {
    known: Vec<u8>,
    lengths: Vec<u8>,
    rests: Vec<u8>,
}

impl BlockEncoder {
    /// Adds a name that shares `known` bytes with the last one.
    #[inline]
    pub(crate) fn push(&mut self, name: &[u8], known: usize) {
        let known = if self.known.is_empty() { 0 } else { known.min(CAP) };
        let rest = &name[known..];
        self.known.push(known as u8);
        match u8::try_from(rest.len()) {
            Ok(length) if length != LONG => self.lengths.push(length),
            _ => {
                self.lengths.push(LONG);
                varint::push(rest.len() as u64, &mut self.rests);
            }
        }
        self.rests.extend_from_slice(rest);
    }

    /// Number of names.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Appends the block to `out` and empties it.
    pub(crate) fn take(&mut self, out: &mut Vec<u8>) {
        for part in [&mut self.known, &mut self.lengths, &mut self.rests] {
            out.append(part);
        }
    }
}

/// The names of one block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    known: &'a [u8],
    lengths: &'a [u8],
    rests: &'a [u8],
}

/// A place between the names of a block: those in front of it are less than the name that was
/// searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Number of names in front of it.
    pub(crate) index: usize,
    /// Position of the next name's rest, or of its length if that is long.
    pub(crate) at: usize,
    /// Length of the prefix that the searched name shares with the last name in front of it.
    pub(crate) shared: usize,
    /// Whether the next name is the one that was searched.
    pub(crate) is_equal: bool,
    /// Length of the last name up to this place that the searched one begins with.
    pub(crate) prefix: Option<usize>,
}

impl<'a> Names<'a> {
    /// Reads the names of a block that has `count`.
    #[inline]
    pub(crate) fn new(bytes: &'a [u8], count: usize) -> Option<Self> {
        let (known, bytes) = bytes.split_at_checked(count)?;
        let (lengths, rests) = bytes.split_at_checked(count)?;
        Some(Names { known, lengths, rests })
    }

    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Takes the rest of the name `index`, which begins at `at`. Moves `at` to its end.
    #[inline]
    fn rest(&self, index: usize, at: &mut usize) -> Option<&'a [u8]> {
        let mut length = usize::from(self.lengths[index]);
        if length == usize::from(LONG) {
            length = self.long(at)?;
        }
        let rest = self.rests.get(*at..)?.get(..length)?;
        *at += length;
        Some(rest)
    }

    /// Reads the length of a long rest.
    #[cold]
    fn long(&self, at: &mut usize) -> Option<usize> {
        let mut bytes = self.rests.get(*at..)?;
        let length = varint::take::<5>(&mut bytes)?;
        *at = self.rests.len() - bytes.len();
        usize::try_from(length).ok()
    }

    /// Finds the place of `name`, searching from `from`, in front of which all names are less. `None` if the block is malformed.
    ///
    /// A name that shares more with the one before than that one shares with `name` is on the same
    /// side of it, and one that shares less is greater; so only those that share as much are
    /// compared. The prefix lengths are one byte each and together, so the others are passed at two
    /// loads and a comparison.
    #[inline]
    pub(crate) fn search(&self, name: &[u8], from: Place) -> Option<Place> {
        let Place { mut index, mut at, shared: mut same, mut prefix, .. } = from;
        let place =
            |index, at, shared, is_equal, prefix| Place { index, at, shared, is_equal, prefix };
        let (all, lengths) = (self.known, &self.lengths[..self.known.len()]);
        while index < all.len() {
            let known = usize::from(all[index]);
            if known > same {
                let length = lengths[index];
                at = match length {
                    LONG => self.long(&mut at)?.checked_add(at)?,
                    length => at + usize::from(length),
                };
                index += 1;
                continue;
            }
            if known < same && known < CAP {
                break;
            }
            let begin = at;
            let rest = self.rest(index, &mut at)?;
            let wanted = &name[known..];
            let more = shared(rest, wanted);
            match (rest.get(more), wanted.get(more)) {
                (None, None) => return Some(place(index, begin, same, true, Some(name.len()))),
                (None, Some(_)) => prefix = Some(known + more),
                (Some(_), None) => return Some(place(index, begin, same, false, prefix)),
                (Some(have), Some(want)) if have > want => {
                    return Some(place(index, begin, same, false, prefix));
                }
                _ => {}
            }
            same = known + more;
            index += 1;
        }
        Some(place(index, at, same, false, prefix))
    }

    /// Decodes the name at `place` into `out`, which holds the one before it, or any that shares as
    /// much with it. Returns the length of the kept part and the place after the name.
    #[inline]
    pub(crate) fn decode(&self, place: Place, out: &mut Vec<u8>) -> Option<(usize, Place)> {
        let known = usize::from(*self.known.get(place.index)?);
        let mut at = place.at;
        let rest = self.rest(place.index, &mut at)?;
        if known > out.len() || place.index == 0 && known > 0 {
            return None;
        }
        out.truncate(known);
        out.extend_from_slice(rest);
        Some((known, Place { index: place.index + 1, at, ..Place::default() }))
    }

    /// The first name of the block, which is stored whole.
    #[inline]
    pub(crate) fn first(&self) -> Option<&'a [u8]> {
        if *self.known.first()? != 0 {
            return None;
        }
        self.rest(0, &mut 0)
    }

    /// The place of the name `index`, decoding all names in front of it into `out`.
    pub(crate) fn nth(&self, index: usize, out: &mut Vec<u8>) -> Option<Place> {
        let mut place = Place::default();
        out.clear();
        while place.index < index {
            (_, place) = self.decode(place, out)?;
        }
        Some(place)
    }
}
