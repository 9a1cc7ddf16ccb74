//! Finds the contacts of balls, wheels and other round surfaces, for the solver. On these the
//! solver must not let anchors turn with the body: see `carom_response::RoundContact`.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.2.2 (extent of a disc along an
//! axis).

use crate::bodies::BodySet;
use crate::bodies::roundness::Roundness;
use crate::contacts::{ContactSet, Scratch};
use alloc::vec::Vec;
use carom_response::{Body, BodyKind, RoundContact};

/// Finds the round contacts among those that the solver gets in this step.
pub(crate) fn find_round_contacts(bodies: &BodySet, set: &ContactSet, out: &mut Vec<RoundContact>) {
    out.clear();
    if bodies.n_round == 0 {
        return;
    }
    let ContactSet { manifolds, sleeping, scratch: Scratch { contacts, .. }, .. } = set;
    let sleeping = sleeping.manifolds();
    // A fixed body does not roll.
    let rolls = |body: u32| {
        let turns = |body: &Body| body.kind != BodyKind::Fixed;
        bodies.roundness[body as usize] != Roundness::Sharp && turns(&bodies.motions[body as usize])
    };
    for (number, link) in (0..).zip(contacts) {
        let sides = [link.body_a, link.body_b];
        if !sides.into_iter().any(rolls) {
            continue;
        }
        let index = link.manifold as usize;
        let manifold = manifolds.get(index).or_else(|| sleeping.get(index - manifolds.len()));
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
