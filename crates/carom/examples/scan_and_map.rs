//! A point cloud and an occupancy grid are shapes: a robot's arm is checked against a scan, and a
//! ball rolls over voxels.
//!
//! `cargo run -p carom --example scan_and_map`

use carom::query::{ImpactSettings, TimeOfImpact, cast, motion_of};
use carom::{BodyDesc, Pose, Quat, Shape, Vec3, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A scan of a wall at x = 2: 10,000 points, each a ball of 2 cm.
    let point = |k: u32| Vec3::new(2.0, 0.02 * (k / 100) as f32, 0.02 * (k % 100) as f32 - 1.0);
    let scan = Shape::point_cloud((0..10_000).map(point).collect(), 0.02)?;

    // The arm lies along x, 0.5 m of it on either side of its middle.
    let arm = Shape::capsule(0.5, 0.1)?;
    let along_x = Quat::from_rotation_z(-core::f32::consts::FRAC_PI_2);
    let start = Pose::new(along_x, Vec3::new(0.6, 1.0, 0.0));
    let gap = carom::distance(&scan, &Pose::IDENTITY, &arm, &start);
    println!("the arm is {:.3} m from point {}", gap.distance, gap.part_a);
    assert!((gap.distance - 0.78).abs() < 1e-3);

    // It is pushed towards the wall by 1 m a second.
    let still = motion_of(&Pose::IDENTITY, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO)?;
    let pushed = motion_of(&start, Vec3::ZERO, Vec3::X, Vec3::ZERO)?;
    let TimeOfImpact::Hit(impact) = cast(&scan, &still, &arm, &pushed, &ImpactSettings::default()) else {
        return Err("no impact was proved".into());
    };
    println!("it meets the wall after {:.3} s", impact.t_hi);
    assert!((impact.t_hi - 0.78).abs() < 1e-3);

    // A floor of 40 x 40 cells of 10 cm with a step at its end: two boxes.
    let n = [40, 2, 40];
    let is_occupied = |k: usize| (k / 40).is_multiple_of(2) || 30 <= k / 80;
    let cells: Vec<bool> = (0..n[0] * n[1] * n[2]).map(is_occupied).collect();
    let floor = Shape::voxels(n, &cells, Vec3::new(0.0, -0.1, -2.0), Vec3::splat(0.1))?;
    println!("{floor:?}");
    assert_eq!(floor.n_parts(), 2);

    let mut world = World::new();
    world.insert(BodyDesc::fixed(floor))?;
    let ball = BodyDesc::dynamic(Shape::sphere(0.2)?)
        .with_position(Vec3::new(0.5, 0.2, 0.0))
        .with_linear_velocity(Vec3::X);
    let ball = world.insert(ball)?;
    for _ in 0..240 {
        world.step(1.0 / 60.0)?;
    }
    let end = world.body(ball)?.position();
    println!("after four seconds the ball is at {end:.2}, before the step");
    assert!(1.0 < end.x && end.x < 2.9 && (end.y - 0.2).abs() < 0.01);
    Ok(())
}
