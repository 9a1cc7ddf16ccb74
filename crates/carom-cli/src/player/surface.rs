//! Meshes that change their shape, and clouds of particles, frame by frame, in the recording of the
//! player. A cloud is recorded as a mesh without faces.
//!
//! As in poses, coordinates are quantised to 16 bits within the scene's box, predicted from the two
//! frames before, and split into byte planes. The state of a face is one byte, stored as the XOR
//! with that of the frame before.

use super::{PlayerMesh, Sections, quantised_point, zigzag};
use carom_math::Vec3;
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

/// A writer of one mesh, frame by frame.
pub(super) struct Writer {
    n_vertices: usize,
    /// The two frames before, the later one first.
    previous: [Vec<[u16; 3]>; 2],
    states: Vec<u8>,
}

impl Writer {
    pub(super) fn new(n_vertices: usize, n_faces: usize) -> Writer {
        let zeros = vec![[0; 3]; n_vertices];
        Writer { n_vertices, previous: [zeros.clone(), zeros], states: vec![0; n_faces] }
    }

    /// Writes a frame as one section: six byte planes of the vertices, then the bytes of the faces.
    pub(super) fn write(
        &mut self,
        frame: &SurfaceFrame,
        min: Vec3,
        extent: Vec3,
        sections: &mut Sections,
    ) -> Result<Value, String> {
        if (frame.vertices.len(), frame.faces.len()) != (self.n_vertices, self.states.len()) {
            return Err(format!(
                "a frame of {} vertices and {} faces for a mesh of {} and {}",
                frame.vertices.len(),
                frame.faces.len(),
                self.n_vertices,
                self.states.len()
            ));
        }
        let words: Vec<[u16; 3]> = frame.vertices.iter().map(|p| quantised_point(*p, min, extent)).collect();
        let mut bytes = Vec::with_capacity(6 * self.n_vertices + self.states.len());
        for axis in 0..3 {
            let residuals: Vec<u16> = (0..self.n_vertices)
                .map(|i| {
                    let [last, before] = [0, 1].map(|k: usize| self.previous[k][i][axis]);
                    zigzag(words[i][axis].wrapping_sub(last.wrapping_mul(2).wrapping_sub(before)) as i16)
                })
                .collect();
            bytes.extend(residuals.iter().map(|r| *r as u8));
            bytes.extend(residuals.iter().map(|r| (*r >> 8) as u8));
        }
        for (last, state) in self.states.iter_mut().zip(&frame.faces) {
            bytes.push(*state as u8 ^ *last);
            *last = *state as u8;
        }
        self.previous.swap(0, 1);
        self.previous[0] = words;
        Ok(sections.push(bytes))
    }
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
