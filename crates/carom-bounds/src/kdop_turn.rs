//! Bounds of k-DOPs in a rotated frame from their half-spaces alone, with weights for each
//! rotation.
//!
//! Each direction is a non-negative combination of three directions of the polytope, in a few
//! ways. The same combination of the offsets bounds the extent of the polytope. The least bound is
//! used. The weights depend only on the rotation. Each way has a column for each half-space of the
//! polytope that it uses. A column has a row for each half-space in the other frame. So a polytope
//! costs one broadcast and one multiply-add of all rows for each column.
//!
//! Finding the weights anew for each polytope takes about a hundred times as long.
//!
//! Reference: V. Chvatal, Linear Programming, 1983, 5 (a sum of constraints is a bound); J.
//! Klosowski et al., Efficient Collision Detection Using Bounding Volume Hierarchies of k-DOPs,
//! 1998.
//! Differs: they rotate a hull of the vertices; here the half-spaces are enough.

use crate::kdop::{KDop, Slabs, direction, sealed::Sealed};
use carom_lanes::{F32Lanes, Simd};
use glam::{DMat3, DVec3};

/// A direction with components -1, 0 and 1 as one number: 13 and 9 times the first, 3 times the
/// second, and the third. The numbers of opposite directions add up to 26.
pub(crate) type Code = usize;

/// Three directions and their non-negative weights; their sum is the requested direction.
type Combination = [(Code, f64); 3];

/// Kinds of directions: along an axis, normal to an edge of a cube, to a corner.
const AXIS: u8 = 1;
const EDGE: u8 = 2;
const CORNER: u8 = 4;

/// The kinds of directions that each of the [`combinations`] uses.
const KINDS: [u8; 6] = [AXIS, AXIS | EDGE | CORNER, AXIS | CORNER, AXIS | CORNER, CORNER, AXIS | EDGE];

/// Returns the kind of a direction.
const fn kind(d: [i8; 3]) -> u8 {
    1 << (((d[0] & 1) + (d[1] & 1) + (d[2] & 1)) - 1)
}

/// Returns a direction as combinations of others, in six ways.
#[inline(always)]
pub(crate) fn combinations(n: DVec3) -> [Combination; 6] {
    // The components by size, the largest first, each with its signed step in the number of a
    // direction.
    let signed = |x: f64, step: isize| (x.abs(), if x < 0.0 { -step } else { step });
    let mut by_size = [signed(n.x, 9), signed(n.y, 3), signed(n.z, 1)];
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        if by_size[i].0 < by_size[j].0 {
            by_size.swap(i, j);
        }
    }
    let [(l, x), (m, y), (s, z)] = by_size;
    let toward = |steps: isize| (13 + steps) as Code;
    let (axis, second, third) = (toward(x), toward(y), toward(z));
    let (corner, beside, across) = (toward(x + y + z), toward(x + y - z), toward(x - y + z));
    let (near, middle, far) = (toward(x + y), toward(x + z), toward(y + z));
    let excess = l - m - s;
    [
        [(axis, l), (second, m), (third, s)],
        [(axis, l - m), (near, m - s), (corner, s)],
        [(axis, l - s), (second, m - s), (corner, s)],
        [(axis, l - m), (corner, (m + s) * 0.5), (beside, (m - s) * 0.5)],
        [(corner, (m + s) * 0.5), (beside, (l - s) * 0.5), (across, (l - m) * 0.5)],
        if 0.0 <= excess {
            [(axis, excess), (near, m), (middle, s)]
        } else {
            [(near, (l + m - s) * 0.5), (middle, (l + s - m) * 0.5), (far, (m + s - l) * 0.5)]
        },
    ]
}

/// Returns the least bound along `n` from combinations of offsets.
pub(crate) fn bound_along(n: DVec3, offset: &impl Fn(Code) -> f64) -> f64 {
    // A weight of 0 ignores its offset, which may not exist.
    let share = |(code, weight): (Code, f64)| if weight <= 0.0 { 0.0 } else { weight * offset(code) };
    let sum = |[a, b, c]: Combination| share(a) + share(b) + share(c);
    combinations(n).into_iter().map(sum).fold(f64::INFINITY, f64::min)
}

/// The column ranges of each way, the column of each direction by its number, and the half-space
/// of each column.
struct Columns {
    ends: [usize; 7],
    at: [[u8; 27]; 6],
    half_space: [u8; 86],
}

const fn columns(directions: &[[i8; 3]]) -> Columns {
    let mut all = Columns { ends: [0; 7], at: [[0; 27]; 6], half_space: [0; 86] };
    let (mut there, mut i) = (0, 0);
    while i < directions.len() {
        there |= kind(directions[i]);
        i += 1;
    }
    let (mut n, mut kind_index) = (0, 0);
    while kind_index < 6 {
        i = 0;
        while KINDS[kind_index] & !there == 0 && i < 2 * directions.len() {
            let d = directions[i % directions.len()];
            if kind(d) & KINDS[kind_index] != 0 {
                let steps = d[0] as isize * 9 + d[1] as isize * 3 + d[2] as isize;
                let code = if i < directions.len() { 13 + steps } else { 13 - steps };
                all.at[kind_index][code as usize] = n as u8;
                all.half_space[n] = i as u8;
                n += 1;
            }
            i += 1;
        }
        kind_index += 1;
        all.ends[kind_index] = n;
    }
    all
}

const fn normals(directions: &[[i8; 3]]) -> [[[f32; 8]; 4]; 3] {
    let mut normals = [[[0.0; 8]; 4]; 3];
    let (half, mut i) = (directions.len(), 0);
    while i < half {
        let mut k = 0;
        while k < 3 {
            normals[k][i / 8][i % 8] = directions[i][k] as f32;
            normals[k][(i + half) / 8][(i + half) % 8] = -directions[i][k] as f32;
            k += 1;
        }
        i += 1;
    }
    normals
}

/// The weights of a rotation, which bring k-DOPs into another frame: [`KDopRotation::reaches`].
#[derive(Clone, Copy, Debug)]
pub struct KDopRotation<const K: usize>
where
    KDop<K>: Slabs,
{
    /// The weights of each column for all half-spaces, in groups of eight.
    weights: <KDop<K> as Sealed>::Weights,
}

impl<const K: usize> KDopRotation<K>
where
    KDop<K>: Slabs,
{
    const COLUMNS: Columns = columns(<KDop<K> as Slabs>::DIRECTIONS);

    /// The directions of the half-spaces, by component.
    const NORMALS: [[[f32; 8]; 4]; 3] = normals(<KDop<K> as Slabs>::DIRECTIONS);

    /// Returns the weights of a rotation, or of any finite matrix. Columns are the images of the
    /// axes.
    pub fn new(rotation: &DMat3) -> KDopRotation<K> {
        let mut turn = KDopRotation { weights: <KDop<K> as Sealed>::NO_WEIGHTS };
        let transposed = rotation.transpose();
        for i in 0..K / 2 {
            let by_kind = combinations(transposed * direction(KDop::<K>::normal(i)));
            // Each way separately, so that ways without directions in this k-DOP are not computed.
            turn.add(0, i, by_kind[0]);
            turn.add(1, i, by_kind[1]);
            turn.add(2, i, by_kind[2]);
            turn.add(3, i, by_kind[3]);
            turn.add(4, i, by_kind[4]);
            turn.add(5, i, by_kind[5]);
        }
        turn
    }

    /// Adds the weights of one combination for half-space `i`, and for the opposite half-space,
    /// which uses the opposite directions.
    #[inline(always)]
    fn add(&mut self, kind_index: usize, i: usize, terms: Combination) {
        if Self::COLUMNS.ends[kind_index] == Self::COLUMNS.ends[kind_index + 1] {
            return;
        }
        let (weights, chunks) = (self.weights.as_mut(), K.div_ceil(8));
        for (code, weight) in terms {
            for (row, code) in [(i, code), (i + K / 2, 26 - code)] {
                let column = Self::COLUMNS.at[kind_index][code % 27] as usize;
                if let Some(eight) = weights.get_mut(column * chunks + row / 8) {
                    eight[row % 8] += weight as f32;
                }
            }
        }
    }

    /// Returns upper bounds of the extent of a polytope along all K half-spaces, after rotation
    /// and translation. The first K of `offsets` are those of the polytope, and must not be NaN.
    /// For use inside a kernel.
    ///
    /// With u = 2^-24 the rounding is at most 18 u A + 4 u T. A is the largest offset, T the sum
    /// of the absolute translation. Weights, with a sum of at most 3, products and two sums give
    /// 15 u A. The translation and its two sums give 3 u T. The last sum gives 3 u A + u T.
    #[inline(always)]
    pub fn reaches<S: Simd>(&self, simd: S, offsets: &[f32; 32], translation: [f32; 3]) -> [S::F32x8; 4] {
        let chunks = K.div_ceil(8);
        let weights = self.weights.as_ref();
        let mut best = [S::F32x8::splat(simd, f32::INFINITY); 4];
        for kind_index in 0..6 {
            let (first, end) = (Self::COLUMNS.ends[kind_index], Self::COLUMNS.ends[kind_index + 1]);
            if first == end {
                continue;
            }
            let mut sums = [S::F32x8::splat(simd, 0.0); 4];
            for column in first..end {
                let offset = offsets[Self::COLUMNS.half_space[column] as usize % 32];
                let offset = S::F32x8::splat(simd, offset);
                for c in 0..chunks {
                    sums[c] = sums[c] + offset * S::F32x8::load(simd, &weights[column * chunks + c]);
                }
            }
            for c in 0..chunks {
                best[c] = sums[c].min(best[c]);
            }
        }
        for c in 0..chunks {
            let mut along = S::F32x8::splat(simd, 0.0);
            for k in 0..3 {
                let normals = S::F32x8::load(simd, &Self::NORMALS[k][c]);
                along = along + normals * S::F32x8::splat(simd, translation[k]);
            }
            best[c] = best[c] + along;
        }
        best
    }
}
