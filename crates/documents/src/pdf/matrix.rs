//! Transformations of the plane (ISO 32000-1, 8.3.3).

/// A transformation: `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    pub(super) const IDENTITY: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) fn shift(x: f64, y: f64) -> Matrix {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// Applies `self` first, then `then`.
    #[must_use]
    pub(super) fn then(self, then: Matrix) -> Matrix {
        let Matrix([a, b, c, d, e, f]) = self;
        let ((p, q), (r, s), (t, u)) = (then.turn(a, b), then.turn(c, d), then.apply(e, f));
        Matrix([p, q, r, s, t, u])
    }

    pub(super) fn apply(self, x: f64, y: f64) -> (f64, f64) {
        let (u, v) = self.turn(x, y);
        (u + self.0[4], v + self.0[5])
    }

    /// Applies the transformation to a direction.
    pub(super) fn turn(self, x: f64, y: f64) -> (f64, f64) {
        let Matrix([a, b, c, d, ..]) = self;
        (a * x + c * y, b * x + d * y)
    }
}
