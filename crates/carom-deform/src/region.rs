//! Crossings of two meshes without a tree, by halving the region that both of their boxes cover.
//!
//! - Two meshes touch only in the intersection of their boxes. The faces of both that reach into
//!   it are listed.
//! - The region is a cell. A cell shrinks to where the faces of both meshes reach, and is halved
//!   along one axis; each half lists the faces of its parent that reach into it. Three halvings
//!   make one level of an octree, which is not stored.
//! - A cell with faces of one mesh only is dropped. A cell is a leaf, whose pairs are tested, if
//!   its pairs are few, or if no halving would drop a quarter of them.
//! - A face may be in several cells. A pair is tested in one of them: the cell that holds the
//!   lowest corner of the intersection of the two boxes. Halves do not overlap, and the boxes of
//!   both faces reach to that corner.
//!
//! Reference: A. Smith, Y. Kitamura, H. Takemura, F. Kishino, A Simple and Efficient Method for
//! Accurate Collision Detection Among Deformable Polyhedral Objects in Arbitrary Motion, 1995;
//! Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.7. Differs: one axis at a time, the
//! best one; cells shrink; a corner instead of a table says whether a pair was tested.

use crate::deformable::DeformableMesh;
use crate::pair::{FeaturePair, PairKind};
use crate::surface::{Surface, overlap};
use crate::update::FollowingTree;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_geom::tri_tri;
use glam::Vec3;

/// A cell with at most this many pairs is a leaf: to halve it costs more than to test the boxes of
/// its pairs.
const MAX_LEAF_PAIRS: u64 = 64;

/// A cell is halved if the halves have at most this many of every four of its pairs. So the pairs
/// of all leaves are never more than the pairs of all faces, and the halving ends.
const MAX_PAIRS_KEPT_OF_4: u64 = 3;

/// The overlap-region method, and its memory: keep one, and a search that is no larger than those
/// before does not allocate.
#[derive(Debug, Default)]
pub struct OverlapRegion {
    /// For each mesh, the faces that extend into the region, and their boxes.
    faces: [Vec<u32>; 2],
    boxes: [Vec<Aabb>; 2],
    /// For each mesh, the lists of the cells, as indices into `faces`. A cell's list ends where
    /// that of the cell above it on the stack begins, or later.
    lists: [Vec<u32>; 2],
    cells: Vec<Cell>,
    found: Vec<FeaturePair>,
}

/// A cell that is still to be done.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The closed box in which pairs may touch.
    region: Aabb,
    /// The corners that belong to the cell: the lower end does, the upper end does not.
    owned: Aabb,
    /// The ranges of the two lists.
    lists: [[usize; 2]; 2],
    /// The part of the region: a half to the number of halvings.
    share: f64,
    is_leaf: bool,
}

/// A search in progress. It borrows the meshes, so nothing moves meanwhile.
#[must_use = "a search does nothing until `run` or `finish` is called"]
pub struct RegionSearch<'a> {
    surfaces: [Surface<'a>; 2],
    memory: &'a mut OverlapRegion,
    counters: RegionCounters,
    is_sorted: bool,
}

/// The result of an overlap-region search.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RegionResult<'a> {
    /// Pairs of faces, sorted by their numbers, each once.
    pub pairs: &'a [FeaturePair],
    /// The cost of the search.
    pub counters: RegionCounters,
}

/// The cost of an overlap-region search, in counts that depend on nothing but the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegionCounters {
    /// Faces of both meshes whose boxes were computed.
    pub faces: u64,
    /// Faces whose boxes reach into the region.
    pub in_region: u64,
    /// Cells that were halved.
    pub halvings: u64,
    /// Cells whose pairs were tested.
    pub leaves: u64,
    /// Faces listed by all cells: the cost of halving.
    pub listed: u64,
    /// Pairs of boxes tested in leaves.
    pub box_tests: u64,
    /// Pairs of boxes that touch but belong to another cell.
    pub not_owned: u64,
    /// Pairs of faces that were tested exactly: those whose boxes touch.
    pub exact_tests: u64,
}

impl OverlapRegion {
    /// Finds pairs of faces of two meshes that have a point in common at present, decided exactly.
    /// Touching counts, the thickness does not. The pairs are those of
    /// [`FeatureSearch::crossings`](crate::FeatureSearch::crossings), kind [`PairKind::FaceFace`]
    /// (test: `region::pairs_are_those_of_the_trees`). No tree is built, followed or read; the
    /// search runs on one thread.
    pub fn crossings<'a, T: FollowingTree, U: FollowingTree>(
        &'a mut self,
        a: &'a DeformableMesh<T>,
        b: &'a DeformableMesh<U>,
    ) -> RegionSearch<'a> {
        let surfaces = [Surface::of(a), Surface::of(b)];
        self.cells.clear();
        self.found.clear();
        let mut counters = RegionCounters {
            faces: u64::from(surfaces[0].n_faces()) + u64::from(surfaces[1].n_faces()),
            ..RegionCounters::default()
        };
        if let Some(region) = overlap(&surfaces[0], &surfaces[1]) {
            self.list_region(&surfaces, region);
            let lists = [[0, self.lists[0].len()], [0, self.lists[1].len()]];
            counters.in_region = (lists[0][1] + lists[1][1]) as u64;
            let cell = Cell { region, owned: Aabb::EVERYTHING, lists, share: 1.0, is_leaf: false };
            self.cells.push(cell);
        }
        RegionSearch { surfaces, memory: self, counters, is_sorted: false }
    }

    fn list_region(&mut self, surfaces: &[Surface<'_>; 2], region: Aabb) {
        for (side, surface) in surfaces.iter().enumerate() {
            let (faces, boxes) = (&mut self.faces[side], &mut self.boxes[side]);
            faces.clear();
            boxes.clear();
            for face in 0..surface.n_faces() {
                let aabb = surface.aabb(face);
                if aabb.overlaps(&region) {
                    faces.push(face);
                    boxes.push(aabb);
                }
            }
            self.lists[side].clear();
            self.lists[side].extend(0..faces.len() as u32);
        }
    }

    /// Returns the box around the faces of a mesh's list.
    fn reach(&self, side: usize, list: [usize; 2]) -> Aabb {
        let boxes = &self.boxes[side];
        self.lists[side][list[0]..].iter().fold(Aabb::EMPTY, |all, &i| all.merged(&boxes[i as usize]))
    }

    /// Halves a cell whose lists are the last ones. Returns whether the cell is a leaf instead.
    fn halve(&mut self, cell: &mut Cell, counters: &mut RegionCounters) -> bool {
        let sizes = cell.lists.map(|[begin, end]| (end - begin) as u64);
        counters.listed += sizes[0] + sizes[1];
        let n_pairs = sizes[0] * sizes[1];
        if n_pairs <= MAX_LEAF_PAIRS {
            return true;
        }
        let region = cell
            .region
            .intersection(&self.reach(0, cell.lists[0]))
            .and_then(|region| region.intersection(&self.reach(1, cell.lists[1])));
        let Some(region) = region else { return false };
        let middle = region.min * 0.5 + region.max * 0.5;
        let counts = self.narrow(cell, &region, middle);
        let n_pairs = cell.lists.iter().map(|[begin, end]| (end - begin) as u64).product::<u64>();
        let pairs_along =
            |axis: usize| (0..2).map(|half| counts[0][half][axis] * counts[1][half][axis]).sum::<u64>();
        let n_halves = [0, 1, 2].map(pairs_along);
        let mut axis = 0;
        for other in [1, 2] {
            if n_halves[other] < n_halves[axis] {
                axis = other;
            }
        }
        if n_pairs <= MAX_LEAF_PAIRS || MAX_PAIRS_KEPT_OF_4 * n_pairs < 4 * n_halves[axis] {
            return true;
        }
        counters.halvings += 1;
        // The lower half comes last, so it is done first.
        for is_upper in [true, false] {
            self.push_half(cell, &region, (axis, middle), is_upper);
        }
        false
    }

    /// Drops the faces outside of a region from the lists of a cell. Returns for each side how many
    /// faces extend into the lower and the upper half along each axis.
    fn narrow(&mut self, cell: &mut Cell, region: &Aabb, middle: Vec3) -> [[[u64; 3]; 2]; 2] {
        let mut counts = [[[0_u64; 3]; 2]; 2];
        for side in [0, 1] {
            let [begin, mut end] = cell.lists[side];
            let (list, boxes) = (&mut self.lists[side], &self.boxes[side]);
            let mut kept = begin;
            for i in begin..end {
                let item = list[i];
                let aabb = &boxes[item as usize];
                list[kept] = item;
                if !aabb.overlaps(region) {
                    continue;
                }
                kept += 1;
                let (is_low, is_high) = (is_low(aabb, middle), is_high(aabb, middle));
                for axis in 0..3 {
                    counts[side][0][axis] += u64::from(is_low[axis]);
                    counts[side][1][axis] += u64::from(is_high[axis]);
                }
            }
            end = kept;
            list.truncate(end);
            cell.lists[side] = [begin, end];
        }
        counts
    }

    /// Pushes the upper or the lower half of a cell, unless one of its lists is empty.
    fn push_half(&mut self, cell: &Cell, region: &Aabb, (axis, middle): (usize, Vec3), is_upper: bool) {
        let [of_a, of_b] = [0, 1].map(|side| {
            let [begin, end] = cell.lists[side];
            let first = self.lists[side].len();
            for i in begin..end {
                let item = self.lists[side][i];
                let aabb = &self.boxes[side][item as usize];
                let is_in = if is_upper { is_high(aabb, middle) } else { is_low(aabb, middle) };
                if is_in[axis] {
                    self.lists[side].push(item);
                }
            }
            [first, self.lists[side].len()]
        });
        if of_a[0] == of_a[1] || of_b[0] == of_b[1] {
            self.lists[0].truncate(of_a[0]);
            self.lists[1].truncate(of_b[0]);
            return;
        }
        let mut half = Cell {
            region: *region,
            owned: cell.owned,
            lists: [of_a, of_b],
            share: 0.5 * cell.share,
            is_leaf: false,
        };
        if is_upper {
            half.region.min[axis] = middle[axis];
            half.owned.min[axis] = middle[axis];
        } else {
            half.region.max[axis] = middle[axis];
            half.owned.max[axis] = middle[axis];
        }
        self.cells.push(half);
    }

    /// Tests the last face of a leaf's first list with the second list.
    fn test_row(&mut self, cell: &Cell, surfaces: &[Surface<'_>; 2], counters: &mut RegionCounters) {
        let Some(item) = self.lists[0].pop() else { return };
        let (face_a, box_a) = (self.faces[0][item as usize], self.boxes[0][item as usize]);
        let corners_a = surfaces[0].wide_corners(face_a);
        let [begin, end] = cell.lists[1];
        counters.box_tests += (end - begin) as u64;
        for &other in &self.lists[1][begin..end] {
            let box_b = &self.boxes[1][other as usize];
            if !box_a.overlaps(box_b) {
                continue;
            }
            let corner = box_a.min.max(box_b.min);
            let is_owned = cell.owned.min.cmple(corner).all() && corner.cmplt(cell.owned.max).all();
            if !is_owned {
                counters.not_owned += 1;
                continue;
            }
            counters.exact_tests += 1;
            let face_b = self.faces[1][other as usize];
            if tri_tri::intersects(&corners_a, &surfaces[1].wide_corners(face_b)) {
                self.found.push(FeaturePair { kind: PairKind::FaceFace, a: face_a, b: face_b });
            }
        }
    }
}

/// Returns on which axes a box reaches below the middle.
#[inline]
fn is_low(aabb: &Aabb, middle: Vec3) -> [bool; 3] {
    aabb.min.cmplt(middle).into()
}

/// Returns on which axes a box reaches to the middle or above.
#[inline]
fn is_high(aabb: &Aabb, middle: Vec3) -> [bool; 3] {
    middle.cmple(aabb.max).into()
}

impl<'a> RegionSearch<'a> {
    /// Continues until about `budget` faces were listed and pairs of boxes tested. One list, or
    /// one face with a list, may exceed it. Returns whether the search is complete. The answer
    /// does not depend on how the budget is split (test:
    /// `region::any_split_gives_the_same_answer`). The budget does not count the listing of the
    /// region's faces at the start.
    pub fn run(&mut self, budget: u64) -> bool {
        let spent = |counters: &RegionCounters| counters.listed + counters.box_tests;
        let start = spent(&self.counters);
        while let Some(mut cell) = self.memory.cells.pop() {
            if budget <= spent(&self.counters) - start {
                self.memory.cells.push(cell);
                return false;
            }
            for side in [0, 1] {
                self.memory.lists[side].truncate(cell.lists[side][1]);
            }
            if !cell.is_leaf {
                cell.is_leaf = self.memory.halve(&mut cell, &mut self.counters);
                self.counters.leaves += u64::from(cell.is_leaf);
            } else if cell.lists[0][0] < cell.lists[0][1] {
                self.memory.test_row(&cell, &self.surfaces, &mut self.counters);
                cell.lists[0][1] -= 1;
            } else {
                continue;
            }
            if cell.is_leaf {
                self.memory.cells.push(cell);
            }
        }
        if !self.is_sorted {
            self.memory.found.sort_unstable();
            self.is_sorted = true;
        }
        true
    }

    /// Runs to the end and returns the pairs.
    pub fn finish(mut self) -> RegionResult<'a> {
        self.run(u64::MAX);
        RegionResult { pairs: &self.memory.found, counters: self.counters }
    }

    /// The pairs found so far, in no order, each pair once.
    pub fn found_so_far(&self) -> &[FeaturePair] {
        &self.memory.found
    }

    /// The cost of the search so far.
    pub fn counters(&self) -> RegionCounters {
        self.counters
    }

    /// The part of the region that was searched, from 0 to 1, each half of a cell counted as half
    /// of it.
    pub fn progress(&self) -> f64 {
        1.0 - self.memory.cells.iter().map(|cell| cell.share).sum::<f64>()
    }
}
