//! Volume, centre and inertia of fields against those of the meshes they were baked from.

use crate::scenes::{cuboid, inverted, joined, mesh, moved, without};
use carom_geom::{DistanceField, MassProperties, SolidMoments, TriMesh};
use carom_scenes::mesh::{bumpy_icosphere, torus};
use carom_sdf::{Accuracy, BakeSettings, FieldShape, SdfGrid, SparseSdf};
use glam::{DVec3, Vec3};

fn settings() -> BakeSettings {
    BakeSettings::default().with_resolution(24)
}

fn of_mesh(mesh: &TriMesh) -> Option<SolidMoments> {
    FieldShape::new(SdfGrid::from_mesh(mesh, &settings()).unwrap()).moments()
}

/// Checks that the stated errors bound the differences. Returns the relative differences of
/// volume, centre and inertia.
fn check(name: &str, found: &SolidMoments, exact: &MassProperties) -> [f64; 3] {
    let volume = (found.volume - f64::from(exact.mass)).abs();
    assert!(volume <= found.volume_error, "{name}: {found:?} {exact:?}");
    let center = (found.center - exact.center.as_dvec3()).length();
    assert!(center <= found.center_error(), "{name}: {found:?} {exact:?}");
    let inertia = (0..3)
        .map(|axis| (found.inertia.col(axis) - exact.inertia.as_dmat3().col(axis)).length())
        .fold(0.0, f64::max);
    assert!(inertia <= found.inertia_error(), "{name}: {found:?} {exact:?}");
    let size = found.volume.cbrt();
    [volume / found.volume, center / size, inertia / (found.volume * size * size)]
}

#[test]
fn moments_are_those_of_the_mesh_within_the_stated_error() {
    let box_mesh = cuboid([-0.5, 0.2, -0.3], [0.7, 1.0, 0.4]);
    let two = joined(&[&cuboid([0.0; 3], [1.0; 3]), &cuboid([2.0, 0.0, 0.0], [3.0, 2.0, 1.0])]);
    let ring = moved(&mesh(&torus(1.0, 0.4, 2000)), |v| v + Vec3::new(100.0, -7.0, 3.0));
    let stone = mesh(&bumpy_icosphere(2000, 0.2, 5));
    for (name, mesh) in [("box", box_mesh), ("two boxes", two), ("ring", ring), ("stone", stone)] {
        let exact = mesh.mass_properties(1.0);
        let dense = of_mesh(&mesh).unwrap();
        let differences = check(name, &dense, &exact);
        // The promised error is far above the true one.
        assert!(differences.iter().all(|difference| *difference < 0.02), "{name}: {differences:?}");
        let banded = settings().with_band(3.0);
        let sparse = FieldShape::new(SparseSdf::from_mesh(&mesh, &banded).unwrap()).moments().unwrap();
        check(name, &sparse, &exact);
        assert!((sparse.volume - dense.volume).abs() <= 1e-6 * dense.volume, "{name}");
        assert!((sparse.center - dense.center).length() <= 1e-6 * dense.reach, "{name}");
        // A mesh turned inside out has the same moments.
        assert_eq!(of_mesh(&inverted(&mesh)), Some(dense), "{name}");
    }
}

#[test]
fn finer_cells_come_nearer() {
    let ball = mesh(&bumpy_icosphere(3000, 0.2, 9));
    let exact = ball.mass_properties(1.0);
    let miss = |resolution: u32| {
        let settings = settings().with_resolution(resolution);
        let found = FieldShape::new(SdfGrid::from_mesh(&ball, &settings).unwrap()).moments().unwrap();
        (check("ball", &found, &exact)[0], found.volume_error)
    };
    let [(coarse, coarse_error), (fine, fine_error)] = [miss(10), miss(40)];
    assert!(fine < 0.25 * coarse && fine_error < 0.4 * coarse_error, "{coarse} {fine}");
}

#[test]
fn what_has_no_inside_has_no_volume_and_open_meshes_state_no_error() {
    let sheet = crate::scenes::of(
        &[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        &[[0, 1, 2], [0, 2, 3]],
    );
    assert_eq!(of_mesh(&sheet), None);
    let reach = DVec3::ONE;
    let nothing = SdfGrid::from_function(-reach, reach, &settings(), Accuracy::Exact, |_| 1.0).unwrap();
    assert_eq!(FieldShape::new(nothing).moments(), None);
    let open = without(&cuboid([0.0; 3], [1.0; 3]), |triangle| triangle == 0);
    let found = of_mesh(&open).unwrap();
    assert!(found.volume_error.is_infinite() && found.center_error().is_infinite());
    assert!((found.volume - 1.0).abs() < 0.2, "{found:?}");
}
