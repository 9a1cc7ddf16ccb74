//! `carom demo boxes`: a body that tumbles, in each kind of bounding box that carom computes.
//!
//! Axis-aligned boxes: around all corners, around the turned box, and around the body in any
//! orientation. Oriented boxes: by the covariance of the corners or of the surface, by the centres
//! of regions, and fitted. Points in the first box are marked. Two more boxes pass through each
//! other, and their intersection is drawn.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.3 and 25.1.

use crate::args::DemoArgs;
use crate::command::demo_run::{Run, chart, hash};
use crate::player::{BodyState, FrameStats, PlayerMesh, PlayerShape, Recording, View};
use carom_bounds::{Aabb, BoundingVolume, Obb};
use carom_math::ops::sin_cos;
use carom_math::{Pose, Quat, Vec3};
use carom_scenes::mesh::{Spring, spring};
use core::f32::consts::TAU;
use serde_json::json;

/// Metres between neighbouring bodies.
const SPACING: f32 = 3.4;

/// Columns of the picture.
const IN_A_ROW: usize = 4;

/// Points along a side of the cube of query points, and metres between neighbours.
const POINTS: i16 = 5;
const STEP: f32 = 0.6;

/// The edges of a box as pairs of corners: bit k of a corner's index is its side on axis k.
const EDGES: [[usize; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

/// The body, and its boxes at rest.
struct Body {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    straight: Aabb,
    oriented: [Obb; 4],
}

/// The names of the boxes, in the order of the picture.
const NAMES: [&str; 7] = [
    "around all corners, anew in each frame",
    "around the turned box",
    "around every orientation",
    "own axes, by the covariance of the corners",
    "own axes, by the covariance of the surface",
    "own axes, by centres of regions",
    "own axes, fitted",
];

/// Short names of the boxes, for the chart.
const CHART_NAMES: [&str; 7] =
    ["corners", "turned box", "every turn", "covariance", "of surface", "regions", "fitted"];

impl Body {
    fn new() -> Body {
        // A coil that is tilted in its own frame. One end has more than its share of the corners.
        let mesh = spring(&Spring::coil(2.5, 0.45, 1.6, 0.12).with_detail(60, 10));
        let lean = Quat::from_rotation_z(0.6) * Quat::from_rotation_x(0.4);
        let middle = mesh.vertices_f32().iter().sum::<Vec3>() / mesh.vertices.len() as f32;
        let vertices: Vec<Vec3> = mesh.vertices_f32().iter().map(|v| lean * (*v - middle)).collect();
        let faces: Vec<[Vec3; 3]> = mesh.triangles.iter().map(|t| t.map(|i| vertices[i as usize])).collect();
        Body {
            straight: Aabb::from_points(&vertices),
            oriented: [
                Obb::from_point_covariance(&vertices),
                Obb::from_surface_covariance(&faces),
                Obb::from_region_centers(&faces, 8),
                Obb::from_points(&vertices),
            ],
            vertices,
            triangles: mesh.triangles,
        }
    }

    /// Returns the corners of each box around the body in a pose, and the volume of the box.
    fn boxes(&self, pose: &Pose) -> [([Vec3; 8], f32); 7] {
        let all: Vec<Vec3> = self.vertices.iter().map(|v| pose.transform_point(*v)).collect();
        let any = self.straight.any_orientation();
        let any = Aabb { min: any.min + pose.translation, max: any.max + pose.translation };
        let along = [Aabb::from_points(&all), self.straight.placed(&pose.wide()), any]
            .map(|aabb| (Obb::from_aabb(&aabb).corners(), aabb.volume()));
        let own = self.oriented.map(|obb| {
            let placed = obb.placed(&pose.wide());
            (placed.corners(), placed.volume())
        });
        [along[0], along[1], along[2], own[0], own[1], own[2], own[3]]
    }
}

/// Returns the edges of a box with these corners, moved by `by`.
fn edges(corners: &[Vec3; 8], by: Vec3) -> [[Vec3; 2]; 12] {
    EDGES.map(|edge| edge.map(|k| corners[k] + by))
}

/// Returns the origin of the picture with this index.
fn origin(number: usize) -> Vec3 {
    let (row, column) = (number / IN_A_ROW, number % IN_A_ROW);
    let middle = 0.5 * (IN_A_ROW - 1) as f32;
    Vec3::new(SPACING * (column as f32 - middle), SPACING * (0.5 - row as f32), 0.0)
}

/// Returns two boxes that swing through each other, at this angle of a full turn in radians.
fn swinging(turn: f32) -> [Aabb; 2] {
    let (s, c) = sin_cos(f64::from(turn));
    let (s, c) = (s as f32, c as f32);
    let around = |middle: Vec3, half: Vec3| Aabb { min: middle - half, max: middle + half };
    [
        around(Vec3::new(0.7 * s, 0.3 * c, 0.0), Vec3::new(0.7, 0.4, 0.5)),
        around(Vec3::new(-0.5 * s, -0.2 * c, 0.2), Vec3::new(0.4, 0.8, 0.4)),
    ]
}

/// Runs the scene.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let body = Body::new();
    let shared = NAMES.len();
    let mesh = PlayerMesh { vertices: body.vertices.clone(), triangles: body.triangles.clone() };
    // The query points lie around the first body.
    let points: Vec<Vec3> = (0..POINTS * POINTS * POINTS)
        .map(|i| {
            Vec3::new(f32::from(i % POINTS), f32::from(i / POINTS % POINTS), f32::from(i / POINTS / POINTS))
        })
        .map(|step| (step - 0.5 * f32::from(POINTS - 1)) * STEP)
        .collect();
    let shapes = vec![PlayerShape::Mesh(mesh), PlayerShape::Capsule(0.0, 0.035)];
    let mut bodies = vec![0; NAMES.len()];
    bodies.resize(NAMES.len() + points.len(), 1);
    let mut names: Vec<String> = NAMES.map(str::to_owned).to_vec();
    names.resize(bodies.len(), "a point".to_owned());
    let mut recording = Recording::new("boxes around a body that tumbles", 1.0 / 60.0, shapes, bodies)
        .with_names(names)
        .with_state_names(["", "points outside", "bodies", "points inside of the first box", "", ""])
        .with_line_names(["edges of boxes", "edges of what two boxes share"])
        .with_shown(&["lines"])
        .with_view(View { target: Vec3::ZERO, distance: 12.5, yaw: 0.3, pitch: 0.25, speed: 1.0 })
        .with_charts(vec![
            chart("volume of the box", "m3", &CHART_NAMES),
            chart("points inside of the first", "", &["points"]),
        ]);
    let (mut sums, mut hashed) = ([0.0; NAMES.len()], 0);
    let n_frames = args.n_frames();
    for frame in 0..=n_frames {
        let turn = TAU * frame as f32 / n_frames as f32;
        let rotation = Quat::from_rotation_y(2.0 * turn) * Quat::from_rotation_x(turn);
        let boxes = body.boxes(&Pose { rotation, translation: Vec3::ZERO });
        let first = Aabb::from_points(&boxes[0].0);
        let (mut poses, mut states, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (corners, volume)) in boxes.iter().enumerate() {
            poses.push(Pose { rotation, translation: origin(i) });
            states.push(BodyState::Awake);
            lines.extend(edges(corners, origin(i)));
            sums[i] += f64::from(*volume);
        }
        let mut n_inside = 0;
        for point in &points {
            let is_inside = first.contains_point(*point);
            n_inside += u32::from(is_inside);
            poses.push(Pose::from_translation(*point + origin(0)));
            states.push(if is_inside { BodyState::InContact } else { BodyState::Asleep });
        }
        let two = swinging(turn);
        let mut common = Vec::new();
        for aabb in &two {
            lines.extend(edges(&Obb::from_aabb(aabb).corners(), origin(shared)));
        }
        if let Some(both) = two[0].intersection(&two[1]) {
            common
                .extend(EDGES.map(|edge| edge.map(|k| Obb::from_aabb(&both).corners()[k] + origin(shared))));
        }
        let values =
            boxes.iter().map(|(_, volume)| f64::from(*volume)).chain([f64::from(n_inside)]).collect();
        hashed = hash(boxes.iter().map(|(_, volume)| u64::from(volume.to_bits())).chain([hashed]));
        recording.push(poses, states, &[], FrameStats { values });
        recording.push_lines([&lines, &common]);
    }
    let mean = |i: usize| sums[i] / f64::from(n_frames + 1);
    let rows: Vec<_> = NAMES.iter().enumerate().map(|(i, name)| json!([name, mean(i)])).collect();
    let summary: Vec<String> =
        NAMES.iter().enumerate().map(|(i, name)| format!("  {name}: {:.3}", mean(i))).collect();
    let recording = recording.with_table(json!({ "columns": ["box", "mean volume"], "rows": rows }));
    let mut run = Run::of(hashed, NAMES.len(), [0.0; 3], 0, Vec::new(), recording);
    run.summary = Some(format!("{} boxes, mean volumes\n{}", NAMES.len(), summary.join("\n")));
    Ok(run)
}
