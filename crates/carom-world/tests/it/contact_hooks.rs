//! Contacts that a hook changes, against closed forms.

use crate::of_unit_density;
use crate::scenes::{DT, ball, cuboid, ground};
use carom_math::{Pose, Vec3};
use carom_world::{
    ActiveHooks, BodyDesc, BodyId, ColliderDesc, ContactMut, Hooks, MixedMaterial, PairSide, PairView,
    Spring, StepOptions, World,
};
use core::f32::consts::TAU;
use std::sync::atomic::{AtomicUsize, Ordering};

const G: f32 = 9.81;

/// Calls a closure of the test for each contact.
struct By<F>(F);

impl<F: Fn(&mut ContactMut<'_>) + Sync> Hooks for By<F> {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        (self.0)(contact);
    }
}

fn by<F: Fn(&mut ContactMut<'_>) + Sync>(change: F) -> By<F> {
    By(change)
}

fn steps(world: &mut World, hooks: &dyn Hooks, n: usize) {
    for _ in 0..n {
        world.step_with(DT, StepOptions::new().with_hooks(hooks)).unwrap();
        world.validate().unwrap();
    }
}

/// A floor whose contacts are changed, and a body on it.
fn on_floor(desc: BodyDesc) -> (World, BodyId) {
    let mut world = World::new();
    world.insert(ground().with_hooks(ActiveHooks::MODIFY)).unwrap();
    let id = world.insert(desc.with_can_sleep(false)).unwrap();
    (world, id)
}

fn y(world: &World, id: BodyId) -> f32 {
    world.body(id).unwrap().position().y
}

fn velocity(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().linear_velocity()
}

/// A body whose contacts may carry a part p of its weight accelerates at (1 - p) g. The reported
/// impulse is the bound.
#[test]
fn a_bounded_impulse_carries_a_part_of_the_weight() {
    for (name, shape, mass) in [("box", cuboid(Vec3::splat(0.5)), 1.0), ("ball", ball(0.5), TAU / 12.0)] {
        for part in [0.0, 0.25, 0.5, 0.9] {
            let (mut world, id) = on_floor(of_unit_density(shape.clone()).with_position(Vec3::Y * 0.5));
            let hooks = by(|contact: &mut ContactMut<'_>| {
                let n = contact.manifold().contacts().len() as f32;
                let bound = part * mass * G * DT / n;
                contact.points_mut().iter_mut().for_each(|point| point.set_max_normal_impulse(bound));
            });
            steps(&mut world, &hooks, 10);
            let fall = -velocity(&world, id).y / (10.0 * DT);
            assert!((fall - (1.0 - part) * G).abs() < 1e-3, "{name}, {part}: {fall}");
            let told: f32 =
                world.contacts().flat_map(|view| view.impulses).map(|impulse| impulse.total_normal()).sum();
            assert!((told - part * mass * G * DT).abs() < 1e-4, "{name}, {part}: {told}");
        }
    }
}

/// A body of any mass sinks into soft ground by g / w^2, rings at its frequency, and loses
/// amplitude by its damping ratio.
#[test]
fn soft_ground_sinks_and_rings_as_a_spring() {
    for (name, shape, half) in [
        ("ball", ball(0.5), 0.5),
        ("cube", cuboid(Vec3::splat(0.5)), 0.5),
        ("plate", cuboid(Vec3::new(1.0, 0.3, 0.8)), 0.3),
    ] {
        for (frequency, ratio) in [(2.0, 0.1), (3.0, 0.3)] {
            for density in [1.0, 300.0] {
                let omega = TAU * frequency;
                let sink = G / (omega * omega);
                // From half of the depth at rest, so it stays in contact.
                let desc = of_unit_density(shape.clone()).with_position(Vec3::Y * (half - 0.5 * sink));
                let (mut world, id) = on_floor(desc.with_density(density));
                let hooks = by(|contact: &mut ContactMut<'_>| {
                    contact.set_spring(Spring::new(frequency, ratio));
                });
                let damped = omega * (1.0_f32 - ratio * ratio).sqrt();
                let (mut worst, n) = (0.0_f32, 60);
                for step in 1..=n {
                    steps(&mut world, &hooks, 1);
                    let t = step as f32 * DT;
                    let decay = (-ratio * omega * t).exp();
                    let swing = (damped * t).cos() + ratio * omega / damped * (damped * t).sin();
                    let expected = half - sink + 0.5 * sink * decay * swing;
                    worst = worst.max((y(&world, id) - expected).abs() / sink);
                }
                println!("{name} {frequency} Hz, {ratio}, {density}: {worst} of the depth");
                assert!(worst < 0.05, "{name} {frequency} Hz, {ratio}, {density}: {worst}");
                steps(&mut world, &hooks, 400);
                let depth = half - y(&world, id);
                assert!((depth / sink - 1.0).abs() < 1e-3, "{name}: {depth}, not {sink}");
            }
        }
    }
}

/// On ground of a stiffness, a body sinks by its weight divided by it, on one point or on four. A
/// spring without stiffness changes nothing.
#[test]
fn ground_of_a_stiffness_yields_to_the_weight() {
    for (name, shape, mass) in [("cube", cuboid(Vec3::splat(0.5)), 1.0), ("ball", ball(0.5), TAU / 12.0)] {
        for (density, stiffness) in [(1.0, 200.0), (1.0, 2000.0), (50.0, 2e4), (1.0, 0.0)] {
            let weight = mass * density * G;
            let sink = if 0.0 < stiffness { weight / stiffness } else { 0.0 };
            let desc = of_unit_density(shape.clone()).with_position(Vec3::Y * 0.5);
            let (mut world, id) = on_floor(desc.with_density(density));
            let spring = Spring::from_stiffness(stiffness, (stiffness * mass * density).sqrt());
            let hooks = by(|contact: &mut ContactMut<'_>| contact.set_spring(spring));
            steps(&mut world, &hooks, 400);
            let depth = 0.5 - y(&world, id);
            assert!((depth - sink).abs() < 0.01 * sink + 1e-3, "{name}: {depth}, not {sink}");
        }
    }
}

/// Springs of any stiffness hold, and a stiff one is as a rigid contact.
#[test]
fn springs_of_any_stiffness_hold() {
    for frequency in [1.0, 30.0, 100.0, 1000.0, 1e6, 1e9] {
        for ratio in [0.0, 1.0, 1e9] {
            let desc = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.6);
            let (mut world, id) = on_floor(desc);
            let hooks = by(|contact: &mut ContactMut<'_>| contact.set_spring(Spring::new(frequency, ratio)));
            let mut highest = 0.0_f32;
            for _ in 0..300 {
                steps(&mut world, &hooks, 1);
                highest = highest.max(y(&world, id));
            }
            assert!(highest < 0.65, "{frequency} Hz, {ratio}: rose to {highest}");
            let deepest = if frequency < 2.0 { 0.5 - 2.2 * G / (TAU * TAU) } else { 0.4 };
            assert!(deepest < y(&world, id), "{frequency} Hz, {ratio}: {}", y(&world, id));
        }
    }
}

/// Two bodies with a scaled mass: the velocities after a collision are those of the scaled masses.
/// An infinite scale is not pushed.
#[test]
fn mass_scales_are_those_of_a_collision() {
    for restitution in [0.0, 1.0] {
        for [scale_a, scale_b] in [[1.0, 1.0], [1.0, 3.0], [f32::INFINITY, 1.0], [1.0, f32::INFINITY]] {
            let mut world = World::new();
            world.solver_settings_mut().gravity = Vec3::ZERO;
            let desc = |x: f32| {
                let desc = of_unit_density(ball(0.5)).with_position(Vec3::X * x).with_friction(0.0);
                desc.with_restitution(restitution).with_hooks(ActiveHooks::MODIFY)
            };
            let a = world.insert(desc(-0.7).with_linear_velocity(Vec3::X * 2.0)).unwrap();
            let b = world.insert(desc(0.7)).unwrap();
            let hooks = by(|contact: &mut ContactMut<'_>| contact.set_mass_scales(scale_a, scale_b));
            steps(&mut world, &hooks, 40);
            let [inverse_a, inverse_b] = [1.0 / scale_a, 1.0 / scale_b];
            let impulse = (1.0 + restitution) * 2.0 / (inverse_a + inverse_b);
            let expected = [2.0 - impulse * inverse_a, impulse * inverse_b];
            let found = [a, b].map(|id| velocity(&world, id).x);
            for (found, expected) in found.into_iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 0.01,
                    "{restitution} {scale_a} {scale_b}: {found:?} {expected}"
                );
            }
        }
    }
}

/// A belt by a hook is the belt of the body, with the same bits; it carries a box at its speed, and
/// a curved one carries it on a circle.
#[test]
fn surface_velocity_carries_exactly() {
    let run = |by_hook: bool| {
        let belt = if by_hook { ground() } else { ground().with_surface_velocity(Vec3::X * 1.5, Vec3::ZERO) };
        let mut world = World::new();
        world.insert(belt.with_hooks(ActiveHooks::MODIFY)).unwrap();
        let id =
            world.insert(of_unit_density(cuboid(Vec3::splat(0.3))).with_position(Vec3::Y * 0.3)).unwrap();
        let hooks = by(|contact: &mut ContactMut<'_>| {
            if by_hook {
                contact.set_surface_velocity(PairSide::A, Vec3::X * 1.5, Vec3::ZERO);
            }
        });
        steps(&mut world, &hooks, 120);
        let v = velocity(&world, id);
        assert!((v - Vec3::X * 1.5).length() < 1e-4, "{v}");
        world.state_hash()
    };
    assert_eq!(run(true), run(false));

    let (mut world, id) =
        on_floor(of_unit_density(cuboid(Vec3::splat(0.2))).with_position(Vec3::new(2.0, 0.2, 0.0)));
    let spin = Vec3::Y * 0.8;
    let hooks = by(|contact: &mut ContactMut<'_>| {
        let at = contact.manifold().contacts();
        let middle = at.iter().map(|contact| contact.middle()).sum::<Vec3>() / at.len() as f32;
        contact.set_surface_velocity(PairSide::A, spin.cross(middle), spin);
    });
    steps(&mut world, &hooks, 60);
    let radius = |world: &World| {
        let at = world.body(id).unwrap().position();
        Vec3::new(at.x, 0.0, at.z).length()
    };
    let before = radius(&world);
    steps(&mut world, &hooks, 470);
    assert!((radius(&world) - before).abs() < 0.02, "{before} {}", radius(&world));
    let speed = velocity(&world, id).length();
    assert!((speed - 0.8 * before).abs() < 0.01, "{speed}");
    let turn = world.body(id).unwrap().angular_velocity();
    assert!((turn - spin).length() < 0.01, "{turn}");
}

/// A box with the contacts of one half removed tips over that side. A ball whose contact is moved
/// apart falls, and one whose contact overlaps more is pushed out.
#[test]
fn removed_and_moved_points_count() {
    let (mut world, id) = on_floor(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5));
    let hooks = by(|contact: &mut ContactMut<'_>| {
        for point in contact.points_mut() {
            if 0.1 < point.contact().point_b.x {
                point.remove();
            }
        }
    });
    steps(&mut world, &hooks, 12);
    let body = *world.body(id).unwrap().motion();
    assert!(
        body.angular_velocity.z < -0.5 && body.angular_velocity.y.abs() < 0.01,
        "{}",
        body.angular_velocity
    );
    // The impulses are those of the points that are left.
    let mut n_pushing = 0;
    for view in world.contacts() {
        for (manifold, impulse) in view.manifolds.iter().zip(view.impulses) {
            for (contact, &normal) in manifold.contacts().iter().zip(&impulse.normal) {
                assert!(normal == 0.0 || contact.point_b.x < 0.1, "{contact:?} {normal}");
                n_pushing += usize::from(0.0 < normal);
            }
        }
    }
    assert!(0 < n_pushing);

    for (distance, falls) in [(0.3, true), (-0.02, false)] {
        let (mut world, id) = on_floor(of_unit_density(ball(0.5)).with_position(Vec3::Y * 0.5));
        let hooks = by(|contact: &mut ContactMut<'_>| {
            contact.points_mut().iter_mut().for_each(|point| point.set_distance(distance));
        });
        steps(&mut world, &hooks, 3);
        let speed = velocity(&world, id).y;
        if falls {
            assert!((speed + G * 3.0 * DT).abs() < 1e-3, "{speed}");
        } else {
            assert!(0.502 < y(&world, id), "{}", y(&world, id));
        }
    }
}

/// The tilt of a platform turns with it: `up` is in its frame.
#[test]
fn a_one_way_platform_turns() {
    let mut world: World = World::new();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let turned = carom_math::Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
    let desc = BodyDesc::fixed(cuboid(Vec3::new(2.0, 0.1, 2.0))).with_hooks(ActiveHooks::MODIFY);
    let wall = world.insert(desc.with_pose(carom_math::Pose::new(turned, Vec3::ZERO))).unwrap();
    let bullet = |x: f32, z: f32| {
        let desc = of_unit_density(ball(0.1)).with_position(Vec3::new(x, 0.0, z)).with_ccd(true);
        desc.with_linear_velocity(Vec3::X * (-60.0 * x))
    };
    // Its own y axis points along -x. Bodies from there are held.
    let held = world.insert(bullet(-1.0, 0.5)).unwrap();
    let passes = world.insert(bullet(1.0, -0.5)).unwrap();
    let hooks = by(|contact: &mut ContactMut<'_>| {
        if let Some(solid) = contact.side_with(|side| side.id == wall) {
            contact.make_one_way(solid, Vec3::Y);
        }
    });
    steps(&mut world, &hooks, 10);
    let x = |id| world.body(id).unwrap().position().x;
    assert!(x(held) < 0.0 && x(passes) < -1.0, "{} {}", x(held), x(passes));
}

/// Counts its calls for the ground, which it makes soft.
struct SoftGround(AtomicUsize);

impl Hooks for SoftGround {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
        contact.set_spring(Spring::new(1.0, 1.0));
    }

    fn combine(&self, _: &PairView<'_>, mixed: &mut MixedMaterial) {
        mixed.friction = 0.0;
    }
}

/// A box sleeps deep in a soft ground, until a slow ball reaches it. The hooks are called for its
/// contact with the ground in the step in which it wakes: the ground does not turn rigid.
#[test]
fn r_hooks_are_called_for_a_body_that_wakes_in_the_step() {
    let slab = || ColliderDesc::new(cuboid(Vec3::new(10.0, 1.0, 10.0)));
    let far = ColliderDesc::new(ball(0.5)).with_pose(Pose::from_translation(Vec3::X * 20.0));
    for ground in [BodyDesc::fixed(slab()), BodyDesc::fixed(slab()).with_collider(far)] {
        let mut world = World::new();
        let ground = ground.with_position(Vec3::NEG_Y).with_hooks(ActiveHooks::MODIFY | ActiveHooks::COMBINE);
        world.insert(ground).unwrap();
        let sleeper = BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.25);
        let sleeper = world.insert(sleeper).unwrap();
        let hooks = SoftGround(AtomicUsize::new(0));
        let step = |world: &mut World| {
            let before = hooks.0.load(Ordering::Relaxed);
            world.step_with(DT, StepOptions::new().with_hooks(&hooks)).unwrap();
            world.validate().unwrap();
            hooks.0.load(Ordering::Relaxed) - before
        };
        let sleeps = |world: &World| world.body(sleeper).unwrap().is_sleeping();
        for _ in 0..1200 {
            step(&mut world);
            if sleeps(&world) {
                break;
            }
        }
        let height = world.body(sleeper).unwrap().position().y;
        assert!(sleeps(&world) && height < 0.35, "it sleeps deep in the ground: {height}");
        step(&mut world);
        assert_eq!(step(&mut world), 0, "nothing is awake");
        let thrown = BodyDesc::dynamic(ball(0.1)).with_gravity_scale(0.0).with_restitution(0.0);
        let thrown = thrown.with_position(Vec3::new(-0.7, 0.4, 0.0)).with_linear_velocity(Vec3::X * 0.5);
        world.insert(thrown).unwrap();
        let mut n_awake = 0;
        for _ in 0..60 {
            let n_calls = step(&mut world);
            if !sleeps(&world) {
                n_awake += 1;
                assert!(0 < n_calls, "step {n_awake} after it woke");
                let speed = world.body(sleeper).unwrap().linear_velocity().y;
                assert!(speed.abs() < 0.05, "step {n_awake} after it woke: {speed}");
            }
        }
        assert!(10 < n_awake);
    }
}

/// The number that a hook stored for a pair is forgotten while no hook is called for the pair,
/// whether another body has hooks or not: a platform that was solid for a while holds what stands
/// on it.
#[test]
fn r_a_step_without_the_flag_drops_the_tag() {
    struct OneWay(BodyId);
    impl Hooks for OneWay {
        fn modify_contact(&self, contact: &mut ContactMut<'_>) {
            if let Some(solid) = contact.side_with(|side| side.id == self.0) {
                contact.make_one_way(solid, Vec3::Y);
            }
        }
    }
    for has_other in [false, true] {
        let mut world = World::new();
        let platform = BodyDesc::fixed(cuboid(Vec3::new(5.0, 0.1, 5.0))).with_hooks(ActiveHooks::MODIFY);
        let platform = world.insert(platform).unwrap();
        if has_other {
            let other = BodyDesc::fixed(ball(1.0)).with_position(Vec3::X * 50.0);
            world.insert(other.with_hooks(ActiveHooks::MODIFY)).unwrap();
        }
        let jumper = BodyDesc::dynamic(cuboid(Vec3::splat(0.3))).with_position(Vec3::NEG_Y * 0.6);
        let jumper = world.insert(jumper.with_linear_velocity(Vec3::Y * 6.0)).unwrap();
        let hooks = OneWay(platform);
        let step = |world: &mut World| {
            world.step_with(DT, StepOptions::new().with_hooks(&hooks)).unwrap();
            world.validate().unwrap();
        };
        (0..6).for_each(|_| step(&mut world));
        let height = world.body(jumper).unwrap().position().y;
        assert!(-0.2 < height && height < 0.3, "it is within the platform: {height}");
        world.body_mut(platform).unwrap().set_hooks(ActiveHooks::empty()).unwrap();
        let mut body = world.body_mut(jumper).unwrap();
        body.set_pose(Pose::from_translation(Vec3::Y * 0.4)).unwrap();
        body.set_linear_velocity(Vec3::ZERO).unwrap();
        (0..30).for_each(|_| step(&mut world));
        world.body_mut(platform).unwrap().set_hooks(ActiveHooks::MODIFY).unwrap();
        (0..60).for_each(|_| step(&mut world));
        let height = world.body(jumper).unwrap().position().y;
        assert!((height - 0.4).abs() < 0.02, "{has_other}: {height}");
    }
}
