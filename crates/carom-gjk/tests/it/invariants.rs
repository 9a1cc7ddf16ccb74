//! The searches against what answers owe each other, for shapes of every kind of support map.

use carom_geom::f64::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, Sphere};
use carom_geom::{SupportMap, SupportPoint};
use carom_gjk::wide::{distance, intersects, signed_distance};
use carom_gjk::{GjkSettings, Outcome};
use carom_testkit::invariants::{Configuration, ContactAnswer, Relation, Suite, check};
use glam::DVec3;

const KINDS: [&str; 8] = ["sphere", "capsule", "cuboid", "cylinder", "cone", "ellipsoid", "hull", "triangle"];

/// Three points, flat and without a name for them.
struct Flat([DVec3; 3]);

impl SupportMap for Flat {
    fn support(&self, direction: DVec3) -> SupportPoint {
        let [a, b, c] = self.0.map(|p| p.dot(direction));
        let best = if b <= a && c <= a {
            0
        } else if c <= b {
            1
        } else {
            2
        };
        SupportPoint { point: self.0[best], vertex: carom_geom::NO_VERTEX }
    }

    fn center(&self) -> DVec3 {
        (self.0[0] + self.0[1] + self.0[2]) / 3.0
    }

    fn radius(&self) -> f64 {
        self.0.iter().map(|p| p.distance(self.center())).fold(0.0, f64::max)
    }
}

/// Returns a shape of size about 1 times the scale.
fn shape(kind: usize, s: f64) -> Box<dyn SupportMap> {
    match KINDS[kind] {
        "sphere" => Box::new(Sphere::new(0.5 * s).unwrap()),
        "capsule" => Box::new(Capsule::new(0.375 * s, 0.25 * s).unwrap()),
        "cuboid" => Box::new(Cuboid::new(DVec3::new(0.5, 0.375, 0.25) * s).unwrap()),
        "cylinder" => Box::new(Cylinder::new(0.375 * s, 0.25 * s).unwrap()),
        "cone" => Box::new(Cone::new(0.375 * s, 0.25 * s).unwrap()),
        "ellipsoid" => Box::new(Ellipsoid::new(DVec3::new(0.5, 0.25, 0.1875) * s).unwrap()),
        "hull" => {
            let points = [[4, 0, 1], [-4, 2, 0], [0, 4, -3], [1, -4, 2], [-2, 0, 4], [0, -2, -4], [2, 2, 2]];
            let points = points.map(|p: [i32; 3]| DVec3::from_array(p.map(f64::from)) * (0.125 * s));
            Box::new(ConvexHull::from_points(&points).unwrap())
        }
        _ => Box::new(Flat([
            DVec3::X * 0.5 * s,
            DVec3::new(-0.25, 0.5, 0.0) * s,
            DVec3::new(0.0, -0.5, 0.25) * s,
        ])),
    }
}

fn relation(kinds: [usize; 2], configuration: &Configuration) -> Relation {
    let [first, second] = kinds.map(|kind| shape(kind, configuration.scale()));
    let (mut a, mut pose_a, mut b, mut pose_b) =
        (first, configuration.pose_a.wide(), second, configuration.pose_b.wide());
    if configuration.is_swapped {
        (a, pose_a, b, pose_b) = (b, pose_b, a, pose_a);
    }
    let (b_in_a, settings) = (pose_b.relative_to(&pose_a), GjkSettings::default());
    let apart = distance(&*a, &*b, &b_in_a, &settings, None);
    let signed = signed_distance(&*a, &*b, &b_in_a, &settings, None);
    let within = |outcome: Outcome| match outcome {
        Outcome::Within(gap) => gap,
        Outcome::Undecided => panic!("undecided: {configuration:?}"),
        _ => 0.0,
    };
    let touch = ContactAnswer {
        distance: signed.distance,
        point_a: pose_a.transform_point(signed.point_a),
        point_b: pose_a.transform_point(signed.point_b),
        normal: pose_a.transform_vector(signed.normal),
        off_a: 0.0,
        off_b: 0.0,
    };
    Relation {
        meets: intersects(&*a, &*b, &b_in_a, &settings, None).intersects,
        distance: apart.distance,
        deepest: Some(touch),
        contacts: Vec::new(),
        within: within(apart.outcome).max(within(signed.outcome)),
    }
}

#[test]
fn every_pair_of_support_maps() {
    let suite = Suite::new(1e-9);
    for i in 0..KINDS.len() {
        for j in 0..=i {
            let name = format!("{} {}", KINDS[i], KINDS[j]);
            let n = check(&name, &suite, |configuration| relation([i, j], configuration));
            assert!(suite.cases / 24 <= n && n < suite.cases, "{name}: {n} of {} together", suite.cases);
        }
    }
}
