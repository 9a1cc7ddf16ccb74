//! Rays that start inside a solid, in each kind of world.

use crate::worlds::World as Level;
use carom_bsp::Bevels;
use carom_character::{RaySweep, ShapeWorld, WorldSweep};
use carom_geom::{self as near, f64 as wide};
use carom_math::f64::Pose;
use carom_math::glam::{DVec3, Vec3};
use carom_query::{self as near_query, f64 as wide_query};
use carom_scenes::Level as Blocks;
use carom_world::{BodyDesc, QueryFilter, World};
use std::sync::Arc;

/// The cube from -1 to 1 as a closed mesh; without its last triangles as an open one.
fn mesh(n_triangles: usize) -> (near_query::Shape, wide_query::Shape) {
    let mut level = Blocks::default();
    level.cuboid([-1.0; 3], [1.0; 3]);
    let mesh = level.mesh();
    let triangles: Vec<[u32; 3]> = mesh.triangles.into_iter().take(n_triangles).collect();
    shapes(mesh.vertices, triangles)
}

/// A mesh in both precisions.
fn shapes(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> (near_query::Shape, wide_query::Shape) {
    let points: Vec<Vec3> = vertices.iter().map(|p| p.as_vec3()).collect();
    let near_mesh = near::TriMesh::new(points, triangles.clone()).unwrap();
    let wide_mesh = wide::TriMesh::new(vertices, triangles).unwrap();
    (
        near_query::Shape::Mesh(Arc::new(near_query::MeshShape::new(near_mesh).unwrap())),
        wide_query::Shape::Mesh(Arc::new(wide_query::MeshShape::new(wide_mesh).unwrap())),
    )
}

/// Meshes that bound solids, and whose backs are met from outside: a sheet with triangles on both
/// sides, those that face down first, and a cube beside one that faces inwards.
fn seen_from_behind() -> [(near_query::Shape, wide_query::Shape); 2] {
    let sheet = [[-1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]].map(DVec3::from);
    let sides = [[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]];
    let mut level = Blocks::default();
    level.cuboid([-1.0; 3], [1.0; 3]);
    level.cuboid([4.0, -1.0, -1.0], [6.0, 1.0, 1.0]);
    let cubes = level.mesh();
    let mut turned = cubes.triangles.clone();
    turned.iter_mut().take(12).for_each(|triangle| triangle.reverse());
    [(sheet.to_vec(), sides.to_vec()), (cubes.vertices, turned)]
        .map(|(vertices, triangles)| shapes(vertices, triangles))
}

/// A compound with one part.
fn compound((near, wide): (near_query::Shape, wide_query::Shape)) -> (near_query::Shape, wide_query::Shape) {
    let near = near_query::CompoundPart { shape: near, pose: carom_math::Pose::IDENTITY };
    let wide = wide_query::CompoundPart { shape: wide, pose: Pose::IDENTITY };
    (
        near_query::Shape::Compound(Arc::new(near_query::Compound::new(vec![near]).unwrap())),
        wide_query::Shape::Compound(Arc::new(wide_query::Compound::new(vec![wide]).unwrap())),
    )
}

/// Calls `check` with rays through a world of bodies, and one of shapes, that has this shape.
fn in_both_worlds(near: near_query::Shape, wide: wide_query::Shape, check: impl Fn(&mut dyn RaySweep)) {
    let (mut world, mut shapes) = (World::new(), ShapeWorld::new());
    world.insert(BodyDesc::fixed(near)).unwrap();
    shapes.insert(wide, Pose::IDENTITY);
    check(&mut shapes);
    check(&mut WorldSweep::new(&world, QueryFilter::SOLID));
}

/// A ray that starts in a solid says so; one that starts outside, or behind a surface that bounds
/// no solid, does not.
#[test]
fn rays_know_that_they_start_inside() {
    let cube = || {
        (
            near_query::Shape::Cuboid(near::Cuboid::new(Vec3::ONE).unwrap()),
            wide_query::Shape::Cuboid(wide::Cuboid::new(DVec3::ONE).unwrap()),
        )
    };
    let half_space = || {
        (
            near_query::Shape::HalfSpace(near::HalfSpace::new(Vec3::Y).unwrap()),
            wide_query::Shape::HalfSpace(wide::HalfSpace::new(DVec3::Y).unwrap()),
        )
    };
    let cases = [
        ("cube", cube(), true),
        ("compound of a cube", compound(cube()), true),
        ("closed mesh", mesh(12), true),
        ("compound of a closed mesh", compound(mesh(12)), true),
        ("open mesh", mesh(11), false),
        ("compound of an open mesh", compound(mesh(11)), false),
        ("half-space", half_space(), true),
    ];
    for (name, (near, wide), is_solid) in cases {
        in_both_worlds(near, wide, |sweep| {
            // Off the edges of the triangles, up and down.
            let within = sweep.ray(DVec3::new(0.3, -0.2, 0.4), DVec3::Y * 5.0, None).unwrap();
            assert_eq!(within.starts_inside, is_solid, "{name}: {within:?}");
            let outside = sweep.ray(DVec3::new(0.3, 3.0, 0.4), DVec3::Y * -5.0, None).unwrap();
            assert!(!outside.starts_inside, "{name}: {outside:?}");
        });
    }
    for (near, wide) in seen_from_behind().into_iter().flat_map(|pair| [pair.clone(), compound(pair)]) {
        in_both_worlds(near, wide, |sweep| {
            let outside = sweep.ray(DVec3::new(0.3, 3.0, 0.4), DVec3::Y * -5.0, None).unwrap();
            assert!(!outside.starts_inside && outside.normal.y == 1.0, "{outside:?}");
        });
    }
    let mut level = Blocks::default();
    level.cuboid([-1.0; 3], [1.0; 3]);
    let world = Level::bsp(&level, Bevels::All);
    let mut sweep = world.sweep();
    let within = sweep.ray(DVec3::ZERO, DVec3::Y * 5.0, None).unwrap();
    assert!(within.starts_inside && within.normal == DVec3::ZERO, "{within:?}");
    assert!(!sweep.ray(DVec3::Y * 3.0, DVec3::Y * -5.0, None).unwrap().starts_inside);
}
