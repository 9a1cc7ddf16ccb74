//! Velocities of surfaces beyond those of their bodies: belts, and meshes that deform.
//!
//! A body has at most one belt: a rigid field of velocities in the body's frame. At each contact the part of the field
//! along the surface is what friction pulls the other body to. What it has along the normal is left out.
//! A mesh that deforms has the velocity of its vertices, interpolated in the triangle of the contact.
//!
//! Reference: Jolt Physics, `ContactSettings::mRelativeLinearSurfaceVelocity` and its angular counterpart.

use crate::bodies::body;
use crate::bodies::id::BodyId;
use crate::contacts::ContactSet;
use crate::contacts::belts::Belt;
use crate::contacts::record::NOT_SOLVED;
use crate::{World, WorldError};
use carom_broad::BroadPhase;
use carom_geom::Manifold;
use carom_math::{Pose, Vec3};
use carom_query::{MeshShape, Shape};
use carom_response::{Body, BodyKind, SurfaceVelocity};

/// A mesh that deforms in the step.
struct Sheet<'a> {
    /// At the start and at the end.
    meshes: [&'a MeshShape; 2],
    pose: Pose,
    /// One over the length of the step.
    rate: f32,
}

impl Sheet<'_> {
    /// The velocity of its surface at a manifold, in which the mesh is B or not.
    fn velocity(&self, contact: u32, manifold: &Manifold, is_b: bool) -> SurfaceVelocity {
        let mut surface = SurfaceVelocity::new(contact, middle_of(manifold));
        let sign = if is_b { 1.0 } else { -1.0 };
        let contacts = manifold.contacts();
        let share = sign / contacts.len().max(1) as f32;
        for (contact, part) in contacts.iter().zip(&mut surface.part) {
            let (triangle, point) =
                if is_b { (contact.part_b, contact.point_b) } else { (contact.part_a, contact.point_a) };
            let [velocity, spin] = self.motion_at(triangle, point);
            *part = sign * velocity.dot(manifold.normal());
            surface.slide += velocity * share;
            surface.spin += spin.dot(manifold.normal()) * share;
        }
        surface
    }

    /// The velocity of a point of a triangle, and half the curl of the velocity in the triangle: its angular velocity.
    fn motion_at(&self, triangle: u32, point: Vec3) -> [Vec3; 2] {
        let [old, new] = self.meshes.map(|mesh| mesh.mesh());
        let Some(&corners) = old.indices().get(triangle as usize) else { return [Vec3::ZERO; 2] };
        let at = corners.map(|vertex| old.vertices()[vertex as usize]);
        let ways = corners.map(|vertex| new.vertices()[vertex as usize] - old.vertices()[vertex as usize]);
        let (u, v) = (at[1] - at[0], at[2] - at[0]);
        let (way_u, way_v) = (ways[1] - ways[0], ways[2] - ways[0]);
        let normal = u.cross(v);
        let area_sq = normal.length_squared();
        let mut way = ways[0] + (way_u + way_v) * (1.0 / 3.0);
        let mut turn = Vec3::ZERO;
        if 0.0 < area_sq && area_sq < f32::INFINITY {
            let w = self.pose.inverse_transform_point(point) - at[0];
            let second = (w.cross(v).dot(normal) / area_sq).clamp(0.0, 1.0);
            let third = (u.cross(w).dot(normal) / area_sq).clamp(0.0, 1.0 - second);
            way = ways[0] + way_u * second + way_v * third;
            // The two vectors that give the coordinates of a place in the triangle.
            let (along_u, along_v) = (v.cross(normal) / area_sq, normal.cross(u) / area_sq);
            turn = (along_u.cross(way_u) + along_v.cross(way_v)) * 0.5;
        }
        [way, turn].map(|x| self.pose.transform_vector(x) * self.rate)
    }
}

/// The middle of the places where a manifold touches.
pub(crate) fn middle_of(manifold: &Manifold) -> Vec3 {
    let contacts = manifold.contacts();
    let sum: Vec3 = contacts.iter().map(|contact| (contact.point_a + contact.point_b) * 0.5).sum();
    sum / contacts.len().max(1) as f32
}

/// The velocity of a point of a body; what is fixed has none, whatever is stored.
pub(crate) fn velocity_at(body: &Body, point: Vec3) -> Vec3 {
    if body.kind == BodyKind::Fixed { Vec3::ZERO } else { body.velocity_at(point) }
}

impl<B: BroadPhase> World<B> {
    /// Sets the velocity of a body's surface against the body, in the body's frame, and wakes the body and what
    /// touches it.
    ///
    /// `velocity` is that at the body's origin, length per time; `spin` turns about the origin, radians per time. A
    /// belt has the first, a turntable the second, a curved belt both. At each contact the part along the surface
    /// counts: friction pulls the other body to it. The body itself stays; the normal direction is not affected. A
    /// dynamic body gets the opposite impulse, and so it drives like a tracked vehicle. Zero stops the surface.
    ///
    /// The surface gives and takes energy as a motor does. Its power is at most friction times speed.
    ///
    /// A body that rides along does not fall asleep. One that is held, by a wall, slips and may; this setter and
    /// the removal of the wall wake it.
    ///
    /// Errors: a stale handle, or a number that is not finite; nothing is changed.
    pub fn set_surface_velocity(&mut self, id: BodyId, velocity: Vec3, spin: Vec3) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        body::check_surface(velocity, spin)?;
        if self.contacts.belts.of(index as u32) == Some(&Belt { velocity, spin }) {
            return Ok(());
        }
        self.wake_around(id);
        self.contacts.belts.set(index as u32, velocity, spin);
        Ok(())
    }

    /// The velocity of a body's surface against the body at the body's origin, and its spin, both in the body's
    /// frame: [`World::set_surface_velocity`].
    ///
    /// Errors: a stale handle.
    pub fn surface_velocity(&self, id: BodyId) -> Result<[Vec3; 2], WorldError> {
        let index = self.bodies.index_of(id)?;
        let belt = self.contacts.belts.of(index as u32);
        Ok(belt.map_or([Vec3::ZERO; 2], |belt| [belt.velocity, belt.spin]))
    }

    /// Gives the solver the velocities of the surfaces at the contacts that it was handed.
    pub(crate) fn hand_over_surfaces(&mut self) {
        let out = self.solver.surface_velocities_mut();
        out.clear();
        let ContactSet { belts, meetings, pairs, records, manifolds, rest, .. } = &mut self.contacts;
        for &(body, _) in belts.of_bodies() {
            meetings.visit(pairs, body, |place| {
                let record = &records[place];
                let [a, b] = [record.a.index, record.b.index];
                // A pair of two belts comes with the first of them.
                if record.first_solved == NOT_SOLVED || (body == b && belts.of(a).is_some()) {
                    return;
                }
                let found = rest.manifolds_of(record).unwrap_or_else(|| &manifolds[record.range()]);
                for (number, manifold) in (record.first_solved..).zip(found) {
                    let point = middle_of(manifold);
                    let [body_a, body_b] = [a, b].map(|body| &self.bodies.motions[body as usize]);
                    // In the middle of the step: at its start a body on a circle would leave it along the tangent.
                    let way =
                        (velocity_at(body_b, point) - velocity_at(body_a, point)) * (0.5 * self.last.dt);
                    let of = |body: u32, pose: &Pose, way: Vec3| {
                        belts.of(body).map_or([Vec3::ZERO; 2], |belt| belt.at(pose, point + way))
                    };
                    let [own, own_spin] = of(b, &body_b.pose, -way);
                    let [other, other_spin] = of(a, &body_a.pose, way);
                    let mut surface = SurfaceVelocity::new(number, point);
                    surface.slide = own - other;
                    surface.spin = (own_spin - other_spin).dot(manifold.normal());
                    if surface.is_finite() {
                        out.push(surface);
                    }
                }
            });
        }

        let deforming = &self.bodies.deforming;
        for body in deforming.pending() {
            let (Some(Some(Shape::Mesh(now))), Some(next)) =
                (self.bodies.shapes.get(body as usize), deforming.next_of(body))
            else {
                continue;
            };
            let pose = self.bodies.motions[body as usize].pose;
            let sheet = Sheet { meshes: [now, next], pose, rate: 1.0 / self.last.dt };
            meetings.visit(pairs, body, |place| {
                let record = &records[place];
                if record.first_solved == NOT_SOLVED {
                    return;
                }
                let found = rest.manifolds_of(record).unwrap_or_else(|| &manifolds[record.range()]);
                for (number, manifold) in (record.first_solved..).zip(found) {
                    let surface = sheet.velocity(number, manifold, record.b.index == body);
                    if surface.is_finite() {
                        out.push(surface);
                    }
                }
            });
        }
        // Stable: of a belt on a mesh that deforms both count, in this order.
        out.sort_by_key(|surface| surface.contact);
        out.dedup_by(|later, kept| {
            let is_same = later.contact == kept.contact;
            if is_same {
                kept.slide += later.slide;
                kept.spin += later.spin;
                kept.part.iter_mut().zip(later.part).for_each(|(kept, later)| *kept += later);
            }
            is_same
        });
    }
}
