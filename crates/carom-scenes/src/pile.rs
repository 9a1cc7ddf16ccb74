//! Piles: thousands of bodies that fall into a heap between walls.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., fig. 25.1 (boxes, tori and a
//! ragdoll).

use crate::body::{BodySpec, SceneSpec, ShapeSpec};
use crate::ragdoll::{RAGDOLL_BODIES, push_ragdoll};
use crate::rng::Rng;
use alloc::vec::Vec;
use carom_math::ops::ceil;
use carom_math::{Pose, Quat, Vec3};
use core::f64::consts::TAU;
use libm::{cos, sin};

/// One body in this many is a torus, on average.
const TORUS_EVERY: usize = 12;

/// One body in this many starts a ragdoll; there is always at least one.
const RAGDOLL_EVERY: usize = 500;

/// Returns the scene of figure 25.1: boxes of several sizes, tori of convex pieces, and ragdolls,
/// in layers above a floor with walls.
///
/// The number of moving bodies, limbs included, is `n_bodies` if that is at least eleven.
pub fn pile(n_bodies: usize, seed: u64) -> SceneSpec {
    let mut rng = Rng::new(seed);
    let mut scene = SceneSpec::default();
    let n_ragdolls = if n_bodies < RAGDOLL_BODIES { 0 } else { (n_bodies / RAGDOLL_EVERY).max(1) };
    let n_pieces = n_bodies - n_ragdolls * RAGDOLL_BODIES;
    let n_cells = n_pieces + n_ragdolls;
    // There are more layers than cells in a row, so the pile is high. Bodies of different cells do
    // not overlap.
    const SPACING: f64 = 1.55;
    let row = (ceil(libm::cbrt(n_cells as f64 * 0.6)) as usize).max(2);
    let half_width = 0.5 * SPACING * row as f64 + 0.5;
    push_walls(&mut scene, half_width as f32);
    // Ragdolls are spread evenly over the cells. The last one is on top in the middle.
    let ragdoll_step = n_cells.checked_div(n_ragdolls).unwrap_or(usize::MAX);
    let (mut n_dolls, mut n_done) = (0, 0);
    for cell in 0..n_cells {
        let (layer, in_layer) = (cell / (row * row), cell % (row * row));
        let jitter = rng.in_box(glam::DVec3::splat(-0.04), glam::DVec3::splat(0.04));
        let coordinate_of = |i: usize, jitter: f64| (i as f64 - 0.5 * (row as f64 - 1.0)) * SPACING + jitter;
        let mut at = Vec3::new(
            coordinate_of(in_layer % row, jitter.x) as f32,
            (1.2 + layer as f64 * SPACING + jitter.y) as f32,
            coordinate_of(in_layer / row, jitter.z) as f32,
        );
        let turn = rng.rotation().as_quat();
        let is_ragdoll = n_dolls < n_ragdolls && (cell + 1) % ragdoll_step == 0 || n_pieces <= n_done;
        if is_ragdoll {
            n_dolls += 1;
            if n_dolls == n_ragdolls {
                at = Vec3::new(0.0, at.y + 3.0, 0.0);
            }
            // The figure is then 1.44 high and fits into a cell.
            push_ragdoll(&mut scene, &Pose::new(turn, at), 0.8, n_dolls as u32);
        } else {
            n_done += 1;
            let pose = Pose::new(turn, at);
            scene.bodies.push(if rng.below(TORUS_EVERY) == 0 {
                BodySpec::new(torus_compound(0.42, 0.16, 10), pose)
            } else {
                let half = rng.in_box(glam::DVec3::splat(0.2), glam::DVec3::splat(0.42)).as_vec3();
                BodySpec::new(ShapeSpec::Cuboid { half_extents: half }, pose)
            });
        }
    }
    scene
}

/// Returns the pile of the benches: `n` unit boxes at random rotations on a 22 x 22 grid (spacing
/// 1.15, jitter 0.1). Layers start at y = 1 and are 1.3 apart. The floor is at 0, and the walls
/// are at +- 14.
pub fn bench_pile(n: usize, seed: u64) -> SceneSpec {
    const ROW: usize = 22;
    let mut rng = Rng::new(seed);
    let mut scene = SceneSpec::default();
    push_walls(&mut scene, 14.0);
    for i in 0..n {
        let (layer, cell) = (i / (ROW * ROW), i % (ROW * ROW));
        let middle = 0.5 * (ROW as f64 - 1.0);
        let jitter = rng.in_box(glam::DVec3::splat(-0.1), glam::DVec3::splat(0.1));
        let at = glam::DVec3::new(
            ((cell % ROW) as f64 - middle) * 1.15 + jitter.x,
            1.0 + 1.3 * layer as f64,
            ((cell / ROW) as f64 - middle) * 1.15 + jitter.z,
        );
        let pose = Pose::new(rng.rotation().as_quat(), at.as_vec3());
        scene.bodies.push(BodySpec::new(ShapeSpec::Cuboid { half_extents: Vec3::splat(0.5) }, pose));
    }
    scene
}

/// Returns a torus around y of `n` convex wedges, each the hull of two octagons.
pub fn torus_compound(major: f64, minor: f64, n: usize) -> ShapeSpec {
    const SIDES: usize = 8;
    let n = n.max(3);
    // The chord of a wedge lies inside the circle. So the spine is widened until the mean of its
    // largest and smallest radius is `major`.
    let spine = major * 2.0 / (1.0 + cos(TAU * 0.5 / n as f64));
    let ring = |at: usize, middle: Vec3| -> Vec<Vec3> {
        let a = TAU * at as f64 / n as f64;
        (0..SIDES)
            .map(|side| {
                let b = TAU * (side as f64 + 0.5) / SIDES as f64;
                let r = spine + minor * cos(b);
                Vec3::new((r * sin(a)) as f32, (minor * sin(b)) as f32, (r * cos(a)) as f32) - middle
            })
            .collect()
    };
    let parts = (0..n)
        .map(|piece| {
            let a = TAU * (piece as f64 + 0.5) / n as f64;
            let middle = Vec3::new((major * sin(a)) as f32, 0.0, (major * cos(a)) as f32);
            let mut points = ring(piece, middle);
            points.extend(ring(piece + 1, middle));
            (Pose::from_translation(middle), ShapeSpec::Hull { points })
        })
        .collect();
    ShapeSpec::Compound { parts }
}

/// Adds a floor at y = 0 and four walls at +- `half_width`, all half-spaces.
fn push_walls(scene: &mut SceneSpec, half_width: f32) {
    let planes = [
        (Vec3::Y, 0.0),
        (Vec3::X, half_width),
        (Vec3::NEG_X, half_width),
        (Vec3::Z, half_width),
        (Vec3::NEG_Z, half_width),
    ];
    for (normal, back) in planes {
        let pose = Pose::new(Quat::IDENTITY, normal * -back);
        scene.bodies.push(BodySpec::fixed(ShapeSpec::HalfSpace { normal }, pose));
    }
}
