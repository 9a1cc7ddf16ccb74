//! Two finders side by side: one for the static boxes, the other for the boxes that may move.
//!
//! The static finder is updated only after a static box is added, removed or moved, so ground at
//! rest costs nothing. The other finds the pairs of moving boxes. Each moving box queries the
//! index of the static ones; static boxes make no queries.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 (Frye: a loose octree for
//! moving bodies, an axis-aligned BSP tree for static ones) and eq. 25.1 (the n m pairs of moving
//! and static bodies).

use crate::proxy::ProxyTable;
use crate::{BoxHit, Filter, FinderIndex, Mobility, PairBuffer, PairFinder, ProxyChanges, ProxyId, scan_box};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, Culling};
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

/// `S` holds the static boxes, `D` the others. It pays if few boxes move among many static ones.
///
/// `FromFinder<StaticDynamic<S, D>>` is the broad phase. If `S` has no index, static boxes are
/// tested one by one. A test against a static box is counted only if it is a hit.
///
/// Memory: 4 bytes per slot, beside that of both finders.
#[derive(Clone, Debug, Default)]
pub struct StaticDynamic<S, D> {
    statics: S,
    dynamics: D,
    static_slots: Vec<u32>,
    dynamic_slots: Vec<u32>,
    static_moves: Vec<(ProxyId, Aabb)>,
    dynamic_moves: Vec<(ProxyId, Aabb)>,
    n_static_refreshes: u64,
}

impl<S: PairFinder, D: PairFinder> StaticDynamic<S, D> {
    /// Combines these two finders, both without boxes.
    pub fn new(statics: S, dynamics: D) -> StaticDynamic<S, D> {
        StaticDynamic {
            statics,
            dynamics,
            static_slots: Vec::new(),
            dynamic_slots: Vec::new(),
            static_moves: Vec::new(),
            dynamic_moves: Vec::new(),
            n_static_refreshes: 0,
        }
    }

    /// Returns the finder of the static boxes.
    pub fn statics(&self) -> &S {
        &self.statics
    }

    /// Returns the finder of the boxes that may move.
    pub fn dynamics(&self) -> &D {
        &self.dynamics
    }

    /// Returns how often the static finder was updated since it was created.
    pub fn n_static_refreshes(&self) -> u64 {
        self.n_static_refreshes
    }
}

fn is_static(filter: &Filter) -> bool {
    filter.mobility == Mobility::Fixed
}

/// Returns the changes that concern the static finder.
fn of_statics(changes: ProxyChanges) -> ProxyChanges {
    if changes.statics { ProxyChanges::ALL } else { ProxyChanges::default() }
}

impl<S: PairFinder, D: PairFinder> PairFinder for StaticDynamic<S, D> {
    const MAY_REPEAT: bool = D::MAY_REPEAT;
    const SKIPS_STATICS: bool = true;
    const MAX_SLOTS: usize = if S::MAX_SLOTS < D::MAX_SLOTS { S::MAX_SLOTS } else { D::MAX_SLOTS };

    fn on_insert(&mut self, slot: u32, aabb: &Aabb, filter: &Filter) {
        if is_static(filter) {
            self.statics.on_insert(slot, aabb, filter);
        } else {
            self.dynamics.on_insert(slot, aabb, filter);
        }
    }

    fn take_moves(&mut self, proxies: &mut ProxyTable, moves: &[(ProxyId, Aabb)]) {
        let StaticDynamic { statics, dynamics, static_moves, dynamic_moves, .. } = self;
        static_moves.clear();
        dynamic_moves.clear();
        for entry in moves {
            let filter = &proxies.filters()[entry.0.index() as usize];
            (if is_static(filter) { &mut *static_moves } else { &mut *dynamic_moves }).push(*entry);
        }
        statics.take_moves(proxies, static_moves);
        dynamics.take_moves(proxies, dynamic_moves);
    }

    fn on_filter_change(&mut self, slot: u32, aabb: &Aabb, old: &Filter, new: &Filter) {
        match (is_static(old), is_static(new)) {
            (true, true) => self.statics.on_filter_change(slot, aabb, old, new),
            (false, false) => self.dynamics.on_filter_change(slot, aabb, old, new),
            (true, false) => {
                self.statics.on_remove(slot, aabb, old);
                self.dynamics.on_insert(slot, aabb, new);
            }
            (false, true) => {
                self.dynamics.on_remove(slot, aabb, old);
                self.statics.on_insert(slot, aabb, new);
            }
        }
    }

    fn on_remove(&mut self, slot: u32, aabb: &Aabb, filter: &Filter) {
        if is_static(filter) {
            self.statics.on_remove(slot, aabb, filter);
        } else {
            self.dynamics.on_remove(slot, aabb, filter);
        }
    }

    fn refresh(&mut self, proxies: &ProxyTable, slots: &[u32], changes: ProxyChanges) -> u64 {
        let StaticDynamic { statics, dynamics, static_slots, dynamic_slots, .. } = self;
        if changes.members {
            static_slots.clear();
            dynamic_slots.clear();
            for &slot in slots {
                let list = if is_static(&proxies.filters()[slot as usize]) {
                    &mut *static_slots
                } else {
                    &mut *dynamic_slots
                };
                list.push(slot);
            }
        }
        let mut n_rebuilds = dynamics.refresh(proxies, dynamic_slots, changes);
        if changes.statics {
            n_rebuilds += statics.refresh(proxies, static_slots, ProxyChanges::ALL);
            self.n_static_refreshes += 1;
        }
        n_rebuilds
    }

    fn find(&mut self, proxies: &ProxyTable, _: &[u32], found: &mut PairBuffer) {
        let StaticDynamic { statics, dynamics, static_slots, dynamic_slots, .. } = self;
        dynamics.find(proxies, dynamic_slots, found);
        if static_slots.is_empty() {
            return;
        }
        let (boxes, index) = (proxies.boxes(), statics.index(ProxyChanges::default()));
        for &slot in dynamic_slots.iter() {
            let aabb = &boxes[slot as usize];
            let mut meet = |other| {
                found.tests += 1;
                found.push(slot, other);
                ControlFlow::Continue(())
            };
            if let Some(index) = index {
                index.visit_box(proxies, aabb, &mut meet);
            } else {
                let _ = scan_box(static_slots.iter().copied(), boxes, aabb, &mut meet);
            }
        }
    }

    fn index(&self, changes: ProxyChanges) -> Option<&dyn FinderIndex> {
        self.statics.index(of_statics(changes))?;
        self.dynamics.index(changes)?;
        Some(self)
    }

    /// Visits the volumes of the moving boxes.
    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        self.dynamics.visit_volumes(visit);
    }

    fn bytes(&self) -> usize {
        let StaticDynamic { static_slots, dynamic_slots, static_moves, dynamic_moves, .. } = self;
        self.statics.bytes()
            + self.dynamics.bytes()
            + 4 * (static_slots.capacity() + dynamic_slots.capacity())
            + size_of::<(ProxyId, Aabb)>() * (static_moves.capacity() + dynamic_moves.capacity())
    }

    fn validate(&self, proxies: &ProxyTable, slots: &[u32], changes: ProxyChanges) -> Result<(), String> {
        let is_static = |slot: &u32| is_static(&proxies.filters()[*slot as usize]);
        let (fixed, moving): (Vec<u32>, Vec<u32>) = slots.iter().partition(|slot| is_static(slot));
        self.statics.validate(proxies, &fixed, of_statics(changes))?;
        self.dynamics.validate(proxies, &moving, changes)?;
        if !changes.members && (fixed != self.static_slots || moving != self.dynamic_slots) {
            return Err(format!("{} static and {} other boxes are not listed", fixed.len(), moving.len()));
        }
        Ok(())
    }
}

/// Queries of both indices in turn. Both exist, because [`PairFinder::index`] has checked it.
impl<S: PairFinder, D: PairFinder> StaticDynamic<S, D> {
    fn indices(&self) -> impl Iterator<Item = &dyn FinderIndex> {
        let unchanged = ProxyChanges::default();
        self.dynamics.index(unchanged).into_iter().chain(self.statics.index(unchanged))
    }

    /// Calls `query` with each index, until a visit of the first breaks.
    fn query_all(
        &self,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
        mut query: impl FnMut(&dyn FinderIndex, &mut dyn FnMut(u32) -> ControlFlow<()>),
    ) {
        for index in self.indices() {
            let mut flow = ControlFlow::Continue(());
            query(index, &mut |slot| {
                flow = visit(slot);
                flow
            });
            if flow.is_break() {
                return;
            }
        }
    }

    /// Like [`StaticDynamic::query_all`], for hits: `query` gets the end of the remaining range,
    /// which is `end` at first.
    fn query_near(
        &self,
        mut end: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
        mut query: impl FnMut(&dyn FinderIndex, f32, &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>),
    ) {
        for index in self.indices() {
            let mut is_over = false;
            let mut new_end = end;
            query(index, end, &mut |hit| {
                let flow = visit(hit);
                match flow {
                    ControlFlow::Continue(end) => new_end = end,
                    ControlFlow::Break(()) => is_over = true,
                }
                flow
            });
            if is_over {
                return;
            }
            end = new_end;
        }
    }
}

impl<S: PairFinder, D: PairFinder> FinderIndex for StaticDynamic<S, D> {
    fn visit_box(&self, proxies: &ProxyTable, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        self.query_all(visit, |index, visit| index.visit_box(proxies, query, visit));
    }

    fn visit_culled(
        &self,
        proxies: &ProxyTable,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        self.query_all(visit, |index, visit| index.visit_culled(proxies, classify, visit));
    }

    fn visit_ray(
        &self,
        proxies: &ProxyTable,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        self.query_near(interval.max, visit, |index, end, visit| {
            index.visit_ray(proxies, ray, Interval::new(interval.min, end), visit);
        });
    }

    fn visit_near(
        &self,
        proxies: &ProxyTable,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        self.query_near(max_distance, visit, |index, end, visit| {
            index.visit_near(proxies, point, end, visit);
        });
    }
}
