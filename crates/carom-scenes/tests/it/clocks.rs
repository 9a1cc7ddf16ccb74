//! Clocks have the expected numbers of parts and neighbours, and run.

use super::meshes::check_closed;
use carom_scenes::{Clock, ClockPartKind, ClockSettings};
use std::collections::BTreeSet;

#[test]
fn parts_and_pairs_are_counted() {
    let clock = Clock::new(&ClockSettings::default());
    let n_gears = clock.parts.iter().filter(|part| part.kind == ClockPartKind::Gear).count();
    assert_eq!((n_gears, clock.parts.len()), (12 * 12 * 4, 12 * 12 * 10));
    // Gears of neighbours, springs in springs, springs between gears.
    assert_eq!(clock.pairs.len(), 4 * 2 * 12 * 11 + 3 * 144 + 3 * 144 * 4);
    let distinct: BTreeSet<_> = clock.pairs.iter().collect();
    assert_eq!(distinct.len(), clock.pairs.len());
    assert!(clock.pairs.iter().all(|&(a, b)| a < b && (b as usize) < clock.parts.len()));
    assert_eq!(clock.meshes.len(), 4 + 2);
    assert!((2_400_000..2_500_000).contains(&clock.n_triangles()), "{}", clock.n_triangles());
    for mesh in &clock.meshes {
        check_closed(mesh);
    }
}

#[test]
fn clocks_of_all_sizes() {
    for n_arbors in 0..4 {
        for n_layers in 0..7 {
            let clock = Clock::new(&ClockSettings::default().with_size(n_arbors, n_layers).with_detail(1));
            let (n, l) = (n_arbors as usize, n_layers as usize);
            let between = l.saturating_sub(1) * n * n;
            assert_eq!(clock.parts.len(), n * n * l + 2 * between);
            assert_eq!(clock.pairs.len(), 2 * l * n * n.saturating_sub(1) + 5 * between);
            assert!(clock.parts.iter().all(|part| (part.mesh as usize) < clock.meshes.len()));
        }
    }
}

#[test]
fn time_moves_all_parts_a_little() {
    let (one, two) = (Clock::new(&ClockSettings::default()), Clock::new(&ClockSettings::default()));
    let (mut before, mut after, mut again) = (Vec::new(), Vec::new(), Vec::new());
    one.poses(3.0, &mut before);
    one.poses(3.0 + 1.0 / 60.0, &mut after);
    two.poses(3.0, &mut again);
    assert_eq!(before, again);
    for (part, (before, after)) in one.parts.iter().zip(before.iter().zip(&after)) {
        assert!((before.rotation.length() - 1.0).abs() < 1e-6);
        let step = (after.translation - before.translation).length();
        let turn = before.rotation.angle_between(after.rotation);
        assert!(step < 0.02 && turn < 0.003, "{part:?}: {step}, {turn}");
        assert!((before.translation.as_dvec3() - part.position).length() < 0.1);
    }
    let moved = before.iter().zip(&after).filter(|(before, after)| before != after).count();
    assert_eq!(moved, one.parts.len());
}

#[test]
fn clocks_are_the_same_bits_everywhere() {
    let clock = Clock::new(&ClockSettings::default().with_size(3, 2).with_detail(1));
    let mut poses = Vec::new();
    clock.poses(7.3, &mut poses);
    let coordinates = poses.iter().flat_map(|pose| {
        let turn = pose.rotation;
        [pose.translation.to_array(), [turn.x, turn.y, turn.z]].concat()
    });
    let n_slots = super::hash(coordinates.map(|x| u64::from(x.to_bits())));
    let corners = clock.meshes.iter().flat_map(|mesh| &mesh.vertices).flat_map(|v| v.to_array());
    let corners = super::hash(corners.map(f64::to_bits));
    assert_eq!((n_slots, corners), (3644269272833802441, 13022968291434188456));
}
