//! The list of all algorithms has unique, valid names. All give the same pairs for any hints.

use carom_bounds::Aabb;
use carom_broad::Filter;
use carom_broad_auto::catalogue::{ALGORITHMS, Growth, WorldHints, by_name};
use carom_scenes::{Crowd, CrowdKind};
use glam::Vec3;
use std::collections::BTreeSet;

#[test]
fn names_are_unique_and_found() {
    let names: BTreeSet<_> = ALGORITHMS.iter().map(|listed| listed.name).collect();
    assert_eq!(names.len(), ALGORITHMS.len());
    for name in names {
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
        assert_eq!(by_name(name).unwrap().name, name);
    }
    assert!(by_name("Tree").is_none());
    assert_eq!(by_name("brute-force").unwrap().growth, Growth::EachAgainstEach);
}

/// The pairs are the same even if the hints are wrong, empty, or not finite.
#[test]
fn world_hints_change_no_pair() {
    let crowd = Crowd::new(CrowdKind::Floor, 900, 1);
    let batch: Vec<_> = crowd.boxes().iter().map(|&aabb| (aabb, Filter::default())).collect();
    let far = Aabb { min: Vec3::splat(1e6), max: Vec3::splat(2e6) };
    let nowhere = Aabb { min: Vec3::NAN, max: Vec3::INFINITY };
    let all_hints = [
        WorldHints::of(crowd.boxes()),
        WorldHints::of(&[]),
        WorldHints { bounds: far, n_boxes: usize::MAX },
        WorldHints { bounds: nowhere, n_boxes: 100_000 },
    ];
    let mut expected = None;
    for listed in ALGORITHMS {
        for hints in &all_hints {
            let mut broad = listed.make(hints);
            broad.insert_batch(&batch, &mut Vec::new()).unwrap();
            let mut pairs = Vec::new();
            broad.pairs(&mut pairs);
            assert!(500 < pairs.len());
            assert!(0 < broad.counters().tests, "{} counts its tests", listed.name);
            assert!(*expected.get_or_insert_with(|| pairs.clone()) == pairs, "{}", listed.name);
        }
    }
}
