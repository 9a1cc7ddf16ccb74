//! What can be known of when two bodies come together, and how it is proved.
//!
//! With `d(t)` the true distance at the time `t` (0 where bodies overlap) and a target distance
//! `tau`, every search asks for the least `t` with `d(t) <= tau`. No answer rests on a search
//! having converged: each is a statement with a proof, and a search that can prove no more says so.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, section
//! 2.4 (when two moving objects touch). Differs: brackets, and the third answer.

use carom_geom::FeatureId;
use glam::DVec3;

/// When two moving bodies first come within the target distance of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TimeOfImpact {
    /// They do, within the bracket.
    Hit(Impact),
    /// They do not, in all the time asked about.
    Clear(Clear),
    /// They do not before a time; what happens later could not be proved either way.
    Undecided(Undecided),
}

/// The first contact, bracketed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Impact {
    /// The bodies are farther apart than the target distance at all times before this one.
    pub t_lo: f64,
    /// By this time they are not, or have not been: flat things may have passed each other. It is
    /// not less than `t_lo`, and wide of it only where bodies approach slowly.
    pub t_hi: f64,
    /// On the surface of A at `t_hi`, in the frame in which the motions are given.
    pub point_a: DVec3,
    /// On the surface of B at `t_hi`, in the same frame.
    pub point_b: DVec3,
    /// Unit vector from A towards B, in the same frame.
    pub normal: DVec3,
    /// Triangle of a mesh or part of a compound, 0 for a single convex shape.
    pub part_a: u32,
    /// Triangle of a mesh or part of a compound, 0 for a single convex shape.
    pub part_b: u32,
    /// Feature of A that is touched.
    pub feature_a: FeatureId,
    /// Feature of B that is touched.
    pub feature_b: FeatureId,
    /// What proves the contact at `t_hi`.
    pub proof: Proof,
}

impl Impact {
    /// Of two single shapes, features unknown.
    pub const fn new(bracket: [f64; 2], points: [DVec3; 2], normal: DVec3, proof: Proof) -> Impact {
        Impact {
            t_lo: bracket[0],
            t_hi: bracket[1],
            point_a: points[0],
            point_b: points[1],
            normal,
            part_a: 0,
            part_b: 0,
            feature_a: FeatureId::UNKNOWN,
            feature_b: FeatureId::UNKNOWN,
            proof,
        }
    }
}

/// What proves that bodies are within the target distance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Proof {
    /// They have points in common, at `t_hi` or between `t_lo` and it.
    Overlap,
    /// The two points are at most this far from each other, and this is not more than the target
    /// distance. It may be more for sampled distance fields, by no more than their samples may be
    /// off.
    Within(f64),
}

/// Nothing came within the target distance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Clear {
    /// The bodies are never nearer than this: a proven lower bound, above the target distance, not
    /// the least distance itself.
    pub distance: f64,
}

impl Clear {
    /// Never nearer than `distance`.
    pub const fn new(distance: f64) -> Clear {
        Clear { distance }
    }
}

/// Until when nothing came within the target distance, and why nothing is said of later.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Undecided {
    /// The bodies are farther apart than the target distance at all times before this one.
    pub t_safe: f64,
    /// At `t_safe` the distance is at most this.
    pub distance: f64,
    /// What stood in the way.
    pub why: Why,
}

impl Undecided {
    /// Nothing is claimed from `t_safe` on, when bodies are at most `distance` apart.
    pub const fn new(t_safe: f64, distance: f64, why: Why) -> Undecided {
        Undecided { t_safe, distance, why }
    }
}

/// What stands in the way of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Why {
    /// Distance and target distance differ by less than rounding: for whoever moves things this is
    /// a hit.
    WithinRounding,
    /// The steps that the settings allow were spent.
    StepsSpent,
}

impl TimeOfImpact {
    /// Until when the bodies are proved to be farther apart than the target distance; `end`, the
    /// end of the time asked about, where that is all of it. Moving no farther than this is safe
    /// whatever the answer is.
    pub fn safe_until(&self, end: f64) -> f64 {
        match self {
            TimeOfImpact::Hit(impact) => impact.t_lo,
            TimeOfImpact::Clear(_) => end,
            TimeOfImpact::Undecided(undecided) => undecided.t_safe,
        }
    }

    /// The impact, where there surely is one.
    pub fn hit(&self) -> Option<&Impact> {
        match self {
            TimeOfImpact::Hit(impact) => Some(impact),
            _ => None,
        }
    }

    /// The same answer with A and B exchanged.
    #[must_use]
    pub fn swapped(self) -> TimeOfImpact {
        match self {
            TimeOfImpact::Hit(impact) => TimeOfImpact::Hit(Impact {
                point_a: impact.point_b,
                point_b: impact.point_a,
                normal: -impact.normal,
                part_a: impact.part_b,
                part_b: impact.part_a,
                feature_a: impact.feature_b,
                feature_b: impact.feature_a,
                ..impact
            }),
            other => other,
        }
    }
}
