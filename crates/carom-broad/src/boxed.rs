//! A broad phase chosen at run time: `Box<dyn BroadPhase>` implements
//! [`BroadPhase`](crate::BroadPhase).

use crate::{
    BoxHit, BroadPhase, BroadPhaseError, BroadPhaseState, Counters, EventLog, Filter, Pair, PairFilter,
    ProxyId, ProxyTable, SpatialIndex,
};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, Culling, Frustum};
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

impl<B: BroadPhase + ?Sized> BroadPhase for Box<B> {
    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError> {
        (**self).insert_batch(boxes, ids)
    }

    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        (**self).remove_batch(ids)
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        (**self).update(moves)
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        (**self).set_filter(id, filter)
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        (**self).pairs(out);
    }

    fn counters(&self) -> Counters {
        (**self).counters()
    }

    fn proxies(&self) -> &ProxyTable {
        (**self).proxies()
    }

    fn filter_and_log(&mut self) -> (&mut Option<PairFilter>, &mut EventLog) {
        (**self).filter_and_log()
    }

    fn replace_state(&mut self, state: BroadPhaseState) -> BroadPhaseState {
        (**self).replace_state(state)
    }

    fn refresh(&mut self) {
        (**self).refresh();
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        (**self).visit_volumes(visit);
    }

    fn validate(&self) -> Result<(), String> {
        (**self).validate()
    }
}

impl<B: SpatialIndex + ?Sized> SpatialIndex for Box<B> {
    fn visit_box(&self, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        (**self).visit_box(query, visit);
    }

    fn visit_ray(
        &self,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        (**self).visit_ray(ray, interval, visit);
    }

    fn visit_near(
        &self,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        (**self).visit_near(point, max_distance, visit);
    }

    fn visit_culled(
        &self,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        (**self).visit_culled(classify, visit);
    }

    fn visit_frustum(&self, frustum: &Frustum, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        (**self).visit_frustum(frustum, visit);
    }
}
