//! Rows of bodies on top of each other: heavy on light, pressed, towers, a pyramid.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (pyramids, high mass ratios).

use super::film::Film;
use super::parts::{block, cuboid, floor, turn};
use super::row::{Figure, Limit, Row};
use crate::body::{BodySpec, Drive, SceneSpec};
use crate::rng::Rng;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::{Pose, Vec3};
use glam::DVec3;

/// Seconds in which a stack comes to rest. Overlaps count after that.
const SETTLED: f64 = 5.0;

/// Half the side of a unit box.
const HALF: Vec3 = Vec3::splat(0.5);

/// Returns all rows of this family.
pub fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = [10.0, 100.0, 1000.0].map(stacked).into();
    rows.extend([10.0, 100.0, 1000.0].map(table));
    rows.extend([10.0, 100.0, 1000.0].map(pressed));
    rows.extend([10, 20, 40].map(tower));
    rows.push(pyramid(20));
    rows
}

/// Returns the figure of the overlap at rest of a stack with this ratio of masses.
fn overlap_of(ratio: f64) -> Figure {
    let most = if ratio <= 300.0 { 0.02 } else { 0.06 };
    Figure::overlap(SETTLED, most, "compliance is allowed, sinking is not: 2 % up to 1:300, 6 % up to 1:1000")
}

/// Returns the figure of the growth of overlaps with time.
fn growth() -> Figure {
    Figure {
        needs_overlaps: true,
        ..Figure::new(
            "growth of the largest overlap from the first to the last third of the run, same unit",
            Limit::AtMost(0.001),
            "an overlap at rest does not grow; 0.001 is the noise of a contact point",
            |film: &Film| {
                let third = film.seconds() / 3.0;
                film.largest_overlap(2.0 * third, f64::INFINITY)
                    - film.largest_overlap(third.min(SETTLED), third)
            },
        )
    }
}

/// Returns the figure of the horizontal drift of a stack of boxes of side 1.
fn sideways(most: f64, reason: &'static str) -> Figure {
    Figure::new("largest horizontal drift, m", Limit::AtMost(most), reason, |film: &Film| {
        film.drift(film.dynamic(), 0.0, DVec3::new(1.0, 0.0, 1.0))
    })
}

/// Returns the row of a unit box of density 1 under one that is `ratio` times as heavy.
fn stacked(ratio: f64) -> Row {
    let mut scene = SceneSpec::default();
    let heavy = block(HALF, Vec3::new(0.02, 1.5, 0.01)).with_density(ratio as f32);
    scene.bodies = vec![floor(), block(HALF, Vec3::new(0.0, 0.5, 0.0)), heavy];
    Row {
        name: format!("stacked-{ratio}"),
        about: "A unit box under one of a multiple of its mass (the number of the row).",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            overlap_of(ratio),
            growth(),
            sideways(0.02, "it stands: no drift above the allowed overlap"),
            Figure::stillness(),
        ],
    }
}

/// Returns the row of a lid on four legs, `ratio` times as heavy as one leg.
fn table(ratio: f64) -> Row {
    let (leg, lid) = (Vec3::new(0.2, 0.4, 0.2), Vec3::new(1.0, 0.2, 1.0));
    let mut scene = SceneSpec::default();
    scene.bodies.push(floor());
    for (x, z) in [(-0.8, -0.8), (-0.8, 0.8), (0.8, -0.8), (0.8, 0.8)] {
        scene.bodies.push(block(leg, Vec3::new(x, leg.y, z)).with_density(100.0));
    }
    let volume = |half: Vec3| 8.0 * half.x * half.y * half.z;
    let density = 100.0 * ratio as f32 * volume(leg) / volume(lid);
    scene.bodies.push(block(lid, Vec3::new(0.0, 2.0 * leg.y + lid.y, 0.0)).with_density(density));
    Row {
        name: format!("table-{ratio}"),
        about: "A plate on four loose legs, with a multiple of the mass of a leg (the number of the row).",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            overlap_of(ratio),
            sideways(0.02, "it stands: no drift above 1/20 of the width of a leg"),
            Figure::stillness(),
        ],
    }
}

/// Returns the row of a light and a heavy box under a kinematic plate. It squeezes both by a
/// hundredth of their side.
fn pressed(ratio: f64) -> Row {
    let mut scene = SceneSpec::default();
    let heavy = block(HALF, Vec3::new(0.0, 1.5, 0.0)).with_density(ratio as f32);
    scene.bodies = vec![floor(), block(HALF, Vec3::new(0.0, 0.5, 0.0)), heavy];
    let at = Pose::from_translation(Vec3::new(0.0, 2.15, 0.0));
    scene.bodies.push(BodySpec::kinematic(cuboid(Vec3::new(1.0, 0.1, 1.0)), at));
    // The plate moves 6 cm in 0.6 s; the gap is 5 cm.
    let drive = |at: f32, speed: f32| Drive {
        at,
        body: 3,
        linear_velocity: Vec3::NEG_Y * speed,
        angular_velocity: Vec3::ZERO,
    };
    scene.drives = vec![drive(0.0, 0.1), drive(0.6, 0.0)];
    Row {
        name: format!("pressed-{ratio}"),
        about: "A unit box under one of a multiple of its mass (the number of the row), both squeezed by 1 cm by a kinematic press.",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            overlap_of(ratio),
            sideways(0.02, "it stays in the press: no drift above the allowed overlap"),
            Figure::stillness(),
        ],
    }
}

/// Returns the row of a tower of `n` unit boxes, each placed a little askew.
fn tower(n: usize) -> Row {
    let mut rng = Rng::new(7);
    let mut scene = SceneSpec::default();
    scene.bodies.push(floor());
    for i in 0..n {
        let at = DVec3::new(rng.range(-0.02, 0.02), i as f64 + 0.5, rng.range(-0.02, 0.02)).as_vec3();
        let mut body = block(HALF, at);
        body.pose.rotation = turn(Vec3::Y, rng.range(-0.02, 0.02));
        scene.bodies.push(body);
    }
    Row {
        name: format!("tower-{n}"),
        about: "A tower of unit boxes (their number is that of the row), each misplaced by up to 2 cm and 0.02 radians.",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            Figure::overlap(SETTLED, 0.02, "2 % of the size: the limit of stacks up to 1:300"),
            growth(),
            sideways(0.02, "it stands: no drift above the allowed overlap"),
            Figure::stillness(),
        ],
    }
}

/// Returns the row of a pyramid with `n` unit boxes in its lowest row.
fn pyramid(n: usize) -> Row {
    let mut scene = SceneSpec::default();
    scene.bodies.push(floor());
    for row in 0..n {
        for i in 0..n - row {
            let x = 1.1 * (i as f32 - 0.5 * (n - row - 1) as f32);
            scene.bodies.push(block(HALF, Vec3::new(x, row as f32 + 0.5, 0.0)));
        }
    }
    Row {
        name: format!("pyramid-{n}"),
        about: "A flat pyramid of unit boxes, 10 cm apart; the number of its rows is that of the row of the table.",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            Figure::overlap(SETTLED, 0.02, "2 % of the size: the limit of stacks up to 1:300"),
            growth(),
            sideways(0.02, "it stands: no drift above the allowed overlap"),
            Figure::stillness(),
        ],
    }
}
