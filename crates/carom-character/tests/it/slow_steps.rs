//! A step goes a little farther than a slow wish. The character then waits for that wish, and for
//! nothing else.

use carom_character::{Character, CharacterSettings, Figure, ShapeWorld, WorldSweep};
use carom_geom::f64::Cuboid;
use carom_math::f64::Pose;
use carom_math::glam::DVec3;
use carom_query::f64::Shape;
use carom_world::{BodyDesc, BodyId, QueryFilter, World};

const DT: f64 = 1.0 / 60.0;

/// The boxes of a floor and a kerb: their middles and half sizes.
const LEVEL: [(DVec3, DVec3); 2] = [
    (DVec3::new(0.0, -0.5, 0.0), DVec3::new(9.0, 0.5, 9.0)),
    (DVec3::new(5.0, 0.1, 0.0), DVec3::new(4.0, 0.1, 9.0)),
];

fn shapes() -> ShapeWorld {
    let mut world = ShapeWorld::new();
    for (middle, half) in LEVEL {
        world.insert(Shape::Cuboid(Cuboid::new(half).unwrap()), Pose::from_translation(middle));
    }
    world
}

/// A character just before the kerb.
fn before_kerb() -> Character {
    let figure = Figure::cylinder(1.8, 0.3).unwrap();
    let position = DVec3::new(0.6945, 0.906, 0.0);
    Character::new(figure, CharacterSettings::default(), position).unwrap()
}

/// A character that has stepped on the kerb at this speed.
fn on_kerb(world: &mut ShapeWorld, speed: f64) -> Character {
    let mut hero = before_kerb();
    for _ in 0..10_000 {
        if hero.walk(world, DVec3::X * speed, DT).steps == 1 {
            break;
        }
    }
    assert!((hero.feet().y - 0.2).abs() < 0.02, "{}", hero.feet());
    hero
}

/// After a slow step the next call obeys: a faster wish, one aside, one back, a jump, a new
/// position.
#[test]
fn the_next_call_obeys() {
    let mut world = shapes();
    for speed in [0.001, 1e-5] {
        let start = on_kerb(&mut world, speed);
        let from = start.position();
        let gone = |hero: &mut Character, wish: DVec3| {
            let mut world = shapes();
            hero.walk(&mut world, wish, DT);
            hero.position() - from
        };
        let ahead = gone(&mut start.clone(), DVec3::X * 5.0).x;
        assert!(5.0 * DT - 0.0126 < ahead && ahead <= 5.0 * DT, "{speed}: {ahead}");
        for aside in [DVec3::Z, DVec3::new(0.001, 0.0, 1.0), DVec3::new(-0.001, 0.0, -1.0)] {
            let z = gone(&mut start.clone(), aside * 5.0).z.abs();
            assert!(5.0 * DT - 0.0001 < z, "{speed}, {aside}: {z}");
        }
        let back = gone(&mut start.clone(), DVec3::X * -5.0).x;
        assert!(back < -4.9 * DT, "{speed}: {back}");
        let mut jumping = start.clone();
        assert!(jumping.jump(5.0));
        let height = gone(&mut jumping, DVec3::X * speed).y;
        assert!((height - (5.0 * DT - 0.5 * 9.81 * DT * DT)).abs() < 1e-9, "{speed}: {height}");
        let mut moved = start.clone();
        moved.set_position(from + DVec3::Y);
        moved.set_velocity(DVec3::ZERO);
        let height = gone(&mut moved, DVec3::X * speed).y - 1.0;
        assert!((height + 0.5 * 9.81 * DT * DT).abs() < 1e-9, "{speed}: {height}");
    }
}

/// A character whose ground is removed after a slow step falls at once.
#[test]
fn a_removed_ground_is_left_at_once() {
    let mut world = World::new();
    let mut ids: Vec<BodyId> = Vec::new();
    for (middle, half) in LEVEL {
        let shape = crate::in_world::cuboid(half.as_vec3());
        ids.push(world.insert(BodyDesc::fixed(shape).with_position(middle.as_vec3())).unwrap());
    }
    world.step(DT as f32).unwrap();
    let mut hero = before_kerb();
    let mut n_steps = 0;
    while n_steps == 0 {
        let mut sweep = WorldSweep::new(&world, QueryFilter::SOLID);
        n_steps += hero.walk(&mut sweep, DVec3::X * 0.001, DT).steps;
    }
    let from = hero.position();
    ids.into_iter().for_each(|id| world.remove(id).unwrap());
    world.step(DT as f32).unwrap();
    for frame in 1..=10 {
        hero.walk(&mut WorldSweep::new(&world, QueryFilter::SOLID), DVec3::X * 0.001, DT);
        let t = f64::from(frame) * DT;
        let height = hero.position().y - from.y;
        assert!((height + 0.5 * 9.81 * t * t).abs() < 1e-6, "{frame}: {height}");
    }
}

/// A slow wish that goes on is obeyed exactly: the step gains nothing in the end.
#[test]
fn a_steady_wish_gains_nothing() {
    for speed in [0.02, 0.05, 0.2] {
        let mut world = shapes();
        let mut hero = before_kerb();
        hero.walk(&mut world, DVec3::ZERO, DT);
        let from = hero.position();
        let n = (0.1 / speed / DT).round();
        let n_steps: u32 = (0..n as usize).map(|_| hero.walk(&mut world, DVec3::X * speed, DT).steps).sum();
        let gone = hero.position().x - from.x;
        assert!(n_steps == 1 && (gone - speed * n * DT).abs() < 1e-6, "{speed}: {gone}");
    }
}
