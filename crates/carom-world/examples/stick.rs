//! A dart sticks in a box that swings, a bat knocks a ball away, and a ghost passes a wall.
//!
//! `cargo run --example stick -p carom-world`

use carom_geom::{Cuboid, Sphere};
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{BodyDesc, EventKind, JointDesc, JointKind, Response, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cube = |half: f32| Cuboid::new(Vec3::splat(half)).map(Shape::Cuboid);
    let ball = |radius: f32| Sphere::new(radius).map(Shape::Sphere);
    let mut world = World::new();
    world.solver_settings_mut().gravity = Vec3::ZERO;

    // A box on a hinge, and a dart that flies at its lower half.
    let hook = world.insert(BodyDesc::fixed(ball(0.1)?).with_position(Vec3::Y))?;
    let target = world.insert(BodyDesc::dynamic(cube(0.5)?).with_mass(1.0))?;
    world.insert_joint(
        JointDesc::new(hook, target, JointKind::Spherical { cone: 4.0, twist: None })
            .with_anchor(Vec3::Y)
            .with_axis(Vec3::X),
    )?;
    let dart = BodyDesc::dynamic(ball(0.05)?).with_position(Vec3::new(-3.0, -0.3, 0.0)).with_density(100.0);
    let dart = dart.with_linear_velocity(Vec3::X * 40.0).with_ccd(true);
    world.insert(dart.with_response(Response::Stick))?;

    // A bat adds an impulse of 5 Ns to the collision.
    let bat = BodyDesc::dynamic(cube(0.5)?).with_mass(1.0).with_position(Vec3::new(-3.0, 0.0, 5.0));
    let bat = bat.with_linear_velocity(Vec3::X * 3.0).with_response(Response::Knock { impulse: 5.0 });
    world.insert(bat)?;
    let struck = world.insert(BodyDesc::dynamic(ball(0.5)?).with_mass(0.5).with_position(Vec3::Z * 5.0))?;

    // A rule of one pair: the ghost passes the wall.
    let wall = world.insert(BodyDesc::fixed(cube(0.5)?).with_position(Vec3::Z * 10.0))?;
    let ghost = BodyDesc::dynamic(ball(0.3)?).with_position(Vec3::new(-3.0, 0.0, 10.0));
    let ghost = world.insert(ghost.with_linear_velocity(Vec3::X * 3.0))?;
    world.set_pair_response(wall, ghost, Some(Response::Pass))?;

    let mut seen = Vec::new();
    for step in 0..120 {
        world.step(1.0 / 60.0)?;
        seen.extend(world.responses().iter().map(|event| event.response));
        for event in world.responses() {
            let [a, b] = [event.a.index(), event.b.index()];
            println!(
                "step {step:3}: {a} and {b} {:?}, energy lost {:.1} J",
                event.response, event.energy_lost
            );
        }
        for event in world.events().iter().filter(|event| event.kind != EventKind::Persisted) {
            println!("step {step:3}: {} and {} {:?}", event.a.index(), event.b.index(), event.kind);
        }
    }
    let speed = world.body(struck)?.linear_velocity().length();
    let at = world.body(ghost)?.position().x;
    println!(
        "the ball flies at {speed:.1} m/s; the ghost is at {at:.1} m; {:?}",
        world.body(target)?.rotation()
    );
    assert!(seen.contains(&Response::Stick) && seen.contains(&Response::Knock { impulse: 5.0 }));
    // An impact without a bounce gives 2 m/s, and 5 Ns give 10 m/s more.
    assert!((speed - 12.0).abs() < 0.1, "{speed}");
    assert!((at - 3.0).abs() < 1e-3, "nothing stops the ghost: {at}");
    Ok(())
}
