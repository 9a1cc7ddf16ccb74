//! The time at which a convex body comes within a distance of a half-space, both moving. The
//! plane's normal is the only axis.
//!
//! The separation along the normal is the distance itself, so it bounds the distance from both
//! sides. No search for nearest points is needed. The axis turns with the half-space, so it follows
//! the plane exactly.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, section 5.5.3 (moving sphere against
//! plane).
//! Differs: any convex body, with rotation.

use crate::advance::advance;
use crate::body_pair::{BodyPair, Moment};
use crate::chord::{UNIT, chord_bound};
use crate::search::undecided;
use crate::separation::Axis;
use crate::{Clear, Impact, ImpactSettings, Motion, Proof, Tally, TimeOfImpact};
use carom_geom::{SupportMap, SupportPoint};
use carom_math::{scaling, tol};
use glam::DVec3;

/// A shape that is the origin of its frame.
pub(crate) struct Origin;

impl SupportMap for Origin {
    fn support(&self, _direction: DVec3) -> SupportPoint {
        SupportPoint { point: DVec3::ZERO, vertex: 0 }
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    fn radius(&self) -> f64 {
        0.0
    }
}

/// Returns the first time at which a moving convex body comes within the target distance of a
/// moving half-space. It is [`half_space_time_of_impact_counted`] without counting.
pub fn half_space_time_of_impact<B: SupportMap + ?Sized>(
    normal: DVec3,
    motion_a: &Motion,
    b: &B,
    motion_b: &Motion,
    settings: &ImpactSettings,
) -> TimeOfImpact {
    half_space_time_of_impact_counted(normal, motion_a, b, motion_b, settings, &())
}

/// Returns the first time at which a moving convex body, B, comes within the target distance of a
/// moving half-space, A.
///
/// The half-space is below the plane through the origin of A's frame. `normal` is its normal in
/// that frame, of any length. Without a direction, as the zero vector, the answer is undecided at
/// the start. The tolerance is in radii of B. The work is counted in `tally`.
pub fn half_space_time_of_impact_counted<B: SupportMap + ?Sized>(
    normal: DVec3,
    motion_a: &Motion,
    b: &B,
    motion_b: &Motion,
    settings: &ImpactSettings,
    tally: &impl Tally,
) -> TimeOfImpact {
    let Some(normal) = unit(normal) else {
        return undecided(settings.start_time, f64::INFINITY, 0.0, 0.0);
    };
    let settings = &until_passed(normal, motion_a, b, motion_b, settings);
    let (start, end) = (settings.start_time, settings.max_time);
    let pair = BodyPair::new(&Origin, motion_a, b, motion_b, start, end);
    let target = settings.target_distance.max(0.0);
    tally.count(|counters| counters.searches += 1);
    let mut axis = Axis::turning(&pair, pair.a.rotation * normal, pair.a.angular(), &Moment::new(0.0));
    // The separation is below the distance by at most this.
    let doubt = 2.0 * axis.rounding();
    let finest = 16.0 * axis.rounding();
    let mut tolerance = (settings.tolerance.max(0.0) * pair.b.radius()).max(finest);
    let (mut safe, mut probe) = (start, start);
    let mut least = f64::INFINITY;
    let mut n_stalls = 0;
    for _ in 0..settings.max_steps.max(1) {
        let here = axis.separation(&pair, &Moment::new(probe), tally);
        let above = here + doubt;
        if above <= target {
            let placed = pair.at(probe);
            let n = axis.at(probe);
            let point_b = pair.offset_b(&placed, pair.b.farthest(-(placed.rotation_b.transpose() * n)))
                - n * pair.b.margin;
            let point_a = point_b - n * (n.dot(point_b) - n.dot(pair.offset_a(&placed, DVec3::ZERO)));
            let proof = if above <= 0.0 { Proof::Overlap } else { Proof::Within(above) };
            let points = [point_a, point_b].map(|point| pair.in_world(probe, point));
            let mut impact = Impact::new([safe, probe], points, n, proof);
            if settings.wants_features {
                impact.feature_b = b.feature_id(-(placed.rotation_b.transpose() * n));
            }
            return TimeOfImpact::Hit(impact);
        }
        let back = if safe < probe {
            chord_bound(axis.separation(&pair, &Moment::new(safe), tally), here, axis.kappa, probe - safe)
        } else {
            here
        };
        if !(target < here && target < back) {
            if probe == safe {
                break;
            }
            probe = safe;
            tolerance = (0.25 * tolerance).max(finest);
            continue;
        }
        let kappa = axis.kappa;
        let mut separation = |moment: &Moment| axis.separation(&pair, moment, tally);
        let advanced = advance(&mut separation, kappa, (probe, here), &Moment::new(end), target, tolerance);
        least = least.min(back).min(advanced.least);
        if end <= advanced.time {
            return TimeOfImpact::Clear(Clear::new(least));
        }
        n_stalls = if advanced.time - safe <= tol::IMPACT_STALL * (end - start) { n_stalls + 1 } else { 0 };
        safe = advanced.time;
        if 3 <= n_stalls && tolerance <= finest {
            break;
        }
        let beyond = (advanced.separation - target + tolerance) / -advanced.slope;
        probe = if advanced.slope < 0.0 && safe < safe + beyond { (safe + beyond).min(end) } else { safe };
    }
    let upper = axis.separation(&pair, &Moment::new(safe), tally) + doubt;
    let upper = if upper < 0.0 { 0.0 } else { upper };
    undecided(safe, upper, target, axis.rounding())
}

/// Returns a vector divided by its length. One of unit length to rounding is returned as it is, so
/// that searches with it keep their bits. `None` without a direction.
fn unit(normal: DVec3) -> Option<DVec3> {
    let is_unit = (normal.length_squared() - 1.0).abs() <= 16.0 * UNIT;
    if is_unit { Some(normal) } else { scaling::unit(normal) }
}

/// Returns settings that end once the body has certainly passed the plane, or has left it, if
/// `max_time` is far later. They keep their end if the plane turns.
fn until_passed<B: SupportMap + ?Sized>(
    normal: DVec3,
    motion_a: &Motion,
    b: &B,
    motion_b: &Motion,
    settings: &ImpactSettings,
) -> ImpactSettings {
    if motion_a.angular() != DVec3::ZERO {
        return settings.until_passed(f64::INFINITY, 1.0);
    }
    let plane = motion_a.pose_at(settings.start_time);
    let normal = plane.transform_vector(normal);
    let height = normal.dot(motion_b.center_at(settings.start_time) - plane.translation).abs();
    let reach = scaling::length(b.center() - motion_b.local_center()) + b.radius() + b.margin();
    let velocity = motion_b.linear() - motion_a.linear();
    let speed = normal.dot(velocity).abs();
    // A body that slides along the plane keeps its height, so no later time differs.
    let slides = speed == 0.0 && motion_b.angular() == DVec3::ZERO;
    settings.until_passed(height + reach, if slides { scaling::length(velocity) } else { speed })
}
