//! The checks that constructors share, here and in the crates above.
//!
//! Reference: IEEE 754-2019, 7 (what infinities and NaN do to sums), and carom-math's `tol` for the
//! range of lengths.

use crate::ShapeError;
use carom_math::tol;
use glam::DVec3;

/// Checks a size: finite, not negative, and within the range that keeps every query finite.
pub fn size(what: &'static str, value: f64) -> Result<(), ShapeError> {
    length(what, value)?;
    if 0.0 < value && value < tol::MIN_LENGTH {
        return Err(ShapeError::TooSmall { what, value });
    }
    Ok(())
}

/// Checks a radius or a distance: finite, not negative, and not so large that products of lengths
/// overflow. It may be arbitrarily small.
pub fn length(what: &'static str, value: f64) -> Result<(), ShapeError> {
    if !value.is_finite() {
        return Err(ShapeError::NotFinite { what });
    }
    if value < 0.0 {
        return Err(ShapeError::Negative { what, value });
    }
    if tol::MAX_LENGTH < value {
        return Err(ShapeError::TooLarge { what, value });
    }
    Ok(())
}

/// Checks a point or a velocity: finite, and within the range that keeps every query finite.
pub fn point(what: &'static str, value: DVec3) -> Result<(), ShapeError> {
    if !value.is_finite() {
        return Err(ShapeError::NotFinite { what });
    }
    let largest = value.abs().max_element();
    if tol::MAX_LENGTH < largest {
        return Err(ShapeError::TooLarge { what, value: largest });
    }
    Ok(())
}
