//! Filters that decide which pairs are reported: groups, and the mobility of bodies.

use crate::Pair;
use alloc::boxed::Box;

bitflags::bitflags! {
    /// A set of up to 32 groups of bodies; the caller gives them a meaning.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Groups: u32 {
        /// The first group, the default of each body.
        const DEFAULT = 1;
        /// Every other bit is a group too.
        const _ = !0;
    }
}

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mobility {
    /// Static: stays in place unless the caller moves it. Two fixed proxies are not a pair.
    Fixed,
    /// Moves by the velocity that the caller sets, through all obstacles.
    Kinematic,
    /// Moves by forces and contacts.
    #[default]
    Dynamic,
}

/// The pairs in which a proxy takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Filter {
    /// The groups that the proxy is in.
    pub membership: Groups,
    /// The groups that it meets. A pair needs both: each of the two must meet the other.
    pub mask: Groups,
    /// Its mobility: two `Fixed` proxies are not a pair.
    pub mobility: Mobility,
}

impl Filter {
    /// Returns a filter in the default group that meets everything.
    #[inline]
    pub const fn new(mobility: Mobility) -> Filter {
        Filter { membership: Groups::DEFAULT, mask: Groups::all(), mobility }
    }

    /// Returns the same filter with these groups.
    #[inline]
    pub const fn with_groups(mut self, membership: Groups, mask: Groups) -> Filter {
        self.membership = membership;
        self.mask = mask;
        self
    }

    /// Whether the pair of these two is reported.
    #[inline]
    pub const fn meets(&self, other: &Filter) -> bool {
        self.membership.bits() & other.mask.bits() != 0
            && other.membership.bits() & self.mask.bits() != 0
            && !(matches!(self.mobility, Mobility::Fixed) && matches!(other.mobility, Mobility::Fixed))
    }
}

impl Default for Filter {
    /// Returns the filter of a dynamic proxy that meets everything.
    fn default() -> Filter {
        Filter::new(Mobility::Dynamic)
    }
}

/// The caller's filter for pairs that pass their [`Filter`]s: `true` keeps the pair.
///
/// It must give the same result for the same pair until it is replaced. Several threads may call
/// it.
pub type PairFilter = Box<dyn Fn(Pair) -> bool + Send + Sync>;
