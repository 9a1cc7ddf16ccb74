//! Invalid input, and the errors for it.

use crate::scenes::cuboid;
use carom_geom::MeshError;
use carom_sdf::{Accuracy, BakeSettings, Grid, SdfError, SdfGrid, SparseSdf};
use glam::{DVec3, IVec3, UVec3, Vec3};

#[test]
fn errors_name_the_first_offender() {
    let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(f32::NAN)];
    let bake = |positions: &[Vec3], triangles: &[[u32; 3]], settings: BakeSettings| {
        SdfGrid::from_triangles(positions, triangles, &settings).map(|_| ())
    };
    let settings = BakeSettings::default();
    assert_eq!(bake(&positions[..3], &[], settings), Err(SdfError::Mesh(MeshError::Empty)));
    assert_eq!(
        bake(&positions, &[[0, 1, 2]], settings),
        Err(SdfError::Mesh(MeshError::NotFinite { vertex: 3 }))
    );
    let index = MeshError::IndexOutOfRange { triangle: 1, index: 3, n_vertices: 3 };
    assert_eq!(bake(&positions[..3], &[[0, 1, 2], [0, 1, 3]], settings), Err(SdfError::Mesh(index)));
    let one = |settings| bake(&positions[..3], &[[0, 1, 2]], settings);
    assert_eq!(one(settings), Ok(()));
    assert_eq!(one(settings.with_resolution(0)), Err(SdfError::BadResolution));
    for cell in [0.0, -1.0, f32::INFINITY, 1e-30] {
        assert_eq!(one(settings.with_cell(cell)), Err(SdfError::BadCell { cell }));
    }
    assert!(matches!(one(settings.with_cell(f32::NAN)), Err(SdfError::BadCell { .. })));
    for band in [0.0, 1.5, -3.0] {
        assert_eq!(one(settings.with_band(band)), Err(SdfError::BadBand { band }));
    }
    assert!(matches!(one(settings.with_band(f32::NAN)), Err(SdfError::BadBand { .. })));
    assert_eq!(bake(&[Vec3::ONE], &[[0, 0, 0]], settings), Err(SdfError::NoExtent));
    assert_eq!(bake(&[Vec3::ONE], &[[0, 0, 0]], settings.with_cell(0.5)), Ok(()));
    let grid = Grid::new(0.25, IVec3::ZERO, UVec3::splat(4)).unwrap();
    assert_eq!(one(settings.with_grid(grid)), Ok(()));
    let grid = Grid::new(0.25, IVec3::ZERO, UVec3::new(4, 3, 4)).unwrap();
    assert_eq!(one(settings.with_grid(grid)), Err(SdfError::OutsideGrid { vertex: 2 }));
}

#[test]
fn the_number_of_nodes_is_bounded() {
    let mesh = cuboid([0.0; 3], [1.0; 3]);
    let settings = BakeSettings::default().with_resolution(1000).with_max_nodes(1_000_000);
    let nodes = 1005 * 1005 * 1005;
    assert_eq!(
        SdfGrid::from_mesh(&mesh, &settings),
        Err(SdfError::TooManyNodes { nodes, allowed: 1_000_000 })
    );
    let settings = settings.with_resolution(u32::MAX).with_max_nodes(u64::MAX);
    assert!(SdfGrid::from_mesh(&mesh, &settings).is_err());
    // A mesh that is small and far away.
    let far = Grid::around(DVec3::splat(1e6), DVec3::splat(1e6), 1e-3, 2);
    assert_eq!(far, Err(SdfError::TooFar { axis: 0 }));
}

#[test]
fn grids_are_checked() {
    assert_eq!(Grid::new(1.0, IVec3::ZERO, UVec3::new(1, 0, 1)), Err(SdfError::NoCells { axis: 1 }));
    let far = IVec3::new(0, 0, 1 << 28);
    assert_eq!(Grid::new(1.0, far, UVec3::ONE), Err(SdfError::TooFar { axis: 2 }));
    assert_eq!(Grid::around(DVec3::ZERO, DVec3::INFINITY, 1.0, 0), Err(SdfError::TooFar { axis: 0 }));
    assert_eq!(Grid::around(DVec3::NAN, DVec3::ONE, 1.0, 0), Err(SdfError::BadBox { axis: 0 }));
    let exchanged = Grid::around(DVec3::ZERO, DVec3::new(1.0, 1.0, -1.0), 1.0, 0);
    assert_eq!(exchanged, Err(SdfError::BadBox { axis: 2 }));
    // Corners that are exactly on nodes, and at least one cell.
    let grid = Grid::around(DVec3::new(-0.5, 0.25, 1.0), DVec3::new(0.5, 0.25, 1.1), 0.25, 0).unwrap();
    assert_eq!((grid.first(), grid.cells()), (IVec3::new(-2, 1, 4), UVec3::new(4, 1, 1)));
    assert_eq!(grid.nodes(), UVec3::new(5, 2, 2));
    assert_eq!(grid.n_nodes(), 20);
    assert_eq!(grid.node(UVec3::new(4, 1, 1)), DVec3::new(0.5, 0.5, 1.25));
}

/// The surface of a function is in its box, and bounds rely on a grid that holds it.
#[test]
fn a_box_that_leaves_the_grid_is_refused() {
    let grid = Grid::new(0.25, IVec3::splat(-4), UVec3::splat(8)).unwrap();
    let settings = BakeSettings::default().with_grid(grid).with_band(4.0);
    let ball = |p: DVec3| p.length() - 1.0;
    let bake = |low: DVec3, high: DVec3| {
        let dense = SdfGrid::from_function(low, high, &settings, Accuracy::Exact, ball).map(|_| ());
        assert_eq!(SparseSdf::from_function(low, high, &settings, Accuracy::Exact, ball).map(|_| ()), dense);
        dense
    };
    assert_eq!(bake(-DVec3::ONE, DVec3::ONE), Ok(()));
    for axis in 0..3 {
        let by = 1e-12 * DVec3::AXES[axis];
        assert_eq!(bake(-DVec3::ONE - by, DVec3::ONE), Err(SdfError::BoxOutsideGrid { axis }));
        assert_eq!(bake(-DVec3::ONE, DVec3::ONE + by), Err(SdfError::BoxOutsideGrid { axis }));
        let mut nan = DVec3::ONE;
        nan[axis] = f64::NAN;
        assert_eq!(bake(-DVec3::ONE, nan), Err(SdfError::BadBox { axis }));
    }
}

/// Exchanged corners gave a field one cell thick, that answered for an empty surface.
#[test]
fn r_exchanged_corners_are_refused() {
    let ball = |p: DVec3| p.length() - 0.9;
    let one_axis = |axis: usize| (DVec3::ONE * 2.0 * DVec3::AXES[axis] - DVec3::ONE, axis);
    for (low, axis) in [one_axis(0), one_axis(1), one_axis(2), (DVec3::ONE, 0)] {
        for settings in [BakeSettings::default(), BakeSettings::default().with_cell(0.125).with_band(4.0)] {
            let dense = SdfGrid::from_function(low, -low, &settings, Accuracy::Exact, ball).map(|_| ());
            assert_eq!(dense, Err(SdfError::BadBox { axis }), "{low}");
            let settings = settings.with_band(4.0);
            let sparse = SparseSdf::from_function(low, -low, &settings, Accuracy::Exact, ball).map(|_| ());
            assert_eq!(sparse, Err(SdfError::BadBox { axis }), "{low}");
        }
    }
}

#[test]
fn a_function_that_gives_no_number_is_refused() {
    let settings = BakeSettings::default().with_cell(0.25).with_padding(0);
    let bake = |f: fn(DVec3) -> f64| {
        SdfGrid::from_function(DVec3::ZERO, DVec3::ONE, &settings, Accuracy::Exact, f).map(|_| ())
    };
    let hole = |p: DVec3| if p.x == 0.5 && p.y == 0.25 { f64::NAN } else { 1.0 };
    assert_eq!(bake(hole), Err(SdfError::NotANumber { node: [2, 1, 0] }));
    assert_eq!(bake(|_| f64::INFINITY), Ok(()));
}
