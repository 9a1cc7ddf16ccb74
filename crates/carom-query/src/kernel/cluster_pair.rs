//! A cluster against any shape, part by part. The caller passes the query of one part, and of a box
//! of the tree.

use super::super::num::geom::Cuboid;
use super::super::num::{Vec3, above};
use super::cluster::Cluster;
use super::shape::{Shape, ShapeKind};
use crate::closest::Closest;
use crate::cluster_search::{self, Other, at};
use crate::cost::Count;
use crate::workspace::Workspace;
use carom_math::WidePose;
use core::ops::ControlFlow;
use glam::DVec3;

/// Whether a shape touches B, which has this pose in its frame.
pub(super) type Touches<'f> = dyn Fn(&Shape, &WidePose) -> bool + 'f;

/// Returns the distance of a shape from B, which has this pose in its frame, up to a limit.
pub(super) type DistanceOf<'f> = dyn Fn(&Shape, &WidePose, f64, &mut Workspace) -> Closest + 'f;

/// Returns the pose in a part with this centre of a shape that has this pose in the cluster.
///
/// [`WidePose::relative_to`] would also multiply the rotation by that of the part, which is the
/// identity.
fn in_part(pose: &WidePose, center: DVec3) -> WidePose {
    WidePose { translation: pose.translation - center, ..*pose }
}

/// Returns B as the search takes it.
fn other(a: &dyn Cluster, b: &Shape, b_in_a: &WidePose) -> Other {
    if let ShapeKind::Convex(map) = b.kind()
        && let Some(around) = b.around()
    {
        return Other::convex(&a.tree().bounds(), map, &around, b_in_a);
    }
    // Boxes are no bounds of a field: one costs more there than a ball.
    let is_exact = !matches!(b.kind(), ShapeKind::Field(_));
    Other::new(&b.placed_box(b_in_a), b_in_a, is_exact)
}

/// Returns a box as a shape. `None` if it exceeds the range of numbers.
fn solid(half: DVec3) -> Option<Shape> {
    let half = Vec3::new(above(half.x), above(half.y), above(half.z));
    Some(Shape::Cuboid(Cuboid::new(half).ok()?))
}

/// Visits the numbers of the parts whose boxes may be within `limit` of B, unsorted.
pub(super) fn visit_near(
    a: &dyn Cluster,
    b: &Shape,
    b_in_a: &WidePose,
    limit: f64,
    touches: &Touches<'_>,
    count: impl Count,
    part: &mut dyn FnMut(u32) -> ControlFlow<()>,
) {
    let touches_box = |[center, half]: [DVec3; 2]| {
        solid(half).is_none_or(|solid| touches(&solid, &in_part(b_in_a, center)))
    };
    cluster_search::visit_near(a, &other(a, b, b_in_a), limit, &touches_box, count, part);
}

/// Whether a part touches or overlaps B.
pub(super) fn intersects(
    a: &dyn Cluster,
    b: &Shape,
    b_in_a: &WidePose,
    touches: &Touches<'_>,
    count: impl Count,
) -> bool {
    let mut found = false;
    visit_near(a, b, b_in_a, 0.0, touches, count, &mut |number| {
        let (part, center) = a.part(number);
        found = touches(&part.into(), &in_part(b_in_a, center));
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

/// Returns the least distance of a part from B; stops early above `max_distance`.
pub(super) fn distance(
    a: &dyn Cluster,
    b: &Shape,
    b_in_a: &WidePose,
    max_distance: f64,
    distance: &DistanceOf<'_>,
    memory: &mut Workspace,
    count: impl Count,
) -> Closest {
    nearest(a, b, b_in_a, (max_distance, true), [distance; 2], memory, count)
}

/// Returns the deepest or nearest contact of a part with B. `contact` returns that of one part;
/// `distance` is for boxes of the tree.
pub(super) fn contact(
    a: &dyn Cluster,
    b: &Shape,
    b_in_a: &WidePose,
    prediction: f64,
    [distance, contact]: [&DistanceOf<'_>; 2],
    memory: &mut Workspace,
    count: impl Count,
) -> Option<Closest> {
    let mut closest = nearest(a, b, b_in_a, (prediction, false), [distance, contact], memory, count);
    closest.is_local = true;
    (closest.distance <= prediction).then_some(closest)
}

/// Returns the answer of the part with the least distance up to a limit; [`Closest::NOWHERE`] if
/// there is none. See [`cluster_search::nearest`]. Takes the answers of a box and of a part.
fn nearest(
    a: &dyn Cluster,
    b: &Shape,
    b_in_a: &WidePose,
    limit: (f64, bool),
    [of_box, of_part]: [&DistanceOf<'_>; 2],
    memory: &mut Workspace,
    count: impl Count,
) -> Closest {
    let of_box = |[center, half]: [DVec3; 2], limit: f64, memory: &mut Workspace| {
        Some(of_box(&solid(half)?, &in_part(b_in_a, center), limit, memory))
    };
    let of_part = |number: u32, limit: f64, memory: &mut Workspace| {
        let (part, center) = a.part(number);
        of_part(&part.into(), &in_part(b_in_a, center), limit, memory)
    };
    let other = other(a, b, b_in_a);
    let found = cluster_search::nearest(a, &other, limit, &of_box, &of_part, memory, count);
    found.map_or(Closest::NOWHERE, |closest| closest.placed(&at(a.part(closest.part_a).1)))
}
