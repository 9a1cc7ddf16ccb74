//! `carom demo scan`: a robot arm in a scanned room. The room is a point cloud, and voxels.
//!
//! - The room is a table, a shelf, a lamp, a floor and walls, sampled by a scanner with noise. The
//!   voxels are the cells that have a point, merged to larger boxes.
//! - In each frame the distance of each link from the cloud is computed, and that from the voxels.
//!   A line joins the nearest pair of link and point.
//! - A link that touches a point is red, one that touches only a cell is yellow.
//!
//! Reference: A. Hornung et al., OctoMap, Autonomous Robots 34, 2013 (maps of occupied cells).

use crate::args::DemoArgs;
use crate::cluster_picture::PictureBox;
use crate::command::demo_run::{Run, chart, hash};
use crate::player::{BodyState, FrameStats, PlayerMesh, PlayerShape, Recording, View};
use carom_math::ops::sin_cos;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Cluster, QueryCost, Shape, Workspace, distance_counted};
use carom_scenes::Rng;
use carom_stage::PlayerShape as Drawn;
use core::f64::consts::TAU;
use glam::DVec3;
use serde_json::json;

/// Half the size of the room in metres; its floor is at 0.
const ROOM: Vec3 = Vec3::new(2.4, 1.2, 1.8);

/// Boxes that stand in the room: middle and half size, in metres.
const FURNITURE: [[f32; 6]; 6] = [
    // The top of the table, two of its sides, a box on it, a shelf, a lamp.
    [1.3, 0.74, 0.2, 0.55, 0.03, 0.8],
    [1.3, 0.36, -0.55, 0.5, 0.35, 0.03],
    [1.3, 0.36, 0.95, 0.5, 0.35, 0.03],
    [1.25, 0.92, 0.55, 0.2, 0.15, 0.2],
    [-1.6, 0.9, 1.2, 0.3, 0.9, 0.25],
    [0.1, 2.05, -0.7, 0.15, 0.2, 0.15],
];

/// Mean distance of samples of the surfaces, radius of a point, largest error of the scanner, and
/// size of a cell, in metres.
const SPACING: f32 = 0.1;
const RADIUS: f32 = 0.02;
const NOISE: f64 = 0.01;
const CELL: f32 = 0.1;

/// Half lengths and radii of the upper arm and the forearm, and half sizes of the hand, in metres.
const ARM: [[f32; 2]; 2] = [[0.42, 0.07], [0.36, 0.05]];
const HAND: Vec3 = Vec3::new(0.06, 0.1, 0.04);

/// The height of the shoulder, in metres.
const SHOULDER: f32 = 0.9;

/// Adds samples of the six sides of a box.
fn scan(middle: Vec3, half: Vec3, rng: &mut Rng, points: &mut Vec<Vec3>) {
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let n = [u, v].map(|k| (2.0 * half[k] / SPACING).ceil().max(1.0) as u32);
        for side in [-1.0, 1.0] {
            for i in 0..n[0] * n[1] {
                let share = |k: u32, n: u32| (2.0 * (k as f32 + 0.5) / n as f32) - 1.0;
                let mut at = Vec3::ZERO;
                at[axis] = side * half[axis];
                at[u] = share(i % n[0], n[0]) * half[u];
                at[v] = share(i / n[0], n[1]) * half[v];
                let mut noise = || rng.range(-NOISE, NOISE) as f32;
                points.push(middle + at + Vec3::new(noise(), noise(), noise()));
            }
        }
    }
}

/// Returns the points of the room. The wall in front is left out, so that one can look in.
fn room(seed: u64) -> Vec<Vec3> {
    let (mut rng, mut points) = (Rng::new(seed), Vec::new());
    scan(Vec3::Y * ROOM.y, ROOM, &mut rng, &mut points);
    points.retain(|p| p.z < ROOM.z - 0.05 && p.y < 2.0 * ROOM.y - 0.05);
    for [x, y, z, a, b, c] in FURNITURE {
        scan(Vec3::new(x, y, z), Vec3::new(a, b, c), &mut rng, &mut points);
    }
    points
}

/// Returns the cells of the points as voxels.
fn cells_of(points: &[Vec3]) -> Result<Shape, String> {
    let low = Vec3::new(-ROOM.x, 0.0, -ROOM.z) - 2.0 * CELL;
    let n = ((2.0 * ROOM + 4.0 * CELL) / CELL).to_array().map(|n| n.ceil() as usize);
    let mut is_occupied = vec![false; n[0] * n[1] * n[2]];
    for point in points {
        let [x, y, z] = ((*point - low) / CELL).to_array().map(|k| k as usize);
        is_occupied[(x * n[1] + y) * n[2] + z] = true;
    }
    Shape::voxels(n, &is_occupied, low, Vec3::splat(CELL)).map_err(|e| e.to_string())
}

/// Returns the poses of the three links at this angle of a full turn.
fn links(turn: f64) -> [Pose; 3] {
    let wave = |times: f64, shift: f64| sin_cos(times * turn + shift).0 as f32;
    let yaw = Quat::from_rotation_y(1.4 * wave(1.0, 0.3) + 0.5);
    let shoulder = yaw * Quat::from_rotation_z(-1.1 - 0.55 * wave(2.0, 0.0));
    let elbow = shoulder * Quat::from_rotation_z(-0.5 + 0.8 * wave(3.0, 0.8));
    let along = |rotation: Quat, half: f32| Pose::from_rotation(rotation).transform_vector(Vec3::Y * half);
    let top = Vec3::Y * SHOULDER;
    let joint = top + 2.0 * along(shoulder, ARM[0][0]);
    let wrist = joint + 2.0 * along(elbow, ARM[1][0]);
    [
        Pose::new(shoulder, top + along(shoulder, ARM[0][0])),
        Pose::new(elbow, joint + along(elbow, ARM[1][0])),
        Pose::new(elbow, wrist + along(elbow, HAND.y)),
    ]
}

/// Returns the boxes of a cluster as a mesh.
fn drawn(cluster: &dyn Cluster) -> PlayerShape {
    let mut mesh = PlayerMesh::default();
    for number in 0..cluster.n_parts() {
        PictureBox::of(&cluster.part_box(number)).push_to(&mut mesh, |corner: DVec3| corner.as_vec3());
    }
    PlayerShape::Mesh(mesh)
}

/// Runs the scene.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let points = room(args.seed);
    let n_points = points.len();
    let voxels = cells_of(&points)?;
    let cloud = Shape::point_cloud(points, RADIUS).map_err(|e| e.to_string())?;
    let (Shape::PointCloud(scanned), Shape::Voxels(boxes)) = (&cloud, &voxels) else {
        return Err("no clusters".to_owned());
    };
    let n_boxes = boxes.n_parts();
    let arm = [
        Shape::capsule(ARM[0][0], ARM[0][1]).map_err(|e| e.to_string())?,
        Shape::capsule(ARM[1][0], ARM[1][1]).map_err(|e| e.to_string())?,
        Shape::cuboid(HAND).map_err(|e| e.to_string())?,
    ];
    let pedestal = Drawn::Cuboid(Vec3::new(0.08, 0.5 * SHOULDER, 0.08));
    let mut shapes: Vec<PlayerShape> = arm.iter().map(Drawn::of).collect();
    shapes.extend([pedestal, drawn(&**scanned)]);
    let names = ["upper arm", "forearm", "hand", "pedestal", "scanned room"].map(str::to_owned);
    let mut recording =
        Recording::new("scan: a robot arm in a room of points", 1.0 / 60.0, shapes, vec![0, 1, 2, 3, 4])
            .with_names(names.to_vec())
            .with_state_names([
                "room",
                "",
                "link that is apart",
                "",
                "link in a cell alone",
                "link that touches a point",
            ])
            .with_line_names(["nearest pair of link and point", "nearest pair of link and cell"])
            .with_shown(&["contacts", "lines"])
            .with_view(View {
                target: Vec3::new(0.2, 1.0, 0.0),
                distance: 5.2,
                yaw: 0.25,
                pitch: 0.3,
                speed: 0.5,
            })
            .with_charts(vec![
                chart("distance of the arm", "m", &["from points", "from cells"]),
                chart("parts that were tested", "", &["points", "cells"]),
            ]);
    let mut memory = Workspace::default();
    let (mut hashed, mut least, mut n_touching, mut n_tested) = (0, f32::INFINITY, 0_u32, [0_u64; 2]);
    let n_frames = args.n_frames();
    for frame in 0..=n_frames {
        let poses = links(TAU * f64::from(frame) / f64::from(n_frames));
        let mut states = [BodyState::Awake; 3];
        let mut values = [f32::INFINITY; 2];
        let (mut nearest, mut costs) = ([[Vec3::ZERO; 2]; 2], [QueryCost::default(); 2]);
        for (link, (shape, pose)) in arm.iter().zip(&poses).enumerate() {
            for (kind, room) in [&cloud, &voxels].into_iter().enumerate() {
                let found =
                    distance_counted(room, &Pose::IDENTITY, shape, pose, &mut memory, &mut costs[kind]);
                if found.distance < values[kind] {
                    (values[kind], nearest[kind]) = (found.distance, [found.point_a, found.point_b]);
                }
                if found.distance <= 0.0 {
                    states[link] = if kind == 0 || states[link] == BodyState::Colliding {
                        BodyState::Colliding
                    } else {
                        BodyState::Near
                    };
                }
            }
        }
        let tested = costs.map(|cost| cost.primitives);
        n_tested = [n_tested[0] + tested[0], n_tested[1] + tested[1]];
        least = least.min(values[0]);
        n_touching += u32::from(values[0] <= 0.0);
        hashed = hash([hashed, u64::from(values[0].to_bits()), u64::from(values[1].to_bits())]);
        let mut all: Vec<Pose> = poses.to_vec();
        all.extend([Pose::from_translation(Vec3::Y * (0.5 * SHOULDER)), Pose::IDENTITY]);
        let mut all_states = states.to_vec();
        all_states.extend([BodyState::Fixed; 2]);
        let contacts: Vec<Vec3> = if values[0] <= 0.0 { vec![nearest[0][0]] } else { Vec::new() };
        let [p, q] = tested.map(|n| n as f64);
        let values = vec![f64::from(values[0]), f64::from(values[1]), p, q];
        recording.push(all, all_states, &contacts, FrameStats { values });
        recording.push_lines([&nearest[..1], &nearest[1..]]);
    }
    let mean = |n: u64| n / u64::from(n_frames + 1);
    let rows =
        [("points", u64::from(scanned.n_parts()), n_tested[0]), ("cells", u64::from(n_boxes), n_tested[1])];
    let rows = rows.map(|(name, n, tested)| json!([name, n, mean(tested)]));
    let recording =
        recording.with_table(json!({ "columns": ["room of", "parts", "tested in a frame"], "rows": rows }));
    let mut run = Run::of(hashed, 3, [0.0; 3], 0, Vec::new(), recording);
    run.summary = Some(format!(
        "an arm of 3 links in a room of {n_points} points, or {n_boxes} boxes of cells, {n_frames} frames\n  it touches in \
         {n_touching} frames; the least distance from a point is {least:.4} m\n  tested in a frame: {} points, {} boxes",
        mean(n_tested[0]),
        mean(n_tested[1]),
    ));
    Ok(run)
}
