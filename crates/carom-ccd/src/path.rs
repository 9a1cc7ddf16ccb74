//! Any rigid motion, and the time at which two bodies on such paths first touch, as a proved
//! bracket.
//!
//! - A search needs two things of a motion: the pose at a time, and a bound on the acceleration of
//!   the body's points.
//! - Along a fixed axis the separation lies above its chord minus a term of these accelerations
//!   ([`crate::chord`]). Two values of it certify the time between them.
//! - Any path qualifies: a link of a robot arm, a spline, a crank.
//!
//! The search is that of [`crate::time_of_impact`] with fixed axes. Nearest points propose an
//! axis, the separation along it is followed down to the target distance, and then the next axis
//! is requested. For a constant rotation that function is faster, because its axes turn with the
//! body.
//!
//! Reference: X. Zhang, S. Redon, M. Lee, Y. Kim, Continuous Collision Detection for Articulated
//! Models using Taylor Models and Temporal Culling, SIGGRAPH 2007; M. Tang, Y. Kim, D. Manocha,
//! Controlled Conservative Advancement for Continuous Collision Detection, 2009.
//! Differs: of second order, from bounds on accelerations. The contact is proved too.

use crate::advance::advance;
use crate::body_pair::Moment;
use crate::chord::{UNIT, chord_bound};
use crate::search::{part_of_distance, undecided};
use crate::{Clear, Impact, ImpactSettings, Motion, Proof, Proposal, TimeOfImpact};
use carom_geom::SupportMap;
use carom_math::{WidePose, scaling, tol};
use glam::DVec3;

/// The most steps in a row without progress.
const MAX_STALLS: u32 = 3;

/// A rigid motion over time.
///
/// The bounds of an implementation must be correct. The proofs of [`path_time_of_impact`] rely on
/// them.
pub trait Path {
    /// Returns the body's frame in the outer frame at a time.
    fn pose_at(&self, t: f64) -> WidePose;

    /// Returns a bound on the acceleration, length per unit of time squared, from `start` to `end`.
    /// It holds for each point of the body within `reach` of the origin of its frame.
    fn acceleration(&self, reach: f64, start: f64, end: f64) -> f64;

    /// Returns a length: how far such a point may be from its position by [`Path::pose_at`], by
    /// rounding.
    fn rounding(&self, reach: f64, start: f64, end: f64) -> f64;
}

impl Path for Motion {
    fn pose_at(&self, t: f64) -> WidePose {
        Motion::pose_at(self, t)
    }

    fn acceleration(&self, reach: f64, _start: f64, _end: f64) -> f64 {
        self.angular().length_squared() * (reach + scaling::length(self.local_center()))
    }

    fn rounding(&self, reach: f64, start: f64, end: f64) -> f64 {
        let latest = start.abs().max(end.abs());
        let far = scaling::length(self.center_at(0.0)) + scaling::length(self.linear()) * latest;
        let turned = scaling::length(self.angular()) * latest;
        // As for a pair of bodies: see `body_pair`.
        UNIT * (40.0 * far + (80.0 + 8.0 * turned) * (reach + scaling::length(self.local_center())))
    }
}

/// Returns the first time at which two convex bodies on any paths come within the target distance.
///
/// Arguments and result are as for [`crate::time_of_impact`], with four differences. The time must
/// be finite, because a path may return. The longer it is, the coarser is the answer. Contact is
/// proved by a distance, so the target distance must be above 0. With 0 the answer is undecided if
/// they touch. There is no search for a better distance of bodies that do not meet. Features are
/// not named.
pub fn path_time_of_impact<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    path_a: &(impl Path + ?Sized),
    b: &B,
    path_b: &(impl Path + ?Sized),
    settings: &ImpactSettings,
    mut propose: impl FnMut(&WidePose, f64) -> Proposal,
) -> TimeOfImpact {
    let (start, end) = (settings.start_time, settings.max_time.max(settings.start_time));
    let (reach_a, reach_b) = (reach_of(a), reach_of(b));
    let rounding = path_a.rounding(reach_a, start, end) + path_b.rounding(reach_b, start, end);
    let up = 1.0 + 64.0 * UNIT;
    let kappa = up * (path_a.acceleration(reach_a, start, end) + path_b.acceleration(reach_b, start, end));
    let target = settings.target_distance.max(0.0);
    let finest = 16.0 * rounding;
    let smaller = (a.radius() + a.margin()).min(b.radius() + b.margin());
    let mut tolerance = (settings.tolerance.max(0.0) * smaller).max(finest);
    let margins = a.margin() + b.margin();

    let poses_at = |t: f64| Placed { t, a: path_a.pose_at(t), b: path_b.pose_at(t) };
    // A proven lower bound of the distance at that time.
    let separation = |placed: &Placed, n: DVec3| {
        let to_a = placed.a.rotation.transpose() * n;
        let to_b = placed.b.rotation.transpose() * -n;
        let far_a = placed.a.transform_point(a.support_exact(to_a, a.support(to_a)).point);
        let far_b = placed.b.transform_point(b.support_exact(to_b, b.support(to_b)).point);
        n.dot(far_b - far_a) - margins - rounding
    };

    let mut safe = poses_at(start);
    let mut probe = safe;
    // An upper bound of the distance.
    let upper_bound = |nearest: Option<[DVec3; 2]>| {
        let distance = nearest.map_or(f64::INFINITY, |[p, q]| scaling::length(q - p) + rounding - margins);
        if distance.is_nan() { f64::INFINITY } else { distance.max(0.0) }
    };
    let mut least = f64::INFINITY;
    let (mut is_exact, mut n_stalls) = (false, 0);
    for _ in 0..settings.max_steps.max(1) {
        let wanted = if is_exact { tol::GJK_TOUCHING } else { part_of_distance(margins + target, tolerance) };
        let proposal = propose(&probe.b.relative_to(&probe.a), wanted);
        let nearest = probe.nearest(&proposal);
        let upper = upper_bound(nearest);
        if let Some([p, q]) = nearest
            && upper <= target
        {
            let n = scaling::unit(q - p).unwrap_or_else(|| centers(a, b, &probe));
            let points = [p + n * a.margin(), q - n * b.margin()];
            let proof = if upper == 0.0 { Proof::Overlap } else { Proof::Within(upper) };
            return TimeOfImpact::Hit(Impact::new([safe.t, probe.t], points, n, proof));
        }
        let n = scaling::unit(probe.a.rotation * proposal.axis);
        let here = n.map(|n| separation(&probe, n));
        let back = match (n, here) {
            (Some(n), Some(here)) if safe.t < probe.t => {
                Some(chord_bound(separation(&safe, n), here, kappa, probe.t - safe.t))
            }
            _ => here,
        };
        let (Some(n), Some(here), Some(back)) = (n, here, back.filter(|&back| target < back)) else {
            if safe.t < probe.t {
                // The probe is a little too late. The distance there shows by how much.
                probe = safe;
                tolerance = (0.25 * tolerance).min(0.2 * (upper - target)).max(finest);
            } else if !is_exact {
                is_exact = true;
            } else {
                break;
            }
            continue;
        };
        least = least.min(here).min(back);
        let mut along = |moment: &Moment| separation(&poses_at(moment.t), n);
        let advanced = advance(&mut along, kappa, (probe.t, here), &Moment::new(end), target, tolerance);
        least = least.min(advanced.least);
        if end <= advanced.time {
            return TimeOfImpact::Clear(Clear::new(least));
        }
        let stalls = advanced.time - safe.t <= tol::IMPACT_STALL * (end - start);
        n_stalls = if stalls { n_stalls + 1 } else { 0 };
        safe = poses_at(advanced.time);
        if MAX_STALLS <= n_stalls && tolerance <= finest {
            break;
        }
        let beyond = (advanced.separation - target + tolerance) / -advanced.slope;
        let is_beyond = advanced.slope < 0.0 && safe.t < safe.t + beyond;
        probe = if is_beyond { poses_at((safe.t + beyond).min(end)) } else { safe };
    }
    let proposal = propose(&safe.b.relative_to(&safe.a), tol::GJK_TOUCHING);
    undecided(safe.t, upper_bound(safe.nearest(&proposal)), target, rounding)
}

/// Both frames at a time.
#[derive(Clone, Copy)]
struct Placed {
    t: f64,
    a: WidePose,
    b: WidePose,
}

impl Placed {
    /// Returns the nearest points of the cores in a proposal, in the outer frame.
    fn nearest(&self, proposal: &Proposal) -> Option<[DVec3; 2]> {
        let differences = || {
            core::array::from_fn(|i| {
                self.b.transform_point(proposal.points_b[i]) - self.a.transform_point(proposal.points_a[i])
            })
        };
        let [a, b] = proposal.nearest([DVec3::ZERO; 2], differences)?;
        Some([self.a.transform_point(a), self.b.transform_point(b)])
    }
}

/// Returns the largest distance of a point of the body from the origin of its frame.
fn reach_of(shape: &(impl SupportMap + ?Sized)) -> f64 {
    (scaling::length(shape.center()) + shape.radius() + shape.margin()) * (1.0 + 16.0 * UNIT)
}

/// Returns the vector from the centre of A to that of B.
fn centers<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(a: &A, b: &B, placed: &Placed) -> DVec3 {
    let offset = placed.b.transform_point(b.center()) - placed.a.transform_point(a.center());
    scaling::unit(offset).unwrap_or(DVec3::X)
}
