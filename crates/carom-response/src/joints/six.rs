//! Vectors and matrices of the six velocities of a body, three of translation and three of
//! rotation.
//!
//! Reference: G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed., 2013, 4.1 (L D L^T).

use carom_math::glam::DVec3;

pub(crate) type Six = [f64; 6];
pub(crate) type Square = [Six; 6];

/// Returns the scalar product.
pub(crate) fn dot(a: &Six, b: &Six) -> f64 {
    (0..6).map(|k| a[k] * b[k]).sum()
}

/// Returns the product of a matrix and a vector.
pub(crate) fn times(m: &Square, x: &Six) -> Six {
    core::array::from_fn(|i| dot(&m[i], x))
}

/// Adds a multiple of a vector.
pub(crate) fn add(sum: &mut Six, x: &Six, factor: f64) {
    for (sum, x) in sum.iter_mut().zip(x) {
        *sum += x * factor;
    }
}

/// Returns the mass matrix for velocities at another point of the same rigid body. `arm` is the
/// vector from that point to the present one.
pub(crate) fn shifted(m: &Square, arm: DVec3) -> Square {
    // A rotation about axis j moves the present point by these velocities.
    let moves = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis.cross(arm).to_array());
    let mut right = *m;
    for row in &mut right {
        for (j, moved) in moves.iter().enumerate() {
            row[j + 3] += row[0] * moved[0] + row[1] * moved[1] + row[2] * moved[2];
        }
    }
    let mut result = right;
    for (j, moved) in moves.iter().enumerate() {
        for (k, &factor) in moved.iter().enumerate() {
            add(&mut result[j + 3], &right[k], factor);
        }
    }
    result
}

/// Returns the inverse of a positive definite matrix, by L D L^T.
pub(crate) fn inverse(m: &Square) -> Square {
    let (mut lower, mut pivots) = (Square::default(), Six::default());
    for i in 0..6 {
        for k in 0..=i {
            let before: f64 = (0..k).map(|j| lower[i][j] * lower[k][j] * pivots[j]).sum();
            let rest = m[i][k] - before;
            if k < i {
                lower[i][k] = rest / pivots[k];
            } else {
                // Rounding must not make a pivot negative.
                pivots[i] = rest.max(m[i][i] * f64::EPSILON);
            }
        }
    }
    let mut result = Square::default();
    for (k, column) in result.iter_mut().enumerate() {
        column[k] = 1.0;
        for i in 0..6 {
            let before: f64 = (0..i).map(|j| lower[i][j] * column[j]).sum();
            column[i] -= before;
        }
        for i in (0..6).rev() {
            let after: f64 = (i + 1..6).map(|j| lower[j][i] * column[j]).sum();
            column[i] = column[i] / pivots[i] - after;
        }
    }
    result
}
