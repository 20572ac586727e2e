//! Settles doubts about names by indexes of known names.

use super::search::Finder;
use crate::plan::Plan;
use crate::registries::Registries;
use doiscan_core::doi::Reason;
use doiscan_core::format::fields::Label;
use doiscan_core::scan::known::{Answer, Text};
use doiscan_core::scan::{Match, Notation, Sink};
use doiscan_input::Window;
use std::collections::HashMap;
use std::ops::Range;

/// The indexes of a run, for one worker.
pub(super) struct Known<'a> {
    plan: &'a Plan,
    registries: &'a Registries,
    /// Buffer for a name.
    name: Vec<u8>,
    prefixes: Prefixes,
    met: Met,
}

/// Whether any index has a prefix, for prefixes of unknown names.
type Prefixes = HashMap<Vec<u8>, bool>;

/// Known names that were met before, each at its [`place`], or nothing. Half the cells of a table of citations repeat one.
type Met = Vec<Vec<u8>>;

/// Two to this power is the number of names that are remembered.
const MET: u32 = 13;

/// The place of a name among those met: its last bytes differ most.
fn place(name: &[u8]) -> usize {
    let end = name.last_chunk().map_or(0, |end| u64::from_le_bytes(*end));
    (end.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - MET)) as usize
}

/// Number of prefixes that are remembered.
const PREFIXES: usize = 4096;

impl<'a> Known<'a> {
    /// Returns `None` if the run has no indexes.
    pub(super) fn new(plan: &'a Plan) -> Option<Self> {
        let registries = plan.known.as_deref()?;
        let met = vec![Vec::new(); 1 << MET];
        Some(Known { plan, registries, name: Vec::new(), prefixes: Prefixes::new(), met })
    }

    /// Whether a lookup met damage.
    pub(super) fn has_failed(&self) -> bool {
        self.registries.has_failed()
    }

    /// A sink that looks up the candidates of a window and forwards them to `inner`.
    pub(super) fn sink<'w>(
        &'w mut self,
        window: &'w Window<'_>,
        notation: Notation,
        inner: &'w mut (dyn Finder + 'w),
    ) -> KnownSink<'w> {
        let (bytes, is_cut) = (window.bytes, window.fault.is_some());
        let text = Text { bytes, notation, options: &self.plan.scan, is_cut };
        let is_only = self.plan.only_known;
        let (name, prefixes, met) = (&mut self.name, &mut self.prefixes, &mut self.met);
        KnownSink { text, registries: self.registries, name, prefixes, met, is_only, inner }
    }
}

/// A sink that looks up what it forwards.
pub(super) struct KnownSink<'w> {
    text: Text<'w>,
    registries: &'w Registries,
    name: &'w mut Vec<u8>,
    prefixes: &'w mut Prefixes,
    met: &'w mut Met,
    /// Whether unknown names are rejected.
    is_only: bool,
    inner: &'w mut (dyn Finder + 'w),
}

impl KnownSink<'_> {
    /// Whether any index has the prefix of a name.
    fn has_prefix(&mut self, doi: &[u8]) -> bool {
        let prefix = &doi[..memchr::memchr(b'/', doi).map_or(doi.len(), |at| at + 1)];
        if let Some(has_prefix) = self.prefixes.get(prefix) {
            return *has_prefix;
        }
        if self.prefixes.len() >= PREFIXES {
            self.prefixes.clear();
        }
        let has_prefix = self.registries.has_prefix(prefix);
        self.prefixes.insert(prefix.to_vec(), has_prefix);
        has_prefix
    }
}

impl Sink for KnownSink<'_> {
    fn accept(&mut self, found: &Match<'_>) {
        match self.text.accepted(found, &mut self.registries, self.name) {
            Answer::Known => self.inner.accept(found),
            Answer::Instead(found) => self.inner.accept(&found),
            Answer::Unknown if self.is_only => self.inner.reject(found.start, Reason::Unknown),
            Answer::Unknown => {
                let has_prefix = self.has_prefix(found.doi);
                self.inner.accept_unknown(found, has_prefix);
            }
        }
    }

    fn accept_plain(&mut self, found: &Match<'_>) {
        let met = &mut self.met[place(found.doi)];
        if met != found.doi {
            if !self.registries.contains_plain(found.doi) {
                return self.accept(found);
            }
            met.clear();
            met.extend_from_slice(found.doi);
        }
        self.inner.accept_plain(found);
    }

    fn accept_again(&mut self, found: &Match<'_>) {
        match self.met[place(found.doi)] == found.doi {
            true => self.inner.accept_again(found),
            false => self.accept_plain(found),
        }
    }

    fn reject(&mut self, start: usize, reason: Reason) {
        match self.text.rejected(start, reason, &mut self.registries, self.name) {
            Some(found) => self.inner.accept(&found),
            None => self.inner.reject(start, reason),
        }
    }
}

impl Finder for KnownSink<'_> {
    fn find_short(&mut self, bytes: &[u8], starts: Range<usize>, is_cut: bool) {
        self.inner.find_short(bytes, starts, is_cut);
    }

    fn label(&mut self, label: &Label) {
        self.inner.label(label);
    }

    fn accept_unknown(&mut self, found: &Match<'_>, has_prefix: bool) {
        self.inner.accept_unknown(found, has_prefix);
    }
}
