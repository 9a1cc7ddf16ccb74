//! Films: recorded motions of bodies, step by step, and measurements on them that do not depend on
//! the engine.
//!
//! Reference: L. Landau, E. Lifshitz, Mechanics, 3rd ed., 1976, 32 and 33 (inertia tensor, angular
//! momentum).

use super::parts::{GRAVITY, STEP};
use crate::body::{JointSpec, SceneSpec};
use alloc::vec::Vec;
use carom_math::{Pose, Vec3};
use glam::{DMat3, DQuat, DVec3};
use libm::sqrt;

/// A body that moved farther than this in the last second still moves, in metres.
const STILL: f64 = 1e-3; // Not a tolerance of a computation: what a person would see.

/// A body at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Its frame in the world.
    pub pose: Pose,
    /// Velocity of its centre of mass, in metres per second.
    pub linear_velocity: Vec3,
    /// Angular velocity, in radians per second.
    pub angular_velocity: Vec3,
    /// Whether it is asleep.
    pub is_asleep: bool,
}

/// Mass, centre of mass, and inertia about it in the body's frame. All are 0 for a body that
/// forces do not move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass, in kilograms.
    pub mass: f64,
    /// Centre of mass, in the body's frame.
    pub center: DVec3,
    /// Inertia about the centre of mass, in the axes of the body's frame.
    pub tensor: DMat3,
}

/// All bodies at the end of a step, in the order of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The bodies.
    pub states: Vec<State>,
    /// The largest overlap of two bodies that may touch, relative to the least thickness of the
    /// thinner one. `None` if it was not measured at this frame.
    pub overlap: Option<f64>,
}

/// A run of a scene: its start, and the end of each step.
#[derive(Clone, Debug)]
pub struct Film {
    /// The scene.
    pub scene: SceneSpec,
    /// The inertia of each body.
    pub inertias: Vec<Inertia>,
    /// The first one is the start. Each next one is a step later.
    pub frames: Vec<Frame>,
}

impl Film {
    /// Returns the seconds from the start to the last frame.
    pub fn seconds(&self) -> f64 {
        STEP * self.frames.len().saturating_sub(1) as f64
    }

    /// Returns the index of the frame at a time in seconds, or of the last frame for later times.
    pub fn frame_at(&self, seconds: f64) -> usize {
        ((seconds / STEP + 0.5) as usize).min(self.frames.len().saturating_sub(1))
    }

    /// Returns the indices of the bodies that forces move.
    pub fn dynamic(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.inertias.len()).filter(|&body| 0.0 < self.inertias[body].mass)
    }

    /// Returns the centre of mass of a body in a frame.
    pub fn center(&self, frame: usize, body: usize) -> DVec3 {
        let pose = &self.frames[frame].states[body].pose;
        pose.translation.as_dvec3() + rotation(pose) * self.inertias[body].center
    }

    /// Returns the largest overlap between two times in seconds; NaN if none was measured.
    pub fn largest_overlap(&self, from: f64, to: f64) -> f64 {
        let frames = &self.frames[self.frame_at(from)..=self.frame_at(to)];
        frames.iter().filter_map(|frame| frame.overlap).fold(f64::NAN, f64::max)
    }

    /// Returns the largest distance of the centres of mass of some bodies from their places at the
    /// time `from`, in all later frames. Only axes whose `mask` is 1 count.
    pub fn drift(&self, bodies: impl Iterator<Item = usize>, from: f64, mask: DVec3) -> f64 {
        let first = self.frame_at(from);
        let mut farthest = 0.0;
        for body in bodies {
            let start = self.center(first, body);
            for frame in first..self.frames.len() {
                farthest = larger(farthest, ((self.center(frame, body) - start) * mask).length());
            }
        }
        farthest
    }

    /// Returns how many bodies move more than a millimetre in the last second. A rotation counts
    /// by the motion of a point at a distance of a metre.
    pub fn n_moving_at_end(&self) -> usize {
        self.n_moving_at_end_of(self.dynamic())
    }

    /// Does the same for these bodies only.
    pub fn n_moving_at_end_of(&self, bodies: impl Iterator<Item = usize>) -> usize {
        let last = self.frames.len() - 1;
        let before = self.frame_at(self.seconds() - 1.0);
        let moves = |&body: &usize| {
            let [from, to] = [before, last].map(|frame| &self.frames[frame].states[body].pose);
            let turned = (rotation(from).inverse() * rotation(to)).xyz().length() * 2.0;
            let went = (self.center(last, body) - self.center(before, body)).length();
            !(went <= STILL && turned <= STILL)
        };
        bodies.filter(moves).count()
    }

    /// Returns the kinetic energy of a body in a frame.
    pub fn kinetic(&self, frame: usize, body: usize) -> f64 {
        let (state, inertia) = (&self.frames[frame].states[body], &self.inertias[body]);
        let spin = rotation(&state.pose).inverse() * state.angular_velocity.as_dvec3();
        let linear = inertia.mass * state.linear_velocity.as_dvec3().length_squared();
        0.5 * (linear + spin.dot(inertia.tensor * spin))
    }

    /// Kinetic and potential energy of all bodies in a frame, the potential one above y = 0.
    pub fn energy(&self, frame: usize) -> f64 {
        let gravity = if self.scene.is_weightless { 0.0 } else { GRAVITY };
        let of = |body| {
            let height = self.center(frame, body).y;
            self.kinetic(frame, body) + self.inertias[body].mass * gravity * height
        };
        self.dynamic().map(of).sum()
    }

    /// Returns the largest rise of the energy above that of the start, in joules.
    pub fn energy_gained(&self) -> f64 {
        let start = self.energy(0);
        (0..self.frames.len()).map(|frame| self.energy(frame) - start).fold(0.0, larger)
    }

    /// Returns the angular momentum of a body about its centre of mass in a frame.
    pub fn angular_momentum(&self, frame: usize, body: usize) -> DVec3 {
        let state = &self.frames[frame].states[body];
        let turn = rotation(&state.pose);
        turn * (self.inertias[body].tensor * (turn.inverse() * state.angular_velocity.as_dvec3()))
    }

    /// Returns the largest gap of a joint after a time: the distance of its two points, or the
    /// excess of a rope over its length.
    pub fn largest_gap(&self, from: f64) -> f64 {
        let mut largest = 0.0;
        for frame in &self.frames[self.frame_at(from)..] {
            for joint in &self.scene.joints {
                largest = larger(largest, gap(joint, &frame.states));
            }
        }
        largest
    }
}

/// Returns the larger number, or NaN if one of them is NaN, so that a lost body is noticed.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// Returns the rotation of a pose in `f64`, normalized.
pub(super) fn rotation(pose: &Pose) -> DQuat {
    let q = pose.rotation.as_dquat();
    q * (1.0 / sqrt(q.length_squared()))
}

fn gap(joint: &JointSpec, states: &[State]) -> f64 {
    let point = |body: usize, anchor: Vec3| {
        let pose = &states[body].pose;
        pose.translation.as_dvec3() + rotation(pose) * anchor.as_dvec3()
    };
    let apart = |a, b, anchor_a, anchor_b| (point(a, anchor_a) - point(b, anchor_b)).length();
    match *joint {
        JointSpec::Ball { a, b, anchor_a, anchor_b, .. }
        | JointSpec::Hinge { a, b, anchor_a, anchor_b, .. }
        | JointSpec::Axle { a, b, anchor_a, anchor_b, .. }
        | JointSpec::SpringAxle { a, b, anchor_a, anchor_b, .. } => apart(a, b, anchor_a, anchor_b),
        JointSpec::Rope { a, b, anchor_a, anchor_b, length } => {
            larger(apart(a, b, anchor_a, anchor_b) - f64::from(length), 0.0)
        }
    }
}
