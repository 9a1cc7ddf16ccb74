//! The answers of a search for the time of impact, and how they are proved.
//!
//! Let `d(t)` be the true distance at the time `t`, 0 if the bodies overlap, and `tau` the target
//! distance. Every search looks for the least `t` with `d(t) <= tau`. No answer relies on
//! convergence: each is a statement with a proof. A search that cannot prove more says so.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, section
//! 2.4 (when two moving objects touch).
//! Differs: brackets, and the third answer.

use carom_geom::FeatureId;
use glam::DVec3;

/// The first time at which two moving bodies come within the target distance of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TimeOfImpact {
    /// They come that near, at a time within the bracket.
    Hit(Impact),
    /// They do not come that near within the time of the search.
    Clear(Clear),
    /// They do not come that near before a time. Nothing could be proved for later times.
    Undecided(Undecided),
}

/// The first contact, bracketed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Impact {
    /// The bodies are farther apart than the target distance at all times before this one.
    pub t_lo: f64,
    /// By this time they have been within the target distance. Flat bodies may have passed each
    /// other. It is not less than `t_lo`, and much later only if the bodies approach slowly.
    pub t_hi: f64,
    /// The point on the surface of A at `t_hi`, in the frame of the motions.
    pub point_a: DVec3,
    /// The point on the surface of B at `t_hi`, in the same frame.
    pub point_b: DVec3,
    /// Unit vector from A towards B, in the same frame.
    pub normal: DVec3,
    /// The part number in A: that of a triangle of a mesh or of a part of a compound. 0 for a
    /// single convex shape.
    pub part_a: u32,
    /// The part number in B: that of a triangle of a mesh or of a part of a compound. 0 for a
    /// single convex shape.
    pub part_b: u32,
    /// The feature of A that is touched.
    pub feature_a: FeatureId,
    /// The feature of B that is touched.
    pub feature_b: FeatureId,
    /// The proof of the contact at `t_hi`.
    pub proof: Proof,
}

impl Impact {
    /// Creates an impact of two single shapes, with unknown features.
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

/// The proof that bodies are within the target distance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Proof {
    /// They have common points, at `t_hi` or between `t_lo` and `t_hi`.
    Overlap,
    /// The two points are at most this far apart, which is not more than the target distance. For
    /// sampled distance fields it may be more, by the error of their samples.
    Within(f64),
}

/// The result that nothing came within the target distance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Clear {
    /// A proven lower bound of the distance, above the target distance. It is not the least
    /// distance itself.
    pub distance: f64,
}

impl Clear {
    /// Creates the result that the bodies are never nearer than `distance`.
    pub const fn new(distance: f64) -> Clear {
        Clear { distance }
    }
}

/// The time until which nothing came within the target distance, and the reason why the search
/// stopped there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Undecided {
    /// The bodies are farther apart than the target distance at all times before this one.
    pub t_safe: f64,
    /// An upper bound of the distance at `t_safe`.
    pub distance: f64,
    /// The reason why the search stopped.
    pub why: Why,
}

impl Undecided {
    /// Creates a result that claims nothing from `t_safe` on. At that time the bodies are at most
    /// `distance` apart.
    pub const fn new(t_safe: f64, distance: f64, why: Why) -> Undecided {
        Undecided { t_safe, distance, why }
    }
}

/// The reason why a search is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Why {
    /// Distance and target distance differ by less than rounding. A simulation treats this as a
    /// hit.
    WithinRounding,
    /// All steps that the settings allow were used.
    StepsSpent,
}

impl TimeOfImpact {
    /// Returns the time until which the bodies are proved to be farther apart than the target
    /// distance. It is `end`, the end of the search, if the answer is clear. A motion up to it is
    /// safe, whatever the answer is.
    pub fn safe_until(&self, end: f64) -> f64 {
        match self {
            TimeOfImpact::Hit(impact) => impact.t_lo,
            TimeOfImpact::Clear(_) => end,
            TimeOfImpact::Undecided(undecided) => undecided.t_safe,
        }
    }

    /// Returns the impact of a hit; `None` for the other answers.
    pub fn hit(&self) -> Option<&Impact> {
        match self {
            TimeOfImpact::Hit(impact) => Some(impact),
            _ => None,
        }
    }

    /// Returns the same answer with A and B exchanged.
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
