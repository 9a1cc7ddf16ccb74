//! The queries of the corpus in carom's types; compiled for `f32` and again for `f64`.

use super::super::super::shape::{Body, Shape};
use super::super::super::{Answer, Case, HullAnswer, PairAnswer, PointAnswer, RayAnswer};
use super::num::{Interval, Pose, Quat, Ray, Vec3, geom, query, real, wide};
use carom_geom::{tri_distance, tri_tri};
use glam::DVec3;
use query::MeshShape;
use std::sync::Arc;

/// Returns all of carom's answers to a case.
pub(in super::super) fn answers(case: &Case) -> Vec<Answer> {
    match case {
        Case::Pair { a, b, .. } => {
            let answer = pair(a, b);
            let swapped = pair(b, a);
            let mirrored = PairAnswer {
                points: swapped.points.map(|[on_b, on_a]| [on_a, on_b]),
                normal: swapped.normal.map(|n| -n),
                ..swapped
            };
            vec![Answer::Pair(answer), Answer::Pair(mirrored)]
        }
        Case::Triangles { a, b, .. } => triangles(a, b),
        Case::Ray { on, origin, direction, .. } => {
            let ray = Ray::new(vector(*origin), vector(*direction));
            let hit = query::cast_ray(&shape(on), &pose(on), &ray, Interval::FORWARD);
            vec![Answer::Ray(hit.map(|hit| RayAnswer { t: wide(hit.t), normal: widen(hit.normal) }))]
        }
        Case::Point { on, point, .. } => {
            let found =
                query::project_point(&shape(on), &pose(on), vector(*point)).expect("a shape with a surface");
            assert_eq!(found.is_inside, found.distance <= 0.0);
            vec![Answer::Point(PointAnswer {
                distance: wide(found.distance),
                is_signed: true,
                nearest: widen(found.point),
            })]
        }
        Case::Hull { points, .. } => {
            let points: Vec<Vec3> = points.iter().map(|p| vector(*p)).collect();
            vec![Answer::Hull(hull(&points))]
        }
        Case::Boxes { .. } => Vec::new(),
    }
}

fn vector(p: [f64; 3]) -> Vec3 {
    Vec3::new(real(p[0]), real(p[1]), real(p[2]))
}

fn widen(v: Vec3) -> DVec3 {
    DVec3::new(wide(v.x), wide(v.y), wide(v.z))
}

fn pose(body: &Body) -> Pose {
    let q = body.rotation();
    let rotation = Quat::from_xyzw(real(q.x), real(q.y), real(q.z), real(q.w));
    Pose::new(rotation, vector(body.at))
}

fn shape(body: &Body) -> query::Shape {
    match &body.shape {
        Shape::Sphere(radius) => query::Shape::Sphere(geom::Sphere::new(real(*radius)).unwrap()),
        Shape::Capsule(half, radius) => {
            query::Shape::Capsule(geom::Capsule::new(real(*half), real(*radius)).unwrap())
        }
        Shape::Cuboid(half) => query::Shape::Cuboid(geom::Cuboid::new(vector(*half)).unwrap()),
        Shape::Cylinder(half, radius) => {
            query::Shape::Cylinder(geom::Cylinder::new(real(*half), real(*radius)).unwrap())
        }
        Shape::Hull(points) => {
            let points: Vec<Vec3> = points.iter().map(|p| vector(*p)).collect();
            match geom::ConvexHull::from_points(&points) {
                Ok(hull) => query::Shape::Hull(Arc::new(hull)),
                // A single point is a ball of radius 0; flat sets do not occur in the corpus.
                Err(geom::HullError::Flat(geom::FlatHull::Point(_))) => {
                    query::Shape::User(Arc::new(SinglePoint(widen(points[0]))))
                }
                Err(error) => panic!("{error}"),
            }
        }
        Shape::Mesh(mesh) => {
            let vertices = mesh.vertices.iter().map(|p| vector(*p)).collect();
            let mesh = geom::TriMesh::new(vertices, mesh.triangles.clone()).unwrap();
            query::Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))
        }
    }
}

/// A user-defined convex shape.
#[derive(Debug)]
struct SinglePoint(DVec3);

impl carom_geom::SupportMap for SinglePoint {
    fn support(&self, _: DVec3) -> carom_geom::SupportPoint {
        carom_geom::SupportPoint { point: self.0, vertex: 0 }
    }

    fn vertex(&self, number: u32) -> Option<DVec3> {
        (number == 0).then_some(self.0)
    }

    fn center(&self) -> DVec3 {
        self.0
    }

    fn radius(&self) -> f64 {
        0.0
    }
}

fn pair(a: &Body, b: &Body) -> PairAnswer {
    let (shape_a, shape_b, pose_a, pose_b) = (shape(a), shape(b), pose(a), pose(b));
    let meets = query::intersects(&shape_a, &pose_a, &shape_b, &pose_b);
    let apart = query::distance(&shape_a, &pose_a, &shape_b, &pose_b);
    let contact = query::contact(&shape_a, &pose_a, &shape_b, &pose_b, 0.0).map(|found| found.contact);
    let is_apart = 0.0 < apart.distance;
    PairAnswer {
        meets,
        distance: wide(apart.distance),
        contact: contact.map(|c| wide(c.distance)),
        points: match contact {
            Some(c) => Some([widen(c.point_a), widen(c.point_b)]),
            None => is_apart.then(|| [widen(apart.point_a), widen(apart.point_b)]),
        },
        normal: match contact {
            Some(c) => Some(widen(c.normal)),
            None => is_apart.then(|| widen(apart.normal)),
        },
    }
}

/// Returns the answers for all 72 orders of two triangles and their corners.
fn triangles(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> Vec<Answer> {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    let (a, b) = (a.map(|p| widen(vector(p))), b.map(|p| widen(vector(p))));
    let mut all = Vec::new();
    for (x, y) in [(a, b), (b, a)] {
        for order_x in ORDERS {
            for order_y in ORDERS {
                let (x, y) = (order_x.map(|i| x[i]), order_y.map(|i| y[i]));
                all.push(Answer::Triangles {
                    meets: tri_tri::intersects(&x, &y),
                    distance: tri_distance::closest_points(&x, &y).distance,
                });
            }
        }
    }
    all
}

fn hull(points: &[Vec3]) -> HullAnswer {
    let Ok(hull) = geom::ConvexHull::from_points(points) else {
        return HullAnswer { corners: Vec::new(), faces: Vec::new(), is_merged: true };
    };
    HullAnswer {
        corners: hull.vertices().iter().map(|v| widen(*v)).collect(),
        faces: (0..hull.n_faces() as u32).map(|face| hull.face_vertices(face).to_vec()).collect(),
        is_merged: true,
    }
}
