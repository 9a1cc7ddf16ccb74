//! A broad phase that switches to another algorithm if the present motion suits that one better.
//!
//! Reference: J. Rice, The Algorithm Selection Problem, Advances in Computers, 1976 (features of
//! the problem choose the algorithm).
//! Differs: the choice is made while it runs, and the whole state moves; see `policy.rs`.

use crate::features::Motion;
use crate::policy::{Algorithm, AutoSettings, Choice, Policy};
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, Culling};
use carom_broad::{
    BoxHit, BroadPhase, BroadPhaseError, BroadPhaseState, BruteForce, Counters, EventLog, Filter, Pair,
    PairFilter, ProxyId, ProxyTable, SpatialIndex,
};
use carom_broad_grid::{CoherentGrid, UniformGrid};
use carom_broad_tree::DynamicBvh;
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

/// Brute force, a tree or one of two grids, whichever suits the present motion; [`Auto::choice`]
/// gives the algorithm and the reason.
///
/// Memory: that of the active algorithm.
pub struct Auto {
    brute: BruteForce,
    tree: DynamicBvh,
    coherent_grid: CoherentGrid,
    grid: UniformGrid,
    /// The algorithm that holds the state.
    active: Algorithm,
    policy: Policy,
    motion: Motion,
    n_switches: u64,
}

impl Default for Auto {
    fn default() -> Auto {
        Auto::new()
    }
}

impl Auto {
    /// Returns a broad phase without boxes.
    pub fn new() -> Auto {
        Auto::with_settings(AutoSettings::default())
    }

    /// Returns a broad phase without boxes, with these settings.
    pub fn with_settings(settings: AutoSettings) -> Auto {
        Auto {
            brute: BruteForce::new(),
            tree: DynamicBvh::new(),
            coherent_grid: CoherentGrid::new(),
            grid: UniformGrid::new(),
            active: Algorithm::BruteForce,
            policy: Policy::new(settings),
            motion: Motion::default(),
            n_switches: 0,
        }
    }

    /// Returns the active algorithm and the reason; its `Display` is one sentence.
    pub fn choice(&self) -> Choice {
        self.policy.choice
    }

    /// Returns the number of switches since it was created.
    pub fn n_switches(&self) -> u64 {
        self.n_switches
    }

    fn active(&self) -> &dyn BroadPhase {
        match self.active {
            Algorithm::BruteForce => &self.brute,
            Algorithm::Tree => &self.tree,
            Algorithm::CoherentGrid => &self.coherent_grid,
            Algorithm::Grid => &self.grid,
        }
    }

    fn active_mut(&mut self) -> &mut dyn BroadPhase {
        match self.active {
            Algorithm::BruteForce => &mut self.brute,
            Algorithm::Tree => &mut self.tree,
            Algorithm::CoherentGrid => &mut self.coherent_grid,
            Algorithm::Grid => &mut self.grid,
        }
    }

    fn index(&self) -> &dyn SpatialIndex {
        match self.active {
            Algorithm::BruteForce => &self.brute,
            Algorithm::Tree => &self.tree,
            Algorithm::CoherentGrid => &self.coherent_grid,
            Algorithm::Grid => &self.grid,
        }
    }

    /// Switches if another algorithm is better.
    fn reconsider(&mut self) {
        let features = self.motion.take(self.len());
        let next = self.policy.decide(features);
        if next != self.active {
            let contents = self.active_mut().take_state();
            self.active = next;
            self.active_mut().take_over(contents);
            self.n_switches += 1;
        }
    }
}

impl BroadPhase for Auto {
    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError> {
        self.active_mut().insert_batch(boxes, ids)
    }

    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        self.active_mut().remove_batch(ids)
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        let mut motion = self.motion;
        motion.note(self.proxies(), moves);
        self.active_mut().update(moves)?;
        self.motion = motion;
        Ok(())
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        self.active_mut().set_filter(id, filter)
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.reconsider();
        self.active_mut().pairs(out);
    }

    fn counters(&self) -> Counters {
        self.active().counters()
    }

    fn proxies(&self) -> &ProxyTable {
        self.active().proxies()
    }

    fn filter_and_log(&mut self) -> (&mut Option<PairFilter>, &mut EventLog) {
        self.active_mut().filter_and_log()
    }

    fn replace_state(&mut self, state: BroadPhaseState) -> BroadPhaseState {
        self.active_mut().replace_state(state)
    }

    fn refresh(&mut self) {
        self.active_mut().refresh();
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        self.active().visit_volumes(visit);
    }

    fn validate(&self) -> Result<(), String> {
        self.active().validate()
    }
}

impl SpatialIndex for Auto {
    fn visit_box(&self, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        self.index().visit_box(query, visit);
    }

    fn visit_culled(
        &self,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        self.index().visit_culled(classify, visit);
    }

    fn visit_ray(
        &self,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        self.index().visit_ray(ray, interval, visit);
    }

    fn visit_near(
        &self,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        self.index().visit_near(point, max_distance, visit);
    }
}
