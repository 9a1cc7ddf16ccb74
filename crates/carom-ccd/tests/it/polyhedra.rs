//! Polyhedra by vertex and face, edge and edge: against the search for convex bodies, and against
//! all times looked at.

use crate::cast::by_gjk;
use carom_ccd::{
    ImpactSettings, Motion, Polyhedron, Proof, TimeOfImpact, polyhedra_time_of_impact, time_of_impact,
};
use carom_geom::f64::Cuboid;
use carom_geom::tri_distance::closest_points;
use carom_geom::{FeatureKind, ShapeError};
use carom_testkit::meshes::BOX_TRIANGLES;
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};

/// Contact is within this.
const TARGET: f64 = 1e-3;

fn settings() -> ImpactSettings {
    ImpactSettings::default().with_target_distance(TARGET).with_max_time(1.0).with_max_steps(400)
}

fn cuboid(half: DVec3) -> Polyhedron {
    let corners: Vec<DVec3> = (0..8_u32)
        .map(|i| {
            let sign = |axis: u32| if i >> axis & 1 == 0 { -1.0 } else { 1.0 };
            half * DVec3::new(sign(0), sign(1), sign(2))
        })
        .collect();
    Polyhedron::new(&corners, &BOX_TRIANGLES).unwrap()
}

/// An L of six boxes' worth: a prism over a polygon that is not convex.
fn angle() -> (Polyhedron, [(DVec3, DVec3); 2]) {
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let mut vertices = Vec::new();
    for z in [0.0, 0.5] {
        vertices.extend(outline.map(|(x, y)| DVec3::new(x - 0.8, y - 0.8, z - 0.25)));
    }
    let mut triangles = vec![[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 5, 4]];
    triangles.extend(triangles.clone().into_iter().map(|[a, b, c]| [a + 6, c + 6, b + 6]));
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    // The same as two boxes: middle and half size.
    let boxes = [
        (DVec3::new(0.2, -0.3, 0.0), DVec3::new(1.0, 0.5, 0.25)),
        (DVec3::new(-0.3, 0.2, 0.0), DVec3::new(0.5, 1.0, 0.25)),
    ];
    (Polyhedron::new(&vertices, &triangles).unwrap(), boxes)
}

fn flight(random: &mut Random, spin: f64) -> Motion {
    let from = random.cube_point() * 4.0;
    let to = random.cube_point() * 1.5;
    let rotation = DQuat::from_scaled_axis(random.cube_point() * 3.0);
    Motion::new(rotation, from, random.cube_point() * 0.2, to - from, random.cube_point() * spin).unwrap()
}

fn by_axes(a: DVec3, motion_a: &Motion, b: DVec3, motion_b: &Motion) -> TimeOfImpact {
    let [a, b] = [a, b].map(|half| Cuboid::new(half).unwrap());
    time_of_impact(&a, motion_a, &b, motion_b, &settings(), by_gjk(&a, &b))
}

/// The two brackets hold the same time; which of the two they say.
fn agree(what: &str, found: &TimeOfImpact, expected: &TimeOfImpact) -> bool {
    match (found, expected) {
        (TimeOfImpact::Hit(a), TimeOfImpact::Hit(b)) => {
            assert!(a.t_lo <= b.t_hi && b.t_lo <= a.t_hi, "{what}: {a:?} {b:?}");
            true
        }
        (TimeOfImpact::Clear(_), TimeOfImpact::Clear(_)) => true,
        (TimeOfImpact::Hit(_), TimeOfImpact::Clear(_)) | (TimeOfImpact::Clear(_), TimeOfImpact::Hit(_)) => {
            panic!("{what}: {found:?}, not {expected:?}")
        }
        _ => false,
    }
}

/// The least distance of the surfaces at a time.
fn distance(a: &Polyhedron, motion_a: &Motion, b: &Polyhedron, motion_b: &Motion, t: f64) -> f64 {
    let placed = |body: &Polyhedron, motion: &Motion| -> Vec<[DVec3; 3]> {
        let pose = motion.pose_at(t);
        body.triangles()
            .iter()
            .map(|t| t.map(|i| pose.transform_point(body.vertices()[i as usize])))
            .collect()
    };
    let (of_a, of_b) = (placed(a, motion_a), placed(b, motion_b));
    let pairs = of_a.iter().flat_map(|f| of_b.iter().map(move |g| closest_points(f, g).distance));
    pairs.fold(f64::INFINITY, f64::min)
}

#[test]
fn a_box_that_falls_meets_the_floor_when_it_does() {
    let (small, floor) = (cuboid(DVec3::splat(0.5)), cuboid(DVec3::new(5.0, 1.0, 5.0)));
    let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap();
    // On a corner: half a space diagonal below its middle, 4 m above a floor at 1.
    let corner = DQuat::from_rotation_arc(DVec3::new(-1.0, -1.0, -1.0).normalize(), -DVec3::Y);
    let down = DVec3::Y * -4.0;
    for (turn, low) in [(DQuat::IDENTITY, 0.5), (corner, 0.75_f64.sqrt())] {
        let falling = Motion::new(turn, DVec3::Y * 4.0, DVec3::ZERO, down, DVec3::ZERO).unwrap();
        let found = polyhedra_time_of_impact(&small, &falling, &floor, &still, &settings());
        let hit = found.hit().unwrap_or_else(|| panic!("{found:?}"));
        let time = (3.0 - low - TARGET) / 4.0;
        assert!(hit.t_lo <= time && time <= hit.t_hi && hit.t_hi - hit.t_lo < 1e-3, "{hit:?}, {time}");
        assert!((hit.normal + DVec3::Y).length() < 1e-9, "{hit:?}");
        assert!(matches!(hit.feature_a.kind(), FeatureKind::Vertex(_)), "{hit:?}");
    }
}

#[test]
fn boxes_on_screws_meet_when_convex_bodies_do() {
    let mut random = Random::new(61);
    let (mut n_decided, mut n_hits) = (0, 0);
    let n = 120;
    for k in 0..n {
        let [a, b] = core::array::from_fn(|_| (random.cube_point().abs() + 0.1) * 0.7);
        let spin = [0.0, 2.0, 12.0][k % 3];
        let (motion_a, motion_b) = (flight(&mut random, spin), flight(&mut random, spin));
        let found = polyhedra_time_of_impact(&cuboid(a), &motion_a, &cuboid(b), &motion_b, &settings());
        let expected = by_axes(a, &motion_a, b, &motion_b);
        n_decided += usize::from(agree(&format!("pair {k}"), &found, &expected));
        n_hits += usize::from(found.hit().is_some());
    }
    assert!(
        n * 95 / 100 <= n_decided && n / 5 < n_hits && n_hits < n * 4 / 5,
        "{n_decided}, {n_hits} of {n}"
    );
}

#[test]
fn a_body_that_is_not_convex_meets_as_its_parts_do() {
    let mut random = Random::new(62);
    let (angle, parts) = angle();
    let (mut n_hits, mut n_inner) = (0, 0);
    for k in 0..60 {
        let half = (random.cube_point().abs() + 0.1) * 0.5;
        let (motion_a, motion_b) = (flight(&mut random, 4.0), flight(&mut random, 4.0));
        let found = polyhedra_time_of_impact(&angle, &motion_a, &cuboid(half), &motion_b, &settings());
        let of_parts = parts.map(|(middle, size)| {
            by_axes(size, &motion_a.of_part((DQuat::IDENTITY, middle)), half, &motion_b)
        });
        let [x, y] = &of_parts;
        let first = match (x.hit(), y.hit()) {
            (Some(a), Some(b)) if b.t_lo < a.t_lo => y,
            (None, Some(_)) => y,
            _ => x,
        };
        agree(&format!("pair {k}"), &found, first);
        // Nothing before the bracket, and contact at its end, as seen at many times.
        let body = cuboid(half);
        if let TimeOfImpact::Hit(hit) = found {
            n_hits += 1;
            let at = distance(&angle, &motion_a, &body, &motion_b, hit.t_hi);
            assert!(at <= TARGET, "pair {k}: {at} apart at {hit:?}");
            for i in 0..50 {
                let t = hit.t_lo * f64::from(i) / 50.0;
                assert!(
                    TARGET < distance(&angle, &motion_a, &body, &motion_b, t),
                    "pair {k}: at {t}, {hit:?}"
                );
            }
            n_inner += usize::from(
                [hit.feature_a, hit.feature_b].iter().all(|f| matches!(f.kind(), FeatureKind::Edge(_))),
            );
        }
    }
    assert!(10 < n_hits && 0 < n_inner, "{n_hits}, {n_inner} by edges");
}

#[test]
fn one_within_the_other_does_not_touch_it() {
    let (small, large) = (cuboid(DVec3::splat(0.1)), cuboid(DVec3::splat(2.0)));
    let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap();
    let spin = Motion::new(DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, DVec3::ONE * 9.0).unwrap();
    let found = polyhedra_time_of_impact(&small, &spin, &large, &still, &settings());
    let TimeOfImpact::Clear(clear) = found else { panic!("{found:?}") };
    assert!(1.5 < clear.distance && clear.distance <= 2.0 - 0.1, "{clear:?}");
    // Across its surface at the start.
    let out = Motion::fixed(DQuat::IDENTITY, DVec3::X * 2.0).unwrap();
    let hit = polyhedra_time_of_impact(&small, &out, &large, &still, &settings());
    assert_eq!(hit.hit().map(|hit| hit.t_hi), Some(0.0), "{hit:?}");
}

#[test]
fn a_spinning_needle_is_not_missed_between_its_ends() {
    // Forty turns: its ends are at the same place at the start and at the end.
    let (needle, post) = (cuboid(DVec3::new(1.0, 0.02, 0.02)), cuboid(DVec3::new(0.05, 1.0, 0.05)));
    let spin = DVec3::Y * (80.0 * core::f64::consts::PI);
    let turning = Motion::new(DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, spin).unwrap();
    let beside = Motion::fixed(DQuat::IDENTITY, DVec3::Z * 0.9).unwrap();
    let hit = polyhedra_time_of_impact(&needle, &turning, &post, &beside, &settings());
    let hit = hit.hit().unwrap_or_else(|| panic!("{hit:?}"));
    assert!(0.0 < hit.t_lo && hit.t_hi < 1.0 / 80.0, "{hit:?}");
    let far = Motion::fixed(DQuat::IDENTITY, DVec3::Z * 1.1).unwrap();
    let clear = polyhedra_time_of_impact(&needle, &turning, &post, &far, &settings().with_max_steps(4000));
    assert!(matches!(clear, TimeOfImpact::Clear(_)), "{clear:?}");
}

#[test]
fn sides_of_flat_faces_are_no_edges_and_wrong_lists_are_named() {
    assert_eq!(cuboid(DVec3::ONE).edges().len(), 12);
    assert_eq!(angle().0.edges().len(), 18);
    let empty = Polyhedron::new(&[], &[]).unwrap_err();
    assert_eq!(empty, ShapeError::Empty { what: "the polyhedron" });
    let far = Polyhedron::new(&[DVec3::ZERO; 3], &[[0, 1, 3]]).unwrap_err();
    assert_eq!(far, ShapeError::Empty { what: "a vertex that a triangle names" });
    let nan = Polyhedron::new(&[DVec3::NAN; 3], &[[0, 1, 2]]).unwrap_err();
    assert_eq!(nan, ShapeError::NotFinite { what: "a vertex of the polyhedron" });
}

/// Doubled triangles lost their edges, and the surfaces passed through each other.
#[test]
fn r_triangles_that_overlap_keep_their_edges() {
    let above = [DVec3::new(0.0, -2.0, 1.0), DVec3::new(0.0, 2.0, 1.0), DVec3::new(0.0, 0.0, 5.0)];
    let b = Polyhedron::new(&above, &[[0, 1, 2]]).unwrap();
    let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap();
    let down = DVec3::Z * -2.0;
    let falls = Motion::new(DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO, down, DVec3::ZERO).unwrap();
    let low = [DVec3::X * -2.0, DVec3::X * 2.0, DVec3::Z * -4.0, DVec3::new(0.5, 0.0, -3.0)];
    let cases: [(&[[u32; 3]], usize); 4] = [
        (&[[0, 1, 2]], 3),
        (&[[0, 1, 2], [0, 1, 2]], 3),
        (&[[0, 1, 2], [1, 0, 2]], 3),
        // The fourth corner is on the same side of the upper edge as the third.
        (&[[0, 1, 2], [0, 1, 3]], 5),
    ];
    for (triangles, n_edges) in cases {
        let a = Polyhedron::new(&low, triangles).unwrap();
        assert_eq!(a.edges().len(), n_edges, "{triangles:?}");
        let found = polyhedra_time_of_impact(&a, &still, &b, &falls, &settings());
        let hit = found.hit().unwrap_or_else(|| panic!("{triangles:?}: {found:?}"));
        assert!(hit.t_lo <= 0.5 && 0.499 <= hit.t_lo && hit.t_hi <= 0.5, "{triangles:?}: {hit:?}");
    }
    // A sheet of two triangles, each twice in one winding: its rim is edges.
    let square = [DVec3::ZERO, DVec3::X, DVec3::ONE - DVec3::Z, DVec3::Y];
    let once = Polyhedron::new(&square, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    assert_eq!(once.edges(), [[0, 1], [0, 3], [1, 2], [2, 3]]);
    let twice = Polyhedron::new(&square, &[[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 2, 3]]).unwrap();
    assert!(once.edges().iter().all(|side| twice.edges().contains(side)), "{:?}", twice.edges());
}

/// A crossing at the start had the normal (0, 0, 0).
#[test]
fn r_surfaces_that_cross_at_the_start_have_a_normal() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let body = Polyhedron::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    let at = |place: DVec3| Motion::fixed(DQuat::IDENTITY, place).unwrap();
    let found = polyhedra_time_of_impact(&body, &at(DVec3::ZERO), &body, &at(DVec3::ZERO), &settings());
    let hit = found.hit().unwrap_or_else(|| panic!("{found:?}"));
    assert!((hit.normal.length() - 1.0).abs() < 1e-12 && hit.proof == Proof::Overlap, "{hit:?}");
    // A box that is sunk into a floor, or rests on it, is above it, whatever the winding.
    let (floor, small) = (cuboid(DVec3::new(5.0, 1.0, 5.0)), cuboid(DVec3::splat(0.5)));
    let turned: Vec<[u32; 3]> = floor.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let turned = Polyhedron::new(floor.vertices(), &turned).unwrap();
    for floor in [&floor, &turned] {
        for height in [1.5, 1.375] {
            let above = at(DVec3::new(0.25, height, 0.125));
            let found = polyhedra_time_of_impact(floor, &at(DVec3::ZERO), &small, &above, &settings());
            let hit = found.hit().unwrap_or_else(|| panic!("{found:?}"));
            assert!((hit.normal - DVec3::Y).length() < 1e-12, "{height}: {hit:?}");
            let other = polyhedra_time_of_impact(&small, &above, floor, &at(DVec3::ZERO), &settings());
            assert!(other.hit().is_some_and(|hit| (hit.normal + DVec3::Y).length() < 1e-12), "{other:?}");
        }
    }
}
