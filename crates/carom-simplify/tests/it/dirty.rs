//! Meshes of any triangles are simplified, and the bounds hold.

use crate::oracle::check_bounds;
use carom_geom::{MeshReport, TriMesh};
use carom_scenes::Rng;
use carom_simplify::{Side, SimplifySettings, simplify};
use glam::Vec3;
use proptest::prelude::*;

/// Triangles over few positions, so that many share corners, overlap, or have no area.
pub(crate) fn soup() -> impl Strategy<Value = TriMesh> {
    let position = prop_oneof![
        (0..4_i8, 0..4_i8, 0..3_i8).prop_map(|(x, y, z)| Vec3::new(x.into(), y.into(), z.into())),
        (-1.0f32..1.0, -1.0f32..1.0, -1e-6f32..1e-6).prop_map(|(x, y, z)| Vec3::new(x, y, z)),
    ];
    (
        prop::collection::vec(position, 3..14),
        prop::collection::vec((0..14_u32, 0..14_u32, 0..14_u32), 1..50),
        -40..40_i32,
    )
        .prop_map(|(vertices, triangles, exponent)| {
            let n = vertices.len() as u32;
            let indices = triangles.into_iter().map(|(a, b, c)| [a % n, b % n, c % n]).collect();
            let scale = 2f32.powi(exponent);
            TriMesh::new(vertices.into_iter().map(|v| v * scale).collect(), indices).unwrap()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn any_soup(old in soup(), max_triangles in 0..20_usize, error in prop_oneof![Just(f64::INFINITY), 0.0..1.0]) {
        let (min, max) = old.wide_bounds();
        let max_error = if error.is_finite() { error * (max - min).length() } else { error };
        let settings = SimplifySettings::default().with_max_triangles(max_triangles).with_max_error(max_error);
        let new = simplify(&old, &settings).unwrap();
        check_bounds(&old, &new, 40, &mut Rng::new(9));
        prop_assert!(new.error() <= max_error, "{} beyond {max_error}", new.error());
        prop_assert!(new.mesh.n_triangles() <= old.n_triangles());
        let report = MeshReport::new(&old);
        let outside = simplify(&old, &settings.with_side(Side::Outside));
        prop_assert_eq!(outside.is_ok(), report.is_solid() && 0.0 < report.signed_volume);
    }
}

#[test]
fn far_and_thin() {
    // Slivers far from the origin, where few digits are left, and the ends of the range.
    for (offset, scale) in [(1e6, 1.0), (0.0, 1e38), (0.0, 1e-44), (1e-30, 1e-33)] {
        let mut rng = Rng::new(11);
        let vertices: Vec<Vec3> = (0..40)
            .map(|_| rng.in_ball().as_vec3() * scale * Vec3::new(1.0, 1.0, 0.001) + Vec3::splat(offset))
            .collect();
        let indices = (0..80).map(|_| [0; 3].map(|_: u32| rng.below(40) as u32)).collect();
        let old = TriMesh::new(vertices, indices).unwrap();
        let new = simplify(&old, &SimplifySettings::default()).unwrap();
        assert!(new.error().is_finite());
        check_bounds(&old, &new, 100, &mut rng);
    }
}
