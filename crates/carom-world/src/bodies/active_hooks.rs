//! The hooks that are called for the pairs of a body.
//!
//! Reference: rapier 0.36, `ActiveHooks`.

bitflags::bitflags! {
    /// The hooks that are called for the pairs of a body.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct ActiveHooks: u8 {
        /// [`Hooks::filter_pair`](crate::Hooks::filter_pair).
        const FILTER = 1;
        /// [`Hooks::combine`](crate::Hooks::combine).
        const COMBINE = 2;
        /// [`Hooks::modify_contact`](crate::Hooks::modify_contact).
        const MODIFY = 4;
    }
}
