//! Reduces many contact candidates to four. The deepest stays, and the area they span stays large.
//!
//! - Four corners are chosen by position alone. The first is extreme in a direction fixed in A's
//!   frame, and the second is farthest from it.
//! - The other two span the largest triangle on either side.
//! - If the deepest candidate is not among them, it replaces the corner whose loss costs the least
//!   area.
//!
//! Points of almost equal depth may change ranks from frame to frame. At most one corner is then
//! exchanged, and a solver keeps its impulses.
//!
//! Reference: D. Gregorius, Robust Contact Creation for Physics Simulations, Game Developers
//! Conference, 2015.
//! Differs: the reference starts from the deepest point, and all other choices follow from it. Here
//! only one choice depends on it.

use carom_geom::FeatureId;
use carom_math::ops::sqrt;
use glam::DVec3;

/// A pair of surface points that may become a contact, in A's frame.
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

/// A manifold in either precision. Contacts are decided in `f64`, and rounded when they are added.
pub(crate) trait ContactSink {
    /// The fraction of the size of a pair by which two depths may differ and count as equal. It is
    /// the rounding of the stored precision.
    const WITNESS_KEPT: f64;

    /// Sets the common normal, from A to B.
    fn set_normal(&mut self, normal: DVec3);

    /// Adds a contact with the common normal, if there is room.
    fn add(&mut self, contact: &Candidate);
}

/// The destination of the contacts of one query.
pub(crate) struct Output<'a, S> {
    /// The largest distance of a contact.
    pub(crate) prediction: f64,
    pub(crate) chosen: &'a mut Chosen,
    pub(crate) sink: &'a mut S,
}

impl<S: ContactSink> Output<'_, S> {
    /// Writes as many of the contacts as a manifold has room for.
    #[inline(always)]
    pub(crate) fn write(&mut self, contacts: &mut [Candidate], normal: DVec3) {
        let n = reduce(contacts, normal, self.prediction, self.chosen);
        self.sink.set_normal(normal);
        for contact in &contacts[..n] {
            self.sink.add(contact);
        }
    }
}

/// The contacts of a pair that were kept the last time, so that they can be kept again.
///
/// They are kept if all four are present, the deepest of them is nearly the deepest of all, and
/// they span enough area. The limits are 1/8 of the prediction, or of the width of the contacts if
/// that is less, and 3/4 of the area.
///
/// If many corners are about equally deep, the deepest one changes with the slightest motion.
/// Without this memory the load of a pile would jump between corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Chosen {
    /// One mark for the features of each contact, or 0 for none.
    marks: [u16; 4],
}

/// Kept contacts span at least this share of the area that all candidates could span.
const SPAN_KEPT: f64 = 0.75;

/// The deepest kept contact is less deep than the deepest candidate by at most this share of the
/// prediction, or of the width of the candidates if that is less. The prediction may be infinite.
const DEPTH_KEPT: f64 = 0.125;

impl Chosen {
    /// Creates the state in which no contacts are known.
    pub const fn new() -> Chosen {
        Chosen { marks: [0; 4] }
    }

    /// Returns two features hashed to few bits. A collision changes which contacts are kept, but
    /// not their correctness.
    fn mark(candidate: &Candidate) -> u16 {
        let (a, b) = (candidate.feature_a.0, candidate.feature_b.0);
        let mixed = a.wrapping_mul(0x9e37_79b1) ^ b.wrapping_mul(0x85eb_ca77);
        ((mixed >> 16) as u16).max(1)
    }

    /// Returns the contacts of the last time, in the order of the list, if there were four and all
    /// are present again.
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

/// Returns twice the area of four candidates, from the diagonals. In any order it is the area of
/// some quadrilateral.
fn area(candidates: &[Candidate], corners: [usize; 4], normal: DVec3) -> f64 {
    let [p, q, r, s] = corners.map(|c| candidates[c].a);
    (r - p).cross(s - q).dot(normal).abs()
}

/// Keeps at most four candidates, moves them to the front in order, and returns their number. The
/// contacts `chosen` the last time are preferred, if they are good enough.
///
/// `normal` is the unit normal along which the area is measured.
fn reduce(candidates: &mut [Candidate], normal: DVec3, prediction: f64, chosen: &mut Chosen) -> usize {
    let n = match candidates.len() {
        all @ ..=4 => all,
        _ => choose(candidates, normal, prediction, chosen),
    };
    chosen.note(&candidates[..n]);
    n
}

fn choose(candidates: &mut [Candidate], normal: DVec3, prediction: f64, chosen: &Chosen) -> usize {
    // The direction is no axis of a symmetric polygon, so ties are rare.
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
        let width = sqrt((candidates[second].a - origin).length_squared());
        // Candidates are listed around the polygon, so this is their area in order.
        if least <= candidates[deepest].distance + DEPTH_KEPT * prediction.min(width)
            && SPAN_KEPT * area(candidates, corners, normal) <= area(candidates, again, normal)
        {
            corners = again;
        }
    }

    corners.sort_unstable();
    let mut n_kept = 0;
    for k in 0..4 {
        // All candidates on a line give the same corner several times.
        if k == 0 || corners[k] != corners[k - 1] {
            candidates[n_kept] = candidates[corners[k]];
            n_kept += 1;
        }
    }
    n_kept
}

const FIRST_DIRECTION: DVec3 = DVec3::new(0.537, 0.311, 0.784);

/// Returns the index of the first candidate with the largest value.
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
