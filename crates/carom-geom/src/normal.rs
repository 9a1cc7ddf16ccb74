//! Normals of triangles and polygons that keep their digits on needles and slivers.
//!
//! The cross product of two edges loses as many digits as its sine has leading zeros. Below a limit
//! it is computed in double-double arithmetic; if that is not enough, exactly.
//!
//! Reference: F. Tampieri, Newell's Method for Computing the Plane Equation of a Polygon, Graphics
//! Gems III, 1992.
//! Differs: the sum runs over triangles about the first corner, so it does not depend on the
//! origin.

use carom_math::double_double::{DoubleDouble, DoubleDoubleVec3};
use carom_math::exact_sum::area_direction;
use carom_math::scaling::{scale_of, unit};
use glam::DVec3;

/// The squared sine above which `f64` is enough: about 4 degrees, at a loss of one digit.
const PLAIN_SINE_SQ: f64 = 1.0 / 256.0;

/// The squared sine above which double-double is enough. It loses 2^-44 of 2^-100, which leaves
/// 2^-56.
const DOUBLE_SINE_SQ: f64 = f64::from_bits((1023 - 88) << 52);

/// Products of lengths, squared, below which underflow may have lost digits: 2^-400, for a largest
/// edge near 1.
const LEAST_SIZES: f64 = f64::from_bits((1023 - 400) << 52);

/// Returns the unit normal of a polygon of finite corners, counter-clockwise seen from its tip. It
/// is right to a few units of rounding, also for thin polygons. `None` exactly if all corners are
/// collinear, or the parts cancel.
pub(crate) fn polygon_normal(n_corners: usize, corner: impl Fn(usize) -> DVec3) -> Option<DVec3> {
    let origin = corner(0);
    let mut largest = 0.0_f64;
    for i in 1..n_corners {
        largest = largest.max((corner(i) - origin).abs().max_element());
    }
    let scale = scale_of(largest);
    // First in plain `f64`; good triangles that do not cancel need no more.
    let (mut sum, mut sizes) = (DVec3::ZERO, 0.0);
    let mut previous = (corner(1) - origin) * scale;
    for i in 2..n_corners {
        let next = (corner(i) - origin) * scale;
        sum += previous.cross(next);
        sizes += previous.length_squared() * next.length_squared();
        previous = next;
    }
    let is_safe = LEAST_SIZES < sizes;
    if is_safe && PLAIN_SINE_SQ * sizes < sum.length_squared() {
        return unit(sum);
    }
    let scaled = |i: usize| DoubleDoubleVec3::difference(corner(i), origin) * DoubleDouble::from(scale);
    let mut sum = DoubleDoubleVec3::default();
    let mut previous = scaled(1);
    for i in 2..n_corners {
        let next = scaled(i);
        sum = sum + previous.cross(next);
        previous = next;
    }
    let sum = sum.to_dvec3();
    if is_safe && DOUBLE_SINE_SQ * sizes < sum.length_squared() {
        return unit(sum);
    }
    unit(area_direction(n_corners, corner))
}
