//! Convex polytopes against the oracles.

use crate::cloud::Cloud;
use crate::rng::Rng;
use crate::truth::{Mix, check};
use carom_math::WidePose;
use glam::{DQuat, DVec3};

fn n_rounds(n: usize) -> usize {
    if std::env::var_os("CAROM_SLOW").is_some() { 20 * n } else { n }
}

#[test]
fn random_hulls() {
    let mut rng = Rng(1);
    let mut mix = Mix::default();
    for _ in 0..n_rounds(40) {
        let (n, m) = (4 + rng.below(13), 4 + rng.below(13));
        let mut a = Cloud::random(&mut rng, n, DVec3::ONE);
        let mut b = Cloud::random(&mut rng, m, DVec3::ONE);
        (a.is_fast, b.is_fast) = (rng.below(2) == 0, rng.below(2) == 0);
        let (hull_a, hull_b) = (a.hull(), b.hull());
        for _ in 0..10 {
            let away = rng.unit() * rng.range(0.0, 2.5);
            let pose = WidePose::from_quat(rng.rotation(), away);
            check(&a, &b, &hull_a, &hull_b, &pose, 1e-13, &mut mix, "random");
        }
    }
    println!("{mix:?}");
    assert!(mix.apart > 50 && mix.overlap > 50 && mix.undecided == 0);
}

#[test]
fn boxes_stacked_face_to_face_in_a_turned_frame() {
    let mut rng = Rng(2);
    for gap in [0.0, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3] {
        let mut mix = Mix::default();
        for k in 0..n_rounds(300) {
            let (h1, h2) = (half(&mut rng), half(&mut rng));
            let frame = rng.rotation();
            let offset = DVec3::new(rng.range(-0.5, 0.5), rng.range(-0.5, 0.5), h1.z + h2.z + gap);
            let turn = match k % 3 {
                0 => 0.0,
                1 => core::f64::consts::FRAC_PI_4,
                _ => rng.range(0.0, 6.3),
            };
            // Both boxes are placed in a turned frame, and A's frame is that of a third body.
            let in_world_1 = WidePose::from_quat(frame, DVec3::new(3.0, -2.0, 5.0));
            let in_world_2 = WidePose::from_quat(
                frame * DQuat::from_rotation_z(turn),
                in_world_1.translation + frame * offset,
            );
            let (mut a, mut b) = (Cloud::cuboid(h1), Cloud::cuboid(h2));
            (a.is_fast, b.is_fast) = (k % 2 == 0, k % 2 == 0);
            let b_in_a = in_world_2.relative_to(&in_world_1);
            check(&a, &b, &a.hull(), &b.hull(), &b_in_a, 1e-13, &mut mix, "stacked");
        }
        println!("gap {gap:e}: {mix:?}");
        assert_eq!(mix.undecided, 0);
    }
}

fn half(rng: &mut Rng) -> DVec3 {
    DVec3::new(rng.range(0.1, 1.0), rng.range(0.1, 1.0), rng.range(0.1, 1.0))
}

#[test]
fn needles_plates_slivers_and_far_away() {
    let mut rng = Rng(3);
    let stretches = [
        DVec3::ONE,
        DVec3::new(1e4, 1e-4, 1e-4),
        DVec3::new(1e4, 1e4, 1e-4),
        DVec3::splat(1e-4),
        DVec3::splat(1e4),
        DVec3::new(1.0, 1e-6, 1.0),
        DVec3::new(1.0, 1e-3, 1e-6),
    ];
    let mut mix = Mix::default();
    for _ in 0..n_rounds(60) {
        let (sa, sb) = (stretches[rng.below(7)], stretches[rng.below(7)]);
        let (n, m) = (4 + rng.below(9), 4 + rng.below(9));
        let mut a = Cloud::random(&mut rng, n, sa);
        let mut b = Cloud::random(&mut rng, m, sb);
        (a.is_fast, b.is_fast) = (rng.below(2) == 0, rng.below(2) == 0);
        let (hull_a, hull_b) = (a.hull(), b.hull());
        for k in 0..6 {
            let reach = [0.0, 0.3, 1.0, 1.5, 3.0, 1e5][k]
                * (a.radius_().min(b.radius_()) + 1e-3 * a.radius_().max(b.radius_()));
            let pose = WidePose::from_quat(rng.rotation(), rng.unit() * reach);
            check(&a, &b, &hull_a, &hull_b, &pose, 1e-12, &mut mix, "ugly");
        }
    }
    println!("{mix:?}");
    assert!(mix.apart > 30 && mix.overlap > 30);
}

#[test]
fn concentric_and_identical() {
    let mut rng = Rng(4);
    let mut mix = Mix::default();
    for _ in 0..n_rounds(40) {
        let n = 4 + rng.below(9);
        let a = Cloud::random(&mut rng, n, DVec3::ONE);
        let hull = a.hull();
        check(&a, &a, &hull, &hull, &WidePose::IDENTITY, 1e-13, &mut mix, "identical");
        let turned = WidePose::from_quat(rng.rotation(), DVec3::ZERO);
        check(&a, &a, &hull, &hull, &turned, 1e-13, &mut mix, "concentric");
        let b = Cloud::cuboid(half(&mut rng));
        let hull = b.hull();
        check(&b, &b, &hull, &hull, &WidePose::IDENTITY, 1e-13, &mut mix, "same box");
        let small = b.scaled(rng.range(0.01, 0.99));
        check(&b, &small, &hull, &small.hull(), &WidePose::IDENTITY, 1e-13, &mut mix, "nested");
    }
    println!("{mix:?}");
    assert_eq!(mix.undecided, 0);
}

#[test]
fn flat_sets_points_and_segments() {
    let mut rng = Rng(5);
    let mut mix = Mix::default();
    for _ in 0..n_rounds(60) {
        let mut flat = |n: usize, k: usize| {
            let stretch = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 0.0, 1.0), DVec3::ONE][k];
            Cloud::random(&mut rng, n, stretch)
        };
        for (k, l) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (2, 3), (1, 3), (0, 3)] {
            let (a, b) = (flat([1, 2, 5, 6][k], k), flat([1, 2, 5, 6][l], l));
            let (hull_a, hull_b) = (a.hull(), b.hull());
            let mut rng = Rng(k as u64 * 100 + l as u64);
            for reach in [0.0, 0.0, 0.5, 1.0, 2.0] {
                let pose = WidePose::from_quat(rng.rotation(), rng.unit() * reach);
                let size = a.radius_() + b.radius_() + reach;
                if size == 0.0 {
                    continue;
                }
                check(&a, &b, &hull_a, &hull_b, &pose, 1e-12, &mut mix, "flat");
            }
        }
    }
    println!("{mix:?}");
    assert!(mix.apart > 30);
}
