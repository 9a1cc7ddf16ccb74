//! Why a point cloud is refused, in either precision.
//!
//! Reference: none; the checks are those of the other shapes.

/// Why a point cloud was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PointCloudError {
    /// There is no point.
    Empty,
    /// The point with this index is NaN or infinite.
    NotFinite(usize),
    /// The ball around the point with this index reaches beyond the coordinate 2^100.
    TooFar(usize),
    /// The radius is zero, negative, NaN or infinite.
    BadRadius,
    /// There are 2^28 points or more, too many for a tree.
    TooMany,
}

impl core::fmt::Display for PointCloudError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            PointCloudError::Empty => write!(f, "a point cloud needs at least one point"),
            PointCloudError::NotFinite(index) => write!(f, "point {index} is NaN or infinite"),
            PointCloudError::TooFar(index) => write!(f, "point {index} is beyond 2^100"),
            PointCloudError::BadRadius => write!(f, "the radius must be finite and above 0"),
            PointCloudError::TooMany => write!(f, "2^28 points or more"),
        }
    }
}

impl core::error::Error for PointCloudError {}
