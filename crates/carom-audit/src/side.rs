//! Whether the path of a point passes the surface of a shape.
//!
//! The path is a segment in the frame of the shape, its ends those of the path in `f64`. Triangles are decided by exact
//! signs: a segment that ends on a triangle has not passed it, and one that begins there may.
//!
//! Reference: J. O'Rourke, Computational Geometry in C, 2nd ed., 7.3 (segment and triangle by signs of volumes).

use alloc::vec::Vec;
use carom_math::WidePose;
use carom_math::predicates::{orient3d, plane_side};
use carom_query::{Shape, project_point};
use glam::DVec3;

/// Whether a point that goes from `p` to `q`, in the frame of the shape, passes its surface.
pub(crate) fn passes(shape: &Shape, p: DVec3, q: DVec3) -> bool {
    match shape {
        Shape::HalfSpace(plane) => {
            let normal = plane.normal().as_dvec3();
            0.0 < plane_side(normal, 0.0, p) && plane_side(normal, 0.0, q) < 0.0
        }
        Shape::Cuboid(cuboid) => {
            let half = cuboid.half_extents().as_dvec3();
            let is_inside = |v: DVec3| v.abs().cmplt(half).all();
            !is_inside(p) && (is_inside(q) || opposite_faces(half, p, q))
        }
        Shape::Mesh(mesh) => {
            let mesh = mesh.mesh();
            let aabb = mesh.aabb();
            let touches =
                aabb.min.as_dvec3().cmple(p.max(q)).all() && p.min(q).cmple(aabb.max.as_dvec3()).all();
            touches && passes_triangles(mesh.iter_corners(), p, q)
        }
        Shape::HeightField(field) => {
            let field = field.field();
            let cells = field.cells_in_box(p.min(q), p.max(q));
            passes_triangles(cells.flat_map(|cell| [2 * cell, 2 * cell + 1]).map(|t| field.corners(t)), p, q)
        }
        Shape::Compound(compound) => compound.parts().iter().any(|part| {
            let frame = part.pose.wide();
            passes(&part.shape, frame.inverse_transform_point(p), frame.inverse_transform_point(q))
        }),
        other => {
            let depth = |v: DVec3| {
                project_point(other, &carom_math::Pose::IDENTITY, v.as_vec3()).map_or(0.0, |on| on.distance)
            };
            0.0 < depth(p) && depth(q) < 0.0
        }
    }
}

/// Whether the segment enters a box through one face and leaves it through the opposite one.
fn opposite_faces(half: DVec3, p: DVec3, q: DVec3) -> bool {
    let d = q - p;
    let (mut enter, mut leave) = ((f64::NEG_INFINITY, 0), (f64::INFINITY, 0));
    for axis in 0..3 {
        let (at, way, half) = (p[axis], d[axis], half[axis]);
        if way == 0.0 {
            if half <= at.abs() {
                return false;
            }
            continue;
        }
        let (s, t) = ((-half - at) / way, (half - at) / way);
        if enter.0 < s.min(t) {
            enter = (s.min(t), axis);
        }
        if s.max(t) < leave.0 {
            leave = (s.max(t), axis);
        }
    }
    enter.1 == leave.1 && 0.0 <= enter.0 && enter.0 < leave.0 && leave.0 <= 1.0
}

/// Whether the segment changes its side of a surface: it passes an odd number of triangles, or two that lie back to back.
///
/// A point that goes round a ridge within a step passes two sides of it on the straight line; these are not back to back.
fn passes_triangles(triangles: impl Iterator<Item = [DVec3; 3]>, p: DVec3, q: DVec3) -> bool {
    let (low, high) = (p.min(q), p.max(q));
    let mut normals: Vec<DVec3> = Vec::new();
    for [a, b, c] in triangles {
        let is_near = a.min(b).min(c).cmple(high).all() && low.cmple(a.max(b).max(c)).all();
        if is_near && passes_triangle([a, b, c], p, q) {
            normals.push((b - a).cross(c - a).normalize_or_zero());
        }
    }
    let back_to_back = |n: &DVec3| normals.iter().any(|m| m.dot(*n) < -0.7);
    normals.len() % 2 == 1 || normals.iter().any(back_to_back) || same_way(&normals, q - p)
}

/// Whether all triangles are passed in one direction, which no way round a ridge is.
fn same_way(normals: &[DVec3], d: DVec3) -> bool {
    !normals.is_empty() && (normals.iter().all(|n| n.dot(d) < 0.0) || normals.iter().all(|n| 0.0 < n.dot(d)))
}

fn passes_triangle([a, b, c]: [DVec3; 3], p: DVec3, q: DVec3) -> bool {
    let (from, to) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    // Ends on the plane belong to the segment that begins there.
    if to == 0.0 || 0.0 < from && 0.0 < to || from < 0.0 && to < 0.0 {
        return false;
    }
    let sides = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
    sides.iter().all(|s| 0.0 <= *s) || sides.iter().all(|s| *s <= 0.0)
}

/// Both ends of a path in the frame of a shape.
pub(crate) fn in_frame(frame: &WidePose, p: DVec3, q: DVec3) -> [DVec3; 2] {
    [p, q].map(|v| frame.inverse_transform_point(v))
}
