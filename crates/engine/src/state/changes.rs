//! Writes and counts the names added and removed since the last good run.

use crate::error::Error;
use crate::output::{Output, OutputFormat};
use crate::rows::buffer::{RecordKind, RowBuffer};
use crate::rows::file::RowFile;
use doiscan_sets::dedup::name_buffer::{NameBuffer, NameChange};
use std::collections::BTreeMap;

/// Output files for added and removed names, and their counts.
#[derive(Debug, Default)]
pub(crate) struct ChangeFiles {
    /// For added and for removed names.
    files: [Option<RowFile>; 2],
    pub counts: [u64; 2],
    /// By registrant prefix.
    prefixes: [BTreeMap<Vec<u8>, u64>; 2],
}

/// A name buffer that also collects added and removed names.
pub(crate) struct Tracked<O> {
    pub list: O,
    rows: [Option<RowBuffer>; 2],
    counts: [u64; 2],
    /// Registrants in the order of the names, with their counts.
    prefixes: [Vec<(Vec<u8>, u64)>; 2],
}

impl ChangeFiles {
    pub(crate) fn new(files: [Option<RowFile>; 2]) -> Self {
        ChangeFiles { files, ..ChangeFiles::default() }
    }

    /// Returns the formats of the files for added and removed names, if they are written.
    pub(crate) fn forms(&self) -> [Option<OutputFormat>; 2] {
        self.files.each_ref().map(|file| file.as_ref().map(RowFile::form))
    }

    /// Writes the buffered changes.
    pub(crate) fn write<O>(
        &mut self,
        tracked: &mut Tracked<O>,
        together: bool,
    ) -> Result<(), Error> {
        for (change, rows) in tracked.rows.iter_mut().enumerate() {
            self.counts[change] += tracked.counts[change];
            for (prefix, count) in tracked.prefixes[change].drain(..) {
                *self.prefixes[change].entry(prefix).or_default() += count;
            }
            if let (Some(file), Some(rows)) = (&mut self.files[change], rows) {
                file.write(rows, together)?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self, together: bool) -> Result<[Option<Output>; 2], Error> {
        let [added, removed] = std::mem::take(&mut self.files);
        let finish = |file: Option<RowFile>| file.map(|file| file.finish(together)).transpose();
        Ok([finish(added)?, finish(removed)?])
    }

    /// Returns the numbers of added and removed names by registrant prefix.
    pub(crate) fn prefixes(self) -> Vec<(&'static str, Vec<u8>, u64)> {
        let kinds = ["prefix-added", "prefix-removed"];
        let of_kind = |(kind, counts): (&'static str, BTreeMap<Vec<u8>, u64>)| {
            counts.into_iter().map(move |(prefix, count)| (kind, prefix, count))
        };
        kinds.into_iter().zip(self.prefixes).flat_map(of_kind).collect()
    }
}

impl<O> Tracked<O> {
    pub(crate) fn new(list: O, forms: [Option<OutputFormat>; 2]) -> Self {
        let rows = forms.map(|form| form.map(|form| RowBuffer::new(form, &RecordKind::Names)));
        Tracked { list, rows, counts: [0; 2], prefixes: Default::default() }
    }
}

impl<O: NameBuffer> NameBuffer for Tracked<O> {
    fn clear(&mut self) {
        self.list.clear();
        self.rows.iter_mut().flatten().for_each(NameBuffer::clear);
        self.counts = [0; 2];
        self.prefixes.iter_mut().for_each(Vec::clear);
    }

    fn push(&mut self, name: &[u8]) {
        self.list.push(name);
    }

    fn len(&self) -> usize {
        self.list.len() + self.rows.iter().flatten().map(NameBuffer::len).sum::<usize>()
    }

    fn close(&mut self) {
        self.list.close();
    }

    fn changed(&mut self, name: &[u8], change: NameChange) {
        let change = change as usize;
        self.counts[change] += 1;
        if let Some(rows) = &mut self.rows[change] {
            rows.push(name);
        }
        let prefix = &name[..memchr::memchr(b'/', name).unwrap_or(name.len())];
        match self.prefixes[change].last_mut().filter(|last| last.0 == prefix) {
            Some(last) => last.1 += 1,
            None => self.prefixes[change].push((prefix.to_vec(), 1)),
        }
    }
}
