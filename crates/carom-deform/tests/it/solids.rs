//! Push-outs of closed colliders: where the solid is, whatever the winding of their faces.

use crate::region::mesh;
use carom_deform::{ContactSides, DeformableMesh, PushOut};
use carom_testkit::meshes::BOX_TRIANGLES;
use glam::{DVec3, Vec3};

type Sheet = (Vec<Vec3>, Vec<[u32; 3]>);

fn cube(center: Vec3, half: f32) -> Sheet {
    let corner = |i: u32| {
        let sign = |axis: u32| if i >> axis & 1 == 0 { -half } else { half };
        center + Vec3::new(sign(0), sign(1), sign(2))
    };
    ((0..8).map(corner).collect(), BOX_TRIANGLES.to_vec())
}

fn turned((positions, triangles): Sheet) -> Sheet {
    (positions, triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect())
}

fn joined(sheets: &[Sheet]) -> DeformableMesh {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for (corners, faces) in sheets {
        let first = positions.len() as u32;
        positions.extend(corners);
        triangles.extend(faces.iter().map(|face| face.map(|v| v + first)));
    }
    mesh(&positions, triangles)
}

/// A small triangle whose first vertex is this point.
fn cloth(point: Vec3) -> DeformableMesh {
    mesh(&[point, point + Vec3::Y * 0.001, point + Vec3::Z * 0.001], vec![[0, 1, 2]])
}

fn push_outs(sides: &mut ContactSides, point: Vec3, collider: &mut DeformableMesh) -> Vec<PushOut> {
    let found = sides.update(&cloth(point), collider).unwrap().finish().push_outs.to_vec();
    found.into_iter().filter(|p| p.vertex == 0).collect()
}

/// Checks the push-outs of a vertex that is found at a point, as vectors.
fn check(name: &str, collider: &mut DeformableMesh, point: Vec3, expected: &[DVec3]) {
    let mut sides = ContactSides::new(collider, 1.2).unwrap();
    check_with(name, &mut sides, collider, point, expected);
}

fn check_with(
    name: &str,
    sides: &mut ContactSides,
    collider: &mut DeformableMesh,
    point: Vec3,
    expected: &[DVec3],
) {
    let found = push_outs(sides, point, collider);
    assert_eq!(found.len(), expected.len(), "{name} {point}: {found:?}");
    for (p, expected) in found.iter().zip(expected) {
        assert!((p.direction * p.depth - expected).length() < 1e-6, "{name} {point}: {p:?} {expected}");
    }
}

/// A vertex outside was pushed in, because the front of a solid was that of its first face.
#[test]
fn r_turned_solids_push_outwards() {
    let with_one = |face: usize| {
        let (positions, mut triangles) = cube(Vec3::ZERO, 1.0);
        triangles[face].swap(1, 2);
        (positions, triangles)
    };
    let right = cube(Vec3::ZERO, 1.0);
    let cubes = [right.clone(), turned(right), with_one(0), with_one(5), turned(with_one(0))];
    for (k, cube) in cubes.into_iter().enumerate() {
        let mut collider = joined(&[cube]);
        let name = format!("cube {k}");
        check(&name, &mut collider, Vec3::new(1.05, 0.0, 0.1), &[]);
        check(&name, &mut collider, Vec3::new(0.1, -1.5, 0.1), &[]);
        check(&name, &mut collider, Vec3::new(0.97, 0.0, 0.1), &[DVec3::X * 0.03]);
        // Outside, and then pressed in.
        let mut sides = ContactSides::new(&collider, 0.5).unwrap();
        check_with(&name, &mut sides, &mut collider, Vec3::new(1.05, 0.0, 0.1), &[]);
        check_with(&name, &mut sides, &mut collider, Vec3::new(0.75, 0.0, 0.1), &[DVec3::X * 0.25]);
    }
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    for tetrahedron in [[0, 1, 2, 3], [0, 2, 1, 3]] {
        let mut body = DeformableMesh::from_tetrahedra(&corners, &[tetrahedron]).unwrap();
        check("tetrahedron", &mut body, Vec3::new(-0.05, 0.2, 0.2), &[]);
        check("tetrahedron", &mut body, Vec3::new(0.02, 0.2, 0.2), &[DVec3::X * -0.02]);
    }
}

/// Things outside of a hollow box were pushed to the inner wall, and things in the cavity to the
/// outer one.
#[test]
fn r_a_hollow_solid_pulls_nothing_in() {
    let [outer, inner] = [1.0, 0.9].map(|half| cube(Vec3::ZERO, half));
    for k in 0..8 {
        let of = |sheet: &Sheet, bit: u32| if k & bit == 0 { sheet.clone() } else { turned(sheet.clone()) };
        let mut sheets = [of(&outer, 1), of(&inner, 2)];
        if k & 4 != 0 {
            sheets.reverse();
        }
        let (mut box_, name) = (joined(&sheets), format!("box {k}"));
        let at = |x: f32| Vec3::new(x, 0.0, 0.1);
        for free in [1.05, 0.8, 0.0, -0.7, -1.3] {
            check(&name, &mut box_, at(free), &[]);
        }
        // In the wall: out by the nearer side.
        check(&name, &mut box_, at(0.97), &[DVec3::X * 0.03]);
        check(&name, &mut box_, at(0.92), &[DVec3::X * -0.02]);
        // Through the middle of the wall: back on the side it came from.
        let mut sides = ContactSides::new(&box_, 0.4).unwrap();
        check_with(&name, &mut sides, &mut box_, at(1.05), &[]);
        check_with(&name, &mut sides, &mut box_, at(0.93), &[DVec3::X * 0.07]);
        let mut sides = ContactSides::new(&box_, 0.4).unwrap();
        check_with(&name, &mut sides, &mut box_, at(0.8), &[]);
        check_with(&name, &mut sides, &mut box_, at(0.97), &[DVec3::X * -0.07]);
        // The inner wall comes within a short reach of a vertex that the outer one pushes out.
        let mut sides = ContactSides::new(&box_, 0.0625).unwrap();
        check_with(&name, &mut sides, &mut box_, at(1.02), &[]);
        check_with(&name, &mut sides, &mut box_, at(0.97), &[DVec3::X * 0.03]);
        check_with(&name, &mut sides, &mut box_, at(0.945), &[DVec3::X * 0.055]);
    }
}

#[test]
fn a_solid_in_a_cavity_is_a_solid() {
    let mut nested = joined(&[0.5, 1.0, 0.9].map(|half| cube(Vec3::ZERO, half)));
    let at = |x: f32| Vec3::new(x, 0.0, 0.1);
    for free in [0.55, 0.7, 0.85, 1.05] {
        check("nested", &mut nested, at(free), &[]);
    }
    check("nested", &mut nested, at(0.48), &[DVec3::X * 0.02]);
    check("nested", &mut nested, at(0.92), &[DVec3::X * -0.02]);
    check("nested", &mut nested, at(0.97), &[DVec3::X * 0.03]);
}

/// A corner of each is in the other: none is a cavity, and both push.
#[test]
fn solids_that_overlap_both_push() {
    let both = [cube(Vec3::ZERO, 1.0), cube(Vec3::splat(0.9), 1.0)];
    for k in 0..4 {
        let of = |i: usize| if k >> i & 1 == 0 { both[i].clone() } else { turned(both[i].clone()) };
        let mut solids = joined(&[of(0), of(1)]);
        check("overlap", &mut solids, Vec3::new(1.95, 0.9, 0.7), &[]);
        check("overlap", &mut solids, Vec3::new(-1.05, -0.9, -0.7), &[]);
        let pushed = [DVec3::Z * 0.05, DVec3::X * -0.9];
        check("overlap", &mut solids, Vec3::new(0.8, 0.9, 0.95), &pushed);
    }
}

/// Closed without volume: it has two sides, as a sheet.
#[test]
fn two_faces_back_to_back_are_no_solid() {
    let corners = [Vec3::new(-9.0, 0.0, -9.0), Vec3::new(0.0, 0.0, 9.0), Vec3::new(9.0, 0.0, -9.0)];
    let mut sheet = mesh(&corners, vec![[0, 1, 2], [0, 2, 1]]);
    for sign in [1.0, -1.0] {
        let mut sides = ContactSides::new(&sheet, 0.5).unwrap();
        check_with("sheet", &mut sides, &mut sheet, Vec3::Y * (0.05 * sign), &[]);
        let back = DVec3::Y * f64::from(0.05 * sign);
        check_with("sheet", &mut sides, &mut sheet, Vec3::Y * (-0.05 * sign), &[back]);
    }
}
