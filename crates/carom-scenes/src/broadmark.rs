//! The three scenes of Broadmark: cubes that fly about, cubes that fall and rest, and cubes under
//! a gravity whose direction turns.
//!
//! Unit cubes fill a tenth of a cubic world. They start in a ball whose diameter is 0.9 of its
//! side. Their velocities are from a ball of 0.75 sides per second. Gravity is 0.0981 sides per
//! second squared, and a frame is 1/30 s. All lengths but the size of a cube grow with the world,
//! so many cubes move by more than their size in a frame.
//!
//! Reference: Y. Serpa, M. Rodrigues, Broadmark: A Testing Framework for Broad-Phase Collision
//! Detection Algorithms, Computer Graphics Forum, 2019; the numbers are those of its public
//! generator of scenes. Differs: there, an engine keeps bodies apart and turns them. Here they fly
//! through each other and bounce off the walls without loss. In free fall each one lands on the
//! cubes on its square metre of floor. This takes constant time, and leaves a heap in which each
//! cube overlaps a few others.

use crate::crowd::CrowdKind;
use crate::rng::Rng;
use alloc::vec;
use alloc::vec::Vec;
use glam::{DQuat, DVec3};
use libm::{cbrt, cos, sin};

/// The part of the world that the cubes fill.
const DENSITY: f64 = 0.1;
/// Radius of the ball that they start in, in sides of the world.
const START: f64 = 0.45;
/// Radius of the ball that their velocities come from, in sides a second.
const SPEED: f64 = 0.75;
/// Acceleration of gravity, in sides per second squared.
const GRAVITY: f64 = 0.0981;
/// The factor of gravity in the scene that is named after it.
const STRONG: f64 = 4.0;
/// Seconds in which the direction of gravity turns once.
const TURN: f64 = 6.2;
/// Seconds of a frame.
const FRAME: f64 = 1.0 / 30.0;
/// Frames in which each cube of the Brownian scene gets a new velocity once.
const CYCLE: usize = 100;
/// Half the edge of a cube.
const HALF: f64 = 0.5;

/// Returns the side of the world of `n` cubes.
pub(crate) fn side(n: usize) -> f64 {
    cbrt(n as f64 / DENSITY)
}

/// Adds all cubes at their first places, with velocities per frame.
pub(crate) fn place(
    n: usize,
    rng: &mut Rng,
    half: &mut Vec<DVec3>,
    center: &mut Vec<DVec3>,
    velocity: &mut Vec<DVec3>,
) {
    let side = side(n);
    for _ in 0..n {
        half.push(DVec3::splat(HALF));
        // In a world of few cubes the ball reaches nearer to the walls than half a cube.
        let position = DVec3::splat(0.5 * side) + rng.in_ball() * (START * side);
        center.push(position.clamp(DVec3::splat(HALF), DVec3::splat(side - HALF)));
        velocity.push(random_velocity(side, rng));
    }
}

fn random_velocity(side: f64, rng: &mut Rng) -> DVec3 {
    rng.in_ball() * (SPEED * side * FRAME)
}

/// The state of the scenes besides cubes; unused by other crowds.
#[derive(Clone, Debug)]
pub(crate) struct Arena {
    kind: CrowdKind,
    side: f64,
    /// The change of the velocities in each frame.
    pull: DVec3,
    /// The axis about which gravity turns. It turns about z itself.
    axis: DVec3,
    /// The next cube of the Brownian scene to get a new velocity.
    next: usize,
    /// The height to which each square of the floor is filled, and the number of squares of a row.
    /// The last squares may reach beyond the wall.
    stacks: Vec<f64>,
    row: usize,
}

impl Arena {
    pub(crate) fn new(kind: CrowdKind, side: f64) -> Arena {
        let row = if kind == CrowdKind::FreeFall { carom_math::ops::ceil(side) as usize } else { 0 };
        let pull = match kind {
            CrowdKind::FreeFall => -GRAVITY * DVec3::Y,
            CrowdKind::Gravity => -GRAVITY * STRONG * DVec3::X,
            _ => DVec3::ZERO,
        };
        let pull = pull * (side * FRAME * FRAME);
        Arena { kind, side, pull, axis: DVec3::Y, next: 0, stacks: vec![0.0; row * row], row }
    }

    /// Changes the velocities once per frame, before the cubes move.
    pub(crate) fn frame(&mut self, rng: &mut Rng, velocity: &mut [DVec3]) {
        match self.kind {
            CrowdKind::Brownian => {
                for _ in 0..velocity.len().div_ceil(CYCLE) {
                    velocity[self.next] = random_velocity(self.side, rng);
                    self.next = (self.next + 1) % velocity.len();
                }
            }
            CrowdKind::Gravity => {
                let half_angle = core::f64::consts::PI * FRAME / TURN;
                let turn = |axis: DVec3| {
                    let (sine, cosine) = (sin(half_angle), cos(half_angle));
                    DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
                };
                self.axis = turn(DVec3::Z) * self.axis;
                self.pull = turn(self.axis) * self.pull;
            }
            _ => {}
        }
    }

    /// Moves one cube by a frame. If it lands, its velocity becomes zero.
    pub(crate) fn fly(&mut self, center: &mut DVec3, velocity: &mut DVec3) {
        *velocity += self.pull;
        // The speed is limited, because a gravity that turns with a cube accelerates it without
        // end.
        *velocity = velocity.clamp_length_max(2.0 * SPEED * self.side * FRAME);
        let before = *center;
        *center += *velocity;
        let is_falling = self.kind == CrowdKind::FreeFall;
        for axis in 0..3 {
            // A cube that falls lands below, and does not bounce.
            let low = if is_falling && axis == 1 { f64::NEG_INFINITY } else { HALF };
            let inside = center[axis].clamp(low, self.side - HALF);
            if center[axis] != inside {
                velocity[axis] = -velocity[axis];
                center[axis] = (2.0 * inside - center[axis]).clamp(low, self.side - HALF);
            }
        }
        if is_falling {
            let bottom = before.y - HALF;
            if bottom < self.stacks[self.square(*center)] {
                // It bounces off the side of a heap.
                (center.x, center.z) = (before.x, before.z);
                (velocity.x, velocity.z) = (-velocity.x, -velocity.z);
            }
            let square = self.square(*center);
            let height = &mut self.stacks[square];
            if center.y - HALF <= *height {
                center.y = *height + HALF;
                *height += 2.0 * HALF;
                *velocity = DVec3::ZERO;
            }
        }
    }

    /// Returns the index of the square of the floor below a place in the world.
    fn square(&self, position: DVec3) -> usize {
        position.z as usize * self.row + position.x as usize
    }
}
