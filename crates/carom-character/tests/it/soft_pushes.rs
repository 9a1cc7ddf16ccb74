//! Cloth and soft bodies that fly or lean against a character.

use crate::figures_and_bodies::{DT, go};
use crate::in_world::{capsule, floor, hero};
use crate::soft::block;
use carom_character::CharacterBody;
use carom_math::glam::{DVec3, Vec3};
use carom_particles::{ClothSettings, SoftBodySettings};
use carom_world::{SoftBodyDesc, SoftBodyId, World};

/// A ball of four cells across, a cube whose layers are put on spheres.
fn ball(world: &mut World, mass: f32, at: Vec3, stiffness: f32) -> SoftBodyId {
    let (radius, n) = (0.3, 4);
    let (mut vertices, cells) = block([n; 3], 2.0 / n as f32);
    for vertex in &mut vertices {
        *vertex -= Vec3::Y;
        *vertex *= radius * vertex.abs().max_element() / vertex.length().max(1e-6);
    }
    let rubber = SoftBodySettings::default().with_youngs_modulus(stiffness).with_damping(5.0);
    let desc = SoftBodyDesc::volume(&vertices, &cells, rubber).with_thickness(0.04).with_position(at);
    let unit = world.insert_soft_body(desc.clone().with_density(1.0)).unwrap();
    let density = mass / world.soft_body(unit).unwrap().mass();
    world.remove_soft_body(unit).unwrap();
    world.insert_soft_body(desc.with_density(density)).unwrap()
}

fn momentum(world: &World, id: SoftBodyId) -> DVec3 {
    let body = world.soft_body(id).unwrap();
    let mass = |vertex: usize| f64::from(body.vertex_mass(vertex as u32).unwrap());
    body.velocities().iter().enumerate().map(|(vertex, v)| v.as_dvec3() * mass(vertex)).sum()
}

/// The hero in the air, without gravity.
fn floating(world: &mut World) -> CharacterBody {
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let mut hero = hero(world, capsule(), DVec3::ZERO);
    let settings = hero.character().settings().with_gravity(0.0).with_air_acceleration(0.0);
    hero.character_mut().set_settings(settings).unwrap();
    hero
}

/// A soft ball at 5 m/s and a character of 80 kg in the air. Their momentum stays within 6 %, or
/// within 12 % for a ball of 80 kg. The character gets no slower than by an inelastic impact, and
/// no faster than by an elastic one.
#[test]
fn a_soft_ball_shares_its_momentum() {
    for (mass, stiffness) in [(2.0, 1e5), (20.0, 2e4), (20.0, 1e5), (20.0, 1e6), (80.0, 1e5)] {
        let most = if mass < 80.0 { 0.06 } else { 0.12 };
        let mut world = World::new();
        let mut hero = floating(&mut world);
        let soft = ball(&mut world, mass, Vec3::new(-1.5, 0.9, 0.0), stiffness);
        world.soft_body_mut(soft).unwrap().set_velocity(Vec3::X * 5.0).unwrap();
        let before = momentum(&world, soft);
        go(&mut world, &mut hero, DVec3::ZERO, 90);
        let (own, left) = (hero.character().velocity() * 80.0, momentum(&world, soft));
        let (speed, part) = (own.x / 80.0, f64::from(mass) / (f64::from(mass) + 80.0));
        println!(
            "{mass} kg, {stiffness:e} Pa: {speed:.3} m/s, ball {:.3}, {:.2} of {before:.2}",
            left.x / f64::from(mass),
            own + left
        );
        assert!((own + left - before).length() < most * before.length(), "{} of {before}", own + left);
        assert!(5.0 * part < 1.05 * speed && speed < 1.05 * 10.0 * part, "{mass} kg: {speed}");
        assert!(left.x / f64::from(mass) < 1.05 * speed, "{mass} kg: {left} is behind it");
    }
}

/// On the floor the ball knocks a standing character, as a rigid one of its mass would. One that
/// is not pushed stays, and the ball bounces off it.
#[test]
fn a_soft_ball_knocks_a_standing_character() {
    let run = |is_pushed: bool| {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let mut hero = hero(&mut world, capsule(), DVec3::ZERO).with_pushed(is_pushed);
        go(&mut world, &mut hero, DVec3::ZERO, 5);
        let soft = ball(&mut world, 20.0, Vec3::new(-1.2, 1.1, 0.0), 1e5);
        world.soft_body_mut(soft).unwrap().set_velocity(Vec3::X * 5.0).unwrap();
        let mut fastest = 0.0_f64;
        for _ in 0..120 {
            go(&mut world, &mut hero, DVec3::ZERO, 1);
            fastest = fastest.max(hero.knock().x);
        }
        (fastest, hero.character().feet().x)
    };
    let (fastest, moved) = run(true);
    println!("{fastest:.3} m/s, moved {moved:.3}");
    assert!(0.6 < fastest && fastest < 1.6 && 0.1 < moved && moved < 1.0, "{fastest} {moved}");
    let (fastest, moved) = run(false);
    assert!(fastest == 0.0 && moved.abs() < 0.01, "{fastest} {moved}");
}

/// A curtain hangs at x 0.6, and wind presses it against the character with a force. A light wind
/// does not move it, because its feet hold 60 N. A strong one shifts it, and does not throw it.
#[test]
fn a_curtain_in_the_wind_leans_on_a_character() {
    for (force, most) in [(20.0_f32, 0.01), (200.0, 1.5)] {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let mut desc = SoftBodyDesc::grid([2.0, 2.4], [16, 20], ClothSettings::default().with_damping(1.0));
        let turned: Vec<Vec3> = desc.vertices.iter().map(|p| Vec3::new(0.6, 1.3 + p.z, p.x)).collect();
        let top: Vec<u32> = (0..).zip(&turned).filter(|(_, p)| 2.49 < p.y).map(|(v, _)| v).collect();
        desc.vertices = turned;
        let desc = desc.with_density(0.25).with_thickness(0.05).with_pinned(&top);
        let curtain = world.insert_soft_body(desc).unwrap();
        let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
        let (mut fastest, mut n_leaning) = (0.0_f64, 0);
        for _ in 0..240 {
            world.soft_body_mut(curtain).unwrap().apply_force(Vec3::X * -force).unwrap();
            go(&mut world, &mut hero, DVec3::ZERO, 1);
            fastest = fastest.max(hero.character().velocity().length());
            n_leaning += u32::from(world.body(hero.body()).unwrap().pushes().next().is_some());
            n_leaning += u32::from(world.soft_body(curtain).unwrap().touching().next().is_some());
        }
        let moved = hero.character().feet();
        println!("{force} N: {fastest:.3} m/s, moved to {moved:.3}, leans in {n_leaning} steps");
        assert!(60 < n_leaning && moved.with_y(0.0).length() < most && fastest < 1.0, "{fastest} {moved}");
    }
}

/// A soft ball that rests against a standing character, or lies on its head, moves it no more than
/// its feet allow, and a character that walks into the ball rolls it away.
#[test]
fn a_resting_ball_does_not_move_a_character() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
    let side = ball(&mut world, 20.0, Vec3::new(-0.66, 0.34, 0.0), 1e5);
    ball(&mut world, 20.0, Vec3::new(0.0, 2.2, 0.0), 1e5);
    let mut highest = 0.0_f64;
    for _ in 0..180 {
        go(&mut world, &mut hero, DVec3::ZERO, 1);
        highest = highest.max(hero.character().velocity().length());
    }
    println!("{:.4}, fastest {highest:.3}", hero.character().feet());
    assert!(hero.character().feet().with_y(0.0).length() < 0.1 && highest < 0.5, "{highest}");
    let x = |world: &World| world.soft_body(side).unwrap().positions()[0].x;
    let before = x(&world);
    for _ in 0..120 {
        world.step(DT as f32).unwrap();
        hero.walk(&mut world, DVec3::X * -1.5, DT).unwrap();
    }
    assert!(hero.character().feet().x < -1.0 && x(&world) < before - 1.0, "{}", hero.character().feet());
}
