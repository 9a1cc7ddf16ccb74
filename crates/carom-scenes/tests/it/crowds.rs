//! Crowds are dense, move and repeat as they should.

use carom_bounds::BoundingVolume;
use carom_scenes::{Crowd, CrowdKind};

fn n_pairs(crowd: &Crowd) -> usize {
    let boxes = crowd.boxes();
    (0..boxes.len()).map(|i| boxes[i + 1..].iter().filter(|b| boxes[i].overlaps(b)).count()).sum()
}

#[test]
fn every_kind_is_sound_and_repeatable() {
    for kind in CrowdKind::ALL {
        let (mut one, mut two) = (Crowd::new(kind, 700, 3), Crowd::new(kind, 700, 3));
        for frame in 0..40 {
            assert_eq!(one.boxes(), two.boxes(), "{}", kind.name());
            let before = one.boxes().to_vec();
            let moved = one.step().to_vec();
            two.step();
            assert!(one.boxes().iter().all(|b| b.check().is_ok()));
            assert!(moved.is_sorted());
            for i in 0..before.len() {
                let is_same = before[i] == one.boxes()[i];
                assert!(is_same || moved.contains(&(i as u32)), "{} frame {frame}", kind.name());
            }
            let expected = match kind {
                CrowdKind::Static90 => 70,
                CrowdKind::Floor => 699,
                _ => 700,
            };
            assert_eq!(moved.len(), expected);
        }
    }
}

#[test]
fn uniform_has_about_one_and_a_half_overlaps_a_box() {
    let per_box = 2.0 * n_pairs(&Crowd::new(CrowdKind::Uniform, 4000, 1)) as f64 / 4000.0;
    assert!((1.1..1.7).contains(&per_box), "{per_box}");
}

#[test]
fn floor_rests_in_contact() {
    let mut crowd = Crowd::new(CrowdKind::Floor, 2000, 1);
    crowd.step();
    let per_box = n_pairs(&crowd) as f64 / 2000.0;
    assert!((0.6..6.0).contains(&per_box), "{per_box}");
    let slab = crowd.boxes().iter().max_by(|a, b| a.extents().x.total_cmp(&b.extents().x)).unwrap();
    assert!(crowd.boxes().iter().filter(|b| slab.overlaps(b)).count() > 80);
}

#[test]
fn mixed_spans_three_decades() {
    let crowd = Crowd::new(CrowdKind::Mixed, 20_000, 1);
    let sizes: Vec<f32> = crowd.boxes().iter().map(|b| b.extents().max_element()).collect();
    assert!(sizes.iter().copied().fold(f32::INFINITY, f32::min) < 0.11);
    assert!(sizes.iter().copied().fold(0.0, f32::max) > 5.0);
    let small = sizes.iter().filter(|s| **s < 0.3).count();
    assert!(small > 16_000, "most are small: {small}");
}

#[test]
fn tiny_crowds_do_not_fail() {
    for kind in CrowdKind::ALL {
        for n in 0..4 {
            let mut crowd = Crowd::new(kind, n, 1);
            for _ in 0..200 {
                crowd.step();
            }
            assert!(crowd.boxes().len() == n && crowd.boxes().iter().all(|b| b.check().is_ok()));
        }
    }
}

#[test]
fn crowds_are_the_same_bits_everywhere() {
    let mut all = Vec::new();
    for kind in CrowdKind::ALL {
        let mut crowd = Crowd::new(kind, 300, 11);
        for _ in 0..5 {
            crowd.step();
        }
        let corners = crowd.boxes().iter().flat_map(|b| [b.min.to_array(), b.max.to_array()]);
        all.extend(corners.flatten().map(|x| u64::from(x.to_bits())));
    }
    assert_eq!(super::hash(all), CROWDS);
}
const CROWDS: u64 = 6967817453986169328;
