//! A sparse field gives the answers of the dense one with the same band.

use crate::bake::nodes;
use crate::sample::points;
use crate::scenes::{closed, cuboid, mesh, open_box};
use carom_scenes::mesh::terrain;
use carom_sdf::{Accuracy, BakeSettings, Field, SdfError, SdfGrid, SparseSdf};
use glam::DVec3;

#[test]
fn values_and_samples_are_those_of_the_dense_field() {
    let mut n_less = 0;
    let others = [("open box", open_box()), ("terrain", mesh(&terrain(2.0, 0.4, 8, 3)))];
    for (name, mesh) in closed().into_iter().chain(others) {
        let settings = BakeSettings::default().with_resolution(36).with_band(2.5);
        let dense = SdfGrid::from_mesh(&mesh, &settings).unwrap();
        let sparse = SparseSdf::from_mesh(&mesh, &settings).unwrap();
        assert_eq!((dense.grid(), dense.sign_method()), (sparse.grid(), sparse.sign_method()), "{name}");
        let n_kept = sparse.n_stored_blocks();
        n_less += u32::from(n_kept < sparse.n_blocks());
        assert!(0 < n_kept, "{name}");
        for (node, &value) in nodes(dense.grid()).zip(dense.values()) {
            assert_eq!(value, sparse.value(node), "{name} {node}");
        }
        let points = points(&dense, 2000, 7);
        let (mut one, mut two) = (Vec::new(), Vec::new());
        dense.sample_batch(&points, &mut one);
        sparse.sample_batch(&points, &mut two);
        assert!(one == two, "{name}");
        for point in &points[..300] {
            assert_eq!(dense.sample(*point), sparse.sample(*point), "{name} {point}");
            assert_eq!(dense.bounds(point.as_dvec3()), sparse.bounds(point.as_dvec3()), "{name} {point}");
        }
    }
    // Flat meshes have a grid of one block along an axis.
    assert!(3 <= n_less);
}

#[test]
fn without_a_band_all_blocks_are_kept() {
    let mesh = cuboid([0.0; 3], [1.0, 0.5, 0.25]);
    let settings = BakeSettings::default().with_resolution(20);
    let (dense, sparse) = (SdfGrid::from_mesh(&mesh, &settings), SparseSdf::from_mesh(&mesh, &settings));
    let (dense, sparse) = (dense.unwrap(), sparse.unwrap());
    assert_eq!(sparse.n_stored_blocks(), sparse.n_blocks());
    assert!(nodes(dense.grid()).all(|node| dense.value(node) == sparse.value(node)));
}

#[test]
fn the_number_of_stored_nodes_is_bounded() {
    let mesh = cuboid([0.0; 3], [1.0; 3]);
    let settings = BakeSettings::default().with_resolution(60).with_band(2.0);
    let field = SparseSdf::from_mesh(&mesh, &settings).unwrap();
    let stored = (field.n_stored_blocks() as u64 + 2) * 729;
    assert!(stored < 65 * 65 * 65);
    assert!(SparseSdf::from_mesh(&mesh, &settings.with_max_nodes(stored)).is_ok());
    let allowed = stored - 1;
    let error = SparseSdf::from_mesh(&mesh, &settings.with_max_nodes(allowed));
    assert_eq!(error, Err(SdfError::TooManyNodes { nodes: stored, allowed }));
    // A grid with more blocks than allowed nodes is refused before memory is taken.
    let settings = settings.with_resolution(1 << 20).with_max_nodes(1 << 28);
    assert!(matches!(SparseSdf::from_mesh(&mesh, &settings), Err(SdfError::TooManyNodes { .. })));
}

#[test]
fn a_function_is_sampled_near_its_surface() {
    let ball = |p: DVec3| p.length() - 1.0;
    let settings = BakeSettings::default().with_resolution(64).with_band(3.0);
    let (low, high) = (DVec3::splat(-1.0), DVec3::splat(1.0));
    let dense = SdfGrid::from_function(low, high, &settings, Accuracy::Exact, ball).unwrap();
    let sparse = SparseSdf::from_function(low, high, &settings, Accuracy::Exact, ball).unwrap();
    assert!(sparse.n_stored_blocks() < sparse.n_blocks());
    assert!(nodes(dense.grid()).all(|node| dense.value(node) == sparse.value(node)));
}
