//! The questions of the invariants in terms of separations and manifolds; compiled for `f32` and
//! again for `f64`.

use super::num::{Real, geom, real, sat, wide};
use carom_math::WidePose;
use carom_testkit::invariants::{Configuration, ContactAnswer, Relation, Suite, check};
use glam::DVec3;

/// Half extents, or corners: all lengths are multiples of 1/8.
#[derive(Clone, Copy)]
enum Body {
    Cuboid([f64; 3]),
    Hull(&'static [[f64; 3]]),
}

const PLATE: Body = Body::Cuboid([0.5, 0.125, 0.375]);
const FLAT: Body = Body::Cuboid([0.5, 0.0, 0.25]);
const PEBBLE: Body = Body::Hull(&[
    [0.5, 0.0, 0.125],
    [-0.5, 0.25, 0.0],
    [0.0, 0.5, -0.375],
    [0.125, -0.5, 0.25],
    [-0.25, 0.0, 0.5],
    [0.0, -0.25, -0.5],
    [0.25, 0.25, 0.25],
]);
const WEDGE: Body = Body::Hull(&[
    [-0.5, 0.0, -0.5],
    [0.5, 0.0, -0.5],
    [-0.5, 0.0, 0.5],
    [0.5, 0.0, 0.5],
    [-0.5, 0.5, 0.0],
    [0.5, 0.5, 0.0],
]);

fn vector(v: DVec3) -> [Real; 3] {
    v.to_array().map(real)
}

fn hull(corners: &[[f64; 3]], scale: f64) -> geom::ConvexHull {
    let corners: Vec<_> = corners.iter().map(|&p| vector(DVec3::from(p) * scale).into()).collect();
    geom::ConvexHull::from_points(&corners).unwrap()
}

/// How far from the surface; of what is outside a hull, how far from the nearest plane of a face.
fn off(body: Body, scale: f64, p: DVec3) -> f64 {
    match body {
        Body::Cuboid(half) => {
            let d = p.abs() - DVec3::from(half) * scale;
            (d.max(DVec3::ZERO).length() + d.max_element().min(0.0)).abs()
        }
        Body::Hull(corners) => {
            let hull = hull(corners, scale);
            let faces = 0..hull.n_faces() as u32;
            let heights = faces.map(|f| hull.face_normal(f).dot(p) - hull.face_offset(f));
            heights.fold(f64::NEG_INFINITY, f64::max).abs()
        }
    }
}

fn relation(first: Body, second: Body, configuration: &Configuration, tolerance: f64) -> Relation {
    let scale = configuration.scale();
    let mut bodies = [(first, configuration.pose_a.wide()), (second, configuration.pose_b.wide())];
    if configuration.is_swapped {
        bodies.reverse();
    }
    let [(a, pose_a), (b, pose_b)] = bodies;
    let b_in_a = pose_b.relative_to(&pose_a);
    let prediction = real(0.25 * scale);
    let (gap, manifold) = match (a, b) {
        (Body::Cuboid(a), Body::Cuboid(b)) => {
            let [a, b] = [a, b].map(|half| vector(DVec3::from(half) * scale).into());
            let found = sat::box_box::separation(a, b, &b_in_a).unwrap();
            (found.distance, sat::box_box::manifold_wide(a, b, &b_in_a, prediction))
        }
        (Body::Hull(a), Body::Hull(b)) => {
            let [a, b] = [a, b].map(|corners| hull(corners, scale));
            let found = sat::hull_hull::separation(&a, &b, &b_in_a).unwrap();
            (found.distance, sat::hull_hull::manifold_wide(&a, &b, &b_in_a, prediction, None))
        }
        _ => panic!("a box and a hull"),
    };
    let gap = wide(gap);
    let touch = |c: &geom::Contact| {
        let widen = |v: [Real; 3]| DVec3::from(v.map(wide));
        let [p, q] = [c.point_a, c.point_b].map(|v| pose_a.transform_point(widen(v.to_array())));
        let middle = p * 0.5 + q * 0.5;
        let off = |body: Body, pose: &WidePose| off(body, scale, pose.inverse_transform_point(middle));
        let normal = pose_a.transform_vector(widen(c.normal.to_array()));
        let (off_a, off_b) = (off(a, &pose_a), off(b, &pose_b));
        ContactAnswer { distance: wide(c.distance), point_a: p, point_b: q, normal, off_a, off_b }
    };
    let contacts: Vec<ContactAnswer> =
        manifold.iter().flat_map(|manifold| manifold.contacts()).map(touch).collect();
    // None is nearer than the axis leaves room; one of bodies that meet is as deep as it.
    let off = tolerance * scale;
    let near = contacts.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
    assert!(gap - off <= near, "{near} of {gap}: {configuration:?}");
    let meets = gap <= 0.0;
    let deepest = manifold.filter(|_| meets).and_then(|manifold| manifold.deepest().map(touch));
    assert!(!meets || (near - gap).abs() <= off, "{near} of {gap}: {configuration:?}");
    // The room along the best axis is not the distance, and not the same in every frame where edges
    // are parallel.
    let distance = if gap <= off { gap.max(0.0) } else { scale };
    Relation { meets, distance, deepest, contacts, within: 0.0 }
}

pub(in super::super) fn every_pair(tolerance: f64) {
    let pairs = [
        ("plate plate", PLATE, PLATE),
        ("plate flat", PLATE, FLAT),
        ("flat flat", FLAT, FLAT),
        ("pebble pebble", PEBBLE, PEBBLE),
        ("pebble wedge", PEBBLE, WEDGE),
        ("wedge wedge", WEDGE, WEDGE),
    ];
    for (name, a, b) in pairs {
        let suite = Suite { cases: 8 * Suite::new(tolerance).cases, ..Suite::new(tolerance) };
        let n = check(name, &suite, |configuration| relation(a, b, configuration, tolerance));
        let few = suite.cases / 12;
        assert!(few <= n && n <= suite.cases - few, "{name}: {n} of {} together", suite.cases);
    }
}
