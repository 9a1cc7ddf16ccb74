//! The trait of all broad phases.

use crate::{BroadPhaseError, BroadPhaseState, EventLog, Filter, Pair, PairFilter, ProxyId, ProxyTable};
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;

/// The cost of the last search for pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counters {
    /// Box against box tests, counted per lane.
    pub tests: u64,
    /// Nodes, cells or lists visited.
    pub nodes: u64,
    /// Pairs reported.
    pub pairs: u64,
    /// Candidates kept for the next frame; 0 for a structure that keeps none.
    pub candidates: u64,
    /// Number of rebuilds of the structure since it was created.
    pub rebuilds: u64,
    /// Boxes and candidates sorted for a persistent structure since the previous search; otherwise
    /// 0.
    pub sorted: u64,
}

/// A broad phase: finds touching boxes.
///
/// The contract, the same for every implementation:
///
/// - Each unordered pair of touching boxes is given once, `a < b`, sorted. Boxes that share one
///   point touch. Boxes are exact: internal margins do not show.
/// - A pair is given if [`Filter::meets`] and the [`PairFilter`], if there is one, accept it.
/// - Indices: the index freed last is reused first; if none is free, the next unused one. So equal
///   calls give equal indices and pairs, with every implementation and any number of threads.
/// - A call that returns an error has changed nothing, even if only one item of its batch is
///   wrong.
///
/// An algorithm that only finds pairs is a [`PairFinder`](crate::PairFinder), which needs one
/// method: [`FromFinder`](crate::FromFinder) makes it a broad phase. Any other implementor keeps a
/// [`BroadPhaseState`], or its parts, and writes nine methods (test:
/// `by_hand::nine_methods_conform`).
pub trait BroadPhase {
    /// Adds boxes and appends their handles to `ids`. Error: a box that is NaN, infinite or
    /// inverted.
    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError>;

    /// Removes boxes. Error: a stale handle, or a handle listed twice.
    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError>;

    /// Moves boxes; the last box counts if a handle is listed twice. Errors: a stale handle, a bad
    /// box.
    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError>;

    /// Changes the filter of a box. Error: a stale handle.
    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError>;

    /// Makes `out` the list of all pairs that touch now.
    fn pairs(&mut self, out: &mut Vec<Pair>);

    /// Returns the cost of the last [`BroadPhase::pairs`].
    fn counters(&self) -> Counters;

    /// Returns the handles, boxes and filters.
    fn proxies(&self) -> &ProxyTable;

    /// Returns the pair filter of the caller and the log of reported pairs. The other methods of
    /// this trait write both; an implementor notes removed boxes in the log.
    fn filter_and_log(&mut self) -> (&mut Option<PairFilter>, &mut EventLog);

    /// Continues with the handles, boxes, filters and events of `state`, and returns its own. The
    /// state may be that of a broad phase of another type.
    fn replace_state(&mut self, state: BroadPhaseState) -> BroadPhaseState;

    /// Adds a box. Error: a box that is NaN, infinite or inverted.
    fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<ProxyId, BroadPhaseError> {
        let mut ids = Vec::with_capacity(1);
        self.insert_batch(&[(aabb, filter)], &mut ids)?;
        ids.pop().ok_or(BroadPhaseError::Full)
    }

    /// Removes a box. Error: a stale handle.
    fn remove(&mut self, id: ProxyId) -> Result<(), BroadPhaseError> {
        self.remove_batch(&[id])
    }

    /// Sets or clears the pair filter of the caller.
    fn set_pair_filter(&mut self, filter: Option<PairFilter>) {
        *self.filter_and_log().0 = filter;
    }

    /// Returns the whole state and is empty afterwards. The broad phase that takes it over
    /// continues with the same handles, pairs and events.
    fn take_state(&mut self) -> BroadPhaseState {
        self.replace_state(BroadPhaseState::default())
    }

    /// Continues with the state of another broad phase, of this or another type. Its own state is
    /// lost.
    fn take_over(&mut self, state: BroadPhaseState) {
        self.replace_state(state);
    }

    /// Does the update that the next [`BroadPhase::pairs`] would do first, so that spatial queries
    /// are fast. Without it they are correct, but may scan changed boxes one by one.
    fn refresh(&mut self) {}

    /// Makes `begun` and `ended` the changes since the last call of this method, both sorted. A
    /// pair is in both if one of its indices now belongs to another body.
    fn events(&mut self, begun: &mut Vec<Pair>, ended: &mut Vec<Pair>) {
        let mut current = self.filter_and_log().1.take_storage();
        self.pairs(&mut current);
        begun.clear();
        ended.clear();
        self.filter_and_log().1.report(current, begun, ended);
    }

    /// Returns the box of a proxy. Error: a stale handle.
    fn aabb(&self, id: ProxyId) -> Result<Aabb, BroadPhaseError> {
        self.proxies().check_id(0, id).map(|index| self.proxies().boxes()[index])
    }

    /// Returns the handle that is live at this index.
    fn id_at(&self, index: u32) -> Option<ProxyId> {
        self.proxies().id_at(index)
    }

    /// Returns the number of proxies.
    fn len(&self) -> usize {
        self.proxies().n_live()
    }

    /// Whether there is no proxy.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `visit` with the level of each group of boxes, 0 at the top, and its volume: for
    /// drawing. Volumes lie within those one level above. A structure without volumes visits
    /// nothing.
    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        let _ = visit;
    }

    /// Checks every invariant of the structure; the message names the first that is broken. The
    /// default checks the handles, boxes and filters. Slow; for tests.
    fn validate(&self) -> Result<(), String> {
        self.proxies().validate()
    }
}
