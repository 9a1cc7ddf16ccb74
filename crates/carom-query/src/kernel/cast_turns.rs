//! Casts of meshes and compounds that turn too often for their turning to be followed: as the balls
//! in which they turn.
//!
//! Stretches of time are halved until a body turns little in each, so without a bound the work
//! grows with the spin: two meshes of four triangles, one of which turned by 1e8 radians, took half
//! a minute. What turns more often than [`MOST_TURNS`] in the time asked about is replaced by the
//! ball about the point about which it turns, up to where that touches. From there it is followed
//! for as long as it turns about so often: a contact that shows in that is told as any other, and
//! what comes later is not decided.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11 (the ball in which a body
//! turns).

use super::super::num::{above, geom::Sphere};
use super::cast::pair;
use super::cast_parts::Around;
use super::shape::{Kind, Shape};
use crate::impact::Question;
use crate::workspace::Workspace;
use carom_ccd::{Clear, Motion, Tally, TimeOfImpact, Undecided, Why};
use carom_geom::SupportMap;
use carom_math::scaling::length;
use core::f64::consts::TAU;
use glam::{DQuat, DVec3};

/// A body that turns more often in the time asked about is not followed all the way.
const MOST_TURNS: f64 = 64.0;

/// In radians: of a body that has turned by more, the angle is not known to a thousandth.
const MOST_KNOWN: f64 = (1_u64 << 40) as f64;

/// What adding up a radius and rounding a ball off take.
const UP: f64 = 1.0 + 64.0 * f64::EPSILON;

/// The answer for shapes one of which turns too often; `None` where neither does, or where one
/// search says all.
pub(super) fn answer(
    a: &Shape,
    b: &Shape,
    asked: &Question<'_, impl Tally>,
    memory: &mut Workspace,
) -> Option<TimeOfImpact> {
    let (start, end) = (asked.settings.start_time, asked.settings.max_time);
    let [motion_a, motion_b] = [asked.motion_a, asked.motion_b];
    let turns_often = [motion_a, motion_b].map(|motion| turns_too_often(motion, end - start));
    if turns_often == [false, false] {
        return None;
    }
    match (a.kind(), b.kind()) {
        (Kind::HalfSpace(_), _) | (_, Kind::HalfSpace(_)) | (Kind::Convex(_), Kind::Convex(_)) => {
            return None;
        }
        _ => {}
    }
    let radii = [radius(a, motion_a), radius(b, motion_b)];
    let ball = |k: usize, motion: &Motion| {
        let ball = radii[k].filter(|_| turns_often[k]).and_then(|radius| Sphere::new(above(radius)).ok())?;
        let place = motion.center_at(0.0);
        let way = Motion::new(DQuat::IDENTITY, place, DVec3::ZERO, motion.linear(), DVec3::ZERO).ok()?;
        Some((Shape::Sphere(ball), way))
    };
    let (ball_a, ball_b) = (ball(0, motion_a), ball(1, motion_b));
    if ball_a.is_none() && ball_b.is_none() {
        // Without end. Its parts may have one.
        return None;
    }
    let (shape_a, motion_a) = ball_a.as_ref().map_or((a, motion_a), |(ball, way)| (ball, way));
    let (shape_b, motion_b) = ball_b.as_ref().map_or((b, motion_b), |(ball, way)| (ball, way));
    // A little above the target, so that what is left out is surely apart.
    let (target, tolerance) = (asked.target(), asked.settings.tolerance.max(0.0));
    let smaller = radii.into_iter().flatten().fold(f64::INFINITY, f64::min);
    let room = (target + tolerance * smaller).max(target * UP);
    let settings =
        asked.settings.with_target_distance(room).with_distance(false).with_stop_at_penetration(true);
    let balls = Question { motion_a, motion_b, settings, tally: asked.tally };
    let balls = pair(shape_a, shape_b, &balls, memory);
    if let TimeOfImpact::Clear(_) = balls {
        return Some(balls);
    }
    let from = balls.safe_until(end);
    // Until then the balls hold both.
    let undecided = |t: f64, why| {
        let between = length(asked.motion_b.center_at(t) - asked.motion_a.center_at(t));
        let farthest =
            radii.into_iter().fold(between, |sum, radius| sum + radius.unwrap_or(f64::INFINITY)) * UP;
        let farthest = if farthest.is_nan() { f64::INFINITY } else { farthest };
        Some(TimeOfImpact::Undecided(Undecided::new(t, farthest, why)))
    };
    let rate = length(asked.motion_a.angular()).max(length(asked.motion_b.angular()));
    if MOST_KNOWN < rate * from.abs() {
        return undecided(from, Why::WithinRounding);
    }
    // The sum rounds off far less than a turn. What turns so fast that its square is no number is
    // seen at one time only.
    let time = if (rate * rate).is_finite() { (MOST_TURNS - 1.0) * TAU / rate } else { 0.0 };
    let until = (from + time).min(end);
    let mut followed = asked.with_times([from, until]);
    // Shapes whose balls are apart at first are in no contact at the start.
    followed.settings.stop_at_penetration |= start < from;
    match pair(a, b, &followed, memory) {
        TimeOfImpact::Clear(clear) if end <= until => {
            Some(TimeOfImpact::Clear(Clear::new(clear.distance.min(room))))
        }
        TimeOfImpact::Clear(_) => undecided(until, Why::StepsSpent),
        near => Some(near),
    }
}

/// Whether a body turns more often in this time than is followed.
fn turns_too_often(motion: &Motion, time: f64) -> bool {
    let most = MOST_TURNS * TAU;
    // Not so for NaN.
    most * most < motion.angular().length_squared() * (time * time)
}

/// Of the ball about the point about which a shape turns that holds it however it is turned; `None`
/// where it has no end.
fn radius(shape: &Shape, motion: &Motion) -> Option<f64> {
    let around = Around::new(shape)?;
    let radius = (length(around.center() - motion.local_center()) + around.radius()) * UP;
    radius.is_finite().then_some(radius)
}
