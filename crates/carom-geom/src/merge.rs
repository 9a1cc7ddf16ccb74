//! Merges vertices that are nearer than a tolerance, and drops the triangles that collapse.
//!
//! - In the order of their numbers, each vertex becomes the first kept vertex within the
//!   tolerance, or is kept. So kept vertices are farther apart than the tolerance, and a vertex
//!   moves at most by it, however many lie in a row.
//! - A grid finds the kept vertices near a point. Its cells are wider than a search, so a search
//!   opens at most two cells along each axis.
//! - Only vertices that triangles use take part.
//!
//! Degenerate: if the square of the tolerance is not a normal number, only equal positions merge.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 16.3 (consolidation).

use crate::orientation::has_repeated_corner;
use crate::weld::order;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use glam::DVec3;

/// The width of a cell of the grid, in tolerances. A search is 2 wide.
const CELL_TO_TOLERANCE: f64 = 8.0;

/// The changes of a merge of vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MergeReport {
    /// Positions that became another one. Vertices with equal positions count once.
    pub n_moved: usize,
    /// The largest distance that one of them moved, at most the tolerance.
    pub largest_move: f64,
    /// Triangles that were dropped, because two of their corners are one vertex.
    pub n_dropped: usize,
}

/// A merged mesh.
pub(crate) struct Merged {
    /// The numbers of the vertices that remain, ascending.
    pub(crate) kept: Vec<u32>,
    /// Indices into `kept`.
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) report: MergeReport,
}

/// Merges the vertices of these triangles. The tolerance is finite and not negative.
pub(crate) fn merge(positions: &[DVec3], triangles: &[[u32; 3]], tolerance: f64) -> Merged {
    let mut report = MergeReport::default();
    let mut becomes = first_at_position(positions, triangles);
    let reach_sq = tolerance * tolerance;
    if f64::MIN_POSITIVE <= reach_sq {
        let mut grid = Grid::new(positions, tolerance);
        for number in 0..positions.len() as u32 {
            if becomes[number as usize] != number {
                continue;
            }
            let position = positions[number as usize];
            let is_near = |other: u32| (positions[other as usize] - position).length_squared() <= reach_sq;
            match grid.first_near(position, is_near) {
                Some(kept) => {
                    becomes[number as usize] = kept;
                    report.n_moved += 1;
                    let distance = (positions[kept as usize] - position).length();
                    report.largest_move = report.largest_move.max(distance);
                }
                None => grid.insert(position, number),
            }
        }
    }
    // A vertex at the position of an earlier one follows it.
    let end_of = |number: u32| becomes[becomes[number as usize] as usize];
    let mut triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(end_of)).collect();
    let n_before = triangles.len();
    triangles.retain(|t| !has_repeated_corner(t));
    report.n_dropped = n_before - triangles.len();
    let mut kept = triangles.as_flattened().to_vec();
    kept.sort_unstable();
    kept.dedup();
    let mut new_number = vec![0; positions.len()];
    for (new, old) in (0..).zip(&kept) {
        new_number[*old as usize] = new;
    }
    for corner in triangles.as_flattened_mut() {
        *corner = new_number[*corner as usize];
    }
    Merged { kept, triangles, report }
}

/// Returns for each vertex that triangles use the first of these with the same position;
/// `u32::MAX` for the other vertices.
fn first_at_position(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut used = triangles.as_flattened().to_vec();
    used.sort_unstable();
    used.dedup();
    let mut sorted: Vec<([u64; 3], u32)> =
        used.into_iter().map(|number| (key(positions[number as usize]), number)).collect();
    sorted.sort_unstable();
    let mut first = vec![u32::MAX; positions.len()];
    for same in sorted.chunk_by(|a, b| a.0 == b.0) {
        for (_, number) in same {
            first[*number as usize] = same[0].1;
        }
    }
    first
}

/// Returns integers that are equal for equal coordinates. Adding 0 turns -0 into 0.
fn key(p: DVec3) -> [u64; 3] {
    (p + DVec3::ZERO).to_array().map(order)
}

/// The kept vertices by cells of space.
struct Grid {
    reach: DVec3,
    cell: f64,
    /// The numbers in each cell, ascending.
    cells: BTreeMap<[u64; 3], Vec<u32>>,
}

impl Grid {
    fn new(positions: &[DVec3], tolerance: f64) -> Grid {
        let largest = positions.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        // Cells narrower than the rounding of coordinates have no whole number.
        let cell = (CELL_TO_TOLERANCE * tolerance).max(largest * f64::EPSILON);
        Grid { reach: DVec3::splat(tolerance), cell, cells: BTreeMap::new() }
    }

    fn cell_of(&self, position: DVec3) -> DVec3 {
        (position / self.cell).floor()
    }

    fn insert(&mut self, position: DVec3, number: u32) {
        self.cells.entry(key(self.cell_of(position))).or_default().push(number);
    }

    /// Returns the lowest number of those that are near a position, which is a matter of its cell
    /// and the ones beside it.
    fn first_near(&self, position: DVec3, is_near: impl Fn(u32) -> bool) -> Option<u32> {
        let (low, high) = (self.cell_of(position - self.reach), self.cell_of(position + self.reach));
        let ends = |axis: usize| {
            let both = [low[axis], high[axis]];
            let n = if both[0] == both[1] { 1 } else { 2 };
            both.into_iter().take(n)
        };
        let mut first: Option<u32> = None;
        for x in ends(0) {
            for y in ends(1) {
                for z in ends(2) {
                    let numbers = self.cells.get(&key(DVec3::new(x, y, z))).map_or(&[][..], Vec::as_slice);
                    let found = numbers.iter().copied().find(|number| is_near(*number));
                    first = match (first, found) {
                        (Some(a), Some(b)) => Some(a.min(b)),
                        (a, b) => a.or(b),
                    };
                }
            }
        }
        first
    }
}
