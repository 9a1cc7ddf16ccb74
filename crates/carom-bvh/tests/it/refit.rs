//! Trees that follow their primitives.

use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{BuildQuality, BuildSettings, Builder, Bvh, BvhError};
use carom_testkit::conform::dice::Dice;
use glam::Vec3;

fn boxes(dice: &mut Dice, n: usize) -> Vec<Aabb> {
    (0..n).map(|_| dice.aabb(5.0, 0.5)).collect()
}

#[test]
fn a_refitted_tree_holds_the_new_boxes_tightly() {
    let mut dice = Dice::new(1);
    for n in [1, 2, 8, 9, 100, 3000] {
        for max_leaf in [1, 4, 16] {
            let before = boxes(&mut dice, n);
            let settings = BuildSettings::default().with_max_leaf(max_leaf);
            let mut tree = Bvh::<Aabb>::build(&before, &settings).unwrap();
            let built = tree.clone();
            tree.refit(&before).unwrap();
            assert_eq!(tree.bounds(), built.bounds());
            assert_eq!(tree.quality(), built.quality());
            let after: Vec<Aabb> = boxes(&mut dice, n);
            tree.refit(&after).unwrap();
            tree.validate(&after).unwrap();
            assert_eq!(tree.bounds(), after.iter().fold(Aabb::EMPTY, |all, b| all.merged(b)));
            // By place, as geometry in the order of the leaves is.
            let order = tree.primitives().to_vec();
            let mut seen = vec![0; n];
            tree.refit_with(|place, number| {
                assert_eq!(order[place as usize], number);
                seen[number as usize] += 1;
                before[number as usize]
            })
            .unwrap();
            assert!(seen.iter().all(|&times| times == 1));
            assert_eq!(tree.quality(), built.quality());
        }
    }
}

#[test]
fn a_bad_refit_is_refused_and_changes_nothing() {
    let mut dice = Dice::new(2);
    let good = boxes(&mut dice, 50);
    let mut tree = Bvh::<Aabb>::build(&good, &BuildSettings::default()).unwrap();
    let quality = tree.quality();
    let mut bad = good.clone();
    bad[17].max.y = f32::NAN;
    assert_eq!(tree.refit(&bad), Err(BvhError::NotFinite { primitive: 17 }));
    assert_eq!(tree.refit(&good[1..]), Err(BvhError::WrongCount { expected: 50, given: 49 }));
    assert_eq!(tree.quality(), quality);
    tree.validate(&good).unwrap();
    // One by one: the bad box is left out, and named.
    assert_eq!(
        tree.refit_with(|_, p| bad[p as usize]).map_err(|e| e.to_string()),
        Err("primitive 17 has a bound that is NaN or infinite".into())
    );
    tree.refit(&good).unwrap();
    tree.validate(&good).unwrap();
    let mut empty = Bvh::<Aabb>::empty();
    assert_eq!(empty.refit(&[]), Ok(()));
}

#[test]
fn a_refused_build_leaves_the_tree_that_was() {
    let mut dice = Dice::new(3);
    let good = boxes(&mut dice, 50);
    let mut builder = Builder::default();
    let mut tree = Bvh::<Aabb>::empty();
    builder.rebuild(&mut tree, &good, &BuildSettings::default()).unwrap();
    let bad = [Aabb { min: Vec3::ONE, max: Vec3::ZERO }];
    assert!(builder.rebuild(&mut tree, &bad, &BuildSettings::default()).is_err());
    tree.validate(&good).unwrap();
    // And the same builder makes the same tree again as a new one.
    let other = boxes(&mut dice, 700);
    for quality in [BuildQuality::Fast, BuildQuality::Balanced, BuildQuality::High] {
        let settings = BuildSettings::default().with_quality(quality);
        builder.rebuild(&mut tree, &other, &settings).unwrap();
        let fresh = Bvh::<Aabb>::build(&other, &settings).unwrap();
        assert_eq!(tree.primitives(), fresh.primitives());
        assert_eq!(tree.quality(), fresh.quality());
    }
}
