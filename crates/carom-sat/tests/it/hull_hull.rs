//! Hull against hull: depth against all axes by projection, against published answers, and what a
//! manifold promises.

use carom_geom::{ConvexHull, Manifold, SupportMap};
use carom_math::{Pose, Quat, Vec3, WidePose};
use carom_sat::{box_box, hull_hull};
use carom_testkit::{data, oracle::sat};
use glam::{DMat3, DVec3};
use proptest::prelude::*;

fn corners(hull: &ConvexHull, pose: &WidePose) -> Vec<DVec3> {
    hull.vertices().iter().map(|v| pose.transform_point(v.as_dvec3())).collect()
}

fn oracle(a: &ConvexHull, b: &ConvexHull, pose: &WidePose) -> f64 {
    let frame = |hull: &ConvexHull, pose: &WidePose| {
        let normals: Vec<DVec3> =
            (0..hull.n_faces() as u32).map(|f| pose.transform_vector(hull.face_normal(f))).collect();
        let at = corners(hull, pose);
        let mut edges = Vec::new();
        for edge in hull.half_edges() {
            let end = hull.half_edges()[edge.twin as usize].origin;
            if edge.origin < end {
                edges.push(at[end as usize] - at[edge.origin as usize]);
            }
        }
        (at, normals, edges)
    };
    let (points_a, normals_a, edges_a) = frame(a, &WidePose::IDENTITY);
    let (points_b, normals_b, edges_b) = frame(b, pose);
    // Edges of almost the same direction give axes that are all rounding; faces stand for them.
    let axes = sat::all_axes(&normals_a, &edges_a, &normals_b, &edges_b);
    sat::least_overlap(&points_a, &points_b, axes).unwrap().0
}

/// How far outside the hull's surface, by its planes: zero is on it.
fn surface_distance(hull: &ConvexHull, p: DVec3) -> f64 {
    (0..hull.n_faces() as u32)
        .map(|f| hull.face_normal(f).dot(p) - hull.face_offset(f))
        .fold(f64::NEG_INFINITY, f64::max)
}

fn check(a: &ConvexHull, b: &ConvexHull, pose: &WidePose, prediction: f32) -> Option<Manifold> {
    let size = a.radius() + b.radius();
    let rounding = 1e-6 * (size + a.center().length() + b.center().length());
    let overlap = oracle(a, b, pose);
    let found = hull_hull::separation(a, b, pose).unwrap();
    let distance = f64::from(found.distance);
    if 0.0 < overlap {
        let rounded = -1.2e-7 * overlap - 1e-11 * size..=1e-11 * size;
        assert!(rounded.contains(&(distance + overlap)), "{found:?} of {overlap}");
    } else {
        // Apart: faces and crossing edges find a gap, not always the largest over all axes.
        // Rounded down to `f32`, so it stays a lower bound.
        assert!(-1e-11 * size <= distance && distance <= -overlap + 1e-11 * size, "{found:?} of {overlap}");
    }
    let swapped = hull_hull::separation(b, a, &pose.inverse()).unwrap();
    assert!((f64::from(swapped.distance) - distance).abs() <= 2.4e-7 * distance.abs() + 1e-10 * size);

    let mut cache = hull_hull::HullCache::default();
    let manifold = hull_hull::manifold_wide(a, b, pose, prediction, Some(&mut cache));
    assert_eq!(manifold, hull_hull::manifold_wide(a, b, pose, prediction, Some(&mut cache)));
    let Some(manifold) = manifold else {
        assert!(overlap < 1e-11 * size, "no manifold at {overlap}");
        return None;
    };
    if 0.0 < overlap {
        let deepest = f64::from(manifold.deepest().unwrap().distance);
        assert!((deepest + overlap).abs() <= rounding, "deepest {deepest} of {overlap}: {manifold:?}");
    }
    for c in manifold.contacts() {
        assert!(c.distance <= prediction);
        let (p, q) = (c.point_a.as_dvec3(), c.point_b.as_dvec3());
        assert!(surface_distance(a, p).abs() <= rounding, "A {} {c:?}", surface_distance(a, p));
        let own = pose.inverse_transform_point(q);
        assert!(surface_distance(b, own).abs() <= rounding, "B {} {c:?}", surface_distance(b, own));
        let along = (q - p).dot(c.normal.as_dvec3());
        assert!((along - f64::from(c.distance)).abs() <= rounding);
        assert!((-overlap - rounding) <= along);
    }
    Some(manifold)
}

fn hull_of(points: &[Vec3]) -> Option<ConvexHull> {
    ConvexHull::from_points(points).ok()
}

fn turn() -> impl Strategy<Value = Quat> {
    let free = [-1.0f32..1.0, -1.0..1.0, -1.0..1.0, 0.01..1.0]
        .prop_map(|[x, y, z, w]| Quat::from_xyzw(x, y, z, w).normalize());
    prop_oneof![4 => free, 1 => Just(Quat::IDENTITY), 1 => (0u32..8).prop_map(|k| Quat::from_rotation_y(k as f32 * std::f32::consts::FRAC_PI_4))]
}

fn points() -> impl Strategy<Value = Vec<Vec3>> {
    let free = proptest::collection::vec([-1.0f32..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vec3::from), 4..16);
    let lattice = proptest::collection::vec(
        [-1i32..2, -1..2, -1..2].prop_map(|v| Vec3::from(v.map(|x| x as f32))),
        4..12,
    );
    let flat = proptest::collection::vec([-1.0f32..1.0, -1e-3..1e-3, -1.0..1.0].prop_map(Vec3::from), 4..12);
    prop_oneof![3 => free, 2 => lattice, 1 => flat]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn agrees_with_all_axes(
        a in points(), b in points(), rotation in turn(),
        toward in [-1.5f32..1.5, -1.5..1.5, -1.5..1.5], prediction in prop_oneof![Just(0.0f32), 0.0f32..0.2],
    ) {
        if let (Some(a), Some(b)) = (hull_of(&a), hull_of(&b)) {
            check(&a, &b, &Pose::new(rotation, toward.into()).wide(), prediction);
        }
    }

    #[test]
    fn scales_to_the_bit(a in points(), b in points(), rotation in turn(), toward in [-1.0f32..1.0, -1.0..1.0, -1.0..1.0], exponent in -12i32..12) {
        let scale = 2f32.powi(exponent);
        let scaled = |points: &[Vec3]| hull_of(&points.iter().map(|&p| p * scale).collect::<Vec<_>>());
        if let (Some(a1), Some(b1), Some(a2), Some(b2)) = (hull_of(&a), hull_of(&b), scaled(&a), scaled(&b)) {
            let toward = Vec3::from(toward);
            let one = hull_hull::manifold(&a1, &b1, &Pose::new(rotation, toward), 0.125, None);
            let two = hull_hull::manifold(&a2, &b2, &Pose::new(rotation, toward * scale), 0.125 * scale, None);
            prop_assert_eq!(one.is_some(), two.is_some());
            if let (Some(one), Some(two)) = (one, two) {
                prop_assert_eq!(one.normal(), two.normal());
                let distances = |m: &Manifold, scale: f32| m.contacts().iter().map(|c| c.distance * scale).collect::<Vec<_>>();
                prop_assert_eq!(distances(&one, scale), distances(&two, 1.0));
            }
        }
    }
}

/// A box as a hull gives what the box gives.
#[test]
fn boxes_as_hulls() {
    let half = Vec3::new(0.5, 0.4, 0.3);
    let points: Vec<Vec3> = (0..8)
        .map(|k| half * Vec3::new([-1.0, 1.0][k & 1], [-1.0, 1.0][k >> 1 & 1], [-1.0, 1.0][k >> 2]))
        .collect();
    let hull = hull_of(&points).unwrap();
    for k in 0..300 {
        let angle = k as f32 * 0.37;
        let turn = Quat::from_euler(glam::EulerRot::XYZ, angle, angle * 1.7, angle * 0.3);
        let pose =
            Pose::new(turn, Vec3::new(angle.sin() * 0.8, angle.cos() * 0.5, (angle * 2.0).sin() * 0.4));
        let of_boxes = box_box::separation(half, half, &pose.wide()).unwrap();
        let of_hulls = hull_hull::separation(&hull, &hull, &pose.wide()).unwrap();
        if of_boxes.distance < 0.0 {
            assert!((of_boxes.distance - of_hulls.distance).abs() < 1e-6, "{of_boxes:?} {of_hulls:?}");
        } else {
            assert!(0.0 <= of_hulls.distance);
        }
        check(&hull, &hull, &pose.wide(), 0.02);
    }
    let on_top =
        check(&hull, &hull, &Pose::from_translation(Vec3::new(0.1, 0.799, 0.0)).wide(), 0.01).unwrap();
    assert_eq!(on_top.contacts().len(), 4);
}

/// Three hundred pairs with the depth from the explicit Minkowski difference.
#[test]
fn published_depths() {
    let (Some(sets), Some(cases)) = (data::find("hulls/jolt_hulls.bin"), data::find("hulls/hull_cases.json"))
    else {
        return;
    };
    let bytes = std::fs::read(sets).unwrap();
    let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
    let (mut sets, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let n = u32::from_le_bytes(word(at)) as usize;
        at += 4;
        let number = |k: usize| f32::from_le_bytes(word(at + 4 * k));
        sets.push(
            (0..n)
                .map(|k| Vec3::new(number(3 * k), number(3 * k + 1), number(3 * k + 2)))
                .collect::<Vec<_>>(),
        );
        at += 12 * n;
    }
    let cases: serde_json::Value = serde_json::from_slice(&std::fs::read(cases).unwrap()).unwrap();
    let mut n_deep = 0;
    for case in cases["cases"].as_array().unwrap() {
        let set = |name: &str| hull_of(&sets[case[name].as_u64().unwrap() as usize]);
        let (Some(a), Some(b)) = (set("hull_a"), set("hull_b")) else { continue };
        let m: Vec<f64> = case["pose_b"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let pose = WidePose {
            rotation: DMat3::from_cols(
                DVec3::new(m[0], m[4], m[8]),
                DVec3::new(m[1], m[5], m[9]),
                DVec3::new(m[2], m[6], m[10]),
            ),
            translation: DVec3::new(m[3], m[7], m[11]),
        };
        let size = case["size"].as_f64().unwrap();
        let depth = case["expected"]["depth_minkowski"].as_f64().unwrap();
        let found = hull_hull::separation(&a, &b, &pose).unwrap();
        if case["expected"]["intersect"].as_bool().unwrap() {
            n_deep += 1;
            let error = (f64::from(found.distance) + depth).abs();
            assert!(error <= 2e-6 * size, "case {}: {found:?} of {depth}", case["id"]);
        } else {
            assert!(0.0 < found.distance, "case {}: {found:?}", case["id"]);
        }
    }
    assert!(50 < n_deep);
}

/// Hulls whose closest points lie in other features than those along the axis of the largest gap:
/// found on random bytes.
#[cfg(feature = "f64")]
#[test]
fn closest_beside_the_features_of_the_axis() {
    use carom_geom::f64::ConvexHull;
    use carom_math::f64::Pose;
    use core::f64::consts::FRAC_1_SQRT_2 as HALF;
    use glam::DQuat;
    let hull = |points: &[[f64; 3]]| {
        ConvexHull::from_points(&points.iter().map(|&p| DVec3::from(p)).collect::<Vec<_>>()).unwrap()
    };
    let nearest = |a: &ConvexHull, b: &ConvexHull, pose: &Pose, prediction: f64| {
        let manifold = carom_sat::f64::hull_hull::manifold(a, b, pose, prediction, None)?;
        manifold.deepest().map(|contact| contact.distance)
    };
    let a = hull(&[
        [7.546875, 0.6083052456378937, -3.0],
        [2.0, 0.0, 2.0],
        [0.0, 0.0, 2.0],
        [78.47265625, 1.0, 4.0],
        [0.0, 2.0, 2.0],
        [5.0, 1.52587890625e-5, 1.5258735402312595e-5],
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
    ]);
    let b = hull(&[[1.0, 2.0, 2.0], [2.0, 1.0, 0.0], [0.0, -8.0, 536870912.0], [0.0, 0.0, 0.0]]);
    let rotation = DQuat::from_xyzw(HALF, 0.0, 0.0, HALF);
    let pose = Pose { rotation, translation: DVec3::new(78.47265625, -3.0, 3.0) };
    let distance = nearest(&a, &b, &pose, 6.0).unwrap();
    assert!((4.0987..=6.0).contains(&distance), "{distance}");

    let a = hull(&[
        [0.0, 0.0, 1.0],
        [0.0, 2.0, 2.0],
        [2.0, 2.0, 2.0],
        [1.0, 0.0, 0.0],
        [16.0, -2.0, 0.4903900781646371],
    ]);
    let b = hull(&[
        [71.6015625, 2.0, 7.0],
        [0.0, 0.0, 2.0],
        [1.0, 1.0, 0.0],
        [1.0, 2.0, 2.0],
        [0.0, 0.0, 0.0],
        [0.0, 1.0, 1.0],
        [0.0, 1.0, 0.0],
        [3.5, 0.24519503908231854, 96.96484375],
        [96.96483612060547, 0.0, 8.0],
    ]);
    let rotation = DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    let pose = Pose { rotation, translation: DVec3::new(-5.0, 0.2464317139238119, -3.0) };
    let distance = nearest(&a, &b, &pose, 2.0).unwrap();
    assert!((1.712..=2.0).contains(&distance), "{distance}");
    assert_eq!(nearest(&a, &b, &pose, 1.7), None);
}

#[cfg(feature = "f64")]
mod found_on_random_bytes {
    use super::DVec3;
    use carom_geom::f64::{ConvexHull, Manifold};
    use carom_math::f64::Pose;
    use core::f64::consts::FRAC_1_SQRT_2 as HALF;
    use glam::DQuat;

    fn hull(points: &[[f64; 3]]) -> ConvexHull {
        ConvexHull::from_points(&points.iter().map(|&p| DVec3::from(p)).collect::<Vec<_>>()).unwrap()
    }

    fn manifold(
        a: &ConvexHull,
        b: &ConvexHull,
        rotation: [f64; 4],
        at: [f64; 3],
        prediction: f64,
    ) -> Option<Manifold> {
        let pose = Pose { rotation: DQuat::from_array(rotation), translation: at.into() };
        carom_sat::f64::hull_hull::manifold(a, b, &pose, prediction, None)
    }

    fn distances(manifold: &Manifold) -> Vec<f64> {
        manifold.contacts().iter().map(|contact| contact.distance).collect()
    }

    /// Edges of a billion, at an angle of 1e-8: where they are closest was lost to rounding, and
    /// with it the contact.
    #[test]
    fn splinters_nearly_parallel_have_their_closest_points() {
        let far = 1073741824.0;
        let a = hull(&[[0.0; 3], [5.0, far, 0.0], [2.0, 0.0, 1.0], [2.0, 0.0, 0.0]]);
        let b = hull(&[
            [4.9999999999990905, 4.656612873077393e-10, 0.0],
            [2.3283064365386963e-10; 3],
            [5.0, far, 8.0],
            [0.21898743510246277, 0.18578431010246277, 0.0],
            [-1.8626589159964624e-9, 0.0, 0.0],
            [0.0; 3],
        ]);
        let found = manifold(&a, &b, [0.0, 0.0, 0.0, 1.0], [5.0, 0.0, -5.0], 5.0).unwrap();
        let nearest = distances(&found).into_iter().fold(f64::INFINITY, f64::min);
        assert!((nearest - 4.123105624714138).abs() < 1e-6, "{nearest}");
    }

    /// A ball inside a hull of no thickness lay far outside, and spared the face that has the least
    /// overlap.
    #[test]
    fn a_sliver_of_no_thickness_has_the_depth_of_all_its_faces() {
        let (far, near, size) = (1125899906842624.0, 562949953421312.0, 2.3611831006973343e21);
        let least = 3.308722450212111e-24;
        let a = hull(&[
            [1.0, least, least],
            [1.0, 2.0, 2.0],
            [0.0; 3],
            [2.0, 0.0, 2.0],
            [0.0, 1.0, 1.0],
            [2.3611832414348226e21, far, size],
            [far, far, near],
        ]);
        let b = hull(&[
            [1.0, 2.0, 2.0],
            [2.0, 0.0, 2.0],
            [0.0, 1.0, 1.0],
            [2.3611832414348226e21, size, size],
            [near, -45.56640625, least],
            [0.0; 3],
        ]);
        let pose = Pose { rotation: DQuat::IDENTITY, translation: DVec3::Z * 6.0 };
        let found = carom_sat::f64::hull_hull::separation(&a, &b, &pose.wide()).unwrap();
        assert!((found.distance + 375299991317178.56).abs() < 1e-14 * size, "{found:?}");
    }

    /// A face as wide as the least number: all its sides hold the whole of a line, and a contact
    /// lay 3 away from it.
    #[test]
    fn a_contact_of_a_flat_hull_is_on_it() {
        let a = hull(&[[0.0; 3], [1.0, 1.0, 1.0], [0.0, -1.4e-45, -2.8e-45], [0.0, 0.0, -6.0]]);
        let b = hull(&[
            [0.0, 0.0, 1.0],
            [1.0, 2.0, 2.0],
            [4.0, -1.1095835361629725e-10, -5.0],
            [0.0; 3],
            [2.0, 0.0, 2.0],
        ]);
        let found = manifold(&a, &b, [0.0, 0.0, 0.0, 1.0], [0.0, 5.0, 0.0], 11.0).unwrap();
        let nearest = distances(&found).into_iter().fold(f64::INFINITY, f64::min);
        assert!((nearest - 4.0).abs() < 1e-9, "{found:?}");
        assert!(found.contacts().iter().all(|contact| contact.point_a.max_element() <= 1.0), "{found:?}");
    }

    /// A hull as large as the rounding of its place, which counted as a face: the contact lay 0.4
    /// away from it.
    #[test]
    fn a_contact_of_a_speck_is_on_it() {
        let step = |n: f64| 5.0 + n * 2.0_f64.powi(-50);
        let a = hull(&[
            [0.0, 0.0, 65536.0],
            [5.0, 5.0, 5.0],
            [5.0, step(1.0), step(1.0)],
            [step(1.0), step(1.0), step(1.0)],
            [step(1.0), step(1.0), step(2.0)],
        ]);
        let b = hull(&[
            [step(2.0), step(2.0), step(2.0)],
            [step(2.0), step(3.0), step(3.0)],
            [step(4.0), step(4.0), step(5.0)],
            [step(5.0), step(5.0), step(5.0)],
        ]);
        let found = manifold(&a, &b, [0.0, 0.0, 0.0, 1.0], [-4.0, 3.0, 1024.0], 4096.0).unwrap();
        for contact in found.contacts() {
            assert!((contact.point_b - DVec3::new(1.0, 8.0, 1029.0)).length() < 1e-11, "{contact:?}");
            assert!((contact.distance - 4.985573885534683).abs() < 1e-9, "{contact:?}");
        }
    }

    /// A hull that is an edge at its size: its face across the way to the other's edge lies a ten
    /// thousandth of that way beside it, which counted as over it.
    #[test]
    fn no_contact_is_nearer_than_needles_side_by_side() {
        const FAR: f64 = 8.457017397928852e37;
        let a = hull(&[
            [FAR, 8.456957564820521e37, FAR],
            [FAR, FAR, 1.4661391909554143e28],
            [FAR, FAR, -384017825792.0],
            [0.0, 1.0, 1.0],
            [0.0, 2.0, 1.0],
            [0.0, 0.0, 0.0],
            [1.0, 2.0, 2.0],
        ]);
        let b = hull(&[
            [2.0, 0.0, 0.0],
            [8.458315472143486e37, FAR, FAR],
            [0.0, 2.0, 1.0],
            [1.0, 1.0, 1.0],
            [0.0, 0.0, 1.0],
            [0.0, 0.0, 0.0],
            [0.0, 0.0, -1.0],
            [0.0, 1.0, 0.0],
            [0.0, 1.0, 1.0],
            [0.0, 0.0, 2.0],
        ]);
        let found = manifold(&a, &b, [0.5; 4], [0.0, -1.0, FAR], FAR).unwrap();
        let nearest = distances(&found).into_iter().fold(f64::INFINITY, f64::min);
        assert!((nearest - 6.904748118236909e37).abs() < 1e-11 * FAR, "{nearest:e}");
    }

    /// A face without width: its sides alone do not say where it ends, and the other body went
    /// through far beyond.
    #[test]
    fn a_face_without_width() {
        let a = hull(&[
            [0.0, 0.0, 0.0],
            [0.0, -6.0, -3.0],
            [-2.677865670781925e-36, -0.0, 262144.0],
            [0.0, 0.0, 2.0],
        ]);
        let b = hull(&[
            [262143.984375, -5.0, -4.729372449219227e-11],
            [2.0, -1.3389328353909625e-36, -2.0],
            [2.6239701630420976e-16, 6.0, -0.2712814277839394],
            [0.0, 8.0, 3.0],
            [-57.6953125, 3.725290298461914e-9, 3.0],
        ]);
        let found = manifold(&a, &b, [0.0, HALF, 0.0, HALF], [0.0, -1.0277e-10, 0.0], 0.0).unwrap();
        for distance in distances(&found) {
            assert!((distance + 0.000417).abs() < 1e-6, "{found:?}");
        }
    }

    /// The same seen from a segment: two contacts of the edge that is left, at their distance and
    /// not twice in one place.
    #[test]
    fn an_edge_over_a_face_without_width() {
        let a = hull(&[
            [1.0, 2.0, 2.0],
            [-2.5, 39.22265625, 70.64061737060547],
            [1.0, 1.0, 2.0],
            [-1.0, -106168.953125, 67.578125],
        ]);
        let b = hull(&[[1.0, 2.0, 0.0], [1.0, 1.0, 2.0], [0.0, 0.0, 0.0], [6.107559356759715e-41, 0.0, 0.0]]);
        let found =
            manifold(&a, &b, [0.0, 0.0, 0.0, 1.0], [-5.0, 70.640625, 5.0], 70.64062500000001).unwrap();
        for distance in distances(&found) {
            assert!(58.928242 <= distance, "{found:?}");
        }
    }

    /// Edges that are nearly parallel lie side by side, seen along the axis of the largest gap,
    /// which is less than the distance: the contact has the distance.
    #[test]
    fn edges_side_by_side() {
        let a = hull(&[
            [2.0, 1.0, 0.0],
            [1.0, 0.0, 2.0],
            [0.0, 1.181756847538054, 0.0],
            [1.0, 0.0, -1.0],
            [2.0, 2.0, 1.0],
            [0.0, 2.0, 2.0],
        ]);
        let b = hull(&[[-2.0, -12.44921875, 7.0], [0.0, -6.0, -3.0], [2.0, 2.0, 2.0], [-1.0, 2.0, 131072.0]]);
        let found = manifold(&a, &b, [0.0, 0.0, 0.0, 1.0], [0.0, -82.7265625, -2.0], 82.7265625).unwrap();
        let nearest = found.deepest().unwrap().distance;
        assert!((nearest - 80.73275544358589).abs() < 1e-9, "{found:?}");
        assert_eq!(manifold(&a, &b, [0.0, 0.0, 0.0, 1.0], [0.0, -82.7265625, -2.0], 80.73), None);
    }

    /// A flat hull's faces look opposite ways: their sum does not say on which side of an edge is
    /// outside.
    #[test]
    fn a_flat_hull_has_edges_that_face_outward() {
        let a = hull(&[
            [7.0, 0.0, -4.638140309605053e-38],
            [2.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
            [3.53515625, 7.0, 5e-324],
        ]);
        let b = hull(&[
            [2.0, 2.0, 2.0],
            [0.0, 1.0, 1.0],
            [0.8807037211954594, -5.0, 9.313225746154785e-10],
            [0.0, 0.0, 0.8807037211954594],
            [1.0, 1.0, 2.0],
            [6.0, -6.0, 6.000000000000001],
            [0.0, 0.0, 0.0],
        ]);
        let found = manifold(&a, &b, [0.5; 4], [0.0, 0.0, 2.0], 0.0).unwrap();
        assert!((found.deepest().unwrap().distance + 1.865967157364219).abs() < 1e-12, "{found:?}");
    }

    /// Next to a face ten million times as long as it is wide: the foot of the perpendicular lies
    /// on it.
    #[test]
    fn beside_a_long_face() {
        let a = hull(&[
            [0.0, -6.0, 2.0],
            [8.0, 3.0, 9.929905209531687e-29],
            [1.0, 2.0, -0.6190463490784168],
            [8.0, -9.929905209531687e-29, -6.0],
        ]);
        let b = hull(&[
            [-6.0, 16777216.0, 1073741824.0],
            [85.125, 0.0, 2.0],
            [0.0, 0.0, 2.0],
            [2.0, 2.0, 1.0],
            [0.0, 0.0, 0.0],
        ]);
        let rotation = [-0.15762033510714862, -0.5869998686748983, 0.6033054205825343, -0.516342477075142];
        let found = manifold(&a, &b, rotation, [-1.0, 0.0, 8.0], 1.2258577747270465).unwrap();
        let nearest = found.deepest().unwrap().distance;
        // A hundred-millionth of a roundoff of the longest edge.
        assert!((nearest - 0.819561524100396).abs() < 1e-4, "{found:?}");
    }

    /// Bodies that touch to rounding: the way from one to the other is no direction.
    #[test]
    fn touching_bodies_have_no_direction_between_them() {
        let a = hull(&[
            [-45.2109375, -0.0234375, -1.92305923024933e-26],
            [8.0, -1.0, 0.0],
            [0.0, 73.84765625, -0.9999999999999999],
            [-4.0, 3.0517578125e-5, 60.37109375],
        ]);
        let b = hull(&[
            [6.0, -5.0, 60.37109375004911],
            [7.0, -315344453632.0, 1.064108801074326e-10],
            [-5.0, -0.0, 0.0],
            [0.0, 0.0, 0.0],
        ]);
        let at = [8.0, 0.0, -8.175080669537997e-32];
        let found = manifold(&a, &b, [0.0, HALF, 0.0, HALF], at, 4.76837158203125e-7).unwrap();
        assert!(found.deepest().unwrap().distance.abs() < 1e-3, "{found:?}");
        assert!(0.99 < found.normal().x, "{found:?}");
    }

    /// Needles end to end and far apart: no face and no pair of edges says so, their widths being
    /// lost in their lengths.
    #[test]
    fn needles_end_to_end() {
        let a = hull(&[
            [1.0, 1.0, 2.0],
            [0.0, 2.0, 2.0],
            [5e-324, -6.0, -6.0],
            [2.9514788758716678e20, -6.0, 2.0],
        ]);
        let b = hull(&[
            [-2.9514790517935283e20, 0.0001220703125, 2.0],
            [0.0, 0.0, 0.0],
            [3.0, -5.0, 68.38671875],
            [-8.0, 1.1754943508222875e-38, 1.5407439555097887e-33],
        ]);
        let at = [2.3611832414348226e21, -6.0, 4.0];
        assert_eq!(manifold(&a, &b, [HALF, 0.0, 0.0, HALF], at, 295147905179352830000.0), None);
    }

    /// Splinters whose edges cross in a vector of which the square has no digits: a unit normal
    /// that was 1.4e-7 too long, and hulls that far farther apart than they are.
    #[test]
    fn splinters_are_no_farther_apart_than_their_distance() {
        let (d, e) = (2.2136236468597993e-159, 4.4272472937195986e-159);
        let a = hull(&[[2.2434435750631745e-23, e, e], [e, e, d], [1.0, 0.0, 0.0], [d, d, d]]);
        let b = hull(&[[d, d, d], [d, 0.5 * d, 0.5 * d], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]);
        let pose = carom_math::f64::Pose::from_translation(DVec3::new(0.0, 1.0, -1.0)).wide();
        let found = carom_sat::f64::hull_hull::separation(&a, &b, &pose).unwrap();
        assert!(found.distance <= 2.0_f64.sqrt() * (1.0 + 1e-14), "{found:?}");
        assert!((found.normal.length() - 1.0).abs() < 1e-14, "{found:?}");
    }
}
