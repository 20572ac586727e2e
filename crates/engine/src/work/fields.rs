//! The fields of records to search in one input. A field may begin long before a chunk, so the workers on its chunks cut them one
//! after the other, which is quick, and then search them together.

use super::search::Finder;
use crate::rows::chain::{Chain, Ticket};
use doiscan_core::doi::Reason;
use doiscan_core::format::fields::{Cut, Cutter, Label, Place};
use doiscan_core::scan::{Match, Sink};
use doiscan_input::Window;
use std::ops::Range;

/// The fields of an input.
pub(super) enum Fields {
    /// Those of its records.
    Cut(Box<Records>),
    /// All of it, such as the first page of a document.
    Whole,
    /// Nothing of it, such as another page.
    Nothing,
}

/// An input that is cut into records.
pub(super) struct Records {
    cutter: Cutter,
    places: Chain<Place>,
}

/// A chunk that a worker has taken. The workers on later chunks wait for it.
pub(super) struct FieldTicket<'a> {
    cutter: &'a Cutter,
    ticket: Ticket<'a, Place>,
}

impl Records {
    pub(super) fn new(cutter: Cutter) -> Box<Records> {
        Box::new(Records { cutter, places: Chain::default() })
    }

    /// Returns the ticket of the chunk `index`, counted from 0.
    pub(super) fn ticket(&self, index: u64) -> FieldTicket<'_> {
        FieldTicket { cutter: &self.cutter, ticket: self.places.ticket(index) }
    }
}

impl FieldTicket<'_> {
    /// Cuts the chunk. Returns the record at its beginning, and the cuts in it, or `None` if the worker of an earlier chunk
    /// panicked.
    pub(super) fn cut(self, window: &Window<'_>) -> Option<(Label, Vec<Cut>)> {
        self.ticket.turn(|place| {
            let (mut cuts, label) = (Vec::new(), place.label.clone());
            let text = (window.bytes, window.offset);
            self.cutter.cut(place, text, window.starts.clone(), &mut cuts);
            (label, cuts)
        })
    }
}

/// A sink that forwards what lies in fields, with the record of each.
pub(super) struct FieldSink<'w> {
    label: Label,
    cuts: std::slice::Iter<'w, Cut>,
    /// The field that comes next, or in which the last position lies.
    field: Range<usize>,
    inner: &'w mut (dyn Finder + 'w),
}

impl<'w> FieldSink<'w> {
    pub(super) fn new((label, cuts): (Label, &'w [Cut]), inner: &'w mut (dyn Finder + 'w)) -> Self {
        inner.label(&label);
        FieldSink { label, cuts: cuts.iter(), field: 0..0, inner }
    }

    /// Whether a position is in a field. Positions must be passed in order.
    fn is_in(&mut self, start: usize) -> bool {
        while self.field.end <= start {
            match self.cuts.next() {
                Some(Cut::Field(field, _)) => {
                    self.field = field.clone();
                    self.inner.label(&self.label);
                }
                Some(Cut::Record(_, label)) => self.label = label.clone(),
                None => self.field = usize::MAX..usize::MAX,
            }
        }
        self.field.contains(&start)
    }
}

impl Sink for FieldSink<'_> {
    fn accept(&mut self, found: &Match<'_>) {
        if self.is_in(found.start) {
            self.inner.accept(found);
        }
    }

    fn accept_plain(&mut self, found: &Match<'_>) {
        if self.is_in(found.start) {
            self.inner.accept_plain(found);
        }
    }

    fn reject(&mut self, start: usize, reason: Reason) {
        if self.is_in(start) {
            self.inner.reject(start, reason);
        }
    }
}
