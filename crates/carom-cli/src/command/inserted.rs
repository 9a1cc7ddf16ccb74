//! The bodies of a scene in a world.

use carom_broad::BroadPhase;
use carom_scenes::SceneSpec;
use carom_stage::{Outlines, PlayerShape};
use carom_world::{BodyId, World};

/// The bodies that were inserted into a world, and their drawn shapes.
pub(crate) struct Inserted {
    /// Handles, in the order of the scene's bodies.
    pub(crate) bodies: Vec<BodyId>,
    /// The shapes that the player draws.
    pub(crate) shapes: Vec<PlayerShape>,
    /// Index of the shape of each body.
    pub(crate) shape_of: Vec<u32>,
}

impl Inserted {
    pub(crate) fn new<B: BroadPhase>(world: &mut World<B>, scene: &SceneSpec) -> Result<Inserted, String> {
        let bodies = carom_stage::insert(world, scene)?;
        let mut outlines = Outlines::default();
        // The world was empty, so its order is that of the scene.
        let shape_of = world.shapes().map(|(_, shape)| outlines.number_of(shape)).collect();
        Ok(Inserted { bodies, shapes: outlines.into_shapes(), shape_of })
    }
}
