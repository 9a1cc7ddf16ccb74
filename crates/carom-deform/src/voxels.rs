//! Tests whether two meshes may touch, by one bit for each voxel of the region that both of their
//! boxes cover.
//!
//! - The region is cut into voxels. Each voxel that a face of the first mesh touches gets its bit.
//!   If no face of the second mesh touches such a voxel, the meshes do not touch. A segment of a
//!   mesh without faces is a face without area.
//! - Bits lie in rows along x, 64 in a word. A face is cut by the layers of voxels along z, and
//!   the part in a layer by the rows along y. The remaining part spans an interval of a row, which
//!   is set or compared a word at a time.
//! - If the map to voxel units were exact, a common point of both meshes would lie in one voxel,
//!   and both faces would touch it. So `false` is right if no voxel that a face touches is left
//!   out. A slack covers rounding, as follows.
//! - Let u be 2^-53, and M the largest coordinate of a face or of the grid, in voxel units. A
//!   mapped corner is off by at most 4 u M. A cut of an edge takes six roundings, of numbers below
//!   2 M, and adds at most 12 u M. Two cuts make a layer and one more an end of an interval, so
//!   computed ends are within 40 u M of the exact ones. Layers, rows and intervals are grown by
//!   64 u M, so no voxel is left out.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.7 (one bit a voxel); M.
//! Schwarz, H.-P. Seidel, Fast Parallel Surface and Solid Voxelization on GPUs, 2010. Differs:
//! parts of faces and a slack, no separating axes.

use crate::deformable::DeformableMesh;
use crate::error::DeformError;
use crate::surface::{Surface, overlap};
use crate::update::FollowingTree;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_math::ops::floor;
use glam::DVec3;

/// rounding: 64 u, above the 40 u of a map and three cuts.
const SLACK: f64 = 32.0 * f64::EPSILON;

/// The largest resolution of a [`VoxelOverlap`]. The grid then takes at most 19 MB: 513 voxels
/// along each axis, in rows of 9 words.
pub const MAX_RESOLUTION: u32 = 512;

/// The voxel method, and its memory: keep one, and a question that is no larger than those before
/// does not allocate.
#[derive(Debug)]
pub struct VoxelOverlap {
    resolution: u32,
    words: Vec<u64>,
    counters: VoxelCounters,
}

/// The cost of a question, in counts that depend on nothing but the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VoxelCounters {
    /// Voxels of the region.
    pub voxels: u64,
    /// Faces of both meshes whose boxes were computed, twice each at most. Segments of a mesh
    /// without faces count as faces.
    pub boxes: u64,
    /// Faces of the first mesh that were set as bits.
    pub set: u64,
    /// Faces of the second mesh that were compared with these bits.
    pub compared: u64,
    /// Rows of voxels that faces were cut into.
    pub rows: u64,
    /// Words of 64 voxels that were cleared, set or compared.
    pub words: u64,
}

/// A search in progress. It borrows the meshes, so nothing moves meanwhile.
#[must_use = "a search does nothing until `run` or `finish` is called"]
pub struct VoxelSearch<'a> {
    surfaces: [Surface<'a>; 2],
    memory: &'a mut VoxelOverlap,
    grid: Option<Grid>,
    /// The next face to visit: the index of its mesh, and its number.
    side: usize,
    next: u32,
    has_met: bool,
}

/// A map to voxel units, and how many voxels there are.
#[derive(Clone, Copy, Debug)]
struct Grid {
    region: Aabb,
    scale: f64,
    /// The number of voxels along each axis.
    size: [u32; 3],
    words_of_row: usize,
}

impl VoxelOverlap {
    /// Returns a memory for grids with this many voxels along the longest side of the region, from
    /// 1 to [`MAX_RESOLUTION`]. Voxels are cubes. One more voxel begins where the region ends.
    ///
    /// Errors: [`DeformError::BadResolution`] for a number out of this range.
    pub fn new(resolution: u32) -> Result<VoxelOverlap, DeformError> {
        if !(1..=MAX_RESOLUTION).contains(&resolution) {
            return Err(DeformError::BadResolution { resolution });
        }
        Ok(VoxelOverlap { resolution, words: Vec::new(), counters: VoxelCounters::default() })
    }

    /// Whether two meshes may have a point in common at present; the thickness does not count. The
    /// points of a mesh are those of its faces, or of its segments if it has no faces. So a body
    /// inside another has none in common with it.
    ///
    /// `false` is proved (tests: `voxels::meshes_that_touch_are_never_denied`,
    /// `voxels::r_ropes_that_touch_are_never_denied`). `true` means that a face of each touches the
    /// same voxel. The search runs on one thread.
    pub fn may_touch<T: FollowingTree, U: FollowingTree>(
        &mut self,
        a: &DeformableMesh<T>,
        b: &DeformableMesh<U>,
    ) -> bool {
        self.search(a, b).finish()
    }

    /// Starts [`VoxelOverlap::may_touch`] as a search that can be stopped and resumed.
    pub fn search<'a, T: FollowingTree, U: FollowingTree>(
        &'a mut self,
        a: &'a DeformableMesh<T>,
        b: &'a DeformableMesh<U>,
    ) -> VoxelSearch<'a> {
        let surfaces = [Surface::with_segments(a), Surface::with_segments(b)];
        let n_faces = u64::from(surfaces[0].n_faces()) + u64::from(surfaces[1].n_faces());
        self.counters = VoxelCounters { boxes: n_faces, ..VoxelCounters::default() };
        let grid = overlap(&surfaces[0], &surfaces[1]).map(|region| Grid::new(region, self.resolution));
        if let Some(grid) = &grid {
            let n_words = grid.words_of_row * grid.size[1] as usize * grid.size[2] as usize;
            self.words.clear();
            self.words.resize(n_words, 0);
            self.counters.words = n_words as u64;
            self.counters.voxels = grid.size.iter().map(|&n| u64::from(n)).product();
        }
        VoxelSearch { surfaces, memory: self, grid, side: 0, next: 0, has_met: false }
    }

    /// The cost of the last search.
    pub fn counters(&self) -> VoxelCounters {
        self.counters
    }
}

impl VoxelSearch<'_> {
    /// Continues until about `budget` faces, rows and words were tested; one face may exceed it.
    /// Returns whether the answer is known. The answer does not depend on how the budget is split
    /// (test: `voxels::any_split_gives_the_same_answer`).
    pub fn run(&mut self, budget: u64) -> bool {
        let Some(grid) = self.grid else { return true };
        let spent = |counters: &VoxelCounters| counters.boxes + counters.rows + counters.words;
        let start = spent(&self.memory.counters);
        while !self.has_met && self.side < 2 {
            let surface = &self.surfaces[self.side];
            if self.next == surface.n_faces() {
                (self.side, self.next) = (self.side + 1, 0);
                continue;
            }
            if budget <= spent(&self.memory.counters) - start {
                return false;
            }
            self.memory.counters.boxes += 1;
            let is_near = surface.aabb(self.next).overlaps(&grid.region);
            if is_near {
                let corners = surface.wide_corners(self.next);
                self.has_met = self.memory.visit_face(&grid, &corners, self.side == 1);
            }
            self.next += 1;
        }
        true
    }

    /// Runs to the end. Returns whether the meshes may touch.
    pub fn finish(mut self) -> bool {
        self.run(u64::MAX);
        self.may_touch()
    }

    /// Returns whether the meshes may touch, as far as known: `true` until the search is complete.
    pub fn may_touch(&self) -> bool {
        self.grid.is_some() && (self.has_met || self.side < 2)
    }

    /// The cost of the search so far.
    pub fn counters(&self) -> VoxelCounters {
        self.memory.counters
    }
}

impl VoxelOverlap {
    /// Sets the voxels that a face of the first mesh touches. For a face of the second mesh,
    /// returns whether one of its voxels is set.
    fn visit_face(&mut self, grid: &Grid, corners: &[DVec3; 3], is_second: bool) -> bool {
        if is_second {
            self.counters.compared += 1;
        } else {
            self.counters.set += 1;
        }
        let face = Polygon::new(&corners.map(|p| grid.map(p)));
        let largest = face.points[..face.n].iter().fold(0.0_f64, |most, p| most.max(p.abs().max_element()));
        let slack = SLACK * largest.max(f64::from(grid.size[0].max(grid.size[1]).max(grid.size[2])));
        let Some((first_layer, last_layer)) = grid.interval(2, face.extent(2), slack) else { return false };
        for layer in first_layer..=last_layer {
            let in_layer = face.layer(f64::from(layer) - slack, f64::from(layer + 1) + slack);
            let Some((first_row, last_row)) = grid.interval(1, in_layer.extent(1), slack) else { continue };
            for row in first_row..=last_row {
                let (low, high) = (f64::from(row) - slack, f64::from(row + 1) + slack);
                let Some(ends) = grid.interval(0, in_layer.span(low, high), slack) else { continue };
                self.counters.rows += 1;
                let row = (layer * grid.size[1] + row) as usize * grid.words_of_row;
                if self.visit_row(row, ends, is_second) {
                    return true;
                }
            }
        }
        false
    }

    /// Does the same as [`VoxelOverlap::visit_face`], for an interval of the row that begins at
    /// this word.
    fn visit_row(&mut self, row: usize, (first, last): (u32, u32), is_second: bool) -> bool {
        for word in first / 64..=last / 64 {
            let from = first.max(word * 64) % 64;
            let to = last.min(word * 64 + 63) % 64;
            let bits = (!0_u64 << from) & (!0_u64 >> (63 - to));
            self.counters.words += 1;
            let all = &mut self.words[row + word as usize];
            if is_second {
                if *all & bits != 0 {
                    return true;
                }
            } else {
                *all |= bits;
            }
        }
        false
    }
}

impl Grid {
    fn new(region: Aabb, resolution: u32) -> Grid {
        let extents = region.max.as_dvec3() - region.min.as_dvec3();
        let longest = extents.max_element();
        // A region that is a point is one voxel.
        let scale = if 0.0 < longest { f64::from(resolution) / longest } else { 1.0 };
        // Along the longest axis there is one voxel more than the resolution: it begins at the end
        // of the region. If a length is rounded down, the end is beyond the last voxel by less
        // than the slack, and counts as in it.
        let size = (extents * scale).to_array().map(|length| floor(length) as u32 + 1);
        Grid { region, scale, size, words_of_row: size[0].div_ceil(64) as usize }
    }

    /// A point in voxel units.
    fn map(&self, p: DVec3) -> DVec3 {
        (p - self.region.min.as_dvec3()) * self.scale
    }

    /// The first and the last voxel along an axis that an interval, grown by the slack, touches;
    /// if there is one.
    fn interval(&self, axis: usize, (low, high): (f64, f64), slack: f64) -> Option<(u32, u32)> {
        let last = f64::from(self.size[axis] - 1);
        let (from, to) = (floor(low - slack), floor(high + slack));
        // An empty interval is from infinity to minus infinity.
        if !(from <= to && 0.0 <= to && from <= last) {
            return None;
        }
        Some((from.max(0.0) as u32, to.min(last) as u32))
    }
}

/// A triangle, or a part of it between two planes.
#[derive(Clone, Copy, Debug)]
struct Polygon {
    /// A first cut of three points leaves at most four, and a second one at most six, however
    /// rounding bends the outline.
    points: [DVec3; 6],
    n: usize,
}

impl Polygon {
    fn new([p, q, r]: &[DVec3; 3]) -> Polygon {
        Polygon { points: [*p, *q, *r, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO], n: 3 }
    }

    fn extent(&self, axis: usize) -> (f64, f64) {
        self.points[..self.n].iter().fold(EMPTY, |ends, p| with(ends, p[axis]))
    }

    /// The part from `low` to `high` along z.
    fn layer(&self, low: f64, high: f64) -> Polygon {
        let (least, most) = self.extent(2);
        if low <= least && most <= high {
            return *self;
        }
        self.below(high, 1.0).below(-low, -1.0)
    }

    /// The part whose z, times a sign, is at most the limit.
    fn below(&self, limit: f64, sign: f64) -> Polygon {
        let mut part = Polygon { points: [DVec3::ZERO; 6], n: 0 };
        for i in 0..self.n {
            let (p, q) = (self.points[i], self.points[if i + 1 < self.n { i + 1 } else { 0 }]);
            let (from, to) = (sign * p.z, sign * q.z);
            if from <= limit {
                part.points[part.n] = p;
                part.n += 1;
            }
            if (from <= limit) != (to <= limit) {
                part.points[part.n] = p + (q - p) * ((limit - from) / (to - from));
                part.n += 1;
            }
        }
        part
    }

    /// The interval of x of the part from `low` to `high` along y.
    fn span(&self, low: f64, high: f64) -> (f64, f64) {
        let mut ends = EMPTY;
        for i in 0..self.n {
            let (p, q) = (self.points[i], self.points[if i + 1 < self.n { i + 1 } else { 0 }]);
            if low <= p.y && p.y <= high {
                ends = with(ends, p.x);
            }
            for limit in [low, high] {
                if (p.y <= limit) != (q.y <= limit) {
                    ends = with(ends, p.x + (q.x - p.x) * ((limit - p.y) / (q.y - p.y)));
                }
            }
        }
        ends
    }
}

/// The interval of no number.
const EMPTY: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

fn with((low, high): (f64, f64), x: f64) -> (f64, f64) {
    (if x < low { x } else { low }, if high < x { x } else { high })
}
