//! Numbers of removed bodies are reused: nothing of the removed bodies is left.

use crate::scenes::{CheckedStep, DT, cuboid, ground, world_on};
use carom_broad_tree::DynamicBvh;
use carom_math::Vec3;
use carom_world::{BodyDesc, BodyId, Budget, World};

fn unit_box(density: f32) -> BodyDesc {
    let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5);
    desc.with_density(density).with_can_sleep(false)
}

fn fastest(world: &mut World, id: BodyId, budget: Budget) -> f32 {
    (0..60).fold(0.0, |most, _| {
        world.checked_step_within(DT, budget).unwrap();
        world.body(id).unwrap().linear_velocity().length().max(most)
    })
}

/// Cached impulses of a heavy body threw a light one away at a kilometre per second.
#[test]
fn a_light_body_where_a_heavy_one_was_stays() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let heavy = world.insert(unit_box(1e6)).unwrap();
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    world.remove(heavy).unwrap();
    let light = world.insert(unit_box(0.001)).unwrap();
    assert_eq!(light.index(), heavy.index());
    let most = fastest(&mut world, light, Budget::Unlimited);
    assert!(most < 0.1, "{most}");
}

/// Also in a step after a refused one, and if the removed body lay on a sleeping or a suspended
/// body.
#[test]
fn nothing_is_left_of_it_by_sleeping_or_suspended_bodies() {
    for budget in [Budget::Unlimited, Budget::Steps(6)] {
        let mut world = world_on::<DynamicBvh>();
        world.insert(ground()).unwrap();
        let heavy = world.insert(unit_box(1e6).with_position(Vec3::Y * 1.5)).unwrap();
        let below: Vec<BodyId> = (0..3)
            .map(|k| world.insert(unit_box(1e6).with_position(Vec3::new(2.0 * k as f32, 0.5, 0.0))).unwrap())
            .collect();
        for _ in 0..60 {
            world.checked_step_within(DT, budget).unwrap();
        }
        world.remove(heavy).unwrap();
        let light = world.insert(unit_box(0.001).with_position(Vec3::Y * 1.5)).unwrap();
        assert!(light.index() == heavy.index() && light.index() < below[0].index());
        assert!(world.checked_step(f32::NAN).is_err());
        let most = fastest(&mut world, light, budget);
        assert!(most < 0.2, "{budget:?}: {most}");
    }
}
