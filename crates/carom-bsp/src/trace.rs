//! Sweeps a body along a segment: finds the part of the segment in each cell, with every plane
//! shifted by the reach of the body.
//!
//! A plane is shifted both ways: forward for the cell behind it, back for the cell in front. The
//! two parts of the segment therefore overlap. The body first touches at the start of the part
//! that enters a solid cell first. It touches the plane that cut the start of that part.
//!
//! No answer is late, because a body that meets a cell is behind all shifted planes of the cell
//! (test: `traces::bodies_are_never_late_and_bevels_make_them_less_early`). Near edges of the
//! level some answers are early, because the shifted planes of a cell meet outside the true
//! Minkowski sum. Bevels make these answers less early.
//!
//! A body that only touches a surface, or penetrates it by less than the tolerance, is free. It is
//! stopped if it moves into the surface, but not if it moves along it.
//!
//! Degenerate cases: a point may be on a plane, and on neither side of it. `walk.rs` says when
//! such a point is in the solid.
//!
//! Reference: S. Melax, Dynamic Plane Shifting BSP Traversal, Graphics Interface 2000;
//! Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (`HitCheckBSP`).
//! Differs: a stack instead of recursion; times along the segment instead of points; bevels belong
//! to the cells.

use crate::body::Body;
use crate::planes::SplitPlane;
use crate::tree::{BspTree, Contents};
use crate::walk::{Piece, TraceStack, Walk};
use glam::DVec3;

/// The first impact of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TraceHit {
    /// The time of impact, as a fraction of the segment, 0 to 1. The body is free before it.
    pub t: f64,
    /// The reference point at that time.
    pub position: DVec3,
    /// Unit normal that points out of the obstacle; zero if the body was inside it from the start.
    pub normal: DVec3,
    /// The plane that was met, not shifted, with this normal; zero if the normal is zero.
    pub plane: SplitPlane,
    /// Whether that plane bevels an edge or a corner of the level: no face is in it.
    pub is_bevel: bool,
    /// Whether the body overlaps something at its start: see [`BspTree::nearest_free`].
    pub starts_inside: bool,
    /// The contents of the obstacle.
    pub contents: Contents,
}

impl BspTree {
    /// Returns the first impact of a body whose reference point moves from `from` by
    /// `displacement`, with contents that share a bit with `mask`. `None` if there is none, or if
    /// a coordinate of the segment is NaN or infinite.
    pub fn trace(
        &self,
        body: &impl Body,
        from: DVec3,
        displacement: DVec3,
        mask: Contents,
    ) -> Option<TraceHit> {
        self.trace_with(body, from, displacement, mask, &mut TraceStack::new())
    }

    /// Does the same as [`BspTree::trace`], without allocating once the stack has room.
    pub fn trace_with(
        &self,
        body: &impl Body,
        from: DVec3,
        displacement: DVec3,
        mask: Contents,
        stack: &mut TraceStack,
    ) -> Option<TraceHit> {
        self.trace_until(body, [from, displacement], mask, 1.0, stack)
    }

    /// Returns the first impact on the segment from `from` by `displacement`. Impacts after
    /// `limit`, a fraction of the segment, may be left out.
    pub(crate) fn trace_until(
        &self,
        body: &impl Body,
        [from, displacement]: [DVec3; 2],
        mask: Contents,
        limit: f64,
        stack: &mut TraceStack,
    ) -> Option<TraceHit> {
        if !(from.is_finite() && displacement.is_finite()) {
            return None;
        }
        let walk = Walk::sweep(self, body, [from, displacement], mask, stack);
        let mut best: Option<TraceHit> = None;
        let mut limit = limit;
        // The walk visits nearer pieces first as a rule, so `limit` prunes the rest.
        while let Some(piece) = walk.next(limit, stack, |_| ()) {
            let hit = self.enter(&piece, from, displacement, mask);
            // At equal times, a start inside comes before a touch.
            let is_first =
                best.is_none_or(|best| (hit.t, !hit.starts_inside) < (best.t, !best.starts_inside));
            if is_first {
                limit = hit.t;
                best = Some(hit);
            }
        }
        best
    }

    fn enter(&self, piece: &Piece, from: DVec3, displacement: DVec3, mask: Contents) -> TraceHit {
        let t = piece.touch.max(0.0);
        let plane = piece.entry.unwrap_or(SplitPlane { normal: DVec3::ZERO, offset: 0.0 });
        // In a seam between contents that share no bit of the mask, the contents of one leaf are
        // reported.
        let leaf = self.leaves.get(piece.leaf as usize).filter(|_| !piece.contents.intersects(mask));
        TraceHit {
            t,
            position: from + displacement * t,
            normal: plane.normal,
            plane,
            is_bevel: piece.is_bevel,
            starts_inside: piece.entry.is_none(),
            contents: leaf.map_or(piece.contents, |leaf| leaf.contents),
        }
    }
}
