//! Conservation checks: nothing may be lost between the input bytes and the list.

use super::Stats;

/// Two sums that must be equal but differ. This is a defect of doiscan, never of its input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "internal error: {left} {left_sum} but {right} {right_sum}; no output was written; please report this"
)]
pub struct Mismatch {
    left: &'static str,
    left_sum: u64,
    right: &'static str,
    right_sum: u64,
}

impl Mismatch {
    /// Checks that two sums are equal.
    ///
    /// # Errors
    ///
    /// Fails if they differ.
    pub fn unless_equal(
        left: &'static str,
        left_sum: u64,
        right: &'static str,
        right_sum: u64,
    ) -> Result<(), Mismatch> {
        if left_sum == right_sum {
            return Ok(());
        }
        Err(Mismatch { left, left_sum, right, right_sum })
    }
}

/// Checks the sums of a run before its output is put in place.
///
/// # Errors
///
/// Returns the first pair of sums that differ.
pub fn conserved(stats: &Stats) -> Result<(), Mismatch> {
    let counts = &stats.counts;
    Mismatch::unless_equal(
        "bytes planned",
        counts.planned,
        "bytes scanned or lost",
        counts.bytes + counts.lost,
    )?;
    let judged = counts.accepted + counts.rejected_total();
    Mismatch::unless_equal("candidates", counts.candidates, "accepted and rejected", judged)?;
    Mismatch::unless_equal("accepted", counts.accepted, "handed over", stats.pushed)?;
    Mismatch::unless_equal("handed over", stats.pushed, "received", stats.received)?;
    Mismatch::unless_equal("distinct", stats.distinct, "written", stats.written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Counts;
    use doiscan_core::scan::Repairs;

    fn sound() -> Stats {
        let mut counts = Counts { planned: 10, bytes: 7, lost: 3, ..Counts::default() };
        counts.accept(Repairs::default());
        counts.reject(doiscan_core::doi::Reason::ALL[0]);
        Stats { counts, pushed: 1, received: 1, distinct: 1, written: 1, ..Stats::default() }
    }

    #[test]
    fn sound_sums_pass() {
        assert_eq!(conserved(&sound()), Ok(()));
    }

    #[test]
    fn every_lost_unit_is_noticed() {
        let losses: [fn(&mut Stats); 6] = [
            |s| s.counts.bytes -= 1,
            |s| s.counts.candidates += 1,
            |s| s.counts.rejected[0] -= 1,
            |s| s.pushed -= 1,
            |s| s.received -= 1,
            |s| s.written -= 1,
        ];
        for (index, lose) in losses.iter().enumerate() {
            let mut stats = sound();
            lose(&mut stats);
            assert!(conserved(&stats).is_err(), "loss {index} went unnoticed");
        }
    }

    #[test]
    fn the_message_names_both_sums() {
        let mut stats = sound();
        stats.written = 0;
        let message = conserved(&stats).expect_err("one is missing").to_string();
        assert_eq!(
            message,
            "internal error: distinct 1 but written 0; no output was written; please report this"
        );
    }
}
