//! The tree passes the conformance suites, with lists and without.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter};
use carom_broad_coherent::VerletListSettings;
use carom_broad_tree::DynamicBvh;
use carom_testkit::conform;
use glam::Vec3;

#[test]
fn conforms_to_broad_phase() {
    conform::broad_phase::check(DynamicBvh::new);
}

#[test]
fn conforms_without_lists() {
    let settings = VerletListSettings::default().with_keep_lists(false);
    conform::broad_phase::check(|| DynamicBvh::with_settings(settings));
}

#[test]
fn conforms_with_wide_margins() {
    let settings = VerletListSettings::default().with_margin_frames(100.0);
    conform::broad_phase::check(|| DynamicBvh::with_settings(settings));
}

#[test]
fn conforms_while_lists_are_renewed() {
    let settings = VerletListSettings::default().with_spread_from(0);
    conform::broad_phase::check(|| DynamicBvh::with_settings(settings));
    conform::renewal::check("tree", DynamicBvh::with_settings);
}

#[test]
fn conforms_to_spatial_index() {
    conform::spatial_index::check(DynamicBvh::new);
}

#[test]
fn volumes_hold_the_boxes_level_by_level() {
    let mut phase = DynamicBvh::new();
    let at = |i: usize| Vec3::new((i % 30) as f32, (i / 30 % 30) as f32, (i / 900) as f32) * 1.5;
    let boxes: Vec<Aabb> = (0..1000).map(|i| Aabb { min: at(i), max: at(i) + Vec3::ONE }).collect();
    for &aabb in &boxes {
        phase.insert(aabb, Filter::default()).unwrap();
    }
    let mut pairs = Vec::new();
    phase.pairs(&mut pairs);
    let mut levels: Vec<Vec<Aabb>> = Vec::new();
    phase.visit_volumes(&mut |level, volume| {
        levels.resize(levels.len().max(level + 1), Vec::new());
        levels[level].push(*volume);
    });
    // The 1000 boxes are in 125 blocks, these in 16, these in 2, and these in the one at the top.
    assert_eq!(levels.iter().map(Vec::len).collect::<Vec<_>>(), [2, 16, 125]);
    for (level, above) in levels[1..].iter().zip(&levels) {
        assert!(level.iter().all(|volume| above.iter().any(|other| other.contains(volume))));
    }
    assert!(boxes.iter().all(|aabb| levels[2].iter().any(|volume| volume.contains(aabb))));
}
