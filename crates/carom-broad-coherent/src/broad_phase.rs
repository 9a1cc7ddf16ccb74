//! Implements `BroadPhase` with an index, a list and outliers.
//!
//! Each frame applies the moves. It rebuilds a useless list, and replaces a list that wears out,
//! step by step. Then it tests the candidates that are due, and each outlier queries the index.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3.

use crate::ingest::Ingest;
use crate::{FatIndex, VerletList};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{
    BroadPhase, BroadPhaseError, BroadPhaseState, Counters, EventLog, Filter, Mobility, Pair, PairFilter,
    ProxyId, ProxyTable,
};

impl<I: FatIndex> BroadPhase for VerletList<I> {
    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError> {
        let first = ids.len();
        self.proxies.insert_batch(boxes, ids)?;
        for (id, (_, filter)) in ids[first..].iter().zip(boxes) {
            self.admit(*id, filter);
        }
        Ok(())
    }

    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        self.proxies.remove_batch(ids)?;
        for id in ids {
            let slot = id.index();
            self.log.note_removed(slot);
            if self.proxies.filters()[slot as usize].mobility == Mobility::Fixed {
                self.note_statics();
            }
            self.pace[slot as usize] = 0.0;
            self.is_changed = true;
            self.expel(slot);
            if self.are_all_outliers {
                self.fat[slot as usize] = Aabb::EMPTY;
                continue;
            }
            let index = self.indices[slot as usize] as usize;
            self.outliers.swap_remove(index);
            if let Some(&moved) = self.outliers.get(index) {
                self.indices[moved as usize] = index as u32;
            }
        }
        Ok(())
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        self.proxies.check_moves(moves)?;
        if moves.is_empty() {
            return Ok(());
        }
        self.is_changed = true;
        let limit = self.max_outliers();
        let VerletList { proxies, fat, pace, work, .. } = self;
        let ingest = Ingest {
            moves,
            first: 0,
            boxes: proxies.boxes_mut(),
            fat,
            pace,
            limit,
            escaped: &mut work.escaped,
        };
        #[cfg(feature = "parallel")]
        let (largest, n_woken) = crate::ingest::ingest_in_halves(ingest);
        #[cfg(not(feature = "parallel"))]
        let (largest, n_woken) = carom_lanes::dispatch(ingest);
        self.moved.add(moves, self.proxies.n_live());
        let few = if self.moved.are_many { &[] } else { moves };
        let n_outlier_moves = few.iter().filter(|(id, _)| !self.is_resident(id.index())).count();
        self.policy.note_moves(n_woken, few.len(), n_outlier_moves);
        if self.has_statics && !(self.have_statics_changed && self.next.have_statics_changed) {
            let filters = self.proxies.filters();
            if moves.iter().any(|(id, _)| filters[id.index() as usize].mobility == Mobility::Fixed) {
                self.note_statics();
            }
        }
        if self.are_all_outliers {
            return Ok(());
        }
        self.candidates.add_move(largest);
        let escaped = core::mem::take(&mut self.work.escaped);
        if limit < escaped.len() {
            self.drop_index();
        } else {
            escaped.iter().for_each(|&slot| self.evict(slot));
        }
        self.work.escaped = escaped;
        Ok(())
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        let slot = self.proxies.check_id(0, id)?;
        let old = self.proxies.filters()[slot];
        self.note_filter(&old);
        self.proxies.set_filter(id, filter)?;
        self.note_filter(&filter);
        // Filters of outliers are read in each frame.
        self.expel(id.index());
        self.is_changed = true;
        Ok(())
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.refresh();
        let rebuilds = self.counters.rebuilds;
        self.counters = Counters::default();
        self.counters.rebuilds = rebuilds;
        if self.is_changed {
            self.policy.note_frame(self.outliers.len(), !self.moved.are_many);
            self.is_changed = false;
            self.renew();
        }
        if self.needs_list {
            self.find_list();
        }
        let is_few = !self.moved.are_many;
        if is_few && self.policy.queries_by_slot() {
            self.candidates.index_slots(self.proxies.n_slots());
        }
        if !self.removed.is_empty() {
            self.candidates.remove_pairs_of(&self.removed);
            self.removed.clear();
        }
        let moved = is_few.then_some(&self.moved.slots[..]);
        self.counters.tests += self.candidates.recheck(self.proxies.boxes(), moved);
        self.moved.clear();
        self.candidates.emit(out);
        self.policy.note_waste(self.candidates.len() - out.len());
        if !self.outliers.is_empty() {
            self.find_outlier_pairs();
            crate::outliers::merge(out, &self.work.outlier_pairs);
        }
        if let Some(keep) = &self.pair_filter {
            out.retain(|&pair| keep(pair));
        }
        self.counters.sorted = core::mem::take(&mut self.sorted);
        self.counters.candidates = self.candidates.len() as u64;
        self.counters.pairs = out.len() as u64;
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn proxies(&self) -> &ProxyTable {
        &self.proxies
    }

    fn filter_and_log(&mut self) -> (&mut Option<PairFilter>, &mut EventLog) {
        (&mut self.pair_filter, &mut self.log)
    }

    fn replace_state(&mut self, state: BroadPhaseState) -> BroadPhaseState {
        let mut new = VerletList::with_settings(self.settings);
        (new.proxies, new.pair_filter, new.log) = (state.proxies, state.pair_filter, state.log);
        let n_slots = new.proxies.n_slots();
        new.fat.resize(n_slots, Aabb::EMPTY);
        new.indices.resize(n_slots, 0);
        new.pace.resize(n_slots, 0.0);
        for slot in 0..n_slots {
            if new.proxies.is_live(slot) {
                let filter = new.proxies.filters()[slot];
                new.note_filter(&filter);
            }
        }
        if 0 < n_slots {
            new.is_changed = true;
            new.drop_index();
        }
        let VerletList { proxies, pair_filter, log, .. } = core::mem::replace(self, new);
        BroadPhaseState::new(proxies, pair_filter, log)
    }

    fn refresh(&mut self) {
        if (self.are_all_outliers || self.max_outliers() < self.outliers.len()) && !self.adopt() {
            self.rebuild();
        }
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        if !self.are_all_outliers {
            self.index.visit_volumes(visit);
        }
    }

    fn validate(&self) -> Result<(), String> {
        self.proxies.validate()?;
        let n_slots = self.proxies.n_slots();
        if [self.fat.len(), self.indices.len(), self.pace.len()] != [n_slots; 3] {
            return Err(format!("tables of different length; {n_slots} slots"));
        }
        self.next.validate(&self.proxies)?;
        if self.are_all_outliers {
            return Ok(());
        }
        self.index.validate(self.residents())?;
        let mut n_outliers = 0;
        for slot in 0..n_slots as u32 {
            let is_there = if self.is_resident(slot) {
                self.proxies.is_live(slot as usize)
                    && self.fat[slot as usize].contains(&self.proxies.boxes()[slot as usize])
            } else if self.proxies.is_live(slot as usize) {
                n_outliers += 1;
                self.outliers.get(self.indices[slot as usize] as usize) == Some(&slot)
            } else {
                true
            };
            if !is_there {
                return Err(format!("slot {slot} is neither in its fat box nor an outlier"));
            }
        }
        if n_outliers != self.outliers.len() {
            return Err(format!("{} in the list of outliers, {n_outliers} outside", self.outliers.len()));
        }
        let is_current = !(self.is_changed || self.needs_list || !self.removed.is_empty());
        self.candidates.validate(self.proxies.boxes(), is_current)
    }
}
