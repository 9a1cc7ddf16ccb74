//! Blocks of particles, tanks, and what is measured on them.

use carom_math::Vec3;
use carom_particles::{ParticleSolver, Surface};

/// A block of particles at rest beside each other: so many along each axis, from a corner on.
pub(crate) fn block(n: [u32; 3], spacing: f32, corner: Vec3) -> Vec<Vec3> {
    let mut positions = Vec::new();
    for y in 0..n[1] {
        for z in 0..n[2] {
            for x in 0..n[0] {
                positions.push(corner + (Vec3::new(x as f32, y as f32, z as f32) + 0.5) * spacing);
            }
        }
    }
    positions
}

/// A floor at height 0 and four walls around a rectangle from the origin on.
pub(crate) fn add_tank(solver: &mut ParticleSolver, length: f32, width: f32, surface: &Surface) {
    for (normal, offset) in
        [(Vec3::Y, 0.0), (Vec3::X, 0.0), (Vec3::NEG_X, -length), (Vec3::Z, 0.0), (Vec3::NEG_Z, -width)]
    {
        solver.add_plane(normal, offset, surface).unwrap();
    }
}

pub(crate) fn positions(solver: &ParticleSolver) -> Vec<Vec3> {
    let mut all = Vec::new();
    solver.collect_positions(&mut all);
    all
}

pub(crate) fn velocities(solver: &ParticleSolver) -> Vec<Vec3> {
    let mut all = Vec::new();
    solver.collect_velocities(&mut all);
    all
}

pub(crate) fn fastest(solver: &ParticleSolver) -> f32 {
    velocities(solver).iter().map(|v| v.length()).fold(0.0, f32::max)
}
