//! The triangles that a step met.

use carom_geom::{Cuboid, HeightField, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Compound, CompoundPart, HeightFieldShape, MeshShape, Shape, project_point};
use carom_scenes::mesh;
use carom_web::scenes::{Actors, AnyWorld, Count, Error, Request, Scene, Source, scene};
use carom_web::{Drawn, Picture, Testbed};
use carom_world::BodyDesc;
use std::sync::Arc;

/// A height field with a hole, and on it a compound of a box and a mesh of a ring.
const SCENE: Scene = Scene {
    name: "field-and-compound",
    title: "",
    about: "",
    group: "",
    count: Count { usual: 1, most: 1, of: "" },
    camera: None,
    source: Source::Fill(fill),
};

fn fill(world: &mut AnyWorld, request: &Request) -> Result<Actors, Error> {
    let heights: Vec<f32> = (0..100).map(|k| 0.1 * (k % 10 + k / 10) as f32).collect();
    let field = HeightField::new([10, 10], [1.0, 1.0], heights)?.with_holes(&[3, 17])?;
    world.insert(BodyDesc::fixed(Shape::HeightField(Arc::new(HeightFieldShape::new(field)?))))?;
    let ring = mesh::torus(0.6, 0.2, 200);
    let ring = MeshShape::new(TriMesh::new(ring.vertices_f32(), ring.triangles)?)?;
    let turn = Pose::new(Quat::from_xyzw(0.5, 0.5, 0.5, 0.5), Vec3::new(0.0, 0.9, 0.0));
    let parts = vec![
        CompoundPart { shape: Shape::Cuboid(Cuboid::new(Vec3::new(0.3, 0.1, 0.3))?), pose: Pose::IDENTITY },
        CompoundPart { shape: Shape::Mesh(Arc::new(ring)), pose: turn },
    ];
    let shape = Shape::Compound(Arc::new(Compound::new(parts)?));
    world.insert(BodyDesc::dynamic(shape).with_position(Vec3::new(1.0, 2.5, 0.5)))?;
    Ok(Actors::new(request.seed))
}

/// The triangles of a picture as shapes.
fn met(picture: &Picture) -> Vec<Shape> {
    let corners =
        picture.triangles.chunks_exact(9).map(|nine| [0, 3, 6].map(|k| Vec3::from_slice(&nine[k..])));
    let shape = |corners: [Vec3; 3]| {
        let mesh = TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
        Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))
    };
    corners.map(shape).collect()
}

fn distance(triangle: &Shape, point: Vec3) -> f32 {
    project_point(triangle, &Pose::IDENTITY, point).unwrap().distance.abs()
}

/// Each contact lies on triangles of the list, and each triangle of the list has a contact on it.
#[test]
fn triangles_are_those_of_the_contacts() {
    static TESTED: Scene = SCENE;
    let mut bed = Testbed::start(&TESTED, Request { count: 1, seed: 1 }, "dynamic-bvh").unwrap();
    let (mut picture, drawn) = (Picture::default(), Drawn { triangles: true, ..Drawn::default() });
    let (mut n_pairs, mut n_of_ring) = (0, 0);
    for _ in 0..120 {
        bed.step().unwrap();
        // The contacts are those at the poses of the triangles.
        let mut again = bed.world().contacts().filter(|view| view.is_touching).peekable();
        if again.peek().is_none() {
            continue;
        }
        let points: Vec<Vec3> = again
            .flat_map(|view| view.manifolds)
            .flat_map(|manifold| manifold.contacts())
            .flat_map(|contact| [contact.point_a, contact.point_b])
            .collect();
        picture.update(&bed, drawn).unwrap();
        let triangles = met(&picture);
        assert!(!triangles.is_empty());
        // Bodies have moved since the contacts were found, by no more than this.
        let tolerance = 0.15;
        for pair in points.chunks_exact(2) {
            let near = triangles.iter().filter(|t| pair.iter().any(|point| distance(t, *point) < tolerance));
            assert!(0 < near.count(), "{pair:?}");
            n_pairs += 1;
        }
        for triangle in &triangles {
            assert!(points.iter().any(|point| distance(triangle, *point) < tolerance), "{triangle:?}");
            // Triangles of the ring are small, those of the field have sides of at least 1.
            n_of_ring += usize::from(triangle.aabb(&Pose::IDENTITY).extents().max_element() < 0.9);
        }
    }
    println!("{n_pairs} contacts, {n_of_ring} triangles of the ring");
    assert!(50 < n_pairs && 20 < n_of_ring);
    picture.update(&bed, Drawn::default()).unwrap();
    assert!(picture.triangles.is_empty());
}

/// Wheels stand on triangles of the hills, and balls on those of a mesh that deforms.
#[test]
fn wheels_and_deforming_meshes_have_triangles() {
    for (name, count) in [("vehicle", 6), ("waves", 30)] {
        let mut bed =
            Testbed::start(scene(name).unwrap(), Request { count, seed: 1 }, "dynamic-bvh").unwrap();
        (0..90).for_each(|_| bed.step().unwrap());
        let mut picture = Picture::default();
        picture.update(&bed, Drawn { triangles: true, ..Drawn::default() }).unwrap();
        let n = picture.triangles.len() / 9;
        assert!(3 < n && picture.triangles.len().is_multiple_of(9), "{name}: {n}");
        if let Some(car) = &bed.actors().car {
            let triangles = met(&picture);
            for wheel in car.wheels().iter().filter(|wheel| wheel.ground.is_some()) {
                let point = wheel.point.as_vec3();
                assert!(triangles.iter().any(|triangle| distance(triangle, point) < 0.01), "{point}");
            }
        }
    }
}
