//! One shard: a table of eight-byte slots over an arena of names.

use super::arena::Arena;
use super::budget::Budget;
use super::{Entry as SortEntry, Error};
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
    /// Takes the records of a batch, hash and name, if they fit the budget; says whether.
    /// An empty shard takes any, so that there is always something to spill.
    pub(super) fn insert_all<'a>(
        &mut self,
        records: impl Iterator<Item = (u32, &'a [u8])> + Clone,
        places: &mut Vec<Option<u32>>,
        budget: &Budget,
    ) -> bool {
        // As if all were new.
        let grows = self.table.capacity() - self.table.len() < records.clone().count();
        let more = if grows { 4 * self.table.allocation_size() } else { 0 };
        if self.arena.len() > 0 && !budget.has_room(more) {
            return false;
        }
        let before = self.bytes();
        self.look_up_and_insert(records, places, budget);
        budget.resized(before, self.bytes());
        true
    }

    /// Bytes it takes, those of the entries by which its names will be sorted among them.
    /// The table counts twice: the smaller ones that it grew out of are as large together,
    /// and the allocator holds them for a while.
    fn bytes(&self) -> usize {
        let entries = self.arena.len() * size_of::<SortEntry>();
        self.arena.bytes() + 2 * self.table.allocation_size() + entries
    }

    /// Most names are repeats, and neither the table nor the arena is in the cache. So
    /// all are looked up before the first is compared: loads that do not wait for one
    /// another overlap. `places` is scratch space.
    fn look_up_and_insert<'a>(
        &mut self,
        records: impl Iterator<Item = (u32, &'a [u8])> + Clone,
        places: &mut Vec<Option<u32>>,
        budget: &Budget,
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
                self.insert(hash, name, budget);
            }
        }
    }

    /// Keeps `name` if it is new. After an error nothing more is kept: the
    /// run has failed, and says so in the end.
    fn insert(&mut self, hash: u32, name: &[u8], budget: &Budget) {
        self.received += 1;
        let arena = &self.arena;
        let same = |slot: &Slot| slot.hash == hash && arena.get(slot.at) == name;
        if let Entry::Vacant(vacant) =
            self.table.entry(spread(hash), same, |slot| spread(slot.hash))
        {
            match self.arena.push(name, budget) {
                Ok(at) => drop(vacant.insert(Slot { hash, at })),
                Err(error) => self.error = Some(error),
            }
        }
    }

    /// Takes the names out. The table keeps its size: as many names come again.
    pub(super) fn take(&mut self) -> Result<Arena, Error> {
        self.table.clear();
        match self.error {
            Some(error) => Err(error),
            None => Ok(std::mem::take(&mut self.arena)),
        }
    }

    /// Names that came in, repeats included.
    pub(super) fn received(&self) -> u64 {
        self.received
    }
}

/// The table takes its index from the low bits and its tag from the top seven:
/// both halves carry the 32 bits that are kept.
fn spread(hash: u32) -> u64 {
    u64::from(hash) | u64::from(hash) << 32
}
