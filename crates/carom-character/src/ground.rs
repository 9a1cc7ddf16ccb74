//! What a character stands on: slopes up to a limit, ledges that it is stepping on, and places
//! where it is wedged.
//!
//! The figure is swept down. What it meets is ground if it is no steeper than the limit. If it is
//! steeper, the figure is let slip along it by a few skins: next to a wall it comes to the floor in
//! this way; where it cannot slip it is wedged, and that is ground too. An edge that is touched
//! from the side, with a floor on top, is ground for who walks on to it: so a round figure gets up
//! a step little by little, and not in a jump.
//!
//! Reference: E. Catto, Character movement as geometry (Box2D 3.1, 2025: plane solver); J. Rouwe,
//! Jolt Physics, CharacterVirtual, 2022 (ground states, snapping). Differs: no normal is taken from
//! a body's neighbours; a ray looks at the top of the edge.

use crate::cone::nearest_allowed;
use crate::figure::Figure;
use crate::settings::CharacterSettings;
use crate::slide::{advance, flattened};
use crate::sweep::{Sweep, SweepHit};
use carom_math::{scaling, tol};
use glam::DVec3;

/// In skins: how far a figure may slip to find ground, and how far from an edge its top is looked
/// for.
const SLIP: f64 = 4.0;

/// Why something is ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroundKind {
    /// A face or an edge that is not too steep there.
    Slope,
    /// An edge touched from the side, with ground on top, that the character is stepping on; or one
    /// that it is stepping down from.
    Ledge,
    /// Between things that are too steep, each of them.
    Wedge,
}

/// What a character stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ground {
    /// Why it is ground.
    pub kind: GroundKind,
    /// Of length 1: out of the slope, of a ledge out of its top.
    pub normal: DVec3,
    /// Where it is touched.
    pub point: DVec3,
    /// What it is, by a number of the world's.
    pub object: u32,
    /// Which part of it: the triangle of a mesh.
    pub part: u32,
    /// Length per second: how fast it moves under the figure's middle; where it is touched, if it
    /// is not there.
    pub velocity: DVec3,
}

impl Ground {
    pub(crate) fn of(hit: &SweepHit, kind: GroundKind, normal: DVec3) -> Ground {
        let SweepHit { point, object, part, velocity, .. } = *hit;
        Ground { kind, normal, point, object, part, velocity }
    }

    /// The velocity along the ground, of the same length, of who wants to go this way.
    pub(crate) fn along(&self, heading: DVec3, up: DVec3) -> DVec3 {
        let (speed, steep) = (scaling::length(heading), self.normal.dot(up));
        if !(0.0 < steep) {
            return heading;
        }
        scaling::unit(heading - up * (heading.dot(self.normal) / steep))
            .map_or(heading, |along| along * speed)
    }
}

/// A figure in a world, for the time of a call.
pub(crate) struct Mover<'a, W: ?Sized> {
    pub(crate) world: &'a mut W,
    pub(crate) figure: &'a Figure,
    pub(crate) settings: &'a CharacterSettings,
    pub(crate) up: DVec3,
    /// The cosine of the steepest slope.
    pub(crate) least_up: f64,
    /// A length: heights closer than this are one.
    pub(crate) slack: f64,
}

impl<'a, W: Sweep + ?Sized> Mover<'a, W> {
    pub(crate) fn new(world: &'a mut W, figure: &'a Figure, settings: &'a CharacterSettings) -> Mover<'a, W> {
        let slack = tol::CHARACTER_STEP * figure.stature();
        Mover { world, figure, settings, up: figure.up(), least_up: settings.least_up(), slack }
    }

    pub(crate) fn advance(&mut self, place: DVec3, way: DVec3) -> (DVec3, Option<SweepHit>) {
        advance(self.world, self.figure, place, way, self.settings.skin)
    }

    /// How fast ground that moves does so under the middle of the figure. A wide figure touches
    /// what turns anywhere; taken along from there, it would wander off.
    pub(crate) fn velocity_under(&mut self, place: DVec3, ground: &Ground) -> Option<DVec3> {
        if ground.velocity == DVec3::ZERO {
            return None;
        }
        let down =
            -self.up * (self.figure.stature() + self.settings.snap_distance + 2.0 * self.settings.skin);
        let ray = self.world.ray(place, down, None)?;
        (ray.object == ground.object).then_some(ray.velocity)
    }

    /// Not too steep to walk on.
    pub(crate) fn is_gentle(&self, normal: DVec3) -> bool {
        self.least_up <= normal.dot(self.up)
    }

    /// Ground that is met while walking on other ground: an edge not higher than a step.
    pub(crate) fn is_next_ground(&mut self, hit: &SweepHit, ground: &Ground) -> bool {
        if !self.is_gentle(hit.normal) || !hit.is_edge {
            return self.is_gentle(hit.normal);
        }
        let top = self.top_of_edge(hit).map_or(hit.point, |top| top.0);
        (top - ground.point).dot(self.up) <= self.settings.step_height + self.slack
    }

    /// A wall: nothing goes into it, nor climbs it, also where it leans back.
    pub(crate) fn wall(&self, normal: DVec3) -> Option<DVec3> {
        let is_leaning_back = 0.0 < normal.dot(self.up) && !self.is_gentle(normal);
        if is_leaning_back { flattened(normal, self.up) } else { None }
    }

    /// The ground under a figure, no farther down than `distance`, and the place where it stands on
    /// it. `heading` is where it wants to go.
    pub(crate) fn settle(&mut self, place: DVec3, distance: f64, heading: DVec3) -> Option<(DVec3, Ground)> {
        let skin = self.settings.skin;
        let mut steep = [DVec3::ZERO; 3];
        let mut way = -self.up * (distance + skin);
        let mut place = place;
        for n_steep in 0..3 {
            let (next, hit) = self.advance(place, way);
            let hit = hit.filter(|hit| !hit.starts_inside)?;
            place = next;
            let ground = self.ground_of(&hit, heading).or_else(|| self.floor_below(&hit, place, heading));
            if let Some(ground) = ground {
                return Some((place, ground));
            }
            steep[n_steep] = hit.normal;
            way = nearest_allowed(-self.up * (SLIP * skin), &steep[..=n_steep]);
            if way == DVec3::ZERO {
                return Some((place, Ground::of(&hit, GroundKind::Wedge, self.up)));
            }
        }
        None
    }

    /// What the figure came down to, as ground.
    pub(crate) fn ground_of(&mut self, hit: &SweepHit, heading: DVec3) -> Option<Ground> {
        let is_gentle = self.is_gentle(hit.normal);
        let top = if hit.is_edge { self.top_of_edge(hit) } else { None };
        if is_gentle {
            let ground = Ground::of(hit, GroundKind::Slope, hit.normal);
            return Some(Ground { point: top.map_or(hit.point, |top| top.0), ..ground });
        }
        if hit.normal.dot(self.up) <= 0.0 || 0.0 <= hit.normal.dot(heading) {
            return None;
        }
        let (point, normal) = top?;
        Some(Ground { point, ..Ground::of(hit, GroundKind::Ledge, normal) })
    }

    /// The floor that a figure comes down to from an edge that it leaves, if it is no farther down
    /// than ground is followed: on the way the edge carries it.
    fn floor_below(&mut self, hit: &SweepHit, place: DVec3, heading: DVec3) -> Option<Ground> {
        if !hit.is_edge || hit.normal.dot(self.up) <= 0.0 || hit.normal.dot(heading) <= 0.0 {
            return None;
        }
        let down = -self.up * (self.figure.stature() + self.settings.snap_distance + self.settings.skin);
        let ray = self.world.ray(place, down, None)?;
        let ground = Ground { point: place + down * ray.t, ..Ground::of(hit, GroundKind::Ledge, ray.normal) };
        self.is_gentle(ray.normal).then_some(ground)
    }

    /// Where the floor is on top of an edge that is touched from the side, and its normal.
    fn top_of_edge(&mut self, hit: &SweepHit) -> Option<(DVec3, DVec3)> {
        let reach = SLIP * self.settings.skin + hit.blur;
        self.top_below(hit, reach, 2.0 * reach)
    }

    /// The highest floor just behind what was met, from the height `above` over the point of
    /// contact on down by `depth`, and its normal.
    pub(crate) fn top_below(&mut self, hit: &SweepHit, above: f64, depth: f64) -> Option<(DVec3, DVec3)> {
        let skin = self.settings.skin;
        let inwards = -flattened(hit.normal, self.up)?;
        let down = -self.up * depth;
        let mut best: Option<(DVec3, DVec3)> = None;
        // Near the edge, and, where it is not known well, beyond all places where it may be: a
        // narrow ledge is not missed.
        let far = if 0.0 < hit.blur { Some(skin + hit.blur) } else { None };
        for aside in [Some(skin), far].into_iter().flatten() {
            let from = hit.point + inwards * aside + self.up * above;
            let Some(ray) = self.world.ray(from, down, None) else { continue };
            let top = from + down * ray.t;
            if self.is_gentle(ray.normal) && best.is_none_or(|best| best.0.dot(self.up) < top.dot(self.up)) {
                best = Some((top, ray.normal));
            }
        }
        best
    }
}
