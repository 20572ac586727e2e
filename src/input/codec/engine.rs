//! The decoders of the crates, all driven in the same small steps.

use super::Codec;
use flate2::{Decompress, FlushDecompress, Status};
use liblzma::stream as xz;
use std::io;
use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, get_error_name};

/// A decoder of one member.
pub(super) enum Engine {
    /// gzip, its header and trailer included, or bare deflate.
    Deflate(Box<Decompress>),
    Bzip2(Box<bzip2::Decompress>),
    /// xz or lzma.
    Xz(Box<xz::Stream>),
    /// The context, and how many bytes it wants next.
    Zstd(Box<DCtx<'static>>, usize),
}

/// What one step did.
pub(super) struct Step {
    pub(super) taken: usize,
    pub(super) given: usize,
    pub(super) outcome: Outcome,
}

/// How a step ended.
pub(super) enum Outcome {
    More,
    End,
    /// The data is damaged.
    Fault(String),
    /// The window is larger than allowed.
    TooLarge,
}

/// The widest window of deflate, as a power of two.
const DEFLATE_WINDOW: u8 = 15;

/// Bytes that a zstd frame is begun with: as many as tell how long its header is.
const ZSTD_FIRST: usize = 5;

/// What xz needs beside its dictionary, at most.
const XZ_STATE: u64 = 16 * 1024 * 1024;

impl Engine {
    pub(super) fn new(codec: Codec, window: u64) -> io::Result<Engine> {
        let memory = window.saturating_add(XZ_STATE);
        Ok(match codec {
            Codec::Gzip => Engine::Deflate(Box::new(Decompress::new_gzip(DEFLATE_WINDOW))),
            Codec::Deflate => Engine::Deflate(Box::new(Decompress::new(false))),
            Codec::Bzip2 => Engine::Bzip2(Box::new(bzip2::Decompress::new(false))),
            Codec::Xz => Engine::Xz(Box::new(xz::Stream::new_stream_decoder(memory, 0)?)),
            Codec::Lzma => Engine::Xz(Box::new(xz::Stream::new_lzma_decoder(memory)?)),
            Codec::Zstd | Codec::Lz4 => Engine::zstd(window)?,
        })
    }

    fn zstd(window: u64) -> io::Result<Engine> {
        let mut context = DCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
        let log = window.max(1024).ilog2().min(31);
        context.set_parameter(DParameter::WindowLogMax(log)).map_err(zstd_error)?;
        Ok(Engine::Zstd(Box::new(context), ZSTD_FIRST))
    }

    /// Decodes from `input` into `out`. A fault comes together with the bytes that
    /// were decoded before it.
    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step {
        match self {
            Engine::Deflate(decoder) => {
                let before = (decoder.total_in(), decoder.total_out());
                let outcome = match decoder.decompress(input, out, FlushDecompress::None) {
                    Ok(Status::StreamEnd) => Outcome::End,
                    Ok(Status::Ok | Status::BufError) => Outcome::More,
                    Err(error) => {
                        Outcome::Fault(error.message().unwrap_or("invalid deflate data").to_owned())
                    }
                };
                Step::counted(before, (decoder.total_in(), decoder.total_out()), outcome)
            }
            Engine::Bzip2(decoder) => {
                let before = (decoder.total_in(), decoder.total_out());
                let outcome = match decoder.decompress(input, out) {
                    Ok(bzip2::Status::StreamEnd) => Outcome::End,
                    Ok(_) => Outcome::More,
                    Err(error) => Outcome::Fault(error.to_string()),
                };
                Step::counted(before, (decoder.total_in(), decoder.total_out()), outcome)
            }
            Engine::Xz(decoder) => {
                let before = (decoder.total_in(), decoder.total_out());
                let outcome = match decoder.process(input, out, xz::Action::Run) {
                    Ok(xz::Status::StreamEnd) => Outcome::End,
                    Ok(_) => Outcome::More,
                    Err(xz::Error::MemLimit) => Outcome::TooLarge,
                    Err(error) => Outcome::Fault(error.to_string()),
                };
                Step::counted(before, (decoder.total_in(), decoder.total_out()), outcome)
            }
            Engine::Zstd(context, wanted) => zstd_step(context, wanted, input, out),
        }
    }
}

impl Step {
    fn counted(before: (u64, u64), after: (u64, u64), outcome: Outcome) -> Step {
        let (taken, given) = ((after.0 - before.0) as usize, (after.1 - before.1) as usize);
        Step { taken, given, outcome }
    }
}

/// A call that fails drops what it decoded before, so each gets no more than a block:
/// what the one before it asked for.
fn zstd_step(
    context: &mut DCtx<'static>,
    wanted: &mut usize,
    input: &[u8],
    out: &mut [u8],
) -> Step {
    let input = &input[..input.len().min(*wanted)];
    let (mut source, mut target) = (InBuffer::around(input), OutBuffer::around(out));
    let result = context.decompress_stream(&mut target, &mut source);
    let (taken, given) = (source.pos, target.pos());
    let outcome = match result {
        Ok(0) => Outcome::End,
        Ok(hint) => {
            *wanted = hint;
            Outcome::More
        }
        Err(code) => match get_error_name(code) {
            name if name.contains("too much memory") => Outcome::TooLarge,
            name => Outcome::Fault(name.to_owned()),
        },
    };
    Step { taken, given, outcome }
}

fn zstd_error(code: usize) -> io::Error {
    io::Error::other(get_error_name(code))
}
