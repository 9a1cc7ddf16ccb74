//! The impulses of a joint, and its load.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (warm start).

use crate::joints::kind::{AxisLimit, JointKind, SixDof};
use carom_math::{Real, Vec3};

/// The impulses on B of a joint in the last substep.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JointImpulse {
    /// Impulse at the joint point, in the world frame. For a prismatic joint, a screw and six
    /// degrees of freedom: impulses of the locked axes, in A's joint frame. The first of a screw is
    /// that of its thread.
    pub linear: Vec3,
    /// Angular impulse, in the world frame. For a prismatic joint, a screw and six degrees of
    /// freedom: angular impulses about the locked axes, in the order of
    /// [`JointAxis`](crate::JointAxis).
    pub angular: Vec3,
    /// Impulse of the lower limit of an angle or a distance, and of a cone.
    pub lower: Real,
    /// Impulse of the upper limit.
    pub upper: Real,
    /// Impulses of the motors, in the order of [`JointAxis`](crate::JointAxis). The motor of a
    /// revolute joint and of a screw is about x, that of a prismatic joint along x.
    pub motors: [Real; 6],
    /// Impulse of the torsion spring.
    pub spring: Real,
    /// Impulses of the lower and upper limits of a prismatic joint, a screw and six degrees of
    /// freedom, by axis. The limits of twist and of a screw are those about x. For a pulley the
    /// first two entries belong to the sides of A and B: the impulse that stops an end at its
    /// fixed point, and that of a rope that is all on this side.
    pub limits: [[Real; 2]; 6],
    /// Length of the substep of these impulses, to which they are proportional. 0 if there was no
    /// substep.
    pub substep: Real,
}

impl JointImpulse {
    /// Drops the impulses of rows that a joint does not have, such as a limit or a motor that was
    /// removed. No iteration would change them, so each warm start would apply them again.
    /// `has_spring` says whether it has a torsion spring.
    pub(crate) fn drop_unsolved(&mut self, kind: &JointKind, has_spring: bool) {
        match *kind {
            JointKind::Spherical { cone, twist } => {
                if kind.locks_bend() || core::f32::consts::PI <= cone {
                    self.upper = 0.0;
                }
                if !kind.locks_bend() {
                    self.angular = Vec3::ZERO;
                }
                if twist.is_none() {
                    self.limits = [[0.0; 2]; 6];
                }
            }
            JointKind::Revolute { limits, motor } => {
                if limits.is_none() {
                    (self.lower, self.upper) = (0.0, 0.0);
                }
                if motor.is_none() {
                    self.motors = [0.0; 6];
                }
                if !has_spring {
                    self.spring = 0.0;
                }
            }
            JointKind::Prismatic { .. } | JointKind::Screw { .. } | JointKind::SixDof(_) => {
                for (k, (limit, motor)) in kind.axes().into_iter().flat_map(SixDof::rows).enumerate() {
                    match limit {
                        AxisLimit::Locked => {}
                        _ if k < 3 => self.linear[k] = 0.0,
                        _ => self.angular[k - 3] = 0.0,
                    }
                    if !matches!(limit, AxisLimit::Between(..)) {
                        self.limits[k] = [0.0; 2];
                    }
                    if motor.is_none() || limit == AxisLimit::Locked {
                        self.motors[k] = 0.0;
                    }
                }
            }
            JointKind::Weld | JointKind::Distance { .. } | JointKind::Pulley { .. } => {}
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => {}
        }
    }

    /// Whether all impulses are finite.
    pub(crate) fn is_finite(&self) -> bool {
        // Branchless: all joints are checked in each step, and hardly any check fails.
        let all = |numbers: &[Real]| numbers.iter().fold(true, |all, x| all & x.is_finite());
        (self.linear.is_finite() & self.angular.is_finite())
            & (all(&[self.lower, self.upper, self.spring]) & all(&self.motors))
            & all(self.limits.as_flattened())
    }

    /// Scales all impulses by `ratio`, to a substep of length `h`.
    pub(crate) fn rescale(&mut self, ratio: Real, h: Real) {
        self.substep = h;
        if ratio == 1.0 {
            return;
        }
        self.linear *= ratio;
        self.angular *= ratio;
        [self.lower, self.upper, self.spring] = [self.lower, self.upper, self.spring].map(|x| x * ratio);
        self.motors = self.motors.map(|x| x * ratio);
        self.limits = self.limits.map(|sides| sides.map(|x| x * ratio));
    }
}

/// The load of a joint in a step: its impulses on B, summed up over the substeps.
///
/// Force and torque are means over the step, so a shorter jerk counts less.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JointLoad {
    /// Impulse at the joint point, in the world frame.
    pub linear: Vec3,
    /// Angular impulse about the joint point, in the world frame.
    pub angular: Vec3,
    /// The time in which they acted: that of the step, or 0 before the first one.
    pub time: Real,
}

impl JointLoad {
    /// Returns the force on B at its joint point, in the world frame. The force on A is its
    /// opposite.
    pub fn force(&self) -> Vec3 {
        if 0.0 < self.time { self.linear / self.time } else { Vec3::ZERO }
    }

    /// Returns the torque on B about its joint point, in the world frame. It includes the torque
    /// of limits, motors and springs.
    pub fn torque(&self) -> Vec3 {
        if 0.0 < self.time { self.angular / self.time } else { Vec3::ZERO }
    }

    /// Adds the impulses of a substep of length `h`. An overflow counts as no load.
    pub(crate) fn add(&mut self, (linear, angular): (Vec3, Vec3), h: Real) {
        let (linear, angular) = (self.linear + linear, self.angular + angular);
        if linear.is_finite() && angular.is_finite() {
            (self.linear, self.angular) = (linear, angular);
        }
        self.time += h;
    }

    /// Whether all numbers are finite and the time is not negative.
    pub(crate) fn is_sound(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite() && (0.0..Real::INFINITY).contains(&self.time)
    }
}
