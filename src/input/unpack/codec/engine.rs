//! The decoders of the crates, all driven in the same small steps.

use super::kind::Codec;
use flate2::{Decompress, FlushDecompress, Status};
use liblzma::stream as xz;
use std::io;
use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, get_error_name};

/// A decoder of one member.
pub(super) enum Engine {
    /// gzip, its header and trailer included, or bare deflate.
    Deflate(Box<Decompress>),
    Bzip2(Box<bzip2::Decompress>),
    /// xz or lzma, and the memory that was granted to it and may be.
    Xz(Box<xz::Stream>, Granted),
    /// The context, and what the next call is for.
    Zstd(Box<DCtx<'static>>, Next),
}

/// What the next call to a zstd context is for.
pub(super) struct Next {
    /// Bytes of input that it asks for.
    wanted: usize,
    /// Whether the last call filled its output, so that the context may hold decoded bytes.
    flush: bool,
}

/// Bytes of memory that xz may take, which it does not tell before it has it: it asks for
/// more until it is enough.
#[derive(Clone, Copy)]
pub(super) struct Granted {
    now: u64,
    most: u64,
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

/// Bytes of the header of a zstd block.
const ZSTD_HEADER: usize = 3;

/// What xz needs beside its dictionary, at most, when the dictionary is as large as is
/// allowed.
const XZ_STATE: u64 = 16 * 1024 * 1024;

/// What it needs usually. Dictionaries are powers of two, with this on top.
const XZ_SLACK: u64 = 1024 * 1024;

/// Bytes that gzip and deflate take: the window and the tables.
const DEFLATE_MEMORY: usize = 64 * 1024;

/// Bytes that bzip2 takes, for blocks of 900,000 bytes.
const BZIP2_MEMORY: usize = 4 * 1024 * 1024;

/// Bytes of input that bzip2 is given at a time.
const BZIP2_INPUT: usize = 4096;

impl Engine {
    pub(super) fn new(codec: Codec, window: u64) -> io::Result<Engine> {
        let most = window.saturating_add(XZ_STATE);
        let granted = Granted { now: most.min(2 * XZ_SLACK), most };
        Ok(match codec {
            Codec::Gzip => Engine::Deflate(Box::new(Decompress::new_gzip(DEFLATE_WINDOW))),
            Codec::Deflate => Engine::Deflate(Box::new(Decompress::new(false))),
            Codec::Bzip2 => Engine::Bzip2(Box::new(bzip2::Decompress::new(false))),
            Codec::Xz => {
                Engine::Xz(Box::new(xz::Stream::new_stream_decoder(granted.now, 0)?), granted)
            }
            Codec::Lzma => {
                Engine::Xz(Box::new(xz::Stream::new_lzma_decoder(granted.now)?), granted)
            }
            Codec::Zstd | Codec::Lz4 => Engine::zstd(window)?,
        })
    }

    fn zstd(window: u64) -> io::Result<Engine> {
        let mut context = DCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
        let log = window.max(1024).ilog2().min(31);
        context.set_parameter(DParameter::WindowLogMax(log)).map_err(zstd_error)?;
        Ok(Engine::Zstd(Box::new(context), Next { wanted: ZSTD_FIRST, flush: false }))
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
            Engine::Xz(decoder, granted) => xz_step(decoder, granted, input, out),
            Engine::Zstd(context, next) => zstd_step(context, next, input, out),
        }
    }
}

impl Engine {
    /// Makes the engine ready for the next member. False when a new one is needed.
    pub(super) fn restart(&mut self) -> bool {
        match self {
            // A context that has ended a frame begins another with the next call.
            Engine::Zstd(_, next) => {
                *next = Next { wanted: ZSTD_FIRST, flush: false };
                true
            }
            _ => false,
        }
    }

    /// The fewest and the most bytes of input that the next step is to have, where the
    /// source is at `offset`. Messages name the place where damage is noticed, which must
    /// not depend on how much a source happens to give at a time.
    pub(super) fn input(&self, offset: u64) -> (usize, usize) {
        match self {
            Engine::Bzip2(_) => {
                let len = BZIP2_INPUT - offset as usize % BZIP2_INPUT;
                (len, len)
            }
            Engine::Zstd(_, next) => (next.wanted.max(1), usize::MAX),
            _ => (1, usize::MAX),
        }
    }

    /// Bytes of memory that it takes.
    pub(super) fn memory(&self) -> usize {
        match self {
            Engine::Deflate(_) => DEFLATE_MEMORY,
            Engine::Bzip2(_) => BZIP2_MEMORY,
            Engine::Xz(_, granted) => granted.now as usize,
            Engine::Zstd(context, _) => context.sizeof(),
        }
    }
}

impl Step {
    fn counted(before: (u64, u64), after: (u64, u64), outcome: Outcome) -> Step {
        let (taken, given) = ((after.0 - before.0) as usize, (after.1 - before.1) as usize);
        Step { taken, given, outcome }
    }
}

/// A call that wants more memory can be made again, from where it came to.
fn xz_step(decoder: &mut xz::Stream, granted: &mut Granted, input: &[u8], out: &mut [u8]) -> Step {
    let before = (decoder.total_in(), decoder.total_out());
    let outcome = loop {
        let taken = (decoder.total_in() - before.0) as usize;
        let given = (decoder.total_out() - before.1) as usize;
        match decoder.process(&input[taken..], &mut out[given..], xz::Action::Run) {
            Ok(xz::Status::StreamEnd) => break Outcome::End,
            Ok(_) => break Outcome::More,
            Err(xz::Error::MemLimit) if granted.now < granted.most => {
                granted.now = (2 * granted.now - XZ_SLACK).min(granted.most);
                // When this is not enough either it says so, here or by the next call.
                let _ = decoder.set_memlimit(granted.now);
            }
            Err(xz::Error::MemLimit) => break Outcome::TooLarge,
            Err(error) => break Outcome::Fault(error.to_string()),
        }
    };
    Step::counted(before, (decoder.total_in(), decoder.total_out()), outcome)
}

/// A call that fails drops what it decoded, so each call gets at most one block, without the
/// header of the next one, and none while bytes of the block before it are not given yet.
/// What is kept therefore does not depend on the size of `out`.
fn zstd_step(context: &mut DCtx<'static>, next: &mut Next, input: &[u8], out: &mut [u8]) -> Step {
    let input = if next.flush { &[] } else { &input[..input.len().min(next.wanted)] };
    let room = out.len();
    let (mut source, mut target) = (InBuffer::around(input), OutBuffer::around(out));
    let result = context.decompress_stream(&mut target, &mut source);
    let (taken, given) = (source.pos, target.pos());
    next.flush = given == room;
    let outcome = match result {
        Ok(0) => Outcome::End,
        Ok(hint) => {
            // The hint for a block has room for the header of the next.
            next.wanted = if hint > ZSTD_HEADER { hint - ZSTD_HEADER } else { hint };
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
