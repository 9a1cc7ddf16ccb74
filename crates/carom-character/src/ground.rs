//! The ground of a character: slopes up to a limit, ledges that it steps on, and wedges between
//! steep surfaces.
//!
//! The figure is swept down. A hit is ground if it is not steeper than the limit. On a steeper one
//! the figure slips by a few skins. So it reaches the floor next to a wall. If it cannot slip it
//! is wedged, which is ground too.
//!
//! An edge that is touched from the side, with a floor on top, is ground for a figure that walks
//! onto it. So a round figure climbs a step gradually and does not jump. A moving edge stays the
//! ground of a figure without a wish, so a step of an escalator carries it.
//!
//! Reference: E. Catto, Character movement as geometry (Box2D 3.1, 2025: plane solver); J. Rouwe,
//! Jolt Physics, CharacterVirtual, 2022 (ground states, snapping). Differs: no normal is taken
//! from neighbouring faces; a ray finds the top of the edge.

use crate::cone::nearest_allowed;
use crate::figure::Figure;
use crate::settings::CharacterSettings;
use crate::slide::{advance, flattened};
use crate::sweep::{Sweep, SweepHit};
use carom_math::{scaling, tol};
use glam::DVec3;

/// The distance that a figure may slip to find ground, in skins; also the distance from an edge
/// within which its top is searched.
const SLIP: f64 = 4.0;

/// The kind of a ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GroundKind {
    /// A face or an edge that is not too steep.
    Slope,
    /// An edge with ground on top that the character steps onto from the side, or an edge that it
    /// steps down from.
    Ledge,
    /// A wedge between several surfaces that are all too steep.
    Wedge,
}

/// The ground of a character.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ground {
    /// The kind of ground.
    pub kind: GroundKind,
    /// The unit normal out of the slope; of a ledge, out of its top.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::unit"))]
    pub normal: DVec3,
    /// The contact point.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::finite"))]
    pub point: DVec3,
    /// The index of the object in the world.
    pub object: u32,
    /// The part of the object: the triangle of a mesh.
    pub part: u32,
    /// The velocity of the ground under the figure's middle, length per second; at the contact
    /// point if there is no ground under the middle.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::finite"))]
    pub velocity: DVec3,
}

impl Ground {
    pub(crate) fn of(hit: &SweepHit, kind: GroundKind, normal: DVec3) -> Ground {
        let SweepHit { point, object, part, velocity, .. } = *hit;
        Ground { kind, normal, point, object, part, velocity }
    }

    /// Returns the velocity along the ground, with the same length as `heading` and in its
    /// direction.
    pub(crate) fn along(&self, heading: DVec3, up: DVec3) -> DVec3 {
        let (speed, steep) = (scaling::length(heading), self.normal.dot(up));
        if !(0.0 < steep) {
            return heading;
        }
        scaling::unit(heading - up * (heading.dot(self.normal) / steep))
            .map_or(heading, |along| along * speed)
    }
}

/// A figure in a world during a call.
pub(crate) struct Mover<'a, W: ?Sized> {
    pub(crate) world: &'a mut W,
    pub(crate) figure: &'a Figure,
    pub(crate) settings: &'a CharacterSettings,
    pub(crate) up: DVec3,
    /// The cosine of the steepest slope.
    pub(crate) least_up: f64,
    /// A length: heights that differ by less are equal.
    pub(crate) slack: f64,
    /// The object of a moving ledge on which the figure stands. It holds the figure without a
    /// wish.
    pub(crate) held_by: Option<u32>,
}

impl<'a, W: Sweep + ?Sized> Mover<'a, W> {
    pub(crate) fn new(world: &'a mut W, figure: &'a Figure, settings: &'a CharacterSettings) -> Mover<'a, W> {
        let slack = tol::CHARACTER_STEP * figure.stature();
        Mover {
            world,
            figure,
            settings,
            up: figure.up(),
            least_up: settings.least_up(),
            slack,
            held_by: None,
        }
    }

    pub(crate) fn advance(&mut self, position: DVec3, displacement: DVec3) -> (DVec3, Option<SweepHit>) {
        advance(self.world, self.figure, position, displacement, self.settings.skin)
    }

    /// Returns the velocity of moving ground under the middle of the figure. A wide figure may
    /// touch a turning ground far from its middle. The velocity at that point would make it drift
    /// off.
    pub(crate) fn velocity_under(&mut self, position: DVec3, ground: &Ground) -> Option<DVec3> {
        if ground.velocity == DVec3::ZERO {
            return None;
        }
        let down =
            -self.up * (self.figure.stature() + self.settings.snap_distance + 2.0 * self.settings.skin);
        let ray = self.world.ray(position, down, None)?;
        (ray.object == ground.object).then_some(ray.velocity)
    }

    /// Whether a slope is not too steep to walk on.
    pub(crate) fn is_gentle(&self, normal: DVec3) -> bool {
        self.least_up <= normal.dot(self.up)
    }

    /// Whether a hit while walking becomes the new ground: a gentle face, or a gentle edge not
    /// higher than a step.
    pub(crate) fn is_next_ground(&mut self, hit: &SweepHit, ground: &Ground) -> bool {
        if !self.is_gentle(hit.normal) || !hit.is_edge {
            return self.is_gentle(hit.normal);
        }
        let top = self.top_of_edge(hit).map_or(hit.point, |top| top.0);
        self.is_step(top, ground.point)
    }

    /// Whether a point is not higher above another than a step.
    pub(crate) fn is_step(&self, point: DVec3, last: DVec3) -> bool {
        (point - last).dot(self.up) <= self.settings.step_height + self.slack
    }

    /// Returns the horizontal normal of a wall that leans back: the figure does not climb it.
    /// `None` for other surfaces.
    pub(crate) fn wall(&self, normal: DVec3) -> Option<DVec3> {
        let is_leaning_back = 0.0 < normal.dot(self.up) && !self.is_gentle(normal);
        if is_leaning_back { flattened(normal, self.up) } else { None }
    }

    /// Returns the ground under a figure, at most `distance` below, and the position in which the
    /// figure stands on it. `heading` is the direction of its wish. A ledge higher than a step
    /// above `last`, the point of the ground before, is a wall.
    pub(crate) fn settle(
        &mut self,
        position: DVec3,
        distance: f64,
        heading: DVec3,
        last: DVec3,
    ) -> Option<(DVec3, Ground)> {
        let skin = self.settings.skin;
        let mut steep = [DVec3::ZERO; 3];
        let mut displacement = -self.up * (distance + skin);
        let mut position = position;
        for n_steep in 0..3 {
            let (next, hit) = self.advance(position, displacement);
            let hit = hit.filter(|hit| !hit.starts_inside)?;
            position = next;
            let ground = self.ground_of(&hit, heading);
            let ground =
                ground.filter(|next| next.kind != GroundKind::Ledge || self.is_step(next.point, last));
            if let Some(ground) = ground.or_else(|| self.floor_below(&hit, position, heading)) {
                return Some((position, ground));
            }
            steep[n_steep] = hit.normal;
            displacement = nearest_allowed(-self.up * (SLIP * skin), &steep[..=n_steep]);
            if displacement == DVec3::ZERO {
                return Some((position, Ground::of(&hit, GroundKind::Wedge, self.up)));
            }
        }
        None
    }

    /// Returns the ground of a hit of the downward sweep; `None` if the hit is no ground.
    pub(crate) fn ground_of(&mut self, hit: &SweepHit, heading: DVec3) -> Option<Ground> {
        let is_gentle = self.is_gentle(hit.normal);
        let top = if hit.is_edge { self.top_of_edge(hit) } else { None };
        if is_gentle {
            let ground = Ground::of(hit, GroundKind::Slope, hit.normal);
            return Some(Ground { point: top.map_or(hit.point, |top| top.0), ..ground });
        }
        let onto = -hit.normal.dot(heading);
        let is_held = onto == 0.0 && self.held_by == Some(hit.object);
        if hit.normal.dot(self.up) <= 0.0 || !(0.0 < onto || is_held) {
            return None;
        }
        let (point, normal) = top?;
        Some(Ground { point, ..Ground::of(hit, GroundKind::Ledge, normal) })
    }

    /// Returns the floor below an edge that the figure leaves, if it is within the snap distance.
    /// The edge carries the figure until it reaches the floor.
    fn floor_below(&mut self, hit: &SweepHit, position: DVec3, heading: DVec3) -> Option<Ground> {
        if !hit.is_edge || hit.normal.dot(self.up) <= 0.0 || hit.normal.dot(heading) <= 0.0 {
            return None;
        }
        let down = -self.up * (self.figure.stature() + self.settings.snap_distance + self.settings.skin);
        let ray = self.world.ray(position, down, None)?;
        let ground =
            Ground { point: position + down * ray.t, ..Ground::of(hit, GroundKind::Ledge, ray.normal) };
        self.is_gentle(ray.normal).then_some(ground)
    }

    /// Returns a point of the floor on top of an edge that is touched from the side, and its
    /// normal.
    fn top_of_edge(&mut self, hit: &SweepHit) -> Option<(DVec3, DVec3)> {
        let reach = SLIP * self.settings.skin + hit.blur;
        self.top_below(hit, reach, 2.0 * reach)
    }

    /// Returns the highest floor just behind a hit, and its normal. The search starts at the
    /// height `above` over the contact point and goes down by `depth`.
    pub(crate) fn top_below(&mut self, hit: &SweepHit, above: f64, depth: f64) -> Option<(DVec3, DVec3)> {
        let skin = self.settings.skin;
        let inwards = -flattened(hit.normal, self.up)?;
        let down = -self.up * depth;
        let mut best: Option<(DVec3, DVec3)> = None;
        // Search near the edge. If the edge is not known exactly, search beyond all its possible
        // positions too, so that a narrow ledge is not missed.
        let far = if 0.0 < hit.blur { Some(skin + hit.blur) } else { None };
        for aside in [Some(skin), far].into_iter().flatten() {
            let from = hit.point + inwards * aside + self.up * above;
            let ray = self.world.ray(from, down, None).filter(|ray| !ray.starts_inside);
            let Some(ray) = ray else { continue };
            let top = from + down * ray.t;
            if self.is_gentle(ray.normal) && best.is_none_or(|best| best.0.dot(self.up) < top.dot(self.up)) {
                best = Some((top, ray.normal));
            }
        }
        best
    }
}
