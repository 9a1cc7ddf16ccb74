//! Hooks: contacts that the caller disables or changes, before they are solved.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground};
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_tree::DynamicBvh;
use carom_math::Vec3;
use carom_world::{
    ActiveHooks, BodyDesc, BodyId, CombineRule, ContactMut, EventKind, Hooks, MixedMaterial, PairView,
    StepOptions, World, WorldSettings,
};
use std::sync::atomic::{AtomicUsize, Ordering};

impl<B: BroadPhase> HookedStep for World<B> {
    fn step_hooked(&mut self, hooks: &dyn Hooks) {
        self.step_with(DT, StepOptions::new().with_hooks(hooks)).unwrap();
        self.validate().unwrap();
    }
}

trait HookedStep {
    /// A step with hooks, and a check after it.
    fn step_hooked(&mut self, hooks: &dyn Hooks);
}

/// Platforms hold what comes from above.
struct OneWay(Vec<BodyId>);

impl Hooks for OneWay {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        for &platform in &self.0 {
            if let Some(solid) = contact.side_with(|side| side.id == platform) {
                contact.make_one_way(solid, Vec3::Y);
            }
        }
    }
}

fn platform_world<B: BroadPhase + Default>() -> (World<B>, OneWay) {
    let mut world = World::with_broad_phase(B::default(), Default::default());
    world.insert(ground()).unwrap();
    let desc = BodyDesc::fixed(cuboid(Vec3::new(2.0, 0.1, 2.0))).with_position(Vec3::Y * 3.0);
    let platform = world.insert(desc.with_hooks(ActiveHooks::MODIFY)).unwrap();
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
        let jumper = body(Vec3::new(0.0, 1.2, 0.0)).with_linear_velocity(Vec3::Y * 9.0);
        let jumper = world.insert(jumper).unwrap();
        let faller = world.insert(body(Vec3::new(1.0, 4.5, 0.0))).unwrap();
        // Through the edge, with its middle at the height of the platform.
        let from_side = body(Vec3::new(-2.4 - half, 3.0, 0.0)).with_linear_velocity(Vec3::X * 1.0);
        let from_side = world.insert(from_side).unwrap();
        let mut highest = 0.0_f32;
        for _ in 0..180 {
            world.step_hooked(&hooks);
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
            world.insert(desc.with_linear_velocity(up).with_angular_velocity(Vec3::splat(0.5))).unwrap();
        }
        for step in 0..150 {
            if restored_at == Some(step) {
                world = crate::scenes::restored(&world.snapshot(), &world).unwrap();
            }
            world.step_hooked(&hooks);
        }
        world.state_hash()
    }
    let hash = run::<DynamicBvh>(None);
    assert_eq!(hash, run::<BruteForce>(None));
    for step in [12, 20, 31, 77] {
        assert_eq!(hash, run::<DynamicBvh>(Some(step)), "{step}");
    }
}

/// The bodies of a disabled pair pass each other, and its events are reported.
struct Ghosts;

impl Hooks for Ghosts {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        let pair = contact.pair();
        if [pair.a.user_data, pair.b.user_data] == [7, 7] {
            contact.disable();
        }
    }
}

#[test]
fn a_disabled_pair_passes_and_is_reported() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let wall = BodyDesc::fixed(cuboid(Vec3::new(0.2, 1.0, 1.0))).with_position(Vec3::Y);
    world.insert(wall.with_user_data(7).with_hooks(ActiveHooks::MODIFY)).unwrap();
    let runner = |z: f32, user_data| {
        let desc = BodyDesc::dynamic(ball(0.25)).with_position(Vec3::new(-1.0, 0.25, z));
        desc.with_linear_velocity(Vec3::X * 3.0).with_user_data(user_data)
    };
    let [ghost, other] = [runner(-0.5, 7), runner(0.5, 8)].map(|desc| world.insert(desc).unwrap());
    let mut kinds = Vec::new();
    for _ in 0..60 {
        world.step_hooked(&Ghosts);
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
        contact.set_friction(self.0);
        contact.set_restitution(0.4);
        assert_eq!(contact.restitution(), 0.4);
    }
}

#[test]
fn a_material_of_a_hook_is_one_of_the_body() {
    let run = |friction: f32, restitution: f32, hooks: &dyn Hooks| {
        let mut world = World::new();
        world.insert(ground().with_friction(friction).with_restitution(restitution)).unwrap();
        let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.4)))
            .with_position(Vec3::Y * 1.5)
            .with_hooks(ActiveHooks::MODIFY);
        let desc = desc.with_friction(friction).with_linear_velocity(Vec3::X * 4.0);
        world.insert(desc.with_restitution(restitution)).unwrap();
        (0..120).for_each(|_| world.step_hooked(hooks));
        world.state_hash()
    };
    struct None;
    impl Hooks for None {}
    assert_eq!(run(0.5, 0.0, &Ice(0.1)), run(0.1, 0.4, &None));
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        assert_eq!(run(0.5, 0.4, &Ice(bad)), run(0.5, 0.4, &None), "{bad}");
    }
}

/// Counts the calls for each pair, in its own memory.
struct Counts(AtomicUsize);

impl Hooks for Counts {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        *contact.tag() += 1;
        self.0.fetch_max(*contact.tag() as usize, Ordering::Relaxed);
    }
}

#[test]
fn memory_lasts_as_long_as_the_contact() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5);
    let body = world.insert(desc.with_hooks(ActiveHooks::MODIFY).with_can_sleep(false)).unwrap();
    let counts = Counts(AtomicUsize::new(0));
    (0..20).for_each(|_| world.step_hooked(&counts));
    assert_eq!(counts.0.load(Ordering::Relaxed), 20);
    world
        .body_mut(body)
        .unwrap()
        .set_linear_velocity(Vec3::Y * 3.0)
        .unwrap()
        .set_angular_velocity(Vec3::ZERO)
        .unwrap();
    (0..5).for_each(|_| world.step_hooked(&counts));
    counts.0.store(0, Ordering::Relaxed);
    (0..60).for_each(|_| world.step_hooked(&counts));
    let again = counts.0.load(Ordering::Relaxed);
    assert!((1..60).contains(&again), "{again}");
    // No hook is called for a body without hooks.
    world.body_mut(body).unwrap().set_hooks(ActiveHooks::empty()).unwrap();
    counts.0.store(0, Ordering::Relaxed);
    (0..5).for_each(|_| world.step_hooked(&counts));
    assert_eq!(counts.0.load(Ordering::Relaxed), 0);
}

/// Bodies with the same number do not meet.
struct Apart;

impl Hooks for Apart {
    fn filter_pair(&self, pair: &PairView<'_>) -> bool {
        pair.a.user_data != pair.b.user_data
    }
}

/// As bodies of one family, with the same bits; also bullets, which are swept, and sensors.
#[test]
fn a_filtered_pair_is_as_one_of_a_family() {
    let run = |is_filtered: bool| {
        let mut world: World = World::new();
        let mark = |desc: BodyDesc| {
            let marked = desc.with_user_data(3);
            if is_filtered { marked.with_hooks(ActiveHooks::FILTER) } else { marked.with_family(3) }
        };
        world.insert(ground()).unwrap();
        let wall = BodyDesc::fixed(cuboid(Vec3::new(0.01, 2.0, 2.0))).with_position(Vec3::Y * 2.0);
        world.insert(mark(wall)).unwrap();
        let zone = BodyDesc::fixed(ball(0.5)).with_position(Vec3::new(2.0, 1.0, 0.0)).with_sensor(true);
        let zone = world.insert(mark(zone)).unwrap();
        let bullet = |z: f32| {
            let desc = BodyDesc::dynamic(ball(0.05)).with_position(Vec3::new(-2.0, 1.0, z)).with_ccd(true);
            desc.with_linear_velocity(Vec3::X * 200.0).with_gravity_scale(0.0)
        };
        let through = world.insert(mark(bullet(0.0))).unwrap();
        let stopped = world.insert(bullet(1.0)).unwrap();
        world.insert(mark(BodyDesc::dynamic(cuboid(Vec3::splat(0.2))).with_position(Vec3::Y * 5.0))).unwrap();
        let mut told = Vec::new();
        for _ in 0..60 {
            world.step_hooked(&Apart);
            told.extend(world.events().to_vec());
        }
        let x = |id| world.body(id).unwrap().position().x;
        assert!(50.0 < x(through) && x(stopped) < 0.0, "{} {}", x(through), x(stopped));
        assert!(told.iter().all(|event| event.a != zone && event.b != zone));
        (world.state_hash(), told)
    };
    assert_eq!(run(true), run(false));
}

/// A bridge opens under a sleeping box: the event is reported, and the box wakes and falls. Closed
/// again, the bridge holds the next box.
struct Bridge(bool);

impl Hooks for Bridge {
    fn filter_pair(&self, _: &PairView<'_>) -> bool {
        self.0
    }
}

#[test]
fn a_filter_may_change_its_answer() {
    let mut world: World = World::new();
    let bridge = BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.1, 2.0))).with_hooks(ActiveHooks::FILTER);
    let bridge = world.insert(bridge).unwrap();
    let desc = || BodyDesc::dynamic(cuboid(Vec3::splat(0.3))).with_position(Vec3::Y * 0.4);
    let sleeper = world.insert(desc()).unwrap();
    (0..120).for_each(|_| world.step_hooked(&Bridge(true)));
    assert!(world.body(sleeper).unwrap().is_sleeping());
    // Hooks are not called for pairs of sleeping bodies. This one moves.
    world
        .body_mut(bridge)
        .unwrap()
        .set_linear_velocity(Vec3::X * 0.01)
        .unwrap()
        .set_angular_velocity(Vec3::ZERO)
        .unwrap();
    let mut events = Vec::new();
    for step in 0..60 {
        world.step_hooked(&Bridge(step < 2));
        events.extend(world.events().iter().map(|event| event.kind).filter(|k| *k != EventKind::Persisted));
        // Without a step no hook is called, and the decisions stay.
        world.detect();
        assert!(step < 2 || world.events().is_empty());
    }
    assert_eq!(events, [EventKind::Ended]);
    assert!(world.body(sleeper).unwrap().position().y < -2.0);
    let next = world.insert(desc()).unwrap();
    (0..60).for_each(|_| world.step_hooked(&Bridge(true)));
    assert!((world.body(next).unwrap().position().y - 0.4).abs() < 0.01);
    // Without hooks, and for a body without the flag, all pairs are tested.
    (0..30).for_each(|_| world.step_hooked(&Bridge(false)));
    assert!(world.body(next).unwrap().position().y < 0.0);
    world.body_mut(next).unwrap().set_pose(carom_math::Pose::from_translation(Vec3::Y * 0.5)).unwrap();
    world
        .body_mut(next)
        .unwrap()
        .set_linear_velocity(Vec3::ZERO)
        .unwrap()
        .set_angular_velocity(Vec3::ZERO)
        .unwrap();
    world.body_mut(bridge).unwrap().set_hooks(ActiveHooks::empty()).unwrap();
    (0..60).for_each(|_| world.step_hooked(&Bridge(false)));
    assert!((world.body(next).unwrap().position().y - 0.4).abs() < 0.01);
}

/// A material from `combine` acts as the same one from the rules does, bit for bit.
struct Mix([f32; 2]);

impl Hooks for Mix {
    fn combine(&self, pair: &PairView<'_>, mixed: &mut MixedMaterial) {
        assert!(pair.side_with(|side| side.user_data == 1).is_some());
        (mixed.friction, mixed.restitution) = (self.0[0], self.0[1]);
    }

    fn modify_contact(&self, _: &mut ContactMut<'_>) {
        panic!("called without a request");
    }
}

#[test]
fn a_combined_material_is_one_by_the_rules() {
    let run = |own: [f32; 2], hooks: &dyn Hooks| {
        let mut world: World = World::new();
        let rules = (CombineRule::Min, CombineRule::Max);
        world.insert(ground().with_friction(0.9).with_combine_rules(rules.0, rules.1)).unwrap();
        let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.4))).with_position(Vec3::Y * 1.5).with_user_data(1);
        let desc = desc.with_friction(own[0]).with_restitution(own[1]).with_hooks(ActiveHooks::COMBINE);
        let desc = desc.with_combine_rules(rules.0, rules.1);
        world.insert(desc.with_linear_velocity(Vec3::X * 4.0)).unwrap();
        (0..120).for_each(|_| world.step_hooked(hooks));
        world.state_hash()
    };
    struct None;
    impl Hooks for None {}
    assert_eq!(run([0.5, 0.0], &Mix([0.1, 0.4])), run([0.1, 0.4], &None));
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        assert_eq!(run([0.5, 0.3], &Mix([bad, bad])), run([0.5, 0.3], &None), "{bad}");
    }
}

/// All hooks on a heap in which every third body has them. Their results depend on their arguments
/// only.
struct Everything;

impl Hooks for Everything {
    fn filter_pair(&self, pair: &PairView<'_>) -> bool {
        !(pair.a.user_data + pair.b.user_data).is_multiple_of(7)
    }

    fn combine(&self, pair: &PairView<'_>, mixed: &mut MixedMaterial) {
        mixed.friction = 0.1 * (pair.b.user_data % 10) as f32;
    }

    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        *contact.tag() += 1;
        let tag = *contact.tag();
        match contact.pair().b.user_data % 6 {
            0 if tag.is_multiple_of(50) => contact.disable(),
            1 => contact.set_spring(carom_world::Spring::new(5.0, 0.5)),
            2 => contact.set_mass_scales(1.0, 4.0),
            3 => contact.set_surface_velocity(carom_world::PairSide::A, Vec3::X, Vec3::Y),
            4 => contact.points_mut().iter_mut().for_each(|point| point.set_max_normal_impulse(0.1)),
            _ => contact.points_mut().iter_mut().take(1).for_each(|point| point.remove()),
        }
    }
}

fn trace<B: BroadPhase + Default>(n_steps: usize, is_restored: bool) -> Vec<(u64, Vec<carom_world::Event>)> {
    let mut world = World::<B>::with_broad_phase(B::default(), WorldSettings::default());
    let bodies = crate::scenes::heap(&mut world, 180, 5);
    for (k, &body) in (0..).zip(&bodies) {
        world.body_mut(body).unwrap().set_user_data(k);
        if k.is_multiple_of(3) {
            world.body_mut(body).unwrap().set_hooks(ActiveHooks::all()).unwrap();
        }
    }
    let mut trace = Vec::new();
    for step in 0..n_steps {
        if is_restored && step % 13 == 7 {
            world = crate::scenes::restored(&world.snapshot(), &world).unwrap();
        }
        world.step_with(DT, StepOptions::new().with_hooks(&Everything)).unwrap();
        world.validate().unwrap();
        trace.push((world.state_hash(), world.events().to_vec()));
    }
    trace
}

#[test]
fn the_same_bits_with_any_broad_phase_and_after_any_snapshot() {
    let expected = trace::<DynamicBvh>(80, false);
    assert_eq!(expected, trace::<BruteForce>(80, false));
    assert_eq!(expected, trace::<DynamicBvh>(80, true));
}

#[cfg(feature = "parallel")]
#[test]
fn the_same_bits_on_one_two_and_five_threads() {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| trace::<DynamicBvh>(80, false))
    };
    let one = with(1);
    assert!([2, 5].iter().all(|&n| one == with(n)));
}

/// Many hooks, all of which answer with any numbers: the world stays sound, and numbers out of
/// their range count as unchanged.
struct Ugly(u64);

impl Ugly {
    fn number(&self, pair: &PairView<'_>, k: u64) -> f32 {
        const NUMBERS: [f32; 12] = [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            -1.0,
            -0.0,
            0.0,
            1e-30,
            1e-3,
            1.0,
            1e9,
            f32::MAX,
            f32::MIN,
        ];
        let height = u64::from(pair.b.body.pose.translation.y.to_bits());
        let mixed = (self.0 + 31 * k + 17 * pair.b.user_data + height).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        NUMBERS[(mixed >> 40) as usize % NUMBERS.len()]
    }
}

impl Hooks for Ugly {
    fn filter_pair(&self, pair: &PairView<'_>) -> bool {
        0.0 <= self.number(pair, 0) || pair.a.user_data == 0
    }

    fn combine(&self, pair: &PairView<'_>, mixed: &mut MixedMaterial) {
        (mixed.friction, mixed.restitution) = (self.number(pair, 1), self.number(pair, 2).min(1.0));
    }

    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        let pair = *contact.pair();
        let x = |k: u64| self.number(&pair, k);
        let v = |k: u64| Vec3::new(x(k), x(k + 1), x(k + 2));
        contact.set_friction(x(3));
        contact.set_restitution(x(4).min(1.0));
        contact.set_surface_velocity(carom_world::PairSide::B, v(5), v(8));
        if x(11) < 0.0 {
            contact.set_spring(carom_world::Spring::new(x(12), x(13)));
        }
        contact.set_mass_scales(x(14), x(15));
        contact.make_one_way(carom_world::PairSide::A, v(16));
        *contact.tag() = x(19) as u32;
        for (k, point) in (20..).step_by(3).zip(contact.points_mut()) {
            point.set_max_normal_impulse(x(k));
            point.set_distance(x(k + 1).clamp(-1.0, 1.0));
            if x(k + 2) < 0.0 {
                point.remove();
            }
        }
    }
}

#[test]
fn hooks_with_ugly_numbers_leave_a_sound_world() {
    for seed in 0..12 {
        let mut world: World = World::new();
        for (k, body) in (1..).zip(crate::scenes::heap(&mut world, 24, seed)) {
            world.body_mut(body).unwrap().set_user_data(k);
            world.body_mut(body).unwrap().set_hooks(ActiveHooks::all()).unwrap();
        }
        for step in 0..40 {
            let options = StepOptions::new();
            let hooks = Ugly(seed * 1000 + step);
            // A step may be refused if numbers leave their range; the world stays as it was.
            let before = world.state_hash();
            match world.step_with(DT, options.with_hooks(&hooks)) {
                Ok(_) => {}
                Err(_) => assert_eq!(world.state_hash(), before),
            }
            world.validate().unwrap();
            for id in world.body_ids() {
                let motion = world.body(id).unwrap().motion();
                assert!(motion.pose.is_finite() && motion.linear_velocity.is_finite(), "{seed} {step}");
            }
        }
    }
}
