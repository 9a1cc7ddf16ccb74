//! Contacts that are moved along with their bodies, instead of a new test.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, heap, thousand_triangles, world_on};
use carom_broad::BruteForce;
use carom_broad_tree::DynamicBvh;
use carom_geom::{Capsule, Cylinder, HalfSpace, Manifold};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Compound, CompoundPart, MeshShape, Shape};
use carom_world::{BodyDesc, BodyId, World, WorldSettings};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Half a metre thick, on its end.
fn cylinder() -> Shape {
    Shape::Cylinder(Cylinder::new(0.5, 0.5).unwrap())
}

fn capsule() -> Shape {
    Shape::Capsule(Capsule::new(0.4, 0.5).unwrap())
}

/// The depth of the deepest contact of each pair.
fn depths<B: carom_broad::BroadPhase>(world: &World<B>) -> BTreeMap<(BodyId, BodyId), f32> {
    let deepest = |manifolds: &[Manifold]| {
        manifolds.iter().filter_map(Manifold::deepest).map(|c| -c.distance).fold(f32::NEG_INFINITY, f32::max)
    };
    world.contacts().map(|view| ((view.a, view.b), deepest(view.manifolds))).collect()
}

/// The largest difference of depths, in metres: an eighth of the prediction, which the choice among
/// many contacts allows, and what a body's turn adds until its contacts are found again.
const MAX_DIFFERENCE: f32 = 0.0025 + 1e-4;

/// Recycled contacts are where a new test finds them, and as deep to within [`MAX_DIFFERENCE`].
#[test]
fn recycled_contacts_are_those_that_are_there() {
    let mut world = world_on::<DynamicBvh>();
    world.solver_settings_mut().sleep = false;
    let _ = heap(&mut world, 100, 3);
    let (mut n_recycled, mut n_tested, mut n_compared, mut most) = (0, 0, 0, 0.0_f32);
    for step in 0..400 {
        // Where the contacts of the next step are, without recycling.
        let mut anew: World<BruteForce> = crate::scenes::restored(&world.snapshot(), &world).unwrap();
        anew.detect();
        assert_eq!(anew.stats().n_recycled, 0);
        let stats = world.checked_step(DT).unwrap();
        n_recycled += stats.n_recycled;
        n_tested += stats.n_tested;
        let (kept, true_depths) = (depths(&world), depths(&anew));
        for (pair, depth) in &kept {
            // Contacts near the prediction distance may be found by one of the two only.
            let found = true_depths.get(pair).copied().unwrap_or(-0.02);
            if -0.015 < *depth || -0.015 < found {
                n_compared += 1;
                most = most.max((depth - found).abs());
                let is_near = (depth - found).abs() < MAX_DIFFERENCE;
                assert!(is_near, "step {step}, {pair:?}: {depth}, without recycling {found}");
            }
        }
        for (pair, depth) in &true_depths {
            assert!(*depth < -0.015 || kept.contains_key(pair), "step {step}, {pair:?}: {depth} is missed");
        }
    }
    println!("{n_recycled} recycled, {n_tested} tested, {n_compared} compared, off by {most} at most");
    assert!(10_000 < n_recycled && 10_000 < n_compared, "{n_recycled} {n_tested}");
}

/// Recycling depends on the present shape of a body, also in a restored world, and on the body that
/// has the number now.
#[test]
fn a_box_that_becomes_a_cylinder_is_tested_in_every_step() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let at = Vec3::new(0.0, 0.5, 0.0);
    let mut body = world.insert(BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(at)).unwrap();
    world.solver_settings_mut().sleep = false;
    let recycled = |world: &mut World<DynamicBvh>| {
        world.checked_step(DT).unwrap();
        (0..20).map(|_| world.checked_step(DT).unwrap().n_recycled).sum::<usize>()
    };
    assert!(15 < recycled(&mut world));
    world.body_mut(body).unwrap().set_shape(cylinder()).unwrap();
    assert_eq!(recycled(&mut world), 0);
    world = crate::scenes::restored(&world.snapshot(), &world).unwrap();
    assert_eq!(recycled(&mut world), 0);
    world.body_mut(body).unwrap().set_shape(cuboid(Vec3::splat(0.5))).unwrap();
    world = crate::scenes::restored(&world.snapshot(), &world).unwrap();
    assert!(15 < recycled(&mut world));
    world.remove(body).unwrap();
    body = world.insert(BodyDesc::dynamic(cylinder()).with_position(at)).unwrap();
    assert_eq!((body.index(), recycled(&mut world)), (1, 0));
}

/// A box that is pushed along by a millimetre per step, and a box that hangs still: only the moving
/// one is tested again.
#[test]
fn the_drift_is_summed_up() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let lasting =
        |at: Vec3| BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(at).with_can_sleep(false);
    world.insert(lasting(Vec3::new(0.0, 0.5, 0.0))).unwrap();
    let slides = world.insert(lasting(Vec3::new(5.0, 0.5, 0.0)).with_friction(0.0)).unwrap();
    world
        .body_mut(slides)
        .unwrap()
        .set_linear_velocity(Vec3::X * 0.0003 / DT)
        .unwrap()
        .set_angular_velocity(Vec3::ZERO)
        .unwrap();
    let tested: usize = (0..128)
        .map(|_| {
            let stats = world.checked_step(DT).unwrap();
            assert_eq!(stats.n_tested + stats.n_recycled, 2);
            stats.n_tested
        })
        .sum();
    // The one that stands about every 64 steps; the other about every third, for 0.3 mm a step.
    assert!((34..60).contains(&tested), "{tested}");
}

/// Cylinders roll, sensors only report touching, fast bodies move far, and a setting of 0 recycles
/// nothing.
#[test]
fn shapes_that_may_roll_are_tested_in_every_step() {
    let mut world = World::with_settings(WorldSettings::default().with_recycling(0.0));
    let _ = heap(&mut world, 40, 4);
    assert!((0..200).all(|_| world.checked_step(DT).unwrap().n_recycled == 0));
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    for i in 0..10 {
        let at = Vec3::new(3.0 * i as f32, 0.5, 0.0);
        let shape = if i % 2 == 0 { cylinder() } else { cuboid(Vec3::splat(0.5)) };
        world
            .insert(BodyDesc::dynamic(shape).with_position(at).with_ccd(i % 2 == 1).with_can_sleep(false))
            .unwrap();
    }
    let trigger = BodyDesc::fixed(cuboid(Vec3::ONE)).with_sensor(true);
    world.insert(trigger.with_position(Vec3::Y * 1.0)).unwrap();
    assert!((0..60).all(|_| world.checked_step(DT).unwrap().n_recycled == 0));
}

/// A compound of boxes and hulls at rest is recycled, and one with a round part is not.
#[test]
fn compounds_of_sharp_parts_are_recycled() {
    let recycled = |second: Shape| {
        let mut world = world_on::<DynamicBvh>();
        world.solver_settings_mut().sleep = false;
        world.insert(ground()).unwrap();
        let parts = [(cuboid(Vec3::splat(0.5)), -0.6), (second, 0.6)];
        let part = |(shape, x)| CompoundPart { shape, pose: Pose::from_translation(Vec3::new(x, 0.0, 0.0)) };
        let shape = Shape::Compound(Arc::new(Compound::new(parts.map(part).to_vec()).unwrap()));
        world.insert(BodyDesc::dynamic(shape).with_position(Vec3::Y * 0.5)).unwrap();
        (0..60).map(|_| world.checked_step(DT).unwrap().n_recycled).sum::<usize>()
    };
    assert!(45 < recycled(cuboid(Vec3::splat(0.5))));
    assert_eq!(recycled(ball(0.5)), 0);
}

/// A ball and a lying capsule that roll slowly keep their speed for 20 s, on one plane and on a
/// thousand triangles: a contact that turned with them would be behind them, and drive them.
#[test]
fn a_slowly_rolling_body_keeps_its_speed() {
    let on_its_side = Quat::from_rotation_x(core::f32::consts::FRAC_PI_2);
    let floors = [
        Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()),
        Shape::Mesh(Arc::new(MeshShape::new(thousand_triangles()).unwrap())),
    ];
    let mut n_recycled = 0;
    for floor in floors {
        for (shape, rotation) in [(ball(0.5), Quat::IDENTITY), (capsule(), on_its_side)] {
            for speed in [0.004, 0.01, 0.02, 0.05] {
                let mut world = world_on::<DynamicBvh>();
                world.solver_settings_mut().sleep = false;
                world.insert(BodyDesc::fixed(floor.clone())).unwrap();
                let pose = Pose::new(rotation, Vec3::new(1.0, 0.5, 0.0));
                let desc = BodyDesc::dynamic(shape.clone()).with_pose(pose);
                let body = world.insert(desc).unwrap();
                world
                    .body_mut(body)
                    .unwrap()
                    .set_linear_velocity(Vec3::X * speed)
                    .unwrap()
                    .set_angular_velocity(Vec3::NEG_Z * speed / 0.5)
                    .unwrap();
                for _ in 0..1200 {
                    n_recycled += world.checked_step(DT).unwrap().n_recycled;
                }
                let end = world.body(body).unwrap().linear_velocity();
                // Normals of a capsule on triangles lean by 1e-5.
                let most = 0.0005 + 0.005 * speed;
                assert!((end - Vec3::X * speed).length() < most, "{speed} {end}");
                let offset = world.body(body).unwrap().position() - pose.translation;
                assert!((offset.x - 20.0 * speed).abs() < 20.0 * most, "{speed} {offset}");
            }
        }
    }
    assert!(5_000 < n_recycled, "{n_recycled}");
}

/// A ball that lies a little beside the top of another ball, or of an edge, rolls off as soon as if
/// nothing were recycled.
#[test]
fn a_balanced_body_rolls_off_as_soon() {
    let edge = Quat::from_rotation_z(core::f32::consts::FRAC_PI_4);
    let stands = [(ball(0.5), Quat::IDENTITY, 0.5), (cuboid(Vec3::splat(0.5)), edge, 0.5 * 2.0_f32.sqrt())];
    for (stand, rotation, height) in stands {
        for angle in [0.001_f32, 0.004, 0.02] {
            let steps_to_fall = |recycling: f32| {
                let mut world = World::with_settings(WorldSettings::default().with_recycling(recycling));
                world.solver_settings_mut().sleep = false;
                let fixed = BodyDesc::fixed(stand.clone()).with_pose(Pose::new(rotation, Vec3::ZERO));
                world.insert(fixed).unwrap();
                let lean = Vec3::new(angle.sin(), angle.cos(), 0.0) * 0.5;
                let at = if height == 0.5 { 2.0 * lean } else { Vec3::Y * height + lean };
                let body = world.insert(BodyDesc::dynamic(ball(0.5)).with_position(at)).unwrap();
                let is_up = |world: &World| at.y - 0.1 < world.body(body).unwrap().position().y;
                (0..1000).take_while(|_| world.checked_step(DT).is_ok() && is_up(&world)).count()
            };
            let (kept, anew) = (steps_to_fall(1.0 / 1024.0), steps_to_fall(0.0));
            println!("{angle}: {kept} steps, {anew} if nothing is recycled");
            assert!(kept.abs_diff(anew) * 20 <= anew, "{angle}: {kept} {anew}");
        }
    }
}

/// A body with a new pose, however near, is tested there. Far from the origin nothing is worse.
#[test]
fn a_body_with_a_new_pose_is_tested() {
    let far = Vec3::new(3000.0, 0.0, -5000.0);
    let mut world = world_on::<DynamicBvh>();
    world
        .insert(BodyDesc::fixed(cuboid(Vec3::new(5.0, 0.5, 5.0))).with_position(far - Vec3::Y * 0.5))
        .unwrap();
    let id = world
        .insert(
            BodyDesc::dynamic(cuboid(Vec3::splat(0.5)))
                .with_position(far + Vec3::Y * 0.5)
                .with_can_sleep(false),
        )
        .unwrap();
    let mut n_recycled = 0;
    for _ in 0..300 {
        n_recycled += world.checked_step(DT).unwrap().n_recycled;
    }
    assert!(250 < n_recycled, "{n_recycled}");
    let at = world.body(id).unwrap().pose();
    assert!((at.translation - far - Vec3::Y * 0.5).length() < 0.01, "{at:?}");
    let lean = Quat::from_xyzw(0.0005, 0.0, 0.0, 1.0).normalize();
    world
        .body_mut(id)
        .unwrap()
        .set_pose(Pose::new(lean * at.rotation, at.translation + Vec3::Y * 0.0002))
        .unwrap();
    assert_eq!((world.checked_step(DT).unwrap().n_tested, world.stats().n_recycled), (1, 0));
}
