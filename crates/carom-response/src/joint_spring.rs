//! Queries of a hinge with a spring: its angle with full turns, and the energy of the spring.
//!
//! Reference: N. Newmark, A Method of Computation for Structural Dynamics, 1959 (beta = 1/4).

use crate::body::Body;
use crate::joint::{Joint, JointKind};
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
        let axis = rotation::rotate(rotation::mul(a.pose.rotation, self.frame_a.rotation), Vec3::X);
        axis.dot(b.angular_velocity - a.angular_velocity)
    }

    /// Returns the angle from the rest angle of a spring, at the start of the substep.
    pub(crate) fn deviation(&self, spring: &TorsionSpring) -> Real {
        (self.winding.total() - f64::from(spring.rest_angle)) as Real
    }

    /// Whether there is a spring that turns something. Its bodies do not fall asleep and are not
    /// braked.
    pub(crate) fn has_turning_spring(&self, bodies: &[Body]) -> bool {
        self.spring.is_some() && {
            let (a, b) = (&bodies[self.body_a as usize], &bodies[self.body_b as usize]);
            MIN_SPRING_SPEED < self.hinge_speed(a, b).abs()
        }
    }

    /// Whether the spring is valid, and belongs to a hinge.
    pub(crate) fn is_spring_sound(&self) -> bool {
        let is_hinge = matches!(self.kind, JointKind::Hinge { .. });
        self.winding.is_sound() && self.spring.is_none_or(|spring| is_hinge && spring.validate().is_ok())
    }
}
