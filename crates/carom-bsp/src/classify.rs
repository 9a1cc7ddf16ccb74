//! What is at a place: for a point by one walk down, for a body by all cells that it reaches.
//!
//! Reference: W. Thibault, B. Naylor, Set Operations on Polyhedra Using Binary Space Partitioning Trees, 1987 (point classification);
//! Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (bodies by shifted planes).

use crate::body::Body;
use crate::planes::SplitPlane;
use crate::trace::TraceStack;
use crate::tree::{BspTree, Contents, LEAF};
use alloc::vec::Vec;
use carom_math::scaling;
use glam::DVec3;

impl BspTree {
    /// What is at a point; in a surface, what is in front of the plane of its face or what is behind. Nothing at a point with a NaN.
    pub fn contents_at(&self, point: DVec3) -> Contents {
        if point.is_nan() {
            return Contents::empty();
        }
        let leaf = self.leaf_at(point) & !LEAF;
        self.leaves.get(leaf as usize).map_or(Contents::empty(), |leaf| leaf.contents)
    }

    /// The reference to the leaf that a point is in.
    pub(crate) fn leaf_at(&self, point: DVec3) -> u32 {
        let mut child = self.root;
        while child & LEAF == 0 {
            let Some(node) = self.nodes.get(child as usize) else { return LEAF };
            let Some(plane) = self.planes.get(node.plane as usize) else { return LEAF };
            child = node.children[usize::from(plane.height(point) < 0.0)];
        }
        child
    }

    /// Everything that a body overlaps by more than the tolerance; near edges of the level, what it nearly does ([`BspTree::trace`]).
    pub fn contents_within(&self, body: &impl Body, place: DVec3) -> Contents {
        self.contents_within_with(body, place, &mut TraceStack::new())
    }

    /// [`BspTree::contents_within`], without allocating once the stack has room.
    pub fn contents_within_with(&self, body: &impl Body, place: DVec3, stack: &mut TraceStack) -> Contents {
        let mut contents = Contents::empty();
        stack.start(self.root);
        while let Some(part) = stack.parts.pop() {
            if part.child & LEAF != 0 {
                contents |= self.overlapped(body, place, part.child).map_or(Contents::empty(), |leaf| leaf.0);
                continue;
            }
            let ways = self.reached(body, place, part.child);
            stack.parts.extend(ways.into_iter().flatten().map(|(child, _)| part.of(child)));
        }
        contents
    }

    /// A place near by where the body is free of what is in `mask`: itself where it is, else the nearest that is reached straight along
    /// the normal of a plane of a cell that it is in, along an axis, or between axes. `None` for a place that is no place.
    pub fn nearest_free(&self, body: &impl Body, place: DVec3, mask: Contents) -> Option<DVec3> {
        if !place.is_finite() {
            return None;
        }
        let mut directions = Vec::new();
        self.visit_cells(body, place, |contents, planes, bevels| {
            if contents.intersects(mask) {
                directions.extend(planes.iter().chain(bevels).map(|plane| plane.normal));
            }
        });
        if directions.is_empty() {
            return Some(place);
        }
        for i in 0..27 {
            let third = |i: i32| f64::from(i % 3 - 1);
            directions.extend(scaling::unit(DVec3::new(third(i), third(i / 3), third(i / 9))));
        }
        directions.sort_by(|a, b| (a.x.total_cmp(&b.x)).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
        directions.dedup();
        let mut stack = TraceStack::new();
        let mut covered = Vec::new();
        let mut nearest = f64::INFINITY;
        let mut found = None;
        for direction in directions {
            // Beyond the level, and the body clear of it.
            let beyond =
                (self.high - self.low).length() + (place - self.low).length() + body.reach(-direction);
            let far = beyond.min(nearest);
            self.cover(body, place, direction * far, mask, &mut stack, &mut covered);
            covered.sort_by(|a, b| a.0.total_cmp(&b.0));
            // Where the pieces leave the first gap.
            let end = covered
                .iter()
                .fold(0.0, |end: f64, piece| if piece.0 <= end { end.max(piece.1) } else { end });
            let way = direction * (end * far + 2.0 * self.thin);
            if end < 1.0
                && way.length() < nearest
                && !self.contents_within(body, place + way).intersects(mask)
            {
                (nearest, found) = (way.length(), Some(place + way));
            }
        }
        found
    }

    /// The cells that the body overlaps by more than the tolerance: their contents, the planes on the way to them with the cell
    /// behind, and their bevels.
    fn visit_cells(
        &self,
        body: &impl Body,
        place: DVec3,
        mut cell: impl FnMut(Contents, &[SplitPlane], &[SplitPlane]),
    ) {
        let mut way: Vec<SplitPlane> = Vec::new();
        let mut stack = Vec::new();
        stack.push((self.root, 0, None));
        while let Some((child, depth, last)) = stack.pop() {
            way.truncate(depth);
            way.extend(last);
            if child & LEAF != 0 {
                if let Some((contents, bevels)) = self.overlapped(body, place, child) {
                    cell(contents, &way, bevels);
                }
                continue;
            }
            let ways = self.reached(body, place, child);
            stack.extend(ways.into_iter().flatten().map(|(child, behind)| (child, way.len(), Some(behind))));
        }
    }

    /// The contents and the bevels of a leaf that the body is in, as far as its bevels tell; `None` for one that it is not in, or that is empty.
    fn overlapped(&self, body: &impl Body, place: DVec3, leaf: u32) -> Option<(Contents, &[SplitPlane])> {
        let leaf = self.leaves.get((leaf & !LEAF) as usize).filter(|leaf| !leaf.contents.is_empty())?;
        let bevels = self.bevels_of(leaf);
        bevels.iter().all(|plane| self.is_in(body, place, plane)).then_some((leaf.contents, bevels))
    }

    /// The children of a node that the body reaches into, each with the plane behind which it lies.
    fn reached(&self, body: &impl Body, place: DVec3, node: u32) -> [Option<(u32, SplitPlane)>; 2] {
        let Some(node) = self.nodes.get(node as usize) else { return [None; 2] };
        let Some(&plane) = self.planes.get(node.plane as usize) else { return [None; 2] };
        let [front, back] = node.children;
        [(front, plane.flipped()), (back, plane)]
            .map(|(child, behind)| self.is_in(body, place, &behind).then_some((child, behind)))
    }

    /// The body reaches behind the plane.
    fn is_in(&self, body: &impl Body, place: DVec3, plane: &SplitPlane) -> bool {
        plane.height(place) < body.reach(-plane.normal) - self.thin
    }
}
