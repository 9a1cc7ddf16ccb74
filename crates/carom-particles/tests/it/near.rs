//! Boundaries visit only the particles near them: the same bits as if they visited all, and a cost
//! that does not grow with the product of both.

use crate::blocks::block;
use carom_math::{Mat3, Pose, Vec3};
use carom_particles::{
    BodyBoundary, FieldBoundary, Grains, Liquid, ParticleSettings, ParticleSolver, Surroundings,
};
use carom_scenes::Rng;
use core::sync::atomic::{AtomicU64, Ordering};

const DT: f32 = 1.0 / 60.0;

/// Water and fast grains in a large bowl, with balls of several sizes that fly through it. Returns
/// the state after each step. Distances above `limit` are cut to it.
fn states(limit: f32) -> Vec<Vec<u8>> {
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.03).with_contacts(true)).unwrap();
    solver.add_liquid(&Liquid::default(), &block([12, 8, 12], 0.06, Vec3::new(-0.36, -0.9, -0.36))).unwrap();
    let mut rng = Rng::new(7);
    let mut any = |size: f64| {
        Vec3::new(rng.range(-size, size) as f32, rng.range(-size, size) as f32, rng.range(-size, size) as f32)
    };
    let points: Vec<Vec3> = (0..400).map(|_| any(0.7) + Vec3::Y * 0.6).collect();
    for id in solver.add_grains(&Grains::default(), &points).unwrap() {
        solver.set_particle(id, solver.position(id).unwrap(), any(20.0)).unwrap();
    }
    let cut = |(d, normal): (f32, Vec3)| (d.min(limit), normal);
    let bowl = |p: Vec3| cut((2.0 - p.length(), -p.normalize_or(Vec3::Y)));
    let fields = [FieldBoundary { distance: &bowl, surface: Default::default() }];
    let balls =
        [0.05, 0.2, 0.4].map(|radius| move |p: Vec3| cut((p.length() - radius, p.normalize_or(Vec3::Y))));
    let mut moves: Vec<(Pose, Vec3)> =
        (0..12).map(|_| (Pose::from_translation(any(1.5)), any(9.0))).collect();
    (0..40)
        .map(|_| {
            let mut bodies: Vec<BodyBoundary<'_>> = Vec::new();
            for (k, (pose, velocity)) in moves.iter().enumerate() {
                bodies.push(BodyBoundary {
                    inverse_mass: if k % 3 == 0 { 0.0 } else { 0.2 },
                    inverse_inertia: Mat3::IDENTITY * if k % 3 == 0 { 0.0 } else { 9.0 },
                    linear_velocity: *velocity,
                    angular_velocity: Vec3::Y * k as f32,
                    ..BodyBoundary::fixed(&balls[k % balls.len()], *pose)
                });
            }
            let mut around = Surroundings { fields: &fields, bodies: &mut bodies, ..Default::default() };
            solver.step_in(DT, &mut around).unwrap();
            for ((pose, velocity), body) in moves.iter_mut().zip(&bodies) {
                *velocity += body.impulse * body.inverse_mass;
                pose.translation += *velocity * DT;
                if 1.5 < pose.translation.length() {
                    *velocity = -pose.translation * 3.0;
                }
            }
            solver.save()
        })
        .collect()
}

/// A distance that is cut to eight radii is near everywhere, so all particles are visited.
#[test]
fn nothing_near_is_left_out() {
    let (near, all) = (states(f32::INFINITY), states(8.0 * 0.03));
    for (step, (a, b)) in near.iter().zip(&all).enumerate() {
        assert!(a == b, "step {step}");
    }
}

/// Hundreds of small bodies above ten thousands of grains: those that are far cost a few distances
/// for all grains, and a near one costs those of its surroundings.
#[test]
fn far_particles_cost_a_body_little() {
    let n = 21_952;
    let mut solver = ParticleSolver::new(ParticleSettings::new(0.05).with_gravity(Vec3::ZERO)).unwrap();
    let heap = block([28, 28, 28], 0.11, Vec3::ZERO);
    assert_eq!(heap.len(), n);
    solver.add_grains(&Grains::default(), &heap).unwrap();
    let n_calls = AtomicU64::new(0);
    let ball = |p: Vec3| {
        n_calls.fetch_add(1, Ordering::Relaxed);
        (p.length() - 0.1, p.normalize_or(Vec3::Y))
    };
    let mut count = |places: &[Vec3]| {
        let body = |place: &Vec3| BodyBoundary::fixed(&ball, Pose::from_translation(*place));
        let mut bodies: Vec<BodyBoundary<'_>> = places.iter().map(body).collect();
        n_calls.store(0, Ordering::Relaxed);
        solver.step_in(DT, &mut Surroundings { bodies: &mut bodies, ..Default::default() }).unwrap();
        n_calls.load(Ordering::Relaxed) / (places.len() as u64 * u64::from(solver.settings().substeps))
    };
    let far: Vec<Vec3> = (0..200).map(|k| Vec3::new(0.2 * k as f32, 9.0, 1.0)).collect();
    let near = [Vec3::new(1.5, 3.2, 1.5), Vec3::new(0.5, 3.2, 1.5)];
    let (of_far, of_near) = (count(&far), count(&near));
    println!("{of_far} distances of a far body in a substep, {of_near} of a near one, {n} grains");
    assert!(of_far < 40 && of_near < n as u64 / 4, "{of_far} {of_near}");
}
