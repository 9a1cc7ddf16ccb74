//! Fast bodies on a floor that something else than gravity drives: they move as bodies that are not
//! marked fast.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid};
use carom_math::{Pose, Quat, Vec3};
use carom_world::{BodyDesc, BodyId, ForceFieldDesc, ForceKind, StepOptions, Substep, World, WorldSettings};

/// The acceleration of the drives, length per time squared.
const DRIVE: f32 = 3.0;

fn floor() -> BodyDesc {
    BodyDesc::fixed(cuboid(Vec3::new(50.0, 1.0, 50.0))).with_position(Vec3::NEG_Y).with_friction(1.0)
}

/// A ball and a box in two worlds, in one of them marked fast, after they landed.
fn landed(floor: &BodyDesc, is_fast: bool) -> (World, [BodyId; 2]) {
    let mut world = World::new();
    world.insert(floor.clone()).unwrap();
    let shapes = [ball(0.1), cuboid(Vec3::splat(0.1))];
    let mut z = 0.0;
    let ids = shapes.map(|shape| {
        z += 1.0;
        let desc = of_unit_density(shape).with_position(Vec3::new(-10.0, 0.5, z)).with_friction(0.04);
        world.insert(desc.with_ccd(is_fast).with_can_sleep(false)).unwrap()
    });
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    (world, ids)
}

/// Drives both worlds for a second, and compares the velocities of the bodies.
fn compare(what: &str, floor: &BodyDesc, mut drive: impl FnMut(&mut World, [BodyId; 2])) {
    let [plain, fast] = [false, true].map(|is_fast| {
        let (mut world, ids) = landed(floor, is_fast);
        for _ in 0..60 {
            drive(&mut world, ids);
            world.validate().unwrap();
        }
        ids.map(|id| world.body(id).unwrap().linear_velocity().x)
    });
    for (plain, fast) in plain.into_iter().zip(fast) {
        assert!(0.5 < plain, "{what}: {plain}");
        assert!((fast - plain).abs() < 0.03 * plain, "{what}: {fast} beside {plain}");
    }
}

fn push_of(world: &World, id: BodyId) -> Vec3 {
    Vec3::X * (DRIVE * world.body(id).unwrap().mass())
}

#[test]
fn forces_drive_fast_bodies_on_a_floor() {
    compare("force of a step", &floor(), |world, ids| {
        for id in ids {
            let force = push_of(world, id);
            world.body_mut(id).unwrap().apply_force(force).unwrap();
        }
        world.step(DT).unwrap();
    });
    compare("constant force", &floor(), |world, ids| {
        for id in ids {
            let force = push_of(world, id);
            world.body_mut(id).unwrap().set_constant_force(force, Vec3::ZERO).unwrap();
        }
        world.step(DT).unwrap();
    });
    compare("force on all", &floor(), |world, _| {
        world.for_each_active(|body| body.apply_force(Vec3::X * DRIVE * body.mass()));
        world.step(DT).unwrap();
    });
}

#[test]
fn forces_of_substeps_drive_fast_bodies_on_a_floor() {
    compare("force of a substep", &floor(), |world, _| {
        let mut push = |substep: &mut Substep<'_>| {
            substep.for_each_active(|body| body.apply_force(Vec3::X * DRIVE * body.mass()));
        };
        world.step_with(DT, StepOptions::new().with_on_substep(&mut push)).unwrap();
    });
    compare("impulse of a substep", &floor(), |world, _| {
        let mut push = |substep: &mut Substep<'_>| {
            let dt = substep.dt();
            substep.for_each_active(|body| {
                body.apply_impulse(Vec3::X * DRIVE * body.mass() * dt, body.center())
            });
        };
        world.step_with(DT, StepOptions::new().with_on_substep(&mut push)).unwrap();
    });
}

/// A body that is pushed in each substep takes no energy from a fast one beside it, and none is
/// taken from that one for it.
#[test]
fn a_driven_neighbour_does_not_brake_a_fast_body() {
    let [plain, fast] = [false, true].map(|is_fast| {
        let (mut world, [own, _]) = landed(&floor(), is_fast);
        let desc = of_unit_density(ball(0.1)).with_friction(0.04).with_ccd(is_fast).with_can_sleep(false);
        let at = world.body(own).unwrap().position() + Vec3::Z * 0.21;
        let driven = world.insert(desc.with_position(at)).unwrap();
        for _ in 0..60 {
            let force = push_of(&world, own);
            world.body_mut(own).unwrap().apply_force(force).unwrap();
            let mut push = |substep: &mut Substep<'_>| {
                let mut body = substep.body(driven).unwrap();
                let force = Vec3::X * DRIVE * body.mass();
                body.apply_force(force);
            };
            world.step_with(DT, StepOptions::new().with_on_substep(&mut push)).unwrap();
        }
        [own, driven].map(|id| world.body(id).unwrap().linear_velocity().x)
    });
    for (plain, fast) in plain.into_iter().zip(fast) {
        assert!(0.5 < plain && (fast - plain).abs() < 0.03 * plain, "{fast} beside {plain}");
    }
}

#[test]
fn force_fields_drive_fast_bodies_on_a_floor() {
    let fields = [
        ForceKind::Acceleration(Vec3::X * DRIVE),
        ForceKind::Gravity(Vec3::new(DRIVE, -9.81, 0.0)),
        ForceKind::Drag { linear: 2.0, angular: 0.0, flow: Vec3::X * 4.0 },
    ];
    for kind in fields {
        compare(&format!("{kind:?}"), &floor(), |world, _| {
            if world.force_fields().count() == 0 {
                world.insert_force_field(ForceFieldDesc::everywhere(kind)).unwrap();
            }
            world.step(DT).unwrap();
        });
    }
}

#[test]
fn belts_carry_fast_bodies() {
    let belt = floor().with_surface_velocity(Vec3::X * 3.0, Vec3::ZERO);
    // The belt begins to act when they land.
    let [plain, fast] = [false, true].map(|is_fast| {
        let (mut world, ids) = landed(&belt, is_fast);
        (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
        ids.map(|id| world.body(id).unwrap().linear_velocity().x)
    });
    for (plain, fast) in plain.into_iter().zip(fast) {
        // They land a little earlier or later.
        assert!(0.5 < plain && (fast - plain).abs() < 0.15 * plain, "{fast} beside {plain}");
    }
}

/// Gravity by a field is as gravity by the settings for a fast body that bounces and comes to rest:
/// it gains no energy, and stays on the floor.
#[test]
fn gravity_of_a_field_gives_fast_bodies_no_energy() {
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    for (of_settings, of_field) in [(gravity, None), (Vec3::ZERO, Some(gravity)), (-gravity, Some(gravity))] {
        let mut settings = WorldSettings::default();
        settings.solver.gravity = of_settings;
        let mut world = World::with_settings(settings);
        world.insert(floor()).unwrap();
        if let Some(gravity) = of_field {
            world.insert_force_field(ForceFieldDesc::everywhere(ForceKind::Gravity(gravity))).unwrap();
        }
        let turn = Quat::from_scaled_axis(Vec3::new(0.4, 0.2, -0.7));
        let desc = of_unit_density(cuboid(Vec3::new(0.2, 0.1, 0.05))).with_ccd(true);
        let desc = desc.with_pose(Pose::new(turn, Vec3::Y * 2.0)).with_restitution(0.0);
        let id = world.insert(desc.with_linear_velocity(Vec3::new(2.0, -8.0, 1.0))).unwrap();
        let of_world = |world: &World| {
            let body = world.body(id).unwrap();
            body.kinetic_energy() + f64::from(9.81 * body.mass() * body.position().y)
        };
        let mut last = of_world(&world);
        for step in 0..240 {
            world.checked_step(DT).unwrap();
            let now = of_world(&world);
            assert!(now < last + 0.02 * last.abs() + 1e-3, "{of_field:?}, step {step}: {now} after {last}");
            last = last.min(now);
        }
        let body = world.body(id).unwrap();
        assert!(body.linear_velocity().length() < 0.05, "{of_field:?}: {}", body.linear_velocity());
        assert!(body.position().y < 0.25, "{of_field:?}: {}", body.position());
    }
}
