//! Two convex shapes: the closed forms of balls, boxes and capsules, and the search for all others.
//!
//! The depth of two boxes is the least of fifteen overlaps.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.1 (one test per pair of kinds).

use super::super::num::geom::{Capsule, Cuboid, Sphere};
use super::super::num::sat::box_depth::{self, BoxDepth};
use super::super::num::{widen, widen_real};
use super::method::{ConvexMethod, ConvexShapes, RoundPair};
use crate::closest::Closest;
use crate::convex;
use crate::cost::Count;
use crate::hull_pair;
use crate::manifold_cache::ManifoldCache;
use crate::round_cores::{
    Cores, Stick, capsule_capsule, capsule_sphere, cuboid_capsule, cuboid_sphere, sphere_sphere,
};
use carom_math::WidePose;
use glam::DVec3;

/// Whether two convex shapes touch or overlap.
pub(super) fn intersects(shapes: ConvexShapes<'_>, b_in_a: &WidePose, count: impl Count) -> bool {
    count.add_pair();
    let known = match shapes.method() {
        ConvexMethod::Hulls(a, b) => Some(convex::intersects(a, b, b_in_a, count)),
        ConvexMethod::Boxes(a, b) => {
            box_depth::intersects_counted(a.half_extents(), b.half_extents(), b_in_a, count)
        }
        ConvexMethod::ClosedForm { pair, is_swapped } => {
            cores_of(&pair, is_swapped, b_in_a).map(|cores| cores.signed() <= 0.0)
        }
        ConvexMethod::Search => None,
    };
    known.unwrap_or_else(|| convex::intersects(shapes.map_a, shapes.map_b, b_in_a, count))
}

/// Returns the distance of two convex shapes, 0 if they overlap. Beyond `max_distance` it may be
/// only an upper bound.
pub(super) fn distance(
    shapes: ConvexShapes<'_>,
    b_in_a: &WidePose,
    max_distance: f64,
    cache: Option<&mut ManifoldCache>,
    count: impl Count,
) -> Closest {
    count.add_pair();
    match shapes.method() {
        ConvexMethod::Hulls(a, b) => return hull_pair::distance(a, b, b_in_a, max_distance, cache, count),
        ConvexMethod::ClosedForm { pair, is_swapped } => {
            if let Some(cores) = cores_of(&pair, is_swapped, b_in_a) {
                return in_order(cores.distance(), is_swapped, b_in_a);
            }
        }
        ConvexMethod::Boxes(..) | ConvexMethod::Search => {}
    }
    convex::distance(
        shapes.map_a,
        shapes.map_b,
        b_in_a,
        max_distance,
        cache.map(|cache| &mut cache.gjk),
        count,
    )
}

/// Returns the signed distance of two convex shapes. Beyond `max_distance` it may be only an upper
/// bound.
pub(super) fn signed(
    shapes: ConvexShapes<'_>,
    b_in_a: &WidePose,
    max_distance: f64,
    cache: Option<&mut ManifoldCache>,
    count: impl Count,
) -> Closest {
    count.add_pair();
    match shapes.method() {
        ConvexMethod::Hulls(a, b) => return hull_pair::signed(a, b, b_in_a, max_distance, cache, count),
        ConvexMethod::Boxes(a, b) => {
            if let Some(BoxDepth { depth, point_a, point_b, normal, .. }) =
                box_depth::depth_counted(a.half_extents(), b.half_extents(), b_in_a, count)
            {
                return Closest::new(-depth, point_a, point_b, normal);
            }
        }
        ConvexMethod::ClosedForm { pair, is_swapped } => {
            if let Some(cores) = cores_of(&pair, is_swapped, b_in_a) {
                return in_order(cores.closest(), is_swapped, b_in_a);
            }
        }
        ConvexMethod::Search => {}
    }
    convex::signed(shapes.map_a, shapes.map_b, b_in_a, max_distance, cache.map(|cache| &mut cache.gjk), count)
}

/// Returns an answer about a [`RoundPair`] as one about A and B, in A's frame.
#[inline]
fn in_order(closest: Closest, is_swapped: bool, b_in_a: &WidePose) -> Closest {
    if is_swapped { closest.swapped(&b_in_a.inverse()) } else { closest }
}

/// Returns the cores in the frame of the first shape of the pair. `None` if the formula has no
/// answer.
#[inline]
fn cores_of(pair: &RoundPair<'_>, is_swapped: bool, b_in_a: &WidePose) -> Option<Cores> {
    let second = if is_swapped { b_in_a.inverse() } else { *b_in_a };
    let (center, along, axis, side) = (second.translation, second.rotation.y_axis, DVec3::Y, DVec3::X);
    match pair {
        RoundPair::Spheres(a, b) => Some(sphere_sphere(ball(a), ball(b), center)),
        RoundPair::CuboidSphere(a, b) => Some(cuboid_sphere(half_of(a), ball(b), center)),
        RoundPair::CapsuleSphere(a, b) => Some(capsule_sphere(stick(a), axis, side, ball(b), center)),
        RoundPair::Capsules(a, b) => Some(capsule_capsule(stick(a), axis, side, stick(b), center, along)),
        RoundPair::CuboidCapsule(a, b) => cuboid_capsule(half_of(a), stick(b), center, along),
    }
}

/// Returns the radius of a ball.
#[inline(always)]
pub(super) fn ball(shape: &Sphere) -> f64 {
    widen_real(shape.radius())
}

/// Returns half the length of a capsule's segment, and its radius.
#[inline(always)]
pub(super) fn stick(shape: &Capsule) -> Stick {
    Stick { half: widen_real(shape.half_height()), margin: widen_real(shape.radius()) }
}

/// Returns the half extents of a box.
#[inline(always)]
pub(super) fn half_of(shape: &Cuboid) -> DVec3 {
    widen(shape.half_extents())
}
