//! Steps up: over an obstacle, if the ground behind it is no higher than the limit.
//!
//! The figure is swept up by the limit, forward by the rest of its travel, and down to the ground.
//! The height that counts is that of the ground at the contact points before and after. So the
//! limit is exact for round figures too. The new ground may be an edge.
//!
//! If that fails, as under the lintel of a door with a sill, a ray finds the height of the step.
//! Then the figure is lifted only that high.
//!
//! Degenerate: a low ceiling limits how far the figure is lifted; it may still get over a lower
//! step. A travel shorter than the skin would end in front of the step. So a step goes at least
//! 2.5 skins forward, and the next calls wait until the wish has caught up.
//!
//! Reference: Quake (id Software, 1996), SV_WalkMove (up, forward, down).

use crate::ground::{Ground, Mover};
use crate::slide::{advance, flattened};
use crate::sweep::{CarriedSweep, Sweep, SweepHit};
use carom_math::scaling;
use glam::DVec3;

/// The least forward distance of a step, in skins.
const MIN_FORWARD_SKINS: f64 = 2.5;

/// A completed step.
pub(crate) struct Step {
    pub(crate) position: DVec3,
    pub(crate) ground: Ground,
    /// The distance forward, a length.
    pub(crate) forward: f64,
    /// The rise of the ground, a length.
    pub(crate) climbed: f64,
}

impl<W: Sweep + ?Sized> Mover<'_, W> {
    /// Tries a step from `ground` over a hit, along `heading`, which is across `up`, by the length
    /// `forward`.
    pub(crate) fn step_up(
        &mut self,
        position: DVec3,
        ground: &Ground,
        hit: &SweepHit,
        heading: DVec3,
        forward: f64,
    ) -> Option<Step> {
        let limit = self.settings.step_height;
        if !(0.0 < limit) {
            return None;
        }
        if let Some(step) = self.step_by(position, ground, heading, forward, limit) {
            return Some(step);
        }
        let height = self.height_of(hit, ground)?;
        self.step_by(position, ground, heading, forward, height)
    }

    /// Tries a step for which the figure is lifted by `height` above the ground.
    fn step_by(
        &mut self,
        position: DVec3,
        ground: &Ground,
        heading: DVec3,
        forward: f64,
        height: f64,
    ) -> Option<Step> {
        let direction = scaling::unit(heading)?;
        let skin = self.settings.skin;
        let least = MIN_FORWARD_SKINS * skin;
        // On an edge the feet may be below the contact point.
        let feet = (position - ground.point).dot(self.up) - self.figure.stature();
        let lift = height + 2.0 * skin - feet;
        let (raised, _) = self.advance(position, self.up * lift.max(0.0));
        let (ahead, _) = self.advance(raised, direction * forward.max(least));
        let forward = (ahead - raised).dot(direction);
        if forward < least - self.slack {
            return None;
        }
        let (landed, hit) = self.advance(ahead, self.up * ((position - raised).dot(self.up) - skin));
        let hit = hit.filter(|hit| !hit.starts_inside)?;
        let next = self.ground_of(&hit, heading)?;
        let climbed = (next.point - ground.point).dot(self.up);
        let is_step = self.is_step(next.point, ground.point);
        is_step.then_some(Step { position: landed, ground: next, forward, climbed })
    }

    /// Carries a figure by the displacement of its ground over the edge of an object beside it.
    /// Returns its position on the edge, and the edge as its ground.
    ///
    /// `None` if something else is in the way, or if the edge is higher than a step above `ground`.
    pub(crate) fn carry_over_edge(
        &mut self,
        start: DVec3,
        displacement: DVec3,
        carrier: u32,
        ground: &Ground,
    ) -> Option<(DVec3, Ground)> {
        let skin = self.settings.skin;
        let lift = self.up * (self.settings.step_height + 2.0 * skin);
        let carried = &mut CarriedSweep { world: &mut *self.world, carrier };
        let (raised, _) = advance(carried, self.figure, start, lift, skin);
        let (ahead, blocking) = advance(carried, self.figure, raised, displacement, skin);
        if blocking.is_some() {
            return None;
        }
        let (landed, hit) = self.advance(ahead, start - raised);
        let hit = hit.filter(|hit| !hit.starts_inside)?;
        let towards = flattened(hit.normal, self.up).map_or(DVec3::ZERO, |normal| -normal);
        let next = self.ground_of(&hit, towards)?;
        self.is_step(next.point, ground.point).then_some((landed, next))
    }

    /// Returns the height of the top of a hit above the ground, if that is a step.
    fn height_of(&mut self, hit: &SweepHit, ground: &Ground) -> Option<f64> {
        let limit = self.settings.step_height + self.slack;
        let above = limit - (hit.point - ground.point).dot(self.up);
        let (top, _) = self.top_below(hit, above, limit)?;
        Some((top - ground.point).dot(self.up))
    }
}
