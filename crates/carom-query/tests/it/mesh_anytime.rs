//! Pairs of meshes within a budget, against the ordinary queries and every pair of triangles.

use carom_geom::TriMesh;
use carom_geom::tri_distance::closest_points;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{
    AnytimeGoal, AnytimeMeshAnswer, AnytimeMeshError, AnytimeMeshes, AnytimeOrder, AnytimeSettings,
    Certainty, Ended, MeshPair, MeshShape, Shape, Until, distance, intersects, triangle_pairs,
};
use carom_scenes::mesh::{MeshData, icosphere, torus_knot};
use carom_scenes::{Clock, ClockSettings};
use carom_testkit::random::Random;
use std::sync::Arc;

const ORDERS: [AnytimeOrder; 3] =
    [AnytimeOrder::BreadthFirst, AnytimeOrder::DepthFirst, AnytimeOrder::Priority];

fn shape(data: &MeshData, scale: f32) -> Arc<MeshShape> {
    let vertices = data.vertices_f32().iter().map(|v| *v * scale).collect();
    Arc::new(MeshShape::new(TriMesh::new(vertices, data.triangles.clone()).unwrap()).unwrap())
}

/// A flat square, for faces that are flush.
fn square(scale: f32) -> Arc<MeshShape> {
    let corner = |i: usize| Vec3::new((i % 5) as f32 - 2.0, (i / 5) as f32 - 2.0, 0.0) * scale;
    let at = |i: usize, j: usize| (5 * i + j) as u32;
    let cells = (0..16).flat_map(|c| {
        let (i, j) = (c / 4, c % 4);
        [[at(i, j), at(i, j + 1), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i + 1, j)]]
    });
    Arc::new(MeshShape::new(TriMesh::new((0..25).map(corner).collect(), cells.collect()).unwrap()).unwrap())
}

/// Balls, a knot, a plate and one triangle, of one size or of very different ones; and pairs of
/// them in ugly places.
fn scene(seed: u64, scale: f32) -> (Vec<Arc<MeshShape>>, Vec<MeshPair>) {
    let mut random = Random::new(seed);
    let triangle = MeshData {
        vertices: vec![glam::DVec3::ZERO, glam::DVec3::X, glam::DVec3::Y],
        triangles: vec![[0, 1, 2]],
    };
    let meshes = vec![
        shape(&icosphere(80), scale),
        shape(&torus_knot(&carom_scenes::mesh::Knot::default(), 200), scale),
        square(scale),
        shape(&triangle, scale),
        // As large as another is small.
        shape(&icosphere(80), if scale == 1.0 { 1e-15 } else { scale * 2.0 }),
    ];
    let mut pairs = Vec::new();
    for i in 0..40 {
        let (a, b) = (random.below(5) as u32, random.below(5) as u32);
        let turn = Quat::from_xyzw(random.unit() as f32, random.unit() as f32, -random.unit() as f32, 0.5)
            .normalize();
        let turn = if i % 5 == 4 { Quat::IDENTITY } else { turn };
        let far = [0.0, 0.8, 1.5, 2.0, 3.0, 1e4][i % 6] * scale;
        let pose_a = Pose::new(Quat::IDENTITY, Vec3::splat(if i % 4 == 0 { 0.0 } else { scale }));
        let pose_b = Pose::new(turn, pose_a.translation + random.cube_point().as_vec3() * far);
        pairs.push(MeshPair::new(a, pose_a, b, pose_b));
    }
    pairs.push(MeshPair::new(0, Pose::IDENTITY, 0, Pose::IDENTITY));
    // Flush, side by side, and parallel.
    for position in [Vec3::X, Vec3::new(4.0, 0.0, 0.0), Vec3::new(0.5, 0.5, 0.001)] {
        pairs.push(MeshPair::new(2, Pose::IDENTITY, 2, Pose::from_translation(position * scale)));
    }
    (meshes, pairs)
}

fn placed(meshes: &[Arc<MeshShape>], pair: &MeshPair) -> [(Shape, Pose); 2] {
    let of = |mesh: u32, pose| (Shape::Mesh(meshes[mesh as usize].clone()), pose);
    [of(pair.mesh_a, pair.pose_a), of(pair.mesh_b, pair.pose_b)]
}

/// The distance in `f64`, triangle by triangle.
fn truth(meshes: &[Arc<MeshShape>], pair: &MeshPair) -> f64 {
    let b_in_a = pair.pose_b.wide_relative_to(&pair.pose_a);
    let is_same = pair.pose_a == pair.pose_b;
    let mut least = f64::INFINITY;
    if !b_in_a.translation.is_finite() {
        return least;
    }
    for t in meshes[pair.mesh_b as usize].mesh().iter_corners() {
        let t = if is_same { t } else { t.map(|p| b_in_a.transform_point(p)) };
        for s in meshes[pair.mesh_a as usize].mesh().iter_corners() {
            least = least.min(closest_points(&s, &t).distance);
        }
    }
    least
}

#[test]
fn bounds_hold_and_end_in_the_distance() {
    for (seed, scale) in [(1, 1.0), (2, 1e-30), (3, 1e20)] {
        let (meshes, pairs) = scene(seed, scale);
        let truths: Vec<f64> = pairs.iter().map(|pair| truth(&meshes, pair)).collect();
        for order in ORDERS {
            let mut search = AnytimeMeshes::default();
            search.start(pairs.len(), &AnytimeSettings::distance().with_order(order));
            let (mut before, mut now): (Vec<AnytimeMeshAnswer>, Vec<AnytimeMeshAnswer>) =
                (Vec::new(), Vec::new());
            for stop in 0_u64.. {
                let run = search.run(&meshes, &pairs, Until::done().with_steps(20 + 8 * stop)).unwrap();
                search.answers(&mut now);
                for (i, (answer, truth)) in now.iter().zip(&truths).enumerate() {
                    let what = || format!("{order:?}, scale {scale}, pair {i}: {answer:?}, truth {truth}");
                    assert!(f64::from(answer.bounds.min) <= truth * (1.0 + 1e-12), "{}", what());
                    assert!(truth * (1.0 - 1e-12) <= f64::from(answer.bounds.max), "{}", what());
                    match answer.certainty {
                        Certainty::Apart => assert!(0.0 < *truth, "{}", what()),
                        Certainty::Touching => assert!(*truth == 0.0, "{}", what()),
                        _ => assert!(0 < answer.n_undecided, "{}", what()),
                    }
                    if let Some(before) = before.get(i) {
                        assert!(before.bounds.min <= answer.bounds.min, "{}", what());
                        assert!(answer.bounds.max <= before.bounds.max, "{}", what());
                    }
                }
                core::mem::swap(&mut before, &mut now);
                if run.is_done() {
                    break;
                }
                assert_eq!(run.ended, Ended::Steps);
            }
            for (i, (answer, pair)) in before.iter().zip(&pairs).enumerate() {
                let [(a, pose_a), (b, pose_b)] = placed(&meshes, pair);
                let expected = distance(&a, &pose_a, &b, &pose_b);
                assert_eq!(*answer, search.answer(i));
                let nearest = answer.nearest.unwrap();
                assert_eq!(nearest.distance, expected.distance, "pair {i}");
                if 0.0 < expected.distance {
                    assert_eq!(nearest, expected, "pair {i}");
                }
                assert!(answer.bounds.min <= nearest.distance && nearest.distance <= answer.bounds.max);
                assert!(answer.bounds.max <= answer.bounds.min.next_up());
            }
            let n_touching = before.iter().filter(|a| a.certainty == Certainty::Touching).count();
            assert!((10..35).contains(&n_touching), "{n_touching}");
        }
    }
}

#[test]
fn touching_ends_as_the_ordinary_queries() {
    let (meshes, pairs) = scene(7, 1.0);
    for order in ORDERS {
        for goal in [AnytimeGoal::Any, AnytimeGoal::All] {
            let mut search = AnytimeMeshes::default();
            search.start(pairs.len(), &AnytimeSettings::touching().with_goal(goal).with_order(order));
            while !search.run(&meshes, &pairs, Until::done().with_steps(13)).unwrap().is_done() {}
            for (i, pair) in pairs.iter().enumerate() {
                let [(a, pose_a), (b, pose_b)] = placed(&meshes, pair);
                let is_touching = intersects(&a, &pose_a, &b, &pose_b);
                let expected = if is_touching { Certainty::Touching } else { Certainty::Apart };
                assert_eq!(search.answer(i).certainty, expected, "{order:?}, {goal:?}, pair {i}");
                let mut found: Vec<(u32, u32)> = search
                    .touching()
                    .iter()
                    .filter(|(pair, _, _)| *pair as usize == i)
                    .map(|&(_, a, b)| (a, b))
                    .collect();
                found.sort_unstable();
                let mut all = Vec::new();
                let (mesh_a, mesh_b) = (&meshes[pair.mesh_a as usize], &meshes[pair.mesh_b as usize]);
                triangle_pairs(mesh_a, &pose_a, mesh_b, &pose_b, &mut all);
                if goal == AnytimeGoal::All {
                    assert_eq!(found, all, "{order:?}, pair {i}");
                } else {
                    assert_eq!(found.len(), usize::from(is_touching));
                    assert!(found.iter().all(|pair| all.contains(pair)));
                }
            }
        }
    }
}

/// Closer than a tolerance.
#[test]
fn any_within_a_distance() {
    let (meshes, pairs) = scene(9, 1.0);
    let (mut n_near, mut n_far) = (0, 0);
    for tolerance in [0.01, 0.3] {
        let mut search = AnytimeMeshes::default();
        let settings = AnytimeSettings::touching().with_max_distance(tolerance);
        search.start(pairs.len(), &settings);
        assert!(search.run(&meshes, &pairs, Until::done()).unwrap().is_done());
        for (i, pair) in pairs.iter().enumerate() {
            let (answer, truth) = (search.answer(i), truth(&meshes, pair));
            assert_eq!(answer.nearest.is_some(), truth <= tolerance, "pair {i}: {answer:?}, {truth}");
            assert!(
                answer.nearest.is_none_or(|nearest| f64::from(nearest.distance) <= tolerance * (1.0 + 1e-6))
            );
            if truth <= tolerance { n_near += 1 } else { n_far += 1 }
        }
    }
    assert!(10 < n_near && 10 < n_far);
}

#[test]
fn a_clock_on_time() {
    let clock = Clock::new(&ClockSettings::default().with_size(3, 3).with_detail(1));
    let meshes: Vec<_> = clock.meshes.iter().map(|mesh| shape(mesh, 1.0)).collect();
    let (mut poses, mut pairs) = (Vec::new(), Vec::new());
    let (mut search, mut answers, mut contacts) = (AnytimeMeshes::default(), Vec::new(), Vec::new());
    let (mut n_touching, mut n_all) = (0, 0);
    for frame in 0..3 {
        clock.poses(frame as f64 * 1.7, &mut poses);
        pairs.clear();
        pairs.extend(clock.pairs.iter().map(|&(a, b)| {
            let (mesh_a, mesh_b) = (clock.parts[a as usize].mesh, clock.parts[b as usize].mesh);
            MeshPair::new(mesh_a, poses[a as usize], mesh_b, poses[b as usize])
        }));
        let expected: Vec<bool> = pairs
            .iter()
            .map(|pair| {
                let [(a, pose_a), (b, pose_b)] = placed(&meshes, pair);
                intersects(&a, &pose_a, &b, &pose_b)
            })
            .collect();
        search.start(pairs.len(), &AnytimeSettings::touching());
        let mut n_decided = 0;
        loop {
            let is_done = search.run(&meshes, &pairs, Until::done().with_steps(300)).unwrap().is_done();
            search.answers(&mut answers);
            search.contacts(&meshes, &pairs, &mut contacts).unwrap();
            assert_eq!((answers.len(), contacts.len()), (pairs.len(), pairs.len()));
            for ((answer, contact), expected) in answers.iter().zip(&contacts).zip(&expected) {
                match answer.certainty {
                    Certainty::Apart => assert!(!expected && contact.is_none()),
                    Certainty::Touching => assert!(*expected && contact.is_some()),
                    _ => {}
                }
                if let Some(contact) = contact {
                    assert!((contact.normal.length() - 1.0).abs() < 1e-4 && contact.point.is_finite());
                    assert!(0.0 <= contact.depth && 0.0 < contact.size);
                }
            }
            let decided = answers.iter().filter(|a| a.certainty != Certainty::Unknown).count();
            assert!(n_decided <= decided, "what is certain stays certain");
            n_decided = decided;
            if is_done {
                break;
            }
        }
        assert_eq!(n_decided, pairs.len());
        n_touching += expected.iter().filter(|e| **e).count();
        n_all += expected.len();
    }
    // A mix.
    assert!(n_all < 20 * n_touching && 10 * n_touching < 9 * n_all, "{n_touching} of {n_all} touch");
}

#[test]
fn what_is_urgent_comes_first() {
    let (meshes, mut pairs) = scene(11, 1.0);
    for pair in &mut pairs {
        (pair.mesh_a, pair.mesh_b) = (0, 1);
        pair.pose_b = pair.pose_a;
    }
    // The last pair is the one to look at.
    let last = pairs.len() - 1;
    let mut search = AnytimeMeshes::default();
    search.start(
        pairs.len(),
        &AnytimeSettings::touching().with_goal(AnytimeGoal::All).with_order(AnytimeOrder::Priority),
    );
    let until = Until::done().with_steps(pairs.len() as u64 + 60);
    search.run_by(&meshes, &pairs, until, |undecided| f64::from(undecided.pair)).unwrap();
    let steps = |pair: usize| search.answer(pair).counters.nodes;
    assert!(0 < steps(last) && (0..last).all(|pair| steps(pair) == 0));
}

#[test]
fn mistakes_are_named() {
    let (meshes, pairs) = scene(12, 1.0);
    let mut search = AnytimeMeshes::default();
    search.start(pairs.len(), &AnytimeSettings::distance());
    search.run(&meshes, &pairs, Until::done().with_steps(200)).unwrap();
    let known = search.answer(3);
    let fewer = search.run(&meshes, &pairs[1..], Until::done());
    assert_eq!(fewer, Err(AnytimeMeshError::WrongCount { expected: pairs.len(), given: pairs.len() - 1 }));
    let first = pairs.iter().position(|pair| pair.mesh_a.max(pair.mesh_b) == 4).unwrap();
    let none = search.run(&meshes[..4], &pairs, Until::done());
    assert_eq!(none, Err(AnytimeMeshError::NoMesh { pair: first }));
    assert!(none.unwrap_err().to_string().contains("mesh"));
    let mut others = meshes.clone();
    others.rotate_left(1);
    let other = search.run(&others, &pairs, Until::done());
    assert!(matches!(other, Err(AnytimeMeshError::OtherMeshes { .. })), "{other:?}");
    let mut lost = pairs.clone();
    lost[7].pose_b.translation.y = f32::NAN;
    let not_finite = search.run(&meshes, &lost, Until::done());
    assert_eq!(not_finite, Err(AnytimeMeshError::NotFinite { pair: 7 }));
    assert_eq!(search.answer(3), known);
    assert!(search.run(&meshes, &pairs, Until::done()).unwrap().is_done());
    let (mut whole, mut answers, mut expected) = (AnytimeMeshes::default(), Vec::new(), Vec::new());
    whole.start(pairs.len(), &AnytimeSettings::distance());
    whole.run(&meshes, &pairs, Until::done()).unwrap();
    whole.answers(&mut expected);
    search.answers(&mut answers);
    // Not a number is not equal to itself, and there is none in an answer.
    assert_eq!(answers, expected);
}

#[test]
fn a_warm_search_does_not_allocate() {
    let (meshes, mut pairs) = scene(13, 1.0);
    // Meshes of very different size need trees of their own.
    pairs.retain(|pair| pair.mesh_a != 4 && pair.mesh_b != 4);
    let (mut search, mut answers, mut contacts) = (AnytimeMeshes::default(), Vec::new(), Vec::new());
    for settings in [AnytimeSettings::distance(), AnytimeSettings::touching().with_goal(AnytimeGoal::All)] {
        for order in ORDERS {
            let mut frame = || {
                search.start(pairs.len(), &settings.with_order(order));
                while !search.run(&meshes, &pairs, Until::done().with_steps(500)).unwrap().is_done() {
                    search.answers(&mut answers);
                    search.contacts(&meshes, &pairs, &mut contacts).unwrap();
                }
            };
            frame();
            assert_eq!(allocation_counter::measure(frame).count_total, 0, "{settings:?}");
        }
    }
}
