//! A terrain from a grid of heights: a ball rolls down into the valley, a crate stays on the slope.
//!
//! `cargo run -p carom --example terrain`

use carom::prelude::*;

/// Samples along each side, and their spacing in metres.
const N: u32 = 65;
const SPACING: f32 = 0.5;

/// Returns the height of the ground: a bowl with its lowest point at the origin.
fn height_at(x: f32, z: f32) -> f32 {
    0.02 * (x * x + z * z)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Sample (i, j) is number j N + i. The middle of the grid is on the y axis.
    let side = |k: u32| (k as f32 - 0.5 * (N - 1) as f32) * SPACING;
    let heights = (0..N * N).map(|k| height_at(side(k % N), side(k / N))).collect();
    let terrain = Shape::height_field([N, N], [SPACING, SPACING], heights)?;
    let mut world = World::new();
    let ground = Material::new(0.8, 0.0).with_rolling_friction(0.05);
    let terrain = world.insert(BodyDesc::fixed(terrain).with_material(ground))?;

    // A ray finds the ground below a point, and its normal.
    let down = Ray::new(Vec3::new(8.0, 50.0, 6.0), Vec3::NEG_Y);
    let hit = world.query(&QueryFilter::SOLID).cast_ray(&down, Interval::FORWARD).ok_or("no ground")?;
    let ground = down.origin + down.direction * hit.hit.t;
    println!("the ground at {:.1}, {:.1} is {:.2} m high", ground.x, ground.z, ground.y);
    assert!(hit.body == terrain && (ground.y - height_at(8.0, 6.0)).abs() < 0.01);

    // A crate stands on the slope of 22 degrees, flat on the ground.
    let normal = hit.hit.normal;
    let pose = Pose::new(Quat::from_rotation_arc(Vec3::Y, normal), ground + normal * 0.3);
    let crate_ = world
        .insert(BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.3))?).with_friction(0.8).with_pose(pose))?;
    // A ball is put on the other side.
    let start = Vec3::new(-10.0, height_at(-10.0, 0.0) + 0.55, 0.0);
    let ball =
        world.insert(BodyDesc::dynamic(Shape::sphere(0.5)?).with_friction(0.8).with_position(start))?;
    for second in 1..=40 {
        for _ in 0..60 {
            world.step(1.0 / 60.0)?;
        }
        if second % 5 == 0 {
            let at = world.body(ball)?.position();
            println!("{second} s: the ball is at {:.2}, {:.2}, {:.2}", at.x, at.y, at.z);
        }
    }
    let slid = world.body(crate_)?.position().distance(pose.translation);
    println!("the crate slid by {slid:.3} m");
    assert!(slid < 0.1);
    // Rolling friction holds the ball on slopes below 0.05 m / 0.5 m, up to 2.5 m from the middle.
    let at = world.body(ball)?.position();
    assert!(at.x.hypot(at.z) < 2.6 && (at.y - height_at(at.x, at.z) - 0.5).abs() < 0.02, "{at}");
    assert!(world.body(ball)?.is_sleeping());
    Ok(())
}
