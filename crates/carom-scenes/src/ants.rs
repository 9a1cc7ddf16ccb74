//! Ants: small bodies on hilly ground that carry crumbs from four heaps to their hill, while a
//! ball rolls among them. One body is very large, the others are small, and nearly all move.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.1 (bodies of very different
//! sizes, the worst case for cells of one size); H. Vogel, A Better Way to Construct the Sunflower
//! Head, Mathematical Biosciences 44, 1979 (places spread evenly over a disc).

use crate::body::{BodySpec, SceneSpec, ShapeSpec};
use crate::mesh::{MeshData, terrain};
use crate::rng::Rng;
use alloc::vec::Vec;
use carom_math::ops::ceil;
use carom_math::{Pose, Quat, Vec3, rotation};
use core::f64::consts::{FRAC_PI_2, TAU};
use core::ops::Range;
use glam::DVec3;
use libm::{cos, sin, sqrt};

/// Length of an ant, from end to end.
pub const ANT_LENGTH: f32 = 0.79;

/// Approximate height of the origin of an ant above the ground, if it lies on its abdomen.
pub const ANT_HEIGHT: f32 = 0.12;

/// Side of a cell of the ground.
const CELL: f64 = 0.8;

/// The largest height of the ground.
const HEIGHT: f64 = 5.0;

/// Half the side of a crumb.
const CRUMB: f64 = 0.09;

/// Distance between neighbouring crumbs in a heap.
const CRUMB_STEP: f64 = 3.0 * CRUMB;

/// Radius of the ball.
const BALL_RADIUS: f64 = 1.6;

/// Radius of the foot of the hill.
const HILL_RADIUS: f64 = 2.2;

/// The golden angle in radians, and a factor that makes neighbours on the spiral about an ant's
/// length apart.
const SPIRAL: (f64, f64) = (2.399_963_229_728_653, 0.62);

/// An ant hill: the scene, and the roles of its bodies by their indices.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AntHill {
    /// All bodies.
    pub scene: SceneSpec,
    /// The hill, to which crumbs are carried. It stands still, with its origin on the ground.
    pub hill: usize,
    /// The ball.
    pub ball: usize,
    /// The ants. They look along z of their own frame, and y is up.
    pub ants: Range<usize>,
    /// The crumbs.
    pub crumbs: Range<usize>,
    /// The places of the heaps of crumbs, on the ground.
    pub heaps: Vec<Vec3>,
    /// Half the side of the square that contains all bodies.
    pub half_size: f32,
}

/// Returns `n_ants` ants around a hill. Far from it are heaps with three crumbs for four ants;
/// pebbles and twigs lie between, and a ball.
pub fn ants(n_ants: usize, seed: u64) -> AntHill {
    let mut rng = Rng::new(seed);
    let n_ants = n_ants.max(1);
    let half = 0.5 * (1.7 * sqrt(n_ants as f64) + 24.0);
    let ground = Ground::new(half, rng.next_u64());
    let mut scene = SceneSpec::default();
    scene.bodies.push(BodySpec::fixed(ground.shape(), Pose::IDENTITY));
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let pose = Pose::from_translation(normal * (0.5 - half) as f32);
        scene.bodies.push(BodySpec::fixed(ShapeSpec::HalfSpace { normal }, pose));
    }
    let hill = scene.bodies.len();
    scene.bodies.push(BodySpec::fixed(mound(), Pose::from_translation(ground.at(DVec3::ZERO))));

    // The discs in which no ant may begin: places with radii.
    let n_crumbs = (n_ants - n_ants / 4).max(4);
    let row = (ceil(sqrt(n_crumbs as f64 / 16.0)) as usize).max(6);
    let heap_radius = 0.71 * row as f64 * CRUMB_STEP + 0.5;
    let mut taken = alloc::vec![(DVec3::ZERO, HILL_RADIUS)];
    for k in 0..4 {
        let angle = TAU * (f64::from(k) + rng.range(0.2, 0.8)) / 4.0;
        taken.push((on_circle(angle, rng.range(0.45, 0.6) * half), heap_radius));
    }
    let heaps: Vec<DVec3> = taken[1..].iter().map(|heap| heap.0).collect();
    let ball_at = on_circle(rng.range(0.0, TAU), HILL_RADIUS + BALL_RADIUS + 1.0);
    taken.push((ball_at, BALL_RADIUS));
    let is_free = |at: DVec3, room: f64, taken: &[(DVec3, f64)]| {
        taken.iter().all(|(position, radius)| radius + room < (at - *position).length())
    };
    let n_things = n_ants / 12 + 12;
    let n_large = taken.len();
    for thing in 0..n_things {
        let size = rng.range(0.25, 0.7);
        let at = loop {
            let at = DVec3::new(rng.range(-0.9, 0.9), 0.0, rng.range(-0.9, 0.9)) * half;
            if is_free(at, size + 0.4, &taken[..n_large]) {
                break at;
            }
        };
        taken.push((at, size));
        scene.bodies.push(thing_at(thing, size, ground.at(at), &mut rng));
    }
    let ball = scene.bodies.len();
    let at = ground.at(ball_at) + Vec3::Y * (BALL_RADIUS + 0.6) as f32;
    let mut body =
        BodySpec::new(ShapeSpec::Sphere { radius: BALL_RADIUS as f32 }, Pose::from_translation(at));
    (body.density, body.friction) = (0.15, 0.8);
    scene.bodies.push(body);

    let first = scene.bodies.len();
    // There are many pebbles and twigs, so those near a place are found by a grid of cells.
    let near = Cells::new(&taken, half);
    let mut number = 0.0;
    while scene.bodies.len() < first + n_ants {
        number += 1.0;
        let at = on_circle(number * SPIRAL.0, SPIRAL.1 * sqrt(number));
        if !is_free(at, 0.5, &taken[..n_large]) || !near.is_free(at, 0.5, &taken) {
            continue;
        }
        let pose = Pose::new(about(Vec3::Y, rng.range(0.0, TAU)), ground.at(at) + Vec3::Y * 0.3);
        let mut body = BodySpec::new(ant(), pose);
        body.friction = 0.0;
        scene.bodies.push(body);
    }
    let ants = first..scene.bodies.len();
    for k in 0..n_crumbs {
        let (heap, number) = (heaps[k % heaps.len()], k / heaps.len());
        let (layer, cell) = (number / (row * row), number % (row * row));
        let offset = |i: usize| (i as f64 - 0.5 * (row as f64 - 1.0)) * CRUMB_STEP;
        let at = heap + DVec3::new(offset(cell % row), 0.0, offset(cell / row));
        let high = 0.3 + CRUMB_STEP * layer as f64;
        let pose = Pose::new(rng.rotation().as_quat(), ground.at(at) + Vec3::Y * high as f32);
        let shape = ShapeSpec::Cuboid { half_extents: Vec3::splat(CRUMB as f32) };
        let mut body = BodySpec::new(shape, pose);
        body.density = 0.2;
        scene.bodies.push(body);
    }
    let crumbs = ants.end..scene.bodies.len();
    let heaps = heaps.iter().map(|heap| ground.at(*heap)).collect();
    AntHill { scene, hill, ball, ants, crumbs, heaps, half_size: half as f32 }
}

/// A grid of pebbles and twigs: the index of the first one in each cell, and of the next one in
/// the same cell.
struct Cells {
    half: f64,
    row: usize,
    first: Vec<usize>,
    next: Vec<usize>,
}

/// Side of a cell of the grid: more than the size of a pebble and the room around an ant.
const CELL_OF_THINGS: f64 = 1.5;

impl Cells {
    fn new(things: &[(DVec3, f64)], half: f64) -> Cells {
        let row = ceil(2.0 * half / CELL_OF_THINGS) as usize + 1;
        let mut cells = Cells {
            half,
            row,
            first: alloc::vec![usize::MAX; row * row],
            next: Vec::with_capacity(things.len()),
        };
        for (number, (at, _)) in things.iter().enumerate() {
            let (i, k) = cells.cell(*at);
            cells.next.push(core::mem::replace(&mut cells.first[k * row + i], number));
        }
        cells
    }

    fn cell(&self, at: DVec3) -> (usize, usize) {
        let number = |x: f64| (((x + self.half) / CELL_OF_THINGS).max(0.0) as usize).min(self.row - 1);
        (number(at.x), number(at.z))
    }

    /// Whether all things in the cells around are farther away than their radius plus `room`.
    fn is_free(&self, at: DVec3, room: f64, things: &[(DVec3, f64)]) -> bool {
        let (i, k) = self.cell(at);
        let around = |x: usize| x.saturating_sub(1)..=(x + 1).min(self.row - 1);
        around(k).all(|k| {
            around(i).all(|i| {
                let mut number = self.first[k * self.row + i];
                while let Some((position, radius)) = things.get(number) {
                    if (at - *position).length() < radius + room {
                        return false;
                    }
                    number = self.next[number];
                }
                true
            })
        })
    }
}

/// A square of hills, one triangle mesh.
struct Ground {
    mesh: MeshData,
    /// Cells of a row.
    n: usize,
    half: f64,
}

impl Ground {
    fn new(half: f64, seed: u64) -> Ground {
        let n = ceil(2.0 * half / CELL) as usize;
        Ground { mesh: terrain(2.0 * half, HEIGHT, n, seed), n, half }
    }

    fn shape(&self) -> ShapeSpec {
        ShapeSpec::Mesh { vertices: self.mesh.vertices_f32(), triangles: self.mesh.triangles.clone() }
    }

    /// Returns the point of the ground above or below a place, which must be within its square.
    fn at(&self, position: DVec3) -> Vec3 {
        let last = self.n - 1;
        let scaled = |x: f64| ((x + self.half) / (2.0 * self.half)).clamp(0.0, 1.0) * self.n as f64;
        let (s, t) = (scaled(position.x), scaled(position.z));
        let (i, k) = ((s as usize).min(last), (t as usize).min(last));
        let (u, v) = (s - i as f64, t - k as f64);
        let height = |i: usize, k: usize| self.mesh.vertices[k * (self.n + 1) + i].y;
        let (a, b, c, d) = (height(i, k), height(i + 1, k), height(i + 1, k + 1), height(i, k + 1));
        // The two triangles of a cell meet from a to c.
        let y = if v <= u { a + u * (b - a) + v * (c - b) } else { a + v * (d - a) + u * (c - d) };
        DVec3::new(position.x, y, position.z).as_vec3()
    }
}

fn on_circle(angle: f64, radius: f64) -> DVec3 {
    DVec3::new(cos(angle), 0.0, sin(angle)) * radius
}

/// Returns the rotation about an axis, a unit vector, by an angle in radians.
fn about(axis: Vec3, angle: f64) -> Quat {
    let [x, y, z] = (axis * sin(0.5 * angle) as f32).to_array();
    Quat::from_xyzw(x, y, z, cos(0.5 * angle) as f32)
}

/// Returns a twig that lies on the ground for every third number, else a pebble that is half in
/// it.
fn thing_at(number: usize, size: f64, foot: Vec3, rng: &mut Rng) -> BodySpec {
    let turn = about(Vec3::Y, rng.range(0.0, TAU));
    if number.is_multiple_of(3) {
        let lying = about(Vec3::Z, FRAC_PI_2);
        let shape = ShapeSpec::Capsule { half_height: size as f32, radius: 0.1 };
        return BodySpec::fixed(shape, Pose::new(rotation::mul(turn, lying), foot));
    }
    let flat = DVec3::new(1.0, 0.6, 1.0);
    let points = (0..14).map(|_| (rng.direction() * flat * size).as_vec3()).collect();
    BodySpec::fixed(ShapeSpec::Hull { points }, Pose::new(turn, foot))
}

/// Returns the shape of an ant: abdomen, middle and head.
fn ant() -> ShapeSpec {
    let lying = about(Vec3::X, FRAC_PI_2);
    let at = |y: f32, z: f32| Pose::new(lying, Vec3::new(0.0, y, z));
    let parts = [
        (at(0.02, -0.24), ShapeSpec::Capsule { half_height: 0.08, radius: 0.14 }),
        (at(0.0, 0.0), ShapeSpec::Capsule { half_height: 0.1, radius: 0.09 }),
        (at(0.03, 0.22), ShapeSpec::Sphere { radius: 0.11 }),
    ];
    ShapeSpec::Compound { parts: parts.into_iter().collect() }
}

/// Returns a low hill with a flat top.
fn mound() -> ShapeSpec {
    let ring = |radius: f64, y: f64| {
        (0..16).map(move |k| (on_circle(TAU * f64::from(k) / 16.0, radius) + DVec3::Y * y).as_vec3())
    };
    let rings = ring(HILL_RADIUS, -1.5).chain(ring(HILL_RADIUS, 0.0)).chain(ring(0.5 * HILL_RADIUS, 0.8));
    ShapeSpec::Hull { points: rings.collect() }
}
