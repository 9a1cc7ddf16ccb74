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
//! Reference: S. Melax, Dynamic Plane Shifting BSP Traversal, Graphics Interface 2000; Akenine-Moller et al., Real-Time Rendering, 4th ed.,
//! 25.5 (`HitCheckBSP`). Differs: a stack for the recursion; times along the segment for points; bevels stand at the cells.

use crate::body::Body;
use crate::planes::SplitPlane;
use crate::tree::{BspTree, Contents, LEAF, Leaf};
use alloc::vec::Vec;
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
}

impl Part {
    /// The same part of the segment, in a child of the cell.
    pub(crate) fn of(self, child: u32) -> Part {
        Part { child, ..self }
    }
}

/// Room for what is still to be looked at; kept between sweeps, so that these allocate nothing.
#[derive(Clone, Debug, Default)]
pub struct TraceStack(pub(crate) Vec<Part>);

impl TraceStack {
    /// Without room yet.
    pub fn new() -> TraceStack {
        TraceStack::default()
    }

    /// All of the segment, in all of the tree.
    pub(crate) fn start(&mut self, root: u32) {
        self.0.clear();
        self.0.push(Part {
            child: root,
            low: 0.0,
            high: 1.0,
            touch: f64::NEG_INFINITY,
            entry: None,
            is_bevel: false,
        });
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
        let stack = &mut stack.0;
        while let Some(part) = stack.pop() {
            if limit < part.touch {
                continue;
            }
            if part.child & LEAF != 0 {
                let leaf = self.leaves.get((part.child & !LEAF) as usize);
                let Some(leaf) = leaf.filter(|leaf| leaf.contents.intersects(mask)) else { continue };
                let Some(hit) = sweep.enter(leaf, part) else { continue };
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
            stack.extend(sweep.far_and_near(part).into_iter().flatten());
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
        while let Some(part) = stack.0.pop() {
            if part.child & LEAF != 0 {
                let leaf = self.leaves.get((part.child & !LEAF) as usize);
                let Some(leaf) = leaf.filter(|leaf| leaf.contents.intersects(mask)) else { continue };
                pieces.extend(sweep.piece(leaf, part).map(|part| (part.low, part.high)));
                continue;
            }
            stack.0.extend(sweep.far_and_near(part).into_iter().flatten());
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
    /// The part behind a plane, once that is moved out.
    #[inline]
    fn cut(&self, plane: &SplitPlane, part: Part, is_bevel: bool) -> Option<Part> {
        let mut part = part;
        let reach = self.body.reach(-plane.normal);
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

    /// The parts on either side of the plane of a node, the one where the part begins last.
    #[inline]
    fn far_and_near(&self, part: Part) -> [Option<Part>; 2] {
        let Some(node) = self.tree.nodes.get(part.child as usize) else { return [None; 2] };
        let Some(plane) = self.tree.planes.get(node.plane as usize) else { return [None; 2] };
        let in_front = self.cut(&plane.flipped(), Part { child: node.children[0], ..part }, false);
        let behind = self.cut(plane, Part { child: node.children[1], ..part }, false);
        let starts_behind = plane.height(self.from) + plane.normal.dot(self.way) * part.low < 0.0;
        if starts_behind { [in_front, behind] } else { [behind, in_front] }
    }

    /// The part that the bevels of a cell leave.
    fn piece(&self, leaf: &Leaf, part: Part) -> Option<Part> {
        self.tree.bevels_of(leaf).iter().try_fold(part, |part, plane| self.cut(plane, part, true))
    }

    fn enter(&self, leaf: &Leaf, part: Part) -> Option<TraceHit> {
        let part = self.piece(leaf, part)?;
        let t = part.touch.max(0.0);
        let plane = part.entry.unwrap_or(SplitPlane { normal: DVec3::ZERO, offset: 0.0 });
        Some(TraceHit {
            t,
            place: self.from + self.way * t,
            normal: plane.normal,
            plane,
            is_bevel: part.is_bevel,
            starts_inside: part.entry.is_none(),
            contents: leaf.contents,
        })
    }
}
