//! A bake of a changed part gives the bits of a full bake.

use crate::scenes::{closed, inverted, moved, open_box};
use carom_bounds::Aabb;
use carom_geom::TriMesh;
use carom_scenes::Rng;
use carom_sdf::{BakeSettings, Field, Grid, SdfGrid, SignMethod, SparseSdf};
use glam::Vec3;

/// The mesh with its vertices within a ball moved, and a box around the triangles that changed.
fn dented(mesh: &TriMesh, center: Vec3, radius: f32, by: Vec3) -> (TriMesh, Aabb) {
    let dent = |v: Vec3| if (v - center).length() < radius { v + by } else { v };
    let after = moved(mesh, dent);
    let mut region = Aabb { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
    for t in 0..mesh.n_triangles() as u32 {
        if mesh.points(t) != after.points(t) {
            for p in mesh.points(t).into_iter().chain(after.points(t)) {
                (region.min, region.max) = (region.min.min(p), region.max.max(p));
            }
        }
    }
    (after, region)
}

#[test]
fn a_dent_gives_the_bits_of_a_whole_bake() {
    let mut rng = Rng::new(11);
    let mut n_less = 0;
    for (name, mesh) in closed() {
        let settings = BakeSettings::default().with_resolution(20).with_padding(5).with_band(2.0);
        let mut dense = SdfGrid::from_mesh(&mesh, &settings).unwrap();
        let mut sparse = SparseSdf::from_mesh(&mesh, &settings).unwrap();
        let settings = settings.with_grid(*dense.grid());
        let mut mesh = mesh;
        for _ in 0..2 {
            let center = mesh.vertices()[rng.below(mesh.vertices().len())];
            let by = (Vec3::new(rng.unit() as f32, rng.unit() as f32, rng.unit() as f32) - 0.5) * 0.3;
            let (after, region) = dented(&mesh, center, 0.2, by);
            let n = dense.rebake(&after, &region).unwrap();
            n_less += u32::from(2 * n < dense.grid().n_nodes());
            sparse.rebake(&after, &region).unwrap();
            assert!(dense == SdfGrid::from_mesh(&after, &settings).unwrap(), "{name}");
            assert!(sparse == SparseSdf::from_mesh(&after, &settings).unwrap(), "{name}");
            mesh = after;
        }
    }
    assert!(0 < n_less, "{n_less}");
}

#[test]
fn what_no_box_holds_is_baked_whole() {
    let mesh = &closed()[1].1;
    let nothing = Aabb { min: Vec3::splat(100.0), max: Vec3::splat(101.0) };
    let settings = BakeSettings::default().with_resolution(16).with_padding(4).with_band(2.0);
    let mut field = SdfGrid::from_mesh(mesh, &settings).unwrap();
    let before = field.clone();
    assert_eq!(field.rebake(mesh, &nothing), Ok(0));
    assert!(field == before);
    let all = field.grid().n_nodes();
    let settings = settings.with_grid(*field.grid());
    // The mesh is open now, so sides may change at each node.
    let open = moved(&open_box(), |v| v * 0.5);
    assert_eq!(field.rebake(&open, &nothing), Ok(all));
    assert!(matches!(field.sign_method(), SignMethod::Winding { .. }));
    assert!(field == SdfGrid::from_mesh(&open, &settings).unwrap());
    // The mesh is closed again.
    assert_eq!(field.rebake(&inverted(mesh), &nothing), Ok(all));
    assert!(field == before);
    // Without a band every distance may change.
    let settings = settings.with_band(f32::INFINITY);
    let mut field = SparseSdf::from_mesh(mesh, &settings).unwrap();
    let smaller = moved(mesh, |v| v * 0.5);
    field.rebake(&smaller, &nothing).unwrap();
    assert!(field == SparseSdf::from_mesh(&smaller, &settings).unwrap());
}

#[test]
fn an_error_changes_nothing() {
    let mesh = &closed()[1].1;
    let mut field =
        SdfGrid::from_mesh(mesh, &BakeSettings::default().with_resolution(8).with_band(2.0)).unwrap();
    let before = field.clone();
    let grid: Grid = *field.grid();
    assert!(field.rebake(&moved(mesh, |v| v * 10.0), &grid.aabb()).is_err());
    assert!(field == before);
}
