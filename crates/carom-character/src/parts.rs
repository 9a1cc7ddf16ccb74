//! Queries of a figure among the convex parts of a world: the first obstacle of a sweep, overlaps,
//! and the displacement out of them.
//!
//! The world finds the parts near a box. The rest is common to every kind of world.
//!
//! Reference: K. Fauerby, Improved Collision Detection and Response, 2003 (swept ellipsoids
//! against triangles). Differs: any convex figure, without scaling space.

use crate::approach::Approach;
use crate::figure::Figure;
use crate::sweep::SweepHit;
use alloc::vec::Vec;
use carom_geom::SupportMap;
use carom_gjk::{GjkSettings, wide};
use carom_math::{WidePose, scaling, tol};
use glam::DVec3;

/// A world of convex parts.
pub(crate) trait ConvexWorld {
    /// Calls `part` for each part that may touch the box between two corners.
    fn visit(&mut self, low: DVec3, high: DVec3, part: &mut dyn FnMut(NearbyPart<'_>));

    /// Returns the velocity of a point of a part of an object, length per second.
    fn velocity_of(&self, object: u32, part: u32, point: DVec3) -> DVec3;

    /// Whether the place is within a closed mesh or the solid of a field.
    fn is_within(&mut self, position: DVec3) -> bool;

    /// Scratch memory: the objects that a sweep ignores.
    fn passed(&mut self) -> &mut Vec<u32>;
}

/// A part of the world near a box.
pub(crate) struct NearbyPart<'a> {
    pub(crate) object: u32,
    /// The index of the part in its object.
    pub(crate) number: u32,
    /// The frame of the part in the world.
    pub(crate) pose: &'a WidePose,
    pub(crate) part: ConvexPart<'a>,
    /// Whether the part yields: a figure that overlaps it is not pushed out. The part still stops
    /// a figure that moves deeper.
    pub(crate) yields: bool,
}

/// A part of the world.
pub(crate) enum ConvexPart<'a> {
    /// A convex shape. A triangle also has its plane, unless it has no area.
    Convex(&'a dyn SupportMap, Option<FacePlane>),
    /// The half-space behind the plane through the origin with this normal.
    Plane(DVec3),
}

/// The plane of a triangle.
#[derive(Clone, Copy)]
pub(crate) struct FacePlane {
    pub(crate) normal: DVec3,
    pub(crate) point: DVec3,
    /// Whether the triangle belongs to a closed mesh.
    pub(crate) is_solid: bool,
}

/// The distance from an obstacle to which a figure is pushed out, in half widths.
const PUSH_OUT_DISTANCE: f64 = 1.0 / 1024.0;

/// The maximum number of pushes out of overlaps.
const MAX_PUSHES: usize = 16;

/// The largest distance of the search for a free position after pushes have failed, in quarters of
/// the half width.
const MAX_QUARTERS: u32 = 40;

/// Sweeps a figure, and ignores the objects in `passed`.
pub(crate) fn sweep_ignoring<W: ConvexWorld>(
    world: &mut W,
    figure: &Figure,
    from: DVec3,
    displacement: DVec3,
    keep: f64,
    passed: &[u32],
) -> Option<SweepHit> {
    if !(from.is_finite() && displacement.is_finite()) {
        return None;
    }
    let (low, high) = figure.swept_box(from, displacement);
    let mut best: Option<SweepHit> = None;
    let mut until = 1.0;
    world.visit(low - keep, high + keep, &mut |found| {
        let NearbyPart { object, number, pose, part, yields } = found;
        if passed.contains(&object) {
            return;
        }
        let approach = Approach::new(figure, from, displacement, keep, pose);
        let hit = match part {
            ConvexPart::Plane(normal) => to_plane(&approach, normal),
            ConvexPart::Convex(shape, face) => {
                if face.is_some_and(|face| approach.is_beside(face.normal, face.point)) {
                    return;
                }
                let hit = approach.to(shape, until).map(|hit| reported(hit, shape, face));
                match hit {
                    Some(hit) if hit.starts_inside && yields => into(&approach, shape),
                    hit => hit,
                }
            }
        };
        let Some(mut hit) = hit else { return };
        let rank = |hit: &SweepHit| (hit.t, !hit.starts_inside, hit.object, hit.part);
        hit = hit.on(object, number);
        if yields {
            hit.gap = hit.gap.max(keep);
        }
        if best.as_ref().is_none_or(|best| rank(&hit) < rank(best)) {
            // If several shapes are hit at the same time, the lowest index counts. So the search
            // goes on a little further.
            until = hit.t.max(until.min(hit.t + keep));
            hit.normal = pose.transform_vector(hit.normal);
            hit.point = pose.transform_point(hit.point);
            best = Some(hit);
        }
    });
    best.map(|hit| {
        let velocity = world.velocity_of(hit.object, hit.part, hit.point);
        hit.moving(velocity)
    })
}

/// Implements [`Sweep::sweep_carried`](crate::Sweep::sweep_carried).
pub(crate) fn sweep_carried<W: ConvexWorld>(
    world: &mut W,
    figure: &Figure,
    from: DVec3,
    displacement: DVec3,
    keep: f64,
    carrier: u32,
) -> Option<SweepHit> {
    let mut passed = core::mem::take(world.passed());
    passed.clear();
    passed.push(carrier);
    visit_overlaps(world, figure, from, |object, _| {
        if !passed.contains(&object) {
            passed.push(object);
        }
    });
    let hit = sweep_ignoring(world, figure, from, displacement, keep, &passed);
    *world.passed() = passed;
    hit
}

/// Calls `visit` with the object of each part that the figure overlaps, and whether it yields.
pub(crate) fn visit_overlaps<W: ConvexWorld>(
    world: &mut W,
    figure: &Figure,
    position: DVec3,
    mut visit: impl FnMut(u32, bool),
) {
    let (low, high) = figure.swept_box(position, DVec3::ZERO);
    world.visit(low, high, &mut |NearbyPart { object, pose, part, yields, .. }| {
        let here = Approach::new(figure, position, DVec3::ZERO, 0.0, pose);
        let is_free = match part {
            ConvexPart::Plane(normal) => here.reach(-normal) < normal.dot(here.start.translation),
            ConvexPart::Convex(shape, face) => {
                face.is_some_and(|face| here.is_beside(face.normal, face.point))
                    || !wide::intersects(shape, figure, &here.start, &GjkSettings::default(), None).intersects
            }
        };
        if !is_free {
            visit(object, yields);
        }
    });
}

/// Whether the figure overlaps nothing, except parts that yield.
pub(crate) fn is_free<W: ConvexWorld>(world: &mut W, figure: &Figure, position: DVec3) -> bool {
    let mut is_free = true;
    visit_overlaps(world, figure, position, |_, yields| is_free &= yields);
    is_free
}

/// Returns the displacement out of the deepest overlap, with a small margin; `None` if the figure
/// is free.
fn find_escape<W: ConvexWorld>(world: &mut W, figure: &Figure, position: DVec3) -> Option<DVec3> {
    let (low, high) = figure.swept_box(position, DVec3::ZERO);
    let mut deepest: Option<(f64, DVec3)> = None;
    let mut offer = |depth: f64, normal: DVec3| {
        if deepest.is_none_or(|deepest| deepest.0 < depth) {
            deepest = Some((depth, normal));
        }
    };
    world.visit(low, high, &mut |NearbyPart { pose, part, yields, .. }| {
        if yields {
            return;
        }
        let here = Approach::new(figure, position, DVec3::ZERO, 0.0, pose);
        match part {
            ConvexPart::Plane(normal) => {
                let depth = here.reach(-normal) - normal.dot(here.start.translation);
                if 0.0 <= depth {
                    offer(depth, pose.transform_vector(normal));
                }
            }
            ConvexPart::Convex(shape, face) => {
                let gap = wide::signed_distance(shape, figure, &here.start, &GjkSettings::default(), None);
                if !(gap.distance <= 0.0) {
                    return;
                }
                // The way out of a solid is through the front of its face, however deep the figure
                // is.
                let front = face.filter(|face| face.is_solid && gap.normal.dot(face.normal) < 0.0);
                let (depth, normal) = front.map_or((-gap.distance, gap.normal), |face| {
                    let height = face.normal.dot(here.start.translation - face.point);
                    (here.reach(-face.normal) - height, face.normal)
                });
                offer(depth, pose.transform_vector(normal));
            }
        }
    });
    deepest.map(|(depth, normal)| normal * (depth + PUSH_OUT_DISTANCE * figure.half_width()))
}

/// Implements [`Sweep::nearest_free`](crate::Sweep::nearest_free).
pub(crate) fn nearest_free<W: ConvexWorld>(world: &mut W, figure: &Figure, position: DVec3) -> Option<DVec3> {
    if !position.is_finite() {
        return None;
    }
    let mut pushed = position;
    for _ in 0..MAX_PUSHES {
        match find_escape(world, figure, pushed) {
            None if pushed == position || !world.is_within(pushed) => return Some(pushed),
            None => break,
            Some(displacement) => pushed += displacement,
        }
    }
    let quarter = 0.25 * figure.half_width();
    for ring in 1..=MAX_QUARTERS {
        for i in (0..27).filter(|i| *i != 13) {
            let third = |i: i32| f64::from(i % 3 - 1);
            let direction = DVec3::new(third(i), third(i / 3), third(i / 9));
            let Some(direction) = scaling::unit(direction) else { continue };
            let near = position + direction * (quarter * f64::from(ring));
            if is_free(world, figure, near) && !world.is_within(near) {
                return Some(near);
            }
        }
    }
    None
}

/// Returns the hit of a figure that overlaps a yielding part. It is a hit at the start if the
/// figure moves deeper, and `None` otherwise.
///
/// The gap is the distance to keep, so that the figure is not moved out.
fn into(approach: &Approach<'_>, shape: &dyn SupportMap) -> Option<SweepHit> {
    let gap = wide::signed_distance(shape, approach.figure, &approach.start, &GjkSettings::default(), None);
    let rate = -gap.normal.dot(approach.displacement);
    let leads_deeper = tol::CHARACTER_SAME * scaling::length(approach.displacement) < rate;
    leads_deeper.then(|| SweepHit::new(0.0, approach.keep, gap.normal, gap.point_a))
}

/// Returns the box around a box of the world, in the frame of a shape.
pub(crate) fn box_in_frame(pose: &WidePose, [low, high]: [DVec3; 2]) -> (DVec3, DVec3) {
    let (middle, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let r = pose.rotation.transpose();
    let middle = pose.inverse_transform_point(middle);
    let half = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
    // Covers the rounding of about ten operations.
    let half = half + (middle.abs() + pose.translation.length() + half.max_element()) * (16.0 * f64::EPSILON);
    (middle - half, middle + half)
}

/// Returns the hit of the figure on the plane through the origin, by the rules of
/// [`Approach::to`].
fn to_plane(approach: &Approach<'_>, normal: DVec3) -> Option<SweepHit> {
    let gap = normal.dot(approach.start.translation) - approach.reach(-normal);
    if gap < 0.0 {
        return Some(SweepHit::inside(approach.start.translation));
    }
    let rate = -normal.dot(approach.displacement);
    if !(approach.least_rate() < rate) || approach.too_near() < gap - rate {
        return None;
    }
    let t = ((gap - approach.keep) / rate).max(0.0);
    let left = gap - t * rate;
    let middle = approach.start.translation + approach.displacement * t;
    Some(SweepHit::new(t, left, normal, middle - normal * (normal.dot(middle))))
}

/// Returns the hit with its feature: a face with its exact normal, or an edge.
fn reported(hit: SweepHit, shape: &dyn SupportMap, face: Option<FacePlane>) -> SweepHit {
    if hit.starts_inside {
        return hit;
    }
    let normal = match face {
        Some(face) if face.normal.dot(hit.normal) < 0.0 => -face.normal,
        Some(face) => face.normal,
        // Round shapes have no edges, and those of user shapes are unknown.
        None if shape.vertex(0).is_none() || 0.0 < shape.margin() => return hit,
        None => {
            let mut feature = carom_geom::Feature::new();
            shape.feature(hit.normal, &mut feature);
            feature.normal
        }
    };
    let is_face = (normal - hit.normal).length_squared() <= tol::CHARACTER_SAME * tol::CHARACTER_SAME;
    if is_face { SweepHit { normal, ..hit } } else { hit.on_edge(0.0) }
}
