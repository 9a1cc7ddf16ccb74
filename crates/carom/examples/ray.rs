//! Questions to a world: what does a ray meet first, what is near a point, what touches a ball? A
//! filter chooses the colliders that count.
//!
//! `cargo run -p carom --example ray`

use carom::{BodyDesc, Pose, QueryFilter, Ray, Shape, Vec3, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let floor = world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let pillar = BodyDesc::fixed(Shape::cuboid(Vec3::new(0.5, 2.0, 0.5))?);
    let pillar = world.insert(pillar.with_position(Vec3::new(4.0, 2.0, 0.0)))?;
    let ball = BodyDesc::fixed(Shape::sphere(1.0)?).with_position(Vec3::new(9.0, 1.0, 0.0));
    let ball = world.insert(ball)?;

    let name = |body| match body {
        body if body == floor => "the floor",
        body if body == pillar => "the pillar",
        _ => "the ball",
    };

    // From the eye, straight ahead: the pillar hides the ball.
    let ahead = Ray::new(Vec3::Y, Vec3::X);
    let first = world.query(&QueryFilter::SOLID).cast_ray(&ahead, 100.0).ok_or("the ray meets nothing")?;
    println!(
        "the ray meets {} after {} m, on a face with normal {}",
        name(first.body),
        first.hit.t,
        first.hit.normal
    );
    assert_eq!((first.body, first.hit.t, first.hit.normal), (pillar, 3.5, Vec3::NEG_X));

    // The same ray through the pillar, as a camera that ignores it.
    let behind =
        world.query(&QueryFilter::SOLID.without(&[pillar])).cast_ray(&ahead, 100.0).ok_or("no ball")?;
    println!("without the pillar it meets {} after {} m", name(behind.body), behind.hit.t);
    assert_eq!((behind.body, behind.hit.t), (ball, 8.0));

    // Every hit, sorted: in and out of the pillar, in and out of the ball.
    let mut query = world.query(&QueryFilter::SOLID);
    let hits = query.cast_ray_all(&ahead, 100.0);
    let distances: Vec<f32> = hits.iter().map(|hit| hit.hit.t).collect();
    println!("all hits at {distances:?} m");
    assert_eq!(distances, [3.5, 4.5, 8.0, 10.0]);

    let near =
        world.query(&QueryFilter::SOLID).nearest(Vec3::new(2.0, 3.0, 0.0), 10.0).ok_or("nothing is near")?;
    println!("nearest is {}, {} m away", name(near.body), near.projection.distance);
    assert_eq!((near.body, near.projection.distance), (pillar, 1.5));

    // The bodies that an explosion of 2 m reaches.
    let blast = Shape::sphere(2.0)?;
    let reached = query.overlap_shape(&blast, &Pose::from_translation(Vec3::new(6.0, 1.0, 0.0)));
    let reached: Vec<_> = reached.iter().map(|collider| collider.body()).collect();
    let names: Vec<&str> = reached.iter().map(|&body| name(body)).collect();
    println!("a ball of 2 m touches {}", names.join(", "));
    assert_eq!(reached, [floor, pillar, ball]);
    Ok(())
}
