//! Which side: signs that are right for the given coordinates, whatever rounding does.
//!
//! Reference: J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates,
//! Discrete & Computational Geometry 18, 1997.

use glam::DVec3;

/// Twice the sign of the volume of the tetrahedron: positive when `d` lies below the plane through `a`, `b`, `c`,
/// that is, on the side from which they appear clockwise; zero exactly when the four are coplanar.
///
/// Only the sign is exact.
#[inline]
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let coord = |p: DVec3| robust::Coord3D { x: p.x, y: p.y, z: p.z };
    robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}
