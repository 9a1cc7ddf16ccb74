//! Velocities of surfaces relative to their bodies: belts, and deforming meshes.
//!
//! A belt is a rigid velocity field in the frame of its body or collider. At each contact,
//! friction pulls the other body to the tangential part of this velocity; the normal part is
//! ignored. A deforming mesh has the velocity of its vertices, interpolated in the triangle of the
//! contact.
//!
//! Reference: Jolt Physics, `ContactSettings::mRelativeLinearSurfaceVelocity` and its angular
//! counterpart.

use crate::bodies::solids::Solids;
use crate::contacts::belts::{Belt, Belts};
use carom_geom::Manifold;
use carom_math::{Pose, Vec3};
use carom_query::MeshShape;
use carom_response::SurfaceVelocity;

/// A mesh that deforms in the step.
pub(crate) struct Sheet<'a> {
    /// At the start and at the end of the step.
    pub(crate) meshes: [&'a MeshShape; 2],
    pub(crate) pose: Pose,
    /// One over the length of the step.
    pub(crate) rate: f32,
}

impl Sheet<'_> {
    /// Returns the velocity of its surface at a manifold. `is_b` says whether the mesh is B.
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

    /// Returns the velocity at a point of a triangle, and its angular velocity: half the curl of
    /// the velocity field.
    pub(crate) fn motion_at(&self, triangle: u32, point: Vec3) -> [Vec3; 2] {
        let [old, new] = self.meshes.map(|mesh| mesh.mesh());
        let Some(&corners) = old.indices().get(triangle as usize) else { return [Vec3::ZERO; 2] };
        let at = corners.map(|vertex| old.vertices()[vertex as usize]);
        let displacements =
            corners.map(|vertex| new.vertices()[vertex as usize] - old.vertices()[vertex as usize]);
        let (u, v) = (at[1] - at[0], at[2] - at[0]);
        let (change_u, change_v) = (displacements[1] - displacements[0], displacements[2] - displacements[0]);
        let normal = u.cross(v);
        let area_sq = normal.length_squared();
        let mut displacement = displacements[0] + (change_u + change_v) * (1.0 / 3.0);
        let mut turn = Vec3::ZERO;
        if 0.0 < area_sq && area_sq < f32::INFINITY {
            let w = self.pose.inverse_transform_point(point) - at[0];
            let second = (w.cross(v).dot(normal) / area_sq).clamp(0.0, 1.0);
            let third = (u.cross(w).dot(normal) / area_sq).clamp(0.0, 1.0 - second);
            displacement = displacements[0] + change_u * second + change_v * third;
            // The dual vectors of the edges, which give the coordinates of a point in the triangle.
            let (along_u, along_v) = (v.cross(normal) / area_sq, normal.cross(u) / area_sq);
            turn = (along_u.cross(change_u) + along_v.cross(change_v)) * 0.5;
        }
        [displacement, turn].map(|x| self.pose.transform_vector(x) * self.rate)
    }
}

/// Returns the velocity of the surface relative to the body at a point of one of its parts, and
/// the angular velocity. All vectors are in the world frame, or in the body's frame if `pose` is
/// the identity.
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

/// Returns the mean of the contact points of a manifold.
pub(crate) fn middle_of(manifold: &Manifold) -> Vec3 {
    let contacts = manifold.contacts();
    let sum: Vec3 = contacts.iter().map(|contact| (contact.point_a + contact.point_b) * 0.5).sum();
    sum / contacts.len().max(1) as f32
}
