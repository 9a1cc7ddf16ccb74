//! The round contacts of a step, for the solver: balls and wheels roll over them.
//!
//! Reference: as in `carom_response::RoundContact`.

use crate::World;
use crate::bodies::roundness::Roundness;
use crate::contacts::{ContactSet, Scratch};
use carom_broad::BroadPhase;
use carom_response::{Body, BodyKind, RoundContact};

impl<B: BroadPhase> World<B> {
    /// Gives the solver the round contacts among those that it was handed.
    pub(crate) fn hand_over_round_contacts(&mut self) {
        let out = self.solver.round_contacts_mut();
        out.clear();
        if self.bodies.n_round == 0 {
            return;
        }
        let bodies = &self.bodies;
        let ContactSet { manifolds, sleeping, scratch: Scratch { contacts, .. }, .. } = &self.contacts;
        let sleeping = sleeping.manifolds();
        // What does not turn does not roll.
        let rolls = |body: u32| {
            let turns = |body: &Body| body.kind != BodyKind::Fixed;
            bodies.roundness[body as usize] != Roundness::Sharp && turns(&bodies.motions[body as usize])
        };
        for (number, link) in (0..).zip(contacts) {
            let sides = [link.body_a, link.body_b];
            if !sides.into_iter().any(rolls) {
                continue;
            }
            let place = link.manifold as usize;
            let manifold = manifolds.get(place).or_else(|| sleeping.get(place - manifolds.len()));
            let Some(manifold) = manifold else { continue };
            let mut round = RoundContact::new(number);
            for (side, body) in sides.into_iter().enumerate().filter(|&(_, body)| rolls(body)) {
                let placed = (bodies.solid_shape(body as usize), &bodies.motions[body as usize].pose);
                bodies.roundness[body as usize].describe(placed, manifold, side, &mut round);
            }
            if round.is_round() {
                out.push(round);
            }
        }
    }
}
