//! The kinds of joints: which motions of B relative to A each one leaves free.
//!
//! Reference: L.-W. Tsai, Robot Analysis, 1999, 1.3 (kinematic pairs).

use crate::joints::fault::{JointFault, demand, demand_bounds};
use crate::joints::motor::Motor;
use carom_math::{Real, Vec3};

/// The degrees of freedom that a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum JointKind {
    /// No motion: the frames coincide.
    #[doc(alias = "fixed")]
    Weld,
    /// Rotation about the common origin, within a cone and within limits of twist.
    #[doc(alias = "ball")]
    #[doc(alias = "socket")]
    Spherical {
        /// The largest angle between the two x axes, in radians; pi or more is free. Not negative.
        #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::null_numbers::upper"))]
        cone: Real,
        /// The least and the largest twist about the x axis, in radians from -pi to pi. `None` has
        /// no limits. With limits, the cone is at most [`JointKind::MAX_TWISTED_CONE`].
        twist: Option<[Real; 2]>,
    },
    /// Rotation about the common x axis.
    #[doc(alias = "hinge")]
    #[doc(alias = "axle")]
    Revolute {
        /// The least and the largest angle from A's y axis to B's, in radians; `None` has no
        /// limits. Angles are counted modulo a full turn: the one nearest to the middle of the
        /// limits is used.
        #[cfg_attr(feature = "serde", serde(default, deserialize_with = "crate::null_numbers::bounds"))]
        limits: Option<[Real; 2]>,
        /// A motor about the axis; `None` has no motor.
        motor: Option<Motor>,
    },
    /// Translation along A's x axis.
    #[doc(alias = "slider")]
    Prismatic {
        /// The least and the largest position of B's origin along A's x axis, lengths; `None` has
        /// no limits.
        #[cfg_attr(feature = "serde", serde(default, deserialize_with = "crate::null_numbers::bounds"))]
        limits: Option<[Real; 2]>,
        /// A motor along the axis; `None` has no motor.
        motor: Option<Motor>,
    },
    /// Any set of the six axes: see [`SixDof`].
    #[doc(alias = "generic")]
    #[doc(alias = "cylindrical")]
    #[doc(alias = "universal")]
    SixDof(SixDof),
    /// All motions that keep the distance of the two origins within these bounds. Equal bounds
    /// make a rod; 0 and a length make a rope.
    #[doc(alias = "rope")]
    #[doc(alias = "rod")]
    Distance {
        /// The least distance, finite and not negative.
        min: Real,
        /// The largest distance, not below `min`.
        #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::null_numbers::upper"))]
        max: Real,
    },
    /// All motions for which a rope from A over two fixed points to B is long enough. The rope
    /// only pulls: `|a - supports[0]| + ratio |b - supports[1]|` is at most `length`. An end that
    /// it draws to its fixed point stops there. If a heavy body pulls on, the rope yields.
    Pulley {
        /// The two points over which the rope runs, in the world.
        supports: [Vec3; 2],
        /// The force on B is `ratio` times that on A. Positive and finite.
        ratio: Real,
        /// The length of the rope, with the side of B counted `ratio` times. Positive and finite.
        length: Real,
    },
    /// The motions of two revolute or prismatic joints that keep
    /// `coordinate 1 + ratio * coordinate 2` at its first value. A coordinate is an angle, or a
    /// translation. The fingers of a parallel gripper are two sliders with a ratio of 1 or -1. The
    /// joint has [`GearParts`](crate::GearParts).
    #[doc(alias = "cogwheel")]
    Gear {
        /// For two wheels with parallel axes that mesh outside: the teeth of the second divided by
        /// those of the first. Finite, and not 0.
        ratio: Real,
    },
    /// The motions of a prismatic and a revolute joint that keep `translation - ratio * angle` at
    /// its first value. The joint has [`GearParts`](crate::GearParts).
    RackAndPinion {
        /// Length of the rack per radian of the pinion: the radius of the pinion. A negative one
        /// reverses the direction. Finite, and not 0.
        ratio: Real,
    },
    /// Rotation about A's x axis, with a translation along it that follows the angle.
    #[doc(alias = "helical")]
    #[doc(alias = "lead screw")]
    Screw {
        /// The travel of B along the axis in a full turn, a length. Positive for a right-handed
        /// thread. Finite, and not 0.
        lead: Real,
        /// The least and the largest angle from A's y axis to B's, in radians; `None` has no
        /// limits. Full turns count: the angle is the travel times two pi, divided by the lead.
        #[cfg_attr(feature = "serde", serde(default, deserialize_with = "crate::null_numbers::bounds"))]
        limits: Option<[Real; 2]>,
        /// A motor about the axis; `None` has no motor. The target of a position motor counts full
        /// turns.
        motor: Option<Motor>,
    },
}

/// A cone below this is locked, in radians: rounding of rotations in `f32` determines the
/// direction of so small a bend.
const MIN_CONE: Real = 1e-4;

impl JointKind {
    /// The largest cone of a joint with limits of twist, in radians. At pi the twist is not
    /// defined.
    pub const MAX_TWISTED_CONE: Real = 3.0;

    /// A spherical joint without limits.
    pub const FREE_SPHERICAL: JointKind = JointKind::Spherical { cone: core::f32::consts::PI, twist: None };

    /// A revolute joint without limits and motor.
    pub const FREE_REVOLUTE: JointKind = JointKind::Revolute { limits: None, motor: None };

    /// A prismatic joint without limits and motor.
    pub const FREE_PRISMATIC: JointKind = JointKind::Prismatic { limits: None, motor: None };

    /// Whether one row of three numbers holds the points of both bodies together.
    pub(crate) fn has_point_row(&self) -> bool {
        matches!(self, JointKind::Weld | JointKind::Spherical { .. } | JointKind::Revolute { .. })
    }

    /// Whether the joint keeps the origins of its two frames together.
    pub fn holds_point(&self) -> bool {
        match self {
            JointKind::Weld | JointKind::Spherical { .. } | JointKind::Revolute { .. } => true,
            JointKind::SixDof(axes) => axes.limits[..3].iter().all(|limit| *limit == AxisLimit::Locked),
            JointKind::Prismatic { .. } | JointKind::Screw { .. } => false,
            JointKind::Distance { .. } | JointKind::Pulley { .. } => false,
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => false,
        }
    }

    /// Whether it is spherical, and its cone allows no bend. Then it holds the x axes together, as
    /// a revolute joint does.
    pub(crate) fn locks_bend(&self) -> bool {
        matches!(self, JointKind::Spherical { cone, .. } if *cone < MIN_CONE)
    }

    /// Whether it locks or limits rotation other than by a cone, so that it transmits the torque
    /// of a load.
    pub(crate) fn holds_rotation(&self) -> bool {
        match self {
            JointKind::Weld | JointKind::Revolute { .. } => true,
            JointKind::Prismatic { .. } | JointKind::Screw { .. } => true,
            JointKind::SixDof(axes) => !axes.turns_freely(),
            JointKind::Spherical { .. } => self.locks_bend(),
            JointKind::Distance { .. } | JointKind::Pulley { .. } => false,
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => false,
        }
    }

    /// The factor of the second coordinate in the row of a gear or of a rack and pinion; `None`
    /// for other kinds.
    pub(crate) fn gear_factor(&self) -> Option<Real> {
        match *self {
            JointKind::Gear { ratio } => Some(ratio),
            JointKind::RackAndPinion { ratio } => Some(-ratio),
            _ => None,
        }
    }

    /// The motors, in the order of the axes.
    pub(crate) fn motors(&self) -> impl Iterator<Item = Motor> {
        let (one, six) = match *self {
            JointKind::Revolute { motor, .. }
            | JointKind::Prismatic { motor, .. }
            | JointKind::Screw { motor, .. } => (motor, [None; 6]),
            JointKind::SixDof(axes) => (None, axes.motors),
            JointKind::Weld | JointKind::Spherical { .. } | JointKind::Distance { .. } => (None, [None; 6]),
            JointKind::Pulley { .. } | JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => {
                (None, [None; 6])
            }
        };
        one.into_iter().chain(six.into_iter().flatten())
    }

    /// The six axes of a prismatic joint, a screw, or a joint of six degrees of freedom; `None`
    /// for other kinds. For a screw, the coordinate x is that beside the thread.
    pub(crate) fn axes(&self) -> Option<SixDof> {
        match *self {
            JointKind::SixDof(axes) => Some(axes),
            JointKind::Prismatic { limits, motor } => {
                Some(SixDof::with_one_axis(JointAxis::X, limits, motor))
            }
            JointKind::Screw { limits, motor, .. } => {
                Some(SixDof::with_one_axis(JointAxis::AngX, limits, motor))
            }
            JointKind::Weld | JointKind::Spherical { .. } | JointKind::Revolute { .. } => None,
            JointKind::Distance { .. } | JointKind::Pulley { .. } => None,
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => None,
        }
    }

    /// Checks that no number is NaN, that bounds are in order, and that some state of the bodies
    /// satisfies them. The error names the first number for which this does not hold.
    pub fn validate(&self) -> Result<(), JointFault> {
        match *self {
            JointKind::Weld => Ok(()),
            JointKind::Spherical { cone, twist } => {
                demand(0.0 <= cone, "cone", cone)?;
                let Some([low, high]) = twist else { return Ok(()) };
                let pi = core::f32::consts::PI;
                demand(cone <= JointKind::MAX_TWISTED_CONE, "cone", cone)?;
                demand(-pi <= low && low <= pi, "lower twist", low)?;
                demand(low <= high && high <= pi, "upper twist", high)
            }
            JointKind::Revolute { limits, motor } | JointKind::Prismatic { limits, motor } => {
                validate_axis(limits, motor)
            }
            JointKind::Screw { lead, limits, motor } => {
                demand(lead != 0.0 && lead.is_finite(), "lead", lead)?;
                validate_axis(limits, motor)
            }
            JointKind::SixDof(axes) => axes.validate(),
            JointKind::Distance { min, max } => {
                demand(0.0 <= min && min < Real::INFINITY, "least distance", min)?;
                demand(min <= max, "largest distance", max)
            }
            JointKind::Pulley { supports, ratio, length } => {
                let coordinates = supports.iter().flat_map(|point| point.to_array());
                coordinates.into_iter().try_for_each(|x| demand(x.is_finite(), "fixed point", x))?;
                demand(0.0 < ratio && ratio.is_finite(), "ratio", ratio)?;
                demand(0.0 < length && length.is_finite(), "length", length)
            }
            JointKind::Gear { ratio } | JointKind::RackAndPinion { ratio } => {
                demand(ratio != 0.0 && ratio.is_finite(), "ratio", ratio)
            }
        }
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
    /// Rotation about the axis perpendicular to A's x axis and to B's z axis.
    AngY,
    /// Rotation about B's z axis.
    AngZ,
}

/// How far a joint lets B move along or about an axis, relative to A.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AxisLimit {
    /// Any coordinate is allowed.
    Free,
    /// The coordinate is kept at 0.
    Locked,
    /// The coordinate is kept between a least and a largest value: lengths, or angles in radians.
    Between(
        #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::null_numbers::lower"))] Real,
        #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::null_numbers::upper"))] Real,
    ),
}

/// How far B may move along and about each axis, and the motors of the axes.
///
/// Translations are coordinates of B's origin in A's frame. Angles are Euler angles: rotations
/// about x, then the new y, then the new z, turn A's frame into B's. If the angle about y is a
/// right angle, the other two axes coincide. So this angle stays within [`SixDof::MAX_ANGLE_Y`],
/// unless all three are free and without motors.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SixDof {
    /// The limits in the order of [`JointAxis`].
    pub limits: [AxisLimit; 6],
    /// The motors in the order of [`JointAxis`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub motors: [Option<Motor>; 6],
}

impl SixDof {
    /// The largest angle about y, in radians, in both directions.
    pub const MAX_ANGLE_Y: Real = 1.5;

    /// All axes locked, without motors.
    pub const LOCKED: SixDof = SixDof { limits: [AxisLimit::Locked; 6], motors: [None; 6] };

    /// All axes free, without motors.
    pub const FREE: SixDof = SixDof { limits: [AxisLimit::Free; 6], motors: [None; 6] };

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

    /// Sets the motor of an axis. The motor of a locked axis does not act.
    #[must_use]
    pub const fn with_motor(mut self, axis: JointAxis, motor: Motor) -> SixDof {
        self.motors[axis as usize] = Some(motor);
        self
    }

    /// All axes locked but one, which has these limits and this motor.
    fn with_one_axis(axis: JointAxis, limits: Option<[Real; 2]>, motor: Option<Motor>) -> SixDof {
        let limit = limits.map_or(AxisLimit::Free, |[low, high]| AxisLimit::Between(low, high));
        let mut axes = SixDof::LOCKED.with_limit(axis, limit);
        axes.motors[axis as usize] = motor;
        axes
    }

    /// Returns the limit and the motor of each axis.
    pub(crate) fn rows(self) -> impl Iterator<Item = (AxisLimit, Option<Motor>)> {
        self.limits.into_iter().zip(self.motors)
    }

    /// Whether no rotation is locked, limited or driven.
    pub(crate) fn turns_freely(&self) -> bool {
        self.limits[3..].iter().all(|limit| *limit == AxisLimit::Free)
            && self.motors[3..].iter().all(Option::is_none)
    }

    fn validate(&self) -> Result<(), JointFault> {
        for (limit, names) in self.limits.iter().zip(LIMIT_NAMES) {
            if let AxisLimit::Between(low, high) = *limit {
                demand_bounds([low, high], names)?;
            }
        }
        let max_angle = SixDof::MAX_ANGLE_Y;
        let y = JointAxis::AngY as usize;
        let [low, high] = match self.limits[y] {
            AxisLimit::Between(low, high) => [low, high],
            AxisLimit::Free if !self.turns_freely() => [Real::NEG_INFINITY, Real::INFINITY],
            AxisLimit::Free | AxisLimit::Locked => [0.0; 2],
        };
        demand(-max_angle <= low, LIMIT_NAMES[y][0], low)?;
        demand(high <= max_angle, LIMIT_NAMES[y][1], high)?;
        self.motors.iter().flatten().try_for_each(Motor::validate)
    }
}

/// Checks the limits and the motor of a kind with one axis.
fn validate_axis(limits: Option<[Real; 2]>, motor: Option<Motor>) -> Result<(), JointFault> {
    limits.map_or(Ok(()), |limits| demand_bounds(limits, ["lower limit", "upper limit"]))?;
    motor.map_or(Ok(()), |motor| motor.validate())
}

/// The names of the lower and upper limits, by axis.
const LIMIT_NAMES: [[&str; 2]; 6] = [
    ["lower limit of x", "upper limit of x"],
    ["lower limit of y", "upper limit of y"],
    ["lower limit of z", "upper limit of z"],
    ["lower limit of the angle about x", "upper limit of the angle about x"],
    ["lower limit of the angle about y", "upper limit of the angle about y"],
    ["lower limit of the angle about z", "upper limit of the angle about z"],
];
