//! Scenes of cloth, jelly and a plate that breaks: a soft body, the air, and closed meshes in its way.
//!
//! Reference: X. Provot, Deformation Constraints in a Mass-Spring Model to Describe Rigid Cloth Behaviour, 1995 (links
//! along the threads, across them, and over two meshes of them).

use super::{SoftBody, SoftLink, Tetrahedron};
use crate::mesh::{MeshData, icosphere};
use crate::rng::Rng;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use glam::{DQuat, DVec3};
use libm::{cos, sin};

/// A soft body, the air around it, and what is in its way.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftScene {
    /// What bends.
    pub body: SoftBody,
    /// The air.
    pub air: Air,
    /// What is in its way.
    pub obstacles: Vec<ObstacleSpec>,
    /// How far apart surfaces rest: metres.
    pub gap: f64,
}

/// The air: how it blows and brakes.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Air {
    /// Metres per second.
    pub wind: DVec3,
    /// How much of the wind comes and goes: from 0 to 1.
    pub gusts: f64,
    /// A rate per second.
    pub drag: f64,
}

/// A closed mesh that keeps its shape, and moves without regard to what it meets.
#[derive(Clone, Debug, PartialEq)]
pub struct ObstacleSpec {
    /// Where it is at the time 0.
    pub mesh: MeshData,
    /// How it moves.
    pub path: Path,
    /// The coefficient of friction.
    pub friction: f64,
    /// The upper side is the plane at the height 0, and all that is seen of it.
    pub is_floor: bool,
}

/// How a thing moves, without turning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Path {
    /// It does not.
    Still,
    /// To and fro by this vector to either side, once in so many seconds.
    Swing(DVec3, f64),
    /// At this velocity.
    Straight(DVec3),
}

/// What a cloth falls on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Over {
    /// A ball.
    Ball,
    /// A box that stands on a corner, so that the cloth falls on the opposite one.
    Corner,
    /// A ball that swings to and fro.
    MovingBall,
}

impl Path {
    /// How far it is from where it began.
    pub fn offset(self, seconds: f64) -> DVec3 {
        match self {
            Path::Still => DVec3::ZERO,
            Path::Swing(way, period) => way * sin(core::f64::consts::TAU * seconds / period),
            Path::Straight(velocity) => velocity * seconds,
        }
    }
}

impl Air {
    /// The wind at a time.
    pub fn wind_at(&self, seconds: f64) -> DVec3 {
        let gust = 0.6 * sin(2.3 * seconds) + 0.4 * sin(5.1 * seconds + 1.0);
        // It turns a little, too.
        let aside = DVec3::new(-self.wind.z, 0.0, self.wind.x) * (0.5 * self.gusts * sin(1.7 * seconds));
        self.wind * (1.0 + self.gusts * gust) + aside
    }
}

/// Kilograms per square metre of cloth.
const CLOTH_MASS: f64 = 0.2;

/// A cloth of `n` by `n` points that hangs from a pole and blows in the wind.
pub fn flag(n: usize) -> SoftScene {
    let (width, height) = (1.5, 1.0);
    let mut body = sheet(n, n, |u, v| DVec3::new(width * u, 2.5 - height * v, 0.02 * sin(9.0 * u + 4.0 * v)));
    weave(&mut body, n, n, CLOTH_MASS * width * height, 2e-4);
    for row in 0..n {
        body.inverse_masses[row * n] = 0.0;
    }
    let air = Air { wind: DVec3::new(13.0, 0.5, 3.0), gusts: 0.4, drag: 0.1 };
    let gap = 0.25 * height / (n - 1) as f64;
    SoftScene { body, air, obstacles: Vec::new(), gap }
}

/// A square cloth of `n` by `n` points that falls on something.
pub fn cloth_over(over: Over, n: usize) -> SoftScene {
    let size = 1.4;
    let turn = DQuat::from_xyzw(0.0, sin(0.15), 0.0, cos(0.15));
    let (mesh, path, top) = match over {
        Over::Ball => (icosphere(500).scaled(0.35), Path::Still, 0.35),
        Over::MovingBall => (icosphere(500).scaled(0.35), Path::Swing(DVec3::X * 0.3, 4.0), 0.35),
        Over::Corner => {
            let half = 0.3;
            // The diagonal (1, 1, 1) becomes y: a rotation about (-1, 0, 1) by the angle with this cosine.
            let cosine = 1.0 / sqrt(3.0);
            let (half_sine, half_cosine) = (sqrt(0.5 * (1.0 - cosine)), sqrt(0.5 * (1.0 + cosine)));
            let along = half_sine / sqrt(2.0);
            let stand = DQuat::from_xyzw(-along, 0.0, along, half_cosine);
            let mut mesh = cuboid(DVec3::splat(half));
            for vertex in &mut mesh.vertices {
                *vertex = stand * *vertex;
            }
            (mesh, Path::Still, half * sqrt(3.0))
        }
    };
    let mut body = sheet(n, n, |u, v| {
        turn * DVec3::new(size * (u - 0.497), 0.0, size * (v - 0.503)) + DVec3::Y * (top + 0.08)
    });
    weave(&mut body, n, n, CLOTH_MASS * size * size, 5e-3);
    let air = Air { drag: 0.6, ..Air::default() };
    let gap = 0.25 * size / (n - 1) as f64;
    SoftScene {
        body,
        air,
        obstacles: alloc::vec![ObstacleSpec { mesh, path, friction: 0.6, is_floor: false }],
        gap,
    }
}

/// A cube of `n` by `n` by `n` cells of tetrahedra, tilted, that falls on a floor.
pub fn jelly(n: usize) -> SoftScene {
    let (size, density, height) = (0.6, 300.0, 1.1);
    let turn = DQuat::from_xyzw(0.30, 0.10, 0.20, sqrt(1.0 - 0.14));
    let mut body = SoftBody::default();
    let side = n + 1;
    for i in 0..side * side * side {
        let cell = DVec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
        body.positions.push(turn * ((cell / n as f64 - 0.5) * size) + DVec3::Y * height);
    }
    let at = |x: usize, y: usize, z: usize| (x + side * (y + side * z)) as u32;
    for i in 0..n * n * n {
        let (x, y, z) = (i % n, i / n % n, i / n / n);
        let corner = |c: usize| at(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
        // Six around the diagonal from corner 0 to corner 7.
        for t in [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]] {
            let corners = t.map(corner);
            let [a, b, c, d] = corners.map(|corner| body.positions[corner as usize]);
            let rest = (b - a).cross(c - a).dot(d - a) / 6.0;
            body.tetrahedra.push(Tetrahedron { corners, rest, compliance: 1e-9 });
        }
    }
    let cell_edges: Vec<[u32; 2]> = body
        .tetrahedra
        .iter()
        .flat_map(|cell| {
            let [a, b, c, d] = cell.corners;
            [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]].map(|[v, w]| [v.min(w), v.max(w)])
        })
        .collect();
    for [a, b] in sorted_once(cell_edges) {
        body.link(a, b, 1.5e-3 / n as f64);
    }
    even_masses(&mut body, density * size * size * size);
    body.triangles = surface(&body.tetrahedra);
    let air = Air { drag: 0.05, ..Air::default() };
    SoftScene { body, air, obstacles: alloc::vec![floor(20.0)], gap: 0.1 * size / n as f64 }
}

/// An upright plate of `n` by `n` pieces that are glued together, and a ball that flies through it. Each piece is a square of
/// four triangles around its middle.
pub fn shatter(n: usize) -> SoftScene {
    let (size, seam) = (1.2, 0.06);
    let edge = size / n as f64;
    let mut body = SoftBody::default();
    for i in 0..n * n {
        let corner = DVec3::new((i % n) as f64 * edge - 0.5 * size, (i / n) as f64 * edge + 0.4, 0.0);
        let first = body.positions.len() as u32;
        let inset = 0.5 * seam * edge;
        for [x, y] in
            [[inset, inset], [edge - inset, inset], [edge - inset, edge - inset], [inset, edge - inset]]
        {
            body.positions.push(corner + DVec3::new(x, y, 0.0));
        }
        body.positions.push(corner + DVec3::new(0.5 * edge, 0.5 * edge, 0.0));
        for k in 0..4 {
            let next = (k + 1) % 4;
            body.triangles.push([first + k, first + next, first + 4]);
            body.link(first + k, first + next, 0.0);
            body.link(first + k, first + 4, 0.0);
        }
        body.link(first, first + 2, 0.0);
        body.link(first + 1, first + 3, 0.0);
    }
    let mut rng = Rng::new(1);
    let piece = |x: usize, y: usize| 5 * (x + n * y) as u32;
    for y in 0..n {
        for x in 0..n {
            let mut seams = Vec::new();
            if x + 1 < n {
                seams.extend([[piece(x, y) + 1, piece(x + 1, y)], [piece(x, y) + 2, piece(x + 1, y) + 3]]);
            }
            if y + 1 < n {
                seams.extend([[piece(x, y) + 3, piece(x, y + 1)], [piece(x, y) + 2, piece(x, y + 1) + 1]]);
            }
            for [a, b] in seams {
                let rest = seam * edge;
                body.links.push(SoftLink {
                    ends: [a, b],
                    rest,
                    compliance: 0.0,
                    breaks_at: rest * rng.range(1.005, 1.05),
                });
            }
        }
    }
    even_masses(&mut body, 4.0 * size * size);
    // A frame holds the lowest row.
    for x in 0..n {
        for held in [piece(x, 0), piece(x, 0) + 1] {
            body.inverse_masses[held as usize] = 0.0;
        }
    }
    let mut mesh = icosphere(500).scaled(0.25);
    for vertex in &mut mesh.vertices {
        *vertex += DVec3::new(0.05, 1.05, 1.0);
    }
    let path = Path::Straight(DVec3::new(0.0, 0.0, -5.0));
    let air = Air { drag: 0.05, ..Air::default() };
    SoftScene {
        body,
        air,
        obstacles: alloc::vec![floor(20.0), ObstacleSpec { mesh, path, friction: 0.3, is_floor: false }],
        gap: 0.3 * seam * edge,
    }
}

/// A sheet of `columns` by `rows` points, placed by numbers from 0 to 1 along both.
fn sheet(columns: usize, rows: usize, place: impl Fn(f64, f64) -> DVec3) -> SoftBody {
    let mut body = SoftBody::default();
    for row in 0..rows {
        for column in 0..columns {
            let part = |i: usize, n: usize| i as f64 / (n - 1) as f64;
            body.positions.push(place(part(column, columns), part(row, rows)));
        }
    }
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let corner = (row * columns + column) as u32;
            let [a, b, c, d] = [corner, corner + 1, corner + columns as u32, corner + columns as u32 + 1];
            // The diagonals alternate, so that the cloth bends alike to both sides.
            if (row + column) % 2 == 0 {
                body.triangles.extend([[a, c, b], [b, c, d]]);
            } else {
                body.triangles.extend([[a, c, d], [a, d, b]]);
            }
        }
    }
    body
}

/// Links of a cloth: along both threads stiff, across them less, over two meshes little; and its mass.
fn weave(body: &mut SoftBody, columns: usize, rows: usize, mass: f64, bending: f64) {
    let at = |column: usize, row: usize| (row * columns + column) as u32;
    for row in 0..rows {
        for column in 0..columns {
            let here = at(column, row);
            let (has_right, has_down) = (column + 1 < columns, row + 1 < rows);
            if has_right {
                body.link(here, at(column + 1, row), 0.0);
            }
            if has_down {
                body.link(here, at(column, row + 1), 0.0);
            }
            if has_right && has_down {
                body.link(here, at(column + 1, row + 1), 5e-3);
                body.link(at(column + 1, row), at(column, row + 1), 5e-3);
            }
            // Bending gives way the more, the finer the cloth is.
            if column + 2 < columns {
                body.link(here, at(column + 2, row), bending * columns as f64);
            }
            if row + 2 < rows {
                body.link(here, at(column, row + 2), bending * columns as f64);
            }
        }
    }
    even_masses(body, mass);
}

/// At rest, with the mass shared evenly.
fn even_masses(body: &mut SoftBody, mass: f64) {
    let n = body.positions.len();
    body.velocities = alloc::vec![DVec3::ZERO; n];
    body.inverse_masses = alloc::vec![n as f64 / mass; n];
}

/// A floor whose upper side is at 0.
fn floor(half_side: f64) -> ObstacleSpec {
    let mut mesh = cuboid(DVec3::new(half_side, 0.1, half_side));
    for vertex in &mut mesh.vertices {
        vertex.y -= 0.1;
    }
    ObstacleSpec { mesh, path: Path::Still, friction: 0.5, is_floor: true }
}

/// A box around the origin, as twelve triangles.
fn cuboid(half: DVec3) -> MeshData {
    let vertices = (0..8_u8)
        .map(|c| {
            let side = |bit: u8| if c >> bit & 1 == 0 { -1.0 } else { 1.0 };
            half * DVec3::new(side(0), side(1), side(2))
        })
        .collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    MeshData { vertices, triangles }
}

/// The faces that one tetrahedron alone has, outwards.
fn surface(tetrahedra: &[Tetrahedron]) -> Vec<[u32; 3]> {
    let mut faces: Vec<([u32; 3], [u32; 3])> = tetrahedra
        .iter()
        .flat_map(|cell| {
            let [a, b, c, d] = cell.corners;
            [[a, c, b], [a, b, d], [a, d, c], [b, c, d]]
        })
        .map(|face| {
            let mut key = face;
            key.sort_unstable();
            (key, face)
        })
        .collect();
    faces.sort_unstable();
    let alone = faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1);
    alone.map(|same| same[0].1).collect()
}

fn sorted_once(mut edges: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    edges.sort_unstable();
    edges.dedup();
    edges
}
