//! Refit: new volumes for primitives that have moved, in one bottom-up pass from the last node to
//! the first.
//!
//! Boxes are merged. Another volume of a leaf is fitted to points or boxes, and that of a node to
//! the volumes of its children. A refit to points keeps each volume's orientation, so no axes are
//! searched.
//!
//! The box around a node is accumulated while its children are computed, not read back from its
//! lanes. Four boxes are merged without a branch on their number. Large inputs are prefetched. See
//! benches/notes for figures and alternatives.
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
    /// Sets new bounds for all primitives, by their numbers. Volumes other than boxes are fitted
    /// to boxes, which is loose: see [`Bvh::refit_points`]. On an error the tree stays as it was.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        if boxes.len() != self.len() {
            return Err(BvhError::WrongCount { expected: self.len(), given: boxes.len() });
        }
        check_boxes(boxes)?;
        refit_checked(self, boxes);
        Ok(())
    }

    /// Sets new bounds for all primitives from `bounds(index, number)`, with the index in
    /// [`Bvh::primitives`]. The function is called once for each primitive: nodes from last to
    /// first, the leaves of a node in their order. So geometry in the order of
    /// [`Bvh::primitives`] is read almost sequentially.
    ///
    /// An error names the refused primitive with the least number. Then all volumes are new, and no
    /// volume holds the refused primitives. Refit again before a query.
    pub fn refit_with(&mut self, bounds: impl FnMut(u32, u32) -> Aabb) -> Result<(), BvhError> {
        let mut source = BoundsFn { bounds, refused: None };
        refit_serial(self, &mut source);
        source.refused.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Refits to primitives that are each the hull of `N` points: triangles, segments or
    /// tetrahedra of a deforming mesh. `corners` holds the numbers of the points of each
    /// primitive, in the order of [`Bvh::primitives`]. So corners are read almost sequentially,
    /// and no list of boxes is needed. On an error the tree stays as it was.
    ///
    /// Volumes other than boxes are fitted to the points, and keep their orientation. They contain
    /// each point, in exact arithmetic (test:
    /// `refit::volumes_of_all_kinds_hold_the_points_that_they_follow`). Rebuild the tree if parts
    /// of the body have rotated far.
    ///
    /// It takes 0.78 of the time of [`Bvh::refit_with`]. [`Bvh::refit`] is twice as fast if the
    /// boxes exist already.
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

    /// Refuses the primitive with the least number that has a missing or invalid corner.
    fn check_corners<const N: usize>(&self, points: &[Vec3], corners: &[[u32; N]]) -> Result<(), BvhError> {
        let mut indices: Vec<(u32, usize)> = self.primitives.iter().copied().zip(0..).collect();
        indices.sort_unstable();
        for (primitive, index) in indices {
            let primitive = primitive as usize;
            for &point in corners.get(index).into_iter().flatten() {
                let point = *points.get(point as usize).ok_or(BvhError::NoSuchPoint { primitive })?;
                check_box(&Aabb { min: point, max: point }, primitive)?;
            }
        }
        Ok(())
    }
}

/// Checks that all corners exist, and that all coordinates are finite and not too large. The loops
/// find the largest of both without a branch.
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
        // Without the sign, the bits of floats have the order of their absolute values. NaN comes
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

/// Computes new volumes for a tree from checked boxes, by the numbers of the primitives.
pub(crate) fn refit_checked<V: TreeVolume>(tree: &mut Bvh<V>, boxes: &[Aabb]) {
    refit_from(tree, BoxesByNumber { boxes });
}

/// Refits on several threads, if there is enough work.
fn refit_from<V: TreeVolume>(tree: &mut Bvh<V>, source: impl Source + Copy + Send + Sync) {
    #[cfg(feature = "parallel")]
    if par::pays(tree.nodes.len()) && par::refit(tree, source) {
        return;
    }
    refit_serial(tree, &mut { source });
}

/// Refits on one thread.
fn refit_serial<V: TreeVolume>(tree: &mut Bvh<V>, source: &mut impl Source) {
    let Bvh { nodes, leaf_starts, primitives, bounds } = tree;
    let part = Subtree { nodes, base: 0, leaf_starts, primitives, before: *bounds };
    if let Some(all) = refit_part(part, source) {
        *bounds = all;
    }
}

/// A node and its subtree.
struct Subtree<'a, V: TreeVolume> {
    nodes: &'a mut [Node8<V::Volumes8>],
    /// The number of the first of the nodes.
    base: usize,
    leaf_starts: &'a [u32],
    primitives: &'a [u32],
    /// The old volume around the first node.
    before: V,
}

/// Computes new volumes for a subtree. Returns the volume around its first node for the parent.
/// Returns `None` without nodes, or if a node is outside the subtree.
fn refit_part<V: TreeVolume>(part: Subtree<'_, V>, source: &mut impl Source) -> Option<V> {
    if V::Volumes8::ARE_BOXES { dispatch(Refit { part, source }) } else { volumes::refit(part, source) }
}

/// The source of the bounds.
trait Source {
    /// Whether volumes keep their orientation; otherwise they take that of the boxes in the
    /// leaves.
    const KEEPS_ORIENTATION: bool;

    /// A volume around the primitives with these numbers, whose indices begin at `first`. `before`
    /// is the old volume of the leaf.
    fn volume<V: TreeVolume>(&mut self, before: &V, first: u32, numbers: &[u32]) -> V;

    /// Adds the primitives with these numbers, whose indices begin at `first`, to a box.
    fn add<S: Simd>(&mut self, simd: S, first: u32, numbers: &[u32], around: &mut GrowingBox<S>);

    /// Whether there are so many that prefetching pays.
    fn are_many(&self) -> bool;

    /// Prefetches the data of [`Source::add`] for the first few of the primitives with these
    /// numbers, whose indices begin at `first`.
    fn prefetch<S: Simd>(&self, simd: S, first: usize, numbers: &[u32]);
}

/// A source: boxes, by the numbers of the primitives.
#[derive(Clone, Copy)]
struct BoxesByNumber<'a> {
    boxes: &'a [Aabb],
}

impl Source for BoxesByNumber<'_> {
    const KEEPS_ORIENTATION: bool = false;

    fn volume<V: TreeVolume>(&mut self, _: &V, _: u32, numbers: &[u32]) -> V {
        let own = numbers.iter().filter_map(|&number| self.boxes.get(number as usize));
        V::from_aabb(&own.fold(Aabb::EMPTY, |all, aabb| all.merged(aabb)))
    }

    /// Adds four boxes at a time; the last one is repeated if there are fewer. A branch on their
    /// number would be unpredictable.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, _: u32, numbers: &[u32], around: &mut GrowingBox<S>) {
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
        MAX_CACHED_PRIMITIVES < self.boxes.len()
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

/// A source: the points of each primitive, in the order of the leaves.
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

    /// Adds four primitives at a time, as with boxes. A point and the next value in memory are one
    /// load.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, first: u32, numbers: &[u32], around: &mut GrowingBox<S>) {
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
        MAX_CACHED_PRIMITIVES < self.corners.len()
    }

    #[inline(always)]
    fn prefetch<S: Simd>(&self, simd: S, first: usize, _: &[u32]) {
        // The corners are needed before their points can be prefetched.
        simd.prefetch(self.corners, first.saturating_sub(PREFETCH_DISTANCE));
        if let Some(four) = self.corners.get(first..).and_then(|rest| rest.first_chunk::<4>()) {
            for corners in four {
                if let Some(&corner) = corners.first() {
                    simd.prefetch(self.points, corner as usize);
                }
            }
        }
    }
}

/// A source: a function of the caller.
struct BoundsFn<F> {
    bounds: F,
    /// The refused primitive with the least number.
    refused: Option<(u32, BvhError)>,
}

impl<F: FnMut(u32, u32) -> Aabb> BoundsFn<F> {
    /// Calls `add` for the boxes that are not refused.
    #[inline(always)]
    fn each(&mut self, first: u32, numbers: &[u32], mut add: impl FnMut(&Aabb)) {
        for (index, &number) in (first..).zip(numbers) {
            let aabb = (self.bounds)(index, number);
            match check_box(&aabb, number as usize) {
                Ok(()) => add(&aabb),
                Err(error) => {
                    if self.refused.is_none_or(|(least, _)| number < least) {
                        self.refused = Some((number, error));
                    }
                }
            }
        }
    }
}

impl<F: FnMut(u32, u32) -> Aabb> Source for BoundsFn<F> {
    const KEEPS_ORIENTATION: bool = false;

    fn volume<V: TreeVolume>(&mut self, _: &V, first: u32, numbers: &[u32]) -> V {
        let mut all = Aabb::EMPTY;
        self.each(first, numbers, |aabb| all = all.merged(aabb));
        V::from_aabb(&all)
    }

    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, first: u32, numbers: &[u32], around: &mut GrowingBox<S>) {
        self.each(first, numbers, |aabb| around.add(simd, aabb));
    }

    fn are_many(&self) -> bool {
        false
    }

    #[inline(always)]
    fn prefetch<S: Simd>(&self, _: S, _: usize, _: &[u32]) {}
}

/// A growing box: lanes 0 to 2 of the first register are the minimum, lanes 1 to 3 of the second
/// the maximum. So a box, six numbers in memory, takes two loads.
struct GrowingBox<S: Simd> {
    low: S::F32x4,
    high: S::F32x4,
}

impl<S: Simd> GrowingBox<S> {
    #[inline(always)]
    fn nothing(simd: S) -> GrowingBox<S> {
        let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
        GrowingBox { low: S::F32x4::splat(simd, low), high: S::F32x4::splat(simd, high) }
    }

    #[inline(always)]
    fn add(&mut self, simd: S, aabb: &Aabb) {
        let (min, max) = (aabb.min, aabb.max);
        self.low = S::F32x4::load(simd, &[min.x, min.y, min.z, max.x]).min(self.low);
        self.high = S::F32x4::load(simd, &[min.z, max.x, max.y, max.z]).max(self.high);
    }

    #[inline(always)]
    fn merge(&mut self, other: &GrowingBox<S>) {
        (self.low, self.high) = (other.low.min(self.low), other.high.max(self.high));
    }

    #[inline(always)]
    fn aabb(&self) -> Aabb {
        let ([x, y, z, _], [_, u, v, w]) = (self.low.to_array(), self.high.to_array());
        Aabb { min: Vec3::new(x, y, z), max: Vec3::new(u, v, w) }
    }
}

/// The prefetch distance, in primitives.
const PREFETCH_DISTANCE: usize = 32;

/// More primitives than this are prefetched. The boxes of fewer, 3 MiB, are still in a cache after
/// the check.
const MAX_CACHED_PRIMITIVES: usize = 1 << 17;

/// The kernel of [`refit_part`] for boxes.
struct Refit<'a, V: TreeVolume, B> {
    part: Subtree<'a, V>,
    source: &'a mut B,
}

impl<V: TreeVolume, B: Source> Kernel for Refit<'_, V, B> {
    type Output = Option<V>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<V> {
        let Refit { part: Subtree { nodes, base, leaf_starts, primitives, .. }, source } = self;
        let are_many = source.are_many();
        for i in (0..nodes.len()).rev() {
            let node = &mut nodes[i];
            let mut all = GrowingBox::nothing(simd);
            for lane in 0..node.len as usize & 15 {
                let child = node.child[lane & 7];
                if child & LEAF == 0 {
                    // It was written when the child was visited, later in the list.
                    all.add(simd, &node.volumes.get(lane).to_aabb());
                    continue;
                }
                let leaf = (child & !LEAF) as usize;
                let (first, end) = (leaf_starts[leaf], leaf_starts[leaf + 1]);
                let numbers = primitives.get(first as usize..end as usize).unwrap_or(&[]);
                // Nodes are visited from last to first, so the next leaves have lower indices.
                if are_many {
                    let ahead = (first as usize).saturating_sub(PREFETCH_DISTANCE);
                    source.prefetch(simd, ahead, primitives.get(ahead..).unwrap_or(&[]));
                }
                let mut own = GrowingBox::nothing(simd);
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
                // The node is unused since an edit of the tree.
                None if parent == HOLE as usize => {}
                None => return None,
            }
        }
        None
    }
}
