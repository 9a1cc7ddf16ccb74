//! Union, intersection, difference and offset.

use crate::bake::nodes;
use crate::scenes::{closed, cuboid, mesh, moved, open_box};
use carom_geom::TriMesh;
use carom_scenes::mesh::{icosphere, terrain};
use carom_sdf::{Accuracy, BakeSettings, Field, Grid, SdfError, SdfGrid, SignMethod, SparseSdf};
use glam::{DVec3, IVec3, UVec3, Vec3};

fn settings(band: f32) -> BakeSettings {
    let grid = Grid::new(1.0 / 8.0, IVec3::splat(-20), UVec3::splat(40)).unwrap();
    BakeSettings::default().with_grid(grid).with_band(band)
}

fn pair() -> [TriMesh; 2] {
    let ball = mesh(&icosphere(320));
    [cuboid([-1.5, -0.5, -0.75], [0.5, 0.5, 0.75]), moved(&ball, |v| v + Vec3::new(0.5, 0.25, 0.0))]
}

#[test]
fn sets_are_those_of_the_shapes() {
    for band in [3.0, f32::INFINITY] {
        let [a, b] = pair().map(|mesh| SdfGrid::from_mesh(&mesh, &settings(band)).unwrap());
        let [c, d] = pair().map(|mesh| SparseSdf::from_mesh(&mesh, &settings(band)).unwrap());
        let sets = [a.union(&b), a.intersection(&b), a.difference(&b)].map(Result::unwrap);
        let sparse = [c.union(&d), c.intersection(&d), c.difference(&d)].map(Result::unwrap);
        for node in nodes(a.grid()) {
            let (in_a, in_b) = (a.value(node) < 0.0, b.value(node) < 0.0);
            let wanted = [in_a || in_b, in_a && in_b, in_a && !in_b];
            for (i, set) in sets.iter().enumerate() {
                // On the border of one shape the value is 0.
                if a.value(node) != 0.0 && b.value(node) != 0.0 {
                    assert_eq!(set.value(node) < 0.0, wanted[i], "{node} {i}");
                }
                assert_eq!(set.value(node), sparse[i].value(node), "{node} {i}");
            }
        }
        for set in &sets {
            assert_eq!((set.accuracy(), set.sign_method()), (Accuracy::Bound, SignMethod::WindingExact));
        }
        if band == 3.0 {
            assert!(sparse.iter().all(|set| set.n_stored_blocks() < set.n_blocks()));
        }
    }
}

/// The surface of a union, an intersection or a difference is part of the surfaces of both shapes.
/// It is nowhere nearer than the value.
#[test]
fn combined_values_are_bounds() {
    let [a, b] = pair().map(|mesh| SdfGrid::from_mesh(&mesh, &settings(f32::INFINITY)).unwrap());
    for set in [a.union(&b), a.intersection(&b), a.difference(&b)].map(Result::unwrap) {
        // Two values differ by at most the distance of their nodes.
        let all: Vec<(DVec3, f64)> =
            nodes(set.grid()).step_by(7).map(|n| (set.grid().node(n), f64::from(set.value(n)))).collect();
        for (p, from) in all.iter().step_by(5) {
            for (q, to) in &all {
                assert!((from - to).abs() <= (*p - *q).length() * (1.0 + 1e-6) + 1e-6);
            }
        }
        for (p, value) in all {
            let found = set.bounds(p);
            assert!(found.least <= value + 1e-6 && value - 1e-6 <= found.greatest);
        }
    }
}

#[test]
fn an_offset_moves_the_surface() {
    for (name, mesh) in closed() {
        let settings = BakeSettings::default().with_resolution(14).with_padding(5);
        let field = SdfGrid::from_mesh(&mesh, &settings).unwrap();
        let by = 1.5 * field.grid().cell();
        for by in [by, -by] {
            let moved = field.offset(by).unwrap();
            assert_eq!((moved.accuracy(), moved.band()), (Accuracy::Bound, f32::INFINITY));
            for node in nodes(field.grid()) {
                let wanted = f64::from(field.value(node)) - f64::from(by);
                let value = f64::from(moved.value(node));
                assert!(value.abs() <= wanted.abs() && (value - wanted).abs() < 1e-5, "{name} {node}");
            }
        }
        let cut = SdfGrid::from_mesh(&mesh, &settings.with_band(4.0)).unwrap();
        let moved = cut.offset(by).unwrap();
        assert!(moved.band() <= 2.5 * field.grid().cell() && moved.values().contains(&moved.band()));
        assert_eq!(cut.offset(2.0 * by), Err(SdfError::BadOffset { offset: 2.0 * by }), "{name}");
        let sparse = SparseSdf::from_mesh(&mesh, &settings.with_band(4.0)).unwrap().offset(by).unwrap();
        assert!(nodes(field.grid()).all(|node| sparse.value(node) == moved.value(node)), "{name}");
    }
    let [a, _] = pair().map(|mesh| SdfGrid::from_mesh(&mesh, &settings(3.0)).unwrap());
    assert!(matches!(a.offset(f32::NAN), Err(SdfError::BadOffset { .. })));
    assert!(matches!(a.offset(f32::INFINITY), Err(SdfError::BadOffset { .. })));
}

#[test]
fn fields_that_do_not_fit_are_refused() {
    let [a, b] = pair().map(|mesh| SdfGrid::from_mesh(&mesh, &settings(3.0)).unwrap());
    let other = SdfGrid::from_mesh(&pair()[0], &settings(4.0)).unwrap();
    assert_eq!(a.union(&other), Err(SdfError::OtherGrid));
    let sheet = moved(&mesh(&terrain(2.0, 0.3, 6, 3)), |v| v * 0.5);
    let sheet = SdfGrid::from_mesh(&sheet, &settings(3.0)).unwrap();
    assert_eq!(sheet.sign_method(), SignMethod::Unsigned);
    for result in [a.union(&sheet), sheet.union(&a), sheet.intersection(&sheet), a.difference(&sheet)] {
        assert_eq!(result, Err(SdfError::Unsigned));
    }
    // The union of a sheet with itself, and an offset of a sheet.
    let both = sheet.union(&sheet).unwrap();
    assert_eq!((both.values(), both.accuracy()), (sheet.values(), Accuracy::Exact));
    let thick = sheet.offset(0.125).unwrap();
    assert_eq!((thick.sign_method(), thick.accuracy()), (SignMethod::Given, Accuracy::Bound));
    assert!(thick.values().iter().any(|v| *v < 0.0));
    // The side of a point of an open mesh is not proved.
    let open = SdfGrid::from_mesh(&open_box(), &settings(3.0)).unwrap();
    let cut = b.difference(&open).unwrap();
    assert!(matches!(cut.sign_method(), SignMethod::Winding { .. }) && cut.accuracy() == Accuracy::Estimate);
    assert_eq!(cut.bounds(DVec3::ZERO), carom_sdf::DistanceBounds::UNKNOWN);
}
