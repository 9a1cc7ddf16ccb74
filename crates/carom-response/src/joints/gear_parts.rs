//! Data of gears: the joints that a gear couples, and their bodies during a step.
//!
//! Reference: E. Catto, Box2D 2.4, b2_gear_joint.cpp, 2020.

use crate::joints::torsion_spring::Winding;
use carom_math::{Pose, Quat, Real, Vec3};

/// The joints that a gear couples, without the bodies that turn or slide.
///
/// Bodies A and B of the gear are the bodies B of the first and of the second joint. The frames of
/// the gear are the frames B of the two joints.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct GearParts {
    /// Indices of the bodies A of the two joints, which carry the bodies B.
    pub mounts: [u32; 2],
    /// The frames A of the two joints.
    pub frames: [Pose; 2],
    /// Whether each joint is prismatic.
    pub slides: [bool; 2],
    /// The angles of the two joints at the end of the last substep. The entry of a prismatic joint
    /// is not used.
    pub windings: [Winding; 2],
    /// The value of the row when the gear was inserted, in radians or as a length.
    pub rest: f64,
}

/// The bodies that carry those of a gear, during one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GearStep {
    pub(crate) slots: [usize; 2],
    /// Joint points relative to the centres of mass of the mounts, in the world frame, at the start
    /// of the step.
    pub(crate) anchors: [Vec3; 2],
    /// The vector from the centre of mass of each mount to that of the body that it carries.
    pub(crate) between: [Vec3; 2],
    pub(crate) rotations: [Quat; 2],
    /// The difference of the row from its value at the insertion, at the start of the substep.
    pub(crate) error: Real,
}
