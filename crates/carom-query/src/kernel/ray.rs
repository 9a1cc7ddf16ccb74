//! Ray casts against any shape: the first hit, or all hits.
//!
//! Shapes are surfaces here: a ray that starts inside hits the far side from behind.
//!
//! Meshes are watertight under any pose. The ray is transformed to the mesh's frame once, in `f64`,
//! with a few roundings per coordinate. All triangles are then tested against the same line, and
//! each test is exact. So a ray cannot pass between two neighbours, and the number of crossings of
//! a closed mesh is right.
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.6 to 22.8 and 25.4 (hits
//! behind the origin).

use super::super::num::geom::RayHit;
use super::super::num::{Interval, Pose, Ray, Real, Vec3, narrow, narrow_real, widen, widen_real};
use super::cluster::Cluster;
use super::compound::Compound;
use super::field;
use super::mesh_shape::MeshShape;
use super::primitive::Primitive;
use super::shape::{Shape, ShapeKind};
use crate::cost::{Count, Counting, QueryCost};
use crate::ray_convex;
use alloc::vec::Vec;
use carom_bvh::{Leaf, RayLine};
use carom_geom::SupportMap;
use carom_geom::line_lanes::{BlockLine, LineLanes};
use carom_geom::ray_mesh::{self, TriangleHit};
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
            ShapeKind::Field(s) => field::first_crossing(s, line, interval),
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
            ShapeKind::Field(s) => field::all_crossings(s, line, interval, out),
            ShapeKind::Cluster(s) => all_near_parts(s, line, interval, out, count),
            ShapeKind::Compound(s) => {
                s.visit_on_ray(ray, interval, count, |index| {
                    let (start, part) = (out.len(), &s.parts()[index]);
                    cast_all(&part.shape, &part.pose, ray, interval, out, count);
                    for hit in &mut out[start..] {
                        hit.part = hit.part.saturating_add(s.first_number(index));
                    }
                    interval.max
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
    let (origin, direction) = (widen(ray.origin), widen(ray.direction));
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
    compound.visit_on_ray(ray, interval, count, |index| {
        let part = &compound.parts()[index];
        let limit = best.map_or(interval.max, |(hit, _)| hit.t);
        if let Some(mut hit) = cast(&part.shape, &part.pose, ray, Interval::new(interval.min, limit), count)
            && best.is_none_or(|(b, number)| (hit.t, index) < (b.t, number))
        {
            hit.part = hit.part.saturating_add(compound.first_number(index));
            best = Some((hit, index));
        }
        best.map_or(interval.max, |(hit, _)| hit.t)
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
    let (min, max) = (widen_real(interval.min), widen_real(interval.max));
    let walk = cluster.tree().visit_ray(line.origin, line.direction, min, max, |leaf, mut until| {
        for &number in leaf.primitives {
            let (shape, center) = cluster.part(number);
            let Some(primitive) = shape.primitive() else { continue };
            count.add_pair();
            let ray = Line { origin: line.origin - center, ..*line }.rounded();
            until = widen_real(part(number, primitive, &ray));
        }
        ControlFlow::Continue(until)
    });
    count.add_walk(&walk.counters);
}

/// The line of a ray in the frame of a shape, the same for all triangles of a mesh.
pub(super) struct Line {
    pub(super) origin: DVec3,
    pub(super) direction: DVec3,
    /// A power of two: t of the ray over t of the line. It differs from 1 if the direction would
    /// overflow or underflow when it is rotated or stored.
    pace: f64,
}

/// Whether the shape takes lines in `f64` without rounding.
fn is_wide(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(_) | Shape::HeightField(_) | Shape::Field(_))
}

impl Line {
    /// Transforms a ray. Each coordinate takes two products and two sums after the difference of
    /// two positions. `None` if a result is not a number.
    #[inline]
    pub(super) fn new(pose: &WidePose, ray: &Ray, is_wide: bool) -> Option<Line> {
        let direction = widen(ray.direction);
        let origin = pose.inverse_transform_point(widen(ray.origin));
        let mut line = Line { origin, direction: pose.inverse_transform_vector(direction), pace: 1.0 };
        let is_kept = is_wide || direction == DVec3::ZERO || {
            let stored = widen(line.rounded().direction).abs().max_element();
            // Shorter directions are subnormal, or have subnormal components.
            widen_real(Real::MIN_POSITIVE / Real::EPSILON) <= stored && stored.is_finite()
        };
        if !(line.direction.is_finite() && is_kept) {
            line.pace = scaling::scale_of(direction.abs().max_element());
            line.direction = pose.inverse_transform_vector(direction * line.pace);
        }
        (line.origin.is_finite() && line.direction.is_finite()).then_some(line)
    }

    /// Whether t of the ray equals t of the line.
    pub(super) fn is_plain(&self) -> bool {
        self.pace == 1.0
    }

    /// Returns the line rounded for convex shapes.
    fn rounded(&self) -> Ray {
        Ray::new(narrow(self.origin), narrow(self.direction))
    }
}

fn first_triangle(mesh: &MeshShape, line: &Line, interval: Interval, count: impl Count) -> Option<RayHit> {
    let mut nearest = Nearest::new(interval);
    visit(mesh, line, interval, ray_mesh::line_touches, count, |touch| nearest.offer(touch));
    nearest.hit(mesh)
}

/// A triangle that a line touches.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    t: f64,
    is_back_face: bool,
    triangle: u32,
    /// Eight times the index of its leaf, plus the lane, if known.
    placed_index: Option<u32>,
}

/// The nearest hit so far.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    /// Hits beyond it are ignored.
    max: f64,
    best: Option<(Real, Touch)>,
}

impl Nearest {
    pub(super) fn new(interval: Interval) -> Nearest {
        Nearest { max: widen_real(interval.max), best: None }
    }

    /// Offers a hit. Returns the t up to which further hits matter.
    #[inline]
    pub(super) fn offer(&mut self, touch: Touch) -> f64 {
        // Hits that are equal after rounding are ordered by number, as in the list of all hits.
        let t = narrow_real(touch.t);
        let is_before =
            |(least, best): (Real, Touch)| t < least || (t == least && touch.triangle < best.triangle);
        if self.best.is_none_or(is_before) {
            self.best = Some((t, touch));
            self.max = widen_real(t.next_up());
        }
        self.max
    }

    #[inline]
    pub(super) fn hit(&self, mesh: &MeshShape) -> Option<RayHit> {
        self.best.map(|(t, touch)| triangle_hit(mesh, t, touch))
    }
}

fn visit_all(
    mesh: &MeshShape,
    line: &Line,
    interval: Interval,
    rule: Rule,
    out: &mut Vec<RayHit>,
    count: impl Count,
) {
    let max = widen_real(interval.max);
    visit(mesh, line, interval, rule, count, |touch| {
        out.push(triangle_hit(mesh, narrow_real(touch.t), touch));
        max
    });
}

/// Selects triangles: those that the line touches, or those that it crosses.
type Rule = fn(DVec3, DVec3, &[DVec3; 3]) -> Option<TriangleHit>;

/// A line in the coordinates of a mesh and of its tree.
#[derive(Clone, Copy)]
pub(super) struct MeshLine {
    origin: DVec3,
    direction: DVec3,
    min: f64,
    /// Decreases as hits are found.
    max: f64,
    block_line: BlockLine,
    /// In the tree's coordinates, t over `pace`.
    pub(super) in_tree: RayLine,
    pace: f64,
}

impl MeshLine {
    /// Converts a line to the coordinates of a mesh and its tree. `None` if the origin is so far
    /// from so small a mesh that it overflows the tree's coordinates.
    #[inline]
    pub(super) fn new(mesh: &MeshShape, line: &Line, interval: Interval) -> Option<MeshLine> {
        let Line { origin, direction, .. } = *line;
        let (min, max) = (widen_real(interval.min), widen_real(interval.max));
        let scale = mesh.scale();
        let position = origin * scale;
        if !position.is_finite() {
            return None;
        }
        let mut steps = direction * scale;
        // A direction that underflows or overflows in the tree's coordinates is normalised. The
        // limits of t are scaled too, rounded outwards.
        let mut pace = 1.0;
        if !(f64::MIN_POSITIVE / f64::EPSILON <= steps.abs().max_element() && steps.is_finite()) {
            pace = scaling::scale_of(direction.abs().max_element());
            steps = direction * pace * scale;
        }
        let t_min = if pace == 1.0 { min } else { (min / pace).next_down() };
        let in_tree = RayLine { origin: position, direction: steps, t_min, t_max: max };
        let block_line = BlockLine::new(position, direction);
        let mut line = MeshLine { origin, direction, min, max, block_line, in_tree, pace };
        line.in_tree.t_max = line.limit();
        Some(line)
    }

    /// Returns the t in the tree beyond which the search stops.
    #[inline]
    pub(super) fn limit(&self) -> f64 {
        if self.pace == 1.0 { self.max } else { (self.max / self.pace).next_up() }
    }

    /// Returns the triangles of a leaf that the line may touch, tested eight at once in `f32`. Most
    /// triangles are rejected here.
    #[inline]
    pub(super) fn touched(&self, mesh: &MeshShape, leaf: &Leaf<'_>) -> LineLanes {
        mesh.line_block(leaf.index).map_or_else(LineLanes::default, |block| block.touched(&self.block_line))
    }

    /// Tests those triangles of a leaf; exact in doubtful cases.
    #[inline]
    pub(super) fn test(
        &mut self,
        mesh: &MeshShape,
        leaf: &Leaf<'_>,
        lanes: LineLanes,
        rule: &impl Fn(DVec3, DVec3, &[DVec3; 3]) -> Option<TriangleHit>,
        count: impl Count,
        hit: &mut impl FnMut(Touch) -> f64,
    ) {
        let mut left = lanes.may;
        while left != 0 {
            let lane = left.trailing_zeros();
            let bit = left & left.wrapping_neg();
            left ^= bit;
            count.add_pair();
            let index = leaf.index * 8 + lane;
            let Some((triangle, corners)) = placed_triangle(mesh, index) else { break };
            let found = if (lanes.from_front | lanes.from_back) & bit != 0 {
                Some(ray_mesh::sure_hit(self.origin, self.direction, &corners, lanes.from_back & bit != 0))
            } else {
                rule(self.origin, self.direction, &corners)
            };
            let Some(TriangleHit { t, is_back_face, .. }) = found else { continue };
            if self.min <= t && t <= self.max && narrow_real(t).is_finite() {
                self.max = self.max.min(hit(Touch { t, is_back_face, triangle, placed_index: Some(index) }));
            }
        }
    }
}

/// Returns the number and the corners of the triangle in a lane of a leaf.
#[inline]
fn placed_triangle(mesh: &MeshShape, index: u32) -> Option<(u32, [DVec3; 3])> {
    let block = mesh.line_block(index / 8)?;
    let (lane, scale) = (index as usize % 8, mesh.scale());
    let triangle = block.number(lane);
    // The reciprocal of the scale, a power of two, is exact.
    let corners = block.corners(lane, if scale == 1.0 { 1.0 } else { 1.0 / scale });
    Some((triangle, corners.unwrap_or_else(|| mesh.mesh().corners(triangle))))
}

/// Visits every selected triangle with its t, up to the t that `hit` returns.
fn visit(
    mesh: &MeshShape,
    line: &Line,
    interval: Interval,
    rule: impl Fn(DVec3, DVec3, &[DVec3; 3]) -> Option<TriangleHit>,
    count: impl Count,
    mut hit: impl FnMut(Touch) -> f64,
) {
    let Some(mut line) = MeshLine::new(mesh, line, interval) else {
        let (min, mut max) = (widen_real(interval.min), widen_real(interval.max));
        for triangle in 0..mesh.mesh().n_triangles() as u32 {
            let corners = mesh.mesh().corners(triangle);
            count.add_pair();
            let Some(found) = rule(line.origin, line.direction, &corners) else { continue };
            let TriangleHit { t, is_back_face, .. } = found;
            if min <= t && t <= max && narrow_real(t).is_finite() {
                max = max.min(hit(Touch { t, is_back_face, triangle, placed_index: None }));
            }
        }
        return;
    };
    let RayLine { origin, direction, t_min, t_max } = line.in_tree;
    let ahead = |leaf| mesh.prefetch_block(leaf);
    let walk = mesh.tree().visit_ray_with_prefetch(origin, direction, t_min, t_max, ahead, |leaf, _| {
        let lanes = line.touched(mesh, &leaf);
        line.test(mesh, &leaf, lanes, &rule, count, &mut hit);
        ControlFlow::Continue(line.limit())
    });
    count.add_walk(&walk.counters);
}

fn triangle_hit(mesh: &MeshShape, t: Real, touch: Touch) -> RayHit {
    let Touch { triangle, placed_index, is_back_face, .. } = touch;
    let placed = placed_index.and_then(|index| placed_triangle(mesh, index));
    let [a, b, c] = placed.map_or_else(|| mesh.mesh().corners(triangle), |(_, corners)| corners);
    let normal = scaling::unit(scaling::balanced(b - a).cross(scaling::balanced(c - a)));
    let normal: Vec3 = normal.map_or(Vec3::ZERO, narrow);
    RayHit::new(t, normal).with_part(triangle).with_back_face(is_back_face)
}
