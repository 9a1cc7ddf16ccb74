//! A stiff spring of the caller, computed before each substep, or only before each step.
//!
//! Its frequency is 12 Hz, so a period has five steps. Computed before each step, the spring has a
//! wrong period and is close to its limit of stability. Computed before each substep, it has
//! neither fault.
//!
//! `cargo run --example substep_spring -p carom-world`

use carom_geom::Sphere;
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{BodyDesc, BodyForces, BodyId, StepOptions, Substep, World, WorldSettings};
use core::f32::consts::TAU;

const DT: f32 = 1.0 / 60.0;
const FREQUENCY: f32 = 12.0;

fn pull(body: &mut BodyForces<'_>) {
    let stiffness = body.mass() * (TAU * FREQUENCY).powi(2);
    body.apply_force(body.center() * -stiffness);
}

fn world() -> Result<(World, BodyId), Box<dyn std::error::Error>> {
    let mut settings = WorldSettings::default();
    settings.solver = settings.solver.with_gravity(Vec3::ZERO);
    let mut world = World::with_settings(settings);
    let ball = BodyDesc::dynamic(Shape::Sphere(Sphere::new(0.1)?)).with_position(Vec3::X);
    let ball = world.insert(ball)?;
    Ok((world, ball))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut by_substep, ball) = world()?;
    let (mut by_step, _) = world()?;
    println!("  time   exact  by substep  by step");
    let mut worst = [0.0f32; 2];
    for step in 1..=60 {
        let mut on_substep = |substep: &mut Substep<'_>| substep.for_each_active(pull);
        by_substep.step_with(DT, StepOptions::new().with_on_substep(&mut on_substep))?;
        by_step.for_each_active(pull);
        by_step.step(DT)?;
        let time = step as f32 * DT;
        let exact = (TAU * FREQUENCY * time).cos();
        let x = |world: &World| world.body(ball).map(|body| body.position().x);
        let found = [x(&by_substep)?, x(&by_step)?];
        for (worst, x) in worst.iter_mut().zip(found) {
            *worst = worst.max((x - exact).abs());
        }
        if step % 5 == 0 {
            println!("{time:.2} s  {exact:6.2}  {:10.2}  {:7.2}", found[0], found[1]);
        }
    }
    println!("at most {:.2} and {:.2} off", worst[0], worst[1]);
    assert!(worst[0] < 0.5 && 1.0 < worst[1], "{worst:?}");
    Ok(())
}
