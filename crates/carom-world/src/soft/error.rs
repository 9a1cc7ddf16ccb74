//! Errors of soft things.

use carom_geom::MeshError;
use carom_math::Vec3;
use carom_particles::{ConstraintError, ParticleError};

/// An error of inserting or changing a soft thing, or of a step with it. It names the first
/// offender.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SoftError {
    /// A position, a number of a liquid or of grains is out of its range, or a step is unstable.
    Particles(ParticleError),
    /// A triangle, a tetrahedron or a setting of a cloth, a rope or a soft body is invalid.
    Constraint(ConstraintError),
    /// The vertices of a cloth or a soft body are no mesh, or left the finite range.
    Mesh(MeshError),
    /// A number is NaN, infinite, or negative where it may not be.
    BadValue {
        /// The name of the number.
        what: &'static str,
        /// Its value; of a vector, the first number that is wrong.
        value: f32,
    },
    /// A vertex is in no triangle, segment or tetrahedron with a size, so it has no mass.
    NoMass {
        /// The vertex.
        vertex: usize,
    },
    /// There is no such vertex or particle.
    NoSuchVertex {
        /// The index that was given.
        vertex: usize,
    },
    /// There is no such triangle; a rope has none.
    NoSuchTriangle {
        /// The index that was given.
        triangle: u32,
    },
    /// A shape to fill is infinite, has no known inside, or has no room for a particle. Or its pose
    /// is not finite or not a rotation.
    BadFilling {
        /// The index of the filling.
        filling: usize,
    },
    /// There are no vertices or particles.
    Empty,
    /// A liquid or gas has another radius than those of the world, which must all be equal.
    OtherRadius {
        /// The radius of the existing ones.
        expected: f32,
        /// The radius that was given.
        given: f32,
    },
}

impl core::fmt::Display for SoftError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            SoftError::Particles(error) => error.fmt(f),
            SoftError::Constraint(error) => error.fmt(f),
            SoftError::Mesh(error) => error.fmt(f),
            SoftError::BadValue { what, value } => write!(f, "{what} may not be {value}"),
            SoftError::NoMass { vertex } => write!(f, "vertex {vertex} has no mass"),
            SoftError::NoSuchVertex { vertex } => write!(f, "there is no vertex or particle {vertex}"),
            SoftError::NoSuchTriangle { triangle } => write!(f, "there is no triangle {triangle}"),
            SoftError::BadFilling { filling } => {
                write!(f, "filling {filling} has no end, no known inside, no room for a particle, or no pose")
            }
            SoftError::Empty => write!(f, "there are no vertices or particles"),
            SoftError::OtherRadius { expected, given } => {
                write!(f, "a liquid of radius {given} beside one of radius {expected}")
            }
        }
    }
}

impl core::error::Error for SoftError {}

/// Refuses a vector that is not finite.
pub(crate) fn check_finite(v: Vec3, what: &'static str) -> Result<(), SoftError> {
    let bad = v.to_array().into_iter().find(|x| !x.is_finite());
    bad.map_or(Ok(()), |value| Err(SoftError::BadValue { what, value }))
}

impl From<ParticleError> for SoftError {
    fn from(error: ParticleError) -> SoftError {
        SoftError::Particles(error)
    }
}

impl From<ConstraintError> for SoftError {
    fn from(error: ConstraintError) -> SoftError {
        SoftError::Constraint(error)
    }
}

impl From<MeshError> for SoftError {
    fn from(error: MeshError) -> SoftError {
        SoftError::Mesh(error)
    }
}
