//! Queries of a joint with one axis: its place, angle and speed, and the energy of its spring.
//!
//! Reference: N. Newmark, A Method of Computation for Structural Dynamics, 1959 (beta = 1/4).

use crate::body::Body;
use crate::joint::Joint;
use crate::joint_kind::JointKind;
use crate::spring::{TorsionSpring, Winding};
use carom_math::{Real, Vec3, ops, rotation};

/// Angular speed, in radians per unit of time. If a wound spring turns slower than this, something
/// holds it, and it may fall asleep. The bound is far above rounding, and far below any visible
/// speed.
const MIN_SPRING_SPEED: Real = 1e-3;

impl Joint {
    /// Returns this joint with a spring about the axis of its hinge. Turns are counted from now on.
    #[must_use]
    pub fn with_spring(mut self, spring: TorsionSpring) -> Joint {
        (self.spring, self.winding) = (Some(spring), Winding::default());
        self
    }

    /// Returns the angle of a hinge from A's y axis to B's, in radians; `None` for other joints.
    ///
    /// `a` and `b` are its bodies. With a spring, the angle counts full turns since the spring was
    /// set. Otherwise it is within pi.
    pub fn hinge_angle(&self, a: &Body, b: &Body) -> Option<f64> {
        let JointKind::Hinge { .. } = self.kind else { return None };
        let turn = |body: &Body, own| rotation::normalize(rotation::mul(body.pose.rotation, own));
        let (rotation_a, rotation_b) = (turn(a, self.frame_a.rotation), turn(b, self.frame_b.rotation));
        let y = rotation::rotate_back(rotation_a, rotation::rotate(rotation_b, Vec3::Y));
        let angle = ops::atan2(y.z, y.y);
        // The stored winding is that before the last substep, in which the hinge turned by less
        // than pi.
        let is_counted = self.spring.is_some();
        Some(if is_counted { self.winding.at(angle, 0.0).total() } else { f64::from(angle) })
    }

    /// Returns the energy that is stored in the spring; 0 without one.
    ///
    /// `a` and `b` are the bodies of the joint, `substep` is the length of a substep. Velocities
    /// lag half a substep behind positions, so the angle of half a substep ago is used. For a free
    /// wheel, the sum with the kinetic energy is then constant. A `substep` of 0 uses the present
    /// angle.
    pub fn spring_energy(&self, a: &Body, b: &Body, substep: Real) -> f64 {
        let (Some(spring), Some(angle)) = (self.spring, self.hinge_angle(a, b)) else { return 0.0 };
        let back = 0.5 * f64::from(substep) * f64::from(self.hinge_speed(a, b));
        let deviation = angle - back - f64::from(spring.rest_angle);
        0.5 * f64::from(spring.stiffness) * deviation * deviation
    }

    /// Returns the angular speed of B relative to A about the x axis.
    fn hinge_speed(&self, a: &Body, b: &Body) -> Real {
        self.axis(a).dot(b.angular_velocity - a.angular_velocity)
    }

    /// Returns the angle from the rest angle of a spring, at the start of the substep.
    pub(crate) fn deviation(&self, spring: &TorsionSpring) -> Real {
        (self.winding.total() - f64::from(spring.rest_angle)) as Real
    }

    /// Whether there is a spring or a position motor that moves something. Its bodies do not fall
    /// asleep and are not braked.
    pub(crate) fn has_turning_spring(&self, bodies: &[Body]) -> bool {
        (self.spring.is_some() || self.position_motor.is_some()) && {
            let (a, b) = (&bodies[self.body_a as usize], &bodies[self.body_b as usize]);
            self.speed(a, b).is_some_and(|speed| MIN_SPRING_SPEED < speed.abs())
        }
    }

    /// Returns the place of B's joint point along the axis of a slider, or the angle of a hinge in
    /// radians, as in [`Joint::hinge_angle`]. `None` for other joints.
    ///
    /// `a` and `b` are its bodies.
    pub fn place(&self, a: &Body, b: &Body) -> Option<f64> {
        let JointKind::Prismatic { .. } = self.kind else { return self.hinge_angle(a, b) };
        let offset = b.pose.transform_point(self.frame_b.translation)
            - a.pose.transform_point(self.frame_a.translation);
        Some(f64::from(self.axis(a).dot(offset)))
    }

    /// Returns the velocity of B relative to A along the axis of a slider, or the angular one about
    /// the axis of a hinge. `None` for other joints.
    ///
    /// `a` and `b` are its bodies.
    pub fn speed(&self, a: &Body, b: &Body) -> Option<Real> {
        match self.kind {
            JointKind::Hinge { .. } => Some(self.hinge_speed(a, b)),
            JointKind::Prismatic { .. } => {
                let point = b.pose.transform_point(self.frame_b.translation);
                Some(self.axis(a).dot(b.velocity_at(point) - a.velocity_at(point)))
            }
            _ => None,
        }
    }

    /// Whether a motor or a spring acts in this joint.
    pub fn is_driven(&self) -> bool {
        let has_motor = match self.kind {
            JointKind::Hinge { motor, .. } => motor.is_some(),
            JointKind::Prismatic { motor, .. } => motor.is_some(),
            _ => false,
        };
        has_motor || self.spring.is_some() || self.position_motor.is_some()
    }

    fn axis(&self, a: &Body) -> Vec3 {
        rotation::rotate(rotation::mul(a.pose.rotation, self.frame_a.rotation), Vec3::X)
    }

    /// Whether the position motor is valid, and belongs to a hinge or a slider.
    pub(crate) fn is_motor_sound(&self) -> bool {
        self.position_motor.is_none_or(|motor| self.kind.has_axis() && motor.validate().is_ok())
    }

    /// Whether the spring is valid, and belongs to a hinge.
    pub(crate) fn is_spring_sound(&self) -> bool {
        let is_hinge = matches!(self.kind, JointKind::Hinge { .. });
        self.winding.is_sound() && self.spring.is_none_or(|spring| is_hinge && spring.validate().is_ok())
    }
}
