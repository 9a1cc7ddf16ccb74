//! The queries in carom's types; compiled for `f32` and again for `f64`.

use super::super::{
    Answer, BuiltShape, KINDS, RelativePose, Spec, Statement, Tally, box_points, is_rotation, relative_pose,
    world,
};
use super::num::{geom, math, query, real, sat, wide};
use crate::oracle::solid::{Core, Difference, Solid};
use crate::random::Random;
use carom_geom::SupportMap;
use carom_gjk::{GjkCache, GjkSettings, Outcome};
use carom_math::WidePose;
use glam::DVec3;
use math::{Pose, Quat, Vec3};
use query::{ConvexShape, RoundedShape, Shape};
use std::sync::Arc;

/// The tolerance of results that are computed in `f64`, relative to the size.
const WIDE: f64 = 1e-12;
/// The tolerance of results that are stored in this precision, relative to the size.
const STORED: f64 = if size_of::<math::Vec3>() == size_of::<DVec3>() { 1e-12 } else { 1e-6 };
const IS_SINGLE: bool = STORED != WIDE;
/// The number of poses of one pair of shapes.
const POSES: u64 = 24;

fn vector(p: DVec3) -> Vec3 {
    Vec3::new(real(p.x), real(p.y), real(p.z))
}

fn widen(v: Vec3) -> DVec3 {
    DVec3::new(wide(v.x), wide(v.y), wide(v.z))
}

/// Returns the pose as this precision stores it.
fn pose(relative: &RelativePose) -> Pose {
    let q = relative.rotation;
    let rotation = Quat::from_xyzw(real(q.x), real(q.y), real(q.z), real(q.w));
    Pose::new(rotation, vector(relative.translation))
}

/// Makes a shape; `None` if the numbers are invalid for it.
fn make(spec: &Spec) -> Option<BuiltShape<Shape>> {
    let half = vector(spec.half);
    let (h, r) = (half.y, half.x);
    let (y, x) = (spec.half.y, spec.half.x);
    let solid = |core: Core, radius: f64| Solid { core, radius };
    let along = |y: f64| Core::Points(vec![DVec3::Y * y, DVec3::Y * -y]);
    let points = |points: &[DVec3]| solid(Core::Points(points.to_vec()), 0.0);
    let axes = || DVec3::AXES.into_iter().flat_map(|n| [n, -n]).collect();
    let caps = || vec![DVec3::Y, -DVec3::Y];
    let made = |shape: Shape, map: Box<dyn SupportMap>, solid: Solid, normals: Vec<DVec3>| BuiltShape {
        shape: Some(shape),
        map,
        solid,
        normals,
    };
    Some(match KINDS[spec.kind] {
        "hull" => {
            let corners: Vec<Vec3> = spec.points.iter().map(|p| vector(*p)).collect();
            let hull = Arc::new(geom::ConvexHull::from_points(&corners).ok()?);
            let corners: Vec<DVec3> = hull.vertices().iter().map(|p| widen(*p)).collect();
            let normals = (0..hull.n_faces().min(20) as u32).map(|f| hull.face_normal(f)).collect();
            made(Shape::Hull(hull.clone()), Box::new(HullMap(hull)), points(&corners), normals)
        }
        "cuboid" => {
            let s = geom::Cuboid::new(half).ok()?;
            made(Shape::Cuboid(s), Box::new(s), points(&box_points(spec.half)), axes())
        }
        "sphere" => {
            let s = geom::Sphere::new(r).ok()?;
            made(Shape::Sphere(s), Box::new(s), solid(Core::Points(vec![DVec3::ZERO]), x), vec![])
        }
        "capsule" => {
            let s = geom::Capsule::new(h, r).ok()?;
            made(Shape::Capsule(s), Box::new(s), solid(along(y), x), vec![])
        }
        "tapered capsule" => {
            let (upper, lower) = (spec.half.x.min(spec.half.z), spec.half.x.max(spec.half.z));
            let s = geom::TaperedCapsule::new(h, real(upper), real(lower)).ok()?;
            made(Shape::TaperedCapsule(s), Box::new(s), solid(Core::Drop(y, lower - upper), upper), vec![])
        }
        "cylinder" => {
            let s = geom::Cylinder::new(h, r).ok()?;
            made(Shape::Cylinder(s), Box::new(s), solid(Core::Cylinder(y, x), 0.0), caps())
        }
        "cone" => {
            let s = geom::Cone::new(h, r).ok()?;
            made(Shape::Cone(s), Box::new(s), solid(Core::Cone(y, x), 0.0), vec![-DVec3::Y])
        }
        "ellipsoid" => {
            let s = geom::Ellipsoid::new(half).ok()?;
            made(Shape::Ellipsoid(s), Box::new(s), solid(Core::Ellipsoid(spec.half), 0.0), vec![])
        }
        "rounded cuboid" => {
            let radius = 0.25 * x;
            let core = ConvexShape::new(Shape::Cuboid(geom::Cuboid::new(half).ok()?)).ok()?;
            let s = Arc::new(RoundedShape::new(core, real(radius)).ok()?);
            let solid = solid(Core::Points(box_points(spec.half)), radius);
            made(Shape::Rounded(s.clone()), Box::new((*s).clone()), solid, axes())
        }
        "triangle" => {
            let [a, b, c] = [0, 1, 2].map(|i| vector(spec.points[i]));
            let s = geom::Triangle::new(a, b, c).ok()?;
            let normal = s.normal().map(widen);
            let normals = normal.into_iter().flat_map(|n| [n.normalize(), -n.normalize()]).collect();
            BuiltShape { shape: None, map: Box::new(s), solid: points(&spec.points), normals }
        }
        _ => {
            let s = geom::Segment::new(vector(spec.points[0]), vector(spec.points[1])).ok()?;
            BuiltShape { shape: None, map: Box::new(s), solid: points(&spec.points), normals: vec![] }
        }
    })
}

/// A shared hull as a support map of its own.
struct HullMap(Arc<geom::ConvexHull>);

impl SupportMap for HullMap {
    fn support(&self, direction: DVec3) -> carom_geom::SupportPoint {
        self.0.support(direction)
    }
    fn support_exact(&self, direction: DVec3, near: carom_geom::SupportPoint) -> carom_geom::SupportPoint {
        self.0.support_exact(direction, near)
    }
    fn support_slack(&self) -> f64 {
        self.0.support_slack()
    }
    fn vertex(&self, number: u32) -> Option<DVec3> {
        self.0.vertex(number)
    }
    fn center(&self) -> DVec3 {
        self.0.center()
    }
    fn radius(&self) -> f64 {
        self.0.radius()
    }
}

/// Tests one pair of shapes in several poses.
pub(in super::super) fn test_pair(tally: &mut Tally, random: &mut Random) {
    let specs = [Spec::new(random), Spec::new(random)];
    let [Some(a), Some(b)] = [make(&specs[0]), make(&specs[1])] else { return };
    let class = Spec::class(&specs[0], &specs[1]);
    let power = 2.0_f64.powi(random.below(40) as i32 - 20);
    let large = [make(&specs[0].scaled(power)), make(&specs[1].scaled(power))];
    let mut cache = GjkCache::new();
    for number in 0..POSES {
        let (b_in_a, rule) = relative_pose(&a, &b, random);
        let is_wide = random.below(2) == 0 || a.shape.is_none() || b.shape.is_none();
        let size = a.solid.reach() + b.solid.reach() + b_in_a.translation.length();
        let at = world(size, random);
        let placed = WidePose::from_quat(at.rotation, at.translation);
        let poses = [
            pose(&at),
            pose(&RelativePose {
                rotation: (at.rotation * b_in_a.rotation).normalize(),
                translation: placed.transform_point(b_in_a.translation),
            }),
        ];
        let cache_before = cache;
        let (answers, frame) = if is_wide {
            let frame = WidePose::from_quat(b_in_a.rotation, b_in_a.translation);
            (query_wide(&a, &b, &frame, &mut cache), frame)
        } else {
            (query_shapes(&a, &b, &poses), poses[1].wide_relative_to(&poses[0]))
        };
        debug_assert!(is_rotation(&frame.rotation));
        let context = || {
            format!(
                "{rule}, {class} {STORED:?}\n{:?}\n{:?}\n{frame:?} {poses:?} {cache_before:?}",
                specs[0], specs[1]
            )
        };
        let mut pair = Difference::new(&a.solid, &b.solid, frame);
        if !is_wide {
            // The size includes the translations, because the poses were subtracted.
            pair.size += wide(poses[0].translation.length()) + wide(poses[1].translation.length());
        }
        tally.judge(&pair, class, &answers, &context);
        tally.n_pairs[usize::from(!IS_SINGLE)] += 1;
        *tally.n_placed.entry(rule).or_default() += 1;
        let [Some(large_a), Some(large_b)] = &large else { continue };
        if number % 4 == 0 {
            let again = if is_wide {
                let frame = WidePose { translation: frame.translation * power, ..frame };
                let mut cold = GjkCache::new();
                query_wide(large_a, large_b, &frame, &mut cold)
            } else {
                let grow = |p: &Pose| Pose { translation: p.translation * real(power), ..*p };
                query_shapes(large_a, large_b, &[grow(&poses[0]), grow(&poses[1])])
            };
            for (answer, large) in answers.iter().zip(&again) {
                // The previous content of the cache changes the search, not the required answer.
                if answer.question == WARM {
                    continue;
                }
                tally.n_scaled += 1;
                if answer.scaled(power) != large.scaled(1.0) {
                    tally.n_other_bits += 1;
                    tally.record("scaled", || format!("by {power:e}: {answer:?}\n{large:?}\n{}", context()));
                }
            }
        }
    }
}

const WARM: &str = if IS_SINGLE { "f32 shapes: gjk, warm" } else { "f64 shapes: gjk, warm" };

/// Queries support maps of this precision, with a pose in `f64`.
fn query_wide(
    a: &BuiltShape<Shape>,
    b: &BuiltShape<Shape>,
    frame: &WidePose,
    cache: &mut GjkCache,
) -> Vec<Answer> {
    let settings = GjkSettings::default();
    let mut all = Vec::new();
    let names = if IS_SINGLE {
        ["f32 shapes: gjk, epa", WARM, "f32 shapes: gjk", "f32 shapes: yes or no"]
    } else {
        ["f64 shapes: gjk, epa", WARM, "f64 shapes: gjk", "f64 shapes: yes or no"]
    };
    let cold = carom_gjk::wide::signed_distance(&*a.map, &*b.map, frame, &settings, None);
    let warm = carom_gjk::wide::signed_distance(&*a.map, &*b.map, frame, &settings, Some(cache));
    for (name, found) in names.into_iter().zip([cold, warm]) {
        all.push(Answer {
            outcome: found.outcome,
            bounds: [found.lower_bound, found.upper_bound],
            normal: Some(found.normal),
            points: Some([found.point_a, found.point_b]),
            ..Answer::new(name, Statement::Signed(found.distance), WIDE)
        });
    }
    let found = carom_gjk::wide::distance(&*a.map, &*b.map, frame, &settings, None);
    all.push(Answer {
        outcome: found.outcome,
        bounds: [f64::NEG_INFINITY, if 0.0 < found.distance { f64::INFINITY } else { cold.upper_bound }],
        normal: (0.0 < found.distance).then_some(found.normal),
        points: Some([found.point_a, found.point_b]),
        ..Answer::new(names[2], Statement::Distance(found.distance), WIDE)
    });
    let found = carom_gjk::wide::intersects(&*a.map, &*b.map, frame, &settings, None);
    all.push(Answer {
        outcome: found.outcome,
        bounds: [if found.intersects { f64::NEG_INFINITY } else { found.gap }, f64::INFINITY],
        ..Answer::new(names[3], Statement::Meets(found.intersects), WIDE)
    });
    match (&a.shape, &b.shape) {
        (Some(Shape::Cuboid(a)), Some(Shape::Cuboid(b))) => {
            if let Some(found) = sat::box_box::separation(a.half_extents(), b.half_extents(), frame) {
                let name = if IS_SINGLE { "f32: box_box" } else { "f64: box_box" };
                all.push(Answer {
                    normal: Some(widen(found.normal)),
                    ..Answer::new(name, Statement::Separation(wide(found.distance)), STORED)
                });
            }
        }
        (Some(Shape::Hull(a)), Some(Shape::Hull(b))) if a.vertices().len() + b.vertices().len() <= 24 => {
            if let Some(found) = sat::hull_hull::separation(a, b, frame) {
                let name = if IS_SINGLE { "f32: hull_hull" } else { "f64: hull_hull" };
                all.push(Answer {
                    normal: Some(widen(found.normal)),
                    ..Answer::new(name, Statement::Separation(wide(found.distance)), STORED)
                });
            }
        }
        _ => {}
    }
    all
}

/// Queries carom-query, in the world.
fn query_shapes(a: &BuiltShape<Shape>, b: &BuiltShape<Shape>, poses: &[Pose; 2]) -> Vec<Answer> {
    let (Some(a), Some(b)) = (&a.shape, &b.shape) else { return Vec::new() };
    let names = if IS_SINGLE {
        ["f32: contact", "f32: distance", "f32: intersects"]
    } else {
        ["f64: contact", "f64: distance", "f64: intersects"]
    };
    let mut all = Vec::new();
    // The same operations as in carom-query.
    let to_a = |v: Vec3| poses[0].wide().inverse_transform_vector(widen(v));
    let reach = real(f64::from(f32::MAX));
    if let Some(found) = query::contact(a, &poses[0], b, &poses[1], reach) {
        let contact = found.contact;
        all.push(Answer {
            outcome: found.outcome,
            normal: Some(to_a(contact.normal)),
            points: Some([widen(contact.point_a), widen(contact.point_b)]),
            ..Answer::new(names[0], Statement::Signed(wide(contact.distance)), STORED)
        });
    }
    let found = query::distance(a, &poses[0], b, &poses[1]);
    all.push(Answer {
        outcome: found.outcome,
        normal: (0.0 < found.distance).then(|| to_a(found.normal)),
        points: Some([widen(found.point_a), widen(found.point_b)]),
        ..Answer::new(names[1], Statement::Distance(wide(found.distance)), STORED)
    });
    let outcome = if found.outcome == Outcome::Undecided { Outcome::Undecided } else { Outcome::Exact };
    let meets = query::intersects(a, &poses[0], b, &poses[1]);
    all.push(Answer { outcome, ..Answer::new(names[2], Statement::Meets(meets), STORED) });
    all
}
