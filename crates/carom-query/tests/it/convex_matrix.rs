//! Every pair of convex shapes, every question, in both precisions: answers are proved by planes
//! and points, and closed forms are held against the general search.

use carom_geom::{SupportMap, SupportPoint};
use carom_gjk::{GjkSettings, wide};
use carom_math::WidePose;
use carom_math::f64::Pose;
use carom_query::f64::{Shape, contact, distance, intersects};
use glam::{DQuat, DVec3};
use std::sync::Arc;

struct Rng(u64);

impl Rng {
    fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        low + (high - low) * ((z >> 11) as f64 / (1u64 << 53) as f64)
    }

    fn vector(&mut self, low: f64, high: f64) -> DVec3 {
        DVec3::new(self.range(low, high), self.range(low, high), self.range(low, high))
    }

    fn rotation(&mut self) -> DQuat {
        let axis = self.vector(-1.0, 1.0).try_normalize().unwrap_or(DVec3::X);
        DQuat::from_axis_angle(axis, self.range(0.0, 6.3))
    }
}

/// A shape of the user's own: a tetrahedron with rounded edges.
struct Pebble([DVec3; 4], f64);

impl SupportMap for Pebble {
    fn support(&self, direction: DVec3) -> SupportPoint {
        let best = (0..4)
            .max_by(|&i, &j| self.0[i].dot(direction).total_cmp(&self.0[j].dot(direction)))
            .unwrap_or(0);
        SupportPoint { point: self.0[best], vertex: best as u32 }
    }
    fn vertex(&self, number: u32) -> Option<DVec3> {
        self.0.get(number as usize).copied()
    }
    fn center(&self) -> DVec3 {
        (self.0[0] + self.0[1] + self.0[2] + self.0[3]) * 0.25
    }
    fn radius(&self) -> f64 {
        self.0.iter().map(|p| p.distance(self.center())).fold(0.0, f64::max)
    }
    fn margin(&self) -> f64 {
        self.1
    }
}

const KINDS: [&str; 10] = [
    "Sphere",
    "Capsule",
    "Cuboid",
    "Cylinder",
    "Cone",
    "Ellipsoid",
    "Hull",
    "TaperedCapsule",
    "Rounded",
    "User",
];

/// Sizes that `f32` stores exactly, so that both precisions get the same shape.
fn sizes(rng: &mut Rng) -> DVec3 {
    rng.vector(0.2, 1.0).as_vec3().as_dvec3()
}

/// The same shape for both precisions, and its support map.
fn shape(kind: usize, s: DVec3) -> (Shape, carom_query::Shape, Arc<dyn SupportMap + Send + Sync>) {
    use carom_geom as narrow;
    use carom_geom::f64 as g;
    let f = s.as_vec3();
    macro_rules! both {
        ($variant:ident, $wide:expr, $narrow:expr) => {{
            let made = $wide.unwrap();
            (
                Shape::$variant(made.clone()),
                carom_query::Shape::$variant($narrow.unwrap()),
                Arc::new(made) as _,
            )
        }};
    }
    match kind {
        0 => both!(Sphere, g::Sphere::new(s.x), narrow::Sphere::new(f.x)),
        1 => both!(Capsule, g::Capsule::new(s.x, s.y), narrow::Capsule::new(f.x, f.y)),
        2 => both!(Cuboid, g::Cuboid::new(s), narrow::Cuboid::new(f)),
        3 => both!(Cylinder, g::Cylinder::new(s.x, s.y), narrow::Cylinder::new(f.x, f.y)),
        4 => both!(Cone, g::Cone::new(s.x, s.y), narrow::Cone::new(f.x, f.y)),
        5 => both!(Ellipsoid, g::Ellipsoid::new(s), narrow::Ellipsoid::new(f)),
        6 => {
            let mut rng = Rng((s.x * 1e6) as u64);
            let points: Vec<glam::Vec3> =
                (0..16).map(|_| (rng.vector(-1.0, 1.0).normalize_or_zero() * s).as_vec3()).collect();
            let wide: Vec<DVec3> = points.iter().map(|p| p.as_dvec3()).collect();
            let hull = Arc::new(g::ConvexHull::from_points(&wide).unwrap());
            let small = Arc::new(narrow::ConvexHull::from_points(&points).unwrap());
            (Shape::Hull(hull.clone()), carom_query::Shape::Hull(small), hull)
        }
        7 => both!(
            TaperedCapsule,
            g::TaperedCapsule::new(s.x, 0.3 * s.y, 0.8 * s.z),
            narrow::TaperedCapsule::new(f.x, (0.3 * s.y) as f32, (0.8 * s.z) as f32)
        ),
        8 => {
            use carom_query::f64 as q;
            let core = q::ConvexShape::new(Shape::Cuboid(g::Cuboid::new(s).unwrap())).unwrap();
            let wide = Arc::new(q::RoundedShape::new(core, 0.25 * s.y).unwrap());
            let core = carom_query::Shape::Cuboid(narrow::Cuboid::new(f).unwrap());
            let core = carom_query::ConvexShape::new(core).unwrap();
            let small = Arc::new(carom_query::RoundedShape::new(core, 0.25 * f.y).unwrap());
            (Shape::Rounded(wide.clone()), carom_query::Shape::Rounded(small), wide)
        }
        _ => {
            let corners =
                [s, DVec3::new(-s.x, -s.y, s.z), DVec3::new(-s.x, s.y, -s.z), DVec3::new(s.x, -s.y, -s.z)];
            let pebble: Arc<dyn SupportMap + Send + Sync> = Arc::new(Pebble(corners, 0.1 * s.x));
            (Shape::User(pebble.clone()), carom_query::Shape::User(pebble.clone()), pebble)
        }
    }
}

/// Room between the shapes along a unit vector in the world: negative when their shadows overlap.
fn room(a: &dyn SupportMap, pose_a: &WidePose, b: &dyn SupportMap, pose_b: &WidePose, n: DVec3) -> f64 {
    let top = |map: &dyn SupportMap, pose: &WidePose, n: DVec3| {
        let d = pose.inverse_transform_vector(n);
        pose.transform_point(map.support_exact(d, map.support(d)).point).dot(n) + map.margin()
    };
    -top(b, pose_b, -n) - top(a, pose_a, n)
}

/// How far a world point is outside a shape.
fn outside(map: &dyn SupportMap, pose: &WidePose, point: DVec3) -> f64 {
    let origin = carom_geom::f64::Sphere::new(0.0).unwrap();
    let point_pose = WidePose { translation: pose.inverse_transform_point(point), ..WidePose::IDENTITY };
    wide::distance(map, &origin, &point_pose, &GjkSettings::default(), None).distance
}

fn narrow_pose(pose: &Pose) -> carom_math::Pose {
    carom_math::Pose::new(pose.rotation.as_quat(), pose.translation.as_vec3())
}

#[test]
fn every_cell() {
    let mut rng = Rng(1);
    let rounds = if std::env::var_os("CAROM_SLOW").is_some() { 2000 } else { 40 };
    for i in 0..KINDS.len() {
        for j in 0..KINDS.len() {
            let (mut n_apart, mut n_overlap) = (0, 0);
            for round in 0..rounds {
                let (sa, sb) = (sizes(&mut rng), sizes(&mut rng));
                let ((a, a32, map_a), (b, b32, map_b)) = (shape(i, sa), shape(j, sb));
                let pose_a = Pose::new(rng.rotation(), rng.vector(-5.0, 5.0));
                let reach = if round % 4 == 0 { 0.3 } else { 1.6 };
                let pose_b = Pose::new(rng.rotation(), pose_a.translation + rng.vector(-reach, reach));
                let (wa, wb) = (pose_a.wide(), pose_b.wide());
                let context = format!("{} {} {round}: {sa} {sb} {pose_a:?} {pose_b:?}", KINDS[i], KINDS[j]);

                let c = contact(&a, &pose_a, &b, &pose_b, 1e9).unwrap();
                let (signed, n) = (c.contact.distance, c.contact.normal);
                let tolerance = 1e-9;
                // A plane bounds the distance from below or the depth from above; the points lie in
                // the shapes.
                let along = room(&*map_a, &wa, &*map_b, &wb, n);
                assert!((along - signed).abs() < tolerance, "plane {along} {c:?} {context}");
                let points = (c.contact.point_b - c.contact.point_a - n * signed).length();
                // The points of a curved shape are as good as the root of what the distance is.
                assert!(points < 1e-5, "points {points} {c:?} {context}");
                assert!(outside(&*map_a, &wa, c.contact.point_a) < 1e-6, "a {c:?} {context}");
                assert!(outside(&*map_b, &wb, c.contact.point_b) < 1e-6, "b {c:?} {context}");
                // The general search says the same, whatever way the pair took.
                let general = wide::signed_distance(
                    &*map_a,
                    &*map_b,
                    &pose_b.wide_relative_to(&pose_a),
                    &GjkSettings::default(),
                    None,
                );
                assert!(
                    general.lower_bound - 1e-13 <= signed && signed <= general.upper_bound + 1e-13,
                    "{general:?} {c:?} {context}"
                );

                let d = distance(&a, &pose_a, &b, &pose_b);
                assert!((d.distance - signed.max(0.0)).abs() < tolerance, "{d:?} {c:?} {context}");
                let touches = intersects(&a, &pose_a, &b, &pose_b);
                assert_eq!(touches, signed <= 0.0, "{c:?} {context}");
                assert_eq!(touches, d.distance == 0.0, "{d:?} {context}");
                if touches {
                    n_overlap += 1;
                    assert_eq!(d.point_a, d.point_b);
                    // A simplex on curved surfaces that barely holds the origin costs a few digits:
                    // 1.1e-11 was seen.
                    let off = outside(&*map_a, &wa, d.point_a).max(outside(&*map_b, &wb, d.point_a));
                    assert!(off < 4e-11, "{off:e} {d:?} {context}");
                    // Moved along the normal by the depth, they no longer overlap.
                    let away = Pose::new(pose_b.rotation, pose_b.translation + n * (1e-9 - signed));
                    assert!(!intersects(&a, &pose_a, &b, &away), "{c:?} {context}");
                } else {
                    n_apart += 1;
                    assert!(contact(&a, &pose_a, &b, &pose_b, signed * 0.999).is_none());
                    assert!(contact(&a, &pose_a, &b, &pose_b, signed * 1.001).is_some());
                }
                let swapped = contact(&b, &pose_b, &a, &pose_a, 1e9).unwrap();
                assert!((swapped.contact.distance - signed).abs() < tolerance, "{swapped:?} {c:?} {context}");
                assert_eq!(intersects(&b, &pose_b, &a, &pose_a), touches, "{context}");

                // In f32 the same, to the rounding of poses and answers.
                let (na, nb) = (narrow_pose(&pose_a), narrow_pose(&pose_b));
                let c32 = carom_query::contact(&a32, &na, &b32, &nb, 1e9).unwrap();
                assert!((f64::from(c32.contact.distance) - signed).abs() < 1e-5, "{c32:?} {c:?} {context}");
                let d32 = carom_query::distance(&a32, &na, &b32, &nb);
                assert_eq!(d32.distance, c32.contact.distance.max(0.0), "{d32:?} {c32:?} {context}");
                let yes = carom_query::intersects(&a32, &na, &b32, &nb);
                assert_eq!(yes, c32.contact.distance <= 0.0, "{c32:?} {context}");
            }
            assert!(n_apart > rounds / 20 && n_overlap > rounds / 20, "{} {}", KINDS[i], KINDS[j]);
        }
    }
}

#[test]
fn a_half_space_against_every_shape() {
    use carom_geom::f64::HalfSpace;
    let mut rng = Rng(2);
    for j in 0..KINDS.len() {
        for _ in 0..50 {
            let (b, _, map_b) = shape(j, sizes(&mut rng));
            let normal = rng.vector(-1.0, 1.0).normalize();
            let ground = Shape::HalfSpace(HalfSpace::new(normal).unwrap());
            let pose_a = Pose::new(rng.rotation(), rng.vector(-5.0, 5.0));
            let pose_b = Pose::new(rng.rotation(), pose_a.translation + rng.vector(-2.0, 2.0));
            let up = pose_a.wide().transform_vector(normal);
            let down = pose_b.wide().inverse_transform_vector(-up);
            let lowest = pose_b.wide().transform_point(map_b.support_exact(down, map_b.support(down)).point);
            let truth = (lowest - pose_a.translation).dot(up) - map_b.margin();
            let c = contact(&ground, &pose_a, &b, &pose_b, 1e9).unwrap().contact;
            assert!((c.distance - truth).abs() < 1e-13, "{truth} {c:?}");
            assert!((c.normal - up).length() < 1e-14);
            assert!((c.point_a - pose_a.translation).dot(up).abs() < 1e-13);
            let d = distance(&ground, &pose_a, &b, &pose_b);
            assert!((d.distance - truth.max(0.0)).abs() < 1e-13);
            assert_eq!(intersects(&ground, &pose_a, &b, &pose_b), truth <= 0.0);
            let swapped = contact(&b, &pose_b, &ground, &pose_a, 1e9).unwrap().contact;
            assert!((swapped.distance - truth).abs() < 1e-13 && (swapped.normal + up).length() < 1e-13);
        }
    }
}

/// Cases where a closed form divides by what may be zero.
#[test]
fn degenerate_positions() {
    use carom_geom::f64::{Capsule, Cuboid, Sphere};
    let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
    let point = Shape::Sphere(Sphere::new(0.0).unwrap());
    let rod = Shape::Capsule(Capsule::new(1.0, 0.25).unwrap());
    let line = Shape::Capsule(Capsule::new(1.0, 0.0).unwrap());
    let pill = Shape::Capsule(Capsule::new(0.0, 0.25).unwrap());
    let brick = Shape::Cuboid(Cuboid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap());
    let flat = Shape::Cuboid(Cuboid::new(DVec3::new(1.0, 0.0, 1.0)).unwrap());
    let all = [&ball, &point, &rod, &line, &pill, &brick, &flat];
    let quarter = DQuat::from_rotation_z(core::f64::consts::FRAC_PI_2);
    let poses = [
        Pose::IDENTITY,
        Pose::from_rotation(quarter),
        Pose::from_translation(DVec3::Y * 0.5),
        Pose::from_translation(DVec3::Y * 3.0),
        Pose::from_translation(DVec3::X * 1.0),
        Pose::new(quarter, DVec3::new(0.0, 2.0, 0.0)),
        Pose::from_translation(DVec3::new(1e-300, 0.0, 0.0)),
        Pose::from_translation(DVec3::new(1e-20, 1e-20, 0.0)),
    ];
    for a in all {
        for b in all {
            for pose in &poses {
                let c = contact(a, &Pose::IDENTITY, b, pose, 1e9).unwrap().contact;
                assert!((c.normal.length() - 1.0).abs() < 1e-12, "{a:?} {b:?} {pose:?} {c:?}");
                assert!(
                    ((c.point_b - c.point_a).dot(c.normal) - c.distance).abs() < 1e-12,
                    "{a:?} {b:?} {pose:?} {c:?}"
                );
                assert_eq!(intersects(a, &Pose::IDENTITY, b, pose), c.distance <= 0.0);
                let away = Pose::new(pose.rotation, pose.translation + c.normal * (1e-6 - c.distance));
                assert!(!intersects(a, &Pose::IDENTITY, b, &away), "{a:?} {b:?} {pose:?} {c:?}");
                let swapped = contact(b, pose, a, &Pose::IDENTITY, 1e9).unwrap().contact;
                assert!(
                    (swapped.distance - c.distance).abs() < 1e-12,
                    "{a:?} {b:?} {pose:?} {c:?} {swapped:?}"
                );
            }
        }
    }
}
