//! Real meshes, clean and dirty.

use crate::oracle::{check_bounds, samples, winding};
use carom_geom::{MeshReport, TriMesh};
use carom_scenes::Rng;
use carom_simplify::{Side, SimplifySettings, simplify};
use carom_testkit::meshes;

/// Clean meshes, then meshes with borders, doubled and flat triangles, and edges of more than two
/// triangles.
const NAMES: [&str; 12] = [
    "offset2",
    "cray_left",
    "oloid",
    "nut_big",
    "hilbert_cube",
    "fcl_env",
    "fcl_rob",
    "openscad_logo",
    "angle_block",
    "lego",
    "character",
    "openscad_nonmanifold_crash",
];

#[test]
fn bounds_hold_on_real_meshes() {
    let mut rng = Rng::new(21);
    let (mut n_closed, mut n_fewer) = (0, 0);
    for name in NAMES {
        let Some(data) = meshes::mesh(name) else { return };
        let vertices = data.vertices.iter().map(|v| v.as_vec3()).collect();
        let old = TriMesh::new(vertices, data.indices).unwrap();
        let (min, max) = old.wide_bounds();
        let max_error = 0.005 * (max - min).length();
        let report = MeshReport::new(&old);
        let is_closed = report.is_solid() && 0.0 < report.signed_volume;
        n_closed += usize::from(is_closed);
        for side in [Side::Either, Side::Outside] {
            let settings = SimplifySettings::default().with_side(side);
            let few = settings.with_max_triangles(old.n_triangles() / 5);
            if side == Side::Outside && !is_closed {
                assert!(simplify(&old, &few).is_err(), "{name}");
                continue;
            }
            let near = simplify(&old, &settings.with_max_error(max_error)).unwrap();
            assert!(near.error() <= max_error, "{name} {side:?}: {} beyond {max_error}", near.error());
            let new = simplify(&old, &few).unwrap();
            for new in [near, new] {
                check_bounds(&old, &new, 30, &mut rng);
                n_fewer += usize::from(new.mesh.n_triangles() * 2 < old.n_triangles());
                if side == Side::Outside {
                    for p in samples(&old, 30, &mut rng) {
                        assert!(
                            winding(&new.mesh, p).is_none_or(|w| 1 <= w) || winding(&old, p) == Some(0),
                            "{name}"
                        );
                    }
                }
            }
        }
    }
    assert!(6 <= n_closed && 20 <= n_fewer, "{n_closed} closed, {n_fewer} with less than half the triangles");
}
