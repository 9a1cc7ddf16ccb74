//! A wheel of a [`Vehicle`](crate::Vehicle): its description, and its state after a call.
//!
//! Reference: H. Pacejka, Tire and Vehicle Dynamics, 3rd ed., 2012, 1.2 (the wheel and its axes).

use crate::settings::SettingsError;
use carom_world::BodyId;
#[cfg(feature = "soft")]
use carom_world::SoftBodyId;
use glam::DVec3;

/// The description of a wheel, in metres, kilograms and seconds. It is in the frame of the
/// chassis: x ahead, y up, z to the right.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct WheelDesc {
    /// The position of the hub if the spring carries nothing. Default: the origin.
    pub mount: DVec3,
    /// The radius, a length above 0. Default: 0.35.
    pub radius: f64,
    /// The largest travel of the hub up from the mount, a length above 0. A stop ends it. Default:
    /// 0.3.
    pub travel: f64,
    /// The natural frequency of the chassis on its springs, in hertz. The stiffness of a spring is
    /// m (2 pi `frequency`)^2, with m the mass of the chassis over the number of wheels. Above 0.
    /// Default: 1.5.
    pub frequency: f64,
    /// The damping ratio of the spring; 1 is critical. Not negative. Default: 0.5.
    pub damping_ratio: f64,
    /// Coulomb's friction coefficients of the tyre on ground of the default material, along the
    /// wheel and aside. Not negative. Default: 1.1 and 1.1.
    ///
    /// On other ground the coefficients are multiplied by `c / 0.5`. Here `c` is the combined
    /// friction of this ground and a body of the default material. So with friction `f` of the
    /// ground they are `sqrt(f / 0.5)` times as large, unless its combine rule is `Max` (test:
    /// `vehicle_grips::r_the_ground_counts_in_the_distance_of_braking`). Hooks do not change them.
    ///
    /// A rolling tyre slips aside in proportion to its force. It uses up its grip at a slip of 0.1,
    /// the speed aside over that ahead (test: `vehicle_rest::slips_in_proportion_to_its_force`).
    pub grip: [f64; 2],
    /// The largest steering angle to each side, in radians, from 0 to 1.5; 0 for a wheel that does
    /// not steer. Default: 0.
    pub max_steer: f64,
    /// The force of the engine at this wheel at full throttle, in newtons, not negative; 0 for a
    /// wheel without drive. Default: 0.
    pub max_drive_force: f64,
    /// The force of the brake at this wheel if it is fully applied, in newtons, not negative. The
    /// grip limits it too, so with the default a full brake locks the wheel. Default: `f64::MAX`.
    pub max_brake_force: f64,
}

/// A description as it is stored. It is checked when it is read.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Unchecked {
    mount: DVec3,
    radius: f64,
    travel: f64,
    frequency: f64,
    damping_ratio: f64,
    grip: [f64; 2],
    max_steer: f64,
    max_drive_force: f64,
    max_brake_force: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for WheelDesc {
    type Error = SettingsError;

    fn try_from(read: Unchecked) -> Result<WheelDesc, SettingsError> {
        let Unchecked { mount, radius, travel, frequency, damping_ratio, grip, max_steer, .. } = read;
        let Unchecked { max_drive_force, max_brake_force, .. } = read;
        let desc = WheelDesc {
            mount,
            radius,
            travel,
            frequency,
            damping_ratio,
            grip,
            max_steer,
            max_drive_force,
            max_brake_force,
        };
        desc.check()?;
        Ok(desc)
    }
}

impl Default for WheelDesc {
    fn default() -> WheelDesc {
        WheelDesc {
            mount: DVec3::ZERO,
            radius: 0.35,
            travel: 0.3,
            frequency: 1.5,
            damping_ratio: 0.5,
            grip: [1.1; 2],
            max_steer: 0.0,
            max_drive_force: 0.0,
            max_brake_force: f64::MAX,
        }
    }
}

impl WheelDesc {
    /// Returns a wheel of this radius, with defaults for the rest.
    #[must_use]
    pub fn new(radius: f64) -> WheelDesc {
        WheelDesc { radius, ..WheelDesc::default() }
    }

    /// Returns the same wheel with its hub here if the spring carries nothing.
    #[must_use]
    pub fn with_mount(self, mount: DVec3) -> WheelDesc {
        WheelDesc { mount, ..self }
    }

    /// Returns the same wheel with this travel of the hub.
    #[must_use]
    pub fn with_travel(self, travel: f64) -> WheelDesc {
        WheelDesc { travel, ..self }
    }

    /// Returns the same wheel with a spring and a damper: frequency in hertz, and damping ratio.
    #[must_use]
    pub fn with_suspension(self, frequency: f64, damping_ratio: f64) -> WheelDesc {
        WheelDesc { frequency, damping_ratio, ..self }
    }

    /// Returns the same wheel with these coefficients of friction, along the wheel and aside.
    #[must_use]
    pub fn with_grip(self, along: f64, aside: f64) -> WheelDesc {
        WheelDesc { grip: [along, aside], ..self }
    }

    /// Returns the same wheel, steered up to this angle, in radians.
    #[must_use]
    pub fn with_max_steer(self, max_steer: f64) -> WheelDesc {
        WheelDesc { max_steer, ..self }
    }

    /// Returns the same wheel, driven with this force at full throttle.
    #[must_use]
    pub fn with_max_drive_force(self, max_drive_force: f64) -> WheelDesc {
        WheelDesc { max_drive_force, ..self }
    }

    /// Returns the same wheel, braked with at most this force.
    #[must_use]
    pub fn with_max_brake_force(self, max_brake_force: f64) -> WheelDesc {
        WheelDesc { max_brake_force, ..self }
    }

    /// Checks all numbers. The error has the name of the first one out of its range.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        let positive = |x: f64| 0.0 < x && x.is_finite();
        let not_negative = |x: f64| 0.0 <= x && x.is_finite();
        let checks = [
            ("mount", self.mount.is_finite()),
            ("radius", positive(self.radius)),
            ("travel", positive(self.travel)),
            ("frequency", positive(self.frequency)),
            ("damping_ratio", not_negative(self.damping_ratio)),
            ("grip", self.grip.iter().all(|x| not_negative(*x))),
            ("max_steer", (0.0..=MAX_STEER).contains(&self.max_steer)),
            ("max_drive_force", not_negative(self.max_drive_force)),
            ("max_brake_force", not_negative(self.max_brake_force)),
        ];
        match checks.iter().find(|(_, is_right)| !is_right) {
            Some((name, _)) => Err(SettingsError(name)),
            None => Ok(()),
        }
    }
}

/// The largest steering angle of any wheel, in radians.
const MAX_STEER: f64 = 1.5;

/// A wheel after the last call of [`Vehicle::drive`](crate::Vehicle::drive), in metres, newtons
/// and radians.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VehicleWheel {
    /// The description of the wheel.
    pub desc: WheelDesc,
    /// The body under it; `None` in the air.
    pub ground: Option<BodyId>,
    /// The soft body under it; `None` in the air and on a body. A state that was stored without
    /// the feature has none.
    #[cfg(feature = "soft")]
    #[cfg_attr(feature = "serde", serde(default))]
    pub soft_ground: Option<SoftBodyId>,
    /// The contact point on the ground, in the world; in the air the last one.
    pub point: DVec3,
    /// The normal out of the ground there, of length 1.
    pub normal: DVec3,
    /// The compression of the spring, a length; 0 in the air.
    pub compression: f64,
    /// The force of the spring on the chassis along the normal, in newtons; 0 in the air.
    pub load: f64,
    /// The force of the tyre on the chassis, along the ground, in newtons and in the world frame.
    pub traction: DVec3,
    /// The steering angle, in radians to the left.
    pub steer: f64,
    /// The forward rotation of the wheel, in radians from 0 to a full turn.
    pub rolled: f64,
    /// Whether the tyre slides: its grip is used up.
    pub is_sliding: bool,
    /// The force of the brake along the wheel, forwards.
    pub(crate) braking: f64,
    /// The anchor of the tyre on the ground, in the frame of the ground.
    pub(crate) anchor: Option<DVec3>,
    /// The vector from the anchor to the contact point at the end of the step, along the wheel and
    /// aside.
    pub(crate) stretch: [f64; 2],
}

impl VehicleWheel {
    pub(crate) fn new(desc: WheelDesc) -> VehicleWheel {
        VehicleWheel {
            desc,
            ground: None,
            #[cfg(feature = "soft")]
            soft_ground: None,
            point: DVec3::ZERO,
            normal: DVec3::Y,
            compression: 0.0,
            load: 0.0,
            traction: DVec3::ZERO,
            steer: 0.0,
            rolled: 0.0,
            is_sliding: false,
            braking: 0.0,
            anchor: None,
            stretch: [0.0; 2],
        }
    }

    /// Returns the hub in the frame of the chassis.
    pub fn hub(&self) -> DVec3 {
        self.desc.mount + DVec3::Y * self.compression.clamp(0.0, self.desc.travel)
    }

    /// Lifts the wheel into the air: clears its ground and its forces.
    pub(crate) fn lift(&mut self) {
        *self = VehicleWheel {
            point: self.point,
            normal: self.normal,
            steer: self.steer,
            rolled: self.rolled,
            ..VehicleWheel::new(self.desc)
        };
    }
}
