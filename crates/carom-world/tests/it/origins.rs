//! Large worlds: what happens far away is what happens at the origin.

use super::scenes::*;
use carom_broad_tree::DynamicBvh;
use carom_math::glam::DVec3;
use carom_math::{Pose, Quat, Vec3};
use carom_scenes::{SceneSpec, push_ragdoll};
use carom_testkit::scene_world::fill;
use carom_world::{
    BodyDesc, BodyId, Event, EventKind, ForceFieldDesc, ForceKind, ForceRegion, JointDesc, World,
};

/// 100 km, in no round number.
const FAR: DVec3 = DVec3::new(100_000.3, -17.77, 61_234.567);

/// A heap on the ground and a chain of links; the ground is at `origin`.
fn yard(origin: DVec3) -> (World, Vec<BodyId>) {
    let mut world = World::new();
    world.set_origin(origin).unwrap();
    let mut ids = heap(&mut world, 60, 3);
    let link = |x: f64| {
        let at = origin + DVec3::new(x, 4.0, 6.0);
        BodyDesc::dynamic(cuboid(Vec3::new(0.2, 0.05, 0.05))).with_wide_position(at)
    };
    let links: Vec<_> = (0..6).map(|k| world.insert(link(0.5 * f64::from(k))).unwrap()).collect();
    for pair in links.windows(2) {
        let middle =
            0.5 * (world.body(pair[0]).unwrap().position() + world.body(pair[1]).unwrap().position());
        world.insert_joint(JointDesc::spherical(pair[0], pair[1]).with_anchor(middle)).unwrap();
    }
    ids.extend(links);
    (world, ids)
}

#[test]
fn a_heap_and_ragdolls_far_away_fall_as_at_zero_to_the_bit() {
    let [(mut near, _), (mut far, _)] = [yard(DVec3::ZERO), yard(FAR)];
    for world in [&mut near, &mut far] {
        let mut dolls = SceneSpec::default();
        for (family, x) in [(1, -6.0), (2, -4.0)] {
            let pose = Pose::new(Quat::from_rotation_z(0.4 * x), Vec3::new(x, 2.0, -6.0));
            push_ragdoll(&mut dolls, &pose, 1.0, family);
        }
        fill(world, &dolls);
    }
    for step in 0..180 {
        near.checked_step(DT).unwrap();
        far.checked_step(DT).unwrap();
        assert_eq!(near.events(), far.events(), "step {step}");
    }
    let positions_of = |world: &World, origin: DVec3| -> Vec<DVec3> {
        world.bodies().map(|body| body.wide_position() - origin).collect()
    };
    for (near, far) in positions_of(&near, DVec3::ZERO).iter().zip(positions_of(&far, FAR)) {
        assert!((*near - far).length() < 1e-6, "{near} {far}");
    }
}

/// The frame follows, in uneven steps, a heap that comes to rest: nothing wakes, no event is
/// reported, and no body moves by more than the rounding.
#[test]
fn a_frame_that_moves_disturbs_nothing() {
    let (mut still, ids) = yard(DVec3::ZERO);
    let mut moved = yard(DVec3::ZERO).0;
    for step in 0..600 {
        if step % 50 == 25 {
            let before: Vec<_> = ids.iter().map(|&id| moved.body(id).unwrap().wide_position()).collect();
            moved.set_origin(DVec3::new(0.37 * f64::from(step), -3.0, 12.0)).unwrap();
            moved.validate().unwrap();
            for (&id, before) in ids.iter().zip(before) {
                let body = moved.body(id).unwrap();
                let off = (body.wide_position() - before).length();
                assert!(off < 2e-5, "step {step}: {off}");
            }
        }
        let asleep = |world: &World| ids.iter().filter(|&&id| world.body(id).unwrap().is_sleeping()).count();
        let before = asleep(&moved);
        still.checked_step(DT).unwrap();
        moved.checked_step(DT).unwrap();
        if step % 50 == 25 && before == ids.len() {
            assert_eq!(asleep(&moved), before, "step {step}: who slept sleeps");
            let told = moved.events().iter().filter(|event| event.kind != EventKind::Persisted).count();
            assert_eq!(told, 0, "step {step}");
        }
    }
    let asleep = |world: &World| ids.iter().filter(|&&id| world.body(id).unwrap().is_sleeping()).count();
    assert!(50 < asleep(&still) && 50 < asleep(&moved), "{} {}", asleep(&still), asleep(&moved));
}

/// The frame goes away by 100 km, in uneven steps, and comes back to a heap that sleeps.
#[test]
fn sleeping_bodies_are_in_place_when_the_frame_comes_back() {
    let (mut world, ids) = yard(DVec3::ZERO);
    (0..900).for_each(|_| _ = world.checked_step(DT).unwrap());
    let sleeps = |world: &World, id: BodyId| world.body(id).unwrap().is_sleeping();
    let ids: Vec<_> = ids.into_iter().filter(|&id| sleeps(&world, id)).collect();
    assert!(50 < ids.len(), "{}", ids.len());
    let positions_of = |world: &World| -> Vec<DVec3> {
        ids.iter().map(|&id| world.body(id).unwrap().wide_position()).collect()
    };
    let before = positions_of(&world);
    let ways = [3e2, 4e3, 5e4, 1e5, 7e4, 1e4, 1e3, 0.0];
    for travel in ways {
        world.set_origin(DVec3::new(1.0, 0.3, -0.7) * travel).unwrap();
        world.checked_step(DT).unwrap();
        let is_new = |event: &Event| event.kind != EventKind::Persisted && ids.contains(&event.b);
        assert!(!world.events().iter().any(is_new), "at {travel} m");
        assert!(ids.iter().all(|&id| sleeps(&world, id)), "at {travel} m");
        for (before, now) in before.iter().zip(positions_of(&world)) {
            assert!((*before - now).length() < 1e-8, "at {travel} m: {before} {now}");
        }
    }
    // All wake, and nothing starts.
    world.wake_all();
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    for (before, now) in before.iter().zip(positions_of(&world)) {
        assert!((*before - now).length() < 2e-3, "{before} {now}");
    }
}

/// A ball at constant speed goes 100 km while the frame follows it: after each step it is where it
/// should be.
#[test]
fn a_frame_follows_a_ball_for_100_km() {
    let mut world = World::new();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let ball = world.insert(BodyDesc::dynamic(ball(0.5)).with_linear_velocity(Vec3::X * 500.0)).unwrap();
    let mut time = 0.0;
    while time < 200.0 {
        world.checked_step(1.0 / 64.0).unwrap();
        time += 1.0 / 64.0;
        let position = world.body(ball).unwrap().wide_position();
        if 200.0 < (position - world.origin()).length() {
            world.set_origin(position).unwrap();
        }
        // The rounding of a substep adds up.
        assert!((position.x - 500.0 * time).abs() < 1e-3 + 1e-7 * position.x, "{time} s: {position}");
    }
}

/// Fields, targets and contacts go along.
#[test]
fn all_positions_shift_with_the_origin() {
    let run = |by: DVec3| {
        let mut world = World::new();
        world.solver_settings_mut().gravity = Vec3::ZERO;
        let pull = ForceKind::Radial { center: Vec3::new(0.0, 8.0, 0.0), strength: 1.0, exponent: 1 };
        let here = ForceRegion::Ball { center: Vec3::ZERO, radius: 20.0 };
        world.insert_force_field(ForceFieldDesc::inside(here, pull)).unwrap();
        let moon = world.insert(BodyDesc::dynamic(ball(0.5)).with_position(Vec3::X * 3.0)).unwrap();
        let lift = world.insert(BodyDesc::kinematic(ball(0.5)).with_position(Vec3::Z * 9.0)).unwrap();
        let anchors = [Vec3::new(-5.0, 5.0, 5.0), Vec3::new(-3.0, 5.0, 5.0)];
        let weights = [1.0, 1.2].map(|mass: f32| {
            let at = anchors[usize::from(1.1 < mass)] - Vec3::Y * 2.0;
            world.insert(BodyDesc::dynamic(ball(0.3)).with_density(mass).with_position(at)).unwrap()
        });
        let pulley = JointDesc::pulley(weights[0], weights[1], anchors, 1.0, 4.0);
        world.insert_joint(pulley).unwrap();
        for step in 0..60 {
            let up = Vec3::new(0.0, 0.1, 9.0) + Vec3::Y * (0.05 * step as f32);
            let target = world.to_local(up.as_dvec3());
            world.body_mut(lift).unwrap().move_to(Pose::from_translation(target)).unwrap();
            if step == 20 {
                world.set_origin(by).unwrap();
            }
            world.checked_step(DT).unwrap();
        }
        [moon, lift, weights[0], weights[1]].map(|id| world.body(id).unwrap().wide_position())
    };
    let (near, far) = (run(DVec3::ZERO), run(DVec3::new(2.0, -4.0, 8.0)));
    for (near, far) in near.iter().zip(far) {
        assert!((*near - far).length() < 1e-4, "{near} {far}");
    }
}

/// A cloth that lies on a ball sleeps on, and so does the ball.
#[cfg(feature = "soft")]
#[test]
fn soft_things_go_along() {
    use carom_world::{ClothSettings, SoftBodyDesc};
    let run = |moves: bool| {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        let stone = world.insert(BodyDesc::fixed(ball(0.5)).with_position(Vec3::Y * 0.4)).unwrap();
        let sheet = SoftBodyDesc::grid([1.5; 2], [12, 12], ClothSettings::default());
        let sheet = world.insert_soft_body(sheet.with_position(Vec3::Y * 1.2)).unwrap();
        for step in 0..400 {
            if moves && step % 40 == 20 {
                world.set_origin(DVec3::new(0.25 * f64::from(step), 0.5, -2.0)).unwrap();
                world.validate().unwrap();
            }
            world.checked_step(DT).unwrap();
        }
        let vertices = world.soft_body(sheet).unwrap().positions().to_vec();
        let center = world.body(stone).unwrap().position();
        let nearest = vertices.iter().map(|v| (*v - center).length()).fold(f32::MAX, f32::min);
        let top = vertices.iter().map(|v| world.to_wide(*v).y).fold(f64::MIN, f64::max);
        (nearest, top)
    };
    let ((near, top), (moved, moved_top)) = (run(false), run(true));
    assert!(0.49 < near && 0.49 < moved, "{near} {moved}");
    assert!((top - moved_top).abs() < 0.02, "{top} {moved_top}");
}

#[test]
fn snapshots_hold_the_origin_and_bad_ones_are_refused() {
    let (mut world, ids) = yard(FAR);
    (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
    let mut again = crate::scenes::restored::<DynamicBvh>(&world.snapshot(), &world).unwrap();
    assert_eq!(again.origin(), FAR);
    (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
    (0..30).for_each(|_| _ = again.checked_step(DT).unwrap());
    assert_eq!(world.state_hash(), again.state_hash());
    let before = world.state_hash();
    for bad in [DVec3::NAN, DVec3::INFINITY, FAR + DVec3::X * 2e9] {
        assert!(world.set_origin(bad).is_err(), "{bad}");
        assert!(world.body_mut(ids[0]).unwrap().set_wide_position(DVec3::NAN).is_err());
    }
    assert_eq!((world.origin(), world.state_hash()), (FAR, before));
    let position = FAR + DVec3::new(1.0, 50.0, -2.0);
    world.body_mut(ids[0]).unwrap().set_wide_position(position).unwrap();
    assert!((world.body(ids[0]).unwrap().wide_position() - position).length() < 1e-5);
    let turned = world.body(ids[0]).unwrap().wide_pose();
    assert!(
        (turned.translation - position).length() < 1e-5
            && world.body(ids[0]).unwrap().rotation() != Quat::from_xyzw(9.0, 0.0, 0.0, 0.0)
    );
}
