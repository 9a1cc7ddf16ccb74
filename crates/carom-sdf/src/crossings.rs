//! Computes how often a closed surface winds around each node, from its crossings with the rows of
//! the grid: exact.
//!
//! A row is a line along x through nodes. It counts as shifted by an infinitely small amount, the
//! same for all triangles, so that it meets no edge. The winding number of a node is the number of
//! triangles beyond it through which the row leaves, minus those through which it enters. Each
//! crossing is stored with the last node before it.
//!
//! Reference: J. Baerentzen, H. Aanaes, Signed Distance Computation Using the Angle Weighted
//! Pseudonormal, IEEE TVCG 11(3), 2005 (what signs are for); H. Edelsbrunner, E. Mucke, Simulation
//! of Simplicity, ACM TOG 9(1), 1990 (the shift).
//! Differs: exact crossings of rows instead of pseudonormals, which fail where triangles are
//! doubled or have no area.

use crate::error::SdfError;
use crate::grid::{Grid, index_below};
use alloc::vec::Vec;
use carom_geom::ray_mesh::{HalfLine, half_line};
use glam::{DVec3, UVec3};

/// The most crossings that are stored.
const MAX_CROSSINGS: usize = 1 << 28;

/// The crossings of a grid's rows.
#[derive(Clone, Debug)]
pub(crate) struct Crossings {
    /// Sorted by row and node.
    crossings: Vec<Crossing>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Crossing {
    /// The position of the row along z and y.
    row: [u32; 2],
    /// The last node before the crossing.
    node: u32,
    /// 1 if the row leaves through the triangle, -1 if it enters. After sorting, the sum of these
    /// over this crossing and all behind it in its row.
    winding: i32,
}

impl Crossings {
    /// The crossings of the rows whose y and z are from `low` to `high`, both included.
    pub(crate) fn new(
        grid: &Grid,
        corners: impl Iterator<Item = [DVec3; 3]>,
        low: UVec3,
        high: UVec3,
    ) -> Result<Crossings, SdfError> {
        let mut crossings = Vec::new();
        for triangle in corners {
            add_triangle(grid, &triangle, low, high, &mut crossings);
            if MAX_CROSSINGS < crossings.len() {
                return Err(SdfError::TooManyCrossings { allowed: MAX_CROSSINGS });
            }
        }
        crossings.sort_unstable();
        for at in (1..crossings.len()).rev() {
            if crossings[at].row == crossings[at - 1].row {
                crossings[at - 1].winding += crossings[at].winding;
            }
        }
        Ok(Crossings { crossings })
    }

    /// The winding numbers of nodes in a row, from `first` on: exact for nodes that are not on the
    /// surface.
    pub(crate) fn winding_numbers(&self, first: UVec3, out: &mut [i32]) {
        let row = [first.z, first.y];
        let mut ahead = self.crossings.partition_point(|c| (c.row, c.node) < (row, first.x));
        let crossing = |at: usize| self.crossings.get(at).filter(|c| c.row == row);
        for (winding, x) in out.iter_mut().zip(first.x..) {
            while crossing(ahead).is_some_and(|c| c.node < x) {
                ahead += 1;
            }
            *winding = crossing(ahead).map_or(0, |c| c.winding);
        }
    }
}

/// Adds the crossings of the rows with one triangle, behind their first node.
fn add_triangle(grid: &Grid, t: &[DVec3; 3], from: UVec3, to: UVec3, crossings: &mut Vec<Crossing>) {
    let (low, high) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    let Some([y_from, y_to]) = nodes_between(grid, 1, low.y, high.y, from.y, to.y) else { return };
    let Some([z_from, z_to]) = nodes_between(grid, 2, low.z, high.z, from.z, to.z) else { return };
    // A place before the triangle on every row.
    let before = low.x - f64::from(grid.cell()) - low.x.abs();
    for z in z_from..=z_to {
        for y in y_from..=y_to {
            let start = grid.node(UVec3::new(0, y, z)).with_x(before);
            let HalfLine::Crosses { is_back_face } = half_line(start, t) else { continue };
            if let Some(node) = last_before(grid, t, [y, z], low.x, high.x) {
                crossings.push(Crossing { row: [z, y], node, winding: if is_back_face { 1 } else { -1 } });
            }
        }
    }
}

/// Returns the first and last node of a range whose coordinates are from `low` to `high`.
fn nodes_between(grid: &Grid, axis: usize, low: f64, high: f64, from: u32, to: u32) -> Option<[u32; 2]> {
    let first = f64::from(grid.first()[axis]);
    let low = (-index_below(-low, grid.cell()) - first).max(f64::from(from));
    let high = (index_below(high, grid.cell()) - first).min(f64::from(to));
    (low <= high).then_some([low as u32, high as u32])
}

/// Returns the last node before the triangle, for a row that crosses it. `None` if the crossing is
/// before the first node.
fn last_before(grid: &Grid, t: &[DVec3; 3], [y, z]: [u32; 2], low: f64, high: f64) -> Option<u32> {
    let last = grid.cells().x;
    let is_before = |x: u32| matches!(half_line(grid.node(UVec3::new(x, y, z)), t), HalfLine::Crosses { .. });
    // A guess by plain arithmetic, which is nearly always right.
    let (u, v, start) = (t[1] - t[0], t[2] - t[0], grid.node(UVec3::new(0, y, z)));
    let normal = u.cross(v);
    let offset = normal.y * (start.y - t[0].y) + normal.z * (start.z - t[0].z);
    let guess = t[0].x - offset / normal.x;
    // A guess that is NaN becomes the low end.
    let guess = if low <= guess { guess.min(high) } else { low };
    let to_node = |x: f64| index_below(x, grid.cell()) - f64::from(grid.first().x);
    let coordinate = to_node(guess);
    if 0.0 <= coordinate && coordinate < f64::from(last) {
        let node = coordinate as u32;
        if is_before(node) && !is_before(node + 1) {
            return Some(node);
        }
    }
    // Bisection. Nodes below `below` are before the crossing, nodes from `above` on are not.
    let mut below = (to_node(low).max(0.0) as u32).min(last + 1);
    let mut above = ((to_node(high) + 2.0).max(0.0) as u32).min(last + 1);
    while below < above {
        let middle = below + (above - below) / 2;
        if is_before(middle) {
            below = middle + 1;
        } else {
            above = middle;
        }
    }
    below.checked_sub(1)
}
