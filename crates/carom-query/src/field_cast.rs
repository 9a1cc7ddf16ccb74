//! Time of impact of a moving shape and a moving signed distance field: conservative advancement.
//!
//! 1. The distance of a point changes by at most the motion of the point; between samples, by at
//!    most the root of 3 times that. So a step of the distance over the maximal speed passes no
//!    contact.
//! 2. Near the target, longer steps search for a time below it. Bisection then closes the bracket.
//! 3. If none is found, small steps continue until the shapes separate or the limit of accuracy is
//!    reached. Shapes that are then within the fields' error bounds count as touching. The proof
//!    contains the remaining distance.
//!
//! For two fields the search for the gap ends before the tolerance is reached, so brackets are
//! wide.
//!
//! The bracket is that of the sampled field; the solid may differ by its error bound. The proof
//! requires that the sign of the field is certain.
//!
//! Reference: B. Mirtich, J. Canny, Impulse-based Simulation of Rigid Bodies, ACM I3D 1995
//! (conservative advancement); J. Hart, Sphere Tracing, 1996.

use crate::around::Around;
use crate::cast_leaving::ConvexPair;
use crate::closest::Closest;
use crate::field_pair::{BoundedContact, FieldOther, FieldQuery};
use crate::field_search::MAX_SLOPE;
use crate::impact::CastQuery;
use carom_ccd::{Clear, Impact, Motion, Proof, Tally, TimeOfImpact, Undecided, Why};
use carom_geom::{DistanceField, SupportMap, WideMesh};
use carom_math::scaling::length;
use carom_math::{WidePose, tol};

/// The fraction of the free distance that a step uses, so that the shapes surely stay apart.
const STEP_RATIO: f64 = 0.9375;

/// The most doublings of a step that searches for a time below the target. Also the most
/// bisections of the bracket.
const MAX_HALVINGS: u32 = 48;

/// In tolerances: the accuracy of the distance near the target. Differences below twice this are
/// not resolved.
const DISTANCE_ACCURACY: f64 = 1.0 / 128.0;

/// The same for two fields, neither of which is flat.
const FIELDS_ACCURACY: f64 = 0.125;

/// The most steps for two fields, because their searches are long.
const MAX_STEPS_OF_FIELDS: u32 = 16;

/// In tolerances of a search: beyond this distance the coarse result is good enough.
const COARSE_DISTANCE: f64 = 8.0;

/// Returns the first contact of a field and another shape, with the boxes around both. `around_b`
/// is `None` for a half-space.
pub(crate) fn cast<T: Tally>(
    field: &dyn DistanceField,
    around_a: Option<Around>,
    other: &FieldOther<'_, impl WideMesh>,
    around_b: Option<Around>,
    query: &CastQuery<'_, T>,
) -> TimeOfImpact {
    let Some(around_a) = around_a else {
        return TimeOfImpact::Undecided(Undecided::new(
            query.settings.start_time,
            f64::INFINITY,
            Why::StepsSpent,
        ));
    };
    let advance =
        |query: &CastQuery<'_, T>| Advance::new(field, other, &around_a, around_b.as_ref(), query).run(query);
    match &around_b {
        Some(around_b) => {
            let contact = |b_in_a: &WidePose, limit| contact(field, other, b_in_a, limit);
            ConvexPair { a: None, b: around_b, contact }.answer(query, advance)
        }
        // With the roles swapped, because the half-space is unbounded.
        None => {
            let contact = |a_in_b: &WidePose, limit| {
                contact(field, other, &a_in_b.inverse(), limit).swapped(&a_in_b.inverse())
            };
            let back = ConvexPair { a: None, b: &around_a, contact };
            back.answer(&query.swapped(), |query| advance(&query.swapped()).swapped()).swapped()
        }
    }
}

fn contact(
    a: &dyn DistanceField,
    b: &FieldOther<'_, impl WideMesh>,
    b_in_a: &WidePose,
    limit: f64,
) -> Closest {
    FieldQuery::new(a, b_in_a, limit, ()).distance(b)
}

/// Whether the distance of the two needs a search in the boxes of two fields. The distance of a
/// torus does not.
fn is_gap_of_fields(a: &dyn DistanceField, b: &FieldOther<'_, impl WideMesh>) -> bool {
    matches!(b, FieldOther::Field(b) if a.ring().is_none() && b.ring().is_none())
}

/// A field and a shape with their motions.
struct Advance<'a, M> {
    field: &'a dyn DistanceField,
    other: &'a FieldOther<'a, M>,
    motion_a: &'a Motion,
    motion_b: &'a Motion,
    /// An upper bound for the rate of change of the sampled distance.
    speed: f64,
    target: f64,
    tolerance: f64,
    known: f64,
}

impl<'a, M: WideMesh> Advance<'a, M> {
    fn new<T>(
        field: &'a dyn DistanceField,
        other: &'a FieldOther<'a, M>,
        around_a: &Around,
        around_b: Option<&Around>,
        query: &CastQuery<'a, T>,
    ) -> Advance<'a, M>
    where
        T: Tally,
    {
        let CastQuery { motion_a, motion_b, settings, .. } = *query;
        let between = |t: f64| length(motion_b.center_at(t) - motion_a.center_at(t));
        let farthest = between(settings.start_time).max(between(settings.max_time));
        let reach = |around: &Around, motion: &Motion| {
            length(around.center() - motion.local_center()) + around.radius()
        };
        let reach_a = reach(around_a, motion_a);
        // In the frame of the rotating body, the other one stays within this distance of its pivot.
        let reach_b =
            around_b.map_or(f64::INFINITY, |around| reach(around, motion_b)).min(farthest + reach_a);
        // The reach may be infinite.
        let spin = |motion: &Motion, reach: f64| {
            let rate = length(motion.angular());
            if rate == 0.0 { 0.0 } else { rate * reach }
        };
        let speed =
            length(motion_b.linear() - motion_a.linear()) + spin(motion_a, reach_a) + spin(motion_b, reach_b);
        let speed = MAX_SLOPE * speed;
        let size = around_b.map_or(around_a.radius(), |around| around.radius().min(around_a.radius()));
        // Not below the resolution of the field's numbers.
        let finest = tol::FIELD_SEARCH * field.resolution();
        let tolerance = (settings.tolerance.max(0.0) * size).max(finest);
        let known =
            tolerance * if is_gap_of_fields(field, other) { FIELDS_ACCURACY } else { DISTANCE_ACCURACY };
        Advance { field, other, motion_a, motion_b, speed, target: query.target(), tolerance, known }
    }

    /// Returns the contact at a time, in the field's frame, with a lower bound of its distance.
    fn at(&self, t: f64) -> BoundedContact {
        let b_in_a = self.motion_b.pose_at(t).relative_to(&self.motion_a.pose_at(t));
        let nearest = |query: &FieldQuery<'_, ()>| {
            let nowhere = BoundedContact { closest: Closest::NOWHERE, at_least: f64::INFINITY };
            query.nearest(self.other).unwrap_or(nowhere)
        };
        // Far away a step may be slightly short.
        let query = FieldQuery::new(self.field, &b_in_a, f64::INFINITY, ());
        let (found, coarse) = (nearest(&query), query.tolerance);
        let is_far = self.target + COARSE_DISTANCE * coarse < found.closest.distance;
        // A search that ran out of parts would run out again.
        let is_spent = coarse < found.closest.distance - found.at_least;
        if is_far || is_spent { found } else { nearest(&FieldQuery { tolerance: self.known, ..query }) }
    }

    fn run(&self, query: &CastQuery<'_, impl Tally>) -> TimeOfImpact {
        let settings = &query.settings;
        let (start, end) = (settings.start_time, settings.max_time);
        query.tally.count(|counters| counters.searches += 1);
        let (mut t, mut nearest) = (start, f64::INFINITY);
        let mut has_tested = false;
        let is_of_fields = is_gap_of_fields(self.field, self.other);
        let max_steps = if is_of_fields { MAX_STEPS_OF_FIELDS } else { u32::MAX };
        let max_steps = settings.max_steps.min(max_steps);
        for _ in 0..max_steps.max(1) {
            query.tally.count(|counters| counters.proposals += 1);
            let found = self.at(t);
            if found.closest.distance <= self.target {
                return self.hit([t, t], &found.closest);
            }
            let free = found.at_least - self.target;
            if free <= self.tolerance && !has_tested {
                has_tested = true;
                if let Some(hit) = self.test_ahead(t, end, found.closest.distance) {
                    return hit;
                }
            }
            has_tested &= free <= self.tolerance;
            let left = (end - t) * self.speed;
            if left <= STEP_RATIO * free || free == f64::INFINITY {
                return TimeOfImpact::Clear(Clear::new(nearest.min(found.at_least - left)));
            }
            // False for NaN.
            if !(2.0 * self.known < free) {
                return self.stopped(t, &found.closest, Why::WithinRounding);
            }
            nearest = nearest.min(self.target + (1.0 - STEP_RATIO) * free);
            t += STEP_RATIO * free / self.speed;
        }
        self.stopped(t, &self.at(t).closest, Why::StepsSpent)
    }

    /// Returns the answer if no further step is free.
    fn stopped(&self, t: f64, closest: &Closest, why: Why) -> TimeOfImpact {
        let other_error = if let FieldOther::Field(other) = self.other { other.error_bound() } else { 0.0 };
        if closest.distance <= self.target + self.field.error_bound() + other_error {
            return self.hit([t, t], closest);
        }
        TimeOfImpact::Undecided(Undecided::new(t, closest.distance, why))
    }

    /// Searches for a contact after a time at which the distance is a little above the target.
    fn test_ahead(&self, t: f64, end: f64, distance: f64) -> Option<TimeOfImpact> {
        let mut step = (distance - self.target + self.tolerance) / self.speed;
        let (mut above, mut below) = (t, None);
        for _ in 0..MAX_HALVINGS {
            let next = (t + step).min(end);
            let found = self.at(next);
            if found.closest.distance <= self.target {
                below = Some((next, found));
                break;
            }
            // The shapes separate.
            if next == end || distance + 4.0 * self.tolerance < found.closest.distance {
                return None;
            }
            (above, step) = (next, 2.0 * step);
        }
        let (mut hit, mut found) = below?;
        for _ in 0..MAX_HALVINGS {
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
        let placed = closest.placed(&self.motion_a.pose_at(t_hi));
        let proof = if placed.distance <= 0.0 { Proof::Overlap } else { Proof::Within(placed.distance) };
        let mut impact = Impact::new([t_lo, t_hi], [placed.point_a, placed.point_b], placed.normal, proof);
        (impact.part_a, impact.part_b) = (placed.part_a, placed.part_b);
        (impact.feature_a, impact.feature_b) = (placed.feature_a, placed.feature_b);
        TimeOfImpact::Hit(impact)
    }
}
