//! Rays against any shape: the first place, or every place, where they meet its surface.
//!
//! Shapes are their surfaces here: a ray that starts inside hits the far side from behind. Meshes are watertight: whether
//! a line passes through a triangle is decided exactly, so no ray slips between two neighbours.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.6 to 22.8 and 25.4 (hits behind the origin).

use super::super::num::geom::RayHit;
use super::super::num::{Interval, Pose, Ray, Real, Vec3, narrow, narrow_real, widen, widen_real};
use super::compound::Compound;
use super::mesh_shape::MeshShape;
use super::shape::Shape;
use crate::ray_convex;
use alloc::vec::Vec;
use carom_geom::line_lanes::BlockLine;
use carom_geom::{SupportMap, ray_mesh};
use carom_math::scaling;
use core::ops::ControlFlow;

/// The first place in the interval where the ray meets the surface of the shape, in the world frame.
///
/// The interval may start behind the origin; t counts in lengths of the direction. Of several triangles hit at the same t
/// the one with the lowest number answers.
pub fn ray_cast(shape: &Shape, pose: &Pose, ray: &Ray, interval: Interval) -> Option<RayHit> {
    let local = ray.in_frame_of(pose);
    first(shape, &local, interval).map(|hit| placed(hit, pose))
}

/// Every place in the interval where the ray meets the surface, appended to `out` in the order of t, then of the parts;
/// for a convex shape where the ray enters and where it leaves. World frame.
///
/// A ray through an edge of a mesh hits all triangles of the edge.
pub fn ray_cast_all(shape: &Shape, pose: &Pose, ray: &Ray, interval: Interval, out: &mut Vec<RayHit>) {
    let start = out.len();
    all(shape, &ray.in_frame_of(pose), interval, out);
    out[start..].sort_by(|a, b| a.t.total_cmp(&b.t).then(a.part.cmp(&b.part)));
    for hit in &mut out[start..] {
        *hit = placed(*hit, pose);
    }
}

fn placed(mut hit: RayHit, pose: &Pose) -> RayHit {
    hit.normal = pose.transform_vector(hit.normal);
    hit
}

fn first(shape: &Shape, ray: &Ray, interval: Interval) -> Option<RayHit> {
    match shape {
        Shape::Sphere(s) => s.ray_cast(ray, interval, false),
        Shape::Capsule(s) => s.ray_cast(ray, interval, false),
        Shape::TaperedCapsule(s) => s.ray_cast(ray, interval, false),
        Shape::Cuboid(s) => s.ray_cast(ray, interval, false),
        Shape::Cylinder(s) => s.ray_cast(ray, interval, false),
        Shape::Cone(s) => s.ray_cast(ray, interval, false),
        Shape::Ellipsoid(s) => s.ray_cast(ray, interval, false),
        Shape::Hull(s) => s.ray_cast(ray, interval, false),
        Shape::HalfSpace(s) => s.ray_cast(ray, interval, false),
        Shape::Mesh(s) => first_triangle(s, ray, interval),
        Shape::HeightField(s) => s.ray_cast(ray, interval),
        Shape::Compound(s) => first_part(s, ray, interval),
        Shape::Rounded(s) => first_end(&**s, ray, interval),
        Shape::User(s) => first_end(&**s, ray, interval),
    }
}

fn all(shape: &Shape, ray: &Ray, interval: Interval, out: &mut Vec<RayHit>) {
    match shape {
        Shape::Mesh(mesh) => all_triangles(mesh, ray, interval, out),
        Shape::HeightField(s) => s.ray_cast_all(ray, interval, out),
        Shape::Compound(compound) => {
            for (index, part) in compound.parts().iter().enumerate() {
                let start = out.len();
                ray_cast_all(&part.shape, &part.pose, ray, interval, out);
                for hit in &mut out[start..] {
                    hit.part = hit.part.saturating_add(compound.first_number(index));
                }
            }
        }
        Shape::Rounded(s) => {
            out.extend(chord(&**s, ray).into_iter().flatten().filter(|h| interval.contains(h.t)))
        }
        Shape::User(s) => {
            out.extend(chord(&**s, ray).into_iter().flatten().filter(|h| interval.contains(h.t)))
        }
        Shape::Sphere(s) => out.extend(s.ray_hits(ray, interval)),
        Shape::Capsule(s) => out.extend(s.ray_hits(ray, interval)),
        Shape::TaperedCapsule(s) => out.extend(s.ray_hits(ray, interval)),
        Shape::Cuboid(s) => out.extend(s.ray_hits(ray, interval)),
        Shape::Cylinder(s) => out.extend(s.ray_hits(ray, interval)),
        Shape::Cone(s) => out.extend(s.ray_hits(ray, interval)),
        Shape::Ellipsoid(s) => out.extend(s.ray_hits(ray, interval)),
        Shape::Hull(s) => out.extend(s.ray_hits(ray, interval)),
        Shape::HalfSpace(s) => out.extend(s.ray_hits(ray, interval)),
    }
}

/// The first end in the interval of the part of the line inside a shape.
fn first_end(shape: &dyn SupportMap, ray: &Ray, interval: Interval) -> Option<RayHit> {
    chord(shape, ray).into_iter().flatten().find(|hit| interval.contains(hit.t))
}

/// Where the line through a shape that is known by its support map enters and leaves it.
fn chord(shape: &dyn SupportMap, ray: &Ray) -> [Option<RayHit>; 2] {
    let (origin, direction) = (widen(ray.origin), widen(ray.direction));
    let Some((enter, normal)) = ray_convex::enter(shape, origin, direction) else { return [None; 2] };
    let enters = RayHit::new(narrow_real(enter), narrow(normal));
    let leaves = ray_convex::enter(shape, origin, -direction)
        .map(|(t, normal)| RayHit::new(narrow_real(-t), narrow(normal)).with_back_face(true))
        .filter(|hit| enters.t < hit.t);
    [Some(enters), leaves]
}

fn first_part(compound: &Compound, ray: &Ray, interval: Interval) -> Option<RayHit> {
    let mut best: Option<RayHit> = None;
    for (index, part) in compound.parts().iter().enumerate() {
        let limit = Interval::new(interval.min, best.map_or(interval.max, |hit| hit.t));
        let Some(mut hit) = ray_cast(&part.shape, &part.pose, ray, limit) else { continue };
        hit.part = hit.part.saturating_add(compound.first_number(index));
        if best.is_none_or(|b| hit.t < b.t) {
            best = Some(hit);
        }
    }
    best
}

fn first_triangle(mesh: &MeshShape, ray: &Ray, interval: Interval) -> Option<RayHit> {
    let mut best: Option<(f64, u32, bool)> = None;
    let max = widen_real(interval.max);
    visit(mesh, ray, interval, |t, triangle, is_back_face| {
        if best.is_none_or(|(least, number, _)| t < least || (t == least && triangle < number)) {
            best = Some((t, triangle, is_back_face));
        }
        best.map_or(max, |(t, ..)| t)
    });
    best.map(|(t, triangle, is_back_face)| triangle_hit(mesh, t, triangle, is_back_face))
}

fn all_triangles(mesh: &MeshShape, ray: &Ray, interval: Interval, out: &mut Vec<RayHit>) {
    let max = widen_real(interval.max);
    visit(mesh, ray, interval, |t, triangle, is_back_face| {
        out.push(triangle_hit(mesh, t, triangle, is_back_face));
        max
    });
}

/// Gives every triangle that the ray touches, with t, up to the t that `hit` answers.
fn visit(mesh: &MeshShape, ray: &Ray, interval: Interval, mut hit: impl FnMut(f64, u32, bool) -> f64) {
    let (origin, direction) = (widen(ray.origin), widen(ray.direction));
    let (min, mut max) = (widen_real(interval.min), widen_real(interval.max));
    let scale = mesh.scale();
    let line = BlockLine::new(origin, direction);
    mesh.tree().visit_ray(origin * scale, direction * scale, min, max, |leaf, _| {
        // Eight at once, nearly all of them misses; then the exact test.
        let mut lanes = mesh.may_touch(&leaf, &line);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let Some(&triangle) = leaf.primitives.get(lane) else { break };
            let Some(touch) = ray_mesh::line_touches(origin, direction, &mesh.mesh().corners(triangle))
            else {
                continue;
            };
            if min <= touch.t && touch.t <= max {
                max = max.min(hit(touch.t, triangle, touch.is_back_face));
            }
        }
        ControlFlow::Continue(max)
    });
}

fn triangle_hit(mesh: &MeshShape, t: f64, triangle: u32, is_back_face: bool) -> RayHit {
    let [a, b, c] = mesh.mesh().corners(triangle);
    let normal = scaling::unit(scaling::balanced(b - a).cross(scaling::balanced(c - a)));
    let normal: Vec3 = normal.map_or(Vec3::ZERO, narrow);
    let t: Real = narrow_real(t);
    RayHit::new(t, normal).with_part(triangle).with_back_face(is_back_face)
}
