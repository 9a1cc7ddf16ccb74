//! A level of brushes as a world to walk in.
//!
//! The tree stops a figure where it touches; from there it is taken back along its way until it is
//! as far from the plane as it shall keep. The way is looked at a little beyond its end, for what
//! the figure would be too near to there.
//!
//! Degenerate cases: along a plane that the way hardly approaches, taking back might be without
//! end: not behind the start, and the rest of the distance is left to the mover.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5; Quake III Arena, CM_Trace
//! (id Software, 1999: the distance that is kept from a plane).

use crate::figure::{Figure, Form};
use crate::sweep::{RayHit, RaySweep, Sweep, SweepHit};
use carom_bsp::{BspTree, Contents, Point, TraceStack};
use carom_math::scaling;
use glam::DVec3;

/// A surface at a flatter angle than one in this is kept away from less.
const BEYOND: f64 = 16.0;

/// How far along a bevel a figure may be from the edge, in its half width and its stature. Between
/// planes at 45 degrees a ball is 0.42 of its radius away at most, and an ellipsoid three times as
/// high as wide 0.32 of its stature.
const BLUR: [f64; 2] = [0.5, 0.35];

/// A level of brushes to walk in: what has a bit of the mask is solid.
#[derive(Clone, Debug)]
pub struct BspWorld<'a> {
    tree: &'a BspTree,
    mask: Contents,
    stack: TraceStack,
}

impl<'a> BspWorld<'a> {
    /// What is [`Contents::SOLID`] in a tree.
    pub fn new(tree: &'a BspTree) -> BspWorld<'a> {
        BspWorld { tree, mask: Contents::SOLID, stack: TraceStack::new() }
    }

    /// What has a bit of another mask.
    #[must_use]
    pub fn with_mask(self, mask: Contents) -> BspWorld<'a> {
        BspWorld { mask, ..self }
    }

    /// The level.
    pub fn tree(&self) -> &'a BspTree {
        self.tree
    }
}

impl RaySweep for BspWorld<'_> {
    fn ray(&mut self, from: DVec3, way: DVec3, _: Option<&RayHit>) -> Option<RayHit> {
        let hit = self.tree.trace_with(&Point, from, way, self.mask, &mut self.stack)?;
        Some(RayHit::new(hit.t, hit.normal))
    }
}

impl Sweep for BspWorld<'_> {
    fn sweep(&mut self, figure: &Figure, from: DVec3, way: DVec3, keep: f64) -> Option<SweepHit> {
        let direction = scaling::unit(way)?;
        let length = scaling::length(way);
        let seen = length + BEYOND * keep;
        let hit = self.tree.trace_with(figure, from, direction * seen, self.mask, &mut self.stack)?;
        if hit.starts_inside {
            return Some(SweepHit::inside(from));
        }
        let rate = -hit.normal.dot(direction);
        let touch = hit.t * seen;
        // The sweep came through the plane from its front: the rate is above 0.
        let stop = touch - keep / rate;
        if !(stop < length) {
            return None;
        }
        let stop = stop.max(0.0);
        let gap = (touch - stop) * rate;
        let place = from + direction * stop;
        let point = place + figure.farthest(-hit.normal) - hit.normal * gap;
        let found = SweepHit::new(stop / length, gap, hit.normal, point);
        // A bevel touches an edge of the level, but a round figure may be on another part of it.
        Some(if hit.is_bevel { found.on_edge(blur(figure)) } else { found })
    }

    fn is_free(&mut self, figure: &Figure, place: DVec3) -> bool {
        !self.tree.contents_within_with(figure, place, &mut self.stack).intersects(self.mask)
    }

    fn nearest_free(&mut self, figure: &Figure, place: DVec3) -> Option<DVec3> {
        self.tree.nearest_free(figure, place, self.mask)
    }
}

fn blur(figure: &Figure) -> f64 {
    match figure.form() {
        Form::Ellipsoid(_) => BLUR[1] * figure.stature().max(figure.half_width()),
        Form::Capsule(_) | Form::Cylinder(_) | Form::Cuboid(_) => BLUR[0] * figure.half_width(),
    }
}
