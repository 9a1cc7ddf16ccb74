//! Handles of bodies and of their colliders.
//!
//! Reference: A. Weissflog, Handles are the better pointers, 2018.

/// A handle of a body. After the body is removed, each use of the handle is an error.
///
/// A handle does not identify its world. It is valid in each world that has a body with the same
/// number and generation, such as a world restored from a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId {
    pub(crate) index: u32,
    /// Odd while the body lives.
    pub(crate) generation: u32,
}

impl BodyId {
    /// Returns the number of the body. It is unique among living bodies, and reports of the world
    /// are sorted by it.
    #[inline]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Returns the count of insertions and removals at this number. It is odd while the body
    /// lives.
    #[inline]
    pub const fn generation(self) -> u32 {
        self.generation
    }
}

/// A handle of a collider. After the collider or its body is removed, each use of the handle is an
/// error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ColliderId {
    pub(crate) body: BodyId,
    pub(crate) slot: ColliderSlot,
}

impl ColliderId {
    /// Returns the body of the collider.
    #[inline]
    pub const fn body(self) -> BodyId {
        self.body
    }

    /// Returns its number among the colliders of its body: 0 for the first. Numbers of removed
    /// colliders are reused.
    #[inline]
    pub const fn index(self) -> u32 {
        self.slot.index as u32
    }

    /// Returns the count of insertions and removals at this number. It is odd while the collider
    /// lives.
    #[inline]
    pub const fn generation(self) -> u32 {
        self.slot.generation as u32
    }
}

/// The number of a collider on its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ColliderSlot {
    pub(crate) index: u16,
    /// Odd while the collider lives.
    pub(crate) generation: u16,
}

impl ColliderSlot {
    /// The first collider of a body.
    pub(crate) const FIRST: ColliderSlot = ColliderSlot { index: 0, generation: 1 };

    pub(crate) const fn on(self, body: BodyId) -> ColliderId {
        ColliderId { body, slot: self }
    }
}

impl Default for ColliderSlot {
    fn default() -> ColliderSlot {
        ColliderSlot::FIRST
    }
}
