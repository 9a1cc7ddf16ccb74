//! Implements `BroadPhase` with an index, a list and loose boxes.
//!
//! Each frame takes in the moves, rebuilds a useless list, and replaces one that wears out step by
//! step. Then it tests the candidates that are due, and each loose box queries the index.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3.

use super::ingest::Ingest;
use crate::{
    BroadPhase, BroadPhaseError, Coherent, Contents, Counters, EventLog, FatIndex, Filter, Mobility, Pair,
    PairFilter, ProxyId, ProxyTable,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};

impl<I: FatIndex> BroadPhase for Coherent<I> {
    fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<ProxyId, BroadPhaseError> {
        let id = self.proxies.insert(aabb, filter)?;
        self.admit(id, &filter);
        Ok(id)
    }

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
            if self.all_loose {
                self.fat[slot as usize] = Aabb::EMPTY;
                continue;
            }
            let place = self.place[slot as usize] as usize;
            self.loose.swap_remove(place);
            if let Some(&moved) = self.loose.get(place) {
                self.place[moved as usize] = place as u32;
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
        let limit = self.loose_limit();
        let Coherent { proxies, fat, pace, work, .. } = self;
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
        let (largest, n_woken) = crate::coherent::ingest::ingest_in_halves(ingest);
        #[cfg(not(feature = "parallel"))]
        let (largest, n_woken) = carom_lanes::dispatch(ingest);
        self.stirred.add(moves, self.proxies.n_live());
        let few = if self.stirred.are_many { &[] } else { moves };
        let n_loose_moves = few.iter().filter(|(id, _)| !self.is_resident(id.index())).count();
        self.policy.note_moves(n_woken, few.len(), n_loose_moves);
        if self.has_statics && !(self.have_statics_changed && self.next.have_statics_changed) {
            let filters = self.proxies.filters();
            if moves.iter().any(|(id, _)| filters[id.index() as usize].mobility == Mobility::Fixed) {
                self.note_statics();
            }
        }
        if self.all_loose {
            return Ok(());
        }
        self.candidates.add_move(largest);
        let escaped = core::mem::take(&mut self.work.escaped);
        if limit < escaped.len() {
            self.loosen_all();
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
        // Filters of loose boxes are read in each frame.
        self.expel(id.index());
        self.is_changed = true;
        Ok(())
    }

    fn set_pair_filter(&mut self, filter: Option<PairFilter>) {
        self.pair_filter = filter;
    }

    fn hand_over(&mut self) -> Contents {
        let settings = self.settings;
        let Coherent { proxies, pair_filter, log, .. } =
            core::mem::replace(self, Coherent::with_settings(settings));
        Contents::new(proxies, pair_filter, log)
    }

    fn take_over(&mut self, contents: Contents) {
        self.hand_over();
        (self.proxies, self.pair_filter, self.log) = (contents.proxies, contents.pair_filter, contents.log);
        let n_slots = self.proxies.n_slots();
        self.fat.resize(n_slots, Aabb::EMPTY);
        self.place.resize(n_slots, 0);
        self.pace.resize(n_slots, 0.0);
        for slot in 0..n_slots {
            if self.proxies.is_live(slot) {
                let filter = self.proxies.filters()[slot];
                self.note_filter(&filter);
            }
        }
        self.is_changed = true;
        self.loosen_all();
    }

    fn refresh(&mut self) {
        if (self.all_loose || self.loose_limit() < self.loose.len()) && !self.adopt() {
            self.rebuild();
        }
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.refresh();
        let rebuilds = self.counters.rebuilds;
        self.counters = Counters::default();
        self.counters.rebuilds = rebuilds;
        if self.is_changed {
            self.policy.note_frame(self.loose.len(), !self.stirred.are_many);
            self.is_changed = false;
            self.renew();
        }
        if self.needs_list {
            self.find_list();
        }
        let is_few = !self.stirred.are_many;
        if is_few && self.policy.asks_by_slot() {
            self.candidates.index_slots(self.proxies.n_slots());
        }
        if !self.leavers.is_empty() {
            self.candidates.bury(&self.leavers);
            self.leavers.clear();
        }
        let moved = is_few.then_some(&self.stirred.slots[..]);
        self.counters.tests += self.candidates.recheck(self.proxies.boxes(), moved);
        self.stirred.clear();
        self.candidates.emit(out);
        self.policy.note_waste(self.candidates.len() - out.len());
        if !self.loose.is_empty() {
            self.find_loose();
            super::loose::merge(out, &self.work.loose_pairs);
        }
        if let Some(keep) = &self.pair_filter {
            out.retain(|&pair| keep(pair));
        }
        self.counters.sorted = core::mem::take(&mut self.sorted);
        self.counters.candidates = self.candidates.len() as u64;
        self.counters.pairs = out.len() as u64;
    }

    fn event_log(&mut self) -> (&mut EventLog, &mut Vec<Pair>) {
        (&mut self.log, &mut self.work.pairs)
    }

    fn proxies(&self) -> &ProxyTable {
        &self.proxies
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        if !self.all_loose {
            self.index.visit_volumes(visit);
        }
    }

    fn validate(&self) -> Result<(), String> {
        self.proxies.validate()?;
        let n_slots = self.proxies.n_slots();
        if [self.fat.len(), self.place.len(), self.pace.len()] != [n_slots; 3] {
            return Err(format!("tables of different length; {n_slots} slots"));
        }
        self.next.validate(&self.proxies)?;
        if self.all_loose {
            return Ok(());
        }
        self.index.validate(self.residents())?;
        let mut n_loose = 0;
        for slot in 0..n_slots as u32 {
            let is_there = if self.is_resident(slot) {
                self.proxies.is_live(slot as usize)
                    && self.fat[slot as usize].contains(&self.proxies.boxes()[slot as usize])
            } else if self.proxies.is_live(slot as usize) {
                n_loose += 1;
                self.loose.get(self.place[slot as usize] as usize) == Some(&slot)
            } else {
                true
            };
            if !is_there {
                return Err(format!("slot {slot} is neither in its fat box nor loose"));
            }
        }
        if n_loose != self.loose.len() {
            return Err(format!("{} in the loose list, {n_loose} loose", self.loose.len()));
        }
        let is_current = !(self.is_changed || self.needs_list || !self.leavers.is_empty());
        self.candidates.validate(self.proxies.boxes(), is_current)
    }
}
