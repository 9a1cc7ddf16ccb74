//! Casts of meshes and compounds that rotate too often to be followed: a bounding ball replaces
//! them at first.
//!
//! Time is halved until a body rotates little in each interval. Without a limit the work would grow
//! with the spin: two meshes of four triangles took half a minute at 1e8 radians.
//!
//! A body with more than [`MAX_TURNS`] revolutions in the given time is replaced by the ball about
//! its centre of rotation, until that ball touches. From there it is followed for about that many
//! revolutions. A contact within these is reported as usual. Later times are undecided.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11 (the ball in which a body
//! turns).

use super::super::num::{above, geom::Sphere};
use super::shape::{Shape, ShapeKind};
use crate::impact::CastQuery;
use crate::workspace::Workspace;
use carom_ccd::{Clear, Motion, Tally, TimeOfImpact, Undecided, Why};
use carom_geom::SupportMap;
use carom_math::scaling::length;
use core::f64::consts::TAU;
use glam::{DQuat, DVec3};

/// Revolutions in the given time above which a body is not followed all the way.
const MAX_TURNS: f64 = 64.0;

/// In radians. After a larger rotation the angle is not known to a thousandth.
const MAX_KNOWN_ANGLE: f64 = (1_u64 << 40) as f64;

/// Bound of the relative rounding of a radius, or of a sum that contains one.
const ROUNDING_FACTOR: f64 = 1.0 + 64.0 * f64::EPSILON;

/// Returns the answer if one of the shapes rotates too often. `None` if neither does, or if one
/// search is enough. `cast` is the cast of any two shapes.
pub(super) fn answer<T: Tally>(
    a: &Shape,
    b: &Shape,
    query: &CastQuery<'_, T>,
    memory: &mut Workspace,
    cast: impl Fn(&Shape, &Shape, &CastQuery<'_, T>, &mut Workspace) -> TimeOfImpact,
) -> Option<TimeOfImpact> {
    let (start, end) = (query.settings.start_time, query.settings.max_time);
    let [motion_a, motion_b] = [query.motion_a, query.motion_b];
    let turns_often = [motion_a, motion_b].map(|motion| turns_too_often(motion, end - start));
    if turns_often == [false, false] {
        return None;
    }
    match (a.kind(), b.kind()) {
        (ShapeKind::HalfSpace(_), _)
        | (_, ShapeKind::HalfSpace(_))
        | (ShapeKind::Convex(_), ShapeKind::Convex(_)) => {
            return None;
        }
        _ => {}
    }
    let radii = [radius(a, motion_a), radius(b, motion_b)];
    let ball = |k: usize, motion: &Motion| {
        let ball = radii[k].filter(|_| turns_often[k]).and_then(|radius| Sphere::new(above(radius)).ok())?;
        let position = motion.center_at(0.0);
        let center_motion =
            Motion::new(DQuat::IDENTITY, position, DVec3::ZERO, motion.linear(), DVec3::ZERO).ok()?;
        Some((Shape::Sphere(ball), center_motion))
    };
    let (ball_a, ball_b) = (ball(0, motion_a), ball(1, motion_b));
    if ball_a.is_none() && ball_b.is_none() {
        // The body that rotates too often is unbounded, but its parts may be bounded.
        return None;
    }
    let (shape_a, motion_a) =
        ball_a.as_ref().map_or((a, motion_a), |(ball, ball_motion)| (ball, ball_motion));
    let (shape_b, motion_b) =
        ball_b.as_ref().map_or((b, motion_b), |(ball, ball_motion)| (ball, ball_motion));
    // A little above the target, so that ignored shapes are surely apart.
    let (target, tolerance) = (query.target(), query.settings.tolerance.max(0.0));
    let smaller = radii.into_iter().flatten().fold(f64::INFINITY, f64::min);
    let room = (target + tolerance * smaller).max(target * ROUNDING_FACTOR);
    let settings =
        query.settings.with_target_distance(room).with_distance(false).with_stop_at_penetration(true);
    let balls = CastQuery { motion_a, motion_b, settings, tally: query.tally };
    let balls = cast(shape_a, shape_b, &balls, memory);
    if let TimeOfImpact::Clear(_) = balls {
        return Some(balls);
    }
    let from = balls.safe_until(end);
    // Until then the balls contain both shapes.
    let undecided = |t: f64, why| {
        let between = length(query.motion_b.center_at(t) - query.motion_a.center_at(t));
        let farthest = radii.into_iter().fold(between, |sum, radius| sum + radius.unwrap_or(f64::INFINITY))
            * ROUNDING_FACTOR;
        let farthest = if farthest.is_nan() { f64::INFINITY } else { farthest };
        Some(TimeOfImpact::Undecided(Undecided::new(t, farthest, why)))
    };
    let rate = length(query.motion_a.angular()).max(length(query.motion_b.angular()));
    if MAX_KNOWN_ANGLE < rate * from.abs() {
        return undecided(from, Why::WithinRounding);
    }
    // Rounding of the sum is far below one revolution. If the square of the rate overflows, only
    // one instant is searched.
    let time = if (rate * rate).is_finite() { (MAX_TURNS - 1.0) * TAU / rate } else { 0.0 };
    let until = (from + time).min(end);
    let mut followed = query.with_times([from, until]);
    // Shapes whose balls are apart at first have no contact at the start.
    followed.settings.stop_at_penetration |= start < from;
    match cast(a, b, &followed, memory) {
        TimeOfImpact::Clear(clear) if end <= until => {
            Some(TimeOfImpact::Clear(Clear::new(clear.distance.min(room))))
        }
        TimeOfImpact::Clear(_) => undecided(until, Why::StepsSpent),
        near => Some(near),
    }
}

/// Whether a body makes more revolutions in this time than are followed.
fn turns_too_often(motion: &Motion, time: f64) -> bool {
    let most = MAX_TURNS * TAU;
    // False for NaN.
    most * most < motion.angular().length_squared() * (time * time)
}

/// Returns the radius of the ball about the centre of rotation that contains the shape at any
/// angle; `None` for an unbounded shape.
fn radius(shape: &Shape, motion: &Motion) -> Option<f64> {
    let around = shape.around()?;
    let radius = (length(around.center() - motion.local_center()) + around.radius()) * ROUNDING_FACTOR;
    radius.is_finite().then_some(radius)
}
