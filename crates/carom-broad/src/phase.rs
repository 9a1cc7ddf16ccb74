//! The trait of all broad phases.

use crate::{BroadPhaseError, Contents, EventLog, Filter, Pair, PairFilter, ProxyId, ProxyTable};
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;

/// What the last search for pairs cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counters {
    /// Box against box, lanes counted one by one.
    pub tests: u64,
    /// Nodes, cells or lists visited.
    pub nodes: u64,
    /// Pairs given.
    pub pairs: u64,
    /// Candidates kept for the next frame; 0 for a structure that keeps none.
    pub candidates: u64,
    /// Times that the structure was made anew since it exists.
    pub rebuilds: u64,
    /// Boxes and candidates put in order for a structure that is kept, since the search before; 0
    /// for one that is not.
    pub sorted: u64,
}

/// Which boxes touch.
///
/// The contract, the same for every implementation:
/// - Each unordered pair of touching boxes is given once, `a < b`, sorted; sharing one point is
///   touching. Boxes are exact: a margin that an implementation adds for itself is never seen.
/// - A pair is given when [`Filter::meets`] and the [`PairFilter`], if there is one, say so.
/// - Indices: the index freed last is given out first; when none is free, the next unused one. So
///   the same calls give the same indices, and the same pairs, with every implementation and any
///   number of threads.
/// - A call that returns an error has changed nothing, also when only one item of its batch is
///   wrong.
///
/// An implementor keeps its handles in a [`ProxyTable`] and its events in an [`EventLog`].
pub trait BroadPhase {
    /// Adds a box. Error: a box that is NaN, infinite or inverted.
    fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<ProxyId, BroadPhaseError>;

    /// Adds boxes, appending their handles to `ids`. Errors as [`BroadPhase::insert`].
    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError>;

    /// Removes boxes. Error: a stale handle, also one that is in the batch twice.
    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError>;

    /// Removes a box. Error: a stale handle.
    fn remove(&mut self, id: ProxyId) -> Result<(), BroadPhaseError> {
        self.remove_batch(&[id])
    }

    /// Moves boxes; of a handle given twice the last box counts. Errors: a stale handle, a bad box.
    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError>;

    /// Changes which pairs a box takes part in. Error: a stale handle.
    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError>;

    /// Sets or clears the caller's own filter.
    fn set_pair_filter(&mut self, filter: Option<PairFilter>);

    /// Gives away all that it was told, and is empty. The broad phase that takes it over goes on as
    /// this one would have: with the same handles, pairs and events.
    fn hand_over(&mut self) -> Contents;

    /// Goes on with what another broad phase was told, of the same kind or of another; what this
    /// one was told is lost.
    fn take_over(&mut self, contents: Contents);

    /// Does now what the next [`BroadPhase::pairs`] would do first, so that spatial queries are
    /// fast: without it they are right too, but may walk one by one over what changed since.
    fn refresh(&mut self) {}

    /// Makes `out` the list of all pairs that touch now.
    fn pairs(&mut self, out: &mut Vec<Pair>);

    /// The log that [`BroadPhase::events`] writes and a vector to work in.
    #[doc(hidden)]
    fn event_log(&mut self) -> (&mut EventLog, &mut Vec<Pair>);

    /// Makes `begun` and `ended` what changed since the last call of this method, both sorted. A
    /// pair is in both if one of its indices has passed to another body meanwhile.
    fn events(&mut self, begun: &mut Vec<Pair>, ended: &mut Vec<Pair>) {
        let mut current = core::mem::take(self.event_log().1);
        self.pairs(&mut current);
        begun.clear();
        ended.clear();
        let (log, workspace) = self.event_log();
        log.report(&mut current, begun, ended);
        *workspace = current;
    }

    /// The handles, boxes and filters.
    fn proxies(&self) -> &ProxyTable;

    /// The box of a proxy. Error: a stale handle.
    fn aabb(&self, id: ProxyId) -> Result<Aabb, BroadPhaseError> {
        self.proxies().check_id(0, id).map(|index| self.proxies().boxes()[index])
    }

    /// The handle that is live at this index.
    fn id_at(&self, index: u32) -> Option<ProxyId> {
        self.proxies().id_at(index)
    }

    /// The number of proxies.
    fn len(&self) -> usize {
        self.proxies().n_live()
    }

    /// There is no proxy.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the last [`BroadPhase::pairs`] cost.
    fn counters(&self) -> Counters;

    /// Calls `visit` with the volumes that the structure keeps around groups of boxes, and the
    /// level of each, 0 at the top: what a picture of it shows. The volumes of the level below lie
    /// within those above. A structure that has none at the moment, or never, visits nothing.
    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        let _ = visit;
    }

    /// Checks every invariant of the structure; the message names the first that is broken. Slow;
    /// for tests.
    fn validate(&self) -> Result<(), String>;
}
