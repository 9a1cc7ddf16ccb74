//! Incremental sweep and prune as a broad phase.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.1; see `sap.rs` for how it works.

use crate::sap::{MAX_BOXES, Sap};
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

/// How a [`SweepAndPrune`] goes about it. The pairs do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SapSettings {
    /// An axis, 0 to 2, on which nothing is sorted, because the boxes crowd on it, as bodies on a floor do on the axis that
    /// points up; boxes that overlap on the other two are tested on it when pairs are asked for.
    pub skipped_axis: Option<usize>,
    /// After so many trades per box in one frame everything is sorted anew.
    pub max_trades: u32,
}

impl Default for SapSettings {
    /// All axes. A trade costs some 5 ns, and sorting anew some 300 per box.
    fn default() -> SapSettings {
        SapSettings { skipped_axis: None, max_trades: 64 }
    }
}

impl SapSettings {
    /// Without this axis, 0 to 2; another number skips none.
    pub const fn with_skipped_axis(mut self, axis: usize) -> SapSettings {
        self.skipped_axis = if axis < 3 { Some(axis) } else { None };
        self
    }

    /// With so many trades before everything is sorted anew.
    pub const fn with_max_trades(mut self, max_trades: u32) -> SapSettings {
        self.max_trades = max_trades;
        self
    }
}

/// Sorted ends on three axes, kept from frame to frame.
///
/// Costs what changes: O(n + s) for s trades of ends, which is little where motion is slow and grows with the number of boxes
/// that pass each other on any axis, wherever they are on the others: about n^(5/3) where everything moves at random. One box that
/// crosses a crowd is expensive, and so is everything that jumps: that frame sorts anew. For few boxes that move slowly, and for few
/// movers among many.
///
/// Memory: 136 bytes per slot, 17 to 26 per pair.
pub struct SweepAndPrune {
    settings: SapSettings,
    proxies: ProxyTable,
    sap: Sap,
    coming: Vec<u32>,
    going: Vec<u32>,
    is_filtered: bool,
    pair_filter: Option<PairFilter>,
    log: EventLog,
    workspace: Vec<Pair>,
    found: Found,
    counts: Vec<u32>,
    counters: Counters,
}

impl Default for SweepAndPrune {
    fn default() -> SweepAndPrune {
        SweepAndPrune::new()
    }
}

impl SweepAndPrune {
    /// No boxes.
    pub fn new() -> SweepAndPrune {
        SweepAndPrune::with_settings(SapSettings::default())
    }

    /// No boxes, and these settings.
    pub fn with_settings(settings: SapSettings) -> SweepAndPrune {
        SweepAndPrune {
            settings,
            proxies: ProxyTable::new(),
            sap: Sap::without_axis(settings.skipped_axis.unwrap_or(3)),
            coming: Vec::new(),
            going: Vec::new(),
            is_filtered: false,
            pair_filter: None,
            log: EventLog::new(),
            workspace: Vec::new(),
            found: Found::new(),
            counts: Vec::new(),
            counters: Counters::default(),
        }
    }

    /// How many ends have traded places since it exists.
    pub fn n_trades(&self) -> u64 {
        self.sap.counts.trades
    }

    /// How many ends have been looked at since it exists, trades not counted: the n of O(n + s), six to a box.
    pub fn n_ends(&self) -> u64 {
        self.sap.counts.ends
    }

    /// Takes in what has come, gone and moved.
    fn flush(&mut self) {
        let SweepAndPrune { sap, proxies, coming, going, settings, .. } = self;
        sap.remove(going);
        going.clear();
        sap.settle(settings.max_trades);
        // Some may have gone again, or have come twice, after they had gone.
        coming.sort_unstable();
        coming.dedup();
        coming.retain(|&slot| proxies.is_live(slot as usize));
        let new: Vec<(u32, Aabb)> =
            coming.iter().map(|&slot| (slot, proxies.boxes()[slot as usize])).collect();
        sap.insert(&new);
        coming.clear();
    }

    fn check_room(&self, more: usize) -> Result<(), BroadPhaseError> {
        if MAX_BOXES < self.proxies.n_slots() + more { Err(BroadPhaseError::Full) } else { Ok(()) }
    }

    fn note_filter(&mut self, filter: &Filter) {
        self.is_filtered |= *filter != Filter::default();
    }
}

impl BroadPhase for SweepAndPrune {
    fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<ProxyId, BroadPhaseError> {
        self.check_room(1)?;
        let id = self.proxies.insert(aabb, filter)?;
        self.coming.push(id.index());
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
        self.coming.extend(ids[first..].iter().map(|id| id.index()));
        boxes.iter().for_each(|(_, filter)| self.note_filter(filter));
        Ok(())
    }

    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        self.proxies.remove_batch(ids)?;
        for id in ids {
            self.log.note_removed(id.index());
            // What has not come yet need not go. A slot that was there, went, came back and goes again goes once.
            if self.sap.has(id.index()) {
                self.going.push(id.index());
            }
        }
        self.going.sort_unstable();
        self.going.dedup();
        Ok(())
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        self.proxies.update(moves)?;
        for &(id, aabb) in moves {
            // A slot that waits to go, or to come, has its box read when it comes.
            if self.sap.has(id.index()) {
                self.sap.set(id.index(), aabb);
            }
        }
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
        let before = self.sap.counts;
        self.flush();
        let SweepAndPrune { sap, found, counts, proxies, .. } = self;
        found.clear();
        for (a, b) in sap.true_pairs() {
            found.push(a, b);
        }
        sort_pairs(found.low(), found.high(), proxies.n_slots(), counts, out);
        if self.is_filtered {
            let filters = proxies.filters();
            out.retain(|pair| filters[pair.a as usize].meets(&filters[pair.b as usize]));
        }
        if let Some(keep) = &self.pair_filter {
            out.retain(|&pair| keep(pair));
        }
        let now = self.sap.counts;
        self.counters.tests = now.tests - before.tests;
        self.counters.nodes = now.ends - before.ends + now.trades - before.trades;
        self.counters.pairs = out.len() as u64;
        self.counters.candidates = self.sap.n_pairs() as u64;
        self.counters.rebuilds = now.rebuilds;
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
        let waits = !(self.coming.is_empty() && self.going.is_empty());
        if !waits && self.sap.len() != self.proxies.n_live() {
            return Err(format!("{} boxes are sorted, {} are live", self.sap.len(), self.proxies.n_live()));
        }
        if waits || self.sap.is_unsettled() { Ok(()) } else { self.sap.validate() }
    }
}

impl SpatialIndex for SweepAndPrune {
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
