//! Pairs of triangles of every degenerate kind. Corners are integers times a power of two, so
//! integer arithmetic gives exact answers.

use crate::oracle::integer::Point;
use crate::random::Random;
use glam::DVec3;

/// A family of pairs, by what is special about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Corners anywhere in a cube. The smallest cube has 27 points.
    Random,
    /// All six corners in one plane.
    Coplanar,
    /// All six corners in one plane, but for one unit in one or two coordinates.
    NearlyCoplanar,
    /// One, two or all three corners in common.
    SharedCorners,
    /// A corner of one in the plane of the other, inside, on the border or just outside.
    CornerOnFace,
    /// Two edges that pass through one point, end in it, or end just before it.
    EdgeOnEdge,
    /// One triangle or both are segments or points.
    Degenerate,
    /// Long and thinner than a unit, near each other.
    Slivers,
}

impl Family {
    /// All variants.
    pub const ALL: [Family; 8] = [
        Family::Random,
        Family::Coplanar,
        Family::NearlyCoplanar,
        Family::SharedCorners,
        Family::CornerOnFace,
        Family::EdgeOnEdge,
        Family::Degenerate,
        Family::Slivers,
    ];
}

/// A map of the integers to numbers of `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The integers themselves.
    Plain,
    /// Far from the origin: a unit is one or two units in the last place of the coordinates.
    BigOffset,
    /// Times 2^-30, far from the origin.
    ScaledOffset,
    /// Times 2^-1000: products underflow.
    Tiny,
    /// Times 2^-1074: subnormal numbers.
    Subnormal,
    /// Times 2^900: products overflow.
    Huge,
}

impl Placement {
    /// All variants.
    pub const ALL: [Placement; 6] = [
        Placement::Plain,
        Placement::BigOffset,
        Placement::ScaledOffset,
        Placement::Tiny,
        Placement::Subnormal,
        Placement::Huge,
    ];

    /// Returns the integer corners as `f64`, exactly.
    pub fn apply(self, triangle: &[Point; 3]) -> [DVec3; 3] {
        // The largest coordinate is about 2^51 + 2^28, which leaves at most one bit below a unit.
        let (offset, scale) = match self {
            Placement::Plain => (0, 1.0),
            Placement::BigOffset => ((1_i64 << 51) + 12_345, 1.0),
            Placement::ScaledOffset => (-(1_i64 << 50) + 77, 2_f64.powi(-30)),
            Placement::Tiny => (0, 2_f64.powi(-1000)),
            Placement::Subnormal => (0, f64::from_bits(1)),
            Placement::Huge => (0, 2_f64.powi(900)),
        };
        triangle.map(|p| DVec3::from_array(p.map(|x| (x + offset) as f64 * scale)))
    }
}

/// A bound on the coordinates that [`pair`] returns.
pub const LARGEST: i64 = 1 << 28;

/// Returns a random pair of the family. Sizes are from a cube of 27 points to coordinates of 2^26.
pub fn pair(random: &mut Random, family: Family) -> [[Point; 3]; 2] {
    let reach = [1_i64, 2, 4, 30, 1000, 1 << 12, 1 << 20, 1 << 26][random.below(8)];
    let mut whole = |reach: i64| random.below(2 * reach as usize + 1) as i64 - reach;
    let mut point = |reach: i64| [whole(reach), whole(reach), whole(reach)];
    let mut p = [0; 6].map(|_| point(reach));
    // The steps are small, so that combinations stay of the order of the reach.
    let (u, v) = (point(1 + reach / 16), point(1 + reach / 16));
    let along = |p: Point, k: i64, u: Point| [0, 1, 2].map(|i| p[i] + k * u[i]);
    match family {
        Family::Random => {}
        Family::Coplanar | Family::NearlyCoplanar => {
            for q in &mut p[1..] {
                *q = along(along([0; 3], random.below(13) as i64 - 6, u), random.below(13) as i64 - 6, v);
            }
            p[0] = [0; 3];
            let is_near = family == Family::NearlyCoplanar;
            for _ in 0..if is_near { 1 + random.below(2) } else { 0 } {
                p[random.below(6)][random.below(3)] += if random.below(2) == 0 { 1 } else { -1 };
            }
        }
        Family::SharedCorners => {
            let n = [1, 1, 1, 2, 2, 3][random.below(6)];
            let turn = random.below(3);
            (0..n).for_each(|k| p[3 + k] = p[(turn + k) % 3]);
        }
        Family::CornerOnFace => {
            let n = 1 + random.below(8) as i64;
            p[1] = along(p[0], n, u);
            p[2] = along(p[0], n, v);
            let (i, j) = (random.below(n as usize + 2) as i64, random.below(n as usize + 2) as i64);
            p[3 + random.below(3)] = along(along(p[0], i, u), j - random.below(2) as i64, v);
        }
        Family::EdgeOnEdge => {
            // At 0 an edge ends in the common point; at -1 it ends before.
            let steps = [0; 4].map(|_| random.below(5) as i64 - 1);
            let middle = p[0];
            (p[0], p[1]) = (along(middle, -steps[0], u), along(middle, steps[1], u));
            (p[3], p[4]) = (along(middle, -steps[2], v), along(middle, steps[3], v));
        }
        Family::Degenerate => {
            // Brings them near each other, then removes their areas.
            p[3] = if random.below(2) == 0 { along(p[0], 1 + random.below(3) as i64, u) } else { p[3] };
            for first in [0, 3] {
                match random.below(5) {
                    0 => p[first + 1] = p[first],
                    1 => (p[first + 1], p[first + 2]) = (p[first], p[first]),
                    2 | 3 => {
                        p[first + 1] = along(p[first], random.below(7) as i64 - 3, u);
                        p[first + 2] = along(p[first], random.below(7) as i64 - 3, u);
                    }
                    _ => {}
                }
            }
            if random.below(3) == 0 {
                // Exactly a point of the other one.
                p[3 + random.below(3)] = p[random.below(3)];
            }
        }
        Family::Slivers => {
            for first in [0, 3] {
                let k = 2 + random.below(9) as i64;
                p[first + 1] = along(p[first], k, u);
                p[first + 2] = along(p[first], random.below(k as usize) as i64, u);
                p[first + 2][random.below(3)] += random.below(3) as i64 - 1;
            }
            // The second runs along the first or across it, at a distance of a few units at most.
            let step = if random.below(2) == 0 { u } else { v };
            let start = along(p[0], random.below(5) as i64, u);
            let shift = [p[3][0] - start[0], p[3][1] - start[1], p[3][2] - start[2]];
            for q in &mut p[3..] {
                *q = [q[0] - shift[0], q[1] - shift[1], q[2] - shift[2]];
            }
            p[4] = along(p[3], 1 + random.below(4) as i64, step);
            p[3 + random.below(3)][random.below(3)] += random.below(3) as i64 - 1;
        }
    }
    let [a0, a1, a2, b0, b1, b2] = p;
    // The order of the triangles and of their corners is random too.
    let (mut a, mut b) = ([a0, a1, a2], [b0, b1, b2]);
    a.rotate_left(random.below(3));
    b.rotate_left(random.below(3));
    if random.below(2) == 0 {
        b.swap(0, 1);
    }
    if random.below(2) == 0 { [a, b] } else { [b, a] }
}
