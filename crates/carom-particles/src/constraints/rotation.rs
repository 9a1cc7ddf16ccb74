//! The rotation that brings one cloud of points nearest to another.
//!
//! - The unit quaternion q that maximizes the sum of m p . R(q) r is an eigenvector of a symmetric
//!   4 x 4 matrix, for its largest eigenvalue. The result is a rotation for any points, even
//!   mirrored ones.
//! - Jacobi rotations find it, in `f64`, with a fixed order of operations.
//! - For points on a line or at one point the rotation is not unique. A small multiple of the
//!   outer product of the last quaternion is added to the matrix, which selects the solution
//!   nearest to it.
//!
//! Reference: B. K. P. Horn, Closed-Form Solution of Absolute Orientation Using Unit Quaternions,
//! 1987; G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013, 8.5 (Jacobi). Differs: the last
//! rotation decides ties.

use carom_math::ops::sqrt;
use carom_math::scaling::scale_of;
use carom_math::tol::ROTATION_MEMORY;
use glam::{DMat3, DQuat};

/// The maximum number of sweeps over the six pairs. Six reach the last digit; the others are for
/// safety.
const MAX_ROUNDS: usize = 24;

/// Returns the rotation R for which the trace of R^T `moments` is largest. `moments` is the sum of
/// m p r^T, and `size` the sum of m |p| |r| or more. `last` decides between equally good rotations,
/// and is returned if `moments` is not finite or `size` is 0.
pub(super) fn nearest_rotation(moments: &DMat3, size: f64, last: DQuat) -> DQuat {
    if !(moments.is_finite() && 0.0 < size && size.is_finite()) {
        return last;
    }
    let scale = scale_of(size);
    let [x, y, z] = moments.to_cols_array_2d().map(|column| column.map(|entry| entry * scale));
    // p r^T: columns are those of r.
    let (xx, yx, zx) = (x[0], x[1], x[2]);
    let (xy, yy, zy) = (y[0], y[1], y[2]);
    let (xz, yz, zz) = (z[0], z[1], z[2]);
    // The matrix for quaternions (x, y, z, w).
    let mut a = [
        [xx - yy - zz, xy + yx, xz + zx, zy - yz],
        [xy + yx, yy - xx - zz, yz + zy, xz - zx],
        [xz + zx, yz + zy, zz - xx - yy, yx - xy],
        [zy - yz, xz - zx, yx - xy, xx + yy + zz],
    ];
    let last = last.to_array();
    let memory = ROTATION_MEMORY * size * scale;
    for i in 0..4 {
        for j in 0..4 {
            a[i][j] += memory * (last[i] * last[j]);
        }
    }
    let mut vectors =
        [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    for _ in 0..MAX_ROUNDS {
        let mut is_diagonal = true;
        for (p, q) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let off = a[p][q];
            // rounding: its square is below the rounding of the diagonal.
            if off == 0.0 || off.abs() <= f64::EPSILON * f64::EPSILON * size * scale {
                continue;
            }
            is_diagonal = false;
            // The smaller of the two angles that make the entry zero.
            let theta = (a[q][q] - a[p][p]) / (2.0 * off);
            let t = 1.0 / (theta.abs() + sqrt(theta * theta + 1.0));
            let t = if theta < 0.0 { -t } else { t };
            let c = 1.0 / sqrt(t * t + 1.0);
            let s = t * c;
            a[p][p] -= t * off;
            a[q][q] += t * off;
            (a[p][q], a[q][p]) = (0.0, 0.0);
            for r in 0..4 {
                if r != p && r != q {
                    let (rp, rq) = (a[r][p], a[r][q]);
                    (a[r][p], a[r][q]) = (c * rp - s * rq, s * rp + c * rq);
                    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
                }
                let (vp, vq) = (vectors[p][r], vectors[q][r]);
                (vectors[p][r], vectors[q][r]) = (c * vp - s * vq, s * vp + c * vq);
            }
        }
        if is_diagonal {
            break;
        }
    }
    let best = (1..4).fold(0, |best, i| if a[best][best] < a[i][i] { i } else { best });
    let [x, y, z, w] = vectors[best];
    let length = sqrt(x * x + y * y + z * z + w * w);
    // The sign nearest to the last one.
    let sign = if x * last[0] + y * last[1] + z * last[2] + w * last[3] < 0.0 { -1.0 } else { 1.0 };
    let factor = sign / length;
    DQuat::from_xyzw(x * factor, y * factor, z * factor, w * factor)
}
