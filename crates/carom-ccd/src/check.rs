//! Which numbers the constructors take: those of the shapes.
//!
//! Reference: IEEE 754-2019, 7 (what infinities and NaN do to sums), and carom-math's `tol` for the range of lengths.

use carom_geom::ShapeError;
use carom_math::tol;
use glam::DVec3;

/// A point or a velocity: finite, and within the range in which no product of lengths overflows.
pub(crate) fn vector(what: &'static str, value: DVec3) -> Result<(), ShapeError> {
    if !value.is_finite() {
        return Err(ShapeError::NotFinite { what });
    }
    let largest = value.abs().max_element();
    if tol::MAX_LENGTH < largest {
        return Err(ShapeError::TooLarge { what, value: largest });
    }
    Ok(())
}

/// A radius or a distance: finite, not negative, not too large.
pub(crate) fn length(what: &'static str, value: f64) -> Result<(), ShapeError> {
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
