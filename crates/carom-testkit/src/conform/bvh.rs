//! The contract of every bounding volume hierarchy, against brute force.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2 (the mid phase).

use super::dice::Dice;
use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{
    BoxAxes, Bvh, BvhError, Descent, PairSettings, TreeVolume, WideNode, closest_pair, visit_leaf_pairs,
    visit_pairs, visit_pairs_with,
};
use carom_math::WidePose;
use core::ops::ControlFlow;
use glam::{DQuat, DVec3, Vec3};
use std::collections::BTreeSet;

/// Returns named sets of boxes, including degenerate ones.
pub fn corpus() -> Vec<(&'static str, Vec<Aabb>)> {
    let mut dice = Dice::new(25);
    let mut cloud = |n: usize, spread: f32, size: f32| -> Vec<Aabb> {
        (0..n)
            .map(|_| {
                let min =
                    Vec3::new(dice.range(0.0, 1.0), dice.range(0.0, 1.0), dice.range(0.0, 1.0)) * spread;
                Aabb {
                    min,
                    max: min
                        + Vec3::new(dice.range(0.0, 1.0), dice.range(0.0, 1.0), dice.range(0.0, 1.0)) * size,
                }
            })
            .collect()
    };
    let point = |x: f32, y: f32, z: f32| Aabb::from_point(Vec3::new(x, y, z));
    let mut sets = vec![
        ("nothing", vec![]),
        ("one", cloud(1, 1.0, 1.0)),
        ("two", cloud(2, 1.0, 1.0)),
        ("nine", cloud(9, 1.0, 0.2)),
        ("a cloud", cloud(300, 10.0, 0.5)),
        ("large boxes", cloud(120, 1.0, 5.0)),
        ("points", cloud(300, 1.0, 0.0)),
        ("all the same", vec![Aabb { min: Vec3::ZERO, max: Vec3::ONE }; 100]),
        ("all the same point", vec![point(3.0, 3.0, 3.0); 100]),
        (
            "one centre",
            (0..100).map(|i| Aabb { min: Vec3::splat(-(i as f32)), max: Vec3::splat(i as f32) }).collect(),
        ),
        ("on a line", (0..200).map(|i| point(i as f32, 0.0, 0.0)).collect()),
        ("in a plane", (0..200).map(|i| point((i % 14) as f32, 0.0, (i / 14) as f32)).collect()),
        (
            "doubling distances",
            (0..120).map(|i| point(f32::from_bits((67 + i as u32) << 23), 0.0, 1.0)).collect(),
        ),
        (
            "needles",
            (0..200)
                .map(|i| Aabb {
                    min: Vec3::new(0.0, i as f32 * 0.01, 0.0),
                    max: Vec3::new(100.0, i as f32 * 0.01, 1e-6),
                })
                .collect(),
        ),
    ];
    let scaled = |s: f32, set: &[Aabb]| -> Vec<Aabb> {
        set.iter().map(|b| Aabb { min: b.min * s, max: b.max * s }).collect()
    };
    let cloud = sets[4].1.clone();
    sets.push(("huge", scaled(1.2e29, &cloud)));
    sets.push(("tiny", scaled(1e-30, &cloud)));
    let mut far = cloud.clone();
    for b in &mut far {
        *b = Aabb { min: b.min + 4096.0, max: b.max + 4096.0 };
    }
    sets.push(("far from the origin", far));
    let mut outlier = cloud;
    outlier.push(point(1e9, -1e9, 1e9));
    sets.push(("an outlier", outlier));
    sets
}

/// Runs the whole suite on a builder. Panics at the first difference from brute force.
pub fn bvh<V: TreeVolume>(build: impl Fn(&[Aabb]) -> Result<Bvh<V>, BvhError>) {
    suite(build, closest);
}

/// Runs the same suite for another kind of nodes, without the distances of two trees.
pub fn bvh_of_nodes<V: TreeVolume, N: WideNode<V::Volumes8>>(
    build: impl Fn(&[Aabb]) -> Result<Bvh<V, N>, BvhError>,
) {
    suite(build, |_, _, _| ());
}

fn suite<V: TreeVolume, N: WideNode<V::Volumes8>>(
    build: impl Fn(&[Aabb]) -> Result<Bvh<V, N>, BvhError>,
    closest: impl Fn(&str, &Bvh<V, N>, &[Aabb]),
) {
    refuses(&build);
    for (name, boxes) in corpus() {
        let tree = build(&boxes).unwrap_or_else(|e| panic!("{name}: {e}"));
        structure(name, &tree, &boxes);
        box_visits(name, &tree, &boxes);
        ray_visits(name, &tree, &boxes);
        near_visits(name, &tree, &boxes);
        self_visits(name, &tree, &boxes);
        // Tests all pairs in many poses, so only a part of the boxes is used.
        let few = &boxes[boxes.len() - boxes.len().min(100)..];
        let tree = build(few).unwrap_or_else(|e| panic!("{name}: {e}"));
        pair_visits(name, &tree, few);
        closest(name, &tree, few);
    }
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 1_000_000 } else { 3_000 };
    for (name, boxes) in many(n) {
        let tree = build(&boxes).unwrap_or_else(|e| panic!("{name}: {e}"));
        structure(name, &tree, &boxes);
    }
}

/// Returns named sets of `n` boxes, for which trees become deep or builders slow.
pub fn many(n: usize) -> Vec<(&'static str, Vec<Aabb>)> {
    let unit = Aabb { min: Vec3::splat(1.0), max: Vec3::splat(2.0) };
    let set = |make: &dyn Fn(f32) -> Aabb| (0..n).map(|i| make(i as f32)).collect::<Vec<_>>();
    let mut sliver: Vec<Aabb> = {
        let mut dice = Dice::new(11);
        (0..n).map(|_| dice.aabb(1.0, 0.01)).collect()
    };
    sliver[n / 2] = Aabb { min: Vec3::new(-1e6, 0.0, -1e6), max: Vec3::new(1e6, 1e-6, 1e6) };
    // Each gap is slightly smaller than the one before, so the nearest neighbour of each box is the
    // next one.
    let mut x = 0.0;
    let gaps = (0..n)
        .map(|i| {
            x += 2.0 - i as f32 / n as f32;
            Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 0.25, 1.0, 1.0) }
        })
        .collect();
    vec![
        ("very many the same", vec![unit; n]),
        ("boxes around boxes", set(&|i| Aabb { min: Vec3::splat(-1.0 - i), max: Vec3::splat(1.0 + i) })),
        ("one sliver through all", sliver),
        (
            "centres on a line",
            set(&|i| Aabb { min: Vec3::new(i, -1.0, -i), max: Vec3::new(i + 0.5, 1.0, i) }),
        ),
        ("ever smaller gaps", gaps),
    ]
}

fn refuses<V: TreeVolume, N>(build: &impl Fn(&[Aabb]) -> Result<Bvh<V, N>, BvhError>) {
    let good = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
    let nan = Aabb { min: Vec3::new(0.0, f32::NAN, 0.0), max: Vec3::ONE };
    let inf = Aabb { min: Vec3::ZERO, max: Vec3::new(1.0, 1.0, f32::INFINITY) };
    let inverted = Aabb { min: Vec3::ONE, max: Vec3::new(2.0, 0.5, 2.0) };
    let large = Aabb { min: Vec3::ZERO, max: Vec3::splat(1e31) };
    assert_eq!(build(&[good, nan, nan]).err(), Some(BvhError::NotFinite { primitive: 1 }));
    assert_eq!(build(&[good, good, inf]).err(), Some(BvhError::NotFinite { primitive: 2 }));
    assert_eq!(build(&[inverted, nan]).err(), Some(BvhError::Inverted { primitive: 0 }));
    assert_eq!(build(&[good, large]).err(), Some(BvhError::TooLarge { primitive: 1 }));
    assert_eq!(build(&[Aabb::EMPTY]).err(), Some(BvhError::NotFinite { primitive: 0 }));
}

fn structure<V: TreeVolume, N: WideNode<V::Volumes8>>(name: &str, tree: &Bvh<V, N>, boxes: &[Aabb]) {
    if let Err(defect) = tree.validate(boxes) {
        panic!("{name}: {defect}");
    }
    assert_eq!(tree.is_empty(), boxes.is_empty(), "{name}");
    let quality = tree.quality();
    assert!(quality.depth <= 80, "{name}: depth {}", quality.depth);
    assert!(quality.sah_cost.is_finite(), "{name}");
    assert_eq!(tree.leaves().map(|l| l.primitives.len()).sum::<usize>(), boxes.len(), "{name}");
}

/// Returns the size of the set; 1 if it is empty.
fn size_of(boxes: &[Aabb]) -> f64 {
    let all = boxes.iter().fold(Aabb::EMPTY, |all, b| all.merged(b));
    if boxes.is_empty() {
        1.0
    } else {
        all.extents().as_dvec3().max_element().max(f64::from(f32::MIN_POSITIVE))
    }
}

/// Returns boxes in and around the set: small, large and outside ones.
fn probes(boxes: &[Aabb], dice: &mut Dice) -> Vec<Aabb> {
    let all = boxes.iter().fold(Aabb::EMPTY, |all, b| all.merged(b));
    let mut probes = vec![Aabb { min: Vec3::splat(-1.0), max: Vec3::splat(1.0) }];
    if !boxes.is_empty() {
        probes.push(all);
        let size = all.extents();
        for i in 0..12 {
            let at = all.min
                + size
                    * (Vec3::new(dice.range(0.0, 1.0), dice.range(0.0, 1.0), dice.range(0.0, 1.0)) * 1.2
                        - 0.1);
            probes.push(Aabb { min: at, max: at + size * [0.0, 0.02, 0.3][i % 3] });
        }
        probes.push(boxes[boxes.len() / 2]);
    }
    probes
}

fn box_visits<V: TreeVolume, N: WideNode<V::Volumes8>>(name: &str, tree: &Bvh<V, N>, boxes: &[Aabb]) {
    let mut dice = Dice::new(1);
    for probe in probes(boxes, &mut dice) {
        let mut visited = BTreeSet::new();
        let visit = tree.visit_box(&probe, |leaf| {
            for &p in leaf.primitives {
                assert!(visited.insert(p), "{name}: primitive {p} twice");
            }
            ControlFlow::Continue(())
        });
        assert_eq!(visit.counters.primitives, visited.len() as u64);
        for (i, b) in boxes.iter().enumerate() {
            assert!(
                !b.overlaps(&probe) || visited.contains(&(i as u32)),
                "{name}: box {i} missed by {probe:?}"
            );
        }
        let mut n = 0;
        let stopped = tree.visit_box(&probe, |_| {
            n += 1;
            ControlFlow::Break(())
        });
        assert_eq!(stopped.stopped, !visited.is_empty(), "{name}");
        assert!(n <= 1, "{name}: called after a break");
    }
    let nan = Aabb { min: Vec3::NAN, max: Vec3::NAN };
    assert_eq!(tree.visit_box(&nan, |_| ControlFlow::Continue(())).counters.leaves, 0, "{name}: NaN was met");
}

/// Returns the interval of t in which a ray is in a box, grown by `room`.
fn slab(b: &Aabb, origin: DVec3, direction: DVec3, interval: (f64, f64), room: f64) -> Option<(f64, f64)> {
    let (mut near, mut far) = interval;
    for k in 0..3 {
        let (low, high) = (f64::from(b.min[k]) - room, f64::from(b.max[k]) + room);
        if direction[k] == 0.0 {
            if !(low <= origin[k] && origin[k] <= high) {
                return None;
            }
            continue;
        }
        let (t0, t1) = ((low - origin[k]) / direction[k], (high - origin[k]) / direction[k]);
        near = near.max(t0.min(t1));
        far = far.min(t0.max(t1));
    }
    (near <= far).then_some((near, far))
}

fn ray_visits<V: TreeVolume, N: WideNode<V::Volumes8>>(name: &str, tree: &Bvh<V, N>, boxes: &[Aabb]) {
    let mut dice = Dice::new(2);
    let size = size_of(boxes);
    let all = boxes.iter().fold(Aabb::EMPTY, |all, b| all.merged(b));
    let mut hits = 0;
    for i in 0..60 {
        let random = |dice: &mut Dice| {
            DVec3::from([dice.range(0.0, 1.0), dice.range(0.0, 1.0), dice.range(0.0, 1.0)].map(f64::from))
                * 2.0
                - 1.0
        };
        let mut direction = random(&mut dice);
        let center = if boxes.is_empty() { DVec3::ZERO } else { all.center().as_dvec3() };
        let mut origin = center + random(&mut dice) * size * 1.5;
        if i % 3 == 0 && !boxes.is_empty() {
            direction = boxes[i % boxes.len()].center().as_dvec3() - origin;
        }
        if i % 5 == 0 {
            direction[i % 2] = [0.0, 1e-40, 1e-17, -1e-200][i / 5 % 4];
        }
        if i % 7 == 0 && !boxes.is_empty() {
            origin[2] = f64::from(boxes[i % boxes.len()].min.z);
            direction[2] = 0.0;
        }
        let interval =
            [(0.0, f64::INFINITY), (f64::NEG_INFINITY, f64::INFINITY), (0.1, 0.9), (-1.0, 0.0)][i % 4];
        let mut visited = BTreeSet::new();
        tree.visit_ray(origin, direction, interval.0, interval.1, |leaf, t_max| {
            for &p in leaf.primitives {
                assert!(visited.insert(p), "{name}: primitive {p} twice");
            }
            ControlFlow::Continue(t_max)
        });
        let mut nearest = f64::INFINITY;
        for (k, b) in boxes.iter().enumerate() {
            // A box that the ray hits in `f64` by a margin must be reported.
            if let Some((near, _)) = slab(b, origin, direction, interval, -size * 1e-13) {
                assert!(visited.contains(&(k as u32)), "{name}: ray {i} misses box {k}");
                hits += 1;
                nearest = nearest.min(near);
            }
        }
        // The closest box is found with a shrinking interval.
        let mut best = f64::INFINITY;
        tree.visit_ray(origin, direction, interval.0, interval.1, |leaf, mut t_max| {
            for &p in leaf.primitives {
                if let Some((near, _)) =
                    slab(&boxes[p as usize], origin, direction, (interval.0, t_max), -size * 1e-13)
                {
                    best = best.min(near);
                    t_max = t_max.min(near);
                }
            }
            ControlFlow::Continue(t_max)
        });
        assert_eq!(best, nearest, "{name}: the closest hit of ray {i}");
    }
    assert!(boxes.len() < 100 || size < 1e-30 || 0 < hits, "{name}: no ray hit anything");
    for bad in [DVec3::NAN, DVec3::INFINITY] {
        let nothing = tree.visit_ray(bad, DVec3::X, 0.0, 1.0, |_, t| ControlFlow::Continue(t));
        assert_eq!(nothing.counters.leaves, 0, "{name}");
        let nothing = tree.visit_ray(DVec3::ZERO, bad, 0.0, 1.0, |_, t| ControlFlow::Continue(t));
        assert_eq!(nothing.counters.leaves, 0, "{name}");
    }
    tree.visit_ray(DVec3::ZERO, DVec3::ZERO, 0.0, f64::INFINITY, |_, t| ControlFlow::Continue(t));
}

/// Distance from a point to a box, in `f64`.
fn point_distance(b: &Aabb, p: DVec3) -> f64 {
    (b.min.as_dvec3() - p).max(p - b.max.as_dvec3()).max(DVec3::ZERO).length()
}

fn near_visits<V: TreeVolume, N: WideNode<V::Volumes8>>(name: &str, tree: &Bvh<V, N>, boxes: &[Aabb]) {
    let mut dice = Dice::new(3);
    let size = size_of(boxes);
    let all = boxes.iter().fold(Aabb::EMPTY, |all, b| all.merged(b));
    for i in 0..20 {
        let random =
            DVec3::from([dice.range(0.0, 1.0), dice.range(0.0, 1.0), dice.range(0.0, 1.0)].map(f64::from))
                * 2.0
                - 1.0;
        let center = if boxes.is_empty() { DVec3::ZERO } else { all.center().as_dvec3() };
        let point = center + random * size * [0.3, 1.0, 3.0, 1e6][i % 4];
        let max_distance = [f64::INFINITY, size * 0.1][i % 2];
        let mut expected: Option<(u32, f64)> = None;
        for (k, b) in boxes.iter().enumerate() {
            let d = point_distance(b, point);
            if d <= max_distance && expected.is_none_or(|(_, least)| d < least) {
                expected = Some((k as u32, d));
            }
        }
        let (found, _) =
            tree.nearest(point, max_distance, |p, _| Some(point_distance(&boxes[p as usize], point)));
        assert_eq!(found, expected, "{name}: nearest to {point}");
        let mut visited = BTreeSet::new();
        tree.visit_near(point, max_distance, |leaf, d| {
            visited.extend(leaf.primitives.iter().copied());
            ControlFlow::Continue(d)
        });
        for (k, b) in boxes.iter().enumerate() {
            let close = point_distance(b, point) <= max_distance;
            assert!(!close || visited.contains(&(k as u32)), "{name}: box {k} near {point}");
        }
    }
    assert_eq!(tree.nearest(DVec3::NAN, 1.0, |_, _| Some(0.0)).0, None, "{name}");
}

fn self_visits<V: TreeVolume, N: WideNode<V::Volumes8>>(name: &str, tree: &Bvh<V, N>, boxes: &[Aabb]) {
    let mut visited = BTreeSet::new();
    tree.visit_self_pairs(|p, q| {
        assert!(p < q && visited.insert((p, q)), "{name}: pair {p} {q}");
        ControlFlow::Continue(())
    });
    for i in 0..boxes.len() {
        for j in i + 1..boxes.len() {
            let meets = boxes[i].overlaps(&boxes[j]);
            assert!(!meets || visited.contains(&(i as u32, j as u32)), "{name}: pair {i} {j} missed");
        }
    }
}

/// Whether no one of the fifteen axes separates the boxes by more than `room`.
fn meet(a: &Aabb, b: &Aabb, b_in_a: &WidePose, room: f64) -> bool {
    let half = |x: &Aabb| (x.max.as_dvec3() - x.min.as_dvec3()) * 0.5;
    let center = |x: &Aabb| (x.max.as_dvec3() + x.min.as_dvec3()) * 0.5;
    let (half_a, half_b) = (half(a), half(b));
    let t = b_in_a.transform_point(center(b)) - center(a);
    let columns = [b_in_a.rotation.x_axis, b_in_a.rotation.y_axis, b_in_a.rotation.z_axis];
    let mut axes = vec![DVec3::X, DVec3::Y, DVec3::Z];
    for column in columns {
        axes.push(column);
        for e in [DVec3::X, DVec3::Y, DVec3::Z] {
            let cross = e.cross(column);
            if 1e-6 < cross.length() {
                axes.push(cross.normalize());
            }
        }
    }
    axes.iter().all(|axis| {
        let radius_b: f64 = (0..3).map(|k| (columns[k].dot(*axis) * half_b[k]).abs()).sum();
        t.dot(*axis).abs() <= axis.abs().dot(half_a) + radius_b - room
    })
}

fn poses(size: f64, dice: &mut Dice) -> Vec<WidePose> {
    let mut poses = vec![WidePose::IDENTITY];
    for i in 0..8 {
        let u = |dice: &mut Dice| f64::from(dice.range(0.0, 1.0)) * 2.0 - 1.0;
        let q = DQuat::from_xyzw(u(dice), u(dice), u(dice), u(dice) + 1.1).normalize();
        let t = DVec3::new(u(dice), u(dice), u(dice)) * size * [0.0, 0.5, 1.5, 1e9][i % 4];
        poses.push(WidePose::from_quat(q, t));
    }
    poses
}

/// Returns all settings for traversing two trees.
pub fn pair_settings() -> Vec<PairSettings> {
    let descents = [Descent::Larger, Descent::Alternate, Descent::AFirst, Descent::BFirst];
    let all = [BoxAxes::Faces, BoxAxes::FacesAndEdges];
    let with = |descent, axes| PairSettings::default().with_descent(descent).with_axes(axes);
    descents.into_iter().flat_map(|descent| all.map(|axes| with(descent, axes))).collect()
}

/// Every traversal of two trees, from either side, reports the required pairs, each once.
fn every_walk<V: TreeVolume, N: WideNode<V::Volumes8>>(
    name: &str,
    tree: &Bvh<V, N>,
    pose: &WidePose,
    must: &BTreeSet<(u32, u32)>,
) {
    for settings in pair_settings() {
        for swapped in [false, true] {
            let pose = if swapped { pose.inverse() } else { *pose };
            let mut left: BTreeSet<(u32, u32)> = must.clone();
            let mut visited = BTreeSet::new();
            // A trait object, so that the traversal is compiled once for each volume.
            let pair: &mut dyn FnMut(u32, u32) -> ControlFlow<()> = &mut |a, b| {
                assert!(visited.insert((a, b)), "{name}: pair {a} {b} twice, {settings:?}");
                left.remove(&if swapped { (b, a) } else { (a, b) });
                ControlFlow::Continue(())
            };
            let visit = visit_pairs_with(tree, tree, &pose, &settings, pair);
            assert_eq!(visit.counters.primitives, visited.len() as u64);
            assert!(left.is_empty(), "{name}: {settings:?}, swapped {swapped}, misses {left:?} at {pose:?}");
        }
    }
}

fn pair_visits<V: TreeVolume, N: WideNode<V::Volumes8>>(name: &str, tree: &Bvh<V, N>, boxes: &[Aabb]) {
    let mut dice = Dice::new(4);
    let size = size_of(boxes);
    for pose in poses(size, &mut dice) {
        let mut visited = BTreeSet::new();
        let visit = visit_pairs(tree, tree, &pose, |a, b| {
            assert!(visited.insert((a, b)), "{name}: pair {a} {b} twice");
            ControlFlow::Continue(())
        });
        assert_eq!(visit.counters.primitives, visited.len() as u64);
        let room = (size + pose.translation.length()) * 1e-14;
        let mut must = BTreeSet::new();
        for (i, a) in boxes.iter().enumerate() {
            for (j, b) in boxes.iter().enumerate() {
                if meet(a, b, &pose, room) {
                    must.insert((i as u32, j as u32));
                }
            }
        }
        assert!(
            must.is_subset(&visited),
            "{name}: pairs {:?} missed at {pose:?}",
            must.difference(&visited).collect::<Vec<_>>()
        );
        every_walk(name, tree, &pose, &must);
        let stopped = visit_leaf_pairs(tree, tree, &pose, |_, _| ControlFlow::Break(())).stopped;
        assert_eq!(stopped, !visited.is_empty(), "{name}");
    }
    for bad in [f64::NAN, f64::INFINITY] {
        let pose = WidePose { translation: DVec3::splat(bad), ..WidePose::IDENTITY };
        assert_eq!(
            visit_pairs(tree, tree, &pose, |_, _| ControlFlow::Continue(())).counters.leaves,
            0,
            "{name}"
        );
    }
}

fn closest<V: TreeVolume>(name: &str, tree: &Bvh<V>, boxes: &[Aabb]) {
    let mut dice = Dice::new(5);
    let size = size_of(boxes);
    for (i, pose) in poses(size, &mut dice).into_iter().enumerate() {
        // A corner stands for the primitive, so that the distances differ.
        let distance = |a: u32, b: u32| {
            (boxes[a as usize].min.as_dvec3() - pose.transform_point(boxes[b as usize].max.as_dvec3()))
                .length()
        };
        let max_distance = if i % 3 == 2 { size * 0.5 } else { f64::INFINITY };
        let mut expected: Option<(u32, u32, f64)> = None;
        for a in 0..boxes.len() as u32 {
            for b in 0..boxes.len() as u32 {
                let d = distance(a, b);
                if d <= max_distance && expected.is_none_or(|(_, _, least)| d < least) {
                    expected = Some((a, b, d));
                }
            }
        }
        let found = closest_pair(tree, tree, &pose, max_distance, |a, b, _| Some(distance(a, b)));
        if expected.is_some_and(|e| e.2 == 0.0) {
            assert_eq!(found.pair.map(|p| p.2), Some(0.0), "{name}");
        } else {
            assert_eq!(found.pair, expected, "{name}: closest at {pose:?}");
        }
    }
    for bad in [f64::NAN, f64::INFINITY] {
        let pose = WidePose { translation: DVec3::splat(bad), ..WidePose::IDENTITY };
        assert_eq!(closest_pair(tree, tree, &pose, f64::INFINITY, |_, _, _| Some(0.0)).pair, None, "{name}");
    }
}

/// Returns sets of random triangles: soups of small ones, patches of a grid, slivers and points.
pub fn triangle_sets() -> Vec<(&'static str, Vec<[Vec3; 3]>)> {
    let mut dice = Dice::new(9);
    let mut soup = |n: usize, size: f32| -> Vec<[Vec3; 3]> {
        (0..n)
            .map(|_| {
                let at = dice.point(1.0);
                [at, at + dice.point(size), at + dice.point(size)]
            })
            .collect()
    };
    let wave = |i: usize, j: usize| {
        let (x, y) = (i as f32 * 0.1 - 1.0, j as f32 * 0.1 - 1.0);
        Vec3::new(x, y, 0.3 * (x * x - y * y))
    };
    let mut patch = Vec::new();
    for i in 0..20 {
        for j in 0..20 {
            patch.push([wave(i, j), wave(i + 1, j), wave(i + 1, j + 1)]);
            patch.push([wave(i, j), wave(i + 1, j + 1), wave(i, j + 1)]);
        }
    }
    let mut ugly = soup(60, 0.3);
    ugly.extend((0..20).map(|i| [Vec3::splat(i as f32 * 0.01); 3]));
    ugly.extend((0..20).map(|i| [Vec3::ZERO, Vec3::X, Vec3::X * (0.5 + i as f32 * 0.01)]));
    ugly.extend((0..20).map(|_| [Vec3::ZERO, Vec3::Y, Vec3::Z]));
    vec![
        ("none", vec![]),
        ("one", soup(1, 1.0)),
        ("a soup", soup(300, 0.2)),
        ("a patch", patch),
        ("ugly", ugly),
    ]
}

/// Runs the suite on a builder of trees over triangles. Panics at the first difference from brute
/// force.
pub fn triangle_bvh<V: TreeVolume>(build: impl Fn(&[[Vec3; 3]]) -> Result<Bvh<V>, BvhError>) {
    let good = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let bad = [Vec3::ZERO, Vec3::NAN, Vec3::Y];
    assert_eq!(build(&[good, bad]).err(), Some(BvhError::NotFinite { primitive: 1 }));
    let sets = triangle_sets();
    let mut dice = Dice::new(10);
    let mut n_pairs = 0;
    for (name, triangles) in &sets {
        let tree = build(triangles).unwrap_or_else(|e| panic!("{name}: {e}"));
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::from_points(t)).collect();
        structure(name, &tree, &boxes);
        let wide: Vec<[DVec3; 3]> = triangles.iter().map(|t| t.map(|p| p.as_dvec3())).collect();
        for pose in poses(0.4, &mut dice) {
            let mut visited = BTreeSet::new();
            visit_pairs(&tree, &tree, &pose, |a, b| {
                assert!(visited.insert((a, b)), "{name}: pair {a} {b} twice");
                ControlFlow::Continue(())
            });
            let mut must = BTreeSet::new();
            for (i, a) in wide.iter().enumerate() {
                for (j, b) in wide.iter().enumerate() {
                    let placed = b.map(|p| pose.transform_point(p));
                    let near = (a[0] - placed[0]).length() < 3.0;
                    if near && carom_geom::tri_tri::intersects(a, &placed) {
                        n_pairs += 1;
                        must.insert((i as u32, j as u32));
                    }
                }
            }
            assert!(
                must.is_subset(&visited),
                "{name}: pairs {:?} missed at {pose:?}",
                must.difference(&visited).collect::<Vec<_>>()
            );
            every_walk(name, &tree, &pose, &must);
            // Distance of the closest corners: never below that of the triangles.
            let distance =
                |a: u32, b: u32| (wide[a as usize][1] - pose.transform_point(wide[b as usize][2])).length();
            let mut expected: Option<(u32, u32, f64)> = None;
            for a in 0..wide.len() as u32 {
                for b in 0..wide.len() as u32 {
                    let d = distance(a, b);
                    if expected.is_none_or(|(_, _, least)| d < least) {
                        expected = Some((a, b, d));
                    }
                }
            }
            let found = closest_pair(&tree, &tree, &pose, f64::INFINITY, |a, b, _| Some(distance(a, b)));
            if expected.is_some_and(|e| e.2 == 0.0) {
                assert_eq!(found.pair.map(|p| p.2), Some(0.0), "{name}");
            } else {
                assert_eq!(found.pair, expected, "{name}: closest at {pose:?}");
            }
        }
        // Rays at points of triangles.
        for (i, t) in wide.iter().enumerate() {
            let (u, v) = (f64::from(dice.range(0.0, 1.0)), f64::from(dice.range(0.0, 1.0)));
            let target = t[0] + (t[1] - t[0]) * u * (1.0 - v) + (t[2] - t[0]) * v * u;
            let origin = dice.point(2.0).as_dvec3();
            let mut is_visited = false;
            tree.visit_ray(origin, target - origin, 0.0, 1.0 + 1e-9, |leaf, t_max| {
                is_visited |= leaf.primitives.contains(&(i as u32));
                ControlFlow::Continue(t_max)
            });
            assert!(is_visited, "{name}: the ray at triangle {i} misses");
        }
    }
    assert!(10_000 < n_pairs, "hardly any triangles met: {n_pairs}");
}
