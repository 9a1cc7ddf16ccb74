//! The kinds of joints: which motions of B relative to A each one leaves free; and motors.
//!
//! Reference: L.-W. Tsai, Robot Analysis, 1999, 1.3 (kinematic pairs).

use crate::settings::MAX_SETTING;
use carom_math::Real;

/// The degrees of freedom that a joint leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum JointKind {
    /// None: the frames coincide.
    Fixed,
    /// Rotation about the common origin. The angle between the two x axes is at most `cone` (in
    /// radians; pi or more is free).
    Ball {
        /// The largest angle between the x axes. Not negative.
        cone: Real,
    },
    /// Rotation about the common x axis.
    Hinge {
        /// The least and the largest angle from A's y axis to B's; `None` has no limits. Angles
        /// count modulo a full turn: the one nearest to the middle of the limits is used.
        limits: Option<[Real; 2]>,
        /// Target speed and largest torque of a motor; `None` has no motor.
        motor: Option<Motor>,
    },
    /// Translation along A's x axis.
    #[doc(alias = "slider")]
    Prismatic {
        /// The least and the largest place of B's origin along A's x axis; `None` has no limits.
        limits: Option<[Real; 2]>,
        /// Target speed and largest force of a motor; `None` has no motor.
        motor: Option<LinearMotor>,
    },
    /// Any set of the six axes: see [`SixDof`].
    #[doc(alias = "generic")]
    #[doc(alias = "cylindrical")]
    #[doc(alias = "universal")]
    SixDof(SixDof),
    /// All, if the distance of the two origins stays within these bounds. Equal bounds make a rod;
    /// 0 and a length make a rope.
    Distance {
        /// Not negative, and finite.
        min: Real,
        /// Not below `min`.
        max: Real,
    },
}

impl JointKind {
    /// Whether the joint keeps the origins of its two frames together.
    pub fn holds_point(&self) -> bool {
        match self {
            JointKind::Fixed | JointKind::Ball { .. } | JointKind::Hinge { .. } => true,
            JointKind::SixDof(axes) => axes.limits[..3].iter().all(|limit| *limit == AxisLimit::Locked),
            JointKind::Prismatic { .. } | JointKind::Distance { .. } => false,
        }
    }

    /// Whether the joint has one axis, with a place or an angle: it is a hinge or a slider.
    pub fn has_axis(&self) -> bool {
        matches!(self, JointKind::Hinge { .. } | JointKind::Prismatic { .. })
    }

    /// The six axes of a slider or a joint of six degrees of freedom; `None` for other kinds.
    pub(crate) fn axes(&self) -> Option<SixDof> {
        match *self {
            JointKind::SixDof(axes) => Some(axes),
            JointKind::Prismatic { limits, .. } => {
                let along = limits.map_or(AxisLimit::Free, |[low, high]| AxisLimit::Between(low, high));
                Some(SixDof::LOCKED.with_limit(JointAxis::X, along))
            }
            _ => None,
        }
    }

    /// Whether no number is NaN, the bounds are in order, and a state exists that satisfies both.
    pub fn is_sound(&self) -> bool {
        match *self {
            JointKind::Fixed => true,
            JointKind::Ball { cone } => 0.0 <= cone,
            JointKind::Hinge { limits, motor } => {
                limits.is_none_or(allows) && motor.is_none_or(|m| m.speed.is_finite() && 0.0 <= m.max_torque)
            }
            JointKind::Prismatic { limits, motor } => {
                limits.is_none_or(allows) && motor.is_none_or(|m| m.speed.is_finite() && 0.0 <= m.max_force)
            }
            JointKind::SixDof(axes) => axes.is_sound(),
            JointKind::Distance { min, max } => 0.0 <= min && min <= max && min < Real::INFINITY,
        }
    }
}

/// A motor of a hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motor {
    /// Target angular velocity of B relative to A about the axis, in radians per unit of time.
    pub speed: Real,
    /// The largest torque. Not negative.
    pub max_torque: Real,
}
/// A motor of a slider.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinearMotor {
    /// Target velocity of B relative to A along the axis, in length per unit of time.
    pub speed: Real,
    /// The largest force. Not negative.
    pub max_force: Real,
}

/// A motor that pulls a hinge to an angle, or a slider to a place, as a damped spring does.
///
/// The spring is scaled by the mass that the two bodies present to the joint. So the free
/// oscillation has the stated frequency for bodies of any mass, and no frequency is unstable.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PositionMotor {
    /// The target angle in radians, or the target place along the axis. Angles count modulo a full
    /// turn, so a hinge turns the shorter way.
    pub target: Real,
    /// Oscillations per unit of time, without damping. Above 0, at most 1e9.
    pub frequency: Real,
    /// Damping relative to the critical one, from 0 to 1e9. At 1 it does not overshoot.
    pub damping_ratio: Real,
    /// The largest torque of a hinge, or the largest force of a slider. Not negative.
    pub max_force: Real,
}

impl PositionMotor {
    /// Creates a motor without a bound of its force, critically damped.
    pub const fn new(target: Real, frequency: Real) -> PositionMotor {
        PositionMotor { target, frequency, damping_ratio: 1.0, max_force: Real::MAX }
    }

    /// Sets the damping ratio.
    #[must_use]
    pub const fn with_damping_ratio(self, damping_ratio: Real) -> PositionMotor {
        PositionMotor { damping_ratio, ..self }
    }

    /// Sets the largest force, or the largest torque of a hinge.
    #[must_use]
    pub const fn with_max_force(self, max_force: Real) -> PositionMotor {
        PositionMotor { max_force, ..self }
    }

    /// Checks the bounds of each number. The error is the name of the first one out of bounds.
    pub fn validate(&self) -> Result<(), &'static str> {
        // NaN is in no range.
        let is_within = |x: Real| (0.0..=MAX_SETTING).contains(&x);
        if !self.target.is_finite() {
            return Err("target");
        }
        if !(0.0 < self.frequency && is_within(self.frequency)) {
            return Err("frequency");
        }
        if !is_within(self.damping_ratio) {
            return Err("damping_ratio");
        }
        if 0.0 <= self.max_force { Ok(()) } else { Err("max_force") }
    }
}

/// An axis of a joint: three of translation, three of rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JointAxis {
    /// Translation along A's x axis.
    X,
    /// Translation along A's y axis.
    Y,
    /// Translation along A's z axis.
    Z,
    /// Rotation about A's x axis.
    AngX,
    /// Rotation about the axis across A's x axis and B's z axis.
    AngY,
    /// Rotation about B's z axis.
    AngZ,
}

/// How far a joint lets B move along or about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AxisLimit {
    /// Without limits.
    Free,
    /// Not at all.
    Locked,
    /// Between a least and a largest place, or angle in radians.
    Between(Real, Real),
}

/// How far B may move along and about each axis.
///
/// Places are those of B's origin in A's frame. Angles are Euler angles: rotations about x, then
/// the new y, then the new z, turn A's frame into B's. At a right angle about y the other two axes
/// coincide. So the angle about y stays within [`SixDof::MAX_ANGLE_Y`], unless all three are free.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SixDof {
    /// The limits in the order of [`JointAxis`].
    pub limits: [AxisLimit; 6],
}

impl SixDof {
    /// The largest angle about y, in radians.
    pub const MAX_ANGLE_Y: Real = 1.5;

    /// All axes locked.
    pub const LOCKED: SixDof = SixDof { limits: [AxisLimit::Locked; 6] };

    /// All axes free.
    pub const FREE: SixDof = SixDof { limits: [AxisLimit::Free; 6] };

    /// Translation along the x axis and rotation about it.
    pub const CYLINDRICAL: SixDof =
        SixDof::LOCKED.with_limit(JointAxis::X, AxisLimit::Free).with_limit(JointAxis::AngX, AxisLimit::Free);

    /// Rotation about A's x axis and about B's z axis, which stay at a right angle.
    #[doc(alias = "cardan")]
    pub const UNIVERSAL: SixDof = SixDof::LOCKED
        .with_limit(JointAxis::AngX, AxisLimit::Free)
        .with_limit(JointAxis::AngZ, AxisLimit::Free);

    /// Sets the limit of an axis.
    #[must_use]
    pub const fn with_limit(mut self, axis: JointAxis, limit: AxisLimit) -> SixDof {
        self.limits[axis as usize] = limit;
        self
    }

    /// Whether no rotation is locked or limited.
    pub(crate) fn turns_freely(&self) -> bool {
        self.limits[3..].iter().all(|limit| *limit == AxisLimit::Free)
    }

    fn is_sound(&self) -> bool {
        let is_limit_sound = |limit: &AxisLimit| match *limit {
            AxisLimit::Between(low, high) => allows([low, high]),
            AxisLimit::Free | AxisLimit::Locked => true,
        };
        let most = SixDof::MAX_ANGLE_Y;
        let is_y_sound = match self.limits[JointAxis::AngY as usize] {
            AxisLimit::Locked => true,
            AxisLimit::Between(low, high) => -most <= low && high <= most,
            AxisLimit::Free => self.turns_freely(),
        };
        is_y_sound && self.limits.iter().all(is_limit_sound)
    }
}

fn allows([low, high]: [Real; 2]) -> bool {
    low <= high && low < Real::INFINITY && Real::NEG_INFINITY < high
}
