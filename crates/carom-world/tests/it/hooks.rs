//! Hooks: contacts that the caller leaves out or changes, before they are solved.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground};
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_tree::DynamicBvh;
use carom_math::Vec3;
use carom_world::{BodyDesc, BodyId, ContactMut, EventKind, Hooks, StepOptions, World, WorldError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

impl<B: BroadPhase> Asked for World<B> {
    fn asked(&mut self, hooks: &dyn Hooks) {
        self.step_with(DT, &StepOptions::default().with_hooks(hooks)).unwrap();
        self.validate().unwrap();
    }
}

trait Asked {
    /// A step with hooks, and a check after it.
    fn asked(&mut self, hooks: &dyn Hooks);
}

/// Platforms hold what comes from above.
struct OneWay(Vec<BodyId>);

impl Hooks for OneWay {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        for &platform in &self.0 {
            contact.make_one_way(platform, Vec3::Y);
        }
    }
}

fn platform_world<B: BroadPhase + Default>() -> (World<B>, OneWay) {
    let mut world = World::with_broad_phase(B::default(), Default::default());
    world.insert(ground()).unwrap();
    let desc = BodyDesc::fixed(cuboid(Vec3::new(2.0, 0.1, 2.0))).with_position(Vec3::Y * 3.0);
    let platform = world.insert(desc.with_hooks(true)).unwrap();
    (world, OneWay(vec![platform]))
}

/// Whatever comes from below or from the side passes, and then stands on the platform if it falls
/// on it.
#[test]
fn a_platform_holds_what_comes_from_above() {
    for (name, shape, fast) in [
        ("ball", ball(0.3), false),
        ("cube", cuboid(Vec3::splat(0.3)), false),
        ("pole", cuboid(Vec3::new(0.1, 1.0, 0.1)), false),
        ("bullet", ball(0.02), true),
    ] {
        let (mut world, hooks) = platform_world::<DynamicBvh>();
        let half = shape.aabb(&Default::default()).max.y;
        let body = |at: Vec3| BodyDesc::dynamic(shape.clone()).with_position(at).with_ccd(fast);
        let jumper = body(Vec3::new(0.0, 1.2, 0.0)).with_velocity(Vec3::Y * 9.0, Vec3::ZERO);
        let jumper = world.insert(jumper).unwrap();
        let faller = world.insert(body(Vec3::new(1.0, 4.5, 0.0))).unwrap();
        // Through the edge, with its middle at the height of the platform.
        let from_side = body(Vec3::new(-2.4 - half, 3.0, 0.0)).with_velocity(Vec3::X * 1.0, Vec3::ZERO);
        let from_side = world.insert(from_side).unwrap();
        let mut highest = 0.0_f32;
        for _ in 0..180 {
            world.asked(&hooks);
            highest = highest.max(world.body(jumper).unwrap().position().y);
        }
        let y = |id| world.body(id).unwrap().position().y;
        let top = 3.1 + half.min(0.3);
        println!("{name}: up to {highest}, then {} and {} and {}", y(jumper), y(faller), y(from_side));
        assert!(4.4 < highest, "{name}: rose to {highest} only");
        assert!(3.1 < y(jumper) && 3.1 < y(faller), "{name}");
        if name != "pole" {
            assert!((y(jumper) - top).abs() < 0.02 && (y(faller) - top).abs() < 0.02, "{name}");
        }
        assert!(y(from_side) < 2.0, "{name}: {}", y(from_side));
        // Without hooks the platform is one for all.
        (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
        assert!(3.1 < world.body(jumper).unwrap().position().y);
    }
}

/// The same bits with any broad phase, and after a snapshot in the middle of a platform.
#[test]
fn hooks_have_the_same_bits() {
    fn run<B: BroadPhase + Default>(restored_at: Option<usize>) -> u64 {
        let (mut world, hooks) = platform_world::<B>();
        for k in 0..12 {
            let at = Vec3::new(0.3 * k as f32 - 1.8, 1.0 + 0.4 * (k % 3) as f32, 0.1 * k as f32);
            let up = Vec3::Y * (7.0 + 0.3 * k as f32);
            let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.2))).with_position(at);
            world.insert(desc.with_velocity(up, Vec3::splat(0.5))).unwrap();
        }
        for step in 0..150 {
            if restored_at == Some(step) {
                world = World::restored(&world.snapshot(), |id| {
                    world.body(id).map(|body| body.shape()).ok().cloned()
                })
                .unwrap();
            }
            world.asked(&hooks);
        }
        world.state_hash()
    }
    let hash = run::<DynamicBvh>(None);
    assert_eq!(hash, run::<BruteForce>(None));
    for step in [12, 20, 31, 77] {
        assert_eq!(hash, run::<DynamicBvh>(Some(step)), "{step}");
    }
}

/// A pair that is left out passes, and its events are told.
struct Ghosts;

impl Hooks for Ghosts {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        contact.is_enabled = contact.user_data != [7, 7];
    }
}

#[test]
fn a_pair_that_is_left_out_passes_and_is_told() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let wall = BodyDesc::fixed(cuboid(Vec3::new(0.2, 1.0, 1.0))).with_position(Vec3::Y);
    world.insert(wall.with_user_data(7).with_hooks(true)).unwrap();
    let runner = |z: f32, user_data| {
        let desc = BodyDesc::dynamic(ball(0.25)).with_position(Vec3::new(-1.0, 0.25, z));
        desc.with_velocity(Vec3::X * 3.0, Vec3::ZERO).with_user_data(user_data)
    };
    let [ghost, other] = [runner(-0.5, 7), runner(0.5, 8)].map(|desc| world.insert(desc).unwrap());
    let mut kinds = Vec::new();
    for _ in 0..60 {
        world.asked(&Ghosts);
        let own = world.events().iter().filter(|event| event.b == ghost && event.a.index() == 1);
        kinds.extend(own.map(|event| event.kind).filter(|kind| *kind != EventKind::Persisted));
    }
    let x = |id| world.body(id).unwrap().position().x;
    assert!(0.8 < x(ghost) && x(other) < -0.4, "{} {}", x(ghost), x(other));
    assert_eq!(kinds, [EventKind::Began, EventKind::Ended]);
}

/// Ice by a hook is ice by the material, with the same bits; numbers out of their range change
/// nothing.
struct Ice(f32);

impl Hooks for Ice {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        (contact.friction, contact.restitution) = (self.0, 0.4);
    }
}

#[test]
fn a_material_of_a_hook_is_one_of_the_body() {
    let run = |friction: f32, restitution: f32, hooks: &dyn Hooks| {
        let mut world = World::new();
        world.insert(ground().with_friction(friction).with_restitution(restitution)).unwrap();
        let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.4))).with_position(Vec3::Y * 1.5).with_hooks(true);
        let desc = desc.with_friction(friction).with_velocity(Vec3::X * 4.0, Vec3::ZERO);
        world.insert(desc.with_restitution(restitution)).unwrap();
        (0..120).for_each(|_| world.asked(hooks));
        world.state_hash()
    };
    struct None;
    impl Hooks for None {}
    assert_eq!(run(0.5, 0.0, &Ice(0.1)), run(0.1, 0.4, &None));
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        assert_eq!(run(0.5, 0.4, &Ice(bad)), run(0.5, 0.4, &None), "{bad}");
    }
}

/// Counts how often each pair was asked, in its own memory.
struct Counts(AtomicUsize);

impl Hooks for Counts {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        contact.memory += 1;
        self.0.fetch_max(contact.memory as usize, Ordering::Relaxed);
        assert!(contact.bodies[1].pose.translation.y < 50.0, "what the hook is there for");
    }
}

#[test]
fn memory_lasts_as_long_as_the_contact() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5);
    let body = world.insert(desc.with_hooks(true).with_can_sleep(false)).unwrap();
    let counts = Counts(AtomicUsize::new(0));
    (0..20).for_each(|_| world.asked(&counts));
    assert_eq!(counts.0.load(Ordering::Relaxed), 20);
    world.body_mut(body).unwrap().set_velocity(Vec3::Y * 3.0, Vec3::ZERO).unwrap();
    (0..5).for_each(|_| world.asked(&counts));
    counts.0.store(0, Ordering::Relaxed);
    (0..60).for_each(|_| world.asked(&counts));
    let again = counts.0.load(Ordering::Relaxed);
    assert!((1..60).contains(&again), "{again}");
    // Who has no hooks is not asked.
    world.body_mut(body).unwrap().set_hooks(false).unwrap();
    counts.0.store(0, Ordering::Relaxed);
    (0..5).for_each(|_| world.asked(&counts));
    assert_eq!(counts.0.load(Ordering::Relaxed), 0);
}

/// A hook that panics: the world goes on, as if that step had not been asked for.
#[test]
fn a_hook_that_panics_leaves_the_world_usable() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let bodies = [0.5, 1.5, 2.5].map(|y| {
        let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * y);
        world.insert(desc.with_hooks(true)).unwrap()
    });
    struct Panics;
    impl Hooks for Panics {
        fn modify_contact(&self, contact: &mut ContactMut<'_>) {
            assert!(contact.a.index() != 1, "a fault of the caller's");
        }
    }
    (0..10).for_each(|_| _ = world.checked_step(DT).unwrap());
    let before = bodies.map(|id| *world.body(id).unwrap().motion());
    let options = StepOptions::default().with_hooks(&Panics);
    assert!(catch_unwind(AssertUnwindSafe(|| world.step_with(DT, &options).map(|_| ()))).is_err());
    assert_eq!(bodies.map(|id| *world.body(id).unwrap().motion()), before);
    world.validate().unwrap();
    (0..200).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert!((world.body(bodies[2]).unwrap().position().y - 2.5).abs() < 0.02);
    let gone = bodies[1];
    world.remove(gone).unwrap();
    assert_eq!(
        world.body_mut(gone).and_then(|mut body| body.set_hooks(true).map(|_| ())),
        Err(WorldError::StaleBody(gone))
    );
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
}
