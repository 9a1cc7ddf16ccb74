//! Exact intersection test of two convex bodies with radii: whether the cores' distance exceeds the
//! sum of radii.
//!
//! The distance of the cores in `f64` decides, unless it is within its error of the radii. Then
//! pairs of features are compared in exact numbers. The bodies meet if some corner, edge or face of
//! one is near enough to one of the other. Squares of fractions are compared crosswise. Touching is
//! exact for all `f64` numbers.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.5 and 5.1.9 (which features can
//! be closest), 5.2.5.
//! Differs: exact signs.

use crate::figure::Figure;
use crate::{nearest, separate, tri_distance};
use carom_math::exact_number::{ExactNumber, ExactVec3};
use carom_math::tol;
use glam::DVec3;

/// Whether the two bodies have a common point. Touching counts.
///
/// Exact for the given corners and radii; see [`separate::meet`] for oriented boxes.
pub(crate) fn overlaps(a: &Figure, b: &Figure) -> bool {
    let (a, b) = if a.is_thin() { (a, b) } else { (b, a) };
    // No radius, or distances that are not polynomials; there are no round solids.
    if a.radius() + b.radius() == 0.0 || !a.is_thin() {
        return cores_meet(a, b);
    }
    let distance = nearest::core_distance(a, b).distance;
    compare(a, b, distance).unwrap_or_else(|| is_within_exactly(a, b))
}

/// Returns whether bodies with this core distance meet, if rounding leaves no doubt.
pub(crate) fn compare(a: &Figure, b: &Figure, core_distance: f64) -> Option<bool> {
    if core_distance == 0.0 {
        return Some(true);
    }
    let reach = a.radius() + b.radius();
    if reach == 0.0 {
        return Some(false);
    }
    let origin = a.corners()[0];
    let extent =
        a.corners().iter().chain(b.corners()).fold(0.0, |m: f64, p| m.max((*p - origin).abs().max_element()));
    let room = tol::CLOSEST_POINTS_ERROR * (extent + reach);
    if room < core_distance - reach {
        Some(false)
    } else if core_distance - reach < -room {
        Some(true)
    } else {
        None
    }
}

/// Whether the bodies without their radii meet.
pub(crate) fn cores_meet(a: &Figure, b: &Figure) -> bool {
    if a.is_thin() && b.is_thin() {
        tri_distance::thin_sets_meet(a.corners(), b.corners())
    } else {
        separate::meet(a, b)
    }
}

/// Whether a thin body and another, with radii, meet.
#[cold]
pub(crate) fn is_within_exactly(a: &Figure, b: &Figure) -> bool {
    let reach = &ExactNumber::from(a.radius()) + &ExactNumber::from(b.radius());
    let reach_sq = reach.squared();
    if cores_meet(a, b) {
        return true;
    }
    if b.is_thin() {
        return thin_within(a.corners(), b.corners(), &reach_sq);
    }
    b.faces().any(|face| thin_within(a.corners(), &face, &reach_sq))
}

/// Whether two points, segments or triangles are within `reach`.
pub(crate) fn thin_sets_within(a: &[DVec3], b: &[DVec3], reach: f64) -> bool {
    tri_distance::thin_sets_meet(a, b) || thin_within(a, b, &ExactNumber::from(reach).squared())
}

/// Whether some pair of features of two disjoint thin sets is within this distance.
fn thin_within(a: &[DVec3], b: &[DVec3], reach_sq: &ExactNumber) -> bool {
    let is_at_most = |numerator: &ExactNumber, denominator: &ExactNumber| {
        (numerator - &(reach_sq * denominator)).sign() <= 0.0
    };
    let one = ExactNumber::from(1.0);
    let is_inside = |x: &ExactNumber, end: &ExactNumber| 0.0 < x.sign() && 0.0 < (end - x).sign();
    for (s, t) in [(a, b), (b, a)] {
        for &p in s {
            for &q in t {
                if is_at_most(&ExactVec3::difference(p, q).length_squared(), &one) {
                    return true;
                }
            }
            for [c, d] in edges(t) {
                let (w, u) = (ExactVec3::difference(p, c), ExactVec3::difference(d, c));
                let uu = u.length_squared();
                if is_inside(&w.dot(&u), &uu) && is_at_most(&w.cross(&u).length_squared(), &uu) {
                    return true;
                }
            }
            if let &[c, d, e] = t {
                let (w, u, v) =
                    (ExactVec3::difference(p, c), ExactVec3::difference(d, c), ExactVec3::difference(e, c));
                let n = u.cross(&v);
                let nn = n.length_squared();
                let (x, y) = (w.cross(&v).dot(&n), u.cross(&w).dot(&n));
                let is_over = 0.0 < x.sign() && 0.0 < y.sign() && 0.0 < (&nn - &(&x + &y)).sign();
                if is_over && is_at_most(&n.dot(&w).squared(), &nn) {
                    return true;
                }
            }
        }
    }
    for [p, q] in edges(a) {
        for [c, d] in edges(b) {
            let (u, v, r) =
                (ExactVec3::difference(q, p), ExactVec3::difference(d, c), ExactVec3::difference(c, p));
            // For parallel edges, n = 0, a corner is at least as near.
            let n = u.cross(&v);
            let nn = n.length_squared();
            let is_crossing = is_inside(&r.cross(&v).dot(&n), &nn) && is_inside(&r.cross(&u).dot(&n), &nn);
            if is_crossing && is_at_most(&n.dot(&r).squared(), &nn) {
                return true;
            }
        }
    }
    false
}

fn edges(corners: &[DVec3]) -> impl Iterator<Item = [DVec3; 2]> + '_ {
    let n_edges = if corners.len() == 3 { 3 } else { corners.len() - 1 };
    (0..n_edges).map(move |i| [corners[i], corners[(i + 1) % corners.len()]])
}
