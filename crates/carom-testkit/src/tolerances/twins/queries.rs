//! The queries in carom's types; compiled for `f32` and again for `f64`.

use super::super::{Answer, Body, Case, SHAPES};
use super::num::{geom, gjk, math, query, real, sat, wide};
use carom_geom::SupportMap;
use carom_gjk::GjkSettings;
use glam::DVec3;
use math::{Interval, Plane, Pose, Quat, Ray, Vec3};
use query::{ConvexShape, MeshShape, RoundedShape, Shape, ShapeKind};
use std::sync::Arc;

/// Returns the vector rounded to `f32`, the same in both precisions.
fn vector(p: DVec3) -> Vec3 {
    let p = p.as_vec3().as_dvec3();
    Vec3::new(real(p.x), real(p.y), real(p.z))
}

fn widen(v: Vec3) -> DVec3 {
    DVec3::new(wide(v.x), wide(v.y), wide(v.z))
}

fn pose(body: &Body) -> Pose {
    let q = body.rotation;
    let rotation = Quat::from_xyzw(real(q.x), real(q.y), real(q.z), real(q.w));
    Pose::new(rotation, vector(body.translation))
}

/// Returns the shape; `None` for points that span no volume.
fn shape(body: &Body) -> Option<Shape> {
    let half = vector(body.half);
    let (h, r) = (half.y, half.x);
    let points = || -> Vec<Vec3> { body.points.iter().map(|p| vector(*p)).collect() };
    Some(match SHAPES[body.kind] {
        "sphere" => Shape::Sphere(geom::Sphere::new(r).ok()?),
        "capsule" => Shape::Capsule(geom::Capsule::new(h, r).ok()?),
        "tapered capsule" => Shape::TaperedCapsule(geom::TaperedCapsule::new(h, r, half.z).ok()?),
        "cuboid" => Shape::Cuboid(geom::Cuboid::new(half).ok()?),
        "cylinder" => Shape::Cylinder(geom::Cylinder::new(h, r).ok()?),
        "cone" => Shape::Cone(geom::Cone::new(h, r).ok()?),
        "ellipsoid" => Shape::Ellipsoid(geom::Ellipsoid::new(half).ok()?),
        "hull" => Shape::Hull(Arc::new(geom::ConvexHull::from_points(&points()).ok()?)),
        "mesh" => {
            let points = points();
            let triangles = (0..points.len() as u32 - 2).map(|k| [k, k + 1, k + 2]).collect();
            Shape::Mesh(Arc::new(MeshShape::new(geom::TriMesh::new(points, triangles).ok()?).ok()?))
        }
        _ => {
            let core = ConvexShape::new(Shape::Cuboid(geom::Cuboid::new(half).ok()?)).ok()?;
            Shape::Rounded(Arc::new(RoundedShape::new(core, r).ok()?))
        }
    })
}

/// Returns the support map of a convex shape.
fn support_map(shape: &Shape) -> Option<&dyn SupportMap> {
    if let ShapeKind::Convex(map) = shape.kind() { Some(map) } else { None }
}

fn coordinates(v: Vec3, unit: f64) -> impl Iterator<Item = (f64, f64)> {
    widen(v).to_array().into_iter().map(move |x| (x, unit))
}

pub(in super::super) fn answers(case: &Case) -> Vec<Answer> {
    let mut all = Vec::new();
    poses(case, &mut all);
    triangles(case, &mut all);
    if let (Some(a), Some(b)) = (shape(&case.a), shape(&case.b)) {
        alone(case, &a, &mut all);
        pairs(case, [&a, &b], &mut all);
    }
    all
}

fn poses(case: &Case, all: &mut Vec<Answer>) {
    let (a, b) = (pose(&case.a), pose(&case.b));
    let point = vector(case.point);
    let reach = case.point.length() + case.a.translation.length();
    let mut push = |what, values| all.push(Answer { family: ("math", what), decision: 0, values });
    push("Pose::transform_point", coordinates(a.transform_point(point), reach).collect());
    push("Pose::inverse_transform_point", coordinates(a.inverse_transform_point(point), reach).collect());
    let between = (case.b.translation - case.a.translation).length();
    push("Pose::relative_to", coordinates(b.relative_to(&a).translation, between).collect());
    let wide_pose = b.wide_relative_to(&a);
    push("Pose::wide_relative_to", wide_pose.translation.to_array().map(|x| (x, between)).to_vec());
    let [p, q, r] = case.triangles[0];
    let (u, v) = (q - p, r - p);
    // The error of a plane is inversely proportional to the thickness of its triangle.
    let thick = u.cross(v).length() / (u.length_squared().max(v.length_squared()));
    if let Some(plane) = Plane::from_points(vector(p), vector(q), vector(r)) {
        push("Plane::from_points", coordinates(plane.normal, 1.0 / thick).collect());
    }
    let m = glam::DMat3::from_cols(u, v, case.point);
    let m = (m + m.transpose()).to_cols_array_2d();
    let m = math::Mat3::from_cols(vector(m[0].into()), vector(m[1].into()), vector(m[2].into()));
    let norm = m.to_cols_array().iter().fold(0.0, |most: f64, x| most.max(wide(*x).abs()));
    push("symmetric_eigen", coordinates(math::symmetric_eigen(m).values, norm).collect());
    let roots: Vec<f64> = math::quadratic(real(p.x), real(p.y), real(p.z)).iter().map(wide).collect();
    let values = roots.iter().map(|x| (*x, x.abs())).collect();
    all.push(Answer { family: ("math", "quadratic"), decision: roots.len() as i64, values });
}

fn triangles(case: &Case, all: &mut Vec<Answer>) {
    let [a, b] = case.triangles.map(|t| t.map(vector));
    let reach: f64 = case.triangles.iter().flatten().fold(0.0, |m: f64, p| m.max(p.length()));
    let here = Pose::IDENTITY;
    // One triangle is placed far from the other.
    let far = reach + case.a.translation.length();
    let mut push = |what, reach: f64, found: geom::closest::ClosestPair, meets: bool| {
        let mut values = vec![(wide(found.distance), reach)];
        if 1e-3 * reach < wide(found.distance) {
            // Only if one pair of points is closest.
            values.extend(coordinates(found.point_a, reach));
        }
        let decision = i64::from(meets) + 2 * i64::from(found.distance == 0.0);
        all.push(Answer { family: ("closest points", what), decision, values });
    };
    if let (Ok(s), Ok(t)) = (geom::Segment::new(a[0], a[1]), geom::Segment::new(b[0], b[1])) {
        push(
            "segments",
            reach,
            geom::closest::closest_points(&s, &t, &here),
            geom::overlap::overlaps(&s, &t, &here),
        );
    }
    let (Ok(s), Ok(t)) = (geom::Triangle::new(a[0], a[1], a[2]), geom::Triangle::new(b[0], b[1], b[2]))
    else {
        return;
    };
    let there = pose(&case.a);
    push(
        "triangles",
        reach,
        geom::closest::closest_points(&s, &t, &here),
        geom::overlap::overlaps(&s, &t, &here),
    );
    push(
        "triangles, placed",
        far,
        geom::closest::closest_points(&s, &t, &there),
        geom::overlap::overlaps(&s, &t, &there),
    );
    push(
        "point, triangle",
        reach,
        geom::closest::closest_points(&a[0], &t, &here),
        geom::overlap::overlaps(&a[0], &t, &here),
    );
    if let Ok(cuboid) = geom::Cuboid::new(vector(case.a.half)) {
        push(
            "triangle, cuboid",
            reach,
            geom::closest::closest_points(&s, &cuboid, &here),
            geom::overlap::overlaps(&s, &cuboid, &here),
        );
    }
    let plane = Plane { normal: vector(case.direction.normalize()), d: real(case.point.x) };
    if let Some(heights) = geom::plane::heights_of_points(&plane, &a) {
        let unit = reach + case.point.x.abs();
        let values = vec![(wide(heights.low), unit), (wide(heights.high), unit)];
        let side = geom::plane::side_of_points(&plane, &a);
        all.push(Answer { family: ("plane", "heights of points"), decision: side as i64, values });
    }
}

/// Adds the answers about one shape: a point and a ray, in its frame and in the world, and its
/// mass.
fn alone(case: &Case, shape: &Shape, all: &mut Vec<Answer>) {
    let name = SHAPES[case.a.kind];
    let size = case.a.size();
    for (point_of, ray_of, pose) in [
        ("point, own frame", "ray, own frame", Pose::IDENTITY),
        ("point, world", "ray, world", pose(&case.a)),
    ] {
        let position = widen(pose.translation);
        let point = vector(case.point + position);
        if let Some(found) = query::project_point(shape, &pose, point) {
            let values = vec![(wide(found.distance), size + widen(point).length() + position.length())];
            all.push(Answer { family: (point_of, name), decision: i64::from(found.is_inside), values });
        }
        let ray = Ray::new(vector(case.origin + position), vector(case.direction));
        let hit = query::cast_ray(shape, &pose, &ray, Interval::FORWARD);
        let values = hit.map(|hit| {
            // The error of a hit is inversely proportional to the cosine at the surface.
            let cosine = widen(hit.normal).dot(case.direction).abs() / case.direction.length();
            let reach = size + widen(ray.origin).length() + position.length();
            (wide(hit.t) * case.direction.length(), reach / cosine)
        });
        all.push(Answer {
            family: (ray_of, name),
            decision: i64::from(hit.is_some()),
            values: values.into_iter().collect(),
        });
    }
    let mut decision = 0;
    if let Shape::Hull(hull) = shape {
        decision = hull.vertices().iter().map(|v| corner_bit(&case.a, *v)).sum::<i64>() << 16
            | hull.n_faces() as i64;
        let values = vec![(hull.radius(), size), (hull.inscribed_radius(), size)];
        all.push(Answer { family: ("hull", "corners and number of faces"), decision, values });
    }
    if SHAPES[case.a.kind] != "mesh" {
        let mass = shape.mass_properties(real(1.0));
        // Numbers below the least normal `f32` are compared with its unit.
        let least = f64::from(f32::MIN_POSITIVE);
        let mut values = vec![(wide(mass.mass), wide(mass.mass).max(least))];
        values.extend(coordinates(mass.center, size));
        let trace = wide(mass.inertia.x_axis.x + mass.inertia.y_axis.y + mass.inertia.z_axis.z);
        values.extend(mass.inertia.to_cols_array().map(|x| (wide(x), trace.max(least))));
        all.push(Answer { family: ("mass", name), decision, values });
    }
}

/// Returns the bit of the point at a corner of a hull.
fn corner_bit(body: &Body, corner: Vec3) -> i64 {
    body.points.iter().position(|p| *p == widen(corner)).map_or(0, |k| 1 << k)
}

fn pairs(case: &Case, [a, b]: [&Shape; 2], all: &mut Vec<Answer>) {
    let (pose_a, pose_b) = (pose(&case.a), pose(&case.b));
    let unit = case.a.size() + case.b.size() + (case.a.translation - case.b.translation).length();
    let apart = query::distance(a, &pose_a, b, &pose_b);
    all.push(Answer {
        family: ("query", "distance"),
        decision: i64::from(0.0 < apart.distance),
        values: vec![(wide(apart.distance), unit)],
    });
    all.push(Answer {
        family: ("query", "intersects"),
        decision: i64::from(query::intersects(a, &pose_a, b, &pose_b)),
        values: Vec::new(),
    });
    let contact = query::contact(a, &pose_a, b, &pose_b, real(0.0));
    all.push(Answer {
        family: ("query", "contact"),
        decision: i64::from(contact.is_some()),
        values: contact.map(|c| (wide(c.contact.distance), unit)).into_iter().collect(),
    });
    let (Some(map_a), Some(map_b)) = (support_map(a), support_map(b)) else { return };
    // The pose is given in A's frame, so both precisions get the same numbers.
    let b_in_a = Pose::new(pose_b.rotation, vector(case.b.translation - case.a.translation));
    let signed = gjk::signed_distance(map_a, map_b, &b_in_a, &GjkSettings::default(), None);
    let family = ("gjk", if signed.distance <= 0.0 { "depth" } else { "distance" });
    let values = vec![(wide(signed.distance), unit)];
    all.push(Answer { family, decision: i64::from(0.0 < signed.distance), values });
    if let (Shape::Cuboid(s), Shape::Cuboid(t)) = (a, b)
        && let Some(found) = sat::box_box::separation(s.half_extents(), t.half_extents(), &b_in_a.wide())
    {
        let values = vec![(wide(found.distance), unit)];
        all.push(Answer { family: ("sat", "boxes"), decision: i64::from(found.axis), values });
    }
    if let (Shape::Hull(s), Shape::Hull(t)) = (a, b)
        && let Some(found) = sat::hull_hull::separation(s, t, &b_in_a.wide())
    {
        let decision = i64::from(0.0 < found.distance);
        all.push(Answer { family: ("sat", "hulls"), decision, values: vec![(wide(found.distance), unit)] });
    }
}
