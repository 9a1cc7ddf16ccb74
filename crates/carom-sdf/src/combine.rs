//! Combines fields of two shapes on one grid: union, intersection and difference. Also offsets a
//! surface.
//!
//! Outside the union, the minimum of two distances is the distance to the union. Inside it is a
//! bound: the surface may be farther. The same holds, with sides exchanged, for the maximum and
//! the intersection. The minimum and the maximum change by no more than the point moves.
//!
//! The surface of a field is inside its grid. That of a combination is part of the two, and stays
//! there. An offset is refused if it may move the surface out.
//!
//! Reference: J. Hart, Sphere Tracing: A Geometric Method for the Antialiased Ray Tracing of
//! Implicit Surfaces, The Visual Computer 12(10), 1996, section 2 (constructive solid geometry).

use crate::bake::{Accuracy, Header};
use crate::bounds::{ROUNDING_RATIO, value_bounds};
use crate::error::SdfError;
use crate::nodes::border_values;
use crate::sign::SignMethod;
use crate::stored::Stored;
use carom_math::ops::sqrt;
use carom_math::rounding;

/// The least band after an offset, in cells.
const LEAST_BAND: f32 = 2.0;

/// The header of a union.
pub(crate) fn union_header(a: &Header, b: &Header) -> Result<Header, SdfError> {
    if a.sign.is_signed() || b.sign.is_signed() {
        return intersection_header(a, b);
    }
    check_same_grid(a, b)?;
    // Both are distances without a sign, and so is the lesser of the two.
    Ok(Header { accuracy: a.accuracy.max(b.accuracy), ..*a })
}

/// The header of an intersection or a difference.
pub(crate) fn intersection_header(a: &Header, b: &Header) -> Result<Header, SdfError> {
    check_same_grid(a, b)?;
    if !(a.sign.is_signed() && b.sign.is_signed()) {
        return Err(SdfError::Unsigned);
    }
    let sign = match (a.sign, b.sign) {
        (a, b) if a == b => a,
        (SignMethod::Winding { doubtful }, SignMethod::Winding { doubtful: other }) => {
            SignMethod::Winding { doubtful: doubtful.max(other) }
        }
        (open @ SignMethod::Winding { .. }, _) | (_, open @ SignMethod::Winding { .. }) => open,
        _ => SignMethod::Given,
    };
    Ok(Header { sign, accuracy: bound_or_worse(a, sign).max(bound_or_worse(b, sign)), ..*a })
}

/// Returns the header of a field after an offset.
pub(crate) fn offset_header(field: &impl Stored, offset: f32) -> Result<Header, SdfError> {
    let header = field.header();
    let band = if header.band.is_finite() {
        rounding::down(f64::from(header.band) - f64::from(offset.abs()))
    } else {
        header.band
    };
    if !(offset.is_finite() && LEAST_BAND * header.grid.cell() <= band) {
        return Err(SdfError::BadOffset { offset });
    }
    let allowed = room_at_border(field, offset);
    if allowed < offset.abs() {
        return Err(SdfError::OffsetLeavesGrid { offset, allowed });
    }
    // Distances without a sign become the field of a shell.
    let sign = if header.sign.is_signed() { header.sign } else { SignMethod::Given };
    Ok(Header { band, sign, accuracy: bound_or_worse(header, sign), ..*header })
}

/// Returns a lower bound of the distance from the surface to the border of the grid. Infinite if
/// the surface moves away from the border.
///
/// The point of the surface nearest to a face of the grid is at a height over a point of that
/// face. The nearest node of the face is at most half the diagonal of a square from there, and at
/// least as far from the surface as its value says.
fn room_at_border(field: &impl Stored, offset: f32) -> f32 {
    let header = field.header();
    let (mut is_outside, mut is_inside, mut least) = (false, false, f32::INFINITY);
    for value in border_values(field) {
        is_outside |= 0.0 < value;
        is_inside |= value < 0.0;
        least = least.min(value.abs());
    }
    // The surface moves towards the space beyond the grid if that is outside and the shape grows,
    // or if that is inside and the shape shrinks. Beyond the grid of a mesh is outside.
    let is_known = header.sign != SignMethod::Given;
    let moves_out = if 0.0 < offset {
        is_outside || !is_inside
    } else {
        offset < 0.0 && (is_inside || !(is_outside || is_known))
    };
    if !moves_out {
        return f32::INFINITY;
    }
    let [least, _] = value_bounds(least, f32::INFINITY);
    let cell = f64::from(header.grid.cell());
    let height_sq =
        least.max(0.0) * least.max(0.0) * (1.0 - ROUNDING_RATIO) - 0.5 * cell * cell * (1.0 + ROUNDING_RATIO);
    rounding::down(sqrt(height_sq.max(0.0)) * (1.0 - ROUNDING_RATIO)).max(0.0)
}

/// Returns a value after an offset. It is not farther from 0 than the exact difference.
pub(crate) fn offset_value(value: f32, offset: f32, old_band: f32, band: f32) -> f32 {
    if old_band <= value.abs() {
        return band.copysign(value);
    }
    let moved = f64::from(value) - f64::from(offset);
    // The value was rounded by no more than this.
    let rounded = f64::from(value.abs().next_up()) - f64::from(value.abs());
    let size = rounding::down((moved.abs() - rounded).max(0.0)).min(band);
    if moved < 0.0 && 0.0 < size { -size } else { size }
}

fn bound_or_worse(header: &Header, sign: SignMethod) -> Accuracy {
    header.accuracy.max(if sign.is_certain() { Accuracy::Bound } else { Accuracy::Estimate })
}

fn check_same_grid(a: &Header, b: &Header) -> Result<(), SdfError> {
    if a.grid == b.grid && a.band == b.band { Ok(()) } else { Err(SdfError::OtherGrid) }
}
