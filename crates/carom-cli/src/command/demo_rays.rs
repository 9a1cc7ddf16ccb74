//! `carom demo rays`: the depth of two knots in each other, by rays from their vertices.
//!
//! A line leads from each vertex inside the other body to the point at which its ray leaves that
//! body. Forces along these lines, in proportion to their lengths, would push the bodies apart.
//! Vertices outside of the other body cast full rays. Those inside usually follow the faces that
//! they met in the frame before.
//!
//! Reference: E. Hermann, F. Faure, B. Raffin, Ray-traced Collision Detection for Deformable
//! Bodies, GRAPP 2008.

use crate::args::DemoArgs;
use crate::command::demo_run::{Run, chart, hash};
use crate::player::{BodyState, FrameStats, PlayerMesh, PlayerShape, Recording, View};
use carom_geom::TriMesh;
use carom_math::ops::sin_cos;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{MeshShape, RayDepthCache, RayDepthSettings, RayMesh, ray_depth};
use carom_scenes::mesh::{Knot, torus_knot};
use core::f64::consts::TAU;
use serde_json::json;
use std::sync::Arc;

/// Triangles of a knot.
const N_TRIANGLES: usize = 6000;

/// A vertex casts a full ray once in this many frames. In the frames between, it follows the faces.
const FULL_EVERY: u32 = 8;

/// Mean distance between the centres of the knots, and the amplitude of its change, in metres.
const APART: f64 = 0.75;
const SWING: f64 = 0.35;

/// Runs the scene.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let knot = torus_knot(&Knot::new(2, 3), N_TRIANGLES);
    let mesh = TriMesh::new(knot.vertices_f32(), knot.triangles.clone()).map_err(|e| e.to_string())?;
    let knotted = RayMesh::new(Arc::new(MeshShape::new(mesh).map_err(|e| e.to_string())?));
    let settings = RayDepthSettings::default().with_full_every(FULL_EVERY);
    let drawn = PlayerMesh { vertices: knot.vertices_f32(), triangles: knot.triangles };
    let mut recording = Recording::new(
        "rays: how deep two knots are in each other",
        1.0 / 60.0,
        vec![PlayerShape::Mesh(drawn)],
        vec![0, 0],
    )
    .with_names(vec!["first knot".to_owned(), "second knot".to_owned()])
    .with_state_names([
        "",
        "",
        "knots that are apart",
        "first knot, in the second",
        "second knot, in the first",
        "",
    ])
    .with_line_names(["ways out for vertices", "the force of all of them on the second"])
    .with_shown(&["contacts", "lines"])
    .with_view(View { target: Vec3::ZERO, distance: 3.6, yaw: 0.35, pitch: 0.3, speed: 0.5 })
    .with_charts(vec![
        chart("rays", "", &["asked in full", "followed"]),
        chart("vertices in the other knot", "", &["vertices"]),
        chart("depth of the deepest", "m", &["depth"]),
    ]);
    let (mut cache, mut found) = (RayDepthCache::default(), Vec::new());
    let (mut hashed, mut most, mut cast, mut followed) = (0, 0, 0_u64, 0_u64);
    let n_frames = args.n_frames();
    for frame in 0..=n_frames {
        let turn = TAU * f64::from(frame) / f64::from(n_frames);
        let half = 0.5 * (APART + SWING * sin_cos(turn).1) as f32;
        let first = Pose { rotation: Quat::from_rotation_y(0.3), translation: Vec3::X * -half };
        let spin = Quat::from_rotation_x(turn as f32) * Quat::from_rotation_y(1.2);
        let second = Pose { rotation: spin, translation: Vec3::X * half };
        found.clear();
        ray_depth(&knotted, &first, &knotted, &second, &settings, &mut cache, &mut found);
        let counters = cache.counters();
        let n_cast = counters.rays - counters.walked;
        (cast, followed) = (cast + u64::from(n_cast), followed + u64::from(counters.walked));
        let (mut points, mut segments, mut force, mut deepest) =
            (Vec::new(), Vec::new(), Vec3::ZERO, 0.0_f32);
        for contact in &found {
            let [at, out] = if contact.is_vertex_of_a {
                [contact.contact.point_a, contact.contact.point_b]
            } else {
                [contact.contact.point_b, contact.contact.point_a]
            };
            points.push(at);
            segments.push([at, out]);
            // The stiffness is 1, shared by all vertices of a knot.
            force += contact.penalty();
            deepest = deepest.max(-contact.contact.distance);
        }
        let states =
            if found.is_empty() { [BodyState::Awake; 2] } else { [BodyState::InContact, BodyState::Near] };
        let arrow = if force == Vec3::ZERO {
            Vec::new()
        } else {
            vec![[second.translation, second.translation + force.normalize() * 0.8]]
        };
        let values =
            vec![f64::from(n_cast), f64::from(counters.walked), found.len() as f64, f64::from(deepest)];
        hashed = hash([hashed, found.len() as u64, u64::from(deepest.to_bits())]);
        most = most.max(found.len());
        recording.push(vec![first, second], states.to_vec(), &points, FrameStats { values });
        recording.push_lines([&segments, &arrow]);
    }
    let rows = [("asked in full", cast), ("followed from the frame before", followed)];
    let table =
        json!({ "columns": ["rays", "in all frames"], "rows": rows.map(|(name, n)| json!([name, n])) });
    let recording = recording.with_table(table);
    let mut run = Run::of(hashed, 2, [0.0; 3], found.len(), Vec::new(), recording);
    run.summary = Some(format!(
        "two knots of {N_TRIANGLES} triangles, {n_frames} frames; at most {most} vertices in the other\n  {cast} rays were \
         cast, {followed} were followed from the frame before"
    ));
    Ok(run)
}
