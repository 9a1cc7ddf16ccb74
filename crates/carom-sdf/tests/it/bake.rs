//! Values at nodes: against brute force over all triangles, and after changes that keep them.

use crate::scenes::{closed, moved, open_box};
use carom_geom::TriMesh;
use carom_geom::ray_mesh::{Placement, point_in_mesh};
use carom_geom::tri_distance::point_triangle;
use carom_sdf::{Accuracy, BakeSettings, Field, Grid, SdfGrid, SignMethod};
use glam::{DVec3, IVec3, UVec3, Vec3};

fn settings(resolution: u32) -> BakeSettings {
    BakeSettings::default().with_resolution(resolution)
}

/// All nodes of a grid.
pub(crate) fn nodes(grid: &Grid) -> impl Iterator<Item = UVec3> + use<> {
    let n = grid.nodes();
    (0..n.z).flat_map(move |z| (0..n.y).flat_map(move |y| (0..n.x).map(move |x| UVec3::new(x, y, z))))
}

/// The least distance over all triangles.
pub(crate) fn brute(mesh: &TriMesh, point: DVec3) -> f64 {
    mesh.iter_corners().map(|t| point_triangle(point, &t).distance).fold(f64::INFINITY, f64::min)
}

/// The distance to a triangle by its regions, in plain arithmetic (Ericson, 5.1.5): not the code
/// under test.
fn plain_distance(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let on_edge = |a: DVec3, b: DVec3| {
        let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        (a + (b - a) * t - p).length()
    };
    let normal = (b - a).cross(c - a).normalize();
    let is_over =
        [[a, b], [b, c], [c, a]].iter().all(|[from, to]| 0.0 <= (*to - *from).cross(p - *from).dot(normal));
    if is_over { (p - a).dot(normal).abs() } else { on_edge(a, b).min(on_edge(b, c)).min(on_edge(c, a)) }
}

#[test]
fn values_are_those_of_brute_force() {
    for (name, mesh) in closed() {
        let field = SdfGrid::from_mesh(
            &mesh,
            &settings(if std::env::var_os("CAROM_SLOW").is_some() { 28 } else { 11 }),
        )
        .unwrap();
        assert_eq!((field.sign_method(), field.accuracy()), (SignMethod::WindingExact, Accuracy::Exact));
        let corners: Vec<[DVec3; 3]> = mesh.iter_corners().collect();
        for (node, &value) in nodes(field.grid()).zip(field.values()) {
            let point = field.grid().node(node);
            assert_eq!(value.abs(), brute(&mesh, point) as f32, "{name} {node}");
            let plain = corners.iter().map(|t| plain_distance(point, *t)).fold(f64::INFINITY, f64::min);
            assert!((plain - f64::from(value.abs())).abs() <= 1e-6 * plain + 1e-7, "{name} {node}");
            let is_inside = point_in_mesh(point, corners.iter().copied()) == Placement::Inside;
            assert_eq!(value < 0.0, is_inside, "{name} {node}");
        }
    }
}

#[test]
fn a_band_cuts_values_and_changes_nothing_else() {
    for (name, mesh) in closed() {
        let all = SdfGrid::from_mesh(&mesh, &settings(20)).unwrap();
        for band in [2.0, 3.5] {
            let cut = SdfGrid::from_mesh(&mesh, &settings(20).with_band(band)).unwrap();
            let length = cut.band();
            assert_eq!(length, band * cut.grid().cell());
            let n_near = cut.values().iter().filter(|v| v.abs() < length).count();
            assert!(200 < n_near && n_near + 200 < cut.values().len(), "{name} {n_near}");
            let wanted: Vec<f32> = all.values().iter().map(|v| v.clamp(-length, length)).collect();
            assert!(cut.values() == wanted, "{name} {band}");
        }
    }
}

#[test]
fn values_do_not_depend_on_the_order_of_triangles() {
    for (name, mesh) in closed() {
        let reversed = TriMesh::new(mesh.vertices().to_vec(), mesh.indices().iter().rev().copied().collect());
        let of = |mesh: &TriMesh| SdfGrid::from_mesh(mesh, &settings(20).with_band(3.0)).unwrap();
        assert!(of(&mesh) == of(&reversed.unwrap()), "{name}");
    }
}

#[test]
fn a_mesh_moved_by_whole_cells_has_the_same_bits() {
    for (name, mesh) in closed() {
        // Coordinates of few digits, so that the moved ones are exact.
        let mesh = moved(&mesh, |v| (v * 1024.0).round() / 1024.0);
        let far = moved(&mesh, |v| v + Vec3::new(100.0, -7.0, 33.0) / 8.0);
        let settings = BakeSettings::default().with_cell(1.0 / 8.0);
        let (here, there) = (SdfGrid::from_mesh(&mesh, &settings), SdfGrid::from_mesh(&far, &settings));
        let (here, there) = (here.unwrap(), there.unwrap());
        assert_eq!(there.grid().first() - here.grid().first(), IVec3::new(100, -7, 33), "{name}");
        assert!(here.values() == there.values(), "{name}");
    }
}

#[test]
fn scale_by_two_doubles_the_bits() {
    for (name, mesh) in closed().into_iter().chain([("open", open_box())]) {
        let (one, two) = (&mesh, moved(&mesh, |v| 2.0 * v));
        let of = |mesh: &TriMesh| SdfGrid::from_mesh(mesh, &settings(20)).unwrap();
        let (one, two) = (of(one), of(&two));
        assert_eq!(two.grid().cell(), 2.0 * one.grid().cell());
        assert!(one.values().iter().map(|v| 2.0 * v).eq(two.values().iter().copied()), "{name}");
    }
}

#[test]
fn a_mirrored_mesh_has_mirrored_values() {
    for (name, mesh) in closed() {
        let mirrored = moved(&mesh, |v| v * Vec3::new(-1.0, 1.0, 1.0));
        let of = |mesh: &TriMesh| SdfGrid::from_mesh(mesh, &settings(20)).unwrap();
        let (field, mirrored) = (of(&mesh), of(&mirrored));
        let last = field.grid().cells().x;
        assert_eq!(field.grid().cells(), mirrored.grid().cells());
        for node in nodes(field.grid()) {
            assert_eq!(field.value(node), mirrored.value(node.with_x(last - node.x)), "{name} {node}");
        }
    }
}

/// A small ball above a floor whose triangles are far larger than a cell: distances to large
/// triangles have larger rounding errors.
#[test]
fn large_and_small_triangles_together() {
    let ball = crate::scenes::mesh(&carom_scenes::mesh::icosphere(80));
    let floor = crate::scenes::cuboid([-300.0, -300.0, -1.5], [300.0, 300.0, -1.25]);
    let both = crate::scenes::joined(&[&ball, &floor]);
    let field = SdfGrid::from_mesh(&both, &settings(70)).unwrap();
    for (node, &value) in nodes(field.grid()).zip(field.values()).step_by(7) {
        assert_eq!(value.abs(), brute(&both, field.grid().node(node)) as f32, "{node}");
    }
}

#[test]
fn a_function_is_sampled_at_the_nodes() {
    let ball = |p: DVec3| p.length() - 1.0;
    let (low, high) = (DVec3::splat(-1.0), DVec3::splat(1.0));
    let all = SdfGrid::from_function(low, high, &settings(20), Accuracy::Exact, ball).unwrap();
    assert_eq!(all.sign_method(), SignMethod::Given);
    for (node, &value) in nodes(all.grid()).zip(all.values()) {
        assert_eq!(value, ball(all.grid().node(node)) as f32);
    }
    let cut = SdfGrid::from_function(low, high, &settings(20).with_band(3.0), Accuracy::Exact, ball).unwrap();
    let band = cut.band();
    assert!(cut.values().iter().copied().eq(all.values().iter().map(|v| v.clamp(-band, band))));
}
