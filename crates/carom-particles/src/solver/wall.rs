//! The contribution of a boundary to the density of a liquid: that of imaginary particles behind
//! it.
//!
//! - A boundary counts as a plane at its distance. The integral of the density kernel behind a
//!   plane is a polynomial, and so is its slope.
//! - Behind a boundary that curves away the integral is smaller. A paraboloid with its mean
//!   curvature gives the difference.
//! - Without this contribution a layer at each wall would be a fifth too dense, and bodies would
//!   float too low.
//! - Two boundaries in a corner overlap. The volume behind both counts once.
//!
//! Reference: D. Koschier, J. Bender, Density Maps for Improved SPH Boundary Handling, SCA 2017.
//! Differs: a plane and a paraboloid in closed form instead of maps.

use crate::solver::smoothing::Smoothing;
use glam::Vec3;

/// In reaches: the extra distance of a boundary for densities, compared with contacts. With it, a
/// lattice with a layer at its radius from a plane is at rest there. The lattice lacks 0.984375 /
/// 5.1556 of the density.
const LATTICE_GAP: f32 = 0.027;

/// The contribution of all boundaries near a slot to its density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wall {
    /// In densities at rest, at the place for which it was found.
    density: f32,
    position: Vec3,
    /// Its gradient, toward the boundaries.
    pub(crate) gradient: Vec3,
    /// The square of the gradient times how easily the boundary moves, in one over mass.
    pub(crate) softness: f32,
}

/// The integral of the kernel behind a plane at this distance, and its slope, which is positive:
/// the integral grows toward the plane.
pub(crate) fn behind_plane(smoothing: &Smoothing, distance: f32) -> (f32, f32) {
    let u = distance / smoothing.reach + LATTICE_GAP;
    if 1.0 <= u {
        return (0.0, 0.0);
    }
    // The particle is never behind the plane.
    let u = u.max(0.0);
    let u_sq = u * u;
    // The integral over a plane at u is 315/256 (1 - u^2)^4.
    let within =
        u * (1.0 + u_sq * (-4.0 / 3.0 + u_sq * (6.0 / 5.0 + u_sq * (-4.0 / 7.0 + u_sq * (1.0 / 9.0)))));
    let scale = 315.0 / 256.0;
    let slope = (1.0 - u_sq) * (1.0 - u_sq);
    (0.5 - scale * within, scale * slope * slope / smoothing.reach)
}

/// Returns the integral of the kernel behind a surface, and its slope, from those behind its
/// tangential plane: P and its slope. The mean curvature H is positive where it curves away.
///
/// To the first order in H, a paraboloid leaves out D = H reach (63/512) (1 - u^2)^5. The integral
/// is taken as P^2 / (P + D): exact to the first order, and at the end of the reach for any H.
pub(crate) fn behind_curved(
    smoothing: &Smoothing,
    distance: f32,
    curvature: f32,
    (plane, slope): (f32, f32),
) -> (f32, f32) {
    let u = (distance / smoothing.reach + LATTICE_GAP).max(0.0);
    if curvature == 0.0 || plane <= 0.0 {
        return (plane, slope);
    }
    // A hollow with a radius of less than two reaches counts as one of two.
    let bend = (curvature * smoothing.reach).max(-0.5);
    let within = 1.0 - u * u;
    let fourth = within * within * within * within;
    let missed = bend * (63.0 / 512.0) * fourth * within;
    let missed_slope = bend * (315.0 / 256.0) * fourth * u / smoothing.reach;
    let sum = plane + missed;
    let part = plane / sum;
    (plane * part, part * part * slope + part * (2.0 * missed * slope - plane * missed_slope) / sum)
}

impl Wall {
    /// No boundary, at this place.
    pub(crate) fn none(position: Vec3) -> Wall {
        Wall { density: 0.0, position, gradient: Vec3::ZERO, softness: 0.0 }
    }

    /// Returns the boundaries' contribution at a position near the one for which it was found.
    #[inline(always)]
    pub(crate) fn density_at(&self, position: Vec3) -> f32 {
        self.density + self.gradient.dot(position - self.position)
    }

    /// Adds a boundary with its normal, and how easily it moves. Returns the gradient that it adds.
    pub(crate) fn add(&mut self, (density, slope): (f32, f32), normal: Vec3, softness: f32) -> Vec3 {
        let free = 1.0 - self.density;
        let added = normal * (-slope * free);
        self.gradient = self.gradient * (1.0 - density) + added;
        self.density += density * free;
        self.softness += softness * added.length_squared();
        added
    }
}

#[cfg(test)]
mod tests;
