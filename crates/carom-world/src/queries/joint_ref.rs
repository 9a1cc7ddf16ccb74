//! The view of a joint for reading: [`World::joint`](crate::World::joint).
//!
//! Reference: E. Catto, Box2D 3.1, joint.h, 2025 (which properties of a joint can be read).

use crate::{BodyId, JointId};
use carom_math::Vec3;
use carom_response::{Body, Joint, JointAxis, JointKind};

/// A view of a joint, for reading. It consists of references, so copies are cheap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRef<'a> {
    pub(crate) id: JointId,
    pub(crate) joint: &'a Joint,
    /// The bodies A and B.
    pub(crate) bodies: [&'a Body; 2],
    pub(crate) body_ids: [BodyId; 2],
    pub(crate) is_enabled: bool,
}

impl<'a> JointRef<'a> {
    /// Returns the handle of the joint.
    pub fn id(&self) -> JointId {
        self.id
    }

    /// Returns the joint as the solver has it: frames, settings, impulses and load. Its bodies are
    /// given by [`BodyId::index`].
    pub fn data(&self) -> &'a Joint {
        self.joint
    }

    /// Returns the degrees of freedom that the joint leaves, with limits and motors.
    pub fn kind(&self) -> JointKind {
        self.joint.kind
    }

    /// Returns the bodies A and B.
    pub fn bodies(&self) -> [BodyId; 2] {
        self.body_ids
    }

    /// Whether the joint is enabled: see
    /// [`JointMut::set_enabled`](crate::JointMut::set_enabled). It acts if its bodies are enabled
    /// too.
    pub fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    /// Returns the angle of a revolute joint or a screw from A's y axis to B's, in radians; `None`
    /// for other kinds. That of a screw counts full turns, by its travel. That of a revolute joint
    /// is from -pi to pi, so after half a turn it jumps by a full one.
    ///
    /// With a torsion spring, it counts full turns. A wheel or a revolving door gets a spring of
    /// stiffness 0 for this (test: `joints::a_spring_without_stiffness_counts_turns`):
    ///
    /// ```
    /// use carom_math::Vec3;
    /// use carom_query::Shape;
    /// use carom_world::{BodyDesc, JointDesc, TorsionSpring, World};
    ///
    /// let mut world = World::new();
    /// let post = world.insert(BodyDesc::fixed(Shape::sphere(0.1)?))?;
    /// let wheel = BodyDesc::dynamic(Shape::cylinder(0.1, 0.5)?);
    /// let wheel = world.insert(wheel.with_angular_velocity(Vec3::Y * 5.0))?;
    /// let axle = JointDesc::revolute(post, wheel).with_axis(Vec3::Y);
    /// let counter = TorsionSpring::new(0.0, 0.0);
    /// let axle = world.insert_joint(axle.with_torsion_spring(counter))?;
    /// for _ in 0..120 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// // Ten radians: more than one and a half turns.
    /// let angle = world.joint(axle)?.angle().ok_or("an axle has an angle")?;
    /// assert!((angle - 10.0).abs() < 0.01, "{angle}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn angle(&self) -> Option<f64> {
        self.joint.angle(self.bodies[0], self.bodies[1])
    }

    /// Returns the translation of a prismatic joint or a screw along its axis, a length. `None` for
    /// other kinds.
    pub fn translation(&self) -> Option<f64> {
        self.joint.translation(self.bodies[0], self.bodies[1])
    }

    /// Returns the speed of B relative to A. For a prismatic joint it is along the axis, in length
    /// per time. For a revolute joint or a screw it is about the axis, in radians per time. `None`
    /// for other kinds.
    pub fn speed(&self) -> Option<f32> {
        self.joint.speed(self.bodies[0], self.bodies[1])
    }

    /// Returns the coordinate of an axis of a joint of six degrees of freedom, or of one of its
    /// presets: cylindrical and universal. It is the translation along the axis, or the angle
    /// about it in radians from -pi to pi. The order of the angles is that of
    /// [`SixDof`](crate::SixDof). `None` for other kinds.
    pub fn axis_position(&self, axis: JointAxis) -> Option<f32> {
        self.joint
            .axis_positions(self.bodies[0], self.bodies[1])
            .map(|coordinates| coordinates[axis as usize])
    }

    /// Returns the force on B at its joint point in the last step, in the world frame, as the mean
    /// over the step. Mass times length per time squared (newtons). The force on A is its
    /// opposite. While the bodies sleep, it is that of the last step before. A gear or a rack has
    /// only a torque on its wheels: see [`JointRef::torque`].
    pub fn force(&self) -> Vec3 {
        self.joint.load.force()
    }

    /// Returns the torque on B about its joint point in the last step, in the world frame, as the
    /// mean over the step. Force times length. It includes the torque of limits, motors and
    /// springs.
    pub fn torque(&self) -> Vec3 {
        self.joint.load.torque()
    }

    /// Returns the position error of the joint, a length: see [`Joint::gap`].
    pub fn error(&self) -> f32 {
        self.joint.gap(self.bodies[0], self.bodies[1])
    }

    /// Returns the user data.
    pub fn user_data(&self) -> u64 {
        self.joint.user_data
    }
}
