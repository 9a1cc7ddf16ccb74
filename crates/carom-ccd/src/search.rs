//! What all searches for the time of impact share: what is asked, proofs of contact, and how
//! answers are told.
//!
//! Contact is proved by two points of the bodies that are near enough, margins included, or by an
//! overlap of the cores.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.8
//! (cores and margins).

use crate::body_pair::{BodyPair, Placed};
use crate::overlap::overlap;
use crate::separation::Axis;
use crate::{Impact, ImpactSettings, Motion, Proof, Proposal, TimeOfImpact, Undecided, Why};
use carom_geom::SupportMap;
use carom_math::{scaling, tol};
use glam::DVec3;

/// In units of what rounding does to a separation: the finest that separations are told from the
/// target.
const FINEST: f64 = 16.0;

/// In the same units: the difference of points farther apart has a direction.
const CLEAR_OF_ROUNDING: f64 = 16.0;

/// In the same units: distances nearer to the target than this are the target, for all that can be
/// told.
const WITHIN_ROUNDING: f64 = 64.0;

/// Two bodies, what is asked of them, and what was seen.
pub(crate) struct Search<'s, A: ?Sized, B: ?Sized> {
    pub(crate) pair: BodyPair<'s, A, B>,
    pub(crate) settings: &'s ImpactSettings,
    pub(crate) target: f64,
    /// The nearest that the bodies were seen.
    pub(crate) nearest: f64,
}

impl<'s, A: SupportMap + ?Sized, B: SupportMap + ?Sized> Search<'s, A, B> {
    pub(crate) fn new(
        a: &'s A,
        motion_a: &Motion,
        b: &'s B,
        motion_b: &Motion,
        settings: &'s ImpactSettings,
    ) -> Search<'s, A, B> {
        let pair = BodyPair::new(a, motion_a, b, motion_b, settings.start_time, settings.max_time);
        Search { pair, settings, target: settings.target_distance.max(0.0), nearest: f64::INFINITY }
    }

    /// A length: how far above the target a separation may stay, and below it.
    pub(crate) fn first_tolerance(&self) -> f64 {
        let smaller = self.pair.a.radius().min(self.pair.b.radius());
        (self.settings.tolerance.max(0.0) * smaller).max(self.finest())
    }

    /// How well nearest points have to be known, as a fraction of their distance: near contact
    /// cores are apart by the margins and the target, and the error must not hide what is between
    /// the target and the tolerance.
    pub(crate) fn wanted(&self, tolerance: f64) -> f64 {
        part_of_distance(self.pair.margins() + self.target, tolerance)
    }

    /// A length: the least difference of a separation from the target that is worth telling.
    pub(crate) fn finest(&self) -> f64 {
        FINEST * self.pair.rounding
    }

    /// How far apart the bodies are at most, of which these are points; infinite where nothing is
    /// known.
    pub(crate) fn upper(&self, witness: Option<(DVec3, DVec3)>) -> f64 {
        let distance = match witness {
            Some((a, b)) => scaling::length(b - a) + self.pair.rounding - self.pair.margins(),
            None => f64::INFINITY,
        };
        if distance.is_nan() { f64::INFINITY } else { distance.max(0.0) }
    }

    /// A proof that the bodies are within the target distance; `witness` is that of the proposal.
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
                // So near that their difference has no direction they are one point.
                if CLEAR_OF_ROUNDING * rounding < distance {
                    let normal = gap / distance;
                    let points = [a + normal * pair.a.margin, b - normal * pair.b.margin];
                    return Some(Contact { points, normal, proof });
                }
                common = Some((a, None, proof));
            } else if CLEAR_OF_ROUNDING * rounding < distance && proposal.axis != DVec3::ZERO {
                // Not so where cores are said to meet: of a thin tetrahedron the weights have few
                // digits.
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

    pub(crate) fn undecided(&self, safe: f64, upper: f64) -> TimeOfImpact {
        let near = upper - self.target <= WITHIN_ROUNDING * self.pair.rounding;
        let why = if near { Why::WithinRounding } else { Why::StepsSpent };
        TimeOfImpact::Undecided(Undecided::new(safe, upper, why))
    }
}

/// A fraction of the distance of cores that are about so far apart: known so well, nearest points
/// do not hide the tolerance.
pub(crate) fn part_of_distance(cores: f64, tolerance: f64) -> f64 {
    let part = 0.25 * tolerance / (cores + tolerance);
    // Not so for NaN.
    if part < tol::IMPACT_PROPOSAL { part.max(tol::GJK_TOUCHING) } else { tol::IMPACT_PROPOSAL }
}

/// Where bodies are in contact, from A's pivot.
pub(crate) struct Contact {
    pub(crate) points: [DVec3; 2],
    /// Unit vector from A towards B.
    pub(crate) normal: DVec3,
    pub(crate) proof: Proof,
}
