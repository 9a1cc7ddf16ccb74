//! Sums of first and second moments, from which the axes of points or of a surface follow.
//!
//! Moments are additive, so prefix sums give those of any contiguous run of parts.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 4 (covariance of the surface);
//! G. Golub, C. Van Loan, Matrix Computations, 8.5 (Jacobi).

use carom_math::ops::sqrt;
use carom_math::tol;
use core::ops::{Add, Sub};
use glam::{DMat3, DVec3};

/// Sums over points, or over a surface by area. Coordinates should be near the origin and near 1,
/// because squares are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// Number of points, or area.
    pub weight: f64,
    /// Positions, weighted.
    pub first: DVec3,
    /// xx, yy, zz, weighted.
    pub squares: DVec3,
    /// yz, zx, xy, weighted.
    pub products: DVec3,
    /// Normals of triangles, scaled by their areas.
    pub normals: DVec3,
}

impl Moments {
    fn add(&mut self, p: DVec3, weight: f64) {
        self.weight += weight;
        self.first += p * weight;
        self.squares += p * p * weight;
        self.products += DVec3::new(p.y * p.z, p.z * p.x, p.x * p.y) * weight;
    }

    /// Adds a point.
    pub fn add_point(&mut self, p: DVec3) {
        self.add(p, 1.0);
    }

    /// Adds a triangle. Its second moments are those of its corners and centroid, weighted 1, 1, 1
    /// and 9, times a twelfth of its area.
    pub fn add_triangle(&mut self, a: DVec3, b: DVec3, c: DVec3) {
        let normal = (b - a).cross(c - a) * 0.5;
        let area = sqrt(normal.length_squared());
        self.normals += normal;
        for corner in [a, b, c] {
            self.add(corner, area / 12.0);
        }
        self.add((a + b + c) / 3.0, area * 0.75);
    }

    /// Returns the eigenvectors of the covariance, orthonormal and right-handed, the largest
    /// eigenvalue first. Without weight it returns the axes of the frame.
    pub fn axes(&self) -> DMat3 {
        if !(0.0 < self.weight) {
            return DMat3::IDENTITY;
        }
        let mean = self.first / self.weight;
        let s = self.squares / self.weight - mean * mean;
        let p = self.products / self.weight - DVec3::new(mean.y * mean.z, mean.z * mean.x, mean.x * mean.y);
        let covariance =
            DMat3::from_cols(DVec3::new(s.x, p.z, p.y), DVec3::new(p.z, s.y, p.x), DVec3::new(p.y, p.x, s.z));
        if covariance.is_finite() { eigenvectors(covariance) } else { DMat3::IDENTITY }
    }

    /// Returns the axes for a box around a surface: about the mean normal if the surface is
    /// one-sided, else the eigenvectors.
    pub fn surface_frame(&self) -> DMat3 {
        let axes = self.axes();
        let length = sqrt(self.normals.length_squared());
        // The normals of a one-sided patch add up. Those of a closed or thin surface cancel.
        if !(0.3 * self.weight < length) {
            return axes;
        }
        let normal = self.normals / length;
        let across = axes.x_axis - normal * normal.dot(axes.x_axis);
        let size = sqrt(across.length_squared());
        if !(tol::FRAME_SINE < size) {
            return axes;
        }
        let along = across / size;
        DMat3::from_cols(along, normal.cross(along), normal)
    }
}

impl Add for Moments {
    type Output = Moments;
    fn add(self, other: Moments) -> Moments {
        Moments {
            weight: self.weight + other.weight,
            first: self.first + other.first,
            squares: self.squares + other.squares,
            products: self.products + other.products,
            normals: self.normals + other.normals,
        }
    }
}

impl Sub for Moments {
    type Output = Moments;
    fn sub(self, other: Moments) -> Moments {
        Moments {
            weight: self.weight - other.weight,
            first: self.first - other.first,
            squares: self.squares - other.squares,
            products: self.products - other.products,
            normals: self.normals - other.normals,
        }
    }
}

/// Returns the orthonormal eigenvectors of a symmetric matrix by Jacobi rotations. Eight sweeps
/// are enough for three rows.
fn eigenvectors(mut m: DMat3) -> DMat3 {
    let mut axes = DMat3::IDENTITY;
    for _ in 0..8 {
        let off = m.x_axis.y * m.x_axis.y + m.x_axis.z * m.x_axis.z + m.y_axis.z * m.y_axis.z;
        let diagonal = m.x_axis.x * m.x_axis.x + m.y_axis.y * m.y_axis.y + m.z_axis.z * m.z_axis.z;
        // rounding: a further turn would change the diagonal by less than f64 resolves.
        if off <= diagonal * 1e-24 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = m.col(p)[q];
            if off == 0.0 {
                continue;
            }
            let theta = (m.col(q)[q] - m.col(p)[p]) / (2.0 * off);
            let sign = if theta < 0.0 { -1.0 } else { 1.0 };
            let t = sign / (theta.abs() + sqrt(theta * theta + 1.0));
            let c = 1.0 / sqrt(t * t + 1.0);
            let s = t * c;
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = c;
            turn.col_mut(q)[q] = c;
            turn.col_mut(p)[q] = -s;
            turn.col_mut(q)[p] = s;
            m = turn.transpose() * m * turn;
            axes *= turn;
        }
    }
    // The largest first; ties go to the earlier.
    let value = |k: usize| m.col(k)[k];
    let mut order = [0, 1, 2];
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        if value(order[i]) < value(order[j]) {
            order.swap(i, j);
        }
    }
    let length = |v: DVec3| v / sqrt(v.length_squared());
    let x = length(axes.col(order[0]));
    let second = axes.col(order[1]);
    let y = length(second - x * x.dot(second));
    let all = DMat3::from_cols(x, y, x.cross(y));
    if all.is_finite() { all } else { DMat3::IDENTITY }
}
