//! A snapshot of which some numbers are others is refused, or steps after it end and do not panic.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, world_on};
use carom_broad_tree::DynamicBvh;
use carom_geom::{Capsule, ConvexHull, Sphere};
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_testkit::conform::dice::Dice;
use carom_world::{
    AxisLimit, BodyDesc, BodyId, Budget, ColliderDesc, Inconsistency, JointAxis, JointDesc, JointKind, Motor,
    Snapshot, TorsionSpring, World, WorldError,
};
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

fn capsule(half: f32, radius: f32) -> Shape {
    Shape::Capsule(Capsule::new(half, radius).unwrap())
}

/// Something of everything: boxes that sleep and boxes that fall, a hull, joints of each kind, a
/// sensor, a fast body, a kinematic one, and a number that is free.
fn scene(budget: Budget) -> World {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    for x in 0..2 {
        let at = Vec3::new(-6.0, 0.5 + x as f32, 0.0);
        world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at)).unwrap();
    }
    let corners = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_ONE, Vec3::new(0.5, 0.6, 0.5)];
    let hull = Shape::Hull(Arc::new(ConvexHull::from_points(&corners).unwrap()));
    for x in [0.0, 0.7] {
        let at = Vec3::new(x, 1.5 + 2.0 * x, 0.0);
        world.insert(of_unit_density(hull.clone()).with_position(at)).unwrap();
    }
    let mut last = world.insert(BodyDesc::fixed(ball(0.1)).with_position(Vec3::new(4.0, 4.0, 0.0))).unwrap();
    let motor = Some(Motor::velocity(1.0).with_max_force(2.0));
    let kinds = [
        JointKind::Spherical { cone: 1.0, twist: None },
        JointKind::Revolute { limits: Some([-1.0, 1.0]), motor },
        JointKind::Weld,
    ];
    for (k, kind) in (1..).zip(kinds) {
        let at = Vec3::new(4.0 + k as f32, 4.0, 0.0);
        let link = world.insert(of_unit_density(capsule(0.2, 0.2)).with_position(at)).unwrap();
        let joint = world
            .insert_joint(JointDesc::new(last, link, kind).with_anchor(at - Vec3::X * 0.5).with_axis(Vec3::Z))
            .unwrap();
        if matches!(kind, JointKind::Revolute { .. }) {
            world.joint_mut(joint).unwrap().set_torsion_spring(Some(TorsionSpring::new(3.0, 20.0))).unwrap();
        }
        last = link;
    }
    let rope = JointKind::Distance { min: 0.0, max: 1.5 };
    let end = world.insert(of_unit_density(ball(0.3)).with_position(Vec3::new(7.0, 3.0, 0.0))).unwrap();
    world.insert_joint(JointDesc::new(last, end, rope).with_frames(Pose::IDENTITY, Pose::IDENTITY)).unwrap();
    let sensor =
        BodyDesc::fixed(cuboid(Vec3::ONE)).with_position(Vec3::new(-6.0, 1.0, 0.0)).with_sensor(true);
    world.insert(sensor).unwrap();
    let lift = BodyDesc::kinematic(cuboid(Vec3::ONE)).with_linear_velocity(Vec3::X * 0.3);
    world.insert(lift.with_position(Vec3::new(-1.0, 0.9, 3.0))).unwrap();
    world.insert(of_unit_density(cuboid(Vec3::splat(0.3))).with_position(Vec3::new(-1.0, 2.2, 3.0))).unwrap();
    let bullet = of_unit_density(Shape::Sphere(Sphere::new(0.1).unwrap())).with_ccd(true);
    let bullet = bullet.with_position(Vec3::new(20.0, 1.0, 0.0)).with_linear_velocity(Vec3::X * -20.0);
    world.insert(bullet).unwrap();
    let aside = |x: f32| Pose::from_translation(Vec3::X * x);
    let colliders = of_unit_density(ball(0.3))
        .with_collider(ColliderDesc::new(cuboid(Vec3::splat(0.2))).with_pose(aside(0.6)).with_user_data(3))
        .with_collider(ColliderDesc::new(ball(0.8)).with_pose(aside(-0.6)).with_sensor(true));
    world.insert(colliders.with_position(Vec3::new(-5.0, 1.5, 0.0))).unwrap();
    let gone = world.insert(of_unit_density(ball(0.3)).with_position(Vec3::new(0.0, 0.2, 0.0))).unwrap();
    for _ in 0..50 {
        world.checked_step_within(DT, budget).unwrap();
        world.validate().unwrap();
    }
    world.remove(gone).unwrap();
    world.validate().unwrap();
    world
}

/// The places of all numbers and flags.
fn leaves(value: &Value, path: &mut String, out: &mut Vec<String>) {
    let length = path.len();
    match value {
        Value::Array(list) => {
            for (k, item) in list.iter().enumerate() {
                path.push_str(&format!("/{k}"));
                leaves(item, path, out);
                path.truncate(length);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                path.push_str(&format!("/{name}"));
                leaves(item, path, out);
                path.truncate(length);
            }
        }
        Value::Number(_) | Value::Bool(_) => out.push(path.clone()),
        Value::Null | Value::String(_) => {}
    }
}

fn changed(value: &Value, dice: &mut Dice) -> Value {
    match value {
        Value::Bool(flag) => (!flag).into(),
        Value::Number(number) if number.is_u64() => {
            let n = number.as_u64().unwrap();
            match dice.below(9) {
                0 => n.wrapping_add(1).into(),
                1 => n.saturating_sub(1).into(),
                2 => 0.into(),
                3 => 8.into(),
                4 => (dice.below(40) as u64).into(),
                5 => u64::from(u32::MAX).into(),
                6 => u64::from(u32::MAX - 1).into(),
                7 => 255.into(),
                _ => u64::MAX.into(),
            }
        }
        Value::Number(number) => {
            let x = number.as_f64().unwrap();
            let others = [0.0, -x, 1e-38, -1.0, 1e30, -1e30, 3e38, 1e39, 1.5 * x, 1e6];
            others[dice.below(others.len())].into()
        }
        other => other.clone(),
    }
}

/// Restores what is stored and steps on; says whether it was restored.
fn goes_on(stored: &Value, world: &World, what: &str) -> bool {
    let Ok(snapshot) = serde_json::from_value::<Snapshot>(stored.clone()) else { return false };
    let mut again = World::new();
    let restored = again.restore_with(&snapshot, |saved| {
        let own = world.bodies().find(|own| own.id().index() == saved.body.index());
        Some(own.map_or(ball(0.3), |own| own.shape().clone()))
    });
    if let Err(error) = restored {
        assert!(!error.to_string().is_empty());
        return false;
    }
    again.validate().unwrap_or_else(|error| panic!("{what}: {error}"));
    let start = Instant::now();
    for _ in 0..30 {
        // A step may refuse what has left the numbers.
        let _ = again.checked_step(DT);
    }
    let seconds = start.elapsed().as_secs_f64();
    assert!(seconds < 60.0, "{what}: {seconds} s");
    true
}

#[test]
fn some_numbers_changed() {
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 20_000 } else { 400 };
    let mut counts = [0; 2];
    for (k, budget) in [Budget::Unlimited, Budget::Steps(12)].into_iter().enumerate() {
        let world = scene(budget);
        let stored = serde_json::to_value(world.snapshot()).unwrap();
        assert!(goes_on(&stored, &world, "as it is"));
        let mut places = Vec::new();
        leaves(&stored, &mut String::new(), &mut places);
        // One of the short tables is as likely as one of the long ones.
        let mut tables: Vec<&str> = places.iter().map(|place| place.split('/').nth(1).unwrap()).collect();
        tables.dedup();
        let mut dice = Dice::new(7 + k as u64);
        for trial in 0..n / 2 {
            let mut other = stored.clone();
            let mut what = format!("{trial}");
            for _ in 0..1 + dice.below(2) {
                let table = tables[dice.below(tables.len())];
                let own: Vec<&String> =
                    places.iter().filter(|place| place.split('/').nth(1) == Some(table)).collect();
                let place = own[dice.below(own.len())];
                let leaf = other.pointer_mut(place).unwrap();
                let new = changed(leaf, &mut dice);
                what.push_str(&format!(" {place}: {leaf} -> {new}"));
                *leaf = new;
            }
            counts[usize::from(goes_on(&other, &world, &what))] += 1;
        }
    }
    println!("{} refused, {} went on", counts[0], counts[1]);
    assert!(n / 10 < counts[0] && n / 10 < counts[1], "{counts:?}");
}

/// Tables that are longer or shorter than they were, or in another order.
#[test]
fn entries_more_or_less() {
    let world = scene(Budget::Unlimited);
    let stored = serde_json::to_value(world.snapshot()).unwrap();
    let tables = [
        "generations",
        "free",
        "traits",
        "bodies",
        "is_stale",
        "moved",
        "detected_poses",
        "states",
        "caches",
    ];
    let others = [
        "/colliders",
        "/touches",
        "/manifolds",
        "/events",
        "/joints/list",
        "/joints/ids",
        "/solver/cached",
        "/solver/asleep",
    ];
    for table in tables.map(|table| format!("/{table}")).iter().map(String::as_str).chain(others) {
        for edit in 0..4 {
            let mut other = stored.clone();
            let list = other.pointer_mut(table).unwrap().as_array_mut().unwrap();
            let Some(first) = list.first().cloned() else { continue };
            match edit {
                0 => list.push(first),
                1 => drop(list.pop()),
                2 => list.clear(),
                _ => list.reverse(),
            }
            goes_on(&other, &world, &format!("{table} {edit}"));
        }
    }
}

/// The ones that made a later step panic or run for hours.
#[test]
fn the_first_offender_is_named() {
    let world = scene(Budget::Unlimited);
    let stored = serde_json::to_value(world.snapshot()).unwrap();
    let error = |other: &Value| {
        let snapshot: Snapshot = serde_json::from_value(other.clone()).unwrap();
        crate::scenes::restored::<DynamicBvh>(&snapshot, &world).err().unwrap()
    };
    let entry = |what, index| WorldError::Inconsistent(Inconsistency { what, index });
    let mut other = stored.clone();
    other["manifolds"][1]["n_contacts"] = 8.into();
    assert_eq!(error(&other), entry("a manifold", 1));
    let mut other = stored.clone();
    let seen = other["detected_poses"].as_array_mut().unwrap();
    let n = seen.len();
    seen.push(seen[0].clone());
    assert_eq!(error(&other), entry("the table of earlier poses", n));
    let mut other = stored.clone();
    let states = other["states"].as_array_mut().unwrap();
    let touching = states.iter().position(|state| state["n"] != 0).unwrap();
    states[touching]["is_sensor"] = true.into();
    assert_eq!(error(&other), entry("a pair of a sensor with manifolds", touching));
    let mut other = stored.clone();
    let states = other["states"].as_array_mut().unwrap();
    let sensor = states.iter().position(|state| state["is_sensor"] == true).unwrap();
    states[sensor]["is_sensor"] = false.into();
    assert_eq!(error(&other), entry("whether a pair has a sensor", sensor));
    let mut other = stored.clone();
    other["settings"]["solver"]["substeps"] = u32::MAX.into();
    assert!(error(&other).to_string().contains("substeps"));
    let mut other = stored.clone();
    other["solver"]["cached"][0]["manifold_key"]["n"] = 9.into();
    assert_eq!(
        error(&other),
        entry("a cached impulse with too many contacts, or a position that is not finite", 0)
    );
    let mut other = stored.clone();
    other["joints"]["list"][2]["body_a"] = 9999.into();
    assert_eq!(error(&other), entry("a joint without two different bodies", 2));
    let mut other = stored;
    other["suspended"] = serde_json::json!([3]);
    other["bodies"][3]["kind"] = "Fixed".into();
    assert_eq!(error(&other), entry("a static body with a velocity", 3));
    for velocity in ["linear_velocity", "angular_velocity"] {
        other["bodies"][3][velocity] = serde_json::json!([0.0, 0.0, 0.0]);
    }
    other["traits"][3]["filter"]["mobility"] = "Fixed".into();
    assert_eq!(error(&other), entry("a suspended body that cannot move, or out of order", 3));
}

/// JSON has no infinity. A world with bounds that do not bound is saved as JSON, and the loaded one
/// goes on with the same bits.
#[test]
fn r_infinite_bounds_are_saved_as_json() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let hook = world.insert(BodyDesc::fixed(ball(0.1)).with_position(Vec3::Y * 5.0)).unwrap();
    let infinite = f32::INFINITY;
    let motor = Motor::velocity(1.0).with_max_force(infinite);
    let descs: [fn(BodyId, BodyId) -> JointDesc; 8] = [
        |a, b| JointDesc::prismatic(a, b).with_limits(0.0, f32::INFINITY),
        |a, b| JointDesc::prismatic(a, b).with_limits(f32::NEG_INFINITY, 0.5),
        |a, b| JointDesc::revolute(a, b).with_limits(-0.3, f32::INFINITY),
        |a, b| JointDesc::revolute(a, b).with_limits(f32::NEG_INFINITY, f32::INFINITY),
        |a, b| JointDesc::distance(a, b, 1.0, f32::INFINITY),
        |a, b| JointDesc::spherical(a, b).with_cone(f32::INFINITY),
        |a, b| {
            JointDesc::six_dof(a, b).with_axis_limit(JointAxis::X, AxisLimit::Between(-0.1, f32::INFINITY))
        },
        |a, b| {
            JointDesc::six_dof(a, b).with_axis_limit(JointAxis::Y, AxisLimit::Between(f32::NEG_INFINITY, 0.1))
        },
    ];
    for (k, desc) in descs.into_iter().enumerate() {
        let at = Vec3::new(k as f32 - 4.0, 4.0, 0.5);
        let body = world.insert(of_unit_density(cuboid(Vec3::splat(0.3))).with_position(at)).unwrap();
        let desc = desc(hook, body).with_break_force(infinite).with_break_torque(infinite);
        let desc = if k < 4 { desc.with_motor(motor) } else { desc };
        world.insert_joint(desc.with_anchor(at + Vec3::Y * 0.3)).unwrap();
    }
    for _ in 0..30 {
        world.checked_step(DT).unwrap();
    }
    let text = serde_json::to_string(&world.snapshot()).unwrap();
    let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
    let mut loaded = crate::scenes::restored::<DynamicBvh>(&snapshot, &world).unwrap();
    for (old, new) in world.joints().zip(loaded.joints()) {
        assert_eq!(old.kind(), new.kind());
    }
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
        loaded.checked_step(DT).unwrap();
        assert_eq!(world.state_hash(), loaded.state_hash());
    }
}

/// Impulses of an overflow, which JSON writes as null, are dropped.
#[test]
fn r_impulses_of_an_overflow_are_loaded() {
    let world = scene(Budget::Unlimited);
    let mut value = serde_json::to_value(world.snapshot()).unwrap();
    let impulse = &mut value["solver"]["cached"][0]["impulse"];
    assert!(impulse["twist"].is_number(), "{impulse}");
    impulse["normal"][0] = Value::Null;
    impulse["friction"][1] = Value::Null;
    impulse["twist"] = Value::Null;
    let snapshot: Snapshot = serde_json::from_value(value).unwrap();
    let mut loaded = crate::scenes::restored::<DynamicBvh>(&snapshot, &world).unwrap();
    for _ in 0..30 {
        loaded.checked_step(DT).unwrap();
    }
}
