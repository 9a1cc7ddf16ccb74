//! When two moving shapes first touch: any shape against any shape, rotation included, with a
//! proof.
//!
//! One match over the kinds, as for every other question. Convex pairs are searched as they are; of
//! the parts of a compound the earliest counts; meshes are walked in stretches of time. A body that
//! is undecided is never dropped: the bracket begins there.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.5 (moving bodies) and 4.1 (one
//! test per pair of kinds).

use super::super::num::geom::{HalfSpace, TriMesh};
use super::super::num::{Pose, Vec3, widen, widen_quat};
use super::cast_leaving::ConvexPair;
use super::shape::{Kind, Shape};
use super::{cast_mesh, cast_meshes, cast_parts, cast_turns, dispatch, field_cast, half_space, special};
use crate::impact::{self, Question};
use crate::workspace::Workspace;
use carom_ccd::{
    Clear, Impact, ImpactCounters, ImpactSettings, Motion, MotionError, Proof, Tally, TimeOfImpact,
    half_space_time_of_impact_counted,
};
use carom_geom::{SupportMap, SupportPoint};
use carom_math::{WidePose, tol};
use core::cell::Cell;
use glam::DVec3;

/// When two moving shapes first come within the target distance of each other, in the frame of the
/// motions.
///
/// Where they are in contact from the start, points and normal are those of the deepest contact
/// then. Parts are numbered as in [`super::contact`].
///
/// [`ImpactSettings::stop_at_penetration`] switched off ignores a contact at the start that does
/// not close along its normal, for each triangle and part. Triangles and parts behind the plane of
/// such a contact are ignored too, if the other shape never sinks along its normal. The bracket of
/// a later hit says nothing of the ignored contact, and a clear answer then has the distance 0.
///
/// Of a mesh or compound, and of what meets one, no more than 64 turns are followed in one cast:
/// before them a body that turns more often in all the time is known as the ball in which it turns,
/// and what comes after them is undecided, told as [`carom_ccd::Why::StepsSpent`]. Allocates where
/// meshes or compounds take part; [`cast_with`] does not.
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
    ask(a, b, &Question { motion_a, motion_b, settings: *settings, tally: &() }, memory)
}

/// [`cast_with`], and what it cost is added to `counters`: nothing that can be compared with a time
/// limit, but the same on every machine. The contact of shapes that touch from the start, and what
/// [`ImpactSettings::wants_distance`] looks at, are asked of other queries and not counted.
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
    ask(a, b, &Question { motion_a, motion_b, settings: *settings, tally }, memory)
}

/// The answer to any question.
pub(super) fn ask(
    a: &Shape,
    b: &Shape,
    asked: &Question<'_, impl Tally>,
    memory: &mut Workspace,
) -> TimeOfImpact {
    if asked.motion_a.angular() == DVec3::ZERO && asked.motion_b.angular() == DVec3::ZERO {
        return answer(a, b, asked, memory);
    }
    let (straight_a, straight_b) = (straightened(a, asked.motion_a), straightened(b, asked.motion_b));
    let motion_a = straight_a.as_ref().unwrap_or(asked.motion_a);
    let motion_b = straight_b.as_ref().unwrap_or(asked.motion_b);
    answer(a, b, &Question { motion_a, motion_b, ..*asked }, memory)
}

fn answer(a: &Shape, b: &Shape, asked: &Question<'_, impl Tally>, memory: &mut Workspace) -> TimeOfImpact {
    let settings = &asked.settings;
    let answer = pair(a, b, asked, memory);
    match answer {
        TimeOfImpact::Hit(mut impact)
            if settings.stop_at_penetration && impact.t_hi <= settings.start_time =>
        {
            let relative = b_in_a(asked, settings.start_time);
            let place = dispatch::contact(a, b, &relative, asked.target(), memory, ());
            if let Some(place) = place.filter(|place| place.distance.is_finite()) {
                let place = place.placed(&asked.motion_a.pose_at(settings.start_time));
                (impact.point_a, impact.point_b, impact.normal) =
                    (place.point_a, place.point_b, place.normal);
                (impact.part_a, impact.part_b) = (place.part_a, place.part_b);
            }
            TimeOfImpact::Hit(impact)
        }
        TimeOfImpact::Clear(clear) if settings.wants_distance && !(a.is_convex() && b.is_convex()) => {
            let distance = better_distance(clear.distance, a, b, asked, memory);
            TimeOfImpact::Clear(Clear::new(distance))
        }
        _ => answer,
    }
}

/// A ball that turns about its middle does not turn for anybody else, and what does not turn is
/// answered sooner: against a mesh by one walk through its tree, in closed form.
fn straightened(shape: &Shape, motion: &Motion) -> Option<Motion> {
    if motion.angular() == DVec3::ZERO {
        return None;
    }
    let Kind::Convex(map) = shape.kind() else { return None };
    let is_ball = map.radius() == 0.0 && map.center() == motion.local_center();
    is_ball.then(|| motion.without_turning())
}

/// The motion of a body that is at `pose` at the time 0: `center`, a point of the body in its own
/// frame, moves with the velocity `linear`, and the body turns about it by `angular`, an axis times
/// radians per unit of time.
pub fn motion_of(pose: &Pose, center: Vec3, linear: Vec3, angular: Vec3) -> Result<Motion, MotionError> {
    let rotation = widen_quat(pose.rotation);
    Motion::new(rotation, widen(pose.translation), widen(center), widen(linear), widen(angular))
}

/// B's frame in A's frame.
fn b_in_a<T>(asked: &Question<'_, T>, t: f64) -> WidePose {
    asked.motion_b.pose_at(t).relative_to(&asked.motion_a.pose_at(t))
}

pub(super) fn pair(
    a: &Shape,
    b: &Shape,
    asked: &Question<'_, impl Tally>,
    memory: &mut Workspace,
) -> TimeOfImpact {
    if let Some(answer) = cast_turns::answer(a, b, asked, memory) {
        return answer;
    }
    let over_plane = |plane: &HalfSpace, b: &dyn SupportMap| {
        let contact = |b_in_a: &WidePose, _| half_space::closest_convex(plane, b, b_in_a, ());
        ConvexPair { a: None, b, contact }.answer(asked, |asked| {
            let Question { motion_a, motion_b, settings, tally } = asked;
            half_space_time_of_impact_counted(plane.normal_wide(), motion_a, b, motion_b, settings, *tally)
        })
    };
    match (a.kind(), b.kind()) {
        (Kind::Convex(map_a), Kind::Convex(map_b)) => {
            let contact =
                |b_in_a: &WidePose, limit| special::signed(a, map_a, b, map_b, b_in_a, limit, None, ());
            let pair = ConvexPair { a: Some(map_a), b: map_b, contact };
            pair.answer(asked, |asked| match (a, b) {
                (Shape::Hull(a), Shape::Hull(b)) => impact::convex(&**a, &**b, asked),
                (Shape::Cuboid(a), Shape::Cuboid(b)) => impact::convex(a, b, asked),
                _ => impact::convex(map_a, map_b, asked),
            })
        }
        (Kind::HalfSpace(a), Kind::Convex(b)) => over_plane(a, b),
        (Kind::HalfSpace(a), Kind::HalfSpace(b)) => half_spaces(a, b, asked),
        (Kind::HalfSpace(a), Kind::Mesh(b)) => {
            // What is lowest of a mesh is lowest of its hull.
            let corners = Corners::new(b.mesh());
            let mut answer = over_plane(a, &corners);
            if let TimeOfImpact::Hit(impact) = &mut answer {
                let down = -asked.motion_b.pose_at(impact.t_hi).inverse_transform_vector(impact.normal);
                impact.part_b = corners.support(down).vertex / 3;
            }
            answer
        }
        (Kind::Mesh(a), Kind::Convex(b)) => cast_mesh::convex(a, b, asked, &mut memory.casts),
        (Kind::Mesh(a), Kind::Mesh(b)) => cast_meshes::meshes(a, b, asked, memory),
        (Kind::Field(_), Kind::Convex(_) | Kind::HalfSpace(_) | Kind::Mesh(_) | Kind::Field(_)) => {
            field_cast::cast(a, b, asked)
        }
        (Kind::Compound(a), _) => cast_parts::parts(a, b, asked, memory),
        (Kind::Convex(_), Kind::HalfSpace(_) | Kind::Mesh(_) | Kind::Field(_) | Kind::Compound(_))
        | (Kind::HalfSpace(_), Kind::Field(_) | Kind::Compound(_))
        | (Kind::Mesh(_), Kind::HalfSpace(_) | Kind::Field(_) | Kind::Compound(_))
        | (Kind::Field(_), Kind::Compound(_)) => pair(b, a, &asked.swapped(), memory).swapped(),
    }
}

/// Half-spaces overlap without end unless their normals are opposite, and stay so.
fn half_spaces(a: &HalfSpace, b: &HalfSpace, asked: &Question<'_, impl Tally>) -> TimeOfImpact {
    let Question { motion_a, motion_b, settings, .. } = asked;
    let (start, end) = (settings.start_time, settings.max_time);
    let overlap_at = |t: f64| {
        let place = half_space::closest_half_space(a, b, &b_in_a(asked, t), ());
        (place.distance == f64::NEG_INFINITY).then_some(place)
    };
    // The first of ever shorter times at which they surely cross.
    let mut found = overlap_at(start).map(|place| (start, place));
    let mut time = end - start;
    while found.is_none() && 0.0 < time && motion_a.angular() != motion_b.angular() {
        let Some(place) = overlap_at(start + time) else { break };
        found = Some((start + time, place));
        while let Some(place) = overlap_at(start + 0.5 * time) {
            time *= 0.5;
            found = Some((start + time, place));
        }
    }
    let Some((t, place)) = found else {
        // Opposite all the time, to rounding: B's plane is that of its origin.
        let point = &crate::ray_convex::Point;
        let contact = |b_in_a: &WidePose, _| half_space::closest_convex(a, point, b_in_a, ());
        return ConvexPair { a: None, b: point, contact }.answer(asked, |asked| {
            let Question { motion_a, motion_b, settings, tally } = asked;
            half_space_time_of_impact_counted(a.normal_wide(), motion_a, point, motion_b, settings, *tally)
        });
    };
    let place = place.placed(&motion_a.pose_at(t));
    let points = [place.point_a, place.point_b];
    TimeOfImpact::Hit(Impact::new([start, t], points, place.normal, Proof::Overlap))
}

/// A better lower bound of the distance of bodies that do not meet: with a target just below the
/// nearest that they were seen.
fn better_distance(
    known: f64,
    a: &Shape,
    b: &Shape,
    asked: &Question<'_, impl Tally>,
    memory: &mut Workspace,
) -> f64 {
    let settings = &asked.settings;
    let (start, time) = (settings.start_time, settings.max_time - settings.start_time);
    let mut nearest = f64::INFINITY;
    for i in 0..=LOOKS {
        let relative = b_in_a(asked, start + time * (f64::from(i) / f64::from(LOOKS)));
        nearest = nearest.min(dispatch::distance(a, b, &relative, nearest, memory, ()).distance);
    }
    let mut best = known;
    for _ in 0..MOST_ASKED_AGAIN {
        let target = tol::IMPACT_DISTANCE * nearest;
        if !(best < target && target < f64::INFINITY) {
            break;
        }
        let settings = settings.with_target_distance(target).with_distance(false);
        match pair(a, b, &Question { settings, ..*asked }, memory) {
            TimeOfImpact::Clear(clear) => {
                best = best.max(clear.distance);
                break;
            }
            TimeOfImpact::Hit(impact) => match impact.proof {
                Proof::Within(distance) if distance < nearest => nearest = distance,
                _ => break,
            },
            TimeOfImpact::Undecided(_) => break,
        }
    }
    best
}

/// Intervals at whose ends the distance is looked at.
const LOOKS: u32 = 8;

/// How often a better distance is asked for.
const MOST_ASKED_AGAIN: u32 = 6;

/// The corners of a mesh as a support map, by looking at all of them; the number of a corner is
/// three times that of its triangle and more.
struct Corners<'a> {
    mesh: &'a TriMesh,
    center: DVec3,
    radius: f64,
}

impl Corners<'_> {
    fn new(mesh: &TriMesh) -> Corners<'_> {
        let (low, high) = mesh.wide_bounds();
        let center = low * 0.5 + high * 0.5;
        let farthest = (high - center).max(center - low);
        Corners { mesh, center, radius: farthest.length() * (1.0 + 8.0 * f64::EPSILON) }
    }
}

impl SupportMap for Corners<'_> {
    fn support(&self, direction: DVec3) -> SupportPoint {
        let mut best = (f64::NEG_INFINITY, SupportPoint { point: self.center, vertex: 0 });
        for (number, corner) in self.mesh.iter_corners().flatten().enumerate() {
            let height = direction.dot(corner);
            if best.0 < height {
                best = (height, SupportPoint { point: corner, vertex: number as u32 });
            }
        }
        best.1
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn radius(&self) -> f64 {
        self.radius
    }
}
