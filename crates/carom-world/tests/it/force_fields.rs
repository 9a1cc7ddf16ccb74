//! Force fields against closed forms; the bodies that a change wakes; snapshots; refused numbers.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, is_bad};
use carom_broad::Mobility;
use carom_broad_tree::DynamicBvh;
use carom_math::{Budget, Pose, Quat, Vec3};
use carom_world::{
    BodyDesc, BodyId, ForceFieldDesc, ForceKind, ForceRegion, Groups, World, WorldError, WorldSettings,
};
use std::f32::consts::TAU;

fn weightless() -> World {
    let mut settings = WorldSettings::default();
    settings.solver.gravity = Vec3::ZERO;
    World::with_settings(settings)
}

fn run(world: &mut World, n_steps: usize) {
    (0..n_steps).for_each(|_| _ = world.checked_step(DT).unwrap());
}

fn ball_at(world: &mut World, at: Vec3, velocity: Vec3) -> BodyId {
    let desc = BodyDesc::dynamic(ball(0.5)).with_position(at).with_linear_velocity(velocity);
    world.insert(desc).unwrap()
}

/// In a region without gravity a body keeps its velocity to the bit, and falls where the region
/// ends.
#[test]
fn a_room_without_gravity() {
    let mut world = World::new();
    let pose = Pose::new(Quat::from_rotation_z(0.3), Vec3::new(0.0, 10.0, 0.0));
    let room = ForceRegion::Cuboid { pose, half_extents: Vec3::new(5.0, 2.0, 2.0) };
    world.insert_force_field(ForceFieldDesc::inside(room, ForceKind::Gravity(Vec3::ZERO))).unwrap();
    let velocity = pose.transform_vector(Vec3::X);
    let inside = ball_at(&mut world, pose.transform_point(Vec3::X * -4.0), velocity);
    let outside = ball_at(&mut world, pose.transform_point(Vec3::Y * 2.01), Vec3::ZERO);
    run(&mut world, 120);
    assert_eq!(world.body(inside).unwrap().linear_velocity(), velocity);
    assert!(world.body(outside).unwrap().linear_velocity().y < 0.0);
    assert_eq!(world.body(inside).unwrap().motion().gravity_scale, 1.0);
    // It leaves at the other end.
    run(&mut world, 7 * 60 + 30);
    assert!(world.body(inside).unwrap().linear_velocity().y < velocity.y - 0.2);
}

/// The gravity of the highest priority is used, and then the last one. It is scaled by
/// the gravity scale of the body.
#[test]
fn the_gravity_that_counts() {
    let mut world = World::new();
    let sideways = ForceFieldDesc::everywhere(ForceKind::Gravity(Vec3::X * 2.0));
    let low = world.insert_force_field(sideways.with_priority(-1)).unwrap();
    let up = world.insert_force_field(ForceFieldDesc::everywhere(ForceKind::Gravity(Vec3::Y * 3.0))).unwrap();
    let last = world.insert_force_field(ForceFieldDesc::everywhere(ForceKind::Gravity(Vec3::Z))).unwrap();
    let desc = BodyDesc::dynamic(ball(0.5)).with_gravity_scale(0.5).with_density(3.0);
    let id = world.insert(desc).unwrap();
    let mut gained = Vec::new();
    for remove in [Some(last), Some(up), Some(low), None] {
        let before = world.body(id).unwrap().linear_velocity();
        run(&mut world, 30);
        gained.push((world.body(id).unwrap().linear_velocity() - before) / (30.0 * DT));
        remove.into_iter().for_each(|field| world.remove_force_field(field).unwrap());
    }
    let wanted = [Vec3::Z * 0.5, Vec3::Y * 1.5, Vec3::X, Vec3::NEG_Y * 9.81 * 0.5];
    for (gained, wanted) in gained.iter().zip(wanted) {
        assert!((*gained - wanted).length() < 1e-4, "{gained} {wanted}");
    }
}

/// Accelerations add up, whatever the mass; a planet holds a moon for a turn; a spring has its
/// period.
#[test]
fn accelerations_have_their_closed_forms() {
    let mut world = weightless();
    for a in [Vec3::X, Vec3::new(0.5, -2.0, 0.0)] {
        world.insert_force_field(ForceFieldDesc::everywhere(ForceKind::Acceleration(a))).unwrap();
    }
    for density in [0.01, 1.0, 5000.0] {
        world.insert(BodyDesc::dynamic(ball(0.5)).with_density(density)).unwrap();
    }
    let ids: Vec<_> = world.body_ids().collect();
    ids.iter().for_each(|&id| {
        world.body_mut(id).unwrap().set_groups(Groups::DEFAULT, Groups::empty()).unwrap();
    });
    run(&mut world, 60);
    for &id in &ids {
        let v = world.body(id).unwrap().linear_velocity();
        assert!((v - Vec3::new(1.5, -2.0, 0.0)).length() < 1e-4, "{v}");
    }

    // A circle of radius 10 about a mass of 100, and a spring of 4 per second squared.
    let center = Vec3::new(3.0, -2.0, 1.0);
    for (strength, exponent, radius) in [(100.0, -2, 10.0_f32), (4.0, 1, 2.0)] {
        let mut world = weightless();
        let kind = ForceKind::Radial { center, strength, exponent };
        world.insert_force_field(ForceFieldDesc::everywhere(kind)).unwrap();
        let speed = (strength * radius.powi(exponent) * radius).sqrt();
        let start = center + Vec3::X * radius;
        let id = ball_at(&mut world, start, Vec3::Z * speed);
        let n_steps = (TAU * radius / speed / DT).round() as usize;
        run(&mut world, n_steps / 2);
        let half = world.body(id).unwrap().position();
        assert!((half - center + Vec3::X * radius).length() < 0.05 * radius, "{exponent}: {half}");
        run(&mut world, n_steps - n_steps / 2);
        let end = world.body(id).unwrap().position();
        assert!((end - start).length() < 0.05 * radius, "{exponent}: {end} {start}");
    }
}

/// Twenty turns on a circle and on ellipses: the energy returns, and so do the nearest and the
/// farthest distance, at each length and number of substeps.
#[test]
fn r_orbits_do_not_decay() {
    for (dt, n_substeps) in [(DT, 6), (DT, 1), (DT, 20), (4.0 * DT, 6), (0.25 * DT, 4)] {
        for speed in [1.0_f32, 0.756, 1.1] {
            let mut world = weightless();
            world.solver_settings_mut().substeps = n_substeps;
            let kind = ForceKind::Radial { center: Vec3::ZERO, strength: 10.0, exponent: -2 };
            world.insert_force_field(ForceFieldDesc::everywhere(kind)).unwrap();
            let id = ball_at(&mut world, Vec3::X * 10.0, Vec3::Z * speed);
            let energy = |world: &World| {
                let body = world.body(id).unwrap();
                let speed_sq = body.linear_velocity().as_dvec3().length_squared();
                0.5 * speed_sq - 10.0 / body.position().as_dvec3().length()
            };
            let (start, mut range) = (energy(&world), [f64::INFINITY, 0.0_f64]);
            // At most twenty turns of a circle with this energy.
            let period = f64::from(TAU) * 10.0 / (-2.0 * start).powf(1.5);
            let mut ends = Vec::new();
            for step in 0..(20.0 * period / f64::from(dt)) as usize {
                world.step(dt).unwrap();
                let distance = f64::from(world.body(id).unwrap().position().length());
                range = [range[0].min(distance), range[1].max(distance)];
                if (step + 1) as f64 * f64::from(dt) % period < f64::from(dt) {
                    ends.push((energy(&world) / start - 1.0).abs());
                }
            }
            let worst = ends.iter().fold(0.0, |a: f64, b| a.max(*b));
            // Semi-major axis and eccentricity follow from the start, which is an end of the axis.
            let axis = -5.0 / start;
            let due = if speed <= 1.0 { [2.0 * axis - 10.0, 10.0] } else { [10.0, 2.0 * axis - 10.0] };
            let what = format!("{dt} s, {n_substeps} substeps, {speed} m/s: {worst}, {range:?}, {due:?}");
            assert!(worst < 0.01, "{what}");
            assert!((0..2).all(|k| (range[k] / due[k] - 1.0).abs() < 0.02), "{what}");
        }
    }
}

/// Drag brings a body to the flow: exp(-c t) at small rates, at once at huge ones, never beyond.
#[test]
fn drag_brings_to_the_flow() {
    let flow = Vec3::new(0.0, 0.0, 3.0);
    for rate in [0.5_f32, 2.0, 1e3, 1e9] {
        let mut world = weightless();
        let kind = ForceKind::Drag { linear: rate, angular: rate, flow };
        world.insert_force_field(ForceFieldDesc::everywhere(kind)).unwrap();
        let desc = BodyDesc::dynamic(cuboid(Vec3::new(0.2, 0.5, 0.9)));
        let id = world
            .insert(desc.with_linear_velocity(Vec3::X * 10.0).with_angular_velocity(Vec3::new(0.0, 4.0, 0.0)))
            .unwrap();
        let mut last = (Vec3::X * 10.0 - flow).length();
        for _ in 0..60 {
            world.checked_step(DT).unwrap();
            let off = (world.body(id).unwrap().linear_velocity() - flow).length();
            assert!(off <= last * 1.000_01, "rate {rate}: {off} after {last}");
            last = off;
        }
        let (v, w) = (world.body(id).unwrap().linear_velocity(), world.body(id).unwrap().angular_velocity());
        let left = (-rate).exp();
        let error = (v - flow - (Vec3::X * 10.0 - flow) * left).length();
        assert!(error < 0.05, "rate {rate}: {v}");
        assert!((w.y - 4.0 * left).abs() < 0.05, "rate {rate}: {w}");
    }
}

/// A field acts on its groups only, and a change wakes only bodies in its region.
#[test]
fn a_field_acts_on_its_groups_and_wakes_its_region() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let mut box_at = |x: f32, groups| {
        let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::new(x, 0.5, 0.0));
        world.insert(desc.with_groups(groups, Groups::all())).unwrap()
    };
    let light = Groups::from_bits_retain(2);
    let [lifted, other, far] = [box_at(0.0, light), box_at(2.0, Groups::DEFAULT), box_at(20.0, light)];
    run(&mut world, 120);
    assert!([lifted, other, far].iter().all(|&id| world.body(id).unwrap().is_sleeping()));
    let region = ForceRegion::Ball { center: Vec3::Y * 0.5, radius: 6.0 };
    let lift = ForceFieldDesc::inside(region, ForceKind::Acceleration(Vec3::Y * 12.0)).with_mask(light);
    let id = world.insert_force_field(lift).unwrap();
    assert!(!world.body(lifted).unwrap().is_sleeping() && world.body(far).unwrap().is_sleeping());
    assert!(world.body(other).unwrap().is_sleeping());
    run(&mut world, 60);
    assert!(1.0 < world.body(lifted).unwrap().position().y);
    assert_eq!(world.force_field(id), Ok(&lift));
    // The same again wakes nothing.
    world.set_force_field(id, lift).unwrap();
    assert!(world.body(other).unwrap().is_sleeping() && world.body(far).unwrap().is_sleeping());
    world.remove_force_field(id).unwrap();
    run(&mut world, 240);
    assert!(world.body(lifted).unwrap().is_sleeping());
    assert!((world.body(lifted).unwrap().position().y - 0.5).abs() < 0.02);
    assert_eq!(world.remove_force_field(id), Err(WorldError::StaleForceField(id)));
    assert_eq!(world.set_force_field(id, lift), Err(WorldError::StaleForceField(id)));
}

/// A snapshot has the fields: the same bits from there on.
#[test]
fn a_snapshot_has_the_fields() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let kind = ForceKind::Radial { center: Vec3::Y * 3.0, strength: 20.0, exponent: 0 };
    world.insert_force_field(ForceFieldDesc::everywhere(kind)).unwrap();
    let region = ForceRegion::Ball { center: Vec3::X, radius: 2.0 };
    let kind = ForceKind::Drag { linear: 1.0, angular: 2.0, flow: Vec3::X };
    world.insert_force_field(ForceFieldDesc::inside(region, kind)).unwrap();
    for k in 0..6 {
        ball_at(&mut world, Vec3::new(k as f32 * 1.1, 2.0, 0.3 * k as f32), Vec3::ZERO);
    }
    run(&mut world, 30);
    let mut other: World<DynamicBvh> = crate::scenes::restored(&world.snapshot(), &world).unwrap();
    assert!(world.force_fields().eq(other.force_fields()));
    run(&mut world, 60);
    run(&mut other, 60);
    assert_eq!(world.state_hash(), other.state_hash());
}

#[test]
fn senseless_numbers_are_refused() {
    let mut world = World::new();
    let bad = |kind| ForceFieldDesc::everywhere(kind);
    let nan = Vec3::new(0.0, f32::NAN, 0.0);
    let center = Vec3::ZERO;
    let cases = [
        (bad(ForceKind::Gravity(nan)), "gravity of a force field", f32::NAN),
        (bad(ForceKind::Acceleration(Vec3::INFINITY)), "acceleration of a force field", f32::INFINITY),
        (bad(ForceKind::Radial { center: nan, strength: 1.0, exponent: 1 }), "center of a pull", f32::NAN),
        (bad(ForceKind::Radial { center, strength: 1.0, exponent: 9 }), "exponent of a pull", 9.0),
        (
            bad(ForceKind::Radial { center, strength: 1.0, exponent: i32::MIN }),
            "exponent of a pull",
            i32::MIN as f32,
        ),
        (bad(ForceKind::Drag { linear: -1.0, angular: 0.0, flow: center }), "linear drag", -1.0),
        (
            ForceFieldDesc::inside(ForceRegion::Ball { center, radius: -1.0 }, ForceKind::Gravity(center)),
            "radius of a force field",
            -1.0,
        ),
    ];
    for (desc, what, value) in cases {
        let refused = world.insert_force_field(desc);
        assert!(is_bad(refused, what, value), "{refused:?}");
    }
    assert_eq!(world.force_fields().count(), 0);
}

/// A region at a pose that is no rotation is refused. One whose rotation is nearly a unit is that
/// of the unit quaternion, as for bodies.
#[test]
fn a_region_without_a_rotation_is_refused() {
    let at = |pose: Pose| {
        let region = ForceRegion::Cuboid { pose, half_extents: Vec3::ONE };
        ForceFieldDesc::inside(region, ForceKind::Acceleration(Vec3::Y))
    };
    let mut world = weightless();
    let good = world.insert_force_field(at(Pose::IDENTITY)).unwrap();
    let turn = Quat::from_rotation_z(0.3);
    for rotation in [turn * 0.0, turn * 2.0, turn * 0.98, turn * f32::NAN] {
        let field = at(Pose::new(rotation, Vec3::ZERO));
        assert!(matches!(world.insert_force_field(field), Err(WorldError::Pose(_))), "{rotation}");
        assert!(matches!(world.set_force_field(good, field), Err(WorldError::Pose(_))), "{rotation}");
    }
    let far = at(Pose::from_translation(Vec3::INFINITY));
    assert!(matches!(world.insert_force_field(far), Err(WorldError::Pose(_))));
    assert_eq!(world.force_field(good), Ok(&at(Pose::IDENTITY)));
    let nearly = world.insert_force_field(at(Pose::new(turn * 1.005, Vec3::ZERO))).unwrap();
    let ForceRegion::Cuboid { pose, .. } = world.force_field(nearly).unwrap().region else { panic!() };
    assert!((pose.rotation.length() - 1.0).abs() < 1e-6);
    assert_eq!(world.validate(), Ok(()));
}

/// Pulls and distances at the ends of the range do no harm.
#[test]
fn extreme_fields_do_no_harm() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    for exponent in [-8, 8] {
        let kind = ForceKind::Radial { center: Vec3::splat(1e-3), strength: 1e38, exponent };
        world.insert_force_field(ForceFieldDesc::everywhere(kind)).unwrap();
    }
    let kind = ForceKind::Drag { linear: f32::MAX, angular: f32::MAX, flow: Vec3::splat(1e30) };
    world.insert_force_field(ForceFieldDesc::everywhere(kind)).unwrap();
    let id = ball_at(&mut world, Vec3::Y * 5.0, Vec3::ZERO);
    for _ in 0..20 {
        if world.checked_step(DT).is_err() {
            break;
        }
        assert!(world.body(id).unwrap().linear_velocity().is_finite());
    }
    world.validate().unwrap();
}

/// The gravity of a body is that of the field that replaces the gravity of the settings, also for a
/// body without mass. The force has the other fields only.
#[test]
fn r_the_gravity_of_a_body_is_that_of_its_field() {
    for mobility in [Mobility::Dynamic, Mobility::Kinematic] {
        let mut world = World::new();
        let desc =
            BodyDesc::dynamic(ball(0.5)).with_mass(2.0).with_mobility(mobility).with_gravity_scale(0.5);
        let id = world.insert(desc).unwrap();
        let settings = world.settings().solver.gravity;
        let forces = |world: &World| world.body(id).unwrap().step_forces(DT);
        assert_eq!((forces(&world).gravity, forces(&world).force), (settings * 0.5, Vec3::ZERO));
        let wind = ForceFieldDesc::everywhere(ForceKind::Acceleration(Vec3::Z * 3.0));
        world.insert_force_field(wind).unwrap();
        let zone = ForceFieldDesc::everywhere(ForceKind::Gravity(Vec3::X * 4.0));
        let zone = world.insert_force_field(zone).unwrap();
        let wind = if mobility == Mobility::Dynamic { Vec3::Z * 6.0 } else { Vec3::ZERO };
        assert_eq!((forces(&world).gravity, forces(&world).force), (Vec3::X * 2.0, wind));
        world.remove_force_field(zone).unwrap();
        assert_eq!((forces(&world).gravity, forces(&world).force), (settings * 0.5, wind));
    }
}

/// A budget allows fewer substeps than the settings. The energy of an orbit returns with each
/// number of them.
#[test]
fn r_orbits_do_not_decay_on_a_budget() {
    let mut seen = Vec::new();
    for budget in [3_u64, 4, 5, 6, 100] {
        let mut world = weightless();
        let kind = ForceKind::Radial { center: Vec3::ZERO, strength: 10.0, exponent: -2 };
        let far = Groups::from_bits(2).unwrap();
        world.insert_force_field(ForceFieldDesc::everywhere(kind).with_mask(!far)).unwrap();
        let id = ball_at(&mut world, Vec3::X * 10.0, Vec3::Z);
        let wall = BodyDesc::fixed(cuboid(Vec3::ONE)).with_position(Vec3::X * 50.0).with_groups(far, far);
        world.insert(wall).unwrap();
        let pressed = BodyDesc::dynamic(ball(0.5)).with_position(Vec3::X * 51.499).with_groups(far, far);
        let pressed = world.insert(pressed.with_can_sleep(false)).unwrap();
        let energy = |world: &World| {
            let body = world.body(id).unwrap();
            let speed_sq = body.linear_velocity().as_dvec3().length_squared();
            0.5 * speed_sq - 10.0 / body.position().as_dvec3().length()
        };
        let start = energy(&world);
        let pressing = Vec3::NEG_X * 10.0;
        world.body_mut(pressed).unwrap().set_constant_force(pressing, Vec3::ZERO).unwrap();
        for _ in 0..(20.0 * TAU * 10.0 / DT) as usize {
            let stats = world.step_with_budget(DT, Budget::Steps(budget)).unwrap();
            if !stats.shortfall.is_deferred {
                seen.push(stats.solver.n_substeps);
            }
        }
        let gain = energy(&world) / start - 1.0;
        seen.sort_unstable();
        seen.dedup();
        println!("budget {budget}: energy {gain:e}, substeps so far {seen:?}");
        assert!(gain.abs() < 0.01, "{budget}: {gain}");
    }
    assert!(3 <= seen.len() && seen.contains(&6), "{seen:?}");
}
