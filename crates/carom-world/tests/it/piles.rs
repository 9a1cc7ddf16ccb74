//! Piles come to rest, and stacks stand.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, cuboid, ground, heap, stack, world_on};
use carom_broad_tree::DynamicBvh;
use carom_geom::Sphere;
use carom_math::Vec3;
use carom_query::Shape;
use carom_testkit::conform::dice::Dice;
use carom_world::{BodyDesc, World};

#[test]
fn a_stack_of_twenty_stands_still_and_sleeps() {
    let mut world = world_on::<DynamicBvh>();
    let bodies = stack(&mut world, 20);
    for _ in 0..480 {
        world.checked_step(DT).unwrap();
    }
    for (i, &body) in bodies.iter().enumerate() {
        let at = world.body(body).unwrap().position();
        let position = Vec3::new(0.0, 0.5 + i as f32, 0.0);
        // It settles by a few millimetres per contact, and leans by no more than a hundredth of its
        // height.
        assert!((at - position).length() < 0.02 * (i + 1) as f32, "box {i} at {at}");
        assert!(world.body(body).unwrap().is_sleeping(), "box {i} is awake");
    }
    // A world at rest costs nothing, and nothing moves in it.
    let hash = world.state_hash();
    let stats = *world.checked_step(DT).unwrap();
    assert_eq!((stats.n_tested, stats.solver.n_awake), (0, 0));
    assert_eq!(world.state_hash(), hash);
}

#[test]
fn a_push_wakes_the_stack() {
    let mut world = world_on::<DynamicBvh>();
    let bodies = stack(&mut world, 5);
    for _ in 0..480 {
        world.checked_step(DT).unwrap();
    }
    assert!(bodies.iter().all(|&body| world.body(body).unwrap().is_sleeping()));
    world
        .body_mut(bodies[4])
        .unwrap()
        .apply_impulse_at(Vec3::new(3.0, 0.0, 0.0), Vec3::new(0.0, 4.5, 0.0))
        .unwrap();
    world.checked_step(DT).unwrap();
    assert!(bodies.iter().all(|&body| !world.body(body).unwrap().is_sleeping()));
    // And so does taking away what it stands on.
    for _ in 0..240 {
        world.checked_step(DT).unwrap();
    }
    assert!(world.body(bodies[1]).unwrap().is_sleeping());
    world.remove(bodies[0]).unwrap();
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
    }
    assert!((world.body(bodies[1]).unwrap().position().y - 0.5).abs() < 0.02, "it fell to the ground");
}

/// Most piles sleep after 10 s, and all after 30 s: how long one takes is chance.
#[test]
fn piles_of_hundreds_come_to_rest_above_the_floor() {
    const N_PILES: u64 = 12;
    let mut n_early = 0;
    for seed in 1..=N_PILES {
        let mut world = world_on::<DynamicBvh>();
        world.insert(ground()).unwrap();
        let mut dice = Dice::new(seed);
        let mut bodies = Vec::new();
        for i in 0..300 {
            let (layer, cell) = (i / 25, i % 25);
            let at = Vec3::new(
                (cell % 5) as f32 * 1.15 - 2.3,
                1.0 + 1.2 * layer as f32,
                (cell / 5) as f32 * 1.15 - 2.3,
            );
            // Without sines, which differ from system to system.
            let axis = dice.point(0.5);
            let turn = carom_math::Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0).normalize();
            let pose = carom_math::Pose::new(turn, at + dice.point(0.05));
            bodies.push(world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_pose(pose)).unwrap());
        }
        let n_sleeping =
            |world: &World| bodies.iter().filter(|&&id| world.body(id).unwrap().is_sleeping()).count();
        for _ in 0..600 {
            world.checked_step(DT).unwrap();
        }
        n_early += usize::from(n_sleeping(&world) == bodies.len());
        for &body in &bodies {
            let motion = world.body(body).unwrap().motion();
            assert!(0.45 < motion.pose.translation.y, "pile {seed}: {:?}", motion.pose);
        }
        for _ in 0..1200 {
            world.checked_step(DT).unwrap();
        }
        assert_eq!(n_sleeping(&world), bodies.len(), "pile {seed} does not fall asleep");
    }
    println!("{n_early} of {N_PILES} piles sleep after 10 s");
    assert!(9 <= n_early, "{n_early} of {N_PILES}");
}

#[test]
fn a_heap_with_a_chain_stays_in_its_walls() {
    let mut world = world_on::<DynamicBvh>();
    let bodies = heap(&mut world, 108, 1);
    for _ in 0..400 {
        world.checked_step(DT).unwrap();
    }
    for &body in &bodies {
        let at = world.body(body).unwrap().position();
        assert!(at.x.abs() < 5.6 && at.z.abs() < 5.6 && 0.1 < at.y, "{at}");
    }
    // The chain still hangs together.
    for joint in world.joints().map(|joint| joint.data()) {
        let end = |body: u32, frame: &carom_math::Pose| {
            let id = world.body_ids().find(|id| id.index() == body).unwrap();
            world.body(id).unwrap().pose().transform_point(frame.translation)
        };
        let gap = (end(joint.body_a, &joint.frame_a) - end(joint.body_b, &joint.frame_b)).length();
        assert!(gap < 0.05, "a joint is {gap} open");
    }
}

#[test]
fn a_fast_ball_does_not_pass_through_a_thin_wall() {
    for is_fast in [false, true] {
        let mut world: World = World::new();
        *world.solver_settings_mut() = world.settings().solver.with_gravity(Vec3::ZERO);
        world.insert(BodyDesc::fixed(cuboid(Vec3::new(0.01, 5.0, 5.0)))).unwrap();
        let shape = Shape::Sphere(Sphere::new(0.05).unwrap());
        let desc = of_unit_density(shape).with_position(Vec3::new(-3.33, 0.1, 0.2)).with_ccd(is_fast);
        let body = world.insert(desc.with_linear_velocity(Vec3::new(90.0, 0.0, 0.0))).unwrap();
        for _ in 0..30 {
            world.checked_step(DT).unwrap();
        }
        let x = world.body(body).unwrap().position().x;
        assert!(x < 0.0, "fast {is_fast}: it ends at x = {x}");
    }
}
