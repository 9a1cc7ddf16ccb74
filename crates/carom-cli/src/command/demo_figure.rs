//! `carom demo morph` and `carom demo walk`: meshes that follow a given course, by blending and by bones.
//!
//! Faces that come near others are painted, and those that cross. Nothing keeps them apart.

use crate::args::DemoArgs;
use crate::command::demo::Run;
use crate::command::demo_walk::{chart, every, hash};
use crate::player::{
    BodyState, FaceState, FrameStats, PlayerMesh, PlayerShape, Recording, SurfaceFrame, View,
};
use crate::progress::Progress;
use crate::soft_world::FRAME;
use crate::touches::Touches;
use carom_deform::{DeformError, DeformableMesh, FeatureSearch, RefitTree};
use carom_math::{Pose, Vec3};
use carom_scenes::{MorphMesh, SkinnedMesh, morph_head, walking_figure};
use glam::DVec3;
use std::time::Instant;

/// Metres: what is this near touches.
const REACH: f32 = 0.01;

/// Metres, of parts of one mesh: less than its shortest sides.
const OWN_REACH: f32 = 0.002;

/// Triangles of a head.
const HEAD_TRIANGLES: usize = 2000;

/// Where the two heads are: this far from the middle, on either side.
const HEAD_PLACE: f64 = 0.66;

/// Sides of the tubes of a figure.
const TUBE_SIDES: usize = 14;

/// A mesh, and what it touches.
struct Moving {
    mesh: DeformableMesh<RefitTree>,
    touches: Touches,
}

impl Moving {
    fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Moving, DeformError> {
        let mesh = DeformableMesh::from_triangles(positions, triangles.to_vec())?.with_trees();
        Ok(Moving { touches: Touches::new(&mesh), mesh })
    }

    fn frame(&mut self) -> SurfaceFrame {
        SurfaceFrame { vertices: self.mesh.positions().to_vec(), faces: self.touches.take() }
    }

    fn drawn(&self) -> PlayerMesh {
        PlayerMesh { vertices: self.mesh.positions().to_vec(), triangles: self.mesh.faces().to_vec() }
    }
}

/// Runs one of the two scenes.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let run = if args.scene == "walk" { walk(args) } else { morph(args) };
    run.map_err(|e| e.to_string())
}

/// Two heads that look at each other. The weights of their targets come and go, also below 0.
fn morph(args: &DemoArgs) -> Result<Run, DeformError> {
    let head = morph_head(HEAD_TRIANGLES);
    let triangles = &head.base.triangles;
    let [first, second] = heads(&head, 0.0);
    let mut a = Moving::new(&first, triangles)?;
    let mut b = Moving::new(&second, triangles)?;
    let mut search = FeatureSearch::default();
    let view = View { target: Vec3::ZERO, distance: 2.4, yaw: 0.35, pitch: 0.15, speed: 1.0 };
    let mut film = Film::new("two heads that change", args, Vec::new(), vec![a.drawn(), b.drawn()], view);
    for frame in 0..=args.n_frames() {
        let start = Instant::now();
        let [first, second] = heads(&head, FRAME * f64::from(frame));
        a.mesh.set_positions(&first)?;
        b.mesh.set_positions(&second)?;
        a.touches.add_other(&mut search, &mut a.mesh, &mut b.mesh, REACH);
        b.touches.add_other(&mut search, &mut b.mesh, &mut a.mesh, REACH);
        let n_crossing = a.touches.add_crossings(&mut search, &mut a.mesh, &mut b.mesh);
        b.touches.add_crossings(&mut search, &mut b.mesh, &mut a.mesh);
        film.push(frame, start, vec![a.frame(), b.frame()], n_crossing);
    }
    Ok(film.end())
}

/// The vertices of the two heads after some seconds.
fn heads(head: &MorphMesh, seconds: f64) -> [Vec<Vec3>; 2] {
    let wave = |period: f64, shift: f64| {
        carom_math::ops::sin_cos(core::f64::consts::TAU * (seconds / period + shift)).0
    };
    let weights = [
        [0.25 + 0.75 * wave(4.0, 0.0), wave(5.0, 0.2), wave(7.0, 0.1)],
        [0.25 + 0.75 * wave(3.3, 0.55), wave(4.1, 0.7), wave(6.0, 0.5)],
    ];
    let place = |p: &DVec3, side: f64| {
        // The second is turned half around y.
        DVec3::new(side * (HEAD_PLACE - p.x), p.y, -side * p.z).as_vec3()
    };
    let [first, second] = weights.map(|weights| head.blended(&weights));
    [first.iter().map(|p| place(p, -1.0)).collect(), second.iter().map(|p| place(p, 1.0)).collect()]
}

/// A figure that walks along a floor.
fn walk(args: &DemoArgs) -> Result<Run, DeformError> {
    let figure = walking_figure(TUBE_SIDES);
    let mut body = Moving::new(&figure.rest.vertices_f32(), &figure.rest.triangles)?;
    let corners = [[-1e2, -1e2], [1e2, -1e2], [1e2, 1e2], [-1e2, 1e2]];
    let corners = corners.map(|[x, z]: [f32; 2]| Vec3::new(x, 0.0, z));
    let mut floor: DeformableMesh<RefitTree> =
        DeformableMesh::from_triangles(&corners, vec![[0, 2, 1], [0, 3, 2]])?.with_trees();
    let mut search = FeatureSearch::default();
    let view = View { target: Vec3::new(0.45, 0.85, 0.0), distance: 5.6, yaw: 0.2, pitch: 0.12, speed: 1.0 };
    let planes = vec![PlayerShape::Plane(Vec3::Y)];
    let mut film = Film::new("a figure walks", args, planes, vec![body.drawn()], view);
    for frame in 0..=args.n_frames() {
        let start = Instant::now();
        body.mesh.set_positions(&placed(&figure, FRAME * f64::from(frame)))?;
        body.touches.add_own(&mut search, &mut body.mesh, OWN_REACH);
        body.touches.add_other(&mut search, &mut body.mesh, &mut floor, REACH);
        let n_crossing = body.touches.add_own_crossings(&mut search, &mut body.mesh);
        film.push(frame, start, vec![body.frame()], n_crossing);
    }
    Ok(film.end())
}

/// The vertices of the figure after some seconds: its lower foot is just above the floor.
fn placed(figure: &SkinnedMesh, seconds: f64) -> Vec<Vec3> {
    let (angles, way) = SkinnedMesh::stride(0.8 * seconds);
    let vertices = figure.posed(&angles);
    let low = vertices.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let by = DVec3::new(way - 2.6, 0.5 * f64::from(REACH) - low, 0.0);
    vertices.iter().map(|p| (*p + by).as_vec3()).collect()
}

/// A recording under way, and what is told of it in the end.
struct Film<'a> {
    args: &'a DemoArgs,
    title: String,
    recording: Recording,
    n_vertices: usize,
    n_faces: usize,
    n_planes: usize,
    total_ms: f64,
    worst_ms: f64,
    n_touching: usize,
    most_crossing: usize,
    hash: u64,
    progress: Progress,
}

impl Film<'_> {
    fn new<'a>(
        title: &str,
        args: &'a DemoArgs,
        planes: Vec<PlayerShape>,
        surfaces: Vec<PlayerMesh>,
        view: View,
    ) -> Film<'a> {
        let n_planes = planes.len();
        let (n_vertices, n_faces) = surfaces.iter().fold((0, 0), |(vertices, faces), surface| {
            (vertices + surface.vertices.len(), faces + surface.triangles.len())
        });
        let bodies = (0..n_planes as u32).collect();
        let recording = Recording::new(title, FRAME * f64::from(every(args)), planes, bodies)
            .with_surfaces(surfaces)
            .with_view(view)
            .with_charts(vec![
                chart("time of a frame", "ms", &["frame"]),
                chart("faces that touch", "", &["their own mesh", "another body"]),
                chart("faces that cross", "", &["faces"]),
            ]);
        Film {
            args,
            title: title.to_owned(),
            recording,
            n_vertices,
            n_faces,
            n_planes,
            total_ms: 0.0,
            worst_ms: 0.0,
            n_touching: 0,
            most_crossing: 0,
            hash: 0,
            progress: Progress::new("frames", u64::from(args.n_frames())),
        }
    }

    fn push(&mut self, frame: u32, start: Instant, surfaces: Vec<SurfaceFrame>, n_crossing: usize) {
        let ms = start.elapsed().as_secs_f64() * 1e3;
        self.total_ms += ms;
        self.worst_ms = self.worst_ms.max(ms);
        self.most_crossing = self.most_crossing.max(n_crossing);
        let n_of = |state: FaceState| {
            surfaces.iter().flat_map(|surface| &surface.faces).filter(|face| **face == state).count()
        };
        let states = [FaceState::TouchesItself, FaceState::TouchesOther, FaceState::Crosses];
        let counts = states.map(n_of);
        self.n_touching = counts.iter().sum();
        let vertices = surfaces.iter().flat_map(|surface| &surface.vertices);
        self.hash = hash(vertices.flat_map(|p| p.to_array().map(|x| u64::from(x.to_bits()))));
        if frame.is_multiple_of(every(self.args)) {
            let values = std::iter::once(ms).chain(counts.map(|n| n as f64)).collect();
            let (poses, states) =
                (vec![Pose::IDENTITY; self.n_planes], vec![BodyState::Fixed; self.n_planes]);
            self.recording.push(poses, states, &[], FrameStats { values });
            self.recording.push_surfaces(surfaces);
        }
        self.progress.step();
    }

    fn end(self) -> Run {
        let n_frames = self.args.n_frames();
        let mean = self.total_ms / f64::from(n_frames + 1);
        let mut run = Run::of(self.hash, 1, [0.0, mean, 0.0], self.n_touching, Vec::new(), self.recording);
        run.told = Some(format!(
            "{}; {} vertices, {} faces, {n_frames} frames of 1/60 s; mean milliseconds of a frame {mean:.3}, the longest \
             {:.3}\n  at most {} pairs of faces cross, at the end {} faces touch or cross",
            self.title, self.n_vertices, self.n_faces, self.worst_ms, self.most_crossing, self.n_touching,
        ));
        run
    }
}
