//! Fast bodies leave an impact along its normal, whatever their speed and the time of the impact
//! within the step.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid};
use carom_geom::{Capsule, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{MeshShape, Shape};
use carom_world::{
    ActiveHooks, BodyDesc, BodyId, Budget, ColliderDesc, ContactMut, EventKind, Hooks, JointDesc,
    StepOptions, World, WorldSettings,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The radius of a pool ball.
const RADIUS: f32 = 0.0286;

/// The number of places of the start within a step.
const PHASES: u32 = 5;

/// In degrees. The normal of a speculative contact is off by up to 20.
const MAX_ERROR: f32 = 1.0;

fn world() -> World {
    let mut settings = WorldSettings::default();
    settings.solver.gravity = Vec3::ZERO;
    World::with_settings(settings)
}

/// A body without friction that bounces fully.
fn elastic(shape: Shape) -> BodyDesc {
    of_unit_density(shape).with_friction(0.0).with_restitution(1.0)
}

/// A fast one.
fn shot(shape: Shape) -> BodyDesc {
    elastic(shape).with_ccd(true).with_can_sleep(false)
}

/// A fixed body without friction.
fn fixed(shape: Shape) -> BodyDesc {
    BodyDesc::fixed(shape).with_friction(0.0)
}

/// Calls `play` with speeds, and with the distance from which a body at this speed comes. The
/// distances differ by fractions of a step.
fn for_all(dt: f32, mut play: impl FnMut(f32, f32)) {
    for speed in [0.7, 1.0, 3.0, 8.0, 40.0] {
        (0..PHASES).for_each(|phase| play(speed, 0.3 + speed * dt * phase as f32 / PHASES as f32));
    }
}

/// Steps until a body that comes from `distance` has left again.
fn play(world: &mut World, speed: f32, distance: f32, dt: f32) {
    for _ in 0..(1.2 * distance / (speed * dt)) as u32 + 3 {
        world.checked_step(dt).unwrap();
    }
}

fn velocity(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().linear_velocity()
}

fn energy(world: &World) -> f64 {
    world.body_ids().map(|id| world.body(id).unwrap().kinetic_energy()).sum()
}

/// Asserts that two velocities have nearly the same direction and the same length.
fn assert_near(found: Vec3, due: Vec3, what: &str) {
    let angle = found.angle_between(due).to_degrees();
    assert!(angle < MAX_ERROR, "{what}: {found} is off by {angle} degrees from {due}");
    assert!((found.length() - due.length()).abs() < 0.03 * due.length(), "{what}: {found} for {due}");
}

/// The velocity that is reflected at a surface of this normal.
fn mirrored(v: Vec3, normal: Vec3) -> Vec3 {
    v - normal * (2.0 * v.dot(normal))
}

/// The unit vector from a ball that flies along x to one whose centre is `sine` times the sum of
/// their radii beside its path.
fn line_of_centres(sine: f32) -> Vec3 {
    Vec3::new((1.0 - sine * sine).sqrt(), 0.0, sine)
}

/// A ball hits a resting one of the same mass, the half-ball hit of billiards among others.
#[test]
fn a_ball_that_is_hit_leaves_along_the_line_of_centres() {
    for (dt, restitution) in [(DT, 1.0), (DT, 0.0), (0.25 * DT, 1.0), (0.25 * DT, 0.0)] {
        for_all(dt, |speed, distance| {
            for sine in [-0.3, 0.0, 0.5, 0.8] {
                let mut world = world();
                let desc = || shot(ball(RADIUS)).with_restitution(restitution);
                let at = Vec3::NEG_X * distance;
                let own = desc().with_position(at).with_linear_velocity(Vec3::X * speed);
                let own = world.insert(own).unwrap();
                let other = world.insert(desc().with_position(Vec3::Z * (2.0 * sine * RADIUS))).unwrap();
                let before = energy(&world);
                play(&mut world, speed, distance, dt);
                let normal = line_of_centres(sine);
                let due = normal * (0.5 * (1.0 + restitution) * normal.x * speed);
                let what = format!("{speed} m/s, sine {sine}, restitution {restitution}, dt {dt}");
                assert_near(velocity(&world, other), due, &what);
                let error = velocity(&world, own) - (Vec3::X * speed - due);
                assert!(error.length() < 0.01 * speed, "{what}: {error}");
                let sum = velocity(&world, own) + velocity(&world, other);
                assert!((sum - Vec3::X * speed).length() < 1e-5 * speed, "{what}: {sum}");
                let lost = 0.5 * f64::from(normal.x * normal.x) * f64::from(1.0 - restitution * restitution);
                let kept = energy(&world) / before;
                assert!((kept - (1.0 - lost)).abs() < 0.005, "{what}: {kept} of the energy, {lost} is lost");
                assert!(kept < 1.0 - lost + 0.01 * lost + 1e-5, "{what}: {kept} of the energy");
                for id in [own, other] {
                    let spin = world.body(id).unwrap().angular_velocity();
                    assert!(spin.length() * RADIUS < 1e-5 * speed, "{what}: {spin}");
                }
            }
        });
    }
}

/// The ball that is hit sleeps, is not fast, or both.
#[test]
fn a_sleeping_ball_leaves_along_the_line_of_centres() {
    for (is_fast, sleeps) in [(false, false), (false, true), (true, true)] {
        for_all(DT, |speed, distance| {
            let mut world = world();
            let sine = 0.5;
            let desc = elastic(ball(RADIUS)).with_ccd(is_fast).with_can_sleep(sleeps);
            let other = world.insert(desc.with_position(Vec3::Z * (2.0 * sine * RADIUS))).unwrap();
            (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
            assert_eq!(world.body(other).unwrap().is_sleeping(), sleeps);
            let own = shot(ball(RADIUS)).with_position(Vec3::NEG_X * distance);
            world.insert(own.with_linear_velocity(Vec3::X * speed)).unwrap();
            play(&mut world, speed, distance, DT);
            let normal = line_of_centres(sine);
            assert_near(velocity(&world, other), normal * (normal.x * speed), &format!("{speed} m/s"));
        });
    }
}

#[test]
fn a_ball_bounces_off_a_fixed_ball_at_the_mirror_angle() {
    for_all(DT, |speed, distance| {
        for sine in [0.0, 0.5, 0.8] {
            let mut world = world();
            world.insert(fixed(ball(0.05)).with_position(Vec3::Z * (0.1 * sine))).unwrap();
            let desc = shot(ball(0.05)).with_position(Vec3::NEG_X * distance);
            let id = world.insert(desc.with_linear_velocity(Vec3::X * speed)).unwrap();
            play(&mut world, speed, distance, DT);
            let due = mirrored(Vec3::X * speed, line_of_centres(sine));
            assert_near(velocity(&world, id), due, &format!("{speed} m/s, sine {sine}"));
        }
    });
}

/// A bat: a kinematic ball hits a ball at rest.
#[test]
fn a_ball_that_a_kinematic_ball_hits_leaves_along_the_line_of_centres() {
    for_all(DT, |speed, distance| {
        let mut world = world();
        let sine = 0.5;
        let id = world.insert(shot(ball(RADIUS)).with_position(Vec3::Z * (2.0 * sine * RADIUS))).unwrap();
        let bat = BodyDesc::kinematic(ball(RADIUS)).with_friction(0.0).with_position(Vec3::NEG_X * distance);
        world.insert(bat.with_linear_velocity(Vec3::X * speed)).unwrap();
        play(&mut world, speed, distance, DT);
        let normal = line_of_centres(sine);
        assert_near(velocity(&world, id), normal * (2.0 * normal.x * speed), &format!("{speed} m/s"));
    });
}

/// A box whose edge along y is at the origin: one collider, two, and a mesh. A ball that flies
/// along x meets the edge.
#[test]
fn a_ball_bounces_off_an_edge_at_the_mirror_angle() {
    let half = Vec3::splat(0.5);
    let corners = (0..8).map(|k| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32 - 0.5, (k >> 2) as f32));
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let mesh = TriMesh::new(corners.collect(), triangles).unwrap();
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()));
    let middle = Vec3::new(0.5, 0.0, 0.5);
    for kind in 0..3 {
        for_all(DT, |speed, distance| {
            let mut world = world();
            match kind {
                0 => _ = world.insert(fixed(cuboid(half)).with_position(middle)).unwrap(),
                1 => {
                    let beam = cuboid(Vec3::new(0.5, 0.25, 0.5));
                    let body = world.insert(fixed(beam.clone()).with_position(middle)).unwrap();
                    let other = ColliderDesc::new(beam).with_pose(Pose::from_translation(Vec3::Y * 0.5));
                    world.insert_collider(body, other).unwrap();
                }
                _ => _ = world.insert(fixed(mesh.clone())).unwrap(),
            }
            let sine = 0.6;
            // Away from the edges across the face and between the colliders.
            let at = Vec3::new(-distance, 0.1, -sine * RADIUS);
            let desc = shot(ball(RADIUS)).with_position(at).with_linear_velocity(Vec3::X * speed);
            let id = world.insert(desc).unwrap();
            play(&mut world, speed, distance, DT);
            let due = mirrored(Vec3::X * speed, line_of_centres(sine));
            assert_near(velocity(&world, id), due, &format!("kind {kind}, {speed} m/s"));
        });
    }
}

/// A ball beside the path of another one is not touched, and no contact is reported.
#[test]
fn a_ball_passes_another_one() {
    passes_in_steps(&[DT], &mut |world, dt| _ = world.checked_step(dt).unwrap());
}

/// A step that is shorter than the ones before has fewer substeps.
#[test]
fn a_ball_passes_another_one_in_steps_of_several_lengths() {
    for lengths in [[DT, 0.25 * DT], [0.25 * DT, 0.5 * DT], [DT, 0.75 * DT]] {
        passes_in_steps(&lengths, &mut |world, dt| _ = world.checked_step(dt).unwrap());
    }
}

/// A budget allows a single substep.
#[test]
fn a_ball_passes_another_one_on_a_budget() {
    for n in [1, 3, 6] {
        passes_in_steps(&[DT], &mut |world, dt| {
            while world.checked_step_within(dt, Budget::Steps(n)).unwrap().shortfall.is_deferred {}
        });
    }
}

/// Steps of these lengths in turn.
fn passes_in_steps(lengths: &[f32], step: &mut dyn FnMut(&mut World, f32)) {
    for_all(DT, |speed, distance| {
        for sine in [1.02, 1.2, 1.7] {
            let mut world = world();
            let desc = shot(ball(RADIUS)).with_position(Vec3::NEG_X * distance);
            let own = world.insert(desc.with_linear_velocity(Vec3::X * speed)).unwrap();
            world.insert(shot(ball(RADIUS)).with_position(Vec3::Z * (2.0 * sine * RADIUS))).unwrap();
            let mean = lengths.iter().sum::<f32>() / lengths.len() as f32;
            for number in 0..(2.0 * distance / (speed * mean)) as usize + 3 {
                step(&mut world, lengths[number % lengths.len()]);
                for view in world.contacts().filter(|view| view.is_touching) {
                    assert!(!view.manifolds.is_empty(), "{speed} m/s, {sine}");
                }
                let touches = world.events().iter().any(|event| event.kind == EventKind::Began);
                // The slop counts as touching at the start of a step.
                assert!(!touches || 2.0 * (sine - 1.0) * RADIUS < 0.005, "{speed} m/s, {sine}");
                let v = velocity(&world, own);
                assert!((v - Vec3::X * speed).length() < 1e-6 * speed, "{speed} m/s, {sine}: {v}");
            }
        }
    });
}

/// The velocity and the angular velocity of a spinning body after its first impact with a fixed
/// ball, from steps of this length, and the part of its energy that it kept.
fn after_spinning_impact(desc: &BodyDesc, is_fast: bool, dt: f32) -> (Vec3, Vec3, f64) {
    let mut world = world();
    world.insert(fixed(ball(RADIUS))).unwrap();
    let id = world.insert(desc.clone().with_ccd(is_fast)).unwrap();
    let (before, due) = (velocity(&world, id), energy(&world));
    for _ in 0..(2.0 / dt) as u32 {
        world.step(dt).unwrap();
        if velocity(&world, id) != before {
            break;
        }
    }
    let body = world.body(id).unwrap();
    assert_ne!(body.linear_velocity(), before);
    (body.linear_velocity(), body.angular_velocity(), energy(&world) / due)
}

/// A box and a capsule that turn, against a fixed ball, as in steps a thousandth as long.
#[test]
fn a_spinning_body_bounces_as_in_short_steps() {
    let shapes = [
        (cuboid(Vec3::splat(0.1)), Quat::from_rotation_y(0.5), Vec3::Y, Vec3::Z),
        (Shape::Capsule(Capsule::new(0.1, 0.02).unwrap()), Quat::from_rotation_z(0.3), Vec3::Z, Vec3::Y),
    ];
    for (shape, turn, axis, aside) in shapes {
        for spin in [0.0, 5.0, 15.0, 40.0] {
            for speed in [3.0, 8.0] {
                for phase in [0.0, 0.3, 0.7] {
                    let at = Vec3::X * (-0.5 - speed * DT * phase) + aside * 0.03;
                    let desc = shot(shape.clone()).with_pose(Pose::new(turn, at));
                    let desc = desc.with_linear_velocity(Vec3::X * speed).with_angular_velocity(axis * spin);
                    let (v, w, kept) = after_spinning_impact(&desc, true, DT);
                    let (due_v, due_w, _) = after_spinning_impact(&desc, false, 1e-3 * DT);
                    let error = (v - due_v).length().max(0.1 * (w - due_w).length());
                    let what =
                        format!("{:?}, {spin} rad/s, {speed} m/s, {phase}", shape.aabb(&Pose::IDENTITY));
                    assert!(error < 0.03 * (speed + 0.1 * spin), "{what}: {v} {w} for {due_v} {due_w}");
                    assert!((kept - 1.0).abs() < 1e-3, "{what}: {kept} of the energy");
                }
            }
        }
    }
}

/// The contacts after the step of the impact have its normal, and the points at the start of the
/// step.
#[test]
fn the_normal_of_an_impact_is_reported() {
    for_all(DT, |speed, distance| {
        let mut world = world();
        let sine = 0.5;
        let desc = shot(ball(RADIUS)).with_position(Vec3::NEG_X * distance).with_impulse_threshold(0.0);
        let own = world.insert(desc.with_linear_velocity(Vec3::X * speed)).unwrap();
        let other = world.insert(shot(ball(RADIUS)).with_position(Vec3::Z * (2.0 * sine * RADIUS))).unwrap();
        let normal = line_of_centres(sine);
        for _ in 0..(1.2 * distance / (speed * DT)) as u32 + 3 {
            let before = [own, other].map(|id| world.body(id).unwrap().position());
            world.checked_step(DT).unwrap();
            let Some(event) = world.impulse_events().first() else { continue };
            assert!(event.normal.angle_between(normal).to_degrees() < MAX_ERROR, "{}", event.normal);
            let approach = normal.x * speed;
            assert!((event.approach_speed - approach).abs() < 0.01 * approach, "{}", event.approach_speed);
            let view = world.contacts().next().unwrap();
            assert!(view.is_touching);
            let contact = view.manifolds[0].contacts()[0];
            for (point, center, outwards) in
                [(contact.point_a, before[0], normal), (contact.point_b, before[1], -normal)]
            {
                assert!((point - center - outwards * RADIUS).length() < 0.02 * RADIUS, "{speed} m/s");
            }
            return;
        }
        panic!("{speed} m/s: no impact");
    });
}

/// The impulse of a fast ball is reported at the point where it hits a fixed ball.
#[test]
fn the_point_of_an_impact_is_reported() {
    for_all(DT, |speed, distance| {
        let mut world = world();
        let (sine, radius) = (0.5, 0.05);
        let center = Vec3::Z * (2.0 * radius * sine);
        world.insert(fixed(ball(radius)).with_position(center)).unwrap();
        let desc = shot(ball(radius)).with_position(Vec3::NEG_X * distance).with_impulse_threshold(0.0);
        world.insert(desc.with_linear_velocity(Vec3::X * speed)).unwrap();
        let mut n_events = 0;
        for _ in 0..(1.2 * distance / (speed * DT)) as u32 + 3 {
            world.checked_step(DT).unwrap();
            for event in world.impulse_events() {
                n_events += 1;
                let due = center - line_of_centres(sine) * radius;
                assert!((event.point - due).length() < 0.02 * radius, "{speed} m/s: {}", event.point);
            }
        }
        assert!(0 < n_events, "{speed} m/s");
    });
}

/// The path of a bob on a joint is an arc. It meets a thin post beside the straight path.
#[test]
fn a_bob_does_not_pass_a_thin_post() {
    for is_rope in [false, true] {
        for start in [-0.6, -0.34, -0.17, 0.0] {
            let mut world = world();
            let hook = world.insert(fixed(ball(0.01))).unwrap();
            let turn = Quat::from_rotation_z(start);
            let bob = shot(ball(0.1)).with_position(turn * Vec3::NEG_Y);
            let bob = world.insert(bob.with_linear_velocity(turn * (Vec3::X * 20.0))).unwrap();
            let ends = JointDesc::rope(hook, bob, 1.0).with_anchors(Vec3::ZERO, turn * Vec3::NEG_Y);
            let joint = if is_rope { ends } else { JointDesc::spherical(hook, bob).with_anchor(Vec3::ZERO) };
            world.insert_joint(joint).unwrap();
            let post = fixed(Shape::Capsule(Capsule::new(0.5, 0.01).unwrap()));
            let along_z = Quat::from_rotation_x(0.5 * std::f32::consts::PI);
            let post = post.with_pose(Pose::new(along_z, Vec3::new(0.166, -0.8895, 0.0)));
            let post = world.insert(post).unwrap();
            let mut is_hit = false;
            for _ in 0..6 {
                world.checked_step(DT).unwrap();
                is_hit |= world
                    .events()
                    .iter()
                    .any(|event| event.kind == EventKind::Began && [event.a, event.b].contains(&post));
            }
            assert!(is_hit, "rope: {is_rope}, from {start}");
            let v = velocity(&world, bob);
            assert!(v.length() < 19.0 || v.x < 0.0, "rope: {is_rope}, from {start}: {v}");
        }
    }
}

/// A budget tests a pair first if its contacts were dropped. Otherwise the sweep would stop the
/// ball above the floor, and no contact would turn it.
#[test]
fn a_dropped_pair_is_not_deferred_on_a_budget() {
    let mut n_short = 0;
    for (n, phase) in [(40, 1.02), (80, 1.05), (120, 1.1), (160, 1.15), (200, 1.1), (300, 1.2)] {
        let mut world = world();
        let speed = 3.0;
        world.insert(fixed(cuboid(Vec3::new(1.0, 0.5, 1.0))).with_position(Vec3::NEG_Y * 0.5)).unwrap();
        // They move, so that their pairs are due in each step.
        for k in 0..100 {
            let at = Vec3::new(3.0 + 1.02 * (k % 10) as f32, 1.02 * (k / 10) as f32, 0.0);
            let desc = elastic(cuboid(Vec3::splat(0.5))).with_position(at).with_can_sleep(false);
            world.insert(desc.with_linear_velocity(Vec3::Z * 0.2)).unwrap();
        }
        let desc = shot(ball(RADIUS)).with_position(Vec3::Y * (RADIUS + speed * DT * (3.0 + phase)));
        let id = world.insert(desc.with_linear_velocity(Vec3::NEG_Y * speed)).unwrap();
        for _ in 0..200 {
            let before = world.body(id).unwrap().position();
            let shortfall = world.step_with_budget(DT, Budget::Steps(n)).unwrap().shortfall;
            let may_hang = shortfall.is_deferred || 0 < shortfall.n_suspended;
            n_short += usize::from(may_hang || 0 < shortfall.n_pairs);
            let hangs = world.body(id).unwrap().position() == before;
            assert!(!hangs || may_hang, "{n} steps, phase {phase}");
            if 0.0 < velocity(&world, id).y {
                break;
            }
        }
        assert_near(velocity(&world, id), Vec3::Y * speed, &format!("{n} steps, phase {phase}"));
    }
    assert!(0 < n_short);
}

/// Disables the contacts of the bodies with this user data.
struct Passing;

/// The user data of what is passed.
const PASSED: u64 = 78;

impl Hooks for Passing {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        let (a, b) = (contact.pair().a, contact.pair().b);
        let is_passed = [a.body_data, a.collider_data, b.body_data, b.collider_data].contains(&PASSED);
        if is_passed {
            contact.disable();
        }
    }
}

/// A platform that is passed, because a hook disables its contacts, is no impact. The ball behind
/// it is hit in the same step.
#[test]
fn r_a_ball_behind_a_disabled_platform_is_hit_along_the_line_of_centres() {
    for both_are_hooked in [false, true] {
        for_all(DT, |speed, distance| {
            let mut world = world();
            let sine = 0.5;
            world.insert(fixed(ball(RADIUS)).with_position(Vec3::Z * (2.0 * sine * RADIUS))).unwrap();
            let platform = fixed(cuboid(Vec3::new(0.005, 1.0, 1.0))).with_position(Vec3::NEG_X * 0.1);
            let platform = platform.with_user_data(PASSED).with_hooks(ActiveHooks::MODIFY);
            world.insert(platform).unwrap();
            let hooks = if both_are_hooked { ActiveHooks::MODIFY } else { ActiveHooks::empty() };
            let desc = shot(ball(RADIUS)).with_position(Vec3::NEG_X * distance).with_hooks(hooks);
            let id = world.insert(desc.with_linear_velocity(Vec3::X * speed)).unwrap();
            for _ in 0..(1.2 * distance / (speed * DT)) as u32 + 3 {
                world.step_with(DT, StepOptions::new().with_hooks(&Passing)).unwrap();
            }
            let due = mirrored(Vec3::X * speed, line_of_centres(sine));
            assert_near(velocity(&world, id), due, &format!("{speed} m/s, both: {both_are_hooked}"));
        });
    }
}

/// A ball lands a few millimetres beyond the seam of two tiles, and so nearly at once on both. It
/// bounces as off one tile.
#[test]
fn r_a_ball_that_lands_on_a_seam_bounces_as_off_one_tile() {
    for beyond in [0.0, 1e-4, 5e-4, 1e-3, 2e-3, 3e-3, 4e-3] {
        for (slide, order) in [(0.0, false), (2.0, false), (2.0, true), (-2.0, true)] {
            for_all(DT, |speed, distance| {
                let mut world = world();
                let sides = if order { [1.0, -1.0] } else { [-1.0, 1.0] };
                for side in sides {
                    let tile = fixed(cuboid(Vec3::new(1.0, 0.1, 1.0)));
                    world.insert(tile.with_position(Vec3::new(side, -0.1, 0.0))).unwrap();
                }
                let v = Vec3::new(slide, -speed, 0.0);
                let at = Vec3::new(beyond, 0.1, 0.0) - v * (distance / speed);
                // Farther away than a tile, it passes beside both.
                if 0.9 < at.x.abs() {
                    return;
                }
                let id = world.insert(shot(ball(0.1)).with_position(at).with_linear_velocity(v)).unwrap();
                play(&mut world, speed, distance, DT);
                let due = Vec3::new(slide, speed, 0.0);
                let found = velocity(&world, id);
                let what = format!("{speed} m/s, slide {slide}, {beyond} beyond");
                assert!((found - due).length() < 2e-3 * due.length(), "{what}: {found}");
            });
        }
    }
}

/// Counts the steps of a pair in its tag, and panics once for another pair.
#[derive(Default)]
struct Counting {
    last_tag: AtomicU32,
    panics_in: AtomicU32,
}

/// The user data of the bodies of the pair that panics.
const FRAGILE: u64 = 77;

impl Hooks for Counting {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        let (a, b) = (contact.pair().a.body_data, contact.pair().b.body_data);
        if [a, b].contains(&FRAGILE) {
            let left = self.panics_in.load(Ordering::Relaxed);
            self.panics_in.store(left.saturating_sub(1), Ordering::Relaxed);
            assert_ne!(left, 1, "a fault of the caller's");
        } else {
            *contact.tag() += 1;
            self.last_tag.store(*contact.tag(), Ordering::Relaxed);
            let is_seen = !contact.manifold().is_empty();
            assert!(is_seen || *contact.tag() == 1, "no contact after {} steps", *contact.tag());
        }
    }
}

/// The first step in which a pair has contacts is the first of its tag, even if the contacts are
/// dropped because the bodies do not meet in the step.
#[test]
fn a_hook_keeps_its_tag_until_the_impact() {
    for phase in 0..20 {
        let mut world = world();
        let speed = 3.0;
        world.insert(fixed(cuboid(Vec3::splat(0.5))).with_position(Vec3::NEG_Y * 0.5)).unwrap();
        let above = RADIUS + speed * DT * (3.0 + 0.05 * phase as f32);
        let desc = shot(ball(RADIUS)).with_position(Vec3::Y * above).with_hooks(ActiveHooks::MODIFY);
        let id = world.insert(desc.with_linear_velocity(Vec3::NEG_Y * speed)).unwrap();
        let (hooks, mut due) = (Counting::default(), 0);
        for _ in 0..5 {
            world.step_with(DT, StepOptions::new().with_hooks(&hooks)).unwrap();
            let is_near = world.contacts().any(|view| !view.manifolds.is_empty());
            due = if is_near { due + 1 } else { 0 };
            if 0 < due {
                assert_eq!(hooks.last_tag.load(Ordering::Relaxed), due, "phase {phase}");
            }
        }
        assert!(0.0 < velocity(&world, id).y);
    }
}

/// After a panic of a hook, the step has the bits that it would have had without the panic.
#[test]
fn a_step_repeated_after_a_panic_has_the_same_bits() {
    for sine in [0.5, 1.02, 1.2] {
        let both = [false, true].map(|panics| {
            let mut world = world();
            for k in 0..2 {
                let desc = elastic(cuboid(Vec3::splat(0.5))).with_hooks(ActiveHooks::MODIFY);
                let desc = desc.with_can_sleep(false).with_user_data(FRAGILE);
                world.insert(desc.with_position(Vec3::new(50.0, 1.001 * k as f32, 0.0))).unwrap();
            }
            let desc = shot(ball(RADIUS)).with_position(Vec3::NEG_X * 0.31);
            world.insert(desc.with_linear_velocity(Vec3::X * 3.0)).unwrap();
            world.insert(shot(ball(RADIUS)).with_position(Vec3::Z * (2.0 * sine * RADIUS))).unwrap();
            let mut hashes = Vec::new();
            for _ in 0..12 {
                let hooks = Counting::default();
                hooks.panics_in.store(u32::from(panics), Ordering::Relaxed);
                let mut step = || world.step_with(DT, StepOptions::new().with_hooks(&hooks)).map(|_| ());
                if panics {
                    assert!(catch_unwind(AssertUnwindSafe(&mut step)).is_err());
                }
                step().unwrap();
                hashes.push(world.state_hash());
            }
            hashes
        });
        assert_eq!(both[0], both[1], "sine {sine}");
    }
}

/// The wall of the impact of the last step is removed, and a step of no time follows. It knows
/// nothing of that impact.
#[test]
fn r_a_step_of_no_time_has_no_impact() {
    let mut world = world();
    let wall = world.insert(fixed(cuboid(Vec3::new(0.1, 5.0, 5.0)))).unwrap();
    let desc = shot(ball(0.1)).with_position(Vec3::X * -2.0).with_linear_velocity(Vec3::X * 180.0);
    let id = world.insert(desc).unwrap();
    world.checked_step(DT).unwrap();
    assert!(velocity(&world, id).x < -150.0);
    let before = world.body(id).unwrap().pose();
    world.checked_step(0.0).unwrap();
    world.remove(wall).unwrap();
    world.checked_step(0.0).unwrap();
    assert_eq!(world.body(id).unwrap().pose(), before);
}

/// Disables all contacts, or none.
struct Ghost(bool);

impl Hooks for Ghost {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        if self.0 {
            contact.disable();
        }
    }
}

/// A ball meets a wall in the step after one in which a hook disabled their contacts. It bounces
/// in that step, also if it has a collider that is off its centre, and in a restored world.
#[test]
fn r_a_pair_that_was_disabled_in_the_last_step_is_an_impact() {
    for offset in [0.0, 0.001, -0.02] {
        let mut world = world();
        world.insert(fixed(cuboid(Vec3::new(0.1, 5.0, 5.0)))).unwrap();
        let ball = ColliderDesc::new(ball(0.2)).with_pose(Pose::from_translation(Vec3::Y * offset));
        let ball = ball.with_hooks(ActiveHooks::MODIFY);
        let desc = BodyDesc::dynamic(ball).with_friction(0.0).with_restitution(1.0).with_ccd(true);
        let desc = desc.with_position(Vec3::X * -1.31);
        let id = world.insert(desc.with_linear_velocity(Vec3::X * 60.0)).unwrap();
        let step = |world: &mut World, is_ghost: bool| {
            world.step_with(DT, StepOptions::new().with_hooks(&Ghost(is_ghost))).unwrap();
        };
        step(&mut world, true);
        let mut restored = World::new();
        restored.restore(&world.snapshot()).unwrap();
        for world in [&mut world, &mut restored] {
            step(world, false);
            assert!(velocity(world, id).x < -59.0, "{offset}: {}", velocity(world, id));
        }
        assert_eq!(world.state_hash(), restored.state_hash(), "{offset}");
    }
}
