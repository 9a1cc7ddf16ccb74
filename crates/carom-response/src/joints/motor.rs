//! Motors of joints, and springs that are given by a frequency and a damping ratio, or by a
//! stiffness and a damping.
//!
//! - A velocity motor reaches its speed within a substep, if its largest force allows it.
//! - A position motor is a damped spring to its target, integrated implicitly. No frequency is
//!   unstable. It overshoots as a damped oscillator does.
//! - A spring of a frequency is scaled by the mass that its joint moves. So a free motion has the
//!   stated frequency for bodies of any mass (test:
//!   `sliders::a_position_motor_swings_at_its_frequency`, in carom-world). In a row of joints it
//!   is the inertia of all that lies behind: see `spring_trees.rs` (test:
//!   `spring_chains::a_position_motor_holds_the_arm_behind_it`). Soft pulleys and gears use the
//!   mass of their own bodies alone.
//!
//! Reference: E. Catto, Soft Constraints, GDC 2011.

use crate::joints::fault::{JointFault, demand, demand_setting};
use crate::joints::softness::Softness;
use carom_math::Real;
use core::f64::consts::TAU;

/// A damped spring, given by the free oscillation of the mass that it moves, or by its forces.
///
/// In joints, each substep uses the force at its end (backward Euler). So no spring is unstable,
/// but the substep adds `pi * frequency * substep` to the damping ratio. Without damping, the
/// amplitude after ten cycles at 360 substeps per second is 78 % at 0.5 Hz, 60 % at 1 Hz, 35 % at
/// 2 Hz and 7 % at 5 Hz. More substeps reduce this. A [`TorsionSpring`](crate::TorsionSpring)
/// keeps its energy.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Spring {
    /// A spring that is scaled by the mass that its joint moves.
    #[doc(alias = "acceleration_based")]
    #[doc(alias = "hertz")]
    Frequency {
        /// Oscillations per unit of time, without damping. Above 0, at most 1e9.
        frequency: Real,
        /// Damping as a ratio to the critical damping, from 0 to 1e9. At 1 it does not overshoot.
        damping_ratio: Real,
    },
    /// A spring of these forces, whatever mass the joint moves.
    #[doc(alias = "force_based")]
    Stiffness {
        /// Force per length along an axis, and torque per radian about one. From 0 to 1e9.
        stiffness: Real,
        /// Force per speed along an axis, and torque per angular speed about one. It acts against
        /// the motion. From 0 to 1e9.
        damping: Real,
    },
}

/// A spring over a substep, with the force at its end (backward Euler).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Implicit {
    /// The change of the impulse per speed. For a spring of a frequency, it is per mass.
    pub(crate) resistance: f64,
    /// The speed per length of the error.
    pub(crate) rate: f64,
    pub(crate) is_absolute: bool,
}

impl Spring {
    /// Creates a spring from a frequency and a damping ratio.
    pub const fn new(frequency: Real, damping_ratio: Real) -> Spring {
        Spring::Frequency { frequency, damping_ratio }
    }

    /// Creates a spring from a stiffness and a damping: N/m and N s/m along an axis, Nm/rad and
    /// Nm s/rad about one.
    pub const fn from_stiffness(stiffness: Real, damping: Real) -> Spring {
        Spring::Stiffness { stiffness, damping }
    }

    /// Checks both numbers, and names the first one out of its range.
    pub fn validate(&self) -> Result<(), JointFault> {
        match *self {
            Spring::Frequency { frequency, damping_ratio } => {
                demand(0.0 < frequency, "frequency", frequency)?;
                demand_setting("frequency", frequency)?;
                demand_setting("damping ratio", damping_ratio)
            }
            Spring::Stiffness { stiffness, damping } => {
                demand_setting("stiffness", stiffness)?;
                demand_setting("damping", damping)
            }
        }
    }

    pub(crate) fn is_absolute(&self) -> bool {
        matches!(self, Spring::Stiffness { .. })
    }

    /// Returns the factors for a row of an effective mass.
    pub(crate) fn softness(&self, h: Real, mass: Real) -> Softness {
        match *self {
            Spring::Frequency { frequency, damping_ratio } => Softness::new(frequency, damping_ratio, h),
            Spring::Stiffness { .. } => {
                let Implicit { resistance, rate, .. } = self.implicit(h);
                let share = if 0.0 < resistance { resistance / (resistance + f64::from(mass)) } else { 0.0 };
                Softness {
                    bias_rate: rate as Real,
                    mass_scale: share as Real,
                    impulse_scale: (1.0 - share) as Real,
                }
            }
        }
    }

    /// Returns the spring over a substep of length `h`.
    pub(crate) fn implicit(&self, h: Real) -> Implicit {
        let h = f64::from(h);
        let (stiffness, damping) = match *self {
            Spring::Frequency { frequency, damping_ratio } => {
                let omega = TAU * f64::from(frequency);
                (omega * omega, 2.0 * f64::from(damping_ratio) * omega)
            }
            Spring::Stiffness { stiffness, damping } => (f64::from(stiffness), f64::from(damping)),
        };
        let resistance = h * (h * stiffness + damping);
        let rate = if 0.0 < resistance { h * stiffness / resistance } else { 0.0 };
        Implicit { resistance, rate, is_absolute: self.is_absolute() }
    }
}

/// The target of a motor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Drive {
    /// The speed of B relative to A: length per unit of time along an axis, radians per unit of
    /// time about one.
    Velocity(Real),
    /// The target position along the axis, or the angle about it in radians, and the spring that
    /// pulls there. Angles count modulo a full turn, so a motor turns the shorter way.
    Position(Real, Spring),
}

/// A motor along or about one axis of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motor {
    /// The target.
    pub drive: Drive,
    /// The largest force along an axis, or the largest torque about one. Not negative.
    ///
    /// A body that joints or contacts hold between two others, both more than 300 times heavier,
    /// counts in its joints as heavier than it is: as a three-hundredth of the lighter one. A
    /// fixed body is infinitely heavy. If such a body moves against both, it accelerates less than
    /// this force says. The inertia of a body on a lever outside of it counts in the same way. All
    /// other bodies have their true masses (test:
    /// `unequal_joints::motors_act_on_true_masses`, in carom-world).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::null_numbers::upper"))]
    pub max_force: Real,
}

impl Motor {
    /// Creates a motor with a target speed and unlimited force. The speed is in length per time
    /// along an axis, in radians per time about one. Finite, of any sign.
    pub const fn velocity(speed: Real) -> Motor {
        Motor { drive: Drive::Velocity(speed), max_force: Real::MAX }
    }

    /// Creates a motor with a target position, a length, or a target angle, in radians, and
    /// unlimited force. The target is finite: see [`Drive::Position`].
    pub const fn position(target: Real, spring: Spring) -> Motor {
        Motor { drive: Drive::Position(target, spring), max_force: Real::MAX }
    }

    /// Sets the largest force, or the largest torque about an axis. Not negative.
    #[must_use]
    pub const fn with_max_force(self, max_force: Real) -> Motor {
        Motor { max_force, ..self }
    }

    /// Checks each number, and names the first one out of its range.
    pub fn validate(&self) -> Result<(), JointFault> {
        match self.drive {
            Drive::Velocity(speed) => demand(speed.is_finite(), "speed", speed)?,
            Drive::Position(target, spring) => {
                demand(target.is_finite(), "target", target)?;
                spring.validate()?;
            }
        }
        demand(0.0 <= self.max_force, "max_force", self.max_force)
    }

    /// Whether the motor has a target position.
    pub(crate) fn is_position(&self) -> bool {
        matches!(self.drive, Drive::Position(..))
    }

    /// Whether the motor has a force, and a target position or a target speed that is not zero.
    pub(crate) fn is_driving(&self) -> bool {
        self.is_position() && 0.0 < self.max_force || self.turns()
    }

    /// Whether the motor has a force, and a target speed that is not zero.
    pub(crate) fn turns(&self) -> bool {
        matches!(self.drive, Drive::Velocity(speed) if speed != 0.0) && 0.0 < self.max_force
    }

    /// The middle of the full turn in which angles are counted.
    pub(crate) fn middle(&self) -> Real {
        match self.drive {
            Drive::Velocity(_) => 0.0,
            Drive::Position(target, _) => target,
        }
    }

    /// Returns the motor with its speed reduced, so that it does not pass the limits in a substep
    /// of length `h`. Otherwise motor and limit would push against each other with growing
    /// impulses, and the limit, which is softer, would yield.
    pub(crate) fn within(&self, coordinate: Real, [low, high]: [Real; 2], h: Real) -> Motor {
        match self.drive {
            Drive::Velocity(speed) => {
                let [back, ahead] = [coordinate - low, high - coordinate].map(|room| room.max(0.0) / h);
                Motor { drive: Drive::Velocity(speed.clamp(-back, ahead)), ..*self }
            }
            Drive::Position(..) => *self,
        }
    }

    /// Returns the change of the impulse `old` in one iteration. `coordinate` is the place or
    /// angle, `mass` the mass along or about the axis. Springs act in the first of the two passes
    /// of a substep only: `may_spring`.
    pub(crate) fn change(
        &self,
        old: Real,
        (coordinate, speed, mass): (Real, Real, Real),
        may_spring: bool,
        h: Real,
    ) -> Real {
        let max_impulse = self.max_force * h;
        match self.drive {
            Drive::Velocity(target) => (old + mass * (target - speed)).clamp(-max_impulse, max_impulse) - old,
            Drive::Position(..) if !may_spring => 0.0,
            Drive::Position(target, spring) => {
                let soft = spring.softness(h, mass);
                let bias = soft.bias_rate * (coordinate - target);
                let change = -mass * soft.mass_scale * (speed + bias) - soft.impulse_scale * old;
                (old + change).clamp(-max_impulse, max_impulse) - old
            }
        }
    }
}
