//! Trees whose primitives are added, removed and renumbered: valid after each edit, and hardly
//! worse than new ones.

use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{ADDED, AdaptiveBvh, BuildSettings, Bvh, BvhError};
use carom_testkit::conform::dice::Dice;
use core::ops::ControlFlow;
use glam::Vec3;

/// Checks a tree, and returns the number of volumes that small queries test.
fn check(tree: &Bvh, boxes: &[Aabb], what: &str) -> u64 {
    tree.validate(boxes).unwrap_or_else(|defect| panic!("{what}: {defect}"));
    assert!(tree.leaves().all(|leaf| leaf.primitives.len() <= 8), "{what}");
    let mut tests = 0;
    for query in boxes.iter().step_by(1 + boxes.len() / 40) {
        let mut found: Vec<u32> = Vec::new();
        let visit = tree.visit_box(query, |leaf| {
            found.extend(leaf.primitives.iter().filter(|&&i| boxes[i as usize].overlaps(query)));
            ControlFlow::Continue(())
        });
        found.sort_unstable();
        let all = boxes.iter().enumerate().filter(|(_, aabb)| aabb.overlaps(query));
        assert_eq!(found, all.map(|(i, _)| i as u32).collect::<Vec<_>>(), "{what}");
        tests += visit.counters.volume_tests;
    }
    tests
}

/// Removes, adds and doubles some boxes, and shuffles all.
fn edit(dice: &mut Dice, boxes: &[Aabb], [keep, add]: [usize; 2]) -> (Vec<Aabb>, Vec<u32>) {
    let mut edited: Vec<(Aabb, u32)> = Vec::new();
    for (i, &aabb) in (0..).zip(boxes) {
        if dice.below(100) < keep {
            edited.push((aabb, i));
            if dice.one_in(20) {
                edited.push((aabb, i));
            }
        }
    }
    for _ in 0..boxes.len() * add / 100 {
        edited.push((dice.aabb(10.0, 0.3), ADDED));
    }
    for i in (1..edited.len()).rev() {
        edited.swap(i, dice.below(i + 1));
    }
    edited.into_iter().unzip()
}

#[test]
fn trees_are_valid_after_each_edit() {
    let settings = BuildSettings::default().with_max_leaf(8);
    let mut dice = Dice::new(31);
    let (mut n_parts, mut n_rebuilt, mut worst) = (0, 0, 0.0_f64);
    for n in [1, 2, 9, 70, 3000] {
        let mut boxes: Vec<Aabb> = (0..n).map(|_| dice.aabb(10.0, 0.3)).collect();
        let mut tree = Bvh::build(&boxes, &settings).unwrap();
        let mut watched = AdaptiveBvh::build(&boxes, &settings).unwrap();
        for round in 0..24 {
            let share = [[100, 5], [90, 10], [60, 0], [50, 70], [99, 1], [5, 4], [80, 40], [100, 30]];
            let (next, origins) = edit(&mut dice, &boxes, share[round % share.len()]);
            let what = format!("{n}, round {round}: {} to {}", boxes.len(), next.len());
            let done = tree.renumber(&next, &origins, &settings).unwrap();
            assert!(done.renewed <= next.len() && (!done.rebuilt || done.renewed == next.len()), "{what}");
            (n_parts, n_rebuilt) = (
                n_parts + usize::from(!done.rebuilt && 0 < done.renewed),
                n_rebuilt + usize::from(done.rebuilt),
            );
            watched.renumber(&next, &origins).unwrap();
            boxes = next;
            let fresh = check(&Bvh::build(&boxes, &settings).unwrap(), &boxes, &what);
            check(&tree, &boxes, &what);
            let tests = check(watched.tree(), &boxes, &what);
            if 500 < boxes.len() {
                worst = worst.max(tests as f64 / fresh as f64);
            }
            // The tree follows motion as before.
            boxes.iter_mut().for_each(|aabb| {
                let by = dice.point(0.05);
                *aabb = Aabb { min: aabb.min + by, max: aabb.max + by };
            });
            tree.refit(&boxes).unwrap();
            watched.follow(&boxes).unwrap();
            check(&tree, &boxes, &what);
            check(watched.tree(), &boxes, &what);
        }
    }
    assert!(10 < n_parts && 3 < n_rebuilt, "{n_parts} {n_rebuilt}");
    assert!(worst < 1.6, "{worst} times the tests of a fresh tree");
}

#[test]
fn refused_edits_change_nothing() {
    let boxes: Vec<Aabb> = (0..20).map(|i| Aabb::from_point(Vec3::splat(i as f32))).collect();
    let settings = BuildSettings::default();
    let mut tree = Bvh::build(&boxes, &settings).unwrap();
    let error = BvhError::WrongCount { expected: 20, given: 19 };
    let origins: Vec<u32> = (0..20).collect();
    assert_eq!(tree.renumber(&boxes, &origins[1..], &settings), Err(error));
    let mut bad = boxes.clone();
    bad[7].min.y = f32::NAN;
    assert_eq!(tree.renumber(&bad, &origins, &settings), Err(BvhError::NotFinite { primitive: 7 }));
    tree.validate(&boxes).unwrap();
    // To no primitives, and back to some.
    tree.renumber(&[], &[], &settings).unwrap();
    assert!(tree.is_empty());
    assert!(tree.renumber(&boxes, &origins, &settings).unwrap().rebuilt);
    tree.validate(&boxes).unwrap();
}
