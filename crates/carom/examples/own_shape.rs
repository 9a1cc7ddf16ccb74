//! A convex shape of your own is a support function: the farthest point in a direction. From then
//! on it is a shape like any other, in queries and in a world.
//!
//! `cargo run -p carom --example own_shape`

use carom::geom::{Ellipsoid, NO_VERTEX, SupportMap, SupportPoint};
use carom::glam::DVec3;
use carom::{BodyDesc, Interval, Pose, Ray, Shape, Vec3, World};
use std::sync::Arc;

/// A lens: what two balls have in common. Their centres are `shift` above and below the middle.
struct Lens {
    radius: f64,
    shift: f64,
}

impl Lens {
    /// The radius of the rim, where the two surfaces meet.
    fn rim(&self) -> f64 {
        (self.radius * self.radius - self.shift * self.shift).sqrt()
    }
}

impl SupportMap for Lens {
    fn support(&self, direction: DVec3) -> SupportPoint {
        let unit = direction.normalize();
        let point = if self.shift <= (self.radius * unit.y).abs() {
            // The upper surface belongs to the ball whose centre is below.
            unit * self.radius - DVec3::Y * self.shift * unit.y.signum()
        } else {
            DVec3::new(unit.x, 0.0, unit.z).normalize_or(DVec3::X) * self.rim()
        };
        SupportPoint { point, vertex: NO_VERTEX }
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    /// The radius of a ball around the centre that contains the shape.
    fn radius(&self) -> f64 {
        self.rim()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Two balls of 1 m, 1.2 m apart: 0.4 m from the middle to the top, 0.8 m to the rim.
    let lens = Shape::User(Arc::new(Lens { radius: 1.0, shift: 0.6 }));
    let table = Shape::cuboid(Vec3::new(2.0, 0.5, 2.0))?;
    let here = Pose::IDENTITY;

    let above = Pose::from_translation(Vec3::Y * 1.5);
    let gap = carom::distance(&table, &here, &lens, &above);
    println!("above the table: {:.6} m apart ({:?})", gap.distance, gap.outcome);
    assert!((gap.distance - 0.6).abs() < 1e-5);
    let beside = Pose::from_translation(Vec3::X * 3.0);
    let gap = carom::distance(&table, &here, &lens, &beside);
    println!("beside the table: {:.6} m apart; the rim is nearest", gap.distance);
    assert!((gap.distance - 0.2).abs() < 1e-5);
    let down = Ray::new(Vec3::Y * 5.0, Vec3::NEG_Y);
    let hit = carom::cast_ray(&lens, &here, &down, Interval::FORWARD).ok_or("the ray misses")?;
    println!("a ray from above meets it after {:.6} m", hit.t);
    assert!((hit.t - 4.6).abs() < 1e-5);

    // In a world it needs a mass; about that of an ellipsoid of the same size.
    let mass = Ellipsoid::new(Vec3::new(0.8, 0.4, 0.8))?.mass_properties(1000.0);
    let mut world = World::new();
    world.insert(BodyDesc::fixed(table))?;
    let body = world.insert(BodyDesc::dynamic(lens).with_mass_properties(mass).with_pose(above))?;
    for _ in 0..120 {
        world.step(1.0 / 60.0)?;
    }
    let height = world.body(body)?.position().y;
    println!("dropped on the table, its middle rests at {height:.3} m");
    assert!((height - 0.9).abs() < 0.02);
    Ok(())
}
