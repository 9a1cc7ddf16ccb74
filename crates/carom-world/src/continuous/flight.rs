//! The path of a body in a step: its centre of mass moves along a straight line, while it turns
//! through a few orientations.
//!
//! - A sweep needs a constant angular velocity, but the angular velocity of a free body changes as
//!   it turns.
//! - So the path is divided into legs. Their ends are orientations of the free rotation, and each
//!   leg turns at a constant rate.
//! - The last leg ends at the pose that the solver computed, so a body with a free path is not
//!   changed.
//! - Legs of a very fast rotation have more than half a turn. They are swept by the shorter
//!   rotation between their ends.
//! - The number of legs is a power of two, so the legs of two bodies start at common times.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, section 5.5 (moving bodies).

use alloc::vec::Vec;
use carom_math::glam::{DMat3, DQuat, DVec3};
use carom_math::{Pose, ops};
use carom_query::Motion;
use carom_response::integrate::{rotate_freely, rotation_by, spin_of};
use carom_response::{Body, BodyKind, LockedAxes};

/// The rotation of one leg, in radians.
const LEG_TURN: f64 = 0.5;

/// The largest number of legs of a path.
const MAX_LEGS: u32 = 256;

/// A body that turns less than this in a step, in radians, has one leg.
const SINGLE_LEG_TURN: f64 = 0.55;

/// The free rotation of a body by its angular momentum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rotor {
    /// Angular momentum about the centre of mass, in the world frame.
    pub(crate) momentum: DVec3,
    inverse_inertia: DMat3,
    /// Length of the step.
    dt: f64,
}

impl Rotor {
    /// Returns the rotor of a dynamic body; `None` if it cannot turn about every axis. A locked
    /// axis does not keep the angular momentum, so such a body keeps its angular velocity.
    pub(crate) fn of(body: &Body, dt: f32) -> Option<Rotor> {
        let inverse_inertia = body.inverse_inertia.as_dmat3();
        let rotation = body.pose.rotation.as_dquat().normalize();
        let momentum = spin_of(rotation, body.angular_velocity.as_dvec3(), &inverse_inertia.inverse());
        let is_free = body.kind == BodyKind::Dynamic && !body.locked_axes.intersects(LockedAxes::ROTATION);
        (is_free && momentum.is_finite()).then_some(Rotor { momentum, inverse_inertia, dt: f64::from(dt) })
    }

    /// Returns the angular velocity at an orientation.
    pub(crate) fn spin_at(&self, rotation: DQuat) -> DVec3 {
        spin_of(rotation, self.momentum, &self.inverse_inertia)
    }

    /// Returns twice the energy of the rotation at an orientation.
    pub(crate) fn twice_energy_at(&self, rotation: DQuat) -> f64 {
        self.momentum.dot(self.spin_at(rotation))
    }

    /// Returns twice the energy of a given angular velocity at an orientation.
    pub(crate) fn twice_energy_of(&self, rotation: DQuat, spin: DVec3) -> f64 {
        twice_energy(&self.inverse_inertia, rotation, spin)
    }

    /// Returns the orientation after a share of the step.
    fn turned(&self, rotation: DQuat, share: f64) -> DQuat {
        rotate_freely(rotation, self.momentum, &self.inverse_inertia, share * self.dt)
    }
}

/// Returns twice the energy of the rotation of a body at an orientation.
pub(crate) fn twice_energy(inverse_inertia: &DMat3, rotation: DQuat, spin: DVec3) -> f64 {
    spin.dot(spin_of(rotation, spin, &inverse_inertia.inverse()))
}

/// A path of a body in a step, with times from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    local_center: DVec3,
    center: DVec3,
    linear: DVec3,
    /// Index of its first orientation in the common list. There is one orientation more than legs.
    first: usize,
    n_legs: u32,
    /// Whether only the path of the centre is swept.
    is_straight: bool,
    /// An upper bound of its rotation, in radians.
    turn: f64,
    /// Its free rotation; `None` if it is in a joint.
    pub(crate) rotor: Option<Rotor>,
    /// The free rotation by its momentum at the end, even if it is in a joint.
    pub(crate) last: Option<Rotor>,
}

impl Flight {
    /// Returns the path of a body from a pose to its present one. With `is_jointed`, the rotation
    /// is not that of a free body.
    pub(crate) fn new(
        body: &Body,
        start: &Pose,
        is_jointed: bool,
        dt: f32,
        rotations: &mut Vec<DQuat>,
    ) -> Flight {
        let local_center = body.center_of_mass.as_dvec3();
        let wide = |pose: &Pose| {
            let rotation = pose.rotation.as_dquat().normalize();
            (rotation, pose.translation.as_dvec3() + rotation * local_center)
        };
        let ((from, center), (to, end)) = (wide(start), wide(&body.pose));
        let first = rotations.len();
        let mut flight = Flight {
            local_center,
            center,
            linear: end - center,
            first,
            n_legs: 1,
            is_straight: false,
            turn: 0.0,
            rotor: None,
            last: None,
        };
        rotations.push(from);
        if body.kind == BodyKind::Fixed || *start == body.pose {
            flight.linear = DVec3::ZERO;
        }
        flight.last = Rotor::of(body, dt);
        flight.rotor = flight.last.filter(|_| !is_jointed);
        let w = body.angular_velocity.as_dvec3();
        let spin = flight.rotor.map_or(w, |rotor| rotor.spin_at(from));
        let fastest = ops::sqrt(w.length_squared().max(spin.length_squared()));
        let turn = fastest * f64::from(dt);
        if SINGLE_LEG_TURN < turn && from != to && !is_jointed {
            while flight.n_legs < MAX_LEGS && LEG_TURN * f64::from(flight.n_legs) < turn {
                flight.n_legs *= 2;
            }
            let share = 1.0 / f64::from(flight.n_legs);
            let step = rotation_by(w * (f64::from(dt) * share));
            let mut at = from;
            for _ in 1..flight.n_legs {
                at = flight.rotor.map_or_else(|| step * at, |rotor| rotor.turned(at, share));
                rotations.push(at.normalize());
            }
        }
        rotations.push(to);
        let legs = rotations[first..].windows(2).map(|leg| between(leg[0], leg[1]));
        flight.turn = legs.map(|turn| ops::sqrt(turn.length_squared())).sum();
        flight
    }

    /// Returns the path without rotation.
    pub(crate) fn without_turning(mut self, rotations: &mut Vec<DQuat>) -> Flight {
        let start = rotations[self.first];
        self.first = rotations.len();
        rotations.extend([start; 2]);
        (self.n_legs, self.turn) = (1, 0.0);
        self
    }

    /// Returns the path of the centre alone, for a ball.
    pub(crate) fn straight(&self) -> Flight {
        Flight { local_center: DVec3::ZERO, n_legs: 1, turn: 0.0, is_straight: true, ..*self }
    }

    /// Returns the displacement of the centre of mass.
    pub(crate) fn linear(&self) -> DVec3 {
        self.linear
    }

    /// Returns an upper bound of its rotation in a fraction of its time, in radians.
    pub(crate) fn turn_until(&self, share: f64) -> f64 {
        let legs = f64::from(self.n_legs);
        // Legs may be unequal.
        if self.n_legs == 1 {
            self.turn * share
        } else {
            self.turn.min(self.turn * (share * legs + 1.0) / legs)
        }
    }

    pub(crate) fn n_legs(&self) -> u32 {
        self.n_legs
    }

    /// Whether the body turns.
    pub(crate) fn turns(&self) -> bool {
        0.0 < self.turn
    }

    pub(crate) fn center_at(&self, time: f64) -> DVec3 {
        self.center + self.linear * time
    }

    /// Returns its orientations, from the first to the last.
    pub(crate) fn rotations<'a>(&self, all: &'a [DQuat]) -> &'a [DQuat] {
        &all[self.first..=self.first + self.n_legs as usize]
    }

    /// Returns the leg at a time, and the fraction of the leg that has passed.
    fn leg_at(&self, time: f64) -> (usize, f64) {
        let legs = time * f64::from(self.n_legs);
        let coordinate = ops::floor(legs).max(0.0).min(f64::from(self.n_legs - 1));
        (coordinate as usize, legs - coordinate)
    }

    /// Returns the motion from a time to the end of the leg. Time 0 of the motion is that time.
    pub(crate) fn motion_from(&self, time: f64, all: &[DQuat]) -> Option<Motion> {
        let rotations = self.rotations(all);
        if self.is_straight {
            let zero = DVec3::ZERO;
            return Motion::new(DQuat::IDENTITY, self.center_at(time), zero, self.linear, zero).ok();
        }
        let (index, part) = self.leg_at(time);
        let turn = between(rotations[index], rotations[index + 1]);
        let rotation = (rotation_by(turn * part) * rotations[index]).normalize();
        let translation = self.center_at(time) - rotation * self.local_center;
        let angular = turn * f64::from(self.n_legs);
        Motion::new(rotation, translation, self.local_center, self.linear, angular).ok()
    }

    /// Returns the orientation on the path at a time.
    pub(crate) fn rotation_at(&self, time: f64, all: &[DQuat]) -> DQuat {
        let rotations = self.rotations(all);
        let (index, part) = self.leg_at(time);
        (rotation_by(between(rotations[index], rotations[index + 1]) * part) * rotations[index]).normalize()
    }

    /// Returns the orientation at a time by free rotation from the start of the leg.
    pub(crate) fn free_rotation_at(&self, time: f64, all: &[DQuat]) -> Option<DQuat> {
        let (index, part) = self.leg_at(time);
        let rotor = self.rotor?;
        Some(rotor.turned(self.rotations(all)[index], part / f64::from(self.n_legs)))
    }
}

/// Returns the shortest rotation from one orientation to another: its axis times radians.
pub(crate) fn between(from: DQuat, to: DQuat) -> DVec3 {
    let mut turn = to * from.conjugate();
    if turn.w < 0.0 {
        turn = -turn;
    }
    let axis_sine = DVec3::new(turn.x, turn.y, turn.z);
    let sine = ops::sqrt(axis_sine.length_squared());
    if 0.0 < sine { axis_sine * (2.0 * ops::atan2(sine, turn.w) / sine) } else { DVec3::ZERO }
}
