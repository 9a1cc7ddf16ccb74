//! Points, balls, frustums, the k nearest, tolerances, iterators and batches against brute force
//! over ugly sets. Warm queries do not allocate.

use carom_bounds::{Aabb, BoundingVolume as _, ClipDepth, Culling, Frustum, LastPlane, Rss, Sphere};
use carom_bvh::{BuildSettings, Bvh, FrustumSearch, PairSearch, TreeVolume};
use carom_math::WidePose;
use carom_testkit::conform::bvh::corpus;
use carom_testkit::conform::dice::Dice;
use core::ops::ControlFlow;
use glam::{DQuat, DVec3, Mat4, Quat, Vec3, Vec4};
use std::collections::BTreeSet;

fn size_of(boxes: &[Aabb]) -> f64 {
    let all = boxes.iter().fold(Aabb::EMPTY, |all, b| all.merged(b));
    if boxes.is_empty() { 1.0 } else { all.extents().as_dvec3().max_element().max(1e-37) }
}

/// Points in the set, on its boxes, and about it.
fn points(boxes: &[Aabb], dice: &mut Dice) -> Vec<DVec3> {
    let all = boxes.iter().fold(Aabb::EMPTY, |all, b| all.merged(b));
    let middle = if boxes.is_empty() { DVec3::ZERO } else { all.center().as_dvec3() };
    let size = size_of(boxes);
    let mut points: Vec<DVec3> = (0..12).map(|_| middle + dice.point(0.7).as_dvec3() * size).collect();
    points
        .extend(boxes.iter().step_by(1 + boxes.len() / 8).flat_map(|b| [b.min.as_dvec3(), b.max.as_dvec3()]));
    points
}

/// The frustum of a camera that looks at a target. `focal` is its focal length over half the
/// picture's size.
fn camera(eye: Vec3, target: Vec3, focal: f32, near: f32, far: f32) -> Frustum {
    let turn = Quat::from_rotation_arc(Vec3::Z, (eye - target).normalize_or(Vec3::Z));
    let view = Mat4::from_rotation_translation(turn, eye).inverse();
    let depth = far / (near - far);
    let projection = Mat4::from_cols(
        Vec4::X * focal,
        Vec4::Y * focal,
        Vec4::new(0.0, 0.0, depth, -1.0),
        Vec4::new(0.0, 0.0, near * depth, 0.0),
    );
    Frustum::from_view_projection(&(projection * view), ClipDepth::ZeroToOne).unwrap()
}

fn away(b: &Aabb, p: DVec3) -> f64 {
    (b.min.as_dvec3() - p).max(p - b.max.as_dvec3()).max(DVec3::ZERO).length()
}

/// Checks that all primitives of `must` were found, each once. Returns their number.
fn holds(what: &str, visited: &[u32], must: &[u32]) -> usize {
    let set: BTreeSet<u32> = visited.iter().copied().collect();
    assert_eq!(set.len(), visited.len(), "{what}: twice");
    for primitive in must {
        assert!(set.contains(primitive), "{what}: {primitive} missed");
    }
    must.len()
}

fn numbers(boxes: &[Aabb], is: impl Fn(&Aabb) -> bool) -> Vec<u32> {
    (0..boxes.len() as u32).filter(|&i| is(&boxes[i as usize])).collect()
}

fn check<V: TreeVolume>() {
    let mut dice = Dice::new(71);
    let mut met = [0; 4];
    let (mut frustum_search, mut found) = (FrustumSearch::default(), Vec::new());
    for (name, boxes) in corpus() {
        let tree = Bvh::<V>::build(&boxes, &BuildSettings::default()).unwrap();
        let size = size_of(&boxes);
        for (i, point) in points(&boxes, &mut dice).into_iter().enumerate() {
            let what = format!("{name}, point {i}");
            let mut visited = Vec::new();
            tree.visit_point(point, |leaf| {
                visited.extend_from_slice(leaf.primitives);
                ControlFlow::Continue(())
            });
            met[0] += holds(&what, &visited, &numbers(&boxes, |b| away(b, point) == 0.0));
            let radius = size * [0.0, 0.01, 0.2, 2.0][i % 4];
            visited.clear();
            tree.visit_sphere(point, radius, |leaf| {
                visited.extend_from_slice(leaf.primitives);
                ControlFlow::Continue(())
            });
            met[1] += holds(&what, &visited, &numbers(&boxes, |b| away(b, point) <= radius));
            // The k nearest, exactly, ties by number.
            let mut expected: Vec<(u32, f64)> =
                (0..boxes.len() as u32).map(|p| (p, away(&boxes[p as usize], point))).collect();
            expected.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            let k = [1, 3, 10, 1000][i % 4];
            let most = if i % 3 == 0 { radius } else { f64::INFINITY };
            expected.retain(|&(_, d)| d <= most);
            expected.truncate(k);
            tree.k_nearest(point, k, most, &mut found, |p, _| Some(away(&boxes[p as usize], point)));
            assert_eq!(found, expected, "{what}: the {k} nearest");
        }
        if size < 1e-20 || 1e20 < size {
            continue;
        }
        // Views from around the set, wide and narrow, at its middle.
        let all = boxes.iter().fold(Aabb::EMPTY, |all, b| all.merged(b));
        let middle = if boxes.is_empty() { Vec3::ZERO } else { all.center() };
        for i in 0..12 {
            let eye = middle + dice.point(1.0).normalize_or(Vec3::X) * size as f32 * [0.2, 1.0][i % 2];
            let depth = size as f32 * [0.01, 3.0][i / 2 % 2];
            let target = middle + dice.point(0.1) * size as f32;
            let frustum = camera(eye, target, [3.0, 0.7][i / 4 % 2], depth * 0.001, depth);
            let stands = |b: &Aabb| frustum.classify(b, &mut LastPlane::default());
            let must = numbers(&boxes, |b| stands(b) != Culling::Outside);
            for again in [false, true] {
                let (mut visited, mut inside) = (Vec::new(), 0);
                frustum_search.visit(&tree, &frustum, |leaf, is_inside| {
                    visited.extend_from_slice(leaf.primitives);
                    for &p in leaf.primitives {
                        inside += usize::from(is_inside);
                        assert!(!is_inside || stands(&boxes[p as usize]) == Culling::Inside, "{name}");
                    }
                    ControlFlow::Continue(())
                });
                met[2] += holds(&format!("{name}, view {i}, again {again}"), &visited, &must);
                met[3] += inside;
            }
        }
    }
    assert!(met.iter().all(|&n| 500 < n), "hardly anything met: {met:?}");
}

#[test]
fn points_balls_views_and_the_nearest() {
    check::<Aabb>();
    check::<Sphere>();
    check::<Rss>();
}

#[test]
fn an_iterator_and_a_batch_give_what_a_visit_gives() {
    let mut dice = Dice::new(72);
    let (mut starts, mut found) = (Vec::new(), Vec::new());
    for (name, boxes) in corpus() {
        let tree = Bvh::<Aabb>::build(&boxes, &BuildSettings::default().with_max_leaf(2)).unwrap();
        let size = size_of(&boxes) as f32;
        let mut probes = vec![Aabb { min: Vec3::NAN, max: Vec3::NAN }, Aabb::EMPTY];
        probes.extend(points(&boxes, &mut dice).iter().enumerate().map(|(i, p)| {
            let low = p.as_vec3();
            Aabb { min: low, max: low + size * [0.0, 0.1, 1.0][i % 3] }
        }));
        tree.in_boxes(&probes, &mut starts, &mut found);
        assert_eq!((starts.len(), starts[0]), (probes.len() + 1, 0));
        for (i, probe) in probes.iter().enumerate() {
            let mut visited = Vec::new();
            tree.visit_box(probe, |leaf| {
                visited.extend_from_slice(leaf.primitives);
                ControlFlow::Continue(())
            });
            assert_eq!(visited, found[starts[i]..starts[i + 1]], "{name}");
            let mut by_iterator: Vec<u32> =
                tree.in_box(probe).flat_map(|leaf| leaf.primitives.iter().copied()).collect();
            by_iterator.sort_unstable();
            visited.sort_unstable();
            assert_eq!(by_iterator, visited, "{name}");
            let mut iterator = tree.in_box(probe);
            let n = iterator.by_ref().count();
            assert_eq!((iterator.next().is_none(), n == 0), (true, visited.is_empty()), "{name}");
        }
    }
}

#[test]
fn all_pairs_closer_than_a_tolerance_are_reported() {
    let mut dice = Dice::new(73);
    let mut search = PairSearch::default();
    let mut closer = 0;
    for (name, mut boxes) in corpus() {
        boxes.truncate(60);
        let size = size_of(&boxes);
        // Points stand for the primitives, so that distances are easy to compute.
        let at: Vec<DVec3> = boxes.iter().map(|b| b.center().as_dvec3()).collect();
        let tree = Bvh::<Aabb>::build(&boxes, &BuildSettings::default()).unwrap();
        for share in [0.0, 0.03, 0.3, 3.0] {
            let turn = DQuat::from_xyzw(0.1, 0.4, -0.2, 0.9).normalize();
            let pose = WidePose::from_quat(turn, dice.point(0.5).as_dvec3() * size);
            let mut visited = BTreeSet::new();
            let visit = search.visit_closer_pairs(&tree, &tree, &pose, share * size, |a, b| {
                assert!(visited.insert((a, b)), "{name}: pair {a} {b} twice");
                ControlFlow::Continue(())
            });
            assert!(!visit.stopped && visit.counters.primitives == visited.len() as u64);
            for (i, a) in at.iter().enumerate() {
                for (j, b) in at.iter().enumerate() {
                    if (*a - pose.transform_point(*b)).length() <= share * size * (1.0 - 1e-9) {
                        assert!(visited.contains(&(i as u32, j as u32)), "{name}: pair {i} {j} missed");
                        closer += 1;
                    }
                }
            }
            let stopped =
                search.visit_closer_pairs(&tree, &tree, &pose, share * size, |_, _| ControlFlow::Break(()));
            assert_eq!(stopped.stopped, !visited.is_empty(), "{name}");
        }
    }
    assert!(5000 < closer, "{closer} pairs");
}

#[test]
fn what_is_no_number_finds_nothing() {
    let boxes = [Aabb { min: Vec3::ZERO, max: Vec3::ONE }];
    let tree = Bvh::<Aabb>::build(&boxes, &BuildSettings::default()).unwrap();
    let found =
        |point: DVec3, radius: f64| tree.visit_sphere(point, radius, |_| ControlFlow::Break(())).stopped;
    assert!(found(DVec3::splat(0.5), 0.0) && found(DVec3::splat(1e9), f64::INFINITY));
    assert!(!found(DVec3::NAN, 1.0) && !found(DVec3::ZERO, f64::NAN) && !found(DVec3::ZERO, -1.0));
    let mut nearest = vec![(7, 7.0)];
    tree.k_nearest(DVec3::ZERO, 0, 1.0, &mut nearest, |_, _| Some(0.0));
    assert!(nearest.is_empty());
    tree.k_nearest(DVec3::ZERO, 2, 1.0, &mut nearest, |_, _| Some(f64::NAN));
    assert!(nearest.is_empty());
}

#[test]
fn warm_queries_allocate_no_memory() {
    let mut dice = Dice::new(74);
    let boxes: Vec<Aabb> = (0..3000).map(|_| dice.aabb(5.0, 0.5)).collect();
    let tree = Bvh::<Aabb>::build(&boxes, &BuildSettings::default()).unwrap();
    let frustum = camera(Vec3::splat(8.0), Vec3::ZERO, 1.5, 0.1, 20.0);
    let pose = WidePose { translation: DVec3::new(11.0, 0.0, 0.0), ..WidePose::IDENTITY };
    let (mut views, mut search) = (FrustumSearch::default(), PairSearch::default());
    let (mut nearest, mut starts, mut found) = (Vec::new(), Vec::new(), Vec::new());
    let mut total = 0_u64;
    let mut run_queries = || {
        let go_on = ControlFlow::Continue(());
        total += tree.visit_point(DVec3::ONE, |_| go_on).counters.leaves;
        total += tree.visit_sphere(DVec3::ONE, 2.0, |_| go_on).counters.leaves;
        total += views.visit(&tree, &frustum, |_, _| go_on).counters.leaves;
        total += search.visit_closer_pairs(&tree, &tree, &pose, 0.5, |_, _| go_on).counters.leaves;
        let near = |p: u32, _: f64| Some(away(&boxes[p as usize], DVec3::ONE));
        total += tree.k_nearest(DVec3::ONE, 20, f64::INFINITY, &mut nearest, near).leaves;
        tree.in_boxes(&boxes[..50], &mut starts, &mut found);
        total += tree.in_box(&boxes[0]).count() as u64;
    };
    run_queries();
    let counted = allocation_counter::measure(&mut run_queries);
    assert_eq!(counted.count_total, 0);
    assert!(100 < total && found.len() >= 50);
}
