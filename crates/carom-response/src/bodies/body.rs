//! Bodies: mass, pose and motion, without shapes.

use crate::bodies::locked_axes::LockedAxes;
use crate::integrate;
use crate::sleep::rest::RestTimer;
use carom_math::glam::{DMat3, DVec3};
use carom_math::{Mat3, Pose, Real, Vec3, rotation};

/// The cause of the motion of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyKind {
    /// It does not move, and its velocities are ignored.
    #[default]
    Fixed,
    /// It moves at its velocities, which contacts do not change: a lift, an animated door.
    Kinematic,
    /// Forces and contacts move it.
    Dynamic,
}

/// Kinetic and potential energy, in `f64`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Kinetic energy: m v^2 / 2 plus w I w / 2.
    pub kinetic: f64,
    /// Potential energy of gravity, which is 0 at the origin. For a world, it includes the energy
    /// of springs.
    pub potential: f64,
}

impl Energy {
    /// Returns the sum of both.
    pub fn total(self) -> f64 {
        self.kinetic + self.potential
    }
}

impl core::ops::Add for Energy {
    type Output = Energy;

    fn add(self, other: Energy) -> Energy {
        Energy { kinetic: self.kinetic + other.kinetic, potential: self.potential + other.potential }
    }
}

/// A rigid body: plain data, in world units, and in the world frame unless stated otherwise.
///
/// The index of a body is its position in the slice given to [`Solver::step`](crate::Solver::step).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Body {
    /// The cause of its motion.
    pub kind: BodyKind,
    /// Pose of the body frame in the world.
    pub pose: Pose,
    /// Centre of mass, in the body's frame.
    pub center_of_mass: Vec3,
    /// One over the mass; 0 is an infinite mass. Not negative.
    pub inverse_mass: Real,
    /// Inverse of the inertia tensor about the centre of mass, in the body's frame. Symmetric. If
    /// it is zero, no torque or impulse turns the body.
    pub inverse_inertia: Mat3,
    /// Velocity of the centre of mass, length per time.
    pub linear_velocity: Vec3,
    /// Angular velocity, in radians per time.
    pub angular_velocity: Vec3,
    /// Force on the centre of mass during the whole step. A step does not reset it.
    pub force: Vec3,
    /// Torque during the whole step. A step does not reset it.
    pub torque: Vec3,
    /// Factor of the gravity of the settings; 1 is full gravity.
    pub gravity_scale: Real,
    /// Linear damping, a rate per unit of time: in a short time `t` the velocity loses the
    /// fraction `linear_damping * t`. 0 is no damping. Not negative.
    pub linear_damping: Real,
    /// Angular damping, a rate per unit of time like the linear damping. 0 is no damping. Not
    /// negative.
    pub angular_damping: Real,
    /// Axes of the world along which a dynamic body does not move, or about which it does not turn.
    pub locked_axes: LockedAxes,
    /// The largest speed of the centre of mass of a dynamic body, length per time. The default is
    /// the largest number.
    pub max_linear_speed: Real,
    /// The largest angular speed of a dynamic body, in radians per unit of time. The default is the
    /// largest number.
    pub max_angular_speed: Real,
    /// Whether it may fall asleep with its island.
    pub can_sleep: bool,
    /// Whether it is asleep. No step moves it until it is woken ([`Sleepers`](crate::Sleepers)).
    pub is_sleeping: bool,
    /// For how long it has been at rest. Steps update it.
    pub rest: RestTimer,
}

impl Body {
    /// Returns a body that does not move.
    pub const fn fixed(pose: Pose) -> Body {
        Body {
            kind: BodyKind::Fixed,
            pose,
            center_of_mass: Vec3::ZERO,
            inverse_mass: 0.0,
            inverse_inertia: Mat3::ZERO,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            locked_axes: LockedAxes::empty(),
            max_linear_speed: Real::MAX,
            max_angular_speed: Real::MAX,
            can_sleep: true,
            is_sleeping: false,
            rest: RestTimer::NONE,
        }
    }

    /// Returns a body that moves at velocities set by its owner. The centre of mass is its origin.
    pub const fn kinematic(pose: Pose, linear_velocity: Vec3, angular_velocity: Vec3) -> Body {
        let mut body = Body::fixed(pose);
        body.kind = BodyKind::Kinematic;
        body.linear_velocity = linear_velocity;
        body.angular_velocity = angular_velocity;
        body
    }

    /// Returns a body that forces move. `inertia` is the tensor about the centre of mass, in the
    /// body's frame.
    ///
    /// A mass that is not positive counts as infinite. A tensor that is not positive definite
    /// counts as infinite too.
    pub fn dynamic(pose: Pose, mass: Real, center_of_mass: Vec3, inertia: Mat3) -> Body {
        let mut body = Body::fixed(pose);
        body.kind = BodyKind::Dynamic;
        body.center_of_mass = center_of_mass;
        body.inverse_mass = if 0.0 < mass { 1.0 / mass } else { 0.0 };
        let inverse = integrate::inverse_of(&inertia);
        let is_positive = 0.0 < inertia.as_dmat3().determinant()
            && 0.0 < inverse.x_axis.x
            && 0.0 < inverse.y_axis.y
            && 0.0 < inverse.z_axis.z;
        if is_positive && inverse.is_finite() {
            body.inverse_inertia = inverse;
        }
        body
    }

    /// Returns the centre of mass in the world frame.
    #[inline]
    pub fn world_center(&self) -> Vec3 {
        self.pose.transform_point(self.center_of_mass)
    }

    /// Returns the inverse of the inertia tensor about the centre of mass, in the world frame.
    /// Locked rotations have infinite inertia.
    #[inline]
    pub fn world_inverse_inertia(&self) -> Mat3 {
        let rotation = self.pose.rotation_matrix();
        self.locked_axes.free_inverse_inertia(rotation * self.inverse_inertia * rotation.transpose())
    }

    /// Returns the velocity of the material point of the body that is now at a point of the world.
    #[inline]
    pub fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.linear_velocity + self.angular_velocity.cross(point - self.world_center())
    }

    /// Applies an impulse at a point of the world to a dynamic body, and wakes it. Other bodies of
    /// its sleeping island stay asleep: see [`Sleepers::wake`](crate::Sleepers::wake).
    pub fn apply_impulse(&mut self, impulse: Vec3, point: Vec3) {
        if self.kind == BodyKind::Dynamic {
            let lever = point - self.world_center();
            self.linear_velocity += self.locked_axes.free_translation(impulse) * self.inverse_mass;
            self.angular_velocity += self.world_inverse_inertia() * lever.cross(impulse);
            self.wake();
        }
    }

    /// Wakes the body and restarts its rest time. Other bodies of its sleeping island stay asleep:
    /// see [`Sleepers::wake`](crate::Sleepers::wake).
    pub fn wake(&mut self) {
        self.is_sleeping = false;
        self.rest.begin_anew();
    }

    /// Returns the kinetic energy, m v^2 / 2 plus w I w / 2. It is 0 if the body is not dynamic.
    /// Terms with infinite mass or inertia are left out.
    pub fn kinetic_energy(&self) -> Real {
        if self.kind != BodyKind::Dynamic {
            return 0.0;
        }
        let mut energy = 0.0;
        if 0.0 < self.inverse_mass {
            energy += 0.5 * self.linear_velocity.length_squared() / self.inverse_mass;
        }
        let w = self.pose.inverse_transform_vector(self.angular_velocity);
        let inertia = integrate::inverse_of(&self.inverse_inertia);
        if inertia.is_finite() {
            energy += 0.5 * w.dot(inertia * w);
        }
        energy
    }

    /// Returns the energy of a dynamic body after a step, and 0 for other bodies. `substep` is the
    /// length of its substeps, a time.
    ///
    /// Semi-implicit integration stores a velocity that lags half a substep behind the position.
    /// The kinetic energy therefore includes the change of the velocity by gravity and the force
    /// in that half. So free flight and bounces of restitution 1 keep the total. A `substep` of 0
    /// uses the stored velocity.
    pub fn energy(&self, gravity: Vec3, substep: Real) -> Energy {
        if self.kind != BodyKind::Dynamic {
            return Energy::default();
        }
        let wide = self.pose.wide();
        let mut energy = Energy::default();
        if 0.0 < self.inverse_mass {
            let mass = 1.0 / f64::from(self.inverse_mass);
            let weight = gravity.as_dvec3() * (mass * f64::from(self.gravity_scale));
            let lag = (weight + self.force.as_dvec3()) * (0.5 * f64::from(substep) / mass);
            let velocity = self.linear_velocity.as_dvec3() + lag;
            let center = wide.transform_point(self.center_of_mass.as_dvec3());
            energy.kinetic = 0.5 * mass * velocity.length_squared();
            energy.potential = -weight.dot(center);
        }
        energy.kinetic += 0.5 * self.angular_velocity.as_dvec3().dot(self.angular_momentum());
        energy
    }

    /// Returns the angular momentum about the centre of mass, in the world frame; 0 if the body
    /// cannot turn.
    pub fn angular_momentum(&self) -> DVec3 {
        let inverse = self.inverse_inertia.as_dmat3();
        if self.kind != BodyKind::Dynamic || inverse.determinant() == 0.0 {
            return DVec3::ZERO;
        }
        let wide = self.pose.wide();
        let inertia: DMat3 = inverse.inverse();
        wide.transform_vector(inertia * wide.inverse_transform_vector(self.angular_velocity.as_dvec3()))
    }

    /// Returns the pose after the time `dt` at constant velocities.
    pub fn pose_after(&self, dt: Real) -> Pose {
        let rotation = integrate::turn(self.pose.rotation, self.angular_velocity, dt);
        let center = self.world_center() + self.linear_velocity * dt;
        Pose { translation: center - rotation::rotate(rotation, self.center_of_mass), rotation }
    }

    /// Whether forces move the body: it is dynamic and awake.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.kind == BodyKind::Dynamic && !self.is_sleeping
    }

    /// Whether an axis is locked or a speed is bounded.
    pub(crate) fn is_bounded(&self) -> bool {
        !self.locked_axes.is_empty()
            || self.max_linear_speed < Real::MAX
            || self.max_angular_speed < Real::MAX
    }

    /// Whether it is kinematic and its velocities are not zero.
    #[inline]
    pub fn is_moving_kinematic(&self) -> bool {
        self.kind == BodyKind::Kinematic
            && (self.linear_velocity != Vec3::ZERO || self.angular_velocity != Vec3::ZERO)
    }

    /// Whether every number that a step reads is finite.
    pub(crate) fn is_finite(&self) -> bool {
        // Tested one by one, because the sum of two large numbers may overflow.
        let numbers = [
            self.inverse_mass,
            self.gravity_scale,
            self.linear_damping,
            self.angular_damping,
            self.max_linear_speed,
            self.max_angular_speed,
        ];
        self.pose.is_finite()
            && self.center_of_mass.is_finite()
            && self.inverse_inertia.is_finite()
            && self.linear_velocity.is_finite()
            && self.angular_velocity.is_finite()
            && self.force.is_finite()
            && self.torque.is_finite()
            && self.rest.is_finite()
            && numbers.iter().all(|number| number.is_finite())
    }
}
