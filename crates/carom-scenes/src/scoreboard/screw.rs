//! The row of a nut that turns down a bolt by its weight. Both are meshes.
//!
//! Reference: H. Goldstein, Classical Mechanics, 2nd ed., 1980, 1-4 (constraints, and the motions
//! that they leave).

use super::film::{self, Film};
use super::parts::GRAVITY;
use super::row::{Figure, Limit, Row};
use crate::body::{BodySpec, SceneSpec, ShapeSpec};
use alloc::vec;
use alloc::vec::Vec;
use carom_math::{Pose, Vec3};
use core::f64::consts::TAU;
use glam::DVec3;
use libm::{atan2, cos, round, sin};

/// The number of threads, and the distance from one to the next along the axis.
const STARTS: f64 = 2.0;
const PITCH: f64 = 0.4;

/// The descent of the nut in one turn.
const LEAD: f64 = STARTS * PITCH;

/// The middle radius of the thread, the amplitude of its depth, and the play between bolt and nut.
const RADIUS: f64 = 0.5;
const DEPTH: f64 = 0.15;
const PLAY: f64 = 0.02;

/// The outer radius of the nut.
const OUTSIDE: f64 = 0.9;

/// Points around a thread, and points from one thread to the next along the axis.
const AROUND: usize = 32;
const ALONG: usize = 8;

/// Height of the bolt and of the nut, in pitches.
const BOLT: usize = 16;
const NUT: usize = 2;

/// Returns the row.
pub fn rows() -> Vec<Row> {
    vec![screw()]
}

fn screw() -> Row {
    let mut scene = SceneSpec::default();
    scene.bodies.push(BodySpec::fixed(bolt(), Pose::IDENTITY));
    // The nut starts a whole number of leads above the middle, so that the threads fit.
    let start = Pose::from_translation(Vec3::Y * (3.0 * LEAD) as f32);
    scene.bodies.push(BodySpec::new(nut(), start));
    for body in &mut scene.bodies {
        body.friction = 0.0;
    }
    Row {
        name: "screw".into(),
        about: "A nut without friction turns down a bolt with a lead of 80 cm by its weight; both are meshes.",
        scene,
        seconds: 5.0,
        figures: vec![
            Figure::new(
                "largest difference between the descent and turns times lead, m",
                Limit::AtMost(2.0 * PLAY),
                "the thread guides the nut, up to the play on both sides",
                |film: &Film| {
                    let (mut turned, mut worst) = (0.0, 0.0);
                    for frame in 1..film.frames.len() {
                        let axis =
                            |frame: usize| film::rotation(&film.frames[frame].states[1].pose) * DVec3::X;
                        let [from, to] = [axis(frame - 1), axis(frame)];
                        turned += atan2(from.z * to.x - from.x * to.z, from.x * to.x + from.z * to.z);
                        let down = film.center(frame, 1).y - film.center(0, 1).y;
                        worst = film::larger(worst, (down - turned / TAU * LEAD).abs());
                    }
                    worst
                },
            ),
            Figure::new(
                "descent, relative to the closed form",
                Limit::Within(0.99, 1.01),
                "closed form, to 1 %: gravity accelerates the mass and, by the lead, the inertia",
                |film: &Film| {
                    let inertia = &film.inertias[1];
                    let by_lead = TAU / LEAD;
                    let moved = inertia.mass + inertia.tensor.y_axis.y * by_lead * by_lead;
                    let acceleration = GRAVITY * inertia.mass / moved;
                    let last = film.frames.len() - 1;
                    let went = film.center(0, 1).y - film.center(last, 1).y;
                    went / (0.5 * acceleration * film.seconds() * film.seconds())
                },
            ),
        ],
    }
}

/// Returns a point of the thread, from cylindrical coordinates; it is `more` outside of that of
/// the bolt.
fn thread(angle: f64, height: f64, more: f64) -> DVec3 {
    let radius = RADIUS + DEPTH * cos(STARTS * angle - TAU * height / PITCH) + more;
    round_about(angle, height, radius)
}

fn round_about(angle: f64, height: f64, radius: f64) -> DVec3 {
    DVec3::new(radius * cos(angle), height, -radius * sin(angle))
}

/// Returns the points of a tube of this number of pitches, row by row from below.
fn tube(pitches: usize, point: impl Fn(f64, f64) -> DVec3) -> Vec<Vec3> {
    let n_rows = pitches * ALONG + 1;
    let step = PITCH / ALONG as f64;
    let rows = (0..n_rows).flat_map(|row| (0..AROUND).map(move |i| (row, i)));
    rows.map(|(row, i)| {
        let height = step * (row as f64 - 0.5 * (n_rows - 1) as f64);
        // Rounding to 1e-9, far below the precision of `f32`, hides different roundings of the
        // cosine.
        let at = point(TAU * i as f64 / AROUND as f64, height) * 1e9;
        DVec3::new(round(at.x), round(at.y), round(at.z)).as_vec3() * 1e-9
    })
    .collect()
}

/// Adds the triangles of a tube whose points begin at `first`, facing outwards or inwards.
fn push_tube(first: u32, n_rows: usize, is_outside: bool, triangles: &mut Vec<[u32; 3]>) {
    let around = AROUND as u32;
    for (row, i) in (0..n_rows as u32 - 1).flat_map(|row| (0..around).map(move |i| (row, i))) {
        let [a, b] = [i, (i + 1) % around].map(|i| first + row * around + i);
        let quad = [[a, b, b + around], [a, b + around, a + around]];
        triangles.extend(if is_outside { quad } else { quad.map(|[a, b, c]| [a, c, b]) });
    }
}

/// Returns the bolt: its thread, and a fan at each end.
fn bolt() -> ShapeSpec {
    let mut vertices = tube(BOLT, |angle, height| thread(angle, height, 0.0));
    let n_rows = BOLT * ALONG + 1;
    let mut triangles = Vec::new();
    push_tube(0, n_rows, true, &mut triangles);
    let half = (0.5 * PITCH * BOLT as f64) as f32;
    let (low, high) = (vertices.len() as u32, vertices.len() as u32 + 1);
    vertices.extend([Vec3::Y * -half, Vec3::Y * half]);
    let (around, top) = (AROUND as u32, ((n_rows - 1) * AROUND) as u32);
    for i in 0..around {
        let next = (i + 1) % around;
        triangles.extend([[low, next, i], [high, top + i, top + next]]);
    }
    ShapeSpec::Mesh { vertices, triangles }
}

/// Returns the nut: its thread, its outer side, and a ring at each end.
fn nut() -> ShapeSpec {
    let mut vertices = tube(NUT, |angle, height| thread(angle, height, PLAY));
    let outer = vertices.len() as u32;
    vertices.extend(tube(NUT, |angle, height| round_about(angle, height, OUTSIDE)));
    let n_rows = NUT * ALONG + 1;
    let mut triangles = Vec::new();
    push_tube(0, n_rows, false, &mut triangles);
    push_tube(outer, n_rows, true, &mut triangles);
    let (around, top) = (AROUND as u32, ((n_rows - 1) * AROUND) as u32);
    for i in 0..around {
        let next = (i + 1) % around;
        triangles.extend([[i, outer + next, outer + i], [i, next, outer + next]]);
        let [a, b, c, d] = [i, next, outer + i, outer + next].map(|vertex| vertex + top);
        triangles.extend([[a, c, d], [a, d, b]]);
    }
    ShapeSpec::Mesh { vertices, triangles }
}
