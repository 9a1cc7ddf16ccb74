//! Whether the path of a point passes the surface of a shape.
//!
//! The path is a segment in the frame of the shape. Exact signs decide which triangles it passes:
//! a segment that ends on a triangle does not pass it; one that begins there may.
//!
//! Reference: J. O'Rourke, Computational Geometry in C, 2nd ed., 7.3 (segment and triangle by
//! signs of volumes).

use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::predicates::{orient3d, plane_side};
use carom_math::{WidePose, rounding};
use carom_query::{Shape, project_point};
use glam::DVec3;

/// Returns whether a point that goes from `p` to `q`, in the frame of the shape, passes its
/// surface.
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
            let scale = mesh.scale();
            let (low, high) = (p.min(q) * scale, p.max(q) * scale);
            let path = Aabb { min: rounding::down3(low), max: rounding::up3(high) };
            let leaves = mesh.tree().in_box(&path);
            let near = leaves.flat_map(|leaf| leaf.primitives.iter());
            passes_triangles(near.map(|&triangle| mesh.mesh().corners(triangle)), p, q)
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

/// Returns whether the segment enters a box through one face and leaves through the opposite one.
fn opposite_faces(half: DVec3, p: DVec3, q: DVec3) -> bool {
    let d = q - p;
    let (mut enter, mut leave) = ((f64::NEG_INFINITY, 0), (f64::INFINITY, 0));
    for axis in 0..3 {
        let (at, travel, half) = (p[axis], d[axis], half[axis]);
        if travel == 0.0 {
            if half <= at.abs() {
                return false;
            }
            continue;
        }
        let (s, t) = ((-half - at) / travel, (half - at) / travel);
        if enter.0 < s.min(t) {
            enter = (s.min(t), axis);
        }
        if s.max(t) < leave.0 {
            leave = (s.max(t), axis);
        }
    }
    enter.1 == leave.1 && 0.0 <= enter.0 && enter.0 < leave.0 && leave.0 <= 1.0
}

/// Returns whether the segment changes its side of a surface.
///
/// It does if it passes an odd number of triangles, two triangles back to back, or all from one
/// side. A body that goes round a ridge within a step also passes two triangles, but neither back
/// to back nor from one side.
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
    normals.len() % 2 == 1 || normals.iter().any(back_to_back) || from_one_side(&normals, q - p)
}

/// Returns whether the segment passes all triangles from the same side. A path round a ridge does
/// not.
fn from_one_side(normals: &[DVec3], d: DVec3) -> bool {
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

/// Returns both ends of a path in the frame of a shape.
pub(crate) fn in_frame(frame: &WidePose, p: DVec3, q: DVec3) -> [DVec3; 2] {
    [p, q].map(|v| frame.inverse_transform_point(v))
}
