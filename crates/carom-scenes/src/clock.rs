//! A clock of gears and springs: thousands of pairs of concave parts that run close to each other.
//!
//! Arbors stand on a square grid, and on each sit a gear in every layer and two coil springs, one
//! inside the windings of the other, between any two layers. Gears of neighbouring arbors mesh and
//! turn against each other; layers differ in the number of teeth. The arbors have a little play,
//! which time moves them through, so that at any moment some pairs touch, and most just do not.
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

/// Between two arbors.
const SPACING: f64 = 2.0;

/// Between the middles of two layers.
const LAYER: f64 = 1.0;

/// Teeth of the gears, layer by layer and then from the start again; every number of four quarters,
/// so that a gear meshes in four directions.
const TEETH: [u32; 4] = [24, 32, 16, 40];

/// How large a clock is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClockSettings {
    /// Arbors on each side of the square.
    pub n_arbors: u32,
    /// Layers of gears.
    pub n_layers: u32,
    /// How finely parts are made: 1 is some 500 triangles for the smallest gear and for a spring;
    /// it grows with the square of this for springs, more slowly for gears.
    pub detail: u32,
    /// How far an arbor moves to each side, as a part of a tooth's width.
    pub play: f64,
    /// For the play.
    pub seed: u64,
}

impl Default for ClockSettings {
    /// 1440 parts, 3216 pairs, 2.4 million triangles where each part is counted.
    fn default() -> ClockSettings {
        ClockSettings { n_arbors: 12, n_layers: 4, detail: 2, play: 0.25, seed: 1 }
    }
}

impl ClockSettings {
    /// With so many arbors on each side, and so many layers.
    pub fn with_size(self, n_arbors: u32, n_layers: u32) -> ClockSettings {
        ClockSettings { n_arbors, n_layers, ..self }
    }

    /// With finer or coarser parts.
    pub fn with_detail(self, detail: u32) -> ClockSettings {
        ClockSettings { detail, ..self }
    }
}

/// What a part of a clock is.
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
    /// What it is.
    pub kind: ClockPartKind,
    /// The number of its mesh in [`Clock::meshes`].
    pub mesh: u32,
    /// The middle of its place.
    pub place: DVec3,
    /// Turns clockwise, not counter-clockwise.
    is_clockwise: bool,
    /// Angle at time 0.
    angle: f64,
    /// The phases with which it moves through its play along x, y and z, and how far.
    phases: DVec3,
    play: DVec3,
}

/// A clock: parts that share meshes, their poses at any time, and which of them are neighbours.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// The meshes of all parts, closed.
    pub meshes: Vec<MeshData>,
    /// The parts.
    pub parts: Vec<ClockPart>,
    /// Parts that may come to touch, the lower number first, each pair once: gears of neighbouring
    /// arbors in a layer, the two springs between two layers, and these with the gears below and
    /// above.
    pub pairs: Vec<(u32, u32)>,
}

impl Clock {
    /// A clock at time 0.
    pub fn new(settings: &ClockSettings) -> Clock {
        let (n, n_layers, detail) = (settings.n_arbors, settings.n_layers, settings.detail.max(1));
        let mut clock = Clock::default();
        let mut rng = Rng::new(settings.seed);
        let kinds = n_layers.min(TEETH.len() as u32);
        for layer in 0..kinds {
            clock.meshes.push(layer_gear(layer, detail));
        }
        // Two wires in one winding: each has half of what is between two turns.
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
                    let place = DVec3::new(
                        f64::from(column) * SPACING,
                        f64::from(row) * SPACING,
                        f64::from(layer) * LAYER,
                    );
                    clock.parts.push(ClockPart {
                        kind: ClockPartKind::Gear,
                        mesh: layer % kinds,
                        place,
                        is_clockwise,
                        // A gap where the neighbours have a tooth.
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
                let place = clock.parts[below as usize].place + DVec3::Z * (0.5 * LAYER);
                for spring in 0..2 {
                    clock.parts.push(ClockPart {
                        kind: ClockPartKind::Spring,
                        mesh: kinds + spring,
                        place,
                        // They turn with the arbor, and slip a little against each other.
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

    /// Where a part is at a time, in seconds: an arbor turns once in a minute. There is a part 0
    /// where there is any.
    pub fn pose(&self, part: u32, time: f64) -> Pose {
        let Some(part) = self.parts.get(part as usize) else { return Pose::IDENTITY };
        let turned = TAU * time / 60.0;
        let angle = part.angle + if part.is_clockwise { -turned } else { turned };
        // Each axis at its own pace, in the order of a second.
        let paces = DVec3::new(2.3, 3.1, 4.7);
        let phases = part.phases + paces * time;
        let shift = part.play * DVec3::new(sin(phases.x), sin(phases.y), sin(phases.z));
        let half = DVec2::new(cos(0.5 * angle), sin(0.5 * angle)).as_vec2();
        Pose::new(Quat::from_xyzw(0.0, 0.0, half.y, half.x), (part.place + shift).as_vec3())
    }

    /// Where all parts are at a time, in place of what `out` held.
    pub fn poses(&self, time: f64, out: &mut Vec<Pose>) {
        out.clear();
        out.extend((0..self.parts.len() as u32).map(|part| self.pose(part, time)));
    }

    /// How many triangles all parts have, each part counted.
    pub fn n_triangles(&self) -> usize {
        let of =
            |part: &ClockPart| self.meshes.get(part.mesh as usize).map_or(0, |mesh| mesh.triangles.len());
        self.parts.iter().map(of).sum()
    }
}

/// Along the arbor.
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
