//! Bodies in large numbers: a pyramid of boxes, boxes that fall, a chain of rings.
//!
//! Reference: E. Catto, Box2D 3.1, samples: large pyramid, 2024.

use super::{Error, Request};
use carom_broad::BroadPhase;
use carom_geom::{Cuboid, HalfSpace};
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_scenes::Rng;
use carom_world::{BodyDesc, World};

/// Density of the boxes, in kg/m3: that of air, so that a shot ball scatters them.
const DENSITY: f32 = 1.0;

/// Half the side of a box, in metres.
const HALF: f32 = 0.5;

fn floor<B: BroadPhase>(world: &mut World<B>) -> Result<(), Error> {
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
    Ok(())
}

/// Inserts a pyramid with `count` boxes in the lowest row, and one fewer in each row above.
pub fn pyramid<B: BroadPhase>(world: &mut World<B>, request: &Request) -> Result<(), Error> {
    floor(world)?;
    let shape = Shape::Cuboid(Cuboid::new(Vec3::splat(HALF))?);
    for row in 0..request.count {
        let n = request.count - row;
        for k in 0..n {
            let x = 1.05 * (k as f32 - 0.5 * (n - 1) as f32);
            let position = Vec3::new(x, HALF + row as f32, 0.0);
            world.insert(BodyDesc::dynamic(shape.clone()).with_density(DENSITY).with_position(position))?;
        }
    }
    Ok(())
}

/// Inserts `count` boxes in loose layers over a floor. They fall into a heap.
pub fn boxes<B: BroadPhase>(world: &mut World<B>, request: &Request) -> Result<(), Error> {
    floor(world)?;
    let mut rng = Rng::new(request.seed);
    let shape = Shape::Cuboid(Cuboid::new(Vec3::splat(HALF))?);
    let mut side = 1;
    while 2 * side * side * side < request.count {
        side += 1;
    }
    for k in 0..request.count {
        let (layer, cell) = (k / (side * side), k % (side * side));
        let coordinate_of = |cell: usize| 1.1 * (cell as f32 - 0.5 * (side - 1) as f32);
        let aside = Vec3::new(rng.range(-0.1, 0.1) as f32, 0.0, rng.range(-0.1, 0.1) as f32);
        let height = 1.0 + 1.1 * layer as f32;
        let position = Vec3::new(coordinate_of(cell % side), height, coordinate_of(cell / side)) + aside;
        world.insert(BodyDesc::dynamic(shape.clone()).with_density(DENSITY).with_position(position))?;
    }
    Ok(())
}

/// Half the thickness of a link, in metres, and the distance of the middles of two links.
const LINK: f32 = 0.1;
const LINK_SPACING: f32 = 0.6;

/// Inserts a chain of `count` rings without any joint. The first is held; each other one hangs in
/// the one above. The chain begins aside, so that it swings.
pub(super) fn links<B: BroadPhase>(world: &mut World<B>, request: &Request) -> Result<(), Error> {
    floor(world)?;
    let link = Shape::torus(0.5 * LINK_SPACING + LINK, LINK)?;
    let quarters =
        [Quat::from_xyzw(DIAGONAL, 0.0, 0.0, DIAGONAL), Quat::from_xyzw(0.0, 0.0, DIAGONAL, DIAGONAL)];
    // The whole chain leans: three metres aside on four down.
    let lean = Quat::from_xyzw(0.0, 0.0, 0.316_227_8, 0.948_683_3);
    let top = LINK_SPACING * request.count as f32 + 1.0;
    for k in 0..request.count {
        let along = Vec3::new(0.6, -0.8, 0.0) * (0.98 * LINK_SPACING * k as f32);
        let pose = Pose::new(lean, Vec3::Y * top + along) * Pose::new(quarters[k % 2], Vec3::ZERO);
        let desc = if k == 0 { BodyDesc::fixed(link.clone()) } else { BodyDesc::dynamic(link.clone()) };
        world.insert(desc.with_pose(pose))?;
    }
    Ok(())
}

/// The sine and the cosine of 45 degrees, for quarter turns.
const DIAGONAL: f32 = core::f32::consts::FRAC_1_SQRT_2;
