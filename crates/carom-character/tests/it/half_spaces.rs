//! Half-spaces as floors and walls, in all directions. A figure that moves along a plane at its
//! distance is not stopped by it.

use crate::worlds::figures;
use carom_character::{Character, CharacterSettings, Figure, ShapeWorld, Sweep, WorldSweep};
use carom_geom as near;
use carom_geom::f64::{Cuboid, HalfSpace};
use carom_math::f64::Pose;
use carom_math::glam::{DQuat, DVec3};
use carom_query as near_query;
use carom_query::f64::Shape;
use carom_world::{BodyDesc, QueryFilter, World};
use std::f64::consts::TAU;

const DT: f64 = 1.0 / 60.0;

/// A half-space under the plane through a point, in a world of bodies. The rotation of the body
/// tilts it.
fn body(point: DVec3, turn: DQuat) -> BodyDesc {
    let plane = near_query::Shape::HalfSpace(near::HalfSpace::new(carom_math::Vec3::Y).unwrap());
    BodyDesc::fixed(plane).with_pose(carom_math::Pose::new(turn.as_quat().normalize(), point.as_vec3()))
}

fn walk(world: &mut dyn Sweep, hero: &mut Character, wish: DVec3, n: usize) {
    for _ in 0..n {
        hero.walk(world, wish, DT);
    }
}

/// The rotation of a plane that rises by an angle, in a direction.
fn tilted(degrees: f64, azimuth: f64) -> DQuat {
    DQuat::from_rotation_y(azimuth) * DQuat::from_rotation_z(degrees.to_radians())
}

/// Walks for two seconds in each of 64 headings, and returns the least length of the walks.
fn least_walk(world: &mut dyn Sweep, figure: Figure) -> f64 {
    let mut least = f64::MAX;
    let mut hero = Character::new(figure, CharacterSettings::default(), DVec3::new(1.7, 3.0, 0.3)).unwrap();
    walk(world, &mut hero, DVec3::ZERO, 120);
    assert!(hero.ground().is_some());
    for k in 0..64 {
        let mut hero = hero.clone();
        let start = hero.position();
        let heading = f64::from(k) / 64.0 * TAU;
        walk(world, &mut hero, DVec3::new(heading.cos(), 0.0, heading.sin()) * 3.0, 120);
        least = least.min((hero.position() - start).length());
    }
    least
}

/// The sine of the tilt times the sine of the heading is not 0, so the velocity along the plane is
/// off it by rounding, to either side.
#[test]
fn slopes_are_walked_in_each_heading() {
    let figure = Figure::capsule(1.8, 0.3).unwrap();
    for degrees in [0.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 49.0] {
        for azimuth in [0.0, 0.7, 2.0] {
            let turn = tilted(degrees, azimuth);
            let shape = || Shape::HalfSpace(HalfSpace::new(turn * DVec3::Y).unwrap());
            let mut shapes = ShapeWorld::new();
            shapes.insert(shape(), Pose::IDENTITY);
            let mut posed = ShapeWorld::new();
            posed.insert(Shape::HalfSpace(HalfSpace::new(DVec3::Y).unwrap()), Pose::new(turn, DVec3::ZERO));
            let mut world = World::new();
            world.insert(body(DVec3::ZERO, turn)).unwrap();
            let lengths = [
                least_walk(&mut shapes, figure),
                least_walk(&mut posed, figure),
                least_walk(&mut WorldSweep::new(&world, QueryFilter::SOLID), figure),
            ];
            assert!(lengths.iter().all(|length| 5.99 < *length), "{degrees}, {azimuth}: {lengths:?}");
        }
    }
}

/// Along walls that are not aligned with the axes, and into the corners, all figures come as far as
/// along walls of thick boxes.
#[test]
fn rotated_rooms_are_slid_along() {
    let turns = [
        DQuat::from_rotation_y(0.6),
        DQuat::from_rotation_y(2.3) * DQuat::from_rotation_x(0.2),
        DQuat::from_rotation_z(-0.3) * DQuat::from_rotation_y(1.1),
    ];
    let half = DVec3::new(4.0, 3.0, 3.0);
    for turn in turns {
        let (mut planes, mut boxes, mut world) = (ShapeWorld::new(), ShapeWorld::new(), World::new());
        for normal in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|n| [n, -n]) {
            let point = turn * (-normal * half);
            planes.insert(
                Shape::HalfSpace(HalfSpace::new(turn * normal).unwrap()),
                Pose::from_translation(point),
            );
            let thick = Shape::Cuboid(Cuboid::new(DVec3::splat(9.0)).unwrap());
            boxes.insert(thick, Pose::new(turn, turn * (-normal * (half + 9.0))));
            world.insert(body(point, turn * DQuat::from_rotation_arc(DVec3::Y, normal))).unwrap();
        }
        for (name, figure) in figures() {
            for k in 0..16 {
                let heading = (f64::from(k) + 0.3) / 16.0 * TAU;
                let wish = DVec3::new(heading.cos(), 0.0, heading.sin()) * 3.0;
                let mut view = WorldSweep::new(&world, QueryFilter::SOLID);
                let sweeps: [&mut dyn Sweep; 3] = [&mut boxes, &mut planes, &mut view];
                let ends = sweeps.map(|sweep| {
                    let settings = CharacterSettings::default();
                    let mut hero = Character::new(figure, settings, DVec3::ZERO).unwrap();
                    walk(sweep, &mut hero, DVec3::ZERO, 90);
                    walk(sweep, &mut hero, wish, 150);
                    hero.position()
                });
                let off = (ends[0] - ends[1]).length().max((ends[0] - ends[2]).length());
                assert!(off < 0.02, "{turn}, {name}, heading {k}: {ends:?}");
            }
        }
    }
}
