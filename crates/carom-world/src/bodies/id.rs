//! Handles of bodies.
//!
//! Reference: A. Weissflog, Handles are the better pointers, 2018.

/// A handle of a body; once the body is removed, an error wherever it is used.
///
/// It does not say of which world: a world restored from a snapshot knows the handles of the world
/// that the snapshot is of, and worlds built alike give out the same handles. So a handle of
/// another world names the body with the same number and generation, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId {
    pub(crate) index: u32,
    /// Odd while the body lives.
    pub(crate) generation: u32,
}

impl BodyId {
    /// The body's number: that of no other living body, and the order of everything that the world reports.
    #[inline]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Which life of the number this is.
    #[inline]
    pub const fn generation(self) -> u32 {
        self.generation
    }
}
