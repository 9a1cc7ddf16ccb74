//! Loads on soft bodies, of [`SoftBodyMut::load`](carom_world::SoftBodyMut::load): sleep, errors,
//! and calls that a budget defers.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, reread};
use carom_math::glam::DVec3;
use carom_math::{Budget, Vec3};
use carom_world::{
    BodyDesc, BodyId, ClothSettings, Grains, ParticlePhase, ParticlesDesc, RopeSettings, SoftBodyDesc,
    SoftBodyId, SoftError, SoftLoad, World, WorldError,
};

/// A sheet of cloth, pinned along its edges at height 0, and a body far away that loads belong to.
fn sheet() -> (World, SoftBodyId, BodyId) {
    let mut world = World::new();
    let n = 6_u32;
    let row = n + 1;
    let is_edge = |v: &u32| [v % row, v / row].iter().any(|k| *k == 0 || *k == n);
    let pins: Vec<u32> = (0..row * row).filter(is_edge).collect();
    let settings = ClothSettings::default().with_damping(5.0);
    let cloth = SoftBodyDesc::grid([2.0, 2.0], [n, n], settings).with_density(2.0).with_pinned(&pins);
    let cloth = world.insert_soft_body(cloth).unwrap();
    let body = world.insert(BodyDesc::fixed(ball(0.1)).with_position(Vec3::Y * 50.0)).unwrap();
    (world, cloth, body)
}

/// A load in the middle of a triangle in the middle of the sheet.
fn load_on(world: &World, cloth: SoftBodyId, body: BodyId, triangle: u32, mass: f32) -> SoftLoad {
    let view = world.soft_body(cloth).unwrap();
    let corners = view.mesh().unwrap().mesh().corners(triangle);
    let point = (corners.iter().sum::<DVec3>() / 3.0).as_vec3();
    SoftLoad::new(body, triangle, point, mass).with_radius(0.3)
}

fn lowest(world: &World, cloth: SoftBodyId) -> f32 {
    world.soft_body(cloth).unwrap().positions().iter().map(|p| p.y).fold(0.0, f32::min)
}

/// Gives loads at triangles 30 and 40 in each step until the sheet sleeps. Returns them.
fn asleep(n_loads: usize) -> (World, SoftBodyId, Vec<SoftLoad>) {
    let (mut world, cloth, body) = sheet();
    for _ in 0..1500 {
        let loads = [30, 40, 34, 44].map(|triangle| load_on(&world, cloth, body, triangle, 1.0));
        let loads = &loads[..n_loads];
        for load in loads {
            world.soft_body_mut(cloth).unwrap().load(*load).unwrap();
        }
        world.checked_step(DT).unwrap();
        if world.soft_body(cloth).unwrap().is_sleeping() {
            return (world, cloth, loads.to_vec());
        }
    }
    panic!("the sheet does not fall asleep");
}

/// A sleeping sheet sleeps on while its loads are given again as they were, in any order. It wakes
/// if any of them changes, is missing, or is given twice, and sags or rises.
#[test]
fn r_a_sleeping_sheet_wakes_if_its_loads_change() {
    type Change = fn(&mut Vec<SoftLoad>);
    let changes: [(&str, Change, bool); 12] = [
        ("the same", |_| {}, false),
        ("another order", |loads| loads.reverse(), false),
        ("a hair's breadth", |loads| loads[0].point += Vec3::X * 1e-5, false),
        ("a thousandth of a force", |loads| loads[0].force = Vec3::Y * -0.01, false),
        ("a force", |loads| loads[1].force = Vec3::Y * -100.0, true),
        ("an upward force", |loads| loads[1].force = Vec3::Y * 8.0, true),
        ("a velocity", |loads| loads[0].velocity = Vec3::Y * -1.0, true),
        ("a radius", |loads| loads[0].radius = 0.0, true),
        ("a mass", |loads| loads[0].mass = 2.0, true),
        ("one of four is gone", |loads| _ = loads.pop(), true),
        ("one is given twice", |loads| loads.push(loads[0]), true),
        ("all are gone", Vec::clear, true),
    ];
    let (mut world, cloth, loads) = asleep(4);
    let start = world.snapshot();
    for (name, change, wakes) in changes {
        world.restore(&start).unwrap();
        let mut given = loads.clone();
        change(&mut given);
        for step in 0..30 {
            given.iter().for_each(|load| _ = world.soft_body_mut(cloth).unwrap().load(*load).unwrap());
            world.checked_step(DT).unwrap();
            let sleeps = world.soft_body(cloth).unwrap().is_sleeping();
            assert_eq!(sleeps, !wakes, "{name}, step {step}");
        }
    }
}

/// The sheet sags under a force that begins while it sleeps.
#[test]
fn r_a_sleeping_sheet_sags_under_a_new_force() {
    let (mut world, cloth, loads) = asleep(1);
    let start = lowest(&world, cloth);
    for _ in 0..120 {
        let load = loads[0].with_force(Vec3::Y * -1000.0);
        world.soft_body_mut(cloth).unwrap().load(load).unwrap();
        world.checked_step(DT).unwrap();
    }
    let end = lowest(&world, cloth);
    assert!(end < start - 0.05, "{start} {end}");
}

/// Removal of the body wakes the sheet, also if it was the only one. Disabled, it bears nothing.
#[test]
fn r_loads_of_a_body_that_is_gone_are_dropped() {
    for is_removed in [true, false] {
        let (mut world, cloth, loads) = asleep(1);
        let start = lowest(&world, cloth);
        let load = loads[0];
        world.soft_body_mut(cloth).unwrap().load(load).unwrap();
        if is_removed {
            world.remove(load.body).unwrap();
        } else {
            world.body_mut(load.body).unwrap().set_enabled(false).unwrap();
        }
        for _ in 0..120 {
            let given = world.soft_body_mut(cloth).unwrap().load(load).map(|_| ());
            assert_eq!(given.is_err(), is_removed);
            world.checked_step(DT).unwrap();
            assert!(world.soft_events().iter().all(|event| !event.began));
        }
        assert_eq!(world.soft_body(cloth).unwrap().touching().count(), 0);
        assert!(start + 0.003 < lowest(&world, cloth), "{start} {}", lowest(&world, cloth));
    }
}

/// A load of a body that was removed, and one on a triangle that does not exist, are refused.
#[test]
fn r_loads_on_nothing_are_refused() {
    let (mut world, cloth, body) = sheet();
    let points: Vec<Vec3> = (0..5).map(|k| Vec3::new(0.1 * k as f32, 9.0, 0.0)).collect();
    let rope = SoftBodyDesc::rope(&points, RopeSettings::default()).with_thickness(0.05);
    let rope = world.insert_soft_body(rope);
    let load = load_on(&world, cloth, body, 30, 1.0);
    let gone = world.insert(BodyDesc::fixed(ball(0.1))).unwrap();
    world.remove(gone).unwrap();
    let before = world.snapshot();
    let n_triangles = world.soft_body(cloth).unwrap().mesh().unwrap().mesh().indices().len() as u32;
    let mut refused = |soft, load| world.soft_body_mut(soft).unwrap().load(load).map(|_| ()).unwrap_err();
    let of = |body, triangle| SoftLoad::new(body, triangle, load.point, 1.0);
    assert_eq!(refused(cloth, of(gone, 30)), WorldError::StaleBody(gone));
    for triangle in [n_triangles, u32::MAX] {
        let error = refused(cloth, of(body, triangle));
        assert_eq!(error, WorldError::Soft(SoftError::NoSuchTriangle { triangle }));
    }
    if let Ok(rope) = rope {
        let error = refused(rope, of(body, 0));
        assert_eq!(error, WorldError::Soft(SoftError::NoSuchTriangle { triangle: 0 }));
    }
    assert_eq!(serde_json::to_value(world.snapshot()).unwrap(), serde_json::to_value(before).unwrap());
}

/// A stored load on a triangle that does not exist is refused.
#[test]
fn r_stored_loads_are_checked() {
    let (mut world, cloth, body) = sheet();
    let load = load_on(&world, cloth, body, 30, 1.0);
    world.soft_body_mut(cloth).unwrap().load(load).unwrap();
    let good = world.snapshot();
    world.restore(&reread(&good)).unwrap();
    let text = serde_json::to_string(&good).unwrap();
    let bad = text.replace("\"triangle\":30", "\"triangle\":4000000");
    assert_ne!(text, bad);
    let refused =
        serde_json::from_str(&bad).map_err(|_| ()).and_then(|bad| world.restore(&bad).map_err(|_| ()));
    assert!(refused.is_err());
}

/// A step that ends with an error changes nothing: the next one goes on as if it had not been.
#[test]
fn r_an_error_of_a_soft_step_keeps_no_momentum() {
    let run = |n_failures: usize| {
        let (mut world, cloth, body) = sheet();
        (0..10).for_each(|_| _ = world.checked_step(DT).unwrap());
        // Too many grains at one point are refused by each step.
        let grains = ParticlesDesc::new(ParticlePhase::Grains(Grains::default()), 0.1);
        let grains = grains.with_positions(&[Vec3::Y * 30.0; 1000]);
        let grains = world.insert_particles(grains).unwrap();
        for _ in 0..n_failures {
            let load = load_on(&world, cloth, body, 30, 1.0).with_force(Vec3::Y * 1e3);
            world.soft_body_mut(cloth).unwrap().load(load).unwrap();
            assert!(world.step(DT).is_err());
        }
        world.remove_particles(grains).unwrap();
        (0..10).for_each(|_| _ = world.checked_step(DT).unwrap());
        world.soft_body(cloth).unwrap().positions().to_vec()
    };
    assert_eq!(run(2), run(0));
}

/// A call that a budget defers uses up the loads: one that is given in each call has its mass, and
/// not a multiple of it.
#[test]
fn r_loads_of_deferred_calls_do_not_add_up() {
    let run = |is_tight: bool| {
        let (mut world, cloth, body) = sheet();
        // A ball that rolls far above: its pair is tested in each step, and uses the budget up.
        let floor = BodyDesc::fixed(cuboid(Vec3::new(90.0, 0.5, 9.0))).with_position(Vec3::Y * 20.0);
        world.insert(floor).unwrap();
        let rolling = of_unit_density(ball(0.5)).with_position(Vec3::Y * 21.0);
        let rolling = rolling.with_linear_velocity(Vec3::X * 3.0).with_angular_velocity(Vec3::Z * -6.0);
        world.insert(rolling.with_can_sleep(false)).unwrap();
        let (mut n_deferred, mut lowest_at) = (0, 0.0_f32);
        for _ in 0..300 {
            let load = load_on(&world, cloth, body, 30, 20.0);
            world.soft_body_mut(cloth).unwrap().load(load).unwrap();
            let budget = if is_tight { Budget::Steps(2) } else { Budget::Unlimited };
            let stats = world.step_with_budget(DT, budget).unwrap();
            n_deferred += usize::from(stats.shortfall.is_deferred);
            lowest_at = lowest_at.min(lowest(&world, cloth));
        }
        (n_deferred, lowest_at)
    };
    let [tight, free] = [true, false].map(run);
    println!("deferred and lowest: {tight:?}, {free:?}");
    assert!(10 < tight.0 && free.0 == 0, "{tight:?}");
    assert!(1.05 * free.1 < tight.1, "{tight:?} {free:?}");
}
