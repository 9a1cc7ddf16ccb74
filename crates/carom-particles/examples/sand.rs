//! An hourglass: grains run through a neck, which is a distance field, and heap up below it.
//!
//! `cargo run --release -p carom-particles --example sand`

use carom_math::Vec3;
use carom_particles::{
    FieldBoundary, Grains, ParticleError, ParticleSettings, ParticleSolver, Surface, Surroundings,
};

const SPACING: f32 = 0.04;

/// The glass: two cones with their tips at height 1, cut off at a neck of radius 0.14. Inside of
/// the glass the distance is positive.
fn glass(p: Vec3) -> (f32, Vec3) {
    let aside = Vec3::new(p.x, 0.0, p.z);
    let outward = aside.normalize_or(Vec3::X);
    // The wall rises by one for one, away from the neck.
    let from_neck = p.y - 1.0;
    let distance = (0.14 + from_neck.abs() - aside.length()) * 0.5_f32.sqrt();
    (distance, (Vec3::Y * from_neck.signum() - outward) * 0.5_f32.sqrt())
}

fn main() -> Result<(), ParticleError> {
    let settings = ParticleSettings::new(SPACING / 2.0).with_sleep_speed(0.02);
    let mut solver = ParticleSolver::new(settings)?;
    solver.add_plane(Vec3::Y, 0.0, &Surface::default())?;
    let mut points = Vec::new();
    for i in 0..24_i32.pow(3) {
        let [x, y, z] = [i % 24, i / 576, i / 24 % 24].map(|i| (i as f32 - 11.5) * SPACING * 1.02);
        // Rows that do not stand exactly above each other.
        let position = Vec3::new(x + 0.002 * (i % 5) as f32, y + 1.75, z + 0.002 * (i % 7) as f32);
        if 1.2 < position.y && SPACING < glass(position).0 {
            points.push(position);
        }
    }
    solver.add_grains(&Grains::default().with_friction(0.4), &points)?;
    let fields = [FieldBoundary { distance: &glass, surface: Surface::default().with_friction(0.2) }];
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for second in 1..=4 {
        for _ in 0..60 {
            let mut around = Surroundings { fields: &fields, ..Surroundings::default() };
            solver.step_in(1.0 / 60.0, &mut around)?;
        }
        solver.collect_positions(&mut positions);
        solver.collect_velocities(&mut velocities);
        let n_below = positions.iter().filter(|p| p.y < 1.0).count();
        let n_at_rest = velocities.iter().filter(|v| **v == Vec3::ZERO).count();
        println!("{second} s: {n_below} of {} grains are below, {n_at_rest} at rest", points.len());
    }
    Ok(())
}
