//! Hooks and callbacks that panic: the world stays usable.

use crate::of_unit_density;
use crate::scenes::{DT, cuboid, ground, stack};
use carom_math::Vec3;
use carom_world::{ActiveHooks, ContactMut, Hooks, MixedMaterial, PairView, StepOptions, Substep, World};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Panics in one of the hooks, for one of the pairs.
struct Panics(ActiveHooks);

impl Panics {
    fn check(&self, hook: ActiveHooks, pair: &PairView<'_>) {
        assert!(self.0 != hook || pair.b.body_data != 77, "a fault of the caller's");
    }
}

impl Hooks for Panics {
    fn filter_pair(&self, pair: &PairView<'_>) -> bool {
        self.check(ActiveHooks::FILTER, pair);
        !pair.b.body_data.is_multiple_of(40)
    }

    fn combine(&self, pair: &PairView<'_>, mixed: &mut MixedMaterial) {
        self.check(ActiveHooks::COMBINE, pair);
        mixed.friction = 0.3;
    }

    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        self.check(ActiveHooks::MODIFY, &contact.pair().clone());
        *contact.tag() += 1;
        if *contact.tag() % 9 == 0 {
            contact.disable();
        }
    }
}

/// Columns of boxes, enough for several threads to share the pairs.
fn columns() -> World {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    for k in 0..160_u64 {
        let at = Vec3::new((k % 40) as f32 * 1.3, 0.5 + (k / 40) as f32 * 1.01, 0.0);
        let desc = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at).with_user_data(k);
        world.insert(desc.with_hooks(ActiveHooks::all())).unwrap();
    }
    world
}

/// A panic in any hook, in any step: later steps have the bits of a world without that call.
fn check_hooks() {
    let none = Panics(ActiveHooks::empty());
    for hook in [ActiveHooks::FILTER, ActiveHooks::COMBINE, ActiveHooks::MODIFY] {
        let (mut world, mut plain) = (columns(), columns());
        for step in 0..40 {
            if step % 4 == 1 || step == 0 {
                let before = world.state_hash();
                let hooks = Panics(hook);
                let call = || world.step_with(DT, StepOptions::new().with_hooks(&hooks)).map(|_| ());
                assert!(catch_unwind(AssertUnwindSafe(call)).is_err(), "{hook:?} at {step}");
                assert_eq!(world.state_hash(), before);
                world.validate().unwrap();
                assert!(
                    crate::scenes::restored::<carom_broad_tree::DynamicBvh>(&world.snapshot(), &world)
                        .is_ok()
                );
            }
            for world in [&mut world, &mut plain] {
                world.step_with(DT, StepOptions::new().with_hooks(&none)).unwrap();
                world.validate().unwrap();
            }
            assert_eq!(world.state_hash(), plain.state_hash(), "{hook:?} at {step}");
        }
    }
}

/// A panic before a substep: the step is finished without the callback, and later steps have the
/// bits of a world in which it did nothing more.
fn check_substeps() {
    let (mut world, mut plain) = (columns(), columns());
    for step in 0..20 {
        for (world, panics) in [(&mut world, true), (&mut plain, false)] {
            let mut lift = |substep: &mut Substep<'_>| {
                if 3 <= substep.index() {
                    assert!(!panics || step % 5 != 2, "a fault of the caller's");
                    if step % 5 == 2 {
                        return;
                    }
                }
                substep.for_each_active(|body| {
                    // In the world that panics, one body at a time panics too.
                    assert!(!(panics && step % 5 == 4 && body.user_data() == 0));
                    if step % 5 != 4 {
                        body.apply_force(Vec3::Y * 0.5 * body.mass());
                    }
                });
            };
            let options = StepOptions::new().with_on_substep(&mut lift);
            let is_done = catch_unwind(AssertUnwindSafe(|| world.step_with(DT, options).map(|_| ())));
            assert_eq!(is_done.is_err(), panics && matches!(step % 5, 2 | 4));
            world.validate().unwrap();
        }
        if step % 5 == 4 {
            // Bodies before the one whose hook panicked got no force either.
            assert_eq!(world.state_hash(), plain.state_hash(), "{step}");
        }
        assert_eq!(world.state_hash(), plain.state_hash(), "{step}");
    }
}

/// A panic in `for_each_active` changes nothing.
fn check_forces() {
    let (mut world, mut plain) = (columns(), columns());
    for _ in 0..5 {
        let call = || {
            world.for_each_active(|body| {
                body.apply_force(Vec3::Y);
                body.set_velocity(Vec3::ONE, Vec3::ONE);
                assert!(body.user_data() != 77, "a fault of the caller's");
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
        world.validate().unwrap();
        world.step(DT).unwrap();
        plain.step(DT).unwrap();
        assert_eq!(world.state_hash(), plain.state_hash());
    }
}

#[test]
fn on_one_thread() {
    check_hooks();
    check_substeps();
    check_forces();
}

#[cfg(feature = "parallel")]
#[test]
fn on_several_threads() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    pool.install(|| {
        check_hooks();
        check_substeps();
        check_forces();
    });
    // From outside of the pool too.
    check_hooks();
}

/// The events of boxes that part while a filter panics are not lost.
#[test]
fn events_survive_a_panic_of_a_filter() {
    let mut world: World = World::new();
    let boxes = stack(&mut world, 2);
    for (k, &id) in boxes.iter().enumerate() {
        world.body_mut(id).unwrap().set_user_data(76 + k as u64);
        world.body_mut(id).unwrap().set_hooks(ActiveHooks::FILTER).unwrap();
    }
    world.step(DT).unwrap();
    // The upper box is far away now, so its pair ends in the broad phase. A third one comes.
    world.body_mut(boxes[1]).unwrap().set_pose(carom_math::Pose::from_translation(Vec3::Y * 90.0)).unwrap();
    let third = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 1.5).with_user_data(77);
    world.insert(third.with_hooks(ActiveHooks::FILTER)).unwrap();
    let hooks = Panics(ActiveHooks::FILTER);
    let call = || world.step_with(DT, StepOptions::new().with_hooks(&hooks)).map(|_| ());
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
    world.step(DT).unwrap();
    let ended = |event: &&carom_world::Event| event.kind == carom_world::EventKind::Ended;
    assert_eq!(world.events().iter().filter(ended).count(), 1, "{:?}", world.events());
}

/// Panics in the call for a body that woke in the step. Soft things may have moved by then, and
/// bodies have not; the body stays awake, and later steps go on.
#[cfg(feature = "soft")]
#[test]
fn soft_things_go_on_after_the_hook_of_a_woken_body_panics() {
    use carom_world::{RopeSettings, SoftBodyDesc};
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Fails(AtomicBool);
    impl Hooks for Fails {
        fn modify_contact(&self, contact: &mut ContactMut<'_>) {
            // The contact with the ground is not active until the body wakes.
            let is_of_ground = contact.pair().a.id.index() == 0;
            assert!(!is_of_ground || !self.0.load(Ordering::Relaxed), "a fault of the caller's");
        }
    }
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let sleeper = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5).with_sleeping(true);
    let sleeper = world.insert(sleeper.with_hooks(ActiveHooks::MODIFY)).unwrap();
    let hit = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::new(-1.6, 0.5, 0.0));
    world.insert(hit.with_linear_velocity(Vec3::X * 3.0).with_friction(0.0)).unwrap();
    let points: Vec<Vec3> = (0..6).map(|k| Vec3::new(0.2 * k as f32, 50.0, 20.0)).collect();
    let rope = world.insert_soft_body(SoftBodyDesc::rope(&points, RopeSettings::default())).unwrap();
    let hooks = Fails(AtomicBool::new(false));
    let mut n_panics = 0;
    for step in 0..60 {
        let poses: Vec<_> = world.bodies().map(|body| body.pose()).collect();
        let height = |world: &World| world.soft_body(rope).unwrap().positions()[0].y;
        let (before, slept) = (height(&world), world.body(sleeper).unwrap().is_sleeping());
        // In the first steps its contact is new.
        hooks.0.store(slept && 2 < step, Ordering::Relaxed);
        let call = || world.step_with(DT, StepOptions::new().with_hooks(&hooks)).map(|_| ());
        if catch_unwind(AssertUnwindSafe(call)).is_err() {
            n_panics += 1;
            assert!(slept && !world.body(sleeper).unwrap().is_sleeping());
            assert!(world.bodies().map(|body| body.pose()).eq(poses), "bodies have not moved");
            assert!(height(&world) <= before);
        } else {
            assert!(height(&world) < before, "the rope falls in step {step}");
        }
        world.validate().unwrap();
    }
    assert_eq!(n_panics, 1);
    assert!(0.1 < world.body(sleeper).unwrap().position().x, "it was pushed");
}
