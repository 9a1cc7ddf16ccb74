//! Searches that are stopped and resumed, against every pair of triangles.

use carom_bounds::{Aabb, BoundingVolume as _, Obb, Rss, Sphere};
use carom_bvh::{
    AnytimeAnswer, AnytimeError, AnytimeGoal, AnytimeOrder, AnytimePair, AnytimePairs, AnytimeSearch,
    AnytimeSettings, BuildSettings, Bvh, Certainty, Cost, Counters, Ended, LeafPair, TreeVolume, Undecided,
    Until, visit_pairs,
};
use carom_geom::tri_distance::closest_points;
use carom_math::{Budget, WidePose};
use carom_testkit::conform::bvh::triangle_sets;
use carom_testkit::random::Random;
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, Ordering};
use glam::{DQuat, DVec3, Vec3};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const ORDERS: [AnytimeOrder; 3] =
    [AnytimeOrder::BreadthFirst, AnytimeOrder::DepthFirst, AnytimeOrder::Priority];
const GOALS: [AnytimeGoal; 3] = [AnytimeGoal::Distance, AnytimeGoal::Any, AnytimeGoal::All];

/// Triangles with a tree over them.
struct Body<V: TreeVolume> {
    triangles: Vec<[DVec3; 3]>,
    tree: Bvh<V>,
}

impl<V: TreeVolume> Body<V> {
    fn new(triangles: &[[Vec3; 3]], max_leaf: u32) -> Body<V> {
        let settings = BuildSettings::default().with_max_leaf(max_leaf);
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::from_points(t)).collect();
        let tree = Bvh::build(&boxes, &settings).unwrap();
        Body { triangles: triangles.iter().map(|t| t.map(|p| p.as_dvec3())).collect(), tree }
    }
}

/// Pairs of bodies. Every pair of triangles that is tested is recorded.
struct Scene<'t, V: TreeVolume> {
    bodies: Vec<&'t Body<V>>,
    pairs: Vec<(usize, usize, WidePose)>,
    tested: Vec<(u32, u32, u32)>,
    begun: Vec<u32>,
    urgency: fn(&Undecided<V>) -> f64,
}

impl<'t, V: TreeVolume> Scene<'t, V> {
    fn new(bodies: Vec<&'t Body<V>>, pairs: Vec<(usize, usize, WidePose)>) -> Scene<'t, V> {
        Scene { bodies, pairs, tested: Vec::new(), begun: Vec::new(), urgency: |u| -u.gap }
    }

    fn one(a: &'t Body<V>, b: &'t Body<V>, pose: WidePose) -> Scene<'t, V> {
        Scene::new(vec![a, b], vec![(0, 1, pose)])
    }

    /// The true distance, from all pairs of triangles.
    fn distance_of(&self, pair: usize) -> f64 {
        let (a, b, pose) = &self.pairs[pair];
        let mut least = f64::INFINITY;
        if !(pose.translation.is_finite() && pose.rotation.is_finite()) {
            return least;
        }
        for t in &self.bodies[*b].triangles {
            let placed = t.map(|p| pose.transform_point(p));
            for s in &self.bodies[*a].triangles {
                least = least.min(closest_points(s, &placed).distance);
            }
        }
        least
    }
}

impl<V: TreeVolume> AnytimePairs<V> for Scene<'_, V> {
    fn trees(&self, pair: u32) -> (&Bvh<V>, &Bvh<V>) {
        let (a, b, _) = self.pairs[pair as usize];
        (&self.bodies[a].tree, &self.bodies[b].tree)
    }

    fn begin(&mut self, pair: u32) -> WidePose {
        self.begun.push(pair);
        self.pairs[pair as usize].2
    }

    fn distance(&mut self, leaves: &LeafPair) -> f64 {
        let (a, b, pose) = self.pairs[leaves.pair as usize];
        let (body_a, body_b) = (self.bodies[a], self.bodies[b]);
        let mut least = f64::INFINITY;
        for &i in body_a.tree.leaf(leaves.leaf_a).primitives {
            for &j in body_b.tree.leaf(leaves.leaf_b).primitives {
                self.tested.push((leaves.pair, i, j));
                let placed = body_b.triangles[j as usize].map(|p| pose.transform_point(p));
                let d = closest_points(&body_a.triangles[i as usize], &placed).distance;
                if d <= leaves.within {
                    least = least.min(d);
                }
            }
        }
        least
    }

    fn priority(&mut self, undecided: &Undecided<V>) -> f64 {
        (self.urgency)(undecided)
    }
}

/// Relative poses: identity, flush, turned in place, shifted, far and very far away.
fn poses(size: f64, seed: u64) -> Vec<WidePose> {
    let mut random = Random::new(seed);
    let mut poses = vec![
        WidePose::IDENTITY,
        WidePose::from_quat(DQuat::IDENTITY, DVec3::X * size),
        WidePose::from_quat(DQuat::from_rotation_z(core::f64::consts::FRAC_PI_2), DVec3::ZERO),
    ];
    for i in 0..7 {
        let q = DQuat::from_xyzw(random.unit() - 0.5, random.unit() - 0.5, random.unit() - 0.5, 0.4);
        let far = [0.3, 1.0, 1.5, 3.0, 30.0, 1e5, 1e9][i] * size;
        poses.push(WidePose::from_quat(q.normalize(), random.cube_point() * far));
    }
    poses
}

/// A bumpy ball of `2 n^2` triangles.
fn ball(n: usize, radius: f32) -> Vec<[Vec3; 3]> {
    let point = |i: usize, j: usize| {
        let (u, v) =
            (core::f32::consts::TAU * (i % n) as f32 / n as f32, core::f32::consts::PI * j as f32 / n as f32);
        Vec3::new(u.cos() * v.sin(), u.sin() * v.sin(), v.cos()) * radius
    };
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..n {
            triangles.push([point(i, j), point(i, j + 1), point(i + 1, j + 1)]);
            triangles.push([point(i, j), point(i + 1, j + 1), point(i + 1, j)]);
        }
    }
    triangles
}

/// Runs in short runs. At every stop the bounds contain the true distance and have not widened.
fn check_stops<V: TreeVolume>(
    name: &str,
    scene: &mut Scene<'_, V>,
    settings: &AnytimeSettings,
) -> AnytimeAnswer {
    let truth = scene.distance_of(0);
    let room = 1e-12 * if truth.is_finite() { truth } else { 0.0 };
    let mut search = AnytimeSearch::default();
    search.start(1, settings);
    let mut before = search.answer(0);
    assert_eq!((before.lower, before.upper, before.n_undecided), (0.0, f64::INFINITY, 1), "{name}");
    for stop in 0.. {
        let run = search.run(scene, Until::done().with_steps(1 + stop / 8)).unwrap();
        let now = search.answer(0);
        let what = || format!("{name}, {settings:?}, stop {stop}: {now:?}, truth {truth}");
        assert!(now.lower <= truth + room && truth <= now.upper + room, "{}", what());
        assert!(before.lower <= now.lower && now.upper <= before.upper, "{}, before {before:?}", what());
        match now.certainty {
            Certainty::Apart => assert!(0.0 < truth, "{}", what()),
            Certainty::Touching => assert!(truth == 0.0, "{}", what()),
            // The goal is any pair that is near enough, and one was found.
            _ if settings.goal == AnytimeGoal::Any && now.found.is_some() => {}
            _ => assert!(0 < now.n_undecided, "{}", what()),
        }
        assert!(before.certainty == Certainty::Unknown || before.certainty == now.certainty, "{}", what());
        let gap = search.undecided(scene).map(|u| u.gap).fold(f64::INFINITY, f64::min);
        assert!(now.lower <= gap && search.undecided(scene).count() as u64 == now.n_undecided, "{}", what());
        before = now;
        if run.is_done() {
            assert_eq!((now.n_undecided, search.n_waiting()), (0, 0), "{}", what());
            break;
        }
        assert_eq!((run.ended, run.steps), (Ended::Steps, 1 + stop / 8));
    }
    if settings.goal == AnytimeGoal::Distance && truth <= settings.max_distance {
        assert_eq!((before.lower, before.upper), (truth, truth), "{name}");
        assert_eq!(before.found, truth.is_finite().then_some(truth), "{name}");
    }
    before
}

fn bounds_hold<V: TreeVolume>(name: &str) {
    let (mut n_apart, mut n_touching) = (0, 0);
    for (set, triangles) in triangle_sets() {
        // The oracle tests every pair at many poses, so only some triangles are used.
        let body = Body::<V>::new(&triangles[triangles.len() - triangles.len().min(32)..], 3);
        let other = Body::<V>::new(&triangles[..triangles.len().min(24)], 1);
        for (i, pose) in poses(0.6, 5).into_iter().enumerate() {
            for goal in GOALS {
                let order = ORDERS[i / 3 % 3];
                let max_distance = [0.0, 0.25, f64::INFINITY][i % 3];
                let max_distance = if goal == AnytimeGoal::Distance { f64::INFINITY } else { max_distance };
                let settings = AnytimeSettings::default()
                    .with_goal(goal)
                    .with_order(order)
                    .with_max_distance(max_distance);
                let mut scene = Scene::one(&body, &other, pose);
                let answer = check_stops(&format!("{name}, {set}, pose {i}"), &mut scene, &settings);
                n_apart += usize::from(answer.certainty == Certainty::Apart);
                n_touching += usize::from(answer.certainty == Certainty::Touching);
            }
        }
    }
    assert!(80 < n_apart && 12 < n_touching, "{name}: {n_apart} apart, {n_touching} touching");
}

#[test]
fn bounds_hold_at_every_stop() {
    bounds_hold::<Aabb>("boxes");
    bounds_hold::<Obb>("oriented boxes");
    bounds_hold::<Sphere>("spheres");
    bounds_hold::<Rss>("rectangles");
}

#[test]
fn sizes_do_not_matter() {
    for scale in [1e-30, 1e-3, 1e25] {
        let triangles: Vec<_> = ball(5, 1.0).iter().map(|t| t.map(|p| p * scale)).collect();
        let body = Body::<Obb>::new(&triangles, 2);
        for x in [0.0, 1.7, 2.0, 2.5, 1e8] {
            let pose =
                WidePose::from_quat(DQuat::from_rotation_y(0.3), DVec3::new(x, 0.1, 0.0) * f64::from(scale));
            let mut scene = Scene::one(&body, &body, pose);
            check_stops(&format!("scale {scale}, at {x}"), &mut scene, &AnytimeSettings::distance());
        }
    }
}

/// Nine pairs of three bodies.
fn nine<'t>(bodies: [&'t Body<Aabb>; 3]) -> Scene<'t, Aabb> {
    let poses = poses(1.5, 8);
    let pairs = (0..9).map(|i| (i % 3, i / 3, poses[i])).collect();
    Scene::new(bodies.to_vec(), pairs)
}

fn three_bodies() -> [Body<Aabb>; 3] {
    let sets = triangle_sets();
    [Body::new(&sets[2].1, 4), Body::new(&ball(9, 0.8), 2), Body::new(&sets[3].1[..200], 8)]
}

#[test]
fn however_the_steps_are_split() {
    let bodies = three_bodies();
    let bodies = [&bodies[0], &bodies[1], &bodies[2]];
    let mut random = Random::new(4);
    for (order, goal) in ORDERS.into_iter().flat_map(|o| GOALS.map(|g| (o, g))) {
        for max_queue in [1 << 20, 50] {
            let max_distance = if goal == AnytimeGoal::Distance { f64::INFINITY } else { 0.05 };
            let settings = AnytimeSettings::default()
                .with_goal(goal)
                .with_order(order)
                .with_max_distance(max_distance)
                .with_max_queue(max_queue);
            let (mut whole, mut whole_scene) = (AnytimeSearch::default(), nine(bodies));
            whole.start(9, &settings);
            assert!(whole.run(&mut whole_scene, Until::done()).unwrap().is_done());
            let (mut answers, mut others) = (Vec::new(), Vec::new());
            whole.answers(&mut answers);
            for _ in 0..4 {
                let (mut split, mut scene) = (AnytimeSearch::default(), nine(bodies));
                split.start(9, &settings);
                loop {
                    let most = [1, 3, 30, 1000][random.below(4)];
                    let steps = random.below(most + 1) as u64;
                    if split.run(&mut scene, Until::done().with_steps(steps)).unwrap().is_done() {
                        break;
                    }
                    // Reading the results changes nothing.
                    split.answers(&mut others);
                    split.contacts(&scene, &mut Vec::new()).unwrap();
                }
                split.answers(&mut others);
                assert_eq!(answers, others, "{settings:?}");
                assert_eq!(whole.counters(), split.counters(), "{settings:?}");
                assert_eq!(whole_scene.tested, scene.tested, "{settings:?}");
            }
        }
    }
}

#[test]
fn all_orders_end_with_the_same_answers() {
    let bodies = three_bodies();
    let bodies = [&bodies[0], &bodies[1], &bodies[2]];
    for goal in GOALS {
        let mut known: Option<Vec<_>> = None;
        for order in ORDERS {
            for max_queue in [0, 7, 300, 1 << 20] {
                let max_distance = if goal == AnytimeGoal::Distance { f64::INFINITY } else { 0.0 };
                let settings = AnytimeSettings::default()
                    .with_goal(goal)
                    .with_order(order)
                    .with_max_distance(max_distance)
                    .with_max_queue(max_queue);
                let (mut search, mut scene) = (AnytimeSearch::default(), nine(bodies));
                search.start(9, &settings);
                let mut answers = Vec::new();
                let mut most = 0;
                while !search.run(&mut scene, Until::done().with_steps(20)).unwrap().is_done() {
                    most = most.max(search.n_waiting());
                }
                search.answers(&mut answers);
                if order != AnytimeOrder::DepthFirst {
                    // No tree here is deeper than ten levels of eight.
                    assert!(most <= max_queue + 64 + 7 * 20, "{most} of {max_queue} waited");
                }
                let all: Vec<_> = answers
                    .iter()
                    .map(|a| (a.certainty, a.found, if goal == AnytimeGoal::All { a.n_found } else { 0 }))
                    .collect();
                assert_eq!(known.get_or_insert_with(|| all.clone()), &all, "{settings:?}");
                if goal == AnytimeGoal::Distance {
                    for (pair, answer) in answers.iter().enumerate() {
                        assert_eq!(answer.found, Some(scene.distance_of(pair)), "{settings:?}, pair {pair}");
                    }
                }
            }
        }
    }
}

#[test]
fn all_touching_pairs_are_tested_once() {
    let bodies = three_bodies();
    let (a, b) = (&bodies[1], &bodies[2]);
    let pose = WidePose::from_quat(DQuat::from_rotation_x(0.4), DVec3::new(0.1, 0.2, 0.0));
    let (mut search, mut scene) = (AnytimeSearch::default(), Scene::one(a, b, pose));
    search.start(1, &AnytimeSettings::touching().with_goal(AnytimeGoal::All));
    search.run(&mut scene, Until::done()).unwrap();
    let tested: BTreeSet<_> = scene.tested.iter().map(|&(_, i, j)| (i, j)).collect();
    assert_eq!(tested.len(), scene.tested.len(), "a pair twice");
    let mut walked = BTreeSet::new();
    visit_pairs(&a.tree, &b.tree, &pose, |i, j| {
        walked.insert((i, j));
        ControlFlow::Continue(())
    });
    let touching = |&&(i, j): &&(u32, u32)| {
        let placed = b.triangles[j as usize].map(|p| pose.transform_point(p));
        closest_points(&a.triangles[i as usize], &placed).distance == 0.0
    };
    let expected: Vec<_> = walked.iter().filter(touching).collect();
    assert!(30 < expected.len() && expected.iter().all(|pair| tested.contains(pair)));
    assert_eq!(search.counters().primitives, tested.len() as u64);
}

/// Trees in other units than distances: the same search, bit for bit.
#[test]
fn units_of_trees_do_not_matter() {
    struct InUnits<'t>(Scene<'t, Obb>, f64);
    impl AnytimePairs<Obb> for InUnits<'_> {
        fn trees(&self, pair: u32) -> (&Bvh<Obb>, &Bvh<Obb>) {
            self.0.trees(pair)
        }
        fn begin(&mut self, pair: u32) -> WidePose {
            self.0.begin(pair)
        }
        fn unit(&self, _: u32) -> f64 {
            self.1
        }
        fn distance(&mut self, leaves: &LeafPair) -> f64 {
            let mut scaled = *leaves;
            scaled.within *= self.1;
            self.0.distance(&scaled) / self.1
        }
    }
    let body = Body::<Obb>::new(&ball(8, 1.0), 2);
    for pose in poses(2.0, 3) {
        for n_steps in [3, 40, 100_000] {
            let mut answers = Vec::new();
            for unit in [1.0, 1024.0, f64::from_bits((1023 - 300) << 52)] {
                let mut scene = InUnits(Scene::one(&body, &body, pose), unit);
                let mut search = AnytimeSearch::default();
                let settings = AnytimeSettings::distance().with_max_distance(1.5 / unit);
                search.start(1, &settings);
                search.run(&mut scene, Until::done().with_steps(n_steps)).unwrap();
                let mut contacts = Vec::new();
                search.contacts(&scene, &mut contacts).unwrap();
                let mut answer = search.answer(0);
                (answer.lower, answer.upper) = (answer.lower * unit, answer.upper * unit);
                answer.found = answer.found.map(|d| d * unit);
                let contact = contacts[0].map(|c| (c.point * unit, c.normal, c.depth * unit, c.size * unit));
                answers.push((answer, contact));
            }
            assert!(answers[0] == answers[1] && answers[0] == answers[2], "{answers:?}");
        }
    }
}

#[test]
fn nothing_and_nowhere() {
    let (empty, body) = (Body::<Sphere>::new(&[], 1), Body::<Sphere>::new(&ball(4, 1.0), 2));
    let nan = WidePose { translation: DVec3::NAN, ..WidePose::IDENTITY };
    let far = WidePose { translation: DVec3::splat(1e301), ..WidePose::IDENTITY };
    let turned = WidePose { rotation: glam::DMat3::NAN, ..WidePose::IDENTITY };
    for (a, b, pose) in [
        (&empty, &empty, WidePose::IDENTITY),
        (&empty, &body, WidePose::IDENTITY),
        (&body, &empty, WidePose::IDENTITY),
        (&body, &body, nan),
        (&body, &body, far),
        (&body, &body, turned),
    ] {
        for goal in GOALS {
            let (mut search, mut scene) = (AnytimeSearch::default(), Scene::one(a, b, pose));
            search.start(1, &AnytimeSettings::distance().with_goal(goal));
            assert!(search.run(&mut scene, Until::done()).unwrap().is_done());
            let answer = search.answer(0);
            assert_eq!((answer.certainty, answer.lower), (Certainty::Apart, f64::INFINITY));
            assert_eq!((answer.upper, answer.found), (f64::INFINITY, None));
            let mut contacts = Vec::new();
            search.contacts(&scene, &mut contacts).unwrap();
            assert_eq!(contacts, [None]);
        }
    }
    // No pair is within a negative or NaN distance.
    for bad in [-1.0, f64::NAN] {
        let (mut search, mut scene) =
            (AnytimeSearch::default(), Scene::one(&body, &body, WidePose::IDENTITY));
        search.start(1, &AnytimeSettings::distance().with_max_distance(bad));
        assert!(search.run(&mut scene, Until::done()).unwrap().is_done());
        let answer = search.answer(0);
        assert_eq!((answer.certainty, answer.lower, answer.found), (Certainty::Unknown, 0.0, None));
        assert!(scene.tested.is_empty());
    }
    let (mut search, mut scene) = (AnytimeSearch::default(), Scene::one(&body, &body, WidePose::IDENTITY));
    assert!(search.run(&mut scene, Until::done()).unwrap().is_done(), "no pairs at all");
    assert_eq!(search.answer(3).certainty, Certainty::Unknown);
}

#[test]
fn a_distance_that_is_no_number_is_none() {
    let body = Body::<Aabb>::new(&ball(4, 1.0), 2);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut pair = AnytimePair::new(&body.tree, &body.tree, &WidePose::IDENTITY, |_, _, _| Some(bad));
        let mut search = AnytimeSearch::default();
        search.start(1, &AnytimeSettings::distance());
        assert!(search.run(&mut pair, Until::done()).unwrap().is_done());
        assert_eq!(search.answer(0).found, None);
    }
}

#[test]
fn other_trees_are_noticed() {
    let body = Body::<Aabb>::new(&ball(8, 1.0), 2);
    let larger = Body::<Aabb>::new(&ball(8, 1.01), 2);
    let mut without_one = ball(8, 1.0);
    without_one.remove(70);
    let without_one = Body::<Aabb>::new(&without_one, 2);
    let same = Body::<Aabb>::new(&ball(8, 1.0), 2);
    let pose = WidePose::from_quat(DQuat::IDENTITY, DVec3::new(1.5, 0.0, 0.0));
    let mut search = AnytimeSearch::default();
    search.start(1, &AnytimeSettings::distance());
    search.run(&mut Scene::one(&body, &body, pose), Until::done().with_steps(9)).unwrap();
    let known = search.answer(0);
    for other in [&larger, &without_one] {
        for (a, b) in [(&body, other), (other, &body)] {
            let mut scene = Scene::one(a, b, pose);
            let error = AnytimeError::OtherTrees { pair: 0 };
            assert_eq!(search.run(&mut scene, Until::done()), Err(error));
            assert_eq!(search.contacts(&scene, &mut Vec::new()), Err(error));
            assert!(error.to_string().contains("pair 0") && scene.tested.is_empty());
            assert_eq!(search.answer(0), known, "what is known stays known");
        }
    }
    // An equal tree is accepted.
    let mut scene = Scene::one(&same, &same, pose);
    assert!(search.run(&mut scene, Until::done()).unwrap().is_done());
    assert_eq!(search.answer(0).found, Some(scene.distance_of(0)));
}

#[test]
fn flags_questions_and_clocks() {
    let body = Body::<Aabb>::new(&ball(30, 1.0), 2);
    let pose = WidePose::from_quat(DQuat::IDENTITY, DVec3::new(0.5, 0.0, 0.0));
    let start = || {
        let mut search = AnytimeSearch::default();
        search.start(1, &AnytimeSettings::touching().with_goal(AnytimeGoal::All));
        (search, Scene::one(&body, &body, pose))
    };
    let flag = AtomicBool::new(true);
    let (mut search, mut scene) = start();
    let run = search.run(&mut scene, Until::done().with_flag(&flag)).unwrap();
    assert_eq!((run.ended, run.steps, scene.begun.len()), (Ended::Flag, 0, 0));
    flag.store(false, Ordering::Relaxed);
    let mut left = 3;
    let mut question = || {
        left -= 1;
        left < 0
    };
    let run = search.run(&mut scene, Until::done().with_flag(&flag).with_callback(&mut question)).unwrap();
    assert_eq!(run.ended, Ended::Callback);
    assert!((3..300).contains(&run.steps), "{run:?}");
    let past = Instant::now();
    let run = search.run(&mut scene, Until::done().with_deadline(past)).unwrap();
    assert_eq!((run.ended, run.steps), (Ended::Deadline, 0));
    let run = search.run(&mut scene, Until::from(Budget::Time(Duration::ZERO))).unwrap();
    assert_eq!((run.ended, run.steps), (Ended::Deadline, 0));
    let run = search.run(&mut scene, Until::from(Budget::Steps(7)).with_flag(&flag)).unwrap();
    assert_eq!((run.ended, run.steps), (Ended::Steps, 7));
    let run = search.run(&mut scene, Until::from(Budget::Time(Duration::MAX))).unwrap();
    assert!(run.is_done());
    let (mut other, mut scene) = start();
    assert!(other.run(&mut scene, Until::from(Budget::Unlimited)).unwrap().is_done());
    assert_eq!((other.counters(), other.answer(0)), (search.counters(), search.answer(0)));
}

#[test]
fn every_pair_gets_its_turn() {
    let bodies = three_bodies();
    let mut scene = nine([&bodies[0], &bodies[1], &bodies[2]]);
    for pair in &mut scene.pairs {
        pair.2 = WidePose::IDENTITY;
    }
    for order in [AnytimeOrder::BreadthFirst, AnytimeOrder::Priority] {
        let mut search = AnytimeSearch::default();
        search.start(9, &AnytimeSettings::touching().with_goal(AnytimeGoal::All).with_order(order));
        scene.begun.clear();
        search.run(&mut scene, Until::done().with_steps(9)).unwrap();
        assert_eq!(scene.begun, (0..9).collect::<Vec<u32>>());
        let mut answers = Vec::new();
        search.answers(&mut answers);
        assert!(answers.iter().all(|a| a.counters.volume_tests == 1 && a.n_undecided == 1));
        if order == AnytimeOrder::BreadthFirst {
            while !search.run(&mut scene, Until::done().with_steps(5)).unwrap().is_done() {
                let levels: Vec<u32> = search.undecided(&scene).map(|u| u.level).collect();
                let (low, high) = (levels.iter().min().unwrap(), levels.iter().max().unwrap());
                assert!(high - low <= 1, "one level after the other, for all pairs");
            }
        }
    }
    // Depth first: one pair of trees after the other.
    let mut search = AnytimeSearch::default();
    search.start(9, &AnytimeSettings::touching().with_order(AnytimeOrder::DepthFirst));
    search.run(&mut scene, Until::done().with_steps(30)).unwrap();
    let mut answers = Vec::new();
    search.answers(&mut answers);
    let n_begun = answers.iter().filter(|a| 0 < a.counters.volume_tests).count();
    let n_undecided = answers[..n_begun - 1].iter().filter(|a| 0 < a.n_undecided).count();
    assert!(n_begun < 9 && n_undecided == 0);
}

#[test]
fn what_is_urgent_comes_first() {
    let body = Body::<Obb>::new(&ball(16, 1.0), 2);
    let pose = WidePose::from_quat(DQuat::IDENTITY, DVec3::new(0.0, 0.2, 0.0));
    let mut scene = Scene::one(&body, &body, pose);
    // Volumes on the right come first.
    scene.urgency = |u| f64::from(u.volume_a.center.x);
    let mut search = AnytimeSearch::default();
    search.start(
        1,
        &AnytimeSettings::touching().with_goal(AnytimeGoal::All).with_order(AnytimeOrder::Priority),
    );
    search.run(&mut scene, Until::done().with_steps(400)).unwrap();
    let right = |pairs: &[(u32, u32, u32)]| {
        let x =
            |&(_, i, _): &(u32, u32, u32)| body.triangles[i as usize].iter().map(|p| p.x).sum::<f64>() / 3.0;
        pairs.iter().map(x).sum::<f64>() / pairs.len() as f64
    };
    assert!(50 < scene.tested.len());
    let first_share = right(&scene.tested);
    search.run(&mut scene, Until::done()).unwrap();
    let all = right(&scene.tested);
    assert!(0.4 < first_share && all.abs() < 0.2, "{first_share} and {all}");
    // A NaN priority comes last, and the result is the same.
    scene.urgency = |u| if u.level % 2 == 0 { f64::NAN } else { 1.0 };
    let expected = search.answer(0).n_found;
    search.start(
        1,
        &AnytimeSettings::touching().with_goal(AnytimeGoal::All).with_order(AnytimeOrder::Priority),
    );
    search.run(&mut scene, Until::done()).unwrap();
    assert_eq!(search.answer(0).n_found, expected);
}

#[test]
fn a_warm_search_does_not_allocate() {
    let bodies = three_bodies();
    let mut scene = nine([&bodies[0], &bodies[1], &bodies[2]]);
    let (mut search, mut answers, mut contacts) = (AnytimeSearch::default(), Vec::new(), Vec::new());
    for order in ORDERS {
        let settings = AnytimeSettings::distance().with_order(order);
        let mut frame = |scene: &mut Scene<'_, Aabb>| {
            scene.tested.clear();
            scene.begun.clear();
            search.start(9, &settings);
            while !search.run(scene, Until::done().with_steps(100)).unwrap().is_done() {
                search.answers(&mut answers);
                search.contacts(scene, &mut contacts).unwrap();
            }
        };
        frame(&mut scene);
        let allocated = allocation_counter::measure(|| frame(&mut scene));
        assert_eq!(allocated.count_total, 0, "{order:?}");
    }
    let counted = allocation_counter::measure(|| drop(vec![1_u8; 100]));
    assert_eq!(counted.count_total, 1, "the counter counts");
}

#[test]
fn approximate_contacts_come_near() {
    let body = Body::<Obb>::new(&ball(40, 1.0), 2);
    let mut random = Random::new(17);
    for round in 0..20 {
        let direction = random.cube_point().normalize();
        let turn = DQuat::from_axis_angle(random.cube_point().normalize(), 2.0);
        let overlap = [0.02, 0.1, 0.3][round % 3];
        let pose = WidePose::from_quat(turn, direction * (2.0 - overlap));
        let mut scene = Scene::one(&body, &body, pose);
        let mut search = AnytimeSearch::default();
        search.start(1, &AnytimeSettings::touching().with_goal(AnytimeGoal::All));
        let mut contacts = Vec::new();
        search.run(&mut scene, Until::done().with_steps(1)).unwrap();
        search.contacts(&scene, &mut contacts).unwrap();
        let first = contacts[0].unwrap();
        assert!(first.n_volumes == 1 && (first.normal - direction).length() < 0.1, "{first:?}");
        loop {
            let is_done = search.run(&mut scene, Until::done().with_steps(40)).unwrap().is_done();
            search.contacts(&scene, &mut contacts).unwrap();
            let contact = contacts[0].unwrap();
            assert!((contact.normal.length() - 1.0).abs() < 1e-6);
            let off = contact.point - direction * (1.0 - 0.5 * overlap);
            // The radius of the circle in which the balls cross.
            let reach = (1.0_f64 - (1.0 - 0.5 * overlap).powi(2)).sqrt();
            assert!(off.length() <= reach + contact.size, "{round}: {contact:?} is {off} off");
            assert!(contact.depth <= first.depth * 1.01);
            if is_done {
                let cosine = contact.normal.dot(direction);
                assert!(0.9 < cosine, "{round}: {cosine}");
                assert!(off.length() < 0.3 && contact.depth < 0.5, "{round}: {contact:?}");
                break;
            }
        }
    }
}

#[test]
fn costs_are_found_again() {
    let mut random = Random::new(3);
    let truth = Cost::new(3.0, 40.0, 7.0);
    let work = |v: usize, p: usize, u: usize| {
        let mut counters = Counters::default();
        counters.volume_tests = v as u64;
        counters.primitives = p as u64;
        counters.volume_updates = u as u64;
        counters
    };
    let mut measured = Vec::new();
    for _ in 0..50 {
        let work = work(random.below(1000), random.below(100), random.below(500));
        measured.push((work, truth.predict(&work)));
    }
    let found = Cost::fit(&measured);
    for (found, truth) in [(found.volume_test, 3.0), (found.primitive, 40.0), (found.volume_update, 7.0)] {
        assert!((found - truth).abs() < 1e-9 * truth, "{found} and {truth}");
    }
    // Work that no query did costs 0, and no cost is below 0.
    let only = [(work(10, 0, 0), 20.0), (work(20, 0, 0), 40.0)];
    assert_eq!(Cost::fit(&only), Cost::new(2.0, 0.0, 0.0));
    let odd = [(work(10, 1, 0), 20.0), (work(10, 50, 0), 10.0), (work(0, 3, 0), f64::NAN)];
    let fitted = Cost::fit(&odd);
    assert!(0.0 < fitted.volume_test && 0.0 <= fitted.primitive);
    assert_eq!(Cost::fit(&[]), Cost::default());
    let body = Body::<Aabb>::new(&ball(8, 1.0), 2);
    let n = body.tree.refit_work().volume_updates;
    assert_eq!(n as usize, body.tree.n_nodes() + body.tree.n_leaves());
    assert!(64 < n);
}
