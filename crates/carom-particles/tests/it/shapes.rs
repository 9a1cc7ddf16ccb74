//! Shape matching: rigid bodies keep distances, momenta are kept, and clusters without a shape.

use crate::connected::{Particles, drifts, kick, shaken, turned, weightless};
use crate::scenes::point;
use carom_math::Vec3;
use carom_particles::{ConstraintError, ParticleBody, ShapeMatching, SmallSteps};
use carom_scenes::Rng;
use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;

/// A block of particles.
fn block(n: [u32; 3], spacing: f32) -> Vec<Vec3> {
    let at = |i: u32| Vec3::new((i % n[0]) as f32, (i / n[0] % n[1]) as f32, (i / n[0] / n[1]) as f32);
    (0..n.iter().product()).map(|i| at(i) * spacing).collect()
}

/// The most that a distance differs from that at rest.
fn worst_distance(rest: &[Vec3], positions: &[Vec3]) -> f32 {
    let mut worst = 0.0_f32;
    for i in 0..rest.len() {
        for j in 0..i {
            worst = worst.max((rest[i].distance(rest[j]) - positions[i].distance(positions[j])).abs());
        }
    }
    worst
}

#[test]
fn a_rigid_set_keeps_its_distances_under_any_impulse() {
    let mut rng = Rng::new(7);
    for rest in [
        block([3, 3, 3], 0.3),
        block([4, 4, 1], 0.3), // Flat.
        block([5, 1, 1], 0.3), // On a line.
        block([1, 1, 1], 0.3),
        vec![Vec3::ONE; 4], // In one place.
    ] {
        let mut body = ShapeMatching::rigid(0, &rest).unwrap();
        let mut particles = Particles::new(rest.clone(), 0.5);
        for i in 0..rest.len() {
            particles.inverse_masses[i] *= 1.0 + (i % 4) as f32;
        }
        for _ in 0..20 {
            let struck = rng.below(rest.len());
            particles.velocities[struck] += point(&mut rng, 20.0);
            particles.run(&SmallSteps::default(), 3, &mut body);
            let size = particles.positions.iter().fold(1.0_f32, |size, p| size.max(p.length()));
            let worst = worst_distance(&rest, &particles.positions);
            assert!(worst <= 1e-6 * size, "{worst} at {size}");
        }
    }
}

#[test]
fn momentum_is_kept_by_shape_matching() {
    let mut rng = Rng::new(2);
    let rest = turned(&block([4, 3, 3], 0.2));
    for (what, mut body) in [
        ("rigid", ShapeMatching::rigid(0, &rest).unwrap()),
        ("soft", ShapeMatching::soft(0, &rest, 0.2, f32::INFINITY).unwrap()),
        ("softer", ShapeMatching::soft(0, &rest, 0.2, 60.0).unwrap()),
    ] {
        let mut particles = Particles::new(rest.clone(), 0.5);
        for i in 0..rest.len() {
            particles.inverse_masses[i] *= 1.0 + (i % 4) as f32;
        }
        for _ in 0..20 {
            particles.positions = shaken(&rest, &mut rng, 0.1);
            // All clusters see the same positions, so that angular momentum is kept by the pass.
            let [linear, angular] = kick(&particles, &mut body);
            assert!(linear < 3e-7 && angular < 3e-7, "{what}: {linear} {angular}");
        }
        particles.positions = rest.clone();
        particles.stir(&mut rng, 1.0);
        let start = particles.clone();
        particles.run(&weightless(), 60, &mut body);
        let drifts = drifts(&start, &particles);
        println!("{what}: momenta are off by {drifts:?}");
        assert!(drifts[0] < 3e-4 && drifts[1] < 0.02);
    }
}

#[test]
fn a_soft_body_comes_back_to_its_shape() {
    let rest = block([5, 3, 3], 0.1);
    let mut rng = Rng::new(6);
    let mut soft = ShapeMatching::soft(0, &rest, 0.1, 100.0).unwrap();
    assert_eq!(soft.n_clusters(), 45);
    type Crush = fn(Vec3) -> Vec3;
    let crushed: [(&str, Crush); 5] = [
        ("bent", |p| Vec3::new(p.x, p.y + 2.0 * p.x * p.x, p.z)),
        ("flat", |p| Vec3::new(p.x, 0.0, p.z)),
        ("on a line", |p| Vec3::new(p.x, 0.0, 0.0)),
        ("in a point", |_| Vec3::ONE),
        ("inside out", |p| Vec3::new(p.x, -p.y, p.z)),
    ];
    for (what, crush) in crushed {
        let mut particles = Particles::new(rest.iter().map(|&p| crush(p)).collect(), 0.1);
        particles.positions = shaken(&particles.positions, &mut rng, 1e-4);
        particles.run(&weightless().with_drag(4.0), 300, &mut soft);
        let worst = worst_distance(&rest, &particles.positions);
        println!("{what}: off by {worst}");
        assert!(particles.is_finite() && worst < 1e-4, "{what}");
    }
}

/// The frequency of a cluster of two particles is that of the rate, whatever the substeps.
#[test]
fn stiffness_does_not_depend_on_passes_or_time_steps() {
    let rest = [Vec3::ZERO, Vec3::X];
    let rate = 20.0;
    for (substeps, iterations) in [(16, 1), (16, 4), (64, 1), (64, 3)] {
        let mut pair = ShapeMatching::new(0, &rest, &[&[0, 1]], rate).unwrap();
        let mut particles = Particles::new(vec![Vec3::ZERO, 1.1 * Vec3::X], 1.0);
        let (mut n_crossings, mut was_long, n_frames) = (0, true, 240);
        for _ in 0..n_frames {
            particles.run(&weightless().with_substeps(substeps).with_iterations(iterations), 1, &mut pair);
            let is_long = 1.0 < particles.positions[0].distance(particles.positions[1]);
            n_crossings += u32::from(is_long != was_long);
            was_long = is_long;
        }
        let wanted = f64::from(n_frames) / 60.0 * f64::from(rate) / std::f64::consts::PI;
        println!("{substeps} substeps of {iterations} passes: {n_crossings} half turns of {wanted:.1}");
        assert!((f64::from(n_crossings) - wanted).abs() < 1.6);
    }
}

#[test]
fn pinned_particles_hold_a_rigid_body() {
    // A bar that swings about one end.
    let rest = block([6, 2, 1], 0.2);
    let mut bar = ShapeMatching::rigid(0, &rest).unwrap();
    let mut particles = Particles::new(rest.clone(), 0.1);
    particles.inverse_masses[0] = 0.0;
    let mut lowest = 0.0_f32;
    for _ in 0..120 {
        particles.run(&SmallSteps::default(), 1, &mut bar);
        assert_eq!(particles.positions[0], rest[0]);
        assert!(worst_distance(&rest, &particles.positions) < 2e-3);
        lowest = lowest.min(particles.positions[5].y);
    }
    assert!(lowest < -0.9);
}

/// The rotation is the best one: no small turn, and none of many others, is better.
#[test]
fn rotations_are_the_best_ones() {
    let mut rng = Rng::new(11);
    let trace = |q: DQuat, positions: &[Vec3], rest: &[Vec3]| -> f64 {
        let centre = |all: &[Vec3]| all.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / all.len() as f64;
        let (p, r) = (centre(positions), centre(rest));
        positions.iter().zip(rest).map(|(a, b)| (a.as_dvec3() - p).dot(q * (b.as_dvec3() - r))).sum()
    };
    for case in 0..200 {
        let rest: Vec<Vec3> = (0..6).map(|_| point(&mut rng, 1.0)).collect();
        let mut map = DMat3::from_cols_array(&core::array::from_fn(|_| rng.range(-1.0, 1.0)));
        match case % 4 {
            0 => map.z_axis = DVec3::ZERO,                               // Flat.
            1 => (map.y_axis, map.z_axis) = (map.x_axis, map.x_axis),    // On a line.
            2 => map = DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0)), // Mirrored.
            _ => {}
        }
        let positions: Vec<Vec3> = rest.iter().map(|p| (map * p.as_dvec3()).as_vec3()).collect();
        let mut body = ShapeMatching::rigid(0, &rest).unwrap();
        // Twice, as the first pass begins far from the last rotation.
        for _ in 0..2 {
            body.project(&mut positions.clone(), &[1.0; 6], 0.01).unwrap();
        }
        let best = body.rotation(0).unwrap();
        assert!((best.length() - 1.0).abs() < 1e-12);
        let value = trace(best, &positions, &rest);
        for _ in 0..50 {
            let axis = point(&mut rng, 1.0).as_dvec3().normalize_or(DVec3::X);
            for angle in [1e-3, 0.1, 1.0, 3.0] {
                let other = trace(DQuat::from_axis_angle(axis, angle) * best, &positions, &rest);
                assert!(other <= value + 1e-5, "case {case}: {other} above {value}");
            }
        }
    }
    // In one place there is nothing to go by: the last rotation stays.
    let rest = block([2, 2, 2], 1.0);
    let mut body = ShapeMatching::rigid(0, &rest).unwrap();
    body.project(&mut turned(&rest), &[1.0; 8], 0.01).unwrap();
    let last = body.rotation(0).unwrap();
    body.project(&mut [Vec3::ONE; 8], &[1.0; 8], 0.01).unwrap();
    assert!(body.rotation(0).unwrap().angle_between(last) < 1e-6);
    assert!(body.rotation(1).is_none());
}

#[test]
fn bad_clusters_are_refused_by_name() {
    let rest = block([2, 2, 1], 1.0);
    let refused = |clusters: &[&[u32]], rate| ShapeMatching::new(0, &rest, clusters, rate).unwrap_err();
    assert_eq!(refused(&[&[0, 1], &[]], 1.0), ConstraintError::EmptyCluster { cluster: 1 });
    assert_eq!(refused(&[&[0, 1], &[4]], 1.0), ConstraintError::NoSuchParticle { element: 1 });
    assert_eq!(refused(&[&[0, 1], &[2, 0, 2]], 1.0), ConstraintError::RepeatedParticle { element: 1 });
    assert!(matches!(refused(&[&[0, 1]], -1.0), ConstraintError::BadSetting { name: "rate", .. }));
    for side in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let refused = ShapeMatching::soft(0, &rest, side, 1.0).unwrap_err();
        assert!(matches!(refused, ConstraintError::BadSetting { name: "side", .. }));
    }
    let refused = ShapeMatching::rigid(0, &[Vec3::ZERO, Vec3::NAN]).unwrap_err();
    assert_eq!(refused, ConstraintError::BadParticle { particle: 1 });
    // Nothing at all, and particles in no cluster, are no error.
    assert_eq!(ShapeMatching::rigid(0, &[]).unwrap().n_clusters(), 0);
    let mut some = ShapeMatching::new(0, &rest, &[&[0, 1]], 1.0).unwrap();
    let mut positions = rest.clone();
    positions[3] *= 2.0;
    let before = positions.clone();
    some.project(&mut positions, &[1.0; 4], 0.01).unwrap();
    assert!(positions[2..] == before[2..]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ugly_clusters_never_give_nan(
        indices in prop::collection::vec((0_usize..7, 0_usize..8), 12),
        masses in prop::collection::vec(0_usize..4, 12),
        side in 0_usize..3,
        rate in 0_usize..4,
        dt in 0_usize..3,
    ) {
        let menu = [
            Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1e-20, 0.0), Vec3::splat(1e-30), Vec3::splat(1e12),
            Vec3::new(-1.0, 2.0, 3.0), Vec3::splat(1e-3), Vec3::splat(-2e38),
        ];
        let rest: Vec<Vec3> = indices.iter().map(|&(index, _)| menu[index]).collect();
        let rate = [0.0, 1.0, 1e30, f32::INFINITY][rate];
        let mut body = ShapeMatching::soft(0, &rest, [1e-30, 1.0, 1e30][side], rate).unwrap();
        let mut particles = Particles::new(indices.iter().map(|&(_, index)| menu[index]).collect(), 1.0);
        for (inverse_mass, &mass) in particles.inverse_masses.iter_mut().zip(&masses) {
            *inverse_mass = [0.0, 1.0, 1e-38, 1e38][mass];
        }
        for _ in 0..5 {
            body.begin_step();
            for _ in 0..3 {
                let dt = [1.0 / 60.0, 1e-25, 1e10][dt];
                body.project(&mut particles.positions, &particles.inverse_masses, dt).unwrap();
            }
            prop_assert!(particles.is_finite());
        }
    }
}
