//! Eight triangles against eight: what is proved of them.

use carom_geom::tri_blocks::BlockDistances;
use carom_geom::tri_distance::closest_points;
use carom_geom::tri_tri::intersects;
use carom_geom::tri_tri_lanes::TriBlock8;
use carom_math::WidePose;
use carom_testkit::random::Random;
use glam::{DMat3, DQuat, DVec3, dvec3};

/// Up to eight triangles, of many kinds, near each other.
fn block(random: &mut Random, kind: usize, about: DVec3, size: f64) -> Vec<[DVec3; 3]> {
    let n = 1 + random.below(8);
    let spread = if kind.is_multiple_of(2) { 3.0 } else { 0.5 };
    (0..n)
        .map(|_| {
            let middle = about + random.cube_point() * (size * spread);
            let mut t = [0; 3].map(|_| middle + random.cube_point() * size);
            match kind % 7 {
                // Coarse coordinates: equal corners, parallel edges, one plane.
                1 | 2 => t = t.map(|p| (p * (2.0 / size)).round() * (size / 2.0)),
                // Slivers: the third corner on the edge, or nearly so.
                3 => t[2] = t[0].lerp(t[1], random.unit()) + random.cube_point() * (size * 1e-6),
                // Segments and points.
                4 => t[2] = t[random.below(2)],
                5 if random.below(3) == 0 => t = [t[0]; 3],
                _ => {}
            }
            t
        })
        .collect()
}

fn pose(random: &mut Random, kind: usize) -> WidePose {
    let axis = random.cube_point().normalize_or(DVec3::X);
    let rotation = match kind % 3 {
        0 => DMat3::IDENTITY,
        // Edges stay nearly parallel.
        1 => DMat3::from_quat(DQuat::from_axis_angle(axis, random.range(0.0, 1e-5))),
        _ => DMat3::from_quat(DQuat::from_axis_angle(axis, random.range(0.0, 3.0))),
    };
    WidePose { rotation, translation: DVec3::ZERO }
}

fn placed(pose: &WidePose, t: &[DVec3; 3]) -> [DVec3; 3] {
    let r = &pose.rotation;
    t.map(|p| ((r.x_axis * p.x + r.y_axis * p.y) + r.z_axis * p.z) + pose.translation)
}

#[test]
fn bounds_hold_and_are_close() {
    let mut random = Random::new(31);
    let mut bounds = BlockDistances::default();
    let (mut n_meet, mut n_left_out, mut n_near, mut n_close, mut n_better) = (0, 0, 0, 0, 0);
    for round in 0..16_000 {
        let scale = [1.0, 2f64.powi(90), 2f64.powi(-90)][round % 11 % 3];
        let far = [0.0, 1.0, 1000.0][round % 3];
        let position = random.cube_point() * far;
        let size_b = [1.0, 1.0, 30.0, 0.01][round % 4];
        let mut b_in_a = pose(&mut random, round / 5);
        let a: Vec<_> = block(&mut random, round, position, 1.0);
        let b: Vec<_> = block(&mut random, round / 7, position, size_b);
        // B about a few sizes away, whatever the turn did to it.
        let shift = random.cube_point() * [0.5, 2.0, 8.0][round % 5 % 3];
        b_in_a.translation = position + shift - b_in_a.rotation * position;
        b_in_a.translation *= scale;
        let a: Vec<_> = a.into_iter().map(|t| t.map(|p| p * scale)).collect();
        let b: Vec<_> = b.into_iter().map(|t| t.map(|p| p * scale)).collect();
        let (block_a, block_b) = (TriBlock8::new(&a), TriBlock8::new(&b));
        let within = if round % 3 == 0 { f64::INFINITY } else { random.unit() * 4.0 * scale };
        // An axis from the last round, or none: any will do.
        if round % 4 == 0 {
            bounds.axis = DVec3::ZERO;
        }
        let may_meet = block_a.may_meet(&block_b, &b_in_a);
        block_a.distances(&block_b, &b_in_a, within, &mut bounds);
        let mut least = f64::INFINITY;
        for (j, t_b) in b.iter().enumerate() {
            let t_b = placed(&b_in_a, t_b);
            for (i, t_a) in a.iter().enumerate() {
                let what = || format!("round {round}, {i} {j}: {t_a:?} {t_b:?}");
                if intersects(t_a, &t_b) {
                    n_meet += 1;
                    assert!(may_meet[j] >> i & 1 == 1, "{}", what());
                }
                let distance = closest_points(t_a, &t_b).distance;
                least = least.min(distance);
                if bounds.lanes[j] >> i & 1 == 0 {
                    n_left_out += 1;
                    // By the distance asked for, or because another pair is nearer.
                    assert!(bounds.at_most < distance, "{distance:e} {:e} {}", bounds.at_most, what());
                } else {
                    n_near += 1;
                    let at_least = f64::from(bounds.at_least[j][i]) / bounds.scale;
                    assert!(!(distance < at_least), "{distance:e} {at_least:e} {}", what());
                    n_close += usize::from(0.99 * distance <= at_least);
                }
            }
            assert_eq!((may_meet[j] | bounds.lanes[j]) >> a.len(), 0);
        }
        assert!(b.len() == 8 || may_meet[b.len()] == 0);
        // The promised bound holds, and is reported if it is below the wanted one.
        assert!(bounds.at_most <= within);
        if bounds.at_most < within {
            n_better += 1;
            assert!(least <= bounds.at_most, "round {round}: {least:e} {:e}", bounds.at_most);
        }
    }
    println!("{n_meet} meet, {n_left_out} left out, {n_near} near, {n_close} with a close bound, {n_better}");
    assert!(2000 < n_meet && 200_000 < n_left_out && 10_000 < n_near && 5000 < n_better);
    // The bounds are worth something: most of those left are known to a hundredth.
    assert!(n_near < 2 * n_close, "{n_close} of {n_near}");
}

#[test]
fn ugly_numbers_are_near() {
    let t = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];
    let two = TriBlock8::new(&[t; 2]);
    let mut bounds = BlockDistances::default();
    for bad in [f64::NAN, f64::INFINITY, f64::MAX, 1e300] {
        let pose = WidePose { translation: dvec3(bad, 0.0, 0.0), ..WidePose::IDENTITY };
        assert_eq!(two.may_meet(&two, &pose)[..3], [3, 3, 0]);
        two.distances(&two, &pose, f64::INFINITY, &mut bounds);
        assert_eq!((bounds.lanes, bounds.at_least[0][0]), ([3, 3, 0, 0, 0, 0, 0, 0], 0.0));
    }
    // A point in its own place: nothing is proved but that it is near.
    let point = TriBlock8::new(&[[t[1]; 3]]);
    point.distances(&point, &WidePose::IDENTITY, f64::INFINITY, &mut bounds);
    assert_eq!(bounds.lanes[0], 1);
    assert!(bounds.at_most < 1e-5 && !(0.0 < bounds.at_least[0][0]));
    // Nothing is near nothing.
    let none = TriBlock8::new(&[]);
    none.distances(&two, &WidePose::IDENTITY, f64::INFINITY, &mut bounds);
    assert_eq!((bounds.lanes, none.may_meet(&two, &WidePose::IDENTITY)), ([0; 8], [0; 8]));
}
