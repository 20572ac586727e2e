//! A small random number generator: SplitMix64 (Steele, Lea, Flood 2014), whose n-th number is
//! computed from n alone.

/// A stream of numbers determined by its seed.
#[derive(Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(mix(seed ^ 0x646F_6973_6361_6E21))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// Returns a number from 0 to `bound`, exclusive. The bias of the multiplication is negligible
    /// here.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns a number from `least` to `bound`, exclusive.
    pub(super) fn between(&mut self, least: u64, bound: u64) -> u64 {
        least + self.below(bound - least)
    }

    /// Returns an approximately log-normal number from 1 to a few hundred, with a mean of 30 and a
    /// median of 21. It is the exponential of a sum of twelve uniform draws, which is nearly
    /// normal.
    pub(super) fn log_normal(&mut self) -> u64 {
        let uniform: f64 = (0..12).map(|_| (self.next() >> 11) as f64 / (1_u64 << 53) as f64).sum();
        (21.2 * (0.83 * (uniform - 6.0)).exp()).max(1.0) as u64
    }

    /// Returns a number with exactly this many decimal digits.
    pub(super) fn digits(&mut self, digits: u32) -> u64 {
        let least = 10_u64.pow(digits - 1);
        self.between(least, least * 10)
    }
}

/// The finaliser: adjacent inputs give unrelated outputs.
pub(super) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
