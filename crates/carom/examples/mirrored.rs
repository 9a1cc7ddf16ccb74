//! A left wing is mirrored to a right one, and made longer. Then both fall about hinges on blocks.
//! One collides with the block to which it is joined; the other passes through its block.
//!
//! `cargo run -p carom --example mirrored`

use carom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A twisted wedge along x, thick at its root. No rotation makes a left wing a right one.
    let root = [(0.1, 0.3), (0.1, -0.3), (-0.1, 0.3), (-0.1, -0.3)].map(|(y, z)| Vec3::new(0.0, y, z));
    let tip = [Vec3::new(2.0, 0.08, -0.3), Vec3::new(1.6, 0.0, 0.1)];
    let left = Shape::hull(&[root.as_slice(), &tip].concat())?;
    let right = left.scaled(Vec3::new(-1.0, 1.0, 1.0))?;
    let long = left.scaled(Vec3::new(1.5, 1.0, 1.0))?;

    let mut world = World::new();
    let mut insert = |shape: &Shape, z: f32| {
        let wing = BodyDesc::dynamic(shape.clone()).with_density(100.0);
        world.insert(wing.with_position(Vec3::new(0.0, 0.6, z)))
    };
    let (wing_l, wing_r, wing_long) = (insert(&left, 0.0)?, insert(&right, 5.0)?, insert(&long, 10.0)?);
    let [one, other, longer] =
        [wing_l, wing_r, wing_long].map(|id| world.body(id).map(|body| *body.motion()));
    let (one, other, longer) = (one?, other?, longer?);
    println!("centres of mass at x {:.3} and {:.3}", one.center_of_mass.x, other.center_of_mass.x);
    assert!((one.center_of_mass.x + other.center_of_mass.x).abs() < 1e-5);
    assert!((one.center_of_mass.z - other.center_of_mass.z).abs() < 1e-5);
    assert!((one.inverse_mass / other.inverse_mass - 1.0).abs() < 1e-5, "both weigh the same");
    assert!((one.inverse_mass / longer.inverse_mass - 1.5).abs() < 1e-4, "half as much again");

    world.remove(wing_long)?;

    // Each wing falls about a hinge over a block. Joined bodies collide only if that is wished.
    let mut hinge = |wing: BodyId, z: f32, has_contacts: bool| -> Result<(), Box<dyn std::error::Error>> {
        let block = BodyDesc::fixed(Shape::cuboid(Vec3::splat(0.4))?).with_position(Vec3::Z * z);
        let block = world.insert(block)?;
        let hinge = JointDesc::revolute(block, wing).with_anchor(Vec3::Y * 0.6).with_axis(Vec3::Z);
        world.insert_joint(hinge.with_contacts(has_contacts))?;
        Ok(())
    };
    hinge(wing_l, 0.0, true)?;
    hinge(wing_r, 5.0, false)?;
    let mut lowest = [f32::INFINITY; 2];
    for _ in 0..180 {
        world.step(1.0 / 60.0)?;
        for (low, id) in lowest.iter_mut().zip([wing_l, wing_r]) {
            *low = low.min(world.body(id)?.center_of_mass().y);
        }
    }
    println!("the centres of mass came down to {:.2} m and {:.2} m", lowest[0], lowest[1]);
    assert!(0.4 < lowest[0], "it lies on its block");
    assert!(lowest[1] < 0.2, "it swings through its block");
    Ok(())
}
