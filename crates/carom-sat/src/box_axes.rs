//! Box against box: the axis of least overlap, or of the largest gap, among fifteen.
//!
//! - The candidates are the six face normals and nine cross products of edges. Overlaps come from
//!   the rotation matrix in `f64`.
//! - Cross products are not normalised, and overlaps are compared by squares. A nearly parallel
//!   pair of edges then loses no accuracy.
//! - The edges are skipped if a face is proved to have the least overlap. It is the proof that the
//!   deepest corner of the other box leaves this box soonest through this face.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, SIGGRAPH 1996 (the axes); C. Ericson,
//! Real-Time Collision Detection, 2005, 4.4.1.
//! Differs: the depth is the true minimum, and faces win over edges only in ties. Figures are in
//! `benches/notes/carom-sat.md`.

use crate::Tally;
use crate::placed_box::PlacedBox;
use carom_lanes::{Kernel, Simd};
use carom_math::{WidePose, ops::sqrt, scaling::length, scaling::unit, tol};
use glam::DVec3;

/// Two boxes in the frame of the first.
pub(crate) struct BoxPair {
    pub(crate) half_a: [f64; 3],
    pub(crate) half_b: [f64; 3],
    /// `r[i][j]`: axis j of B along axis i of A.
    pub(crate) r: [[f64; 3]; 3],
    /// The centre of B.
    pub(crate) t: [f64; 3],
}

/// 2^-800: the squared sine of an angle too small to rotate a box. Far smaller values lose digits
/// by underflow.
const NO_ANGLE_SQ: f64 = f64::from_bits((1023 - 800) << 52);

pub(crate) struct Axis {
    /// From A to B.
    pub(crate) normal: DVec3,
    pub(crate) overlap: f64,
    pub(crate) number: u8,
    /// For a face axis: whether the face on the positive side of its box faces the other box.
    pub(crate) positive: bool,
}

/// [`BoxPair::least_overlap`] compiled for each instruction set.
pub(crate) struct LeastOverlap<'k, T> {
    pub(crate) pair: &'k BoxPair,
    pub(crate) prediction: f64,
    pub(crate) tally: T,
}

impl<T: Tally> Kernel for LeastOverlap<'_, T> {
    type Output = Option<Axis>;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Option<Axis> {
        self.pair.least_overlap(self.prediction, self.tally)
    }
}

impl BoxPair {
    pub(crate) fn new(half_a: DVec3, half_b: DVec3, b_in_a: &WidePose) -> Option<BoxPair> {
        let t = b_in_a.translation;
        let (x, y, z) = (b_in_a.rotation.x_axis, b_in_a.rotation.y_axis, b_in_a.rotation.z_axis);
        // An infinity or NaN in any component makes the sum infinite or NaN.
        let sum = (half_a + half_b) + t + (x + y + z);
        (sum.x + sum.y + sum.z).is_finite().then(|| BoxPair {
            half_a: half_a.to_array(),
            half_b: half_b.to_array(),
            r: [[x.x, y.x, z.x], [x.y, y.y, z.y], [x.z, y.z, z.z]],
            t: t.to_array(),
        })
    }

    /// Returns the same pair in the frame of B.
    pub(crate) fn swapped(&self) -> BoxPair {
        let (r, t) = (&self.r, &self.t);
        BoxPair {
            half_a: self.half_b,
            half_b: self.half_a,
            r: [[r[0][0], r[1][0], r[2][0]], [r[0][1], r[1][1], r[2][1]], [r[0][2], r[1][2], r[2][2]]],
            t: [
                -(t[0] * r[0][0] + t[1] * r[1][0] + t[2] * r[2][0]),
                -(t[0] * r[0][1] + t[1] * r[1][1] + t[2] * r[2][1]),
                -(t[0] * r[0][2] + t[1] * r[1][2] + t[2] * r[2][2]),
            ],
        }
    }

    pub(crate) fn own(&self) -> PlacedBox {
        PlacedBox { center: DVec3::ZERO, axes: [DVec3::X, DVec3::Y, DVec3::Z], half: self.half_a }
    }

    pub(crate) fn placed_b(&self) -> PlacedBox {
        PlacedBox {
            center: DVec3::from(self.t),
            axes: [self.axis_b(0), self.axis_b(1), self.axis_b(2)],
            half: self.half_b,
        }
    }

    pub(crate) fn axis_b(&self, j: usize) -> DVec3 {
        DVec3::new(self.r[0][j], self.r[1][j], self.r[2][j])
    }

    pub(crate) fn size(&self) -> f64 {
        let (a, b) = (&self.half_a, &self.half_b);
        a[0] + a[1] + a[2] + b[0] + b[1] + b[2]
    }

    /// Whether `between`, a vector from a point of A to a point of B, is the shortest one. It is if
    /// the boxes are apart by its length along its direction.
    pub(crate) fn is_gap(&self, between: DVec3) -> bool {
        let Some(normal) = unit(between) else { return false };
        let radius = |placed: &PlacedBox| {
            (0..3).fold(0.0, |sum, k| sum + placed.half[k] * placed.axes[k].dot(normal).abs())
        };
        let gap = DVec3::from(self.t).dot(normal) - radius(&self.own()) - radius(&self.placed_b());
        length(between) <= gap + tol::SAT_TIE * self.size()
    }

    /// Returns the axis of least overlap, or `None` if an axis shows a gap larger than
    /// `prediction`.
    #[inline(always)]
    fn least_overlap(&self, prediction: f64, tally: impl Tally) -> Option<Axis> {
        let BoxPair { half_a, half_b, r, t } = self;
        let [x, y, z] = r;
        let abs = [
            [x[0].abs(), x[1].abs(), x[2].abs()],
            [y[0].abs(), y[1].abs(), y[2].abs()],
            [z[0].abs(), z[1].abs(), z[2].abs()],
        ];
        let tie = tol::SAT_TIE * self.size();

        let mut best = f64::INFINITY;
        let mut number = 0;
        for i in 0..3 {
            let radius_b = abs[i][0] * half_b[0] + abs[i][1] * half_b[1] + abs[i][2] * half_b[2];
            let overlap = half_a[i] + radius_b - t[i].abs();
            tally.count(|counters| counters.axes += 1);
            if overlap < -prediction {
                return None;
            }
            if overlap < best - tie {
                best = overlap;
                number = i;
            }
        }
        let mut along_b = [0.0; 3];
        for j in 0..3 {
            along_b[j] = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
            let radius_a = abs[0][j] * half_a[0] + abs[1][j] * half_a[1] + abs[2][j] * half_a[2];
            let overlap = half_b[j] + radius_a - along_b[j].abs();
            tally.count(|counters| counters.axes += 1);
            if overlap < -prediction {
                return None;
            }
            if overlap < best - tie {
                best = overlap;
                number = 3 + j;
            }
        }

        if self.is_least_of_all(number, along_b, best) {
            return Some(self.face_axis(number, along_b, best));
        }
        // Edge i of A and j of B: l = e_i x b_j, not normalised. Overlaps o / |l| are compared by
        // their signed squares, o |o| / l^2.
        let limit = best - tie;
        let mut best_square = limit * limit.abs();
        let gap_square = if prediction < f64::INFINITY { prediction * prediction } else { f64::INFINITY };
        let mut best_edge = None;
        let rows = [self.edges_along::<0>(), self.edges_along::<1>(), self.edges_along::<2>()];
        tally.count(|counters| counters.axes += 9);
        let mut is_apart = [false; 4];
        for (i, (overlaps, lengths_sq)) in rows.iter().enumerate() {
            // Without branches for all edges of B, because few have less overlap than the best
            // face. The loop below takes the least of these few.
            let (mut squares, mut is_better) = ([0.0; 4], [false; 4]);
            for j in 0..4 {
                let (overlap, length_sq) = (overlaps[j], lengths_sq[j]);
                squares[j] = overlap * overlap.abs();
                // Parallel edges have no cross product: 0 < 0 is false.
                let has_angle = NO_ANGLE_SQ <= length_sq;
                is_apart[j] |= (squares[j] < -gap_square * length_sq) & has_angle;
                is_better[j] = (squares[j] < best_square * length_sq) & has_angle;
            }
            if is_better[0] | is_better[1] | is_better[2] {
                for j in 0..3 {
                    if is_better[j] && squares[j] < best_square * lengths_sq[j] {
                        best_square = squares[j] / lengths_sq[j];
                        best_edge = Some((i, j, overlaps[j], lengths_sq[j]));
                    }
                }
            }
        }
        if is_apart[0] | is_apart[1] | is_apart[2] {
            return None;
        }
        if let Some((i, j, overlap, length_sq)) = best_edge {
            let length = sqrt(length_sq);
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let (l1, l2) = (-r[i2][j] / length, r[i1][j] / length);
            let normal = in_turn(i, 0.0, l1, l2);
            let forward = l1 * t[i1] + l2 * t[i2];
            let normal = if forward < 0.0 { -normal } else { normal };
            return Some(Axis {
                normal,
                overlap: overlap / length,
                number: (6 + 3 * i + j) as u8,
                positive: true,
            });
        }
        Some(self.face_axis(number, along_b, best))
    }

    /// Returns the overlaps along the cross products of A's axis `I` with the three of B. They are
    /// scaled by the lengths of the products, whose squares are returned too. Lanes of four; the
    /// last is unused.
    #[inline(always)]
    fn edges_along<const I: usize>(&self) -> ([f64; 4], [f64; 4]) {
        let BoxPair { half_a, half_b: h, r, t } = self;
        let (i1, i2) = ((I + 1) % 3, (I + 2) % 3);
        let (y, z) = (&r[i1], &r[i2]);
        let (half_1, half_2) = ([h[1], h[2], h[0], 0.0], [h[2], h[0], h[1], 0.0]);
        let (y, y_1, y_2) = ([y[0], y[1], y[2], 0.0], [y[1], y[2], y[0], 0.0], [y[2], y[0], y[1], 0.0]);
        let (z, z_1, z_2) = ([z[0], z[1], z[2], 0.0], [z[1], z[2], z[0], 0.0], [z[2], z[0], z[1], 0.0]);
        let (mut overlaps, mut lengths_sq) = ([0.0; 4], [0.0; 4]);
        for j in 0..4 {
            let (l1, l2) = (-z[j], y[j]); // Components of l along axes i1 and i2 of A.
            lengths_sq[j] = l1 * l1 + l2 * l2;
            let radius_a = half_a[i1] * l1.abs() + half_a[i2] * l2.abs();
            // The radius needs l . b_j1. In exact numbers it is r[i][j2], but that has the rounding
            // of a number near 1, and l may be short. So it is computed from the components of l.
            let radius_b =
                half_1[j] * (l1 * y_1[j] + l2 * z_1[j]).abs() + half_2[j] * (l1 * y_2[j] + l2 * z_2[j]).abs();
            overlaps[j] = radius_a + radius_b - (l1 * t[i1] + l2 * t[i2]).abs();
        }
        (overlaps, lengths_sq)
    }

    /// Returns one of the six face normals as the answer. `along_b` is the centre of B along its
    /// own axes.
    #[inline(always)]
    fn face_axis(&self, number: usize, along_b: [f64; 3], overlap: f64) -> Axis {
        let (normal, positive) = if number < 3 {
            let positive = 0.0 <= self.t[number];
            (in_turn(number, if positive { 1.0 } else { -1.0 }, 0.0, 0.0), positive)
        } else {
            let positive = along_b[number - 3] < 0.0;
            let axis = self.axis_b(number - 3);
            (if positive { -axis } else { axis }, positive)
        };
        Axis { normal, overlap, number: number as u8, positive }
    }

    /// Whether this face surely has the least overlap. Take the corner of the other box that is
    /// deepest behind this face. If it is inside, and no other face is nearer to it, then no axis
    /// has less overlap, and the nine edge axes are skipped.
    #[inline(always)]
    fn is_least_of_all(&self, number: usize, along_b: [f64; 3], overlap: f64) -> bool {
        let BoxPair { half_a, half_b, r, t } = self;
        let room = overlap.max(0.0);
        let k = number % 3;
        let (m, n) = ((k + 1) % 3, (k + 2) % 3);
        let (own, x, y) = if number < 3 {
            // The corner farthest against the normal: its offset along each axis of B has the sign
            // of that axis along the normal.
            let offset = |j: usize| half_b[j].copysign(r[k][j] * t[k]);
            let (u, v, w) = (offset(0), offset(1), offset(2));
            let corner = |m: usize| t[m] - (r[m][0] * u + r[m][1] * v + r[m][2] * w);
            (half_a, corner(m), corner(n))
        } else {
            let offset = |i: usize| half_a[i].copysign(r[i][k] * along_b[k]);
            let (u, v, w) = (offset(0), offset(1), offset(2));
            let corner = |m: usize| along_b[m] - (r[0][m] * u + r[1][m] * v + r[2][m] * w);
            (half_b, corner(m), corner(n))
        };
        overlap <= own[k] && x.abs() + room <= own[m] && y.abs() + room <= own[n]
    }
}

/// Returns the vector with these components along an axis and the two that follow it cyclically.
/// No array is used, because a vector load right after scalar stores stalls.
#[inline(always)]
pub(crate) fn in_turn(axis: usize, own: f64, next: f64, last: f64) -> DVec3 {
    match axis {
        0 => DVec3::new(own, next, last),
        1 => DVec3::new(last, own, next),
        _ => DVec3::new(next, last, own),
    }
}
