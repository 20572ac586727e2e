//! Row groups of Parquet files: all workers take them.

use super::queue::{Flow, Open, Reading};
use super::worker::Worker;
use crate::input::{self, Name, Opened, Parquet, Stream};
use crate::quality::Problem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A file whose row groups several workers read.
pub(super) struct Rows {
    pub(super) parquet: Parquet,
    flow: Arc<Flow>,
    left: AtomicUsize,
}

impl Worker<'_> {
    /// A file whose row groups all workers shall take.
    pub(super) fn parquet(&mut self, file: Arc<Opened>) -> Result<(), Problem> {
        let meter = self.new_meter();
        let parquet = Parquet::open(Arc::clone(&file), &self.plan.columns, meter)?;
        self.found.counts.files += 1;
        self.advance(parquet.unread());
        let left = AtomicUsize::new(parquet.groups());
        if parquet.groups() == 0 {
            return file.check();
        }
        let flow = Flow { name: Name::new(file.path()), reading: Reading::lines() };
        self.queue.add(Open::Rows(Arc::new(Rows { parquet, flow: Arc::new(flow), left }), 0));
        Ok(())
    }

    /// The columns of a row group, one after the other.
    pub(super) fn rows(&mut self, rows: &Rows, group: usize) {
        self.meter = rows.parquet.meter().clone();
        for column in 0..rows.parquet.columns() {
            match Stream::new(rows.parquet.values(group, column)) {
                Ok(stream) => self.blocks(stream, &rows.flow),
                Err(error) if input::is_again(&error) => {}
                Err(error) => self.problems.push(Problem::io(rows.flow.name.path(), &error)),
            }
        }
        self.advance(self.meter.read_since());
        if rows.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.problems.extend(rows.parquet.file().check().err());
        }
    }
}
