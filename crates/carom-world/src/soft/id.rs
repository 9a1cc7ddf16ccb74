//! Handles of soft things.
//!
//! Reference: A. Weissflog, Handles are the better pointers, 2018.

/// A handle of a cloth, a rope or a soft body. After its removal each use is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SoftBodyId {
    pub(crate) index: u32,
    /// Odd while the object exists.
    pub(crate) generation: u32,
}

impl SoftBodyId {
    /// Returns the index of the soft body. No other existing soft thing has it.
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Returns the generation: it differs for soft bodies that have the same index one after the
    /// other.
    pub const fn generation(self) -> u32 {
        self.generation
    }
}

/// A handle of particles that were inserted together. After their removal each use is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ParticlesId {
    pub(crate) index: u32,
    /// Odd while the particles exist.
    pub(crate) generation: u32,
}

/// A soft thing of a world: a soft body, or particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SoftThing {
    /// A cloth, a rope or a soft body.
    Body(SoftBodyId),
    /// Particles of a liquid, a gas, or grains.
    Particles(ParticlesId),
}

impl SoftThing {
    /// Returns the index of the thing. No other existing soft thing has it.
    pub const fn index(self) -> u32 {
        match self {
            SoftThing::Body(id) => id.index,
            SoftThing::Particles(id) => id.index,
        }
    }
}
