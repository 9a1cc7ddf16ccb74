//! Bodies, shapes and joints of a scene, as plain data: what a world is filled from.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9 (what a rigid body is to a
//! simulation).

use alloc::vec::Vec;
use carom_math::{Pose, Vec3};

/// A shape, in its own frame; round shapes stand along y, centred.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeSpec {
    /// A ball.
    Sphere {
        /// Its radius.
        radius: f32,
    },
    /// A segment along y with a radius all around.
    Capsule {
        /// Half the segment's length.
        half_height: f32,
        /// Its radius.
        radius: f32,
    },
    /// A cylinder along y.
    Cylinder {
        /// Half its length.
        half_height: f32,
        /// Its radius.
        radius: f32,
    },
    /// A box.
    Cuboid {
        /// Half the size on each axis.
        half_extents: Vec3,
    },
    /// Everything behind the plane through the origin.
    HalfSpace {
        /// Unit vector out of the solid.
        normal: Vec3,
    },
    /// The convex hull of points.
    Hull {
        /// At least four, not all in one plane.
        points: Vec<Vec3>,
    },
    /// Triangles, counter-clockwise from outside.
    Mesh {
        /// Their corners.
        vertices: Vec<Vec3>,
        /// Three numbers of corners each.
        triangles: Vec<[u32; 3]>,
    },
    /// Several shapes, each at a pose in the body's frame.
    Compound {
        /// The pieces.
        parts: Vec<(Pose, ShapeSpec)>,
    },
}

/// A body of a scene.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodySpec {
    /// Its shape.
    pub shape: ShapeSpec,
    /// Its place at the start.
    pub pose: Pose,
    /// Of its origin, per second.
    pub linear_velocity: Vec3,
    /// Radians per second.
    pub angular_velocity: Vec3,
    /// Mass per volume; 0 for a body that never moves.
    pub density: f32,
    /// Coulomb's coefficient.
    pub friction: f32,
    /// 0 sticks, 1 bounces fully.
    pub restitution: f32,
    /// What fraction of the spin a second takes away, nearly: the friction of joints and of flesh.
    pub angular_damping: f32,
    /// Bodies with the same number, other than 0, do not collide with each other: the limbs of one
    /// ragdoll.
    pub family: u32,
    /// Fast for its size: it shall pass through nothing within a step.
    pub is_fast: bool,
    /// It stays on what it touches first.
    pub sticks: bool,
    /// It moves with the velocities that it is given, whatever it meets: see [`SceneSpec::drives`].
    pub is_kinematic: bool,
}

impl BodySpec {
    /// A body that moves, at rest, of density 1 and friction 0.5.
    pub fn new(shape: ShapeSpec, pose: Pose) -> BodySpec {
        BodySpec {
            shape,
            pose,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            density: 1.0,
            friction: 0.5,
            angular_damping: 0.0,
            restitution: 0.0,
            family: 0,
            is_fast: false,
            sticks: false,
            is_kinematic: false,
        }
    }

    /// A body that never moves.
    pub fn fixed(shape: ShapeSpec, pose: Pose) -> BodySpec {
        BodySpec { density: 0.0, ..BodySpec::new(shape, pose) }
    }

    /// A body that moves with the velocities that it is given, whatever it meets.
    pub fn kinematic(shape: ShapeSpec, pose: Pose) -> BodySpec {
        BodySpec { is_kinematic: true, ..BodySpec::new(shape, pose) }
    }

    /// The same body, with this mass per volume.
    pub fn with_density(self, density: f32) -> BodySpec {
        BodySpec { density, ..self }
    }

    /// The same body, with this coefficient of friction.
    pub fn with_friction(self, friction: f32) -> BodySpec {
        BodySpec { friction, ..self }
    }

    /// The same body, with this restitution.
    pub fn with_restitution(self, restitution: f32) -> BodySpec {
        BodySpec { restitution, ..self }
    }

    /// The same body, with these velocities: length and radians per second.
    pub fn with_velocity(self, linear_velocity: Vec3, angular_velocity: Vec3) -> BodySpec {
        BodySpec { linear_velocity, angular_velocity, ..self }
    }

    /// The same body, losing its spin at this rate.
    pub fn with_angular_damping(self, angular_damping: f32) -> BodySpec {
        BodySpec { angular_damping, ..self }
    }

    /// The same body, of a family.
    pub fn in_family(self, family: u32) -> BodySpec {
        BodySpec { family, ..self }
    }

    /// The body never moves.
    pub fn is_fixed(&self) -> bool {
        self.density == 0.0
    }
}

/// How two bodies hang together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointSpec {
    /// A common point, and a limit to the angle between two axes through it.
    Ball {
        /// Number of the first body.
        a: usize,
        /// Number of the second body.
        b: usize,
        /// The point, in A's frame.
        anchor_a: Vec3,
        /// The point, in B's frame.
        anchor_b: Vec3,
        /// Unit vector, in A's frame.
        axis_a: Vec3,
        /// Unit vector, in B's frame.
        axis_b: Vec3,
        /// Radians: the axes are never farther apart; pi or more is free.
        cone: f32,
    },
    /// A common axis, with the angle of B about it between two limits.
    Hinge {
        /// Number of the first body.
        a: usize,
        /// Number of the second body.
        b: usize,
        /// A point of the axis, in A's frame.
        anchor_a: Vec3,
        /// The same point, in B's frame.
        anchor_b: Vec3,
        /// Unit vector along the axis, in A's frame.
        axis_a: Vec3,
        /// The same direction, in B's frame.
        axis_b: Vec3,
        /// Radians, 0 where the scene starts.
        min: f32,
        /// Radians, 0 where the scene starts.
        max: f32,
    },
    /// A common axis about which B turns freely, or as a motor turns it.
    Axle {
        /// Number of the first body.
        a: usize,
        /// Number of the second body.
        b: usize,
        /// A point of the axis, in A's frame.
        anchor_a: Vec3,
        /// The same point, in B's frame.
        anchor_b: Vec3,
        /// Unit vector along the axis, in A's frame.
        axis_a: Vec3,
        /// The same direction, in B's frame.
        axis_b: Vec3,
        /// Radians per second, and the most torque.
        motor: Option<[f32; 2]>,
    },
    /// A common axis about which B turns, with a torsion spring.
    SpringAxle {
        /// Number of the first body.
        a: usize,
        /// Number of the second body.
        b: usize,
        /// A point of the axis, in A's frame.
        anchor_a: Vec3,
        /// The same point, in B's frame.
        anchor_b: Vec3,
        /// Unit vector along the axis, in A's frame.
        axis_a: Vec3,
        /// The same direction, in B's frame.
        axis_b: Vec3,
        /// Torque per radian.
        stiffness: f32,
        /// Radians by which the spring is wound: B is turned to this angle, whole turns counted, if
        /// nothing holds it. 0 is the angle where the scene starts if the two frames agree there.
        rest_angle: f32,
        /// Torque per angular speed, against it.
        damping: f32,
    },
    /// A rope: two points that are never farther apart than its length.
    Rope {
        /// Number of the first body.
        a: usize,
        /// Number of the second body.
        b: usize,
        /// One end, in A's frame.
        anchor_a: Vec3,
        /// The other end, in B's frame.
        anchor_b: Vec3,
        /// The length.
        length: f32,
    },
}

impl JointSpec {
    /// A ball joint that turns freely, at a point given in the frames of both bodies.
    pub fn free_ball(a: usize, b: usize, anchor_a: Vec3, anchor_b: Vec3) -> JointSpec {
        let cone = 2.0 * core::f32::consts::PI;
        JointSpec::Ball { a, b, anchor_a, anchor_b, axis_a: Vec3::X, axis_b: Vec3::X, cone }
    }
}

/// A change of the velocities of a kinematic body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// Seconds from the start of the scene.
    pub at: f32,
    /// Number of the body.
    pub body: usize,
    /// Of its origin, per second.
    pub linear_velocity: Vec3,
    /// Radians per second.
    pub angular_velocity: Vec3,
}

/// A scene: bodies and what joins them.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct SceneSpec {
    /// The bodies, those that never move among them.
    pub bodies: Vec<BodySpec>,
    /// The joints, by the bodies' numbers.
    pub joints: Vec<JointSpec>,
    /// Changes of the velocities of kinematic bodies, in the order of time.
    pub drives: Vec<Drive>,
    /// There is no gravity; else it is 9.81 m/s2 along -y.
    pub is_weightless: bool,
}

impl SceneSpec {
    /// A scene of these bodies, without joints.
    pub fn new(bodies: Vec<BodySpec>) -> SceneSpec {
        SceneSpec { bodies, ..SceneSpec::default() }
    }

    /// The bodies that move.
    pub fn n_moving(&self) -> usize {
        self.bodies.iter().filter(|b| !b.is_fixed()).count()
    }

    /// The changes of velocity in the step that begins at `from` and ends at `to`, in seconds.
    pub fn drives_between(&self, from: f64, to: f64) -> impl Iterator<Item = &Drive> {
        self.drives.iter().filter(move |drive| (from..to).contains(&f64::from(drive.at)))
    }
}
