//! A dam breaks, and the surface of the water is made into a mesh: written as an OBJ file, if a
//! path is given.
//!
//! `cargo run --release -p carom-particles --example surface [FILE]`

use carom_math::Vec3;
use carom_particles::{Liquid, ParticleSettings, ParticleSolver, Surface};
use core::error::Error;
use core::fmt::Write;

const SPACING: f32 = 0.04;

fn main() -> Result<(), Box<dyn Error>> {
    let mut solver = ParticleSolver::new(ParticleSettings::new(SPACING / 2.0))?;
    let walls = [(Vec3::Y, 0.0), (Vec3::X, 0.0), (Vec3::NEG_X, -1.6), (Vec3::Z, 0.0), (Vec3::NEG_Z, -0.6)];
    for (normal, offset) in walls {
        solver.add_plane(normal, offset, &Surface::default())?;
    }
    let position_of = |i: usize| Vec3::new((i % 15) as f32, (i / 225) as f32, (i / 15 % 15) as f32);
    let positions: Vec<Vec3> = (0..15 * 15 * 15).map(|i| (position_of(i) + 0.5) * SPACING).collect();
    let ids = solver.add_liquid(&Liquid::default(), &positions)?;
    let water = solver.group_of(ids.start).ok_or("the water has particles")?;
    for frame in 1..=40 {
        solver.step(1.0 / 60.0)?;
        if frame % 10 == 0 {
            // Cells as large as the radius.
            let mesh = solver.surface(water, 0.5 * SPACING)?;
            let (vertices, triangles) = (mesh.vertices.len(), mesh.triangles.len());
            println!("frame {frame}: {vertices} vertices, {triangles} triangles");
        }
    }
    let Some(path) = std::env::args().nth(1) else { return Ok(()) };
    let mesh = solver.surface(water, 0.5 * SPACING)?;
    let mut text = String::new();
    for (p, n) in mesh.vertices.iter().zip(&mesh.normals) {
        writeln!(text, "v {} {} {}\nvn {} {} {}", p.x, p.y, p.z, n.x, n.y, n.z)?;
    }
    for [a, b, c] in mesh.triangles.iter().map(|triangle| triangle.map(|i| i + 1)) {
        writeln!(text, "f {a}//{a} {b}//{b} {c}//{c}")?;
    }
    std::fs::write(path, text)?;
    Ok(())
}
