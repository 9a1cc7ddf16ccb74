//! The errors of shape constructors.

/// Why a shape was refused; `what` names the parameter or the corner.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A number is NaN or infinite.
    NotFinite {
        /// The parameter or corner.
        what: &'static str,
    },
    /// A size is negative.
    Negative {
        /// The parameter.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A coordinate or size is beyond `carom_math::tol::MAX_LENGTH`; impossible in `f32`.
    TooLarge {
        /// The parameter or corner.
        what: &'static str,
        /// The largest offending coordinate.
        value: f64,
    },
    /// A size is below `carom_math::tol::MIN_LENGTH`; impossible in `f32`. It is positive if 0 is
    /// allowed.
    TooSmall {
        /// The parameter.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A list is empty.
    Empty {
        /// The list.
        what: &'static str,
    },
    /// A direction is zero.
    NoDirection {
        /// The parameter.
        what: &'static str,
    },
}

impl core::fmt::Display for ShapeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            ShapeError::NotFinite { what } => write!(f, "{what} is NaN or infinite"),
            ShapeError::Negative { what, value } => write!(f, "{what} is negative: {value}"),
            ShapeError::TooLarge { what, value } => write!(f, "{what} is too large: {value}"),
            ShapeError::TooSmall { what, value } => write!(f, "{what} is too small: {value}"),
            ShapeError::Empty { what } => write!(f, "{what} has nothing in it"),
            ShapeError::NoDirection { what } => write!(f, "{what} has no length"),
        }
    }
}

impl core::error::Error for ShapeError {}
