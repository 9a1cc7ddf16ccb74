//! Gears of sliders: the coordinates follow each other, as closed forms say.

use crate::scene::{Scene, box_inertia};
use carom_math::{Pose, Vec3};
use carom_response::{Joint, JointFault, JointKind, SolverSettings};

const DT: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 9.81;
const HALF: Vec3 = Vec3::new(0.1, 0.15, 0.2);

/// A frame with two bodies on sliders along x, or on a hinge about x, and a gear of both joints.
fn pair(gravity: Vec3, frame: Option<f32>, masses: [f32; 2], kinds: [JointKind; 2], ratio: f32) -> Scene {
    let mut scene = Scene::new(SolverSettings::default().with_gravity(gravity).with_sleep(false));
    match frame {
        Some(mass) => scene.dynamic(HALF, mass, Pose::IDENTITY),
        None => scene.fixed(HALF, Pose::IDENTITY),
    };
    for k in 0..2 {
        let at = Vec3::new(0.3, 0.0, [-0.4, 0.4][k]);
        scene.dynamic(HALF, masses[k], Pose::from_translation(at));
        let joint = Joint::at(kinds[k], &scene.bodies, 0, k as u32 + 1, at, Vec3::X).unwrap();
        scene.joints.push(joint);
    }
    let gear = gear(&scene, ratio).unwrap();
    scene.joints.push(gear);
    scene
}

fn gear(scene: &Scene, ratio: f32) -> Result<Joint, JointFault> {
    let bodies = [1, 2].map(|k| [&scene.bodies[0], &scene.bodies[k]]);
    Joint::gear(JointKind::Gear { ratio }, [&scene.joints[0], &scene.joints[1]], bodies)
}

fn run(scene: &mut Scene, seconds: f32) {
    for _ in 0..(seconds / DT).round() as usize {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
    }
}

/// The coordinates of both joints.
fn coordinates(scene: &Scene) -> [f64; 2] {
    [0, 1].map(|k| {
        let (joint, a, b) = (&scene.joints[k], &scene.bodies[0], &scene.bodies[k + 1]);
        joint.translation(a, b).or(joint.angle(a, b)).unwrap()
    })
}

/// With `x1 + ratio x2 = 0` and gravity along both, `(m1 + m2 / ratio^2) a1 = (m1 - m2 / ratio) g`.
#[test]
fn two_sliders_fall_as_the_closed_form_says() {
    for masses in [[1.0, 1.0], [3.0, 1.0], [0.2, 5.0]] {
        for ratio in [1.0f32, -1.0, 0.5, -3.0] {
            let mut scene = pair(Vec3::X * GRAVITY, None, masses, [JointKind::FREE_PRISMATIC; 2], ratio);
            run(&mut scene, 0.5);
            let [one, two] = masses;
            let a1 = (one - two / ratio) * GRAVITY / (one + two / (ratio * ratio));
            let velocity = scene.bodies[1].linear_velocity.x;
            let [x1, x2] = coordinates(&scene);
            let what = format!("{masses:?}, ratio {ratio}: {velocity}, closed form {}", 0.5 * a1);
            assert!((velocity - 0.5 * a1).abs() < 0.002 * GRAVITY, "{what}");
            assert!((x1 + f64::from(ratio) * x2).abs() < 1e-4, "{what}: {x1} {x2}");
            // The gear gives body 2 what gravity does not.
            let force = scene.joints[2].load.force().x;
            let expected = two * (-a1 / ratio - GRAVITY);
            assert!((force - expected).abs() < 0.01 * GRAVITY * (one + two), "{what}: {force} {expected}");
        }
    }
}

/// A hinge first and a slider second: `(I + m / ratio^2) alpha = -m g / ratio`.
#[test]
fn a_hinge_and_a_slider_turn_as_the_closed_form_says() {
    for ratio in [2.0f32, -0.5] {
        let kinds = [JointKind::FREE_REVOLUTE, JointKind::FREE_PRISMATIC];
        let (mass, inertia) = (1.5, box_inertia(HALF, 2.0).x_axis.x);
        let mut scene = pair(Vec3::X * GRAVITY, None, [2.0, mass], kinds, ratio);
        run(&mut scene, 0.1);
        let turn = -0.1 * mass * GRAVITY / ratio / (inertia + mass / (ratio * ratio));
        let found = scene.bodies[1].angular_velocity.x;
        assert!((found - turn).abs() < 0.01 * turn.abs(), "{ratio}: {found} {turn}");
        let [angle, x] = coordinates(&scene);
        assert!((angle + f64::from(ratio) * x).abs() < 1e-4, "{ratio}: {angle} {x}");
    }
}

/// A gripper in flight: its fingers close together, and momentum is kept. A ratio that changes
/// keeps the present coordinates.
#[test]
fn the_fingers_of_a_gripper_close_together() {
    let mut scene = pair(Vec3::ZERO, Some(4.0), [0.5, 1.0], [JointKind::FREE_PRISMATIC; 2], 1.0);
    scene.bodies[1].linear_velocity = Vec3::X;
    let momentum = |scene: &Scene| -> Vec3 {
        scene.bodies.iter().map(|body| body.linear_velocity / body.inverse_mass).sum()
    };
    let start = momentum(&scene);
    run(&mut scene, 0.5);
    let [x1, x2] = coordinates(&scene);
    assert!(0.05 < x1 && (x1 + x2).abs() < 1e-3, "{x1} {x2}");
    assert!((momentum(&scene) - start).length() < 1e-5, "{} {start}", momentum(&scene));
    let Scene { joints, bodies, .. } = &mut scene;
    joints[2].set_ratio(2.0, bodies).unwrap();
    run(&mut scene, 0.5);
    let [y1, y2] = coordinates(&scene);
    assert!(0.05 < y1 - x1 && (y1 - x1 + 2.0 * (y2 - x2)).abs() < 2e-3, "{y1} {y2}");
}

#[test]
fn a_gear_of_other_joints_is_refused() {
    let mut scene = pair(Vec3::ZERO, None, [1.0; 2], [JointKind::FREE_PRISMATIC; 2], 1.0);
    scene.joints[0].kind = JointKind::Weld;
    assert_eq!(gear(&scene, 1.0), Err(JointFault::Needs("two revolute or prismatic joints")));
}
