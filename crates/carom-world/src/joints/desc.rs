//! Descriptions of joints, for [`World::insert_joint`](crate::World::insert_joint).
//!
//! Reference: E. Catto, Box2D 3.1, types.h, 2025 (definitions of joints).

use crate::{BodyId, JointFault, JointId, WorldError};
use carom_math::{Pose, Vec3, rotation, tol};
use carom_response::{
    AxisLimit, Body, BodyKind, Joint, JointAxis, JointKind, Motor, SixDof, Spring, TorsionSpring,
};

/// The frames of a joint on its two bodies. With points in the world, they are computed when the
/// joint is inserted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointFrames {
    /// Points and an axis in the world, for the present poses of the bodies.
    World {
        /// The points on A and B. `None` is the origin of B. For ropes, rods and pulleys `None` is
        /// the origin of each body.
        anchors: Option<[Vec3; 2]>,
        /// The axis of the joint, a unit vector. It becomes the x axis of its frames.
        axis: Vec3,
    },
    /// Frames relative to the bodies A and B. The axis of the joint is the x axis of the frames.
    Local(Pose, Pose),
}

/// The two bodies or the two joints that a joint connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JointEnds {
    /// Bodies A and B.
    Bodies(BodyId, BodyId),
    /// The joints that a gear or a rack and pinion couples. Body B of each one turns or slides.
    Joints(JointId, JointId),
}

/// A description of a joint: its ends, kind, frames and settings.
///
/// Nothing is checked before [`World::insert_joint`](crate::World::insert_joint).
///
#[doc = include_str!("../../JOINTS.md")]
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointDesc {
    /// The two bodies, or the two joints of a gear.
    pub ends: JointEnds,
    /// The degrees of freedom that the joint leaves free, with limits and motors.
    pub kind: JointKind,
    /// The frames of the joint.
    pub frames: JointFrames,
    /// The stiffness of a soft joint; `None` is the stiffness of the solver settings. Default:
    /// `None`.
    pub spring: Option<Spring>,
    /// A torsion spring about the axis of a revolute joint. Default: `None`.
    pub torsion_spring: Option<TorsionSpring>,
    /// The force above which the joint breaks, as a mean over a step: mass times length per time
    /// squared (newtons), not negative. `None` has no limit. Default: `None`.
    pub break_force: Option<f32>,
    /// The torque above which the joint breaks, as a mean over a step: force times length, not
    /// negative. `None` has no limit. Default: `None`.
    pub break_torque: Option<f32>,
    /// Whether the two bodies also collide. Default: false.
    pub has_contacts: bool,
    /// Whether the joint acts: see [`JointMut::set_enabled`](crate::JointMut::set_enabled).
    /// Default: true.
    pub is_enabled: bool,
    /// User data; the world does not use it. Default: 0.
    pub user_data: u64,
    /// The name of the first setting that does not apply to the kind.
    misfit: Option<&'static str>,
}

impl JointDesc {
    /// Describes a joint of any kind, at the origin of B. Its axis is the y axis of the world;
    /// that of six degrees of freedom is x.
    pub const fn new(a: BodyId, b: BodyId, kind: JointKind) -> JointDesc {
        let axis = if let JointKind::SixDof(_) = kind { Vec3::X } else { Vec3::Y };
        JointDesc::between(JointEnds::Bodies(a, b), kind, axis)
    }

    const fn between(ends: JointEnds, kind: JointKind, axis: Vec3) -> JointDesc {
        JointDesc {
            ends,
            kind,
            frames: JointFrames::World { anchors: None, axis },
            spring: None,
            torsion_spring: None,
            break_force: None,
            break_torque: None,
            has_contacts: false,
            is_enabled: true,
            user_data: 0,
            misfit: None,
        }
    }

    /// Describes a joint that leaves no axis free.
    #[doc(alias = "fixed")]
    pub const fn weld(a: BodyId, b: BodyId) -> JointDesc {
        JointDesc::new(a, b, JointKind::Weld)
    }

    /// Describes a joint that leaves the rotation about the axis free.
    #[doc(alias = "hinge")]
    pub const fn revolute(a: BodyId, b: BodyId) -> JointDesc {
        JointDesc::new(a, b, JointKind::FREE_REVOLUTE)
    }

    /// Describes a joint that leaves the translation along the axis free.
    #[doc(alias = "slider")]
    pub const fn prismatic(a: BodyId, b: BodyId) -> JointDesc {
        JointDesc::new(a, b, JointKind::FREE_PRISMATIC)
    }

    /// Describes a joint that leaves the translation along the axis and the rotation about it free.
    pub const fn cylindrical(a: BodyId, b: BodyId) -> JointDesc {
        let mut desc = JointDesc::new(a, b, JointKind::SixDof(SixDof::CYLINDRICAL));
        desc.frames = JointFrames::World { anchors: None, axis: Vec3::Y };
        desc
    }

    /// Describes a screw: a rotation about the axis, and `lead` of travel along it in each full
    /// turn. The lead is a length, positive for a right-handed thread.
    #[doc(alias = "helical")]
    pub const fn screw(a: BodyId, b: BodyId, lead: f32) -> JointDesc {
        JointDesc::new(a, b, JointKind::Screw { lead, limits: None, motor: None })
    }

    /// Describes a joint that leaves the rotations about A's x axis and about B's z axis free. The
    /// two axes stay at a right angle.
    #[doc(alias = "cardan")]
    pub const fn universal(a: BodyId, b: BodyId) -> JointDesc {
        JointDesc::new(a, b, JointKind::SixDof(SixDof::UNIVERSAL))
    }

    /// Describes a joint that leaves all rotations free.
    #[doc(alias = "ball")]
    pub const fn spherical(a: BodyId, b: BodyId) -> JointDesc {
        JointDesc::new(a, b, JointKind::FREE_SPHERICAL)
    }

    /// Describes a joint that leaves all six axes free, until they are locked or limited. Its axes
    /// are those of the world.
    #[doc(alias = "generic")]
    pub const fn six_dof(a: BodyId, b: BodyId) -> JointDesc {
        JointDesc::new(a, b, JointKind::SixDof(SixDof::FREE))
    }

    /// Describes a joint that keeps the distance of two points between the lengths `min` and
    /// `max`.
    #[doc(alias = "rod")]
    pub const fn distance(a: BodyId, b: BodyId, min: f32, max: f32) -> JointDesc {
        JointDesc::new(a, b, JointKind::Distance { min, max })
    }

    /// Describes a joint that keeps the distance of two points at most the length `max`.
    pub const fn rope(a: BodyId, b: BodyId, max: f32) -> JointDesc {
        JointDesc::distance(a, b, 0.0, max)
    }

    /// Describes a rope from A over two points in the world to B, with a block and tackle. The
    /// force on B is that on A times `ratio`. The rope only pulls, and `length` counts the side of
    /// B `ratio` times: see [`JointKind::Pulley`].
    pub const fn pulley(a: BodyId, b: BodyId, supports: [Vec3; 2], ratio: f32, length: f32) -> JointDesc {
        JointDesc::new(a, b, JointKind::Pulley { supports, ratio, length })
    }

    /// Describes a gear of two revolute or prismatic joints: `coordinate 1 + ratio * coordinate 2`
    /// keeps its value. A coordinate is an angle or a translation, so two sliders with a ratio of 1
    /// or -1 are a parallel gripper. Body B of each joint must be dynamic. The removal of either
    /// joint removes the gear.
    #[doc(alias = "cogwheel")]
    pub const fn gear(wheel_1: JointId, wheel_2: JointId, ratio: f32) -> JointDesc {
        JointDesc::between(JointEnds::Joints(wheel_1, wheel_2), JointKind::Gear { ratio }, Vec3::Y)
    }

    /// Describes a rack and pinion: `translation - ratio * angle` of a prismatic and a revolute
    /// joint keeps its value. Body B of each joint must be dynamic. The removal of either joint
    /// removes the rack and pinion.
    pub const fn rack_and_pinion(rack: JointId, pinion: JointId, ratio: f32) -> JointDesc {
        JointDesc::between(JointEnds::Joints(rack, pinion), JointKind::RackAndPinion { ratio }, Vec3::Y)
    }

    /// Puts the joint at a point in the world.
    #[must_use]
    pub fn with_anchor(self, point: Vec3) -> JointDesc {
        self.with_anchors(point, point)
    }

    /// Sets the points of A and of B that the joint connects, both in the world.
    #[must_use]
    pub fn with_anchors(mut self, point_a: Vec3, point_b: Vec3) -> JointDesc {
        let (_, axis) = self.in_world();
        self.frames = JointFrames::World { anchors: Some([point_a, point_b]), axis };
        self
    }

    /// Sets the axis of the joint, a unit vector in the world. It becomes the x axis of the frames
    /// of the joint.
    #[must_use]
    pub fn with_axis(mut self, axis: Vec3) -> JointDesc {
        self.frames = JointFrames::World { anchors: self.in_world().0, axis };
        self
    }

    /// Sets the frames of the joint relative to its bodies. The axis of the joint is their x axis.
    #[must_use]
    pub fn with_frames(mut self, frame_a: Pose, frame_b: Pose) -> JointDesc {
        self.frames = JointFrames::Local(frame_a, frame_b);
        self
    }

    /// Sets the limits of the one axis of a revolute joint or a screw, in radians, or of a
    /// prismatic joint, as lengths. Those of a screw count full turns.
    #[must_use]
    pub fn with_limits(self, min: f32, max: f32) -> JointDesc {
        self.with_setting(|kind| set_limits(kind, Some([min, max])))
    }

    /// Sets the motor of the one axis of a revolute joint, a prismatic joint or a screw.
    #[must_use]
    pub fn with_motor(self, motor: Motor) -> JointDesc {
        self.with_setting(|kind| set_motor(kind, Some(motor)))
    }

    /// Sets the limit of an axis of a joint of six degrees of freedom, or of one of its presets:
    /// cylindrical and universal.
    #[must_use]
    pub fn with_axis_limit(self, axis: JointAxis, limit: AxisLimit) -> JointDesc {
        self.with_setting(|kind| set_axis_limit(kind, axis, limit))
    }

    /// Sets the motor of an axis of a joint of six degrees of freedom, or of one of its presets:
    /// cylindrical and universal.
    #[must_use]
    pub fn with_axis_motor(self, axis: JointAxis, motor: Motor) -> JointDesc {
        self.with_setting(|kind| set_axis_motor(kind, axis, Some(motor)))
    }

    /// Sets the largest angle between the x axes of a spherical joint, in radians.
    #[must_use]
    pub fn with_cone(self, angle: f32) -> JointDesc {
        self.with_setting(|kind| set_cone(kind, angle))
    }

    /// Sets the limits of the twist of a spherical joint about its x axis, in radians from -pi to
    /// pi. The cone must then be at most [`JointKind::MAX_TWISTED_CONE`].
    #[must_use]
    pub fn with_twist(self, min: f32, max: f32) -> JointDesc {
        self.with_setting(|kind| set_twist(kind, Some([min, max])))
    }

    /// Makes the joint soft: it acts as a damped spring along each axis that it holds.
    #[must_use]
    pub fn with_spring(self, spring: Spring) -> JointDesc {
        JointDesc { spring: Some(spring), ..self }
    }

    /// Gives a revolute joint a torsion spring about its axis.
    #[must_use]
    pub fn with_torsion_spring(self, spring: TorsionSpring) -> JointDesc {
        JointDesc { torsion_spring: Some(spring), ..self }
    }

    /// Sets the force above which the joint breaks: see [`JointDesc::break_force`].
    #[must_use]
    pub fn with_break_force(self, force: f32) -> JointDesc {
        JointDesc { break_force: Some(force), ..self }
    }

    /// Sets the torque above which the joint breaks: see [`JointDesc::break_torque`].
    #[must_use]
    pub fn with_break_torque(self, torque: f32) -> JointDesc {
        JointDesc { break_torque: Some(torque), ..self }
    }

    /// Sets whether the two bodies also collide.
    #[must_use]
    pub fn with_contacts(self, has_contacts: bool) -> JointDesc {
        JointDesc { has_contacts, ..self }
    }

    /// Sets whether the joint acts: see [`JointMut::set_enabled`](crate::JointMut::set_enabled).
    #[must_use]
    pub fn with_enabled(self, is_enabled: bool) -> JointDesc {
        JointDesc { is_enabled, ..self }
    }

    /// Sets the two bodies, or the two joints of a gear. So one description serves for several
    /// joints.
    #[must_use]
    pub fn with_ends(self, ends: JointEnds) -> JointDesc {
        JointDesc { ends, ..self }
    }

    /// Replaces the kind, with its limits and motors. Anchors and axis stay.
    #[must_use]
    pub fn with_kind(self, kind: JointKind) -> JointDesc {
        JointDesc { kind, misfit: None, ..self }
    }

    /// Sets the user data, which [`JointBroken`](crate::JointBroken) reports when the joint
    /// breaks.
    #[must_use]
    pub fn with_user_data(self, user_data: u64) -> JointDesc {
        JointDesc { user_data, ..self }
    }

    fn with_setting(mut self, set: impl FnOnce(&mut JointKind) -> Result<(), JointFault>) -> JointDesc {
        if let Err(JointFault::NotOfKind(what)) = set(&mut self.kind) {
            self.misfit = self.misfit.or(Some(what));
        }
        self
    }

    fn in_world(&self) -> (Option<[Vec3; 2]>, Vec3) {
        match self.frames {
            JointFrames::World { anchors, axis } => (anchors, axis),
            JointFrames::Local(..) => (None, Vec3::Y),
        }
    }

    /// Returns the joint of two bodies, with their numbers, or the first thing that is wrong.
    pub(crate) fn joint(&self, numbers: [u32; 2], bodies: [&Body; 2]) -> Result<Joint, WorldError> {
        if let JointKind::Gear { .. } | JointKind::RackAndPinion { .. } = self.kind {
            return Err(JointFault::Needs("two joints instead of two bodies").into());
        }
        self.with_settings(Joint::new(self.kind, numbers, self.frames_on(bodies)?))
    }

    /// Returns the gear of two joints, or the first thing that is wrong. `bodies` are A and B of
    /// each joint.
    pub(crate) fn gear_of(&self, joints: [&Joint; 2], bodies: [[&Body; 2]; 2]) -> Result<Joint, WorldError> {
        if self.frames != (JointFrames::World { anchors: None, axis: Vec3::Y }) {
            return Err(JointFault::NotOfKind("frames").into());
        }
        if bodies.iter().any(|[_, body]| body.kind != BodyKind::Dynamic) {
            return Err(JointFault::Needs("a dynamic body B in each joint").into());
        }
        self.kind.validate()?;
        self.with_settings(Joint::gear(self.kind, joints, bodies)?)
    }

    /// Returns a joint with the settings that do not depend on the kind.
    fn with_settings(&self, mut joint: Joint) -> Result<Joint, WorldError> {
        if let Some(what) = self.misfit {
            return Err(JointFault::NotOfKind(what).into());
        }
        (joint.spring, joint.torsion_spring) = (self.spring, self.torsion_spring);
        (joint.break_force, joint.break_torque) = (self.break_force, self.break_torque);
        (joint.has_contacts, joint.user_data) = (self.has_contacts, self.user_data);
        Ok(joint)
    }

    /// Returns the frames of the joint in the frames of its bodies.
    fn frames_on(&self, bodies: [&Body; 2]) -> Result<[Pose; 2], WorldError> {
        let (anchors, axis) = match self.frames {
            JointFrames::Local(frame_a, frame_b) => return unit_frames([frame_a, frame_b]),
            JointFrames::World { anchors, axis } => (anchors, axis),
        };
        if !((axis.length_squared() - 1.0).abs() < tol::AXIS_LENGTH) {
            return Err(JointFault::BadValue { what: "length of the axis", value: axis.length() }.into());
        }
        let turn = rotation::arc(Vec3::X, axis);
        let [own_a, own_b] = bodies.map(|body| body.pose.translation);
        let points = anchors.unwrap_or(match self.kind {
            JointKind::Distance { .. } | JointKind::Pulley { .. } => [own_a, own_b],
            _ => [own_b, own_b],
        });
        let coordinates = points.iter().flat_map(|point| point.to_array());
        if let Some(value) = coordinates.into_iter().find(|x| !x.is_finite()) {
            return Err(JointFault::BadValue { what: "anchor", value }.into());
        }
        let frame = |k: usize| Pose::new(turn, points[k]).relative_to(&bodies[k].pose);
        let frames = [frame(0), frame(1)];
        // The poses of the bodies may be so far away that the frames overflow.
        unit_frames(frames).map(|_| frames)
    }
}

/// Returns the frames with unit rotations. The error is that of the first frame that is not a
/// pose.
pub(crate) fn unit_frames(frames: [Pose; 2]) -> Result<[Pose; 2], WorldError> {
    let checked = |frame: Pose| Pose::try_new(frame.rotation, frame.translation);
    Ok([checked(frames[0])?, checked(frames[1])?])
}

/// Sets the limits of the one axis of a kind.
pub(crate) fn set_limits(kind: &mut JointKind, new: Option<[f32; 2]>) -> Result<(), JointFault> {
    match kind {
        JointKind::Revolute { limits, .. }
        | JointKind::Prismatic { limits, .. }
        | JointKind::Screw { limits, .. } => *limits = new,
        _ => return Err(JointFault::NotOfKind("limits")),
    }
    Ok(())
}

/// Sets the motor of the one axis of a kind.
pub(crate) fn set_motor(kind: &mut JointKind, new: Option<Motor>) -> Result<(), JointFault> {
    match kind {
        JointKind::Revolute { motor, .. }
        | JointKind::Prismatic { motor, .. }
        | JointKind::Screw { motor, .. } => *motor = new,
        _ => return Err(JointFault::NotOfKind("motor")),
    }
    Ok(())
}

/// Sets the limit of one of six axes.
pub(crate) fn set_axis_limit(
    kind: &mut JointKind,
    axis: JointAxis,
    new: AxisLimit,
) -> Result<(), JointFault> {
    let JointKind::SixDof(axes) = kind else { return Err(JointFault::NotOfKind("axis limit")) };
    axes.limits[axis as usize] = new;
    Ok(())
}

/// Sets the motor of one of six axes.
pub(crate) fn set_axis_motor(
    kind: &mut JointKind,
    axis: JointAxis,
    new: Option<Motor>,
) -> Result<(), JointFault> {
    let JointKind::SixDof(axes) = kind else { return Err(JointFault::NotOfKind("axis motor")) };
    axes.motors[axis as usize] = new;
    Ok(())
}

/// Sets the cone of a spherical joint.
pub(crate) fn set_cone(kind: &mut JointKind, new: f32) -> Result<(), JointFault> {
    let JointKind::Spherical { cone, .. } = kind else { return Err(JointFault::NotOfKind("cone")) };
    *cone = new;
    Ok(())
}

/// Sets the limits of the twist of a spherical joint.
pub(crate) fn set_twist(kind: &mut JointKind, new: Option<[f32; 2]>) -> Result<(), JointFault> {
    let JointKind::Spherical { twist, .. } = kind else { return Err(JointFault::NotOfKind("twist")) };
    *twist = new;
    Ok(())
}

/// Sets the bounds of a distance.
pub(crate) fn set_distance(kind: &mut JointKind, new: [f32; 2]) -> Result<(), JointFault> {
    let JointKind::Distance { min, max } = kind else { return Err(JointFault::NotOfKind("distance")) };
    [*min, *max] = new;
    Ok(())
}
