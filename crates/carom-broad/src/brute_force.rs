//! Every box against every box: the executable specification, and the fastest for a few dozen boxes.
//!
//! The live boxes are gathered once per search, coordinate by coordinate, and each is tested against all after it.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1: nm + n(n - 1)/2 tests.
//! Differs: static pairs are tested too and then dropped, like all pairs that their filters do not want.

use crate::proxy::{ProxyId, ProxyTable};
use crate::spatial::{scan_box, scan_near, scan_ray};
use crate::{
    BoxHit, BroadPhase, BroadPhaseError, Counters, EventLog, Filter, Pair, PairFilter, SpatialIndex,
};
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

/// All boxes in one list.
///
/// Memory: that of the [`ProxyTable`], 40 bytes per slot, and 28 while searching; nothing per pair but the output.
#[derive(Default)]
pub struct BruteForce {
    proxies: ProxyTable,
    pair_filter: Option<PairFilter>,
    log: EventLog,
    workspace: Vec<Pair>,
    live: Vec<u32>,
    sides: [Vec<f32>; 6],
    counters: Counters,
}

impl BruteForce {
    /// No boxes.
    pub fn new() -> BruteForce {
        BruteForce::default()
    }
}

impl BroadPhase for BruteForce {
    fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<ProxyId, BroadPhaseError> {
        self.proxies.insert(aabb, filter)
    }

    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError> {
        self.proxies.insert_batch(boxes, ids)
    }

    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        self.proxies.remove_batch(ids)?;
        ids.iter().for_each(|id| self.log.note_removed(id.index()));
        Ok(())
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        self.proxies.update(moves)
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        self.proxies.set_filter(id, filter)
    }

    fn set_pair_filter(&mut self, filter: Option<PairFilter>) {
        self.pair_filter = filter;
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        out.clear();
        let BruteForce { proxies, live, sides, .. } = self;
        live.clear();
        live.extend(proxies.live());
        for (side, values) in sides.iter_mut().enumerate() {
            values.clear();
            values.extend(live.iter().map(|&i| {
                let aabb = &proxies.boxes()[i as usize];
                if side < 3 { aabb.min[side] } else { aabb.max[side - 3] }
            }));
        }
        let n = live.len();
        let [min_x, min_y, min_z, max_x, max_y, max_z] = &*sides;
        for i in 0..n {
            let aabb = proxies.boxes()[live[i] as usize];
            let filter = proxies.filters()[live[i] as usize];
            for j in i + 1..n {
                let touches = (min_x[j] <= aabb.max.x)
                    & (aabb.min.x <= max_x[j])
                    & (min_y[j] <= aabb.max.y)
                    & (aabb.min.y <= max_y[j])
                    & (min_z[j] <= aabb.max.z)
                    & (aabb.min.z <= max_z[j]);
                if touches && filter.meets(&proxies.filters()[live[j] as usize]) {
                    out.push(Pair { a: live[i], b: live[j] });
                }
            }
        }
        if let Some(keep) = &self.pair_filter {
            out.retain(|&pair| keep(pair));
        }
        let tests = (n as u64 * (n as u64).saturating_sub(1)) / 2;
        self.counters = Counters { tests, nodes: 1, pairs: out.len() as u64, ..Counters::default() };
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
        self.proxies.validate()
    }
}

impl SpatialIndex for BruteForce {
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
