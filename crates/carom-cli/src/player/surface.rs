//! Meshes that change their shape, and clouds of particles, frame by frame, in the recording of the
//! player. A cloud is recorded as a mesh without faces.
//!
//! As in poses, coordinates are quantised to 16 bits within the scene's box, predicted from the two
//! frames before, and split into byte planes. The state of a face is one byte, stored as the XOR
//! with that of the frame before.

use super::sections::Sections;
use carom_math::Vec3;
use carom_stage::PlayerMesh;
use serde_json::{Value, json};

/// The state of a face, which gives its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum FaceState {
    /// Touches nothing.
    Free = 0,
    /// Touches the mesh that it is a part of.
    TouchesItself = 1,
    /// Touches another body.
    TouchesOther = 2,
    /// Shares a point with a face that is not a neighbour.
    Crosses = 3,
}

/// A mesh that changes its shape, in one frame.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SurfaceFrame {
    /// All vertices, in the order of the mesh.
    pub vertices: Vec<Vec3>,
    /// One for each face.
    pub faces: Vec<FaceState>,
}

/// Particles of one kind, drawn as balls.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerCloud {
    /// Name of the particles, for the legend.
    pub name: String,
    /// Number of particles.
    pub n: usize,
    /// Radius of the balls that are drawn.
    pub radius: f32,
    /// Red, green and blue of particles at rest.
    pub colour: [u8; 3],
    /// The speed at which particles are drawn white, as foam; infinite if they have no foam.
    pub foam_speed: f32,
}

/// Describes the properties of a cloud that are the same in all frames.
pub(super) fn describe_cloud(cloud: &PlayerCloud) -> Value {
    let PlayerCloud { name, n, radius, colour, foam_speed } = cloud;
    let foam_speed = foam_speed.is_finite().then_some(foam_speed);
    json!({"name": name, "n": n, "radius": radius, "colour": colour, "foamSpeed": foam_speed})
}

/// Describes what is the same in all frames: the number of vertices, and the triangles.
pub(super) fn describe(mesh: &PlayerMesh, sections: &mut Sections) -> Value {
    let triangles = sections.push(mesh.triangles.iter().flatten().flat_map(|vertex| vertex.to_le_bytes()));
    json!({"nVertices": mesh.vertices.len(), "triangles": triangles})
}
