//! Loads on the surface of a soft body: what stands on it, rolls over it or leans on it during a
//! step, and is no body of the solver. A character and a wheel are such things.
//!
//! - A force cannot do this. The vertices of a cloth weigh grams, so the weight of a character
//!   would give them a speed of hundreds of metres a second before the cloth gets tight.
//! - So a load is a point mass. In the next step it adds its mass and its momentum to the vertices
//!   under it. Inertia, weight and tension act within the solver.
//! - Each vertex keeps its velocity relative to the others. All get the difference between the
//!   velocity of the load and their mean. So a load that stays takes no energy away.
//! - It is divided by the barycentric weights of its point in a triangle. With a radius it goes to
//!   the surrounding vertices too, the more of it the more of them are near.
//! - After the step the vertices have their own masses again, and keep their velocity. Its mean is
//!   the new velocity of the load ([`SoftBodyRef::velocity_under`]). So the momentum is conserved,
//!   but for the change of the weights within the step.
//! - The damping between light vertices hardly brakes a heavy load. So the rate of the soft body
//!   also damps the velocity of a load relative to what holds the soft body, or to its middle.
//! - A load counts for one call of `step`, also for one that a budget defers or that ends with an
//!   error. A sleeping soft body stays asleep while its loads are given again as they were (test:
//!   `soft_bearing::r_a_sleeping_sheet_wakes_if_its_loads_change`).
//!
//! Degenerate: a pinned vertex takes its part of a load, and does not move.

use crate::soft::error::SoftError;
use crate::soft::load::SoftLoad;
use crate::soft::set::{SoftSet, Thing};
use crate::soft::soft_body::SoftPart;
use crate::soft::views::{SoftBodyMut, SoftBodyRef};
use crate::{BodyId, WorldError};
use alloc::vec::Vec;
use carom_geom::barycentric;
use carom_math::Vec3;

/// The distance that a load may move without waking what it rests on, in radii of the vertices.
const SAME_POINT_RADII: f32 = 0.05;

/// The change of the force and the momentum of a load that wakes nothing, in parts of its weight
/// and force, and of its mass times the sleep speed.
const SAME_FORCE_PART: f32 = 0.01;

/// The differences of two loads that count as equal.
#[derive(Clone, Copy)]
pub(crate) struct LoadTolerance {
    /// The gravity of the world.
    pub(crate) gravity: f32,
    /// Length per time.
    pub(crate) sleep_speed: f32,
}

impl LoadTolerance {
    /// Whether two loads are equal, on vertices of this radius.
    fn are_same(&self, a: &SoftLoad, b: &SoftLoad, radius: f32) -> bool {
        let key = |load: &SoftLoad| (load.body, load.triangle, load.mass, load.radius);
        let force = SAME_FORCE_PART * (a.mass * self.gravity + a.force.length());
        key(a) == key(b)
            && a.point.distance(b.point) <= SAME_POINT_RADII * radius
            && a.velocity.distance(b.velocity) <= self.sleep_speed
            && a.force.distance(b.force) <= force
    }

    /// Whether a soft body gets the same loads as in the last step, in any order. Loads of one body
    /// on one triangle have the same order.
    fn has_same(&self, part: &SoftPart, radius: f32) -> bool {
        let sorted = |loads: &[SoftLoad]| {
            let mut loads = loads.to_vec();
            loads.sort_by_key(|load| (load.body, load.triangle));
            loads
        };
        let [old, new] = [sorted(&part.last_loads), sorted(&part.loads)];
        let are_same = |(old, new)| self.are_same(old, new, radius);
        old.len() == new.len() && old.iter().zip(&new).all(are_same)
    }
}

impl SoftPart {
    /// Returns the vertices that bear a load, with the parts of it; none without such a triangle.
    pub(crate) fn bearers(
        &self,
        positions: &[Vec3],
        triangle: u32,
        point: Vec3,
        radius: f32,
    ) -> Vec<(u32, f32)> {
        let Some(mesh) = self.mesh.as_deref() else { return Vec::new() };
        let Some(&vertices) = mesh.mesh().indices().get(triangle as usize) else { return Vec::new() };
        let corners = mesh.mesh().corners(triangle);
        // A triangle without area, or a point beside it: the weights are limited to the triangle.
        let inside = barycentric(&corners, point.as_dvec3()).map_or([1.0; 3], |w| w.map(|w| w.max(0.0)));
        let sum: f64 = inside.iter().sum();
        let mut bearers: Vec<(u32, f32)> =
            vertices.into_iter().zip(inside.map(|w| (w / sum) as f32)).collect();
        let nearness = |at: &Vec3| (1.0 - at.distance(point) / radius).max(0.0);
        let around = || (0..).zip(positions).map(|(vertex, at)| (vertex, nearness(at)));
        let all: f32 = if 0.0 < radius { around().map(|(_, w)| w).sum() } else { 0.0 };
        if 0.0 < all {
            bearers.iter_mut().for_each(|(_, w)| *w /= 1.0 + all);
            bearers.extend(around().filter(|(_, w)| 0.0 < *w).map(|(v, w)| (v, w / (1.0 + all))));
        }
        bearers
    }
}

impl SoftPart {
    /// Checks that there is the triangle of a load.
    pub(crate) fn check_triangle(&self, load: &SoftLoad) -> Result<(), SoftError> {
        let triangle = load.triangle;
        let n_triangles = self.mesh.as_deref().map_or(0, |mesh| mesh.mesh().indices().len());
        if (triangle as usize) < n_triangles { Ok(()) } else { Err(SoftError::NoSuchTriangle { triangle }) }
    }

    /// Returns the mean velocity of the vertices that are pinned or attached, and whether there are
    /// any. Otherwise it is that of the whole.
    fn frame_velocity(&self, velocity_of: &dyn Fn(u32) -> Vec3) -> (Vec3, bool) {
        let pins = self.pins.iter().map(|(vertex, _)| *vertex);
        let fastened: Vec<u32> = pins.chain(self.held.iter().map(|held| held.vertex)).collect();
        if fastened.is_empty() {
            let masses = (0..).zip(&self.masses);
            let momentum: Vec3 = masses.map(|(vertex, mass)| velocity_of(vertex) * *mass).sum();
            return (momentum / self.mass(), false);
        }
        let sum: Vec3 = fastened.iter().map(|vertex| velocity_of(*vertex)).sum();
        (sum / fastened.len() as f32, true)
    }
}

impl SoftBodyRef<'_> {
    /// Returns the velocity of its surface at a point of a triangle: that of a [`SoftLoad`] there.
    /// With a radius it is the mean over the vertices that bear the load. Zero without such a
    /// triangle.
    pub fn velocity_under(&self, triangle: u32, point: Vec3, radius: f32) -> Vec3 {
        let bearers = self.part().bearers(self.positions(), triangle, point, radius);
        bearers.iter().map(|&(vertex, part)| self.velocities()[vertex as usize] * part).sum()
    }
}

impl SoftBodyMut<'_> {
    /// Puts a load on its surface for the next step. Loads add up. A load of a disabled body is
    /// ignored.
    ///
    /// The step wakes all soft things if the loads are others than in the last one.
    ///
    /// Errors: a stale handle of the body, no such triangle, a number that is not finite, or a
    /// negative mass or radius. Nothing changes then.
    pub fn load(&mut self, load: SoftLoad) -> Result<&mut Self, WorldError> {
        load.check()?;
        let is_ignored = !self.is_enabled(load.body)?;
        if let Some(part) = self.part() {
            part.check_triangle(&load)?;
            part.loads.extend(Some(load).filter(|_| !is_ignored));
        }
        Ok(self)
    }
}

impl SoftSet {
    /// At the start of a step, wakes the set if its loads are others than in the last one.
    /// Otherwise they have no effect while it sleeps.
    pub(crate) fn compare_loads(&mut self, tolerance: LoadTolerance) {
        let has_same =
            |thing: &Thing| thing.soft_part().is_none_or(|part| tolerance.has_same(part, thing.radius));
        if !self.things().all(has_same) {
            self.wake();
        } else if self.resting.is_sleeping {
            self.drop_loads();
        }
    }

    /// Drops the loads for the next step.
    pub(crate) fn drop_loads(&mut self) {
        for part in self.things_mut().filter_map(|thing| thing.soft_part_mut()) {
            part.loads.clear();
        }
    }

    /// Drops the loads of a body that was removed or disabled. Returns whether there were any.
    pub(crate) fn drop_loads_of(&mut self, body: BodyId) -> bool {
        let mut has_dropped = false;
        for part in self.things_mut().filter_map(|thing| thing.soft_part_mut()) {
            for loads in [&mut part.loads, &mut part.last_loads] {
                has_dropped |= loads.iter().any(|load| load.body == body);
                loads.retain(|load| load.body != body);
            }
        }
        has_dropped
    }

    /// Wakes a sleeping set within a step, with the loads with which it fell asleep.
    pub(crate) fn wake_loaded(&mut self) {
        self.wake();
        for part in self.things_mut().filter_map(|thing| thing.soft_part_mut()) {
            part.loads.clone_from(&part.last_loads);
        }
    }

    /// Adds the loads of this step to the vertices under them. Returns the vertices that have
    /// another mass now, for [`SoftSet::unload`].
    pub(crate) fn lay_loads(&mut self, dt: f32) -> Vec<(u32, f32)> {
        let SoftSet { solver, slots, .. } = self;
        let mut loaded = Vec::new();
        for thing in slots.iter().filter_map(|slot| slot.thing.as_ref()) {
            let first = thing.ids.first().map_or(0, |range| range.start);
            if let Some(part) = thing.soft_part().filter(|part| !part.loads.is_empty()) {
                let mut borne: Vec<(u32, f32, Vec3)> = Vec::new();
                let velocity_of = |v: u32| solver.velocity(first + v).unwrap_or(Vec3::ZERO);
                let (frame, is_fastened) = part.frame_velocity(&velocity_of);
                let lost = part.damping() * dt / (1.0 + part.damping() * dt);
                let mut returned = Vec3::ZERO;
                for load in &part.loads {
                    let bearers = part.bearers(&thing.positions, load.triangle, load.point, load.radius);
                    let mean: Vec3 = bearers.iter().map(|&(v, w)| velocity_of(v) * w).sum();
                    let damped = (mean - frame) * (load.mass * lost);
                    returned += damped;
                    let impulse = (load.velocity - mean) * load.mass - damped + load.force * dt;
                    borne.extend(bearers.iter().map(|&(v, w)| (v, load.mass * w, impulse * w)));
                }
                if returned != Vec3::ZERO && !is_fastened {
                    let change = returned / part.mass();
                    borne.extend((0..).zip(&part.masses).map(|(v, mass)| (v, 0.0, change * *mass)));
                }
                // A stable sort: sums do not depend on how it works.
                borne.sort_by_key(|(vertex, ..)| *vertex);
                for same in borne.chunk_by(|a, b| a.0 == b.0) {
                    let id = first + same[0].0;
                    let own = part.inverse_mass(same[0].0);
                    let (Some(at), Some(velocity)) = (solver.position(id), solver.velocity(id)) else {
                        continue;
                    };
                    let impulse: Vec3 = same.iter().map(|(_, _, impulse)| *impulse).sum();
                    let all = 1.0 / own + same.iter().map(|(_, mass, _)| *mass).sum::<f32>();
                    let changed = velocity + impulse / all;
                    // Pinned, or beyond f32.
                    if own == 0.0 || !changed.is_finite() || 1.0 / all == 0.0 {
                        continue;
                    }
                    loaded.push((id, own));
                    let set = solver.set_inverse_mass(id, 1.0 / all);
                    let set = set.and_then(|()| solver.set_particle(id, at, changed));
                    debug_assert!(set.is_ok(), "it was checked: {set:?}");
                }
            }
        }
        loaded
    }

    /// Gives the vertices their own masses again.
    pub(crate) fn unload(&mut self, loaded: &[(u32, f32)]) {
        for &(id, own) in loaded {
            let set = self.solver.set_inverse_mass(id, own);
            debug_assert!(set.is_ok(), "it had this mass: {set:?}");
        }
    }
}
