//! What a worker does so that inputs are remembered: everything it sees is added to the input at
//! hand, and pieces count as read once that is done.

use super::work::Token;
use super::worker::Worker;
use crate::pipeline::state::reading::{Reading, Seen};
use std::sync::Arc;

impl Worker<'_> {
    /// The input at hand, if it is remembered.
    pub(super) fn token(&self) -> Token {
        self.remembered.as_ref()?.reading.clone()
    }

    /// How often this worker handed over what it had.
    pub(super) fn epoch(&self) -> u64 {
        self.remembered.as_ref().map_or(u64::MAX, |remembered| remembered.epoch)
    }

    /// What is seen from here on is of the input of `token`.
    pub(super) fn turn_to(&mut self, token: &Token) {
        let Some(remembered) = &mut self.remembered else { return };
        let same = |(a, b): (&Arc<Reading>, &Arc<Reading>)| Arc::ptr_eq(a, b);
        if remembered.reading.as_ref().zip(token.as_ref()).is_some_and(same) {
            return;
        }
        self.leave();
        let Some(remembered) = &mut self.remembered else { return };
        remembered.reading.clone_from(token);
        let suffix = token.as_ref().map(|reading| reading.suffix.clone());
        self.found.remembered = suffix.map(|suffix| (suffix, Vec::new()));
        if let Some(tally) = &mut self.tally {
            tally.turn_to(token.clone(), &self.found.counts);
        }
    }

    /// Adds what was seen to the input at hand.
    fn leave(&mut self) {
        let Some(remembered) = &mut self.remembered else { return };
        let Some(reading) = &remembered.reading else { return };
        if let Some(tally) = &mut self.tally {
            tally.turn_to(Some(Arc::clone(reading)), &self.found.counts);
        }
        let counts = self.found.counts.less(&remembered.before);
        remembered.before.clone_from(&self.found.counts);
        reading.add(Seen {
            counts,
            problems: std::mem::take(&mut self.problems),
            quoting: std::mem::take(&mut self.quoting),
            documents: std::mem::take(&mut self.documents).into_parts(),
        });
    }

    /// Notes that a piece of the input at hand was read.
    pub(super) fn piece_done(&mut self) {
        self.leave();
        let Some(remembered) = &mut self.remembered else { return };
        let reading = remembered.reading.take();
        // A run that is ended before its time reads inputs only in part.
        let is_whole = !self.queue.is_closed() && !self.plan.cancel.is_cancelled();
        if let Some(reading) = reading.filter(|reading| is_whole && reading.piece_done()) {
            remembered.night.finish(&reading);
        }
        self.checkpoint();
    }

    /// Notes that a piece was read of several that this worker made of the one at hand.
    pub(super) fn own_piece_done(&self) {
        if let Some(reading) = self.token() {
            reading.piece_done();
        }
    }

    /// Begins a checkpoint when it is time, and hands over what there is when one began.
    pub(super) fn checkpoint(&mut self) {
        let Some(remembered) = &self.remembered else { return };
        if remembered.night.begins_checkpoint(self.threads) {
            self.queue.ask_to_hand_over();
        }
        if self.queue.epoch() > remembered.epoch {
            self.hand_over();
        }
    }

    /// Hands over everything that was collected. The last worker saves it.
    pub(super) fn hand_over(&mut self) {
        let is_handed = self.found.flush()
            && self.occurrences.as_mut().is_none_or(|rows| rows.flush(self.collectors))
            && self.tally.as_mut().is_none_or(|tally| tally.flush());
        let Some(remembered) = &mut self.remembered else { return };
        remembered.epoch += 1;
        let night = remembered.night;
        if !is_handed || night.handed_over() && !night.save(self.collectors) {
            self.queue.close();
        }
    }
}
