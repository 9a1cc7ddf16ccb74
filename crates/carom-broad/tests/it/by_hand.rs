//! A broad phase that is written by hand, without a finder: the nine required methods are enough.

use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{
    BroadPhase, BroadPhaseError, BroadPhaseState, Counters, EventLog, Filter, Pair, PairFilter, ProxyId,
    ProxyTable,
};
use carom_testkit::conform;

/// Keeps nothing beside its state, and tests each box against each.
#[derive(Default)]
struct ByHand {
    state: BroadPhaseState,
    counters: Counters,
}

impl BroadPhase for ByHand {
    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError> {
        self.state.proxies.insert_batch(boxes, ids)
    }

    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        let BroadPhaseState { proxies, log, .. } = &mut self.state;
        proxies.remove_each(ids, |slot, _, _| log.note_removed(slot))
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        self.state.proxies.update(moves)
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        self.state.proxies.set_filter(id, filter)
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        let BroadPhaseState { proxies, pair_filter, .. } = &self.state;
        let (boxes, filters) = (proxies.boxes(), proxies.filters());
        out.clear();
        for a in proxies.live() {
            for b in proxies.live().filter(|&b| a < b) {
                let (i, j, pair) = (a as usize, b as usize, Pair::new(a, b));
                let is_wanted = filters[i].meets(&filters[j]) && boxes[i].overlaps(&boxes[j]);
                if is_wanted && pair_filter.as_ref().is_none_or(|keep| keep(pair)) {
                    out.push(pair);
                }
            }
        }
        self.counters.pairs = out.len() as u64;
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn proxies(&self) -> &ProxyTable {
        &self.state.proxies
    }

    fn filter_and_log(&mut self) -> (&mut Option<PairFilter>, &mut EventLog) {
        (&mut self.state.pair_filter, &mut self.state.log)
    }

    fn replace_state(&mut self, state: BroadPhaseState) -> BroadPhaseState {
        std::mem::replace(&mut self.state, state)
    }
}

#[test]
fn nine_methods_conform() {
    conform::broad_phase::check(ByHand::default);
}

/// As a trait object it has the same answers.
#[test]
fn nine_methods_conform_in_a_box() {
    conform::broad_phase::check(|| -> Box<dyn BroadPhase> { Box::<ByHand>::default() });
}
