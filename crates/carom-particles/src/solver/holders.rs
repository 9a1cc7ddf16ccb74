//! The rigid bodies that hold particles of a rope, while its links are solved.
//!
//! - A held particle and its body move as one, so the links of a light rope include the mass of
//!   its load.
//! - If a body holds several particles of one rope, its mass is split among them.
//! - A body that particles do not move pins those that it holds.
//! - If something else bears a body, the body moves after the rope, because its support is not
//!   part of the system.
//!
//! Reference: R. Tonge et al., Mass Splitting for Jitter-Free Parallel Rigid Body Simulation,
//! 2012.

use crate::HeldParticle;
use crate::solver::body_state::BodyState;
use crate::solver::store::{Store, vector};
use crate::solver::surroundings::Attachment;
use alloc::vec::Vec;
use core::ops::Range;
use glam::{DMat3, Mat3, Vec3};

/// In radii of a particle: a particle and the point that holds it approach each other by at most
/// this in a substep. So a body that jumps, such as through a portal, pulls what it holds behind it
/// at a limited speed.
const MAX_RETURN: f32 = 2.0;

/// How a body holds a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    body: usize,
    /// The point of the body, in the world.
    at: Vec3,
    /// The part of a push on both that moves the body.
    share: Mat3,
}

/// A particle that a body holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldAt {
    /// The number of the particle among the solids' particles.
    pub(crate) number: u32,
    pub(crate) attachment: Attachment,
    /// See [`BodyState::lag`].
    pub(crate) lag: Vec3,
}

/// The bodies of a step and the particles that they hold.
pub(crate) struct Holders<'a> {
    pub(crate) states: &'a mut [BodyState],
    /// By the number of the particle among the solids' particles.
    pub(crate) attachments: &'a [HeldAt],
    /// The held particles of the rope that is solved; workspace.
    pub(crate) held: &'a mut Vec<HeldParticle>,
    /// How each of them is held; workspace.
    pub(crate) holds: &'a mut Vec<Hold>,
    /// By body: how many of them it holds. All 0 between ropes; workspace.
    pub(crate) n_held: &'a mut Vec<u32>,
}

/// Lists attachments by the number of the particle among the solids' particles, ascending.
pub(crate) fn sort_attachments(attachments: &[Attachment], store: &Store, sorted: &mut Vec<HeldAt>) {
    let number = |held: &Attachment| store.solids[store.slots[held.particle as usize] as usize];
    let held_at = |held: &Attachment| HeldAt { number: number(held), attachment: *held, lag: Vec3::ZERO };
    sorted.clear();
    sorted.extend(attachments.iter().map(held_at));
    sorted.sort_by_key(|held| held.number);
}

/// At the start of a substep, finds how far each particle stays from its point in it.
pub(crate) fn find_lags(attachments: &mut [HeldAt], store: &Store, states: &[BodyState]) {
    for HeldAt { attachment, lag, .. } in attachments {
        let slot = store.slots[attachment.particle as usize] as usize;
        let reach = MAX_RETURN * store.radius(slot);
        *lag = states[attachment.body as usize].lag(vector(&store.positions[slot]), attachment.point, reach);
    }
}

/// Pins the particles that are held by bodies which they do not move: brings them to their points,
/// and takes their masses.
pub(crate) fn pin_held(
    attachments: &[HeldAt],
    states: &[BodyState],
    positions: &mut [Vec3],
    inverse_masses: &mut [f32],
) {
    for held in attachments {
        let (number, state) = (held.number as usize, &states[held.attachment.body as usize]);
        if !state.is_moved && number < positions.len() {
            positions[number] = state.motion.end.transform_point(held.attachment.point) + held.lag;
            inverse_masses[number] = 0.0;
        }
    }
}

impl Holders<'_> {
    /// Finds the held particles among some of the solids', and brings each to its point.
    pub(crate) fn join(&mut self, particles: Range<usize>, positions: &mut [Vec3], inverse_masses: &[f32]) {
        self.held.clear();
        self.holds.clear();
        self.n_held.resize(self.states.len(), 0);
        let first = self.attachments.partition_point(|held| (held.number as usize) < particles.start);
        for &HeldAt { number, attachment, lag } in &self.attachments[first..] {
            let particle = number as usize;
            if particles.end <= particle {
                break;
            }
            // A particle that two bodies hold is solved with the first one.
            if self.held.last().is_some_and(|held| held.particle == particle) {
                continue;
            }
            let state = &mut self.states[attachment.body as usize];
            if state.is_supported() {
                continue;
            }
            let w = inverse_masses[particle];
            let at = state.hold(&mut positions[particle], w, attachment.point, lag);
            self.held.push(HeldParticle { particle, inverse_mass: Mat3::ZERO, push: Vec3::ZERO });
            self.holds.push(Hold { body: attachment.body as usize, at, share: Mat3::ZERO });
            self.n_held[attachment.body as usize] += 1;
        }
        for k in 0..self.held.len() {
            let Hold { body, at, .. } = self.holds[k];
            let w = inverse_masses[self.held[k].particle];
            let yields = self.states[body].compliance_at(at).as_dmat3() * f64::from(self.n_held[body]);
            // The body gets that part of a push by which both move alike.
            let share = if 0.0 < w {
                (DMat3::IDENTITY + yields * (1.0 / f64::from(w))).inverse()
            } else {
                DMat3::ZERO
            };
            let inverse_mass = yields * share;
            let is_good = share.is_finite() && inverse_mass.is_finite();
            let [share, inverse_mass] = if is_good { [share, inverse_mass] } else { [DMat3::ZERO; 2] };
            self.held[k].inverse_mass = inverse_mass.as_mat3();
            self.holds[k].share = share.as_mat3();
        }
        self.holds.iter().for_each(|hold| self.n_held[hold.body] = 0);
    }

    /// Moves the bodies by the pushes on the held particles.
    pub(crate) fn push(&mut self) {
        for (held, &Hold { body, at, share }) in self.held.iter().zip(&*self.holds) {
            if held.push != Vec3::ZERO {
                self.states[body].push_at(share * held.push, at);
            }
        }
    }
}
