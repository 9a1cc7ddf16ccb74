//! Steps up: over what blocks the way if there is ground behind it, no higher than the limit.
//!
//! Up by the limit, on by what is left of the way, down to the ground. The height that counts is
//! that of the ground under the figure before and after, where it is touched, so the limit is exact
//! for round figures too. What is stepped on may be an edge. Where that does not get over it, as
//! under the lintel of a door with a sill, the figure is lifted only as high as a ray finds the
//! step to be.
//!
//! Degenerate cases: a low ceiling shortens the way up, and the figure may still get over a lower
//! step; a way that is shorter than the skin would come down in front of the step, so at least some
//! skins are gone, and their time is taken from the next call.
//!
//! Reference: Quake (id Software, 1996), SV_WalkMove (up, forward, down).

use crate::ground::{Ground, Mover};
use crate::sweep::{Sweep, SweepHit};
use carom_math::scaling;
use glam::DVec3;

/// In skins: a step on to something goes at least so far.
const SHORTEST: f64 = 2.5;

/// A step that was made.
pub(crate) struct Step {
    pub(crate) place: DVec3,
    pub(crate) ground: Ground,
    /// A length: what was gone forward.
    pub(crate) forward: f64,
    /// A length: how much higher the ground is.
    pub(crate) climbed: f64,
}

impl<W: Sweep + ?Sized> Mover<'_, W> {
    /// A step from `ground` over what was met, along `heading`, across `up`, by the length
    /// `forward`.
    pub(crate) fn step_up(
        &mut self,
        place: DVec3,
        ground: &Ground,
        hit: &SweepHit,
        heading: DVec3,
        forward: f64,
    ) -> Option<Step> {
        let limit = self.settings.step_height;
        if !(0.0 < limit) {
            return None;
        }
        if let Some(step) = self.step_by(place, ground, heading, forward, limit) {
            return Some(step);
        }
        let height = self.height_of(hit, ground)?;
        self.step_by(place, ground, heading, forward, height)
    }

    /// A step for which the figure is lifted so high above the ground.
    fn step_by(
        &mut self,
        place: DVec3,
        ground: &Ground,
        heading: DVec3,
        forward: f64,
        height: f64,
    ) -> Option<Step> {
        let direction = scaling::unit(heading)?;
        let skin = self.settings.skin;
        let least = SHORTEST * skin;
        // The feet may be below the ground that counts, on an edge.
        let feet = (place - ground.point).dot(self.up) - self.figure.stature();
        let lift = height + 2.0 * skin - feet;
        let (raised, _) = self.advance(place, self.up * lift.max(0.0));
        let (ahead, _) = self.advance(raised, direction * forward.max(least));
        let forward = (ahead - raised).dot(direction);
        if forward < least - self.slack {
            return None;
        }
        let (landed, hit) = self.advance(ahead, self.up * ((place - raised).dot(self.up) - skin));
        let hit = hit.filter(|hit| !hit.starts_inside)?;
        let next = self.ground_of(&hit, heading)?;
        let climbed = (next.point - ground.point).dot(self.up);
        if self.settings.step_height + self.slack < climbed {
            return None;
        }
        Some(Step { place: landed, ground: next, forward, climbed })
    }

    /// How high above the ground the top of what was met is, if that is a step.
    fn height_of(&mut self, hit: &SweepHit, ground: &Ground) -> Option<f64> {
        let limit = self.settings.step_height + self.slack;
        let above = limit - (hit.point - ground.point).dot(self.up);
        let (top, _) = self.top_below(hit, above, limit)?;
        Some((top - ground.point).dot(self.up))
    }
}
