//! Counts of one DOI in several inputs, summed up.

use super::record::{self, InInput};
use crate::output::Value;
use crate::quality::InputStats;

/// The names of inputs, by their numbers.
#[derive(Debug, Default)]
pub(in crate::pipeline) struct InputNames {
    names: Vec<Vec<u8>>,
    /// The place of each among all, in the order of their bytes.
    ranks: Vec<u32>,
}

impl InputNames {
    /// The names of the inputs 0, 1, 2 and so on, each of which occurs once.
    pub(in crate::pipeline) fn new(names: Vec<Vec<u8>>) -> Self {
        let mut sorted: Vec<u32> = (0..names.len() as u32).collect();
        sorted.sort_unstable_by_key(|&number| &names[number as usize]);
        let mut ranks = vec![0; names.len()];
        for (rank, number) in sorted.into_iter().enumerate() {
            ranks[number as usize] = rank as u32;
        }
        InputNames { names, ranks }
    }

    fn rank(&self, number: u32) -> u32 {
        self.ranks.get(number as usize).copied().unwrap_or(u32::MAX)
    }

    fn name(&self, number: u32) -> &[u8] {
        self.names.get(number as usize).map_or(&[], Vec::as_slice)
    }
}

/// What several records add up to, as far as they have come.
#[derive(Clone, Debug)]
pub(in crate::pipeline) enum Group {
    Doi(DoiGroup),
    Input(Box<InputStats>),
}

impl Group {
    /// Whether both give one row.
    pub(super) fn is_same(&self, other: &Group) -> bool {
        match (self, other) {
            (Group::Doi(one), Group::Doi(other)) => one.doi == other.doi,
            (Group::Input(one), Group::Input(other)) => one.name == other.name,
            _ => false,
        }
    }

    /// Adds the records that follow, which give the same row.
    pub(super) fn add(&mut self, next: Group) {
        match (self, next) {
            (Group::Doi(one), Group::Doi(next)) => one.add(next),
            (Group::Input(one), Group::Input(next)) => one.add(&next),
            _ => {}
        }
    }
}

/// All that is known of one DOI in a stretch of records.
#[derive(Clone, Debug)]
pub(in crate::pipeline) struct DoiGroup {
    pub(super) doi: Vec<u8>,
    pub(super) count: u64,
    inputs: u64,
    /// The numbers of the first and the last input, in the order of records.
    edges: (u32, u32),
    /// The first occurrence: rank and number of its input, offset and bytes.
    rank: u32,
    input: u32,
    offset: u64,
    kind: u8,
    text: Vec<u8>,
}

impl DoiGroup {
    pub(super) fn new(one: InInput<'_>, names: &InputNames) -> DoiGroup {
        DoiGroup {
            doi: one.doi.to_vec(),
            count: one.count,
            inputs: 1,
            edges: (one.input, one.input),
            rank: names.rank(one.input),
            input: one.input,
            offset: one.offset,
            kind: one.kind,
            text: one.text.to_vec(),
        }
    }

    /// Adds the records that follow.
    fn add(&mut self, next: DoiGroup) {
        self.count += next.count;
        // Runs that were spilled at different times share inputs.
        self.inputs += next.inputs - u64::from(self.edges.1 == next.edges.0);
        self.edges.1 = next.edges.1;
        if (next.rank, next.offset, next.kind, &next.text)
            < (self.rank, self.offset, self.kind, &self.text)
        {
            self.rank = next.rank;
            self.input = next.input;
            self.offset = next.offset;
            self.kind = next.kind;
            self.text = next.text;
        }
    }

    /// Its row.
    pub(super) fn row<'a>(&'a self, names: &'a InputNames) -> [Value<'a>; 6] {
        [
            Value::Doi(&self.doi),
            Value::Number(self.count),
            Value::Number(self.inputs),
            Value::Bytes(names.name(self.input)),
            Value::Number(self.offset),
            record::raw(&self.doi, self.kind, &self.text),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_and_the_first_place_is_that_of_the_least_name() {
        let names = InputNames::new(vec![b"z".to_vec(), b"a".to_vec(), b"m".to_vec()]);
        let one = |input, count, offset| InInput {
            doi: b"10.1/A",
            input,
            count,
            offset,
            kind: 0,
            text: b"",
        };
        let mut sum = DoiGroup::new(one(0, 2, 5), &names);
        for (input, count, offset) in [(0, 1, 3), (1, 4, 90), (1, 1, 80), (2, 1, 0)] {
            sum.add(DoiGroup::new(one(input, count, offset), &names));
        }
        let row = sum.row(&names);
        assert_eq!(
            row[1..5],
            [Value::Number(9), Value::Number(3), Value::Bytes(b"a"), Value::Number(80)]
        );
    }
}
