//! When a moving shape first touches a moving signed distance field: conservative advancement.
//!
//! - The distance of a point changes by no more than the point moves, and between samples by no
//!   more than the root of 3 times that. So a step of the distance over such a speed is free.
//! - Near the target longer steps look for a place below it. Halving brings that and the free time
//!   together.
//! - If none is found, the small steps go on until the shapes part, or are so near that nothing
//!   more can be told. Shapes that are then no farther apart than the fields may be off count as
//!   touching, and the proof says how far they are apart.
//!
//! The search for the gap of two fields ends before it is known to the tolerance, so their brackets
//! are wide.
//!
//! The bracket is that of the field as sampled: the solid is up to its error bound elsewhere. It
//! holds if the field's sign is certain.
//!
//! Reference: B. Mirtich, J. Canny, Impulse-based Simulation of Rigid Bodies, ACM I3D 1995
//! (conservative advancement); J. Hart, Sphere Tracing, 1996.

use super::cast_leaving::ConvexPair;
use super::cast_parts::Around;
use super::field;
use super::shape::{Kind, Shape};
use crate::closest::Closest;
use crate::field_search::MAX_SLOPE;
use crate::impact::Question;
use carom_ccd::{Clear, Impact, Motion, Proof, Tally, TimeOfImpact, Undecided, Why};
use carom_geom::{DistanceField, SupportMap};
use carom_math::scaling::length;
use carom_math::{WidePose, tol};

/// A step is this part of what is free, so that the shapes stay apart for certain.
const STEP_RATIO: f64 = 0.9375;

/// Doublings of a step that looks for a place below the target, and halvings of the bracket.
const MAX_LOOKS: u32 = 48;

/// In tolerances: how well the distance is known near the target, and twice so near nothing is told
/// apart.
const KNOWN: f64 = 1.0 / 128.0;

/// The same of two fields, of which neither is flat.
const KNOWN_OF_FIELDS: f64 = 0.125;

/// Steps of two fields, whose searches are long.
const MAX_STEPS_OF_FIELDS: u32 = 16;

/// In tolerances of a search: from so far away the distance need not be known better.
const FAR: f64 = 8.0;

/// The first contact of a field A and another shape B, no compound.
pub(super) fn cast(a: &Shape, b: &Shape, asked: &Question<'_, impl Tally>) -> TimeOfImpact {
    let (Kind::Field(field), other) = (a.kind(), b.kind()) else {
        return TimeOfImpact::Undecided(Undecided::new(
            asked.settings.start_time,
            f64::INFINITY,
            Why::StepsSpent,
        ));
    };
    let Some(around_a) = Around::new(a) else {
        return TimeOfImpact::Undecided(Undecided::new(
            asked.settings.start_time,
            f64::INFINITY,
            Why::StepsSpent,
        ));
    };
    let around_b = Around::new(b);
    let advance =
        |asked: &Question<'_, _>| Advance::new(field, &other, &around_a, around_b.as_ref(), asked).run(asked);
    match &around_b {
        Some(around_b) => {
            let contact = |b_in_a: &WidePose, limit| contact(field, &other, b_in_a, limit);
            ConvexPair { a: None, b: around_b, contact }.answer(asked, advance)
        }
        // Seen from the half-space, which has no end.
        None => {
            let contact = |a_in_b: &WidePose, limit| {
                contact(field, &other, &a_in_b.inverse(), limit).swapped(&a_in_b.inverse())
            };
            let back = ConvexPair { a: None, b: &around_a, contact };
            back.answer(&asked.swapped(), |asked| advance(&asked.swapped()).swapped()).swapped()
        }
    }
}

fn contact(a: &dyn DistanceField, b: &Kind<'_>, b_in_a: &WidePose, limit: f64) -> Closest {
    field::contact(a, b, b_in_a, limit, ()).unwrap_or(Closest::NOWHERE)
}

/// A field and a shape on their ways.
struct Advance<'a> {
    field: &'a dyn DistanceField,
    other: &'a Kind<'a>,
    motion_a: &'a Motion,
    motion_b: &'a Motion,
    /// The sampled distance of no point changes faster.
    speed: f64,
    target: f64,
    tolerance: f64,
    known: f64,
}

impl<'a> Advance<'a> {
    fn new<T>(
        field: &'a dyn DistanceField,
        other: &'a Kind<'a>,
        around_a: &Around,
        around_b: Option<&Around>,
        asked: &Question<'a, T>,
    ) -> Advance<'a>
    where
        T: Tally,
    {
        let Question { motion_a, motion_b, settings, .. } = *asked;
        let between = |t: f64| length(motion_b.center_at(t) - motion_a.center_at(t));
        let farthest = between(settings.start_time).max(between(settings.max_time));
        let reach = |around: &Around, motion: &Motion| {
            length(around.center() - motion.local_center()) + around.radius()
        };
        let reach_a = reach(around_a, motion_a);
        // Seen from what turns, the other one is no farther from its pivot than this.
        let reach_b =
            around_b.map_or(f64::INFINITY, |around| reach(around, motion_b)).min(farthest + reach_a);
        let speed = length(motion_b.linear() - motion_a.linear())
            + length(motion_a.angular()) * reach_a
            + length(motion_b.angular()) * reach_b;
        let speed = MAX_SLOPE * speed;
        let size = around_b.map_or(around_a.radius(), |around| around.radius().min(around_a.radius()));
        // Not finer than the numbers of the field.
        let finest = tol::FIELD_SEARCH * field.resolution();
        let tolerance = (settings.tolerance.max(0.0) * size).max(finest);
        let known = tolerance * if let Kind::Field(_) = other { KNOWN_OF_FIELDS } else { KNOWN };
        Advance { field, other, motion_a, motion_b, speed, target: asked.target(), tolerance, known }
    }

    /// What is known of the distance at a time: a place, in the field's frame, and a lower bound.
    fn at(&self, t: f64) -> field::Found {
        let b_in_a = self.motion_b.pose_at(t).relative_to(&self.motion_a.pose_at(t));
        let nearest = |tolerance: f64| {
            field::nearest(self.field, self.other, &b_in_a, f64::INFINITY, tolerance, ())
                .unwrap_or(field::Found { closest: Closest::NOWHERE, at_least: f64::INFINITY })
        };
        // Far away a step may be a little short.
        let coarse = tol::FIELD_SEARCH * self.field.resolution();
        let found = nearest(coarse);
        let is_far = self.target + FAR * coarse < found.closest.distance;
        // A search that ended for want of parts would end so again.
        let is_spent = coarse < found.closest.distance - found.at_least;
        if is_far || is_spent { found } else { nearest(self.known) }
    }

    fn run(&self, asked: &Question<'_, impl Tally>) -> TimeOfImpact {
        let settings = &asked.settings;
        let (start, end) = (settings.start_time, settings.max_time);
        asked.tally.count(|counters| counters.searches += 1);
        let (mut t, mut nearest) = (start, f64::INFINITY);
        let mut has_looked = false;
        let is_of_fields = matches!(self.other, Kind::Field(_));
        let max_steps = if is_of_fields { MAX_STEPS_OF_FIELDS } else { u32::MAX };
        let max_steps = settings.max_steps.min(max_steps);
        for _ in 0..max_steps.max(1) {
            asked.tally.count(|counters| counters.proposals += 1);
            let found = self.at(t);
            if found.closest.distance <= self.target {
                return self.hit([t, t], &found.closest);
            }
            let free = found.at_least - self.target;
            if free <= self.tolerance && !has_looked {
                has_looked = true;
                if let Some(hit) = self.look_ahead(t, end, found.closest.distance) {
                    return hit;
                }
            }
            has_looked &= free <= self.tolerance;
            let left = (end - t) * self.speed;
            if left <= STEP_RATIO * free || free == f64::INFINITY {
                return TimeOfImpact::Clear(Clear::new(nearest.min(found.at_least - left)));
            }
            // Not so for NaN.
            if !(2.0 * self.known < free) {
                return self.stopped(t, &found.closest, Why::WithinRounding);
            }
            nearest = nearest.min(self.target + (1.0 - STEP_RATIO) * free);
            t += STEP_RATIO * free / self.speed;
        }
        self.stopped(t, &self.at(t).closest, Why::StepsSpent)
    }

    /// Nothing more is free after a time.
    fn stopped(&self, t: f64, closest: &Closest, why: Why) -> TimeOfImpact {
        let other_error = if let Kind::Field(other) = self.other { other.error_bound() } else { 0.0 };
        if closest.distance <= self.target + self.field.error_bound() + other_error {
            return self.hit([t, t], closest);
        }
        TimeOfImpact::Undecided(Undecided::new(t, closest.distance, why))
    }

    /// A contact after a time at which the shapes are this far apart, a little above the target.
    fn look_ahead(&self, t: f64, end: f64, distance: f64) -> Option<TimeOfImpact> {
        let mut step = (distance - self.target + self.tolerance) / self.speed;
        let (mut above, mut below) = (t, None);
        for _ in 0..MAX_LOOKS {
            let next = (t + step).min(end);
            let found = self.at(next);
            if found.closest.distance <= self.target {
                below = Some((next, found));
                break;
            }
            // They part.
            if next == end || distance + 4.0 * self.tolerance < found.closest.distance {
                return None;
            }
            (above, step) = (next, 2.0 * step);
        }
        let (mut hit, mut found) = below?;
        for _ in 0..MAX_LOOKS {
            if self.target - self.tolerance <= found.closest.distance {
                break;
            }
            let middle = 0.5 * (above + hit);
            let at = self.at(middle);
            if at.closest.distance <= self.target { (hit, found) = (middle, at) } else { above = middle }
        }
        Some(self.hit([t, hit], &found.closest))
    }

    fn hit(&self, [t_lo, t_hi]: [f64; 2], closest: &Closest) -> TimeOfImpact {
        let place = closest.placed(&self.motion_a.pose_at(t_hi));
        let proof = if place.distance <= 0.0 { Proof::Overlap } else { Proof::Within(place.distance) };
        let mut impact = Impact::new([t_lo, t_hi], [place.point_a, place.point_b], place.normal, proof);
        (impact.part_a, impact.part_b) = (place.part_a, place.part_b);
        (impact.feature_a, impact.feature_b) = (place.feature_a, place.feature_b);
        TimeOfImpact::Hit(impact)
    }
}
