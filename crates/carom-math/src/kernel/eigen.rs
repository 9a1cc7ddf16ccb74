//! Eigenvalues and eigenvectors of symmetric 3 x 3 matrices, by Jacobi rotations.
//!
//! Each rotation makes one pair of off-diagonal entries zero. Repeated over the three pairs, the
//! entries converge to zero quadratically. Small eigenvalues beside large ones keep their digits;
//! the cubic equation would lose them.
//!
//! Reference: G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013, 8.5.

use super::super::num::{Mat3, Vec3, narrow, narrow_matrix, widen_matrix};
use crate::ops::sqrt;
use crate::scaling::scale_of;
use glam::{DMat3, DVec3};

/// Rounds over the three pairs. Six reach the last digit; the others are for safety.
const MAX_ROUNDS: usize = 24;

/// The principal values and axes of a symmetric matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigen {
    /// Eigenvalues, the least first.
    pub values: Vec3,
    /// Unit eigenvectors, one per column in the order of the values; right-handed.
    pub vectors: Mat3,
}

/// Returns the eigenvalues and eigenvectors of a symmetric matrix. Only its lower triangle is
/// read.
///
/// A matrix that is not finite gives eigenvalues of zero and the axes of the frame.
pub fn symmetric_eigen(matrix: Mat3) -> Eigen {
    let (values, vectors) = symmetric_eigen_wide(widen_matrix(matrix));
    Eigen { values: narrow(values), vectors: narrow_matrix(vectors) }
}

fn symmetric_eigen_wide(matrix: DMat3) -> (DVec3, DMat3) {
    let columns = matrix.to_cols_array_2d();
    let mut a = [[0.0; 3]; 3];
    let mut largest = 0.0_f64;
    for (i, row) in a.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = columns[i.min(j)][i.max(j)];
            largest = largest.max(entry.abs());
        }
    }
    if !matrix.is_finite() {
        return (DVec3::ZERO, DMat3::IDENTITY);
    }
    let scale = scale_of(largest);
    for entry in a.iter_mut().flatten() {
        *entry *= scale;
    }
    // Columns of v are the axes found so far.
    let mut v = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..MAX_ROUNDS {
        let mut is_diagonal = true;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = a[p][q];
            // The entry is too small to change the diagonal: its square is below the rounding of
            // f64.
            if off == 0.0 || off * off <= 1e-40 * (a[p][p] * a[q][q]).abs() {
                continue;
            }
            is_diagonal = false;
            // The smaller of the two angles that make the entry zero.
            let theta = (a[q][q] - a[p][p]) / (2.0 * off);
            let t = 1.0 / (theta.abs() + sqrt(theta * theta + 1.0));
            let t = if theta < 0.0 { -t } else { t };
            let t = if theta.is_finite() { t } else { 0.0 };
            let c = 1.0 / sqrt(t * t + 1.0);
            let s = t * c;
            a[p][p] -= t * off;
            a[q][q] += t * off;
            a[p][q] = 0.0;
            a[q][p] = 0.0;
            let r = 3 - p - q;
            let (rp, rq) = (a[r][p], a[r][q]);
            a[r][p] = c * rp - s * rq;
            a[r][q] = s * rp + c * rq;
            a[p][r] = a[r][p];
            a[q][r] = a[r][q];
            (v[p], v[q]) = (v[p] * c - v[q] * s, v[p] * s + v[q] * c);
        }
        if is_diagonal {
            break;
        }
    }
    let mut order = [0, 1, 2];
    order.sort_unstable_by(|&i, &j| a[i][i].total_cmp(&a[j][j]).then(i.cmp(&j)));
    let [i, j, k] = order;
    let values = DVec3::new(a[i][i], a[j][j], a[k][k]) * (1.0 / scale);
    let (x, y) = (v[i].normalize(), v[j].normalize());
    // The cross product makes the vectors right-handed in any order.
    (values, DMat3::from_cols(x, y, x.cross(y)))
}
