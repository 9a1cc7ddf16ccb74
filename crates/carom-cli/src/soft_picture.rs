//! The soft things of a world for the player: cloth and jelly as surfaces, ropes, liquids and
//! grains as clouds of balls.

use crate::player::{FaceState, PlayerCloud, PlayerMesh, SurfaceFrame};
use carom_broad::BroadPhase;
use carom_math::Vec3;
use carom_world::{ParticlesId, SoftBodyId, SoftThing, World, WorldError};

/// The soft things of a world, in the order in which they are recorded.
#[derive(Default)]
pub(crate) struct SoftPicture {
    surfaces: Vec<SoftBodyId>,
    ropes: Vec<SoftBodyId>,
    particles: Vec<ParticlesId>,
}

/// Colours of ropes and of particles.
const ROPE: [u8; 3] = [168, 128, 84];
const WATER: [u8; 3] = [52, 116, 190];

impl SoftPicture {
    /// Lists the soft things of a world. Returns what is recorded about them once: surfaces and
    /// clouds.
    pub(crate) fn new<B: BroadPhase>(
        world: &World<B>,
    ) -> Result<(SoftPicture, Vec<PlayerMesh>, Vec<PlayerCloud>), WorldError> {
        let mut picture = SoftPicture::default();
        let (mut meshes, mut clouds) = (Vec::new(), Vec::new());
        let cloud = |name: &str, n, radius, colour, foam_speed| PlayerCloud {
            name: name.to_owned(),
            n,
            radius,
            colour,
            foam_speed,
        };
        for thing in world.soft_things() {
            if let SoftThing::Body(id) = thing {
                let body = world.soft_body(id)?;
                let vertices = body.positions().to_vec();
                if let Some(mesh) = body.mesh() {
                    picture.surfaces.push(id);
                    meshes.push(PlayerMesh { vertices, triangles: mesh.mesh().indices().to_vec() });
                } else {
                    picture.ropes.push(id);
                    clouds.push(cloud("rope", vertices.len(), body.radius(), ROPE, f32::INFINITY));
                }
            }
        }
        for thing in world.soft_things() {
            if let SoftThing::Particles(id) = thing {
                let particles = world.particles(id)?;
                picture.particles.push(id);
                clouds.push(cloud("water", particles.positions().len(), particles.radius(), WATER, 4.0));
            }
        }
        Ok((picture, meshes, clouds))
    }

    /// Returns what is recorded about them in a frame.
    pub(crate) fn frame<B: BroadPhase>(
        &self,
        world: &World<B>,
    ) -> Result<(Vec<SurfaceFrame>, Vec<Vec<Vec3>>), WorldError> {
        let mut surfaces = Vec::new();
        for &id in &self.surfaces {
            let body = world.soft_body(id)?;
            let n_faces = body.mesh().map_or(0, |mesh| mesh.mesh().n_triangles());
            let vertices = body.positions().to_vec();
            surfaces.push(SurfaceFrame { vertices, faces: vec![FaceState::Free; n_faces] });
        }
        let mut clouds = Vec::new();
        for &id in &self.ropes {
            clouds.push(world.soft_body(id)?.positions().to_vec());
        }
        for &id in &self.particles {
            clouds.push(world.particles(id)?.positions().to_vec());
        }
        Ok((surfaces, clouds))
    }
}
