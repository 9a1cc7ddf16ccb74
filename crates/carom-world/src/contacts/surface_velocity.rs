//! Velocities of surfaces beyond those of their bodies: belts, and meshes that deform.
//!
//! A body has at most one belt: a rigid field of velocities in the body's frame. At each contact
//! the part of the field along the surface is what friction pulls the other body to. What it has
//! along the normal is left out. A mesh that deforms has the velocity of its vertices, interpolated
//! in the triangle of the contact.
//!
//! Reference: Jolt Physics, `ContactSettings::mRelativeLinearSurfaceVelocity` and its angular
//! counterpart.

use crate::bodies::solids::Solids;
use crate::contacts::belts::{Belt, Belts};
use carom_geom::Manifold;
use carom_math::{Pose, Vec3};
use carom_query::MeshShape;
use carom_response::{Body, BodyKind, SurfaceVelocity};

/// A mesh that deforms in the step.
pub(crate) struct Sheet<'a> {
    /// At the start and at the end.
    pub(crate) meshes: [&'a MeshShape; 2],
    pub(crate) pose: Pose,
    /// One over the length of the step.
    pub(crate) rate: f32,
}

impl Sheet<'_> {
    /// The velocity of its surface at a manifold, in which the mesh is B or not.
    pub(crate) fn velocity(&self, contact: u32, manifold: &Manifold, is_b: bool) -> SurfaceVelocity {
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

    /// The velocity of a point of a triangle, and half the curl of the velocity in the triangle:
    /// its angular velocity.
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

/// Returns the velocity of the surface against the body at a point of one of its parts, and the
/// angular velocity. All are in the world frame, or in that of the body if `pose` is the identity.
pub(crate) fn belt_at(
    (solids, belts): (&Solids<'_>, &Belts),
    (body, part): (u32, u32),
    pose: &Pose,
    point: Vec3,
) -> [Vec3; 2] {
    let place = solids.locate(body as usize, part);
    let collider = solids.composite(body as usize).map(|all| all.at(place.0.index));
    let belt = match (solids.part_material(body as usize, place), collider) {
        (Some(part), _) => Some(Belt::of([part.material.surface_velocity, part.material.surface_spin])),
        (None, Some(collider)) => collider.map(|collider| Belt::of(collider.surface)),
        (None, None) => belts.of(body).copied(),
    };
    let pose = collider.flatten().map_or(*pose, |collider| *pose * collider.pose);
    belt.map_or([Vec3::ZERO; 2], |belt| belt.at(&pose, point))
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
