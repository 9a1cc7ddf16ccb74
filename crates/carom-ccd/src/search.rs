//! The common part of all searches for the time of impact: the question, proofs of contact, and the
//! form of answers.
//!
//! Contact is proved by two points of the bodies that are close enough, margins included, or by an
//! overlap of the cores.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.8
//! (cores and margins).

use crate::body_pair::{BodyPair, Placed};
use crate::overlap::overlap;
use crate::separation::Axis;
use crate::{Impact, ImpactSettings, Motion, Proof, Proposal, TimeOfImpact, Undecided, Why};
use carom_geom::SupportMap;
use carom_math::{WidePose, scaling, tol};
use glam::DVec3;

/// In units of the rounding of a separation: the finest difference from the target that can be
/// resolved.
const FINEST: f64 = 16.0;

/// In the same units: a longer difference of two points has a reliable direction.
const CLEAR_OF_ROUNDING: f64 = 16.0;

/// In the same units: a distance this close to the target cannot be distinguished from it.
const WITHIN_ROUNDING: f64 = 64.0;

/// Two bodies, the settings of the search, and the least distance found so far.
pub(crate) struct Search<'s, A: ?Sized, B: ?Sized> {
    pub(crate) pair: BodyPair<'s, A, B>,
    pub(crate) settings: ImpactSettings,
    pub(crate) target: f64,
    /// The least distance found so far.
    pub(crate) nearest: f64,
}

impl<'s, A: SupportMap + ?Sized, B: SupportMap + ?Sized> Search<'s, A, B> {
    pub(crate) fn new(
        a: &'s A,
        motion_a: &Motion,
        b: &'s B,
        motion_b: &Motion,
        settings: &ImpactSettings,
    ) -> Search<'s, A, B> {
        let [ball_a, ball_b] = [(a.center(), a.radius() + a.margin()), (b.center(), b.radius() + b.margin())];
        let settings = settings.until_departure(ball_a, motion_a, ball_b, motion_b);
        let pair = BodyPair::new(a, motion_a, b, motion_b, settings.start_time, settings.max_time);
        Search { pair, settings, target: settings.target_distance.max(0.0), nearest: f64::INFINITY }
    }

    /// Returns a length: how far a separation may stay above the target, and below it.
    pub(crate) fn first_tolerance(&self) -> f64 {
        let smaller = self.pair.a.radius().min(self.pair.b.radius());
        (self.settings.tolerance.max(0.0) * smaller).max(self.finest())
    }

    /// Returns the accuracy that nearest points need, as a fraction of their distance. Near contact
    /// the cores are apart by the margins and the target. The error must be smaller than the
    /// tolerance.
    pub(crate) fn wanted(&self, tolerance: f64) -> f64 {
        part_of_distance(self.pair.margins() + self.target, tolerance)
    }

    /// Returns a length: the least difference of a separation from the target that can be
    /// resolved.
    pub(crate) fn finest(&self) -> f64 {
        FINEST * self.pair.rounding
    }

    /// Returns an upper bound of the distance, given a point of each body. Infinite if nothing is
    /// known.
    pub(crate) fn upper(&self, witness: Option<(DVec3, DVec3)>) -> f64 {
        let distance = match witness {
            Some((a, b)) => scaling::length(b - a) + self.pair.rounding - self.pair.margins(),
            None => f64::INFINITY,
        };
        if distance.is_nan() { f64::INFINITY } else { distance.max(0.0) }
    }

    /// Returns a proof that the bodies are within the target distance. `witness` is that of the
    /// proposal.
    pub(crate) fn contact(
        &self,
        placed: &Placed,
        proposal: &Proposal,
        witness: Option<(DVec3, DVec3)>,
        last: Option<&Axis>,
        t: f64,
    ) -> Option<Contact> {
        let pair = &self.pair;
        let rounding = pair.rounding;
        let mut common = None;
        if let Some((a, b)) = witness {
            let gap = b - a;
            let distance = scaling::length(gap);
            let above = distance + rounding - pair.margins();
            if above <= self.target {
                let proof = if above <= 0.0 { Proof::Overlap } else { Proof::Within(above) };
                // If they are so close that their difference has no direction, they are one point.
                if CLEAR_OF_ROUNDING * rounding < distance {
                    let normal = gap / distance;
                    let points = [a + normal * pair.a.margin, b - normal * pair.b.margin];
                    return Some(Contact { points, normal, proof });
                }
                common = Some((a, None, proof));
            } else if CLEAR_OF_ROUNDING * rounding < distance && proposal.axis != DVec3::ZERO {
                // This is no proof if the proposal says that the cores meet: the weights of a thin
                // tetrahedron are inaccurate.
                return None;
            }
        }
        if common.is_none() {
            let overlap = overlap(pair, placed, proposal)?;
            common = Some((overlap.point, Some(overlap.normal), Proof::Overlap));
        }
        let (point, found, proof) = common?;
        let centers = || scaling::unit(placed.between).unwrap_or(DVec3::X);
        let normal = last.map(|axis| axis.at(t)).or(found).unwrap_or_else(centers);
        // Along the axis that kept them apart until now, from the common point to the surfaces.
        let [height_a, height_b] = pair.heights(placed, normal);
        let on = |height: f64| point + normal * (height - normal.dot(point));
        Some(Contact { points: [on(height_a), on(height_b)], normal, proof })
    }

    pub(crate) fn impact(&self, bracket: [f64; 2], placed: &Placed, contact: &Contact) -> Impact {
        let points = contact.points.map(|point| self.pair.in_world(bracket[1], point));
        let mut impact = Impact::new(bracket, points, contact.normal, contact.proof);
        if self.settings.wants_features {
            let n = contact.normal;
            impact.feature_a = self.pair.a.shape.feature_id(placed.rotation_a.transpose() * n);
            impact.feature_b = self.pair.b.shape.feature_id(placed.rotation_b.transpose() * -n);
        }
        impact
    }

    /// Returns an answer that claims nothing from the safe time on. The distance at that time is
    /// measured by one more proposal.
    pub(crate) fn undecided(
        &mut self,
        safe: f64,
        propose: &mut impl FnMut(&WidePose, f64) -> Proposal,
    ) -> TimeOfImpact {
        let placed = self.pair.at(safe);
        let proposal = propose(&self.pair.b_in_a(&placed), tol::GJK_TOUCHING);
        let upper = self.upper(self.pair.witness(&placed, &proposal));
        self.nearest = self.nearest.min(upper);
        undecided(safe, upper, self.target, self.pair.rounding)
    }
}

/// Returns an answer that claims nothing from the safe time on. `upper` is an upper bound of the
/// distance at that time; if it is NaN, none is known. `rounding` is the length by which a
/// separation may be off.
pub(crate) fn undecided(safe: f64, upper: f64, target: f64, rounding: f64) -> TimeOfImpact {
    let upper = if upper.is_nan() { f64::INFINITY } else { upper };
    let is_near = upper - target <= WITHIN_ROUNDING * rounding;
    let why = if is_near { Why::WithinRounding } else { Why::StepsSpent };
    TimeOfImpact::Undecided(Undecided::new(safe, upper, why))
}

/// Returns a fraction of the distance of cores that are about `cores` apart. With this accuracy
/// nearest points do not hide the tolerance.
pub(crate) fn part_of_distance(cores: f64, tolerance: f64) -> f64 {
    let part = 0.25 * tolerance / (cores + tolerance);
    // False for NaN.
    if part < tol::IMPACT_PROPOSAL { part.max(tol::GJK_TOUCHING) } else { tol::IMPACT_PROPOSAL }
}

/// The points of contact of two bodies, from A's pivot.
pub(crate) struct Contact {
    pub(crate) points: [DVec3; 2],
    /// Unit vector from A towards B.
    pub(crate) normal: DVec3,
    pub(crate) proof: Proof,
}
