//! Soft things as state: snapshots, threads, broad phases, handles, errors, queries.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, world_on};
use crate::soft::mixed;
use carom_broad::{BroadPhase, BruteForce};
use carom_math::{Interval, Pose, Ray, Vec3};
use carom_query::Shape;
use carom_testkit::conform::dice::Dice;
use carom_world::{
    BodyDesc, Budget, ClothSettings, ConstraintError, Grains, Groups, Liquid, ParticleError, ParticlePhase,
    ParticlesDesc, QueryFilter, RopeSettings, SoftBodyDesc, SoftError, SoftSettings, SoftThing, World,
    WorldError,
};

/// Returns the hash of the state after each of `n` checked steps of the mixed scene.
fn states<B: BroadPhase>(mut world: World<B>, n: usize) -> Vec<u64> {
    mixed(&mut world);
    let step = |_| {
        world.checked_step(DT).unwrap();
        world.state_hash()
    };
    (0..n).map(step).collect()
}

#[test]
fn the_same_bits_with_another_broad_phase() {
    assert_eq!(states(World::new(), 60), states(world_on::<BruteForce>(), 60));
}

#[cfg(feature = "parallel")]
#[test]
fn the_same_bits_with_one_two_and_seven_threads() {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| states(World::new(), 60))
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
}

/// A restored world goes on with the same bits, wherever the snapshot is taken, also as text.
#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    let mut world: World = World::new();
    let mixed = mixed(&mut world);
    for n_before in [0, 25, 45] {
        for _ in 0..n_before {
            world.checked_step(DT).unwrap();
        }
        let snapshot = world.snapshot();
        #[cfg(feature = "serde")]
        let snapshot: carom_world::Snapshot =
            serde_json::from_str(&serde_json::to_string(&snapshot).unwrap()).unwrap();
        let mut other: World = crate::scenes::restored(&snapshot, &world).unwrap();
        assert_eq!(other.state_hash(), world.state_hash());
        for _ in 0..20 {
            world.checked_step(DT).unwrap();
            other.checked_step(DT).unwrap();
            assert_eq!(other.state_hash(), world.state_hash(), "after {n_before} steps");
            assert_eq!(other.soft_events(), world.soft_events());
        }
        let view = other.soft_body(mixed.soft[1]).unwrap();
        assert_eq!(view.attached().collect::<Vec<_>>(), [(5, mixed.bodies[3])]);
    }
}

/// Writes another value over a number at random.
#[cfg(feature = "serde")]
fn spoil(value: &mut serde_json::Value, dice: &mut Dice) {
    use serde_json::Value;
    match value {
        Value::Array(list) if !list.is_empty() => {
            let k = dice.below(list.len());
            spoil(&mut list[k], dice);
        }
        Value::Object(map) if !map.is_empty() => {
            let k = dice.below(map.len());
            map.values_mut().nth(k).into_iter().for_each(|value| spoil(value, dice));
        }
        Value::Number(_) => *value = Value::from([0, 1, 3, 255][dice.below(4)]),
        other => *other = Value::Null,
    }
}

/// A snapshot of which a number is another one is refused, or the world goes on without a panic.
#[cfg(feature = "serde")]
#[test]
fn a_wrong_snapshot_is_refused() {
    let mut world: World = World::new();
    mixed(&mut world);
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    let good = serde_json::to_value(world.snapshot()).unwrap();
    let (mut n_refused, mut n_taken) = (0, 0);
    let mut dice = Dice::new(5);
    for _ in 0..300 {
        let mut wrong = good.clone();
        spoil(&mut wrong["soft"]["set"], &mut dice);
        let Ok(snapshot) = serde_json::from_value::<carom_world::Snapshot>(wrong) else {
            n_refused += 1;
            continue;
        };
        match crate::scenes::restored::<carom_broad_tree::DynamicBvh>(&snapshot, &world) {
            Err(_) => n_refused += 1,
            Ok(mut other) => {
                n_taken += 1;
                // An unstable step is an error.
                let _ = other.step(DT);
            }
        }
    }
    println!("{n_refused} refused, {n_taken} taken");
    assert!(50 < n_refused && 20 < n_taken);
}

fn soft<T>(result: Result<T, WorldError>) -> SoftError {
    match result {
        Err(WorldError::Soft(error)) => error,
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("it was taken"),
    }
}

#[test]
fn an_error_names_the_first_offender_and_changes_nothing() {
    let mut world = World::new();
    let square = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::ONE];
    let triangles = [[0, 1, 2], [1, 3, 2]];
    let cloth = |vertices: &[Vec3], triangles: &[[u32; 3]]| {
        SoftBodyDesc::cloth(vertices, triangles, ClothSettings::default())
    };
    let nan = [Vec3::ZERO, Vec3::X, Vec3::new(0.0, f32::NAN, 0.0), Vec3::NAN];
    let bad = ConstraintError::BadParticle { particle: 2 };
    assert_eq!(soft(world.insert_soft_body(cloth(&nan, &triangles))), SoftError::Constraint(bad));
    let bad = ConstraintError::NoSuchParticle { element: 1 };
    let far = [[0, 1, 2], [1, 4, 2], [7, 8, 9]];
    assert_eq!(soft(world.insert_soft_body(cloth(&square, &far))), SoftError::Constraint(bad));
    assert_eq!(soft(world.insert_soft_body(cloth(&[], &[]))), SoftError::Empty);
    let lonely = soft(world.insert_soft_body(cloth(&square, &triangles[..1])));
    assert_eq!(lonely, SoftError::NoMass { vertex: 3 });
    let pinned = cloth(&square, &triangles).with_pinned(&[0, 4, 9]);
    assert_eq!(soft(world.insert_soft_body(pinned)), SoftError::NoSuchVertex { vertex: 4 });
    let heavy = cloth(&square, &triangles).with_density(f32::NAN);
    assert!(matches!(soft(world.insert_soft_body(heavy)), SoftError::BadValue { what: "density", .. }));
    let thin = soft(world.insert_soft_body(cloth(&square, &triangles).with_thickness(0.0)));
    assert_eq!(thin, SoftError::Particles(ParticleError::BadSetting { name: "radius", value: 0.0 }));
    assert_eq!(world.soft_things().count(), 0);
    let empty = world.state_hash();

    let sheet = world.insert_soft_body(cloth(&square, &triangles).with_thickness(0.1)).unwrap();
    let water = |radius: f32| ParticlesDesc::new(ParticlePhase::Liquid(Liquid::default()), radius);
    let unbounded = Shape::HalfSpace(carom_geom::HalfSpace::new(Vec3::Y).unwrap());
    let filled =
        water(0.05).with_filling(&ball(1.0), &Pose::IDENTITY).with_filling(&unbounded, &Pose::IDENTITY);
    assert_eq!(soft(world.insert_particles(filled)), SoftError::BadFilling { filling: 1 });
    for scale in [0.0, 0.98, 2.0, f32::NAN] {
        let no_pose = Pose::new(carom_math::Quat::IDENTITY * scale, Vec3::ZERO);
        let filled = water(0.05).with_filling(&ball(1.0), &no_pose);
        assert_eq!(soft(world.insert_particles(filled)), SoftError::BadFilling { filling: 0 });
    }
    let no_room = water(0.05).with_filling(&ball(0.04), &Pose::IDENTITY);
    assert_eq!(soft(world.insert_particles(no_room)), SoftError::BadFilling { filling: 0 });
    assert_eq!(soft(world.insert_particles(water(0.05))), SoftError::Empty);
    let bad = ParticleError::BadParticle { particle: 1 };
    let positions = [Vec3::ZERO, Vec3::NAN, Vec3::NAN];
    assert_eq!(
        soft(world.insert_particles(water(0.05).with_positions(&positions))),
        SoftError::Particles(bad)
    );
    // The cloth would have more than eight times the radius of the liquid.
    let thin = soft(world.insert_particles(water(0.005).with_positions(&[Vec3::ONE])));
    assert_eq!(thin, SoftError::Particles(ParticleError::BadSetting { name: "radius", value: 0.05 }));
    world.insert_particles(water(0.04).with_positions(&[Vec3::ONE * 3.0])).unwrap();
    let other = soft(world.insert_particles(water(0.05).with_positions(&[Vec3::ONE * 4.0])));
    assert_eq!(other, SoftError::OtherRadius { expected: 0.04, given: 0.05 });
    assert_eq!(world.soft_things().count(), 2);

    let state = world.state_hash();
    let mut view = world.soft_body_mut(sheet).unwrap();
    assert_eq!(soft(view.pin(4, Vec3::ZERO).map(drop)), SoftError::NoSuchVertex { vertex: 4 });
    let pinned = soft(view.pin(0, Vec3::NAN).map(drop));
    assert!(matches!(pinned, SoftError::BadValue { what: "position", value } if value.is_nan()));
    assert_eq!(soft(view.release(9).map(drop)), SoftError::NoSuchVertex { vertex: 9 });
    let pushed = soft(view.apply_force(Vec3::NAN).map(drop));
    assert!(matches!(pushed, SoftError::BadValue { what: "force", value } if value.is_nan()));
    assert_eq!(state, world.state_hash());
    let settings = soft(world.set_soft_settings(SoftSettings::default().with_substeps(0)).map(drop));
    assert_eq!(settings, SoftError::Particles(ParticleError::BadSetting { name: "substeps", value: 0.0 }));
    let huge = cloth(&square.map(|p| p * 1e30), &triangles);
    let huge = soft(world.insert_soft_body(huge.with_thickness(0.1)));
    assert!(matches!(huge, SoftError::Constraint(ConstraintError::BadParticle { particle: 1 })), "{huge:?}");

    world.remove_soft_body(sheet).unwrap();
    assert_eq!(world.soft_body(sheet).err(), Some(WorldError::StaleSoftBody(sheet)));
    assert_eq!(world.remove_soft_body(sheet), Err(WorldError::StaleSoftBody(sheet)));
    assert_ne!(empty, world.state_hash());
}

/// Things come and go in random order, with bodies and budgets among the steps. The world stays
/// valid, and each thing keeps its own particles.
#[test]
fn things_come_and_go() {
    for seed in 0..6 {
        let mut dice = Dice::new(seed);
        let mut world: World = World::new();
        world.insert(ground()).unwrap();
        let mut things: Vec<(SoftThing, usize)> = Vec::new();
        let mut bodies = Vec::new();
        for _ in 0..60 {
            let at = Vec3::Y * 0.8 + dice.point(0.5);
            match dice.below(8) {
                0 => {
                    let cells = [1 + dice.below(4) as u32, 1 + dice.below(4) as u32];
                    let sheet = SoftBodyDesc::grid([0.4, 0.4], cells, ClothSettings::default());
                    let id = world.insert_soft_body(sheet.with_thickness(0.06).with_position(at)).unwrap();
                    things.push((SoftThing::Body(id), (cells[0] as usize + 1) * (cells[1] as usize + 1)));
                }
                1 => {
                    let line: Vec<Vec3> = (0..5).map(|i| at + Vec3::X * (0.07 * i as f32)).collect();
                    let rope = SoftBodyDesc::rope(&line, RopeSettings::default()).with_pinned(&[0]);
                    let id = world.insert_soft_body(rope.with_thickness(0.05)).unwrap();
                    things.push((SoftThing::Body(id), 5));
                    if let Some(&body) = bodies.last() {
                        world.soft_body_mut(id).unwrap().attach(4, body).unwrap();
                    }
                }
                2 | 3 => {
                    let phase = if dice.below(2) == 0 {
                        ParticlePhase::Liquid(Liquid::default())
                    } else {
                        ParticlePhase::Grains(Grains::default())
                    };
                    let desc = ParticlesDesc::new(phase, 0.03);
                    let desc = desc.with_filling(&cuboid(Vec3::splat(0.065)), &Pose::from_translation(at));
                    let id = world.insert_particles(desc).unwrap();
                    things.push((SoftThing::Particles(id), 8));
                }
                4 if !things.is_empty() => {
                    let (thing, _) = things.swap_remove(dice.below(things.len()));
                    match thing {
                        SoftThing::Body(id) => world.remove_soft_body(id).unwrap(),
                        SoftThing::Particles(id) => world.remove_particles(id).unwrap(),
                    }
                }
                5 if !things.is_empty() => {
                    let k = dice.below(things.len());
                    if let (SoftThing::Particles(id), n) = things[k] {
                        let mut view = world.particles_mut(id).unwrap();
                        if 2 < n && dice.below(2) == 0 {
                            view.kill(&[0, n as u32 - 1]).unwrap();
                            things[k].1 = n - 2;
                        } else {
                            view.emit(&[at + Vec3::Y, at + Vec3::Y * 1.2], Vec3::X).unwrap();
                            things[k].1 = n + 2;
                        }
                    }
                }
                6 => {
                    let shape = if dice.below(2) == 0 { ball(0.1) } else { cuboid(Vec3::splat(0.1)) };
                    let body = BodyDesc::dynamic(shape).with_density(500.0).with_position(at + Vec3::Y * 0.5);
                    bodies.push(world.insert(body).unwrap());
                }
                _ if !bodies.is_empty() => {
                    world.remove(bodies.swap_remove(dice.below(bodies.len()))).unwrap();
                }
                _ => {}
            }
            let budget = if dice.below(3) == 0 { Budget::Steps(3) } else { Budget::Unlimited };
            // Things may come into each other, which may be too dense.
            match world.step_with_budget(DT, budget) {
                Ok(_) | Err(WorldError::Soft(_)) => {}
                Err(error) => panic!("{error:?}"),
            }
            world.validate().unwrap();
            let mut known: Vec<SoftThing> = things.iter().map(|(thing, _)| *thing).collect();
            known.sort_by_key(|thing| thing.index());
            assert_eq!(world.soft_things().collect::<Vec<_>>(), known);
            for &(thing, n) in &things {
                let positions = match thing {
                    SoftThing::Body(id) => world.soft_body(id).unwrap().positions(),
                    SoftThing::Particles(id) => world.particles(id).unwrap().positions(),
                };
                assert_eq!(positions.len(), n);
                assert!(positions.iter().all(|p| p.is_finite()));
            }
        }
    }
}

/// Water that comes after a cloth of another radius: the cloth stays as it is.
#[test]
fn a_liquid_brings_its_radius() {
    let mut world = World::new();
    let sheet = SoftBodyDesc::grid([0.5, 0.5], [5, 5], ClothSettings::default()).with_pinned(&[0]);
    let sheet = world.insert_soft_body(sheet).unwrap();
    for _ in 0..30 {
        world.checked_step(DT).unwrap();
    }
    let radius = world.soft_body(sheet).unwrap().radius();
    let [before, speeds] = {
        let view = world.soft_body(sheet).unwrap();
        [view.positions().to_vec(), view.velocities().to_vec()]
    };
    let water = ParticlesDesc::new(ParticlePhase::Liquid(Liquid::default()), 0.05);
    world.insert_particles(water.with_positions(&[Vec3::Y * 5.0])).unwrap();
    let view = world.soft_body(sheet).unwrap();
    assert_eq!((view.positions(), view.velocities()), (&before[..], &speeds[..]));
    assert_eq!((view.radius(), view.pinned().collect::<Vec<_>>()), (radius, vec![0]));
    for _ in 0..30 {
        world.checked_step(DT).unwrap();
    }
    let view = world.soft_body(sheet).unwrap();
    assert_eq!(view.positions()[0], before[0]);
    assert!(view.positions().iter().all(|p| p.distance(before[0]) < 0.75), "it hangs from its corner");
}

/// Rays and nearest points against all triangles and all balls.
#[test]
fn rays_and_nearest_points() {
    let mut world: World = World::new();
    let mixed = mixed(&mut world);
    for _ in 0..20 {
        world.step(DT).unwrap();
    }
    let mut dice = Dice::new(8);
    let (mut n_hits, mut n_meshes) = (0, 0);
    for _ in 0..400 {
        let origin = Vec3::new(0.0, 0.5, 0.0) + dice.point(1.5);
        let ray = Ray::new(origin, Vec3::Y * 0.4 + dice.point(0.4) - origin);
        let mut least = f32::INFINITY;
        let mut near = f32::INFINITY;
        for thing in world.soft_things() {
            let (positions, radius, mesh) = match thing {
                SoftThing::Body(id) => {
                    let view = world.soft_body(id).unwrap();
                    (view.positions(), view.radius(), view.mesh())
                }
                SoftThing::Particles(id) => {
                    let view = world.particles(id).unwrap();
                    (view.positions(), view.radius(), None)
                }
            };
            if let Some(mesh) = mesh {
                for &[a, b, c] in mesh.mesh().indices() {
                    let [a, b, c] = [a, b, c].map(|v| positions[v as usize].as_dvec3());
                    let (o, d) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
                    let normal = (b - a).cross(c - a);
                    let t = (a - o).dot(normal) / d.dot(normal);
                    let p = o + d * t;
                    let inside = [(a, b), (b, c), (c, a)]
                        .iter()
                        .all(|(a, b)| 0.0 <= (*b - *a).cross(p - *a).dot(normal));
                    if 0.0 <= t && inside {
                        least = least.min(t as f32);
                    }
                }
                let found = carom_query::project_point(
                    &Shape::Mesh(std::sync::Arc::new(mesh.clone())),
                    &Pose::IDENTITY,
                    origin,
                );
                near = near.min(found.unwrap().distance.max(0.0));
                continue;
            }
            for center in positions {
                near = near.min((center.distance(origin) - radius).max(0.0));
                let shape = ball(radius);
                let hit =
                    carom_query::cast_ray(&shape, &Pose::from_translation(*center), &ray, Interval::FORWARD);
                let is_inside = center.distance(origin) <= radius;
                least = least.min(if is_inside { 0.0 } else { hit.map_or(f32::INFINITY, |hit| hit.t) });
            }
        }
        let found = world.query(&QueryFilter::SOLID).cast_ray_soft(&ray, Interval::FORWARD);
        let t = found.map_or(f32::INFINITY, |hit| hit.t);
        assert!(t == least || (t - least).abs() < 1e-4, "{t} {least}");
        n_hits += usize::from(found.is_some());
        n_meshes += usize::from(found.is_some_and(|hit| hit.thing == SoftThing::Body(mixed.soft[0])));
        let found = world.query(&QueryFilter::DYNAMIC).nearest_soft(origin, 10.0).unwrap();
        assert!((found.t - near).abs() < 1e-4, "{} {near}", found.t);
        assert!((found.point.distance(origin) - found.t).abs() < 1e-4);
    }
    println!("{n_hits} hits, {n_meshes} on the cloth");
    assert!(100 < n_hits && 20 < n_meshes);
    let all = world.query(&QueryFilter::ALL);
    assert!(all.cast_ray_soft(&Ray::new(Vec3::NAN, Vec3::X), 9.0).is_none());
    assert!(all.nearest_soft(Vec3::NAN, 1.0).is_none() && all.nearest_soft(Vec3::Y * 9.0, 1.0).is_none());
    // They are solid and dynamic, and in the groups of their filter.
    let filters = [
        (QueryFilter::SOLID.with_mask(Groups::DEFAULT), true),
        (QueryFilter::SOLID.with_mask(Groups::from_bits_retain(8)), false),
        (QueryFilter::SOLID.with_mask(Groups::empty()), false),
        (QueryFilter::FIXED, false),
        (QueryFilter::SENSORS, false),
    ];
    for (filter, is_found) in filters {
        let query = world.query(&filter);
        assert_eq!(query.nearest_soft(Vec3::ZERO, 10.0).is_some(), is_found, "{filter:?}");
    }
}

/// A deferred call moves no soft things.
#[test]
fn a_deferred_call_moves_no_soft_things() {
    let mut world: World = World::new();
    let mixed = mixed(&mut world);
    let positions = |world: &World| world.particles(mixed.particles[0]).unwrap().positions().to_vec();
    let mut n_held = 0;
    for _ in 0..60 {
        let before = positions(&world);
        let is_held = world.step_with_budget(DT, Budget::Steps(2)).unwrap().shortfall.is_deferred;
        n_held += usize::from(is_held);
        assert_eq!(is_held, before == positions(&world));
    }
    println!("{n_held} of 60 steps were held");
}

/// A cloth that is pulled apart until no triangle is left goes on as threads without a surface,
/// also after a snapshot.
#[test]
fn r_a_cloth_that_is_torn_to_threads_goes_on() {
    let mut world: World = World::new();
    let settings = ClothSettings::default().with_tear_strain(0.01);
    let id = world.insert_soft_body(SoftBodyDesc::grid([1.0; 2], [2, 2], settings)).unwrap();
    let n = world.soft_body(id).unwrap().positions().len() as u32;
    for step in 0..120 {
        for vertex in 0..n {
            let at = world.soft_body(id).unwrap().positions()[vertex as usize];
            let apart = Vec3::new(vertex as f32 - 4.0, 0.0, (vertex * vertex % 7) as f32 - 3.0);
            world.soft_body_mut(id).unwrap().pin(vertex, at + apart * 0.02).unwrap();
        }
        world.checked_step(DT).unwrap_or_else(|error| panic!("step {step}: {error}"));
    }
    assert!(world.soft_body(id).unwrap().mesh().is_none(), "no triangle is left");
    let snapshot = world.snapshot();
    let mut other: World = crate::scenes::restored(&snapshot, &world).unwrap();
    for _ in 0..10 {
        world.checked_step(DT).unwrap();
        other.checked_step(DT).unwrap();
    }
    assert_eq!(other.state_hash(), world.state_hash());
}

/// A fluid sets the radius of the particle solver. A refused one leaves it, so a world goes on
/// with the bits of one in which the call was never made.
#[test]
fn a_refused_liquid_leaves_the_radius() {
    let liquid = ParticlePhase::Liquid(Liquid::default().with_viscosity(-1.0));
    let refusals = [
        ParticlesDesc::new(liquid, 0.02).with_positions(&[Vec3::Y * 5.0]),
        // The cloth is too thick beside particles of this radius.
        ParticlesDesc::new(ParticlePhase::Liquid(Liquid::default()), 0.001).with_positions(&[Vec3::Y * 5.0]),
    ];
    let run = |refusal: Option<&ParticlesDesc>| {
        let mut world: World = World::new();
        world.insert(ground()).unwrap();
        let sheet = SoftBodyDesc::grid([0.5, 0.5], [5, 5], ClothSettings::default());
        world.insert_soft_body(sheet.with_thickness(0.1).with_position(Vec3::Y * 0.5)).unwrap();
        let before = format!("{:?}", world.snapshot());
        refusal.into_iter().for_each(|desc| assert!(world.insert_particles(desc.clone()).is_err()));
        assert!(before == format!("{:?}", world.snapshot()), "the world changed");
        (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
        world.state_hash()
    };
    for (k, refusal) in refusals.iter().enumerate() {
        assert_eq!(run(Some(refusal)), run(None), "refusal {k}");
    }
}

/// The first thing of a world sets the radius of the particle solver. A refused one sets none.
#[test]
fn a_refused_first_thing_leaves_no_radius() {
    let run = |asks: bool| {
        let mut world: World = World::new();
        world.insert(ground()).unwrap();
        let first = ParticlesDesc::new(ParticlePhase::Grains(Grains::default()), 0.1);
        let first = world.insert_particles(first.with_positions(&[Vec3::Y])).unwrap();
        world.remove_particles(first).unwrap();
        if asks {
            let bad = ParticlePhase::Grains(Grains::default().with_friction(-1.0));
            let bad = ParticlesDesc::new(bad, 0.02).with_positions(&[Vec3::Y]);
            assert!(world.insert_particles(bad).is_err());
        }
        let before = format!("{:?}", world.snapshot());
        let grains = ParticlesDesc::new(ParticlePhase::Grains(Grains::default()), 0.05);
        world.insert_particles(grains.with_positions(&[Vec3::Y])).unwrap();
        (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
        (before, world.state_hash())
    };
    assert!(run(false) == run(true));
}

/// Particles that were all removed have no surface. The next ones are of the same group, also after
/// a restore.
#[test]
fn r_particles_that_were_all_removed_come_back_with_the_same_bits() {
    for phase in [ParticlePhase::Liquid(Liquid::default()), ParticlePhase::Grains(Grains::default())] {
        let mut world: World = World::new();
        world.insert(ground()).unwrap();
        let fill = cuboid(Vec3::splat(0.13));
        let tap = ParticlesDesc::new(phase, 0.03).with_filling(&fill, &Pose::from_translation(Vec3::Y * 0.2));
        let id = world.insert_particles(tap).unwrap();
        (0..10).for_each(|_| _ = world.checked_step(DT).unwrap());
        let block = world.particles(id).unwrap().positions().to_vec();
        for _ in 0..3 {
            let all: Vec<u32> = (0..block.len() as u32).collect();
            world.particles_mut(id).unwrap().kill(&all).unwrap();
            assert!(world.particles(id).unwrap().surface(0.05).is_err());
            let shot = world.snapshot();
            #[cfg(feature = "serde")]
            let shot: carom_world::Snapshot =
                serde_json::from_str(&serde_json::to_string(&shot).unwrap()).unwrap();
            let mut other: World = crate::scenes::restored(&shot, &world).unwrap();
            assert!(other.particles(id).unwrap().surface(0.05).is_err());
            for world in [&mut world, &mut other] {
                world.particles_mut(id).unwrap().emit(&block, Vec3::ZERO).unwrap();
            }
            for _ in 0..20 {
                world.checked_step(DT).unwrap();
                other.checked_step(DT).unwrap();
                assert_eq!(other.state_hash(), world.state_hash());
            }
            assert!(world.particles(id).unwrap().surface(0.05).is_ok());
        }
    }
}
