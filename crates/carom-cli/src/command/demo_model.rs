//! `carom demo walk --file`: a glTF file whose animations play, and a ball that swings through it.
//!
//! 1. Each part is a figure. A part without morph targets is a skin: that of the file, or one bone
//!    for a rigid part.
//! 2. A part with morph targets on a node that stands still is a morph tree in world coordinates.
//!    If the node moves or has a skin, all positions are computed in each frame.
//! 3. The animation starts again after its end.
//!
//! Reference: Khronos Group, glTF 2.0 Specification, 2021, 3.7 and 3.11.

use crate::args::DemoArgs;
use crate::command::demo_figure::FigureRecorder;
use crate::command::demo_run::Run;
use crate::figure::{Figure, Parameters};
use crate::player::{BodyState, PlayerShape, View};
use crate::remarks::Remarks;
use crate::soft_world::FRAME;
use carom_bounds::{Aabb, BoundingVolume};
use carom_deform::known::BoneWeights;
use carom_deform::{DeformError, KnownError, LinearSkinTree, MorphTree};
use carom_io::{AnimatedModel, AnimatedPart, Options, Placement, Property, ScenePose};
use carom_math::{Pose, Vec3};
use glam::{Affine3A, DVec3, Mat3A, Vec3A};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// The most joints of a vertex.
const MAX_JOINTS: usize = 16;

/// The distance at which parts touch, and the radius of the ball, both in sizes of the model.
const REACH: f32 = 0.002;
const BALL: f32 = 0.08;

/// Period of the ball's swing, in seconds.
const SWING: f64 = 4.0;

/// The most pairs of names in the report.
const MAX_PRINTED: usize = 8;

/// The way in which a figure is driven.
#[derive(Clone, Copy)]
enum Course {
    /// The joints of a skin.
    Skin(usize),
    /// The pose of its node.
    Node,
    /// The weights of its node, which stands still.
    Weights,
    /// All positions are computed.
    Positions,
}

/// Plays a file.
pub(crate) fn play(args: &DemoArgs, file: &Path) -> Result<Run, String> {
    let model = carom_io::read_animated(file, &Options::default()).map_err(|e| e.to_string())?;
    Remarks::of_file(file, model.notes().to_vec(), model.unread().to_vec()).print();
    let start = model.pose_at(0.0);
    let is_driven = driven_nodes(&model);
    let mut parts = Vec::with_capacity(model.parts().len());
    for (i, part) in model.parts().iter().enumerate() {
        parts.push(
            figure_of(&model, i, &start, is_driven[part.node()])
                .map_err(|e| format!("{}: {e}", part.name()))?,
        );
    }
    let (mut all, mut positions) = (Aabb::EMPTY, Vec::new());
    for second in 0..8 {
        let pose = model.pose_at(model.end() * f64::from(second) / 8.0);
        for i in 0..parts.len() {
            model.positions_into(&pose, i, &mut positions);
            all = all.merged(&Aabb::from_points(&positions));
        }
    }
    let (middle, size) = ((all.min + all.max) * 0.5, all.extents().max_element());
    if !(0.0 < size && size.is_finite()) {
        return Err(format!("{}: the model has no size", file.display()));
    }
    let (reach, radius) = (REACH * size, BALL * size);
    let travel = 0.5 * all.extents().x + 2.0 * radius;
    let view = View { target: middle, distance: 1.9 * size, yaw: 0.5, pitch: 0.15, speed: 1.0 };
    let drawn = parts.iter().map(|(figure, _)| figure.drawn()).collect();
    let title = file.file_name().unwrap_or_default().to_string_lossy();
    let mut film = FigureRecorder::new(&title, args, vec![PlayerShape::Capsule(0.0, radius)], drawn, view);
    let mut touching: BTreeSet<(usize, usize)> = BTreeSet::new();
    for frame in 0..=args.n_frames() {
        let start = Instant::now();
        let seconds = FRAME * f64::from(frame);
        let pose = model.pose_at(if 0.0 < model.end() { seconds % model.end() } else { 0.0 });
        for (i, (figure, course)) in parts.iter_mut().enumerate() {
            set(figure, *course, &model, i, &pose).map_err(|e| format!("frame {frame}: {e}"))?;
        }
        let (swing, _) = carom_math::ops::sin_cos(core::f64::consts::TAU * seconds / SWING);
        let ball = middle + Vec3::X * (travel * swing as f32);
        let (mut n_crossing, mut of_ball) = (0, BodyState::Awake);
        for i in 0..parts.len() {
            let (before, rest) = parts.split_at_mut(i);
            let figure = &mut rest[0].0;
            n_crossing += figure.touch_itself(None)?;
            if 0 < figure.touch_ball(ball, radius) {
                of_ball = BodyState::InContact;
                // The index of the ball comes after those of all parts.
                touching.insert((i, model.parts().len()));
            }
            for (j, (other, _)) in before.iter_mut().enumerate() {
                if !other.bounds().inflated(reach).overlaps(figure.bounds()) {
                    continue;
                }
                let [n_pairs, crossing] = other.touch(figure, reach);
                n_crossing += crossing;
                if 0 < n_pairs {
                    touching.insert((j, i));
                }
            }
        }
        let frames = parts.iter_mut().map(|(figure, _)| figure.take_frame()).collect();
        film.push(frame, start, frames, n_crossing, &[(Pose::from_translation(ball), of_ball)]);
    }
    let name = |i: usize| model.parts().get(i).map_or("the ball", AnimatedPart::name);
    let mut run = film.end();
    let pairs = touching.iter().map(|(a, b)| format!("{} and {}", name(*a), name(*b)));
    let summary: Vec<String> = pairs.take(MAX_PRINTED).collect();
    let more = if MAX_PRINTED < touching.len() { ", ..." } else { "" };
    if let Some(text) = &mut run.summary {
        text.push_str(&format!("\n  {} pairs of parts touch: {}{more}", touching.len(), summary.join(", ")));
    }
    run.touching = Some(touching.iter().map(|(a, b)| [*a, *b].map(|i| name(i).to_owned())).collect());
    Ok(run)
}

/// Returns a part as a figure in its pose at the start, and how it is driven. `is_driven` says
/// whether an animation moves its node.
fn figure_of(
    model: &AnimatedModel,
    i: usize,
    start: &ScenePose,
    is_driven: bool,
) -> Result<(Figure, Course), String> {
    let part = &model.parts()[i];
    let faces = part.triangles();
    let pieces = part.pieces();
    let n_targets = pieces[0].targets().len();
    let rest: Vec<DVec3> = pieces.iter().flat_map(|piece| piece.rest().vertices.iter().copied()).collect();
    let narrow = |points: &[DVec3]| -> Vec<Vec3> { points.iter().map(|p| p.as_vec3()).collect() };
    let (said, unfit) = (|e: KnownError| e.to_string(), |e: DeformError| e.to_string());
    if n_targets == 0 {
        let (course, n_bones) = match part.skin() {
            Some(skin) => (Course::Skin(skin), model.skins()[skin].joints().len()),
            None => (Course::Node, 1),
        };
        let (mut bones, mut weights) = (Vec::new(), Vec::new());
        for piece in pieces {
            for vertex in 0..piece.rest().vertices.len() as u32 {
                let stiff = [(0, 1.0)];
                let of = if part.skin().is_some() { piece.influences(vertex) } else { &stiff };
                if MAX_JOINTS < of.len() {
                    return Err(format!(
                        "vertex {vertex} has {} joints, the limit is {MAX_JOINTS}",
                        of.len()
                    ));
                }
                let mut lists = ([0; MAX_JOINTS], [0.0; MAX_JOINTS]);
                for (slot, (joint, weight)) in of.iter().enumerate() {
                    lists.0[slot] = u16::try_from(*joint).map_err(|_| "more than 65536 joints")?;
                    lists.1[slot] = *weight as f32;
                }
                bones.push(lists.0);
                weights.push(lists.1);
            }
        }
        let weights = BoneWeights::new(&bones, &weights, n_bones).map_err(said)?;
        let tree = LinearSkinTree::new(&narrow(&rest), weights, faces).map_err(said)?;
        return Ok((Figure::of_skin(tree).map_err(unfit)?, course));
    }
    if part.skin().is_none() && !is_driven {
        let placement = model.placement(start, part);
        let mut targets = vec![vec![Vec3::ZERO; rest.len()]; n_targets];
        let origin = placement.apply(DVec3::ZERO);
        let mut first = 0;
        for piece in pieces {
            for (all, target) in targets.iter_mut().zip(piece.targets()) {
                for (vertex, displacement) in target {
                    let moved = placement.apply(*displacement) - origin;
                    all[first + *vertex as usize] = moved.as_vec3();
                }
            }
            first += piece.rest().vertices.len();
        }
        let rest: Vec<DVec3> = rest.iter().map(|p| placement.apply(*p)).collect();
        let tree = MorphTree::new(&narrow(&rest), &targets, faces).map_err(said)?;
        return Ok((Figure::of_morph(tree).map_err(unfit)?, Course::Weights));
    }
    let mut positions = Vec::new();
    model.positions_into(start, i, &mut positions);
    Ok((Figure::of_mesh(narrow(&positions), faces).map_err(unfit)?, Course::Positions))
}

/// Returns for each node whether an animation that is played moves it.
fn driven_nodes(model: &AnimatedModel) -> Vec<bool> {
    let mut is_driven = vec![false; model.nodes().len()];
    let played = model.played().iter().flat_map(|animation| model.animations()[*animation].channels());
    for channel in played.filter(|channel| channel.property() != Property::Weights) {
        is_driven[channel.node()] = true;
    }
    // A parent comes before its children.
    for (number, node) in model.nodes().iter().enumerate() {
        is_driven[number] |= node.parent().is_some_and(|parent| is_driven[parent]);
    }
    is_driven
}

/// Brings a figure into a pose.
fn set(
    figure: &mut Figure,
    course: Course,
    model: &AnimatedModel,
    i: usize,
    pose: &ScenePose,
) -> Result<(), String> {
    let part = &model.parts()[i];
    match course {
        Course::Skin(skin) => {
            let bones: Vec<Affine3A> = pose.joints(skin).iter().map(affine).collect();
            figure.set(Parameters::Bones(&bones))
        }
        Course::Node => figure.set(Parameters::Bones(&[affine(&model.placement(pose, part))])),
        Course::Weights => {
            let weights: Vec<f32> = pose.weights(part.node()).iter().map(|weight| *weight as f32).collect();
            figure.set(Parameters::Weights(&weights))
        }
        Course::Positions => {
            let mut positions = Vec::new();
            model.positions_into(pose, i, &mut positions);
            let positions: Vec<Vec3> = positions.iter().map(|p| p.as_vec3()).collect();
            figure.set(Parameters::Positions(positions))
        }
    }
}

fn affine(placement: &Placement) -> Affine3A {
    let m = &placement.0;
    let column = |c: usize| Vec3A::new(m[c] as f32, m[4 + c] as f32, m[8 + c] as f32);
    Affine3A { matrix3: Mat3A::from_cols(column(0), column(1), column(2)), translation: column(3) }
}
