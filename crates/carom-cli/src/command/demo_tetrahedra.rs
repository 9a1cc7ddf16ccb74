//! `carom demo tetrahedra`: a body is tested as a point while it is far from all others, then as a
//! box, then by its triangles. Bodies that meet bounce.
//!
//! Each step has four stages. Points that are near each other become boxes again. Then their
//! oriented boxes are tested, then the trees of boxes, then triangles. The charts count the input
//! of each stage.
//!
//! Reference: the experiments of a study that extends X. Shi, L. Qiao, Z. Zhu, Collision Detection
//! Algorithm Based on Improved OBB, Journal of Hunan University, 2014 (section 3 there, figures 8
//! to 11).

use crate::args::DemoArgs;
use crate::command::demo_run::{Run, chart, every, hash};
use crate::player::{BodyState, FrameStats, PlayerMesh, PlayerShape, Recording, View};
use crate::progress::Progress;
use carom_bounds::{BoundingVolume, Obb};
use carom_broad::{BroadPhase, EveryPair, Filter, FromFinder, PointFilter, ProxyId};
use carom_bvh::{BuildSettings, Bvh, visit_pairs};
use carom_geom::tri_tri::intersects;
use carom_math::{Pose, Vec3, WidePose};
use carom_scenes::Tetrahedra;
use core::ops::ControlFlow;
use std::time::Instant;

/// Seconds of a step, for the player.
const STEP: f64 = 1.0 / 60.0;

/// Cubic metres for each body: 30 bodies have 8,000.
const ROOM: f64 = 8000.0 / 30.0;

/// The shape that all bodies share.
struct Body {
    faces: [[Vec3; 3]; 4],
    outer: Obb,
    tree: Bvh<Obb>,
}

impl Body {
    fn new() -> Result<Body, String> {
        let faces = Tetrahedra::triangles();
        let settings = BuildSettings::default().with_max_leaf(1);
        let tree = Bvh::from_triangles(4, |i| faces[i as usize], &settings).map_err(|e| e.to_string())?;
        Ok(Body { faces, outer: Obb::from_region_centers(&faces, 4), tree })
    }

    /// Whether the oriented boxes of two bodies overlap.
    fn boxes_meet(&self, b_in_a: &WidePose) -> bool {
        self.outer.overlaps(&self.outer.placed(b_in_a))
    }

    /// Whether the faces of two bodies meet. Only faces whose boxes in the trees overlap are
    /// tested.
    fn faces_meet(&self, b_in_a: &WidePose) -> bool {
        let mut is_met = false;
        visit_pairs(&self.tree, &self.tree, b_in_a, |i, j| {
            let first = self.faces[i as usize].map(|p| p.as_dvec3());
            let second = self.faces[j as usize].map(|p| b_in_a.transform_point(p.as_dvec3()));
            is_met = intersects(&first, &second);
            if is_met { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        is_met
    }
}

/// The findings of a step.
struct StepFindings {
    states: Vec<BodyState>,
    /// Counts of pairs: all of them, boxes near each other, oriented boxes that overlap, bodies
    /// that meet.
    pairs: [u64; 4],
    n_points: u64,
    ms: f64,
}

/// The four stages of a step.
struct Stages {
    body: Body,
    broad: FromFinder<PointFilter<EveryPair>>,
    ids: Vec<ProxyId>,
}

impl Stages {
    fn new() -> Result<Stages, String> {
        let broad = FromFinder::with_finder(PointFilter::new(EveryPair::default()));
        Ok(Stages { body: Body::new()?, broad, ids: Vec::new() })
    }

    /// Finds bodies that meet, and lets them bounce.
    fn find_contacts(&mut self, scene: &mut Tetrahedra, poses: &[Pose]) -> Result<StepFindings, String> {
        let start = Instant::now();
        let boxes = poses.iter().map(|pose| self.body.outer.placed(&pose.wide()).to_aabb());
        if self.ids.is_empty() {
            let batch: Vec<_> = boxes.map(|aabb| (aabb, Filter::default())).collect();
            self.broad.insert_batch(&batch, &mut self.ids).map_err(|e| e.to_string())?;
        } else {
            let moves: Vec<_> = self.ids.iter().copied().zip(boxes).collect();
            self.broad.update(&moves).map_err(|e| e.to_string())?;
        }
        let mut near = Vec::new();
        self.broad.pairs(&mut near);
        let n = poses.len() as u64;
        let mut states = vec![BodyState::Asleep; poses.len()];
        let mut pairs = [n * n.saturating_sub(1) / 2, near.len() as u64, 0, 0];
        for pair in &near {
            let (a, b) = (pair.a as usize, pair.b as usize);
            let b_in_a = poses[b].wide().relative_to(&poses[a].wide());
            let mut state = BodyState::Awake;
            if self.body.boxes_meet(&b_in_a) {
                pairs[2] += 1;
                state = BodyState::Near;
                if self.body.faces_meet(&b_in_a) {
                    pairs[3] += 1;
                    state = BodyState::Colliding;
                    scene.bounce(a, b);
                }
            }
            for i in [a, b] {
                // A body shows the last stage that it reached with any other.
                states[i] = states[i].max(state);
            }
        }
        let n_points = self.broad.finder().n_points() as u64;
        Ok(StepFindings { states, pairs, n_points, ms: start.elapsed().as_secs_f64() * 1e3 })
    }
}

/// Runs the scene.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let n = args.n_bodies();
    let side = (ROOM * n as f64).cbrt();
    let mut scene = Tetrahedra::new(n, side, args.seed);
    let mut stages = Stages::new()?;
    let shape = PlayerMesh { vertices: Tetrahedra::CORNERS.to_vec(), triangles: Tetrahedra::FACES.to_vec() };
    let middle = Vec3::splat(0.5 * side as f32);
    let title = format!("tetrahedra: {n} bodies that are points while they are far from others");
    let mut recording =
        Recording::new(&title, STEP * f64::from(every(args)), vec![PlayerShape::Mesh(shape)], vec![0; n])
            .with_view(View {
                target: middle,
                distance: 1.7 * side as f32,
                yaw: 0.6,
                pitch: 0.35,
                speed: 1.0,
            })
            .with_state_names([
                "fixed",
                "a point: far from all others",
                "a box: another is near on each axis",
                "in contact",
                "its oriented box overlaps another",
                "its faces meet another's",
            ])
            .with_charts(vec![
                chart("pairs that are tested", "", &["boxes", "faces", "that meet"]),
                chart("bodies", "", &["points", "boxes"]),
                chart("time of a step", "ms", &["all stages"]),
            ]);
    let (mut total, mut pairs, mut last) = (0.0, [0; 4], [0; 4]);
    let mut progress = Progress::new("steps", u64::from(args.n_frames()));
    for frame in 0..=args.n_frames() {
        if 0 < frame {
            scene.step();
        }
        let poses: Vec<Pose> = scene.poses().collect();
        let found = stages.find_contacts(&mut scene, &poses)?;
        total += found.ms;
        last = found.pairs;
        for (sum, n) in pairs.iter_mut().zip(found.pairs) {
            *sum += n;
        }
        if frame % every(args) == 0 {
            let [_, near, overlap, met] = found.pairs.map(|n| n as f64);
            let points = found.n_points as f64;
            let values = vec![near, overlap, met, points, n as f64 - points, found.ms];
            recording.push(poses, found.states, &[], FrameStats { values });
        }
        progress.step();
    }
    let bits = scene.poses().flat_map(|pose| {
        let (position, rotation) = (pose.translation.to_array(), pose.rotation.to_array());
        position.into_iter().chain(rotation).map(|x| u64::from(x.to_bits()))
    });
    let hash = hash(bits.collect::<Vec<_>>());
    let mean = total / f64::from(args.n_frames() + 1);
    let mut run = Run::of(hash, n, [0.0, mean, 0.0], last[3] as usize, Vec::new(), recording);
    let [all, near, overlap, met] = pairs;
    run.summary = Some(format!(
        "{n} bodies in {:.0} cubic metres, {} steps; mean milliseconds of a step {mean:.3}\n  of {all} pairs of points \
         {near} were made boxes again, {overlap} had oriented boxes that overlap, {met} met",
        side.powi(3),
        args.n_frames(),
    ));
    Ok(run)
}
