//! Convex polygons cut by planes.
//!
//! A corner on the plane belongs to both sides. New corners are computed in `f64`, so the two
//! parts together are the polygon to within rounding.
//!
//! Reference: I. Sutherland, G. Hodgman, Reentrant Polygon Clipping, Communications of the ACM
//! 17(1), 1974.

use alloc::vec::Vec;
use carom_math::scaling::unit;
use carom_math::tol;
use glam::DVec3;

/// Returns the parts of a convex polygon where `height` is at most 0 and where it is at least 0. A
/// part may be empty.
///
/// `height` is linear, and its zeros are the plane. `exact` is called on each new corner, to
/// restore coordinates that are known exactly.
pub(crate) fn split(
    polygon: &[DVec3],
    height: impl Fn(DVec3) -> f64,
    exact: impl Fn(&mut DVec3),
) -> (Vec<DVec3>, Vec<DVec3>) {
    let (mut below, mut above) = (Vec::new(), Vec::new());
    let (mut is_below, mut is_above) = (false, false);
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[if i + 1 == polygon.len() { 0 } else { i + 1 }];
        let (at_p, at_q) = (height(p), height(q));
        if at_p <= 0.0 {
            below.push(p);
        }
        if 0.0 <= at_p {
            above.push(p);
        }
        is_below |= at_p < 0.0;
        is_above |= 0.0 < at_p;
        if (at_p < 0.0 && 0.0 < at_q) || (at_q < 0.0 && 0.0 < at_p) {
            let mut cut = p + (q - p) * (at_p / (at_p - at_q));
            exact(&mut cut);
            below.push(cut);
            above.push(cut);
        }
    }
    // A polygon that only touches the plane stays whole on its side. One that lies in the plane
    // counts as below.
    if !is_above {
        above.clear();
    } else if !is_below {
        below.clear();
    }
    (below, above)
}

/// The mean of the corners, which lies in the polygon.
pub(crate) fn middle(polygon: &[DVec3]) -> DVec3 {
    polygon.iter().fold(DVec3::ZERO, |sum, p| sum + *p) / polygon.len().max(1) as f64
}

/// Splits a convex polygon, so that repeated splits lead to parts with one nearest triangle each.
/// `t` is the triangle nearest to the middle of the polygon. A polygon much larger than `t` is
/// halved. Another one is split into the part over the triangle, seen along its normal, and the
/// parts beside it. `None` if the polygon cannot be cut.
pub(crate) fn parts_about(polygon: &[DVec3], t: &[DVec3; 3]) -> Option<Vec<Vec<DVec3>>> {
    let center = middle(polygon);
    let spread = |points: &[DVec3], about: DVec3| {
        points.iter().fold(0.0_f64, |m, p| m.max((*p - about).length_squared()))
    };
    if spread(t, middle(t)) * 4.0 < spread(polygon, center) {
        return halves(polygon).map(Vec::from);
    }
    split_by_prism(polygon, t).or_else(|| halves(polygon).map(Vec::from))
}

/// The parts of a convex polygon over a triangle, seen along its normal, and beside it. `None` if
/// there is only one part, or the triangle has no area.
fn split_by_prism(polygon: &[DVec3], t: &[DVec3; 3]) -> Option<Vec<Vec<DVec3>>> {
    let normal = unit((t[1] - t[0]).cross(t[2] - t[0]))?;
    let mut parts = Vec::new();
    let mut rest = polygon.to_vec();
    for i in 0..3 {
        let (a, b) = (t[i], t[(i + 1) % 3]);
        let outward = unit((b - a).cross(normal))?;
        let height = |p: DVec3| {
            // A point this near counts as on the plane. Otherwise rounding would produce slivers
            // again and again.
            let height = outward.dot(p - a);
            if height.abs() < tol::SURFACE_TOUCHES { 0.0 } else { height }
        };
        let (inside, beside) = split(&rest, height, |_| {});
        if !beside.is_empty() {
            parts.push(beside);
        }
        if inside.is_empty() {
            break;
        }
        rest = inside;
        if i == 2 {
            parts.push(core::mem::take(&mut rest));
        }
    }
    (1 < parts.len()).then_some(parts)
}

/// The two halves of a convex polygon, cut across the middle of its longest diagonal or side.
/// `None` if rounding leaves a half empty, as for a point.
fn halves(polygon: &[DVec3]) -> Option<[Vec<DVec3>; 2]> {
    let mut longest = (0.0, DVec3::ZERO, DVec3::ZERO);
    for (i, &p) in polygon.iter().enumerate() {
        for &q in &polygon[..i] {
            let length_sq = (p - q).length_squared();
            if longest.0 < length_sq {
                longest = (length_sq, p, q);
            }
        }
    }
    let (_, p, q) = longest;
    let middle = (p + q) * 0.5;
    let (below, above) = split(polygon, |x| (q - p).dot(x - middle), |_| {});
    (!below.is_empty() && !above.is_empty()).then_some([below, above])
}
