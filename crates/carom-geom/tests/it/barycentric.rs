//! Weights of the corners of a triangle at a point.

use carom_geom::barycentric;
use carom_testkit::random::Random;
use glam::DVec3;

#[test]
fn corners_edges_and_the_middle() {
    let t = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 2.0, 0.0)];
    for i in 0..3 {
        let mut weights = [0.0; 3];
        weights[i] = 1.0;
        assert_eq!(barycentric(&t, t[i]), Some(weights));
    }
    assert_eq!(barycentric(&t, DVec3::new(2.0, 1.0, 0.0)), Some([0.0, 0.5, 0.5]));
    assert_eq!(barycentric(&t, DVec3::new(1.0, 0.5, 0.0)), Some([0.5, 0.25, 0.25]));
    // A point beside the triangle has a weight below 0. A point above it has the weights of
    // its foot.
    assert_eq!(barycentric(&t, DVec3::new(4.0, 2.0, 0.0)), Some([-1.0, 1.0, 1.0]));
    assert_eq!(barycentric(&t, DVec3::new(1.0, 0.5, 7.0)), Some([0.5, 0.25, 0.25]));
}

#[test]
fn weights_give_the_point_at_every_size() {
    let mut random = Random::new(4);
    for k in 0..3000 {
        let size = 10_f64.powi(k % 200 - 100);
        let t: [DVec3; 3] = core::array::from_fn(|_| random.cube_point() * size);
        let [u, v] = [random.range(-1.0, 2.0), random.range(-1.0, 2.0)];
        let point = t[0] * (1.0 - u - v) + t[1] * u + t[2] * v;
        let Some(weights) = barycentric(&t, point) else { panic!("{t:?}") };
        let normal = ((t[1] - t[0]) / size).cross((t[2] - t[0]) / size).length();
        let bound = 1e-13 / (normal * normal).min(1.0);
        for (weight, expected) in weights.into_iter().zip([1.0 - u - v, u, v]) {
            assert!((weight - expected).abs() <= bound, "{t:?}: {weights:?}, {u}, {v}");
        }
    }
}

#[test]
fn a_triangle_without_area_has_no_weights() {
    let line = [DVec3::ZERO, DVec3::X, DVec3::X * 3.0];
    assert_eq!(barycentric(&line, DVec3::X), None);
    assert_eq!(barycentric(&[DVec3::ONE; 3], DVec3::ONE), None);
    let t = [DVec3::ZERO, DVec3::X, DVec3::Y];
    for bad in [DVec3::NAN, DVec3::INFINITY] {
        assert_eq!(barycentric(&t, bad), None);
        assert_eq!(barycentric(&[t[0], t[1], bad], DVec3::X), None);
    }
}
