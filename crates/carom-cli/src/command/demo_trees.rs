//! `carom demo trees`: a box follows a knot, and the tree finds the faces that it may touch.
//!
//! Each method of building a tree gets the same queries, one method after the other. Each frame
//! shows the boxes that the query overlaps, level by level, and colours the faces that the tree
//! returns. The table compares the trees.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.1.

use crate::args::DemoArgs;
use crate::command::demo_run::{Run, chart, hash};
use crate::player::{
    BodyState, FaceState, FrameStats, PlayerMesh, PlayerShape, Recording, SurfaceFrame, View,
};
use crate::progress::Progress;
use crate::soft_world::FRAME;
use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{BuildMethod, BuildSettings, Builder, Bvh, Child, LazyBvh};
use carom_math::ops::sin_cos;
use carom_math::{Pose, Vec3};
use carom_scenes::mesh::{Knot, torus_knot};
use core::ops::ControlFlow;
use glam::DVec3;
use serde_json::{Value, json};
use std::time::Instant;

/// Faces of the knot.
const N_FACES: usize = 4000;

/// Half the size of the query box.
const HALF: Vec3 = Vec3::splat(0.07);

/// Faces of a leaf, at most.
const MAX_LEAF: u32 = 4;

/// Queries from which the tree by use learns before it is rebuilt.
const N_TRAINING_QUERIES: u32 = 60;

/// The methods of building a tree, in the order in which they are played.
const CONSTRUCTIONS: [(&str, Construction); 14] = [
    ("top down, surface area heuristic", Construction::Method(BuildMethod::Sah)),
    ("the same over clusters of four", Construction::Method(BuildMethod::ClusteredSah)),
    ("top down, volume for area", Construction::Method(BuildMethod::Volume)),
    ("top down, at the mean", Construction::Method(BuildMethod::Mean)),
    ("top down, equal halves", Construction::Method(BuildMethod::Median)),
    ("bottom up", Construction::Method(BuildMethod::BottomUp)),
    ("bottom up over clusters of four", Construction::Method(BuildMethod::ClusteredBottomUp)),
    ("one by one in random order", Construction::Method(BuildMethod::Insertion)),
    ("linear, along the Morton curve", Construction::Method(BuildMethod::Morton)),
    ("linear, in one pass", Construction::Method(BuildMethod::OnePass)),
    ("linear, then treelets", Construction::Treelets),
    ("linear, then reinsertion", Construction::Reinsertion),
    ("by use: often reached, near the root", Construction::ByUse),
    ("lazy: built where queries go", Construction::Lazy),
];

#[derive(Clone, Copy)]
enum Construction {
    Method(BuildMethod),
    Treelets,
    Reinsertion,
    ByUse,
    Lazy,
}

/// A tree that was built by one of the methods.
enum Tree {
    Whole(Bvh),
    Lazy(LazyBvh),
}

/// The findings of a query.
#[derive(Default)]
struct QueryResult {
    /// Boxes that it overlaps, level by level.
    levels: Vec<Vec<[Vec3; 2]>>,
    candidates: Vec<u32>,
    n_tests: u64,
}

impl Tree {
    fn build(construction: Construction, boxes: &[Aabb], knot: &Knot) -> Result<Tree, String> {
        let linear = BuildSettings::default().with_max_leaf(MAX_LEAF).with_method(BuildMethod::Morton);
        let settings = match construction {
            Construction::Method(method) => linear.with_method(method),
            Construction::Treelets => linear.with_treelet_rounds(3),
            Construction::Reinsertion => linear.with_reinsertion_rounds(3),
            Construction::ByUse | Construction::Lazy => linear.with_method(BuildMethod::Sah),
        };
        let said = |e: carom_bvh::BvhError| e.to_string();
        if let Construction::Lazy = construction {
            return Ok(Tree::Lazy(LazyBvh::new(boxes.to_vec(), &settings).map_err(said)?));
        }
        let mut tree = Bvh::build(boxes, &settings).map_err(said)?;
        if let Construction::ByUse = construction {
            let mut uses = vec![0; boxes.len()];
            for frame in 0..N_TRAINING_QUERIES {
                tree.visit_box(&query_box(knot, frame, N_TRAINING_QUERIES), |leaf| {
                    leaf.primitives.iter().for_each(|&face| uses[face as usize] += 1);
                    ControlFlow::Continue(())
                });
            }
            Builder::default().rebuild_query_driven(&mut tree, boxes, &uses, &settings).map_err(said)?;
        }
        Ok(Tree::Whole(tree))
    }

    fn query(&self, aabb: &Aabb, boxes: &[Aabb]) -> QueryResult {
        let mut met = QueryResult::default();
        match self {
            Tree::Whole(tree) => {
                let visit = tree.visit_box(aabb, |leaf| {
                    met.candidates.extend_from_slice(leaf.primitives);
                    ControlFlow::Continue(())
                });
                met.n_tests = visit.counters.volume_tests;
                met.levels = levels(tree, aabb);
            }
            Tree::Lazy(tree) => {
                let visit = tree.visit_box(aabb, |faces| {
                    met.candidates.extend_from_slice(faces);
                    ControlFlow::Continue(())
                });
                met.n_tests = visit.counters.volume_tests;
                // A lazy tree does not expose its nodes, so the boxes of its candidates are shown.
                let found = met.candidates.iter().map(|&face| corners(&boxes[face as usize]));
                met.levels = vec![found.collect()];
            }
        }
        met
    }

    /// Returns the surface area cost, the number of nodes and the depth; for a lazy tree only the
    /// nodes.
    fn measures(&self) -> [Option<f64>; 3] {
        match self {
            Tree::Whole(tree) => {
                let quality = tree.quality();
                [quality.sah_cost, quality.nodes as f64, f64::from(quality.depth)].map(Some)
            }
            Tree::Lazy(tree) => [None, Some(tree.built().nodes as f64), None],
        }
    }
}

/// Returns the boxes of a tree that overlap a query box, level by level from the root.
fn levels(tree: &Bvh, aabb: &Aabb) -> Vec<Vec<[Vec3; 2]>> {
    let mut levels = vec![vec![corners(&tree.bounds())]];
    let mut nodes = vec![0];
    while !nodes.is_empty() {
        let (mut level, mut below) = (Vec::new(), Vec::new());
        for (reference, child) in nodes.iter().flat_map(|&node| tree.children(node)) {
            let volume = tree.volume(reference);
            if volume.overlaps(aabb) {
                level.push(corners(&volume));
                if let Child::Node(node) = child {
                    below.push(node);
                }
            }
        }
        levels.push(level);
        nodes = below;
    }
    levels
}

fn corners(aabb: &Aabb) -> [Vec3; 2] {
    [aabb.min, aabb.max]
}

/// Returns the query box in one of `n` frames. It follows the knot once, half inside of it.
fn query_box(knot: &Knot, frame: u32, n: u32) -> Aabb {
    let turn = core::f64::consts::TAU * f64::from(frame) / f64::from(n.max(1));
    let (across, along) = (sin_cos(f64::from(knot.q) * turn), sin_cos(f64::from(knot.p) * turn));
    let r = knot.major + (knot.minor + knot.tube) * across.1;
    let middle = DVec3::new(r * along.1, r * along.0, (knot.minor + knot.tube) * across.0).as_vec3();
    Aabb { min: middle - HALF, max: middle + HALF }
}

/// Runs the scene.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let knot = Knot::new(2, 3);
    let mesh = torus_knot(&knot, N_FACES);
    let vertices = mesh.vertices_f32();
    let faces = &mesh.triangles;
    let boxes: Vec<Aabb> =
        faces.iter().map(|face| Aabb::from_points(&face.map(|v| vertices[v as usize]))).collect();
    let title = format!("trees: {} ways to build one over {} faces", CONSTRUCTIONS.len(), faces.len());
    let drawn = PlayerMesh { vertices: vertices.clone(), triangles: faces.clone() };
    let mut recording = Recording::new(&title, FRAME, vec![PlayerShape::Cuboid(HALF)], vec![0])
        .with_surfaces(vec![drawn])
        .with_face_names([
            "faces far from the box",
            "faces that the tree gives in vain",
            "faces whose boxes overlap",
            "",
        ])
        .with_state_names(["", "", "box that asks", "", "", ""])
        .with_shown(&["tree"])
        .with_view(View { target: Vec3::ZERO, distance: 2.9, yaw: 0.4, pitch: 0.35, speed: 1.0 })
        .with_charts(vec![
            chart("boxes tested", "", &["this tree"]),
            chart("faces", "", &["given by the tree", "whose boxes overlap"]),
        ]);
    // All ways have the same number of frames.
    let n_frames = (args.n_frames() / CONSTRUCTIONS.len() as u32).max(1);
    let mut progress = Progress::new("trees", CONSTRUCTIONS.len() as u64);
    let (mut rows, mut hashed, mut n_reported, mut total_ms) = (Vec::new(), 0, 0, 0.0);
    for (name, construction) in CONSTRUCTIONS {
        let start = Instant::now();
        let tree = Tree::build(construction, &boxes, &knot)?;
        let build_ms = start.elapsed().as_secs_f64() * 1e3;
        let (mut n_tests, mut n_faces) = (0, 0);
        for frame in 0..n_frames {
            let aabb = query_box(&knot, frame, n_frames);
            let start = Instant::now();
            let met = tree.query(&aabb, &boxes);
            total_ms += start.elapsed().as_secs_f64() * 1e3;
            let mut states = vec![FaceState::Free; faces.len()];
            for &face in &met.candidates {
                let is_hit = boxes[face as usize].overlaps(&aabb);
                states[face as usize] =
                    if is_hit { FaceState::TouchesOther } else { FaceState::TouchesItself };
            }
            let n_hit = states.iter().filter(|state| **state == FaceState::TouchesOther).count();
            n_tests += met.n_tests;
            n_faces += met.candidates.len();
            hashed = hash([hashed, met.n_tests, n_hit as u64]);
            let values = vec![met.n_tests as f64, met.candidates.len() as f64, n_hit as f64];
            let pose = Pose::from_translation(aabb.center());
            recording.push(vec![pose], vec![BodyState::Awake], &[], FrameStats { values });
            recording.push_surfaces(vec![SurfaceFrame { vertices: vertices.clone(), faces: states }]);
            recording.push_tree(met.levels);
            recording.push_caption(name);
        }
        n_reported += n_faces;
        let [cost, nodes, depth] = tree.measures().map(|measure| measure.map_or(json!(""), |m| json!(m)));
        let mean = |n: f64| json!(n / f64::from(n_frames));
        rows.push(json!([name, cost, nodes, depth, mean(n_tests as f64), mean(n_faces as f64), build_ms]));
        progress.step();
    }
    let columns = [
        "way",
        "surface area cost",
        "nodes",
        "depth",
        "boxes tested a query",
        "faces given a query",
        "ms to build",
    ];
    let n_queries = n_frames * CONSTRUCTIONS.len() as u32;
    let summary = format!(
        "{} ways over {} faces, {n_frames} queries each; mean milliseconds of a query {:.3}\n{}",
        CONSTRUCTIONS.len(),
        faces.len(),
        total_ms / f64::from(n_queries),
        rows.iter().map(line).collect::<Vec<_>>().join("\n"),
    );
    let recording = recording.with_table(json!({ "columns": columns, "rows": rows }));
    let mut run = Run::of(hashed, 1, [0.0; 3], n_reported, Vec::new(), recording);
    run.summary = Some(summary);
    Ok(run)
}

/// Returns a row of the table as a line of text.
fn line(row: &Value) -> String {
    let number = |i: usize| row[i].as_f64().map_or_else(|| "-".to_owned(), |x| format!("{x:.1}"));
    format!(
        "  {:40} cost {:>6}, {:>6} boxes tested a query, {:>5} faces given",
        row[0].as_str().unwrap_or(""),
        number(1),
        number(4),
        number(5)
    )
}
