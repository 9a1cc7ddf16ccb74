//! Bullets: their number is the requested one, all are in front of the wall, and no two overlap.

use carom_scenes::bullets;

#[test]
fn bullets_fly_at_the_wall_from_one_side() {
    let scene = bullets(1000, 1);
    assert_eq!(scene.n_moving(), 1000);
    assert_eq!(scene, bullets(1000, 1));
    assert_ne!(scene, bullets(1000, 2));
    let moving: Vec<_> = scene.bodies.iter().filter(|body| !body.is_fixed()).collect();
    assert!(
        moving
            .iter()
            .all(|body| body.uses_ccd && body.pose.translation.x < -0.5 && 0.4 < body.pose.translation.y)
    );
    assert!(moving.iter().all(|body| 1000.0 <= body.linear_velocity.x));
    for (i, body) in moving.iter().enumerate() {
        for other in &moving[..i] {
            let offset = (body.pose.translation - other.pose.translation).abs();
            assert!(0.1 < offset.y.max(offset.z), "{body:?} {other:?}");
        }
    }
}
