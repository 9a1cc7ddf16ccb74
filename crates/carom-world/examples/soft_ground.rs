//! A crate falls on a mattress: a fixed body whose contacts a hook turns into springs.
//!
//! It oscillates at the frequency of the spring, and comes to rest at the depth g / (2 pi f)^2.
//!
//! `cargo run --example soft_ground -p carom-world`

use carom_geom::{Cuboid, HalfSpace};
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{ActiveHooks, BodyDesc, ContactMut, Hooks, Spring, StepOptions, World};
use core::f32::consts::TAU;

const FREQUENCY: f32 = 2.0;

struct Soft;

impl Hooks for Soft {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        contact.set_spring(Spring::new(FREQUENCY, 0.2));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let mattress = BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?));
    world.insert(mattress.with_hooks(ActiveHooks::MODIFY))?;
    let half = 0.5;
    let desc = BodyDesc::dynamic(Shape::Cuboid(Cuboid::new(Vec3::splat(half))?));
    let body = world.insert(desc.with_position(Vec3::Y * 0.8))?;
    for step in 0..=240 {
        let depth = half - world.body(body)?.position().y;
        if step % 12 == 0 {
            let bar = "#".repeat((40.0 * (depth + 0.3)).max(0.0) as usize);
            println!("{:.1} s: {:4.0} mm deep {bar}", step as f32 / 60.0, 1000.0 * depth);
        }
        world.step_with(1.0 / 60.0, StepOptions::new().with_hooks(&Soft))?;
    }
    let (rest, depth) = (9.81 / (TAU * FREQUENCY).powi(2), half - world.body(body)?.position().y);
    println!("at rest: {:.1} mm, expected {:.1} mm", 1000.0 * depth, 1000.0 * rest);
    assert!((depth / rest - 1.0).abs() < 0.02, "{depth} m");
    Ok(())
}
