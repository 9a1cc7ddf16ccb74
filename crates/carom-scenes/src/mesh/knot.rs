//! Torus knots: a tube along a curve that winds p times around the axis of a torus and q times
//! around its tube.
//!
//! The curve lies on a torus, and the frame of the tube follows the normal of the torus. The
//! normal returns to itself after a full tour, so the mesh closes without a twist.
//!
//! Reference: K. Murasugi, Knot Theory and Its Applications, 1996, ch. 7.

use super::{MeshData, grid_size};
use glam::DVec3;
use libm::{cos, sin};

/// The measures of a torus knot around the z axis.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Knot {
    /// Turns around the axis.
    pub p: u32,
    /// Turns around the tube of the torus.
    pub q: u32,
    /// Radius of the torus' spine.
    pub major: f64,
    /// Radius of the torus' tube.
    pub minor: f64,
    /// Radius of the knot's own tube.
    pub tube: f64,
    /// Height of the bumps, as a part of `tube`; 0 for a smooth tube.
    pub bump: f64,
}

impl Default for Knot {
    /// Returns the bumpy (2, 3) knot of the benches. It fills the box +-(0.9, 0.9, 0.4).
    fn default() -> Knot {
        Knot { p: 2, q: 3, major: 0.56, minor: 0.23, tube: 0.12, bump: 0.12 }
    }
}

impl Knot {
    /// Returns the smooth (p, q) knot with the measures of the default.
    pub fn new(p: u32, q: u32) -> Knot {
        Knot { p, q, bump: 0.0, ..Knot::default() }
    }

    /// Returns the curve's point, its derivative, and the outward unit normal of the torus there.
    /// `t` is the angle along the whole tour, in radians.
    fn frame(&self, t: f64) -> (DVec3, DVec3, DVec3) {
        let (p, q) = (f64::from(self.p), f64::from(self.q));
        let (cp, sp) = (cos(p * t), sin(p * t));
        let (cq, sq) = (cos(q * t), sin(q * t));
        let r = self.major + self.minor * cq;
        let point = DVec3::new(r * cp, r * sp, self.minor * sq);
        let outward = DVec3::new(cp, sp, 0.0);
        let around = DVec3::new(-sp, cp, 0.0);
        let tangent = around * (p * r) + (DVec3::Z * cq - outward * sq) * (q * self.minor);
        (point, tangent, outward * cq + DVec3::Z * sq)
    }
}

/// Returns the knot as a closed mesh of about `n_triangles`.
pub fn torus_knot(knot: &Knot, n_triangles: usize) -> MeshData {
    let tour = core::f64::consts::TAU * f64::from(knot.p.max(1)) * knot.major;
    let (n_along, n_around) = grid_size(n_triangles, tour / (core::f64::consts::TAU * knot.tube));
    let mut mesh = MeshData::default();
    for along in 0..n_along {
        let t = core::f64::consts::TAU * along as f64 / n_along as f64;
        let (point, tangent, normal) = knot.frame(t);
        let side = tangent.cross(normal);
        let side = side / carom_math::ops::sqrt(side.length_squared());
        for around in 0..n_around {
            let a = core::f64::consts::TAU * around as f64 / n_around as f64;
            let bumps = sin(24.0 * t + 2.0 * a) * 0.6 + sin(37.0 * t - 3.0 * a + 1.0) * 0.4;
            let r = knot.tube * (1.0 + knot.bump * bumps);
            mesh.vertices.push(point + normal * (r * cos(a)) - side * (r * sin(a)));
        }
    }
    mesh.push_closed_grid(n_along, n_around);
    mesh
}
