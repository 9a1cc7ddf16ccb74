//! The user's regions, each with a sweep and prune of its own: ends pass only those of the same region.
//!
//! Reference: P. Terdiman, Sweep-and-prune, 2007 (multi-SAP).
//! Differs: what sticks out of all regions has a sweep and prune too, so nothing is lost; see `regions.rs`.

use crate::regions::{Regions, Touched};
use crate::sap::{MAX_BOXES, Sap};
use crate::sweep_and_prune::SapSettings;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{
    BoxHit, BroadPhase, BroadPhaseError, Counters, EventLog, Filter, Found, Pair, PairFilter, ProxyId,
    ProxyTable, SpatialIndex, scan_box, scan_near, scan_ray, sort_pairs,
};
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Regions, and three sorted axes in each.
///
/// Memory: 64 bytes per slot and 112 for each region that a box touches, 17 to 26 per pair in each region that has it.
pub struct MultiSap {
    regions: Regions,
    settings: SapSettings,
    proxies: ProxyTable,
    /// One per region, and one for what sticks out.
    parts: Vec<Part>,
    /// By slot: the regions and the numbers there, in the order of the regions.
    memberships: Vec<Vec<(u32, u32)>>,
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    work: (Touched, Vec<u32>, Vec<(u32, u32)>),
    is_filtered: bool,
    pair_filter: Option<PairFilter>,
    log: EventLog,
    workspace: Vec<Pair>,
    found: Found,
    counts: Vec<u32>,
    counters: Counters,
}

/// A region's own sweep and prune, whose boxes have numbers of their own.
#[derive(Default)]
struct Part {
    sap: Sap,
    slots: Vec<u32>,
    free: Vec<u32>,
    going: Vec<u32>,
    coming: Vec<(u32, Aabb)>,
}

impl Part {
    fn take_number(&mut self, slot: u32) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.slots[number as usize] = slot;
                number
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as u32 - 1
            }
        }
    }

    fn flush(&mut self, max_trades: u32) {
        self.sap.remove(&self.going);
        self.sap.settle(max_trades);
        self.sap.insert(&self.coming);
        self.free.append(&mut self.going);
        self.coming.clear();
    }
}

impl MultiSap {
    /// No boxes, and these regions.
    pub fn new(regions: Regions) -> MultiSap {
        MultiSap::with_settings(regions, SapSettings::default())
    }

    /// No boxes, these regions, and these settings.
    pub fn with_settings(regions: Regions, settings: SapSettings) -> MultiSap {
        let part = || Part { sap: Sap::without_axis(settings.skipped_axis.unwrap_or(3)), ..Part::default() };
        MultiSap {
            parts: (0..=regions.len()).map(|_| part()).collect(),
            regions,
            settings,
            proxies: ProxyTable::new(),
            memberships: Vec::new(),
            changed: Vec::new(),
            is_changed: Vec::new(),
            work: Default::default(),
            is_filtered: false,
            pair_filter: None,
            log: EventLog::new(),
            workspace: Vec::new(),
            found: Found::new(),
            counts: Vec::new(),
            counters: Counters::default(),
        }
    }

    fn note_change(&mut self, id: ProxyId) {
        let slot = id.index() as usize;
        if self.is_changed.len() <= slot {
            self.is_changed.resize(slot + 1, false);
            self.memberships.resize_with(slot + 1, Vec::new);
        }
        if !core::mem::replace(&mut self.is_changed[slot], true) {
            self.changed.push(id.index());
        }
    }

    fn note_filter(&mut self, filter: &Filter) {
        self.is_filtered |= *filter != Filter::default();
    }

    fn check_room(&self, more: usize) -> Result<(), BroadPhaseError> {
        if MAX_BOXES < self.proxies.n_slots() + more { Err(BroadPhaseError::Full) } else { Ok(()) }
    }

    /// Takes in what has come, gone and moved.
    fn flush(&mut self) {
        let MultiSap { regions, proxies, parts, memberships, changed, is_changed, work, .. } = self;
        let (touched, now, members) = work;
        for slot in changed.drain(..) {
            is_changed[slot as usize] = false;
            let aabb = proxies.boxes()[slot as usize];
            now.clear();
            if proxies.is_live(slot as usize) {
                regions.touched(&aabb, touched, |region| now.push(region));
            }
            // Both lists are in the order of the regions.
            members.clear();
            let before = &mut memberships[slot as usize];
            let mut old = before.iter().copied().peekable();
            for &region in now.iter() {
                while let Some((gone, number)) = old.next_if(|&(other, _)| other < region) {
                    parts[gone as usize].going.push(number);
                }
                let part = &mut parts[region as usize];
                if let Some((_, number)) = old.next_if(|&(other, _)| other == region) {
                    part.sap.set(number, aabb);
                    members.push((region, number));
                } else {
                    let number = part.take_number(slot);
                    part.coming.push((number, aabb));
                    members.push((region, number));
                }
            }
            for (gone, number) in old {
                parts[gone as usize].going.push(number);
            }
            before.clear();
            before.extend_from_slice(members);
        }
        let max_trades = self.settings.max_trades;
        #[cfg(feature = "parallel")]
        parts.par_iter_mut().for_each(|part| part.flush(max_trades));
        #[cfg(not(feature = "parallel"))]
        parts.iter_mut().for_each(|part| part.flush(max_trades));
    }
}

impl BroadPhase for MultiSap {
    fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<ProxyId, BroadPhaseError> {
        self.check_room(1)?;
        let id = self.proxies.insert(aabb, filter)?;
        self.note_change(id);
        self.note_filter(&filter);
        Ok(id)
    }

    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError> {
        self.check_room(boxes.len())?;
        let first = ids.len();
        self.proxies.insert_batch(boxes, ids)?;
        ids[first..].iter().for_each(|&id| self.note_change(id));
        boxes.iter().for_each(|(_, filter)| self.note_filter(filter));
        Ok(())
    }

    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        self.proxies.remove_batch(ids)?;
        for &id in ids {
            self.log.note_removed(id.index());
            self.note_change(id);
        }
        Ok(())
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        self.proxies.update(moves)?;
        moves.iter().for_each(|&(id, _)| self.note_change(id));
        Ok(())
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        self.proxies.set_filter(id, filter)?;
        self.note_filter(&filter);
        Ok(())
    }

    fn set_pair_filter(&mut self, filter: Option<PairFilter>) {
        self.pair_filter = filter;
    }

    fn refresh(&mut self) {
        self.flush();
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        let cost = |parts: &[Part]| {
            parts.iter().map(|part| part.sap.counts).fold([0; 3], |[tests, nodes, rebuilds], counts| {
                [tests + counts.tests, nodes + counts.ends + counts.trades, rebuilds + counts.rebuilds]
            })
        };
        let before = cost(&self.parts);
        self.flush();
        let MultiSap { parts, found, counts, proxies, .. } = self;
        found.clear();
        let mut n_candidates = 0;
        for Part { sap, slots, .. } in parts.iter() {
            n_candidates += sap.n_pairs() as u64;
            for (a, b) in sap.true_pairs() {
                found.push(slots[a as usize], slots[b as usize]);
            }
        }
        sort_pairs(found.low(), found.high(), proxies.n_slots(), counts, out);
        out.dedup();
        if self.is_filtered {
            let filters = proxies.filters();
            out.retain(|pair| filters[pair.a as usize].meets(&filters[pair.b as usize]));
        }
        if let Some(keep) = &self.pair_filter {
            out.retain(|&pair| keep(pair));
        }
        let now = cost(&self.parts);
        self.counters.tests = now[0] - before[0];
        self.counters.nodes = now[1] - before[1];
        self.counters.rebuilds = now[2];
        self.counters.pairs = out.len() as u64;
        self.counters.candidates = n_candidates;
    }

    fn event_log(&mut self) -> (&mut EventLog, &mut Vec<Pair>) {
        (&mut self.log, &mut self.workspace)
    }

    fn proxies(&self) -> &ProxyTable {
        &self.proxies
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn validate(&self) -> Result<(), String> {
        self.proxies.validate()?;
        if !self.changed.is_empty() {
            return Ok(());
        }
        for (region, part) in self.parts.iter().enumerate() {
            part.sap.validate().map_err(|error| format!("region {region}: {error}"))?;
        }
        for (slot, members) in self.memberships.iter().enumerate() {
            for &(region, number) in members {
                let part = &self.parts[region as usize];
                if !part.sap.has(number) || part.slots[number as usize] as usize != slot {
                    return Err(format!("slot {slot} is not box {number} of region {region}"));
                }
            }
        }
        Ok(())
    }
}

impl SpatialIndex for MultiSap {
    fn visit_box(&self, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        let _ = scan_box(self.proxies.live(), self.proxies.boxes(), query, visit);
    }

    fn visit_ray(
        &self,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        let _ = scan_ray(self.proxies.live(), self.proxies.boxes(), ray, interval, visit);
    }

    fn visit_near(
        &self,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        let _ = scan_near(self.proxies.live(), self.proxies.boxes(), point, max_distance, visit);
    }
}
