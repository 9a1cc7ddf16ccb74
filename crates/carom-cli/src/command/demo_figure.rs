//! `carom demo morph` and `carom demo walk`: meshes that move on a given course, by morph targets
//! and by bones.
//!
//! Faces that come near others and faces that cross are coloured. Nothing keeps them apart.

use crate::args::DemoArgs;
use crate::command::demo_run::{Run, chart, every, hash};
use crate::figure::{Figure, Parameters};
use crate::player::{
    BodyState, FaceState, FrameStats, PlayerMesh, PlayerShape, Recording, SurfaceFrame, View,
};
use crate::progress::Progress;
use crate::soft_world::FRAME;
use carom_deform::known::BoneWeights;
use carom_deform::{DeformError, KnownError, LinearSkinTree, MorphTree};
use carom_math::{Pose, Vec3};
use carom_scenes::{Bone, MorphMesh, SkinnedMesh, morph_head, walking_figure};
use glam::{Affine3A, DQuat, DVec3, Vec3A};
use std::time::Instant;

/// Faces that are at most this far apart touch, in metres.
const REACH: f32 = 0.01;

/// The same for faces of one mesh: less than its shortest edges.
const OWN_REACH: f32 = 0.002;

/// Triangles of a head.
const HEAD_TRIANGLES: usize = 2000;

/// Distance of each of the two heads from the middle, in metres.
const HEAD_DISTANCE: f64 = 0.66;

/// Sides of the tubes of a figure.
const TUBE_SIDES: usize = 14;

/// Runs one of the two scenes.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    if args.scene == "walk" { walk(args) } else { morph(args) }
}

/// Plays two heads that face each other. The weights of their targets rise and fall, also below 0.
fn morph(args: &DemoArgs) -> Result<Run, String> {
    let head = morph_head(HEAD_TRIANGLES);
    let (mut a, mut b) = (head_figure(&head, -1.0)?, head_figure(&head, 1.0)?);
    let view = View { target: Vec3::ZERO, distance: 2.4, yaw: 0.35, pitch: 0.15, speed: 1.0 };
    let mut film =
        FigureRecorder::new("two heads that change", args, Vec::new(), vec![a.drawn(), b.drawn()], view);
    for frame in 0..=args.n_frames() {
        let start = Instant::now();
        let [first, second] = head_weights(FRAME * f64::from(frame));
        a.set(Parameters::Weights(&first))?;
        b.set(Parameters::Weights(&second))?;
        let [_, n_crossing] = a.touch(&mut b, REACH);
        film.push(frame, start, vec![a.take_frame(), b.take_frame()], n_crossing, &[]);
    }
    Ok(film.end())
}

/// Returns a head on one side of the middle. The one on the right is turned by half a turn about y.
fn head_figure(head: &MorphMesh, side: f64) -> Result<Figure, String> {
    let turned = |p: &DVec3| DVec3::new(-side * p.x, p.y, -side * p.z);
    let position = DVec3::X * (side * HEAD_DISTANCE);
    let rest: Vec<Vec3> = head.base.vertices.iter().map(|p| (turned(p) + position).as_vec3()).collect();
    let moved = |target: &Vec<DVec3>| target.iter().map(|d| turned(d).as_vec3()).collect();
    let targets: Vec<Vec<Vec3>> = head.targets.iter().map(moved).collect();
    let tree = MorphTree::new(&rest, &targets, head.base.triangles.clone());
    Figure::of_morph(tree.map_err(|e| e.to_string())?).map_err(|e| e.to_string())
}

/// Returns the weights of the two heads after some seconds.
fn head_weights(seconds: f64) -> [[f32; 3]; 2] {
    let wave = |period: f64, shift: f64| {
        carom_math::ops::sin_cos(core::f64::consts::TAU * (seconds / period + shift)).0
    };
    [
        [0.25 + 0.75 * wave(4.0, 0.0), wave(5.0, 0.2), wave(7.0, 0.1)],
        [0.25 + 0.75 * wave(3.3, 0.55), wave(4.1, 0.7), wave(6.0, 0.5)],
    ]
    .map(|weights| weights.map(|weight| weight as f32))
}

/// Plays a figure that walks along a floor.
fn walk(args: &DemoArgs) -> Result<Run, String> {
    let figure = walking_figure(TUBE_SIDES);
    let said = |e: KnownError| e.to_string();
    let (bones, weights): (Vec<_>, Vec<_>) = figure
        .follows
        .iter()
        .map(|(bones, share)| (bones.map(|bone| bone as u16), [1.0 - *share as f32, *share as f32]))
        .unzip();
    let weights = BoneWeights::new(&bones, &weights, figure.bones.len()).map_err(said)?;
    let tree = LinearSkinTree::new(&figure.rest.vertices_f32(), weights, figure.rest.triangles.clone());
    let unfit = |e: DeformError| e.to_string();
    let mut body = Figure::of_skin(tree.map_err(said)?).map_err(unfit)?;
    let corners = [[-1e2, -1e2], [1e2, -1e2], [1e2, 1e2], [-1e2, 1e2]];
    let corners = corners.map(|[x, z]: [f32; 2]| Vec3::new(x, 0.0, z));
    let mut floor = Figure::of_mesh(corners.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).map_err(unfit)?;
    let view = View { target: Vec3::new(0.45, 0.85, 0.0), distance: 5.6, yaw: 0.2, pitch: 0.12, speed: 1.0 };
    let planes = vec![PlayerShape::Plane(Vec3::Y)];
    let mut film = FigureRecorder::new("a figure walks", args, planes, vec![body.drawn()], view);
    for frame in 0..=args.n_frames() {
        let start = Instant::now();
        let (angles, travel) = SkinnedMesh::stride(0.8 * FRAME * f64::from(frame));
        let placed = figure.placed(&angles);
        let mut bones: Vec<Affine3A> = placed.iter().zip(&figure.bones).map(affine).collect();
        body.set(Parameters::Bones(&bones))?;
        // The lowest vertex is placed just above the floor.
        let by = Vec3A::new(travel as f32 - 2.6, 0.5 * REACH - body.bounds().min.y, 0.0);
        bones.iter_mut().for_each(|bone| bone.translation += by);
        body.set(Parameters::Bones(&bones))?;
        let n_crossing = body.touch_itself(Some(OWN_REACH))?;
        body.touch(&mut floor, REACH);
        film.push(frame, start, vec![body.take_frame()], n_crossing, &[(Pose::IDENTITY, BodyState::Fixed)]);
    }
    Ok(film.end())
}

/// Returns the map from the rest position of a vertex to its position on a bone, which turns about
/// its joint.
fn affine(((turn, at), bone): (&(DQuat, DVec3), &Bone)) -> Affine3A {
    let shift = *at - *turn * bone.joint;
    Affine3A::from_rotation_translation(turn.as_quat(), shift.as_vec3())
}

/// A recording in progress, and the figures for its report.
pub(crate) struct FigureRecorder<'a> {
    args: &'a DemoArgs,
    title: String,
    recording: Recording,
    n_vertices: usize,
    n_faces: usize,
    total_ms: f64,
    worst_ms: f64,
    n_touching: usize,
    most_crossing: usize,
    hash: u64,
    progress: Progress,
}

impl FigureRecorder<'_> {
    /// Starts a recording of bodies of these shapes, and of meshes that change.
    pub(crate) fn new<'a>(
        title: &str,
        args: &'a DemoArgs,
        shapes: Vec<PlayerShape>,
        surfaces: Vec<PlayerMesh>,
        view: View,
    ) -> FigureRecorder<'a> {
        let (n_vertices, n_faces) = surfaces.iter().fold((0, 0), |(vertices, faces), surface| {
            (vertices + surface.vertices.len(), faces + surface.triangles.len())
        });
        let bodies = (0..shapes.len() as u32).collect();
        let recording = Recording::new(title, FRAME * f64::from(every(args)), shapes, bodies)
            .with_surfaces(surfaces)
            .with_view(view)
            .with_charts(vec![
                chart("time of a frame", "ms", &["frame"]),
                chart("faces that touch", "", &["their own mesh", "another body"]),
                chart("faces that cross", "", &["faces"]),
            ]);
        FigureRecorder {
            args,
            title: title.to_owned(),
            recording,
            n_vertices,
            n_faces,
            total_ms: 0.0,
            worst_ms: 0.0,
            n_touching: 0,
            most_crossing: 0,
            hash: 0,
            progress: Progress::new("frames", u64::from(args.n_frames())),
        }
    }

    /// Adds a frame whose work began at `start`: its surfaces, the number of pairs of faces that
    /// cross, and the bodies.
    pub(crate) fn push(
        &mut self,
        frame: u32,
        start: Instant,
        surfaces: Vec<SurfaceFrame>,
        n_crossing: usize,
        bodies: &[(Pose, BodyState)],
    ) {
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
            let (poses, states) = bodies.iter().copied().unzip();
            self.recording.push(poses, states, &[], FrameStats { values });
            self.recording.push_surfaces(surfaces);
        }
        self.progress.step();
    }

    pub(crate) fn end(self) -> Run {
        let n_frames = self.args.n_frames();
        let mean = self.total_ms / f64::from(n_frames + 1);
        let mut run = Run::of(self.hash, 1, [0.0, mean, 0.0], self.n_touching, Vec::new(), self.recording);
        run.summary = Some(format!(
            "{}; {} vertices, {} faces, {n_frames} frames of 1/60 s; mean milliseconds of a frame {mean:.3}, the longest \
             {:.3}\n  at most {} pairs of faces cross, at the end {} faces touch or cross",
            self.title, self.n_vertices, self.n_faces, self.worst_ms, self.most_crossing, self.n_touching,
        ));
        run
    }
}
