//! A tetrahedron cut at the zero of a linear function: the part of a surface in a cell of samples.
//!
//! Reference: A. Doi, A. Koide, An Efficient Method of Triangulating Equi-Valued Surfaces by Using
//! Tetrahedral Cells, IEICE Transactions E74(1), 1991; H. Kuhn, Some Combinatorial Lemmas in
//! Topology, IBM Journal 4(5), 1960 (six tetrahedra of a cell).

use glam::DVec3;

/// The corners of the six tetrahedra of a cell, which share its diagonal. Bit 0 of a corner is for
/// x, 1 for y, 2 for z. Neighbouring cells share the edges of their tetrahedra.
pub const CELL_TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// A tetrahedron with the values of a linear function at its corners. A value of 0 is inside.
///
/// ```
/// use carom_geom::LinearCut;
/// use glam::DVec3;
///
/// let corners = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO];
/// let cut = LinearCut::new(corners, [3.0, 3.0, 3.0, -1.0]);
/// assert_eq!((cut.n_inside(), cut.corners()[0]), (1, DVec3::ZERO));
/// assert_eq!(cut.between(0, 1), 0.25 * DVec3::X);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LinearCut {
    corners: [DVec3; 4],
    values: [f64; 4],
}

impl LinearCut {
    /// Creates a cut from corners in any order, and the values at them.
    pub fn new(corners: [DVec3; 4], values: [f64; 4]) -> LinearCut {
        let mut order = [0, 1, 2, 3];
        order.sort_unstable_by(|i: &usize, j: &usize| values[*i].total_cmp(&values[*j]).then(i.cmp(j)));
        LinearCut { corners: order.map(|i| corners[i]), values: order.map(|i| values[i]) }
    }

    /// Returns the corners by rising value: those inside come first.
    #[inline]
    pub fn corners(&self) -> [DVec3; 4] {
        self.corners
    }

    /// Returns the number of corners inside, from 0 to 4.
    #[inline]
    pub fn n_inside(&self) -> usize {
        self.values.iter().filter(|value| **value <= 0.0).count()
    }

    /// Returns the zero of the function between two of [`LinearCut::corners`], given by index: one
    /// inside, one outside.
    #[inline]
    pub fn between(&self, inside: usize, outside: usize) -> DVec3 {
        let [p, q] = [self.corners[inside], self.corners[outside]];
        let [v, w] = [self.values[inside], self.values[outside]];
        p + (q - p) * (v / (v - w))
    }
}
