//! A list that is too wide is narrowed where it stands: fat boxes lose the room that nothing has
//! come to need, and the list the candidates whose fat boxes do not touch any more.
//!
//! What jitters about its place moves in every frame and goes nowhere. The pace of a first frame
//! does not tell that from a drift; the room used up after some frames does. Each fat box keeps
//! what its box has used of it, as if it went on like that for some frames more, so no box leaves
//! for it. A narrower list is a part of the wider one: nothing is searched for, and the index
//! stays.
//!
//! 100,000 boxes that tremble on a floor, their first thirty frames on the coherent grid: 2.2 ms on
//! average, 3.5 the worst, where lists were made anew to be narrower 3.6 and 8.9; over the first
//! 200 frames as much on average (EPYC, loaded, in turn, November 2026).
//!
//! Reference: L. Verlet, Computer "Experiments" on Classical Fluids, 1967 (a neighbour list with a
//! skin).
//! Differs: the skin shrinks while the list is in use.

use super::policy;
use super::rebuild::mean_size;
use crate::{Coherent, FatIndex};
use carom_bounds::Aabb;
use glam::Vec3;

/// Parts of a step in which it is counted how far boxes have got.
const PARTS: usize = 8;

/// Steps that are counted: what has got farther drifts.
const STEPS: usize = 8;

/// One sampled box of so many may have used more of its margin than the others are thought to.
const RARE: usize = 4 * policy::LOOSE_PART;

impl<I: FatIndex> Coherent<I> {
    /// For how many of its steps, as they are lately, each box should have room, and what share of
    /// all room that is; none where boxes drift, so that they will come to use all of it.
    fn room_needed(&self) -> Option<(f64, f64)> {
        let boxes = self.proxies.boxes();
        let mut away = [0usize; PARTS * STEPS];
        let (mut n, mut gone, mut paces, mut margins) = (0, 0.0f64, 0.0f64, 0.0f64);
        for slot in self.samples() {
            let (aabb, fat, pace) = (&boxes[slot], &self.fat[slot], self.pace[slot]);
            let margin = margin_of(aabb, fat);
            // Not of loose boxes, nor of those that have no margin.
            if 0.0 < margin {
                let room = (aabb.min - fat.min).min(fat.max - aabb.max).min_element();
                // What is not a number is 0.
                let steps = (margin - room) / pace;
                away[((steps * PARTS as f32) as usize).min(PARTS * STEPS - 1)] += 1;
                gone += f64::from(margin - room);
                paces += f64::from(pace);
                margins += f64::from(margin);
                n += 1;
            }
        }
        if n == 0 || self.policy.is_drift(gone, paces) {
            return None;
        }
        let (mut part, mut n_beyond) = (away.len(), 0);
        while 1 < part && n_beyond + away[part - 1] <= n / RARE {
            part -= 1;
            n_beyond += away[part];
        }
        let steps = part as f64 / PARTS as f64 * self.policy.outlook();
        Some((steps, steps * paces / margins))
    }

    /// Makes the list narrower, if it carries much for nothing and boxes do not need the room.
    pub(super) fn narrow(&mut self) {
        if !self.policy.looks_at_width(self.proxies.n_live(), self.candidates.len()) {
            return;
        }
        let Some((steps, share)) = self.room_needed() else { return };
        if !self.policy.narrows_to(share) {
            return;
        }
        let boxes = self.proxies.boxes();
        for ((fat, aabb), pace) in self.fat.iter_mut().zip(boxes).zip(&self.pace) {
            if fat.min.x <= fat.max.x {
                let less = Vec3::splat((margin_of(aabb, fat) - steps as f32 * pace).max(0.0));
                // Never more room than before, and never less than for the box.
                *fat = Aabb { min: (fat.min + less).min(aabb.min), max: (fat.max - less).max(aabb.max) };
            }
        }
        self.candidates.keep_touching(&self.fat);
    }
}

/// How far a fat box reaches beyond its box on average.
#[inline(always)]
fn margin_of(aabb: &Aabb, fat: &Aabb) -> f32 {
    0.5 * (mean_size(fat) - mean_size(aabb))
}
