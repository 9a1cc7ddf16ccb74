//! The nearest allowed velocity, against many samples of the cone.

use carom_character::nearest_allowed;
use carom_math::glam::DVec3;
use carom_scenes::Rng;

#[test]
fn nothing_allowed_is_nearer() {
    let mut rng = Rng::new(1);
    let (mut n_free, mut n_slid, mut n_stopped) = (0, 0, 0);
    for case in 0..3000 {
        let n_planes = 1 + case % 5;
        let mut normals: Vec<DVec3> = (0..n_planes).map(|_| rng.direction()).collect();
        if case % 7 == 0 {
            // Twice the same, and its opposite.
            normals.push(normals[0]);
            normals.push(-normals[0]);
        }
        let wish = rng.direction() * rng.range(0.1, 50.0);
        let found = nearest_allowed(wish, &normals);
        let length = wish.length();
        assert!(found.length() <= length * (1.0 + 4.0 * f64::EPSILON), "speed is gained");
        assert!(-1e-12 * length <= found.dot(wish), "against the wish");
        assert!(normals.iter().all(|n| -1e-11 * length < n.dot(found)), "into a plane");
        for _ in 0..300 {
            let other = rng.direction() * rng.range(0.0, length);
            if normals.iter().all(|n| 0.0 <= n.dot(other)) {
                let (own, others) = ((found - wish).length(), (other - wish).length());
                assert!(own <= others + 1e-9 * length, "case {case}: {own} {others}");
            }
        }
        n_free += u32::from(found == wish);
        n_stopped += u32::from(found == DVec3::ZERO);
        n_slid += u32::from(found != wish && found != DVec3::ZERO);
    }
    assert!(300 < n_free && 300 < n_slid && 100 < n_stopped, "{n_free} {n_slid} {n_stopped}");
}

#[test]
fn no_number_moves_nothing() {
    for wish in [DVec3::NAN, DVec3::new(f64::INFINITY, 0.0, 0.0)] {
        assert_eq!(nearest_allowed(wish, &[DVec3::Y]), DVec3::ZERO);
        assert_eq!(nearest_allowed(wish, &[]), DVec3::ZERO);
    }
}

/// From a real level: a capsule on an edge between three walls. A rest of the wish, left by
/// rounding, was taken for an allowed direction, so that the capsule fell for ever.
#[test]
fn what_is_left_is_more_than_rounding() {
    let corner = [
        DVec3::new(0.6425834154363792, 0.0, -0.7662157360731492),
        DVec3::new(0.23298871996930795, 0.43547817718101933, 0.8695257406001046),
        DVec3::new(0.25881904507913434, 0.0, 0.9659258262953346),
        -DVec3::X,
    ];
    assert_eq!(nearest_allowed(-DVec3::Y, &corner), DVec3::ZERO);
    let mut rng = Rng::new(2);
    let mut n_stopped = 0;
    for _ in 0..3000 {
        // Walls that nearly share a crease along the wish, and a floor.
        let wish = rng.direction();
        let across = wish.any_orthonormal_vector();
        let other = wish.cross(across);
        let mut normals: Vec<DVec3> = (0..3)
            .map(|_| {
                let (sin, cos) = rng.range(0.0, std::f64::consts::TAU).sin_cos();
                (across * sin + other * cos).normalize()
            })
            .collect();
        normals.push((-wish * 0.5 + normals[0] * rng.range(0.5, 2.0)).normalize());
        let found = nearest_allowed(wish, &normals);
        n_stopped += u32::from(found == DVec3::ZERO);
        assert!(found == DVec3::ZERO || 1e-12 < found.length(), "{found} of {wish} for {normals:?}");
    }
    assert!((100..2900).contains(&n_stopped), "{n_stopped}");
}
