//! Follows primitives that have moved: new volumes bottom up, in one pass from the last node to the
//! first.
//!
//! Boxes are merged. A leaf of another kind is fitted to the points or boxes in it, and a node to
//! the volumes of its children. By points each volume keeps its orientation, so no axes are
//! searched.
//!
//! A node's box is gathered on the way, not read from its lanes once these are written, and four
//! boxes are merged without a branch on how many there are; where there are many, they are asked
//! for before their turn. At 100,000 triangles a call is 4.5 million instructions, a sixth of them
//! to check the boxes, and bound by these: 0.34 ms (the least of 300; AMD EPYC, 2026-11-22). What
//! was tried: to ask for boxes that come soon enough by themselves, 0.42 ms; not to ask where there
//! are a million, 1.5 to 3 times the time; a branch on how many there are, 0.57; numbers chosen by
//! lanes, or a box as one row of eight lanes, as many instructions as now. A million are bound by
//! memory: two passes over 24 MB of boxes, as a refused box must leave the tree as it was, and 27
//! MB of nodes read and written.
//!
//! Reference: G. van den Bergen, Efficient Collision Detection of Complex Deformable Models using
//! AABB Trees, 1997; Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.7.

#[cfg(feature = "parallel")]
mod par;
mod volumes;

use crate::tree::{Bvh, BvhError, HOLE, LEAF, MAX_COORDINATE, Node8, TreeVolume, check_box, check_boxes};
use crate::volumes::Volumes8;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume as _};
use carom_lanes::{F32Lanes, Kernel, Simd, dispatch};
use glam::Vec3;

impl<V: TreeVolume> Bvh<V> {
    /// New bounds for all primitives, by their numbers; volumes are fitted to boxes, which is loose
    /// for all but boxes: see [`Bvh::refit_points`]. On an error the tree stays as it was.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        if boxes.len() != self.len() {
            return Err(BvhError::WrongCount { expected: self.len(), given: boxes.len() });
        }
        check_boxes(boxes)?;
        refit_checked(self, boxes);
        Ok(())
    }

    /// New bounds for all primitives from `bounds(place, number)`, where the place is that in
    /// [`Bvh::primitives`]: geometry kept in that order is read from front to back. The function is
    /// called once for each, from the last place to the first within a node.
    ///
    /// On an error every volume is new and the refused primitives are in none: refit again before
    /// asking.
    pub fn refit_with(&mut self, bounds: impl FnMut(u32, u32) -> Aabb) -> Result<(), BvhError> {
        let mut source = Asked { bounds, refused: Ok(()) };
        refit_in_turn(self, &mut source);
        source.refused
    }

    /// New bounds for primitives that are each the hull of `N` of the points: triangles, segments,
    /// tetrahedra of a mesh whose vertices have moved. `corners` holds the numbers of the points in
    /// the order of [`Bvh::primitives`], which a mesh that deforms is sorted by once: then
    /// everything is read from front to back, and no box is written in between. On an error the
    /// tree stays as it was.
    ///
    /// Volumes other than boxes are fitted to the points, with the orientation that they had. They
    /// hold every point exactly. Build the tree anew if parts of the body have turned far.
    ///
    /// Of 100,000 triangles this takes 0.78 ms where [`Bvh::refit_with`], which asks a function for
    /// boxes, takes 1.0, and [`Bvh::refit`] 0.34 once the boxes are there (AMD EPYC, 2026-11-22,
    /// the least of 300 of each, a busy machine).
    pub fn refit_points<const N: usize>(
        &mut self,
        points: &[Vec3],
        corners: &[[u32; N]],
    ) -> Result<(), BvhError> {
        if corners.len() != self.len() {
            return Err(BvhError::WrongCount { expected: self.len(), given: corners.len() });
        }
        if !dispatch(AreAllowed { points, corners: corners.as_flattened() }) {
            self.check_corners(points, corners)?;
        }
        refit_from(self, Corners { points, corners });
        Ok(())
    }

    /// Refuses the primitive with the least number whose corners are not all there, or not all
    /// numbers that are allowed.
    fn check_corners<const N: usize>(&self, points: &[Vec3], corners: &[[u32; N]]) -> Result<(), BvhError> {
        let mut places: Vec<(u32, usize)> = self.primitives.iter().copied().zip(0..).collect();
        places.sort_unstable();
        for (primitive, place) in places {
            let primitive = primitive as usize;
            for &point in corners.get(place).into_iter().flatten() {
                let point = *points.get(point as usize).ok_or(BvhError::NoSuchPoint { primitive })?;
                check_box(&Aabb { min: point, max: point }, primitive)?;
            }
        }
        Ok(())
    }
}

/// All corners are there, and all coordinates numbers and not too large: the largest of both, in
/// loops without a branch.
struct AreAllowed<'a> {
    points: &'a [Vec3],
    corners: &'a [u32],
}

impl Kernel for AreAllowed<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> bool {
        let mut most = 0;
        for &corner in self.corners {
            most = if most < corner { corner } else { most };
        }
        // Without their sign the bits of numbers are ordered as these are, and those of NaN come
        // last.
        let mut largest = 0;
        for point in self.points {
            for x in [point.x, point.y, point.z] {
                let bits = x.to_bits() & 0x7fff_ffff;
                largest = if largest < bits { bits } else { largest };
            }
        }
        let are_there = self.corners.is_empty() || (most as usize) < self.points.len();
        are_there && largest <= MAX_COORDINATE.to_bits()
    }
}

/// New volumes for a tree of boxes, around boxes that were checked, by the numbers of the
/// primitives.
pub(crate) fn refit_checked<V: TreeVolume>(tree: &mut Bvh<V>, boxes: &[Aabb]) {
    refit_from(tree, Given { boxes });
}

/// On as many threads as there are, where there is enough to do.
fn refit_from<V: TreeVolume>(tree: &mut Bvh<V>, source: impl Source + Copy + Send + Sync) {
    #[cfg(feature = "parallel")]
    if par::pays(tree.nodes.len()) && par::refit(tree, source) {
        return;
    }
    refit_in_turn(tree, &mut { source });
}

/// On one thread.
fn refit_in_turn<V: TreeVolume>(tree: &mut Bvh<V>, source: &mut impl Source) {
    let Bvh { nodes, leaf_starts, primitives, bounds } = tree;
    let part = Part { nodes, base: 0, leaf_starts, primitives, before: *bounds };
    if let Some(all) = refit_part(part, source) {
        *bounds = all;
    }
}

/// A node and all below it.
struct Part<'a, V: TreeVolume> {
    nodes: &'a mut [Node8<V::Volumes8>],
    /// The number of the first of the nodes.
    base: usize,
    leaf_starts: &'a [u32],
    primitives: &'a [u32],
    /// The volume around the first node before.
    before: V,
}

/// New volumes for a part of a tree. Returns that around the first node for its parent; nothing
/// where there is no node, or where one is not below the first.
fn refit_part<V: TreeVolume>(part: Part<'_, V>, source: &mut impl Source) -> Option<V> {
    if V::Volumes8::ARE_BOXES { dispatch(Refit { part, source }) } else { volumes::refit(part, source) }
}

/// Where the bounds come from.
trait Source {
    /// Volumes keep their orientation; otherwise they have that of the boxes in the leaves.
    const KEEPS_ORIENTATION: bool;

    /// A volume around the primitives from this place on, with these numbers, for a leaf that had a
    /// volume before.
    fn volume<V: TreeVolume>(&mut self, before: &V, first: u32, numbers: &[u32]) -> V;

    /// Adds the primitives from this place on, with these numbers.
    fn add<S: Simd>(&mut self, simd: S, first: u32, numbers: &[u32], around: &mut Around<S>);

    /// So many that it pays to ask for them before their turn.
    fn are_many(&self) -> bool;

    /// Asks for what [`Source::add`] will need of the first few primitives from this place on, with
    /// these numbers.
    fn prefetch<S: Simd>(&self, simd: S, first: usize, numbers: &[u32]);
}

/// Boxes by number.
#[derive(Clone, Copy)]
struct Given<'a> {
    boxes: &'a [Aabb],
}

impl Source for Given<'_> {
    const KEEPS_ORIENTATION: bool = false;

    fn volume<V: TreeVolume>(&mut self, _: &V, _: u32, numbers: &[u32]) -> V {
        let own = numbers.iter().filter_map(|&number| self.boxes.get(number as usize));
        V::from_aabb(&own.fold(Aabb::EMPTY, |all, aabb| all.merged(aabb)))
    }

    /// Four at a time, the last one again where there are fewer: how many there are is hard to
    /// foresee for a processor.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, _: u32, numbers: &[u32], around: &mut Around<S>) {
        let mut at = 0;
        while at < numbers.len() {
            for k in 0..4 {
                let number = numbers[(at + k).min(numbers.len() - 1)];
                if let Some(aabb) = self.boxes.get(number as usize) {
                    around.add(simd, aabb);
                }
            }
            at += 4;
        }
    }

    fn are_many(&self) -> bool {
        MANY < self.boxes.len()
    }

    #[inline(always)]
    fn prefetch<S: Simd>(&self, simd: S, _: usize, numbers: &[u32]) {
        if let Some(&[a, b, c, d]) = numbers.first_chunk::<4>() {
            simd.prefetch(self.boxes, a as usize);
            simd.prefetch(self.boxes, b as usize);
            simd.prefetch(self.boxes, c as usize);
            simd.prefetch(self.boxes, d as usize);
        }
    }
}

/// Points by number, in the order of the leaves.
#[derive(Clone, Copy)]
struct Corners<'a, const N: usize> {
    points: &'a [Vec3],
    corners: &'a [[u32; N]],
}

impl<const N: usize> Source for Corners<'_, N> {
    const KEEPS_ORIENTATION: bool = true;

    fn volume<V: TreeVolume>(&mut self, before: &V, first: u32, numbers: &[u32]) -> V {
        let end = first as usize + numbers.len();
        let own = self.corners.get(first as usize..end).unwrap_or(&[]);
        volumes::around_points(before, own.as_flattened(), self.points)
    }

    /// Four primitives at a time, as with boxes. A point and what follows it in memory are one
    /// load.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, first: u32, numbers: &[u32], around: &mut Around<S>) {
        let end = first as usize + numbers.len();
        let own = self.corners.get(first as usize..end).unwrap_or(&[]);
        let (mut low, mut high) =
            (S::F32x4::splat(simd, f32::INFINITY), S::F32x4::splat(simd, f32::NEG_INFINITY));
        let mut at = 0;
        while at < own.len() {
            for k in 0..4 {
                let corners = &own[(at + k).min(own.len() - 1)];
                for i in 0..N {
                    let from = corners[i] as usize;
                    let point = match self.points.get(from..from + 2) {
                        Some([p, after]) => [p.x, p.y, p.z, after.x],
                        // The last one.
                        _ => match self.points.get(from) {
                            Some(p) => [p.x, p.y, p.z, p.z],
                            None => continue,
                        },
                    };
                    let point = S::F32x4::load(simd, &point);
                    (low, high) = (point.min(low), point.max(high));
                }
            }
            at += 4;
        }
        let ([x, y, z, _], [u, v, w, _]) = (low.to_array(), high.to_array());
        around.add(simd, &Aabb { min: Vec3::new(x, y, z), max: Vec3::new(u, v, w) });
    }

    fn are_many(&self) -> bool {
        MANY < self.corners.len()
    }

    #[inline(always)]
    fn prefetch<S: Simd>(&self, simd: S, first: usize, _: &[u32]) {
        // The corners come before their points can be asked for.
        simd.prefetch(self.corners, first.saturating_sub(AHEAD));
        if let Some(four) = self.corners.get(first..).and_then(|rest| rest.first_chunk::<4>()) {
            for corners in four {
                if let Some(&corner) = corners.first() {
                    simd.prefetch(self.points, corner as usize);
                }
            }
        }
    }
}

/// A function of the caller.
struct Asked<F> {
    bounds: F,
    refused: Result<(), BvhError>,
}

impl<F: FnMut(u32, u32) -> Aabb> Asked<F> {
    /// The boxes that are not refused.
    #[inline(always)]
    fn each(&mut self, first: u32, numbers: &[u32], mut add: impl FnMut(&Aabb)) {
        for (place, &number) in (first..).zip(numbers) {
            let aabb = (self.bounds)(place, number);
            match check_box(&aabb, number as usize) {
                Ok(()) => add(&aabb),
                Err(error) => self.refused = Err(error),
            }
        }
    }
}

impl<F: FnMut(u32, u32) -> Aabb> Source for Asked<F> {
    const KEEPS_ORIENTATION: bool = false;

    fn volume<V: TreeVolume>(&mut self, _: &V, first: u32, numbers: &[u32]) -> V {
        let mut all = Aabb::EMPTY;
        self.each(first, numbers, |aabb| all = all.merged(aabb));
        V::from_aabb(&all)
    }

    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, first: u32, numbers: &[u32], around: &mut Around<S>) {
        self.each(first, numbers, |aabb| around.add(simd, aabb));
    }

    fn are_many(&self) -> bool {
        false
    }

    #[inline(always)]
    fn prefetch<S: Simd>(&self, _: S, _: usize, _: &[u32]) {}
}

/// A box that grows: lanes 0 to 2 of the first are the least coordinates, 1 to 3 of the second the
/// greatest. So a box, six numbers in memory, is two loads.
struct Around<S: Simd> {
    low: S::F32x4,
    high: S::F32x4,
}

impl<S: Simd> Around<S> {
    #[inline(always)]
    fn nothing(simd: S) -> Around<S> {
        let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
        Around { low: S::F32x4::splat(simd, low), high: S::F32x4::splat(simd, high) }
    }

    #[inline(always)]
    fn add(&mut self, simd: S, aabb: &Aabb) {
        let (min, max) = (aabb.min, aabb.max);
        self.low = S::F32x4::load(simd, &[min.x, min.y, min.z, max.x]).min(self.low);
        self.high = S::F32x4::load(simd, &[min.z, max.x, max.y, max.z]).max(self.high);
    }

    #[inline(always)]
    fn merge(&mut self, other: &Around<S>) {
        (self.low, self.high) = (other.low.min(self.low), other.high.max(self.high));
    }

    #[inline(always)]
    fn aabb(&self) -> Aabb {
        let ([x, y, z, _], [_, u, v, w]) = (self.low.to_array(), self.high.to_array());
        Aabb { min: Vec3::new(x, y, z), max: Vec3::new(u, v, w) }
    }
}

/// How many places ahead of their turn primitives are asked for.
const AHEAD: usize = 32;

/// More primitives than this are asked for ahead. The boxes of fewer, 3 MiB, have just been checked
/// and are in a cache still.
const MANY: usize = 1 << 17;

/// Boxes for a part of a tree.
struct Refit<'a, V: TreeVolume, B> {
    part: Part<'a, V>,
    source: &'a mut B,
}

impl<V: TreeVolume, B: Source> Kernel for Refit<'_, V, B> {
    type Output = Option<V>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<V> {
        let Refit { part: Part { nodes, base, leaf_starts, primitives, .. }, source } = self;
        let are_many = source.are_many();
        for i in (0..nodes.len()).rev() {
            let node = &mut nodes[i];
            let mut all = Around::nothing(simd);
            for lane in 0..node.len as usize & 15 {
                let child = node.child[lane & 7];
                if child & LEAF == 0 {
                    // Written when the child was met, later in the list.
                    all.add(simd, &node.volumes.get(lane).to_aabb());
                    continue;
                }
                let leaf = (child & !LEAF) as usize;
                let (first, end) = (leaf_starts[leaf], leaf_starts[leaf + 1]);
                let numbers = primitives.get(first as usize..end as usize).unwrap_or(&[]);
                // Leaves of one node stand from the first to the last, and nodes come from the last
                // to the first.
                if are_many {
                    let ahead = (first as usize).saturating_sub(AHEAD);
                    source.prefetch(simd, ahead, primitives.get(ahead..).unwrap_or(&[]));
                }
                let mut own = Around::nothing(simd);
                source.add(simd, first, numbers, &mut own);
                node.volumes.set(lane, &V::from_aabb(&own.aabb()));
                all.merge(&own);
            }
            let (all, parent) = (V::from_aabb(&all.aabb()), node.parent as usize);
            if i == 0 {
                return Some(all);
            }
            match nodes.get_mut((parent / 8).wrapping_sub(base)) {
                Some(node) => node.volumes.set(parent % 8, &all),
                // Out of use since the tree was edited.
                None if parent == HOLE as usize => {}
                None => return None,
            }
        }
        None
    }
}
