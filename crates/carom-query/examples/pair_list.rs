//! The pairs of a list that touch: balls, boxes and capsules in a room, eight pairs at a time.

use carom_bounds::BoundingVolume;
use carom_geom::{Capsule, Cuboid, Sphere};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{PairBatch, PlacedPair, Shape, intersects, intersects_batch};

/// A number from 0 to 1 that follows from two others.
fn noise(i: u32, k: u32) -> f32 {
    let x = (i * 12 + k).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let x = ((x >> ((x >> 28) + 4)) ^ x).wrapping_mul(277_803_737);
    (x ^ (x >> 22)) as f32 / u32::MAX as f32
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shapes = [
        Shape::Sphere(Sphere::new(0.5)?),
        Shape::Cuboid(Cuboid::new(Vec3::new(0.4, 0.3, 0.5))?),
        Shape::Capsule(Capsule::new(0.4, 0.3)?),
    ];
    let bodies: Vec<(&Shape, Pose)> = (0..3000)
        .map(|i| {
            let at = Vec3::new(noise(i, 0), noise(i, 1), noise(i, 2)) * 16.0;
            let turn = Vec3::new(noise(i, 3), noise(i, 4), noise(i, 5)) * 3.0;
            (&shapes[i as usize % 3], Pose::new(Quat::from_scaled_axis(turn), at))
        })
        .collect();

    // A broad phase: bodies sorted along x, and pairs whose boxes overlap.
    let mut boxes: Vec<_> = bodies.iter().enumerate().map(|(i, (s, pose))| (i, s.aabb(pose))).collect();
    boxes.sort_by(|(_, a), (_, b)| a.min.x.total_cmp(&b.min.x));
    let mut pairs = Vec::new();
    for (k, (i, a)) in boxes.iter().enumerate() {
        let near = boxes[k + 1..].iter().take_while(|(_, b)| b.min.x <= a.max.x);
        for (j, _) in near.filter(|(_, b)| a.overlaps(b)) {
            let ((a, pose_a), (b, pose_b)) = (&bodies[*i], &bodies[*j]);
            pairs.push(PlacedPair { a, pose_a, b, pose_b });
        }
    }

    // The narrow phase: yes or no. The memory is kept from frame to frame.
    let (mut memory, mut touch) = (PairBatch::default(), Vec::new());
    intersects_batch(&pairs, &mut memory, &mut touch);
    let n_touching = touch.iter().filter(|&&touches| touches).count();
    println!("{} bodies, {} pairs of boxes, {n_touching} pairs touch", bodies.len(), pairs.len());
    println!("{} pairs were decided eight at a time", memory.n_by_lanes());

    // One by one the answers are the same.
    let single = |pair: &PlacedPair<'_>| intersects(pair.a, pair.pose_a, pair.b, pair.pose_b);
    assert!(pairs.iter().zip(&touch).all(|(pair, touches)| single(pair) == *touches));
    assert!(0 < n_touching && n_touching < pairs.len());
    Ok(())
}
