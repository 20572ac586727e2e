//! Settles doubts about names by indexes of known names.

use super::search::Finder;
use crate::plan::Plan;
use crate::registries::Registries;
use doiscan_core::doi::Reason;
use doiscan_core::scan::known::{Answer, Text};
use doiscan_core::scan::{Match, Notation, Sink};
use doiscan_input::Window;
use std::ops::Range;

/// The indexes of a run, for one worker.
pub(super) struct Known<'a> {
    plan: &'a Plan,
    registries: &'a Registries,
    /// Buffer for a name.
    name: Vec<u8>,
}

impl<'a> Known<'a> {
    /// Returns `None` if the run has no indexes.
    pub(super) fn new(plan: &'a Plan) -> Option<Self> {
        let registries = plan.known.as_deref()?;
        Some(Known { plan, registries, name: Vec::new() })
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
        KnownSink { text, registries: self.registries, name: &mut self.name, is_only, inner }
    }
}

/// A sink that looks up what it forwards.
pub(super) struct KnownSink<'w> {
    text: Text<'w>,
    registries: &'w Registries,
    name: &'w mut Vec<u8>,
    /// Whether unknown names are rejected.
    is_only: bool,
    inner: &'w mut (dyn Finder + 'w),
}

impl Sink for KnownSink<'_> {
    fn accept(&mut self, found: &Match<'_>) {
        match self.text.accepted(found, &mut self.registries, self.name) {
            Answer::Known => self.inner.accept(found),
            Answer::Instead(found) => self.inner.accept(&found),
            Answer::Unknown => self.accept_unknown(found),
        }
    }

    fn accept_plain(&mut self, found: &Match<'_>) {
        match self.registries.contains_plain(found.doi) {
            true => self.inner.accept_plain(found),
            false => self.accept(found),
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

    fn accept_unknown(&mut self, found: &Match<'_>) {
        match self.is_only {
            true => self.inner.reject(found.start, Reason::Unknown),
            false => self.inner.accept_unknown(found),
        }
    }
}
