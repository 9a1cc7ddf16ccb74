//! A dam breaks over a rock, and carries a ball along: liquid, a distance field, and a body that
//! pushes the water and is pushed by it.
//!
//! `cargo run --release -p carom-particles --example water`

use carom_math::{Mat3, Pose, Vec3};
use carom_particles::{
    BodyBoundary, FieldBoundary, Liquid, ParticleError, ParticleSettings, ParticleSolver, Surface,
    Surroundings,
};

const DT: f32 = 1.0 / 60.0;
const SPACING: f32 = 0.04;
const BALL_RADIUS: f32 = 0.15;
/// Half as dense as water.
const BALL_MASS: f32 = 500.0 * 4.19 * BALL_RADIUS * BALL_RADIUS * BALL_RADIUS;

/// The signed distance from a ball around the origin, and where it grows.
fn ball(point: Vec3, radius: f32) -> (f32, Vec3) {
    (point.length() - radius, point.normalize_or(Vec3::Y))
}

fn main() -> Result<(), ParticleError> {
    let mut solver = ParticleSolver::new(ParticleSettings::new(SPACING / 2.0))?;
    // A tank of 2.4 by 0.8, with a block of water at its left end.
    let walls = [(Vec3::Y, 0.0), (Vec3::X, 0.0), (Vec3::NEG_X, -2.4), (Vec3::Z, 0.0), (Vec3::NEG_Z, -0.8)];
    for (normal, offset) in walls {
        solver.add_plane(normal, offset, &Surface::default())?;
    }
    let position_of = |i: usize| Vec3::new((i % 20) as f32, (i / 400) as f32, (i / 20 % 20) as f32);
    let points: Vec<Vec3> = (0..20 * 20 * 20).map(|i| (position_of(i) + 0.5) * SPACING).collect();
    solver.add_liquid(&Liquid::default(), &points)?;

    let rock = |p: Vec3| ball(p - Vec3::new(1.2, 0.0, 0.3), 0.2);
    let fields = [FieldBoundary { distance: &rock, surface: Surface::default() }];
    let shape = |p: Vec3| ball(p, BALL_RADIUS);
    let (mut center, mut velocity, mut spin) = (Vec3::new(1.8, BALL_RADIUS, 0.4), Vec3::ZERO, Vec3::ZERO);
    let inverse_inertia = 2.5 / (BALL_MASS * BALL_RADIUS * BALL_RADIUS);
    let mut positions = Vec::new();
    for step in 1..=240 {
        let mut bodies = [BodyBoundary {
            inverse_mass: 1.0 / BALL_MASS,
            inverse_inertia: Mat3::IDENTITY * inverse_inertia,
            linear_velocity: velocity,
            angular_velocity: spin,
            ..BodyBoundary::fixed(&shape, Pose::from_translation(center))
        }];
        let mut around = Surroundings { fields: &fields, bodies: &mut bodies, ..Surroundings::default() };
        solver.step_in(DT, &mut around)?;
        // The impulse of the water on the ball, its weight, and the walls. A world would do this.
        velocity += bodies[0].impulse / BALL_MASS - Vec3::Y * (9.81 * DT);
        spin += bodies[0].angular_impulse * inverse_inertia;
        center += velocity * DT;
        let inside =
            center.clamp(Vec3::splat(BALL_RADIUS), Vec3::new(2.4, 9.0, 0.8) - Vec3::splat(BALL_RADIUS));
        if inside != center {
            (center, velocity) = (inside, Vec3::ZERO);
        }
        if step % 30 == 0 {
            solver.collect_positions(&mut positions);
            let front = positions.iter().map(|p| p.x).fold(0.0, f32::max);
            let compression = 100.0 * solver.compression()?.mean;
            println!(
                "{:.1} s: front at {front:.2}, {compression:.2} % compressed, ball at {center:.2}",
                step as f32 * DT
            );
        }
    }
    Ok(())
}
