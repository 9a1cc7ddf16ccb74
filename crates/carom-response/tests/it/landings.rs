//! Jointed bodies that land: a light limb is stopped by the floor under a heavy body.

use crate::scene::{DT, Scene};
use carom_math::{Pose, Vec3};
use carom_response::{Body, Joint, JointKind, SolverSettings};

/// A torso of 12 on top of its upright arm of 1, both falling; their shoulder is between them.
/// Returns the torso.
fn drop_arm(scene: &mut Scene, at: Vec3) -> usize {
    let torso = scene.dynamic(Vec3::new(0.2, 0.2, 0.12), 12.0, Pose::from_translation(at + Vec3::Y * 0.4));
    let arm = scene.dynamic(Vec3::new(0.06, 0.17, 0.06), 1.0, Pose::from_translation(at));
    for body in [torso, arm] {
        scene.bodies[body].linear_velocity = Vec3::NEG_Y * 5.5;
    }
    let shoulder = at + Vec3::new(0.02, 0.19, 0.0);
    let joint =
        Joint::at(JointKind::FREE_SPHERICAL, &scene.bodies, torso as u32, arm as u32, shoulder, Vec3::X);
    scene.joints.push(joint.unwrap());
    torso
}

/// Steps without contacts of torso and arm.
fn step(scene: &mut Scene) {
    scene.find_contacts();
    let Scene { contacts, joints, .. } = scene;
    contacts.retain(|contact| {
        let is_same = |joint: &Joint| [contact.body_a, contact.body_b] == [joint.body_a, joint.body_b];
        !joints.iter().any(is_same)
    });
    scene.solver.step(&mut scene.bodies, &scene.contacts, &mut scene.joints, DT).unwrap();
}

/// One pass took a thirteenth of the momentum of the torso, and the shoulder opened by 19 mm.
#[test]
fn the_shoulder_of_an_arm_that_lands_stays_closed() {
    let mut scene = Scene::with_floor(SolverSettings::default().with_sleep(false));
    let torso = drop_arm(&mut scene, Vec3::Y * 0.25);
    let (mut gap, start): (f32, f32) = (0.0, scene.energy());
    for _ in 0..120 {
        step(&mut scene);
        gap = gap.max(scene.joints[0].gap(&scene.bodies[torso], &scene.bodies[torso + 1]));
        assert!(scene.energy() < 1.001 * start, "{} {start}", scene.energy());
    }
    println!("gap {gap}");
    assert!(0.0 < gap && gap < 0.005, "{gap}");
    assert!(scene.bodies[torso].linear_velocity.length() < 0.1, "{}", scene.bodies[torso].linear_velocity);
}

/// The contacts of a landing are solved more often, and share lanes with those of other bodies.
#[test]
fn a_landing_changes_no_bit_of_other_bodies() {
    let pile = || {
        let mut scene = Scene::with_floor(SolverSettings::default().with_sleep(false));
        for k in 0..9 {
            let position = Vec3::new((k % 3) as f32 * 1.02, 0.6 + (k / 3) as f32 * 1.1, 0.0);
            scene.dynamic(Vec3::splat(0.5), 1.0, Pose::from_translation(position));
        }
        scene
    };
    let (mut alone, mut both) = (pile(), pile());
    drop_arm(&mut both, Vec3::new(20.0, 0.25, 0.0));
    let n = alone.bodies.len();
    let bits = |bodies: &[Body]| -> Vec<[u32; 3]> {
        bodies.iter().map(|body| body.pose.translation.to_array().map(f32::to_bits)).collect()
    };
    for number in 0..60 {
        step(&mut alone);
        step(&mut both);
        assert_eq!(bits(&alone.bodies), bits(&both.bodies[..n]), "step {number}");
        assert_eq!(alone.bodies[..], both.bodies[..n], "step {number}");
    }
}
