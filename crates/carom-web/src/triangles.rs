//! The triangles of meshes and height fields that a step met: those of contacts, and those under
//! wheels.
//!
//! A contact identifies the triangle by a part number. In a compound, the numbers run through all
//! parts.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1 (the closest feature of a mesh).

use crate::testbed::Testbed;
use carom_math::{Pose, Vec3};
use carom_query::{Shape, ShapeKind, project_point};
use carom_world::BodyId;

/// Returns the corners of a part of a shape at a pose, if the part is a triangle.
fn triangle(shape: &Shape, pose: &Pose, number: u32) -> Option<[Vec3; 3]> {
    match shape.kind() {
        ShapeKind::Convex(_) | ShapeKind::HalfSpace(_) | ShapeKind::Field(_) | ShapeKind::Cluster(_) => None,
        ShapeKind::Mesh(mesh) => {
            let corners = mesh.mesh().indices().get(number as usize)?;
            let vertices = mesh.mesh().vertices();
            Some(corners.map(|vertex| pose.transform_point(vertices[vertex as usize])))
        }
        ShapeKind::Compound(compound) => {
            let (part, number) = compound.locate(number);
            let part = compound.parts().get(part)?;
            triangle(&part.shape, &(*pose * part.pose), number)
        }
    }
}

/// Returns the triangles that the last step met, in the order of the bodies, each once.
pub(crate) fn met(bed: &Testbed) -> Vec<[Vec3; 3]> {
    let world = bed.world();
    let mut parts: Vec<(BodyId, u32)> = Vec::new();
    for view in world.contacts().filter(|view| view.is_touching) {
        for contact in view.manifolds.iter().flat_map(|manifold| manifold.contacts()) {
            parts.extend([(view.a, contact.part_a), (view.b, contact.part_b)]);
        }
    }
    for wheel in bed.actors.car.iter().flat_map(|car| car.wheels()) {
        let ground = wheel.ground.and_then(|id| Some((id, world.body(id).ok()?)));
        if let Some((id, body)) = ground
            && let Some(found) = project_point(body.shape(), &body.pose(), wheel.point.as_vec3())
        {
            parts.push((id, found.part));
        }
    }
    parts.sort_unstable();
    parts.dedup();
    let corners = |(id, number): (BodyId, u32)| {
        let body = world.body(id).ok()?;
        triangle(body.shape(), &body.pose(), number)
    };
    parts.into_iter().filter_map(corners).collect()
}
