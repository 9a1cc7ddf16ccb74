//! Handles of bodies.
//!
//! Reference: A. Weissflog, Handles are the better pointers, 2018.

/// A handle of a body. After the body is removed, each use of the handle is an error.
///
/// A handle has no mark of its world. A world restored from a snapshot knows the handles of the
/// original, and worlds that are built alike give out the same handles. So in another world a
/// handle names the body with the same number and generation, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId {
    pub(crate) index: u32,
    /// Odd while the body lives.
    pub(crate) generation: u32,
}

impl BodyId {
    /// The number of the body. No other living body has it, and reports of the world are sorted by
    /// it.
    #[inline]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Counts the insertions and removals at this number.
    #[inline]
    pub const fn generation(self) -> u32 {
        self.generation
    }
}
