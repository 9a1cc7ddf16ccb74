//! Time of impact of any two moving shapes, rotation included, with a proof.
//!
//! The pair of kinds selects the algorithm, as for every other query. A convex pair is one search.
//! A compound or a cluster takes the earliest impact of its parts. Meshes are searched interval by
//! interval. If a pair is undecided, the bracket begins there, so no impact is dropped. Shapes
//! that touch at that time are searched once more from a little later. If they overlap there, that
//! is a hit.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.5 (moving bodies) and 4.1 (one
//! test per pair of kinds).

use super::super::num::{Pose, Vec3, widen, widen_quat};
use super::method::{ConvexMethod, ConvexShapes, Method, method};
use super::part_list::PartList;
use super::shape::{Shape, ShapeKind};
use super::{cast_parts, cast_turns, closed_form, dispatch};
use crate::cast_distance::better_distance;
use crate::cast_leaving::ConvexPair;
use crate::impact::{self, CastQuery};
use crate::workspace::Workspace;
use crate::{cast_mesh, cast_meshes, cast_planes, field_cast};
use carom_ccd::{Clear, ImpactCounters, ImpactSettings, Motion, MotionError, Tally, TimeOfImpact, Why};
use carom_geom::SupportMap as _;
use carom_math::{WidePose, scaling};
use core::cell::Cell;
use glam::DVec3;

/// Returns when two moving shapes first come within the target distance of each other, in the frame
/// of the motions.
///
/// If they are in contact at the start, points and normal are those of the deepest contact at that
/// time. Parts are numbered as in [`super::contact`].
///
/// If [`ImpactSettings::stop_at_penetration`] is off, a contact at the start is ignored if it does
/// not close along its normal. This is decided separately for each triangle and part. Triangles
/// and parts behind the plane of an ignored contact are ignored too, if the other shape does not
/// sink along its normal. The bracket of a later hit does not cover the ignored contact. If a
/// contact was ignored, a clear answer has the distance 0.
///
/// The number of revolutions is limited for all pairs but two convex shapes and pairs with a
/// half-space. A body that makes more than 64 revolutions in the time searched is first replaced
/// by a ball about its centre of rotation. From the contact of that ball the cast follows the true
/// shape for 63 revolutions. If they bring no contact, the answer is undecided with
/// [`carom_ccd::Why::StepsSpent`].
///
/// Allocates if a mesh, a compound or a cluster takes part. [`cast_with`] allocates only until its
/// memory has grown.
pub fn cast(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    settings: &ImpactSettings,
) -> TimeOfImpact {
    cast_with(a, motion_a, b, motion_b, settings, &mut Workspace::default())
}

/// [`cast`] in memory that the caller keeps.
pub fn cast_with(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    settings: &ImpactSettings,
    memory: &mut Workspace,
) -> TimeOfImpact {
    cast_any(a, b, &CastQuery { motion_a, motion_b, settings: *settings, tally: &() }, memory)
}

/// [`cast_with`], with its cost added to `counters`. Counts are not times, but they are the same
/// on every machine. Two results come from other queries, which are not counted: the contact of
/// shapes that touch at the start, and the distances for [`ImpactSettings::wants_distance`].
pub fn cast_counted(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    settings: &ImpactSettings,
    memory: &mut Workspace,
    counters: &mut ImpactCounters,
) -> TimeOfImpact {
    let tally = Cell::from_mut(counters);
    cast_any(a, b, &CastQuery { motion_a, motion_b, settings: *settings, tally }, memory)
}

/// Dispatches a cast to the algorithm of its pair of kinds.
pub(super) fn cast_any(
    a: &Shape,
    b: &Shape,
    query: &CastQuery<'_, impl Tally>,
    memory: &mut Workspace,
) -> TimeOfImpact {
    if query.motion_a.angular() == DVec3::ZERO && query.motion_b.angular() == DVec3::ZERO {
        return answer(a, b, query, memory);
    }
    let (straight_a, straight_b) = (straightened(a, query.motion_a), straightened(b, query.motion_b));
    let motion_a = straight_a.as_ref().unwrap_or(query.motion_a);
    let motion_b = straight_b.as_ref().unwrap_or(query.motion_b);
    answer(a, b, &CastQuery { motion_a, motion_b, ..*query }, memory)
}

fn answer(a: &Shape, b: &Shape, query: &CastQuery<'_, impl Tally>, memory: &mut Workspace) -> TimeOfImpact {
    let query = &until_departure(a, b, query);
    let settings = &query.settings;
    let (mut answer, mut begin) = (pair(a, b, query, memory), settings.start_time);
    if let Some(safe) = touching_since(a, b, query, &answer)
        && let Some(later) = a_little_later(a, b, query, safe)
        && answer.hit().is_none_or(|impact| later < impact.t_hi)
        && let TimeOfImpact::Hit(mut impact) =
            pair(a, b, &query.with_times([later, settings.max_time]), memory)
        && impact.t_hi <= later
    {
        impact.t_lo = safe;
        (answer, begin) = (TimeOfImpact::Hit(impact), later);
    }
    match answer {
        TimeOfImpact::Hit(mut impact) if settings.stop_at_penetration && impact.t_hi <= begin => {
            let relative = query.b_in_a(begin);
            let found = dispatch::contact(a, b, &relative, query.target(), memory, ());
            if let Some(closest) = found.filter(|closest| closest.distance.is_finite()) {
                let closest = closest.placed(&query.motion_a.pose_at(begin));
                (impact.point_a, impact.point_b, impact.normal) =
                    (closest.point_a, closest.point_b, closest.normal);
                (impact.part_a, impact.part_b) = (closest.part_a, closest.part_b);
            }
            TimeOfImpact::Hit(impact)
        }
        TimeOfImpact::Clear(clear) if settings.wants_distance && !(a.is_convex() && b.is_convex()) => {
            let distance_at = |b_in_a: &WidePose, limit: f64, memory: &mut Workspace| {
                dispatch::distance(a, b, b_in_a, limit, memory, ()).distance
            };
            let cast = |query: &CastQuery<'_, _>, memory: &mut Workspace| pair(a, b, query, memory);
            let distance = better_distance(clear.distance, query, memory, distance_at, cast);
            TimeOfImpact::Clear(Clear::new(distance))
        }
        _ => answer,
    }
}

/// Returns the time at which the shapes may only touch; `None` if a search from a little later
/// cannot improve the answer.
///
/// A hit of a mesh or of several parts can be late: it is that of another part if the first one
/// only touches.
fn touching_since(
    a: &Shape,
    b: &Shape,
    query: &CastQuery<'_, impl Tally>,
    answer: &TimeOfImpact,
) -> Option<f64> {
    match answer {
        TimeOfImpact::Undecided(undecided) if undecided.why == Why::WithinRounding => Some(undecided.t_safe),
        TimeOfImpact::Hit(impact) if query.target() == 0.0 && !(a.is_convex() && b.is_convex()) => {
            Some(impact.t_lo)
        }
        _ => None,
    }
}

/// Returns a time after `t` until which the shapes sink into each other by no more than the
/// tolerance of the search; `None` if rounding leaves no such time.
fn a_little_later(a: &Shape, b: &Shape, query: &CastQuery<'_, impl Tally>, t: f64) -> Option<f64> {
    let CastQuery { motion_a, motion_b, settings, .. } = query;
    let balls = [ball_around(a), ball_around(b)];
    let size = balls.iter().flatten().map(|(_, radius)| *radius).fold(f64::INFINITY, f64::min);
    let between = scaling::length(motion_b.center_at(t) - motion_a.center_at(t));
    // No point of contact is farther from either centre than both bodies reach from the other.
    let reach = |ball: Option<(DVec3, f64)>, motion: &Motion| {
        let (center, radius) = ball.unwrap_or((motion.local_center(), 0.0));
        scaling::length(center - motion.local_center()) + radius
    };
    let arm = between + reach(balls[0], motion_a) + reach(balls[1], motion_b);
    let turned = arm * (scaling::length(motion_a.angular()) + scaling::length(motion_b.angular()));
    let speed = scaling::length(motion_b.linear() - motion_a.linear()) + turned;
    let later = (t + settings.tolerance.max(0.0) * size / speed).min(settings.max_time);
    (t < later && later.is_finite()).then_some(later)
}

/// Returns the same cast, which ends when the bodies have passed each other if it would end much
/// later. For an unbounded shape only an infinite end becomes finite.
fn until_departure<'q, T>(a: &Shape, b: &Shape, query: &CastQuery<'q, T>) -> CastQuery<'q, T> {
    let CastQuery { motion_a, motion_b, settings, tally } = *query;
    let start = settings.start_time;
    let between = scaling::length(motion_b.center_at(start) - motion_a.center_at(start));
    let path = scaling::length(motion_b.linear() - motion_a.linear()) * (settings.max_time - start);
    // No shapes are so small that they need less time.
    if path <= SHORT_PATH * between {
        return *query;
    }
    let ball = |shape: &Shape| ball_around(shape).unwrap_or((DVec3::ZERO, f64::INFINITY));
    let settings = settings.until_departure(ball(a), motion_a, ball(b), motion_b);
    CastQuery { motion_a, motion_b, settings, tally }
}

/// Returns a ball around a shape in its frame: centre and radius. `None` if the shape is unbounded.
pub(super) fn ball_around(shape: &Shape) -> Option<(DVec3, f64)> {
    match shape.kind() {
        ShapeKind::Convex(map) => Some((map.center(), map.radius() + map.margin())),
        ShapeKind::HalfSpace(_) => None,
        ShapeKind::Mesh(_) | ShapeKind::Field(_) | ShapeKind::Cluster(_) | ShapeKind::Compound(_) => {
            let around = shape.around()?;
            Some((around.center(), around.radius()))
        }
    }
}

/// Returns an equivalent motion without rotation for a ball that turns about its centre. `None`
/// for any other shape, and for a motion that does not turn. A cast without rotation is faster:
/// against a mesh it is one closed-form walk through the tree.
fn straightened(shape: &Shape, motion: &Motion) -> Option<Motion> {
    if motion.angular() == DVec3::ZERO {
        return None;
    }
    let ShapeKind::Convex(map) = shape.kind() else { return None };
    let is_ball = map.radius() == 0.0 && map.center() == motion.local_center();
    is_ball.then(|| motion.without_turning())
}

/// Returns the motion of a body that is at `pose` at time 0. The point `center` of the body, in
/// its own frame, moves with the velocity `linear`. The body turns about it by `angular`: an axis
/// times radians per unit of time. All but `center` are in the world frame. The error says which
/// number is not finite, or that the rotation has no unit length.
pub fn motion_of(pose: &Pose, center: Vec3, linear: Vec3, angular: Vec3) -> Result<Motion, MotionError> {
    let rotation = widen_quat(pose.rotation);
    Motion::new(rotation, widen(pose.translation), widen(center), widen(linear), widen(angular))
}

/// Returns the answer of the algorithm that [`super::method`] names.
fn pair<T: Tally>(a: &Shape, b: &Shape, query: &CastQuery<'_, T>, memory: &mut Workspace) -> TimeOfImpact {
    if let Some(answer) = cast_turns::answer(a, b, query, memory, pair) {
        return answer;
    }
    let of_part = |part: &Shape, query: &CastQuery<'_, T>, memory: &mut Workspace| {
        pair(part, b, &until_departure(part, b, query), memory)
    };
    match method(a, b) {
        Method::Convex(shapes) => {
            let ConvexShapes { map_a, map_b, .. } = shapes;
            let contact = |b_in_a: &WidePose, limit| closed_form::signed(shapes, b_in_a, limit, None, ());
            let pair = ConvexPair { a: Some(map_a), b: map_b, contact };
            pair.answer(query, |query| match shapes.method() {
                ConvexMethod::Hulls(a, b) => impact::convex(a, b, query),
                ConvexMethod::Boxes(a, b) => impact::convex(a, b, query),
                ConvexMethod::ClosedForm { .. } | ConvexMethod::Search => impact::convex(map_a, map_b, query),
            })
        }
        Method::PlaneConvex(a, b) => cast_planes::convex(a.normal_wide(), b, query),
        Method::Planes(a, b) => cast_planes::half_spaces(a.normal_wide(), b.normal_wide(), query),
        Method::PlaneMesh(a, b) => cast_planes::mesh(a.normal_wide(), b.mesh(), query),
        Method::MeshConvex(a, b) => cast_mesh::convex(a, b, query, &mut memory.casts),
        Method::Meshes(a, b) => cast_meshes::meshes(a, b, query, memory),
        Method::Field(field, other) => field_cast::cast(field, a.around(), &other, b.around(), query),
        Method::Cluster(a) => cast_parts::parts(&PartList::Cluster(a), b, query, memory, of_part),
        Method::Parts(a) => cast_parts::parts(&PartList::Compound(a), b, query, memory, of_part),
        Method::Swapped => pair(b, a, &query.swapped(), memory).swapped(),
    }
}

/// In distances of the centres: a search over a shorter path keeps its end.
const SHORT_PATH: f64 = 1024.0;
