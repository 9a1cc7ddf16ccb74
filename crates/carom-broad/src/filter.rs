//! Which pairs are wanted: groups, and how a body moves.

use crate::Pair;
use alloc::boxed::Box;

bitflags::bitflags! {
    /// A set of up to 32 groups of bodies; what they stand for is the caller's business.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Groups: u32 {
        /// The first group, of which a body is a member if nothing else is said.
        const DEFAULT = 1;
        /// Every other bit is a group too.
        const _ = !0;
    }
}

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mobility {
    /// Stays where it is, unless it is moved by hand; two of these are never a pair.
    Static,
    /// Moves as it is told, whatever it meets.
    Kinematic,
    /// Moves by what happens to it.
    #[default]
    Dynamic,
}

/// Which pairs a proxy takes part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Filter {
    /// The groups that the proxy is in.
    pub membership: Groups,
    /// The groups that it meets. Both must meet the other.
    pub mask: Groups,
    /// How it moves: two `Static` proxies are never a pair.
    pub mobility: Mobility,
}

impl Filter {
    /// In the default group, meeting everything.
    #[inline]
    pub const fn new(mobility: Mobility) -> Filter {
        Filter { membership: Groups::DEFAULT, mask: Groups::all(), mobility }
    }

    /// The same with these groups.
    #[inline]
    pub const fn with_groups(mut self, membership: Groups, mask: Groups) -> Filter {
        self.membership = membership;
        self.mask = mask;
        self
    }

    /// A pair of these two is wanted.
    #[inline]
    pub const fn meets(&self, other: &Filter) -> bool {
        self.membership.bits() & other.mask.bits() != 0
            && other.membership.bits() & self.mask.bits() != 0
            && !(matches!(self.mobility, Mobility::Static) && matches!(other.mobility, Mobility::Static))
    }
}

impl Default for Filter {
    /// A dynamic proxy that meets everything.
    fn default() -> Filter {
        Filter::new(Mobility::Dynamic)
    }
}

/// A caller's own say over pairs that pass their [`Filter`]s: `true` keeps the pair.
///
/// It has to say the same of the same pair until it is replaced; it may be asked from several
/// threads.
pub type PairFilter = Box<dyn Fn(Pair) -> bool + Send + Sync>;
