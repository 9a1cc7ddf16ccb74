//! Eigenvalues and eigenvectors give the matrix back, and small values beside large ones are
//! accurate.

use carom_math::f64::symmetric_eigen;
use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), -5.0..5.0_f64, 1e-8..1e-7_f64]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn parts_make_the_matrix(
        x in value(), y in value(), z in value(),
        (i, j, k) in (-4.0..4.0_f64, -4.0..4.0_f64, -4.0..4.0_f64),
        scale in prop_oneof![Just(1.0), Just(1e-30), Just(1e30)],
    ) {
        let turn = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, i, j, k));
        let values = DVec3::new(x, y, z) * scale;
        let m = turn * DMat3::from_diagonal(values) * turn.transpose();
        let m = (m + m.transpose()) * 0.5;
        let found = symmetric_eigen(m);
        let size = values.abs().max_element();
        let mut sorted = values.to_array();
        sorted.sort_by(f64::total_cmp);
        prop_assert!((found.values - DVec3::from_array(sorted)).abs().max_element() <= 1e-14 * size);
        let v = found.vectors;
        prop_assert!((v.determinant() - 1.0).abs() < 1e-14);
        let back = v * DMat3::from_diagonal(found.values) * v.transpose() - m;
        prop_assert!(back.to_cols_array().iter().all(|e| e.abs() <= 1e-14 * size));
        let unit = v * v.transpose() - DMat3::IDENTITY;
        prop_assert!(unit.to_cols_array().iter().all(|e| e.abs() <= 1e-14));
    }

    #[test]
    fn any_symmetric_matrix_is_taken(m in prop::array::uniform6(-1e3..1e3_f64)) {
        let [a, b, c, d, e, f] = m;
        let m = DMat3::from_cols(DVec3::new(a, b, c), DVec3::new(b, d, e), DVec3::new(c, e, f));
        let found = symmetric_eigen(m);
        let back = found.vectors * DMat3::from_diagonal(found.values) * found.vectors.transpose() - m;
        prop_assert!(back.to_cols_array().iter().all(|e| e.abs() <= 1e-11));
        let single = carom_math::symmetric_eigen(m.as_mat3());
        prop_assert!((single.values.as_dvec3() - found.values).abs().max_element() <= 1e-3);
    }
}

#[test]
fn special_matrices() {
    let diagonal = symmetric_eigen(DMat3::from_diagonal(DVec3::new(3.0, -1.0, 2.0)));
    assert_eq!(diagonal.values, DVec3::new(-1.0, 2.0, 3.0));
    assert_eq!(symmetric_eigen(DMat3::ZERO).values, DVec3::ZERO);
    // Zero on the diagonal.
    let swap = DMat3::from_cols(DVec3::Y, DVec3::X, DVec3::ZERO);
    assert!((symmetric_eigen(swap).values - DVec3::new(-1.0, 0.0, 1.0)).length() < 1e-15);
    // Graded: a cubic would lose the small value.
    let graded =
        DMat3::from_cols(DVec3::new(1e20, 1e9, 0.0), DVec3::new(1e9, 1.0, 0.0), DVec3::new(0.0, 0.0, 1e-20));
    let values = symmetric_eigen(graded).values;
    assert_eq!(values.x, 1e-20);
    assert!((values.y - 0.99).abs() < 1e-12 && (values.z - 1e20).abs() < 1e6);
    assert!(symmetric_eigen(DMat3::from_diagonal(DVec3::NAN)).values.is_finite());
}
