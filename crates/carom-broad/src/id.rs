//! Handles of boxes.
//!
//! Reference: A. Weissflog, Handles are the better pointers, 2018.

/// A handle of a box in a broad phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProxyId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl ProxyId {
    /// Returns the slot, the index used in [`Pair`](crate::Pair)s. Live proxies have different
    /// slots.
    #[inline]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Returns the generation of the slot.
    #[inline]
    pub const fn generation(self) -> u32 {
        self.generation
    }
}
