//! Worlds of the scenes of carom-scenes, for tests.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., fig. 25.2 (the parts of a
//! world).

use carom_broad::BroadPhase;
use carom_scenes::SceneSpec;
use carom_world::{BodyId, World};

/// Inserts the bodies and joints of a scene into a world. Returns the handles in the order of the
/// scene. Panics if the world refuses one of them.
pub fn fill<B: BroadPhase>(world: &mut World<B>, scene: &SceneSpec) -> Vec<BodyId> {
    carom_stage::insert(world, scene).unwrap()
}
