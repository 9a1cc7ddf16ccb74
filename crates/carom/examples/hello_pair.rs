//! Two shapes: how far apart are they, and at which points? Moved together they overlap, and the
//! answer is a depth with the direction that separates them.
//!
//! `cargo run -p carom --example hello_pair`

use carom::{Pose, Shape, Vec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Half the size of the brick; the radius of the ball.
    let brick = Shape::cuboid(Vec3::new(1.0, 0.5, 0.5))?;
    let ball = Shape::sphere(0.5)?;
    let here = Pose::IDENTITY;

    let above = Pose::from_translation(Vec3::new(0.0, 1.25, 0.0));
    let gap = carom::distance(&brick, &here, &ball, &above);
    println!("apart by {} m, from {} to {}", gap.distance, gap.point_a, gap.point_b);
    assert_eq!((gap.distance, gap.point_a), (0.25, Vec3::new(0.0, 0.5, 0.0)));
    assert!(!carom::intersects(&brick, &here, &ball, &above));

    let into = Pose::from_translation(Vec3::new(0.0, 0.875, 0.0));
    let pair = carom::contact(&brick, &here, &ball, &into, 0.0).ok_or("no contact: they are apart")?;
    let contact = pair.contact;
    println!("{} m deep; the ball is freed along {}", -contact.distance, contact.normal);
    assert_eq!((contact.distance, contact.normal), (-0.125, Vec3::Y));

    // Moved by the depth along the normal, the ball touches the brick.
    let free = Pose::from_translation(into.translation - contact.normal * contact.distance);
    assert_eq!(carom::distance(&brick, &here, &ball, &free).distance, 0.0);
    println!("moved out to {}, it touches", free.translation);
    Ok(())
}
