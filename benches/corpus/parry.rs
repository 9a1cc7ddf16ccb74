//! The queries of the corpus in parry's types, compiled for both of its crates.

use super::num::{peer, real, wide};
use crate::Silence;
use carom_testkit::corpus::{
    Answer, Body, Case, HullAnswer, PairAnswer, PointAnswer, RayAnswer, Shape, Step,
};
use glam::DVec3;
use peer::math::{Pose, Real, Rotation, Vector};
use peer::partitioning::{Bvh, BvhWorkspace};
use peer::query::{self, ClosestPoints, Ray};
use peer::shape::{
    Ball, Capsule, ConvexPolyhedron, Cuboid, Cylinder, SharedShape, TriMesh, TriMeshFlags, Triangle,
};

/// Returns all of parry's answers to a case.
pub(crate) fn answers(case: &Case) -> Result<Vec<Answer>, Silence> {
    match case {
        Case::Pair { a, b, .. } => {
            let swapped = pair(b, a)?;
            let mirrored = PairAnswer {
                points: swapped.points.map(|[on_b, on_a]| [on_a, on_b]),
                normal: swapped.normal.map(|n| -n),
                ..swapped
            };
            Ok(vec![Answer::Pair(pair(a, b)?), Answer::Pair(mirrored)])
        }
        Case::Triangles { a, b, .. } => triangles(a, b),
        Case::Ray { on, origin, direction, .. } => {
            let ray = Ray::new(vector(*origin), vector(*direction));
            let hit = shape(on)?.cast_ray_and_get_normal(&pose(on), &ray, Real::MAX, false);
            let hit = hit.map(|hit| RayAnswer { t: wide(hit.time_of_impact), normal: widen(hit.normal) });
            Ok(vec![Answer::Ray(hit)])
        }
        Case::Point { on, point, .. } => {
            let point = vector(*point);
            let found = shape(on)?.project_point(&pose(on), point, false);
            let distance = wide((found.point - point).length());
            let is_triangle = matches!(&on.shape, Shape::Mesh(mesh) if mesh.triangles.len() == 1);
            Ok(vec![Answer::Point(PointAnswer {
                distance: if found.is_inside && !is_triangle { -distance } else { distance },
                is_signed: !is_triangle,
                nearest: widen(found.point),
            })])
        }
        Case::Hull { points, .. } => {
            let points: Vec<Vector> = points.iter().map(|p| vector(*p)).collect();
            let (corners, faces) = peer::transformation::try_convex_hull(&points).unwrap_or_default();
            let used: Vec<Vec<u32>> = faces.iter().map(|face| face.to_vec()).collect();
            let corners = corners.iter().map(|p| widen(*p)).collect();
            Ok(vec![Answer::Hull(HullAnswer { corners, faces: used, is_merged: false })])
        }
        Case::Boxes { steps, .. } => Ok(vec![Answer::Pairs(boxes(steps))]),
    }
}

fn vector(p: [f64; 3]) -> Vector {
    Vector::new(real(p[0]), real(p[1]), real(p[2]))
}

fn widen(v: Vector) -> DVec3 {
    DVec3::new(wide(v.x), wide(v.y), wide(v.z))
}

fn pose(body: &Body) -> Pose {
    let q = body.rotation();
    Pose::from_parts(vector(body.at), Rotation::from_xyzw(real(q.x), real(q.y), real(q.z), real(q.w)))
}

fn shape(body: &Body) -> Result<SharedShape, Silence> {
    Ok(match &body.shape {
        Shape::Sphere(radius) => SharedShape::new(Ball::new(real(*radius))),
        Shape::Capsule(half, radius) => SharedShape::new(Capsule::new_y(real(*half), real(*radius))),
        Shape::Cuboid(half) => SharedShape::new(Cuboid::new(vector(*half))),
        Shape::Cylinder(half, radius) => SharedShape::new(Cylinder::new(real(*half), real(*radius))),
        Shape::Hull(points) => {
            let points: Vec<Vector> = points.iter().map(|p| vector(*p)).collect();
            if let [point] = points.as_slice() {
                let ends = *point;
                return Ok(SharedShape::new(Capsule::new(ends, ends, 0.0)));
            }
            let hull = ConvexPolyhedron::from_convex_hull(&points);
            SharedShape::new(hull.ok_or_else(|| Silence::Refused("builds no hull".to_string()))?)
        }
        Shape::Mesh(mesh) => {
            let vertices: Vec<Vector> = mesh.vertices.iter().map(|p| vector(*p)).collect();
            if let [t] = mesh.triangles.as_slice() {
                let [a, b, c] = t.map(|v| vertices[v as usize]);
                return Ok(SharedShape::new(Triangle::new(a, b, c)));
            }
            // The mesh has pseudo-normals, which distinguish inside from outside.
            let built = TriMesh::with_flags(vertices, mesh.triangles.clone(), TriMeshFlags::ORIENTED);
            SharedShape::new(built.map_err(|error| Silence::Refused(error.to_string()))?)
        }
    })
}

fn pair(a: &Body, b: &Body) -> Result<PairAnswer, Silence> {
    let ((shape_a, shape_b), (pose_a, pose_b)) = ((shape(a)?, shape(b)?), (pose(a), pose(b)));
    let (shape_a, shape_b) = (&*shape_a, &*shape_b);
    let not_offered = |_| Silence::NotOffered;
    let meets =
        query::intersection_test(&pose_a, shape_a, &pose_b, shape_b).map_err(not_offered)?.intersecting;
    let distance = query::distance(&pose_a, shape_a, &pose_b, shape_b).map_err(not_offered)?.distance;
    let contact = query::contact(&pose_a, shape_a, &pose_b, shape_b, 0.0).map_err(not_offered)?;
    let mut points = contact.map(|c| [widen(c.point1), widen(c.point2)]);
    if points.is_none() {
        let nearest =
            query::closest_points(&pose_a, shape_a, &pose_b, shape_b, Real::MAX).map_err(not_offered)?;
        if let ClosestPoints::WithinMargin(on_a, on_b) = nearest {
            points = Some([widen(on_a), widen(on_b)]);
        }
    }
    Ok(PairAnswer {
        meets,
        distance: wide(distance),
        contact: contact.map(|c| wide(c.dist)),
        points,
        normal: contact.map(|c| widen(c.normal1)),
    })
}

/// Returns the answers for all 72 orders of two triangles and their corners.
fn triangles(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> Result<Vec<Answer>, Silence> {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    let mut all = Vec::new();
    for (x, y) in [(a, b), (b, a)] {
        for order_x in ORDERS {
            for order_y in ORDERS {
                let named = |t: &[[f64; 3]; 3], order: [usize; 3]| {
                    let [p, q, r] = order.map(|i| vector(t[i]));
                    Triangle::new(p, q, r)
                };
                let (x, y) = (named(x, order_x), named(y, order_y));
                let here = Pose::IDENTITY;
                let meets =
                    query::intersection_test(&here, &x, &here, &y).map_err(|_| Silence::NotOffered)?;
                let distance = query::distance(&here, &x, &here, &y).map_err(|_| Silence::NotOffered)?;
                all.push(Answer::Triangles { meets: meets.intersecting, distance: wide(distance.distance) });
            }
        }
    }
    Ok(all)
}

/// Returns the pairs of a tree that is updated like rapier's broad phase: partial updates, a
/// refit, an incremental optimization, then pairs.
fn boxes(steps: &[Step]) -> Vec<(usize, usize)> {
    let mut tree = Bvh::new();
    let mut workspace = BvhWorkspace::default();
    let mut n = 0;
    let read = |bounds: &[[Option<f64>; 3]; 2]| {
        let [mins, maxs] = bounds.map(|corner| vector(corner.map(|x| x.unwrap_or(f64::NAN))));
        peer::bounding_volume::Aabb::new(mins, maxs)
    };
    let mut pairs = Vec::new();
    for step in steps.iter().chain([&Step::Query]) {
        match step {
            Step::Insert(bounds) => {
                tree.insert_or_update_partially(read(bounds), n, 0.0);
                n += 1;
            }
            Step::Move(number, bounds) => {
                tree.insert_or_update_partially(read(bounds), *number as u32, 0.0);
            }
            Step::Remove(number) => tree.remove(*number as u32),
            Step::Query => {
                tree.refit(&mut workspace);
                tree.optimize_incremental(&mut workspace);
                pairs.clear();
                tree.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |a, b| {
                    pairs.push((a as usize, b as usize));
                });
            }
        }
    }
    pairs
}
