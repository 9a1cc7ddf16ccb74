//! The density, the motion and the repeatability of crowds.

use carom_bounds::BoundingVolume;
use carom_scenes::{Crowd, CrowdKind};
use glam::Vec3;

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
                // The others have landed.
                CrowdKind::FreeFall => moved.len(),
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

fn after(kind: CrowdKind, n: usize, frames: usize) -> Crowd {
    let mut crowd = Crowd::new(kind, n, 1);
    for _ in 0..frames {
        crowd.step();
    }
    crowd
}

fn middle(crowd: &Crowd) -> Vec3 {
    crowd.boxes().iter().map(|b| b.center()).sum::<Vec3>() / crowd.boxes().len() as f32
}

#[test]
fn one_of_a_hundred_is_fast() {
    let mut crowd = Crowd::new(CrowdKind::Fast, 2000, 1);
    let side = 22.0_f32;
    for _ in 0..30 {
        let before = crowd.boxes().to_vec();
        crowd.step();
        for (i, (old, new)) in before.iter().zip(crowd.boxes()).enumerate() {
            let step = (new.center() - old.center()).length();
            // A box that is reflected moves less far.
            let limit = if i.is_multiple_of(100) { 0.1 * side + 0.1 } else { 0.011 };
            assert!(step < limit, "box {i} moved {step}");
        }
    }
    let (first, then) = (Crowd::new(CrowdKind::Fast, 2000, 1), after(CrowdKind::Fast, 2000, 5));
    let far = (0..2000)
        .filter(|&i| 0.1 * side < (then.boxes()[i].center() - first.boxes()[i].center()).length())
        .count();
    assert!((15..=20).contains(&far), "{far} boxes have gone far");
}

#[test]
fn the_giant_touches_all_the_others_for_ever() {
    let mut crowd = Crowd::new(CrowdKind::Giant, 500, 1);
    for _ in 0..2000 {
        crowd.step();
        let giant = crowd.boxes()[250];
        assert!(crowd.boxes().iter().all(|b| giant.overlaps(b)));
    }
    let large = crowd.boxes().iter().filter(|b| 2.0 < b.extents().max_element()).count();
    assert_eq!(large, 1, "the others are ants");
}

#[test]
fn cubes_of_broadmark_fill_a_tenth_of_the_world_and_stay_in_it() {
    let n = 3000;
    let side = (n as f32 / 0.1).cbrt();
    for kind in [CrowdKind::Brownian, CrowdKind::FreeFall, CrowdKind::Gravity] {
        let mut crowd = Crowd::new(kind, n, 1);
        for _ in 0..300 {
            crowd.step();
            for b in crowd.boxes() {
                assert!((b.extents() - 1.0).abs().max_element() < 1e-4);
                assert!(-1e-3 < b.min.min_element() && b.max.max_element() < side + 1e-3, "{b:?}");
            }
        }
    }
}

/// In each frame a hundredth of the cubes gets a new velocity, and the walls reflect some.
#[test]
fn brownian_cubes_change_their_minds_in_turn() {
    let n = 2000;
    let mut crowd = Crowd::new(CrowdKind::Brownian, n, 1);
    let centers = |crowd: &Crowd| crowd.boxes().iter().map(|b| b.center()).collect::<Vec<_>>();
    let mut all = vec![centers(&crowd)];
    for _ in 0..110 {
        crowd.step();
        all.push(centers(&crowd));
    }
    let mut turned = vec![0; n];
    for frame in all.windows(3) {
        for i in 0..n {
            let change = (frame[2][i] - frame[1][i]) - (frame[1][i] - frame[0][i]);
            turned[i] += u32::from(1e-3 < change.length());
        }
    }
    assert!(turned.iter().all(|&times| 1 <= times), "each has a new velocity within 100 frames");
    let mean = f64::from(turned.iter().sum::<u32>()) / n as f64;
    assert!((1.0..8.0).contains(&mean), "{mean} turns a cube in 109 frames");
    // The fastest cube moves 1/40 of the side in a frame.
    let step = all[1].iter().zip(&all[0]).map(|(new, old)| (*new - *old).length()).fold(0.0, f32::max);
    let fastest = 0.75 / 30.0 * 20_000_f32.cbrt();
    assert!((0.9 * fastest..1.001 * fastest).contains(&step), "{step}");
    let per_box = n_pairs(&crowd) as f64 / n as f64;
    assert!((0.3..0.6).contains(&per_box), "{per_box} pairs a box");
}

#[test]
fn boxes_that_fall_freely_land_and_rest() {
    let n = 3000;
    let mut crowd = Crowd::new(CrowdKind::FreeFall, n, 1);
    let mut n_moved = vec![crowd.step().len()];
    for _ in 0..260 {
        n_moved.push(crowd.step().len());
    }
    assert!(n_moved.is_sorted_by(|a, b| b <= a), "nobody gets up again");
    assert!(n / 2 < n_moved[60] && n_moved[140] < n / 4, "{} and {}", n_moved[60], n_moved[140]);
    assert_eq!(n_moved.last(), Some(&0));
    let per_box = n_pairs(&crowd) as f64 / n as f64;
    assert!((1.2..6.0).contains(&per_box), "{per_box} pairs a box in the heap");
    assert!(middle(&crowd).y < 0.15 * (10.0 * n as f32).cbrt());
}

#[test]
fn gravity_throws_all_of_them_about() {
    let n = 3000;
    let side = (10.0 * n as f32).cbrt();
    let mut crowd = Crowd::new(CrowdKind::Gravity, n, 1);
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let mut most = 0.0_f64;
    for frame in 0..600 {
        assert_eq!(crowd.step().len(), n);
        let middle = middle(&crowd) / side;
        (low, high) = (low.min(middle), high.max(middle));
        if frame % 60 == 0 {
            most = most.max(n_pairs(&crowd) as f64 / n as f64);
        }
    }
    assert!(0.15 < (high - low).min_element(), "{low} to {high}");
    assert!((0.7..5.0).contains(&most), "{most} pairs a box at most");
}

/// One hash for the oldest kinds, and one for the later ones.
#[test]
fn crowds_are_the_same_bits_everywhere() {
    let hash = |kinds: &[CrowdKind]| {
        let mut all = Vec::new();
        for kind in kinds {
            let mut crowd = Crowd::new(*kind, 300, 11);
            for _ in 0..5 {
                crowd.step();
            }
            let corners = crowd.boxes().iter().flat_map(|b| [b.min.to_array(), b.max.to_array()]);
            all.extend(corners.flatten().map(|x| u64::from(x.to_bits())));
        }
        super::hash(all)
    };
    assert_eq!(hash(&CrowdKind::ALL[..6]), CROWDS);
    assert_eq!(hash(&CrowdKind::ALL[6..]), LATER_CROWDS);
}

const CROWDS: u64 = 6967817453986169328;
const LATER_CROWDS: u64 = 18003354896682864851;
