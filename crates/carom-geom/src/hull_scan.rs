//! The farthest vertex of a hull along a direction, eight vertices at a time in `f32`.
//!
//! The points are stored about their centre and scaled to size 1. The error of `f32` is then
//! relative to the size of the hull, and nothing overflows. Up to 32 vertices are scanned in `f64`,
//! which saves the climb afterwards. Up to `CELLS_FROM` vertices all are scanned in `f32`, which is
//! faster than climbing. Larger hulls divide the directions into cells. Each cell lists the
//! vertices that are farthest for some direction in it.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.3
//! (support of polytopes); Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.13.4 (apex point
//! map).
//! Differs: several candidates per cell, scanned together, instead of one candidate and a climb; an
//! octahedral map instead of a cube map.

use alloc::vec;
use alloc::vec::Vec;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes, dispatch};
use carom_math::scaling::{balanced, largest, scale_of};
use core::ops::Range;
use glam::DVec3;

/// The largest shortfall of the answer against the farthest point, in units of the radius about the
/// centre.
///
/// Rounding: the coordinate, the direction and the product round once each, the sum twice.
/// Together this is five units of 2^-24 of the products' absolute sum, which is at most the
/// radius. The best and the chosen vertex may both be off: ten. Two more cover subnormal
/// coordinates and the subtraction of the centre.
pub(crate) const SLACK: f64 = 12.0 / (1_u64 << 24) as f64;

/// Up to this many vertices are scanned in `f64`.
const MAX_WIDE_VERTICES: usize = 32;

/// From this many vertices on, the directions are divided into cells.
const CELLS_FROM: usize = 160;

/// Cells are enlarged by this on each side. A vertex counts as farthest within a hundredth of this
/// radius: far more than the rounding.
const OVERLAP: f64 = 1e-4;

/// Range of direction sizes that keep their digits in `f32`, also in products.
const MIDDLING: Range<f64> = 1.0 / (1_u64 << 30) as f64..(1_u64 << 30) as f64;

/// Eight vertices: coordinates and indices.
#[derive(Clone, Debug)]
struct Block {
    x: [f32; 8],
    y: [f32; 8],
    z: [f32; 8],
    vertices: [u32; 8],
}

/// Blocks of vertices: one list for all directions, or one for each cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    /// Few vertices in blocks of four: x, y, z. There are then no other blocks.
    few: Vec<[[f64; 4]; 3]>,
    blocks: Vec<Block>,
    /// Start of the list of each cell in `blocks`, and the end.
    first_block: Vec<u32>,
    /// Cells along each side of an octant; 0 for a single list.
    n_side: usize,
}

impl Scan {
    /// Builds the scan from the vertices of a hull and the neighbours of each. `radius` is the
    /// largest distance from the centre.
    pub(crate) fn new<'a>(
        vertices: impl Iterator<Item = DVec3>,
        neighbours: impl Fn(u32) -> &'a [u32],
        center: DVec3,
        radius: f64,
    ) -> Scan {
        let scale = scale_of(radius);
        let points: Vec<DVec3> = vertices.map(|p| (p - center) * scale).collect();
        if points.len() <= MAX_WIDE_VERTICES {
            // Lanes past the end repeat the last.
            let block = |four: &[DVec3]| {
                let p: [DVec3; 4] = core::array::from_fn(|lane| four[lane.min(four.len() - 1)]);
                [p.map(|p| p.x), p.map(|p| p.y), p.map(|p| p.z)]
            };
            return Scan { few: points.chunks(4).map(block).collect(), ..Scan::default() };
        }
        let n_side = match points.len() {
            n if n < CELLS_FROM => 0,
            n if n < 320 => 4,
            n if n < 4000 => 8,
            _ => 16,
        };
        let mut scan = Scan { few: Vec::new(), blocks: Vec::new(), first_block: vec![0], n_side };
        if n_side == 0 {
            let all: Vec<u32> = (0..points.len() as u32).collect();
            scan.push_list(&all, &points);
        } else {
            let mut search = Search {
                points: &points,
                neighbours: &neighbours,
                visited_in: vec![u32::MAX; points.len()],
                best: 0,
            };
            for cell in 0..8 * n_side * n_side {
                let list = search.candidates(cell, n_side);
                scan.push_list(&list, &points);
            }
        }
        scan
    }

    fn push_list(&mut self, list: &[u32], points: &[DVec3]) {
        for chunk in list.chunks(8) {
            // Lanes past the end repeat the first.
            let vertices: [u32; 8] =
                core::array::from_fn(|lane| chunk.get(lane).copied().unwrap_or(chunk[0]));
            let p = vertices.map(|v| points[v as usize].as_vec3());
            self.blocks.push(Block { x: p.map(|p| p.x), y: p.map(|p| p.y), z: p.map(|p| p.z), vertices });
        }
        self.first_block.push(self.blocks.len() as u32);
    }

    /// Whether there are so few vertices that [`Scan::farthest`] has only the rounding of `f64`.
    #[inline(always)]
    pub(crate) fn is_exact(&self) -> bool {
        !self.few.is_empty()
    }

    /// Returns the index of a nearly farthest vertex; the same on every machine.
    #[inline(always)]
    pub(crate) fn farthest(&self, direction: DVec3) -> u32 {
        // A test can be predicted; a product would add latency.
        if MIDDLING.contains(&largest(direction)) {
            self.farthest_along(direction)
        } else {
            self.farthest_balanced(direction)
        }
    }

    /// Returns the same for zero, NaN, and very long or very short directions.
    #[cold]
    #[inline(never)]
    fn farthest_balanced(&self, direction: DVec3) -> u32 {
        self.farthest_along(balanced(direction))
    }

    #[inline(always)]
    fn farthest_along(&self, direction: DVec3) -> u32 {
        if self.is_exact() {
            return self.farthest_of_few(direction);
        }
        let d = direction.as_vec3();
        let cell = cell_of([d.x, d.y, d.z], self.n_side);
        let blocks = &self.blocks[self.first_block[cell] as usize..self.first_block[cell + 1] as usize];
        dispatch(Farthest { blocks, direction: [d.x, d.y, d.z] })
    }

    #[inline(always)]
    fn farthest_of_few(&self, direction: DVec3) -> u32 {
        let Some((block, others)) = self.few.split_first() else { return 0 };
        let mut most = along(block, direction);
        let mut at = [0_u64; 4];
        let mut first = 4;
        for block in others {
            let along = along(block, direction);
            for lane in 0..4 {
                let is_better = most[lane] < along[lane];
                most[lane] = if is_better { along[lane] } else { most[lane] };
                at[lane] = if is_better { first } else { at[lane] };
            }
            first += 4;
        }
        // The lowest lane with the maximum; padding lanes repeat a lower one. NaN gives vertex 0.
        let low = usize::from(most[0] < most[1]);
        let high = 2 + usize::from(most[2] < most[3]);
        let lane = if most[low] < most[high] { high } else { low };
        at[lane] as u32 + lane as u32
    }
}

/// Returns the products of four vertices with a direction.
#[inline(always)]
fn along([x, y, z]: &[[f64; 4]; 3], direction: DVec3) -> [f64; 4] {
    let mut along = [0.0; 4];
    for lane in 0..4 {
        along[lane] = x[lane] * direction.x + y[lane] * direction.y + z[lane] * direction.z;
    }
    along
}

/// Returns the cell of a direction: three sign bits, and its point on that octant's face of the
/// octahedron.
#[inline]
fn cell_of([x, y, z]: [f32; 3], n_side: usize) -> usize {
    if n_side == 0 {
        return 0;
    }
    let sum = x.abs() + y.abs() + z.abs();
    let scale = n_side as f32 / sum;
    // Conversions of NaN give 0.
    let u = ((x.abs() * scale) as usize).min(n_side - 1);
    let v = ((y.abs() * scale) as usize).min(n_side - 1 - u);
    let octant = usize::from(x < 0.0) | usize::from(y < 0.0) << 1 | usize::from(z < 0.0) << 2;
    (octant * n_side + v) * n_side + u
}

struct Search<'s, N> {
    points: &'s [DVec3],
    neighbours: &'s N,
    visited_in: Vec<u32>,
    best: u32,
}

impl<'a, N: Fn(u32) -> &'a [u32]> Search<'_, N> {
    /// Returns all vertices that are farthest for some direction of the cell, ascending.
    ///
    /// The cell is connected, so these vertices are connected: a walk over neighbours finds them
    /// all.
    fn candidates(&mut self, cell: usize, n_side: usize) -> Vec<u32> {
        let (u, v, octant) = (cell % n_side, cell / n_side % n_side, cell / (n_side * n_side));
        let step = 1.0 / n_side as f64;
        let sign = |bit: usize| if octant & bit == 0 { 1.0 } else { -1.0 };
        let signs = DVec3::new(sign(1), sign(2), sign(4));
        // A direction is (a, b, 1 - a - b) with signs, so products with it are linear in a and b.
        let low = [u as f64 * step - OVERLAP, v as f64 * step - OVERLAP];
        let high = [(u + 1) as f64 * step + OVERLAP, (v + 1) as f64 * step + OVERLAP];
        let direction = |[a, b]: [f64; 2]| signs * DVec3::new(a, b, 1.0 - a - b);
        let mut cell_polygon =
            vec![[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]];
        let mut spare = Vec::new();
        clip(&mut cell_polygon, &mut spare, |[a, b]| 1.0 + 2.0 * OVERLAP - a - b);
        if cell_polygon.is_empty() {
            // Beyond the edge of the octant: no direction has this cell.
            return vec![self.best];
        }
        let middle = direction([low[0] + 0.3 * step, low[1] + 0.3 * step]);
        self.climb(middle);
        let mut list = vec![self.best];
        self.visited_in[self.best as usize] = cell as u32;
        let mut polygon = Vec::new();
        let mut at = 0;
        while at < list.len() {
            let vertex = list[at];
            at += 1;
            for &next in (self.neighbours)(vertex) {
                if self.visited_in[next as usize] == cell as u32 {
                    continue;
                }
                self.visited_in[next as usize] = cell as u32;
                polygon.clone_from(&cell_polygon);
                for &other in (self.neighbours)(next) {
                    let ahead = self.points[next as usize] - self.points[other as usize];
                    clip(&mut polygon, &mut spare, |ab| ahead.dot(direction(ab)) + 0.01 * OVERLAP);
                    if polygon.is_empty() {
                        break;
                    }
                }
                if !polygon.is_empty() {
                    list.push(next);
                }
            }
        }
        list.sort_unstable();
        list
    }

    fn climb(&mut self, direction: DVec3) {
        // At most one step per vertex, in case rounding leads round in a circle.
        for _ in 0..self.points.len() {
            let here = self.points[self.best as usize];
            let gain = |v: u32| (self.points[v as usize] - here).dot(direction);
            let (mut next, mut most) = (self.best, 0.0);
            for &v in (self.neighbours)(self.best) {
                if most < gain(v) {
                    (next, most) = (v, gain(v));
                }
            }
            if next == self.best {
                break;
            }
            self.best = next;
        }
    }
}

/// Clips a convex polygon of the plane to the points with a non-negative linear function.
///
/// Reference: I. Sutherland, G. Hodgman, Reentrant Polygon Clipping, 1974.
fn clip(polygon: &mut Vec<[f64; 2]>, spare: &mut Vec<[f64; 2]>, function: impl Fn([f64; 2]) -> f64) {
    spare.clear();
    let n = polygon.len();
    for i in 0..n {
        let (p, q) = (polygon[i], polygon[if i + 1 == n { 0 } else { i + 1 }]);
        let (at_p, at_q) = (function(p), function(q));
        if 0.0 <= at_p {
            spare.push(p);
        }
        if (0.0 <= at_p) != (0.0 <= at_q) {
            let s = at_p / (at_p - at_q);
            spare.push([p[0] + (q[0] - p[0]) * s, p[1] + (q[1] - p[1]) * s]);
        }
    }
    core::mem::swap(polygon, spare);
}

struct Farthest<'a> {
    blocks: &'a [Block],
    direction: [f32; 3],
}

impl Kernel for Farthest<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u32 {
        let dx = S::F32x8::splat(simd, self.direction[0]);
        let dy = S::F32x8::splat(simd, self.direction[1]);
        let dz = S::F32x8::splat(simd, self.direction[2]);
        let mut most = S::F32x8::splat(simd, f32::NEG_INFINITY);
        let mut at = S::U32x8::splat(simd, 0);
        for block in self.blocks {
            let x = S::F32x8::load(simd, &block.x);
            let y = S::F32x8::load(simd, &block.y);
            let z = S::F32x8::load(simd, &block.z);
            let vertices = S::U32x8::load(simd, &block.vertices);
            let along = x * dx + y * dy + z * dz;
            let is_better = most.lt(along);
            // The only loop-carried dependency; a selection would take twice as long.
            most = along.max(most);
            at = S::U32x8::select(is_better, vertices, at);
        }
        // The lowest lane that has the maximum. NaN: vertex 0.
        let best = S::F32x8::splat(simd, most.reduce_max());
        let lane = most.eq(best).bits().trailing_zeros() & 7;
        at.to_array()[lane as usize]
    }
}
