//! A level of brushes as a world to walk in.
//!
//! The tree stops a figure at a contact. From there it is moved back along its path until it keeps
//! its distance from the plane. The sweep goes slightly beyond the end of the path, to find planes
//! that are too near there.
//!
//! Degenerate: if the figure meets a plane at a flat angle, it would be moved back very far. It is
//! moved back to the start at most, and the caller moves it out by the rest of the distance.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5; Quake III Arena, CM_Trace
//! (id Software, 1999: the distance that is kept from a plane).

use crate::figure::{Figure, Form};
use crate::sweep::{RayHit, RaySweep, Sweep, SweepHit};
use carom_bsp::{BspTree, Contents, Point, TraceStack};
use carom_math::scaling;
use glam::DVec3;

/// The sweep goes this many times the distance to keep beyond the end. At angles flatter than 1 in
/// 16 the distance is not fully kept.
const BEYOND: f64 = 16.0;

/// The largest distance of a contact along a bevel from the edge, in half widths and in statures.
/// Between planes at 45 degrees it is at most 0.42 radii for a ball. For an ellipsoid three times
/// as high as wide it is at most 0.32 statures.
const BLUR: [f64; 2] = [0.5, 0.35];

/// A level of brushes to walk in. Contents with a bit of the mask are solid.
#[derive(Clone, Debug)]
pub struct BspWorld<'a> {
    tree: &'a BspTree,
    mask: Contents,
    stack: TraceStack,
}

impl<'a> BspWorld<'a> {
    /// Returns a world in which [`Contents::SOLID`] is solid.
    pub fn new(tree: &'a BspTree) -> BspWorld<'a> {
        BspWorld { tree, mask: Contents::SOLID, stack: TraceStack::new() }
    }

    /// Returns the same world with another mask of solid contents.
    #[must_use]
    pub fn with_mask(self, mask: Contents) -> BspWorld<'a> {
        BspWorld { mask, ..self }
    }

    /// Returns the level.
    pub fn tree(&self) -> &'a BspTree {
        self.tree
    }
}

impl RaySweep for BspWorld<'_> {
    fn ray(&mut self, from: DVec3, displacement: DVec3, _: Option<&RayHit>) -> Option<RayHit> {
        let hit = self.tree.trace_with(&Point, from, displacement, self.mask, &mut self.stack)?;
        Some(RayHit::new(hit.t, hit.normal).starting_inside(hit.starts_inside))
    }
}

impl Sweep for BspWorld<'_> {
    fn sweep(&mut self, figure: &Figure, from: DVec3, displacement: DVec3, keep: f64) -> Option<SweepHit> {
        let direction = scaling::unit(displacement)?;
        let length = scaling::length(displacement);
        let reach = length + BEYOND * keep;
        let hit = self.tree.trace_with(figure, from, direction * reach, self.mask, &mut self.stack)?;
        if hit.starts_inside {
            return Some(SweepHit::inside(from));
        }
        let rate = -hit.normal.dot(direction);
        let touch = hit.t * reach;
        // The sweep hit the plane from its front, so the rate is above 0.
        let stop = touch - keep / rate;
        if !(stop < length) {
            return None;
        }
        let stop = stop.max(0.0);
        let gap = (touch - stop) * rate;
        let position = from + direction * stop;
        let point = position + figure.farthest(-hit.normal) - hit.normal * gap;
        let found = SweepHit::new(stop / length, gap, hit.normal, point);
        // A bevel touches an edge of the level, but a round figure may touch another point of the
        // bevel.
        Some(if hit.is_bevel { found.on_edge(blur(figure)) } else { found })
    }

    fn is_free(&mut self, figure: &Figure, position: DVec3) -> bool {
        !self.tree.contents_within_with(figure, position, &mut self.stack).intersects(self.mask)
    }

    fn nearest_free(&mut self, figure: &Figure, position: DVec3) -> Option<DVec3> {
        self.tree.nearest_free(figure, position, self.mask)
    }
}

fn blur(figure: &Figure) -> f64 {
    match figure.form() {
        Form::Ellipsoid(_) => BLUR[1] * figure.stature().max(figure.half_width()),
        Form::Capsule(_) | Form::Cylinder(_) | Form::Cuboid(_) => BLUR[0] * figure.half_width(),
    }
}
