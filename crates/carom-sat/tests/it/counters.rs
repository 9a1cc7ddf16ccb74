//! Counts of work: those that can be counted by hand, and answers that counting does not change.

use crate::box_box::{half, turn};
use carom_geom::{ConvexHull, Manifold};
use carom_math::{Pose, Quat, Vec3, WidePose};
use carom_sat::hull_hull::HullCache;
use carom_sat::{Chosen, Counters, box_box, box_depth, feature_walk, hull_hull};
use core::cell::Cell;
use proptest::prelude::*;

/// The axes that one question measured, and its answer.
fn axes<T>(query: impl FnOnce(&Cell<Counters>) -> T) -> (u32, T) {
    let counters = Cell::new(Counters::default());
    let answer = query(&counters);
    (counters.get().axes, answer)
}

/// Whether unit cubes share a point, B there.
fn cubes(b_in_a: &Pose) -> (u32, Option<bool>) {
    let half = Vec3::splat(0.5);
    axes(|tally| box_depth::intersects_counted(half, half, &b_in_a.wide(), tally))
}

fn block(half: Vec3) -> ConvexHull {
    let corner = |i: u32| {
        let side = |bit: u32, x: f32| if i & bit == 0 { x } else { -x };
        Vec3::new(side(1, half.x), side(2, half.y), side(4, half.z))
    };
    ConvexHull::from_points(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
}

#[test]
fn boxes_that_are_apart_end_at_the_first_axis_with_a_gap() {
    for (number, axis) in Vec3::AXES.into_iter().enumerate() {
        assert_eq!(cubes(&Pose::from_translation(axis * 2.0)), (number as u32 + 1, Some(false)));
    }
    // A turned cube beside a corner of A: no face of A shows the gap, and the first of B does.
    let turned = Pose::new(Quat::from_rotation_z(core::f32::consts::FRAC_PI_4), Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(cubes(&turned), (4, Some(false)));
    // Two edges that cross at right angles: no face shows the gap.
    let quarter = core::f32::consts::FRAC_PI_4;
    let (a, b) = (Quat::from_rotation_x(quarter), Quat::from_rotation_z(quarter));
    let crossed = Pose::new(a.inverse() * b, a.inverse() * (Vec3::Y * 1.5));
    assert_eq!(cubes(&crossed), (15, Some(false)));
    // The corners of a cube on a slab are over its face, which proves the least overlap.
    let (slab, cube) = (Vec3::new(5.0, 0.5, 5.0), Vec3::splat(0.5));
    let on_top = Pose::from_translation(Vec3::Y * 0.9).wide();
    let query = |tally: &Cell<Counters>| box_depth::intersects_counted(slab, cube, &on_top, tally);
    assert_eq!(axes(query), (6, Some(true)));
    assert_eq!(box_box::separation(slab, cube, &on_top).unwrap().n_axes, 6);
    assert_eq!(box_box::separation(cube, cube, &crossed.wide()).unwrap().n_axes, 15);
}

#[test]
fn hulls_end_at_the_first_face_with_a_gap() {
    let cube = block(Vec3::splat(0.5));
    let far = |direction: Vec3| Pose::from_translation(direction * 2.0).wide();
    let n_faces = cube.n_faces() as u32;
    let mut counts = Vec::new();
    for axis in Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
        let query =
            |tally: &Cell<Counters>| hull_hull::manifold_counted(&cube, &cube, &far(axis), 0.0, None, tally);
        let (n_axes, manifold) = axes(query);
        assert!(manifold.is_none());
        let faces_there = |face: &u32| 0.99 < cube.face_normal(*face).dot(axis.as_dvec3());
        assert_eq!(Some(n_axes - 1), (0..n_faces).find(faces_there), "{axis}");
        counts.push(n_axes);
    }
    // One face after the other.
    counts.sort_unstable();
    assert_eq!(counts, [1, 2, 3, 4, 5, 6]);

    // The cached axis is the first.
    let mut cache = HullCache::default();
    let (here, beside) = (Pose::from_translation(Vec3::Y * 0.99), far(Vec3::Y));
    assert!(hull_hull::manifold(&cube, &cube, &here, 0.0, Some(&mut cache)).is_some());
    let query = |tally: &Cell<Counters>| {
        hull_hull::manifold_counted(&cube, &cube, &beside, 0.0, Some(&mut cache), tally)
    };
    assert_eq!(axes(query), (1, None));
    assert!(2 * n_faces <= hull_hull::separation(&cube, &cube, &here.wide()).unwrap().n_axes);
}

#[test]
fn a_walk_compares_as_many_features_as_it_says() {
    let (a, b) = (block(Vec3::new(0.5, 0.6, 0.7)), block(Vec3::splat(0.4)));
    let mut n_more = 0;
    for i in 0..200 {
        let angle = i as f32 * 0.37;
        let at = Vec3::new(angle.cos(), 0.4 * (3.0 * angle).sin(), angle.sin()) * 2.0;
        let b_in_a = Pose::new(Quat::from_rotation_y(angle) * Quat::from_rotation_x(0.3 * angle), at).wide();
        let counters = Cell::new(Counters::default());
        let mut features = None;
        let walked = feature_walk::distance_inside(&a, &b, &b_in_a, &mut features, 0.0, &counters);
        let Some(walked) = walked else { continue };
        assert_eq!(counters.get().feature_pairs, walked.n_tests);
        n_more += u32::from(1 < walked.n_tests);
    }
    assert!(100 < n_more, "{n_more}");
}

/// Answers, counted and not, of boxes and of hulls in the same place.
fn check_same(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose, prediction: f32) {
    let plain = (box_depth::depth(half_a, half_b, b_in_a), box_depth::intersects(half_a, half_b, b_in_a));
    let (n_depth, depth) = axes(|tally| box_depth::depth_counted(half_a, half_b, b_in_a, tally));
    let (n_meet, meet) = axes(|tally| box_depth::intersects_counted(half_a, half_b, b_in_a, tally));
    assert_eq!((depth, meet), plain);
    assert!(n_depth <= 15 && n_meet <= 15);
    let mut written = [Manifold::new(Vec3::ZERO); 2];
    let (mut chosen, [plain, counted]) = (Chosen::new(), &mut written);
    let is_near = box_box::write_manifold(half_a, half_b, b_in_a, prediction, &mut chosen, plain);
    let mut chosen = Chosen::new();
    let query = |tally: &Cell<Counters>| {
        box_box::write_manifold_counted(half_a, half_b, b_in_a, prediction, &mut chosen, counted, tally)
    };
    assert_eq!(axes(query).1, is_near);
    assert_eq!(written[0], written[1]);
    if 0.0 < half_a.min(half_b).min_element() {
        let (a, b) = (block(half_a), block(half_b));
        let query =
            |tally: &Cell<Counters>| hull_hull::manifold_counted(&a, &b, b_in_a, prediction, None, tally);
        let (n_axes, manifold) = axes(query);
        assert_eq!(manifold, hull_hull::manifold_wide(&a, &b, b_in_a, prediction, None));
        // Faces of both, and at most all pairs of edges, each of them twice.
        let n_edges = |hull: &ConvexHull| hull.half_edges().len() as u32 / 2;
        let most = (a.n_faces() + b.n_faces()) as u32 + 2 * n_edges(&a) * n_edges(&b);
        let least = u32::from(b_in_a.translation.is_finite());
        assert!(least <= n_axes && n_axes <= least * most, "{n_axes} of {most}");
    }
}

/// Regression: a pose that is not a number measures no axis of hulls.
#[test]
fn a_pose_that_is_not_a_number_costs_no_axis() {
    let (half_a, half_b) = (Vec3::new(0.1, 0.0001, 0.1), Vec3::new(0.1, 0.1, 0.0001));
    let nowhere = Pose::from_translation(Vec3::NAN).wide();
    check_same(half_a, half_b, &nowhere, 0.0);
    let (a, b) = (block(half_a), block(half_b));
    let query = |tally: &Cell<Counters>| hull_hull::manifold_counted(&a, &b, &nowhere, 0.0, None, tally);
    assert_eq!(axes(query), (0, None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn counting_changes_no_answer(
        half_a in half(), half_b in half(), rotation in turn(),
        toward in [-1.0f32..1.0, -1.0..1.0, -1.0..1.0],
        reach in prop_oneof![Just(0.0f32), 0.0f32..1.2, Just(f32::NAN), Just(1e30)],
        prediction in prop_oneof![Just(0.0f32), 0.0f32..0.5],
    ) {
        let b_in_a = Pose::new(rotation, Vec3::from(toward) * (half_a + half_b) * reach).wide();
        check_same(half_a, half_b, &b_in_a, prediction);
    }
}
