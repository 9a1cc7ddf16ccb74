//! Distances of moving points, segments and triangles in rational numbers, without rounding.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1 (closest points), in exact
//! numbers.

use super::rational::{dot, exact, exact3};
use glam::DVec3;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// Three exact numbers.
pub type Vector = [BigRational; 3];

/// Returns `a - b`.
pub fn minus(a: &Vector, b: &Vector) -> Vector {
    core::array::from_fn(|i| &a[i] - &b[i])
}

/// Returns `a + (b - a) t`.
pub fn between(a: &Vector, b: &Vector, t: &BigRational) -> Vector {
    core::array::from_fn(|i| &a[i] + (&b[i] - &a[i]) * t)
}

/// Returns `p + v t` exactly.
pub fn moved(p: DVec3, v: DVec3, t: f64) -> Vector {
    let (p, v, t) = (exact3(p), exact3(v), exact(t));
    core::array::from_fn(|i| &p[i] + &v[i] * &t)
}

/// Returns the squared length.
pub fn square(v: &Vector) -> BigRational {
    dot(v, v)
}

/// Returns the squared distance of a point from a segment.
pub fn point_segment_sq(p: &Vector, a: &Vector, b: &Vector) -> BigRational {
    let (edge, from) = (minus(b, a), minus(p, a));
    let edge_sq = square(&edge);
    let zero = BigRational::zero();
    let coordinate = if edge_sq.is_zero() { zero.clone() } else { dot(&edge, &from) / edge_sq };
    let coordinate = coordinate.max(zero).min(BigRational::one());
    square(&minus(p, &between(a, b, &coordinate)))
}

/// Returns the cross product.
pub fn cross(a: &Vector, b: &Vector) -> Vector {
    core::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &a[j] * &b[k] - &a[k] * &b[j]
    })
}

/// Returns the squared distance of a point from a triangle. If the corners are on a line, the
/// triangle is a segment.
pub fn point_triangle_sq(p: &Vector, t: &[Vector; 3]) -> BigRational {
    let n = cross(&minus(&t[1], &t[0]), &minus(&t[2], &t[0]));
    let zero = BigRational::zero();
    let inside = |i: usize| zero <= dot(&n, &cross(&minus(&t[(i + 1) % 3], &t[i]), &minus(p, &t[i])));
    let n_sq = square(&n);
    if !n_sq.is_zero() && (0..3).all(inside) {
        let height = dot(&n, &minus(p, &t[0]));
        return &height * &height / n_sq;
    }
    (0..3).map(|i| point_segment_sq(p, &t[i], &t[(i + 1) % 3])).min().unwrap()
}

/// Returns the squared distance of two segments.
pub fn segment_segment_sq(a: &[Vector; 2], b: &[Vector; 2]) -> BigRational {
    let (e, f, r) = (minus(&a[1], &a[0]), minus(&b[1], &b[0]), minus(&b[0], &a[0]));
    let mut best = [
        point_segment_sq(&a[0], &b[0], &b[1]),
        point_segment_sq(&a[1], &b[0], &b[1]),
        point_segment_sq(&b[0], &a[0], &a[1]),
        point_segment_sq(&b[1], &a[0], &a[1]),
    ]
    .into_iter()
    .min()
    .unwrap();
    let (ee, ff, ef, er, fr) = (square(&e), square(&f), dot(&e, &f), dot(&e, &r), dot(&f, &r));
    let determinant = &ee * &ff - &ef * &ef;
    if !determinant.is_zero() {
        // |r + v f - u e|, least where its derivatives are zero.
        let (u, v) = ((&er * &ff - &fr * &ef) / &determinant, (&er * &ef - &fr * &ee) / &determinant);
        let unit = BigRational::zero()..=BigRational::one();
        if unit.contains(&u) && unit.contains(&v) {
            let displacement: Vector = core::array::from_fn(|i| &r[i] + &f[i] * &v - &e[i] * &u);
            best = best.min(square(&displacement));
        }
    }
    best
}
