//! Ray casts against any shape: the first hit, or all hits.
//!
//! Shapes are surfaces here: a ray that starts inside hits the far side from behind.
//!
//! Meshes are watertight under any pose. The ray is transformed to the mesh's frame once, in `f64`,
//! with a few roundings per coordinate; see [`super::ray_mesh`].
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.6 to 22.8 and 25.4 (hits
//! behind the origin).

use super::super::num::geom::RayHit;
use super::super::num::{Interval, Pose, Ray, Real, narrow, narrow_real, widen, widen_real};
use super::cluster::Cluster;
use super::compound::Compound;
use super::field;
use super::line::Line;
use super::mesh_shape::MeshShape;
use super::primitive::Primitive;
use super::ray_mesh::{first_triangle, visit_all};
use super::shape::{Shape, ShapeKind};
use crate::cost::{Count, Counting, QueryCost};
use crate::ray_convex;
use alloc::vec::Vec;
use carom_geom::SupportMap;
use carom_geom::ray_mesh;
use carom_math::{WidePose, scaling};
use core::ops::ControlFlow;
use glam::DVec3;

/// Returns the first hit of the ray on the surface of the shape within the interval, in the world
/// frame.
///
/// The interval may start behind the origin; t is in lengths of the direction. If several triangles
/// are hit at the same t, the one with the lowest number is returned. There is no hit if the ray or
/// the pose contains a NaN or an infinity. The same holds if the shape is so far from the ray's
/// origin that the difference is infinite.
pub fn cast_ray(shape: &Shape, pose: &Pose, ray: &Ray, interval: Interval) -> Option<RayHit> {
    cast(shape, pose, ray, interval, ())
}

/// [`cast_ray`], with its cost added to `cost`. The traversal of the cells of a height field or of
/// a distance field counts as one pair test.
pub fn cast_ray_counted(
    shape: &Shape,
    pose: &Pose,
    ray: &Ray,
    interval: Interval,
    cost: &mut QueryCost,
) -> Option<RayHit> {
    cast(shape, pose, ray, interval, Counting::new(cost))
}

#[inline(always)]
fn cast(shape: &Shape, pose: &Pose, ray: &Ray, interval: Interval, count: impl Count) -> Option<RayHit> {
    let line = Line::new(&pose.wide(), ray, is_wide(shape))?;
    if line.is_plain() {
        return first(shape, &line, interval, count).map(|hit| placed(hit, &pose.wide()));
    }
    let mut hits = Vec::new();
    cast_all(shape, pose, ray, interval, &mut hits, count);
    hits.first().copied()
}

/// Appends all hits of the ray on the surface within the interval, sorted by t, then by part. A
/// convex shape has up to two: the entry and the exit. World frame.
///
/// A ray through an edge of a mesh hits all triangles of the edge; see [`ray_crossings`].
pub fn cast_ray_all(shape: &Shape, pose: &Pose, ray: &Ray, interval: Interval, out: &mut Vec<RayHit>) {
    cast_all(shape, pose, ray, interval, out, ());
}

/// [`cast_ray_all`], with its cost added to `cost` as by [`cast_ray_counted`].
pub fn cast_ray_all_counted(
    shape: &Shape,
    pose: &Pose,
    ray: &Ray,
    interval: Interval,
    out: &mut Vec<RayHit>,
    cost: &mut QueryCost,
) {
    cast_all(shape, pose, ray, interval, out, Counting::new(cost));
}

fn cast_all(
    shape: &Shape,
    pose: &Pose,
    ray: &Ray,
    interval: Interval,
    out: &mut Vec<RayHit>,
    count: impl Count,
) {
    let line = Line::new(&pose.wide(), ray, is_wide(shape));
    on_line(line, pose, interval, out, |line, interval, out| all(shape, line, interval, out, count));
}

/// Appends all crossings of the ray through the surface of a mesh within the interval, each once.
/// They are sorted by t, then by triangle. World frame.
///
/// At an edge or a vertex the ray is treated as if it were moved by an infinitesimal amount, the
/// same for all triangles. So if the mesh bounds a solid, a whole line crosses inwards as often as
/// outwards. On the half-line from a point, outward crossings minus inward ones are the winding
/// number of that point. A ray that only grazes an edge touches ([`cast_ray_all`]) but may not
/// cross.
pub fn ray_crossings(mesh: &MeshShape, pose: &Pose, ray: &Ray, interval: Interval, out: &mut Vec<RayHit>) {
    on_line(Line::new(&pose.wide(), ray, true), pose, interval, out, |line, interval, out| {
        visit_all(mesh, line, interval, ray_mesh::line_crosses, out, ());
    });
}

/// Appends the hits that `find_hits` finds on the line of a ray, sorted, in the world frame.
fn on_line(
    line: Option<Line>,
    pose: &Pose,
    interval: Interval,
    out: &mut Vec<RayHit>,
    find_hits: impl FnOnce(&Line, Interval, &mut Vec<RayHit>),
) {
    let Some(line) = line else { return };
    if line.is_plain() {
        let start = out.len();
        find_hits(&line, interval, out);
        sort_and_transform(&mut out[start..], pose);
        return;
    }
    // Scaling could change the interval. So all hits are found first, then filtered by t.
    let mut hits = Vec::new();
    find_hits(&line, Interval::BOTH, &mut hits);
    for hit in &mut hits {
        hit.t = narrow_real(widen_real(hit.t) * line.pace);
    }
    hits.retain(|hit| hit.t.is_finite() && interval.contains(hit.t));
    sort_and_transform(&mut hits, pose);
    out.append(&mut hits);
}

fn sort_and_transform(hits: &mut [RayHit], pose: &Pose) {
    hits.sort_by(|a, b| a.t.total_cmp(&b.t).then(a.part.cmp(&b.part)));
    let pose = pose.wide();
    for hit in hits {
        *hit = placed(*hit, &pose);
    }
}

/// Transforms a hit from the frame of a shape to the world.
pub(super) fn placed(mut hit: RayHit, pose: &WidePose) -> RayHit {
    hit.normal = narrow(pose.transform_vector(widen(hit.normal)));
    hit
}

/// Returns the first hit of a world ray, in the frame of the shape.
fn first(shape: &Shape, line: &Line, interval: Interval, count: impl Count) -> Option<RayHit> {
    let ray = &line.rounded();
    count_alone(shape, count);
    if let Some(primitive) = shape.primitive() {
        return primitive.cast_ray(ray, interval);
    }
    match shape {
        Shape::HeightField(s) => s.cast_ray(line, interval),
        _ => match shape.kind() {
            ShapeKind::Convex(s) => first_end(s, ray, interval, count),
            ShapeKind::Mesh(s) => first_triangle(s, line, interval, count),
            ShapeKind::Field(s) => {
                let mut first = None;
                field::visit_hits(s, line, interval, |hit| {
                    first = Some(hit);
                    ControlFlow::Break(())
                });
                first
            }
            ShapeKind::Cluster(s) => first_near_part(s, line, interval, count),
            ShapeKind::Compound(s) => first_part(s, ray, interval, count),
            // A half-space is a primitive, so it was handled above.
            ShapeKind::HalfSpace(_) => None,
        },
    }
}

/// Appends all hits of a world ray, in the frame of the shape.
fn all(shape: &Shape, line: &Line, interval: Interval, out: &mut Vec<RayHit>, count: impl Count) {
    let ray = &line.rounded();
    count_alone(shape, count);
    if let Some(primitive) = shape.primitive() {
        return primitive.visit_ray_hits(ray, interval, &mut |hit| out.push(hit));
    }
    match shape {
        Shape::HeightField(s) => s.cast_ray_all(line, interval, out),
        _ => match shape.kind() {
            ShapeKind::Convex(s) => {
                out.extend(chord(s, ray, count).into_iter().flatten().filter(|hit| counts(hit, interval)));
            }
            ShapeKind::Mesh(s) => visit_all(s, line, interval, ray_mesh::line_touches, out, count),
            ShapeKind::Field(s) => field::visit_hits(s, line, interval, |hit| {
                out.push(hit);
                ControlFlow::Continue(())
            }),
            ShapeKind::Cluster(s) => all_near_parts(s, line, interval, out, count),
            ShapeKind::Compound(s) => {
                s.boxes().visit_on_ray(wide_ray(ray), wide_interval(interval), count, |index| {
                    let (start, part) = (out.len(), &s.parts()[index]);
                    cast_all(&part.shape, &part.pose, ray, interval, out, count);
                    for hit in &mut out[start..] {
                        hit.part = hit.part.saturating_add(s.first_number(index));
                    }
                    widen_real(interval.max)
                });
            }
            // A half-space is a primitive, so it was handled above.
            ShapeKind::HalfSpace(_) => {}
        },
    }
}

/// Counts a pair test if the shape is tested as a whole, not part by part.
fn count_alone(shape: &Shape, count: impl Count) {
    if !matches!(shape.kind(), ShapeKind::Cluster(_) | ShapeKind::Compound(_))
        && !matches!(shape, Shape::Mesh(_))
    {
        count.add_pair();
    }
}

/// Returns the entry or the exit of a line through a convex shape: the first one in the interval.
fn first_end(shape: &dyn SupportMap, ray: &Ray, interval: Interval, count: impl Count) -> Option<RayHit> {
    chord(shape, ray, count).into_iter().flatten().find(|hit| counts(hit, interval))
}

/// Whether the t of a hit is a number in the interval.
fn counts(hit: &RayHit, interval: Interval) -> bool {
    interval.contains(hit.t) && hit.t.is_finite()
}

/// Returns the entry and the exit of a line through a shape given by its support map.
fn chord(shape: &dyn SupportMap, ray: &Ray, count: impl Count) -> [Option<RayHit>; 2] {
    let (origin, direction) = wide_ray(ray);
    // The direction may have any length: t of the scaled direction is t over the scale.
    let scale = scaling::scale_of(direction.abs().max_element());
    let direction = direction * scale;
    let Some((enter, normal)) = ray_convex::enter(shape, origin, direction, count) else { return [None; 2] };
    let enters = RayHit::new(narrow_real(enter * scale), narrow(normal));
    let leaves = ray_convex::enter(shape, origin, -direction, count)
        .map(|(t, normal)| RayHit::new(narrow_real(-t * scale), narrow(normal)).with_back_face(true))
        .filter(|hit| enters.t < hit.t);
    [Some(enters), leaves]
}

/// Returns the first hit on the parts of a compound; the lowest number wins a tie.
fn first_part(compound: &Compound, ray: &Ray, interval: Interval, count: impl Count) -> Option<RayHit> {
    let mut best: Option<(RayHit, usize)> = None;
    compound.boxes().visit_on_ray(wide_ray(ray), wide_interval(interval), count, |index| {
        let part = &compound.parts()[index];
        let limit = best.map_or(interval.max, |(hit, _)| hit.t);
        if let Some(mut hit) = cast(&part.shape, &part.pose, ray, Interval::new(interval.min, limit), count)
            && best.is_none_or(|(b, number)| (hit.t, index) < (b.t, number))
        {
            hit.part = hit.part.saturating_add(compound.first_number(index));
            best = Some((hit, index));
        }
        widen_real(best.map_or(interval.max, |(hit, _)| hit.t))
    });
    best.map(|(hit, _)| hit)
}

/// Returns the first hit on the parts of a cluster; the lowest number wins a tie.
fn first_near_part(
    cluster: &dyn Cluster,
    line: &Line,
    interval: Interval,
    count: impl Count,
) -> Option<RayHit> {
    let mut best: Option<RayHit> = None;
    visit_parts(cluster, line, interval, count, |number, primitive, ray| {
        let limit = Interval::new(interval.min, best.map_or(interval.max, |hit| hit.t));
        if let Some(hit) = primitive.cast_ray(ray, limit)
            && best.is_none_or(|b| (hit.t, number) < (b.t, b.part))
        {
            best = Some(hit.with_part(number));
        }
        best.map_or(interval.max, |hit| hit.t)
    });
    best
}

/// Appends the hits on all parts of a cluster.
fn all_near_parts(
    cluster: &dyn Cluster,
    line: &Line,
    interval: Interval,
    out: &mut Vec<RayHit>,
    count: impl Count,
) {
    visit_parts(cluster, line, interval, count, |number, primitive, ray| {
        primitive.visit_ray_hits(ray, interval, &mut |hit| out.push(hit.with_part(number)));
        interval.max
    });
}

/// Visits the parts of a cluster whose leaves the line meets, each with the ray in its frame.
/// `part` returns the t up to which further parts matter.
fn visit_parts(
    cluster: &dyn Cluster,
    line: &Line,
    interval: Interval,
    count: impl Count,
    mut part: impl FnMut(u32, &dyn Primitive, &Ray) -> Real,
) {
    let (min, max) = wide_interval(interval);
    let walk = cluster.tree().visit_ray(line.origin, line.direction, min, max, |leaf, mut until| {
        for &number in leaf.primitives {
            let (shape, center) = cluster.part(number);
            count.add_pair();
            let ray = Line { origin: line.origin - center, ..*line }.rounded();
            until = widen_real(part(number, shape.primitive(), &ray));
        }
        ControlFlow::Continue(until)
    });
    count.add_walk(&walk.counters);
}

/// Returns the origin and the direction of a ray.
fn wide_ray(ray: &Ray) -> (DVec3, DVec3) {
    (widen(ray.origin), widen(ray.direction))
}

fn wide_interval(interval: Interval) -> (f64, f64) {
    (widen_real(interval.min), widen_real(interval.max))
}

/// Whether the shape takes lines in `f64` without rounding.
fn is_wide(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(_) | Shape::HeightField(_) | Shape::Field(_))
}
