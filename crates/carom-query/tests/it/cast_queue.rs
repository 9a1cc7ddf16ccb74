//! The queue of impacts against every pair asked alone.

use crate::support::bumpy_sheet;
use crate::zoo::shapes;
use carom_geom::{Cuboid, Sphere};
use carom_query::{
    ImpactQueue, ImpactQueueError, ImpactSettings, MeshShape, Motion, MovingShape, PairImpact, Shape,
    TimeOfImpact, Workspace, cast,
};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// When a bracket begins.
fn begin(answer: &TimeOfImpact) -> f64 {
    answer.safe_until(f64::INFINITY)
}

fn motion(random: &mut Random, from: DVec3, linear: DVec3, angle: f64) -> Motion {
    let q = DQuat::from_scaled_axis(random.cube_point() * 3.0);
    Motion::new(q, from, DVec3::ZERO, linear, random.cube_point().normalize_or_zero() * angle).unwrap()
}

/// Asks for all impacts, and holds them to those of the pairs alone.
fn check(bodies: &[MovingShape<'_>], pairs: &[[u32; 2]], settings: &ImpactSettings, what: &str) -> usize {
    let mut memory = Workspace::default();
    let alone: Vec<TimeOfImpact> = pairs
        .iter()
        .map(|pair| {
            let [a, b] = pair.map(|body| bodies[body as usize]);
            cast(a.shape, &a.motion, b.shape, &b.motion, settings)
        })
        .collect();
    let mut queue = ImpactQueue::new(bodies, pairs, settings, &mut memory).unwrap();
    let mut reported: Vec<PairImpact> = Vec::new();
    loop {
        let safe = queue.safe_until();
        let Some(next) = queue.next() else { break };
        let is_reported = |pair: usize| reported.iter().any(|old| old.pair == pair);
        assert!(!is_reported(next.pair), "{what}: {} twice", next.pair);
        // Nothing that was not told touches before it was said to be safe, or before this one
        // begins.
        for (pair, answer) in alone.iter().enumerate() {
            if let TimeOfImpact::Hit(hit) = answer
                && !is_reported(pair)
            {
                assert!(safe <= hit.t_hi && begin(&next.time_of_impact) <= hit.t_hi, "{what}: {pair}");
            }
        }
        reported.push(next);
    }
    assert_eq!(queue.safe_until(), f64::INFINITY);
    assert!(reported.is_sorted_by(|x, y| begin(&x.time_of_impact) <= begin(&y.time_of_impact)), "{what}");
    for (pair, answer) in alone.iter().enumerate() {
        let found =
            reported.iter().find(|reported| reported.pair == pair).map(|impact| impact.time_of_impact);
        match (answer, found) {
            (TimeOfImpact::Hit(x), Some(TimeOfImpact::Hit(y))) => {
                // The distance of a field is known to its error, and so is the time.
                let is_of_fields =
                    pairs[pair].iter().any(|k| matches!(bodies[*k as usize].shape, Shape::Field(_)));
                let slack = if is_of_fields { 1e-5 } else { 0.0 };
                assert!(x.t_lo <= y.t_hi + slack && y.t_lo <= x.t_hi + slack, "{what}: {pair}: {x:?} {y:?}");
            }
            (TimeOfImpact::Clear(_), None) | (TimeOfImpact::Undecided(_), Some(_)) => {}
            other => panic!("{what}: {pair}: {other:?}"),
        }
    }
    reported.len()
}

#[test]
fn impacts_come_in_their_order() {
    let shapes = shapes();
    let sheet = Shape::Mesh(Arc::new(MeshShape::new(bumpy_sheet(12, 0.1)).unwrap()));
    let mut random = Random::new(61);
    let (mut n_reported, mut n_queried) = (0, 0);
    for case in 0..16 {
        let settings = ImpactSettings::default()
            .with_target_distance([0.0, 1e-3][case % 2])
            .with_times([0.0, 0.25][case / 2 % 2], 1.0);
        let bodies: Vec<MovingShape<'_>> = (0..12)
            .map(|i| {
                let shape = if i % 5 == 0 { &sheet } else { &shapes[random.below(shapes.len())].1 };
                let from = random.cube_point() * 3.0;
                let aim = random.cube_point() - from;
                let (angle, part) = ([0.0, 1.0, 3.0][random.below(3)], random.range(0.5, 1.5));
                MovingShape::new(shape, motion(&mut random, from, aim * part, angle))
            })
            .collect();
        let mut pairs: Vec<[u32; 2]> = if case % 4 == 0 {
            // One body among all, one pair twice, and the other way round.
            (1..12).map(|i| [0, i]).chain([[0, 3], [3, 0]]).collect()
        } else {
            (0..20).map(|_| [random.below(12) as u32, random.below(12) as u32]).collect()
        };
        pairs.retain(|[a, b]| a != b);
        n_reported += check(&bodies, &pairs, &settings, &format!("case {case}"));
        n_queried += pairs.len();
    }
    assert!(n_queried < 4 * n_reported && n_reported < n_queried, "{n_reported} of {n_queried}");
}

/// Bodies that touch from the start, all at one time, not at all, only just, or that are the same
/// body twice.
#[test]
fn ties_starts_and_nothing() {
    let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
    let brick = Shape::Cuboid(Cuboid::new(carom_math::Vec3::splat(0.5)).unwrap());
    let at =
        |x: f64, v: f64| Motion::new(DQuat::IDENTITY, DVec3::X * x, DVec3::ZERO, DVec3::X * v, DVec3::ZERO);
    let bodies: Vec<MovingShape<'_>> =
        [(0.0, 0.0), (3.0, -4.0), (-3.0, 4.0), (0.5, 0.0), (9.0, 1.0), (1.0, 0.0)]
            .into_iter()
            .flat_map(|(x, v)| [&ball, &brick].map(|shape| MovingShape::new(shape, at(x, v).unwrap())))
            .collect();
    let all: Vec<[u32; 2]> = (0..12).flat_map(|a| (0..12).map(move |b| [a, b])).collect();
    for target in [0.0, 1e-3] {
        let settings = ImpactSettings::default().with_target_distance(target);
        assert!(40 < check(&bodies, &all, &settings, "all"));
        assert_eq!(check(&bodies, &[], &settings, "none"), 0);
        assert_eq!(check(&bodies, &[[0, 8], [1, 9]], &settings, "apart"), 0);
        // No time at all.
        check(&bodies, &all, &settings.with_times(0.25, 0.25), "a moment");
    }
    let mut memory = Workspace::default();
    let pairs = [[0, 1], [12, 0]];
    let error = ImpactQueue::new(&bodies, &pairs, &ImpactSettings::default(), &mut memory).err();
    assert_eq!(error, Some(ImpactQueueError::NoBody { pair: 1 }));
    assert_eq!(error.map(|e| e.to_string()).as_deref(), Some("pair 1 names a body that is not in the list"));
}

/// The first impact of one body among many costs little more than that of the pair alone, and no
/// memory once warm.
#[test]
fn the_first_impact_tests_few_pairs() {
    let sheet = Shape::Mesh(Arc::new(MeshShape::new(bumpy_sheet(30, 0.1)).unwrap()));
    let mut random = Random::new(63);
    let mut memory = Workspace::default();
    let (mut of_first, mut of_all) = (0, 0);
    for round in 0..20 {
        // A sheet that flies along a row of others, turning.
        let mut bodies = vec![MovingShape::new(
            &sheet,
            motion(&mut random, DVec3::ZERO, DVec3::X * 60.0, [0.0, 1.0][round % 2]),
        )];
        for i in 1..=20 {
            let position = DVec3::X * (3.0 * f64::from(i)) + random.cube_point();
            bodies.push(MovingShape::new(&sheet, motion(&mut random, position, DVec3::ZERO, 0.3)));
        }
        let pairs: Vec<[u32; 2]> = (1..=20).map(|i| [0, i]).collect();
        let settings = ImpactSettings::default();
        let mut query_all = || {
            let mut queue = ImpactQueue::new(&bodies, &pairs, &settings, &mut memory).unwrap();
            assert!(queue.next().is_some());
            let first = queue.counters();
            while queue.next().is_some() {}
            (first.nodes + first.searches, queue.counters().nodes + queue.counters().searches)
        };
        query_all();
        let mut counts = (0, 0);
        let measured = allocation_counter::measure(|| counts = query_all());
        assert_eq!(measured.count_total, 0, "{measured:?}");
        of_first += counts.0;
        of_all += counts.1;
    }
    assert!(0 < of_first && 5 * of_first < of_all, "{of_first} {of_all}");
}
