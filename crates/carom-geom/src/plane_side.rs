//! The side of a plane on which a convex body lies.
//!
//! The lowest and the highest point of the core come from the support map, in `f64`, with a bound
//! on the error. In doubt, each vertex of the core is tested against the plane in exact numbers.
//! Let s be the height of a vertex times the length of the normal n, and r the radius. The sign of
//! s - r |n| is that of s, or of s^2 - r^2 n^2.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.10 (planes against boxes by
//! the extreme corners).
//! Differs: any support map; exact where the core has vertices.

use crate::{NO_VERTEX, SupportMap};
use carom_math::WidePose;
use carom_math::exact_number::{ExactNumber, ExactVec3};
use carom_math::ops::sqrt;
use carom_math::scaling::scale_of;
use glam::DVec3;

/// The side of a plane on which a body lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaneSide {
    /// Strictly on the side that the normal points to.
    Front,
    /// On both sides of the plane, or touching it.
    Across,
    /// Strictly on the side away from the normal.
    Back,
}

impl PlaneSide {
    /// Returns the side from the signs of the lowest and the highest point; either may be NaN.
    #[inline]
    pub(crate) fn of_range(low: f64, high: f64) -> PlaneSide {
        if 0.0 < low {
            PlaneSide::Front
        } else if high < 0.0 {
            PlaneSide::Back
        } else {
            PlaneSide::Across
        }
    }
}

/// The lowest and the highest point of a placed body over a plane `normal . x + offset = 0`. The
/// normal may have any length.
pub(crate) struct Extent {
    /// Heights times the length of the normal.
    pub(crate) heights: [f64; 2],
    pub(crate) points: [DVec3; 2],
    /// The largest error of the heights.
    pub(crate) error: f64,
    /// Whether both points, without the margin, are vertices of the core.
    is_of_vertices: bool,
}

/// Returns the same plane, scaled so that the largest coordinate of the normal is near 1. An offset
/// that overflows becomes the largest finite number.
pub(crate) fn balanced_plane(normal: DVec3, offset: f64) -> (DVec3, f64) {
    let scale = scale_of(normal.abs().max_element());
    (normal * scale, (offset * scale).clamp(f64::MIN, f64::MAX))
}

/// Rounding of a height, relative to its terms: about twenty roundings.
const HEIGHT_ERROR: f64 = 16.0 * f64::EPSILON;

pub(crate) fn extent<S: SupportMap + ?Sized>(
    normal: DVec3,
    offset: f64,
    shape: &S,
    pose: &WidePose,
) -> Extent {
    let length = sqrt(normal.length_squared());
    let local = pose.inverse_transform_vector(normal);
    let margin = shape.margin();
    let out = if 0.0 < length { normal * (margin / length) } else { DVec3::ZERO };
    let support = |direction: DVec3| {
        let found = shape.support_exact(direction, shape.support(direction));
        (found.point.dot(local), pose.transform_point(found.point), found.vertex != NO_VERTEX)
    };
    let ((low, low_point, is_low), (high, high_point, is_high)) = (support(-local), support(local));
    // An eighth of each is exact, and the sum stays finite.
    let base = (normal.dot(pose.translation * 0.125) + offset * 0.125) * 8.0;
    let reach = pose.translation.abs() + (shape.center().length() + shape.radius() + margin);
    let error = HEIGHT_ERROR * (normal.abs().dot(reach) + offset.abs() + length * margin) + f64::MIN_POSITIVE;
    Extent {
        heights: [low + base - margin * length, high + base + margin * length],
        points: [low_point - out, high_point + out],
        error,
        is_of_vertices: is_low && is_high,
    }
}

/// Returns the side of the plane on which a placed body lies; exact for cores with vertices.
pub(crate) fn side<S: SupportMap + ?Sized>(
    normal: DVec3,
    offset: f64,
    shape: &S,
    pose: &WidePose,
) -> PlaneSide {
    let (normal, offset) = balanced_plane(normal, offset);
    let Extent { heights: [low, high], error, is_of_vertices, .. } = extent(normal, offset, shape, pose);
    if error < low {
        PlaneSide::Front
    } else if high < -error {
        PlaneSide::Back
    } else if low < -error && error < high {
        PlaneSide::Across
    } else if is_of_vertices {
        // A core may have vertices and round parts as well.
        exact_side(normal, offset, shape, pose)
    } else {
        // A curved core touches the plane, to the precision of f64.
        PlaneSide::Across
    }
}

#[cold]
fn exact_side<S: SupportMap + ?Sized>(normal: DVec3, offset: f64, shape: &S, pose: &WidePose) -> PlaneSide {
    let n = ExactVec3::from(normal);
    let local = {
        let along = |axis: DVec3| n.dot(&ExactVec3::from(axis));
        let r = &pose.rotation;
        ExactVec3::new(along(r.x_axis), along(r.y_axis), along(r.z_axis))
    };
    let base = &n.dot(&ExactVec3::from(pose.translation)) + &ExactNumber::from(offset);
    let reach_sq = &ExactNumber::from(shape.margin()).squared() * &n.length_squared();
    let (mut is_front, mut is_back) = (true, true);
    let vertices = (0..).map_while(|number| shape.vertex(number));
    for vertex in vertices {
        let height = &base + &local.dot(&ExactVec3::from(vertex));
        let is_clear = 0.0 < (&height.squared() - &reach_sq).sign();
        is_front &= is_clear && 0.0 < height.sign();
        is_back &= is_clear && height.sign() < 0.0;
        if !is_front && !is_back {
            return PlaneSide::Across;
        }
    }
    if is_front { PlaneSide::Front } else { PlaneSide::Back }
}
