//! A column of water collapses in a tank and spreads over its floor. Eight hundred particles push
//! each other; the solver keeps them a diameter apart.
//!
//! `cargo run -p carom --example dam_break --release`

use carom::Vec3;
use carom::particles::{Liquid, ParticleSettings, ParticleSolver, Surface};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Particles of 4 cm, in a tank of 0.8 by 0.32 m.
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.02))?;
    let walls = [(Vec3::Y, 0.0), (Vec3::X, 0.0), (Vec3::NEG_X, -0.8), (Vec3::Z, 0.0), (Vec3::NEG_Z, -0.32)];
    for (normal, offset) in walls {
        solver.add_plane(normal, offset, &Surface::default())?;
    }
    let cell = |i: usize| Vec3::new((i % 10) as f32, (i / 80) as f32, (i / 10 % 8) as f32);
    let points: Vec<Vec3> = (0..800).map(|i| (cell(i) + 0.5) * solver.spacing()).collect();
    solver.add_liquid(&Liquid::default(), &points)?;

    let mut positions = Vec::new();
    for step in 1..=120 {
        solver.step(1.0 / 60.0)?;
        if step % 20 == 0 {
            solver.collect_positions(&mut positions);
            let front = positions.iter().map(|p| p.x).fold(0.0, f32::max);
            let height = positions.iter().map(|p| p.y).fold(0.0, f32::max);
            let squeezed = 100.0 * solver.compression()?.mean;
            println!(
                "{:.2} s: front at {front:.2} m, {height:.2} m high, squeezed by {squeezed:.2} %",
                step as f32 / 60.0
            );
        }
    }
    // Half of the tank was full to 0.4 m. Now all of it is, to about 0.2 m.
    let right_half = positions.iter().filter(|p| 0.4 < p.x).count();
    println!("{right_half} of {} particles are in the right half", positions.len());
    assert!(250 < right_half && right_half < 550);
    assert!(positions.iter().all(|p| 0.0 < p.y && p.x < 0.8), "none left the tank");
    Ok(())
}
