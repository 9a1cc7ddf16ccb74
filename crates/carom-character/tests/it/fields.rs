//! Distance fields as floors: a character walks on one as on the mesh that it was baked from.

use crate::worlds::{figures, walk};
use carom_character::{Character, CharacterSettings, Figure, ShapeWorld};
use carom_geom::TriMesh;
use carom_math::f64::Pose;
use carom_math::glam::{DVec3, Vec3};
use carom_query::f64::{MeshShape, Shape};
use carom_sdf::{BakeSettings, FieldShape, SdfGrid};
use std::sync::Arc;

/// The size of the cells, a length.
const CELL: f64 = 0.1;

/// The worlds of a mesh and of its field.
fn worlds(vertices: &[Vec3], triangles: &[[u32; 3]]) -> [(&'static str, ShapeWorld); 2] {
    let mesh = TriMesh::new(vertices.to_vec(), triangles.to_vec()).unwrap();
    let (low, high) = mesh.wide_bounds();
    let resolution = ((high - low).max_element() / CELL) as u32;
    let settings = BakeSettings::default().with_resolution(resolution).with_band(3.0);
    let field = Shape::Field(Arc::new(FieldShape::new(SdfGrid::from_mesh(&mesh, &settings).unwrap())));
    let wide = vertices.iter().map(|v| v.as_dvec3()).collect();
    let mesh = carom_geom::f64::TriMesh::new(wide, triangles.to_vec()).unwrap();
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()));
    [("mesh", mesh), ("field", field)].map(|(name, shape)| {
        let mut world = ShapeWorld::new();
        world.insert(shape, Pose::IDENTITY);
        (name, world)
    })
}

/// A floor at 0, a slope from x = 0 to 2, and a floor above it.
fn slope(degrees: f64) -> [(&'static str, ShapeWorld); 2] {
    let top = 2.0 * degrees.to_radians().tan() as f32;
    let outline = [[-3.0, 0.0], [0.0, 0.0], [2.0, top], [4.0, top], [4.0, -1.0], [-3.0, -1.0]];
    let side = |z: f32| outline.iter().map(move |[x, y]| Vec3::new(*x, *y, z));
    let vertices: Vec<Vec3> = side(-1.5).chain(side(1.5)).collect();
    let mut triangles = Vec::new();
    for i in 0..6 {
        let next = (i + 1) % 6;
        triangles.extend([[i, next, next + 6], [i, next + 6, i + 6]]);
    }
    // The sides, as fans around a corner that sees the whole outline.
    for [a, b] in [[5, 0], [0, 1], [1, 2], [2, 3]] {
        triangles.extend([[4, b, a], [10, a + 6, b + 6]]);
    }
    worlds(&vertices, &triangles)
}

/// A character whose feet are a little above a place.
fn at(figure: Figure, feet: DVec3) -> Character {
    let position = feet + DVec3::Y * (figure.stature() + 0.15);
    Character::new(figure, CharacterSettings::default(), position).unwrap()
}

#[test]
fn a_slope_of_30_degrees_is_walked_up() {
    for (name, figure) in figures() {
        let ends = slope(30.0).map(|(kind, mut world)| {
            let mut character = at(figure, DVec3::new(-1.5, 0.0, 0.1));
            walk(&mut character, &mut world, DVec3::ZERO, 0.5);
            assert!(character.feet().y.abs() < CELL, "{kind}, {name}: {}", character.feet());
            walk(&mut character, &mut world, DVec3::X * 2.0, 2.5);
            assert!(character.ground().is_some(), "{kind}, {name}");
            character.feet()
        });
        assert!((ends[0] - ends[1]).length() < 2.0 * CELL && 1.0 < ends[1].y, "{name}: {ends:?}");
    }
}

#[test]
fn a_slope_of_60_degrees_is_slid_down() {
    for (name, figure) in figures() {
        for (kind, mut world) in slope(60.0) {
            // The character does not climb it.
            let mut character = at(figure, DVec3::new(-1.0, 0.0, 0.1));
            walk(&mut character, &mut world, DVec3::X * 2.0, 2.0);
            assert!(character.feet().y < 0.45, "{kind}, {name}: {}", character.feet());
            // Put onto it, the character slides to its foot.
            let mut character = at(figure, DVec3::new(1.2, 1.2 * 3.0_f64.sqrt() + 0.8, 0.1));
            walk(&mut character, &mut world, DVec3::ZERO, 3.0);
            assert!(character.feet().y < 0.2, "{kind}, {name}: {}", character.feet());
            assert!(character.feet().x < 0.3, "{kind}, {name}: {}", character.feet());
        }
    }
}

#[test]
fn a_bowl_is_walked_through() {
    // Heights over a square, on a flat bottom.
    let (n, height) = (24_u32, |x: f32, z: f32| 0.12 * (x * x + z * z));
    let coordinate_of = |i: u32| i as f32 * 0.25 - 3.0;
    let node = |i: u32, k: u32, level: u32| (level * (n + 1) + k) * (n + 1) + i;
    let mut vertices = Vec::new();
    for level in 0..2 {
        for (k, i) in (0..=n).flat_map(|k| (0..=n).map(move |i| (k, i))) {
            let (x, z) = (coordinate_of(i), coordinate_of(k));
            vertices.push(Vec3::new(x, if level == 0 { height(x, z) } else { -0.7 }, z));
        }
    }
    let mut triangles = Vec::new();
    let mut quad = |[a, b, c, d]: [u32; 4]| triangles.extend([[a, b, c], [a, c, d]]);
    for (k, i) in (0..n).flat_map(|k| (0..n).map(move |i| (k, i))) {
        quad([node(i, k, 0), node(i, k + 1, 0), node(i + 1, k + 1, 0), node(i + 1, k, 0)]);
        quad([node(i, k, 1), node(i + 1, k, 1), node(i + 1, k + 1, 1), node(i, k + 1, 1)]);
    }
    for i in 0..n {
        quad([node(i, 0, 0), node(i + 1, 0, 0), node(i + 1, 0, 1), node(i, 0, 1)]);
        quad([node(i + 1, n, 0), node(i, n, 0), node(i, n, 1), node(i + 1, n, 1)]);
        quad([node(0, i + 1, 0), node(0, i, 0), node(0, i, 1), node(0, i + 1, 1)]);
        quad([node(n, i, 0), node(n, i + 1, 0), node(n, i + 1, 1), node(n, i, 1)]);
    }
    let [mesh, field] = worlds(&vertices, &triangles).map(|(kind, mut world)| {
        let mut character = at(figures()[1].1, DVec3::ZERO);
        walk(&mut character, &mut world, DVec3::ZERO, 0.5);
        [0.0_f64, 1.5, 3.0, 4.5].map(|angle| {
            walk(&mut character, &mut world, DVec3::new(angle.cos(), 0.0, angle.sin()) * 2.0, 0.9);
            assert!(character.ground().is_some(), "{kind}: {}", character.feet());
            character.feet()
        })
    });
    for (a, b) in mesh.iter().zip(&field) {
        assert!((a - b).length() < 2.0 * CELL, "{mesh:?} {field:?}");
    }
}
