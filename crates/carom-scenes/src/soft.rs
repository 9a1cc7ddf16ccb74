//! Scenes of cloth, jelly and a plate that breaks, as plain data: a soft body, the air, and closed
//! meshes as obstacles. The caller moves them.
//!
//! Reference: J. O'Brien, J. Hodgins, Graphical Modeling and Animation of Brittle Fracture, 1999.
//! Differs: the seams are given beforehand.

use crate::mesh::{MeshData, icosphere};
use crate::rng::Rng;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use glam::{DQuat, DVec3, Vec3};
use libm::{cos, sin};

/// A soft body, the air around it, and obstacles.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftScene {
    /// The positions of the particles at rest and at time 0, in metres.
    pub positions: Vec<Vec3>,
    /// The inverse mass of each particle, in 1/kg; 0 for a particle that is held in place.
    pub inverse_masses: Vec<f32>,
    /// The material of the body.
    pub material: SoftMaterial,
    /// The air.
    pub air: Air,
    /// The obstacles.
    pub obstacles: Vec<ObstacleSpec>,
    /// The distance at which surfaces rest on each other, in metres. Neighbours in the body are
    /// farther apart.
    pub gap: f32,
    /// The approximate largest speed in the scene, in metres per second.
    pub speed: f32,
    /// The coefficient of friction of all surfaces.
    pub friction: f32,
}

/// The material of a soft body.
#[derive(Clone, Debug, PartialEq)]
pub enum SoftMaterial {
    /// A sheet that does not stretch.
    Cloth {
        /// Three particles each.
        triangles: Vec<[u32; 3]>,
        /// Flexural rigidity, in newton metres.
        bend_stiffness: f32,
    },
    /// An elastic solid.
    Jelly {
        /// Four particles each, with positive volumes.
        tetrahedra: Vec<[u32; 4]>,
        /// Young's modulus, in pascals.
        youngs_modulus: f32,
    },
    /// A brittle sheet, which breaks along seams.
    Plate {
        /// Three particles each.
        triangles: Vec<[u32; 3]>,
        /// Stretch stiffness, in newtons per metre.
        stretch_stiffness: f32,
        /// Flexural rigidity, in newton metres.
        bend_stiffness: f32,
        /// The edges along which it may break.
        seams: Vec<Seam>,
    },
}

/// An edge between two triangles along which a plate may break.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seam {
    /// The two triangles, which have an edge in common.
    pub triangles: [u32; 2],
    /// The largest angle between the triangles, in radians. Beyond it, the seam breaks.
    pub max_angle: f32,
    /// The largest extension of the distance of the corners opposite to the edge, relative to
    /// their distance at rest.
    pub max_strain: f32,
}

/// The air: wind and drag.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Air {
    /// Velocity of the wind, in metres per second.
    pub wind: DVec3,
    /// The share of the wind that varies with time, from 0 to 1.
    pub gusts: f64,
    /// Rate of the drag, per second.
    pub drag: f64,
}

/// A closed rigid mesh that moves on a given path and is not pushed.
#[derive(Clone, Debug, PartialEq)]
pub struct ObstacleSpec {
    /// The mesh at time 0.
    pub mesh: MeshData,
    /// Its path.
    pub path: Path,
    /// Whether it is a floor: its upper side is the plane at height 0, and only this side is
    /// drawn.
    pub is_floor: bool,
}

/// The path of an obstacle, which does not turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Path {
    /// It does not move.
    Still,
    /// To and fro by this vector to either side, with a period in seconds.
    Swing(DVec3, f64),
    /// In a straight line at this velocity, in metres per second.
    Straight(DVec3),
}

/// The obstacle on which a cloth falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClothObstacle {
    /// A ball.
    Ball,
    /// A box that stands on a corner, so that the cloth falls on the opposite one.
    Corner,
    /// The sharp upper edge of a wedge, of 37 degrees.
    Edge,
    /// A ball that swings to and fro.
    MovingBall,
}

impl Path {
    /// Returns the displacement from the start after some seconds.
    pub fn offset(self, seconds: f64) -> DVec3 {
        match self {
            Path::Still => DVec3::ZERO,
            Path::Swing(displacement, period) => {
                displacement * sin(core::f64::consts::TAU * seconds / period)
            }
            Path::Straight(velocity) => velocity * seconds,
        }
    }
}

impl Air {
    /// Returns the wind after some seconds.
    pub fn wind_at(&self, seconds: f64) -> DVec3 {
        let gust = 0.6 * sin(2.3 * seconds) + 0.4 * sin(5.1 * seconds + 1.0);
        // The direction varies a little, too.
        let aside = DVec3::new(-self.wind.z, 0.0, self.wind.x) * (0.5 * self.gusts * sin(1.7 * seconds));
        self.wind * (1.0 + self.gusts * gust) + aside
    }
}

/// Mass of cloth per area, in kg/m2.
const CLOTH_MASS: f64 = 0.2;

/// Returns a cloth of `n` by `n` points that hangs from a pole in the wind.
pub fn flag(n: usize) -> SoftScene {
    let (width, height) = (1.5, 1.0);
    let (positions, triangles) =
        sheet(n, |u, v| DVec3::new(width * u, 2.5 - height * v, 0.02 * sin(9.0 * u + 4.0 * v)));
    let mut inverse_masses = even_masses(positions.len(), CLOTH_MASS * width * height);
    for row in 0..n {
        inverse_masses[row * n] = 0.0;
    }
    SoftScene {
        positions,
        inverse_masses,
        material: SoftMaterial::Cloth { triangles, bend_stiffness: 2e-4 },
        air: Air { wind: DVec3::new(13.0, 0.5, 3.0), gusts: 0.4, drag: 0.1 },
        obstacles: Vec::new(),
        gap: (0.25 * height / (n - 1) as f64) as f32,
        speed: 8.0,
        friction: 0.4,
    }
}

/// Returns a square cloth of `n` by `n` points that falls on an obstacle.
pub fn cloth_over(over: ClothObstacle, n: usize) -> SoftScene {
    let size = 1.4;
    let turn = DQuat::from_xyzw(0.0, sin(0.15), 0.0, cos(0.15));
    let (mesh, path, top) = match over {
        ClothObstacle::Ball => (icosphere(500).scaled(0.35), Path::Still, 0.35),
        ClothObstacle::MovingBall => (icosphere(500).scaled(0.35), Path::Swing(DVec3::X * 0.3, 4.0), 0.35),
        ClothObstacle::Corner => {
            let half = 0.3;
            // The diagonal (1, 1, 1) becomes y: a rotation about (-1, 0, 1) by the angle with this
            // cosine.
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
        ClothObstacle::Edge => (wedge(DVec3::new(0.2, 0.3, 0.5)), Path::Still, 0.3),
    };
    let (positions, triangles) = sheet(n, |u, v| {
        turn * DVec3::new(size * (u - 0.497), 0.0, size * (v - 0.503)) + DVec3::Y * (top + 0.08)
    });
    SoftScene {
        inverse_masses: even_masses(positions.len(), CLOTH_MASS * size * size),
        positions,
        material: SoftMaterial::Cloth { triangles, bend_stiffness: 2e-5 },
        air: Air { drag: 0.6, ..Air::default() },
        obstacles: alloc::vec![ObstacleSpec { mesh, path, is_floor: false }],
        gap: (0.25 * size / (n - 1) as f64) as f32,
        speed: 5.0,
        friction: 0.5,
    }
}

/// Returns a tilted cube of `n` by `n` by `n` cells of tetrahedra that falls on a floor.
pub fn jelly(n: usize) -> SoftScene {
    let (size, density, height) = (0.6, 300.0, 1.1);
    let turn = DQuat::from_xyzw(0.30, 0.10, 0.20, sqrt(1.0 - 0.14));
    let side = n + 1;
    let position_of = |i: usize| {
        let cell = DVec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
        (turn * ((cell / n as f64 - 0.5) * size) + DVec3::Y * height).as_vec3()
    };
    let positions: Vec<Vec3> = (0..side * side * side).map(position_of).collect();
    let at = |x: usize, y: usize, z: usize| (x + side * (y + side * z)) as u32;
    let in_cell = |i: usize| {
        let (x, y, z) = (i % n, i / n % n, i / n / n);
        let corner = move |c: usize| at(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
        // Six tetrahedra around the diagonal from corner 0 to corner 7.
        let six = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];
        six.map(|tetrahedron| tetrahedron.map(corner))
    };
    let tetrahedra = (0..n * n * n).flat_map(in_cell).collect();
    SoftScene {
        inverse_masses: even_masses(positions.len(), density * size * size * size),
        positions,
        material: SoftMaterial::Jelly { tetrahedra, youngs_modulus: 3e4 },
        air: Air { drag: 0.05, ..Air::default() },
        obstacles: alloc::vec![floor(20.0)],
        gap: (0.1 * size / n as f64) as f32,
        speed: 5.0,
        friction: 0.5,
    }
}

/// Returns an upright plate of `n` by `n` pieces that breaks between them, and a ball that flies
/// through it. Each piece is a quadrilateral of four triangles around its middle.
pub fn shatter(n: usize) -> SoftScene {
    let size = 1.2;
    let edge = size / n as f64;
    let mut rng = Rng::new(1);
    let side = n + 1;
    let mut corners = Vec::with_capacity(side * side);
    for i in 0..side * side {
        let (x, y) = (i % side, i / side);
        // Inside the border, corners are displaced from those of squares.
        let mut aside = |i: usize| if i == 0 || i == n { 0.0 } else { rng.range(-0.22, 0.22) };
        let (u, v) = (x as f64 + aside(x), y as f64 + aside(y));
        corners.push(DVec3::new(u * edge - 0.5 * size, v * edge + 0.03, 0.0));
    }
    let n_corners = corners.len() as u32;
    let mut triangles = Vec::with_capacity(4 * n * n);
    let mut middles = Vec::with_capacity(n * n);
    for i in 0..n * n {
        let first = (i % n + side * (i / n)) as u32;
        let around = [first, first + 1, first + 1 + side as u32, first + side as u32];
        middles.push(around.iter().map(|corner| corners[*corner as usize]).sum::<DVec3>() / 4.0);
        // Below, right, above, left.
        triangles.extend([0, 1, 2, 3].map(|k| [around[k], around[(k + 1) % 4], n_corners + i as u32]));
    }
    let mut seams = Vec::with_capacity(2 * n * n);
    let mut seam = |a: usize, b: usize| {
        let [max_angle, max_strain] = [rng.range(0.05, 0.2), rng.range(0.005, 0.02)].map(|x| x as f32);
        seams.push(Seam { triangles: [a as u32, b as u32], max_angle, max_strain });
    };
    for i in 0..n * n {
        if i % n + 1 < n {
            seam(4 * i + 1, 4 * (i + 1) + 3);
        }
        if i + n < n * n {
            seam(4 * i + 2, 4 * (i + n));
        }
    }
    let positions: Vec<Vec3> = corners.iter().chain(&middles).map(|p| p.as_vec3()).collect();
    let mut inverse_masses = even_masses(positions.len(), 4.0 * size * size);
    // A frame holds the lowest row.
    inverse_masses[..side].fill(0.0);
    let mut mesh = icosphere(500).scaled(0.25);
    for vertex in &mut mesh.vertices {
        *vertex += DVec3::new(0.05, 0.68, 0.7);
    }
    let path = Path::Straight(DVec3::new(0.0, 0.0, -3.0));
    SoftScene {
        positions,
        inverse_masses,
        material: SoftMaterial::Plate { triangles, stretch_stiffness: 5e4, bend_stiffness: 40.0, seams },
        air: Air { drag: 0.05, ..Air::default() },
        obstacles: alloc::vec![floor(20.0), ObstacleSpec { mesh, path, is_floor: false }],
        gap: (0.05 * edge) as f32,
        speed: 7.0,
        friction: 0.4,
    }
}

/// Returns a sheet of `n` by `n` points and its triangles. `position_of` maps two parameters in
/// 0..=1 to a point.
fn sheet(n: usize, position_of: impl Fn(f64, f64) -> DVec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let part = |i: usize| i as f64 / (n - 1) as f64;
    let positions = (0..n * n).map(|i| position_of(part(i % n), part(i / n)).as_vec3()).collect();
    let mut triangles = Vec::with_capacity(2 * (n - 1) * (n - 1));
    for row in 0..n - 1 {
        for column in 0..n - 1 {
            let corner = (row * n + column) as u32;
            let [a, b, c, d] = [corner, corner + 1, corner + n as u32, corner + n as u32 + 1];
            // The diagonals alternate, so that the cloth bends equally to both sides.
            if (row + column) % 2 == 0 {
                triangles.extend([[a, c, b], [b, c, d]]);
            } else {
                triangles.extend([[a, c, d], [a, d, b]]);
            }
        }
    }
    (positions, triangles)
}

/// Returns the inverse masses of `n` particles that share a mass evenly.
fn even_masses(n: usize, mass: f64) -> Vec<f32> {
    alloc::vec![(n as f64 / mass) as f32; n]
}

/// Returns a floor whose upper side is at height 0.
fn floor(half_side: f64) -> ObstacleSpec {
    let mut mesh = cuboid(DVec3::new(half_side, 0.1, half_side));
    for vertex in &mut mesh.vertices {
        vertex.y -= 0.1;
    }
    ObstacleSpec { mesh, path: Path::Still, is_floor: true }
}

/// Returns a wedge in a box around the origin: as wide as the box at its foot, with a sharp edge
/// along z at its top.
fn wedge(half: DVec3) -> MeshData {
    let foot = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]].map(|[x, z]| DVec3::new(x, -1.0, z));
    let top = [-1.0, 1.0].map(|z| DVec3::new(0.0, 1.0, z));
    let vertices = foot.iter().chain(&top).map(|corner| half * *corner).collect();
    let triangles =
        alloc::vec![[0, 1, 3], [0, 3, 2], [0, 2, 5], [0, 5, 4], [1, 4, 5], [1, 5, 3], [0, 4, 1], [2, 3, 5]];
    MeshData { vertices, triangles }
}

/// Returns a box around the origin, as twelve triangles.
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
