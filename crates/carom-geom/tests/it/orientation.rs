//! Triangles that have to be flipped, compared with those that were flipped.

use carom_geom::f64::{MeshReport, TriMesh};
use carom_geom::{Ambiguity, Orientation};
use carom_testkit::meshes;
use carom_testkit::random::Random;
use glam::DVec3;

type Mesh = (Vec<DVec3>, Vec<[u32; 3]>);

/// A box that faces outwards.
fn cuboid(low: DVec3, high: DVec3) -> Mesh {
    let corner = |i: u32| {
        let end = |axis: u32| f64::from(i >> axis & 1);
        low + (high - low) * DVec3::new(end(0), end(1), end(2))
    };
    ((0..8).map(corner).collect(), meshes::BOX_TRIANGLES.to_vec())
}

/// A ring of squares in the plane, turned about an axis: a torus, or, with half a twist, a Klein
/// bottle.
fn tube(n: u32, is_twisted: bool) -> Mesh {
    let mut vertices = Vec::new();
    for i in 0..n {
        let turn = core::f64::consts::TAU * f64::from(i) / f64::from(n);
        for k in 0..n {
            let roll = core::f64::consts::TAU * f64::from(k) / f64::from(n);
            let out = 3.0 + roll.cos();
            vertices.push(DVec3::new(turn.cos() * out, turn.sin() * out, roll.sin()));
        }
    }
    let at = |i: u32, k: u32| {
        // Joined the other way round, the tube meets itself inside out.
        let k = if is_twisted && i == n { (n - k % n) % n } else { k % n };
        (i % n) * n + k
    };
    let mut triangles = Vec::new();
    for i in 0..n {
        for k in 0..n {
            let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, triangles)
}

fn joined(meshes: &[Mesh]) -> Mesh {
    let mut all = Mesh::default();
    for (vertices, triangles) in meshes {
        let first = all.0.len() as u32;
        all.0.extend(vertices);
        all.1.extend(triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

fn tri_mesh(mesh: &Mesh) -> TriMesh {
    TriMesh::new(mesh.0.clone(), mesh.1.clone()).unwrap()
}

/// Whatever is turned over in a mesh that is right, that and nothing else is turned back.
fn check_turns(name: &str, mesh: &Mesh, rounds: usize, random: &mut Random) {
    assert_eq!(tri_mesh(mesh).orientation().turned(), Some(&[][..]), "{name}");
    let n = mesh.1.len();
    for round in 0..rounds {
        let mut turned: Vec<u32> = match round {
            0 => (0..n as u32).collect(),
            1 => vec![random.below(n) as u32],
            _ => (0..n as u32).filter(|_| random.below(round) == 0).collect(),
        };
        turned.dedup();
        let mut broken = tri_mesh(mesh);
        broken.turn_over(&turned);
        let (mended, orientation) = broken.oriented();
        assert_eq!(orientation, Orientation::Known { turned }, "{name}");
        let report = MeshReport::new(&mended);
        assert!(report.is_solid() && report.orientation.turned() == Some(&[][..]), "{name}");
    }
}

#[test]
fn what_is_turned_is_turned_back() {
    let mut random = Random::new(81);
    let unit = |low: f64, high: f64| cuboid(DVec3::splat(low), DVec3::splat(high));
    let inwards = |mut mesh: Mesh| {
        mesh.1.iter_mut().for_each(|t| t.swap(1, 2));
        mesh
    };
    for (name, mesh) in [
        ("cube", unit(0.0, 1.0)),
        ("far cube", unit(1e9, 1e9 + 1.0)),
        ("small cube", unit(1e-200, 3e-200)),
        ("large cube", unit(-1e30, 1e30)),
        ("torus", tube(12, false)),
        ("two apart", joined(&[unit(0.0, 1.0), unit(2.0, 3.0)])),
        ("a cavity", joined(&[unit(0.0, 9.0), inwards(unit(1.0, 8.0))])),
        ("a solid in a cavity", joined(&[unit(2.0, 7.0), unit(0.0, 9.0), inwards(unit(1.0, 8.0))])),
        ("two that overlap", joined(&[unit(0.0, 2.0), unit(1.0, 3.0)])),
        ("a sheet of two sides", (vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2], [0, 2, 1]])),
    ] {
        if name == "a sheet of two sides" {
            // It encloses nothing, and neither of the two ways is right.
            assert_eq!(tri_mesh(&mesh).orientation().turned(), Some(&[][..]));
            continue;
        }
        check_turns(name, &mesh, 12, &mut random);
    }
}

#[test]
fn real_solids_are_turned_back() {
    let mut random = Random::new(82);
    for name in ["spot", "hilbert_cube", "nut_big", "screw_big", "quad_knot", "cray_left", "offset2"] {
        let Some(data) = meshes::mesh(name) else { return };
        let right = TriMesh::new(data.vertices.clone(), data.indices.clone()).unwrap();
        // Some are inside out in the file.
        let right = right.oriented().0;
        check_turns(name, &(right.vertices().to_vec(), right.indices().to_vec()), 4, &mut random);
    }
}

#[test]
fn what_has_no_inside_says_why() {
    let open = |n: usize| {
        let (vertices, mut triangles) = cuboid(DVec3::ZERO, DVec3::ONE);
        triangles.truncate(12 - n);
        tri_mesh(&(vertices, triangles)).orientation()
    };
    let not_closed = |n_boundary, n_non_manifold| {
        Orientation::Unknown(Ambiguity::NotClosed { n_boundary, n_non_manifold })
    };
    assert_eq!(open(1), not_closed(3, 0));
    assert_eq!(open(2), not_closed(4, 0));
    // Two cubes that share an edge.
    let pair = joined(&[
        cuboid(DVec3::ZERO, DVec3::ONE),
        cuboid(DVec3::new(1.0, 1.0, 0.0), DVec3::new(2.0, 2.0, 1.0)),
    ]);
    assert_eq!(tri_mesh(&pair).orientation(), not_closed(0, 1));
    assert_eq!(tri_mesh(&tube(9, true)).orientation(), Orientation::Unknown(Ambiguity::OneSided));
    // A wall in a cube: edges of three triangles.
    let mut wall = cuboid(DVec3::ZERO, DVec3::ONE);
    wall.1.push([0, 3, 7]);
    assert!(matches!(tri_mesh(&wall).orientation(), Orientation::Unknown(Ambiguity::NotClosed { .. })));
}
