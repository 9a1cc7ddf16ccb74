//! The response of the axes of a joint, and its decomposition for those that are held.
//!
//! Reference: G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed., 2013, 4.1 (L D L^T).

/// A pivot below this fraction of its diagonal entry is zero up to rounding in `f32`: no body can
/// move along this axis.
pub(crate) const MIN_PIVOT: f64 = 1e-9;

/// The velocity along axis i that a unit impulse along axis k causes.
#[derive(Clone, Copy)]
pub(crate) struct AxisMatrix(pub(crate) [[f64; 6]; 6]);

impl AxisMatrix {
    /// Returns the change of the speed of an axis by impulses of all axes.
    pub(crate) fn speed(&self, k: usize, impulses: &[f64; 6]) -> f64 {
        self.0[k].iter().zip(impulses).map(|(entry, impulse)| entry * impulse).sum()
    }

    /// Returns the effective mass along axis k while other axes are held; 0 if no body can move.
    pub(crate) fn effective_mass(&self, k: usize, is_held: impl Fn(usize) -> bool) -> f64 {
        let held = self.hold(1.0, is_held, |_| false);
        let (mut sides, mut response) = ([0.0; 6], [0.0; 6]);
        for &axis in held.axes() {
            sides[axis] = -self.0[axis][k];
        }
        held.solve_into(&sides, &mut response);
        let own = self.0[k][k];
        let inverse = own + self.speed(k, &response);
        if MIN_PIVOT * own < inverse { 1.0 / inverse } else { 0.0 }
    }

    /// Returns the decomposition for the axes that are held. Soft axes yield to their impulses, so
    /// that they give the part `share` of the response of rigid ones.
    pub(crate) fn hold(
        &self,
        share: f64,
        is_held: impl Fn(usize) -> bool,
        is_soft: impl Fn(usize) -> bool,
    ) -> HeldSystem {
        let entry = |i: usize, k: usize| {
            if is_soft(i) && is_soft(k) { self.0[i][k] / share } else { self.0[i][k] }
        };
        let (mut held, mut n) = ([0; 6], 0);
        for k in (0..6).filter(|&k| is_held(k)) {
            held[n] = k;
            n += 1;
        }
        let mut system = HeldSystem { held, n, lower: [[0.0; 6]; 6], inverse: [0.0; 6] };
        let mut pivots = [0.0; 6];
        for i in 0..n {
            for k in 0..=i {
                let before: f64 = (0..k).map(|j| system.lower[i][j] * system.lower[k][j] * pivots[j]).sum();
                let rest = entry(held[i], held[k]) - before;
                if k < i {
                    system.lower[i][k] = rest * system.inverse[k];
                } else if MIN_PIVOT * entry(held[i], held[i]) < rest {
                    (pivots[i], system.inverse[i]) = (rest, 1.0 / rest);
                }
            }
        }
        system
    }
}

/// The decomposition of the matrix of the axes that are held.
pub(crate) struct HeldSystem {
    held: [usize; 6],
    n: usize,
    /// The entries of L below the diagonal, by place among the held axes.
    lower: [[f64; 6]; 6],
    /// The inverse of D, or 0.
    inverse: [f64; 6],
}

impl HeldSystem {
    /// Returns the held axes.
    pub(crate) fn axes(&self) -> &[usize] {
        &self.held[..self.n]
    }

    /// Solves the system of the held axes. Both sides are indexed by place among these axes.
    pub(crate) fn solve(&self, mut x: [f64; 6]) -> [f64; 6] {
        for i in 0..self.n {
            let before: f64 = (0..i).map(|k| self.lower[i][k] * x[k]).sum();
            x[i] -= before;
        }
        for i in (0..self.n).rev() {
            let after: f64 = (i + 1..self.n).map(|k| self.lower[k][i] * x[k]).sum();
            x[i] = x[i] * self.inverse[i] - after;
        }
        x
    }

    /// Writes the impulses of the held axes that change their speeds by `sides`. Both are indexed
    /// by axis.
    pub(crate) fn solve_into(&self, sides: &[f64; 6], impulses: &mut [f64; 6]) {
        let mut side = [0.0; 6];
        for (side, &axis) in side.iter_mut().zip(self.axes()) {
            *side = sides[axis];
        }
        for (solved, &axis) in self.solve(side).iter().zip(self.axes()) {
            impulses[axis] = *solved;
        }
    }
}
