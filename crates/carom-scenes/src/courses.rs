//! Courses for characters: a step, a slope, sharp corners, an arena with all of these, a castle,
//! and a road for a car. Lengths are in metres, and y is up.
//!
//! Reference: none needed.

use crate::level::{Block, Level};
use crate::rng::Rng;
use carom_math::ops;
use glam::DVec3;

/// Returns a floor with a step of this height in metres, two metres from the start along x.
pub fn step_course(height: f64) -> Level {
    let mut level = Level::default();
    level.cuboid([-4.0, -1.0, -4.0], [10.0, 0.0, 4.0]);
    level.cuboid([2.0, 0.0, -4.0], [10.0, height, 4.0]);
    level.starts.push(DVec3::ZERO);
    level
}

/// Returns a floor with a slope of this angle in radians, two metres from the start along x. It
/// rises by two metres to a platform.
pub fn slope_course(angle: f64) -> Level {
    let mut level = Level::default();
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let length = 2.0 * cos / sin;
    level.cuboid([-4.0, -1.0, -4.0], [12.0 + length, 0.0, 4.0]);
    level.blocks.push(Block::ramp([2.0, 0.0, 0.0], [length, 0.0, 0.0], 2.0, 8.0));
    level.cuboid([2.0 + length, 0.0, -4.0], [12.0 + length, 2.0, 4.0]);
    level.starts.push(DVec3::ZERO);
    level
}

/// Returns a floor and two walls that form a corner of this angle in radians, with its point in
/// the origin, open towards -x. The start is between the walls, where they are 1.6 metres apart.
pub fn corner_course(angle: f64) -> Level {
    let mut level = Level::default();
    let (sin, cos) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
    let length = 1.2 / sin + 4.0;
    let (far, wide) = (length * cos, length * sin);
    level.cuboid([-far - 20.0, -1.0, -wide - 20.0], [20.0, 0.0, wide + 20.0]);
    for side in [-1.0, 1.0] {
        let outline = [[0.0, 0.0], [-far, side * wide], [-far, side * (wide + 1.0)], [1.0, side]];
        level.blocks.push(Block::prism(&outline, 0.0, 3.0));
    }
    level.starts.push(DVec3::X * (-0.8 * cos / sin));
    level
}

/// Returns a walled square of 24 metres with stairs of many heights, ramps of many angles, sharp
/// corners, thin walls, and gaps between boxes.
pub fn arena(seed: u64) -> Level {
    let mut rng = Rng::new(seed);
    let mut level = Level::default();
    level.cuboid([-12.0, -1.0, -12.0], [12.0, 0.0, 12.0]);
    level.enclose(12.0, 0.5, 12.0);
    // Stairs along the south wall: each flight steeper than the last.
    for i in 0..8 {
        let (x, rise) = (-10.5 + 2.6 * f64::from(i), 0.05 + 0.065 * f64::from(i));
        level.stairs([x, 0.0, -7.5], [0.0, 0.0, -1.0], 6, rise, 0.45, 1.6);
    }
    // Ramps along the north wall, from 10 to 80 degrees.
    for i in 0..8 {
        let (x, angle) = (-10.5 + 2.6 * f64::from(i), f64::from(10 + 10 * i).to_radians());
        let height = 1.8;
        let length = height * libm::cos(angle) / libm::sin(angle);
        let length = length.min(6.0);
        let height = length * libm::sin(angle) / libm::cos(angle);
        level.blocks.push(Block::ramp([x, 0.0, 11.0 - length], [0.0, 0.0, length], height, 1.6));
    }
    // Corners of 10, 20, 35 and 60 degrees.
    for (i, degrees) in [10.0_f64, 20.0, 35.0, 60.0].into_iter().enumerate() {
        let half = (0.5 * degrees).to_radians();
        let (x, z) = (-9.0 + 1.0 * i as f64, -4.0 + 2.4 * i as f64);
        let (far, wide) = (3.0 * libm::cos(half), 3.0 * libm::sin(half));
        for side in [-1.0, 1.0] {
            let outline = [
                [x, z],
                [x + far, z + side * wide],
                [x + far, z + side * (wide + 0.05)],
                [x - 0.3, z + side * 0.05],
            ];
            level.blocks.push(Block::prism(&outline, 0.0, 2.2));
        }
    }
    // Thin walls: a room with a door.
    level.cuboid([3.0, 0.0, -4.0], [3.02, 2.5, 2.0]);
    level.cuboid([8.0, 0.0, -4.0], [8.02, 2.5, 2.0]);
    level.cuboid([3.0, 0.0, -4.0], [8.02, 2.5, -3.98]);
    level.cuboid([3.0, 0.0, 1.98], [5.0, 2.5, 2.0]);
    level.cuboid([6.0, 0.0, 1.98], [8.02, 2.5, 2.0]);
    // Boxes with gaps of various widths. Some are turned, and some are low enough to step on.
    for _ in 0..24 {
        let (x, z) = (rng.range(-3.5, 2.0), rng.range(-5.0, 6.0));
        let height = rng.range(0.1, 1.4);
        let half = [rng.range(0.15, 0.6), rng.range(0.15, 0.6)];
        let turn = rng.range(0.0, core::f64::consts::FRAC_PI_2);
        level.blocks.push(turned_box(x, z, half, turn, 0.0, height));
    }
    // A low ceiling, and one that slopes down to the floor.
    level.cuboid([9.0, 1.9, -4.0], [11.5, 2.1, -1.0]);
    let slope = [[0.0, 0.0], [2.5, 2.5], [2.5, 2.8], [-0.3, 0.0]];
    level.blocks.push(Block::extruded(
        &slope,
        DVec3::new(9.0, 0.0, 0.5),
        [DVec3::X, DVec3::Y, DVec3::Z * 3.0],
    ));
    level.starts.extend([
        DVec3::new(0.0, 0.0, 8.0),
        DVec3::new(5.5, 0.0, -1.0),
        DVec3::new(-6.5, 0.0, -6.0),
        DVec3::new(10.0, 0.0, 5.0),
    ]);
    level
}

fn turned_box(x: f64, z: f64, half: [f64; 2], turn: f64, bottom: f64, top: f64) -> Block {
    let (sin, cos) = (libm::sin(turn), libm::cos(turn));
    let outline = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[a, b]| {
        let (a, b) = (a * half[0], b * half[1]);
        [x + a * cos - b * sin, z + a * sin + b * cos]
    });
    Block::prism(&outline, bottom, top)
}

/// Returns a road along x for a car, 160 metres long and 12 wide. It has bumps, a bridge two
/// metres high over a crossing road, and a tunnel 2.2 metres high.
pub fn car_course() -> Level {
    let mut level = Level::default();
    level.cuboid([-20.0, -1.0, -6.0], [140.0, 0.0, 6.0]);
    // Bumps, on one side and the other, then across.
    for i in 0..8 {
        let x = 10.0 + 3.0 * f64::from(i);
        let side = if i % 2 == 0 { -1.25 } else { 1.25 };
        let (z, width) = if i < 6 { (side, 2.5) } else { (0.0, 6.0) };
        let height = 0.06 + 0.01 * f64::from(i);
        level.blocks.push(Block::extruded(
            &[[-0.6, 0.0], [0.6, 0.0], [0.2, height], [-0.2, height]],
            DVec3::new(x, 0.0, z - 0.5 * width),
            [DVec3::X, DVec3::Y, DVec3::Z * width],
        ));
    }
    // The bridge: a ramp up, a deck that is open below, a ramp down.
    level.blocks.push(Block::ramp([40.0, 0.0, 0.0], [14.0, 0.0, 0.0], 2.0, 5.0));
    level.cuboid([54.0, 1.7, -2.5], [66.0, 2.0, 2.5]);
    level.blocks.push(Block::ramp([80.0, 0.0, 0.0], [-14.0, 0.0, 0.0], 2.0, 5.0));
    for z in [-2.5, 2.3] {
        level.cuboid([54.0, 2.0, z], [66.0, 2.6, z + 0.2]);
    }
    // The tunnel.
    for z in [-4.0, 2.5] {
        level.cuboid([90.0, 0.0, z], [112.0, 2.2, z + 1.5]);
    }
    level.cuboid([90.0, 2.2, -4.0], [112.0, 3.0, 4.0]);
    level.starts.push(DVec3::ZERO);
    level
}

/// Returns a castle of 48 metres. A curtain wall has a gate, towers, battlements, and a walk with
/// stairs and a ramp. A keep of two floors has a door, pillars and stairs. The yard has
/// buttresses, sharp corners, a low wall and crates. A wall twelve metres high surrounds
/// everything.
pub fn castle() -> Level {
    let mut level = Level::default();
    level.cuboid([-24.0, -1.0, -24.0], [24.0, 0.0, 24.0]);
    level.enclose(24.0, 0.5, 12.0);
    curtain(&mut level);
    keep(&mut level);
    yard(&mut level);
    level.starts.extend([
        DVec3::new(0.0, 0.0, -12.0),
        DVec3::new(0.0, 0.0, -21.5),
        DVec3::new(0.0, 0.0, 0.0),
        DVec3::new(11.0, 0.0, 9.0),
        DVec3::new(-11.0, 0.0, 3.0),
        DVec3::new(-17.0, 5.0, 3.0),
    ]);
    level
}

/// A path through the castle, 206 metres long: points (x, z) with straight lines between them. It
/// leads in at the gate, up the stairs to the wall and around it, down the ramp, and into the keep
/// up to its upper floor.
pub const CASTLE_PATH: [[f64; 2]; 26] = [
    [0.0, -21.0],
    [0.0, -13.0],
    [-13.5, -13.8],
    [-15.0, -10.5],
    [-15.0, 2.0],
    [-16.8, 2.0],
    [-16.8, 14.0],
    [-16.4, 16.4],
    [-14.0, 16.8],
    [14.0, 16.8],
    [16.4, 16.4],
    [16.8, 14.0],
    [16.8, -3.5],
    [15.0, -3.5],
    [15.0, 11.5],
    [9.0, 12.5],
    [6.5, -5.85],
    [0.0, -5.85],
    [0.0, -3.6],
    [4.0, -4.3],
    [4.0, 3.5],
    [2.0, 3.5],
    [-4.2, 3.5],
    [-4.2, -4.0],
    [2.0, -4.0],
    [2.0, 4.0],
];

/// Adds the wall with its walk at five metres, the gate in the south, the stairs in the west, and
/// the ramp in the east.
fn curtain(level: &mut Level) {
    const TOP: f64 = 5.0;
    level.cuboid([-18.0, 0.0, 16.0], [18.0, TOP, 18.0]);
    level.cuboid([-18.0, 0.0, -16.0], [-16.0, TOP, 16.0]);
    level.cuboid([16.0, 0.0, -16.0], [18.0, TOP, 16.0]);
    level.cuboid([-18.0, 0.0, -18.0], [-1.6, TOP, -16.0]);
    level.cuboid([1.6, 0.0, -18.0], [18.0, TOP, -16.0]);
    level.cuboid([-1.6, 3.0, -18.0], [1.6, TOP, -16.0]);
    for [x, z] in [[-17.5, -17.5], [17.5, -17.5], [-17.5, 17.5], [17.5, 17.5]] {
        level.blocks.push(Block::pillar(x, z, 2.2, 8, 0.0, TOP));
        level.blocks.push(Block::pillar(x, z, 1.1, 8, TOP, TOP + 2.5));
    }
    // Battlements on the outer edge.
    let mut along = -15.0;
    while along < 15.0 {
        for z in [-18.0, 17.6] {
            level.cuboid([along, TOP, z], [along + 1.2, TOP + 1.0, z + 0.4]);
        }
        for x in [-18.0, 17.6] {
            level.cuboid([x, TOP, along], [x + 0.4, TOP + 1.0, along + 1.2]);
        }
        along += 2.0;
    }
    level.stairs([-15.0, 0.0, -9.0], [0.0, 0.0, 1.0], 20, 0.25, 0.4, 2.0);
    level.cuboid([-16.0, 0.0, -1.0], [-14.0, TOP, 3.0]);
    level.blocks.push(Block::ramp([15.0, 0.0, 10.0], [0.0, 0.0, -12.0], TOP, 2.0));
    level.cuboid([14.0, 0.0, -5.0], [16.0, TOP, -2.0]);
}

/// Adds a house with thin walls, a door 1.2 metres wide, pillars, stairs to an upper floor, and a
/// roof.
fn keep(level: &mut Level) {
    let (wall, high) = (0.15, 6.0);
    level.cuboid([-5.0, 0.0, 5.0 - wall], [5.0, high, 5.0]);
    level.cuboid([-5.0, 0.0, -5.0], [-5.0 + wall, high, 5.0]);
    level.cuboid([5.0 - wall, 0.0, -5.0], [5.0, high, 5.0]);
    level.cuboid([-5.0, 0.0, -5.0], [-0.6, high, -5.0 + wall]);
    level.cuboid([0.6, 0.0, -5.0], [5.0, high, -5.0 + wall]);
    level.cuboid([-0.6, 2.2, -5.0], [0.6, high, -5.0 + wall]);
    // A sill in the door.
    level.cuboid([-0.6, 0.0, -5.0], [0.6, 0.12, -5.0 + wall]);
    // The floor above, with a hole over the stairs.
    level.cuboid([-5.0, 2.8, -5.0], [3.2, 3.0, 5.0]);
    level.cuboid([3.2, 2.8, 2.6], [5.0, 3.0, 5.0]);
    level.stairs([4.0, 0.0, -3.5], [0.0, 0.0, 1.0], 15, 0.2, 0.4, 1.6);
    level.cuboid([-5.0, high, -5.0], [5.0, high + 0.3, 5.0]);
    for x in [-3.0, -1.0, 1.0] {
        for z in [-2.0, 0.5, 3.0] {
            level.blocks.push(Block::pillar(x, z, 0.3, 6, 0.0, 2.8));
        }
    }
    for x in [-3.5, -1.5, 0.5] {
        level.blocks.push(Block::pillar(x, 1.0, 0.4, 4, 3.0, high));
    }
}

/// Adds buttresses with slopes of 50 to 85 degrees, corners of 15 and 30 degrees, a low wall,
/// crates, and stones.
fn yard(level: &mut Level) {
    for (i, degrees) in [50.0_f64, 55.0, 60.0, 65.0, 70.0, 75.0, 80.0, 85.0].into_iter().enumerate() {
        let angle = degrees.to_radians();
        let length = 3.0 * libm::cos(angle) / libm::sin(angle);
        let x = -13.0 + 2.2 * i as f64;
        level.blocks.push(Block::ramp([x, 0.0, 16.0 - length], [0.0, 0.0, length], 3.0, 1.2));
    }
    for (i, degrees) in [15.0_f64, 30.0].into_iter().enumerate() {
        let half = (0.5 * degrees).to_radians();
        let (x, z) = (7.0, -12.0 + 4.0 * i as f64);
        let (far, wide) = (4.0 * libm::cos(half), 4.0 * libm::sin(half));
        for side in [-1.0, 1.0] {
            let outline = [
                [x, z],
                [x + far, z + side * wide],
                [x + far, z + side * (wide + 0.3)],
                [x - 1.0, z + side * 0.3],
            ];
            level.blocks.push(Block::prism(&outline, 0.0, 2.5));
        }
    }
    // A low wall to step over, one a little too high for that, and a high one.
    level.cuboid([-12.0, 0.0, -12.0], [-6.0, 0.35, -11.9]);
    level.cuboid([-12.0, 0.0, -10.0], [-6.0, 0.45, -9.9]);
    level.cuboid([-12.0, 0.0, -8.0], [-6.0, 1.2, -7.98]);
    let mut rng = Rng::new(41);
    for _ in 0..40 {
        let angle = rng.range(0.0, core::f64::consts::TAU);
        let far = 7.0 + 6.0 * ops::sqrt(rng.unit());
        let (x, z) = (far * libm::cos(angle), far * libm::sin(angle));
        let half = [rng.range(0.1, 0.5), rng.range(0.1, 0.5)];
        let height = rng.range(0.05, 1.2);
        level.blocks.push(turned_box(x, z, half, rng.range(0.0, 1.5), 0.0, height));
    }
}
