//! Solids on a lattice, each with its tetrahedra.

use crate::oracle::tetrahedra::Tetrahedra;
use crate::random::Random;
use glam::DVec3;

/// A family of solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// A box.
    Box,
    /// A tetrahedron.
    Tetrahedron,
    /// The hull of random points.
    Hull,
    /// Three quarters of a box.
    LShape,
    /// A box with a hole through it.
    Frame,
    /// A plate with slots from one side.
    SlottedPlate,
    /// A prism over a star.
    Prism,
    /// A box with a closed cavity.
    Cavity,
    /// Two boxes apart.
    TwoShells,
    /// Random cells of a grid.
    Cells,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 10] = [
        Family::Box,
        Family::Tetrahedron,
        Family::Hull,
        Family::LShape,
        Family::Frame,
        Family::SlottedPlate,
        Family::Prism,
        Family::Cavity,
        Family::TwoShells,
        Family::Cells,
    ];
}

/// A solid whose coordinates are whole numbers.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// Its family.
    pub family: Family,
    /// Its tetrahedra.
    pub solid: Tetrahedra,
    /// Empty boxes that it surrounds wholly or in part: least and greatest corners.
    pub gaps: Vec<[DVec3; 2]>,
}

/// Returns a random solid of a family; `None` if the random numbers give no valid one.
pub(super) fn body(random: &mut Random, family: Family) -> Option<Body> {
    let all = |_: [usize; 3]| true;
    let (solid, gaps) = match family {
        Family::Box => cells(random, [1; 3], all),
        Family::Tetrahedron => (tetrahedron(random)?, Vec::new()),
        Family::Hull => (hull(random)?, Vec::new()),
        Family::LShape => cells(random, [2, 2, 1], |c| c != [1, 1, 0]),
        Family::Frame => cells(random, [3, 3, 1], |c| c != [1, 1, 0]),
        Family::SlottedPlate => {
            let n = 3 + 2 * random.below(2);
            cells(random, [n, 2, 1], |c| c[1] == 0 || c[0] % 2 == 0)
        }
        Family::Prism => (prism(random)?, Vec::new()),
        Family::Cavity => cells(random, [3; 3], |c| c != [1; 3]),
        Family::TwoShells => cells(random, [3, 1, 1], |c| c[0] != 1),
        Family::Cells => {
            let bits = random.bits() | random.bits();
            let n = [2 + random.below(2), 2, 2];
            cells(random, n, |c| bits >> (c[0] + 3 * c[1] + 6 * c[2]) & 1 == 1)
        }
    };
    (!solid.cells.is_empty()).then_some(Body { family, solid, gaps })
}

/// Returns the cells of a grid of random widths, and the boxes of the omitted ones.
fn cells(
    random: &mut Random,
    n: [usize; 3],
    is_full: impl Fn([usize; 3]) -> bool,
) -> (Tetrahedra, Vec<[DVec3; 2]>) {
    let planes = n.map(|n| {
        let mut planes = vec![0.0];
        for i in 0..n {
            planes.push(planes[i] + 1.0 + random.below(4) as f64);
        }
        planes
    });
    cells_between(random.below(8), &planes, is_full)
}

/// Returns the cells between planes. The bits of `turn` choose the diagonal that all cells share.
pub(super) fn cells_between(
    turn: usize,
    planes: &[Vec<f64>; 3],
    is_full: impl Fn([usize; 3]) -> bool,
) -> (Tetrahedra, Vec<[DVec3; 2]>) {
    let n = [0, 1, 2].map(|k| planes[k].len());
    let mut solid = Tetrahedra::default();
    for i in 0..n[0] * n[1] * n[2] {
        let indices = [i % n[0], i / n[0] % n[1], i / n[0] / n[1]];
        solid.vertices.push(DVec3::from_array([0, 1, 2].map(|k| planes[k][indices[k]])));
    }
    let number = |c: [usize; 3]| (c[0] + n[0] * (c[1] + n[1] * c[2])) as u32;
    let mut gaps = Vec::new();
    for i in 0..(n[0] - 1) * (n[1] - 1) * (n[2] - 1) {
        let cell = [i % (n[0] - 1), i / (n[0] - 1) % (n[1] - 1), i / (n[0] - 1) / (n[1] - 1)];
        if !is_full(cell) {
            gaps.push([cell, cell.map(|x| x + 1)].map(|c| solid.vertices[number(c) as usize]));
            continue;
        }
        // The six paths along edges from one corner to the opposite one are the six tetrahedra.
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut at = [0, 1, 2].map(|k| cell[k] + (turn >> k & 1));
            let mut corners = [number(at); 4];
            for (corner, axis) in corners[1..].iter_mut().zip(order) {
                at[axis] = 2 * cell[axis] + 1 - at[axis];
                *corner = number(at);
            }
            solid.add(corners);
        }
    }
    (solid, gaps)
}

fn tetrahedron(random: &mut Random) -> Option<Tetrahedra> {
    let mut solid = Tetrahedra { vertices: (0..4).map(|_| random.grid_point(8)).collect(), ..<_>::default() };
    solid.add([0, 1, 2, 3]).then_some(solid)
}

/// Returns cells from an inner point to the faces of the hull; `None` if four points are in one
/// plane.
fn hull(random: &mut Random) -> Option<Tetrahedra> {
    let n = 5 + random.below(5) as u32;
    let mut solid =
        Tetrahedra { vertices: (0..n).map(|_| random.grid_point(30)).collect(), ..<_>::default() };
    let position_of = |v: u32| solid.vertices[v as usize];
    let mut faces = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let normal = (position_of(j) - position_of(i)).cross(position_of(k) - position_of(i));
                let others = (0..n).filter(|v| ![i, j, k].contains(v));
                // Products of small whole numbers are exact.
                let heights: Vec<f64> = others.map(|v| normal.dot(position_of(v) - position_of(i))).collect();
                if heights.contains(&0.0) {
                    return None;
                }
                if heights.iter().all(|h| *h < 0.0) || heights.iter().all(|h| 0.0 < *h) {
                    faces.push([i, j, k]);
                }
            }
        }
    }
    let middle = (0..n).map(position_of).sum::<DVec3>() / f64::from(n);
    solid.vertices.push(middle.round());
    for face in faces {
        let [i, j, k] = face;
        if !solid.add([i, j, k, n]) {
            return None;
        }
    }
    // The middle must be below every face, else two cells overlap.
    let is_below = |v: u32, [i, j, k]: [u32; 3]| {
        let position_of = |v: u32| solid.vertices[v as usize];
        (position_of(j) - position_of(i))
            .cross(position_of(k) - position_of(i))
            .dot(position_of(v) - position_of(i))
            < 0.0
    };
    let surface = solid.surface();
    surface.iter().all(|face| is_below(n, *face)).then_some(solid)
}

/// Returns a prism over a star in the plane. All of the star is visible from its middle.
fn prism(random: &mut Random) -> Option<Tetrahedra> {
    let n = 5 + random.below(5);
    let heights = [0.0, 2.0 + random.below(8) as f64];
    let mut outline = vec![DVec3::ZERO];
    for i in 0..n {
        let turn = core::f64::consts::TAU * (i as f64 + 0.4 * random.unit()) / n as f64;
        let far = if i % 2 == 0 { 12.0 } else { 3.0 + 8.0 * random.unit() };
        outline.push((DVec3::new(turn.cos(), turn.sin(), 0.0) * far).round());
    }
    let mut solid = Tetrahedra::default();
    for height in heights {
        solid.vertices.extend(outline.iter().map(|p| *p + DVec3::Z * height));
    }
    let above = outline.len() as u32;
    for i in 0..n as u32 {
        // Sorted corners give the same diagonals to neighbours.
        let mut t = [0, 1 + i, 1 + (i + 1) % n as u32];
        let [p, q] = [t[1], t[2]].map(|v| outline[v as usize]);
        if p.x * q.y - p.y * q.x <= 0.0 {
            return None;
        }
        t.sort_unstable();
        let [i, j, k] = t;
        solid.add([i, j, k, k + above]);
        solid.add([i, j, j + above, k + above]);
        solid.add([i, i + above, j + above, k + above]);
    }
    Some(solid)
}
