//! The file of a model, and a walk along a text in it.
//!
//! # Format
//!
//! All numbers are little-endian.
//!
//! | part | bytes |
//! |---|---|
//! | header | `doinames`; version (4); rows of registrants (4), of contexts (4), of entries (4); DOIs learned from (8); checksum of all else (8) |
//! | registrants | 8 a row, by key: the key, four bits a character ([`symbol::registrant`]), 0 for what all registrants share; the state before the suffix |
//! | contexts | 8 a row, by key: the hash of the last one, two or three runs of one kind of character ([`symbol::Runs`]); the state |
//! | entries | 4 each: symbol (7 bits), whether it is the last of its state (1), its share (4), the entry with which the next state begins (20) |
//!
//! A state in a row is the number of its first entry (20 bits), and the binary logarithm of the number of DOIs in
//! it, in sixteenths (12). A symbol is a character, with one for all digits, one for all letters, one for everything
//! outside ASCII and one for the end of a DOI. The share is that of the state's DOIs which go on with the symbol, in steps of
//! its odds. Entry 0 stands for "nothing is known". Equal states are one.
//!
//! Reading checks lengths, version, checksum, and that each state lies in the table and ends in it. Lookups then need no
//! check, do not allocate, and end: a walk reads at most [`LONGEST`] bytes, and a state has at most 128 symbols.

use super::symbol::{self, DIGIT, LETTER};
use alloc::borrow::Cow;
use core::fmt;
use thiserror::Error;

/// What DOIs look like, learned from DOIs.
///
/// For each registrant with enough DOIs an automaton reads a suffix symbol by symbol and tells in each
/// state how often DOIs go on with which symbol and how often they end. Two tables that all registrants
/// share answer where it knows nothing: an automaton over kinds of characters, and what follows the
/// last three runs of one kind.
#[derive(Clone)]
pub struct Model {
    bytes: Cow<'static, [u8]>,
    registrants: Table,
    contexts: Table,
    entries: Table,
}

/// A part of the file: its first byte and its number of rows.
#[derive(Clone, Copy, Debug)]
struct Table {
    start: usize,
    rows: usize,
}

/// Why bytes are not a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// They begin with something else.
    #[error("not a model of names; doiscan learn makes one")]
    Magic,
    /// They are a model of another version of the format.
    #[error(
        "a model of version {0}, and this program reads version {VERSION}; make it again with doiscan learn"
    )]
    Version(u32),
    /// They are cut or changed.
    #[error("the model is damaged: its length or its checksum is wrong")]
    Damaged,
}

/// First bytes of a model.
pub(super) const MAGIC: &[u8; 8] = b"doinames";

/// Version of the format.
pub(super) const VERSION: u32 = 1;

/// Length of the header: magic, version, rows of the three tables, DOIs that it was learned from, checksum of
/// the rest.
pub(super) const HEADER: usize = 8 + 4 * 4 + 8 + 8;

/// Bytes of a row of the tables of registrants and contexts: a key, and a state (bits 0 to 19) with the binary
/// logarithm of the number of DOIs in it, in sixteenths (bits 20 to 31).
pub(super) const ROW: usize = 8;

/// Key of the automaton that all registrants share.
pub(super) const POOL: u32 = 0;

/// Bytes of an entry.
pub(super) const ENTRY: usize = 4;

/// An entry of a state: a symbol, its share of the DOIs in the state, and the state that follows.
///
/// Bits 0 to 6 hold the symbol, bit 7 marks the last entry of a state, bits 8 to 11 the share, the
/// rest the index of the first entry of the next state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry(pub(super) u32);

impl Entry {
    pub(super) const LAST: u32 = 1 << 7;
    /// Number of states that an entry can name.
    pub(super) const STATES: usize = 1 << 20;

    fn symbol(self) -> u8 {
        (self.0 & 0x7f) as u8
    }

    fn share(self) -> f32 {
        Share(self.0 >> 8 & 0xf).value()
    }

    fn next(self) -> usize {
        (self.0 >> 12) as usize
    }

    fn is_last(self) -> bool {
        self.0 & Self::LAST != 0
    }
}

/// A share in sixteen steps of its odds; the last step means all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share(pub(super) u32);

/// Shares of the steps: odds from e^-7 to e^7.
const SHARES: [f32; 16] = [
    0.000_911, 0.002_473, 0.006_693, 0.017_986, 0.047_426, 0.119_203, 0.268_941, 0.5, 0.731_059,
    0.880_797, 0.952_574, 0.982_014, 0.993_307, 0.997_527, 0.999_089, 1.0,
];

impl Share {
    pub(super) fn of(part: f64, whole: f64) -> Share {
        if part >= whole {
            return Share(15);
        }
        let share = (part / whole) as f32;
        // The nearest step by its odds lies beyond the borders e^-6.5, e^-5.5 …
        const BORDERS: [f32; 14] = [
            0.001_501, 0.004_070, 0.010_987, 0.029_312, 0.075_858, 0.182_426, 0.377_541, 0.622_459,
            0.817_574, 0.924_142, 0.970_688, 0.989_013, 0.995_930, 0.998_499,
        ];
        Share(BORDERS.iter().filter(|&&border| share >= border).count() as u32)
    }

    fn value(self) -> f32 {
        SHARES[self.0 as usize]
    }
}

impl Model {
    /// Reads a model.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are no model, one of another version, or damaged. Every model that is read can be
    /// walked.
    pub fn new(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Model, ModelError> {
        let bytes = bytes.into();
        if !bytes.starts_with(MAGIC) {
            return Err(ModelError::Magic);
        }
        let head: &[u8; HEADER] = bytes.first_chunk().ok_or(ModelError::Damaged)?;
        let field =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if field(8) != VERSION {
            return Err(ModelError::Version(field(8)));
        }
        let [registrants, contexts, entries] = [12, 16, 20].map(|at| field(at) as usize);
        let table = |start, rows| Table { start, rows };
        let tables = registrants.saturating_add(contexts).saturating_mul(ROW);
        let model = Model {
            registrants: table(HEADER, registrants),
            contexts: table(HEADER + registrants.saturating_mul(ROW), contexts),
            entries: table(HEADER.saturating_add(tables), entries),
            bytes,
        };
        let is_whole =
            model.bytes.len() == model.entries.start.saturating_add(entries.saturating_mul(ENTRY));
        if !is_whole || model.checksum() != checksum_of(&model.bytes) || !model.is_sound() {
            return Err(ModelError::Damaged);
        }
        Ok(model)
    }

    /// Whether each state is one of the table, and the last one ends in it.
    fn is_sound(&self) -> bool {
        let rows = self.entries.rows;
        let roots = |table: Table| (0..table.rows).all(|row| self.row(table, row).1.at < rows);
        let is_inside = |at| self.entry(at).next() < rows;
        rows <= Entry::STATES
            && rows > 0
            && self.entry(rows - 1).is_last()
            && roots(self.registrants)
            && roots(self.contexts)
            && (0..rows).all(is_inside)
    }

    /// The bytes that [`Model::new`] reads.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of DOIs that it was learned from.
    pub fn names(&self) -> u64 {
        self.bytes[24..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Number of registrants that have an automaton.
    pub fn registrants(&self) -> usize {
        self.registrants.rows
    }

    /// The checksum in the header.
    fn checksum(&self) -> u64 {
        self.bytes[HEADER - 8..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    fn word(&self, at: usize) -> u32 {
        self.bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// Returns the key of a row and its state.
    fn row(&self, table: Table, row: usize) -> (u32, State) {
        let at = table.start + row * ROW;
        let (key, root) = (self.word(at), self.word(at + 4));
        let passing = exp((root >> 20) as f32 / 16.0 * core::f32::consts::LN_2);
        (key, State { at: root as usize % Entry::STATES, passing })
    }

    fn entry(&self, at: usize) -> Entry {
        Entry(self.word(self.entries.start + at * ENTRY))
    }

    /// Returns the state of `key`.
    fn find(&self, table: Table, key: u32) -> Option<State> {
        let rows = self.bytes.get(table.start..table.start + table.rows * ROW)?;
        let rows = rows.as_chunks::<ROW>().0;
        let of = |[a, b, c, d, ..]: &[u8; ROW]| u32::from_le_bytes([*a, *b, *c, *d]);
        rows.binary_search_by_key(&key, of).ok().map(|row| self.row(table, row).1)
    }

    /// Returns the entries of the state at `at`.
    fn state(&self, at: usize) -> impl Iterator<Item = Entry> + '_ {
        let mut next = Some(at);
        core::iter::from_fn(move || {
            let at = next?;
            let entry = self.entry(at);
            next = (!entry.is_last()).then_some(at + 1);
            Some(entry)
        })
    }

    /// Returns what the model tells at each place of `suffix`, which is folded to upper case, under `registrant`.
    /// Looks at [`LONGEST`] bytes at most.
    pub fn walk(&self, registrant: &[u8], suffix: &[u8]) -> Walk {
        Walk::new(self, registrant, &suffix[..suffix.len().min(LONGEST)])
    }
}

impl Model {
    /// Returns what the DOIs of `registrant` tell at the end of the suffix of these parts, without the path and the end of a
    /// [`Place`].
    pub fn known(&self, registrant: &[u8], suffix: [&[u8]; 2]) -> Place {
        let mut own = Own::new(self, registrant);
        for &byte in suffix.into_iter().flatten() {
            if own.state.is_none() {
                return Place::default();
            }
            own.step(byte);
        }
        own.place()
    }

    /// Like [`Model::known`], but a number may have one digit more than in the DOIs that are known, because numbers grow.
    pub fn grown(&self, registrant: &[u8], suffix: [&[u8]; 2]) -> Place {
        let mut own = Own::new(self, registrant);
        let mut may_grow = true;
        for &byte in suffix.into_iter().flatten() {
            let before = own.state.filter(|_| may_grow && own.digits > 0);
            own.step(byte);
            if own.state.is_none() && symbol::kind(byte) == DIGIT {
                (own.state, may_grow) = (before, false);
            }
        }
        own.place()
    }

    /// Whether the model knows DOIs of `registrant`.
    pub fn knows(&self, registrant: &[u8]) -> bool {
        Own::new(self, registrant).state.is_some()
    }

    /// Like [`Model::known`], but each number must have as many digits as DOIs have there.
    ///
    /// # Errors
    ///
    /// Fails with the offset of the first byte with which no DOI of the registrant goes on.
    pub fn exact(&self, registrant: &[u8], suffix: &[u8]) -> Result<Place, usize> {
        let mut own = Own::new(self, registrant);
        for (at, &byte) in suffix.iter().enumerate() {
            own.digits = 0;
            own.step(byte);
            if own.state.is_none() {
                return Err(at);
            }
        }
        Ok(own.place())
    }
}

/// Shows which model it is: another one has another checksum. A state keeps it with its settings.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, registrants) = (self.names(), self.registrants.rows);
        let mut model = f.debug_struct("Model");
        model.field("names", &names).field("registrants", &registrants);
        model.field("checksum", &self.checksum()).finish()
    }
}

/// FNV-1a with 64 bits, the same in every version.
pub(super) fn checksum<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u64 {
    let step = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The checksum of the bytes of a model, without the place where it stands.
pub(super) fn checksum_of(model: &[u8]) -> u64 {
    checksum(model[..HEADER - 8].iter().chain(&model[HEADER..]))
}

/// Number of bytes of a suffix that are looked at.
pub const LONGEST: usize = 160;

/// What a model tells at one place of a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// Natural logarithm of the probability that a DOI begins with the text up to here.
    pub path: f32,
    /// Probability that a DOI which begins so ends here.
    pub end: f32,
    /// Number of DOIs of the registrant that begin so; 0 if it is not known.
    pub passing: f32,
    /// Number of DOIs of the registrant that are exactly this.
    pub ending: f32,
    /// Number of DOIs of the registrant that go on in a way that is not known.
    pub lost: f32,
}

impl Place {
    /// Whether DOIs of the registrant go on from here, and none ends.
    pub fn is_unfinished(&self) -> bool {
        self.passing >= FEW && self.ending == 0.0
    }
}

/// The fewest DOIs that tell what others of their kind are not.
const FEW: f32 = 20.0;

/// What a model tells along a text.
#[derive(Clone, Debug)]
pub struct Walk {
    places: [Place; LONGEST + 1],
    len: usize,
}

/// A place in the automaton of a registrant.
struct Own<'m> {
    model: &'m Model,
    state: Option<State>,
    /// The states within a number: one with another number of digits may tell what follows it.
    of_number: [Option<State>; RUN],
    digits: usize,
}

impl<'m> Own<'m> {
    fn new(model: &'m Model, registrant: &[u8]) -> Own<'m> {
        let key = symbol::registrant(registrant);
        let state = key.and_then(|key| model.find(model.registrants, key));
        Own { model, state, of_number: [None; RUN], digits: 0 }
    }

    /// What the registrant's DOIs tell here.
    fn place(&self) -> Place {
        let Some(state) = self.state else { return Place::default() };
        let (here, sum) = self.model.part(state, symbol::END);
        let passing = state.passing;
        Place { passing, ending: passing * here, lost: passing * (1.0 - sum), ..Place::default() }
    }

    /// Goes on with `byte`. Returns its share.
    fn step(&mut self, byte: u8) -> f32 {
        let Some(state) = self.state else { return 0.0 };
        let (literal, kind) = (symbol::literal(byte), symbol::kind(byte));
        let (share, next) = self.model.step(state, literal, kind);
        if kind == DIGIT {
            self.of_number[self.digits % RUN] = Some(state);
            self.digits += 1;
            self.state = next;
            return share;
        }
        let earlier = |back: usize| self.of_number[(self.digits - back) % RUN];
        let mut earlier = (1..=self.digits.min(RUN)).filter_map(earlier);
        let other = || earlier.find_map(|state| self.model.step(state, literal, kind).1);
        self.state = next.or_else(other);
        self.digits = 0;
        share
    }
}

/// A place in what all registrants share.
#[derive(Default)]
struct Shared {
    pool: Option<State>,
    runs: symbol::Runs,
}

impl Shared {
    /// Returns the place after `read`.
    fn after(model: &Model, read: &[u8]) -> Shared {
        let pool = model.find(model.registrants, POOL);
        let mut shared = Shared { pool, runs: symbol::Runs::default() };
        read.iter().for_each(|&byte| shared.step(model, byte));
        shared
    }

    fn step(&mut self, model: &Model, byte: u8) {
        let kind = symbol::kind(byte);
        self.pool = self.pool.and_then(|state| model.step(state, kind, kind).1);
        self.runs.push(byte);
    }

    /// The shares of DOIs that end here, and that go on with this `kind`.
    fn shares(&self, model: &Model, kind: u8) -> [f32; 2] {
        let states = self.runs.contexts().map(|key| model.find(model.contexts, key));
        [symbol::END, kind].map(|symbol| {
            let mix = |share: f32, state: &State| {
                let (here, _) = model.part(*state, symbol);
                (here * state.passing + SHARED * share) / (state.passing + SHARED)
            };
            let share = states.iter().rev().flatten().fold(UNKNOWN, mix);
            self.pool.map_or(share, |state| model.mixed(state, symbol, SHARED, share))
        })
    }
}

/// Number of characters of a kind.
fn many(kind: u8) -> f32 {
    match kind {
        DIGIT => 10.0,
        LETTER => 26.0,
        _ => 1.0,
    }
}

/// A state with the number of DOIs in it.
#[derive(Clone, Copy, Debug)]
struct State {
    at: usize,
    passing: f32,
}

/// Weight of what is more general, in DOIs: one for the automaton of a registrant, two for what all share.
const OWN: f32 = 1.0;
const SHARED: f32 = 2.0;

/// Probability of an end of which a registrant's own DOIs tell nothing.
const END_SHARE: f32 = 0.1;

/// Probability of a kind of character of which nothing is known.
const UNKNOWN: f32 = 1.0 / 20.0;

/// Number of digits of a number whose states are kept.
const RUN: usize = 8;

impl Walk {
    /// Walks along `text` with what the DOIs of the registrant tell alone. A DOI may end at each place.
    pub(super) fn of_registrant(model: &Model, registrant: &[u8], text: &[u8]) -> Walk {
        let mut walk = Walk { places: [Place::default(); LONGEST + 1], len: text.len() };
        let mut own = Own::new(model, registrant);
        for (at, &byte) in text.iter().enumerate() {
            walk.places[at] = Place { end: 1.0, ..own.place() };
            own.step(byte);
        }
        walk.places[text.len()] = Place { end: 1.0, ..own.place() };
        walk
    }

    fn new(model: &Model, registrant: &[u8], suffix: &[u8]) -> Walk {
        let mut own = Own::new(model, registrant);
        let mut shared = None;
        let mut walk = Walk { places: [Place::default(); LONGEST + 1], len: suffix.len() };
        let mut path = 0.0;
        for at in 0..=suffix.len() {
            let place = &mut walk.places[at];
            *place = own.place();
            place.path = path;
            // What all registrants share is asked where one's own DOIs tell nothing.
            let byte = suffix.get(at).copied();
            let kind = byte.map_or(symbol::END, symbol::kind);
            let mut lower = || {
                let shared = shared.get_or_insert_with(|| Shared::after(model, &suffix[..at]));
                shared.shares(model, kind)
            };
            let (end, share) = match (own.state, byte.map(|byte| own.step(byte))) {
                (None, _) => lower().into(),
                (Some(state), step) => {
                    let shared = if state.passing < FEW { lower()[0] } else { END_SHARE };
                    let end = model.mixed(state, symbol::END, OWN, shared);
                    let share = match step {
                        None => 0.0,
                        Some(0.0) => lower()[1] * (place.lost + OWN) / (state.passing + OWN),
                        Some(share) => many(kind) * share * state.passing / (state.passing + OWN),
                    };
                    (end, share)
                }
            };
            place.end = end;
            let Some(byte) = byte else { break };
            let share = share / many(kind);
            path += ln(share);
            if let Some(shared) = &mut shared {
                shared.step(model, byte);
            }
        }
        walk
    }

    /// What the model tells after `at` bytes, at most [`LONGEST`].
    pub fn place(&self, at: usize) -> Place {
        self.places[at.min(self.len)]
    }

    /// Number of bytes of the text that were looked at.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there was no text.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Model {
    /// The share of DOIs in `state` that go on with `symbol`, and the sum of all shares that are known.
    fn part(&self, state: State, symbol: u8) -> (f32, f32) {
        let (mut here, mut sum) = (0.0, 0.0);
        for entry in self.state(state.at) {
            sum += entry.share();
            if entry.symbol() == symbol {
                here = entry.share();
            }
        }
        (here / f32::max(sum, 1.0), f32::min(sum, 1.0))
    }

    /// The share of `symbol` in `state`, mixed with the more general `share` with the weight of so many DOIs and of those whose
    /// symbol is not known.
    fn mixed(&self, state: State, symbol: u8, weight: f32, share: f32) -> f32 {
        let (here, sum) = self.part(state, symbol);
        let n = state.passing;
        (here * n + ((1.0 - sum) * n + weight) * share) / (n + weight)
    }

    /// The share of one character in `state`, and the state after it: by the symbol of the character, otherwise by its kind.
    fn step(&self, state: State, literal: u8, kind: u8) -> (f32, Option<State>) {
        let mut found = None;
        let entries = self.bytes.get(self.entries.start + state.at * ENTRY..).unwrap_or_default();
        for bytes in entries.as_chunks::<ENTRY>().0 {
            let entry = Entry(u32::from_le_bytes(*bytes));
            if entry.symbol() == literal || entry.symbol() == kind {
                found = Some(entry);
            }
            if entry.symbol() == literal || entry.is_last() {
                break;
            }
        }
        let Some(entry) = found else { return (0.0, None) };
        let next = State { at: entry.next(), passing: state.passing * entry.share() };
        (entry.share() / many(entry.symbol()), (entry.next() > 0).then_some(next))
    }
}

/// Natural logarithm of a positive number. `core` has none.
pub(super) fn ln(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let m = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
    // ln(m) for m in [1, 2), by the series of artanh.
    let y = (m - 1.0) / (m + 1.0);
    let z = y * y;
    let series = 2.0 * y * (1.0 + z * (1.0 / 3.0 + z * (0.2 + z * (1.0 / 7.0 + z / 9.0))));
    exponent as f32 * core::f32::consts::LN_2 + series
}

/// e to the power of `x`, for `x` from 0 to 60.
fn exp(x: f32) -> f32 {
    let whole = (x / core::f32::consts::LN_2) as i32;
    let r = x - whole as f32 * core::f32::consts::LN_2;
    let series = 1.0 + r * (1.0 + r / 2.0 * (1.0 + r / 3.0 * (1.0 + r / 4.0 * (1.0 + r / 5.0))));
    f32::from_bits(((whole + 127) as u32) << 23) * series
}
