//! Rain on a street with an awning: drops bounce off what the camera sees, and off a distance field
//! under the awning.
//!
//! `cargo run --release -p carom-particles --example rain`

use carom_math::{Pose, Quat, Vec3};
use carom_particles::{Bounce, Camera, DepthBuffer, ParticleError, StepOutcome, advance_in_field};

const DT: f32 = 1.0 / 60.0;

/// A level rectangle of two triangles: its middle, and half of its sides.
fn level(middle: Vec3, x: f32, z: f32) -> ([Vec3; 4], [[u32; 3]; 2]) {
    let corner = |u: f32, v: f32| middle + Vec3::new(u * x, 0.0, v * z);
    ([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], [[0, 1, 2], [0, 2, 3]])
}

/// The signed distance from the street at height 0 and the awning, which is a thin box, and where
/// it grows.
fn street(p: Vec3) -> (f32, Vec3) {
    let awning = (p - Vec3::new(-3.0, 3.0, 0.0)).abs() - Vec3::new(2.0, 0.05, 5.0);
    let out = awning.max(Vec3::ZERO);
    let distance = out.length() + awning.max_element().min(0.0);
    if p.y < distance {
        return (p.y, Vec3::Y);
    }
    let sides = (p - Vec3::new(-3.0, 3.0, 0.0)).signum();
    (distance, (out * sides).normalize_or(Vec3::Y * sides.y))
}

fn main() -> Result<(), ParticleError> {
    // The camera looks down from 12 above; it sees the awning, and nothing below it.
    let down = Quat::from_xyzw(-0.5_f32.sqrt(), 0.0, 0.0, 0.5_f32.sqrt());
    let camera = Camera::orthographic(&Pose::new(down, Vec3::Y * 12.0), 12.0, 1.0, 0.1, 20.0)?;
    let mut buffer = DepthBuffer::new(camera, 512, 512)?;
    for (corners, triangles) in [level(Vec3::ZERO, 6.0, 6.0), level(Vec3::new(-3.0, 3.05, 0.0), 2.0, 5.0)] {
        buffer.draw(&corners, &triangles, &Pose::IDENTITY)?;
    }
    for sees_all in [false, true] {
        let mut positions: Vec<Vec3> = (0..100_000_u32)
            .map(|i| {
                // Spread by three irrational steps.
                let part = |step: f64| (f64::from(i) * step).fract() as f32;
                Vec3::new(part(0.8191) * 11.0 - 5.5, 1.0 + 6.0 * part(0.6711), part(0.5498) * 11.0 - 5.5)
            })
            .collect();
        let mut velocities = vec![Vec3::new(1.0, -7.0, 0.0); positions.len()];
        let (mut outcomes, mut n_bounced, mut n_hidden) = (Vec::new(), 0, 0);
        let bounce = Bounce::default().with_restitution(0.2);
        for _ in 0..60 {
            velocities.iter_mut().for_each(|v| v.y -= 9.81 * DT);
            let counts = if sees_all {
                advance_in_field(street, 0.01, &mut positions, &mut velocities, DT, &bounce, &mut outcomes)?
            } else {
                buffer.advance(&mut positions, &mut velocities, DT, &bounce, &mut outcomes)?
            };
            n_bounced += counts.n_bounced;
            n_hidden = counts.n_hidden;
            // Drops that came from behind are removed.
            let mut outcome = outcomes.iter();
            velocities.retain(|_| outcome.next() != Some(&StepOutcome::Killed));
            let mut outcome = outcomes.iter();
            positions.retain(|_| outcome.next() != Some(&StepOutcome::Killed));
        }
        let n_lost = positions.iter().filter(|p| p.y < -0.01).count();
        println!(
            "{}: {n_bounced} bounces, {n_hidden} hidden at the end, {n_lost} of {} below the street",
            if sees_all { "distance field" } else { "depth buffer" },
            positions.len()
        );
    }
    Ok(())
}
