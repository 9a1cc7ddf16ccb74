//! Boxes for bodies that turn: a cube for all orientations, a new box by support points or by an
//! apex map, or a box around a few balls. Bodies spin on the spot, or fall. Times are those of the
//! boxes alone, and with the pairs that a tree finds.
//!
//! The pairs of boxes fitted to all corners must be among those of each kind. Akenine-Moller et
//! al., Real-Time Rendering, 4th ed., 25.1.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_bounds::{Aabb, BoundingVolume, Sphere};
use carom_broad::{BroadPhase, Filter, Pair};
use carom_broad_tree::DynamicBvh;
use carom_geom::{ApexMap, ConvexHull};
use carom_math::Pose;
use carom_scenes::Rng;
use glam::{DVec3, Quat, Vec3};
use std::hint::black_box;

/// Corners of the body, and half its size.
const N_CORNERS: usize = 200;
const HALF: DVec3 = DVec3::new(1.0, 0.4, 0.25);

/// Balls around the body, each over a part of its length.
const N_BALLS: usize = 4;

/// Cells of the apex map along a side: about four for each corner.
const N_SIDE: u32 = 12;

/// Steps of 1/60 second.
const STEPS: usize = 30;
const STEP: f32 = 1.0 / 60.0;

/// A body, with the data of each kind of box.
struct Body {
    corners: Vec<Vec3>,
    hull: ConvexHull,
    map: ApexMap,
    cube: Aabb,
    balls: Vec<Sphere>,
}

impl Body {
    fn new() -> Body {
        let mut rng = Rng::new(25);
        let corners: Vec<Vec3> = core::iter::repeat_with(|| rng.in_box(-DVec3::ONE, DVec3::ONE))
            .filter(|p| (0.01..1.0).contains(&p.length_squared()))
            .take(N_CORNERS)
            .map(|p| (p.normalize() * HALF).as_vec3())
            .collect();
        let hull = ConvexHull::from_points(&corners).expect("the corners span a body");
        let map = hull.apex_map(N_SIDE);
        let part = |i: usize| {
            let low = -1.0 + 2.0 * i as f32 / N_BALLS as f32;
            low - 0.15..=low + 2.0 / N_BALLS as f32 + 0.15
        };
        let balls = (0..N_BALLS)
            .map(|i| {
                let own: Vec<Vec3> = corners.iter().copied().filter(|p| part(i).contains(&p.x)).collect();
                Sphere::smallest(&own)
            })
            .collect();
        Body { cube: Aabb::from_points(&corners).any_orientation(), corners, hull, map, balls }
    }

    /// Returns the box around all corners. Each kind of box must find its pairs.
    fn scan(&self, pose: &Pose) -> Aabb {
        let mut aabb = Aabb::EMPTY;
        for &corner in &self.corners {
            let p = pose.transform_point(corner);
            aabb = Aabb { min: aabb.min.min(p), max: aabb.max.max(p) };
        }
        aabb
    }

    fn cube(&self, pose: &Pose) -> Aabb {
        Aabb { min: self.cube.min + pose.translation, max: self.cube.max + pose.translation }
    }

    fn supports(&self, pose: &Pose) -> Aabb {
        self.hull.aabb(pose)
    }

    fn apex_map(&self, pose: &Pose) -> Aabb {
        self.hull.aabb_by(&self.map, pose)
    }

    fn balls(&self, pose: &Pose) -> Aabb {
        self.balls.iter().fold(Aabb::EMPTY, |all, ball| all.merged(&ball.transformed(pose).to_aabb()))
    }
}

/// A kind of box: its name, and the box of the body in a pose.
type Kind = (&'static str, fn(&Body, &Pose) -> Aabb);

const KINDS: [Kind; 5] = [
    ("carom by apex map", Body::apex_map),
    ("carom by supports", Body::supports),
    ("carom by all corners", Body::scan),
    ("carom by four balls", Body::balls),
    ("carom cube", Body::cube),
];

/// Returns the poses of `n` bodies step by step. They are usually a metre and a half apart.
fn poses(n: usize, is_falling: bool) -> Vec<Vec<Pose>> {
    let mut rng = Rng::new(7);
    let side = 1.5 * (n as f64).cbrt();
    let bodies: Vec<(DVec3, DVec3, f32)> = (0..n)
        .map(|_| {
            let position = rng.in_box(DVec3::ZERO, DVec3::splat(side));
            (position, rng.direction(), rng.range(1.0, 10.0) as f32)
        })
        .collect();
    (0..STEPS)
        .map(|step| {
            let t = step as f32 * STEP;
            let pose = |(position, axis, speed): &(DVec3, DVec3, f32)| {
                let fallen = if is_falling { 0.5 * 9.81 * t * t * (1.0 + 0.1 * speed) } else { 0.0 };
                Pose {
                    rotation: Quat::from_axis_angle(axis.as_vec3(), speed * t),
                    translation: position.as_vec3() - Vec3::Y * fallen,
                }
            };
            bodies.iter().map(pose).collect()
        })
        .collect()
}

/// Calls `take` with the pairs in each step.
fn pairs(body: &Body, kind: Kind, poses: &[Vec<Pose>], mut take: impl FnMut(&[Pair])) {
    let (mut broad, mut ids, mut found) = (DynamicBvh::new(), Vec::new(), Vec::new());
    for (step, poses) in poses.iter().enumerate() {
        let boxes = poses.iter().map(|pose| kind.1(body, pose));
        if step == 0 {
            let batch: Vec<_> = boxes.map(|aabb| (aabb, Filter::default())).collect();
            broad.insert_batch(&batch, &mut ids).expect("boxes of a scene are finite");
        } else {
            let moves: Vec<_> = ids.iter().copied().zip(boxes).collect();
            broad.update(&moves).expect("boxes of a scene are finite");
        }
        broad.pairs(&mut found);
        take(&found);
    }
}

fn main() {
    let mut runner = Runner::new("moving_bounds");
    let n = if runner.is_quick() { 1000 } else { 5000 };
    let body = Body::new();
    for (scene, is_falling) in [("spinning", false), ("falling", true)] {
        if !runner.wants(scene) {
            continue;
        }
        let poses = poses(n, is_falling);
        let mut least = Vec::new();
        pairs(&body, ("all corners", Body::scan), &poses, |found| {
            let mut found = found.to_vec();
            found.sort_unstable();
            least.push(found);
        });
        let mut answers = Answers::new();
        for kind in KINDS {
            let (mut step, mut n_found) = (0, 0);
            pairs(&body, kind, &poses, |found| {
                let mut found = found.to_vec();
                found.sort_unstable();
                let missed = least[step].iter().filter(|pair| found.binary_search(pair).is_err()).count();
                answers.equal(&format!("{scene}, step {step}, missed by {}", kind.0), &0, &missed);
                n_found += found.len();
                step += 1;
            });
            println!("    {scene}: {:<22} {:.0} pairs a step", kind.0, n_found as f64 / STEPS as f64);
        }
        let row = |workload| Row { workload, size: n as u64, unit: Unit::Us, per_call: STEPS as u64 };
        let boxes = format!("{scene}, boxes");
        let mut comparison = Comparison::new(Answers::new());
        for (name, aabb) in KINDS {
            let (body, poses) = (&body, &poses);
            comparison = comparison.entry(name, move || {
                for pose in poses.iter().flatten() {
                    black_box(aabb(body, pose));
                }
            });
        }
        runner.compare(row(&boxes), comparison);
        let all = format!("{scene}, boxes and pairs");
        let mut comparison = Comparison::new(answers);
        for kind in KINDS {
            let (body, poses) = (&body, &poses);
            comparison = comparison.entry(kind.0, move || {
                pairs(body, kind, poses, |found| {
                    black_box(found);
                });
            });
        }
        runner.compare(row(&all), comparison);
    }
}
