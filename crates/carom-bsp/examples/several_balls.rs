//! A figure of several balls moves through a level. Prints which ball is stopped where, compared
//! with the hull of all balls.
//!
//! The figure has feet, a chest, a head, and a spear of small balls that points ahead. It walks
//! through a gate with a bar at the height of the knees, under a low beam, and against a wall.

use carom_bsp::{BallGroup, Body, Brush, BspSettings, BspTree, Contents, PlacedBall};
use glam::DVec3;

/// The hull of the balls, for comparison.
struct Hull<'a>(&'a [PlacedBall]);

impl Body for Hull<'_> {
    fn reach(&self, normal: DVec3) -> f64 {
        self.0.iter().fold(f64::NEG_INFINITY, |most, ball| most.max(ball.center.dot(normal) + ball.radius))
    }
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let solid = |low: [f64; 3], high: [f64; 3]| Brush::cuboid(low.into(), high.into(), Contents::SOLID);
    let brushes = [
        solid([-2.0, -4.0, -1.0], [20.0, 4.0, 0.0])?, // The floor.
        solid([3.0, -4.0, 0.45], [3.2, 4.0, 0.6])?,   // A bar at the height of the knees.
        solid([6.0, -4.0, 1.75], [6.4, 4.0, 3.0])?,   // A beam above the head.
        solid([10.0, -4.0, 0.0], [10.5, 4.0, 3.0])?,  // A wall.
        solid([12.0, -4.0, 1.2], [12.5, 4.0, 3.0])?,  // A beam at the height of the chest.
    ];
    let level = BspTree::from_brushes(&brushes, &BspSettings::default())?;

    let ball = |x: f64, z: f64, radius: f64| PlacedBall { center: DVec3::new(x, 0.0, z), radius };
    let mut balls = vec![ball(0.0, 0.21, 0.2), ball(0.0, 1.0, 0.3), ball(0.0, 1.5, 0.2)];
    let names = ["feet", "chest", "head"];
    // The spear: at the height of the chest, two metres long.
    balls.extend((1..=20_u8).map(|i| ball(0.1 * f64::from(i), 1.0, 0.03)));
    let figure = BallGroup::new(&balls)?;

    for (what, from, to) in [
        ("over the bar, under the beam", -1.0, 7.5),
        ("to the wall", 7.5, 11.0),
        ("from behind the wall", 11.0, 15.0),
    ] {
        let (start, offset) = (DVec3::X * from, DVec3::X * (to - from));
        let of_hull = level.trace(&Hull(&balls), start, offset, Contents::SOLID).map(|hit| hit.position.x);
        match level.trace_group(&figure, start, offset, Contents::SOLID) {
            None => println!("{what}: free to {to:.2} m; the hull: {of_hull:.2?}"),
            Some(found) => {
                let name = names.get(found.ball).unwrap_or(&"spear");
                let at = found.hit.position.x;
                println!("{what}: the {name} stops it at {at:.2} m; the hull: {of_hull:.2?}");
            }
        }
    }
    Ok(())
}
