//! The same pile on one thread and on two: the states have the same bits. A world uses the pool of
//! threads in which it is called.
//!
//! `cargo run -p carom --example parallel --features parallel --release`

use carom::{BodyDesc, Shape, Vec3, World};
use std::time::Instant;

/// An error that may go from thread to thread.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Returns the hash of a pile of bricks after half a second.
fn pile() -> Result<u64, Failure> {
    let mut world = World::new();
    let floor = Shape::half_space(Vec3::Y)?;
    world.insert(BodyDesc::fixed(floor))?;
    let brick = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.25))?);
    for i in 0..800 {
        let (column, layer) = (i % 100, i / 100);
        let at = Vec3::new((column % 10) as f32, 0.5 + layer as f32, (column / 10) as f32) * 0.55;
        world.insert(brick.clone().with_position(at))?;
    }
    for _ in 0..30 {
        world.step(1.0 / 60.0)?;
    }
    Ok(world.state_hash())
}

fn main() -> Result<(), Failure> {
    let mut hashes = Vec::new();
    for n_threads in [1, 2] {
        // This thread is a member of the pool, so data stay in the cache of its core.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build()?;
        let start = Instant::now();
        let hash = pool.install(pile)?;
        println!("{n_threads} threads: hash {hash:016x}, {} ms", start.elapsed().as_millis());
        hashes.push(hash);
    }
    assert_eq!(hashes[0], hashes[1], "the same bits");
    Ok(())
}
