//! Records grouped by key: each key is stored once, and the rest of every record beside it.
//!
//! A record is a key, a context and a rest. The context is what many consecutive records have in
//! common, such as the name of their input; a shard stores it once for all records that a worker
//! hands over together. Records are ordered by key, context and rest, which must be the order of
//! their bytes: no key is a prefix of another, and no context.
//!
//! Only the distinct keys are sorted. The records of a key are then found by a counting sort: keys
//! are numbered in the order of their arrival, so the places of the records of one key are a range.
//! For 4.2 million hits of 0.8 million names, written as CSV, a run took 1.98 s of processor time,
//! and 2.34 s when all hits were sorted.

use super::arena::{Arena, SHORT};
use super::budget::Budget;
use super::error::Error;
use std::cmp::Ordering;
use std::ops::Range;

/// What the records of one shard have besides their keys.
#[derive(Debug, Default)]
pub(super) struct Tails {
    /// The number of the key, that of the context, and the rest of each record.
    records: Arena,
    contexts: Vec<Box<[u8]>>,
    context_bytes: usize,
    /// The number of records of each key.
    counts: Vec<u32>,
}

/// Bytes of the number that follows a stored key.
pub(super) const NUMBER: usize = 4;

/// Bytes of the numbers before a rest.
const HEAD: usize = 8;

impl Tails {
    /// Bytes of memory used, including the index of [`Tails::index`].
    pub(super) fn bytes(&self) -> usize {
        let index = size_of::<u32>() * (self.records.len() + 2 * self.counts.capacity());
        self.records.bytes() + self.context_bytes + index
    }

    /// Number of records.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns the number of the next key, in the form in which it follows the key.
    pub(super) fn number(&mut self) -> [u8; NUMBER] {
        self.counts.push(0);
        (self.counts.len() as u32 - 1).to_le_bytes()
    }

    /// Sets the context of the records that follow.
    pub(super) fn set_context(&mut self, context: &[u8]) {
        if self.contexts.last().is_none_or(|last| **last != *context) {
            self.context_bytes += context.len() + size_of::<Box<[u8]>>();
            self.contexts.push(context.into());
        }
    }

    /// Appends a record of the key that is stored as `key`.
    #[inline]
    pub(super) fn push(&mut self, key: &[u8], rest: &[u8], budget: &Budget) -> Result<(), Error> {
        let mut record = [0; SHORT];
        let key = &key[key.len() - NUMBER..];
        record[..4].copy_from_slice(key);
        record[4..HEAD].copy_from_slice(&(self.contexts.len() as u32 - 1).to_le_bytes());
        self.counts[number(key) as usize] += 1;
        let pushed = match record[HEAD..].get_mut(..rest.len()) {
            Some(space) => {
                space.copy_from_slice(rest);
                self.records.push_short(&record, HEAD + rest.len(), budget)
            }
            None => self.records.push_both(&record[..HEAD], rest, budget),
        };
        pushed.map(drop)
    }

    /// Returns the context and the rest of the record at `at`.
    #[inline]
    pub(super) fn get(&self, at: u32) -> (&[u8], &[u8]) {
        let record = self.records.get(at);
        (&self.contexts[number(&record[4..HEAD]) as usize], &record[HEAD..])
    }

    /// Returns the first byte of the record at `at`.
    #[inline]
    pub(super) fn first(&self, at: u32) -> u8 {
        self.records.first(at)
    }

    /// Compares two records of one key.
    pub(super) fn compare(&self, one: u32, other: u32) -> Ordering {
        let (one, other) = (self.records.get(one), self.records.get(other));
        let contexts = match one[4..HEAD] == other[4..HEAD] {
            true => Ordering::Equal,
            false => {
                let context = |record: &[u8]| &self.contexts[number(&record[4..HEAD]) as usize];
                context(one).cmp(context(other))
            }
        };
        contexts.then_with(|| {
            let (one, other) = (&one[HEAD..], &other[HEAD..]);
            // The rest of a hit begins with its offset.
            let first = match (one.first_chunk(), other.first_chunk()) {
                (Some(one), Some(other)) => {
                    u64::from_be_bytes(*one).cmp(&u64::from_be_bytes(*other))
                }
                _ => Ordering::Equal,
            };
            first.then_with(|| one.cmp(other))
        })
    }

    /// Finds the records of each key.
    pub(super) fn index(&self) -> GroupIndex {
        let mut sum = 0;
        let starts = self.counts.iter().map(|count| {
            sum += count;
            sum - count
        });
        // Each start moves to the end of its range while the range is filled.
        let mut ends: Vec<u32> = starts.collect();
        let mut places = vec![0_u32; self.records.len()];
        self.records.iter().for_each(|(at, record)| {
            let next = &mut ends[number(&record[..4]) as usize];
            places[*next as usize] = at;
            *next += 1;
        });
        GroupIndex { ends, places }
    }

    /// Returns the blocks for reuse.
    pub(super) fn into_blocks(self) -> impl Iterator<Item = Vec<u8>> {
        self.records.into_blocks()
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.first_chunk().copied().map_or(0, u32::from_le_bytes)
}

/// Where the records of each key of a shard are.
#[derive(Debug)]
pub struct GroupIndex {
    /// The end of the range of each key in `places`, by number.
    ends: Vec<u32>,
    places: Vec<u32>,
}

impl GroupIndex {
    /// The places of the records of the key that is stored as `key`, in the order of their arrival.
    #[inline]
    pub(super) fn places(&self, key: &[u8]) -> &[u32] {
        let number = number(&key[key.len() - NUMBER..]) as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        let range: Range<usize> = start as usize..self.ends[number] as usize;
        &self.places[range]
    }
}
