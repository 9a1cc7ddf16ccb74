//! Bodies, shapes and joints of a scene, as plain data that fills a world.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9 (rigid bodies in a
//! simulation).

use alloc::vec::Vec;
use carom_math::{Pose, Vec3};

/// A shape in its own frame. Round shapes stand along y, with their centre at the origin.
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
    /// All points behind the plane through the origin.
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
        /// Three indices of corners each.
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
    /// Its pose at the start.
    pub pose: Pose,
    /// Velocity of its origin, in metres per second.
    pub linear_velocity: Vec3,
    /// Angular velocity, in radians per second.
    pub angular_velocity: Vec3,
    /// Density in kg/m3; 0 for a body that never moves.
    pub density: f32,
    /// Coulomb's coefficient.
    pub friction: f32,
    /// Restitution: 0 does not bounce, 1 loses no speed.
    pub restitution: f32,
    /// Damping rate of the angular velocity, per second, for the friction of joints and of flesh.
    pub angular_damping: f32,
    /// Bodies with the same number, other than 0, do not collide with each other, such as the
    /// limbs of one ragdoll.
    pub family: u32,
    /// Whether it is swept in each step, so that it passes through no fixed body: `BodyDesc::ccd`.
    pub uses_ccd: bool,
    /// Whether it stays on the first body that it touches.
    pub is_sticky: bool,
    /// Whether it moves with given velocities and is not pushed: see [`SceneSpec::drives`].
    pub is_kinematic: bool,
    /// Velocity of its surface relative to the body, in its frame, in metres per second: that of a
    /// conveyor belt.
    pub surface_velocity: Vec3,
}

impl BodySpec {
    /// Returns a body that can move, at rest, with density 1 and friction 0.5.
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
            uses_ccd: false,
            is_sticky: false,
            is_kinematic: false,
            surface_velocity: Vec3::ZERO,
        }
    }

    /// Returns a body that never moves.
    pub fn fixed(shape: ShapeSpec, pose: Pose) -> BodySpec {
        BodySpec { density: 0.0, ..BodySpec::new(shape, pose) }
    }

    /// Returns a body that moves with given velocities and is not pushed.
    pub fn kinematic(shape: ShapeSpec, pose: Pose) -> BodySpec {
        BodySpec { is_kinematic: true, ..BodySpec::new(shape, pose) }
    }

    /// Sets the density, in kg/m3.
    pub fn with_density(self, density: f32) -> BodySpec {
        BodySpec { density, ..self }
    }

    /// Sets the coefficient of friction.
    pub fn with_friction(self, friction: f32) -> BodySpec {
        BodySpec { friction, ..self }
    }

    /// Sets the restitution.
    pub fn with_restitution(self, restitution: f32) -> BodySpec {
        BodySpec { restitution, ..self }
    }

    /// Sets the velocities at the start, in metres and radians per second.
    pub fn with_velocity(self, linear_velocity: Vec3, angular_velocity: Vec3) -> BodySpec {
        BodySpec { linear_velocity, angular_velocity, ..self }
    }

    /// Sets the damping rate of the angular velocity, per second.
    pub fn with_angular_damping(self, angular_damping: f32) -> BodySpec {
        BodySpec { angular_damping, ..self }
    }

    /// Sets the velocity of its surface, in its frame, in metres per second.
    pub fn with_surface_velocity(self, surface_velocity: Vec3) -> BodySpec {
        BodySpec { surface_velocity, ..self }
    }

    /// Sets the family.
    pub fn in_family(self, family: u32) -> BodySpec {
        BodySpec { family, ..self }
    }

    /// Whether the body never moves.
    pub fn is_fixed(&self) -> bool {
        self.density == 0.0
    }
}

/// A joint between two bodies.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointSpec {
    /// A common point, and a limit for the angle between two axes through it.
    Ball {
        /// Index of the first body.
        a: usize,
        /// Index of the second body.
        b: usize,
        /// The point, in A's frame.
        anchor_a: Vec3,
        /// The point, in B's frame.
        anchor_b: Vec3,
        /// Unit vector, in A's frame.
        axis_a: Vec3,
        /// Unit vector, in B's frame.
        axis_b: Vec3,
        /// The largest angle between the axes, in radians; pi or more is no limit.
        cone: f32,
    },
    /// A common axis, with the angle of B about it between two limits.
    Hinge {
        /// Index of the first body.
        a: usize,
        /// Index of the second body.
        b: usize,
        /// A point of the axis, in A's frame.
        anchor_a: Vec3,
        /// The same point, in B's frame.
        anchor_b: Vec3,
        /// Unit vector along the axis, in A's frame.
        axis_a: Vec3,
        /// The same direction, in B's frame.
        axis_b: Vec3,
        /// A limit of the angle in radians, which is 0 at the start of the scene.
        min: f32,
        /// A limit of the angle in radians, which is 0 at the start of the scene.
        max: f32,
    },
    /// A common axis about which B turns freely, or driven by a motor.
    Axle {
        /// Index of the first body.
        a: usize,
        /// Index of the second body.
        b: usize,
        /// A point of the axis, in A's frame.
        anchor_a: Vec3,
        /// The same point, in B's frame.
        anchor_b: Vec3,
        /// Unit vector along the axis, in A's frame.
        axis_a: Vec3,
        /// The same direction, in B's frame.
        axis_b: Vec3,
        /// Speed of the motor in radians per second, and its largest torque.
        motor: Option<[f32; 2]>,
    },
    /// A common axis about which B turns, with a torsion spring.
    SpringAxle {
        /// Index of the first body.
        a: usize,
        /// Index of the second body.
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
        /// The angle to which the spring turns B, in radians, whole turns counted. It is 0 at the
        /// start of the scene if the two frames agree there.
        rest_angle: f32,
        /// Braking torque per angular speed.
        damping: f32,
    },
    /// A rope: the distance of two points is at most its length.
    Rope {
        /// Index of the first body.
        a: usize,
        /// Index of the second body.
        b: usize,
        /// One end, in A's frame.
        anchor_a: Vec3,
        /// The other end, in B's frame.
        anchor_b: Vec3,
        /// The length of the rope.
        length: f32,
    },
}

impl JointSpec {
    /// Returns a ball joint without a limit, at a point given in the frames of both bodies.
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
    /// Index of the body.
    pub body: usize,
    /// Velocity of its origin, in metres per second.
    pub linear_velocity: Vec3,
    /// Angular velocity, in radians per second.
    pub angular_velocity: Vec3,
}

/// A scene: bodies and joints.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct SceneSpec {
    /// The bodies, including those that never move.
    pub bodies: Vec<BodySpec>,
    /// The joints, which refer to the bodies by index.
    pub joints: Vec<JointSpec>,
    /// Changes of the velocities of kinematic bodies, by ascending time.
    pub drives: Vec<Drive>,
    /// Whether there is no gravity. Otherwise it is 9.81 m/s2 along -y.
    pub is_weightless: bool,
}

impl SceneSpec {
    /// Returns a scene of these bodies, without joints.
    pub fn new(bodies: Vec<BodySpec>) -> SceneSpec {
        SceneSpec { bodies, ..SceneSpec::default() }
    }

    /// Returns the number of bodies that can move.
    pub fn n_moving(&self) -> usize {
        self.bodies.iter().filter(|b| !b.is_fixed()).count()
    }

    /// Returns the changes of velocity in the step from `from` until before `to`, in seconds.
    pub fn drives_between(&self, from: f64, to: f64) -> impl Iterator<Item = &Drive> {
        self.drives.iter().filter(move |drive| (from..to).contains(&f64::from(drive.at)))
    }
}
