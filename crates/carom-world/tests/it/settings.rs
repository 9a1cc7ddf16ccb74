//! Settings out of their bounds are refused by name, and handles say nothing of their world.

use crate::scenes::{CheckedStep, DT, ball, stack, world_on};
use carom_broad_tree::DynamicBvh;
use carom_math::Vec3;
use carom_response::SolverError;
use carom_world::{BodyDesc, SolverSettings, World, WorldError, WorldSettings};

type Field = fn(&mut WorldSettings) -> &mut f32;

const FIELDS: [(&str, Field); 14] = [
    ("gravity", |s| &mut s.solver.gravity.z),
    ("length_unit", |s| &mut s.solver.length_unit),
    ("joint_frequency", |s| &mut s.solver.joint_frequency),
    ("joint_damping", |s| &mut s.solver.joint_damping),
    ("push_out_rate", |s| &mut s.solver.push_out_rate),
    ("push_out_speed", |s| &mut s.solver.push_out_speed),
    ("slop", |s| &mut s.solver.slop),
    ("restitution_threshold", |s| &mut s.solver.restitution_threshold),
    ("sleep_speed", |s| &mut s.solver.sleep_speed),
    ("sleep_delay", |s| &mut s.solver.sleep_delay),
    ("settle_braking", |s| &mut s.solver.settle_braking),
    ("max_speed", |s| &mut s.solver.max_speed),
    ("prediction", |s| &mut s.prediction),
    ("recycling", |s| &mut s.recycling),
];

fn name_of(error: WorldError) -> &'static str {
    match error {
        WorldError::BadValue { what: name, .. }
        | WorldError::Solver(SolverError::BadSetting { name, .. }) => name,
        other => panic!("{other:?}"),
    }
}

/// At each door: in a world made with them, changed between steps, and set.
#[test]
fn each_setting_out_of_its_bounds_is_named() {
    for (name, field) in FIELDS {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1e-3, -1.0, -f32::MAX] {
            if name == "gravity" && bad.abs() <= 1.0 {
                continue;
            }
            let mut settings = WorldSettings::default();
            *field(&mut settings) = bad;
            assert_eq!(name_of(settings.check().unwrap_err()), name, "{bad}");
            let mut world = World::with_settings(settings);
            stack(&mut world, 2);
            assert_eq!(name_of(world.checked_step(DT).unwrap_err()), name, "{bad}");
            let mut world = world_on::<DynamicBvh>();
            stack(&mut world, 2);
            world.checked_step(DT).unwrap();
            let hash = world.state_hash();
            assert_eq!(name_of(world.set_settings(settings).unwrap_err()), name);
            assert_eq!(*world.settings(), WorldSettings::default());
            *world.solver_settings_mut() = settings.solver;
            let is_of_solver = !["prediction", "recycling"].contains(&name);
            assert_eq!(world.checked_step(DT).is_err(), is_of_solver, "{name} {bad}");
            assert_eq!(world.state_hash() == hash, is_of_solver);
            *world.solver_settings_mut() = SolverSettings::default();
            world.checked_step(DT).unwrap();
            world.validate().unwrap();
        }
    }
    for bad in [0, SolverSettings::MAX_SUBSTEPS + 1, u32::MAX] {
        let settings = WorldSettings::default().with_solver(SolverSettings::default().with_substeps(bad));
        assert_eq!(name_of(settings.check().unwrap_err()), "substeps");
    }
}

/// Steps with settings at their bounds end, and do not panic.
#[test]
fn settings_at_their_bounds_are_allowed() {
    for (name, field) in FIELDS {
        let [low, high] = match name {
            "gravity" => [-1e18, 1e18],
            "length_unit" => [1e-9, 1e9],
            "prediction" | "recycling" => [0.0, 1e3],
            _ => [0.0, 1e9],
        };
        for bound in [low, high] {
            let mut settings = WorldSettings::default();
            *field(&mut settings) = bound;
            settings.check().unwrap();
            let mut world = World::with_settings(settings);
            stack(&mut world, 3);
            for _ in 0..10 {
                // A body may leave the numbers.
                let _ = world.checked_step(DT);
            }
        }
    }
    let mut world = world_on::<DynamicBvh>();
    stack(&mut world, 2);
    world.solver_settings_mut().substeps = SolverSettings::MAX_SUBSTEPS;
    assert_eq!(world.checked_step(DT).unwrap().solver.n_substeps, SolverSettings::MAX_SUBSTEPS);
}

/// A handle is a number and a generation: in another world it is that of the body that has both, if
/// there is one.
#[test]
fn a_handle_in_another_world_names_the_body_with_its_number() {
    let [mut own, mut other] = [world_on::<DynamicBvh>(), world_on::<DynamicBvh>()];
    let at = |x: f32| BodyDesc::dynamic(ball(0.5)).with_position(Vec3::X * x);
    let id = own.insert(at(1.0)).unwrap();
    assert_eq!(
        other.body(id).map(|body| body.pose()),
        Err(WorldError::StaleBody(id)),
        "there is no such number"
    );
    let namesake = other.insert(at(2.0)).unwrap();
    assert_eq!(id, namesake);
    assert_eq!(other.body(id).unwrap().position(), Vec3::X * 2.0);
    other.remove(namesake).unwrap();
    let next = other.insert(at(3.0)).unwrap();
    assert_eq!(next.index(), id.index());
    assert_eq!(
        other.body(id).map(|body| body.pose()),
        Err(WorldError::StaleBody(id)),
        "it is of another generation"
    );
    // A restored world accepts the handles of the world that the snapshot was taken of.
    let again: World = crate::scenes::restored(&own.snapshot(), &own).unwrap();
    assert_eq!(again.body(id).map(|body| body.pose()), own.body(id).map(|body| body.pose()));
}
