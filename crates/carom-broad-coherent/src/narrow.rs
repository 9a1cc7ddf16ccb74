//! Narrows a list that is too wide in place. Fat boxes lose the room that no box has needed. The
//! list loses the candidates with fat boxes that do not touch any more.
//!
//! A body that jitters moves in every frame but stays in place. Its first move looks like drift,
//! but the room that it uses over some frames does not. Each fat box keeps the room used so far,
//! and as much as some more such frames need. So no box leaves its fat box by narrowing. The
//! narrower list is a subset of the wider one, so no search is needed and the index stays.
//!
//! Tried: a new list instead, 100,000 trembling boxes, first 30 frames; 1.6x slower on average
//! (EPYC, 2026-11).
//!
//! Reference: L. Verlet, Computer "Experiments" on Classical Fluids, 1967 (a neighbour list with a
//! skin).
//! Differs: the skin shrinks while the list is in use.

use crate::policy;
use crate::rebuild::mean_size;
use crate::{FatIndex, VerletList};
use carom_bounds::Aabb;
use glam::Vec3;

/// Bins per step of the histogram of displacements.
const BINS_PER_STEP: usize = 8;

/// Steps that the histogram covers. A box that moved farther is in the last bin.
const STEPS: usize = 8;

/// One sampled box in this many may have used more of its margin than assumed for the rest.
const RARE: usize = 4 * policy::OUTLIER_PART;

impl<I: FatIndex> VerletList<I> {
    /// Returns for how many of its recent steps each box should have room, and the share of the
    /// margins that this is. `None` if boxes drift, because they will use all of it.
    fn room_needed(&self) -> Option<(f64, f64)> {
        let boxes = self.proxies.boxes();
        let mut away = [0usize; BINS_PER_STEP * STEPS];
        let (mut n, mut gone, mut paces, mut margins) = (0, 0.0f64, 0.0f64, 0.0f64);
        for slot in self.samples() {
            let (aabb, fat, pace) = (&boxes[slot], &self.fat[slot], self.pace[slot]);
            let margin = margin_of(aabb, fat);
            // Skips outliers and boxes without a margin.
            if 0.0 < margin {
                let room = (aabb.min - fat.min).min(fat.max - aabb.max).min_element();
                // NaN becomes 0.
                let steps = (margin - room) / pace;
                away[((steps * BINS_PER_STEP as f32) as usize).min(BINS_PER_STEP * STEPS - 1)] += 1;
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
        let steps = part as f64 / BINS_PER_STEP as f64 * self.policy.outlook();
        Some((steps, steps * paces / margins))
    }

    /// Makes the list narrower, if it holds many useless candidates and boxes do not need the
    /// room.
    pub(crate) fn narrow(&mut self) {
        if !self.policy.tests_width(self.proxies.n_live(), self.candidates.len()) {
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
                // The new box is within the old fat box and contains the box.
                *fat = Aabb { min: (fat.min + less).min(aabb.min), max: (fat.max - less).max(aabb.max) };
            }
        }
        self.candidates.keep_touching(&self.fat);
    }
}

/// Returns how far a fat box extends beyond its box on average.
#[inline(always)]
fn margin_of(aabb: &Aabb, fat: &Aabb) -> f32 {
    0.5 * (mean_size(fat) - mean_size(aabb))
}
