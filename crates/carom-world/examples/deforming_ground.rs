//! A ball on a membrane that bulges and throws it up, and a box that rides on a wave.
//!
//! `cargo run --release --example deforming_ground -p carom-world`

use carom_geom::{Cuboid, Sphere, TriMesh};
use carom_math::{Vec3, ops};
use carom_query::{MeshShape, Shape};
use carom_world::{BodyDesc, World};
use std::sync::Arc;

/// Squares along a side, of 0.25 m.
const N: usize = 32;

const DT: f32 = 1.0 / 60.0;

/// The vertices of the ground after some seconds.
fn ground_at(seconds: f32) -> Vec<Vec3> {
    let coordinate_of = |k: usize| 0.25 * (k as f32 - 0.5 * N as f32);
    let height = |x: f32, z: f32| {
        let wave = 0.2
            * ops::sin_cos(f64::from(2.0 * x - 3.0 * seconds)).0 as f32
            * (0.5 * z).clamp(0.0, 1.0)
            * seconds.min(1.0);
        // The membrane is around x = 0, z = -2. It goes up at 6 m/s from second 2 on, and stops.
        let away = Vec3::new(x, 0.0, z + 2.0).length();
        let lift = (6.0 * (seconds - 2.0)).clamp(0.0, 0.9);
        wave + lift * (1.8 - away).clamp(0.0, 1.0)
    };
    let rows = (0..=N).flat_map(|i| (0..=N).map(move |j| (coordinate_of(i), coordinate_of(j))));
    rows.map(|(x, z)| Vec3::new(x, height(x, z), z)).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at = |i: usize, j: usize| (i * (N + 1) + j) as u32;
    let cells = (0..N * N).map(|cell| (cell / N, cell % N));
    let triangles = cells.flat_map(|(i, j)| {
        [[at(i, j), at(i, j + 1), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i + 1, j)]]
    });
    let mesh = MeshShape::new(TriMesh::new(ground_at(0.0), triangles.collect())?)?;
    let mut world = World::new();
    let ground = world.insert(BodyDesc::fixed(Shape::Mesh(Arc::new(mesh))))?;

    let ball = Shape::Sphere(Sphere::new(0.3)?);
    let ball = world.insert(BodyDesc::dynamic(ball).with_position(Vec3::new(0.0, 0.3, -2.0)))?;
    let raft = Shape::Cuboid(Cuboid::new(Vec3::new(0.4, 0.1, 0.4))?);
    let raft = world.insert(BodyDesc::dynamic(raft).with_position(Vec3::new(0.0, 0.1, 3.0)))?;
    let mut highest = 0.0f32;
    for frame in 1..=240 {
        // The vertices at the end of the next step. Contacts get their velocity.
        world.body_mut(ground)?.deform(&ground_at(DT * frame as f32))?;
        world.step(DT)?;
        let [ball, raft] = [world.body(ball)?.position(), world.body(raft)?.position()];
        highest = highest.max(ball.y);
        assert!((raft.y - 0.1).abs() < 0.25, "the box rides on the wave: {raft}");
        if frame % 20 == 0 {
            let seconds = DT * frame as f32;
            println!("{seconds:.2} s: ball at {:5.2}, raft at {:5.2}, {:5.2}", ball.y, raft.x, raft.y);
        }
    }
    // v^2 / 2g above where the membrane let it go.
    println!("the ball rose to {highest:.2} m");
    let expected = 0.3 + 0.9 + 6.0 * 6.0 / (2.0 * 9.81);
    assert!((highest / expected - 1.0).abs() < 0.05, "{highest} m of {expected} m");
    Ok(())
}
