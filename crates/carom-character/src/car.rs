//! A car on four wheels. Each wheel has two rays: one down to the road, and one up to the roof of
//! a tunnel.
//!
//! A ray has its origin at the contact point of the wheel, but starts behind it, at the top of the
//! car. So a road above the origin has a negative distance, and there a spring and a damper push
//! the car up. Above 0 the wheel is in the air.
//!
//! In a low tunnel the ray starts in the roof. A hit in the upper half of the car is overhead, and
//! the road is searched from the middle. The upward ray finds the roof. Its distance is from the
//! top of the car, negative if the car is in the roof.
//!
//! A tyre is a brush model: its contact point stretches against the road like a spring with a
//! damper, up to the friction limit. The stretch holds a steady force at rest. Sliding limits it,
//! and rolling releases it within a short distance (the relaxation length).
//!
//! Time is divided into steps of fixed length, so a drive does not depend on the frame rate. Each
//! ray passes its last hit to the world as a hint.
//!
//! Degenerate: controls with a NaN change nothing, and a step whose result is not finite is
//! undone. A car on its roof has no road under its wheels, and stays on its roof.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4 and figure 25.12; H.
//! Pacejka, Tire and Vehicle Dynamics, 3rd ed., 2012, 3.2 and 7 (brush model, relaxation length).

use crate::SettingsError;
use crate::sweep::{RayHit, RaySweep};
use carom_math::f64::rotation;
use carom_math::{ops, scaling};
use glam::{DMat3, DQuat, DVec3};

/// Seconds of a step.
const STEP: f64 = 1.0 / 240.0;

/// The largest angular frequency of a spring, in radians per step, and the largest fraction of a
/// velocity that a damper takes in a step. Stiffer springs would be unstable at this step length.
const MAX_RADIANS_PER_STEP: f64 = 0.5;

/// The angular frequency of a quarter of the car on the stretch of a tyre, in radians per step.
const TYRE_PULSE: f64 = 0.25;

/// The relaxation length: over this distance, in short steps, a rolling tyre's stretch falls by a
/// factor of e.
const RELAXATION_LENGTH: f64 = 0.01;

/// The maximum number of steps in one call.
const MAX_STEPS: u32 = 1000;

/// Settings of a car, in metres, kilograms, seconds and radians. The frame has its origin in the
/// middle of the car's box: x to the front, y up, z to the right.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CarSettings {
    /// Half the size of the box: length, height, width. Above 0. Default: (1.9, 0.55, 0.8).
    pub half: DVec3,
    /// The distance of the wheels from the middle, to the front and to the rear. Above 0. Default:
    /// 1.3.
    pub wheel_base: f64,
    /// The distance of the wheels from the middle, to each side. Above 0. Default: 0.75.
    pub track: f64,
    /// The distance of the contact points below the box. Above 0. Default: 0.3.
    pub clearance: f64,
    /// The mass, above 0. Default: 1200.
    pub mass: f64,
    /// The period of the car on its springs, in seconds. Periods below a nineteenth of a second
    /// count as that. Above 0. Default: 0.7.
    pub spring_period: f64,
    /// The damping ratio of the springs; 1 is critical. Not negative. Default: 0.5.
    pub damping: f64,
    /// Coulomb's friction coefficient of the tyres: a braked car stands on a slope whose tangent
    /// is smaller. Not negative. Default: 1.1.
    pub grip: f64,
    /// The acceleration at full throttle, length per second squared, not negative. Default: 4.
    pub acceleration: f64,
    /// The gravity, length per second squared, not negative. Default: 9.81.
    pub gravity: f64,
}

impl Default for CarSettings {
    fn default() -> CarSettings {
        CarSettings {
            half: DVec3::new(1.9, 0.55, 0.8),
            wheel_base: 1.3,
            track: 0.75,
            clearance: 0.3,
            mass: 1200.0,
            spring_period: 0.7,
            damping: 0.5,
            grip: 1.1,
            acceleration: 4.0,
            gravity: 9.81,
        }
    }
}

/// The controls of a driver. Finite numbers out of their range are clamped, by a [`Car`] and by a
/// `Vehicle`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Controls {
    /// The throttle: -1 is full backwards, 1 full forwards. Default: 0.
    pub throttle: f64,
    /// The brake, as a fraction of its largest force, 0 to 1. Default: 0.
    pub brake: f64,
    /// The steering angle of the front wheels, in radians; above 0 to the left. From -1.5 to 1.5
    /// for a [`Car`], and within the largest angle of each wheel for a `Vehicle`. Default: 0.
    pub steer: f64,
}

impl Controls {
    /// Returns controls at zero.
    pub fn new() -> Controls {
        Controls::default()
    }

    /// Returns the same controls with this throttle, -1 to 1.
    #[must_use]
    pub fn with_throttle(self, throttle: f64) -> Controls {
        Controls { throttle, ..self }
    }

    /// Returns the same controls with this brake, 0 to 1.
    #[must_use]
    pub fn with_brake(self, brake: f64) -> Controls {
        Controls { brake, ..self }
    }

    /// Returns the same controls, steered to the left by this angle, in radians.
    #[must_use]
    pub fn with_steer(self, steer: f64) -> Controls {
        Controls { steer, ..self }
    }
}

/// The hits of the rays of a wheel, and the state of its tyre.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Wheel {
    /// The distance from the origin of the ray to the road, downward in the car's frame. It is
    /// above 0 in the air, and below 0 in the road. `None` without a road.
    pub distance: Option<f64>,
    /// The distance from the top of the car to the roof above: below 0 if the car is in it. `None`
    /// without a roof.
    pub roof: Option<f64>,
    /// The force of the spring along the normal, in newtons.
    pub load: f64,
    /// The contact point on the road, in the world.
    pub point: DVec3,
    /// The normal out of the road there, of length 1.
    pub normal: DVec3,
    down: Option<RayHit>,
    up: Option<RayHit>,
    /// The stretch of the tyre's contact point along the road, a length in the car's frame.
    stretch: DVec3,
}

/// A car in a world of rays, for a program without a `carom_world::World`. Only the rays of its
/// wheels meet the world, and it pushes nothing. In a `World` use `Vehicle`, whose chassis is a
/// body.
#[derive(Clone, Debug, PartialEq)]
pub struct Car {
    settings: CarSettings,
    position: DVec3,
    rotation: DQuat,
    velocity: DVec3,
    spin: DVec3,
    wheels: [Wheel; 4],
    /// The time that is left for the next step, in seconds.
    left: f64,
}

impl Car {
    /// Returns a car at rest whose box has its middle at `position`. It looks along x, turned by
    /// the rotation.
    ///
    /// Errors: a setting out of its range, a position or rotation that is not finite, or a
    /// rotation of length 0.
    pub fn new(settings: CarSettings, position: DVec3, rotation: DQuat) -> Result<Car, SettingsError> {
        let s = &settings;
        let lengths = [
            ("half", s.half.min_element()),
            ("wheel_base", s.wheel_base),
            ("track", s.track),
            ("clearance", s.clearance),
            ("mass", s.mass),
            ("spring_period", s.spring_period),
        ];
        if let Some((name, _)) = lengths.iter().find(|(_, x)| !(0.0 < *x && x.is_finite())) {
            return Err(SettingsError(name));
        }
        let rest = [s.damping, s.grip, s.acceleration, s.gravity];
        if !(rest.iter().all(|x| 0.0 <= *x && x.is_finite()) && s.half.is_finite()) {
            return Err(SettingsError("a rate of the car"));
        }
        let turn = rotation.normalize();
        if !(position.is_finite() && turn.is_finite()) {
            return Err(SettingsError("place"));
        }
        Ok(Car {
            settings,
            position,
            rotation: turn,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            wheels: [Wheel::default(); 4],
            left: 0.0,
        })
    }

    /// Returns the settings.
    pub fn settings(&self) -> &CarSettings {
        &self.settings
    }

    /// Returns the middle of its box.
    pub fn position(&self) -> DVec3 {
        self.position
    }

    /// Returns the rotation from the car's frame to the world.
    pub fn rotation(&self) -> DQuat {
        self.rotation
    }

    /// Returns the velocity of its middle in the world frame, length per second.
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// Sets the velocity of its middle in the world frame, length per second. One that is not
    /// finite changes nothing.
    pub fn set_velocity(&mut self, velocity: DVec3) {
        if velocity.is_finite() {
            self.velocity = velocity;
        }
    }

    /// Returns the wheels: front left, front right, rear left, rear right.
    pub fn wheels(&self) -> &[Wheel; 4] {
        &self.wheels
    }

    /// Returns the origin of a wheel's ray, in the car's frame. There the wheel touches a road
    /// that carries nothing.
    pub fn origin(&self, wheel: usize) -> DVec3 {
        let s = &self.settings;
        let (front, right) =
            (if wheel < 2 { 1.0 } else { -1.0 }, if wheel.is_multiple_of(2) { -1.0 } else { 1.0 });
        DVec3::new(front * s.wheel_base, -s.half.y - s.clearance, right * s.track)
    }

    /// Advances the car by `dt` seconds, in steps of 1/240 s. The rest of the time is kept for the
    /// next call; of more than 1000 steps it is dropped. A negative time or a number that is not
    /// finite changes nothing.
    pub fn drive(&mut self, world: &mut (impl RaySweep + ?Sized), controls: &Controls, dt: f64) {
        let Controls { throttle, brake, steer } = *controls;
        let is_number = throttle.is_finite() && brake.is_finite() && steer.is_finite();
        if !(is_number && 0.0 <= dt && dt.is_finite()) {
            return;
        }
        let controls = Controls {
            throttle: throttle.clamp(-1.0, 1.0),
            brake: brake.clamp(0.0, 1.0),
            steer: steer.clamp(-1.5, 1.5),
        };
        self.left += dt;
        for _ in 0..MAX_STEPS {
            if self.left < STEP {
                return;
            }
            self.left -= STEP;
            self.step(world, &controls);
        }
        self.left = 0.0;
    }

    fn step(&mut self, world: &mut (impl RaySweep + ?Sized), controls: &Controls) {
        let s = self.settings;
        let pose = DMat3::from_quat(self.rotation);
        let mut force = DVec3::NEG_Y * (s.gravity * s.mass);
        let mut torque = DVec3::ZERO;
        // A quarter of the car on each spring.
        let quarter = 0.25 * s.mass;
        let pulse = (core::f64::consts::TAU / s.spring_period).min(MAX_RADIANS_PER_STEP / STEP);
        let stiffness = quarter * pulse * pulse;
        let damping = (2.0 * s.damping * quarter * pulse).min(quarter * (MAX_RADIANS_PER_STEP / STEP));
        for i in 0..self.wheels.len() {
            let wheel = self.cast_wheel_ray(world, i, &pose);
            self.wheels[i] = Wheel { stretch: DVec3::ZERO, ..wheel };
            if let Some(depth) = wheel.roof.map(|roof| -roof).filter(|depth| 0.0 < *depth) {
                let arm = pose * DVec3::new(self.origin(i).x, s.half.y, self.origin(i).z);
                let rate = (self.velocity + self.spin.cross(arm)).dot(pose.y_axis);
                let push = pose.y_axis * -(stiffness * depth + damping * rate).max(0.0);
                force += push;
                torque += arm.cross(push);
            }
            let Some(depth) = wheel.distance.map(|distance| -distance).filter(|depth| 0.0 < *depth) else {
                continue;
            };
            let arm = wheel.point - self.position;
            let road = wheel.down.map_or(DVec3::ZERO, |hit| hit.velocity);
            let velocity = self.velocity + self.spin.cross(arm) - road;
            let load = (stiffness * depth - damping * velocity.dot(wheel.normal)).max(0.0);
            let (grip, stretch) = self.tyre(i, &pose, &wheel, velocity, load, controls);
            (self.wheels[i].load, self.wheels[i].stretch) = (load, stretch);
            let push = wheel.normal * load + grip;
            force += push;
            torque += arm.cross(push);
        }
        let before = (self.position, self.rotation, self.velocity, self.spin);
        self.velocity += force * (STEP / s.mass);
        // The inertia of the box.
        let sq = s.half * s.half * (s.mass / 3.0);
        let inertia = DVec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y);
        self.spin += pose * ((pose.transpose() * torque) / inertia) * STEP;
        self.position += self.velocity * STEP;
        let turn = rotation::from_scaled_axis(self.spin * STEP);
        self.rotation = (turn * self.rotation).normalize();
        let is_number = [self.position, self.velocity, self.spin].iter().all(|v| v.is_finite());
        if !(is_number && self.rotation.is_finite()) {
            (self.position, self.rotation, self.velocity, self.spin) = before;
        }
    }

    /// Returns the hits of the rays of a wheel.
    fn cast_wheel_ray(&self, world: &mut (impl RaySweep + ?Sized), number: usize, pose: &DMat3) -> Wheel {
        let s = &self.settings;
        let up = pose.y_axis;
        let origin = self.position + *pose * self.origin(number);
        let height = 2.0 * s.half.y + s.clearance;
        let old = &self.wheels[number];
        // The wheel hangs down by at most its clearance. The view overhead is as high as the car.
        let (below, above) = (s.clearance, height);
        let mut down = |from: f64| {
            let travel = from + below;
            let hit = world.ray(origin + up * from, -up * travel, old.down.as_ref())?;
            Some((hit.t * travel - from, hit))
        };
        let road = down(height);
        // A hit in the upper half of the car is overhead.
        let is_overhead = road.is_some_and(|(distance, _)| distance < -0.5 * height);
        let road = if is_overhead { down(0.5 * height) } else { road };
        let travel = 0.5 * height + above;
        let overhead = world.ray(origin + up * (0.5 * height), up * travel, old.up.as_ref());
        Wheel {
            distance: road.map(|(distance, _)| distance),
            roof: overhead.map(|hit| hit.t * travel - 0.5 * height),
            load: 0.0,
            point: road.map_or(origin, |(distance, _)| origin - up * distance),
            normal: road.map_or(up, |(_, hit)| hit.normal),
            down: road.map(|(_, hit)| hit),
            up: overhead,
            stretch: old.stretch,
        }
    }

    /// Returns the force of a tyre along the road, and its stretch after the step in the car's
    /// frame. `velocity` is that of the contact point relative to the road.
    ///
    /// Sideways the tyre grips at each step; along the wheel only as far as the brake locks it.
    fn tyre(
        &self,
        number: usize,
        pose: &DMat3,
        wheel: &Wheel,
        velocity: DVec3,
        load: f64,
        controls: &Controls,
    ) -> (DVec3, DVec3) {
        let s = &self.settings;
        let steer = if number < 2 { controls.steer } else { 0.0 };
        let (sin, cos) = ops::sin_cos(steer);
        let ahead = pose.x_axis * cos - pose.z_axis * sin;
        let Some(ahead) = scaling::unit(ahead - wheel.normal * ahead.dot(wheel.normal)) else {
            return (DVec3::ZERO, DVec3::ZERO);
        };
        let aside = ahead.cross(wheel.normal);
        let quarter = 0.25 * s.mass;
        // Stops the contact point within a few steps; a faster stop would oscillate.
        let stop = quarter / (8.0 * STEP);
        let stiffness = quarter * (TYRE_PULSE / STEP) * (TYRE_PULSE / STEP);
        let (most, most_braking) = (s.grip * load, s.grip * load * controls.brake);
        let (sliding, rolling) = (velocity.dot(aside), velocity.dot(ahead));
        let old = *pose * wheel.stretch;
        // A locked wheel slides and does not roll.
        let rolled = if controls.brake < 1.0 { rolling.abs() * STEP } else { 0.0 };
        let kept = RELAXATION_LENGTH / (RELAXATION_LENGTH + rolled);
        let side = old.dot(aside) * kept + sliding * STEP;
        let (least, greatest) = (-most_braking / stiffness, most_braking / stiffness);
        let along = (old.dot(ahead) + rolling * STEP).clamp(least, greatest);
        let driving = controls.throttle * s.acceleration * quarter;
        let braking =
            (-stiffness * along - stop * controls.brake * rolling).clamp(-most_braking, most_braking);
        let force = aside * (-stiffness * side - stop * sliding) + ahead * (driving + braking);
        let length = scaling::length(force);
        let stretch = aside * side + ahead * along;
        let stretched = stiffness * scaling::length(stretch);
        let part = if most < stretched { most / stretched } else { 1.0 };
        let force = if most < length { force * (most / length) } else { force };
        (force, pose.transpose() * (stretch * part))
    }
}
