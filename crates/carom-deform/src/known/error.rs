//! Why a known deformation or its parameters were refused.

/// Why a known deformation or its parameters were refused. The number is that of the first
/// offender.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum KnownError {
    /// A coordinate of a rest position is NaN, infinite or beyond
    /// [`MAX_POSITION`](crate::MAX_POSITION).
    BadPosition {
        /// The vertex.
        vertex: usize,
    },
    /// A face has the number of a vertex that does not exist.
    NoSuchVertex {
        /// The face.
        face: usize,
    },
    /// There are more than [`MAX_ELEMENTS`](crate::MAX_ELEMENTS) vertices, faces or pairs of a
    /// vertex and a parameter.
    TooMany,
    /// A target or a mode has more or fewer displacements than there are vertices.
    WrongTargetCount {
        /// The target or the mode.
        target: usize,
        /// The number of vertices.
        expected: usize,
        /// The number of displacements given.
        given: usize,
    },
    /// A coordinate of a displacement is NaN, infinite or beyond
    /// [`MAX_POSITION`](crate::MAX_POSITION).
    BadDisplacement {
        /// The target or the mode.
        target: usize,
        /// The vertex.
        vertex: usize,
    },
    /// There are more or fewer lists of bones, or of their weights, than vertices.
    WrongListCount {
        /// The number of vertices.
        expected: usize,
        /// The number of lists given.
        given: usize,
    },
    /// A vertex has a bone that does not exist.
    NoSuchBone {
        /// The vertex.
        vertex: usize,
    },
    /// A weight of a vertex is negative or NaN, or its weights do not have the sum 1.
    BadWeights {
        /// The vertex.
        vertex: usize,
    },
    /// There are more or fewer parameters than the deformation has.
    WrongCount {
        /// The number of weights, amplitudes or bones of the deformation.
        expected: usize,
        /// The number given.
        given: usize,
    },
    /// A parameter is NaN or infinite, or the rotation of a bone has not length 1.
    BadParameter {
        /// The weight, amplitude or bone.
        parameter: usize,
    },
    /// This parameter and those before it allow a coordinate beyond
    /// [`MAX_POSITION`](crate::MAX_POSITION).
    TooLarge {
        /// The weight, amplitude or bone.
        parameter: usize,
    },
}

impl core::fmt::Display for KnownError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            KnownError::BadPosition { vertex } => {
                write!(f, "vertex {vertex} has a coordinate that is NaN, infinite or beyond 2^98")
            }
            KnownError::NoSuchVertex { face } => write!(f, "face {face} has a vertex that does not exist"),
            KnownError::TooMany => {
                write!(f, "more than 2^26 vertices, faces or pairs of a vertex and a parameter")
            }
            KnownError::WrongTargetCount { target, expected, given } => {
                write!(f, "target {target} has {given} displacements, there are {expected} vertices")
            }
            KnownError::BadDisplacement { target, vertex } => {
                write!(
                    f,
                    "target {target} displaces vertex {vertex} by a coordinate that is NaN, infinite or beyond 2^98"
                )
            }
            KnownError::WrongListCount { expected, given } => {
                write!(f, "there are {expected} vertices, {given} lists of bones or weights were given")
            }
            KnownError::NoSuchBone { vertex } => write!(f, "vertex {vertex} has a bone that does not exist"),
            KnownError::BadWeights { vertex } => {
                write!(
                    f,
                    "vertex {vertex} has a weight that is negative or NaN, or weights whose sum is not 1"
                )
            }
            KnownError::WrongCount { expected, given } => {
                write!(f, "the deformation has {expected} parameters, {given} were given")
            }
            KnownError::BadParameter { parameter } => {
                write!(f, "parameter {parameter} is NaN or infinite, or a rotation whose length is not 1")
            }
            KnownError::TooLarge { parameter } => {
                write!(f, "parameter {parameter} could take a coordinate beyond 2^98")
            }
        }
    }
}

impl core::error::Error for KnownError {}
