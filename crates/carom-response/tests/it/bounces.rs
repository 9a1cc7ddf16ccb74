//! Single bounces: the motion in the rest of the step, and friction so large that nothing slides.

use crate::scene::{Scene, box_inertia};
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_response::{Body, SolverSettings, bounce};
use carom_testkit::random::Random;
use proptest::prelude::*;

const DT: f32 = 1.0 / 60.0;

proptest! {
    /// A ball falls onto a plane and goes on for the rest of the step. Without loss it ends at the
    /// mirror image of where it would be without the plane. With a restitution it ends at this part
    /// of that height.
    #[test]
    fn the_rest_of_a_step_mirrors_the_displacement_through_the_plane(
        share in 0.0f32..=1.0, down in 0.01f32..50.0, x in -20.0f32..20.0, z in -20.0f32..20.0,
        k in prop_oneof![Just(1.0f32), Just(0.0), 0.0f32..1.0], turn in [-3.0f32..3.0, -3.0..3.0, -3.0..3.0],
    ) {
        let turned = Quat::from_scaled_axis(Vec3::from(turn));
        let velocity = Vec3::new(x, -down, z);
        let height = down * DT * share;
        let after = bounce::reflect(turned * velocity, turned * Vec3::Y, k, 0.0);
        let to_plane = turned * velocity * (DT * share);
        let displacement = turned.inverse() * (to_plane + bounce::remaining_move(after, DT, share));
        let through = velocity * DT;
        let expected = Vec3::new(through.x, -height - k * (through.y + height), through.z);
        prop_assert!((displacement - expected).length() < 1e-5 * (1.0 + velocity.length()), "{} {}", displacement, expected);
    }

    #[test]
    fn no_time_is_left_after_the_step_and_no_more_than_all_of_it(
        v in [-9.0f32..9.0, -9.0..9.0, -9.0..9.0], beyond in 0.0f32..1e9,
    ) {
        let v = Vec3::from(v);
        prop_assert_eq!(bounce::remaining_move(v, DT, 1.0 + beyond), Vec3::ZERO);
        prop_assert_eq!(bounce::remaining_move(v, DT, -beyond), v * DT);
    }
}

/// With the largest friction, points that touch stop, unless that needs a pull: in closed forms and
/// in a solver. An overflow of the friction cone once gave no impulse at all.
#[test]
fn friction_without_bound_stops_what_touches() {
    let mut random = Random::new(7);
    let mut n_stops = [0; 2];
    for _ in 0..2000 {
        let mut vector = |size: f64| (random.cube_point() * size).as_vec3();
        let (velocity, spin, at, half) = (vector(8.0), vector(4.0), vector(0.5), vector(0.4).abs() + 0.1);
        let normal = vector(1.0).try_normalize().unwrap_or(Vec3::Y);
        let stopped = bounce::reflect(velocity, normal, 0.0, f32::MAX);
        let is_approach = velocity.dot(normal) < 0.0;
        assert_eq!(stopped, if is_approach { Vec3::ZERO } else { velocity });

        let wall = Body::fixed(Pose::IDENTITY);
        let mut body = Body::dynamic(Pose::IDENTITY, 2.0, Vec3::ZERO, box_inertia(half, 2.0));
        (body.linear_velocity, body.angular_velocity) = (velocity, spin);
        let before = body.velocity_at(at);
        if before.dot(normal) < -1e-3 {
            let impulse = bounce::collision_impulse(&wall, &body, at, normal, 0.0, f32::MAX);
            let stop = bounce::response_matrix(&body, at).as_dmat3().inverse() * -before.as_dvec3();
            body.apply_impulse(impulse, at);
            let after = body.velocity_at(at);
            let off = 1e-4 * (1.0 + before.length());
            // No contact pulls: if a stop needs that, the body does not approach any longer.
            let is_pull = impulse.dot(normal) < -1e-5 * impulse.length();
            assert!(!is_pull && -off < after.dot(normal), "{before} {after} {impulse}");
            let is_push = 1e-3 * stop.length() < stop.dot(normal.as_dvec3());
            assert!(!is_push || after.length() < off, "{before} {after} {impulse}");
            n_stops[usize::from(is_push)] += 1;
        }
    }
    assert!(5 < n_stops[0] && 500 < n_stops[1], "{n_stops:?}");

    let slide = |friction: f32| {
        let mut scene = Scene::with_floor(SolverSettings::default().with_sleep(false));
        scene.friction = friction;
        let block = scene.dynamic(Vec3::new(0.5, 0.1, 0.5), 2.0, Pose::from_translation(Vec3::Y * 0.101));
        // It cannot turn, so it cannot tip over.
        let mut body = Body::dynamic(scene.bodies[block].pose, 2.0, Vec3::ZERO, Mat3::ZERO);
        body.linear_velocity = Vec3::new(8.0, -1.0, 3.0);
        scene.bodies[block] = body;
        scene.run(0.5);
        (scene.bodies[block].linear_velocity.length(), scene.bodies[block].pose.translation.x)
    };
    let (speed, travel) = slide(1e6);
    assert!(speed < 1e-3 && travel < 0.2, "{speed} after {travel}");
    let (speed, travel) = slide(0.0);
    assert!(8.0 < speed && 3.9 < travel, "{speed} after {travel}");
}
