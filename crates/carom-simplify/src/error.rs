//! The errors of simplification and of decomposition.

use carom_geom::HullError;

/// Why a mesh was not simplified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SimplifyError {
    /// [`Side::Outside`](crate::Side::Outside) or [`Side::Inside`](crate::Side::Inside) was
    /// requested, and the mesh is not closed.
    NotClosed {
        /// The number of edges along which not as many triangles run forwards as backwards.
        n_edges: usize,
    },
    /// [`Side::Outside`](crate::Side::Outside) or [`Side::Inside`](crate::Side::Inside) was
    /// requested, and the mesh does not face outwards: its signed volume is negative or zero.
    FacesInwards,
    /// The largest error is negative or NaN.
    BadMaxError,
    /// The progress callback cancelled the work.
    Cancelled,
}

impl core::fmt::Display for SimplifyError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            SimplifyError::NotClosed { n_edges } => {
                write!(f, "the mesh has no inside: {n_edges} edges are open or run one way only")
            }
            SimplifyError::FacesInwards => write!(f, "the mesh faces inwards: its volume is not positive"),
            SimplifyError::BadMaxError => write!(f, "the largest error is negative or not a number"),
            SimplifyError::Cancelled => write!(f, "cancelled by the progress callback"),
        }
    }
}

impl core::error::Error for SimplifyError {}

/// Why a mesh was not decomposed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DecomposeError {
    /// No hull is allowed.
    NoHulls,
    /// The limit on vertices of a hull is below 8.
    TooFewVertices,
    /// The concavity is negative or NaN.
    BadConcavity,
    /// A hull could not be made: coordinates are near the end of the range of `f32`.
    Hull(HullError),
    /// The progress callback cancelled the work.
    Cancelled,
}

impl core::fmt::Display for DecomposeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            DecomposeError::NoHulls => write!(f, "at least one hull has to be allowed"),
            DecomposeError::TooFewVertices => write!(f, "at least 8 vertices of a hull have to be allowed"),
            DecomposeError::BadConcavity => write!(f, "the concavity is negative or not a number"),
            DecomposeError::Hull(error) => write!(f, "no hull: {error}"),
            DecomposeError::Cancelled => write!(f, "cancelled by the progress callback"),
        }
    }
}

impl core::error::Error for DecomposeError {}
