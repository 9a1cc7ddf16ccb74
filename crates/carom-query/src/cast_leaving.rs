//! Casts that ignore a contact at the start while the shapes separate or slide along each other.
//!
//! - A convex pair in contact at the start is a hit only if its separation along the contact
//!   normal falls.
//! - Without rotation a separation that does not fall at the start never falls. The pair is then
//!   clear for the whole time.
//! - With rotation the contact is sampled until it ends or closes. The search restarts there.
//! - A triangle or part that lies behind the plane of an ignored contact is ignored too.
//!   Otherwise a ball that slides on a tessellated floor hits the edge of the next triangle.
//!
//! The setting is like `stop_at_penetration` of parry's `ShapeCastOptions`.

use crate::closest::Closest;
use crate::impact::CastQuery;
use crate::lowest::{lowest_of_convex, lowest_of_mesh, reach_along};
use crate::mesh_shape::MeshShape;
use crate::workspace::Workspace;
use crate::{convex, mesh_convex, mesh_mesh};
use carom_ccd::{Clear, Motion, Tally, TimeOfImpact, Undecided, Why};
use carom_geom::{SupportMap, WideMesh};
use carom_math::WidePose;
use carom_math::scaling::length;
use core::ops::ControlFlow;
use glam::DVec3;

/// A fraction of the relative speed. A slower approach along the normal counts as sliding.
const SLIDING_RATIO: f64 = 1.0 / (1_u64 << 16) as f64;

/// Radians from one sample of a rotating contact to the next. A dip between two samples is below
/// 2^-12 of the lever arm.
const SAMPLE_ANGLE: f64 = 1.0 / 32.0;

/// Radians over which the rate of a separation is measured.
const RATE_ANGLE: f64 = 1.0 / (1_u64 << 16) as f64;

/// The longest time over which the rate of a separation is measured, as a fraction of the time
/// searched.
const MAX_RATE_TIME: f64 = 1.0 / (1_u64 << 10) as f64;

/// The most samples of one contact. After them the answer is undecided.
const MAX_SAMPLES: u32 = 2048;

/// Halvings of the sample interval in which a contact begins to close.
const MAX_HALVINGS: u32 = 24;

/// Bound of the rounding in a separation, relative to each length that it is computed from.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The most planes of ignored contacts that one cast keeps.
const MAX_PLANES: usize = 8;

/// Two convex shapes, or a half-space and a convex shape.
pub(crate) struct ConvexPair<'s, C> {
    /// `None` for a half-space.
    pub(crate) a: Option<&'s dyn SupportMap>,
    pub(crate) b: &'s dyn SupportMap,
    /// Returns the contact in A's frame. Takes B's pose in A's frame, and the largest distance of
    /// interest.
    pub(crate) contact: C,
}

impl<C: Fn(&WidePose, f64) -> Closest> ConvexPair<'_, C> {
    /// Returns the answer of `search`, with the contact at the start ignored if the settings say
    /// so.
    pub(crate) fn answer<'q, T: Tally>(
        &self,
        query: &CastQuery<'q, T>,
        search: impl Fn(&CastQuery<'q, T>) -> TimeOfImpact,
    ) -> TimeOfImpact {
        let answer = search(query);
        if query.settings.stop_at_penetration || matches!(answer, TimeOfImpact::Clear(_)) {
            return answer;
        }
        let size_b = self.b.radius() + self.b.margin();
        let size = self.a.map_or(size_b, |a| size_b.min(a.radius() + a.margin()));
        let sampled = Sampled { pair: self, motions: Motions::new(query), limit: limit(query, size) };
        let (start, end) = (query.settings.start_time, query.settings.max_time);
        let Some(closest) = sampled.contact(start) else { return answer };
        if sampled.is_closing(closest.normal, start) {
            return with_contact(answer, &closest, start);
        }
        let clear = TimeOfImpact::Clear(Clear::new(0.0));
        if !sampled.motions.turn() {
            return clear;
        }
        let step = SAMPLE_ANGLE / sampled.motions.turn_rate;
        let mut safe = start;
        for _ in 0..MAX_SAMPLES {
            if end <= safe {
                return clear;
            }
            let next = (safe + step).min(end);
            let Some(closest) = sampled.contact(next) else {
                return match search(&query.with_times([next, end])) {
                    TimeOfImpact::Clear(_) => clear,
                    later => later,
                };
            };
            if sampled.is_closing(closest.normal, next) {
                return sampled
                    .closing_between(safe, (next, closest), |t| search(&query.with_times([t, end])));
            }
            safe = next;
        }
        TimeOfImpact::Undecided(Undecided::new(safe, query.target(), Why::StepsSpent))
    }
}

/// A convex pair under its motions.
struct Sampled<'p, 's, C> {
    pair: &'p ConvexPair<'s, C>,
    motions: Motions<'p>,
    /// Shapes at most this far apart are in contact.
    limit: f64,
}

impl<C: Fn(&WidePose, f64) -> Closest> Sampled<'_, '_, C> {
    /// Returns the contact at a time, in the frame of the motions.
    fn contact(&self, t: f64) -> Option<Closest> {
        let [pose_a, pose_b] = self.motions.poses(t);
        let closest = (self.pair.contact)(&pose_b.relative_to(&pose_a), self.limit);
        // False for NaN.
        (closest.distance <= self.limit && closest.distance.is_finite()).then(|| closest.placed(&pose_a))
    }

    /// Whether the separation along the normal falls at a time.
    fn is_closing(&self, normal: DVec3, t: f64) -> bool {
        let Motions { a, b, turn_rate, time } = self.motions;
        if !self.motions.turn() {
            return self.motions.is_closing_straight(normal);
        }
        let reach = |shape: &dyn SupportMap, motion: &Motion| {
            length(shape.center() - motion.local_center()) + shape.radius() + shape.margin()
        };
        let reach_b = reach(self.pair.b, b);
        let between = length(b.center_at(t) - a.center_at(t));
        let reach_a = self.pair.a.map_or(between + reach_b, |shape| reach(shape, a));
        let speed =
            length(b.linear() - a.linear()) + length(a.angular()) * reach_a + length(b.angular()) * reach_b;
        let mut h = RATE_ANGLE / turn_rate;
        if 0.0 < time {
            h = h.min(MAX_RATE_TIME * time);
        }
        let change = self.separation(normal, t + h) - self.separation(normal, t);
        let far = length(a.center_at(t)) + length(b.center_at(t)) + reach_a + reach_b;
        // True for NaN.
        !(-(SLIDING_RATIO * speed * h + ROUNDING * far) <= change)
    }

    /// Returns the separation of the shapes along the normal; for a half-space along its own.
    fn separation(&self, normal: DVec3, t: f64) -> f64 {
        let [pose_a, pose_b] = self.motions.poses(t);
        let Some(a) = self.pair.a else {
            return (self.pair.contact)(&pose_b.relative_to(&pose_a), f64::INFINITY).distance;
        };
        let between = normal.dot(pose_b.translation - pose_a.translation);
        let turned = |pose: &WidePose, direction| pose.inverse_transform_vector(direction);
        between - reach_along(self.pair.b, turned(&pose_b, -normal)) - reach_along(a, turned(&pose_a, normal))
    }

    /// Returns the hit of a contact that does not close at `safe`, and closes at a later time.
    fn closing_between(
        &self,
        mut safe: f64,
        (mut hit, mut closest): (f64, Closest),
        search: impl Fn(f64) -> TimeOfImpact,
    ) -> TimeOfImpact {
        for _ in 0..MAX_HALVINGS {
            let middle = 0.5 * (safe + hit);
            match self.contact(middle) {
                Some(found) if self.is_closing(found.normal, middle) => (hit, closest) = (middle, found),
                _ => safe = middle,
            }
        }
        let mut answer = with_contact(search(hit), &closest, hit);
        match &mut answer {
            TimeOfImpact::Hit(impact) => impact.t_lo = impact.t_lo.min(safe),
            TimeOfImpact::Clear(clear) => *clear = Clear::new(0.0),
            TimeOfImpact::Undecided(_) => {}
        }
        answer
    }
}

/// The motions of A and B.
#[derive(Clone, Copy)]
struct Motions<'m> {
    a: &'m Motion,
    b: &'m Motion,
    /// Radians per unit of time, for both bodies together.
    turn_rate: f64,
    /// Length of the time searched.
    time: f64,
}

impl<'m> Motions<'m> {
    fn new<T>(query: &CastQuery<'m, T>) -> Motions<'m> {
        let (a, b) = (query.motion_a, query.motion_b);
        let time = query.settings.max_time - query.settings.start_time;
        Motions { a, b, turn_rate: length(a.angular()) + length(b.angular()), time }
    }

    fn turn(&self) -> bool {
        0.0 < self.turn_rate
    }

    fn poses(&self, t: f64) -> [WidePose; 2] {
        [self.a.pose_at(t), self.b.pose_at(t)]
    }

    /// Whether shapes that do not turn approach along the normal.
    fn is_closing_straight(&self, normal: DVec3) -> bool {
        let velocity = self.b.linear() - self.a.linear();
        // True for NaN.
        !(-SLIDING_RATIO * length(velocity) <= normal.dot(velocity))
    }
}

/// Returns the largest distance that is a contact at the start: target plus tolerance of the
/// search.
fn limit(query: &CastQuery<'_, impl Tally>, size: f64) -> f64 {
    let tolerance = query.settings.tolerance.max(0.0) * size;
    query.target() + if tolerance.is_finite() { tolerance } else { 0.0 }
}

/// Returns the answer with points and normal of the contact at `t`, if the hit is no later.
fn with_contact(mut answer: TimeOfImpact, closest: &Closest, t: f64) -> TimeOfImpact {
    if let TimeOfImpact::Hit(impact) = &mut answer
        && impact.t_hi <= t
    {
        (impact.point_a, impact.point_b, impact.normal) = (closest.point_a, closest.point_b, closest.normal);
    }
    answer
}

/// Planes of ignored contacts, in A's frame: a part of A behind one of them is ignored.
///
/// B does not sink along the normal of such a plane. So it meets no part behind it deeper than the
/// ignored contact. Rotation is sampled.
#[derive(Clone, Copy)]
pub(crate) struct IgnoredPlanes {
    planes: [(DVec3, f64); MAX_PLANES],
    n_planes: usize,
}

impl IgnoredPlanes {
    /// No planes.
    pub(crate) const NONE: IgnoredPlanes =
        IgnoredPlanes { planes: [(DVec3::ZERO, 0.0); MAX_PLANES], n_planes: 0 };

    /// Returns the planes of the triangles of a mesh from which a convex shape separates.
    pub(crate) fn of_mesh(
        a: &MeshShape<impl WideMesh>,
        b: &dyn SupportMap,
        query: &CastQuery<'_, impl Tally>,
    ) -> Self {
        let mut found = Self::NONE;
        let Some(start) = Start::new(query, b.radius() + b.margin()) else { return found };
        mesh_convex::visit_near(a, b, &start.b_in_a, start.limit, (), |number| {
            if !found.hides_triangle(&a.mesh().corners(number)) {
                let triangle = a.mesh().triangle(number);
                let closest = convex::signed(&triangle, b, &start.b_in_a, start.limit, None, ());
                found.add(&start, &closest, |b_in_a, n| lowest_of_convex(b, b_in_a, n));
            }
            ControlFlow::Continue(())
        });
        found
    }

    /// Returns the plane of the deepest contact of two meshes.
    pub(crate) fn of_meshes(
        a: &MeshShape<impl WideMesh>,
        b: &MeshShape<impl WideMesh>,
        query: &CastQuery<'_, impl Tally>,
        memory: &mut Workspace,
    ) -> Self {
        let mut found = Self::NONE;
        let (low, high) = b.mesh().wide_bounds();
        let Some(start) = Start::new(query, 0.5 * length(high - low)) else { return found };
        if let Some(closest) = mesh_mesh::contact(a, b, &start.b_in_a, start.limit, memory, ()) {
            found.add(&start, &closest, |b_in_a, n| lowest_of_mesh(b, b_in_a, n));
        }
        found
    }

    /// Adds the plane of a contact, if B does not sink along its normal. `lowest` returns the
    /// least coordinate of B along a normal.
    pub(crate) fn add(
        &mut self,
        start: &Start<'_>,
        closest: &Closest,
        lowest: impl Fn(&WidePose, DVec3) -> f64,
    ) {
        let n = closest.normal;
        let is_contact = closest.distance <= start.limit && closest.distance.is_finite();
        let begins = lowest(&start.b_in_a, n);
        // If a point of B is lower than the contact, B may meet parts behind the plane.
        if !(is_contact && n.dot(closest.point_b) - start.slack <= begins) {
            return;
        }
        if !start.never_sinks(n, begins, |b_in_a| lowest(b_in_a, n)) {
            return;
        }
        if let Some(plane) = self.planes.get_mut(self.n_planes) {
            *plane = (n, n.dot(closest.point_a) + start.slack);
            self.n_planes += 1;
        }
    }

    /// Whether a part of A lies behind one of the planes. `reach` returns the largest coordinate
    /// of the part along a normal.
    pub(crate) fn hides(&self, reach: impl Fn(DVec3) -> f64) -> bool {
        self.planes.iter().take(self.n_planes).any(|&(normal, height)| reach(normal) <= height)
    }

    /// Whether a triangle of A is to be ignored.
    pub(crate) fn hides_triangle(&self, corners: &[DVec3; 3]) -> bool {
        let [x, y, z] = *corners;
        self.hides(|n| n.dot(x).max(n.dot(y)).max(n.dot(z)))
    }
}

/// Two shapes at the start.
pub(crate) struct Start<'m> {
    motions: Motions<'m>,
    time: [f64; 2],
    pose_a: WidePose,
    pub(crate) b_in_a: WidePose,
    pub(crate) limit: f64,
    /// A length. A part that protrudes from a plane by less counts as behind it.
    slack: f64,
}

impl<'m> Start<'m> {
    /// Creates the state at the start. `None` if contact at the start is a hit, or B is unbounded.
    pub(crate) fn new(query: &CastQuery<'m, impl Tally>, size_b: f64) -> Option<Start<'m>> {
        let motions = Motions::new(query);
        if query.settings.stop_at_penetration || !size_b.is_finite() {
            return None;
        }
        let [pose_a, pose_b] = motions.poses(query.settings.start_time);
        let limit = limit(query, size_b);
        let b_in_a = pose_b.relative_to(&pose_a);
        let time = [query.settings.start_time, query.settings.max_time];
        Some(Start { motions, time, pose_a, b_in_a, limit, slack: limit - query.target() })
    }

    /// Whether the lowest point of B along a normal of A's frame does not fall after the start.
    /// `begins` is its height at the start.
    fn never_sinks(&self, normal: DVec3, begins: f64, lowest: impl Fn(&WidePose) -> f64) -> bool {
        if !self.motions.turn() {
            return !self.motions.is_closing_straight(self.pose_a.transform_vector(normal));
        }
        let step = SAMPLE_ANGLE / self.motions.turn_rate;
        let speed = length(self.motions.b.linear() - self.motions.a.linear());
        let [start, end] = self.time;
        let mut t = start;
        for _ in 0..MAX_SAMPLES {
            if end <= t {
                return true;
            }
            t = (t + step).min(end);
            let [pose_a, pose_b] = self.motions.poses(t);
            let slack = self.slack + SLIDING_RATIO * speed * (t - start);
            if !(begins - slack <= lowest(&pose_b.relative_to(&pose_a))) {
                return false;
            }
        }
        false
    }
}
