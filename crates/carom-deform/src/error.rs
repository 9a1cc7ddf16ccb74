//! Why a mesh or its new positions were refused.

/// Why a mesh or its new positions were refused. The number is that of the first offender.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum DeformError {
    /// A coordinate is NaN or infinite.
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// A coordinate is beyond [`MAX_POSITION`](crate::MAX_POSITION): scale the data by a power of two.
    TooLarge {
        /// The vertex.
        vertex: usize,
    },
    /// There are more or fewer positions than vertices.
    WrongCount {
        /// How many vertices the mesh has.
        expected: usize,
        /// How many positions were given.
        given: usize,
    },
    /// A triangle, segment or tetrahedron has the number of a vertex that does not exist.
    NoSuchVertex {
        /// The triangle, segment or tetrahedron.
        element: usize,
    },
    /// There are more than [`MAX_ELEMENTS`](crate::MAX_ELEMENTS) elements or vertices.
    TooMany,
    /// The thickness is negative, NaN, infinite or beyond [`MAX_POSITION`](crate::MAX_POSITION).
    BadThickness {
        /// The thickness.
        thickness: f32,
    },
    /// The resolution is not from 1 to [`MAX_RESOLUTION`](crate::MAX_RESOLUTION).
    BadResolution {
        /// The resolution.
        resolution: u32,
    },
    /// The reach is not positive, is NaN or beyond [`MAX_POSITION`](crate::MAX_POSITION).
    BadReach {
        /// The reach.
        reach: f32,
    },
    /// The collider is not the one that was given before: it has another number of faces.
    OtherCollider {
        /// How many faces the first one has.
        expected: usize,
        /// How many faces this one has.
        given: usize,
    },
}

impl core::fmt::Display for DeformError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            DeformError::NotFinite { vertex } => {
                write!(f, "vertex {vertex} has a coordinate that is NaN or infinite")
            }
            DeformError::TooLarge { vertex } => {
                write!(f, "vertex {vertex} has a coordinate beyond 2^98; scale by a power of two")
            }
            DeformError::WrongCount { expected, given } => {
                write!(f, "the mesh has {expected} vertices, {given} positions were given")
            }
            DeformError::NoSuchVertex { element } => {
                write!(f, "element {element} has a vertex that does not exist")
            }
            DeformError::TooMany => write!(f, "more than 2^26 elements or vertices"),
            DeformError::BadThickness { thickness } => {
                write!(f, "the thickness {thickness} is not a length from 0 to 2^98")
            }
            DeformError::BadResolution { resolution } => {
                write!(f, "a resolution of {resolution} voxels is not from 1 to 512")
            }
            DeformError::BadReach { reach } => {
                write!(f, "the reach {reach} is not a length above 0, up to 2^98")
            }
            DeformError::OtherCollider { expected, given } => {
                write!(f, "the collider had {expected} faces, one with {given} was given")
            }
        }
    }
}

impl core::error::Error for DeformError {}
