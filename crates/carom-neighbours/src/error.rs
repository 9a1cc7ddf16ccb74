//! The errors of a search for neighbours.

use crate::MAX_POINTS;

/// The reason for which points or a radius were rejected, or no result was given. Numbers are
/// those of the first bad item.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum NeighbourError {
    /// A coordinate is NaN or infinite.
    NotFinite {
        /// The point.
        point: usize,
    },
    /// A radius is negative, NaN or infinite.
    BadRadius {
        /// The radius.
        radius: f32,
    },
    /// The radius of a point is negative, NaN or infinite.
    BadPointRadius {
        /// The point.
        point: usize,
    },
    /// There are more or fewer radii than points.
    WrongCount {
        /// The number of points given.
        points: usize,
        /// The number of radii given.
        radii: usize,
    },
    /// There are more than [`MAX_POINTS`] points.
    TooMany,
    /// There are more pairs than the search may give. The answer is empty.
    TooDense {
        /// The limit that was set.
        max_pairs: usize,
    },
}

impl core::fmt::Display for NeighbourError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            NeighbourError::NotFinite { point } => {
                write!(f, "point {point} has a coordinate that is NaN or infinite")
            }
            NeighbourError::BadRadius { radius } => write!(f, "the radius {radius} is not a finite length"),
            NeighbourError::BadPointRadius { point } => {
                write!(f, "the radius of point {point} is not a finite length")
            }
            NeighbourError::WrongCount { points, radii } => {
                write!(f, "{points} points and {radii} radii were given")
            }
            NeighbourError::TooMany => write!(f, "there are more than {MAX_POINTS} points"),
            NeighbourError::TooDense { max_pairs } => {
                write!(f, "more than {max_pairs} pairs are within the radius: reduce it or raise the limit")
            }
        }
    }
}

impl core::error::Error for NeighbourError {}
