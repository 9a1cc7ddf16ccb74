//! Solids made of tetrahedra: the relation of two of them (clear, touching or overlapping) and
//! their depth, in whole numbers.
//!
//! - A solid is the union of tetrahedra that share no inside, so the interiors of two solids meet
//!   exactly if those of two tetrahedra do.
//! - Two tetrahedra are apart exactly if they are along the normal of a face or along the product
//!   of two edges. Every one of the 44 directions is tried.
//! - Coordinates are taken as exact, and multiplied by one power of two.
//! - Only boxes around single tetrahedra skip pairs. There is no tree, no filter and no rounding.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.2.1 (separating axes).

use super::triangle::{Exact, cross, dot, is_zero, lowest, sign, sub, whole};
use glam::DVec3;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Num, Signed, ToPrimitive, Zero};

/// The relation of two solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// No point in common.
    Clear,
    /// Points of the surfaces in common, and no others.
    Touching,
    /// The interiors have a point in common.
    Overlapping,
}

/// A union of tetrahedra that share whole faces or nothing of their insides.
#[derive(Clone, Debug, Default)]
pub struct Tetrahedra {
    /// Positions.
    pub vertices: Vec<DVec3>,
    /// Four vertex numbers each; the fourth is below the counter-clockwise first three.
    pub cells: Vec<[u32; 4]>,
}

/// The four faces of a cell, counter-clockwise from outside.
const FACES: [[usize; 3]; 4] = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];

impl Tetrahedra {
    /// Adds a cell, with its vertices ordered so that its volume is positive. Returns false if it
    /// is flat.
    pub fn add(&mut self, mut cell: [u32; 4]) -> bool {
        let volume = self.volume_sign(cell);
        if volume < 0 {
            cell.swap(0, 1);
        }
        self.cells.push(cell);
        volume != 0
    }

    /// Returns the sign of a cell's volume.
    fn volume_sign(&self, cell: [u32; 4]) -> i32 {
        let points = cell.map(|v| self.vertices[v as usize]);
        let [a, b, c, d] = whole(&points, lowest(&points)).try_into().expect("four points");
        -sign(&dot(&sub(&d, &a), &cross(&sub(&b, &a), &sub(&c, &a))))
    }

    /// Whether every cell has a positive volume.
    pub fn is_proper(&self) -> bool {
        self.cells.iter().all(|cell| 0 < self.volume_sign(*cell))
    }

    /// Returns the faces that belong to only one cell, counter-clockwise seen from outside.
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let faces = || self.cells.iter().flat_map(|cell| FACES.map(|face| face.map(|i| cell[i])));
        let mut keys: Vec<[u32; 3]> = faces().map(sorted).collect();
        keys.sort_unstable();
        let count = |face: [u32; 3]| {
            let key = sorted(face);
            keys.partition_point(|other| *other <= key) - keys.partition_point(|other| *other < key)
        };
        faces().filter(|face| count(*face) == 1).collect()
    }

    /// Whether no vertex is beyond the plane of any triangle of the surface.
    pub fn is_convex(&self) -> bool {
        let points = whole(&self.vertices, lowest(&self.vertices));
        self.surface().iter().all(|face| {
            let [a, b, c] = face.map(|v| &points[v as usize]);
            let normal = cross(&sub(b, a), &sub(c, a));
            points.iter().all(|p| !dot(&normal, &sub(p, a)).is_positive())
        })
    }

    /// Returns an approximate upper bound of a point's distance from the solid; 0 or less inside.
    /// A small number means near, unless cells are slivers.
    pub fn distance_of(&self, p: DVec3) -> f64 {
        let height = |cell: &[u32; 4], face: [usize; 3]| {
            let [a, b, c] = face.map(|i| self.vertices[cell[i] as usize]);
            (b - a).cross(c - a).normalize_or_zero().dot(p - a)
        };
        let beyond = |cell| FACES.iter().map(|face| height(cell, *face)).fold(f64::NEG_INFINITY, f64::max);
        self.cells.iter().map(beyond).fold(f64::INFINITY, f64::min)
    }
}

fn sorted(mut face: [u32; 3]) -> [u32; 3] {
    face.sort_unstable();
    face
}

/// Returns the relation of A to B, with B moved by exactly `by`.
pub fn relation(a: &Tetrahedra, b: &Tetrahedra, by: DVec3) -> Relation {
    let (points_a, points_b) = placed(a, b, by);
    // Products of differences of such numbers fit in an i128.
    match (small(&points_a), small(&points_b)) {
        (Some(p), Some(q)) => relation_of(&cells(&p, a), &cells(&q, b)),
        _ => relation_of(&cells(&points_a, a), &cells(&points_b, b)),
    }
}

/// Returns the corners of both as whole numbers, with B moved.
fn placed(a: &Tetrahedra, b: &Tetrahedra, by: DVec3) -> (Vec<Exact<BigInt>>, Vec<Exact<BigInt>>) {
    let all: Vec<DVec3> = a.vertices.iter().chain(&b.vertices).copied().chain([by]).collect();
    let mut points = whole(&all, lowest(&all));
    let by = points.pop().expect("the translation");
    let mut points_b = points.split_off(a.vertices.len());
    for p in &mut points_b {
        *p = [0, 1, 2].map(|k| &p[k] + &by[k]);
    }
    (points, points_b)
}

/// Returns the same numbers in `i128`; `None` if one has more than 38 bits.
fn small(points: &[Exact<BigInt>]) -> Option<Vec<Exact<i128>>> {
    let number = |x: &BigInt| x.to_i128().filter(|x| x.unsigned_abs() < 1 << 38);
    points.iter().map(|p| Some([number(&p[0])?, number(&p[1])?, number(&p[2])?])).collect()
}

/// A tetrahedron, with the values that every pair needs.
struct Cell<T> {
    corners: [Exact<T>; 4],
    low: Exact<T>,
    high: Exact<T>,
    /// Outward normals of the faces.
    normals: [Exact<T>; 4],
    edges: [Exact<T>; 6],
}

fn cells<T: Num + Signed + Clone + Ord>(points: &[Exact<T>], solid: &Tetrahedra) -> Vec<Cell<T>> {
    let cell = |numbers: &[u32; 4]| {
        let corners = numbers.map(|v| points[v as usize].clone());
        let end = |pick: fn(T, T) -> T| {
            let all = |k: usize| corners.iter().map(move |p| p[k].clone());
            [0, 1, 2].map(|k| all(k).reduce(pick).expect("four corners"))
        };
        let side = |i: usize, j: usize| sub(&corners[j], &corners[i]);
        let normals = FACES.map(|[i, j, k]| cross(&side(i, j), &side(i, k)));
        let edges = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(i, j)| side(i, j));
        Cell { low: end(T::min), high: end(T::max), normals, edges, corners }
    };
    solid.cells.iter().map(cell).collect()
}

fn relation_of<T: Num + Signed + Clone + Ord>(a: &[Cell<T>], b: &[Cell<T>]) -> Relation {
    let mut most = Relation::Clear;
    for p in a {
        for q in b {
            if (0..3).all(|k| p.low[k] <= q.high[k] && q.low[k] <= p.high[k]) {
                most = most.max(relation_of_cells(p, q));
                if most == Relation::Overlapping {
                    return most;
                }
            }
        }
    }
    most
}

/// Returns the relation of two tetrahedra, by every direction along which they can be apart.
fn relation_of_cells<T: Num + Signed + Clone + Ord>(a: &Cell<T>, b: &Cell<T>) -> Relation {
    let products = a.edges.iter().flat_map(|u| b.edges.iter().map(move |v| cross(u, v)));
    let mut least = Relation::Overlapping;
    for axis in a.normals.iter().chain(&b.normals).cloned().chain(products) {
        if is_zero(&axis) {
            continue;
        }
        let (low_a, high_a) = extent(&axis, &a.corners);
        let (low_b, high_b) = extent(&axis, &b.corners);
        if high_a < low_b || high_b < low_a {
            return Relation::Clear;
        }
        if high_a == low_b || high_b == low_a {
            least = Relation::Touching;
        }
    }
    least
}

/// Returns the least and the greatest product with an axis.
fn extent<T: Num + Clone + Ord>(axis: &Exact<T>, points: &[Exact<T>]) -> (T, T) {
    let mut ends: Option<(T, T)> = None;
    for p in points {
        let x = dot(axis, p);
        ends = Some(match ends {
            None => (x.clone(), x),
            Some((low, high)) if x < low => (x, high),
            Some((low, high)) if high < x => (low, x),
            Some(ends) => ends,
        });
    }
    ends.expect("points")
}

/// Returns the squared length of the shortest translation that separates two overlapping convex
/// solids. For other solids it is that of their hulls.
///
/// It lies along the normal of a face of one of them, or across an edge of each.
pub fn depth_sq(a: &Tetrahedra, b: &Tetrahedra) -> BigRational {
    let (points_a, points_b) = placed(a, b, DVec3::ZERO);
    let (surface_a, surface_b) = (a.surface(), b.surface());
    let side = |points: &[Exact<BigInt>], v: [u32; 2]| sub(&points[v[1] as usize], &points[v[0] as usize]);
    let mut axes = Vec::new();
    let mut edges = [Vec::new(), Vec::new()];
    let each = [(&points_a, &surface_a), (&points_b, &surface_b)];
    for ((points, surface), edges) in each.into_iter().zip(&mut edges) {
        for &[i, j, k] in surface {
            axes.push(cross(&side(points, [i, j]), &side(points, [i, k])));
            edges.extend([[i, j], [j, k], [k, i]].iter().filter(|e| e[0] < e[1]).map(|e| side(points, *e)));
        }
    }
    axes.extend(edges[0].iter().flat_map(|u| edges[1].iter().map(move |v| cross(u, v))));
    let corners = |points: &[Exact<BigInt>], surface: &[[u32; 3]]| {
        let mut used: Vec<u32> = surface.concat();
        used.sort_unstable();
        used.dedup();
        used.iter().map(|v| points[*v as usize].clone()).collect::<Vec<_>>()
    };
    let (corners_a, corners_b) = (corners(&points_a, &surface_a), corners(&points_b, &surface_b));
    // The square of a length along an axis, and that of the axis.
    let mut least: Option<(BigInt, BigInt)> = None;
    for axis in axes.iter().filter(|axis| !is_zero(axis)) {
        let ((low_a, high_a), (low_b, high_b)) = (extent(axis, &corners_a), extent(axis, &corners_b));
        let length = (high_a - low_b).min(high_b - low_a);
        if length.is_negative() {
            return BigRational::zero();
        }
        let (top, bottom) = (&length * &length, dot(axis, axis));
        if least.as_ref().is_none_or(|(t, b)| &top * b < t * &bottom) {
            least = Some((top, bottom));
        }
    }
    let (top, bottom) = least.expect("solids have faces");
    let all: Vec<DVec3> = a.vertices.iter().chain(&b.vertices).copied().collect();
    let unit = BigRational::from_float(2.0_f64).expect("finite").pow(2 * lowest(&all));
    BigRational::new(top, bottom) * unit
}
