//! Proofs that two moving features stay apart during a step, far cheaper than the search for the
//! time of impact.
//!
//! - Vertices move along straight lines, so along a fixed axis each difference of two vertices is
//!   linear in time. An axis that separates to the same side at both ends separates during the
//!   whole step. `separation` bounds the rounding at one end. Four axes are tried: the mean
//!   difference, the normals at both ends, and the sum of these normals.
//! - If the reach is 0, features that touch lie in one plane. The volume `det(e, f, r)` that they
//!   span is a cubic in time. If its four Bernstein coefficients have one sign, the volume is not
//!   zero during the step.
//! - Rounding of the coefficients: each coefficient is a sum of at most 18 products of three
//!   differences, each of which takes at most ten roundings (three differences, two products, five
//!   sums). With the largest coordinates E, F, R of the three vectors at both ends it is off by at
//!   most `10.01 u * 18 E F R`, below `181 u E F R`. The test uses 256 u.
//!
//! Reference: X. Provot, Collision and Self-Collision Handling in Cloth Model Dedicated to Design
//! Garments, 1997 (one plane); M. Tang, R. Tong, Z. Wang, D. Manocha, Fast and Exact Continuous
//! Collision Detection with Bernstein Sign Classification, ACM TOG 33(6), 2014. Differs: axes
//! first; a stated bound instead of exact signs.

use crate::separation::{edge_edge, separates, size_of, vertex_face};
use glam::DVec3;

/// rounding: 256 u, above the 181 u that a coefficient takes.
const VOLUME_ERROR: f64 = 128.0 * f64::EPSILON;

/// Why two features stay apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Apart {
    /// An axis separates them at all times.
    ByAxis,
    /// They are never in one plane.
    BySign,
}

/// Returns why a vertex and a face stay farther than `reach` apart, if that is proved. The vertex
/// comes first in `start` and `end`.
#[inline]
pub(crate) fn vertex_face_stays_apart(start: &[DVec3; 4], end: &[DVec3; 4], reach: f64) -> Option<Apart> {
    let spans = |[p, a, b, c]: [DVec3; 4]| [b - a, c - a, p - a];
    let differences = |[p, a, b, c]: [DVec3; 4]| vertex_face(p, [a, b, c]);
    stays_apart([differences(*start), differences(*end)], [spans(*start), spans(*end)], reach)
}

/// Returns why two edges stay farther than `reach` apart, if that is proved.
#[inline]
pub(crate) fn edge_edge_stays_apart(start: &[DVec3; 4], end: &[DVec3; 4], reach: f64) -> Option<Apart> {
    let spans = |[a, b, c, d]: [DVec3; 4]| [b - a, d - c, c - a];
    let differences = |[a, b, c, d]: [DVec3; 4]| edge_edge([a, b], [c, d]);
    stays_apart([differences(*start), differences(*end)], [spans(*start), spans(*end)], reach)
}

#[inline]
fn stays_apart<const N: usize>(w: [[DVec3; N]; 2], spans: [[DVec3; 3]; 2], reach: f64) -> Option<Apart> {
    let size = size_of(w.as_flattened());
    let apart = |axis: DVec3| separates(axis, w.as_flattened(), size, reach);
    let mean = w.as_flattened().iter().fold(DVec3::ZERO, |sum, w| sum + *w);
    if apart(mean) {
        return Some(Apart::ByAxis);
    }
    let [[e_0, f_0, r_0], [e_1, f_1, r_1]] = spans;
    let (n_00, n_11) = (e_0.cross(f_0), e_1.cross(f_1));
    if apart(n_00) || apart(n_11) || apart(n_00 + n_11) {
        return Some(Apart::ByAxis);
    }
    if 0.0 < reach {
        return None;
    }
    let mixed = e_0.cross(f_1) + e_1.cross(f_0);
    let volumes =
        [n_00.dot(r_0), mixed.dot(r_0) + n_00.dot(r_1), n_11.dot(r_0) + mixed.dot(r_1), n_11.dot(r_1)];
    let bound = VOLUME_ERROR * (size_of(&[e_0, e_1]) * size_of(&[f_0, f_1]) * size_of(&[r_0, r_1]));
    let is_one_sign = volumes.iter().all(|&v| bound < v) || volumes.iter().all(|&v| v < -bound);
    is_one_sign.then_some(Apart::BySign)
}
