//! One shard: a table of eight-byte slots over an arena of names.

use super::Error;
use super::arena::Arena;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// A name in the table. The hash is kept, so that growing the table does not
/// touch the names.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    at: u32,
}

/// The names whose hash falls into one part of the range.
#[derive(Debug, Default)]
pub(super) struct Shard {
    table: HashTable<Slot>,
    arena: Arena,
    received: u64,
    error: Option<Error>,
}

impl Shard {
    /// Takes the records of a batch, hash and name.
    ///
    /// Most names are repeats, and neither the table nor the arena is in the cache. So
    /// all are looked up before the first is compared: loads that do not wait for one
    /// another overlap. `places` is scratch space.
    pub(super) fn insert_all<'a>(
        &mut self,
        records: impl Iterator<Item = (u32, &'a [u8])> + Clone,
        places: &mut Vec<Option<u32>>,
    ) {
        places.clear();
        places.extend(records.clone().map(|(hash, _)| {
            let slot = self.table.find(spread(hash), |slot| slot.hash == hash);
            slot.map(|slot| slot.at)
        }));
        for ((hash, name), place) in records.zip(&*places) {
            let is_known = place.is_some_and(|at| self.arena.get(at) == name);
            if is_known {
                self.received += 1;
            } else {
                self.insert(hash, name);
            }
        }
    }

    /// Keeps `name` if it is new. After an error nothing more is kept: the
    /// run has failed, and says so in the end.
    fn insert(&mut self, hash: u32, name: &[u8]) {
        self.received += 1;
        let arena = &self.arena;
        let same = |slot: &Slot| slot.hash == hash && arena.get(slot.at) == name;
        if let Entry::Vacant(vacant) =
            self.table.entry(spread(hash), same, |slot| spread(slot.hash))
        {
            match self.arena.push(name) {
                Ok(at) => drop(vacant.insert(Slot { hash, at })),
                Err(error) => self.error = Some(error),
            }
        }
    }

    /// The names and how many came in, repeats included. Drops the table.
    pub(super) fn into_arena(self) -> Result<(Arena, u64), Error> {
        match self.error {
            Some(error) => Err(error),
            None => Ok((self.arena, self.received)),
        }
    }
}

/// The table takes its index from the low bits and its tag from the top seven:
/// both halves carry the 32 bits that are kept.
fn spread(hash: u32) -> u64 {
    u64::from(hash) | u64::from(hash) << 32
}
