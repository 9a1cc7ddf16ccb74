//! Merged vertices, compared with a search over all of them.

use carom_geom::f64::{MeshError, MeshReport, TriMesh};
use carom_testkit::meshes;
use carom_testkit::random::Random;
use glam::DVec3;

const TAU: f64 = core::f64::consts::TAU;

/// A ball of squares between circles of latitude, as trimesh and many programs write it. The last
/// circle is at the south pole, but the sine of pi is not quite 0.
fn uv_sphere(n_around: u32, n_up: u32) -> TriMesh {
    let mut vertices = Vec::new();
    for i in 0..=n_up {
        let latitude = 0.5 * TAU * f64::from(i) / f64::from(n_up);
        for k in 0..n_around {
            let turn = TAU * f64::from(k) / f64::from(n_around);
            let out = latitude.sin();
            vertices.push(DVec3::new(out * turn.cos(), latitude.cos(), out * turn.sin()));
        }
    }
    let at = |i: u32, k: u32| i * n_around + k % n_around;
    let mut triangles = Vec::new();
    for i in 0..n_up {
        for k in 0..n_around {
            let [a, b, c, d] = [at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Triangles whose corners are vertices of their own, written with some decimal digits after each
/// was moved by up to `jitter`.
fn soup(mesh: &TriMesh, jitter: f64, random: &mut Random) -> TriMesh {
    let corners: Vec<DVec3> =
        mesh.iter_corners().flatten().map(|p| p + random.cube_point() * jitter).collect();
    let triangles = (0..mesh.n_triangles() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh::new(corners, triangles).unwrap()
}

#[test]
fn a_pole_that_is_off_by_rounding_gets_an_inside() {
    let sphere = uv_sphere(32, 16);
    assert!(!sphere.is_solid() && sphere.orientation().turned().is_none());
    let (merged, report) = sphere.merged(1e-9).unwrap();
    assert_eq!(report.n_dropped, 2 * 32, "one triangle of each square at the poles");
    assert_eq!(report.n_moved, 31, "all but the first at the south pole");
    assert!(0.0 < report.largest_move && report.largest_move < 1e-15);
    let found = MeshReport::new(&merged);
    assert!(found.is_watertight() && found.orientation.turned().is_some());
    assert_eq!((merged.n_triangles(), merged.vertices().len()), (2 * 32 * 15, 32 * 15 + 2));
}

#[test]
fn corners_with_rounded_digits_become_one() {
    let mut random = Random::new(5);
    for (tolerance, jitter) in [(1e-5, 1e-6), (1e-3, 2e-4), (1.0, 0.2)] {
        let (sphere, _) = uv_sphere(24, 12).merged(1e-9).unwrap();
        // The shortest edges are far longer than the tolerance.
        let large = sphere.vertices().iter().map(|v| *v * 1e2 + 1e3).collect();
        let large = TriMesh::new(large, sphere.indices().to_vec()).unwrap();
        let loose = soup(&large, jitter, &mut random);
        assert!(loose.orientation().turned().is_none());
        let (merged, report) = loose.merged(tolerance).unwrap();
        assert_eq!(report.n_dropped, 0);
        assert_eq!(merged.vertices().len(), sphere.vertices().len());
        assert!(MeshReport::new(&merged).is_watertight());
    }
}

/// The vertices that remain, and the number of the one that each becomes, by a search over all
/// kept ones.
fn merged_by_all_pairs(mesh: &TriMesh, tolerance: f64) -> (Vec<DVec3>, Vec<u32>) {
    let mut kept: Vec<DVec3> = Vec::new();
    let becomes = mesh.vertices().iter().map(|v| {
        let found = kept.iter().position(|k| (*k - *v).length_squared() <= tolerance * tolerance);
        found.unwrap_or_else(|| {
            kept.push(*v);
            kept.len() - 1
        }) as u32
    });
    let becomes = becomes.collect();
    (kept, becomes)
}

#[test]
fn the_grid_finds_what_all_pairs_find() {
    let mut random = Random::new(1);
    let (mut n_moved, mut n_kept) = (0, 0);
    for round in 0..60 {
        let tolerance = [0.3, 1e-3, 1e-9][round % 3];
        let scale = [1.0, 1e-6, 1e6][round / 3 % 3];
        let step = tolerance * scale * 0.7;
        // Chains and heaps of points, about as far apart as the tolerance, at cells' corners too.
        let vertices: Vec<DVec3> = (0..90)
            .map(|i| {
                let at = DVec3::splat(scale) * random.grid_point(2);
                let chain = DVec3::new(f64::from(i % 5), 0.0, 0.0);
                at + step * if i % 2 == 0 { chain } else { random.cube_point() * 2.0 }
            })
            .collect();
        // Every vertex has a triangle with two far corners, so none collapses.
        let far = [DVec3::splat(30.0 * scale), DVec3::new(-40.0 * scale, 0.0, 0.0)];
        let all: Vec<DVec3> = vertices.iter().copied().chain(far).collect();
        let triangles = (0..90).map(|i| [i, 90, 91]).collect();
        let mesh = TriMesh::new(all, triangles).unwrap();
        let (expected, becomes) = merged_by_all_pairs(&mesh, tolerance * scale);
        let (merged, report) = mesh.merged(tolerance * scale).unwrap();
        assert_eq!(merged.vertices(), expected, "round {round}");
        let first: Vec<u32> = merged.indices().iter().map(|t| t[0]).collect();
        assert_eq!(first, becomes[..90], "round {round}");
        assert!(report.largest_move <= tolerance * scale * (1.0 + 1e-15));
        (n_moved, n_kept) = (n_moved + report.n_moved, n_kept + expected.len());
    }
    assert!(500 < n_moved && 500 < n_kept, "a fair mix: {n_moved} of them move, {n_kept} stay");
}

#[test]
fn single_precision_merges_alike() {
    let sphere = uv_sphere(32, 16);
    let narrow: Vec<glam::Vec3> = sphere.vertices().iter().map(|v| v.as_vec3()).collect();
    let narrow = carom_geom::TriMesh::new(narrow, sphere.indices().to_vec()).unwrap();
    assert!(!narrow.is_solid());
    let (merged, report) = narrow.merged(1e-5).unwrap();
    assert!(merged.is_solid() && report.n_dropped == 64);
    assert_eq!(merged.indices(), sphere.merged(1e-5).unwrap().0.indices());
}

#[test]
fn tolerances_that_are_none_are_refused() {
    let corners = |size: f64| [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|v| v * size).to_vec();
    let tetrahedron =
        |size: f64| TriMesh::new(corners(size), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap();
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(tetrahedron(1.0).merged(bad), Err(MeshError::BadTolerance));
    }
    assert_eq!(tetrahedron(1.0).merged(2.0), Err(MeshError::Empty));
    // Extreme sizes and tolerances change nothing.
    for size in [1e-300, 1e-30, 1.0, 1e30, 1e44] {
        for tolerance in [0.0, 1e-320, 1e-200, 1e-17 * size] {
            let (merged, report) = tetrahedron(size).merged(tolerance).unwrap();
            assert_eq!(merged, tetrahedron(size));
            assert_eq!(report, carom_geom::MergeReport::default());
        }
    }
}

#[test]
fn vertices_without_a_triangle_take_no_part() {
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1));
    let vertices: Vec<DVec3> = (0..8).map(corner).collect();
    let triangles = meshes::BOX_TRIANGLES.to_vec();
    let lonely = vertices[0] + DVec3::splat(1e-7);
    let shifted = triangles.iter().map(|t| t.map(|v| v + 1)).collect();
    let all: Vec<DVec3> = core::iter::once(lonely).chain(vertices.iter().copied()).collect();
    let (merged, report) = TriMesh::new(all, shifted).unwrap().merged(1e-6).unwrap();
    assert_eq!(merged, TriMesh::new(vertices, triangles).unwrap());
    assert_eq!(report.n_moved, 0);
}
