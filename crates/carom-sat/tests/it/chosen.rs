//! If there are more contacts than room, those that were kept before are kept.

use crate::box_box::surface_distance;
use carom_geom::{ConvexHull, FeatureId, Manifold};
use carom_math::{Pose, Quat, Vec3};
use carom_sat::{Chosen, Witness, box_box, manifold_from_normal_with};
use proptest::prelude::*;
use std::collections::HashSet;

const HALF: Vec3 = Vec3::splat(0.5);
const PREDICTION: f32 = 0.02;
/// A kept contact is less deep than the deepest by at most this.
const SLACK: f32 = PREDICTION / 8.0;

/// B on top of A, turned by an eighth, so that their faces share eight corners; leaning a little to
/// any side.
fn on_top(lean_x: f32, lean_z: f32, sunk: f32) -> Pose {
    let lean = Quat::from_xyzw(0.5 * lean_x, 0.0, 0.5 * lean_z, 1.0).normalize();
    let turn =
        Quat::from_xyzw(0.0, (core::f32::consts::PI / 8.0).sin(), 0.0, (core::f32::consts::PI / 8.0).cos());
    Pose::new(lean * turn, Vec3::new(0.0, 1.0 - sunk, 0.0))
}

fn boxes(b_in_a: &Pose, chosen: &mut Chosen) -> Manifold {
    let mut manifold = Manifold::new(Vec3::ZERO);
    assert!(box_box::write_manifold(HALF, HALF, &b_in_a.wide(), PREDICTION, chosen, &mut manifold));
    manifold
}

fn hulls(b_in_a: &Pose, chosen: &mut Chosen) -> Manifold {
    let corners: Vec<Vec3> = (0..8u8)
        .map(|k| {
            let sign = |bit: u8| if k & bit == 0 { 0.5 } else { -0.5 };
            Vec3::new(sign(1), sign(2), sign(4))
        })
        .collect();
    let hull = ConvexHull::from_points(&corners).unwrap();
    let deepest = boxes(b_in_a, &mut Chosen::new()).deepest().copied().unwrap();
    let witness = Witness {
        normal: deepest.normal,
        distance: deepest.distance,
        point_a: deepest.point_a,
        point_b: deepest.point_b,
    };
    manifold_from_normal_with(&hull, &hull, &b_in_a.wide(), &witness, PREDICTION, chosen)
}

fn features(manifold: &Manifold) -> Vec<(FeatureId, FeatureId)> {
    manifold.contacts().iter().map(|c| (c.feature_a, c.feature_b)).collect()
}

/// A tremor: leaning by up to 0.3 mm, round and round.
fn tremor(step: u32) -> Pose {
    let angle = 2.399_963 * step as f32;
    on_top(0.0006 * angle.sin(), 0.0006 * angle.cos(), 0.001)
}

#[test]
fn a_tremor_does_not_move_the_load() {
    for manifold in [boxes, hulls] {
        let mut chosen = Chosen::new();
        let kept: HashSet<_> = (0..100).map(|step| features(&manifold(&tremor(step), &mut chosen))).collect();
        let anew: HashSet<_> =
            (0..100).map(|step| features(&manifold(&tremor(step), &mut Chosen::new()))).collect();
        assert!(kept.len() == 1 && 1 < anew.len(), "{} {}", kept.len(), anew.len());
    }
}

#[test]
fn what_is_truly_deeper_is_kept() {
    for manifold in [boxes, hulls] {
        for step in 0..50 {
            let mut chosen = Chosen::new();
            let _ = manifold(&tremor(step), &mut chosen);
            let angle = 1.7 * step as f32;
            let leaning = on_top(0.02 * angle.sin(), 0.02 * angle.cos(), 0.001);
            let deepest = manifold(&leaning, &mut Chosen::new()).deepest().unwrap().distance;
            let kept = manifold(&leaning, &mut chosen).deepest().unwrap().distance;
            assert!(kept <= deepest + SLACK, "{kept} {deepest}");
        }
    }
}

/// With an endless prediction the old contacts were kept, however deep a new one was.
#[test]
fn r_an_endless_prediction_keeps_no_shallow_contacts() {
    for prediction in [f32::INFINITY, 1e6, 50.0] {
        let touching = |b_in_a: &Pose, chosen: &mut Chosen| {
            let mut manifold = Manifold::new(Vec3::ZERO);
            assert!(box_box::write_manifold(HALF, HALF, &b_in_a.wide(), prediction, chosen, &mut manifold));
            manifold
        };
        let mut n_deeper = 0;
        for step in 0..50 {
            let mut chosen = Chosen::new();
            let _ = touching(&tremor(step), &mut chosen);
            let angle = 1.7 * step as f32;
            let leaning = on_top(0.7 * angle.sin(), 0.7 * angle.cos(), 0.0);
            let anew = touching(&leaning, &mut Chosen::new());
            let kept = touching(&leaning, &mut chosen);
            let [deepest, of_kept] = [&anew, &kept].map(|m| m.deepest().unwrap().distance);
            // An eighth of a diagonal of the face.
            assert!(of_kept <= deepest + 0.18, "{prediction}: {of_kept} {deepest}");
            n_deeper += usize::from(features(&anew) != features(&kept));
        }
        println!("{n_deeper} differ");
    }
}

proptest! {
    // Whatever was kept before: contacts on both surfaces, as many as without memory, one as deep
    // to an eighth of the prediction.
    #[test]
    fn memory_does_no_harm(
        steps in proptest::collection::vec((-0.9f32..0.9, 0.9f32..1.01, -0.9f32..0.9, prop::array::uniform4(-1.0f32..1.0)), 2..12),
        is_flat in any::<bool>(),
    ) {
        let mut chosen = Chosen::new();
        for (x, y, z, turn) in steps {
            let mut turn = Quat::from_array(turn);
            if is_flat {
                (turn.x, turn.z) = (0.01 * turn.x, 0.01 * turn.z);
            }
            prop_assume!(0.1 < turn.length());
            let b_in_a = Pose::new(turn.normalize(), Vec3::new(x, y, z));
            let mut with = Manifold::new(Vec3::ZERO);
            let found = box_box::write_manifold(HALF, HALF, &b_in_a.wide(), PREDICTION, &mut chosen, &mut with);
            let without = box_box::manifold(HALF, HALF, &b_in_a, PREDICTION);
            prop_assert_eq!(found, without.is_some());
            let Some(without) = without else { continue };
            prop_assert_eq!(with.normal(), without.normal());
            prop_assert_eq!(with.contacts().len(), without.contacts().len());
            prop_assert!(with.deepest().unwrap().distance <= without.deepest().unwrap().distance + SLACK);
            for c in with.contacts() {
                prop_assert!(surface_distance(HALF, c.point_a.as_dvec3()).abs() < 2e-3 + f64::from(c.distance.abs()));
                prop_assert!(c.distance <= PREDICTION);
            }
        }
    }
}
