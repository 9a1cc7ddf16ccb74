//! The functions for pairs of primitive bodies, for rays and points against each, and for planes:
//! their answers agree with each other.

use super::num::geom::closest::{closest_points, on_ray};
use super::num::geom::overlap::overlaps;
use super::num::geom::plane::{heights_of, heights_of_points, side_of, side_of_points};
use super::num::geom::{
    Capsule, Cone, ConvexPolygon, Cuboid, Cylinder, Ellipsoid, Frustum, PointProjection, RayHit, RayHits,
    Segment, Sphere, TaperedCapsule, Tetrahedron, Triangle, ray,
};
use super::num::{Interval, Plane, Pose, RANGE, ROUNDING, Ray, Real, Vec3, pose, real, vec3, wide};
use crate::bytes::Bytes;
use carom_bounds::Aabb;
use carom_geom::{PlaneSide, SupportMap};
use carom_math::scaling::{length, unit};
use glam::DVec3;

#[derive(Debug)]
enum Any {
    Point(Vec3),
    Segment(Segment),
    Triangle(Triangle),
    Polygon(Vec<Vec3>),
    Sphere(Sphere),
    Capsule(Capsule),
    Cuboid(Cuboid),
    Aabb(Aabb),
    Tetrahedron(Tetrahedron),
    Frustum(Frustum),
}

/// The number of thin kinds, which come first.
const N_THIN: usize = 6;

/// Runs an expression with the body of the kind.
macro_rules! with {
    ($any:expr, $body:ident => $do:expr) => {
        match $any {
            Any::Polygon(corners) => {
                let $body = &ConvexPolygon::new(corners).unwrap();
                $do
            }
            Any::Cuboid($body) => $do,
            Any::Aabb($body) => $do,
            Any::Tetrahedron($body) => $do,
            Any::Frustum($body) => $do,
            Any::Point($body) => $do,
            Any::Segment($body) => $do,
            Any::Triangle($body) => $do,
            Any::Sphere($body) => $do,
            Any::Capsule($body) => $do,
        }
    };
}

macro_rules! with_thin {
    ($any:expr, $body:ident => $do:expr) => {
        match $any {
            Any::Polygon(corners) => {
                let $body = &ConvexPolygon::new(corners).unwrap();
                $do
            }
            Any::Point($body) => $do,
            Any::Segment($body) => $do,
            Any::Triangle($body) => $do,
            Any::Sphere($body) => $do,
            Any::Capsule($body) => $do,
            _ => return,
        }
    };
}

fn body(bytes: &mut Bytes<'_>, n_kinds: usize) -> Option<Any> {
    let point = |bytes: &mut Bytes<'_>| vec3(bytes.point());
    let size = |bytes: &mut Bytes<'_>| real(bytes.size());
    Some(match bytes.below(n_kinds) {
        0 => Any::Point(vec3(bytes.point())),
        1 => Any::Segment(Segment::new(point(bytes), point(bytes)).ok()?),
        2 => Any::Triangle(Triangle::new(point(bytes), point(bytes), point(bytes)).ok()?),
        3 => {
            // Points of one plane: a corner, two sides, and the parallelogram that they span.
            let (a, u, v) = (bytes.point(), bytes.point(), bytes.point());
            let n = 1 + bytes.below(5);
            let corners: Vec<Vec3> = [a, a + u, a + u + v, a + v, a][..n].iter().map(|p| vec3(*p)).collect();
            ConvexPolygon::new(&corners).ok()?;
            Any::Polygon(corners)
        }
        4 => Any::Sphere(Sphere::new(size(bytes)).ok()?),
        5 => Any::Capsule(Capsule::new(size(bytes), size(bytes)).ok()?),
        6 => Any::Cuboid(Cuboid::new(vec3(bytes.sizes())).ok()?),
        7 => {
            let (p, q) = (bytes.point_f32(), bytes.point_f32());
            Any::Aabb(Aabb::new(p.min(q), p.max(q)).ok()?)
        }
        8 => Any::Tetrahedron(Tetrahedron::new(point(bytes), point(bytes), point(bytes), point(bytes)).ok()?),
        _ => Any::Frustum(Frustum::new(size(bytes), size(bytes), size(bytes), size(bytes)).ok()?),
    })
}

/// Returns corners and a radius. The body is the hull of the corners, grown by the radius.
fn hull_of(any: &Any) -> (Vec<DVec3>, f64) {
    let cube = |low: DVec3, high: DVec3| {
        let at = |i: u32, bit: u32, k: usize| if i & bit == 0 { low[k] } else { high[k] };
        (0..8).map(|i| DVec3::new(at(i, 1, 0), at(i, 2, 1), at(i, 4, 2))).collect()
    };
    let wide_all = |points: &[Vec3]| points.iter().map(|p| wide(*p)).collect();
    match any {
        Any::Point(p) => (vec![wide(*p)], 0.0),
        Any::Segment(s) => (vec![wide(s.a()), wide(s.b())], 0.0),
        Any::Triangle(t) => (t.corners_wide().to_vec(), 0.0),
        Any::Polygon(corners) => (wide_all(corners), 0.0),
        Any::Sphere(s) => (vec![DVec3::ZERO], f64::from(s.radius())),
        Any::Capsule(s) => {
            let up = DVec3::Y * f64::from(s.half_height());
            (vec![up, -up], f64::from(s.radius()))
        }
        Any::Cuboid(s) => (cube(-wide(s.half_extents()), wide(s.half_extents())), 0.0),
        Any::Aabb(s) => (cube(s.min.as_dvec3(), s.max.as_dvec3()), 0.0),
        Any::Tetrahedron(t) => (t.corners_wide().to_vec(), 0.0),
        Any::Frustum(f) => (wide_all(&f.corners()), 0.0),
    }
}

fn is_finite(pose: &Pose) -> bool {
    pose.rotation.is_finite() && pose.translation.is_finite()
}

fn largest(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
}

/// The distance of bodies is that of their closest points, and 0 exactly if they meet. Rays,
/// points and planes agree for each body.
pub fn tables(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    match bytes.byte() % 4 {
        0 => solids(&mut bytes),
        1 => planes(&mut bytes),
        2 => on_a_ray(&mut bytes),
        _ => two(&mut bytes),
    }
}

fn two(bytes: &mut Bytes<'_>) {
    let (Some(a), Some(b)) = (body(bytes, N_THIN), body(bytes, 10)) else { return };
    let b_in_a =
        if bytes.byte().is_multiple_of(2) { Pose::IDENTITY } else { pose(bytes.rotation(), bytes.point()) };
    let meets = with_thin!(&a, a => with!(&b, b => overlaps(a, b, &b_in_a)));
    let mirrored = with_thin!(&a, a => with!(&b, b => overlaps(b, a, &Pose::IDENTITY)));
    let found = with_thin!(&a, a => with!(&b, b => closest_points(a, b, &b_in_a)));
    let ((corners_a, radius_a), (corners_b, radius_b)) = (hull_of(&a), hull_of(&b));
    let placed: Vec<DVec3> = corners_b.iter().map(|p| b_in_a.wide().transform_point(*p)).collect();
    if !(is_finite(&b_in_a) && corners_a.iter().chain(&placed).all(|p| p.is_finite())) {
        return;
    }
    let context = || format!("{found:?} {a:?} {b:?} {b_in_a:?}");
    assert!(0.0 <= found.distance, "{}", context());
    assert_eq!(meets, found.distance == 0.0, "{}", context());
    assert!(b_in_a != Pose::IDENTITY || meets == mirrored, "{}", context());
    let size = largest(&corners_a).max(largest(&placed)) + radius_a + radius_b;
    if !(RANGE.0 < size && size < RANGE.1) {
        return;
    }
    let tolerance = ROUNDING * size;
    let (point_a, point_b) = (wide(found.point_a), wide(found.point_b));
    let distance = f64::from(found.distance);
    assert!((length(point_a - point_b) - distance).abs() <= tolerance, "{}", context());
    let top = |corners: &[DVec3], radius: f64, n: DVec3| {
        corners.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max) + radius
    };
    // A plane across the direction between them separates them, so no other points are nearer. The
    // direction has an error: the rounding divided by the distance, plus the root of the error of
    // the distance. The points may be beside the closest ones by that much.
    let normal = wide(found.normal);
    let beside = (8.0 * carom_math::tol::CLOSEST_POINTS_ERROR * size / distance).sqrt();
    let doubt = 8.0 * tolerance * (1.0 + size / distance) + size * beside;
    if !meets {
        assert!((length(normal) - 1.0).abs() < 1e-6, "{}", context());
        let room = -top(&placed, radius_b, -normal) - top(&corners_a, radius_a, normal);
        assert!(distance - doubt <= room, "{room:e} {}", context());
    }
    // The points belong to the bodies.
    for n in [DVec3::X, DVec3::Y, DVec3::Z, bytes.point(), normal] {
        for n in unit(n).into_iter().flat_map(|n| [n, -n]) {
            assert!(point_a.dot(n) <= top(&corners_a, radius_a, n) + tolerance, "{n} {}", context());
            assert!(point_b.dot(n) <= top(&placed, radius_b, n) + tolerance, "{n} {}", context());
        }
    }
}

/// Tests a ray and a point against one body, by its own functions.
fn solids(bytes: &mut Bytes<'_>) {
    let Some(any) = body(bytes, 10) else { return };
    let line = Ray::new(vec3(bytes.point()), vec3(bytes.point()));
    let interval =
        [Interval::FORWARD, Interval::BOTH, Interval::new(real(bytes.float()), real(bytes.float()))];
    let interval = interval[bytes.below(3)];
    let project: Option<Box<dyn Fn(Vec3) -> PointProjection + '_>> = match &any {
        Any::Segment(s) => Some(Box::new(|p| s.project_point(p))),
        Any::Triangle(s) => Some(Box::new(|p| s.project_point(p))),
        Any::Polygon(c) => Some(Box::new(|p| ConvexPolygon::new(c).unwrap().project_point(p))),
        Any::Sphere(s) => Some(Box::new(|p| s.project_point(p))),
        Any::Capsule(s) => Some(Box::new(|p| s.project_point(p))),
        Any::Cuboid(s) => Some(Box::new(|p| s.project_point(p))),
        Any::Tetrahedron(s) => Some(Box::new(|p| s.project_point(p))),
        Any::Frustum(s) => Some(Box::new(|p| s.project_point(p))),
        Any::Point(_) | Any::Aabb(_) => None,
    };
    let (first, every): (Option<RayHit>, Option<RayHits>) = match &any {
        Any::Point(p) => (ray::point(&line, interval, *p), None),
        Any::Segment(s) => (s.cast_ray(&line, interval), Some(s.ray_hits(&line, interval))),
        Any::Triangle(s) => (s.cast_ray(&line, interval), Some(s.ray_hits(&line, interval))),
        Any::Polygon(c) => {
            let polygon = ConvexPolygon::new(c).unwrap();
            (polygon.cast_ray(&line, interval), Some(polygon.ray_hits(&line, interval)))
        }
        Any::Sphere(s) => (s.cast_ray(&line, interval, false), Some(s.ray_hits(&line, interval))),
        Any::Capsule(s) => (s.cast_ray(&line, interval, false), Some(s.ray_hits(&line, interval))),
        Any::Cuboid(s) => (s.cast_ray(&line, interval, false), Some(s.ray_hits(&line, interval))),
        Any::Aabb(s) => (ray::aabb(&line, interval, s, false), Some(ray::aabb_hits(&line, interval, s))),
        Any::Tetrahedron(s) => (s.cast_ray(&line, interval, false), Some(s.ray_hits(&line, interval))),
        Any::Frustum(s) => (s.cast_ray(&line, interval, false), Some(s.ray_hits(&line, interval))),
    };
    let (corners, radius) = hull_of(&any);
    let context = || format!("{first:?} {every:?} {any:?} {line:?} {interval:?}");
    if let Some(every) = every {
        let listed = every.as_slice().first().copied();
        let (listed, found) = (listed.map(|hit| hit.t), first.map(|hit| hit.t));
        // An interval that begins within a flat body has its first hit there. The list of hits has
        // only the rim.
        let is_sheet = matches!(any, Any::Segment(_) | Any::Triangle(_) | Any::Polygon(_));
        let begins_within = is_sheet
            && found.is_some_and(|t| (t == interval.min || t == 0.0) && listed.is_none_or(|later| t < later));
        assert!(begins_within || listed == found, "{}", context());
    }
    let origin = wide(line.origin);
    let size = largest(&corners) + radius + origin.abs().max_element();
    let is_compared = RANGE.0 < size && size < RANGE.1 && corners.iter().all(|p| p.is_finite());
    let tolerance = ROUNDING * size;
    for hit in every.into_iter().flatten().chain(first) {
        assert!(interval.contains(hit.t) && hit.t.is_finite() && hit.normal.is_finite(), "{}", context());
        let Some(project) = project.as_ref().filter(|_| is_compared) else { continue };
        let at = origin + wide(line.direction) * f64::from(hit.t);
        let step = length(wide(line.direction))
            * (f64::from(hit.t).abs() * ROUNDING).max(f64::from(Real::from_bits(1)));
        let off = f64::from(project(vec3(at)).distance).abs();
        assert!(off <= 64.0 * tolerance + 8.0 * step, "{off:e} {}", context());
    }
    let Some(project) = project.filter(|_| line.origin.is_finite()) else { return };
    let found = project(line.origin);
    assert!(!found.distance.is_nan() && found.point.is_finite(), "{found:?} {}", context());
    if !is_compared {
        return;
    }
    let distance = f64::from(found.distance);
    let between = length(wide(found.point) - origin);
    assert!((between - distance.abs()).abs() <= 8.0 * tolerance, "{found:?} {}", context());
    let again = f64::from(project(found.point).distance);
    assert!(again.abs() <= 8.0 * tolerance, "{again:e} {found:?} {}", context());
    assert_eq!(found.is_inside, distance <= 0.0, "{found:?} {}", context());
}

/// Checks that sides and heights of points, relative to planes, agree.
fn planes(bytes: &mut Bytes<'_>) {
    let plane = Plane { normal: vec3(bytes.point()), d: real(bytes.float()) };
    let size = |bytes: &mut Bytes<'_>| real(bytes.size());
    let shape: Option<Box<dyn SupportMap>> = match bytes.below(6) {
        0 => Cone::new(size(bytes), size(bytes)).ok().map(|s| Box::new(s) as _),
        1 => Cylinder::new(size(bytes), size(bytes)).ok().map(|s| Box::new(s) as _),
        2 => Ellipsoid::new(vec3(bytes.sizes())).ok().map(|s| Box::new(s) as _),
        3 => TaperedCapsule::new(size(bytes), size(bytes), size(bytes)).ok().map(|s| Box::new(s) as _),
        4 => Frustum::new(size(bytes), size(bytes), size(bytes), size(bytes)).ok().map(|s| Box::new(s) as _),
        _ => Cuboid::new(vec3(bytes.sizes())).ok().map(|s| Box::new(s) as _),
    };
    let Some(shape) = shape else { return };
    let placed = pose(bytes.rotation(), bytes.point());
    let side = side_of(&plane, &*shape, &placed);
    let heights = heights_of(&plane, &*shape, &placed);
    let points = [vec3(bytes.point()), vec3(bytes.point())];
    let side_points = side_of_points(&plane, &points);
    let heights_points = heights_of_points(&plane, &points).unwrap();
    let normal = wide(plane.normal);
    if normal == DVec3::ZERO || !normal.is_finite() || !plane.d.is_finite() {
        return;
    }
    let offset = f64::from(plane.d) / length(normal);
    let agree = |side: PlaneSide, low: Real, high: Real, size: f64, what: &str| {
        let (low, high) = (f64::from(low), f64::from(high));
        let context = || {
            format!(
                "{what} {side:?} {low:e} {high:e} {plane:?} {shape:?} {placed:?} {points:?}",
                shape = shape.center()
            )
        };
        assert!(low <= high, "{}", context());
        if !(RANGE.0 < size && size < RANGE.1) {
            return;
        }
        let tolerance = ROUNDING * size;
        assert!(side != PlaneSide::Front || -tolerance <= low, "{}", context());
        assert!(side != PlaneSide::Back || high <= tolerance, "{}", context());
        assert!(side != PlaneSide::Across || (low <= tolerance && -tolerance <= high), "{}", context());
    };
    if is_finite(&placed) {
        let reach = length(shape.center()) + shape.radius() + shape.margin();
        let size = reach + length(wide(placed.translation)) + offset.abs();
        agree(side, heights.low, heights.high, size, "shape");
    }
    if points.iter().all(|p| p.is_finite()) {
        let size = largest(&points.map(wide)) + offset.abs();
        agree(side_points, heights_points.low, heights_points.high, size, "points");
    }
}

/// Checks the point of a ray that is closest to a given point: it is in the interval, and no other
/// sample is closer.
fn on_a_ray(bytes: &mut Bytes<'_>) {
    let (point, line) = (vec3(bytes.point()), Ray::new(vec3(bytes.point()), vec3(bytes.point())));
    let (low, high) = (real(bytes.float()), real(bytes.float()));
    let interval = [Interval::FORWARD, Interval::BOTH, Interval::new(low.min(high), low.max(high))];
    let interval = interval[bytes.below(3)];
    let t = on_ray(point, &line, interval);
    if !(point.is_finite() && line.origin.is_finite() && line.direction.is_finite()) {
        return;
    }
    if !(interval.min <= interval.max) {
        return;
    }
    let context = || format!("{t:e} {point:?} {line:?} {interval:?}");
    assert!(interval.contains(t), "{}", context());
    let (p, o, d) = (wide(point), wide(line.origin), wide(line.direction));
    let size = p.abs().max_element() + o.abs().max_element();
    if !(RANGE.0 < size && size < RANGE.1 && t.is_finite()) {
        return;
    }
    let distance = |t: f64| length(p - (o + d * t));
    let least = f64::from(Real::from_bits(1));
    let doubt = ROUNDING * size + length(d) * (f64::from(t).abs() * ROUNDING).max(least);
    for other in [bytes.float(), 0.0, f64::from(t) * 0.5, f64::from(t) * 2.0] {
        let is_in_range = other.is_finite() && other.abs() * length(d) < f64::MAX;
        if is_in_range && f64::from(interval.min) <= other && other <= f64::from(interval.max) {
            let (here, there) = (distance(f64::from(t)), distance(other));
            assert!(here <= there + doubt, "{here:e} {there:e} at {other:e} {}", context());
        }
    }
}
