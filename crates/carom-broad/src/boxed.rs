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
    fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<ProxyId, BroadPhaseError> {
        (**self).insert(aabb, filter)
    }

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

    fn remove(&mut self, id: ProxyId) -> Result<(), BroadPhaseError> {
        (**self).remove(id)
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        (**self).update(moves)
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        (**self).set_filter(id, filter)
    }

    fn set_pair_filter(&mut self, filter: Option<PairFilter>) {
        (**self).set_pair_filter(filter);
    }

    fn take_state(&mut self) -> BroadPhaseState {
        (**self).take_state()
    }

    fn take_over(&mut self, contents: BroadPhaseState) {
        (**self).take_over(contents);
    }

    fn refresh(&mut self) {
        (**self).refresh();
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        (**self).pairs(out);
    }

    fn event_log(&mut self) -> (&mut EventLog, &mut Vec<Pair>) {
        (**self).event_log()
    }

    fn events(&mut self, begun: &mut Vec<Pair>, ended: &mut Vec<Pair>) {
        (**self).events(begun, ended);
    }

    fn proxies(&self) -> &ProxyTable {
        (**self).proxies()
    }

    fn counters(&self) -> Counters {
        (**self).counters()
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
