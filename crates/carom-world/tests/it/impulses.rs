//! Impulse events: closed forms of impacts and of bodies at rest.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, is_bad, world_on};
use carom_broad::BruteForce;
use carom_broad_tree::DynamicBvh;
use carom_math::Vec3;
use carom_world::{BodyDesc, ImpulseEvent, World};

/// The first event of a ball of 0.5 m and 2 kg per cubic metre that falls by 5 m, and its mass.
fn first_impact(restitution: f32, threshold: f32) -> (Vec<ImpulseEvent>, f32) {
    let mut world = World::new();
    world.insert(ground().with_restitution(restitution)).unwrap();
    let desc = of_unit_density(ball(0.5)).with_density(2.0).with_position(Vec3::Y * 5.5);
    let id = world.insert(desc.with_restitution(restitution).with_impulse_threshold(threshold)).unwrap();
    let mass = 1.0 / world.body(id).unwrap().motion().inverse_mass;
    let mut events = Vec::new();
    for _ in 0..66 {
        world.checked_step(DT).unwrap();
        events.extend_from_slice(world.impulse_events());
    }
    (events, mass)
}

/// A fall ends with m v, a bounce gives (1 + e) m v.
#[test]
fn an_impact_has_the_impulse_of_its_momentum() {
    let speed = (2.0 * 9.81 * 5.0_f32).sqrt();
    for restitution in [0.0, 0.5, 1.0] {
        let (events, mass) = first_impact(restitution, 1.0);
        let wanted = (1.0 + restitution) * mass * speed;
        assert_eq!(events.len(), 1, "restitution {restitution}: {events:?}");
        let event = events[0];
        assert!((event.total - wanted).abs() < 0.03 * wanted, "{restitution}: {event:?} {wanted}");
        assert!(event.largest <= event.total && 0.99 * event.total < event.largest);
        assert!((event.approach_speed - speed).abs() < 0.03 * speed, "{event:?} {speed}");
        assert!((event.normal - Vec3::Y).length() < 1e-6 && event.point.length() < 0.1, "{event:?}");
        assert_eq!(event.other(event.a), Some(event.b));
    }
    // 2.09 kg at 9.9 m/s.
    assert_eq!(first_impact(0.0, 12.0).0, []);
}

/// A stack at rest pushes with its weight, in each step: at the floor with that of all boxes.
#[test]
fn bodies_at_rest_push_with_their_weight() {
    let mut world = World::new();
    let floor = world.insert(ground()).unwrap();
    let boxes: Vec<_> = (0..4)
        .map(|k| {
            let desc = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * (0.5 + k as f32));
            let id = world.insert(desc.with_impulse_threshold(0.0)).unwrap();
            world.body_mut(id).unwrap().set_can_sleep(false).unwrap();
            id
        })
        .collect();
    for step in 0..300 {
        world.checked_step(DT).unwrap();
        if step < 200 {
            continue;
        }
        let events = world.impulse_events();
        assert_eq!(events.len(), 4);
        for event in events {
            let below =
                if event.a == floor { 0 } else { 1 + boxes.iter().position(|&id| id == event.a).unwrap() };
            let wanted = (4 - below) as f32 * 9.81 * DT;
            assert!((event.total - wanted).abs() < 0.02 * wanted, "step {step}, {below}: {event:?} {wanted}");
            assert!(event.largest < 0.5 * event.total);
        }
    }
}

/// The lower one of two thresholds counts. Sensors and sleeping bodies have no event.
#[test]
fn the_lower_threshold_is_used() {
    let mut world = World::new();
    world.insert(ground().with_impulse_threshold(3.0)).unwrap();
    let at = |x: f32| of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::new(x, 3.5, 0.0));
    let high = world.insert(at(0.0).with_impulse_threshold(1e6)).unwrap();
    let none = world.insert(at(2.0)).unwrap();
    let sensor = world.insert(at(4.0).with_sensor(true).with_impulse_threshold(0.0)).unwrap();
    let mut told = std::collections::BTreeSet::new();
    for _ in 0..200 {
        world.checked_step(DT).unwrap();
        told.extend(world.impulse_events().iter().map(|event| event.b));
    }
    assert!(told.contains(&high) && told.contains(&none) && !told.contains(&sensor));
    assert!(world.body(high).unwrap().is_sleeping() && world.impulse_events().is_empty());
    world.body_mut(high).unwrap().set_impulse_threshold(f32::MAX).unwrap();
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        let mut body = world.body_mut(high).unwrap();
        assert!(is_bad(body.set_impulse_threshold(bad), "impulse threshold", bad));
    }
}

/// A bullet that a plate stops gives it its momentum, whichever step that is in.
#[test]
fn a_bullet_gives_its_momentum() {
    let mut world = World::new();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let plate = BodyDesc::fixed(cuboid(Vec3::new(0.02, 1.0, 1.0))).with_impulse_threshold(0.1);
    world.insert(plate).unwrap();
    let desc = of_unit_density(ball(0.05)).with_density(1000.0).with_position(Vec3::X * -10.0);
    let id = world.insert(desc.with_linear_velocity(Vec3::X * 400.0).with_ccd(true)).unwrap();
    let momentum = 400.0 / world.body(id).unwrap().motion().inverse_mass;
    let mut sum = 0.0;
    for _ in 0..20 {
        world.checked_step(DT).unwrap();
        sum += world.impulse_events().iter().map(|event| event.total).sum::<f32>();
    }
    assert!((sum - momentum).abs() < 0.02 * momentum, "{sum} {momentum}");
}

/// Any broad phase gives the same events, in the same order.
#[test]
fn with_any_broad_phase() {
    let trees = run(&mut world_on::<DynamicBvh>());
    assert_eq!(trees, run(&mut world_on::<BruteForce>()));
    assert!(100 < trees.len());
}

fn run<B: carom_broad::BroadPhase>(world: &mut World<B>) -> Vec<ImpulseEvent> {
    for id in crate::scenes::heap(world, 40, 3) {
        world.body_mut(id).unwrap().set_impulse_threshold(0.01).unwrap();
    }
    let mut events = Vec::new();
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
        events.extend_from_slice(world.impulse_events());
    }
    events
}
