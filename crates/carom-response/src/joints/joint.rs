//! Joints: two bodies held together at a point, at a distance, along or about axes, or rigidly.
//!
//! Every joint is a soft constraint, much stiffer than its load. It is solved and relaxed in every
//! substep. Limits and motors are single rows. A limit acts only if it would be passed within the
//! substep.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (soft joints); E. Catto, Modeling and Solving
//! Constraints, GDC 2009.

use crate::bodies::body::Body;
use crate::joints::fault::{JointFault, demand};
use crate::joints::gear_parts::GearParts;
use crate::joints::kind::JointKind;
use crate::joints::load::{JointImpulse, JointLoad};
use crate::joints::motor::Spring;
use crate::joints::torsion_spring::{TorsionSpring, Winding};
use crate::settings::SolverError;
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
    /// The joint frame, relative to A. Its x axis is the axis of a revolute or prismatic joint, of
    /// a screw, or of a cone.
    pub frame_a: Pose,
    /// The joint frame, relative to B. Its x axis is the axis of a revolute or prismatic joint, of
    /// a screw, or of a cone.
    pub frame_b: Pose,
    /// The degrees of freedom that the joint leaves free.
    pub kind: JointKind,
    /// Impulses of the last substep, for the warm start. Set them to zero after a change of the
    /// joint. The next step drops those of limits, motors and springs that were removed.
    pub impulse: JointImpulse,
    /// The stiffness of a soft joint; `None` is the stiffness of the solver settings.
    pub spring: Option<Spring>,
    /// A spring about the axis of a revolute joint; other kinds have none.
    pub torsion_spring: Option<TorsionSpring>,
    /// The angle at the end of the last substep. It is updated only if there is a torsion spring.
    pub winding: Winding,
    /// The joints that a gear or a rack and pinion couples; `None` for other kinds.
    pub gear: Option<GearParts>,
    /// The force above which the joint is overloaded, as a mean over a step; `None` has no limit.
    /// Not negative. The owner of the joint removes overloaded joints.
    pub break_force: Option<Real>,
    /// The torque above which the joint is overloaded, as a mean over a step; `None` has no limit.
    /// Not negative.
    pub break_torque: Option<Real>,
    /// Whether the two bodies also collide. The owner of the joint uses it, not the solver.
    pub has_contacts: bool,
    /// User data. The solver does not read it.
    pub user_data: u64,
    /// The load in the last step in which one of the bodies moved.
    pub load: JointLoad,
}

impl Joint {
    /// Returns a joint of two bodies with these frames, each relative to its body. It has no
    /// impulses and no springs, and it does not break.
    pub fn new(kind: JointKind, [body_a, body_b]: [u32; 2], [frame_a, frame_b]: [Pose; 2]) -> Joint {
        Joint {
            body_a,
            body_b,
            frame_a,
            frame_b,
            kind,
            impulse: JointImpulse::default(),
            spring: None,
            torsion_spring: None,
            winding: Winding::default(),
            gear: None,
            break_force: None,
            break_torque: None,
            has_contacts: false,
            user_data: 0,
            load: JointLoad::default(),
        }
    }

    /// Returns a joint at `point` in the world, for the present poses of the bodies. Its x axis is
    /// `axis`, a unit vector in the world. `None` if a body does not exist.
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
        let pose_at =
            |body: &Body, point: Vec3| Pose::from_translation(body.pose.inverse_transform_point(point));
        let kind = JointKind::Distance { min: bounds[0], max: bounds[1] };
        Some(Joint::new(kind, [body_a, body_b], [pose_at(a, points[0]), pose_at(b, points[1])]))
    }

    /// Whether the load of the last step was above `break_force` or `break_torque`.
    pub fn is_overloaded(&self) -> bool {
        let exceeds = |max: Option<Real>, load: Vec3| max.is_some_and(|max| max < load.length());
        exceeds(self.break_force, self.load.force()) || exceeds(self.break_torque, self.load.torque())
    }

    /// Checks the settings: kind, springs, break force and break torque. The error names the first
    /// one that is wrong.
    pub fn check_settings(&self) -> Result<(), JointFault> {
        self.kind.validate()?;
        self.spring.map_or(Ok(()), |spring| spring.validate())?;
        if let Some(spring) = self.torsion_spring {
            if !matches!(self.kind, JointKind::Revolute { .. }) {
                return Err(JointFault::NotOfKind("torsion spring"));
            }
            spring.validate()?;
        }
        let is_load = |load: Option<Real>, what| load.map_or(Ok(()), |load| demand(0.0 <= load, what, load));
        is_load(self.break_force, "break_force")?;
        is_load(self.break_torque, "break_torque")
    }

    /// Returns the indices of its bodies and, for a gear, of the bodies that carry them.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = u32> + use<> {
        let mounts = self.gear.into_iter().flat_map(|gear| gear.mounts);
        [self.body_a, self.body_b].into_iter().chain(mounts)
    }

    /// Whether there is a motor with a target speed and a force.
    pub(crate) fn has_turning_motor(&self) -> bool {
        self.kind.motors().any(|motor| motor.turns())
    }

    /// After an overflow, the impulse starts again at zero.
    pub(crate) fn reset_overflow(&mut self) {
        if !self.is_finite() {
            self.impulse = JointImpulse::default();
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.check_settings().is_ok()
            && self.winding.is_sound()
            && self.is_gear_sound()
            && self.frame_a.is_finite()
            && self.frame_b.is_finite()
            && self.impulse.is_finite()
    }
}

/// All joints, and the indices of those that are solved.
#[derive(Clone, Copy)]
pub(crate) struct MovingJoints<'a> {
    pub(crate) list: &'a [Joint],
    /// Ascending.
    pub(crate) indices: &'a [u32],
}

impl<'a> MovingJoints<'a> {
    /// Returns the joint at a place among those that are solved.
    pub(crate) fn get(self, index: usize) -> &'a Joint {
        &self.list[self.indices[index] as usize]
    }

    /// Checks that the indices ascend, and that each joint has its bodies and finite numbers.
    pub(crate) fn check(self, n_bodies: usize) -> Result<(), SolverError> {
        let mut next = 0;
        for (index, &number) in self.indices.iter().enumerate() {
            let Some(joint) = self.list.get(number as usize).filter(|_| next <= number) else {
                return Err(SolverError::MovingJoint(index));
            };
            next = number + 1;
            if !joint.has_bodies(n_bodies) {
                return Err(SolverError::JointBody(number as usize));
            }
            if !joint.is_finite() {
                return Err(SolverError::JointNotFinite(number as usize));
            }
        }
        Ok(())
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'a Joint> + Clone {
        self.indices.iter().map(move |&index| &self.list[index as usize])
    }
}
