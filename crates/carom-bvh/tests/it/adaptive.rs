//! Trees that follow motion of several kinds: the cost of their queries, compared with a tree that
//! was just built.

use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{AdaptiveBvh, BuildSettings, Bvh, BvhError};
use carom_testkit::conform::dice::Dice;
use core::ops::ControlFlow;
use glam::Vec3;

/// The number of volumes tested by queries with every seventh of the boxes.
fn tests(tree: &Bvh, boxes: &[Aabb]) -> u64 {
    let mut tests = 0;
    for aabb in boxes.iter().step_by(7) {
        let mut found = 0;
        let visit = tree.visit_box(aabb, |leaf| {
            found += leaf.primitives.len();
            ControlFlow::Continue(())
        });
        assert!(0 < found);
        tests += visit.counters.volume_tests;
    }
    tests
}

/// Returns the greatest cost of queries in a frame, relative to a fresh tree. The first number is
/// for the adaptive tree, the second for a tree that is only refitted. Also returns the number of
/// full builds.
fn run(frames: usize, boxes: Vec<Aabb>, mut step: impl FnMut(usize, &mut [Aabb])) -> (f64, f64, usize) {
    let settings = BuildSettings::default();
    let mut boxes = boxes;
    let mut watched = AdaptiveBvh::build(&boxes, &settings).unwrap();
    let mut refitted = watched.tree().clone();
    let (mut worst, mut worst_refitted, mut n_builds) = (0.0_f64, 0.0_f64, 0);
    for frame in 0..frames {
        step(frame, &mut boxes);
        let followed = watched.follow(&boxes).unwrap();
        assert!(1.0 <= followed.growth);
        assert!(if followed.rebuilt {
            followed.renewed == boxes.len()
        } else {
            2 * followed.renewed <= boxes.len()
        });
        n_builds += usize::from(followed.rebuilt);
        watched.tree().validate(&boxes).unwrap();
        refitted.refit(&boxes).unwrap();
        let fresh = tests(&Bvh::build(&boxes, &settings).unwrap(), &boxes) as f64;
        worst = worst.max(tests(watched.tree(), &boxes) as f64 / fresh);
        worst_refitted = worst_refitted.max(tests(&refitted, &boxes) as f64 / fresh);
    }
    (worst, worst_refitted, n_builds)
}

fn cloud(seed: u64) -> Vec<Aabb> {
    let mut dice = Dice::new(seed);
    (0..3000).map(|_| dice.aabb(10.0, 0.3)).collect()
}

fn moved(aabb: &Aabb, by: Vec3) -> Aabb {
    Aabb { min: aabb.min + by, max: aabb.max + by }
}

#[test]
fn queries_never_cost_twice_as_much_as_on_a_fresh_tree() {
    let mut dice = Dice::new(5);
    let report = |name: &str, most_builds: usize, decays: bool, result: (f64, f64, usize)| {
        let (worst, refitted, builds) = result;
        println!("{name:10} watched {worst:5.2}  refitted only {refitted:6.2}  builds {builds}");
        assert!(worst < 2.0, "{name}: {worst}");
        assert!(!decays || 4.0 < refitted, "{name}: no test for the rule, {refitted}");
        assert!(builds <= most_builds, "{name}: {builds} builds");
    };
    // All boxes jump anywhere in every frame: one build a frame.
    report("jump", 15, true, run(15, cloud(1), |frame, boxes| boxes.copy_from_slice(&cloud(frame as u64))));
    // All boxes tremble, and stay where they are.
    let home = cloud(2);
    let mut tremble = |_: usize, boxes: &mut [Aabb]| {
        for (aabb, home) in boxes.iter_mut().zip(&home) {
            *aabb = moved(home, dice.point(0.02));
        }
    };
    report("tremble", 5, false, run(80, cloud(2), &mut tremble));
    // Each box has a velocity of its own.
    let mut dice = Dice::new(6);
    let velocities: Vec<Vec3> = (0..3000).map(|_| dice.point(0.2)).collect();
    let mut drift = |_: usize, boxes: &mut [Aabb]| {
        for (aabb, &velocity) in boxes.iter_mut().zip(&velocities) {
            *aabb = moved(aabb, velocity);
        }
    };
    report("drift", 25, true, run(80, cloud(3), &mut drift));
    // All boxes shrink together and change places.
    let mut shrink = |frame: usize, boxes: &mut [Aabb]| {
        let scale = 0.97_f32.powi(frame as i32);
        for (aabb, new) in boxes.iter_mut().zip(cloud(4 + frame as u64 / 10)) {
            *aabb = Aabb { min: new.min * scale, max: new.max * scale };
        }
    };
    report("shrink", 12, true, run(40, cloud(4), &mut shrink));
    // One box flies away while the others change places.
    let mut outlier = |frame: usize, boxes: &mut [Aabb]| {
        boxes.copy_from_slice(&cloud(5 + frame as u64 / 10));
        boxes[0] = moved(&boxes[0], Vec3::splat(100.0 * frame as f32));
    };
    report("outlier", 20, true, run(40, cloud(5), &mut outlier));
}

#[test]
fn a_worn_part_is_made_anew_by_itself() {
    let settings = BuildSettings::default();
    let mut dice = Dice::new(21);
    let mut boxes: Vec<Aabb> = (0..12_000).map(|_| dice.aabb(10.0, 0.3)).collect();
    // Boxes that begin in one corner jump about in it; the others stay.
    let corner: Vec<usize> = (0..boxes.len()).filter(|&i| boxes[i].max.max_element() < 0.0).collect();
    let mut watched = AdaptiveBvh::build(&boxes, &settings).unwrap();
    let mut refitted = watched.tree().clone();
    let (mut n_builds, mut n_renewed, mut n_parts) = (0, 0, 0);
    let (mut worst, mut worst_refitted) = (0.0_f64, 0.0_f64);
    for _ in 0..30 {
        for &i in &corner {
            let extents = boxes[i].max - boxes[i].min;
            let min = dice.point(4.7) - 5.0;
            boxes[i] = Aabb { min, max: min + extents };
        }
        let followed = watched.follow(&boxes).unwrap();
        watched.tree().validate(&boxes).unwrap();
        n_builds += usize::from(followed.rebuilt);
        n_renewed += followed.renewed;
        n_parts += usize::from(!followed.rebuilt && 0 < followed.renewed);
        refitted.refit(&boxes).unwrap();
        let queried: Vec<Aabb> = corner.iter().map(|&i| boxes[i]).collect();
        let fresh = tests(&Bvh::build(&boxes, &settings).unwrap(), &queried) as f64;
        worst = worst.max(tests(watched.tree(), &queried) as f64 / fresh);
        worst_refitted = worst_refitted.max(tests(&refitted, &queried) as f64 / fresh);
    }
    let share = n_renewed as f64 / (30 * boxes.len()) as f64;
    println!(
        "{} of {} jump: {n_builds} builds of the whole, {n_parts} of parts, {share:.3} of all primitives; worst {worst:.2}, \
         refitted only {worst_refitted:.2}",
        corner.len(),
        boxes.len()
    );
    assert!(n_builds <= 2 && 25 <= n_parts && share < 0.2, "{n_builds}, {n_parts}, {share}");
    assert!(worst < 1.6 && 3.0 < worst_refitted, "{worst}, {worst_refitted}");
}

#[test]
fn a_tree_that_nothing_happens_to_is_left_alone_longer_and_longer() {
    let boxes = cloud(9);
    let mut watched = AdaptiveBvh::build(&boxes, &BuildSettings::default()).unwrap();
    let mut builds = Vec::new();
    for frame in 0..400 {
        let followed = watched.follow(&boxes).unwrap();
        assert_eq!(followed.growth, 1.0);
        if followed.rebuilt {
            builds.push(frame);
        }
    }
    let waits: Vec<i32> = builds.windows(2).map(|two| two[1] - two[0]).collect();
    assert_eq!(waits, [8, 16, 32, 64, 64, 64, 64, 64]);
}

#[test]
fn bad_boxes_change_nothing() {
    let boxes = cloud(10);
    let mut watched = AdaptiveBvh::build(&boxes, &BuildSettings::default()).unwrap();
    let mut bad = boxes.clone();
    bad[5].max.x = f32::INFINITY;
    assert_eq!(watched.follow(&bad), Err(BvhError::NotFinite { primitive: 5 }));
    assert_eq!(watched.follow(&boxes[1..]), Err(BvhError::WrongCount { expected: 3000, given: 2999 }));
    watched.tree().validate(&boxes).unwrap();
    // An empty tree, and boxes that are points.
    let mut nothing = AdaptiveBvh::build(&[], &BuildSettings::default()).unwrap();
    assert!(!nothing.follow(&[]).unwrap().rebuilt);
    let points: Vec<Aabb> = boxes.iter().map(|b| Aabb { min: b.min, max: b.min }).collect();
    let same = vec![points[0]; points.len()];
    let mut watched = AdaptiveBvh::build(&same, &BuildSettings::default()).unwrap();
    assert!(watched.follow(&points).unwrap().rebuilt);
    watched.tree().validate(&points).unwrap();
    assert_eq!(watched.tree().bounds(), points.iter().fold(Aabb::EMPTY, |all, b| all.merged(b)));
}

#[test]
fn the_report_shows_overlap() {
    let row: Vec<Aabb> = (0..64)
        .map(|i| {
            let min = Vec3::new(i as f32 * 2.0, 0.0, 0.0);
            Aabb { min, max: min + 1.0 }
        })
        .collect();
    let settings = BuildSettings::default().with_max_leaf(1);
    let apart = Bvh::<Aabb>::build(&row, &settings).unwrap().quality().overlap;
    let same = Bvh::<Aabb>::build(&[row[0]; 8], &settings).unwrap().quality().overlap;
    // Eight boxes make 28 pairs.
    assert_eq!((apart, same), (0.0, 28.0 / 8.0));
}

/// After a refit, the next `follow` tests the wear. The limits of `with_waits` are kept.
#[test]
fn checks_are_made_when_the_caller_wants() {
    let mut boxes = cloud(8);
    let settings = BuildSettings::default();
    let mut watched = AdaptiveBvh::build(&boxes, &settings).unwrap();
    let mut patient = watched.clone().with_waits(30, 60);
    let mut rebuilds = [Vec::new(), Vec::new()];
    for frame in 1..=40 {
        for (watched, rebuilds) in [&mut watched, &mut patient].into_iter().zip(&mut rebuilds) {
            if watched.follow(&boxes).unwrap().rebuilt {
                rebuilds.push(frame);
            }
        }
    }
    assert_eq!((rebuilds[0][0], &rebuilds[1][..]), (4, &[30][..]));
    boxes.reverse();
    let fresh = tests(&Bvh::build(&boxes, &settings).unwrap(), &boxes);
    patient.refit(&boxes).unwrap();
    patient.tree().validate(&boxes).unwrap();
    assert!(4 * fresh < tests(patient.tree(), &boxes));
    assert!(patient.follow(&boxes).unwrap().rebuilt);
    assert!(tests(patient.tree(), &boxes) <= fresh);
}
