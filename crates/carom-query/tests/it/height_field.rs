//! Height fields: to every question the answer of the mesh of the same triangles.

use crate::zoo::{hills, shapes};
use carom_geom::{HeightField, HeightFieldError, TriMesh};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{
    Compound, CompoundPart, HeightFieldShape, HeightFieldShapeError, ManifoldCache, MeshShape, Shape,
    cast_ray, cast_ray_all, contact, distance, intersects, manifolds, project_point,
};
use carom_testkit::random::Random;
use std::sync::Arc;

/// The field as a shape, and its triangles as a mesh.
fn both(field: HeightField) -> (Shape, Shape) {
    let (vertices, indices) = field.to_indexed();
    let mesh = MeshShape::new(TriMesh::new(vertices, indices).unwrap()).unwrap();
    (Shape::HeightField(Arc::new(HeightFieldShape::new(field).unwrap())), Shape::Mesh(Arc::new(mesh)))
}

fn random_pose(random: &mut Random, reach: f64) -> Pose {
    let p = random.cube_point();
    let q = Quat::from_xyzw(p.x as f32, p.y as f32, p.z as f32, random.range(0.2, 1.0) as f32);
    Pose::new(q.normalize(), (random.cube_point() * reach).as_vec3())
}

#[test]
fn pairs_answer_as_the_mesh_does() {
    let (field, mesh) = both(hills());
    let mut random = Random::new(1);
    let (mut n_apart, mut n_together) = (0, 0);
    for (name, other) in shapes() {
        for _ in 0..40 {
            let (here, there) = (random_pose(&mut random, 1.0), random_pose(&mut random, 1.2));
            let d = distance(&field, &here, &other, &there);
            assert_eq!(d, distance(&mesh, &here, &other, &there), "{name}");
            assert_eq!(
                distance(&other, &there, &field, &here),
                distance(&other, &there, &mesh, &here),
                "{name}"
            );
            let meets = intersects(&field, &here, &other, &there);
            assert_eq!(meets, intersects(&mesh, &here, &other, &there), "{name}");
            let near = contact(&field, &here, &other, &there, 0.1);
            assert_eq!(near, contact(&mesh, &here, &other, &there, 0.1), "{name}");
            let list = |shape: &Shape| {
                let mut list = Vec::new();
                manifolds(shape, &here, &other, &there, 0.1, &mut ManifoldCache::new(), &mut list);
                list
            };
            assert_eq!(list(&field), list(&mesh), "{name}");
            assert_eq!(field.aabb(&here), mesh.aabb(&here));
            if meets { n_together += 1 } else { n_apart += 1 }
        }
    }
    assert!(100 < n_apart && 100 < n_together, "{n_apart} {n_together}");
}

#[test]
fn rays_answer_as_the_mesh_does() {
    let (field, mesh) = both(hills());
    let mut random = Random::new(2);
    let mut n_hits = 0;
    for _ in 0..2000 {
        let pose = random_pose(&mut random, 1.0);
        let aim = pose.translation + (random.cube_point() * 0.6).as_vec3();
        let origin = pose.translation + (random.cube_point() * 3.0).as_vec3();
        let ray = Ray::new(origin, aim - origin);
        let hit = cast_ray(&field, &pose, &ray, Interval::FORWARD);
        assert_eq!(hit, cast_ray(&mesh, &pose, &ray, Interval::FORWARD));
        n_hits += u32::from(hit.is_some());
        let all = |shape: &Shape| {
            let mut all = Vec::new();
            cast_ray_all(shape, &pose, &ray, Interval::BOTH, &mut all);
            all
        };
        assert_eq!(all(&field), all(&mesh));
    }
    assert!(500 < n_hits && n_hits < 1900, "{n_hits}");
}

/// Nothing is inside an open surface, however it winds around a point.
#[test]
fn no_point_is_inside() {
    let heights = vec![0.0, 9.0, 0.0, 9.0, 0.0, 9.0, 0.0, 9.0, 0.0];
    let (field, _) = both(HeightField::new([3, 3], [0.1, 0.1], heights).unwrap());
    let mut random = Random::new(3);
    for _ in 0..500 {
        let point = (random.cube_point() * 0.1).as_vec3() + Vec3::Y * random.range(0.0, 8.0) as f32;
        let found = project_point(&field, &Pose::IDENTITY, point).unwrap();
        assert!(!found.is_inside && 0.0 <= found.distance, "{point} {found:?}");
    }
    assert_eq!(field.mass_properties(1.0).mass, 0.0);
}

/// The short constructor makes the same field, and refuses what the field refuses.
#[test]
fn the_short_constructor_is_the_same() {
    let heights: Vec<f32> = (0..12).map(|k| 0.1 * ((k * 7) % 5) as f32).collect();
    let Ok(Shape::HeightField(short)) = Shape::height_field([4, 3], [0.5, 2.0], heights.clone()) else {
        panic!("a height field");
    };
    assert_eq!(*short.field(), HeightField::new([4, 3], [0.5, 2.0], heights).unwrap());
    let refused = |n_samples, n| Shape::height_field(n_samples, [1.0; 2], vec![0.0; n]).unwrap_err();
    assert_eq!(refused([4, 1], 4), HeightFieldError::TooFew);
    assert_eq!(refused([4, 3], 11), HeightFieldError::Count { given: 11 });
    assert_eq!(refused([1 << 21, 2], 0), HeightFieldError::TooMany);
}

/// Parts are counted without the triangles of holes; `locate` counts them in.
#[test]
fn parts_lead_back_to_cells() {
    let field = hills();
    let shape = HeightFieldShape::new(field.clone()).unwrap();
    let numbers: Vec<u32> = field.triangles().collect();
    assert_eq!(numbers.len(), 38);
    for (part, &triangle) in (0..).zip(&numbers) {
        assert_eq!(shape.locate(part), triangle);
        assert_eq!(shape.mesh().mesh().points(part), field.points(triangle));
    }
    let whole = HeightFieldShape::new(HeightField::new([3, 3], [1.0; 2], vec![0.0; 9]).unwrap()).unwrap();
    assert!((0..8).all(|part| whole.locate(part) == part));
    let nothing = HeightField::new([2, 2], [1.0; 2], vec![0.0; 4]).unwrap().with_holes(&[0]).unwrap();
    assert_eq!(HeightFieldShape::new(nothing).unwrap_err(), HeightFieldShapeError::Empty);
    // In a compound the numbers go on.
    let part = |x: f32| CompoundPart {
        shape: Shape::HeightField(Arc::new(HeightFieldShape::new(hills()).unwrap())),
        pose: Pose::from_translation(Vec3::X * x),
    };
    let two = Compound::new(vec![part(-5.0), part(5.0)]).unwrap();
    assert_eq!((two.locate(37), two.locate(38), two.locate(75)), ((0, 37), (1, 0), (1, 37)));
}
