//! A hook changes the contacts of a floor. A part of the floor is a trapdoor, another one is thin
//! ice that bears at most 300 N.
//!
//! `cargo run -p carom --example trapdoor`

use carom::prelude::*;

const DT: f32 = 1.0 / 60.0;

/// The largest force on the ice, in newtons.
const ICE_BEARS: f32 = 300.0;

struct Floor {
    id: BodyId,
    is_open: bool,
}

impl Hooks for Floor {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        if contact.side_with(|side| side.id == self.id).is_none() {
            return;
        }
        let points = contact.points_mut();
        let share = 1.0 / points.len() as f32;
        for point in points {
            let at = point.contact().point_a;
            if self.is_open && at.with_y(0.0).length() < 1.0 {
                // Nothing is there.
                point.remove();
            } else if 4.0 < at.x {
                point.set_max_normal_impulse(ICE_BEARS * DT * share);
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let floor = BodyDesc::fixed(Shape::cuboid(Vec3::new(9.0, 0.1, 9.0))?).with_hooks(ActiveHooks::MODIFY);
    let floor = world.insert(floor.with_position(Vec3::NEG_Y * 0.1))?;
    let ball = BodyDesc::dynamic(Shape::sphere(0.3)?);
    let on_door = world.insert(ball.clone().with_position(Vec3::Y * 0.3))?;
    let beside = world.insert(ball.with_position(Vec3::new(-3.0, 0.3, 0.0)))?;
    let cube = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.3))?);
    // They weigh 196 N and 491 N.
    let light = cube.clone().with_mass(20.0).with_position(Vec3::new(6.0, 0.3, -2.0));
    let light = world.insert(light)?;
    let heavy = world.insert(cube.with_mass(50.0).with_position(Vec3::new(6.0, 0.3, 2.0)))?;

    let mut hooks = Floor { id: floor, is_open: false };
    let run = |world: &mut World, hooks: &Floor| -> Result<(), WorldError> {
        (0..180).try_for_each(|_| world.step_with(DT, StepOptions::new().with_hooks(hooks)).map(|_| ()))
    };
    let height = |world: &World, id: BodyId| world.body(id).map(|body| body.position().y);
    run(&mut world, &hooks)?;
    println!(
        "on the ice: 20 kg at {:.2} m, 50 kg at {:.2} m",
        height(&world, light)?,
        height(&world, heavy)?
    );
    assert!((height(&world, light)? - 0.3).abs() < 0.01 && height(&world, heavy)? < -1.0);

    // The world does not know that the hook changes, so the ball sleeps on the open door.
    hooks.is_open = true;
    run(&mut world, &hooks)?;
    println!("the door is open, and the ball sleeps: {}", world.body(on_door)?.is_sleeping());
    assert!(world.body(on_door)?.is_sleeping() && (height(&world, on_door)? - 0.3).abs() < 0.01);
    world.wake_all();
    run(&mut world, &hooks)?;
    println!("woken, it fell to {:.2} m", height(&world, on_door)?);
    assert!(height(&world, on_door)? < -1.0 && (height(&world, beside)? - 0.3).abs() < 0.01);
    // Checks that all parts of the world are consistent. It is for tests.
    world.validate()?;
    Ok(())
}
