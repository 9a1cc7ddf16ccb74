//! All that a broad phase has been told: what another one needs to go on in its place.
//!
//! Reference: E. Gamma, R. Helm, R. Johnson, J. Vlissides, Design Patterns, 1994, "Memento" (state
//! that only its makers look into).
//! Differs: it is moved, not copied, and any broad phase takes that of any other.

use crate::{EventLog, PairFilter, ProxyTable};

/// Handles, boxes, filters, and which pairs were reported last: moved from one broad phase to
/// another by [`BroadPhase::hand_over`](crate::BroadPhase::hand_over) and
/// [`BroadPhase::take_over`](crate::BroadPhase::take_over).
#[derive(Default)]
#[non_exhaustive]
pub struct Contents {
    /// The handles, boxes and filters.
    pub proxies: ProxyTable,
    /// The caller's own filter.
    pub pair_filter: Option<PairFilter>,
    /// The events that were reported.
    pub log: EventLog,
}

impl Contents {
    /// From its parts.
    pub fn new(proxies: ProxyTable, pair_filter: Option<PairFilter>, log: EventLog) -> Contents {
        Contents { proxies, pair_filter, log }
    }
}
