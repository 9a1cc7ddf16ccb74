//! The exact answers for the input as a library stores it. Oracles compute them within their reach;
//! others are as published in the data.
//!
//! Bodies that are a polytope grown by a radius (balls, capsules, boxes, hulls, single triangles)
//! are compared feature by feature. Rays and points against meshes, and triangles, use rational
//! arithmetic. Cylinders, and rays against round shapes, have closed forms in the data.

use super::shape::{Body, Precision, Shape, point};
use super::{Case, Step};
use crate::oracle::convex::{self, BruteHull};
use crate::oracle::depth;
use crate::oracle::sat::box_corners;
use crate::oracle::triangle::{self, LineHit, PointLocation};
use glam::DVec3;
use std::collections::BTreeMap;

/// The right answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ExactAnswer {
    /// A signed distance.
    Distance(f64),
    /// The relation of two triangles.
    Triangles {
        /// Whether they share a point.
        meets: bool,
        /// The distance; 0 if they meet.
        distance: f64,
    },
    /// The first parameter of a ray; `None` for a miss.
    Ray(Option<f64>),
    /// Any valid hull of the points.
    Hull,
    /// Pairs of box indices, sorted.
    Pairs(Vec<(usize, usize)>),
}

/// Returns the exact answer for the input as it is stored.
pub fn exact_answer(case: &Case, precision: Precision) -> ExactAnswer {
    match case {
        Case::Pair { a, b, distance, .. } => {
            ExactAnswer::Distance(pair(a, b, precision).unwrap_or(*distance))
        }
        Case::Triangles { a, b, .. } => {
            let (a, b) = (a.map(|p| precision.point(p)), b.map(|p| precision.point(p)));
            let meets = triangle::hulls_meet(&a, &b);
            ExactAnswer::Triangles { meets, distance: triangle::triangle_distance(&a, &b) }
        }
        Case::Ray { on, origin, direction, t } => {
            let computed = ray(on, precision.point(*origin), precision.point(*direction), precision);
            ExactAnswer::Ray(computed.unwrap_or(*t))
        }
        Case::Point { on, point, distance } => {
            let local = on.wide(precision).inverse_transform_point(precision.point(*point));
            ExactAnswer::Distance(deviation(on, precision, local).unwrap_or(*distance))
        }
        Case::Hull { .. } => ExactAnswer::Hull,
        Case::Boxes { steps, .. } => ExactAnswer::Pairs(pairs(&boxes(steps), precision)),
    }
}

/// Returns a bound on the coordinates of a case: errors are relative to it.
pub fn size(case: &Case) -> f64 {
    let largest = |points: &[[f64; 3]]| points.iter().flatten().fold(0.0, |m, x| f64::max(m, x.abs()));
    match case {
        Case::Pair { a, b, .. } => reach(a).max(reach(b)),
        Case::Triangles { a, b, .. } => largest(a).max(largest(b)),
        Case::Ray { on, origin, .. } => reach(on).max(largest(&[*origin])),
        Case::Point { on, point, .. } => reach(on).max(largest(&[*point])),
        Case::Hull { points, .. } => largest(points),
        Case::Boxes { .. } => 0.0,
    }
}

/// Returns an upper bound of the distance of a body's points from the world's origin.
fn reach(body: &Body) -> f64 {
    let own = match &body.shape {
        Shape::Sphere(radius) => *radius,
        Shape::Capsule(half, radius) => half + radius,
        Shape::Cuboid(half) => point(*half).length(),
        Shape::Cylinder(half, radius) => half.hypot(*radius),
        Shape::Hull(points) => points.iter().map(|p| point(*p).length()).fold(0.0, f64::max),
        Shape::Mesh(mesh) => mesh.vertices.iter().map(|p| point(*p).length()).fold(0.0, f64::max),
    };
    own + point(body.at).length()
}

/// Returns the core polytope of the body in its frame, and the radius that grows it to the body.
fn core(body: &Body, precision: Precision) -> Option<(Vec<DVec3>, f64)> {
    Some(match &body.shape {
        Shape::Sphere(radius) => (vec![DVec3::ZERO], precision.round(*radius)),
        Shape::Capsule(half, radius) => {
            let end = DVec3::Y * precision.round(*half);
            (vec![-end, end], precision.round(*radius))
        }
        Shape::Cuboid(half) => (box_corners(precision.point(*half), |p| p), 0.0),
        Shape::Hull(points) => (points.iter().map(|p| precision.point(*p)).collect(), 0.0),
        Shape::Mesh(mesh) if mesh.triangles.len() == 1 => (mesh.corners(precision)[0].to_vec(), 0.0),
        Shape::Mesh(_) | Shape::Cylinder(..) => return None,
    })
}

/// Returns the signed distance, from the features of the two cores.
fn pair(a: &Body, b: &Body, precision: Precision) -> Option<f64> {
    let ((points_a, radius_a), (points_b, radius_b)) = (core(a, precision)?, core(b, precision)?);
    let b_in_a = b.wide(precision).relative_to(&a.wide(precision));
    let points_b: Vec<DVec3> = points_b.iter().map(|p| b_in_a.transform_point(*p)).collect();
    let (a, b) = (BruteHull::new(&points_a), BruteHull::new(&points_b));
    let (overlap, _) = depth::depth(&a, &b);
    let cores = if overlap < 0.0 { convex::surface_distance(&a, &b).0 } else { -overlap };
    Some(cores - radius_a - radius_b)
}

/// Returns the first parameter of a ray, from the triangles of a surface that is not moved. A ray
/// in the plane of a triangle meets its edges, which its neighbours share.
fn ray(on: &Body, origin: DVec3, direction: DVec3, precision: Precision) -> Option<Option<f64>> {
    if on.wide(precision).rotation != glam::DMat3::IDENTITY {
        return None;
    }
    let at = precision.point(on.at);
    let triangles: Vec<[DVec3; 3]> = match &on.shape {
        Shape::Mesh(mesh) => mesh.corners(precision),
        Shape::Cuboid(half) => box_triangles(precision.point(*half)),
        _ => return None,
    };
    let mut first: Option<f64> = None;
    for triangle in triangles {
        let placed = triangle.map(|p| p + at);
        if passes_far_from(&placed, origin, direction) {
            continue;
        }
        if let LineHit::Inside { t, t_sign } | LineHit::Boundary { t, t_sign } =
            triangle::line_triangle(origin, direction, &placed)
            && 0 <= t_sign
        {
            first = Some(first.map_or(t, |least| least.min(t)));
        }
    }
    Some(first)
}

/// Whether the line is farther from the ball around the triangle than any rounding. Most triangles
/// then need no exact arithmetic.
fn passes_far_from(triangle: &[DVec3; 3], origin: DVec3, direction: DVec3) -> bool {
    let [a, b, c] = *triangle;
    let center = (a + b + c) / 3.0;
    let radius = a.distance(center).max(b.distance(center)).max(c.distance(center));
    let off = (center - origin).cross(direction).length() / direction.length();
    1.01 * radius + 1e-6 * (center.length() + origin.length()) < off
}

/// Returns two outward triangles for each side of a box.
pub(super) fn box_triangles(half: DVec3) -> Vec<[DVec3; 3]> {
    let corners = box_corners(half, |p| p);
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    quads
        .iter()
        .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
        .map(|t: [usize; 3]| t.map(|v| corners[v]))
        .collect()
}

/// Returns the signed distance of a point from the surface, in the body's frame; negative inside.
/// `None` for flat hulls.
pub(super) fn deviation(on: &Body, precision: Precision, p: DVec3) -> Option<f64> {
    let round = |x: &f64| precision.round(*x);
    // Outside of a box or of the rectangle of a cylinder, and inside.
    let outside = |excess: DVec3| excess.max(DVec3::ZERO).length() + excess.max_element().min(0.0);
    Some(match &on.shape {
        Shape::Sphere(radius) => p.length() - round(radius),
        Shape::Capsule(half, radius) => {
            let end = DVec3::Y * round(half);
            p.distance(convex::point_segment(p, [-end, end])) - round(radius)
        }
        Shape::Cuboid(half) => outside(p.abs() - precision.point(*half)),
        Shape::Cylinder(half, radius) => {
            let along = p.y.abs() - round(half);
            outside(DVec3::new(p.x.hypot(p.z) - round(radius), along, along))
        }
        Shape::Hull(points) => {
            let points: Vec<DVec3> = points.iter().map(|p| precision.point(*p)).collect();
            let hull = BruteHull::new(&points);
            if hull.is_flat() {
                return None;
            }
            let (overlap, _) = depth::depth(&hull, &BruteHull::new(&[p]));
            if overlap < 0.0 { convex::surface_distance(&hull, &BruteHull::new(&[p])).0 } else { -overlap }
        }
        Shape::Mesh(mesh) => {
            let triangles = mesh.corners(precision);
            let far = triangles.iter().map(|t| triangle::triangle_distance(&[p; 3], t));
            let distance = far.fold(f64::INFINITY, f64::min);
            let is_inside =
                is_closed(&mesh.triangles) && triangle::point_in_mesh(p, &triangles) == PointLocation::Inside;
            if is_inside { -distance } else { distance }
        }
    })
}

/// Whether every edge belongs to two triangles, once in each direction.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for t in triangles {
        for i in 0..3 {
            let (from, to) = (t[i], t[(i + 1) % 3]);
            *edges.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
        }
    }
    3 < triangles.len() && edges.values().all(|sum| *sum == 0)
}

/// A box as it was given; `None` if it was removed or is not valid.
type BoxBounds = Option<[[f64; 3]; 2]>;

/// Returns the boxes after the steps.
fn boxes(steps: &[Step]) -> Vec<BoxBounds> {
    let read = |bounds: &[[Option<f64>; 3]; 2]| -> BoxBounds {
        let [low, high] = bounds.map(|corner| corner.map(|x| x.unwrap_or(f64::NAN)));
        let is_box = (0..3).all(|i| low[i] <= high[i] && low[i].is_finite() && high[i].is_finite());
        is_box.then_some([low, high])
    };
    let mut all: Vec<BoxBounds> = Vec::new();
    for step in steps {
        match step {
            Step::Insert(bounds) => all.push(read(bounds)),
            Step::Move(number, bounds) => all[*number] = read(bounds),
            Step::Remove(number) => all[*number] = None,
            Step::Query => {}
        }
    }
    all
}

fn pairs(boxes: &[BoxBounds], precision: Precision) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (j, b) in boxes.iter().enumerate() {
        for (i, a) in boxes[..j].iter().enumerate() {
            let (Some(a), Some(b)) = (a, b) else { continue };
            let round = |x: f64| precision.round(x);
            if (0..3).all(|k| round(a[0][k]) <= round(b[1][k]) && round(b[0][k]) <= round(a[1][k])) {
                found.push((i, j));
            }
        }
    }
    found.sort_unstable();
    found
}
