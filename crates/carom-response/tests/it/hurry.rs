//! Steps whose last substeps are fewer and longer than the first: for who runs out of time while a step is made.

use crate::scene::{DT, Scene};
use carom_math::{Pose, Quat, Vec3};
use carom_response::{Contacts, Hurry, Joint, JointKind, SolverSettings, StepStats};
use carom_testkit::conform::dice::Dice;

impl Scene {
    /// One step in which `hurry` says how the rest is made.
    fn step_in_a_hurry(&mut self, hurry: &mut Hurry<'_>) -> StepStats {
        self.find_contacts();
        let movers: Vec<u32> = (0..self.bodies.len() as u32).collect();
        let numbers: Vec<u32> = (0..self.joints.len() as u32).collect();
        let contacts = Contacts::Pairs(&self.contacts);
        let joints = (&mut self.joints[..], &numbers[..]);
        self.solver.step_awake(&mut self.bodies, &movers, &contacts, joints, DT, hurry).unwrap()
    }

    /// Boxes on each other.
    fn stack_of(n: usize) -> Scene {
        let mut settings = SolverSettings::default().with_sleep(false);
        settings.settle_braking = 0.0;
        let mut scene = Scene::with_floor(settings);
        for k in 0..n {
            let place = Vec3::new(0.0, 0.5 + k as f32, 0.0);
            scene.dynamic(Vec3::splat(0.5), 1.0, Pose::from_translation(place));
        }
        scene
    }
}

/// Some number of substeps from none to more than there are, of which most are as many as there are.
fn some(dice: &mut Dice, left: u32) -> u32 {
    if dice.one_in(3) { dice.below(left as usize + 3) as u32 } else { left }
}

#[test]
fn who_does_not_hurry_steps_as_ever() {
    let (mut as_ever, mut asked) = (Scene::stack_of(5), Scene::stack_of(5));
    let mut seen = Vec::new();
    for _ in 0..60 {
        as_ever.step();
        seen.clear();
        let stats = asked.step_in_a_hurry(&mut |left| {
            seen.push(left);
            left
        });
        assert_eq!((seen.as_slice(), stats.n_substeps), ([5, 4, 3, 2, 1].as_slice(), 6));
        assert_eq!(as_ever.bodies, asked.bodies);
    }
}

/// None is taken for one, and more than are left for all of them.
#[test]
fn the_rest_is_made_in_one_substep_at_least_and_in_as_many_as_are_left_at_most() {
    let mut scene = Scene::stack_of(2);
    assert_eq!(scene.step_in_a_hurry(&mut |_| 0).n_substeps, 2);
    assert_eq!(scene.step_in_a_hurry(&mut |_| u32::MAX).n_substeps, 6);
    assert_eq!(scene.step_in_a_hurry(&mut |left| left.min(2)).n_substeps, 3);
}

/// All the time passes: what falls is as fast as ever, what is damped within what longer substeps of the same damping give.
#[test]
fn the_whole_step_goes_by() {
    for damping in [0.0, 2.0] {
        let fall = |hurry: &mut Hurry<'_>| {
            let mut scene = Scene::new(SolverSettings::default());
            let body =
                scene.dynamic(Vec3::splat(0.5), 2.0, Pose::from_translation(Vec3::new(0.0, 100.0, 0.0)));
            scene.bodies[body].linear_damping = damping;
            scene.bodies[body].angular_damping = damping;
            scene.bodies[body].angular_velocity = Vec3::new(0.0, 3.0, 0.0);
            (0..60).for_each(|_| _ = scene.step_in_a_hurry(hurry));
            scene.bodies[body]
        };
        let mut dice = Dice::new(5);
        let (ever, hurried) = (fall(&mut |left| left), fall(&mut |left| some(&mut dice, left)));
        let (v, w) = (ever.linear_velocity.y, ever.angular_velocity.y);
        println!(
            "damping {damping}: falls at {v} and {}, turns at {w} and {}",
            hurried.linear_velocity.y, hurried.angular_velocity.y
        );
        let most = if damping == 0.0 { 1.0e-5 } else { 0.01 };
        assert!((hurried.linear_velocity.y - v).abs() <= most * v.abs());
        assert!((hurried.angular_velocity.y - w).abs() <= most * w);
        assert!((hurried.pose.translation.y - ever.pose.translation.y).abs() < 0.2);
    }
}

/// The stack stands, and the floor carries its weight in every step, however its substeps are cut.
#[test]
fn a_stack_stands_in_a_hurry() {
    let mut scene = Scene::stack_of(10);
    let mut dice = Dice::new(11);
    let (mut n_hurried, mut least, mut most): (_, f32, f32) = (0, f32::MAX, 0.0);
    for step in 0..1200 {
        let n = scene.step_in_a_hurry(&mut |left| some(&mut dice, left)).n_substeps;
        n_hurried += usize::from(n < 6);
        if 300 < step {
            let on_floor = scene.contacts.iter().position(|pair| pair.body_a == 0).unwrap();
            let carried = scene.solver.contact_impulses()[on_floor].total_normal();
            let weight = 10.0 * 9.81 * DT;
            (least, most) = (least.min(carried / weight), most.max(carried / weight));
        }
    }
    let top = scene.bodies[10];
    let fastest = scene.bodies.iter().map(|body| body.linear_velocity.length()).fold(0.0, f32::max);
    println!(
        "{n_hurried} of 1200 steps in a hurry: the floor carries {least:.4} to {most:.4} of the weight, the top is at {}, at most {fastest:.1e} m/s, deepest {:.4}",
        top.pose.translation,
        -scene.deepest()
    );
    assert!(600 < n_hurried);
    assert!(0.95 < least && most < 1.05);
    assert!((top.pose.translation - Vec3::new(0.0, 9.45, 0.0)).length() < 0.15);
    assert!(fastest < 0.02 && -0.01 < scene.deepest());
}

/// A pendulum of ten balls on joints swings no higher than it began, and holds together.
#[test]
fn a_chain_gains_nothing_by_hurry() {
    let mut scene = Scene::new(SolverSettings::default().with_sleep(false));
    scene.fixed(Vec3::splat(0.1), Pose::from_translation(Vec3::ZERO));
    for k in 0..10 {
        let at = Vec3::new(k as f32 + 0.5, 0.0, 0.0);
        scene.dynamic(Vec3::new(0.3, 0.1, 0.1), 1.0, Pose::from_translation(at));
        let kind = JointKind::Ball { cone: std::f32::consts::PI };
        let joint = Joint::at(kind, &scene.bodies, k, k + 1, Vec3::new(k as f32, 0.0, 0.0), Vec3::X);
        scene.joints.push(joint.unwrap());
    }
    let mut dice = Dice::new(3);
    let (mut highest, mut widest): (f32, f32) = (f32::MIN, 0.0);
    for _ in 0..600 {
        _ = scene.step_in_a_hurry(&mut |left| some(&mut dice, left));
        highest = highest.max(scene.energy());
        for joint in &scene.joints {
            let [a, b] = [(joint.body_a, joint.frame_a), (joint.body_b, joint.frame_b)]
                .map(|(body, frame)| scene.bodies[body as usize].pose.transform_point(frame.translation));
            widest = widest.max((a - b).length());
        }
    }
    println!(
        "ten balls on a chain in a hurry: energy at most {highest:.4} J above the start, gaps at most {widest:.4} m"
    );
    // In six substeps they are 0.048 apart.
    assert!(highest < 0.1 && widest < 0.2);
}

/// What stopped a body in a short substep is not what a long one needs: where impulses were made as much larger as the substeps became longer,
/// a heap that landed at 20 m/s flew 1600 m high.
#[test]
fn a_heap_that_lands_gains_nothing_by_hurry() {
    for substeps in [6, 60] {
        for is_always in [false, true] {
            let mut scene =
                Scene::with_floor(SolverSettings::default().with_sleep(false).with_substeps(substeps));
            let mut dice = Dice::new(7);
            for k in 0..200 {
                let at =
                    Vec3::new((k % 5) as f32 * 1.1, 1.0 + (k / 25) as f32 * 1.3, (k / 5 % 5) as f32 * 1.1);
                let pose = Pose::new(Quat::from_rotation_x(dice.range(0.0, 0.5)), at + dice.point(0.1));
                let body = scene.dynamic(Vec3::splat(0.5), 1.0, pose);
                scene.bodies[body].linear_velocity = Vec3::new(0.0, -20.0, 0.0);
            }
            let start = scene.energy();
            let mut greatest = f32::MIN;
            for _ in 0..300 {
                _ = scene.step_in_a_hurry(&mut |left| {
                    if is_always || (left == substeps / 2 && dice.one_in(4)) { 1 } else { left }
                });
                greatest = greatest.max(scene.energy());
            }
            let highest = scene.bodies.iter().map(|body| body.pose.translation.y).fold(0.0, f32::max);
            println!(
                "{substeps} substeps, always in a hurry: {is_always}; a heap that lands has {:.3} of its energy at most, {:.3} at the end; the highest is at {highest:.1}",
                greatest / start,
                scene.energy() / start
            );
            assert!(greatest < 1.001 * start && scene.energy() < 0.1 * start && highest < 10.0);
        }
    }
}
