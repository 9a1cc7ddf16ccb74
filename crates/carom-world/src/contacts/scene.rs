//! The input of the narrow phase, and its decisions on one pair.

use crate::bodies::active_bodies::ActiveBodies;
use crate::bodies::deforming::Deforming;
use crate::bodies::girth::Girth;
use crate::bodies::roundness::Roundness;
use crate::bodies::size::Size;
use crate::bodies::solids::Solids;
use crate::bodies::traits::Traits;
use crate::budget::narrow_budget::NarrowBudget;
use crate::contacts::carrying::{Carrier, carry};
use crate::contacts::pair_state::PairState;
use crate::contacts::sink::Sink;
use crate::contacts::sleeping_manifolds::SleepingManifolds;
use alloc::vec::Vec;
use carom_geom::Manifold;
use carom_math::Pose;
use carom_query::Shape;
use carom_response::{Body, BodyKind};

/// The input of the narrow phase. Tables are indexed by the number of a body.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) shapes: &'a [Option<Shape>],
    /// The colliders of bodies that have several.
    pub(crate) solids: Solids<'a>,
    pub(crate) sizes: &'a [Size],
    pub(crate) roundness: &'a [Roundness],
    pub(crate) bodies: &'a [Body],
    pub(crate) traits: &'a [Traits],
    pub(crate) girths: &'a [Girth],
    /// For each body: whether it travels far for its thickness in a step.
    pub(crate) swift: &'a [bool],
    pub(crate) active: &'a ActiveBodies,
    pub(crate) deforming: &'a Deforming,
    /// For each body: whether its pose, shape or filter changed since the last detection.
    pub(crate) is_stale: &'a [bool],
    /// For each body: its pose at the last detection. `None` if the pose was set since then, so
    /// that contacts cannot be moved along.
    pub(crate) detected_poses: &'a [Option<Pose>],
    /// The manifolds of active pairs at the last detection.
    pub(crate) old: &'a [Manifold],
    /// The manifolds of other pairs.
    pub(crate) sleeping: &'a SleepingManifolds,
    /// The share of the budget for tests of pairs.
    pub(crate) narrow_budget: NarrowBudget,
    /// The distance within which contacts are found.
    pub(crate) prediction: f32,
    /// The distance up to which contacts touch.
    pub(crate) slop: f32,
    /// The recycling distance: how far the bodies of a pair may move before it is tested again; 0
    /// without recycling.
    pub(crate) recycling: f32,
    /// Whether contacts with internal edges are smoothed.
    pub(crate) smooths_internal_edges: bool,
    /// Length of the step. For fast and swift bodies, contacts are found for their motion in this
    /// time.
    pub(crate) dt: f32,
}

/// The largest rotation for which contacts are found ahead, in radians per step. After a larger
/// rotation, another part of the body is at the contact.
const MAX_REACH_TURN: f32 = 2.0;

impl<'a> Scene<'a> {
    /// Whether the pair is wanted, and a body moved or changed since the last test.
    pub(crate) fn is_due(&self, state: &PairState) -> bool {
        let (a, b) = (state.a.index as usize, state.b.index as usize);
        self.has_moved(state) && state.is_wanted && self.shapes[a].is_some() && self.shapes[b].is_some()
    }

    pub(super) fn has_moved(&self, state: &PairState) -> bool {
        let (a, b) = (state.a.index as usize, state.b.index as usize);
        state.is_new || state.is_deferred || self.is_stale[a] || self.is_stale[b]
    }

    /// Returns the manifolds that a pair state had at the last detection.
    pub(crate) fn known(&self, state: &PairState) -> &'a [Manifold] {
        let (sleeping, old): (&'a SleepingManifolds, &'a [Manifold]) = (self.sleeping, self.old);
        sleeping.manifolds_of(state).unwrap_or_else(|| &old[state.range()])
    }

    /// Defers a pair: writes its old contacts, moved along with its bodies.
    pub(super) fn carry_over(&self, state: &mut PairState, out: &mut impl Sink) {
        let (a, b) = (state.a.index as usize, state.b.index as usize);
        let known = self.known(state);
        state.is_deferred = true;
        state.n = 0;
        let place = |body: usize| self.detected_poses.get(body).copied().flatten();
        let (Some(seen_a), Some(seen_b), false) = (place(a), place(b), state.is_new) else {
            // There are no old contacts. If an edit dropped them, its bodies touch until it is
            // tested.
            state.is_new = true;
            return;
        };
        if state.is_sensor {
            return;
        }
        let round = |body: usize| self.roundness[body].of_core();
        let a_moves = Carrier { from: &seen_a, to: &self.bodies[a].pose, round: round(a) };
        let b_moves = Carrier { from: &seen_b, to: &self.bodies[b].pose, round: round(b) };
        let rolls = |moves: &Carrier<'_>, body: usize| {
            moves.from.rotation != moves.to.rotation && self.roundness[body].is_uneven()
        };
        state.has_lost |= rolls(&a_moves, a) || rolls(&b_moves, b);
        state.is_touching = false;
        out.make_room(known.len());
        for manifold in known {
            let moved = carry(manifold, a_moves, b_moves, self.reach(a, b));
            state.has_lost |= moved.contacts().len() < manifold.contacts().len();
            if !moved.is_empty() {
                state.n += 1;
                state.is_touching |= self.touches(&moved);
                out.push(&moved);
            }
        }
    }

    /// Appends the manifolds of two bodies of which one has several colliders.
    pub(super) fn find_among_colliders(&self, a: usize, b: usize, reach: f32, out: &mut Vec<Manifold>) {
        // Other pairs exist only for their sensors.
        if [a, b].iter().any(|&body| self.bodies[body].kind == BodyKind::Dynamic) {
            self.solids.manifolds([a, b], [a, b].map(|body| &self.bodies[body].pose), reach, out);
        }
    }

    /// Whether neither body moves in this step.
    pub(crate) fn is_still(&self, state: &PairState) -> bool {
        !(self.active.moves(state.a.index) || self.active.moves(state.b.index))
    }

    pub(crate) fn touches(&self, manifold: &Manifold) -> bool {
        manifold.contacts().iter().any(|contact| contact.distance <= self.slop)
    }

    /// Returns the distance within which the contacts of two bodies are found.
    pub(crate) fn reach(&self, a: usize, b: usize) -> f32 {
        let mut reach = self.prediction + self.deforming.farthest(a) + self.deforming.farthest(b);
        for (body, other) in [(a, b), (b, a)] {
            let is_swift = self.swift[body] && self.is_barrier(body, other);
            if self.traits[body].is_fast || is_swift {
                reach += self.bodies[body].linear_velocity.length() * self.dt;
                // Rotations of fast dynamic bodies are left to the sweeps. Kinematic bodies are not
                // swept.
                let is_swept = self.traits[body].is_fast && self.bodies[body].kind == BodyKind::Dynamic;
                if !is_swept && self.girths[body].looks_ahead(&self.bodies[body]) {
                    reach += self.turned(body, other);
                }
            }
        }
        reach.min(f32::MAX)
    }

    /// Whether one of the bodies must not be passed: it is fixed, kinematic, or a surface.
    fn is_barrier(&self, a: usize, b: usize) -> bool {
        [a, b].iter().any(|&k| self.bodies[k].kind != BodyKind::Dynamic || self.girths[k].is_surface)
    }

    /// Returns an upper bound of how much nearer a body gets to another one by its rotation.
    fn turned(&self, body: usize, other: usize) -> f32 {
        let angle = self.bodies[body].angular_velocity.length() * self.dt;
        let separation = (self.bodies[other].pose.translation - self.bodies[body].pose.translation).length();
        let lever = self.girths[body].turn_lever.min(separation + self.girths[other].radius);
        if 0.0 < angle { angle.min(MAX_REACH_TURN) * lever } else { 0.0 }
    }
}
