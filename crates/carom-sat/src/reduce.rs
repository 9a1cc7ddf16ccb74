//! Up to four of many contact candidates, so that the deepest stays and the area they span stays large.
//!
//! Four corners are chosen by place alone: the extreme one in a direction fixed in A's frame, the farthest from it,
//! and the one that spans the largest triangle on either side. Then the deepest candidate, if it is not
//! among them, takes the place of the corner whose loss costs the least area. So that points of almost equal depth
//! that change ranks from frame to frame exchange at most one corner, and a solver keeps its impulses.
//!
//! Reference: D. Gregorius, Robust Contact Creation for Physics Simulations, Game Developers Conference, 2015.
//! Differs: he begins with the deepest point, from which all other choices follow; here only one depends on it.

use carom_geom::FeatureId;
use glam::DVec3;

/// A pair of surface points that may become a contact; in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// On the surface of A.
    pub(crate) a: DVec3,
    /// On the surface of B.
    pub(crate) b: DVec3,
    /// `(b - a) . normal`.
    pub(crate) distance: f64,
    pub(crate) feature_a: FeatureId,
    pub(crate) feature_b: FeatureId,
}

impl Candidate {
    pub(crate) const NONE: Candidate = Candidate {
        a: DVec3::ZERO,
        b: DVec3::ZERO,
        distance: 0.0,
        feature_a: FeatureId::UNKNOWN,
        feature_b: FeatureId::UNKNOWN,
    };
}

/// The most candidates that one pair of features makes.
pub(crate) const MAX_CANDIDATES: usize = 64;

/// Keeps at most four of the candidates, moved to the front in their old order, and says how many.
///
/// `normal` is the unit normal that the area is seen along.
pub(crate) fn reduce(candidates: &mut [Candidate], normal: DVec3) -> usize {
    let n = candidates.len();
    if n <= 4 {
        return n;
    }
    // A direction that no symmetric polygon is symmetric about, so that ties are rare.
    let first = extreme(candidates, |c| c.a.dot(FIRST_DIRECTION));
    let origin = candidates[first].a;
    let second = extreme(candidates, |c| (c.a - origin).length_squared());
    let side = (candidates[second].a - origin).cross(normal);
    let third = extreme(candidates, |c| (c.a - origin).dot(side));
    let fourth = extreme(candidates, |c| -(c.a - origin).dot(side));
    let mut corners = [first, third, second, fourth]; // Around the polygon.

    let deepest = extreme(candidates, |c| -c.distance);
    if !corners.contains(&deepest) {
        let mut best_area = f64::NEG_INFINITY;
        let mut best = corners;
        for k in 0..4 {
            let mut trial = corners;
            trial[k] = deepest;
            let [p, q, r, s] = trial.map(|c| candidates[c].a);
            // Twice the area by the diagonals; in whatever order, the absolute value is that of some quadrilateral.
            let area = (r - p).cross(s - q).dot(normal).abs();
            if best_area < area {
                best_area = area;
                best = trial;
            }
        }
        corners = best;
    }

    corners.sort_unstable();
    let mut n_kept = 0;
    for k in 0..4 {
        // All candidates on a line: the same corner several times.
        if k == 0 || corners[k] != corners[k - 1] {
            candidates[n_kept] = candidates[corners[k]];
            n_kept += 1;
        }
    }
    n_kept
}

const FIRST_DIRECTION: DVec3 = DVec3::new(0.537, 0.311, 0.784);

/// The first candidate with the largest value.
fn extreme(candidates: &[Candidate], value: impl Fn(&Candidate) -> f64) -> usize {
    let mut best = 0;
    let mut best_value = f64::NEG_INFINITY;
    for (index, candidate) in candidates.iter().enumerate() {
        let v = value(candidate);
        if best_value < v {
            best_value = v;
            best = index;
        }
    }
    best
}
