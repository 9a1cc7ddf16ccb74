//! Points in, on and out of meshes, and winding numbers, against the sum over all triangles.

use carom_geom::f64::TriMesh;
use carom_geom::ray_mesh::{Placement, point_in_mesh};
use carom_geom::winding;
use carom_math::f64::Pose;
use carom_query::f64::Shape;
use carom_query::f64::{MeshShape, placement, project_point, solid_placement, winding_number};
use carom_testkit::meshes::MeshData;
use carom_testkit::random::Random;
use carom_testkit::{data, meshes};
use glam::DVec3;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

const HERE: Pose = Pose::IDENTITY;

fn shape(data: &MeshData) -> Arc<MeshShape> {
    Arc::new(MeshShape::new(TriMesh::new(data.vertices.clone(), data.indices.clone()).unwrap()).unwrap())
}

/// The mesh without one triangle in a hundred, so that it is open everywhere.
fn torn(data: &MeshData) -> MeshData {
    let indices = data.indices.iter().enumerate().filter(|(i, _)| i % 100 != 7).map(|(_, t)| *t).collect();
    MeshData { vertices: data.vertices.clone(), indices }
}

fn vector(v: &Value) -> DVec3 {
    DVec3::new(v[0].as_f64().unwrap(), v[1].as_f64().unwrap(), v[2].as_f64().unwrap())
}

/// Winding numbers to within their bound, looser and tighter, against the sum; the largest error
/// over its bound.
fn check_winding(mesh: &MeshShape, p: DVec3) -> f64 {
    let expected = winding::winding_number(p, mesh.mesh().iter_corners());
    let mut worst = 0.0_f64;
    for tolerance in [0.3, 1e-2, 1e-3, 0.0] {
        let found = winding_number(mesh, &HERE, p, tolerance);
        let off = (found.value - expected).abs();
        assert!(found.error <= tolerance, "{found:?}");
        assert!(off <= found.error + 1e-9, "{found:?} {expected} at {p}");
        worst = if found.error == 0.0 { worst } else { worst.max(off / found.error) };
    }
    // The side of a half decides, unless the sum itself is in doubt.
    if 1e-9 < (expected - 0.5).abs() {
        let location = placement(mesh, &HERE, p);
        assert!(
            (location == Placement::Inside) == (0.5 < expected) || location == Placement::Surface,
            "{expected} at {p}"
        );
    }
    worst
}

#[test]
fn published_points() {
    let Some(table) = data::json("queries/point_cases.json") else { return };
    let mut shapes: BTreeMap<String, [Arc<MeshShape>; 2]> = BTreeMap::new();
    let (mut n_solid, mut n_open, mut worst) = (0, 0, 0.0_f64);
    for case in table["cases"].as_array().unwrap() {
        let name = case["mesh"].as_str().unwrap().to_owned();
        let [mesh, torn] = shapes.entry(name.clone()).or_insert_with(|| {
            let data = meshes::mesh(&name).unwrap();
            [shape(&data), shape(&torn(&data))]
        });
        let p = vector(&case["point"]);
        let expected = case["winding_number"].as_f64().unwrap();
        let found = winding_number(mesh, &HERE, p, 1e-6);
        assert!((found.value - expected).abs() < 2e-6, "{found:?} {case}");
        if mesh.is_solid() {
            n_solid += 1;
            let location = placement(mesh, &HERE, p);
            assert_eq!(location == Placement::Inside, 0.5 < expected, "{location:?} {case}");
        } else {
            n_open += 1;
        }
        assert!(!torn.is_solid());
        worst = worst.max(check_winding(torn, p));
    }
    println!("{n_solid} in closed meshes, {n_open} in others; the error is {worst:.3} of its bound at most");
    assert!(60 < n_solid && 20 < n_open);
    assert!(1e-3 < worst);
}

/// Points near and on the surface, at the level of corners, and far away.
#[test]
fn points_of_real_meshes() {
    let mut random = Random::new(51);
    let mut counts = [0; 3];
    for name in ["spot", "oloid", "hammer", "hilbert_cube", "quad_knot"] {
        let Some(data) = meshes::mesh(name) else { return };
        let (mesh, torn) = (shape(&data), shape(&torn(&data)));
        assert!(mesh.is_solid(), "{name}");
        let corners = data.corners();
        let (low, high) = mesh.mesh().wide_bounds();
        for round in 0..60 {
            let t = corners[random.below(corners.len())];
            let p = match round % 6 {
                0 => t[0],
                1 => t[0] * 0.5 + t[1] * 0.5,
                2 => (t[0] + t[1] + t[2]) / 3.0,
                3 => DVec3::new(random.range(low.x, high.x), t[0].y, t[0].z),
                4 => low + (high - low) * random.unit() * 1.2,
                _ => (low + high) * 0.5 + random.cube_point() * (high - low),
            };
            let location = placement(&mesh, &HERE, p);
            assert_eq!(location, point_in_mesh(p, corners.iter().copied()), "{name} {p}");
            counts[location as usize] += 1;
            if location != Placement::Surface && 2 < round % 6 {
                let sum = winding::winding_number(p, corners.iter().copied());
                let found = winding_number(&mesh, &HERE, p, 0.0).value;
                assert!((sum - found).abs() < 1e-9, "{name} {p}: {sum} {found}");
                check_winding(&torn, p);
            }
            // On the surface of an open mesh as well.
            if round % 6 == 0 && placement(&torn, &HERE, p) != Placement::Surface {
                assert!(torn.mesh().iter_corners().all(|t| !t.contains(&p)));
            }
        }
    }
    assert!(counts.iter().all(|&n| 20 < n), "{counts:?}");
}

/// Large and small meshes have their trees in other units.
#[test]
fn sizes_at_the_ends() {
    let Some(data) = meshes::mesh("oloid") else { return };
    for scale in [2_f64.powi(-120), 2_f64.powi(120)] {
        let vertices = data.vertices.iter().map(|p| *p * scale).collect();
        let data = MeshData { vertices, indices: data.indices.clone() };
        let (mesh, torn) = (shape(&data), shape(&torn(&data)));
        let (low, high) = mesh.mesh().wide_bounds();
        for (p, is_inside) in [(low * 0.5 + high * 0.5, true), (high * 1.5, false)] {
            assert_eq!(placement(&mesh, &HERE, p) == Placement::Inside, is_inside);
            assert_eq!(placement(&torn, &HERE, p) == Placement::Inside, is_inside);
            check_winding(&torn, p);
        }
    }
}

/// A ball of 1280 triangles, some of them turned over: as many wrong answers as before, none.
#[test]
fn turned_triangles_change_no_answer() {
    let ball = carom_scenes::mesh::icosphere(1280);
    assert_eq!(ball.triangles.len(), 1280);
    let corners: Vec<[DVec3; 3]> =
        ball.triangles.iter().map(|t| t.map(|v| ball.vertices[v as usize])).collect();
    // Within this of the middle all is inside.
    let least = corners
        .iter()
        .map(|[a, b, c]| (*b - *a).cross(*c - *a).normalize().dot(*a))
        .fold(f64::INFINITY, f64::min);
    let mut random = Random::new(91);
    for n_turned in [0, 16, 163, 640, 1280] {
        let mut indices = ball.triangles.clone();
        let mut is_turned = vec![false; indices.len()];
        let mut n = 0;
        while n < n_turned {
            let t = random.below(indices.len());
            if !is_turned[t] {
                is_turned[t] = true;
                indices[t].swap(1, 2);
                n += 1;
            }
        }
        let mesh = shape(&MeshData { vertices: ball.vertices.clone(), indices });
        assert_eq!(mesh.ambiguity(), None);
        let solid = Shape::Mesh(mesh.clone());
        let (mut n_wrong, mut n_inside) = (0, 0);
        for round in 0..100_000 {
            let p = random.cube_point() * 1.1;
            let radius = p.length();
            let expected = if radius < least - 1e-12 {
                Placement::Inside
            } else if 1.0 + 1e-12 < radius {
                Placement::Outside
            } else {
                point_in_mesh(p, corners.iter().copied())
            };
            n_wrong += usize::from(solid_placement(&mesh, &HERE, p) != Some(expected));
            n_inside += usize::from(expected == Placement::Inside);
            if round % 100 == 0 && expected != Placement::Surface {
                let found = project_point(&solid, &HERE, p).unwrap();
                assert_eq!(found.inside, Some(expected == Placement::Inside));
                assert_eq!(found.distance < 0.0, expected == Placement::Inside);
            }
        }
        assert_eq!(n_wrong, 0, "{n_turned} turned");
        assert!(5_000 < n_inside && n_inside < 95_000, "{n_inside}");
    }
}

/// Inside out, a cavity, one facet turned, as the orientation is kept; and meshes that cannot tell.
#[test]
fn meshes_without_an_inside_report_that_it_is_unknown() {
    let cuboid = |size: f64| {
        let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5;
        let vertices: Vec<DVec3> = (0..8).map(|i| corner(i) * size).collect();
        MeshData { vertices, indices: meshes::BOX_TRIANGLES.to_vec() }
    };
    let turn = |mut data: MeshData, range: std::ops::Range<usize>| {
        data.indices[range].iter_mut().for_each(|t| t.swap(1, 2));
        data
    };
    let p = DVec3::new(0.25, 0.0, 0.1);
    let inside_of = |mesh: &MeshShape| {
        let found = project_point(&Shape::Mesh(Arc::new(mesh.clone())), &HERE, p).unwrap();
        assert_eq!(found.is_inside, found.inside == Some(true));
        assert_eq!(found.distance < 0.0, found.is_inside);
        assert!(0.75 - 1e-12 < found.distance.abs());
        assert_eq!(
            solid_placement(mesh, &HERE, p).map(|location| location == Placement::Inside),
            found.inside
        );
        found.inside
    };
    for range in [0..0, 0..12, 3..4, 5..12] {
        let mesh = shape(&turn(cuboid(2.0), range.clone()));
        assert_eq!(inside_of(&mesh), Some(true), "{range:?}");
        let kept = MeshShape::clone(&mesh).with_kept_orientation();
        let expected = if range.is_empty() { Some(true) } else { None };
        assert_eq!(inside_of(&kept), expected, "{range:?}");
        assert_eq!(kept.ambiguity().is_some(), range.len() % 12 != 0);
    }
    // Two of the twelve are missing; then one lies there twice.
    let mut open = cuboid(2.0);
    open.indices.truncate(10);
    assert_eq!(inside_of(&shape(&open)), None);
    let mut doubled = cuboid(2.0);
    doubled.indices.push([1, 7, 5]);
    assert_eq!(inside_of(&shape(&doubled)), None);
    // A cavity, whatever its facets face, is outside; so is what is beyond.
    for range in [0..0, 0..24, 0..12, 12..24, 7..15] {
        let (mut all, inner) = (cuboid(6.0), cuboid(2.0));
        all.indices.extend(inner.indices.iter().map(|t| t.map(|v| v + 8)));
        all.vertices.extend(inner.vertices);
        let mesh = shape(&turn(all, range.clone()));
        assert_eq!(inside_of(&mesh), Some(false), "{range:?}");
        assert_eq!(solid_placement(&mesh, &HERE, DVec3::splat(2.0)), Some(Placement::Inside), "{range:?}");
        assert_eq!(solid_placement(&mesh, &HERE, DVec3::splat(4.0)), Some(Placement::Outside), "{range:?}");
    }
}
