//! Tetrahedra that fly about in a box for 1,000 steps: every pair through trees of oriented boxes,
//! or only those whose points are near.
//!
//! The setting is that of tables 1 to 3 of the study that tests points before oriented boxes.
//! There are 2, 10, 20, 30 and 50 bodies in 1,000 and 8,000 m^3. Their boxes have edges of about 1
//! m, and are fitted by region centres. The last entry is carom's own choice.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_bounds::{Aabb, BoundingVolume, Obb};
use carom_broad::{BroadPhase, Filter, FromFinder, Pair, PointFilter, ProxyId};
use carom_broad_sap::AxisPruner;
use carom_broad_tree::DynamicBvh;
use carom_bvh::{BuildSettings, Bvh, visit_pairs};
use carom_geom::tri_tri::intersects;
use carom_math::{Pose, WidePose};
use carom_scenes::Tetrahedra;
use core::ops::ControlFlow;
use glam::Vec3;

const STEPS: usize = Tetrahedra::STEPS;

/// All bodies at all steps.
struct Flight {
    n: usize,
    poses: Vec<Pose>,
    boxes: Vec<Aabb>,
}

impl Flight {
    fn new(n: usize, side: f64, seed: u64) -> Flight {
        let mut scene = Tetrahedra::new(n, side, seed);
        let (mut poses, mut boxes) = (Vec::new(), Vec::new());
        for _ in 0..STEPS {
            scene.step();
            for pose in scene.poses() {
                boxes.push(Aabb::from_points(&Tetrahedra::CORNERS.map(|p| pose.transform_point(p))));
                poses.push(pose);
            }
        }
        Flight { n, poses, boxes }
    }

    fn poses(&self, step: usize) -> &[Pose] {
        &self.poses[step * self.n..][..self.n]
    }

    fn boxes(&self, step: usize) -> &[Aabb] {
        &self.boxes[step * self.n..][..self.n]
    }
}

/// The shape of all bodies: a box by region centres, and a tree of oriented boxes.
struct Body {
    outer: Obb,
    tree: Bvh<Obb>,
    triangles: [[Vec3; 3]; 4],
}

impl Body {
    fn new() -> Body {
        let triangles = Tetrahedra::triangles();
        let settings = BuildSettings::default().with_max_leaf(1);
        Body {
            outer: Obb::from_region_centers(&triangles, 4),
            tree: Bvh::from_triangles(4, |i| triangles[i as usize], &settings).expect("corners are finite"),
            triangles,
        }
    }

    /// Whether two of them intersect: by outer boxes, trees, then triangles.
    fn meet(&self, a: &Pose, b: &Pose) -> bool {
        let b_in_a = b.wide().relative_to(&a.wide());
        self.outer.overlaps(&self.outer.placed(&b_in_a)) && self.triangles_meet(&b_in_a)
    }

    fn triangles_meet(&self, b_in_a: &WidePose) -> bool {
        let mut is_met = false;
        visit_pairs(&self.tree, &self.tree, b_in_a, |i, j| {
            let first = self.triangles[i as usize].map(|p| p.as_dvec3());
            let second = self.triangles[j as usize].map(|p| b_in_a.transform_point(p.as_dvec3()));
            is_met = intersects(&first, &second);
            if is_met { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        is_met
    }

    /// Returns the number of collisions over all steps, with a test of the boxes of every pair.
    fn all_pairs(&self, flight: &Flight) -> u32 {
        let mut count = 0;
        for step in 0..STEPS {
            let poses = flight.poses(step);
            for (i, a) in poses.iter().enumerate() {
                for b in &poses[i + 1..] {
                    count += u32::from(self.meet(a, b));
                }
            }
        }
        count
    }

    /// Returns the number of collisions over all steps, with a broad phase first.
    fn with(&self, broad: &mut impl BroadPhase, flight: &Flight) -> u32 {
        let mut ids: Vec<ProxyId> = Vec::new();
        let batch: Vec<_> = flight.boxes(0).iter().map(|&aabb| (aabb, Filter::default())).collect();
        broad.insert_batch(&batch, &mut ids).expect("boxes of a scene are finite");
        let (mut moves, mut pairs, mut count) = (Vec::new(), Vec::<Pair>::new(), 0);
        for step in 0..STEPS {
            moves.clear();
            moves.extend(ids.iter().copied().zip(flight.boxes(step).iter().copied()));
            broad.update(&moves).expect("boxes of a scene are finite");
            broad.pairs(&mut pairs);
            let poses = flight.poses(step);
            for pair in &pairs {
                count += u32::from(self.meet(&poses[pair.a as usize], &poses[pair.b as usize]));
            }
        }
        count
    }
}

fn main() {
    let mut runner = Runner::new("tetrahedra");
    let body = Body::new();
    for (workload, side) in ["in 1000 m3", "in 8000 m3"].into_iter().zip(Tetrahedra::SIDES) {
        for n in Tetrahedra::SIZES {
            if !runner.wants(workload) {
                continue;
            }
            let flight = Flight::new(n, side, 3 + n as u64);
            let points = || FromFinder::with_finder(PointFilter::new(AxisPruner::default()));
            let expected = body.all_pairs(&flight);
            let mut answers = Answers::new();
            answers.equal("collisions, points", &body.with(&mut points(), &flight), &expected);
            answers.equal("collisions, tree", &body.with(&mut DynamicBvh::new(), &flight), &expected);
            println!("{n} bodies {workload}: {expected} collisions in {STEPS} steps");
            let comparison = Comparison::new(answers)
                .entry("carom, points in front", || {
                    std::hint::black_box(body.with(&mut points(), &flight));
                })
                .entry("carom, tree in front", || {
                    std::hint::black_box(body.with(&mut DynamicBvh::new(), &flight));
                })
                .entry("all pairs", || {
                    std::hint::black_box(body.all_pairs(&flight));
                });
            runner.compare(Row { workload, size: n as u64, unit: Unit::Ms, per_call: 1 }, comparison);
        }
    }
}
