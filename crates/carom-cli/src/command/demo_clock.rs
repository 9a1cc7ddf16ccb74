//! The report of `carom demo clock` beside the phases: gears, pairs of parts, and turns of the
//! barrels.

use crate::command::inserted::Inserted;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::BroadPhase;
use carom_math::Pose;
use carom_query::Shape;
use carom_scenes::{MOVEMENT_BODIES, MOVEMENT_GEARS};
use carom_world::World;

/// Returns a line of the report: the size of the clock, and how far its mainsprings have run down.
pub(crate) fn report<B: BroadPhase>(world: &World<B>, inserted: &Inserted) -> String {
    let n_movements = (inserted.bodies.len() - 1) / MOVEMENT_BODIES;
    // The barrel is the first body of each movement.
    let barrels = world.joints().step_by(MOVEMENT_BODIES);
    let turned: f64 = barrels.filter_map(|joint| joint.angle()).map(f64::abs).sum();
    format!(
        "\n  {} gears, {} pairs of parts whose boxes touch; the barrels have turned by {:.3} radians in the mean",
        n_movements * MOVEMENT_GEARS,
        n_part_pairs(world, inserted),
        turned / n_movements.max(1) as f64,
    )
}

/// Returns how many pairs of parts of different bodies have boxes that touch.
fn n_part_pairs<B: BroadPhase>(world: &World<B>, inserted: &Inserted) -> usize {
    let mut boxes: Vec<(usize, Aabb)> = Vec::new();
    for (number, &id) in inserted.bodies.iter().enumerate() {
        let (Ok(shape), Ok(pose)) =
            (world.body(id).map(|body| body.shape()), world.body(id).map(|body| body.pose()))
        else {
            continue;
        };
        match shape {
            Shape::Compound(compound) => {
                let part = |part: &carom_query::CompoundPart| {
                    let placed: Pose = pose * part.pose;
                    (number, part.shape.aabb(&placed))
                };
                boxes.extend(compound.parts().iter().map(part));
            }
            shape => boxes.push((number, shape.aabb(&pose))),
        }
    }
    // Sorted along x, so that only neighbours are compared (sweep and prune).
    boxes.sort_by(|(_, a), (_, b)| a.min.x.total_cmp(&b.min.x));
    let mut n_pairs = 0;
    for (index, (number, own)) in boxes.iter().enumerate() {
        let near = boxes[index + 1..].iter().take_while(|(_, other)| other.min.x <= own.max.x);
        n_pairs += near.filter(|(other, bounds)| other != number && own.overlaps(bounds)).count();
    }
    n_pairs
}
