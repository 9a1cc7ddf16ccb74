//! Proofs that two features are apart, from plain `f64`.
//!
//! Let `w_i` be the differences of the vertices of B and those of A: three for a vertex and a
//! face, four for two edges. Their hull is the set of all differences of points. Let `u` be 2^-53.
//!
//! - An axis `n` separates by a reach if `n . w_i > reach |n|` for all i. A computed `n . w_i`
//!   takes four roundings: of the difference, the product and two sums. So it is off by at most
//!   `4.01 u W |n|_1`, where W is the largest coordinate of all `w_i` and `|n|_1` the sum of the
//!   coordinates of n without signs. The test uses `8 u W |n|_1`.
//! - No product underflows. Vertices are `f32`, so a difference that is not zero is at least
//!   2^-149. A coordinate of an axis is a rounded sum of few differences, or of few products of
//!   two. So if it is not zero, it is above 2^-500.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996 (separating axes); N. Higham,
//! Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1 (sums of products).

use carom_math::ops::sqrt;
use glam::DVec3;

/// rounding: 8 u, twice what four roundings of a sum of products take.
const AXIS_ERROR: f64 = 4.0 * f64::EPSILON;

/// rounding: 32 u, more than a length, a product and a sum of positive numbers take together.
const LENGTH_ERROR: f64 = 16.0 * f64::EPSILON;

/// The largest coordinate of all differences, without its sign.
#[inline]
pub(crate) fn size_of(differences: &[DVec3]) -> f64 {
    differences.iter().fold(DVec3::ZERO, |most, w| most.max(w.abs())).max_element()
}

/// Whether all points of the hull of the differences, whose size is given, are farther than
/// `reach` along the axis, on one side of the origin. An axis that is zero or not finite separates
/// nothing.
#[inline]
pub(crate) fn separates(axis: DVec3, differences: &[DVec3], size: f64, reach: f64) -> bool {
    let length = if reach == 0.0 { 0.0 } else { reach * sqrt(axis.length_squared()) };
    let bound = (length + AXIS_ERROR * size * axis.abs().element_sum()) * (1.0 + LENGTH_ERROR);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for w in differences {
        let along = axis.dot(*w);
        low = if along < low { along } else { low };
        high = if high < along { along } else { high };
    }
    bound < low || high < -bound
}

/// The differences of a vertex and the corners of a face.
#[inline]
pub(crate) fn vertex_face(p: DVec3, [a, b, c]: [DVec3; 3]) -> [DVec3; 3] {
    [a - p, b - p, c - p]
}

/// The differences of two edges, around their parallelogram.
#[inline]
pub(crate) fn edge_edge([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> [DVec3; 4] {
    [c - a, d - a, d - b, c - b]
}
