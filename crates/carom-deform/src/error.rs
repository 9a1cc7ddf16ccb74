//! Why a mesh, its new positions or an edit were refused.

/// Why a mesh, its new positions or an edit were refused. The number is that of the first
/// offender.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum DeformError {
    /// A coordinate is NaN or infinite.
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// A coordinate is beyond [`MAX_POSITION`](crate::MAX_POSITION): scale the data by a power of
    /// two.
    TooLarge {
        /// The vertex.
        vertex: usize,
    },
    /// There are more or fewer positions than vertices.
    WrongCount {
        /// The number of vertices of the mesh.
        expected: usize,
        /// The number of positions given.
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
    /// The edit is for triangles, segments or tetrahedra, and the mesh is made of others.
    OtherElements,
    /// An element to remove does not exist.
    NoSuchElement {
        /// The place in the list of numbers.
        index: usize,
    },
    /// A joint to separate is no edge of a triangle, face of a tetrahedron or end of a segment.
    NoSuchJoint {
        /// The place in the list of edges, faces or vertices.
        index: usize,
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
    /// The collider has other faces than the one that was given first.
    OtherCollider {
        /// The first face that has other vertices, or that one of the two lacks.
        face: usize,
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
            DeformError::OtherElements => write!(f, "the mesh is not made of the elements of this edit"),
            DeformError::NoSuchElement { index } => {
                write!(f, "the mesh has no element with the number at place {index} of the list")
            }
            DeformError::NoSuchJoint { index } => {
                write!(f, "nothing in the mesh is joined by what is at place {index} of the list")
            }
            DeformError::BadResolution { resolution } => {
                write!(f, "a resolution of {resolution} voxels is not from 1 to 512")
            }
            DeformError::BadReach { reach } => {
                write!(f, "the reach {reach} is not a length above 0, up to 2^98")
            }
            DeformError::OtherCollider { face } => {
                write!(f, "face {face} of the collider is not the one that was given first")
            }
        }
    }
}

impl core::error::Error for DeformError {}
