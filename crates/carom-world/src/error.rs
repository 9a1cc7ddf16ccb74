//! Errors of a world.

use crate::bodies::force_fields::ForceFieldId;
use crate::{BodyId, ColliderId, JointId};
use carom_broad::BroadPhaseError;
use carom_geom::MeshError;
use carom_math::PoseError;
use carom_query::CompoundError;
use carom_response::{Inconsistency, JointFault, SolverError};

/// The reason why a world refused a call. Nothing was changed, unless the method says otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WorldError {
    /// No body has this handle: it was removed, or never was in this world.
    StaleBody(BodyId),
    /// No collider has this handle: it or its body was removed, or never was in this world.
    StaleCollider(ColliderId),
    /// A collider on a body of several has a pose that is not finite. The error has the index of
    /// its part among the parts of all colliders of the body.
    BadCollider(CompoundError),
    /// The body has several colliders, and the call is for bodies with one: use
    /// [`World::collider_mut`](crate::World::collider_mut).
    SeveralColliders(BodyId),
    /// No joint has this handle: it was removed, or never was in this world.
    StaleJoint(JointId),
    /// No force field has this handle: it was removed, or never was in this world.
    StaleForceField(ForceFieldId),
    /// No soft body has this handle: it was removed, or never was in this world.
    #[cfg(feature = "soft")]
    StaleSoftBody(crate::SoftBodyId),
    /// No particles have this handle: they were removed, or never were in this world.
    #[cfg(feature = "soft")]
    StaleParticles(crate::ParticlesId),
    /// A soft thing, or a step with one, was refused.
    #[cfg(feature = "soft")]
    Soft(crate::SoftError),
    /// A pose is not finite or not a rotation.
    Pose(PoseError),
    /// A number is NaN, infinite, negative although it must not be, or out of its bounds
    /// otherwise.
    BadValue {
        /// The name of the number. For a setting of the world it is the name of its field:
        /// [`WorldSettings::check`](crate::WorldSettings::check).
        what: &'static str,
        /// Its value. For a vector, the first component that is wrong.
        value: f32,
    },
    /// A rule for a pair names the same body twice.
    SameBody(BodyId),
    /// A dynamic body has no mass, for this reason. Give it a mass
    /// ([`BodyDesc::with_mass_properties`](crate::BodyDesc::with_mass_properties)), or make it
    /// fixed.
    NoMass(MassFault),
    /// The number of part materials differs from the number of parts of the shape:
    /// [`ColliderDesc::part_materials`](crate::ColliderDesc::part_materials).
    PartMaterials {
        /// How many materials there are.
        given: usize,
        /// How many parts the shape has.
        parts: usize,
    },
    /// The shape of this body is not a mesh, so it has no vertices to deform.
    NotAMesh(BodyId),
    /// The new vertices of a mesh have another number than its vertices, or one is not finite or
    /// too far away.
    Vertices(MeshError),
    /// The box of a body leaves the range of `f32`.
    Box(BroadPhaseError),
    /// A joint was refused. The fault names the first setting that is wrong.
    BadJoint(JointFault),
    /// The time step or a setting is out of bounds, or a number of a body left its range.
    Solver(SolverError),
    /// The state of a snapshot or of a world is not consistent. The error has the first wrong
    /// entry.
    Inconsistent(Inconsistency),
    /// No number is left for another body of the world, or for another collider of a body.
    Full,
    /// The budget is a time, but there is no clock ([`carom_math::clock`]).
    NoClock,
}

/// The reason why the colliders of a body give no mass. Sensors count only if there is no other
/// collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MassFault {
    /// There is no collider.
    NoCollider,
    /// A shape is unbounded, as a half-space is.
    Unbounded,
    /// All densities are 0.
    NoDensity,
    /// The inside of a mesh is not known, such as that of a mesh that is not closed:
    /// [`MeshShape::ambiguity`](carom_query::MeshShape::ambiguity).
    OpenMesh,
    /// The triangles of a mesh whose orientation is kept face inwards: they must be
    /// counter-clockwise seen from outside.
    InwardMesh,
    /// The shapes have no volume: height fields, flat shapes, or shapes that are only known by
    /// their support maps.
    NoVolume,
    /// The mass, its inverse, or the inertia is out of the range of `f32`.
    OutOfRange,
}

impl core::fmt::Display for MassFault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            MassFault::NoCollider => "it has no collider",
            MassFault::Unbounded => "a shape is unbounded",
            MassFault::NoDensity => "all densities are 0",
            MassFault::OpenMesh => "a mesh is not closed, or has no known inside",
            MassFault::InwardMesh => "the triangles of a mesh face inwards",
            MassFault::NoVolume => "its shapes have no volume",
            MassFault::OutOfRange => "mass or inertia is out of the range of numbers",
        })
    }
}

impl core::fmt::Display for WorldError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            WorldError::StaleBody(id) => {
                write!(f, "no body {} of generation {}", id.index(), id.generation())
            }
            WorldError::StaleCollider(id) => {
                let body = id.body().index();
                write!(f, "no collider {} of generation {} on body {body}", id.index(), id.generation())
            }
            WorldError::BadCollider(error) => write!(f, "a collider among several: {error}"),
            WorldError::SeveralColliders(id) => {
                write!(f, "body {} has several colliders: name one", id.index())
            }
            WorldError::StaleJoint(id) => write!(f, "no joint {}", id.number()),
            WorldError::StaleForceField(id) => write!(f, "no force field {}", id.number()),
            #[cfg(feature = "soft")]
            WorldError::StaleSoftBody(id) => {
                write!(f, "no soft body {} of generation {}", id.index, id.generation)
            }
            #[cfg(feature = "soft")]
            WorldError::StaleParticles(id) => {
                write!(f, "no particles {} of generation {}", id.index, id.generation)
            }
            #[cfg(feature = "soft")]
            WorldError::Soft(error) => error.fmt(f),
            WorldError::Pose(error) => error.fmt(f),
            WorldError::BadValue { what, value } => write!(f, "{what} may not be {value}"),
            WorldError::SameBody(id) => write!(f, "body {} cannot be both of a pair", id.index()),
            WorldError::NoMass(fault) => write!(f, "a dynamic body needs a mass: {fault}"),
            WorldError::PartMaterials { given, parts } => {
                write!(f, "{given} part materials for a shape of {parts} parts")
            }
            WorldError::NotAMesh(id) => write!(f, "the shape of body {} is not a mesh", id.index()),
            WorldError::Vertices(error) => error.fmt(f),
            WorldError::Box(error) => error.fmt(f),
            WorldError::BadJoint(fault) => fault.fmt(f),
            WorldError::Solver(error) => error.fmt(f),
            WorldError::Inconsistent(entry) => write!(f, "the state does not fit together: {entry}"),
            WorldError::Full => write!(f, "there is no number left for another body or collider"),
            WorldError::NoClock => write!(f, "a budget in time needs a clock, and there is none here"),
        }
    }
}

impl core::error::Error for WorldError {}

#[cfg(feature = "soft")]
impl From<crate::SoftError> for WorldError {
    fn from(error: crate::SoftError) -> WorldError {
        WorldError::Soft(error)
    }
}

impl From<PoseError> for WorldError {
    fn from(error: PoseError) -> WorldError {
        WorldError::Pose(error)
    }
}

impl From<BroadPhaseError> for WorldError {
    fn from(error: BroadPhaseError) -> WorldError {
        match error {
            BroadPhaseError::Full => WorldError::Full,
            error => WorldError::Box(error),
        }
    }
}

impl From<MeshError> for WorldError {
    fn from(error: MeshError) -> WorldError {
        WorldError::Vertices(error)
    }
}

impl From<Inconsistency> for WorldError {
    fn from(entry: Inconsistency) -> WorldError {
        WorldError::Inconsistent(entry)
    }
}

impl From<SolverError> for WorldError {
    fn from(error: SolverError) -> WorldError {
        WorldError::Solver(error)
    }
}

impl From<JointFault> for WorldError {
    fn from(fault: JointFault) -> WorldError {
        WorldError::BadJoint(fault)
    }
}
