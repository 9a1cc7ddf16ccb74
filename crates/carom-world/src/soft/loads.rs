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
//! - A load counts for one step, like a force. A sleeping soft body stays asleep while its loads
//!   are given again as they were.
//!
//! Degenerate: a pinned vertex takes its part of a load, and does not move.

use crate::soft::error::{SoftError, check_finite};
use crate::soft::set::SoftSet;
use crate::soft::soft_body::SoftPart;
use crate::soft::views::{SoftBodyMut, SoftBodyRef};
use crate::{BodyId, WorldError};
use alloc::vec::Vec;
use carom_geom::barycentric;
use carom_math::Vec3;

/// The distance that a load may move without waking what it rests on, in radii of the vertices.
const SAME_POINT_RADII: f32 = 0.05;

/// A point mass on a triangle of a soft body during the next step: [`SoftBodyMut::load`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SoftLoad {
    /// The body to which it belongs. Events report that it touches the soft body.
    pub body: BodyId,
    /// The triangle of [`SoftBodyRef::mesh`] on which it rests.
    pub triangle: u32,
    /// The point of the triangle, in the world. The nearest one counts.
    pub point: Vec3,
    /// The radius within which vertices bear it too, not negative. 0.
    pub radius: f32,
    /// The mass, not negative. The gravity of the world acts on it.
    pub mass: f32,
    /// The velocity before the step. Zero.
    pub velocity: Vec3,
    /// A further force during the step. Zero.
    pub force: Vec3,
}

impl SoftLoad {
    /// Returns a mass at rest at a point of a triangle.
    pub fn new(body: BodyId, triangle: u32, point: Vec3, mass: f32) -> SoftLoad {
        SoftLoad { body, triangle, point, radius: 0.0, mass, velocity: Vec3::ZERO, force: Vec3::ZERO }
    }

    /// The same load with a radius within which vertices bear it.
    #[must_use]
    pub fn with_radius(self, radius: f32) -> SoftLoad {
        SoftLoad { radius, ..self }
    }

    /// The same load with this velocity before the step.
    #[must_use]
    pub fn with_velocity(self, velocity: Vec3) -> SoftLoad {
        SoftLoad { velocity, ..self }
    }

    /// The same load with a further force.
    #[must_use]
    pub fn with_force(self, force: Vec3) -> SoftLoad {
        SoftLoad { force, ..self }
    }

    /// Checks the numbers.
    pub(crate) fn check(&self) -> Result<(), SoftError> {
        let is_amount = |x: f32| 0.0 <= x && x < f32::INFINITY;
        let numbers = [(self.mass, "mass of a load"), (self.radius, "radius of a load")];
        if let Some(&(value, what)) = numbers.iter().find(|(x, _)| !is_amount(*x)) {
            return Err(SoftError::BadValue { what, value });
        }
        check_finite(self.point, "point of a load")?;
        check_finite(self.velocity, "velocity of a load")?;
        check_finite(self.force, "force of a load")
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
    /// Puts a load on its surface for the next step. Loads add up.
    ///
    /// Errors: a number that is not finite, or a negative mass or radius. Nothing changes then.
    pub fn load(&mut self, load: SoftLoad) -> Result<&mut Self, WorldError> {
        load.check()?;
        let near = SAME_POINT_RADII * self.radius();
        let Some(part) = self.part() else { return Ok(self) };
        part.loads.push(load);
        let is_known = part.last_loads.iter().any(|last| {
            let is_same = (last.body, last.triangle, last.mass) == (load.body, load.triangle, load.mass);
            is_same && last.point.distance_squared(load.point) <= near * near
        });
        if !is_known {
            self.wake();
        }
        Ok(self)
    }
}

impl SoftSet {
    /// At the start of a step, wakes a sleeping set if a load was taken away. Otherwise the loads
    /// have no effect while it sleeps.
    pub(crate) fn compare_loads(&mut self) {
        let mut is_missing = false;
        for part in self.things_mut().filter_map(|thing| thing.soft_part_mut()) {
            let has = |last: &SoftLoad| part.loads.iter().any(|load| load.body == last.body);
            is_missing |= !part.last_loads.iter().all(has);
        }
        if is_missing {
            self.wake();
        } else {
            for part in self.things_mut().filter_map(|thing| thing.soft_part_mut()) {
                part.loads.clear();
            }
        }
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
        for thing in slots.iter_mut().filter_map(|slot| slot.thing.as_mut()) {
            let first = thing.ids.first().map_or(0, |range| range.start);
            let positions = core::mem::take(&mut thing.positions);
            if let Some(part) = thing.soft_part_mut() {
                part.last_loads = core::mem::take(&mut part.loads);
                if part.last_loads.is_empty() {
                    thing.positions = positions;
                    continue;
                }
                let mut borne: Vec<(u32, f32, Vec3)> = Vec::new();
                let velocity_of = |v: u32| solver.velocity(first + v).unwrap_or(Vec3::ZERO);
                let (frame, is_fastened) = part.frame_velocity(&velocity_of);
                let lost = part.damping() * dt / (1.0 + part.damping() * dt);
                let mut returned = Vec3::ZERO;
                for load in &part.last_loads {
                    let bearers = part.bearers(&positions, load.triangle, load.point, load.radius);
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
            thing.positions = positions;
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
