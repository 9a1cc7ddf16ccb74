//! Obstacles of a flight, and a test on which side of an obstacle a point is.
//!
//! An obstacle has a surface at y = 0 of its own frame, or near it. The free side is above.

use super::flyer::{self, Flyer, log_range};
use carom_geom::{Cuboid, HalfSpace, HeightField, TriMesh};
use carom_math::{Pose, Vec3, WidePose};
use carom_query::{HeightFieldShape, MeshShape, Shape};
use carom_scenes::Rng;
use glam::DVec3;
use std::sync::{Arc, OnceLock};

/// The kinds of obstacle.
pub(super) const KINDS: [&str; 11] = [
    "wall",
    "closed mesh",
    "open mesh",
    "bumpy mesh",
    "height field",
    "bumpy field",
    "half-space",
    "body",
    "room of walls",
    "room of triangles",
    "terrain",
];

/// Half the length of a wall or a field, in metres.
pub(super) const REACH: f64 = 8.0;

/// The surface that a body must not pass.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// Free above y = 0, and solid down to `-thick`, within `REACH`.
    Slab { thick: f64 },
    /// Free above the heights.
    Field(Arc<HeightFieldShape>),
    /// Free inside a box with these half extents.
    Room(DVec3),
    /// Another body, which moves.
    None,
}

/// An obstacle in its own frame.
#[derive(Clone, Debug)]
pub(super) struct Obstacle {
    /// Bodies that do not move.
    pub(super) fixed: Vec<(Shape, Pose)>,
    /// A body that moves, at the origin.
    pub(super) moving: Option<Flyer>,
    pub(super) bound: Bound,
    /// Its thickness; infinite for a half-space and the like.
    pub(super) thick: f64,
}

/// Returns height fields of one size, flat and bumpy, with coarse and fine cells, and the same
/// surfaces as meshes.
fn fields() -> &'static [(Arc<HeightFieldShape>, Arc<MeshShape>)] {
    static FIELDS: OnceLock<Vec<(Arc<HeightFieldShape>, Arc<MeshShape>)>> = OnceLock::new();
    FIELDS.get_or_init(|| {
        let mut rng = Rng::new(0xf1e1d);
        let mut out = Vec::new();
        for bump in [0.0, 0.12] {
            for n_cells in [2, 8, 32, 64_u32] {
                let spacing = 2.0 * REACH / f64::from(n_cells);
                let n = n_cells + 1;
                let heights = (0..n * n).map(|_| (rng.unit() * bump * spacing) as f32).collect();
                let field = HeightField::new([n, n], [spacing as f32; 2], heights).unwrap();
                let (vertices, indices) = field.to_indexed();
                let mesh = MeshShape::new(TriMesh::new(vertices, indices).unwrap()).unwrap();
                out.push((Arc::new(HeightFieldShape::new(field).unwrap()), Arc::new(mesh)));
            }
        }
        out
    })
}

/// Returns a closed box of triangles around the origin. Every side has `n` by `n` cells.
fn box_mesh(half: DVec3, n: usize, is_inward: bool) -> Arc<MeshShape> {
    let (mut vertices, mut indices): (Vec<Vec3>, Vec<[u32; 3]>) = Default::default();
    let mut number = std::collections::HashMap::new();
    let mut vertex = |p: [usize; 3]| {
        *number.entry(p).or_insert_with(|| {
            let x = |k: usize| ((2.0 * p[k] as f64 / n as f64 - 1.0) * half[k]) as f32;
            vertices.push(Vec3::new(x(0), x(1), x(2)));
            vertices.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        for side in [0, n] {
            for i in 0..n {
                for k in 0..n {
                    let mut at = |i: usize, k: usize| {
                        let mut p = [side; 3];
                        (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (i, k);
                        vertex(p)
                    };
                    let corners = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
                    for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
                        let [a, b, c] = [corners[a], corners[b], corners[c]];
                        indices.push(if (side == n) == is_inward { [a, c, b] } else { [a, b, c] });
                    }
                }
            }
        }
    }
    Arc::new(MeshShape::new(TriMesh::new(vertices, indices).unwrap()).unwrap())
}

/// Returns a random obstacle of this kind.
pub(super) fn obstacle(kind: usize, rng: &mut Rng) -> Obstacle {
    let thick = log_range(rng, 1e-3, 1.0);
    let half = DVec3::new(REACH, 0.5 * thick, REACH);
    let under = Pose::from_translation(Vec3::new(0.0, -half.y as f32, 0.0));
    let cuboid = |half: DVec3| Shape::Cuboid(Cuboid::new(half.as_vec3()).unwrap());
    let flat = rng.below(4);
    let bumpy = 4 + rng.below(4);
    let (flat, bumpy) = (&fields()[flat], &fields()[bumpy]);
    let mut moving = None;
    let at = |shape: Shape| vec![(shape, Pose::IDENTITY)];
    let (fixed, bound, thick) = match KINDS[kind] {
        "wall" => (vec![(cuboid(half), under)], Bound::Slab { thick }, thick),
        "closed mesh" => {
            let n = [1, 2, 6][rng.below(3)];
            (vec![(Shape::Mesh(box_mesh(half, n, false)), under)], Bound::Slab { thick }, thick)
        }
        "open mesh" => (at(Shape::Mesh(flat.1.clone())), Bound::Field(flat.0.clone()), 0.0),
        "bumpy mesh" => (at(Shape::Mesh(bumpy.1.clone())), Bound::Field(bumpy.0.clone()), 0.0),
        "height field" => (at(Shape::HeightField(flat.0.clone())), Bound::Field(flat.0.clone()), 0.0),
        "bumpy field" => (at(Shape::HeightField(bumpy.0.clone())), Bound::Field(bumpy.0.clone()), 0.0),
        "half-space" => {
            let plane = Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap());
            (at(plane), Bound::Slab { thick: f64::INFINITY }, f64::INFINITY)
        }
        "body" => {
            let other = flyer::flyer(rng.below(flyer::KINDS.len()), rng);
            let thick = 2.0 * other.thin;
            moving = Some(other);
            (Vec::new(), Bound::None, thick)
        }
        "room of walls" => {
            let inner = DVec3::new(rng.range(0.8, 4.0), rng.range(0.8, 4.0), rng.range(0.8, 4.0));
            let mut walls = Vec::new();
            for axis in DVec3::AXES {
                for side in [-1.0, 1.0] {
                    // The walls overlap at the edges of the room.
                    let half = axis * (0.5 * thick) + (DVec3::ONE - axis) * (inner + thick);
                    let position = axis * (side * (inner.dot(axis) + 0.5 * thick));
                    walls.push((cuboid(half), Pose::from_translation(position.as_vec3())));
                }
            }
            (walls, Bound::Room(inner), thick)
        }
        "room of triangles" => {
            let inner = DVec3::new(rng.range(0.8, 4.0), rng.range(0.8, 4.0), rng.range(0.8, 4.0));
            let n = [1, 1, 4][rng.below(3)];
            (at(Shape::Mesh(box_mesh(inner, n, rng.below(2) == 0))), Bound::Room(inner), 0.0)
        }
        _ => {
            let shape = if rng.below(3) == 0 {
                Shape::HeightField(bumpy.0.clone())
            } else {
                Shape::Mesh(bumpy.1.clone())
            };
            (at(shape), Bound::Field(bumpy.0.clone()), 0.0)
        }
    };
    Obstacle { fixed, moving, bound, thick }
}

impl Obstacle {
    /// Returns how far the centre of a body that was at `before` is beyond the surface, in metres;
    /// `None` on the free side. A depth up to `allowed` counts as the free side.
    pub(super) fn beyond(&self, frame: &WidePose, before: DVec3, center: DVec3, allowed: f64) -> Option<f64> {
        let [p, q] = [before, center].map(|point| frame.inverse_transform_point(point));
        let is_past = |depth: f64| (allowed < depth).then_some(depth);
        match &self.bound {
            Bound::Slab { thick } => {
                let level = -allowed.min(0.5 * thick);
                if p.y < level || level <= q.y {
                    return None;
                }
                // The point at which the path crosses the surface.
                let at = p + (q - p) * ((p.y - level) / (p.y - q.y));
                let is_within = thick.is_infinite() || at.x.abs() < REACH - 0.1 && at.z.abs() < REACH - 0.1;
                is_within.then_some(-q.y)
            }
            Bound::Field(shape) => {
                // A body that moves below the field from the side has not passed it.
                let depth = |p: DVec3| height_above(shape.field(), p).map(|height| -height);
                let (before, depth) = (depth(p)?, depth(q)?);
                if allowed < before { None } else { is_past(depth) }
            }
            Bound::Room(inner) => is_past((q.abs() - *inner).max_element().max(0.0)),
            Bound::None => None,
        }
    }

    /// Returns the height of the highest point of the surface.
    pub(super) fn top(&self) -> f64 {
        match &self.bound {
            Bound::Field(shape) => {
                shape.field().heights().iter().fold(0.0, |top, &h| f64::max(top, h.into()))
            }
            _ => 0.0,
        }
    }

    /// Whether the surface is the plane y = 0.
    pub(super) fn is_flat(&self) -> bool {
        match &self.bound {
            Bound::Slab { .. } => true,
            Bound::Field(shape) => shape.field().heights().iter().all(|h| *h == 0.0),
            _ => false,
        }
    }
}

/// Returns the height of `q` above the field; `None` beside the field.
fn height_above(field: &HeightField, q: DVec3) -> Option<f64> {
    // A body that left the field over its edge may be anywhere.
    if !(q.x.abs() < REACH - 0.1 && q.z.abs() < REACH - 0.1) {
        return None;
    }
    let [nx, nz] = field.n_samples();
    let [sx, sz] = field.spacing().map(f64::from);
    let cell = |x: f64, s: f64, n: u32| (((x + REACH) / s) as u32).min(n - 2);
    let (i, j) = (cell(q.x, sx, nx), cell(q.z, sz, nz));
    let number = 2 * (j * (nx - 1) + i);
    let height = [number, number + 1].map(|triangle| {
        let [a, b, c] = field.corners(triangle);
        let normal = (b - a).cross(c - a);
        let area = |u: DVec3, v: DVec3| (v - u).with_y(0.0).cross((q - u).with_y(0.0)).y;
        let least = area(a, b).min(area(b, c)).min(area(c, a));
        (least, a.y - ((q.x - a.x) * normal.x + (q.z - a.z) * normal.z) / normal.y)
    });
    let here = if height[0].0 < height[1].0 { height[1].1 } else { height[0].1 };
    Some(q.y - here)
}
