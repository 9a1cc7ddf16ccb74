//! Crowds of boxes for broad phases, which move frame by frame.
//!
//! There are ten kinds, each hard for some broad phase: slow and coherent, incoherent, mostly at
//! rest, at rest in tight contact on one slab, sizes over three decades, a few that cross the
//! world, one as large as the world, and the three scenes of Broadmark.
//!
//! Reference: Y. Serpa, M. Rodrigues, Broadmark: A Testing Framework for Broad-Phase Collision
//! Detection Algorithms, Computer Graphics Forum, 2019 (several scenes, since each algorithm has
//! its own weak side).

use crate::broadmark::{self, Arena};
use crate::rng::Rng;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use glam::DVec3;
use libm::cbrt;

/// The placement and the motion of the boxes of a [`Crowd`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CrowdKind {
    /// Sizes per axis in [0.5, 1.5] in a cube of side cbrt(n / 0.1875), so about 1.5 overlaps per
    /// box; each box moves 0.01 a frame in its own direction, reflected at the walls.
    Uniform,
    /// The boxes of `Uniform`, at a fresh uniform position in each frame.
    Jump,
    /// `Uniform`, but only every tenth box moves.
    Static90,
    /// One slab that does not move. The others are on it in a jittered grid ten layers high:
    /// spacing 1.05 sideways and 0.98 up, size 1 +- 5 %. Indices are shuffled. In each frame every
    /// other box is within +- 0.002 of its place on each axis.
    Floor,
    /// Sizes s with probability density s^-3 on [0.1, 100], aspect per axis in [0.5, 1], in a cube
    /// of side cbrt(n / 1.14). Each box moves 1 % of its size per frame.
    Mixed,
    /// `Uniform`, but one box of a hundred moves a tenth of the world per frame.
    Fast,
    /// `Uniform`, but the box in the middle of the list is as large as the world and touches all
    /// others. It moves like the others.
    Giant,
    /// Broadmark's Brownian scene: unit cubes fill a tenth of the world and fly up to 1/40 of its
    /// side per frame, which is more than their size in a large world. In each frame the next
    /// hundredth of them gets a new velocity.
    Brownian,
    /// Broadmark's free fall: the same cubes fall to the floor and stay there. Half of them land
    /// within 75 frames, all within about 250.
    FreeFall,
    /// Broadmark's gravity: the same cubes fly under four times that gravity, whose direction
    /// turns once in 6.2 s.
    Gravity,
}

impl CrowdKind {
    /// All kinds.
    pub const ALL: [CrowdKind; 10] = [
        CrowdKind::Uniform,
        CrowdKind::Jump,
        CrowdKind::Static90,
        CrowdKind::Floor,
        CrowdKind::Mixed,
        CrowdKind::Fast,
        CrowdKind::Giant,
        CrowdKind::Brownian,
        CrowdKind::FreeFall,
        CrowdKind::Gravity,
    ];

    /// Returns the name in reports, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            CrowdKind::Uniform => "uniform",
            CrowdKind::Jump => "jump",
            CrowdKind::Static90 => "static90",
            CrowdKind::Floor => "floor",
            CrowdKind::Mixed => "mixed",
            CrowdKind::Fast => "fast",
            CrowdKind::Giant => "giant",
            CrowdKind::Brownian => "brownian",
            CrowdKind::FreeFall => "free fall",
            CrowdKind::Gravity => "gravity",
        }
    }
}

/// Boxes that move. They are the same for the same kind, number and seed on every machine (test:
/// `crowds::crowds_are_the_same_bits_everywhere`).
#[derive(Clone, Debug)]
pub struct Crowd {
    kind: CrowdKind,
    rng: Rng,
    /// The world is `[0, side]` on each axis.
    side: f64,
    half: Vec<DVec3>,
    /// The centre of each box; for `Floor` the place about which it jitters.
    center: Vec<DVec3>,
    /// Displacement per frame.
    velocity: Vec<DVec3>,
    boxes: Vec<Aabb>,
    moved: Vec<u32>,
    /// The state of Broadmark's scenes besides boxes.
    arena: Arena,
}

impl Crowd {
    /// Returns `n` boxes at their first places.
    pub fn new(kind: CrowdKind, n: usize, seed: u64) -> Crowd {
        let mut rng = Rng::new(seed);
        let (mut half, mut center) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let mut velocity = Vec::with_capacity(n);
        let side = match kind {
            CrowdKind::Mixed => cbrt(n as f64 / 1.14),
            CrowdKind::Brownian | CrowdKind::FreeFall | CrowdKind::Gravity => broadmark::side(n),
            _ => cbrt(n as f64 / 0.1875),
        };
        match kind {
            CrowdKind::Floor => place_floor(n, &mut rng, &mut half, &mut center, &mut velocity),
            CrowdKind::Mixed => {
                for _ in 0..n {
                    // This inverts the distribution function of s^-3 between 0.1 and 100.
                    let size = 1.0 / sqrt(100.0 - rng.unit() * (100.0 - 1e-4));
                    half.push(rng.in_box(DVec3::splat(0.5), DVec3::ONE) * (0.5 * size));
                    center.push(rng.in_box(DVec3::ZERO, DVec3::splat(side)));
                    velocity.push(rng.direction() * (0.01 * size));
                }
            }
            CrowdKind::Brownian | CrowdKind::FreeFall | CrowdKind::Gravity => {
                broadmark::place(n, &mut rng, &mut half, &mut center, &mut velocity);
            }
            _ => {
                for i in 0..n {
                    half.push(rng.in_box(DVec3::splat(0.25), DVec3::splat(0.75)));
                    center.push(rng.in_box(DVec3::ZERO, DVec3::splat(side)));
                    let speed = match kind {
                        CrowdKind::Static90 if i % 10 != 0 => 0.0,
                        CrowdKind::Jump => 0.0,
                        CrowdKind::Fast if i % 100 == 0 => 0.1 * side,
                        _ => 0.01,
                    };
                    velocity.push(rng.direction() * speed);
                }
                if kind == CrowdKind::Giant && 0 < n {
                    // It is larger than the world, because it moves between the walls.
                    (half[n / 2], center[n / 2]) = (DVec3::splat(side), DVec3::splat(0.5 * side));
                }
            }
        }
        let boxes = half.iter().zip(&center).map(|(h, c)| Aabb::around(*c - *h, *c + *h)).collect();
        let arena = Arena::new(kind, side);
        Crowd { kind, rng, side, half, center, velocity, boxes, moved: Vec::with_capacity(n), arena }
    }

    /// Returns the kind.
    pub fn kind(&self) -> CrowdKind {
        self.kind
    }

    /// Returns all boxes at their present places.
    pub fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// Returns the indices of the boxes that the last [`Crowd::step`] moved, ascending.
    pub fn moved(&self) -> &[u32] {
        &self.moved
    }

    /// Advances by one frame. Returns [`Crowd::moved`].
    pub fn step(&mut self) -> &[u32] {
        self.moved.clear();
        self.arena.frame(&mut self.rng, &mut self.velocity);
        let world = DVec3::splat(self.side);
        for i in 0..self.boxes.len() {
            let center = match self.kind {
                CrowdKind::Jump => self.rng.in_box(DVec3::ZERO, world),
                CrowdKind::Floor if self.velocity[i] == DVec3::ZERO => continue,
                CrowdKind::Floor => {
                    self.center[i] + self.rng.in_box(DVec3::splat(-0.002), DVec3::splat(0.002))
                }
                _ if self.velocity[i] == DVec3::ZERO => continue,
                CrowdKind::Brownian | CrowdKind::FreeFall | CrowdKind::Gravity => {
                    self.arena.fly(&mut self.center[i], &mut self.velocity[i]);
                    self.center[i]
                }
                _ => {
                    let mut center = self.center[i] + self.velocity[i];
                    for axis in 0..3 {
                        if center[axis] < 0.0 || self.side < center[axis] {
                            self.velocity[i][axis] = -self.velocity[i][axis];
                            let wall = if center[axis] < 0.0 { 0.0 } else { self.side };
                            // A world narrower than one step would reflect a box right through it.
                            center[axis] = (2.0 * wall - center[axis]).clamp(0.0, self.side);
                        }
                    }
                    self.center[i] = center;
                    center
                }
            };
            self.boxes[i] = Aabb::around(center - self.half[i], center + self.half[i]);
            self.moved.push(i as u32);
        }
        &self.moved
    }
}

/// Places the boxes of [`CrowdKind::Floor`]. The slab is box 0 before the shuffle, with zero
/// velocity. A velocity other than zero marks a box that jitters.
fn place_floor(
    n: usize,
    rng: &mut Rng,
    half: &mut Vec<DVec3>,
    center: &mut Vec<DVec3>,
    velocity: &mut Vec<DVec3>,
) {
    if n == 0 {
        return;
    }
    const LAYERS: usize = 10;
    let per_layer = n.saturating_sub(1).div_ceil(LAYERS).max(1);
    let row = (carom_math::ops::ceil(sqrt(per_layer as f64)) as usize).max(1);
    let extent = 1.05 * row as f64;
    let mut placed = Vec::with_capacity(n);
    placed.push((DVec3::new(0.5 * extent, 0.5, 0.5 * extent), DVec3::new(extent, 0.5, extent), DVec3::ZERO));
    for i in 0..n - 1 {
        let (cell, layer) = (i % per_layer, i / per_layer);
        let at = DVec3::new(
            1.05 * ((cell % row) as f64 + 0.5),
            1.0 + 0.98 * (layer as f64 + 0.5),
            1.05 * ((cell / row) as f64 + 0.5),
        );
        let half = rng.in_box(DVec3::splat(0.475), DVec3::splat(0.525));
        placed.push((at, half, DVec3::ONE));
    }
    rng.shuffle(&mut placed);
    for (c, h, v) in placed {
        center.push(c);
        half.push(h);
        velocity.push(v);
    }
}
