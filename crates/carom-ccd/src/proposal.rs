//! What a search for nearest points tells a search for times of impact, which believes none of it
//! but that points are where they are said to be.
//!
//! Reference: none needed.

use glam::DVec3;

/// How two cores lie at one time, as far as whoever looked can tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposal {
    /// From A towards B, in A's frame: an axis along which the cores are far apart. A poor one
    /// costs time; zero says that the cores meet.
    pub axis: DVec3,
    /// Points of A's core in A's frame, the corners of the feature nearest to B; the first
    /// `n_points` count.
    ///
    /// That they belong to the core is all that is taken on trust.
    pub points_a: [DVec3; 4],
    /// Points of B's core in B's frame, each paired with the one of A.
    pub points_b: [DVec3; 4],
    /// From 0, where nothing is known, to 4.
    pub n_points: usize,
    /// The nearest point of either core is the sum of its points, so weighted. Zeros where the
    /// differences of four pairs have the origin among them.
    pub weights: [f64; 4],
}

impl Proposal {
    /// Nothing is known.
    pub const NONE: Proposal = Proposal {
        axis: DVec3::ZERO,
        points_a: [DVec3::ZERO; 4],
        points_b: [DVec3::ZERO; 4],
        n_points: 0,
        weights: [0.0; 4],
    };

    /// The nearest points of the cores, each in its own frame and from its own origin; of cores
    /// that meet a common point, as seen from either. `differences` gives the four differences of
    /// the pairs of points, in one frame.
    pub(crate) fn nearest(
        &self,
        origins: [DVec3; 2],
        differences: impl FnOnce() -> [DVec3; 4],
    ) -> Option<[DVec3; 2]> {
        let n = self.n_points.min(4);
        // Weights below 0 would leave the body.
        let mut weights = self.weights.map(|weight| weight.max(0.0));
        if n == 4 && weights == [0.0; 4] {
            weights = weights_inside(differences());
        }
        let (mut a, mut b, mut sum) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for i in 0..n {
            a += (self.points_a[i] - origins[0]) * weights[i];
            b += (self.points_b[i] - origins[1]) * weights[i];
            sum += weights[i];
        }
        // Not so for NaN.
        (0.5 < sum && sum < 2.0).then(|| [a / sum, b / sum])
    }
}

/// How much each of four pairs counts in the point where they meet, from the differences of their
/// points: by the volumes that the origin makes with the others.
fn weights_inside([x, y, z, w]: [DVec3; 4]) -> [f64; 4] {
    let parts = [y.dot(z.cross(w)), -x.dot(z.cross(w)), x.dot(y.cross(w)), -x.dot(y.cross(z))];
    let sum = parts[0] + parts[1] + parts[2] + parts[3];
    let weights = parts.map(|part| (part / sum).max(0.0));
    let total = weights[0] + weights[1] + weights[2] + weights[3];
    if 0.0 < total && total.is_finite() { weights.map(|weight| weight / total) } else { [0.25; 4] }
}
