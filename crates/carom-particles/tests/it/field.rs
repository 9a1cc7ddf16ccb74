//! Particles in distance fields of closed form.

use crate::scenes::point;
use carom_math::Vec3;
use carom_particles::{Bounce, StepOutcome, advance_in_field};
use carom_scenes::Rng;

const DT: f32 = 1.0 / 60.0;

/// A wall of half the thickness around x = 0.
fn wall(half: f32) -> impl Fn(Vec3) -> (f32, Vec3) + Sync {
    move |p| (p.x.abs() - half, if p.x < 0.0 { Vec3::NEG_X } else { Vec3::X })
}

#[test]
fn no_particle_passes_a_thin_wall() {
    let mut rng = Rng::new(3);
    let mut outcomes = Vec::new();
    for half in [0.0_f32, 1e-4, 0.1] {
        for speed in [0.1, 3.0, 100.0, 10_000.0] {
            let mut positions: Vec<Vec3> = (0..200).map(|_| point(&mut rng, 1.0)).collect();
            positions.iter_mut().for_each(|p| p.x = half + 0.011 + p.x.abs());
            let mut velocities: Vec<Vec3> = (0..200).map(|_| point(&mut rng, 1.0) * speed).collect();
            let mut n_bounced = 0;
            for _ in 0..120 {
                let bounce = Bounce::default().with_restitution(0.9);
                let counts = advance_in_field(
                    wall(half),
                    0.01,
                    &mut positions,
                    &mut velocities,
                    DT,
                    &bounce,
                    &mut outcomes,
                );
                n_bounced += counts.unwrap().n_bounced;
                assert!(positions.iter().all(|p| half + 0.0099 < p.x), "{half} {speed}");
            }
            assert!(0 < n_bounced, "{half} {speed} {n_bounced}");
        }
    }
}

/// A particle that begins inside comes out, in the direction to the nearest surface.
#[test]
fn particles_that_begin_inside_are_put_onto_the_surface() {
    let ball = |p: Vec3| (p.length() - 1.0, p.normalize_or(Vec3::Y));
    let mut rng = Rng::new(8);
    let mut positions: Vec<Vec3> = (0..500).map(|_| point(&mut rng, 0.5)).collect();
    positions.push(Vec3::ZERO);
    let start = positions.clone();
    let mut velocities = vec![Vec3::ZERO; positions.len()];
    let mut outcomes = Vec::new();
    let bounce = Bounce::default();
    advance_in_field(ball, 0.05, &mut positions, &mut velocities, DT, &bounce, &mut outcomes).unwrap();
    for (p, from) in positions.iter().zip(start) {
        assert!((p.length() - 1.05).abs() < 1e-5 && p.normalize().dot(from.normalize_or(Vec3::Y)) > 0.9999);
    }
}

/// A drop that falls onto a plane bounces to the height of its restitution, and comes to rest on
/// it.
#[test]
fn drops_bounce_to_their_height_and_rest() {
    let floor = |p: Vec3| (p.y, Vec3::Y);
    let (mut p, mut v, mut outcomes) = ([Vec3::Y * 1.01], [Vec3::ZERO], Vec::new());
    let bounce = Bounce::default().with_restitution(0.5);
    let (mut top, mut n_bounced) = (0.0_f32, 0);
    for _ in 0..1200 {
        v[0].y -= 9.81 / 240.0;
        advance_in_field(floor, 0.01, &mut p, &mut v, 1.0 / 240.0, &bounce, &mut outcomes).unwrap();
        n_bounced += usize::from(outcomes[0] == StepOutcome::Bounced);
        if n_bounced == 1 {
            top = top.max(p[0].y);
        }
    }
    assert!((top - 0.26).abs() < 0.02, "{top}");
    assert!((p[0].y - 0.01).abs() < 1e-3 && v[0].length() < 0.05, "{} {}", p[0], v[0]);
}
