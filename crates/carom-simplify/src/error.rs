//! Why there is no answer.

use carom_geom::HullError;

/// Why a mesh was not simplified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SimplifyError {
    /// The surface is to enclose, or to be enclosed by, the old one, and that has no inside: along
    /// this many edges not as many triangles run forwards as backwards.
    NotClosed {
        /// Their number.
        n_edges: usize,
    },
    /// The same, and the triangles face inwards: the volume is negative, or zero.
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
    /// Fewer than 8 vertices of a hull are allowed.
    TooFewVertices,
    /// The concavity is negative or NaN.
    BadConcavity,
    /// A hull could not be made: the mesh reaches to the end of the range of `f32`.
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
