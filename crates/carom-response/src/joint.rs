//! Joints: two bodies held together at a point, at a distance, along or about axes, or rigidly.
//!
//! Every joint is a soft constraint, much stiffer than its load. It is solved and relaxed in every
//! substep. Limits and motors are single rows. A limit is inactive until it would be passed within
//! the substep.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (soft joints); E. Catto, Modeling and Solving
//! Constraints, GDC 2009.

use crate::body::Body;
use crate::joint_kind::{JointKind, PositionMotor};
use crate::joint_load::{JointImpulse, JointLoad, JointStrength};
use crate::spring::{TorsionSpring, Winding};
use carom_math::{Pose, Real, Vec3, rotation};

/// Two connected bodies, and the kind of joint. Each frame is relative to its body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Joint {
    /// Index of body A.
    pub body_a: u32,
    /// Index of body B.
    pub body_b: u32,
    /// The joint frame on A. Its x axis is the axis of a hinge or a cone.
    pub frame_a: Pose,
    /// The joint frame on B. Its x axis is the axis of a hinge or a cone.
    pub frame_b: Pose,
    /// The degrees of freedom that it leaves.
    pub kind: JointKind,
    /// Impulses of the last substep, for the warm start. Set them to zero if the joint was changed.
    pub impulse: JointImpulse,
    /// A spring about the axis of a hinge; other joints have none.
    #[cfg_attr(feature = "serde", serde(default))]
    pub spring: Option<TorsionSpring>,
    /// The angle at the start of the last substep. It is updated only if there is a spring.
    #[cfg_attr(feature = "serde", serde(default))]
    pub winding: Winding,
    /// A motor that pulls a hinge or a slider to a place, instead of the motor of its kind.
    #[cfg_attr(feature = "serde", serde(default))]
    pub position_motor: Option<PositionMotor>,
    /// The force and torque at which the owner of the joint is to remove it; `None` holds any load.
    #[cfg_attr(feature = "serde", serde(default))]
    pub strength: Option<JointStrength>,
    /// Whether the owner of the joint is to find contacts of the two bodies.
    #[cfg_attr(feature = "serde", serde(default))]
    pub has_contacts: bool,
    /// A number of the owner. The solver does not read it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub user_data: u64,
    /// The load in the last step in which one of the bodies moved.
    #[cfg_attr(feature = "serde", serde(default))]
    pub load: JointLoad,
}

impl Joint {
    /// Whether there is a motor with a target speed and a torque.
    pub(crate) fn has_turning_motor(&self) -> bool {
        let (speed, most) = match self.kind {
            JointKind::Hinge { motor: Some(motor), .. } => (motor.speed, motor.max_torque),
            JointKind::Prismatic { motor: Some(motor), .. } => (motor.speed, motor.max_force),
            _ => return false,
        };
        self.position_motor.is_none() && speed != 0.0 && 0.0 < most
    }

    /// Returns a joint at `point` in the world, for the present poses of the bodies. Its x axis is
    /// `axis`, a unit vector. `None` if a body does not exist.
    pub fn at(
        kind: JointKind,
        bodies: &[Body],
        body_a: u32,
        body_b: u32,
        point: Vec3,
        axis: Vec3,
    ) -> Option<Joint> {
        let (a, b) = (bodies.get(body_a as usize)?, bodies.get(body_b as usize)?);
        let frame = Pose::new(rotation::arc(Vec3::X, axis), point);
        let frames = [frame.relative_to(&a.pose), frame.relative_to(&b.pose)];
        Some(Joint::new(kind, [body_a, body_b], frames))
    }

    /// Returns a rod, rope or strut between two points in the world, for the present poses of the
    /// bodies. `None` if a body does not exist.
    pub fn distance(
        bodies: &[Body],
        body_a: u32,
        body_b: u32,
        points: [Vec3; 2],
        bounds: [Real; 2],
    ) -> Option<Joint> {
        let (a, b) = (bodies.get(body_a as usize)?, bodies.get(body_b as usize)?);
        let place =
            |body: &Body, point: Vec3| Pose::from_translation(body.pose.inverse_transform_point(point));
        let kind = JointKind::Distance { min: bounds[0], max: bounds[1] };
        Some(Joint::new(kind, [body_a, body_b], [place(a, points[0]), place(b, points[1])]))
    }

    /// Returns a joint of two bodies without impulses, spring, motor of a place, and strength.
    fn new(kind: JointKind, [body_a, body_b]: [u32; 2], [frame_a, frame_b]: [Pose; 2]) -> Joint {
        Joint {
            body_a,
            body_b,
            frame_a,
            frame_b,
            kind,
            impulse: JointImpulse::default(),
            spring: None,
            winding: Winding::default(),
            position_motor: None,
            strength: None,
            has_contacts: false,
            user_data: 0,
            load: JointLoad::default(),
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        let i = &self.impulse;
        self.kind.is_sound()
            && self.frame_a.is_finite()
            && self.frame_b.is_finite()
            && i.linear.is_finite()
            && i.angular.is_finite()
            && (i.lower + i.upper + i.motor + i.spring).is_finite()
            && i.limits.iter().flatten().all(|x| x.is_finite())
            && self.is_spring_sound()
            && self.is_motor_sound()
    }
}

/// All joints, and the indices of those that are solved.
#[derive(Clone, Copy)]
pub(crate) struct MovingJoints<'a> {
    pub(crate) list: &'a [Joint],
    /// Ascending.
    pub(crate) places: &'a [u32],
}

impl<'a> MovingJoints<'a> {
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a Joint> {
        self.places.iter().map(move |&place| &self.list[place as usize])
    }
}
