//! Surfaces that move relative to their body.

use crate::scene::{DT, Scene};
use carom_math::{Pose, Vec3};
use carom_response::{Body, SolverError, SolverSettings, SurfaceVelocity};

/// A box on the floor.
fn scene() -> Scene {
    let mut scene = Scene::with_floor(SolverSettings::default());
    scene.dynamic(Vec3::splat(0.5), 3.0, Pose::from_translation(Vec3::Y * 0.5));
    scene.friction = 0.5;
    scene
}

/// The velocity of the floor, which is A, so the signs are flipped.
fn floor_velocity(slide: Vec3, spin: f32, rise: f32) -> SurfaceVelocity {
    let mut surface = SurfaceVelocity::new(0, Vec3::ZERO);
    (surface.slide, surface.spin, surface.part) = (-slide, -spin, [-rise; 4]);
    surface
}

fn step(scene: &mut Scene, surface: SurfaceVelocity) {
    scene.find_contacts();
    assert_eq!(scene.contacts.len(), 1);
    scene.solver.surface_velocities_mut().push(surface);
    scene.solver.step(&mut scene.bodies, &scene.contacts, &mut scene.joints, DT).unwrap();
    assert!(scene.solver.surface_velocities_mut().is_empty());
}

#[test]
fn friction_pulls_a_box_to_slide_and_spin() {
    let mut scene = scene();
    for _ in 0..120 {
        // It goes with the box, so that contacts are found.
        let mut surface = floor_velocity(Vec3::new(0.5, 7.0, 0.25), 0.5, 0.0);
        surface.point = scene.bodies[1].pose.translation - Vec3::Y * 0.5;
        step(&mut scene, surface);
    }
    let body = &scene.bodies[1];
    // The part of the belt's velocity along the normal does not count.
    assert!((body.linear_velocity - Vec3::new(0.5, 0.0, 0.25)).length() < 0.01, "{}", body.linear_velocity);
    assert!((body.angular_velocity - Vec3::Y * 0.5).length() < 0.01, "{}", body.angular_velocity);
    assert!(!body.is_sleeping);
}

/// A surface that rises takes the box along as a body that rises does.
#[test]
fn a_surface_that_rises_lifts_a_box() {
    for rise in [0.5, 3.0] {
        let mut scenes = [scene(), scene()];
        step(&mut scenes[0], floor_velocity(Vec3::ZERO, 0.0, rise));
        let floor = &mut scenes[1];
        floor.bodies[0] = Body::kinematic(floor.bodies[0].pose, Vec3::Y * rise, Vec3::ZERO);
        floor.step();
        let [own, other] = [0, 1].map(|k: usize| scenes[k].bodies[1]);
        assert!((own.linear_velocity - other.linear_velocity).length() < 1e-4 * rise);
        assert!((own.angular_velocity - other.angular_velocity).length() < 1e-3 * rise);
        assert!((own.pose.translation - other.pose.translation).length() < 1e-5);
        // A few passes over four contacts do not solve a blow exactly.
        assert!((own.linear_velocity.y - rise).abs() < 0.02 * rise, "{}", own.linear_velocity);
    }
}

/// If the surface moves away, the box falls freely.
#[test]
fn a_surface_that_sinks_holds_nothing() {
    let mut scene = scene();
    step(&mut scene, floor_velocity(Vec3::ZERO, 0.0, -3.0));
    let fallen = scene.bodies[1].linear_velocity.y;
    assert!((fallen + 9.81 * DT).abs() < 1e-4, "{fallen}");
}

#[test]
fn a_bad_list_is_refused_and_emptied() {
    let good = floor_velocity(Vec3::X, 0.0, 0.0);
    let mut beyond = good;
    beyond.contact = 1;
    let mut lists = vec![vec![beyond], vec![good, good], vec![beyond, good]];
    for k in 0..4 {
        let mut bad = good;
        let number: &mut f32 = match k {
            0 => &mut bad.point.y,
            1 => &mut bad.slide.z,
            2 => &mut bad.spin,
            _ => &mut bad.part[3],
        };
        *number = if k % 2 == 0 { f32::NAN } else { f32::INFINITY };
        lists.push(vec![bad]);
    }
    for (number, list) in lists.into_iter().enumerate() {
        let mut scene = scene();
        scene.find_contacts();
        let index = usize::from(number == 1);
        let before = scene.bodies.clone();
        *scene.solver.surface_velocities_mut() = list;
        let found = scene.solver.step(&mut scene.bodies, &scene.contacts, &mut scene.joints, DT);
        assert_eq!(found, Err(SolverError::SurfaceVelocity(index)), "{number}");
        assert_eq!(before, scene.bodies);
        assert!(scene.solver.surface_velocities_mut().is_empty());
        assert!(scene.solver.step(&mut scene.bodies, &scene.contacts, &mut scene.joints, DT).is_ok());
    }
}
