//! Tetrahedra that fly about and turn in a closed box: the experiment of a study that tests bodies
//! as points before it tests oriented boxes.
//!
//! Its tables 1 to 3 have 2, 10, 20, 30 and 50 bodies in 1,000 and 8,000 cubic metres for 1,000
//! steps. The bodies' boxes have an edge of a metre.
//!
//! Reference: the experiments of a study that extends X. Shi, L. Qiao, Z. Zhu, Collision Detection
//! Algorithm Based on Improved OBB, Journal of Hunan University, 2014 (section 3 there).

use crate::rng::Rng;
use alloc::vec::Vec;
use carom_math::{Pose, Vec3};
use glam::{DQuat, DVec3};
use libm::{cos, sin};

/// Metres per step.
const SPEED: f64 = 0.05;

/// Radians per step.
const TURN: f64 = 0.02;

/// Tetrahedra in a closed box. They are one shape: [`Tetrahedra::CORNERS`], [`Tetrahedra::FACES`].
#[derive(Clone, Debug)]
pub struct Tetrahedra {
    side: f64,
    bodies: Vec<Body>,
}

#[derive(Clone, Debug)]
struct Body {
    position: DVec3,
    /// Metres per step.
    velocity: DVec3,
    rotation: DQuat,
    /// The rotation of a step.
    turn: DQuat,
}

impl Tetrahedra {
    /// The numbers of bodies of the experiment.
    pub const SIZES: [usize; 5] = [2, 10, 20, 30, 50];

    /// The edges of the closed box of the experiment in metres, for 1,000 and 8,000 m³.
    pub const SIDES: [f64; 2] = [10.0, 20.0];

    /// Steps of the experiment.
    pub const STEPS: usize = 1000;

    /// Corners of each tetrahedron in its own frame, in metres: alternate corners of a unit cube.
    pub const CORNERS: [Vec3; 4] = [
        Vec3::new(-0.5, -0.5, -0.5),
        Vec3::new(0.5, 0.5, -0.5),
        Vec3::new(0.5, -0.5, 0.5),
        Vec3::new(-0.5, 0.5, 0.5),
    ];

    /// Indices of the corners of each face, counter-clockwise seen from outside.
    pub const FACES: [[u32; 3]; 4] = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];

    /// Returns the corners of its faces.
    pub fn triangles() -> [[Vec3; 3]; 4] {
        Tetrahedra::FACES.map(|face| face.map(|corner| Tetrahedra::CORNERS[corner as usize]))
    }

    /// Returns bodies at random places in a box from 0 to `side` metres on each axis.
    pub fn new(n: usize, side: f64, seed: u64) -> Tetrahedra {
        let mut rng = Rng::new(seed);
        let (low, high) = (DVec3::splat(0.5), DVec3::splat(side - 0.5));
        let bodies = (0..n).map(|_| {
            let position = rng.in_box(low, high);
            let velocity = rng.direction() * SPEED;
            let rotation = rng.rotation();
            let axis = rng.direction() * sin(0.5 * TURN);
            Body {
                position,
                velocity,
                rotation,
                turn: DQuat::from_xyzw(axis.x, axis.y, axis.z, cos(0.5 * TURN)),
            }
        });
        Tetrahedra { side, bodies: bodies.collect() }
    }

    /// Returns the poses of the bodies, from their frames to the world.
    pub fn poses(&self) -> impl ExactSizeIterator<Item = Pose> + '_ {
        self.bodies.iter().map(|body| Pose::new(body.rotation.as_quat(), body.position.as_vec3()))
    }

    /// Moves and turns all bodies by a step. Walls reflect them.
    pub fn step(&mut self) {
        let (low, high) = (0.5, self.side - 0.5);
        for body in &mut self.bodies {
            body.position += body.velocity;
            for axis in 0..3 {
                if !(low <= body.position[axis] && body.position[axis] <= high) {
                    body.velocity[axis] = -body.velocity[axis];
                    body.position[axis] = body.position[axis].clamp(low, high);
                }
            }
            body.rotation = (body.turn * body.rotation).normalize();
        }
    }

    /// Lets two bodies bounce: if they approach, they exchange their velocities along the line of
    /// their centres, as equal elastic balls do. Returns whether they did.
    pub fn bounce(&mut self, a: usize, b: usize) -> bool {
        let (Some(first), Some(second)) = (self.bodies.get(a), self.bodies.get(b)) else { return false };
        let line = second.position - first.position;
        let length_squared = line.length_squared();
        let closing = (first.velocity - second.velocity).dot(line);
        if !(0.0 < closing && 0.0 < length_squared) {
            return false;
        }
        let exchanged = line * (closing / length_squared);
        self.bodies[a].velocity -= exchanged;
        self.bodies[b].velocity += exchanged;
        true
    }
}
