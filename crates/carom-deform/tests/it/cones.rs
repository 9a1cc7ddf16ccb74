//! Normal cones with a contour test: they save tests, and change no answer.

use crate::scenes::{grid, ramp, scenes, waves};
use carom_deform::{Cones, DeformCounters, DeformableMesh, FeaturePair, FeatureSearch};
use carom_testkit::random::Random;
use glam::{DVec3, Vec3};

fn crossings(mesh: &mut DeformableMesh, cones: Cones) -> (Vec<FeaturePair>, DeformCounters) {
    let mut search = FeatureSearch::default().with_cones(cones);
    let found = search.crossings(mesh).finish();
    (found.pairs.to_vec(), found.counters)
}

/// Checks that the answers with cones are those without. Returns the number of pairs, and how many
/// leaf pairs were left out.
fn check(mesh: &mut DeformableMesh, what: &str) -> [u64; 2] {
    let (expected, without) = crossings(mesh, Cones::Never);
    assert_eq!((without.skipped_by_cones, without.cone_tests), (0, 0));
    let (found, with) = crossings(mesh, Cones::Always);
    assert_eq!(found, expected, "{what}");
    assert_eq!(with.leaf_pairs, without.leaf_pairs);
    assert_eq!(crossings(mesh, Cones::Auto).0, expected, "{what}");
    [expected.len() as u64, with.skipped_by_cones]
}

/// Spiral ramps along each axis. Each turn is above the last one or goes through it.
fn ramps(random: &mut Random) -> Vec<DeformableMesh> {
    let mut all = Vec::new();
    for (n, rise, swing) in [(60, 0.25, 0.0), (200, 0.0, 0.0), (300, 0.01, 0.2), (300, 0.001, 0.01)] {
        for axis in 0..3 {
            let (positions, triangles) = ramp(n, rise);
            let turned: Vec<Vec3> = positions
                .iter()
                .zip(0..)
                .map(|(p, i)| {
                    let p = *p + Vec3::Y * swing * (0.05 * f64::from(i / 2)).sin() as f32;
                    let p = p + (random.cube_point() * f64::from(swing) * 0.01).as_vec3();
                    Vec3::new(p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3])
                })
                .collect();
            all.push(DeformableMesh::from_triangles(&turned, triangles).unwrap());
        }
    }
    all
}

/// A fan of triangles around one vertex, closed after `turns` turns, with different heights.
fn fan(random: &mut Random, n: u32, turns: f64, flat: f64) -> DeformableMesh {
    let mut positions = vec![Vec3::ZERO];
    for i in 0..n {
        let turn = f64::from(i) / f64::from(n) * turns * std::f64::consts::TAU;
        positions.push(DVec3::new(turn.cos(), flat * random.unit(), turn.sin()).as_vec3());
    }
    // Each second ring vertex has a triangle of its own beyond, so that not all share the middle.
    let mut triangles: Vec<[u32; 3]> = (0..n).map(|i| [0, 1 + i, 1 + (i + 1) % n]).collect();
    for i in (0..n).step_by(2) {
        let (a, b) = (1 + i, 1 + (i + 1) % n);
        positions.push(1.8 * (positions[a as usize] + positions[b as usize]) / 2.0);
        triangles.push([a, positions.len() as u32 - 1, b]);
    }
    DeformableMesh::from_triangles(&positions, triangles).unwrap()
}

#[test]
fn cones_change_no_answer() {
    let mut random = Random::new(17);
    let mut meshes: Vec<DeformableMesh> = scenes().into_iter().map(|scene| scene.mesh).collect();
    meshes.extend(ramps(&mut random));
    for (n, turns) in [(8, 1.0), (16, 2.0), (24, 3.0), (9, 1.5), (12, -2.0)] {
        meshes.extend([0.0, 0.1, 2.0].map(|flat| fan(&mut random, n, turns, flat)));
    }
    let n = 24;
    for amplitude in [0.0, 0.05, 0.3, 1.0, 4.0] {
        meshes.push(DeformableMesh::from_triangles(&waves(n, amplitude, 0.0), grid(n)).unwrap());
    }
    for angle in [0.5_f64, 1.5, 2.0, 3.0, std::f64::consts::PI, 3.3] {
        // A sheet that is folded along its middle, until the halves touch and pass each other.
        let folded: Vec<Vec3> = waves(n, 0.02, 0.0)
            .iter()
            .map(|p| {
                let x = p.x.max(2.0) - 2.0;
                let (sine, cosine) = angle.sin_cos();
                Vec3::new(p.x.min(2.0) + x * cosine as f32, p.y + x * sine as f32, p.z)
            })
            .collect();
        meshes.push(DeformableMesh::from_triangles(&folded, grid(n)).unwrap());
    }
    // A flat strip in a ring that closes, touches its beginning, or passes over it in the same
    // plane.
    for turn in [0.9, 1.0, 1.1] {
        let (flat, triangles) = ramp(60, 0.0);
        let bent: Vec<Vec3> = (0..)
            .zip(&flat)
            .map(|(i, p)| {
                let along = turn * std::f64::consts::TAU * f64::from(i / 2) / 59.0;
                (DVec3::new(along.cos(), 0.0, along.sin()) * f64::from(p.length().round())).as_vec3()
            })
            .collect();
        meshes.push(DeformableMesh::from_triangles(&bent, triangles).unwrap());
    }
    let (mut n_crossings, mut n_saved, mut n_mixed) = (0, 0, 0);
    for (i, mesh) in meshes.iter_mut().enumerate() {
        let [crossings, saved] = check(mesh, &format!("mesh {i}"));
        (n_crossings, n_saved) = (n_crossings + crossings, n_saved + saved);
        n_mixed += u32::from(0 < crossings && 0 < saved);
    }
    assert!(1000 < n_crossings && 1000 < n_saved && 5 < n_mixed, "{n_crossings} {n_saved} {n_mixed}");
}

/// Random motion, and tears whose sides still have the same position.
#[test]
fn cones_change_no_answer_of_sheets_that_move_and_tear() {
    let mut random = Random::new(23);
    let (mut n_crossings, mut n_saved) = (0, 0);
    let n_rounds = if std::env::var_os("CAROM_SLOW").is_some() { 3000 } else { 60 };
    for round in 0..n_rounds {
        let n = 8 + random.below(8);
        let mut mesh = DeformableMesh::from_triangles(&waves(n, 0.1, 0.0), grid(n)).unwrap();
        let torn: Vec<[u32; 2]> =
            (0..random.below(12)).map(|_| mesh.edges()[random.below(mesh.edges().len())]).collect();
        mesh.tear(&torn).unwrap();
        let gone: Vec<u32> = (0..random.below(4)).map(|_| random.below(mesh.faces().len()) as u32).collect();
        mesh.remove_faces(&gone).unwrap();
        for step in 0..4 {
            let [crossings, saved] = check(&mut mesh, &format!("round {round}, step {step}"));
            (n_crossings, n_saved) = (n_crossings + crossings, n_saved + saved);
            let size = [0.0, 0.02, 0.2][random.below(3)];
            let flat = [DVec3::ONE, DVec3::new(1.0, 0.0, 1.0)][random.below(2)];
            let next: Vec<Vec3> =
                mesh.positions().iter().map(|p| *p + (random.cube_point() * flat * size).as_vec3()).collect();
            mesh.set_positions(&next).unwrap();
        }
    }
    assert!(1000 < n_crossings && 1000 < n_saved, "{n_crossings} {n_saved}");
}

/// All normals of the ramp point upwards, and its turns go through each other.
#[test]
fn a_cone_without_its_contour_would_be_wrong() {
    let (positions, triangles) = ramp(600, 0.01);
    let swung: Vec<Vec3> = (0..)
        .zip(&positions)
        .map(|(i, p)| *p + Vec3::Y * (0.2 * (0.05 * f64::from(i / 2)).sin()) as f32)
        .collect();
    let mut mesh = DeformableMesh::from_triangles(&swung, triangles.clone()).unwrap();
    let turns = triangles.iter().map(|t| {
        let [a, b, c] = t.map(|v| swung[v as usize]);
        (b - a).cross(c - a).y
    });
    assert!(turns.clone().all(|y| y < 0.0) || turns.clone().all(|y| 0.0 < y));
    let (found, counters) = crossings(&mut mesh, Cones::Always);
    assert!(20 < found.len() && found == crossings(&mut mesh, Cones::Never).0);
    // Parts of a turn are free.
    assert!(0 < counters.skipped_by_cones && counters.skipped_by_cones < counters.leaf_pairs);
}

/// A few tests per triangle prove that all of a smooth sheet is free. `Auto` stops testing a
/// crumpled one.
#[test]
fn smooth_sheets_are_free_at_once_and_crumpled_ones_are_left_alone() {
    let n = 60;
    let mut smooth = DeformableMesh::from_triangles(&waves(n, 0.05, 0.0), grid(n)).unwrap();
    let (_, counters) = crossings(&mut smooth, Cones::Always);
    assert_eq!((counters.skipped_by_cones, counters.exact_tests), (counters.leaf_pairs, 0));
    let without = crossings(&mut smooth, Cones::Never).1;
    assert!(counters.cone_tests < without.box_tests, "{counters:?} {without:?}");
    assert!(1000 < without.exact_tests);

    let mut search = FeatureSearch::default().with_cones(Cones::Auto);
    let mut random = Random::new(2);
    let crumpled: Vec<Vec3> = (0..400).map(|_| (random.cube_point() * 4.0).as_vec3()).collect();
    let mut crumpled = DeformableMesh::from_triangles(&crumpled, grid(20)).unwrap();
    let tested: Vec<bool> =
        (0..40).map(|_| 0 < search.crossings(&mut crumpled).finish().counters.cone_tests).collect();
    assert!(tested[0] && tested.iter().filter(|is| **is).count() < 8, "{tested:?}");
    // `Auto` tests again later, and goes on because the tests pay.
    let paid: Vec<bool> =
        (0..100).map(|_| 0 < search.crossings(&mut smooth).finish().counters.skipped_by_cones).collect();
    assert!(paid[64..].iter().all(|paid| *paid), "{paid:?}");
}

/// Tests of cones allocate nothing when they are warm.
#[test]
fn warm_cones_do_not_allocate() {
    let n = 20;
    let mut mesh = DeformableMesh::from_triangles(&waves(n, 1.0, 0.0), grid(n)).unwrap();
    let mut search = FeatureSearch::default().with_cones(Cones::Always);
    let mut run = || {
        let counters = search.crossings(&mut mesh).finish().counters;
        assert!(0 < counters.skipped_by_cones);
    };
    run();
    assert_eq!(allocation_counter::measure(run).count_total, 0);
}
