//! Box against box: depth and contacts, rounded to the stored precision.

use super::super::num::{Manifold, Pose, Real, Vec3, narrow, narrow_down, widen, widen_real};
use crate::box_axes::{BoxPair, LeastOverlap};
use crate::reduce::{Chosen, Output};
use crate::{Counters, Tally, box_contacts};
use carom_lanes::dispatch;
use carom_math::WidePose;
use core::cell::Cell;

/// The axis of least overlap of two boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoxSeparation {
    /// Unit vector from A to B, in A's frame.
    pub normal: Vec3,
    /// Negative: minus the penetration depth, exact to rounding. B comes free if it moves that far
    /// along `normal`. Positive: a lower bound of the distance of the boxes, to rounding in `f64`.
    pub distance: Real,
    /// The number of the axis. 0 to 2 are faces of A, 3 to 5 are faces of B. 6 + 3 i + j is edge i
    /// of A and edge j of B.
    pub axis: u8,
    /// The number of axes tested: 6 if a face alone proves the least overlap, else 15.
    pub n_axes: u32,
}

/// Returns the axis of least overlap, or of the largest gap if the boxes are apart.
///
/// Half extents are not negative. Zero gives a flat box, a segment or a point. `b_in_a` is B's pose
/// in A's frame. `None` only if one of these numbers, or the sum of all, is not finite.
pub fn separation(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose) -> Option<BoxSeparation> {
    let pair = BoxPair::new(widen(half_a), widen(half_b), b_in_a)?;
    let counters = Cell::new(Counters::default());
    let axis = dispatch(LeastOverlap { pair: &pair, prediction: f64::INFINITY, tally: &counters })?;
    Some(BoxSeparation {
        normal: narrow(axis.normal),
        distance: narrow_down(-axis.overlap),
        axis: axis.number,
        n_axes: counters.get().axes,
    })
}

/// Returns the contacts of two boxes that overlap, touch, or are apart by at most `prediction`.
/// `None` if they are farther apart.
///
/// The manifold is in A's frame, its normal points from A to B, and its points lie on both
/// surfaces. It has one to four contacts, none with a distance above `prediction`. If the boxes
/// overlap, the deepest contact's distance is minus the penetration depth. If they are apart, it
/// may exceed their distance where faces overlap along the normal. Feature ids are those of
/// `Cuboid`. Vertices have bits 0, 1, 2 for negative x, y, z. A face has 2 axis + 1 on the
/// negative side.
pub fn manifold(half_a: Vec3, half_b: Vec3, b_in_a: &Pose, prediction: Real) -> Option<Manifold> {
    manifold_wide(half_a, half_b, &b_in_a.wide(), prediction)
}

/// As [`manifold`], from a pose in `f64`, such as the difference of two poses far from the origin.
pub fn manifold_wide(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose, prediction: Real) -> Option<Manifold> {
    let mut manifold = Manifold::new(Vec3::ZERO);
    write_manifold(half_a, half_b, b_in_a, prediction, &mut Chosen::new(), &mut manifold).then_some(manifold)
}

/// As [`manifold_wide`], but writes into a manifold without contacts, such as a new one at the end
/// of a list. This saves a copy. Returns false, and writes nothing, if there are no contacts.
pub fn write_manifold(
    half_a: Vec3,
    half_b: Vec3,
    b_in_a: &WidePose,
    prediction: Real,
    chosen: &mut Chosen,
    out: &mut Manifold,
) -> bool {
    write_manifold_counted(half_a, half_b, b_in_a, prediction, chosen, out, ())
}

/// As [`write_manifold`], and counts its work in `tally`.
#[inline]
pub fn write_manifold_counted(
    half_a: Vec3,
    half_b: Vec3,
    b_in_a: &WidePose,
    prediction: Real,
    chosen: &mut Chosen,
    out: &mut Manifold,
    tally: impl Tally,
) -> bool {
    let mut to = Output { prediction: widen_real(prediction), chosen, sink: out };
    box_contacts::write_manifold(widen(half_a), widen(half_b), b_in_a, &mut to, tally)
}
