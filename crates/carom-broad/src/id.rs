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
    /// The slot: what [`Pair`](crate::Pair)s are made of. Live proxies have different ones.
    #[inline]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Which life of the slot this is.
    #[inline]
    pub const fn generation(self) -> u32 {
        self.generation
    }
}
