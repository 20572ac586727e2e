//! Attributes a worker's results to the current input, so that inputs can be remembered. A piece
//! counts as read once its results have been added.

use super::work::Token;
use super::worker::Worker;
use crate::state::reading::{InputReading, Seen};
use std::sync::Arc;

impl Worker<'_> {
    /// The current input, if inputs are remembered.
    pub(super) fn token(&self) -> Token {
        self.remembered.as_ref()?.reading.clone()
    }

    /// How often this worker has handed over its results.
    pub(super) fn epoch(&self) -> u64 {
        self.remembered.as_ref().map_or(u64::MAX, |remembered| remembered.epoch)
    }

    /// Attributes all results from now on to the input of `token`.
    pub(super) fn turn_to(&mut self, token: &Token) {
        let Some(remembered) = &mut self.remembered else { return };
        let same = |(a, b): (&Arc<InputReading>, &Arc<InputReading>)| Arc::ptr_eq(a, b);
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

    /// Adds the results so far to the current input.
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
            documents: std::mem::take(&mut self.documents).into_found(),
        });
    }

    /// Notes that a piece of the current input was read.
    pub(super) fn piece_done(&mut self) {
        self.leave();
        let Some(remembered) = &mut self.remembered else { return };
        let reading = remembered.reading.take();
        // A cancelled run reads inputs only in part.
        let is_whole = !self.queue.is_closed() && !self.plan.cancel.is_cancelled();
        if let Some(reading) = reading.filter(|reading| is_whole && reading.piece_done()) {
            remembered.night.finish(&reading);
        }
        self.checkpoint();
    }

    /// Notes that one of several pieces which this worker made of the current piece was read.
    pub(super) fn own_piece_done(&self) {
        if let Some(reading) = self.token() {
            reading.piece_done();
        }
    }

    /// Begins a checkpoint when one is due, and hands over results when one has begun.
    pub(super) fn checkpoint(&mut self) {
        let Some(remembered) = &self.remembered else { return };
        if remembered.night.begins_checkpoint(self.threads) {
            self.queue.ask_to_hand_over();
        }
        if self.queue.epoch() > remembered.epoch {
            self.hand_over();
        }
    }

    /// Hands over everything collected. The last worker to do so saves it.
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
