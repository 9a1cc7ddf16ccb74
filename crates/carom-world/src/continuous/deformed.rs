//! Bodies near deforming meshes: keeps the middle of a body on its side of the mesh.
//!
//! - In the frame of the body of the mesh, all paths are straight lines. A middle moves from its
//!   start to the result of the solver, and each vertex from its old to its new position.
//! - For each triangle near the path, the first time of contact with the middle is computed.
//! - From then on the body moves with the triangle. At the end its core touches the triangle, on
//!   its side.
//! - The test is repeated a few times, for a body whose core touches several triangles.
//!
//! Reference: X. Provot, Collision and Self-Collision Handling in Cloth Model, 1997 (moving vertex
//! and triangle).

use crate::bodies::solids::Part;
use crate::continuous::ContinuousStep;
use crate::continuous::core_ball::{Core, find_cores};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
use carom_ccd::{Element, ElementSettings};
use carom_math::glam::DVec3;
use carom_math::{Pose, Vec3};
use carom_query::{MeshShape, Shape};
use carom_response::BodyKind;
use core::ops::ControlFlow;

/// A body is moved to the surface at most this many times.
const MAX_PASSES: u32 = 4;

/// The side is determined shortly before the contact, at this fraction of its time.
const BEFORE: f64 = 0.99;

/// A mesh at the start and at the end of a step, with the poses of its body.
struct Moving<'a> {
    meshes: [&'a MeshShape; 2],
    poses: [Pose; 2],
    /// The largest displacement of a vertex.
    farthest: f64,
}

impl Moving<'_> {
    /// Returns the corrected end of a core that moves from `start` to `end` in the world; `None` if
    /// it meets nothing.
    fn carried(&self, core: &Core, start: DVec3, end: DVec3) -> Option<DVec3> {
        let [from, to] = [(0, start), (1, end)].map(|(k, p)| self.poses[k].wide().inverse_transform_point(p));
        let tree = self.meshes[1].tree();
        let scale = self.meshes[1].scale();
        let reach = DVec3::splat(self.farthest);
        let near = Aabb::around((from.min(to) - reach) * scale, (from.max(to) + reach) * scale);
        let mut first: Option<(f64, u32)> = None;
        tree.visit_box(&near, |leaf| {
            for &triangle in leaf.primitives {
                let [old, new] = self.meshes.map(|mesh| mesh.mesh().corners(triangle));
                let starts = [from, old[0], old[1], old[2]];
                let ends = [to, new[0], new[1], new[2]];
                let Ok(element) = Element::vertex_face(starts, ends) else { continue };
                let until = element.time_of_impact(&ElementSettings::default()).safe_until(1.0);
                // The result does not depend on the order of the leaves.
                let is_first = first.is_none_or(|known| (until, triangle) < known);
                if 0.0 < until && until < 1.0 && is_first {
                    first = Some((until, triangle));
                }
            }
            ControlFlow::Continue(())
        });
        let (time, triangle) = first?;
        let [old, new] = self.meshes.map(|mesh| mesh.mesh().corners(triangle));
        let corners_at = |time: f64| [0, 1, 2].map(|k: usize| old[k].lerp(new[k], time));
        let before = corners_at(BEFORE * time);
        let side = (from.lerp(to, BEFORE * time) - before[0]).dot(normal_of(before)).signum();
        let weights = weights_of(corners_at(time), from.lerp(to, time));
        let position = new[0] * weights[0] + new[1] * weights[1] + new[2] * weights[2];
        let out = normal_of(new).normalize_or_zero() * (side * f64::from(core.radius));
        let end = self.poses[1].wide().transform_point(position + out);
        end.is_finite().then_some(end)
    }
}

fn normal_of([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// Returns barycentric coordinates of the nearest place in the triangle, or near it. If the
/// triangle has no area, they are those of its middle.
fn weights_of([a, b, c]: [DVec3; 3], p: DVec3) -> [f64; 3] {
    let (u, v, w) = (b - a, c - a, p - a);
    let normal = u.cross(v);
    let area_sq = normal.length_squared();
    if !(0.0 < area_sq) {
        return [1.0 / 3.0; 3];
    }
    let second = (w.cross(v).dot(normal) / area_sq).clamp(0.0, 1.0);
    let third = (u.cross(w).dot(normal) / area_sq).clamp(0.0, 1.0 - second);
    [1.0 - second - third, second, third]
}

impl<B: BroadPhase> ContinuousStep<'_, B> {
    /// After the solver: for bodies whose middle a deforming mesh would pass, moves them along
    /// with the mesh.
    pub(crate) fn guard_deformed(&mut self) {
        if self.bodies.deforming.swapped.is_empty() {
            return;
        }
        let mut pairs = Vec::new();
        for &sheet in &self.bodies.deforming.swapped {
            let contacts = &mut self.contacts;
            let states = &contacts.states;
            contacts.pairs_by_body.visit(&contacts.pairs, sheet, |slot| {
                let state = &states[slot];
                let other = if state.a.index == sheet { state.b.index } else { state.a.index };
                let is_free = self.bodies.motions[other as usize].kind == BodyKind::Dynamic;
                if state.may_push() && is_free && self.bodies.active.moves(other) {
                    pairs.push((other, sheet));
                }
            });
        }
        pairs.sort_unstable();
        let swapped = &self.bodies.deforming.swapped;
        let farthest: Vec<f64> = swapped.iter().map(|&sheet| self.farthest_vertex(sheet)).collect();
        let mut guard = core::mem::take(&mut self.continuous.guard);
        for (body, sheet) in pairs {
            let index = body as usize;
            let (Some(start), Some(shape)) = (self.bodies.start_of(index), self.bodies.solid_shape(index))
            else {
                continue;
            };
            let center = self.bodies.motions[index].center_of_mass;
            guard.core_cache.find(index, shape, center, &mut guard.cores);
            let mut parts = self.part_pairs(index, sheet as usize).peekable();
            if parts.peek() != Some(&[Part::Whole; 2]) {
                // Some of its colliders do not meet the mesh.
                guard.cores.clear();
                for [own, _] in parts {
                    let Some(shape) = self.solids().shape(index, own) else { continue };
                    find_cores(shape, center, &mut guard.part_cores);
                    guard.cores.extend_from_slice(&guard.part_cores);
                }
            }
            self.stats.n_swept += 1;
            let place = self.bodies.deforming.swapped.binary_search(&sheet);
            let farthest = place.map_or(0.0, |slot| farthest[slot]);
            let shift = self.shift_off(&start, index, (sheet, farthest), &guard.cores);
            let shift = self.bodies.motions[index].locked_axes.free_translation(shift);
            if shift != Vec3::ZERO {
                self.stats.n_stopped += 1;
                self.bodies.motions[index].pose.translation += shift;
            }
        }
        self.continuous.guard = guard;
    }

    /// Returns the largest displacement of a vertex of a mesh in this step.
    fn farthest_vertex(&self, sheet: u32) -> f64 {
        let (Some(old), Some(Some(Shape::Mesh(new)))) =
            (self.bodies.deforming.before(sheet), self.bodies.shapes.get(sheet as usize))
        else {
            return 0.0;
        };
        let vertices = old.mesh().vertices().iter().zip(new.mesh().vertices());
        vertices.map(|(old, new)| old.as_dvec3().distance(new.as_dvec3())).fold(0.0, f64::max)
    }

    /// Returns the displacement of a body at the end of the step after which none of its cores has
    /// passed the mesh.
    fn shift_off(&self, start: &Pose, index: usize, (sheet, farthest): (u32, f64), cores: &[Core]) -> Vec3 {
        let deforming = &self.bodies.deforming;
        let Some(Some(Shape::Mesh(new))) = self.bodies.shapes.get(sheet as usize) else {
            return Vec3::ZERO;
        };
        let (Some(old), Some(from)) = (deforming.before(sheet), self.bodies.start_of(sheet as usize)) else {
            return Vec3::ZERO;
        };
        let poses = [from, self.bodies.motions[sheet as usize].pose];
        let moving = Moving { meshes: [old, new], poses, farthest };
        let end = self.bodies.motions[index].pose;
        let mut shift = DVec3::ZERO;
        for _ in 0..MAX_PASSES {
            let mut moved = false;
            for core in cores {
                let [a, b] = [start, &end].map(|pose| pose.transform_point(core.point).as_dvec3());
                if let Some(position) = moving.carried(core, a, b + shift) {
                    shift = position - b;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        let shift = shift.as_vec3();
        if (end.translation + shift).is_finite() { shift } else { Vec3::ZERO }
    }
}
