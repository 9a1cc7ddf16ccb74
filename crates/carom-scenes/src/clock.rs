//! A clock of gears and springs: thousands of pairs of concave parts that run close to each other.
//!
//! Arbors stand on a square grid. Each has a gear in every layer, and between two layers two coil
//! springs, one inside the windings of the other. Gears of neighbouring arbors mesh and turn
//! against each other; layers differ in the number of teeth. The arbors move a little within their
//! play over time. So at any time some pairs touch, and most are just apart.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25 (an old clock of springs and
//! gears, wound up).

use crate::mesh::{Gear, MeshData, Spring, gear, spring};
use crate::rng::Rng;
use alloc::vec::Vec;
use carom_math::{Pose, Quat};
use core::f64::consts::{PI, TAU};
use glam::{DVec2, DVec3};
use libm::{cos, sin};

/// Distance between two arbors.
const SPACING: f64 = 2.0;

/// Distance between the middles of two layers.
const LAYER: f64 = 1.0;

/// Teeth of the gears, layer by layer, repeated. Each number is a multiple of four, so that a gear
/// meshes in four directions.
const TEETH: [u32; 4] = [24, 32, 16, 40];

/// The size of a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClockSettings {
    /// Arbors on each side of the square. Default: 12.
    pub n_arbors: u32,
    /// Layers of gears. Default: 4.
    pub n_layers: u32,
    /// Resolution of the parts: at 1 the smallest gear and a spring have about 500 triangles each.
    /// The number grows with the square of this for springs, and more slowly for gears. Default:
    /// 2.
    pub detail: u32,
    /// The play of an arbor to each side, as a part of a tooth's width. Default: 0.25.
    pub play: f64,
    /// Seed of the motion within the play. Default: 1.
    pub seed: u64,
}

impl Default for ClockSettings {
    /// Returns the settings of 1440 parts, 3216 pairs and 2.4 million triangles, each part
    /// counted.
    fn default() -> ClockSettings {
        ClockSettings { n_arbors: 12, n_layers: 4, detail: 2, play: 0.25, seed: 1 }
    }
}

impl ClockSettings {
    /// Sets the number of arbors on each side, and of layers.
    pub fn with_size(self, n_arbors: u32, n_layers: u32) -> ClockSettings {
        ClockSettings { n_arbors, n_layers, ..self }
    }

    /// Sets the resolution of the parts.
    pub fn with_detail(self, detail: u32) -> ClockSettings {
        ClockSettings { detail, ..self }
    }
}

/// The kind of a part of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClockPartKind {
    /// A gear.
    Gear,
    /// A coil spring.
    Spring,
}

/// One part, on one arbor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClockPart {
    /// Its kind.
    pub kind: ClockPartKind,
    /// The index of its mesh in [`Clock::meshes`].
    pub mesh: u32,
    /// The middle of its place.
    pub position: DVec3,
    /// Whether it turns clockwise.
    is_clockwise: bool,
    /// Angle at time 0.
    angle: f64,
    /// The phases of its motion within the play along x, y and z, and the amplitudes.
    phases: DVec3,
    play: DVec3,
}

/// A clock: parts that share meshes, their poses at a given time, and the pairs of neighbours.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// The meshes of all parts, closed.
    pub meshes: Vec<MeshData>,
    /// The parts.
    pub parts: Vec<ClockPart>,
    /// Pairs of parts that may touch, each once, with the lower index first: gears of neighbouring
    /// arbors in a layer, the two springs between two layers, and these with the gears below and
    /// above.
    pub pairs: Vec<(u32, u32)>,
}

impl Clock {
    /// Returns a clock at time 0.
    pub fn new(settings: &ClockSettings) -> Clock {
        let (n, n_layers, detail) = (settings.n_arbors, settings.n_layers, settings.detail.max(1));
        let mut clock = Clock::default();
        let mut rng = Rng::new(settings.seed);
        let kinds = n_layers.min(TEETH.len() as u32);
        for layer in 0..kinds {
            clock.meshes.push(layer_gear(layer, detail));
        }
        // There are two wires in one winding: each has half of the room between two turns.
        let room = LAYER - GEAR_WIDTH;
        for start in [0.0, PI] {
            let coil = Spring::coil(4.0, 0.55, room - 2.0 * WIRE, WIRE).with_start(start);
            clock.meshes.push(spring(&coil.with_detail(12 * detail, 5 * detail)));
        }
        let index = |layer: u32, row: u32, column: u32| (layer * n + row) * n + column;
        for layer in 0..n_layers {
            let teeth = TEETH[layer as usize % TEETH.len()];
            let play = settings.play * PI * 0.5 * SPACING / f64::from(teeth);
            for row in 0..n {
                for column in 0..n {
                    let is_clockwise = (row + column) % 2 == 1;
                    let position = DVec3::new(
                        f64::from(column) * SPACING,
                        f64::from(row) * SPACING,
                        f64::from(layer) * LAYER,
                    );
                    clock.parts.push(ClockPart {
                        kind: ClockPartKind::Gear,
                        mesh: layer % kinds,
                        position,
                        is_clockwise,
                        // A gap is at the place at which the neighbours have a tooth.
                        angle: if is_clockwise { PI / f64::from(teeth) } else { 0.0 },
                        phases: rng.in_box(DVec3::ZERO, DVec3::splat(TAU)),
                        play: DVec3::new(play, play, 0.0),
                    });
                    let own = index(layer, row, column);
                    if 0 < column {
                        clock.pairs.push((index(layer, row, column - 1), own));
                    }
                    if 0 < row {
                        clock.pairs.push((index(layer, row - 1, column), own));
                    }
                }
            }
        }
        for layer in 1..n_layers {
            for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
                let (below, above) = (index(layer - 1, row, column), index(layer, row, column));
                let first = clock.parts.len() as u32;
                let position = clock.parts[below as usize].position + DVec3::Z * (0.5 * LAYER);
                for spring in 0..2 {
                    clock.parts.push(ClockPart {
                        kind: ClockPartKind::Spring,
                        mesh: kinds + spring,
                        position,
                        // Springs turn with the arbor, and slip a little against each other.
                        is_clockwise: (row + column) % 2 == 1,
                        angle: rng.range(-0.1, 0.1),
                        phases: rng.in_box(DVec3::ZERO, DVec3::splat(TAU)),
                        play: DVec3::new(0.2 * WIRE, 0.2 * WIRE, settings.play * WIRE),
                    });
                    clock.pairs.push((below, first + spring));
                    clock.pairs.push((above, first + spring));
                }
                clock.pairs.push((first, first + 1));
            }
        }
        clock
    }

    /// Returns the pose of a part at a time in seconds: an arbor turns once in a minute. The
    /// identity for a part that does not exist.
    pub fn pose(&self, part: u32, time: f64) -> Pose {
        let Some(part) = self.parts.get(part as usize) else { return Pose::IDENTITY };
        let turned = TAU * time / 60.0;
        let angle = part.angle + if part.is_clockwise { -turned } else { turned };
        // Each axis has its own angular frequency, in radians per second.
        let paces = DVec3::new(2.3, 3.1, 4.7);
        let phases = part.phases + paces * time;
        let shift = part.play * DVec3::new(sin(phases.x), sin(phases.y), sin(phases.z));
        let half = DVec2::new(cos(0.5 * angle), sin(0.5 * angle)).as_vec2();
        Pose::new(Quat::from_xyzw(0.0, 0.0, half.y, half.x), (part.position + shift).as_vec3())
    }

    /// Sets `out` to the poses of all parts at a time in seconds.
    pub fn poses(&self, time: f64, out: &mut Vec<Pose>) {
        out.clear();
        out.extend((0..self.parts.len() as u32).map(|part| self.pose(part, time)));
    }

    /// Returns the number of triangles of all parts, each part counted.
    pub fn n_triangles(&self) -> usize {
        let of =
            |part: &ClockPart| self.meshes.get(part.mesh as usize).map_or(0, |mesh| mesh.triangles.len());
        self.parts.iter().map(of).sum()
    }
}

/// Width of a gear along the arbor.
const GEAR_WIDTH: f64 = 0.2;

/// Radius of a spring's wire.
const WIRE: f64 = 0.035;

fn layer_gear(layer: u32, detail: u32) -> MeshData {
    let teeth = TEETH[layer as usize % TEETH.len()];
    // All pitch circles touch.
    let mut shape = Gear::new(teeth, SPACING / f64::from(teeth));
    (shape.width, shape.n_flank, shape.backlash) = (GEAR_WIDTH, 2 * detail, 0.1);
    gear(&shape)
}
