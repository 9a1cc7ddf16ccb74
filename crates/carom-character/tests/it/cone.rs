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
