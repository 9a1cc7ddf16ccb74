//! The result of a search for nearest points, as the input of a search for times of impact. Only
//! the positions of its points are trusted.

use glam::DVec3;

/// The nearest features of two cores at one time, as a search found them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposal {
    /// From A towards B, in A's frame: an axis along which the cores are far apart. A poor axis
    /// costs time. Zero means that the cores meet.
    pub axis: DVec3,
    /// Points of A's core in A's frame, the corners of the feature nearest to B. The first
    /// `n_points` are valid.
    ///
    /// Only their membership in the core is trusted.
    pub points_a: [DVec3; 4],
    /// Points of B's core in B's frame, each paired with the point of A at the same index.
    pub points_b: [DVec3; 4],
    /// From 0, if nothing is known, to 4.
    pub n_points: usize,
    /// The weights of the nearest point of either core: it is the weighted sum of its points. All 0
    /// if the differences of four pairs surround the origin.
    pub weights: [f64; 4],
}

impl Proposal {
    /// An empty proposal.
    pub const NONE: Proposal = Proposal {
        axis: DVec3::ZERO,
        points_a: [DVec3::ZERO; 4],
        points_b: [DVec3::ZERO; 4],
        n_points: 0,
        weights: [0.0; 4],
    };

    /// Returns the nearest points of the cores, each in its own frame and from its own origin. If
    /// the cores meet, it is a common point, computed from either core. `differences` gives the
    /// four differences of the pairs of points, in one frame.
    pub(crate) fn nearest(
        &self,
        origins: [DVec3; 2],
        differences: impl FnOnce() -> [DVec3; 4],
    ) -> Option<[DVec3; 2]> {
        let n = self.n_points.min(4);
        // Negative weights would leave the body.
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
        // False for NaN.
        (0.5 < sum && sum < 2.0).then(|| [a / sum, b / sum])
    }
}

/// Returns the weight of each of four pairs at their common point, from the differences of their
/// points. Each is the volume of the origin with the other three.
fn weights_inside([x, y, z, w]: [DVec3; 4]) -> [f64; 4] {
    let parts = [y.dot(z.cross(w)), -x.dot(z.cross(w)), x.dot(y.cross(w)), -x.dot(y.cross(z))];
    let sum = parts[0] + parts[1] + parts[2] + parts[3];
    let weights = parts.map(|part| (part / sum).max(0.0));
    let total = weights[0] + weights[1] + weights[2] + weights[3];
    if 0.0 < total && total.is_finite() { weights.map(|weight| weight / total) } else { [0.25; 4] }
}
