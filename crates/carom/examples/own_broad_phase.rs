//! A broad phase of your own is one function: boxes in, touching pairs out. In a world it takes the
//! place of carom's, and the world goes on to the same bits.
//!
//! `cargo run -p carom --example own_broad_phase`

use carom::bounds::BoundingVolume;
use carom::broad::{FromFinder, PairBuffer, PairFinder, ProxyTable};
use carom::world::WorldSettings;
use carom::{BodyDesc, BroadPhase, Shape, Vec3, World};

/// Sorts the boxes along x, and tests each against those that begin before it ends.
#[derive(Default)]
struct SortAlongX {
    order: Vec<u32>,
}

impl PairFinder for SortAlongX {
    fn find(&mut self, proxies: &ProxyTable, slots: &[u32], found: &mut PairBuffer) {
        let boxes = proxies.boxes();
        let of = |slot: u32| &boxes[slot as usize];
        self.order.clear();
        self.order.extend_from_slice(slots);
        self.order.sort_unstable_by(|&a, &b| of(a).min.x.total_cmp(&of(b).min.x));
        for (i, &a) in self.order.iter().enumerate() {
            let after = self.order[i + 1..].iter();
            for &b in after.take_while(|&&b| of(b).min.x <= of(a).max.x) {
                found.tests += 1;
                if of(a).overlaps(of(b)) {
                    found.push(a, b);
                }
            }
        }
    }
}

/// Drops a wall of bricks in the world, and returns the hash of its state after two seconds.
fn run<B: BroadPhase>(mut world: World<B>) -> Result<u64, Box<dyn std::error::Error>> {
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let brick = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.5))?);
    for i in 0..60 {
        let at = Vec3::new(1.2 * (i % 10) as f32, 0.7 + 1.3 * (i / 10) as f32, 0.1 * (i % 7) as f32);
        world.insert(brick.clone().with_position(at))?;
    }
    for _ in 0..120 {
        world.step(1.0 / 60.0)?;
    }
    println!("{} pairs of boxes, hash {:016x}", world.stats().n_pairs, world.state_hash());
    Ok(world.state_hash())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = World::with_broad_phase(FromFinder::<SortAlongX>::default(), WorldSettings::default());
    assert_eq!(run(own)?, run(World::new())?, "the same bits as with carom's tree");
    Ok(())
}
