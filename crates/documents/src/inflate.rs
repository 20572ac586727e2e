//! Inflates within a limit.

use flate2::{Decompress, FlushDecompress, Status};

/// What was inflated.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Inflated {
    /// All of the data, which `rest` bytes of the input follow.
    Whole { data: Vec<u8>, rest: usize },
    /// What was in front of damaged data, or of its early end.
    Damaged(Vec<u8>),
    /// More than the limit.
    Large,
}

/// Inflates `data`, with a zlib header or without, to at most `most` bytes.
pub(crate) fn inflate(data: &[u8], has_header: bool, most: u64) -> Inflated {
    let mut inflate = Decompress::new(has_header);
    let mut out: Vec<u8> = Vec::with_capacity(data.len().saturating_mul(4).clamp(256, 64 * 1024));
    loop {
        if out.len() == out.capacity() {
            // One byte more than the limit tells that there is more.
            let room = usize::try_from(most).unwrap_or(usize::MAX).saturating_add(1) - out.len();
            out.reserve_exact(out.capacity().min(room));
        }
        let rest = &data
            [usize::try_from(inflate.total_in()).map_or(data.len(), |at| at.min(data.len()))..];
        let before = (inflate.total_in(), inflate.total_out());
        let status = inflate.decompress_vec(rest, &mut out, FlushDecompress::None);
        if out.len() as u64 > most {
            return Inflated::Large;
        }
        match status {
            Ok(Status::StreamEnd) => {
                let rest = rest.len() - (inflate.total_in() - before.0) as usize;
                return Inflated::Whole { data: out, rest };
            }
            Ok(_) if before != (inflate.total_in(), inflate.total_out()) => {}
            _ => return Inflated::Damaged(out),
        }
    }
}
