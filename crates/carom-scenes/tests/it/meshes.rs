//! Meshes are closed, of the requested size, and the same everywhere.

use carom_math::glam::DVec3;
use carom_scenes::mesh::{self, Gear, Knot, MeshData, Spring};
use carom_scenes::{HULL_RADII, Rng, hull_points};
use proptest::prelude::*;
use std::collections::HashMap;

/// Asserts that every edge occurs once in each direction, so that the mesh is closed, and that its
/// volume is positive, so that it faces outwards.
pub(crate) fn check_closed(mesh: &MeshData) {
    let mut edges: HashMap<(u32, u32), u32> = HashMap::new();
    let mut volume = 0.0;
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
        assert!((b - a).cross(c - a).length() > 0.0, "a triangle without area");
        volume += a.dot(b.cross(c)) / 6.0;
        for (from, to) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            *edges.entry((from, to)).or_default() += 1;
        }
    }
    assert!(edges.iter().all(|(&(a, b), &n)| n == 1 && edges.get(&(b, a)) == Some(&1)));
    assert!(volume > 0.0);
    assert!(mesh.vertices.iter().all(|v| v.is_finite()));
}

#[test]
fn springs_are_closed() {
    for (n_turns, start) in [(0.3, 0.0), (1.0, 2.0), (6.5, -1.0)] {
        check_closed(&mesh::spring(&Spring::coil(n_turns, 1.0, 2.0, 0.05).with_start(start)));
        check_closed(&mesh::spring(&Spring::spiral(n_turns, [0.4, 2.0], 0.02).with_detail(24, 3)));
    }
    let coil = mesh::spring(&Spring::coil(4.0, 1.0, 2.0, 0.05).with_detail(12, 6));
    assert_eq!(coil.triangles.len(), 2 * 6 * 48 + 2 * 4);
    let (low, high) = coil.vertices.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v.z), h.max(v.z)));
    assert!((low + high).abs() < 1e-9 && 2.0 < high - low && high - low < 2.1);
}

fn mesh_hash(mesh: &MeshData) -> u64 {
    let coordinates = mesh.vertices.iter().flat_map(|v| v.to_array()).map(f64::to_bits);
    super::hash(coordinates.chain(mesh.triangles.iter().flatten().map(|&i| u64::from(i))))
}

#[test]
fn closed_meshes_are_closed() {
    check_closed(&mesh::torus(1.0, 0.3, 500));
    check_closed(&mesh::torus_knot(&Knot::default(), 7_000));
    check_closed(&mesh::torus_knot(&Knot::new(3, 2), 3_000));
    check_closed(&mesh::icosphere(1_280));
    check_closed(&mesh::icosphere(20 * 49));
    check_closed(&mesh::bumpy_icosphere(5_120, 0.05, 3));
    for n_teeth in [8, 12, 17, 40, 80] {
        check_closed(&mesh::gear(&Gear::new(n_teeth, 0.1)));
    }
}

#[test]
fn counts_of_the_benches_are_met() {
    for n in [70_000, 100_000, 1_000_000] {
        assert_eq!(mesh::torus_knot(&Knot::default(), n).triangles.len(), n);
    }
    assert_eq!(mesh::bumpy_icosphere(81_920, 0.02, 1).triangles.len(), 81_920);
    assert_eq!(mesh::terrain(10.0, 1.0, 50, 1).triangles.len(), 5_000);
}

#[test]
fn knot_fills_the_box_that_rays_are_aimed_at() {
    let knot = mesh::torus_knot(&Knot::default(), 70_000);
    let far = knot.vertices.iter().fold(DVec3::ZERO, |m, v| m.max(v.abs()));
    assert!(0.85 < far.x && far.x < 0.95 && 0.85 < far.y && far.y < 0.95, "{far}");
    assert!(0.33 < far.z && far.z < 0.41, "{far}");
}

#[test]
fn hull_points_lie_on_the_ellipsoid() {
    let points = hull_points(64, HULL_RADII, &mut Rng::new(5));
    assert_eq!(points.len(), 64);
    assert!(points.iter().all(|p| ((*p / HULL_RADII).length() - 1.0).abs() < 1e-14));
}

#[test]
fn meshes_are_the_same_bits_everywhere() {
    // Hashes of the first machine, x86_64 Linux; a different one elsewhere means that some step is
    // not portable.
    let hashes = [
        mesh_hash(&mesh::torus_knot(&Knot::default(), 2_000)),
        mesh_hash(&mesh::bumpy_icosphere(1_280, 0.05, 9)),
        mesh_hash(&mesh::gear(&Gear::new(16, 0.1))),
        mesh_hash(&mesh::terrain(10.0, 1.0, 16, 4)),
        mesh_hash(&mesh::torus(1.0, 0.3, 500)),
        mesh_hash(&mesh::spring(&Spring::coil(4.0, 1.0, 2.0, 0.05))),
        mesh_hash(&mesh::spring(&Spring::spiral(3.0, [0.4, 2.0], 0.02))),
        super::hash(
            hull_points(64, HULL_RADII, &mut Rng::new(5)).iter().flat_map(|p| p.to_array()).map(f64::to_bits),
        ),
    ];
    assert_eq!(hashes, HASHES);
}
const HASHES: [u64; 8] = [
    13075945134813829167,
    11437908412694721852,
    4324106397824595982,
    258239419101398396,
    1246778456002672033,
    6126046498321215784,
    16286706609694298978,
    17535465434211061097,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_count_is_nearly_met(n in 200usize..20_000) {
        let knot = mesh::torus_knot(&Knot::default(), n);
        prop_assert!(knot.triangles.len().abs_diff(n) <= n / 20, "{} for {n}", knot.triangles.len());
        let torus = mesh::torus(2.0, 0.5, n);
        prop_assert!(torus.triangles.len().abs_diff(n) <= n / 20, "{} for {n}", torus.triangles.len());
    }

    #[test]
    fn rng_stays_in_its_ranges(seed: u64, n in 1usize..1000) {
        let mut rng = Rng::new(seed);
        for _ in 0..50 {
            prop_assert!(rng.below(n) < n);
            let x = rng.range(-2.0, 3.0);
            prop_assert!((-2.0..3.0).contains(&x));
            prop_assert!((rng.direction().length() - 1.0).abs() < 1e-15 * 4.0);
            prop_assert!((rng.rotation().length() - 1.0).abs() < 1e-15 * 4.0);
        }
        let mut order: Vec<usize> = (0..n).collect();
        rng.shuffle(&mut order);
        order.sort_unstable();
        prop_assert!(order.iter().copied().eq(0..n));
    }
}
