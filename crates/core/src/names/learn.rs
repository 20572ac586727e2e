//! Learns a model from a list of DOIs.

use super::model::{ENTRY, Entry, HEADER, LONGEST, MAGIC, POOL, ROW, Share, VERSION, checksum};
use super::symbol::{self, END, LETTER, Runs};
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use thiserror::Error;

/// Learns a model from DOIs in canonical form that come in the order of their bytes.
///
/// Keeps counts, not the DOIs: memory grows with the number of registrants and of different forms of
/// names, and is bounded for each registrant. The same DOIs give the same bytes.
#[derive(Debug, Default)]
pub struct Learner {
    names: u64,
    last: Vec<u8>,
    /// The forms of the registrant of the last name.
    forms: Forms,
    trees: Vec<(u32, Tree)>,
    nodes: Nodes,
    pool: BTreeMap<Vec<u8>, f64>,
}

/// A DOI that is not after the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the names are not in the order of their bytes")]
pub struct Unordered;

/// The fewest DOIs of a registrant that get an automaton.
const FEW_NAMES: f64 = 5.0;
/// The fewest DOIs of a branch, and the part of the registrant's DOIs that they must be.
const FEWEST: f64 = 3.0;
const LEAST_PART: f64 = 1e-5;
/// Letters stand for themselves where so many DOIs share them, or a quarter of the registrant's.
const SHARED: f64 = 30.0;
/// Number of characters of a suffix that an automaton reads.
const DEEPEST: usize = 60;
/// Number of DOIs of one registrant, and of their forms, that count for what all registrants share.
const POOLED: f64 = 200.0;
/// The part of the DOIs in a state that must end for it to count as an end: fewer are names that were cut.
const ENDING: f64 = 0.001;
/// Number of forms of one registrant that are kept. If there are more, every other DOI is left out.
const MOST_FORMS: usize = 1 << 18;

impl Learner {
    /// Takes the next DOI.
    ///
    /// # Errors
    ///
    /// Fails if it is not greater than the DOI before it.
    pub fn push(&mut self, name: &[u8]) -> Result<(), Unordered> {
        if name <= &*self.last && self.names > 0 {
            return Err(Unordered);
        }
        self.names += 1;
        let Some(slash) = memchr::memchr(b'/', name) else { return Ok(()) };
        let (prefix, suffix) = (&name[..slash], &name[slash + 1..]);
        if memchr::memchr(b'/', &self.last) != Some(slash) || !self.last.starts_with(prefix) {
            self.close();
        }
        self.forms.push(name, &suffix[..suffix.len().min(LONGEST)]);
        self.last.clear();
        self.last.extend_from_slice(name);
        Ok(())
    }

    /// Learns from the forms of a registrant whose names are all read.
    fn close(&mut self) {
        let forms = core::mem::take(&mut self.forms);
        let slash = memchr::memchr(b'/', &self.last).unwrap_or(0);
        self.pool_forms(&forms);
        let registrant = self.last[..slash].strip_prefix(b"10.").unwrap_or_default();
        let Some(key) = symbol::registrant(registrant).filter(|&key| key != POOL) else { return };
        if forms.names() >= FEW_NAMES {
            let tree =
                self.nodes.tree(forms.weighted(), f64::max(FEWEST, forms.names() * LEAST_PART));
            self.trees.push((key, tree));
        }
    }

    /// Adds the commonest forms of a registrant to those of all.
    fn pool_forms(&mut self, forms: &Forms) {
        let mut kinds = BTreeMap::<Vec<u8>, f64>::new();
        for (form, count) in forms.weighted() {
            let kind = form.iter().map(|&byte| symbol::kind(byte)).collect();
            *kinds.entry(kind).or_default() += count;
        }
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_by(|a, b| b.1.total_cmp(&a.1));
        kinds.truncate(POOLED as usize);
        let weight = f64::min(1.0, POOLED / f64::max(forms.names(), 1.0));
        for (kind, count) in kinds {
            *self.pool.entry(kind).or_default() += count * weight;
        }
    }

    /// Makes the model, of at most `size` bytes: branches that the fewest DOIs take are left out.
    pub fn finish(mut self, size: usize) -> Vec<u8> {
        self.close();
        let contexts = contexts(&self.pool, size / CONTEXT_BYTES);
        let pool = core::mem::take(&mut self.pool);
        let pool: Vec<(&[u8], f64)> =
            pool.iter().map(|(form, count)| (&form[..], *count)).collect();
        let pool = self.nodes.tree(pool, 8.0);
        self.trees.push((POOL, pool));
        self.trees.sort_by_key(|(key, _)| *key);
        let file = |least: f64| self.file(&contexts, least);
        // The least number of DOIs, in steps of a tenth, whose model is small enough.
        let (mut low, mut high) = (0, 300);
        while low < high {
            let middle = (low + high) / 2;
            let fits = file(least(middle)).is_some_and(|file| file.len() <= size);
            if fits { high = middle } else { low = middle + 1 }
        }
        file(least(low)).unwrap_or_default()
    }

    /// The file of the states that at least `least` DOIs pass. `None` if there are too many.
    fn file(&self, contexts: &[(u32, f64, Vec<(u8, f64)>)], least: f64) -> Option<Vec<u8>> {
        let mut states = States::default();
        let (mut registrants, mut rows) = (Vec::new(), Vec::new());
        for (key, tree) in &self.trees {
            let least = if *key == POOL { f64::max(least, 20.0) } else { least };
            if let Some(state) = states.add(&self.nodes, tree.root, least) {
                registrants.push((*key, state, tree.names));
            }
        }
        for (key, count, parts) in contexts {
            let entries = parts.iter().map(|(kind, part)| (*kind, Share::of(*part, *count), 0));
            rows.push((*key, states.intern(entries.collect()), *count));
        }
        let starts = states.starts();
        if *starts.last()? as usize >= Entry::STATES {
            return None;
        }
        let mut file = MAGIC.to_vec();
        let sizes = [registrants.len(), rows.len(), *starts.last()? as usize];
        file.extend(VERSION.to_le_bytes());
        file.extend(sizes.iter().flat_map(|size| (*size as u32).to_le_bytes()));
        file.extend(self.names.to_le_bytes());
        file.extend([0; 8]);
        for (key, state, names) in registrants.into_iter().chain(rows) {
            let size = (16.0 * log2(names)) as u32;
            file.extend(key.to_le_bytes());
            file.extend((starts[state as usize] | size << 20).to_le_bytes());
        }
        debug_assert_eq!(file.len(), HEADER + (sizes[0] + sizes[1]) * ROW);
        states.write(&starts, &mut file);
        let sum = checksum(&file[HEADER..]);
        file[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
        Some(file)
    }
}

/// Bytes of the model for each context.
const CONTEXT_BYTES: usize = 150;

/// The least number of DOIs at a step.
fn least(step: i32) -> f64 {
    let mut least = FEWEST;
    for _ in 0..step {
        least += 1.0 + (least / 10.0) as u64 as f64;
    }
    least
}

/// Binary logarithm of a number, at least 0.
fn log2(x: f64) -> f32 {
    f32::max(0.0, super::model::ln(f32::max(x as f32, 1.0)) / core::f32::consts::LN_2)
}

/// The forms of a registrant's suffixes, digits made one, with their numbers.
#[derive(Debug, Default)]
struct Forms {
    counts: BTreeMap<Vec<u8>, u32>,
    form: Vec<u8>,
    /// One DOI of two to this power is counted.
    halvings: u32,
}

impl Forms {
    fn push(&mut self, name: &[u8], suffix: &[u8]) {
        if self.halvings > 0 && checksum(name) & ((1 << self.halvings) - 1) != 0 {
            return;
        }
        self.form.clear();
        self.form.extend(suffix.iter().map(|&byte| symbol::literal(byte)));
        match self.counts.get_mut(&self.form) {
            Some(count) => *count += 1,
            None => {
                self.counts.insert(self.form.clone(), 1);
            }
        }
        if self.counts.len() > MOST_FORMS {
            self.halvings += 1;
            self.counts.retain(|form, count| {
                let odd = *count & 1 & checksum(form) as u32;
                *count = *count / 2 + odd;
                *count > 0
            });
        }
    }

    fn scale(&self) -> f64 {
        f64::from(1 << self.halvings.min(30))
    }

    fn names(&self) -> f64 {
        self.counts.values().map(|&count| f64::from(count)).sum::<f64>() * self.scale()
    }

    fn weighted(&self) -> Vec<(&[u8], f64)> {
        self.counts
            .iter()
            .map(|(form, &count)| (&form[..], f64::from(count) * self.scale()))
            .collect()
    }
}

/// The automaton of a registrant, a tree at first.
#[derive(Clone, Copy, Debug)]
struct Tree {
    root: u32,
    names: f64,
}

/// Nodes of all trees.
#[derive(Debug, Default)]
struct Nodes {
    nodes: Vec<Node>,
    branches: Vec<(u8, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    passing: f32,
    ending: f32,
    /// Its branches.
    first: u32,
    branches: u8,
}

impl Nodes {
    fn tree(&mut self, mut forms: Vec<(&[u8], f64)>, fewest: f64) -> Tree {
        let names = forms.iter().map(|form| form.1).sum::<f64>();
        let shared = f64::min(SHARED, f64::max(3.0, names / 4.0)) * f64::max(1.0, fewest / FEWEST);
        let root = self.node(&mut forms, 0, fewest, shared);
        Tree { root, names }
    }

    /// Makes the node of forms that are equal in their first `at` symbols.
    fn node(&mut self, forms: &mut [(&[u8], f64)], at: usize, fewest: f64, shared: f64) -> u32 {
        let mut weights = [0.0; 128];
        for (form, count) in &*forms {
            weights[usize::from(form.get(at).copied().unwrap_or(END))] += count;
        }
        let passing = weights.iter().sum::<f64>();
        let ending = weights[usize::from(END)];
        let symbol = |form: &[u8]| match form.get(at).copied().unwrap_or(END) {
            byte @ b'A'..=b'Z' if weights[usize::from(byte)] < shared => LETTER,
            byte => byte,
        };
        forms.sort_unstable_by_key(|(form, _)| symbol(form));
        let mut branches = Vec::new();
        if at < DEEPEST {
            for group in forms.chunk_by_mut(|a, b| symbol(a.0) == symbol(b.0)) {
                let symbol = symbol(group[0].0);
                let count = group.iter().map(|form| form.1).sum::<f64>();
                if symbol != END && count >= fewest {
                    branches.push((symbol, self.node(group, at + 1, fewest, shared)));
                }
            }
        }
        let first = self.branches.len() as u32;
        self.nodes.push(Node {
            passing: passing as f32,
            ending: ending as f32,
            first,
            branches: branches.len() as u8,
        });
        self.branches.extend(branches);
        self.nodes.len() as u32 - 1
    }
}

/// States of all automata, equal ones once.
#[derive(Debug, Default)]
struct States {
    numbers: BTreeMap<Vec<(u8, u32, u32)>, u32>,
    states: Vec<Vec<(u8, u32, u32)>>,
    entries: usize,
}

impl States {
    /// Adds the state of a node and those after it. `None` if nothing is known in it.
    fn add(&mut self, nodes: &Nodes, node: u32, least: f64) -> Option<u32> {
        let Node { passing, ending, first, branches } = nodes.nodes[node as usize];
        let (passing, ending) = (f64::from(passing), f64::from(ending));
        let mut entries = Vec::new();
        if ending >= f64::max(1.0, passing * ENDING) {
            entries.push((END, Share::of(ending, passing), 0));
        }
        let range = first as usize..first as usize + usize::from(branches);
        for &(symbol, next) in &nodes.branches[range] {
            let count = f64::from(nodes.nodes[next as usize].passing);
            if count >= least {
                let state = self.add(nodes, next, least).map_or(0, |state| state + 1);
                entries.push((symbol, Share::of(count, passing), state));
            }
        }
        (!entries.is_empty()).then(|| self.intern(entries))
    }

    fn intern(&mut self, entries: Vec<(u8, Share, u32)>) -> u32 {
        let entries: Vec<_> =
            entries.into_iter().map(|(symbol, share, next)| (symbol, share.0, next)).collect();
        if let Some(&number) = self.numbers.get(&entries) {
            return number;
        }
        let number = self.states.len() as u32;
        self.entries += entries.len();
        self.states.push(entries.clone());
        self.numbers.insert(entries, number);
        number
    }

    /// The first entry of each state, and the number of entries. The first entry of all is no state.
    fn starts(&self) -> Vec<u32> {
        let mut starts = vec![1];
        starts.extend(self.states.iter().scan(1, |at, state| {
            *at += state.len() as u32;
            Some(*at)
        }));
        starts
    }

    fn write(&self, starts: &[u32], file: &mut Vec<u8>) {
        file.extend(Entry::LAST.to_le_bytes());
        for state in &self.states {
            for (index, &(symbol, share, next)) in state.iter().enumerate() {
                let next = if next == 0 { 0 } else { starts[next as usize - 1] };
                let last = if index + 1 == state.len() { Entry::LAST } else { 0 };
                let entry = u32::from(symbol) | last | share << 8 | next << 12;
                file.extend(entry.to_le_bytes());
            }
        }
        debug_assert_eq!(file.len() % ENTRY, HEADER % ENTRY);
    }
}

/// What follows the commonest contexts of the pooled forms: key, number, and kinds with their numbers.
fn contexts(pool: &BTreeMap<Vec<u8>, f64>, most: usize) -> Vec<(u32, f64, Vec<(u8, f64)>)> {
    let mut counts = BTreeMap::<u32, BTreeMap<u8, f64>>::new();
    for (form, weight) in pool {
        let mut runs = Runs::default();
        for at in 0..=form.len() {
            let kind = form.get(at).copied().unwrap_or(END);
            for key in runs.contexts() {
                *counts.entry(key).or_default().entry(kind).or_default() += weight;
            }
            if kind != END {
                runs.push(kind);
            }
        }
    }
    let sum = |kinds: BTreeMap<u8, f64>| (kinds.values().sum::<f64>(), kinds.into_iter().collect());
    let mut contexts: Vec<_> = counts.into_iter().map(|(key, kinds)| (key, sum(kinds))).collect();
    contexts.retain(|(_, (count, _))| *count >= 20.0);
    contexts.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
    contexts.truncate(most);
    contexts.sort_by_key(|(key, _)| *key);
    contexts.into_iter().map(|(key, (count, kinds))| (key, count, kinds)).collect()
}
