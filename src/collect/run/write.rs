//! Writes runs.

use super::Run;
use super::block::{Block, Encoder};
use super::error::Error;
use super::segment::{self, Segments};
use super::spill_file::SpillFile;
use crate::sys::disk::Disk;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Folders in which runs can be kept, taken in turn.
#[derive(Debug)]
pub struct Space {
    disk: Arc<dyn Disk>,
    folders: Vec<PathBuf>,
    state: Mutex<State>,
    written: AtomicU64,
    /// Where each run is a file that is kept.
    segments: Option<Segments>,
}

#[derive(Debug, Default)]
struct State {
    passes: Vec<Pass>,
    /// The folder of the next run.
    turn: usize,
}

/// The files of one pass, one for each folder that has any.
#[derive(Debug, Default)]
struct Pass {
    files: Vec<Option<Weak<SpillFile>>>,
}

impl Space {
    /// Nothing is made in the `folders` until the first run is written.
    pub fn new(disk: Arc<dyn Disk>, folders: Vec<PathBuf>) -> Self {
        let (state, written) = (Mutex::default(), AtomicU64::new(0));
        Space { disk, folders, state, written, segments: None }
    }

    /// Each run becomes a [segment](Segments).
    pub fn of_segments(disk: Arc<dyn Disk>, segments: Segments) -> Self {
        Space { segments: Some(segments), ..Space::new(disk, Vec::new()) }
    }

    /// Folders that can be tried, one at least.
    pub fn folders(&self) -> usize {
        self.folders.len().max(1)
    }

    /// Bytes written to all runs.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Begins a run of names that were merged `pass` times, in the next folder. One run of
    /// a pass is written at a time.
    ///
    /// # Errors
    ///
    /// When no file can be made there.
    pub fn begin(&self, pass: usize) -> Result<Writer<'_>, Error> {
        if let Some(segments) = &self.segments {
            let (file, number) = segments.create(&self.disk)?;
            return Ok(Writer { space: self, run: Run::empty(file, pass, Some(number)), turn: 0 });
        }
        let mut state = self.state();
        let turn = state.turn % self.folders();
        state.turn += 1;
        let folder = self.folders.get(turn).map_or(Path::new("."), PathBuf::as_path);
        let count = self.folders();
        while state.passes.len() <= pass {
            state.passes.push(Pass { files: vec![None; count] });
        }
        let known = &mut state.passes[pass].files[turn];
        let file = match known.as_ref().and_then(Weak::upgrade) {
            Some(file) => file,
            None => {
                let file = self.make(folder)?;
                *known = Some(Arc::downgrade(&file));
                file
            }
        };
        Ok(Writer { space: self, run: Run::empty(file, pass, None), turn })
    }

    fn make(&self, folder: &Path) -> Result<Arc<SpillFile>, Error> {
        let file = self.disk.unnamed(folder).map_err(|e| Error::io("make", folder, e))?;
        let (disk, place) = (Arc::clone(&self.disk), folder.to_path_buf());
        let len = AtomicU64::new(0);
        Ok(Arc::new(SpillFile { disk, place, is_segment: false, file, len }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes one run.
#[derive(Debug)]
pub struct Writer<'a> {
    space: &'a Space,
    run: Run,
    /// The folder.
    turn: usize,
}

impl Writer<'_> {
    /// Writes the closed blocks of `encoder` behind those before, and clears it.
    ///
    /// # Errors
    ///
    /// When not all could be written: the run is then of no use.
    pub fn append(&mut self, encoder: &mut Encoder) -> Result<(), Error> {
        let file = &self.run.file;
        let base = file.len.load(Ordering::Relaxed);
        if let Err(error) = file.disk.write(&file.file, &encoder.bytes) {
            // Where its end is nobody knows: the next run there gets a new file.
            if self.space.segments.is_none() {
                self.space.state().passes[self.run.pass].files[self.turn] = None;
            }
            return Err(file.failed("write", error));
        }
        let bytes = encoder.bytes.len() as u64;
        file.len.store(base + bytes, Ordering::Relaxed);
        self.space.written.fetch_add(bytes, Ordering::Relaxed);
        self.run.names += encoder.blocks.iter().map(|b| u64::from(b.names)).sum::<u64>();
        self.run.text += encoder.text;
        self.run.longest = self.run.longest.max(encoder.longest);
        self.run.largest = self.run.largest.max(encoder.largest);
        let moved = |block: Block| Block { at: base + block.at, ..block };
        self.run.blocks.extend(encoder.blocks.drain(..).map(moved));
        encoder.clear();
        Ok(())
    }

    /// The run.
    ///
    /// # Errors
    ///
    /// When the file has not the bytes that were written.
    pub fn finish(mut self) -> Result<Run, Error> {
        if self.run.segment.is_some() {
            self.space.written.fetch_add(segment::close(&mut self.run)?, Ordering::Relaxed);
        }
        let file = &self.run.file;
        let there = file.disk.len(&file.file).map_err(|e| file.failed("check", e))?;
        if there != file.len.load(Ordering::Relaxed) {
            return Err(file.damaged("it has not the bytes that were written"));
        }
        Ok(self.run)
    }
}
