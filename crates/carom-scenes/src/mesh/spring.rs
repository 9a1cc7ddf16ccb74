//! Springs: a round wire along a helix or a spiral, with flat ends.
//!
//! The cross sections of the wire are perpendicular to the curve. Their first axis points away
//! from the axis of the spring, so the tube is not twisted.
//!
//! Reference: E. Kreyszig, Differential Geometry, 1991, 2.6 (the helix).

use super::MeshData;
use carom_math::ops::sqrt;
use core::f64::consts::TAU;
use glam::DVec3;
use libm::{cos, sin};

/// The measures of a spring around the z axis, its middle at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Spring {
    /// Turns of the wire; more than 0.
    pub n_turns: f64,
    /// Distances from the axis to the middle of the wire at both ends: equal for a coil, different
    /// for a spiral.
    pub radii: [f64; 2],
    /// Distance of the middles of the two ends along z; 0 for a flat spiral.
    pub height: f64,
    /// Radius of the wire. It must be less than half the distance of two turns, or they intersect.
    pub wire: f64,
    /// Angle at which the wire begins, in radians.
    pub start: f64,
    /// Cross sections per turn; at least 3.
    pub n_steps: u32,
    /// Corners of a cross section; at least 3.
    pub n_sides: u32,
}

impl Spring {
    /// Returns a coil spring with 16 cross sections per turn, of 8 corners each.
    pub fn coil(n_turns: f64, radius: f64, height: f64, wire: f64) -> Spring {
        Spring { n_turns, radii: [radius; 2], height, wire, start: 0.0, n_steps: 16, n_sides: 8 }
    }

    /// Returns a flat spiral spring from one radius to another.
    pub fn spiral(n_turns: f64, radii: [f64; 2], wire: f64) -> Spring {
        Spring { radii, ..Spring::coil(n_turns, 0.0, 0.0, wire) }
    }

    /// Sets the angle at which the wire begins.
    pub fn with_start(self, start: f64) -> Spring {
        Spring { start, ..self }
    }

    /// Sets the resolution. The mesh then has about `2 n_sides (n_steps n_turns + 1)` triangles.
    pub fn with_detail(self, n_steps: u32, n_sides: u32) -> Spring {
        Spring { n_steps, n_sides, ..self }
    }
}

/// Returns the spring as a closed mesh.
pub fn spring(spring: &Spring) -> MeshData {
    let n_sides = spring.n_sides.max(3);
    let n_along = (carom_math::ops::ceil(f64::from(spring.n_steps.max(3)) * spring.n_turns) as u32).max(1);
    let turn = TAU * spring.n_turns;
    let widening = spring.radii[1] - spring.radii[0];
    let mut mesh = MeshData::default();
    for along in 0..=n_along {
        let t = f64::from(along) / f64::from(n_along);
        let angle = spring.start + turn * t;
        let (outward, around) =
            (DVec3::new(cos(angle), sin(angle), 0.0), DVec3::new(-sin(angle), cos(angle), 0.0));
        let radius = spring.radii[0] + widening * t;
        let middle = outward * radius + DVec3::Z * (spring.height * (t - 0.5));
        let tangent = around * (turn * radius) + outward * widening + DVec3::Z * spring.height;
        let tangent = tangent / sqrt(tangent.length_squared());
        let across = outward - tangent * outward.dot(tangent);
        let across = across / sqrt(across.length_squared());
        let up = across.cross(tangent);
        for side in 0..n_sides {
            let a = TAU * f64::from(side) / f64::from(n_sides);
            mesh.vertices.push(middle + (across * cos(a) - up * sin(a)) * spring.wire);
        }
    }
    let corner = |along: u32, side: u32| along * n_sides + side % n_sides;
    for along in 0..n_along {
        for side in 0..n_sides {
            let (a, b) = (corner(along, side), corner(along + 1, side));
            let (c, d) = (corner(along + 1, side + 1), corner(along, side + 1));
            mesh.triangles.push([a, d, c]);
            mesh.triangles.push([a, c, b]);
        }
    }
    // The ends, each a fan around its first corner.
    for side in 1..n_sides - 1 {
        mesh.triangles.push([corner(0, 0), corner(0, side + 1), corner(0, side)]);
        mesh.triangles.push([corner(n_along, 0), corner(n_along, side), corner(n_along, side + 1)]);
    }
    mesh
}
