//! Finds the contents at a position. A point takes one descent of the tree. A body takes all cells
//! that it reaches, as in a sweep of length zero.
//!
//! Reference: W. Thibault, B. Naylor, Set Operations on Polyhedra Using Binary Space Partitioning
//! Trees, 1987 (point classification); Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5
//! (bodies by shifted planes).

use crate::body::{Body, Point};
use crate::tree::{BspTree, Contents, LEAF};
use crate::walk::{TraceStack, Walk};
use alloc::vec::Vec;
use carom_math::scaling;
use glam::DVec3;

impl BspTree {
    /// Returns the contents at a point. In a seam between brushes these are the bits that all of
    /// the brushes have; on an outer face there are none. Empty for a point that is not finite.
    pub fn contents_at(&self, point: DVec3) -> Contents {
        if !point.is_finite() {
            return Contents::empty();
        }
        let mut child = self.root;
        while child & LEAF == 0 {
            let Some(node) = self.nodes.get(child as usize) else { break };
            let Some(plane) = self.planes.get(node.plane as usize) else { break };
            let height = plane.height(point);
            // Near a plane both sides must be visited.
            if height.abs() <= self.thin {
                return self.contents_within(&Point, point);
            }
            child = node.children[usize::from(height < 0.0)];
        }
        let leaf = child & !LEAF;
        self.leaves.get(leaf as usize).map_or(Contents::empty(), |leaf| leaf.contents)
    }

    /// Returns the reference to the leaf that a point is in.
    pub(crate) fn leaf_at(&self, point: DVec3) -> u32 {
        let mut child = self.root;
        while child & LEAF == 0 {
            let Some(node) = self.nodes.get(child as usize) else { return LEAF };
            let Some(plane) = self.planes.get(node.plane as usize) else { return LEAF };
            child = node.children[usize::from(plane.height(point) < 0.0)];
        }
        child
    }

    /// Returns all contents that a body overlaps by more than the tolerance. Near edges of the
    /// level this includes near misses, as for [`BspTree::trace`]. For a point in a seam between
    /// brushes these are the bits that all of the brushes have; on an outer face there are none.
    /// Empty for a position that is not finite.
    pub fn contents_within(&self, body: &impl Body, position: DVec3) -> Contents {
        self.contents_within_with(body, position, &mut TraceStack::new())
    }

    /// Does the same as [`BspTree::contents_within`], without allocating once the stack has room.
    pub fn contents_within_with(
        &self,
        body: &impl Body,
        position: DVec3,
        stack: &mut TraceStack,
    ) -> Contents {
        let mut contents = Contents::empty();
        if position.is_finite() {
            let walk = Walk::still(self, body, position, Contents::all(), stack);
            while let Some(piece) = walk.next(1.0, stack, |_| ()) {
                contents |= piece.contents;
            }
        }
        contents
    }

    /// Returns whether the body overlaps contents that share a bit with `mask`.
    fn is_within(&self, body: &impl Body, position: DVec3, mask: Contents, stack: &mut TraceStack) -> bool {
        let walk = Walk::still(self, body, position, mask, stack);
        walk.next(1.0, stack, |_| ()).is_some()
    }

    /// Returns a nearby position at which the body is free of contents that share a bit with
    /// `mask`. A body that is free stays where it is.
    ///
    /// Otherwise the body is moved straight along one direction: the normal of a plane of a nearby
    /// cell, an axis, or a diagonal between axes. The nearest of the free positions found is
    /// returned. `None` if no direction leads to one, or if the position is not finite.
    pub fn nearest_free(&self, body: &impl Body, position: DVec3, mask: Contents) -> Option<DVec3> {
        self.nearest_free_of(&[(body, DVec3::ZERO)], position, mask)
    }

    /// Does the same as [`BspTree::nearest_free`] for bodies that move together. Each comes with
    /// the offset of its reference point from the position.
    pub(crate) fn nearest_free_of<B: Body>(
        &self,
        bodies: &[(&B, DVec3)],
        position: DVec3,
        mask: Contents,
    ) -> Option<DVec3> {
        if !bodies.iter().all(|(_, by)| (position + *by).is_finite()) {
            return None;
        }
        let mut stack = TraceStack::new();
        let mut directions = Vec::new();
        let mut is_free = true;
        for (body, by) in bodies {
            let walk = Walk::still(self, *body, position + *by, mask, &mut stack);
            while walk.next(1.0, &mut stack, |plane| directions.push(plane.normal)).is_some() {
                is_free = false;
            }
        }
        if is_free {
            return Some(position);
        }
        for i in 0..27 {
            let third = |i: i32| f64::from(i % 3 - 1);
            directions.extend(scaling::unit(DVec3::new(third(i), third(i / 3), third(i / 9))));
        }
        directions.sort_by(|a, b| (a.x.total_cmp(&b.x)).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
        directions.dedup();
        let mut covered: Vec<(f64, f64)> = Vec::new();
        let mut nearest = f64::INFINITY;
        let mut found = None;
        for direction in directions {
            // Far enough that each body is clear of the level.
            let size = (self.high - self.low).length();
            let beyond = bodies.iter().fold(0.0, |most: f64, (body, by)| {
                most.max(size + (position + *by - self.low).length() + body.reach(-direction))
            });
            let far = beyond.min(nearest);
            covered.clear();
            for (body, by) in bodies {
                let segment = [position + *by, direction * far];
                let walk = Walk::<_, false>::all(self, *body, segment, mask, &mut stack);
                while let Some(piece) = walk.next(1.0, &mut stack, |_| ()) {
                    covered.push((piece.low, piece.high));
                }
            }
            covered.sort_by(|a, b| a.0.total_cmp(&b.0));
            // The end of the pieces that follow each other from the start, without a gap larger
            // than rounding.
            let slack = self.thin / far;
            let end = covered
                .iter()
                .fold(0.0, |end: f64, piece| if piece.0 <= end + slack { end.max(piece.1) } else { end });
            let displacement = direction * (end * far + 2.0 * self.thin);
            let mut is_within = || {
                bodies
                    .iter()
                    .any(|(body, by)| self.is_within(*body, position + displacement + *by, mask, &mut stack))
            };
            if end < 1.0 && displacement.length() < nearest && !is_within() {
                (nearest, found) = (displacement.length(), Some(position + displacement));
            }
        }
        found
    }
}
