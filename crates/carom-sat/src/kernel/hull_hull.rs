//! Hull against hull: depth and contacts, rounded to the stored precision.

use super::super::num::{ConvexHull, Manifold, Pose, Real, Vec3, narrow, narrow_down, widen_real};
use crate::gauss_map::HullAxis;
use crate::reduce::{Chosen, Output};
use crate::{Counters, Tally, hull_contacts};
use carom_math::WidePose;
use core::cell::Cell;

pub use crate::hull_contacts::HullCache;

/// The axis of least overlap of two hulls.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HullSeparation {
    /// Unit vector from A to B, in A's frame.
    pub normal: Vec3,
    /// Negative: minus the penetration depth, exact to rounding. Positive: a lower bound of the
    /// distance of the hulls, to rounding in `f64`.
    pub distance: Real,
    /// The kind and numbers of the axis.
    pub axis: HullAxis,
    /// The number of axes that were tested.
    pub n_axes: u32,
}

/// Returns the axis of least overlap, or of the largest gap if the hulls are apart. `None` only for
/// a pose that is not finite.
pub fn separation(a: &ConvexHull, b: &ConvexHull, b_in_a: &WidePose) -> Option<HullSeparation> {
    let counters = Cell::new(Counters::default());
    let found = hull_contacts::find(a, b, b_in_a, f64::INFINITY, None, &counters)?;
    Some(HullSeparation {
        normal: narrow(found.normal),
        distance: narrow_down(-found.overlap),
        axis: found.axis,
        n_axes: counters.get().axes,
    })
}

/// Returns the contacts of two hulls that overlap, touch, or are apart by at most `prediction`.
/// `None` if they are farther apart.
///
/// The manifold is in A's frame, and its normal points from A to B. It has one to four contacts,
/// with points on both surfaces. If the hulls overlap, the deepest contact's distance is minus the
/// penetration depth. If they are apart, it may exceed their distance where faces overlap along
/// the normal. A cache that is kept per pair saves time, and does not change the answer.
pub fn manifold(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &Pose,
    prediction: Real,
    cache: Option<&mut HullCache>,
) -> Option<Manifold> {
    manifold_wide(a, b, &b_in_a.wide(), prediction, cache)
}

/// As [`manifold`], from a pose in `f64`, such as the difference of two poses far from the origin.
pub fn manifold_wide(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    prediction: Real,
    cache: Option<&mut HullCache>,
) -> Option<Manifold> {
    manifold_counted(a, b, b_in_a, prediction, cache, ())
}

/// As [`manifold_wide`], and counts its work in `tally`: the axes, not the clipping.
pub fn manifold_counted(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    prediction: Real,
    cache: Option<&mut HullCache>,
    tally: impl Tally,
) -> Option<Manifold> {
    let mut manifold = Manifold::new(Vec3::ZERO);
    let (prediction, chosen) = (widen_real(prediction), &mut Chosen::new());
    let mut to = Output { prediction, chosen, sink: &mut manifold };
    hull_contacts::write_manifold(a, b, b_in_a, cache, &mut to, tally).then_some(manifold)
}
