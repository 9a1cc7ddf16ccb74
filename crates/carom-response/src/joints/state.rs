//! The state of a joint, from the poses and velocities of its bodies: angle, translation, speed,
//! gap, and the energy of its torsion spring.
//!
//! Reference: N. Newmark, A Method of Computation for Structural Dynamics, 1959 (beta = 1/4).

use crate::bodies::body::Body;
use crate::joints::axes::{euler_angles, turns_of_screw};
use crate::joints::joint::Joint;
use crate::joints::kind::{AxisLimit, JointKind};
use crate::joints::rows::hinge_angle;
use crate::joints::torsion_spring::{TorsionSpring, Winding};
use carom_math::{Quat, Real, Vec3, rotation};

/// Angular speed, in radians per unit of time, or length per unit of time. A loaded spring that
/// moves slower than this is held by something, and may fall asleep. The bound is far above
/// rounding, and far below any visible speed.
const MIN_SPRING_SPEED: Real = 1e-3;

impl Joint {
    /// Returns this joint with a spring about the axis of its revolute joint. Turns are counted
    /// from now on.
    #[must_use]
    pub fn with_torsion_spring(mut self, spring: TorsionSpring) -> Joint {
        (self.torsion_spring, self.winding) = (Some(spring), Winding::default());
        self
    }

    /// Returns the angle of a revolute joint or a screw from A's y axis to B's, in radians; `None`
    /// for other kinds.
    ///
    /// `a` and `b` are its bodies. The angle of a screw counts full turns by its travel. With a
    /// torsion spring, that of a revolute joint counts them since the spring was set. Otherwise it
    /// is from -pi to pi.
    pub fn angle(&self, a: &Body, b: &Body) -> Option<f64> {
        if let JointKind::Screw { lead, .. } = self.kind {
            return Some(f64::from(self.place_on_thread(a, b, lead).1));
        }
        let JointKind::Revolute { .. } = self.kind else { return None };
        let [rotation_a, rotation_b] = self.rotations(a, b);
        let angle = hinge_angle(rotation_a, rotation_b);
        // The stored winding is that after the last step. Since then, only the caller has turned
        // the bodies.
        let is_counted = self.torsion_spring.is_some();
        Some(if is_counted { self.winding.at(angle, 0.0).total() } else { f64::from(angle) })
    }

    /// Returns the position of B's joint point along the axis of a prismatic joint or a screw, a
    /// length; `None` for other kinds.
    ///
    /// `a` and `b` are its bodies.
    pub fn translation(&self, a: &Body, b: &Body) -> Option<f64> {
        let (JointKind::Prismatic { .. } | JointKind::Screw { .. }) = self.kind else { return None };
        Some(f64::from(self.axis(a).dot(self.offset(a, b))))
    }

    /// Returns the speed of B relative to A along the axis of a prismatic joint. For a revolute
    /// joint and a screw it is the angular speed about the axis. `None` for other kinds.
    ///
    /// `a` and `b` are its bodies.
    pub fn speed(&self, a: &Body, b: &Body) -> Option<Real> {
        match self.kind {
            JointKind::Revolute { .. } | JointKind::Screw { .. } => Some(self.turning_speed(a, b)),
            JointKind::Prismatic { .. } => {
                let point = b.pose.transform_point(self.frame_b.translation);
                Some(self.axis(a).dot(b.velocity_at(point) - a.velocity_at(point)))
            }
            JointKind::Weld | JointKind::Spherical { .. } | JointKind::SixDof(_) => None,
            JointKind::Distance { .. } | JointKind::Pulley { .. } => None,
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => None,
        }
    }

    /// Returns the coordinates of the six axes of a joint of six degrees of freedom, in the order
    /// of [`JointAxis`](crate::JointAxis). They are translations along the axes, and angles about
    /// them in radians from -pi to pi. `None` for other kinds.
    ///
    /// `a` and `b` are its bodies.
    pub fn axis_positions(&self, a: &Body, b: &Body) -> Option<[Real; 6]> {
        let JointKind::SixDof(_) = self.kind else { return None };
        let [rotation_a, rotation_b] = self.rotations(a, b);
        let [x, y, z] = rotation::rotate_back(rotation_a, self.offset(a, b)).to_array();
        let [angle_x, angle_y, angle_z] = euler_angles(rotation_a, rotation_b);
        Some([x, y, z, angle_x, angle_y, angle_z])
    }

    /// Returns the position error of the joint, a length that is not negative. For a rope or a rod,
    /// it is how far the distance is out of its bounds. For a pulley, it is how far the path of the
    /// rope exceeds the length of the rope. For a screw, it includes the distance along the axis
    /// from the nearest turn of the thread. It is 0 for gears.
    ///
    /// `a` and `b` are its bodies.
    pub fn gap(&self, a: &Body, b: &Body) -> Real {
        let offset = self.offset(a, b);
        if let JointKind::Distance { min, max } = self.kind {
            return (min - offset.length()).max(offset.length() - max).max(0.0);
        }
        if let JointKind::Pulley { supports, ratio, length } = self.kind {
            let end_a = a.pose.transform_point(self.frame_a.translation) - supports[0];
            let end_b = b.pose.transform_point(self.frame_b.translation) - supports[1];
            return (end_a.length() + ratio * end_b.length() - length).max(0.0);
        }
        if self.kind.gear_factor().is_some() {
            return 0.0;
        }
        let Some(axes) = self.kind.axes() else { return offset.length() };
        let mut own = rotation::rotate_back(self.rotations(a, b)[0], offset);
        if let JointKind::Screw { lead, .. } = self.kind {
            own.x = self.place_on_thread(a, b, lead).0;
        }
        let beyond = |k: usize| match axes.limits[k] {
            AxisLimit::Free => 0.0,
            AxisLimit::Locked => own[k],
            AxisLimit::Between(low, high) => own[k] - own[k].max(low).min(high),
        };
        Vec3::new(beyond(0), beyond(1), beyond(2)).length()
    }

    /// Returns the energy that is stored in the torsion spring; 0 without one.
    ///
    /// `a` and `b` are the bodies of the joint, and `substep` is the length of a substep, a time.
    /// Velocities lag half a substep behind positions, so the angle of half a substep ago is used.
    /// For a free wheel, the sum with the kinetic energy is then constant. A `substep` of 0 uses
    /// the present angle.
    pub fn spring_energy(&self, a: &Body, b: &Body, substep: Real) -> f64 {
        let (Some(spring), Some(angle)) = (self.torsion_spring, self.angle(a, b)) else { return 0.0 };
        let back = 0.5 * f64::from(substep) * f64::from(self.turning_speed(a, b));
        let deviation = angle - back - f64::from(spring.rest_angle);
        0.5 * f64::from(spring.stiffness) * deviation * deviation
    }

    /// Whether a motor or a spring acts in this joint.
    pub fn is_driven(&self) -> bool {
        self.kind.motors().next().is_some() || self.torsion_spring.is_some() || self.spring.is_some()
    }

    /// Returns the angle from the rest angle of a torsion spring, at the start of the substep.
    pub(crate) fn deviation(&self, spring: &TorsionSpring) -> Real {
        (self.winding.total() - f64::from(spring.rest_angle)) as Real
    }

    /// Whether a spring or a position motor moves something. Its bodies do not fall asleep and are
    /// not braked.
    pub(crate) fn has_turning_spring(&self, bodies: &[Body]) -> bool {
        let has_motor = self.kind.motors().any(|motor| motor.is_position());
        (self.torsion_spring.is_some() || self.spring.is_some() || has_motor) && {
            let (a, b) = (&bodies[self.body_a as usize], &bodies[self.body_b as usize]);
            MIN_SPRING_SPEED < self.spring_speed(a, b).abs()
        }
    }

    /// Returns the speed along or about the axis. If there is not one axis, returns that of the
    /// joint points, or the angular speed if the kind holds the rotation.
    fn spring_speed(&self, a: &Body, b: &Body) -> Real {
        if let Some(speed) = self.speed(a, b) {
            return speed;
        }
        let [point_a, point_b] = [(a, &self.frame_a), (b, &self.frame_b)]
            .map(|(body, frame)| body.pose.transform_point(frame.translation));
        let moving = b.velocity_at(point_b) - a.velocity_at(point_a);
        let turning = (b.angular_velocity - a.angular_velocity).length();
        match self.kind {
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => moving.length().max(turning),
            // Only motion along the distance acts on its spring.
            JointKind::Distance { .. } => (point_b - point_a).normalize_or_zero().dot(moving),
            JointKind::Weld | JointKind::SixDof(_) => moving.length().max(turning),
            JointKind::Spherical { .. } | JointKind::Revolute { .. } => moving.length(),
            JointKind::Prismatic { .. } | JointKind::Screw { .. } | JointKind::Pulley { .. } => {
                moving.length()
            }
        }
    }

    /// Returns the angular speed of B relative to A about the x axis.
    fn turning_speed(&self, a: &Body, b: &Body) -> Real {
        self.axis(a).dot(b.angular_velocity - a.angular_velocity)
    }

    /// Returns the distance of B from the thread of a screw along the axis, and the angle with full
    /// turns.
    fn place_on_thread(&self, a: &Body, b: &Body, lead: Real) -> (Real, Real) {
        let (thread, travel) = (lead / core::f32::consts::TAU, self.axis(a).dot(self.offset(a, b)));
        let [rotation_a, rotation_b] = self.rotations(a, b);
        let angle = turns_of_screw(hinge_angle(rotation_a, rotation_b), travel, thread);
        (travel - thread * angle, angle)
    }

    /// Returns the vector from the joint point on A to that on B.
    fn offset(&self, a: &Body, b: &Body) -> Vec3 {
        b.pose.transform_point(self.frame_b.translation) - a.pose.transform_point(self.frame_a.translation)
    }

    /// Returns the rotations of the joint frames on A and B.
    fn rotations(&self, a: &Body, b: &Body) -> [Quat; 2] {
        let turn = |body: &Body, own| rotation::normalize(rotation::mul(body.pose.rotation, own));
        [turn(a, self.frame_a.rotation), turn(b, self.frame_b.rotation)]
    }

    fn axis(&self, a: &Body) -> Vec3 {
        rotation::rotate(rotation::mul(a.pose.rotation, self.frame_a.rotation), Vec3::X)
    }
}
