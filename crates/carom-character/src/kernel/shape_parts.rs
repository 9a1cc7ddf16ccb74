//! The convex parts of a shape near a box. They are triangles of meshes and height fields, faces
//! of distance fields, parts of compounds and clusters, and planes of half-spaces. Convex shapes
//! are one part.
//!
//! Reference: K. Fauerby, Improved Collision Detection and Response, 2003 (the triangles near a
//! swept figure).

use super::super::num::{Cluster, CompoundPart, MeshShape, Pose, Shape, ShapeKind, narrow, placement};
use crate::field_faces::visit_faces;
use crate::parts::{ConvexPart, FacePlane, box_in_frame};
use carom_bounds::{Aabb, BoundingVolume as _};
use carom_geom::DistanceField;
use carom_geom::f64::Triangle;
use carom_geom::ray_mesh::Placement;
use carom_math::{WidePose, rounding, scaling};
use core::ops::ControlFlow;
use glam::DVec3;

/// Calls `part` with the index, the frame and the geometry of each convex part that may touch a
/// box. Its corners `within` are in the world. `first` counts the parts, as the queries do.
pub(crate) fn visit_shape(
    shape: &Shape,
    pose: &WidePose,
    within: [DVec3; 2],
    first: &mut u32,
    part: &mut impl FnMut(u32, &WidePose, ConvexPart<'_>),
) {
    match shape.kind() {
        ShapeKind::Convex(map) => part(*first, pose, ConvexPart::Convex(map, None)),
        ShapeKind::HalfSpace(plane) => part(*first, pose, ConvexPart::Plane(plane.normal_wide())),
        ShapeKind::Mesh(mesh) => return visit_triangles(mesh, pose, within, first, part),
        ShapeKind::Field(field) => visit_field(field, pose, within, *first, part),
        ShapeKind::Cluster(cluster) => return visit_cluster(cluster, pose, within, first, part),
        ShapeKind::Compound(compound) => {
            // Parts are no compounds, so this recurses once.
            for one in compound.parts() {
                let placed = one.pose.wide().relative_to(&pose.inverse());
                visit_part(&one.shape, &placed, within, first, part);
            }
            return;
        }
    }
    *first += 1;
}

/// Visits the parts of a part of a compound.
fn visit_part(
    shape: &Shape,
    pose: &WidePose,
    within: [DVec3; 2],
    first: &mut u32,
    part: &mut dyn FnMut(u32, &WidePose, ConvexPart<'_>),
) {
    visit_shape(shape, pose, within, first, &mut |number: u32, pose: &WidePose, found: ConvexPart<'_>| {
        part(number, pose, found)
    });
}

/// Visits the parts of a cluster that are near.
fn visit_cluster(
    cluster: &dyn Cluster,
    pose: &WidePose,
    within: [DVec3; 2],
    first: &mut u32,
    part: &mut impl FnMut(u32, &WidePose, ConvexPart<'_>),
) {
    let (low, high) = box_in_frame(pose, within);
    let aabb = if low.cmple(high).all() {
        Aabb { min: rounding::down3(low), max: rounding::up3(high) }
    } else {
        Aabb::EVERYTHING
    };
    cluster.tree().visit_box(&aabb, |leaf| {
        for &number in leaf.primitives {
            let (shape, center) = cluster.part(number);
            let own = WidePose { translation: center, ..WidePose::IDENTITY };
            let convex = ConvexPart::Convex(shape.support_map(), None);
            part(*first + number, &own.relative_to(&pose.inverse()), convex);
        }
        ControlFlow::Continue(())
    });
    *first += cluster.n_parts();
}

/// Visits the triangles of the surface of a field, all with one index.
fn visit_field(
    field: &dyn DistanceField,
    pose: &WidePose,
    within: [DVec3; 2],
    number: u32,
    part: &mut impl FnMut(u32, &WidePose, ConvexPart<'_>),
) {
    let (low, high) = box_in_frame(pose, within);
    visit_faces(field, [low, high], &mut |[a, b, c]| {
        let Some(normal) = scaling::unit((b - a).cross(c - a)) else { return };
        let face = FacePlane { normal, point: a, is_solid: field.has_inside() };
        if let Ok(triangle) = Triangle::new(a, b, c) {
            part(number, pose, ConvexPart::Convex(&triangle, Some(face)));
        }
    });
}

fn visit_triangles(
    mesh: &MeshShape,
    pose: &WidePose,
    within: [DVec3; 2],
    first: &mut u32,
    part: &mut impl FnMut(u32, &WidePose, ConvexPart<'_>),
) {
    let (low, high) = box_in_frame(pose, within);
    let scale = mesh.scale();
    let aabb = if low.cmple(high).all() {
        Aabb { min: rounding::down3(low * scale), max: rounding::up3(high * scale) }
    } else {
        Aabb::EVERYTHING
    };
    mesh.tree().visit_box(&aabb, |leaf| {
        for &number in leaf.primitives {
            let [a, b, c] = mesh.mesh().corners(number);
            if !(a.min(b).min(c).cmple(high).all() && low.cmple(a.max(b).max(c)).all()) {
                continue;
            }
            let face = scaling::unit((b - a).cross(c - a)).map(|normal| FacePlane {
                normal,
                point: a,
                is_solid: mesh.is_solid(),
            });
            part(*first + number, pose, ConvexPart::Convex(&mesh.mesh().triangle(number), face));
        }
        ControlFlow::Continue(())
    });
    *first += mesh.mesh().n_triangles() as u32;
}

/// Whether a ray that hits the back of a part of a shape starts inside that part. `start` is in
/// the frame of the shape.
///
/// The back of a mesh does not tell. Both sides of a sheet may have triangles, and a closed piece
/// of a mesh may face inwards.
pub(crate) fn starts_inside(shape: &Shape, part: u32, start: DVec3) -> bool {
    match shape.kind() {
        ShapeKind::Convex(_) | ShapeKind::HalfSpace(_) | ShapeKind::Cluster(_) => true,
        ShapeKind::Mesh(_) => is_within(shape, &WidePose::IDENTITY, start),
        ShapeKind::Field(field) => field.has_inside(),
        ShapeKind::Compound(compound) => {
            let (one, number) = compound.locate(part);
            let CompoundPart { shape, pose } = &compound.parts()[one];
            starts_inside(shape, number, pose.wide().inverse_transform_point(start))
        }
    }
}

/// Whether the place is within a closed mesh or the solid of a field.
pub(crate) fn is_within(shape: &Shape, pose: &WidePose, position: DVec3) -> bool {
    let local = pose.inverse_transform_point(position);
    match shape.kind() {
        ShapeKind::Mesh(mesh) => {
            mesh.is_solid() && placement(mesh, &Pose::IDENTITY, narrow(local)) == Placement::Inside
        }
        ShapeKind::Field(field) => field.sample(local).is_some_and(|sample| sample.distance < 0.0),
        _ => false,
    }
}
