//! Reads lz4 frames.

use crate::unpack::bytes::Bytes;
use lz4_flex::frame::FrameDecoder;
use std::io::{self, Read};

/// Memory in bytes that a decoder takes: two blocks of 4 MiB, the maximum block size, which the
/// lz4 tool uses.
pub(super) const MEMORY: usize = 8 * 1024 * 1024;

/// Reads frames one at a time. Returns 0 bytes at the end of each frame.
pub(super) struct Frames<B: Bytes>(Box<FrameDecoder<Watched<B>>>);

/// Notes that the source ended, which the decoder takes for the end of a frame, and that the
/// source failed.
struct Watched<B: Bytes> {
    source: B,
    ended: bool,
    failed: bool,
}

impl<B: Bytes> Frames<B> {
    pub(super) fn new(source: B) -> Self {
        Frames(Box::new(FrameDecoder::new(Watched { source, ended: false, failed: false })))
    }

    pub(super) fn source(&mut self) -> &mut B {
        &mut self.0.get_mut().source
    }

    /// Returns whether the source ended inside a frame. A complete frame has an end mark.
    pub(super) fn is_short(&self) -> bool {
        self.0.get_ref().ended
    }

    /// Returns whether the source failed, and not the decoder.
    pub(super) fn has_failed(&self) -> bool {
        self.0.get_ref().failed
    }
}

impl<B: Bytes> Read for Frames<B> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl<B: Bytes> Read for Watched<B> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let result = self.source.read(out);
        self.ended |= matches!(result, Ok(0)) && !out.is_empty();
        self.failed |= result.is_err();
        result
    }
}
