//! Round bodies roll level, straight on, and lose nothing. Rolling friction, against the closed
//! forms of a rolling ball; spinning friction, against that of a spinning one.

use crate::scenes::{CheckedStep, DT, ball, cuboid, is_bad};
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{
    ActiveHooks, BodyDesc, BodyId, ColliderDesc, ContactMut, Hooks, Material, MixedMaterial, PairView,
    StepOptions, World,
};

const GRAVITY: f32 = 9.81;

fn position_of(world: &World, body: BodyId) -> Vec3 {
    world.body(body).unwrap().position()
}

/// A ball of radius r that rolls at v slows down by 5/7 g c/r, so it stops after 7/10 v^2 r/(g c).
#[test]
fn a_ball_stops_where_it_should() {
    for (radius, coefficient, speed) in
        [(0.5, 0.02, 2.0), (0.5, 0.05, 3.0), (0.1, 0.004, 1.0), (1.5, 0.1, 5.0)]
    {
        for is_of_ball in [true, false] {
            let mut world = World::new();
            let with = |rolls: bool| {
                Material::new(0.9, 0.0).with_rolling_friction(if rolls { coefficient } else { 0.0 })
            };
            let floor = BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap()).with_material(with(!is_of_ball));
            world.insert(floor).unwrap();
            let desc = BodyDesc::dynamic(ball(radius)).with_position(Vec3::Y * radius);
            let desc = desc.with_linear_velocity(Vec3::X * speed);
            let desc = desc.with_angular_velocity(Vec3::NEG_Z * (speed / radius));
            let body = world.insert(desc.with_material(with(is_of_ball))).unwrap();
            let time = 1.4 * speed * radius / (GRAVITY * coefficient);
            for _ in 0..(1.5 * time / DT) as usize {
                world.checked_step(DT).unwrap();
            }
            let expected = 0.7 * speed * speed * radius / (GRAVITY * coefficient);
            let found = position_of(&world, body);
            println!("radius {radius}, {coefficient} m: {:.4} m of {expected:.4}", found.x);
            assert!((found.x - expected).abs() < 0.02 * expected, "{found} {expected}");
            assert!(found.z.abs() < 1e-3 && world.body(body).unwrap().linear_velocity().length() < 1e-3);
        }
    }
}

/// On a slope whose tangent is below c/r a ball stays, asleep or not; on a steeper one it rolls.
#[test]
fn a_ball_stays_on_a_slope() {
    let (radius, coefficient) = (0.5_f32, 0.05_f32);
    for (factor, can_sleep) in [(0.5, true), (0.95, true), (0.95, false), (1.1, true), (2.0, true)] {
        let angle = (factor * coefficient / radius).atan();
        let tilt = Quat::from_rotation_z(angle);
        let mut world = World::new();
        let material = Material::new(0.9, 0.0).with_rolling_friction(coefficient);
        let slope = BodyDesc::fixed(cuboid(Vec3::new(50.0, 1.0, 50.0))).with_material(material);
        world.insert(slope.with_pose(Pose::new(tilt, tilt * Vec3::NEG_Y))).unwrap();
        let desc = BodyDesc::dynamic(ball(radius)).with_position(tilt * (Vec3::Y * radius));
        let body = world.insert(desc.with_can_sleep(can_sleep)).unwrap();
        let start = position_of(&world, body);
        for _ in 0..120 {
            world.checked_step(DT).unwrap();
        }
        let moved = (position_of(&world, body) - start).length();
        // Down the slope, from rest: a = 5/7 g (sin - c/r cos).
        let pull = GRAVITY * (angle.sin() - coefficient / radius * angle.cos());
        let expected = if factor < 1.0 { 0.0 } else { 5.0 / 7.0 * pull * 2.0 };
        println!("{factor} of the steepest: {moved:.5} m of {expected:.5}");
        assert!((moved - expected).abs() < 0.03 * expected + 2e-3, "{factor}: {moved} {expected}");
    }
}

/// Each collider has its own: a wheel set rolls on, one with a brake shoe under it does not.
#[test]
fn each_collider_has_its_own() {
    let mut lost = Vec::new();
    for coefficients in [[0.0, 0.0], [0.03, 0.0], [0.0, 0.03], [0.03, 0.03]] {
        let mut world = World::new();
        world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
        let wheel = |x: f32, coefficient: f32| {
            let material = Material::new(0.9, 0.0).with_rolling_friction(coefficient);
            let collider = ColliderDesc::new(ball(0.5)).with_pose(Pose::from_translation(Vec3::Z * x));
            collider.with_material(material)
        };
        let pair = BodyDesc::dynamic(wheel(-1.0, coefficients[0])).with_collider(wheel(1.0, coefficients[1]));
        let pair = pair.with_position(Vec3::Y * 0.5).with_linear_velocity(Vec3::X * 3.0);
        let body = world.insert(pair.with_angular_velocity(Vec3::NEG_Z * 6.0)).unwrap();
        for _ in 0..60 {
            world.checked_step(DT).unwrap();
        }
        lost.push(3.0 - world.body(body).unwrap().linear_velocity().length());
    }
    println!("lost {lost:?}");
    // With both, 5/7 g c/r; with one, half of it.
    let expected = 5.0 / 7.0 * GRAVITY * 0.03 / 0.5;
    assert!(lost[0].abs() < 5e-3 && (lost[3] - expected).abs() < 0.03 * expected, "{lost:?} {expected}");
    assert!((lost[1] - lost[2]).abs() < 0.02 * expected && (lost[1] - 0.5 * expected).abs() < 0.1 * expected);
}

/// A ball that spins at w about the vertical stops after w I/(c m g), and sleeps. Sliding friction
/// does not matter. Without spinning friction it spins on.
#[test]
fn a_spinning_ball_stops_when_it_should() {
    for (radius, coefficient, spin, friction) in
        [(0.5_f32, 0.02, 20.0, 0.9), (0.0286, 0.0003, 50.0, 0.2), (0.5, 0.1, 3.0, 0.0), (0.5, 0.0, 5.0, 0.5)]
    {
        for is_of_ball in [true, false] {
            let mut world = World::new();
            let with = |spins: bool| {
                let material = Material::new(friction, 0.0);
                material.with_spinning_friction(if spins { coefficient } else { 0.0 })
            };
            let floor = BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap()).with_material(with(!is_of_ball));
            world.insert(floor).unwrap();
            let desc = BodyDesc::dynamic(ball(radius)).with_position(Vec3::Y * radius);
            let desc = desc.with_angular_velocity(Vec3::Y * spin).with_material(with(is_of_ball));
            let body = world.insert(desc).unwrap();
            let speed = |world: &World| world.body(body).unwrap().angular_velocity().y;
            if coefficient == 0.0 {
                (0..120).for_each(|_| _ = world.checked_step(DT).unwrap());
                assert_eq!(speed(&world), spin);
                continue;
            }
            let time = 0.4 * radius * radius * spin / (GRAVITY * coefficient);
            let mut stopped = 0.0;
            for _ in 0..(time / DT) as usize + 120 {
                world.checked_step(DT).unwrap();
                stopped += if speed(&world) == 0.0 { 0.0 } else { DT };
                assert!(-1e-3 < speed(&world), "it turns back: {}", speed(&world));
            }
            println!("radius {radius}, {coefficient} m: {stopped:.3} s of {time:.3}");
            assert!((stopped - time).abs() < 0.01 * time + 3.0 * DT, "{stopped} {time}");
            assert!(world.body(body).unwrap().is_sleeping());
        }
    }
}

/// A frictionless box that spins on its face is slowed by the same torque, whatever its contacts.
#[test]
fn spinning_friction_of_a_box() {
    let mut world = World::new();
    let material = Material::new(0.0, 0.0).with_spinning_friction(0.05);
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap()).with_material(material)).unwrap();
    let desc = BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.2, 0.3))).with_position(Vec3::Y * 0.2);
    let body = world.insert(desc.with_friction(0.0).with_angular_velocity(Vec3::Y * 6.0)).unwrap();
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    // I = m (x^2 + z^2) / 3 of the half extents.
    let expected = 6.0 - GRAVITY * 0.05 / ((0.25 + 0.09) / 3.0);
    let spin = world.body(body).unwrap().angular_velocity().y;
    assert!((spin - expected).abs() < 0.05, "{spin} {expected}");
}

/// A ball gets the spin of a turntable under it.
#[test]
fn spinning_friction_is_relative_to_the_surface() {
    let mut world = World::new();
    let material = Material::new(0.5, 0.0).with_spinning_friction(0.02);
    let table = BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap());
    world.insert(table.with_material(material.with_surface_velocity(Vec3::ZERO, Vec3::Y * 2.0))).unwrap();
    let body = world.insert(BodyDesc::dynamic(ball(0.5)).with_position(Vec3::Y * 0.5)).unwrap();
    for _ in 0..240 {
        world.checked_step(DT).unwrap();
    }
    let spin = world.body(body).unwrap().angular_velocity();
    assert!((spin - Vec3::Y * 2.0).length() < 1e-3, "{spin}");
}

/// Both at once: a ball that rolls and spins loses each rotation as if it had no other.
#[test]
fn a_ball_rolls_and_spins() {
    let run = |rolling: f32, spinning: f32| {
        let mut world = World::new();
        let material = Material::new(0.9, 0.0).with_rolling_friction(rolling);
        let floor = BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap());
        world.insert(floor.with_material(material.with_spinning_friction(spinning))).unwrap();
        let desc = BodyDesc::dynamic(ball(0.5)).with_position(Vec3::Y * 0.5);
        let desc = desc.with_linear_velocity(Vec3::X * 2.0).with_angular_velocity(Vec3::new(0.0, 20.0, -4.0));
        let body = world.insert(desc).unwrap();
        for _ in 0..60 {
            world.checked_step(DT).unwrap();
        }
        world.body(body).unwrap().angular_velocity()
    };
    let [rolled, spun, both] = [(0.02, 0.0), (0.0, 0.02), (0.02, 0.02)].map(|(r, s)| run(r, s));
    println!("{rolled} {spun} {both}");
    assert!((rolled.y - 20.0).abs() < 1e-3 && (spun.z + 4.0).abs() < 1e-3);
    assert!((both.y - spun.y).abs() < 1e-3 && (both.z - rolled.z).abs() < 1e-3);
    // From 20 rad/s by c m g / I, and from 4 rad/s by 5/7 g c/r^2.
    assert!((spun.y - (20.0 - GRAVITY * 0.02 / 0.1)).abs() < 0.02, "{spun}");
    assert!((rolled.z + 4.0 - 5.0 / 7.0 * GRAVITY * 0.02 / 0.25).abs() < 0.02, "{rolled}");
}

/// A top whose tip is a ball slows down as the torque on its tip demands, and stays upright.
#[test]
fn a_top_slows_down() {
    let coefficient = 0.001;
    let mut world = World::new();
    let floor = BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap());
    world.insert(floor.with_material(Material::new(0.5, 0.0).with_spinning_friction(coefficient))).unwrap();
    let disc = ColliderDesc::new(Shape::cylinder(0.02, 0.1).unwrap())
        .with_pose(Pose::from_translation(Vec3::Y * 0.05));
    let tip = ColliderDesc::new(ball(0.01)).with_pose(Pose::from_translation(Vec3::Y * 0.01));
    let top = BodyDesc::dynamic(disc).with_collider(tip).with_angular_velocity(Vec3::Y * 60.0);
    let top = world.insert(top).unwrap();
    let up = |world: &World| (world.body(top).unwrap().pose().rotation * Vec3::Y).y;
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    // I = m R^2/2 of the disc.
    let expected = 60.0 - coefficient * GRAVITY / (0.5 * 0.1 * 0.1);
    let spin = world.body(top).unwrap().angular_velocity().y;
    println!("{spin} of {expected}, {}", up(&world));
    assert!((spin - expected).abs() < 0.05 && 0.999 < up(&world));
}

#[test]
fn bad_numbers_are_refused() {
    let mut world = World::new();
    for bad in [-0.1, f32::NAN, f32::INFINITY] {
        let material = Material::default().with_rolling_friction(bad);
        let refused = world.insert(BodyDesc::dynamic(ball(0.5)).with_material(material));
        assert!(is_bad(refused, "rolling friction", bad));
        let material = Material::default().with_spinning_friction(bad);
        let refused = world.insert(BodyDesc::dynamic(ball(0.5)).with_material(material));
        assert!(is_bad(refused, "spinning friction", bad));
    }
}

/// The rotation that makes the y axis of a shape the axis of a wheel that rolls along x.
fn lying() -> Quat {
    Quat::from_rotation_x(core::f32::consts::FRAC_PI_2)
}

/// Shapes that roll along x at this radius.
fn wheels(radius: f32) -> Vec<(&'static str, Shape, Quat)> {
    let thin = |z: f32| (Shape::cylinder(0.1, radius).unwrap(), Pose::new(lying(), Vec3::Z * z));
    let axle = (Shape::capsule(0.5, 0.05).unwrap(), Pose::new(lying(), Vec3::ZERO));
    let box_of = |z: f32| (cuboid(Vec3::splat(0.1)), Pose::from_translation(Vec3::Z * z));
    vec![
        ("ball", ball(radius), Quat::IDENTITY),
        ("capsule", Shape::capsule(1.0, radius).unwrap(), lying()),
        ("roller", Shape::cylinder(1.0, radius).unwrap(), lying()),
        ("coin", Shape::cylinder(0.1 * radius, radius).unwrap(), lying()),
        ("tyre", Shape::torus(0.8 * radius, 0.2 * radius).unwrap(), lying()),
        ("lentil", Shape::ellipsoid(Vec3::new(radius, 0.6 * radius, radius)).unwrap(), lying()),
        ("wheel set", Shape::compound(vec![thin(0.6), thin(-0.6), axle]).unwrap(), Quat::IDENTITY),
        (
            "dumbbell",
            Shape::compound(vec![
                (ball(radius), Pose::from_translation(Vec3::Z)),
                (ball(radius), Pose::from_translation(Vec3::NEG_Z)),
                box_of(0.0),
            ])
            .unwrap(),
            Quat::IDENTITY,
        ),
    ]
}

/// Floors of which the top is at 0.
fn floors() -> [(&'static str, Shape, f32); 3] {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=60_u32 {
        vertices.extend((0..=6).map(|j| Vec3::new(2.7 * i as f32 - 10.0, 0.0, 1.3 * j as f32 - 4.1)));
        for first in (0..6).map(|j| 7 * i + j).filter(|_| i < 60) {
            triangles.push([first, first + 1, first + 7]);
            triangles.push([first + 1, first + 8, first + 7]);
        }
    }
    [
        ("half-space", Shape::half_space(Vec3::Y).unwrap(), 0.0),
        ("box", cuboid(Vec3::new(150.0, 1.0, 5.0)), -1.0),
        ("mesh", Shape::mesh(vertices, triangles).unwrap(), 0.0),
    ]
}

/// The contact point of a wheel stays below it, while the point of the wheel that was there goes
/// up. A solver that takes one for the other makes wheels sink, lean, and turn over.
#[test]
fn wheels_roll_level_and_straight() {
    for (on, floor, top) in floors() {
        for (name, shape, rotation) in wheels(0.5) {
            for speed in [3.0_f32, 12.0] {
                let mut world = World::new();
                world.insert(BodyDesc::fixed(floor.clone()).with_position(Vec3::Y * top)).unwrap();
                let desc = BodyDesc::dynamic(shape.clone()).with_pose(Pose::new(rotation, Vec3::Y * 0.5));
                let desc = desc.with_linear_velocity(Vec3::X * speed);
                let body = world.insert(desc.with_angular_velocity(Vec3::NEG_Z * (2.0 * speed))).unwrap();
                let axis =
                    |world: &World| world.body(body).unwrap().pose().rotation * rotation.inverse() * Vec3::Z;
                for _ in 0..300 {
                    world.checked_step(DT).unwrap();
                    let sunk = 0.5 - position_of(&world, body).y;
                    assert!(sunk.abs() < 5e-4, "{name} at {speed} on a {on}: {sunk} deep");
                }
                let (at, lean) = (position_of(&world, body), axis(&world).y.abs());
                assert!((at.x - 5.0 * speed).abs() < 2e-3 * 5.0 * speed, "{name} on a {on}: {at}");
                assert!(at.z.abs() < 0.01 * at.x && lean < 2e-3, "{name} at {speed} on a {on}: {at} {lean}");
            }
        }
    }
}

/// Without friction, a body that spins about its axis rests as deep as one that does not.
#[test]
fn a_body_spinning_in_place_does_not_sink() {
    for (name, shape, rotation) in wheels(0.5) {
        for spin in [20.0, 60.0, 110.0, 300.0] {
            let mut world = World::new();
            let floor = BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap());
            world.insert(floor.with_friction(0.0)).unwrap();
            let desc = BodyDesc::dynamic(shape.clone()).with_pose(Pose::new(rotation, Vec3::Y * 0.5));
            let desc = desc.with_friction(0.0).with_angular_velocity(Vec3::Z * spin);
            let body = world.insert(desc).unwrap();
            for _ in 0..180 {
                world.checked_step(DT).unwrap();
                let sunk = 0.5 - position_of(&world, body).y;
                assert!(sunk.abs() < 1e-3, "{name} at {spin} rad/s: {sunk} deep");
            }
            let kept = world.body(body).unwrap().angular_velocity().z / spin;
            assert!((kept - 1.0).abs() < 0.01, "{name} at {spin} rad/s: {kept}");
        }
    }
}

/// A board on driven rollers goes as fast as they turn, and as level as if they stood still.
#[test]
fn a_board_rides_on_rollers() {
    for spin in [4.0_f32, 12.0, 30.0] {
        let mut world = World::new();
        for k in 0..40 {
            let roller = BodyDesc::kinematic(Shape::cylinder(1.0, 0.1).unwrap());
            let at = Vec3::new(0.25 * k as f32, -0.1, 0.0);
            let roller = roller.with_pose(Pose::new(lying(), at)).with_angular_velocity(Vec3::NEG_Z * spin);
            world.insert(roller).unwrap();
        }
        let board = BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.05, 0.4)));
        let board = world.insert(board.with_position(Vec3::new(1.0, 0.05, 0.0))).unwrap();
        for _ in 0..(60.0 * 60.0 / spin) as usize {
            world.checked_step(DT).unwrap();
            let sunk = 0.05 - position_of(&world, board).y;
            assert!(sunk.abs() < 3e-3, "{spin}: {sunk} deep");
        }
        let speed = world.body(board).unwrap().linear_velocity().x;
        assert!((speed - 0.1 * spin).abs() < 0.015 * 0.1 * spin, "{spin}: {speed}");
    }
}

/// Sets rolling and spinning friction of the ball by a hook: as a rule of a pair, or of a manifold.
struct Sticky {
    rolling: f32,
    spinning: f32,
    hook: ActiveHooks,
}

impl Hooks for Sticky {
    fn combine(&self, _: &PairView<'_>, mixed: &mut MixedMaterial) {
        if self.hook == ActiveHooks::COMBINE {
            (mixed.rolling_friction, mixed.spinning_friction) = (self.rolling, self.spinning);
        }
    }

    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        if self.hook == ActiveHooks::MODIFY {
            contact.set_rolling_friction(self.rolling);
            contact.set_spinning_friction(self.spinning);
            contact.set_rolling_friction(f32::NAN);
            contact.set_spinning_friction(-1.0);
            assert_eq!(
                [contact.rolling_friction(), contact.spinning_friction()],
                [self.rolling, self.spinning]
            );
        }
    }
}

/// The frictions that a hook sets act as those of a material, to the bit, and replace them.
#[test]
fn a_hook_sets_rolling_and_spinning_friction_of_a_pair() {
    let run = |own: [f32; 2], hook: Option<[f32; 2]>, kind: ActiveHooks| {
        let mut world = World::new();
        let floor = BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap()).with_hooks(kind);
        world.insert(floor.with_friction(0.9)).unwrap();
        let material = Material::new(0.9, 0.0).with_rolling_friction(own[0]).with_spinning_friction(own[1]);
        for (x, velocity, spin) in [(0.0, Vec3::Z * 2.0, Vec3::X * 4.0), (9.0, Vec3::ZERO, Vec3::Y * 9.0)] {
            let desc =
                BodyDesc::dynamic(ball(0.5)).with_position(Vec3::new(x, 0.5, 0.0)).with_material(material);
            world.insert(desc.with_linear_velocity(velocity).with_angular_velocity(spin)).unwrap();
        }
        let [rolling, spinning] = hook.unwrap_or_default();
        let hooks = Sticky { rolling, spinning, hook: kind };
        for _ in 0..90 {
            let options = StepOptions::new();
            let options = if hook.is_some() { options.with_hooks(&hooks) } else { options };
            world.step_with(DT, options).unwrap();
            world.validate().unwrap();
        }
        world.state_hash()
    };
    for kind in [ActiveHooks::COMBINE, ActiveHooks::MODIFY] {
        let resists = run([0.03, 0.02], None, kind);
        let smooth = run([0.0, 0.0], None, kind);
        assert_ne!(resists, smooth);
        assert_eq!(run([0.0, 0.0], Some([0.03, 0.02]), kind), resists, "{kind:?}");
        assert_eq!(run([0.5, 0.5], Some([0.03, 0.02]), kind), resists, "{kind:?}");
        assert_eq!(run([0.5, 0.5], Some([0.0, 0.0]), kind), smooth, "{kind:?}");
        // The hook finds the values by the rules.
        assert_eq!(run([0.03, 0.02], Some([0.03, 0.02]), kind), resists, "{kind:?}");
    }
}
