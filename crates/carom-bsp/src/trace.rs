//! Sweeps a body along a segment: the part of the segment in each cell, with every plane moved out
//! by how far the body reaches.
//!
//! A plane is moved to either side of itself: forward for the cell behind it, back for the cell in
//! front, so the two parts of the segment overlap. The part that comes into a solid cell first is
//! where the body first touches; the plane that cut its beginning is what it touches.
//!
//! No answer is late: a body that meets a cell is behind all shifted planes of it. Near edges of
//! the level some are early, as the shifted planes of a cell meet outside of what the body really
//! reaches; by how much, bevels decide. What only touches a surface, or is in it by less than the
//! tolerance, is free: it is stopped on its way in, and not on its way along.
//!
//! Degenerate cases: a point may be on a plane, and on neither side of it: `walk.rs` says when it
//! is in the solid then.
//!
//! Reference: S. Melax, Dynamic Plane Shifting BSP Traversal, Graphics Interface 2000;
//! Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (`HitCheckBSP`). Differs: a stack for
//! the recursion; times along the segment for points; bevels stand at the cells.

use crate::body::Body;
use crate::planes::SplitPlane;
use crate::tree::{BspTree, Contents};
use crate::walk::{Piece, TraceStack, Walk};
use glam::DVec3;

/// What a sweep met first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TraceHit {
    /// Where along the segment, 0 to 1: the body is free before.
    pub t: f64,
    /// Where the reference point is then.
    pub place: DVec3,
    /// Out of what was met, of length 1; zero where the body was in it from the start.
    pub normal: DVec3,
    /// The plane that was met, not shifted.
    pub plane: SplitPlane,
    /// That plane bevels an edge or a corner of the level: no face is in it.
    pub is_bevel: bool,
    /// The body overlaps something where it starts: see [`BspTree::nearest_free`].
    pub starts_inside: bool,
    /// What was met.
    pub contents: Contents,
}

impl BspTree {
    /// The first impact of a body whose reference point moves from `from` by `way`, with what has a
    /// bit of `mask`. `None` where there is none, and for a segment with a NaN.
    pub fn trace(&self, body: &impl Body, from: DVec3, way: DVec3, mask: Contents) -> Option<TraceHit> {
        self.trace_with(body, from, way, mask, &mut TraceStack::new())
    }

    /// [`BspTree::trace`], without allocating once the stack has room.
    pub fn trace_with(
        &self,
        body: &impl Body,
        from: DVec3,
        way: DVec3,
        mask: Contents,
        stack: &mut TraceStack,
    ) -> Option<TraceHit> {
        self.trace_until(body, [from, way], mask, 1.0, stack)
    }

    /// The first impact on a segment from a point by a vector. Those after `limit` may be left out.
    pub(crate) fn trace_until(
        &self,
        body: &impl Body,
        [from, way]: [DVec3; 2],
        mask: Contents,
        limit: f64,
        stack: &mut TraceStack,
    ) -> Option<TraceHit> {
        if !(from.is_finite() && way.is_finite()) {
            return None;
        }
        let walk = Walk::sweep(self, body, [from, way], mask, stack);
        let mut best: Option<TraceHit> = None;
        let mut limit = limit;
        // What comes first is looked at first.
        while let Some(piece) = walk.next(limit, stack, |_| ()) {
            let hit = self.enter(&piece, from, way, mask);
            // One that is inside from the start comes before one that touches at the start.
            let is_first =
                best.is_none_or(|best| (hit.t, !hit.starts_inside) < (best.t, !best.starts_inside));
            if is_first {
                limit = hit.t;
                best = Some(hit);
            }
        }
        best
    }

    fn enter(&self, piece: &Piece, from: DVec3, way: DVec3, mask: Contents) -> TraceHit {
        let t = piece.touch.max(0.0);
        let plane = piece.entry.unwrap_or(SplitPlane { normal: DVec3::ZERO, offset: 0.0 });
        // In a seam of what has different bits of the mask, one of them.
        let leaf = self.leaves.get(piece.leaf as usize).filter(|_| !piece.contents.intersects(mask));
        TraceHit {
            t,
            place: from + way * t,
            normal: plane.normal,
            plane,
            is_bevel: piece.is_bevel,
            starts_inside: piece.entry.is_none(),
            contents: leaf.map_or(piece.contents, |leaf| leaf.contents),
        }
    }
}
