//! The questions of the invariants in carom's terms; compiled for `f32` and again for `f64`.

use super::num::{Pose, Quat, Real, Vec3, geom, query, real, wide};
use carom_query::Outcome;
use carom_testkit::invariants::{Configuration, ContactAnswer, Relation, Suite, check};
use glam::DVec3;
use query::{Compound, CompoundPart, ManifoldCache, MeshShape, Shape};
use std::sync::Arc;

const KINDS: [&str; 10] = [
    "sphere",
    "capsule",
    "cuboid",
    "cylinder",
    "cone",
    "ellipsoid",
    "hull",
    "half-space",
    "mesh",
    "compound",
];

fn vector(v: DVec3) -> Vec3 {
    Vec3::new(real(v.x), real(v.y), real(v.z))
}

fn widen(v: Vec3) -> DVec3 {
    DVec3::new(wide(v.x), wide(v.y), wide(v.z))
}

fn pose(pose: &carom_math::f64::Pose) -> Pose {
    let q = pose.rotation;
    Pose::new(Quat::from_xyzw(real(q.x), real(q.y), real(q.z), real(q.w)), vector(pose.translation))
}

/// A shape of size about 1 times the scale. All lengths are multiples of 1/64, so that both
/// precisions get the same.
fn shape(kind: usize, scale: f64) -> Shape {
    let length = |x: f64| real(x * scale);
    let at = |x: f64, y: f64, z: f64| vector(DVec3::new(x, y, z) * scale);
    match KINDS[kind] {
        "sphere" => Shape::Sphere(geom::Sphere::new(length(0.5)).unwrap()),
        "capsule" => Shape::Capsule(geom::Capsule::new(length(0.375), length(0.25)).unwrap()),
        "cuboid" => Shape::Cuboid(geom::Cuboid::new(at(0.5, 0.375, 0.25)).unwrap()),
        "cylinder" => Shape::Cylinder(geom::Cylinder::new(length(0.375), length(0.25)).unwrap()),
        "cone" => Shape::Cone(geom::Cone::new(length(0.375), length(0.25)).unwrap()),
        "ellipsoid" => Shape::Ellipsoid(geom::Ellipsoid::new(at(0.5, 0.25, 0.1875)).unwrap()),
        "hull" => {
            let points = [
                at(0.5, 0.0, 0.125),
                at(-0.5, 0.25, 0.0),
                at(0.0, 0.5, -0.375),
                at(0.125, -0.5, 0.25),
                at(-0.25, 0.0, 0.5),
                at(0.0, -0.25, -0.5),
                at(0.25, 0.25, 0.25),
            ];
            Shape::Hull(Arc::new(geom::ConvexHull::from_points(&points).unwrap()))
        }
        "half-space" => Shape::HalfSpace(geom::HalfSpace::new(Vec3::Y).unwrap()),
        "mesh" => Shape::Mesh(mesh(at(0.375, 0.25, 0.5))),
        _ => {
            let part = |shape: Shape, x: f64, y: f64| CompoundPart {
                shape,
                pose: Pose::from_translation(at(x, y, 0.0)),
            };
            let parts = vec![
                part(Shape::Cuboid(geom::Cuboid::new(at(0.375, 0.125, 0.125)).unwrap()), 0.0, -0.25),
                part(Shape::Sphere(geom::Sphere::new(length(0.1875)).unwrap()), 0.125, 0.25),
                part(Shape::Mesh(mesh(at(0.125, 0.125, 0.25))), -0.25, 0.1875),
            ];
            Shape::Compound(Arc::new(Compound::new(parts).unwrap()))
        }
    }
}

/// The surface of a box.
fn mesh(half: Vec3) -> Arc<MeshShape> {
    let corner = |i: u32| {
        let side = |bit: u32, x: Real| if i & bit == 0 { -x } else { x };
        Vec3::new(side(1, half.x), side(2, half.y), side(4, half.z))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let indices = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Arc::new(MeshShape::new(geom::TriMesh::new((0..8).map(corner).collect(), indices).unwrap()).unwrap())
}

fn relation(kinds: [usize; 2], configuration: &Configuration) -> Relation {
    let mut bodies = [(kinds[0], &configuration.pose_a), (kinds[1], &configuration.pose_b)]
        .map(|(k, p)| (shape(k, configuration.scale()), pose(p)));
    if configuration.is_swapped {
        bodies.reverse();
    }
    let [(a, pose_a), (b, pose_b)] = &bodies;
    let prediction = real(0.25 * configuration.scale());
    let off = |(shape, pose): &(Shape, Pose), point: DVec3| {
        let found = query::project_point(shape, pose, vector(point)).unwrap();
        wide(found.distance).abs()
    };
    let touch = |c: &geom::Contact| {
        let (point_a, point_b) = (widen(c.point_a), widen(c.point_b));
        let middle = point_a * 0.5 + point_b * 0.5;
        let distance = wide(c.distance);
        let (off_a, off_b) = if distance.is_finite() {
            (off(&bodies[0], middle), off(&bodies[1], middle))
        } else {
            (0.0, 0.0)
        };
        ContactAnswer { distance, point_a, point_b, normal: widen(c.normal), off_a, off_b }
    };
    let mut list = Vec::new();
    query::manifolds(a, pose_a, b, pose_b, prediction, &mut ManifoldCache::new(), &mut list);
    let apart = query::distance(a, pose_a, b, pose_b);
    let deepest = query::contact(a, pose_a, b, pose_b, prediction);
    let within = |outcome: Outcome| if let Outcome::Within(gap) = outcome { gap } else { 0.0 };
    assert!(apart.outcome != Outcome::Undecided && deepest.is_none_or(|c| c.outcome != Outcome::Undecided));
    Relation {
        meets: query::intersects(a, pose_a, b, pose_b),
        distance: wide(apart.distance),
        deepest: deepest.map(|found| touch(&found.contact)),
        within: within(apart.outcome).max(deepest.map_or(0.0, |found| within(found.outcome))),
        contacts: list.iter().flat_map(|manifold| manifold.contacts()).map(touch).collect(),
    }
}

/// Every unordered pair of kinds; the suite exchanges them.
pub(in super::super) fn every_pair(tolerance: f64) {
    let mut failures = Vec::new();
    for i in 0..KINDS.len() {
        for j in 0..=i {
            let name = format!("{} {}", KINDS[i], KINDS[j]);
            let is_convex = [i, j].iter().all(|k| !matches!(KINDS[*k], "mesh" | "compound"));
            let suite = Suite { is_convex, ..Suite::new(tolerance) };
            let run = || check(&name, &suite, |configuration| relation([i, j], configuration));
            match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
                // The mix is fair, but for half-spaces, which hardly ever miss each other.
                Ok(n) => {
                    let few = suite.cases / 12;
                    let is_fair = few <= n && (n <= suite.cases - few || name == "half-space half-space");
                    assert!(is_fair, "{name}: {n} of {} together", suite.cases);
                }
                Err(error) => {
                    failures.push(error.downcast_ref::<String>().cloned().unwrap_or_default());
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} pairs\n{}", failures.len(), failures.join("\n"));
}
