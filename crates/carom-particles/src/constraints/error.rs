//! Errors of ropes, cloth and other bodies of connected particles.

use core::fmt;

/// An error of a body of connected particles, or of its step. It names the first offender.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConstraintError {
    /// A rest position is NaN or infinite, or a coordinate is beyond
    /// [`MAX_REST`](crate::MAX_REST). In a step: a position, a velocity or an inverse mass is out
    /// of range.
    BadParticle {
        /// The particle, from 0 in its body; in a step, from 0 in the arrays.
        particle: usize,
    },
    /// A link, triangle, tetrahedron or cluster has the index of a particle that does not exist.
    NoSuchParticle {
        /// The index of the link, triangle, tetrahedron or cluster in its list.
        element: usize,
    },
    /// A link, triangle, tetrahedron or cluster has a particle twice.
    RepeatedParticle {
        /// The index of the link, triangle, tetrahedron or cluster in its list.
        element: usize,
    },
    /// A link has a rest length or a compliance that is negative, NaN or infinite.
    BadLink {
        /// The link.
        link: usize,
    },
    /// A tetrahedron at rest is flat to rounding.
    FlatTetrahedron {
        /// The tetrahedron.
        tetrahedron: usize,
    },
    /// The mesh is not closed: an edge has not as many triangles on one side as on the other.
    OpenEdge {
        /// The two particles, the lower number first.
        edge: [u32; 2],
    },
    /// The mesh encloses no volume at rest, or its triangles turn inwards.
    NoVolume {
        /// Cubed units of length.
        volume: f32,
    },
    /// A cluster has no particle.
    EmptyCluster {
        /// The cluster.
        cluster: usize,
    },
    /// There are too few positions, velocities, inverse masses, rotations or entries of a memory,
    /// or too many rotations or entries.
    WrongCount {
        /// The number that is needed.
        expected: usize,
        /// The number that was given.
        given: usize,
    },
    /// There are more than 2^31 particles or elements.
    TooMany,
    /// The time step is not greater than 0 and finite.
    BadTimeStep {
        /// Seconds.
        dt: f32,
    },
    /// A setting is out of its range.
    BadSetting {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f32,
    },
}

impl fmt::Display for ConstraintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ConstraintError::BadParticle { particle } => {
                write!(f, "a number of particle {particle} is not finite, or out of range")
            }
            ConstraintError::NoSuchParticle { element } => {
                write!(f, "element {element} has the number of a particle that does not exist")
            }
            ConstraintError::RepeatedParticle { element } => {
                write!(f, "element {element} has a particle twice")
            }
            ConstraintError::BadLink { link } => {
                write!(f, "link {link} has a length or a compliance that is not from 0 and finite")
            }
            ConstraintError::FlatTetrahedron { tetrahedron } => {
                write!(f, "tetrahedron {tetrahedron} is flat at rest")
            }
            ConstraintError::OpenEdge { edge: [a, b] } => {
                write!(f, "the mesh is open at the edge of the particles {a} and {b}")
            }
            ConstraintError::NoVolume { volume } => {
                write!(f, "the mesh encloses a volume of {volume}: it must be positive")
            }
            ConstraintError::EmptyCluster { cluster } => write!(f, "cluster {cluster} is empty"),
            ConstraintError::WrongCount { expected, given } => {
                write!(f, "{given} given, at least {expected} expected")
            }
            ConstraintError::TooMany => write!(f, "more than 2^31 particles or elements"),
            ConstraintError::BadTimeStep { dt } => write!(f, "a time step of {dt} s"),
            ConstraintError::BadSetting { name, value } => {
                write!(f, "{name} is {value}, out of its range")
            }
        }
    }
}

impl core::error::Error for ConstraintError {}
