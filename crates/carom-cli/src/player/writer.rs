//! The binary sections of a recording: positions, poses, surfaces and lines, frame by frame.
//!
//! Numbers of 16 bits are predicted from the two frames before, and split into byte planes. States
//! are one byte each, stored as the XOR with those of the frame before.

use super::sections::Sections;
use super::surface::SurfaceFrame;
use super::{Frame, QUAT_STEPS, Recording};
use carom_math::{Quat, Vec3};
use carom_stage::PlayerMesh;
use serde_json::{Value, json};

/// The box in which coordinates have 16 bits.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub(super) min: Vec3,
    /// Above 0, because coordinates are divided by it.
    pub(super) extent: Vec3,
}

impl Grid {
    pub(super) fn new(min: Vec3, max: Vec3) -> Grid {
        Grid { min, extent: (max - min).max(Vec3::splat(f32::MIN_POSITIVE)) }
    }

    pub(super) fn words(self, p: Vec3) -> [u16; 3] {
        let scaled = ((p - self.min) / self.extent).clamp(Vec3::ZERO, Vec3::ONE) * 65535.0;
        scaled.to_array().map(|x| x.round() as u16)
    }

    fn bytes<'p>(self, points: impl IntoIterator<Item = &'p Vec3>) -> impl Iterator<Item = u8> {
        points.into_iter().flat_map(move |p| self.words(*p)).flat_map(u16::to_le_bytes)
    }
}

/// The numbers of many things, `N` of each, and their states.
struct Tracks<const N: usize> {
    /// The two frames before, the later one first.
    previous: [Vec<[u16; N]>; 2],
    states: Vec<u8>,
}

impl<const N: usize> Tracks<N> {
    fn new(n: usize, n_states: usize) -> Tracks<N> {
        Tracks { previous: [vec![[0; N]; n], vec![[0; N]; n]], states: vec![0; n_states] }
    }

    /// Returns the bytes of a frame: `2 N` byte planes of the numbers, then the states.
    fn bytes(&mut self, words: Vec<[u16; N]>, states: impl Iterator<Item = u8>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(2 * N * words.len() + self.states.len());
        for channel in 0..N {
            let [last, before] = &self.previous;
            let residuals: Vec<u16> = words
                .iter()
                .zip(last)
                .zip(before)
                .map(|((now, last), before)| {
                    let guess = last[channel].wrapping_mul(2).wrapping_sub(before[channel]);
                    zigzag(now[channel].wrapping_sub(guess) as i16)
                })
                .collect();
            bytes.extend(residuals.iter().map(|r| *r as u8));
            bytes.extend(residuals.iter().map(|r| (*r >> 8) as u8));
        }
        for (last, state) in self.states.iter_mut().zip(states) {
            bytes.push(state ^ *last);
            *last = state;
        }
        self.previous.swap(0, 1);
        self.previous[0] = words;
        bytes
    }
}

/// Writes the frames of a recording, in their order.
pub(super) struct FrameWriter<'a> {
    grid: Grid,
    poses: Tracks<6>,
    surfaces: Vec<Tracks<3>>,
    clouds: Vec<Tracks<3>>,
    /// The last tree, and its sections.
    levels: (&'a [Vec<[Vec3; 2]>], Vec<Value>),
}

impl<'a> FrameWriter<'a> {
    pub(super) fn new(recording: &'a Recording, grid: Grid) -> FrameWriter<'a> {
        let n = recording.bodies.len();
        let surfaces = recording.surfaces.iter().map(|s| Tracks::new(s.vertices.len(), s.triangles.len()));
        let clouds = recording.clouds.iter().map(|cloud| Tracks::new(cloud.n, 0));
        FrameWriter {
            grid,
            poses: Tracks::new(n, n),
            surfaces: surfaces.collect(),
            clouds: clouds.collect(),
            levels: (&[], Vec::new()),
        }
    }

    /// Writes the sections of a frame, and returns its description.
    pub(super) fn write(&mut self, frame: &'a Frame, sections: &mut Sections) -> Result<Value, String> {
        let poses = self.write_poses(frame, sections)?;
        let grid = self.grid;
        let contacts = sections.push(grid.bytes(&frame.contacts));
        let lines = [0, 1].map(|kind| sections.push(grid.bytes(frame.lines[kind].iter().flatten())));
        // A tree that stays the same over several frames is stored once.
        if frame.levels != self.levels.0 {
            let levels = frame.levels.iter();
            let stored = levels.map(|level| sections.push(grid.bytes(level.iter().flatten())));
            self.levels = (&frame.levels, stored.collect());
        }
        let surfaces = write_surfaces(&mut self.surfaces, &frame.surfaces, grid, sections)?;
        let clouds = write_surfaces(&mut self.clouds, &frame.clouds, grid, sections)?;
        let skin = frame.skin.as_ref().map(|skin| describe_mesh(skin, sections));
        Ok(json!({
            "skin": skin,
            "surfaces": surfaces, "clouds": clouds, "poses": poses, "contacts": contacts, "nContacts": frame.n_contacts, "stats": frame.stats.values,
            "lines": lines, "levels": self.levels.1, "nLevels": frame.n_levels, "caption": frame.caption,
        }))
    }

    fn write_poses(&mut self, frame: &Frame, sections: &mut Sections) -> Result<Value, String> {
        let n = self.poses.states.len();
        if frame.poses.len() != n || frame.states.len() != n {
            return Err(format!("a frame of {} poses for {n} bodies", frame.poses.len()));
        }
        let words = frame.poses.iter().map(|pose| {
            let [x, y, z] = self.grid.words(pose.translation);
            let [a, b, c] = quantised_rotation(pose.rotation);
            [x, y, z, a, b, c]
        });
        let words = words.collect();
        Ok(sections.push(self.poses.bytes(words, frame.states.iter().map(|state| *state as u8))))
    }
}

/// Writes a frame of each surface or cloud as one section.
fn write_surfaces(
    tracks: &mut [Tracks<3>],
    frames: &[SurfaceFrame],
    grid: Grid,
    sections: &mut Sections,
) -> Result<Vec<Value>, String> {
    if frames.len() != tracks.len() {
        return Err(format!("{} surfaces or clouds in a frame, not {}", frames.len(), tracks.len()));
    }
    let mut write = |(tracks, frame): (&mut Tracks<3>, &SurfaceFrame)| {
        let (n_vertices, n_faces) = (tracks.previous[0].len(), tracks.states.len());
        if (frame.vertices.len(), frame.faces.len()) != (n_vertices, n_faces) {
            return Err(format!(
                "a frame of {} vertices and {} faces for a mesh of {n_vertices} and {n_faces}",
                frame.vertices.len(),
                frame.faces.len(),
            ));
        }
        let words = frame.vertices.iter().map(|p| grid.words(*p)).collect();
        Ok(sections.push(tracks.bytes(words, frame.faces.iter().map(|state| *state as u8))))
    };
    tracks.iter_mut().zip(frames).map(&mut write).collect()
}

/// Describes a mesh for the script, with coordinates of 16 bits within its own box.
pub(super) fn describe_mesh(mesh: &PlayerMesh, sections: &mut Sections) -> Value {
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for v in &mesh.vertices {
        (min, max) = (min.min(*v), max.max(*v));
    }
    let grid = Grid::new(min, max);
    let mut last = [0u16; 3];
    let residuals: Vec<[u16; 3]> = mesh
        .vertices
        .iter()
        .map(|v| {
            let now = grid.words(*v);
            let residual = core::array::from_fn(|i| zigzag(now[i].wrapping_sub(last[i]) as i16));
            last = now;
            residual
        })
        .collect();
    let vertices = sections.push(
        (0..6).flat_map(|plane| residuals.iter().map(move |r| (r[plane / 2] >> (8 * (plane % 2))) as u8)),
    );
    let mut last = 0u32;
    let indices: Vec<u32> = mesh
        .triangles
        .iter()
        .flatten()
        .map(|v| {
            let step = v.wrapping_sub(last) as i32;
            last = *v;
            ((step << 1) ^ (step >> 31)) as u32
        })
        .collect();
    let triangles =
        sections.push((0..4).flat_map(|plane| indices.iter().map(move |i| (i >> (8 * plane)) as u8)));
    json!({
        "kind": "mesh", "min": grid.min.to_array(), "extent": grid.extent.to_array(),
        "vertices": vertices, "triangles": triangles,
    })
}

/// Maps small numbers of either sign to small unsigned numbers.
fn zigzag(x: i16) -> u16 {
    ((x << 1) ^ (x >> 15)) as u16
}

/// Returns the three components after the largest, in cyclic order. The index of the largest is in
/// the top bits of the first.
fn quantised_rotation(q: Quat) -> [u16; 3] {
    let c = q.to_array();
    let largest = (0..4).fold(0, |best, i| if c[best].abs() < c[i].abs() { i } else { best });
    let sign = if c[largest] < 0.0 { -1.0 } else { 1.0 };
    let mut words: [u16; 3] = core::array::from_fn(|i| {
        let x = c[(largest + 1 + i) % 4] * sign * core::f32::consts::SQRT_2;
        ((x.clamp(-1.0, 1.0) * 0.5 + 0.5) * QUAT_STEPS).round() as u16
    });
    words[0] |= (largest as u16) << 12;
    words
}
