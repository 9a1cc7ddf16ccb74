//! The conservative test of one triangle against eight.

use carom_geom::tri_distance::closest_points;
use carom_geom::tri_tri::intersects;
use carom_geom::tri_tri_lanes::TriBlock8;
use carom_testkit::random::Random;
use glam::{DVec3, dvec3};

fn triangle(random: &mut Random, kind: usize, about: DVec3) -> [DVec3; 3] {
    let size = match kind % 4 {
        0 => 1.0,
        1 => 10f64.powf(random.range(-12.0, 3.0)),
        _ => 0.3,
    };
    let mut t = [0; 3].map(|_| about + random.cube_point() * size);
    if kind % 4 == 2 {
        // Coarse coordinates: touching is frequent.
        t = t.map(|p| (p * 8.0).round() / 8.0);
    }
    if kind % 4 == 3 {
        // Nearly one plane.
        t.iter_mut().for_each(|p| p.z = about.z + (p.x - p.y) * 0.25 + random.below(3) as f64 * 1e-7);
    }
    t
}

#[test]
fn never_apart_wrongly_and_rarely_near_wrongly() {
    let mut random = Random::new(21);
    let (mut n_near, mut n_doubtful, mut n_apart) = (0usize, 0usize, 0usize);
    for round in 0..12_000 {
        let about = if round % 3 == 0 { DVec3::ZERO } else { random.cube_point() * 100.0 };
        let scale = [1.0, 2f64.powi(130), 2f64.powi(-130)][round % 7 % 3];
        let n = 1 + random.below(8);
        let block: Vec<[DVec3; 3]> =
            (0..n).map(|_| triangle(&mut random, round, about).map(|p| p * scale)).collect();
        let probe = [triangle(&mut random, round, about).map(|p| p * scale)];
        let mut lanes = [0];
        let packed = TriBlock8::new(&block);
        packed.may_be_near(&probe, 0.0, &mut lanes);
        assert_eq!(lanes[0] >> n, 0);
        for (lane, t) in block.iter().enumerate() {
            let is_near = lanes[0] >> lane & 1 == 1;
            if intersects(t, &probe[0]) {
                assert!(is_near, "{t:?} {probe:?}");
                n_near += 1;
            } else {
                n_apart += 1;
                n_doubtful += usize::from(is_near);
            }
        }
        // Within a distance: never lost, and kept only when about as near.
        let within = random.unit() * 0.5 * scale;
        packed.may_be_near(&probe, within, &mut lanes);
        for (lane, t) in block.iter().enumerate() {
            if lanes[0] >> lane & 1 == 0 {
                let distance = closest_points(t, &probe[0]).distance;
                assert!(within < distance, "{distance:e} {within:e} {t:?} {probe:?}");
            }
        }
    }
    println!("{n_near} meet, {n_apart} apart of which {n_doubtful} doubtful");
    assert!(10_000 < n_near && 10_000 < n_apart);
    // Most doubtful ones lie in one plane, where no edges' product separates.
    assert!(n_doubtful < n_apart / 3, "{n_doubtful} of {n_apart}");
}

#[test]
fn ugly_numbers_are_near() {
    let t = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];
    let mut lanes = [0; 3];
    for bad in [f64::NAN, f64::INFINITY, f64::MAX] {
        let far = [[dvec3(bad, 0.0, 0.0); 3], t, [dvec3(0.0, -bad, 0.0), t[0], t[1]]];
        TriBlock8::new(&[t; 2]).may_be_near(&far, 0.0, &mut lanes);
        assert_eq!(lanes[1], 3);
        assert!(bad.is_finite() || lanes == [3; 3]);
    }
    TriBlock8::new(&[t]).may_be_near(&[t.map(|p| p + 1e5); 1], f64::INFINITY, &mut lanes);
    assert_eq!(lanes[0], 1);
    // A triangle without area, within any distance.
    TriBlock8::new(&[[t[0]; 3]; 2]).may_be_near(&[[t[1], t[2], t[1]]], f64::INFINITY, &mut lanes);
    assert_eq!(lanes[0], 3);
    // A block of points, a block of nothing.
    TriBlock8::new(&[[t[0]; 3]; 2]).may_be_near(&[t], 0.0, &mut lanes);
    assert_eq!(lanes[0], 3);
    TriBlock8::new(&[]).may_be_near(&[t], 0.0, &mut lanes);
    assert_eq!(lanes[0], 0);
}
