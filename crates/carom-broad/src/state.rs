//! The state of a broad phase, with which another one can continue.
//!
//! Reference: E. Gamma, R. Helm, R. Johnson, J. Vlissides, Design Patterns, 1994, "Memento"
//! (opaque state).

use crate::{EventLog, PairFilter, ProxyTable};

/// Handles, boxes, filters, and the pairs of the last report.
/// [`BroadPhase::take_state`](crate::BroadPhase::take_state) gives it,
/// [`BroadPhase::take_over`](crate::BroadPhase::take_over) takes it.
#[derive(Default)]
#[non_exhaustive]
pub struct BroadPhaseState {
    /// The handles, boxes and filters.
    pub proxies: ProxyTable,
    /// The pair filter of the caller.
    pub pair_filter: Option<PairFilter>,
    /// The events that were reported.
    pub log: EventLog,
}

impl BroadPhaseState {
    /// Returns the state made of these parts.
    pub fn new(proxies: ProxyTable, pair_filter: Option<PairFilter>, log: EventLog) -> BroadPhaseState {
        BroadPhaseState { proxies, pair_filter, log }
    }
}
