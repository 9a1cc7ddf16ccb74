//! Contacts that are moved along with their bodies instead of being looked for again.

use crate::scenes::{DT, ball, cuboid, ground, heap, world_on};
use carom_broad::BruteForce;
use carom_broad_tree::DynamicBvh;
use carom_geom::Manifold;
use carom_math::{Pose, Quat, Vec3};
use carom_world::{BodyDesc, BodyId, World, WorldSettings};
use std::collections::BTreeMap;

/// The depth of the deepest contact of each pair.
fn depths<B: carom_broad::BroadPhase>(world: &World<B>) -> BTreeMap<(BodyId, BodyId), f32> {
    let deepest = |manifolds: &[Manifold]| {
        manifolds.iter().filter_map(Manifold::deepest).map(|c| -c.distance).fold(f32::NEG_INFINITY, f32::max)
    };
    world.contacts().map(|view| ((view.a, view.b), deepest(view.manifolds))).collect()
}

/// What is recycled is where it would be found, as deep to what the choice among many contacts allows: an eighth of the prediction.
#[test]
fn recycled_contacts_are_those_that_are_there() {
    let mut world = world_on::<DynamicBvh>();
    world.solver_settings_mut().sleep = false;
    let _ = heap(&mut world, 100, 3);
    let (mut n_recycled, mut n_tested, mut n_compared, mut most) = (0, 0, 0, 0.0_f32);
    for step in 0..400 {
        // Where the contacts of the next step are, found anew.
        let mut anew: World<BruteForce> =
            World::restored(&world.snapshot(), |id| world.shape(id).ok().cloned()).unwrap();
        anew.detect();
        assert_eq!(anew.stats().n_recycled, 0);
        let stats = world.step(DT).unwrap();
        n_recycled += stats.n_recycled;
        n_tested += stats.n_tested;
        let (kept, true_depths) = (depths(&world), depths(&anew));
        for (pair, depth) in &kept {
            // Those that are almost out of sight may be seen by one alone.
            let found = true_depths.get(pair).copied().unwrap_or(-0.02);
            if -0.015 < *depth || -0.015 < found {
                n_compared += 1;
                most = most.max((depth - found).abs());
                assert!((depth - found).abs() < 0.0025, "step {step}, {pair:?}: {depth}, found anew {found}");
            }
        }
        for (pair, depth) in &true_depths {
            assert!(*depth < -0.015 || kept.contains_key(pair), "step {step}, {pair:?}: {depth} is missed");
        }
    }
    println!("{n_recycled} recycled, {n_tested} looked at, {n_compared} compared, off by {most} at most");
    assert!(10_000 < n_recycled && 10_000 < n_compared, "{n_recycled} {n_tested}");
}

/// What is recycled goes by the shape that a body has now, also in a world that was restored, and by the body that has the number now.
#[test]
fn a_box_that_becomes_a_ball_is_looked_at_in_every_step() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let at = Vec3::new(0.0, 0.5, 0.0);
    let mut body = world.insert(BodyDesc::new(cuboid(Vec3::splat(0.5))).with_position(at)).unwrap();
    world.solver_settings_mut().sleep = false;
    let recycled = |world: &mut World<DynamicBvh>| {
        world.step(DT).unwrap();
        (0..20).map(|_| world.step(DT).unwrap().n_recycled).sum::<usize>()
    };
    assert!(15 < recycled(&mut world));
    world.set_shape(body, ball(0.5)).unwrap();
    assert_eq!(recycled(&mut world), 0);
    world = World::restored(&world.snapshot(), |id| world.shape(id).ok().cloned()).unwrap();
    assert_eq!(recycled(&mut world), 0);
    world.set_shape(body, cuboid(Vec3::splat(0.5))).unwrap();
    world = World::restored(&world.snapshot(), |id| world.shape(id).ok().cloned()).unwrap();
    assert!(15 < recycled(&mut world));
    world.remove(body).unwrap();
    body = world.insert(BodyDesc::new(ball(0.5)).with_position(at)).unwrap();
    assert_eq!((body.index(), recycled(&mut world)), (1, 0));
}

/// A box that is pushed along by a millimetre a step and a box that hangs still: only what moves is looked at again.
#[test]
fn the_way_is_summed_up() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let lasting = |at: Vec3| BodyDesc::new(cuboid(Vec3::splat(0.5))).with_position(at).with_can_sleep(false);
    world.insert(lasting(Vec3::new(0.0, 0.5, 0.0))).unwrap();
    let slides = world.insert(lasting(Vec3::new(5.0, 0.5, 0.0)).with_friction(0.0)).unwrap();
    world.set_velocity(slides, Vec3::X * 0.0003 / DT, Vec3::ZERO).unwrap();
    let tested: usize = (0..128)
        .map(|_| {
            let stats = world.step(DT).unwrap();
            assert_eq!(stats.n_tested + stats.n_recycled, 2);
            stats.n_tested
        })
        .sum();
    // The one that stands about every 64 steps; the other about every third, for 0.3 mm a step.
    assert!((34..60).contains(&tested), "{tested}");
}

/// Balls roll, sensors only report touching, fast bodies move far, and a setting of 0 recycles nothing.
#[test]
fn what_may_roll_is_looked_at_anew() {
    let mut world = World::with_settings(WorldSettings::default().with_recycling(0.0));
    let _ = heap(&mut world, 40, 4);
    assert!((0..200).all(|_| world.step(DT).unwrap().n_recycled == 0));
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    for i in 0..10 {
        let at = Vec3::new(3.0 * i as f32, 0.5, 0.0);
        let shape = if i % 2 == 0 { ball(0.5) } else { cuboid(Vec3::splat(0.5)) };
        world
            .insert(BodyDesc::new(shape).with_position(at).with_fast(i % 2 == 1).with_can_sleep(false))
            .unwrap();
    }
    let trigger = BodyDesc::fixed(cuboid(Vec3::ONE)).with_sensor(true);
    world.insert(trigger.with_position(Vec3::Y * 1.0)).unwrap();
    assert!((0..60).all(|_| world.step(DT).unwrap().n_recycled == 0));
}

/// Who is put somewhere else, however near, is looked at where it is put; and far from the origin nothing is worse.
#[test]
fn who_is_moved_by_hand_is_looked_at() {
    let far = Vec3::new(3000.0, 0.0, -5000.0);
    let mut world = world_on::<DynamicBvh>();
    world
        .insert(BodyDesc::fixed(cuboid(Vec3::new(5.0, 0.5, 5.0))).with_position(far - Vec3::Y * 0.5))
        .unwrap();
    let id = world
        .insert(
            BodyDesc::new(cuboid(Vec3::splat(0.5))).with_position(far + Vec3::Y * 0.5).with_can_sleep(false),
        )
        .unwrap();
    let mut n_recycled = 0;
    for _ in 0..300 {
        n_recycled += world.step(DT).unwrap().n_recycled;
    }
    assert!(250 < n_recycled, "{n_recycled}");
    let at = world.pose(id).unwrap();
    assert!((at.translation - far - Vec3::Y * 0.5).length() < 0.01, "{at:?}");
    let lean = Quat::from_xyzw(0.0005, 0.0, 0.0, 1.0).normalize();
    world.set_pose(id, Pose::new(lean * at.rotation, at.translation + Vec3::Y * 0.0002)).unwrap();
    assert_eq!((world.step(DT).unwrap().n_tested, world.stats().n_recycled), (1, 0));
}
