//! The surface of a liquid as a closed triangle mesh, for drawing.
//!
//! - The particles near a point have a weighted mean position. The surface is the set of points
//!   that are one radius away from their mean. Above a flat layer of a lattice, that is one radius
//!   beyond the layer.
//! - Between distant drops such a mean is far from all particles. So a point with small weights
//!   counts as outside.
//! - Values are stored in blocks of 8^3 nodes, and only near particles. So a stray drop costs
//!   little.
//! - Each cell with nodes on both sides gets one vertex: the mean of the crossings on its edges,
//!   moved to a zero of the field in the cell. Each edge between an inner and an outer node gets a
//!   quad: the vertices of the four cells around it.
//! - A quad is split so that both triangles face along its edge. Its corners are in the four cells
//!   around the edge, so one of the two diagonals gives such triangles.
//!
//! Degenerate: gaps narrower than about five radii are closed. If surfaces touch, an edge may have
//! four triangles, two in each direction along it.
//!
//! Reference: Y. Zhu, R. Bridson, Animating Sand as a Fluid, 2005, 4 (the field); S. Gibson,
//! Constrained Elastic Surface Nets, 1998 (one vertex in each cell).
//! Differs: the weight below which a point is outside, and the split of quads.

use crate::ParticleError;
use alloc::vec::Vec;
use carom_math::ops::{floor, sqrt};
use core::cmp::Ordering;
use glam::{DVec3, Vec3};

/// The number of nodes along a side of a block.
const SIDE: usize = 8;
const NODES: usize = SIDE * SIDE * SIDE;

/// The reach of a particle's weight, in radii. Within it, the mean depth behind a plane is a
/// radius.
const REACH: f32 = 4.0;

/// A point whose weights sum up to less than half of this is outside. A drop has 0.82 at its
/// radius.
const FULL_WEIGHT: f32 = 0.6;

/// The least distance of a vertex from the faces of its cell, in cells.
const MARGIN: f32 = 0.02;

/// The number of steps of a vertex toward the surface.
const N_STEPS: u32 = 3;

/// The largest distance of a particle from the origin on each axis, in cells: 2^28.
const MAX_CELL: f64 = 268_435_456.0;

/// Marks a cell without a vertex.
const NO_VERTEX: u32 = u32::MAX;

/// A triangle mesh.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SurfaceMesh {
    /// The positions of the vertices.
    pub vertices: Vec<Vec3>,
    /// The outward direction at each vertex: a unit vector.
    pub normals: Vec<Vec3>,
    /// The vertices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Returns the surface of a liquid of particles with this radius, on a grid of cells of this size.
/// It is closed, faces outward, and near the origin has no degenerate triangle. It has the same
/// bits on any number of threads (test:
/// `surfaces::surfaces_are_closed_and_the_same_on_any_number_of_threads`).
///
/// A cell as large as the radius suits most uses; it must be from half to twice the radius. The
/// volume of a block is up to 8 % less than that of its particles, because edges are round. With
/// cells of twice the radius it is up to 13 % less, and for a single drop even more (test:
/// `surfaces::surfaces_have_the_volume_of_their_particles`).
///
/// # Errors
/// If the radius is not positive and finite, or the cell is out of its range. If a position is not
/// finite or more than 2^28 cells from the origin.
pub fn liquid_surface(positions: &[Vec3], radius: f32, cell: f32) -> Result<SurfaceMesh, ParticleError> {
    if !(0.0 < radius && radius < f32::INFINITY && 0.0 < radius * radius) {
        return Err(ParticleError::BadSetting { name: "radius", value: radius });
    }
    if !(0.5 * radius <= cell && cell <= 2.0 * radius) {
        return Err(ParticleError::BadSetting { name: "cell", value: cell });
    }
    let limit = MAX_CELL * f64::from(cell);
    // NaN is not below the limit.
    let is_good = |p: &Vec3| p.as_dvec3().abs().max_element() < limit && p.is_finite();
    if let Some(particle) = positions.iter().position(|position| !is_good(position)) {
        return Err(ParticleError::BadParticle { particle });
    }
    let grid = Grid::new(positions, radius, cell);
    let found = map(grid.keys.len(), |block| grid.vertices_of(block));
    let mut mesh = SurfaceMesh::default();
    let mut of_cells = Vec::with_capacity(found.len());
    for vertices in found {
        let mut numbers = [NO_VERTEX; NODES];
        for vertex in vertices {
            numbers[vertex.cell as usize] = mesh.vertices.len() as u32;
            mesh.vertices.push(vertex.position);
            mesh.normals.push(vertex.normal);
        }
        of_cells.push(numbers);
    }
    let triangles = map(grid.keys.len(), |block| grid.triangles_of(block, &of_cells, &mesh.vertices));
    mesh.triangles = triangles.concat();
    Ok(mesh)
}

/// Returns the results of a function for the integers below `n`.
fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    #[cfg(feature = "parallel")]
    return crate::par::map(n, f);
    #[cfg(not(feature = "parallel"))]
    (0..n).map(f).collect()
}

/// The integer coordinates of a block.
type Key = [i32; 3];

/// The field at the nodes of blocks near particles.
struct Grid {
    radius: f32,
    cell: f32,
    /// Ascending.
    keys: Vec<Key>,
    /// Negative inside.
    values: Vec<[f32; NODES]>,
}

/// The vertex of a cell. The cell has the index of its least node in the block.
struct Vertex {
    cell: u16,
    position: Vec3,
    normal: Vec3,
}

/// Returns the index of a node in its block.
fn node(at: [usize; 3]) -> usize {
    (at[2] * SIDE + at[1]) * SIDE + at[0]
}

/// Returns the coordinates of a node in its block.
fn coordinates_of(node: usize) -> [usize; 3] {
    [node % SIDE, node / SIDE % SIDE, node / (SIDE * SIDE)]
}

impl Grid {
    fn new(positions: &[Vec3], radius: f32, cell: f32) -> Grid {
        // With a margin, so that each cell with a node inside has all of its nodes.
        let reach = f64::from(REACH * radius + 1.5 * cell);
        let mut near: Vec<(Key, Vec3)> = Vec::new();
        for position in positions {
            let block = |x: f64| floor(x / (f64::from(cell) * SIDE as f64)) as i32;
            let p = position.as_dvec3();
            let [low, high] = [p - reach, p + reach].map(|p| p.to_array().map(block));
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    near.extend((low[0]..=high[0]).map(|x| ([z, y, x], *position)));
                }
            }
        }
        // Equal items are identical, so sums do not depend on the order of the particles.
        let order = |(a, p): &(Key, Vec3), (b, q): &(Key, Vec3)| -> Ordering {
            let by_position = p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z));
            a.cmp(b).then(by_position)
        };
        #[cfg(feature = "parallel")]
        crate::par::sort_by(&mut near, order);
        #[cfg(not(feature = "parallel"))]
        near.sort_unstable_by(order);
        let blocks: Vec<&[(Key, Vec3)]> = near.chunk_by(|a, b| a.0 == b.0).collect();
        let values = map(blocks.len(), |block| values_of(blocks[block], radius, cell));
        Grid { radius, cell, keys: blocks.iter().map(|block| block[0].0).collect(), values }
    }

    /// Returns the blocks around one, by an offset of 0 or 1 times `step` on each axis. z is the
    /// highest bit of the index.
    fn around(&self, block: usize, step: i32) -> [Option<usize>; 8] {
        let key = self.keys[block];
        core::array::from_fn(|i| {
            let offset = [i >> 2, i >> 1 & 1, i & 1].map(|one| step * one as i32);
            let wanted = [key[0] + offset[0], key[1] + offset[1], key[2] + offset[2]];
            if i == 0 { Some(block) } else { self.keys.binary_search(&wanted).ok() }
        })
    }

    /// Returns the value at a node, whose coordinates may be one beyond the block.
    fn value(&self, around: &[Option<usize>; 8], at: [usize; 3]) -> f32 {
        let [x, y, z] = at.map(|x| x / SIDE);
        match around[z << 2 | y << 1 | x] {
            Some(block) => self.values[block][node(at.map(|x| x % SIDE))],
            None => self.radius,
        }
    }

    fn vertices_of(&self, block: usize) -> Vec<Vertex> {
        let around = self.around(block, 1);
        let [z, y, x] = self.keys[block].map(|k| f64::from(k) * SIDE as f64);
        let mut out = Vec::new();
        for cell in 0..NODES {
            let at = coordinates_of(cell);
            let corners: [f32; 8] = core::array::from_fn(|i| {
                self.value(&around, [at[0] + (i & 1), at[1] + (i >> 1 & 1), at[2] + (i >> 2)])
            });
            let n_inside = corners.iter().filter(|&&value| value < 0.0).count();
            if n_inside == 0 || n_inside == 8 {
                continue;
            }
            let (within, slope) = crossing(&corners);
            let position = DVec3::new(x, y, z) + DVec3::from_array(at.map(|x| x as f64)) + within.as_dvec3();
            let position = (position * f64::from(self.cell)).as_vec3();
            let length = sqrt(slope.length_squared());
            let normal = if 0.0 < length { slope / length } else { Vec3::Y };
            out.push(Vertex { cell: cell as u16, position, normal });
        }
        out
    }

    fn triangles_of(&self, block: usize, of_cells: &[[u32; NODES]], vertices: &[Vec3]) -> Vec<[u32; 3]> {
        let [after, before] = [1, -1].map(|step| self.around(block, step));
        // Returns the vertex of a cell. Coordinates are one higher here than in the block.
        let vertex = |at: [usize; 3]| {
            let [x, y, z] = at.map(|x| usize::from(x == 0));
            let block = before[z << 2 | y << 1 | x]?;
            let number = of_cells[block][node(at.map(|x| (x + SIDE - 1) % SIDE))];
            (number != NO_VERTEX).then_some(number)
        };
        let mut out = Vec::new();
        for first in 0..NODES {
            let at = coordinates_of(first);
            let is_inside = self.values[block][first] < 0.0;
            for axis in 0..3 {
                let mut next = at;
                next[axis] += 1;
                if (self.value(&after, next) < 0.0) == is_inside {
                    continue;
                }
                let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
                // Counter-clockwise, seen from the positive end of the axis.
                let cells = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[along_u, along_v]| {
                    let mut cell = at.map(|x| x + 1);
                    cell[u] -= 1 - along_u;
                    cell[v] -= 1 - along_v;
                    vertex(cell)
                });
                // All four exist, because one of their nodes is inside.
                let [Some(a), Some(b), Some(c), Some(d)] = cells else { continue };
                let area = |i: u32, j: u32, k: u32| {
                    let [p, q, r] = [i, j, k].map(|i| vertices[i as usize]);
                    (q - p).cross(r - p)[axis]
                };
                let by_ac = area(a, b, c).min(area(a, c, d));
                let by_bd = area(a, b, d).min(area(b, c, d));
                let both = if by_bd < by_ac { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                out.extend(both.map(|[i, j, k]| if is_inside { [i, j, k] } else { [k, j, i] }));
            }
        }
        out
    }
}

/// Returns the field at the nodes of a block, from the particles near it.
fn values_of(near: &[(Key, Vec3)], radius: f32, cell: f32) -> [f32; NODES] {
    let [z, y, x] = near[0].0.map(|k| f64::from(k) * SIDE as f64 * f64::from(cell));
    let reach = REACH * radius;
    let per_reach_sq = 1.0 / (reach * reach);
    let (mut weights, mut sums) = ([0.0_f32; NODES], [Vec3::ZERO; NODES]);
    for (_, position) in near {
        let local = (position.as_dvec3() - DVec3::new(x, y, z)).as_vec3();
        // At least all nodes in reach.
        let range = |x: f32| {
            let [low, high] = [x - reach, x + reach].map(|x| x / cell);
            (low.clamp(0.0, SIDE as f32) as usize, (high + 1.0).clamp(0.0, SIDE as f32) as usize)
        };
        let [(x0, x1), (y0, y1), (z0, z1)] = local.to_array().map(range);
        for z in z0..z1 {
            for y in y0..y1 {
                for x in x0..x1 {
                    let at = Vec3::new(x as f32, y as f32, z as f32) * cell;
                    let q = (1.0 - at.distance_squared(local) * per_reach_sq).max(0.0);
                    let weight = q * q * q;
                    weights[node([x, y, z])] += weight;
                    sums[node([x, y, z])] += local * weight;
                }
            }
        }
    }
    core::array::from_fn(|i| {
        let weight = weights[i];
        if !(0.0 < weight) {
            return radius;
        }
        let at = Vec3::from_array(coordinates_of(i).map(|x| x as f32)) * cell;
        let part = (weight / FULL_WEIGHT).min(1.0);
        (at - sums[i] / weight).length() + radius * (1.0 - 2.0 * part)
    })
}

/// Returns the point of the surface in a cell, in cells from its least node, and the sum of four
/// mean slopes. It starts at the mean of the crossings on the edges, and makes a few steps along
/// the slope.
fn crossing(corners: &[f32; 8]) -> (Vec3, Vec3) {
    let (mut sum, mut n, mut slope) = (Vec3::ZERO, 0.0, Vec3::ZERO);
    for axis in 0..3 {
        for low in (0..8_usize).filter(|i| i >> axis & 1 == 0) {
            let [a, b] = [corners[low], corners[low | 1 << axis]];
            slope[axis] += b - a;
            if (a < 0.0) != (b < 0.0) {
                let mut position = Vec3::new((low & 1) as f32, (low >> 1 & 1) as f32, (low >> 2) as f32);
                position[axis] = a / (a - b);
                sum += position;
                n += 1.0;
            }
        }
    }
    let mut position = sum / n;
    let per_step = 4.0 / slope.length_squared();
    for _ in 0..N_STEPS {
        let step = slope * (trilinear(corners, position) * per_step);
        position -= if step.is_finite() { step } else { Vec3::ZERO };
        position = position.clamp(Vec3::splat(MARGIN), Vec3::splat(1.0 - MARGIN));
    }
    (position, slope)
}

/// Returns the field at a point of a cell, by trilinear interpolation.
fn trilinear(corners: &[f32; 8], at: Vec3) -> f32 {
    let along_x: [f32; 4] =
        core::array::from_fn(|i| corners[2 * i] + (corners[2 * i + 1] - corners[2 * i]) * at.x);
    let along_y: [f32; 2] =
        core::array::from_fn(|i| along_x[2 * i] + (along_x[2 * i + 1] - along_x[2 * i]) * at.y);
    along_y[0] + (along_y[1] - along_y[0]) * at.z
}
