//! Reasons for which soft things wake while nothing else moves, and things that hold them.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground};
use crate::soft::tetrahedra;
use carom_math::glam::DVec3;
use carom_math::{Pose, Quat, Vec3};
use carom_world::{
    BodyDesc, BodyId, ColliderDesc, Filter, Grains, Groups, LockedAxes, ParticlePhase, ParticlesDesc,
    ParticlesId, RopeSettings, SoftBodyDesc, SoftBodyId, SoftBodySettings, SoftEvent, SoftSettings,
    SoftThing, World,
};

fn run(world: &mut World, seconds: f32) {
    (0..(seconds / DT).round() as usize).for_each(|_| _ = world.checked_step(DT).unwrap());
}

fn grains(positions: &[Vec3]) -> ParticlesDesc {
    ParticlesDesc::new(ParticlePhase::Grains(Grains::default()), 0.05).with_positions(positions)
}

/// Two grains that sleep on a floor. No body can move.
fn sleeping_grains() -> (World, ParticlesId) {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(cuboid(Vec3::new(9.0, 0.5, 9.0))).with_position(Vec3::Y * -0.5)).unwrap();
    let id = world.insert_particles(grains(&[Vec3::Y * 0.05, Vec3::new(2.0, 0.05, 0.0)])).unwrap();
    run(&mut world, 4.0);
    assert!(world.particles(id).unwrap().is_sleeping());
    (world, id)
}

#[test]
fn settings_wake_soft_things_in_a_world_at_rest() {
    let changes: [fn(&mut World); 4] = [
        |world| world.solver_settings_mut().gravity = Vec3::Y,
        |world| world.solver_settings_mut().sleep = false,
        |world| world.set_soft_settings(SoftSettings::default().with_substeps(8)).unwrap(),
        World::wake_all,
    ];
    for (k, change) in changes.into_iter().enumerate() {
        let (mut world, id) = sleeping_grains();
        change(&mut world);
        world.checked_step(DT).unwrap();
        assert!(!world.particles(id).unwrap().is_sleeping(), "change {k}");
    }
    let (mut world, id) = sleeping_grains();
    world.solver_settings_mut().gravity = Vec3::Y;
    run(&mut world, 1.0);
    assert!(0.4 < world.particles(id).unwrap().positions()[0].y);
}

/// A fixed body that is put onto a sleeping grain pushes it out, however it came there.
#[test]
fn a_fixed_body_that_appears_wakes_soft_things() {
    let position = Vec3::new(0.2, 0.0, 0.0);
    let block = || BodyDesc::fixed(cuboid(Vec3::splat(0.3)));
    for is_moved in [false, true] {
        let (mut world, id) = sleeping_grains();
        let far = Vec3::X * 50.0;
        let block = world.insert(block().with_position(if is_moved { far } else { position })).unwrap();
        if is_moved {
            run(&mut world, 0.5);
            assert!(world.particles(id).unwrap().is_sleeping());
            world.body_mut(block).unwrap().set_pose(Pose::from_translation(position)).unwrap();
        }
        run(&mut world, 0.5);
        let grain = world.particles(id).unwrap().positions()[0];
        assert!(0.34 < (grain - position).abs().max_element(), "moved: {is_moved}, {grain}");
    }
}

/// A step without time, and one in which all sleep, repeat no event.
#[test]
fn an_event_of_soft_things_is_reported_once() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let id = world.insert_particles(grains(&[Vec3::Y * 0.2])).unwrap();
    let mut n_events = 0;
    for _ in 0..60 {
        for dt in [DT, 0.0, DT] {
            world.checked_step(dt).unwrap();
            n_events += world.soft_events().len();
        }
        assert!(world.soft_events().is_empty() || n_events == 1);
    }
    assert_eq!((n_events, world.particles(id).unwrap().touching().count()), (1, 1));
}

/// After the last soft thing is removed, the next one sets the radius anew.
#[test]
fn the_radius_of_removed_soft_things_is_forgotten() {
    let mut world = World::new();
    let thin: Vec<Vec3> = (0..5).map(|k| Vec3::X * (0.02 * k as f32)).collect();
    let thick: Vec<Vec3> = thin.iter().map(|point| *point * 100.0).collect();
    let rope = |points: &[Vec3]| SoftBodyDesc::rope(points, RopeSettings::default());
    let id = world.insert_soft_body(rope(&thin)).unwrap();
    assert!(world.insert_soft_body(rope(&thick)).is_err());
    world.remove_soft_body(id).unwrap();
    let id = world.insert_soft_body(rope(&thick)).unwrap();
    run(&mut world, 0.5);
    let fallen = -world.soft_body(id).unwrap().positions()[0].y;
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 0.03, "{fallen}");
    world.remove_soft_body(id).unwrap();
    let water = ParticlePhase::Liquid(carom_world::Liquid::default());
    world.insert_particles(ParticlesDesc::new(water, 0.01).with_positions(&[Vec3::ZERO])).unwrap();
    run(&mut world, 0.1);
}

/// A plank that leans against the pull of a rope sleeps. Without the rope it wakes and falls.
#[test]
fn a_sleeping_body_falls_when_the_rope_that_held_it_is_removed() {
    let mut world = World::new();
    world.insert(ground().with_friction(1.0)).unwrap();
    let rotation = Quat::from_rotation_z(-0.5);
    let up = Pose::new(rotation, Vec3::ZERO).transform_vector(Vec3::Y);
    let plank = BodyDesc::dynamic(cuboid(Vec3::new(0.1, 1.0, 0.2))).with_friction(1.0).with_mass(5.0);
    let plank = world.insert(plank.with_pose(Pose::new(rotation, up + Vec3::Y * 0.05))).unwrap();
    let points: Vec<Vec3> = (0..11).map(|k| Vec3::NEG_X * (0.1 * k as f32)).collect();
    let rope = SoftBodyDesc::rope(&points, RopeSettings::default().with_damping(2.0));
    let rope = rope.with_position(up * 2.0 + Vec3::Y * 0.05).with_pinned(&[10]);
    let rope = rope.with_filter(Filter::new(Groups::all(), Groups::empty()));
    let rope = world.insert_soft_body(rope).unwrap();
    world.soft_body_mut(rope).unwrap().attach(0, plank).unwrap();
    let mut n_steps = 0;
    while !(world.body(plank).unwrap().is_sleeping() && world.soft_body(rope).unwrap().is_sleeping()) {
        world.checked_step(DT).unwrap();
        n_steps += 1;
        assert!(n_steps < 1800, "after 30 s both sleep");
    }
    assert!(0.8 < world.body(plank).unwrap().position().y);
    world.remove_soft_body(rope).unwrap();
    run(&mut world, 2.0);
    assert!(world.body(plank).unwrap().position().y < 0.2);
}

fn rope_at(world: &mut World, body: BodyId) -> SoftBodyId {
    let points: Vec<Vec3> = (0..6).map(|k| Vec3::NEG_Y * (0.1 * k as f32)).collect();
    let at = world.body(body).unwrap().position();
    let rope = SoftBodyDesc::rope(&points, RopeSettings::default()).with_position(at);
    let rope = world.insert_soft_body(rope).unwrap();
    world.soft_body_mut(rope).unwrap().attach(0, body).unwrap();
    rope
}

/// A sensor holds what is attached to it, though soft things pass it. So does a body whose
/// colliders are all sensors. Other bodies keep their own shapes beside it.
#[test]
fn sensors_hold_attached_vertices() {
    let sensor = |x: f32| {
        let at = Pose::from_translation(Vec3::X * x);
        ColliderDesc::new(ball(0.1)).with_sensor(true).with_pose(at)
    };
    let bodies = [
        BodyDesc::kinematic(ball(0.1)).with_sensor(true),
        BodyDesc::kinematic(sensor(0.0)).with_collider(sensor(1.0)),
    ];
    for desc in bodies {
        let mut world = World::new();
        let anchor = world.insert(desc.with_position(Vec3::Y * 2.0)).unwrap();
        world.insert(ground()).unwrap();
        let rope = rope_at(&mut world, anchor);
        let grain = world.insert_particles(grains(&[Vec3::new(3.0, 0.2, 0.0)])).unwrap();
        run(&mut world, 1.0);
        let held = world.soft_body(rope).unwrap().positions()[0];
        assert!(held.distance(Vec3::Y * 2.0) < 0.01, "{held}");
        let grain = world.particles(grain).unwrap().positions()[0];
        assert!((grain.y - 0.05).abs() < 0.01, "{grain}");
        world.body_mut(anchor).unwrap().set_linear_velocity(Vec3::X).unwrap();
        run(&mut world, 1.0);
        let held = world.soft_body(rope).unwrap().positions()[0];
        assert!(held.distance(Vec3::new(1.0, 2.0, 0.0)) < 0.05, "{held}");
    }
}

/// A shelf of 0.5 kg that cannot move bears a soft block of 27 kg. A drawer that only slides is
/// dragged by one, and keeps its height.
#[test]
fn locked_axes_bear_soft_things() {
    let slides = LockedAxes::TRANSLATION_Y | LockedAxes::TRANSLATION_Z | LockedAxes::ROTATION;
    for (locked, speed) in [(LockedAxes::all(), 0.0), (slides, 1.0)] {
        let mut world = World::new();
        let shelf = BodyDesc::dynamic(cuboid(Vec3::new(0.8, 0.1, 0.5))).with_mass(0.5);
        let shelf = world.insert(shelf.with_locked_axes(locked).with_position(Vec3::Y)).unwrap();
        let (vertices, cells) = tetrahedra([2, 2, 2], 0.15);
        let stiff = SoftBodySettings::default().with_youngs_modulus(1e6);
        let low = vertices.iter().map(|vertex| vertex.y).fold(f32::INFINITY, f32::min);
        let block = SoftBodyDesc::volume(&vertices, &cells, stiff).with_velocity(Vec3::X * speed);
        let block = block.with_thickness(0.1).with_position(Vec3::new(-0.15, 1.16 - low, -0.15));
        let block = world.insert_soft_body(block).unwrap();
        run(&mut world, 1.5);
        let lowest = world.soft_body(block).unwrap().positions().iter().map(|p| p.y);
        let lowest = lowest.fold(f32::INFINITY, f32::min);
        let shelf = world.body(shelf).unwrap();
        assert!((lowest - 1.15).abs() < 0.01, "{locked:?}: {lowest}");
        assert!((shelf.position().y - 1.0).abs() < 1e-5, "{}", shelf.position());
        assert!(
            (shelf.linear_velocity().x - speed).abs() < 0.1 * speed + 1e-6,
            "{}",
            shelf.linear_velocity()
        );
    }
}

/// A contact ends if the body or the soft thing is removed, as one of two bodies does. The event
/// has the old handles, also if the slot has another thing by then, and after a restore.
#[test]
fn a_removal_ends_the_contacts_of_soft_things() {
    let floor = || BodyDesc::fixed(cuboid(Vec3::new(9.0, 0.5, 9.0))).with_position(Vec3::Y * -0.5);
    for (removes_body, is_followed, is_restored) in
        [(true, false, false), (false, false, false), (false, true, false), (false, true, true)]
    {
        let mut world: World = World::new();
        let floor = world.insert(floor()).unwrap();
        let id = world.insert_particles(grains(&[Vec3::Y * 0.05])).unwrap();
        run(&mut world, 4.0);
        assert!(world.particles(id).unwrap().is_sleeping());
        assert_eq!(world.particles(id).unwrap().touching().collect::<Vec<_>>(), [floor]);
        if removes_body {
            world.remove(floor).unwrap();
        } else {
            world.remove_particles(id).unwrap();
        }
        if is_followed {
            let next = world.insert_particles(grains(&[Vec3::Y * 9.0])).unwrap();
            let [index, old] = [next, id].map(|id| SoftThing::Particles(id).index());
            assert_eq!(index, old, "the slot is used again");
            assert_eq!(world.particles(next).unwrap().touching().count(), 0);
        }
        if is_restored {
            let shot = world.snapshot();
            world.restore(&shot).unwrap();
        }
        world.checked_step(DT).unwrap();
        let ended = SoftEvent { thing: SoftThing::Particles(id), body: floor, began: false };
        assert_eq!(world.soft_events(), [ended], "{removes_body} {is_followed} {is_restored}");
        world.checked_step(DT).unwrap();
        assert!(world.soft_events().is_empty());
    }
}

/// The origin of the frame moves under sleeping soft things, and they sleep on. If a body near them
/// was moved before, they wake.
#[test]
fn r_soft_things_sleep_on_when_the_origin_moves() {
    for far in [DVec3::X, DVec3::new(0.3, -0.1, 1000.7), DVec3::new(-5e4, 3.3, 7e3)] {
        let (mut world, id) = sleeping_grains();
        let stone = world.insert(BodyDesc::fixed(ball(0.5)).with_position(Vec3::X * 50.0)).unwrap();
        let marker = BodyDesc::kinematic(ball(0.1)).with_sensor(true);
        world.insert(marker.with_position(Vec3::Y * 0.05)).unwrap();
        for k in 1..6 {
            world.set_origin(far * f64::from(k)).unwrap();
            assert!(world.particles(id).unwrap().is_sleeping(), "{far}, {k}");
            for _ in 0..3 {
                world.checked_step(DT).unwrap();
                assert!(world.particles(id).unwrap().is_sleeping(), "{far}, {k}");
            }
        }
        let grain = world.particles(id).unwrap().positions()[0];
        let beside = Pose::from_translation(grain + Vec3::X * 0.5);
        world.body_mut(stone).unwrap().set_pose(beside).unwrap();
        world.set_origin(DVec3::ZERO).unwrap();
        world.checked_step(DT).unwrap();
        assert!(!world.particles(id).unwrap().is_sleeping(), "{far}: the stone is there");
    }
}

/// Bodies that change before a step without time, or before a detection, wake soft things in the
/// next step.
#[test]
fn r_a_step_without_time_forgets_no_change() {
    let looks: [fn(&mut World); 4] = [
        |world| _ = world.step(0.0).unwrap(),
        |world| _ = world.detect(),
        |world| {
            world.detect();
            world.step(0.0).unwrap();
        },
        |world| {
            world.step(0.0).unwrap();
            let shot = world.snapshot();
            world.restore(&shot).unwrap();
        },
    ];
    let position = Vec3::new(0.2, 0.0, 0.0);
    for (k, look) in looks.into_iter().enumerate() {
        for is_moved in [false, true] {
            let (mut world, id) = sleeping_grains();
            let start = if is_moved { Vec3::X * 50.0 } else { position };
            let block = world.insert(BodyDesc::fixed(cuboid(Vec3::splat(0.3))).with_position(start)).unwrap();
            if is_moved {
                run(&mut world, 0.1);
                assert!(world.particles(id).unwrap().is_sleeping());
                world.body_mut(block).unwrap().set_pose(Pose::from_translation(position)).unwrap();
            }
            look(&mut world);
            run(&mut world, 0.5);
            let grain = world.particles(id).unwrap().positions()[0];
            assert!(0.34 < (grain - position).abs().max_element(), "{k}, moved: {is_moved}, {grain}");
        }
        // Nothing changed: they sleep on.
        let (mut world, id) = sleeping_grains();
        look(&mut world);
        run(&mut world, 0.1);
        assert!(world.particles(id).unwrap().is_sleeping(), "{k}");
    }
}
