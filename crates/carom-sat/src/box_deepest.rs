//! The depth of two overlapping boxes: the least overlap of fifteen axes, and the deepest points.
//!
//! - The six face normals and nine cross products are all the face normals of the Minkowski
//!   difference. So the least overlap is the depth.
//! - Along a face normal the deepest point is the other box's lowest corner. If several are equally
//!   low, it is their middle.
//! - Along the cross product of two edges it is the point where the edges cross.
//! - Some boxes get no answer: those apart, touching within rounding, or without a clear deepest
//!   point. GJK and EPA decide their sign.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, SIGGRAPH 1996 (the axes); C. Ericson,
//! Real-Time Collision Detection, 2005, 4.4.1.
//! Differs: it gives only the deepest contact, in `f64`.

use crate::Tally;
use crate::box_axes::{Axis, BoxPair, LeastOverlap, in_turn};
use crate::box_clip::clip_rectangle;
use crate::clip::Candidates;
use crate::closest;
use crate::placed_box::supporting_edge;
use carom_lanes::dispatch;
use carom_math::{WidePose, tol};
use glam::DVec3;

/// The depth of two boxes that overlap, in A's frame, exact to rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoxDepth {
    /// A length above 0: that of the shortest translation that separates the boxes.
    pub depth: f64,
    /// On A, deepest in B.
    pub point_a: DVec3,
    /// On B, deepest in A.
    pub point_b: DVec3,
    /// Unit vector from A to B. If B moves along it by the depth, the boxes touch.
    pub normal: DVec3,
}

/// 2^-200 to 2^200. Squares of these lengths times those of small sines keep their digits.
const SIZES: core::ops::Range<f64> = f64::from_bits((1023 - 200) << 52)..f64::from_bits((1023 + 200) << 52);

/// Returns the depth of two boxes and their deepest points. `None` if they are apart, touch within
/// rounding, or have no clear deepest point.
#[inline]
pub(crate) fn depth(half_a: DVec3, half_b: DVec3, b_in_a: &WidePose, tally: impl Tally) -> Option<BoxDepth> {
    let pair = BoxPair::new(half_a, half_b, b_in_a)?;
    let size = pair.size();
    let axis = dispatch(LeastOverlap { pair: &pair, prediction: 0.0, tally })?;
    if !(tol::SAT_TIE * size < axis.overlap && SIZES.contains(&size)) {
        return None;
    }
    let (point_a, point_b) = match axis.number {
        0..3 => under_face(&pair, (usize::from(axis.number), axis.positive))?,
        3..6 => {
            let face = (usize::from(axis.number - 3), axis.positive);
            let (b, a) = under_face(&pair.swapped(), face)?;
            (b_in_a.transform_point(a), b_in_a.transform_point(b))
        }
        _ => between_edges(&pair, &axis)?,
    };
    Some(BoxDepth { depth: axis.overlap, point_a, point_b, normal: axis.normal })
}

/// Whether two boxes share a point. `None` if they touch within rounding.
#[inline]
pub(crate) fn intersects(half_a: DVec3, half_b: DVec3, b_in_a: &WidePose, tally: impl Tally) -> Option<bool> {
    let pair = BoxPair::new(half_a, half_b, b_in_a)?;
    let size = pair.size();
    if !SIZES.contains(&size) {
        return None;
    }
    let tie = tol::SAT_TIE * size;
    let Some(axis) = dispatch(LeastOverlap { pair: &pair, prediction: tie, tally }) else {
        return Some(false);
    };
    (tie < axis.overlap).then_some(true)
}

/// Returns the deepest points of A and B under a face of A, given by its axis and side.
#[inline]
fn under_face(pair: &BoxPair, (i, positive): (usize, bool)) -> Option<(DVec3, DVec3)> {
    let BoxPair { half_a, half_b, r, t } = pair;
    let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
    let sign = if positive { 1.0 } else { -1.0 };
    let size = pair.size();
    let level = tol::SAT_TIE * size;
    let mut is_corner = true;
    let (mut u, mut v, mut w) = (t[i1], t[i2], t[i]);
    for j in 0..3 {
        // An axis of B counts as level if it changes the height by less than rounding.
        is_corner &= level < half_b[j] * r[i][j].abs();
        let half = if r[i][j] * sign < 0.0 { half_b[j] } else { -half_b[j] };
        u += r[i1][j] * half;
        v += r[i2][j] * half;
        w += r[i][j] * half;
    }
    let room = tol::GJK_TOUCHING * size;
    if is_corner && u.abs() <= half_a[i1] + room && v.abs() <= half_a[i2] + room {
        let (a1, a2) = (u.clamp(-half_a[i1], half_a[i1]), v.clamp(-half_a[i2], half_a[i2]));
        return Some((in_turn(i, half_a[i] * sign, a1, a2), in_turn(i, w, u, v)));
    }
    // An edge or a face: take the middle of the deepest corners under the face.
    let mut under = Candidates::new();
    clip_rectangle(pair, (i, positive), 0.0, &mut under);
    let deepest = under.as_mut_slice().iter().fold(0.0, |least: f64, c| least.min(c.distance));
    let (mut a, mut b, mut n) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for c in under.as_mut_slice() {
        if c.distance <= deepest + level {
            a += c.a;
            b += c.b;
            n += 1.0;
        }
    }
    (0.0 < n && (deepest - (sign * w - half_a[i])).abs() <= level).then(|| (a / n, b / n))
}

/// Returns the points of A and B where the edges cross that are deepest along their cross product.
#[inline]
fn between_edges(pair: &BoxPair, axis: &Axis) -> Option<(DVec3, DVec3)> {
    let (i, j) = (usize::from(axis.number - 6) / 3, usize::from(axis.number - 6) % 3);
    let (start_a, end_a, _) = supporting_edge(&pair.own(), i, axis.normal);
    let (start_b, end_b, _) = supporting_edge(&pair.placed_b(), j, -axis.normal);
    let (a, b, _) = closest::crossing(start_a, end_a, start_b, end_b, axis.normal);
    // Nearly parallel edges, and edges that end before they cross, are not the deepest.
    let off = (a - b) - axis.normal * axis.overlap;
    (off.abs().max_element() <= tol::SAT_TIE * pair.size()).then_some((a, b))
}
