//! Sweeps a body along a segment: the part of the segment in each cell, with every plane moved out by how far the body reaches.
//!
//! A plane is moved to either side of itself: forward for the cell behind it, back for the cell in front, so the two parts
//! of the segment overlap. The part that comes into a solid cell first is where the body first touches; the plane that cut its
//! beginning is what it touches.
//!
//! No answer is late: a body that meets a cell is behind all shifted planes of it. Near edges of the level some are early, as the
//! shifted planes of a cell meet outside of what the body really reaches; by how much, bevels decide. What only touches a surface,
//! or is in it by less than the tolerance, is free: it is stopped on its way in, and not on its way along.
//!
//! Degenerate cases: a point that stays within the tolerance of a plane is on neither side of it; it is in the solid where both sides are, as in
//! the seam of two brushes, and free where one is.
//!
//! Reference: S. Melax, Dynamic Plane Shifting BSP Traversal, Graphics Interface 2000; Akenine-Moller et al., Real-Time Rendering, 4th ed.,
//! 25.5 (`HitCheckBSP`). Differs: a stack for the recursion; times along the segment for points; bevels stand at the cells.

use crate::body::Body;
use crate::planes::SplitPlane;
use crate::tree::{BspTree, Contents, LEAF, Leaf};
use alloc::vec::Vec;
use carom_math::scaling;
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

/// In tolerances: a way through a plane that is no longer is nothing but that.
const MOST_CROSSED: f64 = 8.0;

/// The part of the segment in a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) child: u32,
    /// In the cell by more than the tolerance from here on.
    low: f64,
    high: f64,
    /// When the last of the planes that the body came through was touched; below 0 where that was before the start.
    touch: f64,
    /// That plane, with the cell behind it.
    entry: Option<SplitPlane>,
    is_bevel: bool,
    /// What else has to be solid, as a place in the list of the stack counted from 1; 0 for nothing.
    also: u32,
}

impl Part {
    /// The same part of the segment, in a child of the cell.
    pub(crate) fn of(self, child: u32) -> Part {
        Part { child, ..self }
    }
}

/// Room for what is still to be looked at; kept between sweeps, so that these allocate nothing.
#[derive(Clone, Debug, Default)]
pub struct TraceStack {
    pub(crate) parts: Vec<Part>,
    /// A child that has to be solid too, and what else then.
    also: Vec<(u32, u32)>,
}

impl TraceStack {
    /// Without room yet.
    pub fn new() -> TraceStack {
        TraceStack::default()
    }

    /// All of the segment, in all of the tree.
    pub(crate) fn start(&mut self, root: u32) {
        self.also.clear();
        self.parts.clear();
        self.parts.push(Part {
            child: root,
            low: 0.0,
            high: 1.0,
            touch: f64::NEG_INFINITY,
            entry: None,
            is_bevel: false,
            also: 0,
        });
    }

    /// What is left to ask of a part that is in a solid leaf, if anything is.
    fn rest_of(&self, part: Part) -> Option<Part> {
        let &(child, also) = self.also.get((part.also as usize).checked_sub(1)?)?;
        Some(Part { child, also, ..part })
    }
}

impl BspTree {
    /// The first impact of a body whose reference point moves from `from` by `way`, with what has a bit of `mask`. `None` where there is
    /// none, and for a segment with a NaN.
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
        if !(from.is_finite() && way.is_finite()) {
            return None;
        }
        let sweep = Sweep { tree: self, body, from, way };
        let mut best: Option<TraceHit> = None;
        let mut limit = 1.0;
        stack.start(self.root);
        while let Some(part) = stack.parts.pop() {
            if limit < part.touch {
                continue;
            }
            if part.child & LEAF != 0 {
                let leaf = self.leaves.get((part.child & !LEAF) as usize);
                let Some(leaf) = leaf.filter(|leaf| leaf.contents.intersects(mask)) else { continue };
                let Some(part) = sweep.piece(leaf, part) else { continue };
                if let Some(rest) = stack.rest_of(part) {
                    stack.parts.push(rest);
                    continue;
                }
                let hit = sweep.enter(leaf, part);
                // One that is inside from the start comes before one that touches at the start.
                let is_first =
                    best.is_none_or(|best| (hit.t, !hit.starts_inside) < (best.t, !best.starts_inside));
                if is_first {
                    limit = hit.t;
                    best = Some(hit);
                }
                continue;
            }
            // What comes first is looked at first.
            sweep.push_children(part, stack);
        }
        best
    }

    /// The pieces of the way in which the body overlaps what has a bit of `mask` by more than the tolerance, in no order.
    pub(crate) fn cover(
        &self,
        body: &impl Body,
        from: DVec3,
        way: DVec3,
        mask: Contents,
        stack: &mut TraceStack,
        pieces: &mut Vec<(f64, f64)>,
    ) {
        let sweep = Sweep { tree: self, body, from, way };
        pieces.clear();
        stack.start(self.root);
        while let Some(part) = stack.parts.pop() {
            if part.child & LEAF != 0 {
                let leaf = self.leaves.get((part.child & !LEAF) as usize);
                let Some(leaf) = leaf.filter(|leaf| leaf.contents.intersects(mask)) else { continue };
                let Some(part) = sweep.piece(leaf, part) else { continue };
                match stack.rest_of(part) {
                    Some(rest) => stack.parts.push(rest),
                    None => pieces.push((part.low, part.high)),
                }
                continue;
            }
            sweep.push_children(part, stack);
        }
    }

    pub(crate) fn bevels_of(&self, leaf: &Leaf) -> &[SplitPlane] {
        let [first, end] = leaf.bevels.map(|bevel| bevel as usize);
        self.bevels.get(first..end).unwrap_or(&[])
    }
}

/// A body on its way.
struct Sweep<'a, B> {
    tree: &'a BspTree,
    body: &'a B,
    from: DVec3,
    way: DVec3,
}

impl<B: Body> Sweep<'_, B> {
    /// The part behind a plane, once that is moved out by how far the body reaches through it.
    #[inline]
    fn cut(&self, plane: &SplitPlane, reach: f64, part: Part, is_bevel: bool) -> Option<Part> {
        let mut part = part;
        let (height, rate) = (plane.height(self.from), plane.normal.dot(self.way));
        // Above 0 until the body is in by more than the tolerance.
        let above = height - (reach - self.tree.thin);
        if rate < 0.0 {
            part.low = part.low.max(above / -rate);
            let touch = (height - reach) / -rate;
            if part.touch < touch && 0.0 < above {
                (part.touch, part.entry, part.is_bevel) = (touch, Some(*plane), is_bevel);
            }
        } else if 0.0 < rate {
            part.high = part.high.min(-above / rate);
        } else if 0.0 <= above {
            return None;
        }
        (part.low < part.high).then_some(part)
    }

    /// The parts on either side of the plane of a node, the one where the part begins last; and before both that in which the body is on
    /// neither side: there both have to be solid.
    #[inline]
    fn push_children(&self, part: Part, stack: &mut TraceStack) {
        let Some(node) = self.tree.nodes.get(part.child as usize) else { return };
        let Some(plane) = self.tree.planes.get(node.plane as usize) else { return };
        let [front, back] = node.children;
        let (up, down) = (self.body.reach(plane.normal), self.body.reach(-plane.normal));
        if up + down < 2.0 * self.tree.thin
            && let Some([low, high]) = self.between(plane, [up, down], &part)
        {
            stack.also.push((back, part.also));
            let also = stack.also.len() as u32;
            stack.parts.push(Part { child: front, low, high, also, ..part });
        }
        let in_front = self.cut(&plane.flipped(), up, Part { child: front, ..part }, false);
        let behind = self.cut(plane, down, Part { child: back, ..part }, false);
        let starts_behind = plane.height(self.from) + plane.normal.dot(self.way) * part.low < 0.0;
        let far_and_near = if starts_behind { [in_front, behind] } else { [behind, in_front] };
        stack.parts.extend(far_and_near.into_iter().flatten());
    }

    /// When a body thinner than the tolerance is on neither side of a plane, as it is in a seam of two brushes. `None` where it only
    /// comes through.
    fn between(&self, plane: &SplitPlane, [up, down]: [f64; 2], part: &Part) -> Option<[f64; 2]> {
        let thin = self.tree.thin;
        let (height, rate) = (plane.height(self.from), plane.normal.dot(self.way));
        let (lowest, highest) = (down - thin, thin - up);
        let (low, high) = if rate == 0.0 {
            (lowest <= height && height <= highest).then_some((part.low, part.high))?
        } else {
            let (a, b) = ((lowest - height) / rate, (highest - height) / rate);
            (part.low.max(a.min(b)), part.high.min(a.max(b)))
        };
        // So short a way is within the tolerance; but a start there is told.
        let is_short = 0.0 < low && (high - low) * scaling::length(self.way) <= MOST_CROSSED * thin;
        (low < high && !is_short).then_some([low, high])
    }

    /// The part that the bevels of a cell leave.
    fn piece(&self, leaf: &Leaf, part: Part) -> Option<Part> {
        self.tree
            .bevels_of(leaf)
            .iter()
            .try_fold(part, |part, plane| self.cut(plane, self.body.reach(-plane.normal), part, true))
    }

    fn enter(&self, leaf: &Leaf, part: Part) -> TraceHit {
        let t = part.touch.max(0.0);
        let plane = part.entry.unwrap_or(SplitPlane { normal: DVec3::ZERO, offset: 0.0 });
        TraceHit {
            t,
            place: self.from + self.way * t,
            normal: plane.normal,
            plane,
            is_bevel: part.is_bevel,
            starts_inside: part.entry.is_none(),
            contents: leaf.contents,
        }
    }
}
