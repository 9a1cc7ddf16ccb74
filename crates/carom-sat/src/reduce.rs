//! Up to four of many contact candidates, so that the deepest stays and the area they span stays
//! large.
//!
//! Four corners are chosen by place alone: the extreme one in a direction fixed in A's frame, the
//! farthest from it, and the one that spans the largest triangle on either side. Then the deepest
//! candidate, if it is not among them, takes the place of the corner whose loss costs the least
//! area. So that points of almost equal depth that change ranks from frame to frame exchange at
//! most one corner, and a solver keeps its impulses.
//!
//! Reference: D. Gregorius, Robust Contact Creation for Physics Simulations, Game Developers
//! Conference, 2015.
//! Differs: he begins with the deepest point, from which all other choices follow; here only one
//! depends on it.

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

/// Which contacts of a pair were kept of many, to be kept again: as long as all are there, none is
/// deeper than they are by more than an eighth of the prediction, and others would not span much
/// more.
///
/// Where many corners are about as deep, which is the deepest changes with every tremor, and the
/// load of a pile would jump from one corner to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Chosen {
    /// Of the features of each contact; 0 where there is none.
    marks: [u16; 4],
}

/// Of the area that the contacts could span those span at least this share that are kept.
const SPAN_KEPT: f64 = 0.75;

/// Contacts that are kept are at most by this share of the prediction less deep than the deepest.
const DEPTH_KEPT: f64 = 0.125;

impl Chosen {
    /// Nothing is known yet.
    pub const fn new() -> Chosen {
        Chosen { marks: [0; 4] }
    }

    /// Two features in few bits: to mistake one for another changes what is kept, not what is
    /// right.
    fn mark(candidate: &Candidate) -> u16 {
        let (a, b) = (candidate.feature_a.0, candidate.feature_b.0);
        let mixed = a.wrapping_mul(0x9e37_79b1) ^ b.wrapping_mul(0x85eb_ca77);
        ((mixed >> 16) as u16).max(1)
    }

    /// The contacts of the last time, in the order of the list, if there were four and all are
    /// there again.
    fn again(&self, candidates: &[Candidate]) -> Option<[usize; 4]> {
        if self.marks.contains(&0) {
            return None;
        }
        let (mut found, mut n) = ([0; 4], 0);
        for (index, candidate) in candidates.iter().enumerate() {
            if n < 4 && self.marks.contains(&Chosen::mark(candidate)) {
                found[n] = index;
                n += 1;
            }
        }
        (n == 4).then_some(found)
    }

    fn note(&mut self, kept: &[Candidate]) {
        self.marks = [0; 4];
        for (mark, candidate) in self.marks.iter_mut().zip(kept) {
            *mark = Chosen::mark(candidate);
        }
    }
}

/// Twice the area of four candidates, by the diagonals; in whatever order they are, that of some
/// quadrilateral.
fn area(candidates: &[Candidate], corners: [usize; 4], normal: DVec3) -> f64 {
    let [p, q, r, s] = corners.map(|c| candidates[c].a);
    (r - p).cross(s - q).dot(normal).abs()
}

/// Keeps at most four of the candidates, moved to the front in their old order, and says how many:
/// those `chosen` the last time, if they will do.
///
/// `normal` is the unit normal that the area is seen along.
pub(crate) fn reduce(
    candidates: &mut [Candidate],
    normal: DVec3,
    prediction: f64,
    chosen: &mut Chosen,
) -> usize {
    let n = match candidates.len() {
        all @ ..=4 => all,
        _ => choose(candidates, normal, prediction, chosen),
    };
    chosen.note(&candidates[..n]);
    n
}

fn choose(candidates: &mut [Candidate], normal: DVec3, prediction: f64, chosen: &Chosen) -> usize {
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
            let area = area(candidates, trial, normal);
            if best_area < area {
                best_area = area;
                best = trial;
            }
        }
        corners = best;
    }

    if let Some(again) = chosen.again(candidates) {
        let least = again.iter().map(|&c| candidates[c].distance).fold(f64::INFINITY, f64::min);
        // Candidates are listed around the polygon: its area is that of them in their order.
        if least <= candidates[deepest].distance + DEPTH_KEPT * prediction
            && SPAN_KEPT * area(candidates, corners, normal) <= area(candidates, again, normal)
        {
            corners = again;
        }
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
