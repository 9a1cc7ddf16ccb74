//! The checks that constructors share.

use crate::ShapeError;
use carom_math::tol;
use glam::DVec3;

/// A size: finite, not negative, and within the range that keeps every query finite.
pub(crate) fn size(what: &'static str, value: f64) -> Result<(), ShapeError> {
    if !value.is_finite() {
        return Err(ShapeError::NotFinite { what });
    }
    if value < 0.0 {
        return Err(ShapeError::Negative { what, value });
    }
    if tol::MAX_LENGTH < value {
        return Err(ShapeError::TooLarge { what, value });
    }
    if 0.0 < value && value < tol::MIN_LENGTH {
        return Err(ShapeError::TooSmall { what, value });
    }
    Ok(())
}

/// A point: finite, and within the range that keeps every query finite.
pub(crate) fn point(what: &'static str, value: DVec3) -> Result<(), ShapeError> {
    if !value.is_finite() {
        return Err(ShapeError::NotFinite { what });
    }
    let largest = value.abs().max_element();
    if tol::MAX_LENGTH < largest {
        return Err(ShapeError::TooLarge { what, value: largest });
    }
    Ok(())
}
