//! Why a camera, a buffer, a mesh or particles were refused.

use core::fmt;

/// Why a camera, a buffer, a mesh or particles were refused. Numbers are those of the first
/// offender.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParticleError {
    /// The pose of a camera or a mesh is not finite.
    BadPose,
    /// The angle of view is not between 0 and pi radians, or the height of view is not positive and
    /// finite.
    BadView {
        /// The angle in radians, or the height in units of length.
        view: f32,
    },
    /// The range of depths does not begin above 0 and end farther away, at a finite depth.
    BadRange {
        /// The least depth that is seen.
        near: f32,
        /// The greatest depth that is seen.
        far: f32,
    },
    /// A side of the buffer is not from 1 to [`MAX_SIDE`](crate::MAX_SIDE) pixels.
    BadSize {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// There are more or fewer depths, normals or velocities than there should be.
    WrongCount {
        /// The number that is needed.
        expected: usize,
        /// The number that was given.
        given: usize,
    },
    /// A depth is NaN.
    BadDepth {
        /// The pixel: its row times the width, plus its column.
        pixel: usize,
    },
    /// A normal is not a unit vector to 1 %.
    BadNormal {
        /// The pixel: its row times the width, plus its column.
        pixel: usize,
    },
    /// A coordinate of a vertex is NaN or infinite.
    BadVertex {
        /// The vertex.
        vertex: usize,
    },
    /// A triangle has the number of a vertex that does not exist.
    NoSuchVertex {
        /// The triangle.
        triangle: usize,
    },
    /// The position or the velocity of a particle is NaN or infinite.
    BadParticle {
        /// The particle.
        particle: usize,
    },
    /// The time step is negative, NaN or infinite.
    BadTimeStep {
        /// Seconds.
        dt: f32,
    },
    /// A step found more pairs of neighbours than it may. Nothing was changed. Either the particles
    /// are too close together, or their motion is unstable: more substeps help.
    TooDense {
        /// The limit.
        max_pairs: usize,
    },
    /// In a step a particle got a place or a velocity that is not finite. Nothing was changed.
    Exploded {
        /// The particle.
        particle: u32,
    },
    /// The solver has no such liquid, gas or grains.
    NoSuchGroup,
    /// Some particles of a solid were to be removed, and not all.
    PartOfSolid {
        /// The first one that was to be removed.
        particle: u32,
    },
    /// There would be more particles than a solver can have, or more groups.
    TooMany,
    /// The inverse mass of a particle is negative, NaN or infinite.
    BadMass {
        /// The particle, counted from the first one given.
        particle: usize,
    },
    /// The normal of a plane is not a unit vector to 1 %, or its offset is not finite.
    BadPlane,
    /// A pose, velocity, mass or inertia of a body is NaN or infinite, or becomes so in the step,
    /// or an inverse mass is negative.
    BadBody {
        /// The body.
        body: usize,
    },
    /// A particle is held by a body, but one of them does not exist, or the point is not finite.
    BadAttachment {
        /// The place in the list of attachments.
        attachment: usize,
    },
    /// Bytes are no snapshot of a solver, or not a whole one.
    BadSnapshot,
    /// A setting is out of its range.
    BadSetting {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f32,
    },
}

impl fmt::Display for ParticleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ParticleError::BadPose => write!(f, "the pose is not finite"),
            ParticleError::BadView { view } => {
                write!(f, "a view of {view}: an angle must be between 0 and pi, a height positive")
            }
            ParticleError::BadRange { near, far } => {
                write!(f, "depths from {near} to {far}: they must begin above 0 and end farther away")
            }
            ParticleError::BadSize { width, height } => {
                write!(f, "{width} x {height} pixels: each side must be from 1 to {}", crate::MAX_SIDE)
            }
            ParticleError::WrongCount { expected, given } => write!(f, "{given} given, {expected} expected"),
            ParticleError::BadDepth { pixel } => write!(f, "the depth of pixel {pixel} is not a number"),
            ParticleError::BadNormal { pixel } => {
                write!(f, "the normal of pixel {pixel} is not a unit vector")
            }
            ParticleError::BadVertex { vertex } => write!(f, "vertex {vertex} is not finite"),
            ParticleError::NoSuchVertex { triangle } => {
                write!(f, "triangle {triangle} has the number of a vertex that does not exist")
            }
            ParticleError::BadParticle { particle } => {
                write!(f, "the position or velocity of particle {particle} is not finite")
            }
            ParticleError::BadTimeStep { dt } => write!(f, "a time step of {dt} s"),
            ParticleError::TooDense { max_pairs } => {
                write!(f, "more than {max_pairs} pairs of particles are near each other: take more substeps")
            }
            ParticleError::Exploded { particle } => {
                write!(f, "particle {particle} went to a place that is not finite: take more substeps")
            }
            ParticleError::NoSuchGroup => write!(f, "the solver has no such group of particles"),
            ParticleError::PartOfSolid { particle } => {
                write!(f, "particle {particle} belongs to a solid, which can only be removed as a whole")
            }
            ParticleError::TooMany => write!(f, "there are too many particles or groups"),
            ParticleError::BadMass { particle } => {
                write!(f, "the inverse mass of particle {particle} is no mass")
            }
            ParticleError::BadPlane => write!(f, "the normal of the plane is not a unit vector"),
            ParticleError::BadBody { body } => write!(f, "body {body} has a number that is not finite"),
            ParticleError::BadAttachment { attachment } => {
                write!(f, "attachment {attachment} has no particle, no body or no finite point")
            }
            ParticleError::BadSnapshot => write!(f, "the bytes are no whole snapshot"),
            ParticleError::BadSetting { name, value } => write!(f, "{name} is {value}, out of its range"),
        }
    }
}

impl core::error::Error for ParticleError {}
