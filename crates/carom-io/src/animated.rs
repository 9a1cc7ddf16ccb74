//! Scenes whose parts move: nodes, skins, morph targets and the animations that drive them.
//!
//! 1. A pose holds what follows from a time: the place of each node, a matrix for each joint of a
//!    skin, and the weights of morph targets.
//! 2. A vertex is displaced by its targets first. Then the joints of its skin place it, or the node
//!    if it has no skin. A skin ignores the place of the node that has its mesh.
//! 3. The model of a file is this scene in one pose: at rest, or at [`Options::time`].
//!
//! Reference: Khronos Group, glTF 2.0 Specification, 2021, 3.5, 3.7.2, 3.7.3 and 3.11.
//! Differs: the images of a vertex under its joints are summed, not the matrices.
//!
//! [`Options::time`]: crate::Options::time

use crate::animation::{Animation, Property, unit_rotation};
use crate::part::{Flattening, Model, Part, Piece, Placement, RawMesh, push_note};
use glam::{DMat4, DQuat, DVec3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A glTF scene with what moves it. Lengths are in metres, and y is up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimatedModel {
    pub(crate) nodes: Vec<SceneNode>,
    pub(crate) skins: Vec<Skin>,
    pub(crate) parts: Vec<AnimatedPart>,
    pub(crate) animations: Vec<Animation>,
    /// Numbers of animations, which drive different things.
    pub(crate) played: Vec<usize>,
    pub(crate) notes: Vec<String>,
    pub(crate) unread: Vec<String>,
}

/// A node of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneNode {
    pub(crate) number: usize,
    pub(crate) name: Option<Box<str>>,
    pub(crate) parent: Option<u32>,
    /// Relative to the parent; `None` is the identity.
    pub(crate) local: Option<Box<Local>>,
    /// The weights of the morph targets at rest, if its mesh has some.
    pub(crate) weights: Option<Arc<[f64]>>,
}

impl SceneNode {
    /// Its number in the file.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The number in [`AnimatedModel::nodes`] of the node that it hangs from.
    pub fn parent(&self) -> Option<usize> {
        self.parent.map(|parent| parent as usize)
    }

    /// As messages call it.
    pub(crate) fn called(&self) -> String {
        called("nodes", self.number, self.name())
    }
}

/// An item of a list with its name.
pub(crate) fn called(list: &str, number: usize, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{list}[{number}] ({name})"),
        None => format!("{list}[{number}]"),
    }
}

/// The transform of a node relative to its parent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Local {
    /// No channel drives it.
    Matrix(Placement),
    Steps(Steps),
}

/// Scale, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Steps {
    pub(crate) translation: [f64; 3],
    /// x, y, z, w.
    pub(crate) rotation: [f64; 4],
    pub(crate) scale: [f64; 3],
}

impl Steps {
    pub(crate) const IDENTITY: Steps =
        Steps { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };

    /// The three as one; the rotation is made a unit quaternion.
    pub(crate) fn placement(&self) -> Placement {
        let rotation = DQuat::from_array(unit_rotation(self.rotation));
        let (scale, translation) = (self.scale.into(), self.translation.into());
        let matrix = DMat4::from_scale_rotation_translation(scale, rotation, translation);
        Placement(core::array::from_fn(|e| matrix.col(e % 4)[e / 4]))
    }
}

/// The joints that carry a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    pub(crate) number: usize,
    /// Numbers of scene nodes.
    pub(crate) joints: Vec<usize>,
    /// From the mesh's frame to that of each joint at rest; empty if all are the identity.
    pub(crate) inverse_bind: Vec<Placement>,
}

impl Skin {
    /// Its number in the file.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The numbers of its joints in [`AnimatedModel::nodes`].
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }
}

/// A mesh with what displaces its vertices, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct MovingMesh {
    pub(crate) rest: Arc<RawMesh>,
    /// For each target the vertices that it displaces, in ascending order.
    pub(crate) targets: Vec<Vec<(u32, DVec3)>>,
    pub(crate) influences: Option<Influences>,
}

/// The joints of each vertex.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Influences {
    /// For each vertex, the start of its joints; one more at the end.
    pub(crate) starts: Vec<u32>,
    /// Numbers of the skin's joints, with weights above 0 whose sum is 1.
    pub(crate) entries: Vec<(u32, f64)>,
    /// The highest number of a joint, and the first vertex in the file that has it.
    pub(crate) highest: (u32, u32),
}

impl MovingMesh {
    /// The vertices without any displacement, and the triangles.
    pub fn rest(&self) -> &RawMesh {
        &self.rest
    }

    /// For each morph target the displacements that are not 0, by vertices in ascending order.
    pub fn targets(&self) -> &[Vec<(u32, DVec3)>] {
        &self.targets
    }

    /// The joints of a vertex by their numbers in the skin, with weights above 0 whose sum is 1.
    /// Without a skin there are none.
    pub fn influences(&self, vertex: u32) -> &[(u32, f64)] {
        let Some(influences) = &self.influences else { return &[] };
        let vertex = vertex as usize;
        &influences.entries[influences.starts[vertex] as usize..influences.starts[vertex + 1] as usize]
    }

    /// How many products a pose adds.
    pub(crate) fn n_terms(&self) -> u64 {
        let displacements: usize = self.targets.iter().map(Vec::len).sum();
        let influences = self.influences.as_ref().map_or(0, |influences| influences.entries.len());
        displacements as u64 + influences as u64
    }

    /// The vertices as the targets displace them.
    fn morphed(&self, weights: &[f64]) -> Vec<DVec3> {
        let mut vertices = self.rest.vertices.clone();
        for (target, weight) in self.targets.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
            for (vertex, displacement) in target {
                vertices[*vertex as usize] += *displacement * *weight;
            }
        }
        vertices
    }

    /// The same as the joints place them.
    fn skinned(&self, weights: &[f64], joints: &[Placement]) -> Vec<DVec3> {
        let mut vertices = self.morphed(weights);
        for (vertex, p) in (0..).zip(&mut vertices) {
            let images =
                self.influences(vertex).iter().map(|(joint, w)| joints[*joint as usize].apply(*p) * *w);
            *p = images.sum();
        }
        vertices
    }
}

/// A node's mesh: one part of an assembly.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimatedPart {
    pub(crate) name: String,
    pub(crate) node: usize,
    /// In the node's frame.
    pub(crate) instance: Placement,
    pub(crate) skin: Option<usize>,
    pub(crate) pieces: Vec<Arc<MovingMesh>>,
}

impl AnimatedPart {
    /// Unique within the model, and the same as in [`Model::parts`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of its node in [`AnimatedModel::nodes`].
    pub fn node(&self) -> usize {
        self.node
    }

    /// The number in [`AnimatedModel::skins`] of the skin that carries it.
    pub fn skin(&self) -> Option<usize> {
        self.skin
    }

    /// The primitives of its mesh, at least one.
    pub fn pieces(&self) -> &[Arc<MovingMesh>] {
        &self.pieces
    }

    /// The triangles of all pieces; vertices are numbered from piece to piece.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let (mut triangles, mut first) = (Vec::new(), 0);
        for piece in &self.pieces {
            triangles.extend(piece.rest.triangles.iter().map(|t| t.map(|v| v + first)));
            first += piece.rest.vertices.len() as u32;
        }
        triangles
    }
}

/// The places of the nodes of a model, and the shape of its meshes, at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenePose {
    nodes: Vec<Placement>,
    joints: Vec<Vec<Placement>>,
    weights: BTreeMap<usize, Vec<f64>>,
}

impl ScenePose {
    /// From the frame of a node to the world; the number is that in [`AnimatedModel::nodes`].
    pub fn node(&self, node: usize) -> &Placement {
        &self.nodes[node]
    }

    /// For each joint of a skin: from the frame of the mesh to the world, as far as the joint
    /// alone carries it.
    pub fn joints(&self, skin: usize) -> &[Placement] {
        &self.joints[skin]
    }

    /// The weights of the morph targets of a node's mesh; empty if it has none.
    pub fn weights(&self, node: usize) -> &[f64] {
        self.weights.get(&node).map_or(&[], Vec::as_slice)
    }
}

impl AnimatedModel {
    /// The nodes of the scene; a parent comes before its children.
    pub fn nodes(&self) -> &[SceneNode] {
        &self.nodes
    }

    /// The skins that carry parts.
    pub fn skins(&self) -> &[Skin] {
        &self.skins
    }

    /// The parts in the order of the file.
    pub fn parts(&self) -> &[AnimatedPart] {
        &self.parts
    }

    /// The animations in the order of the file.
    pub fn animations(&self) -> &[Animation] {
        &self.animations
    }

    /// The numbers in [`AnimatedModel::animations`] of those that are played together. An
    /// animation that drives what an earlier one drives is not played, which is noted.
    pub fn played(&self) -> &[usize] {
        &self.played
    }

    /// See [`Model::notes`].
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// See [`Model::unread`].
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// The time of the last key that is played, in seconds; 0 without an animation.
    pub fn end(&self) -> f64 {
        self.played.iter().map(|animation| self.animations[*animation].end()).fold(0.0, f64::max)
    }

    /// The pose that the nodes have of themselves.
    pub fn rest_pose(&self) -> ScenePose {
        self.pose_of(&[], 0.0)
    }

    /// The pose at a time in seconds, of all animations that are [played](AnimatedModel::played).
    pub fn pose_at(&self, seconds: f64) -> ScenePose {
        self.pose_of(&self.played, seconds)
    }

    /// The pose of some animations at a time in seconds. If several drive the same property, the
    /// last one counts. Numbers beyond those of [`AnimatedModel::animations`] play nothing.
    pub fn pose_of(&self, animations: &[usize], seconds: f64) -> ScenePose {
        let at_rest = |node: &SceneNode| match node.local.as_deref() {
            Some(Local::Steps(steps)) => *steps,
            _ => Steps::IDENTITY,
        };
        let mut driven: BTreeMap<usize, Steps> = BTreeMap::new();
        let weighted = |(node, of): (usize, &SceneNode)| Some((node, of.weights.as_ref()?.to_vec()));
        let mut weights: BTreeMap<usize, Vec<f64>> =
            self.nodes.iter().enumerate().filter_map(weighted).collect();
        let mut value = Vec::new();
        let played = animations.iter().filter_map(|animation| self.animations.get(*animation));
        for channel in played.flat_map(|animation| &animation.channels) {
            channel.sample_into(seconds, &mut value);
            let node = channel.node;
            if channel.property == Property::Weights {
                weights.insert(node, value.clone());
                continue;
            }
            let steps = driven.entry(node).or_insert_with(|| at_rest(&self.nodes[node]));
            match channel.property {
                Property::Rotation => steps.rotation.copy_from_slice(&value),
                Property::Scale => steps.scale.copy_from_slice(&value),
                _ => steps.translation.copy_from_slice(&value),
            }
        }
        let mut nodes: Vec<Placement> = Vec::with_capacity(self.nodes.len());
        for (number, node) in self.nodes.iter().enumerate() {
            let local = match (driven.get(&number), node.local.as_deref()) {
                (Some(steps), _) | (None, Some(Local::Steps(steps))) => steps.placement(),
                (None, Some(Local::Matrix(matrix))) => *matrix,
                (None, None) => Placement::IDENTITY,
            };
            let parent = node.parent.map_or(Placement::IDENTITY, |parent| nodes[parent as usize]);
            nodes.push(parent.after(&local));
        }
        let carried = |skin: &Skin| {
            let world = skin.joints.iter().map(|joint| nodes[*joint]);
            if skin.inverse_bind.is_empty() {
                return world.collect();
            }
            world.zip(&skin.inverse_bind).map(|(world, inverse)| world.after(inverse)).collect()
        };
        ScenePose { joints: self.skins.iter().map(carried).collect(), nodes, weights }
    }

    /// Sets `out` to the positions of a part's vertices in the world, piece after piece, as in
    /// [`AnimatedPart::triangles`]. The pose is one of this model.
    pub fn positions_into(&self, pose: &ScenePose, part: usize, out: &mut Vec<DVec3>) {
        out.clear();
        let part = &self.parts[part];
        let weights = pose.weights(part.node);
        for piece in &part.pieces {
            match part.skin {
                Some(skin) => out.extend(piece.skinned(weights, pose.joints(skin))),
                None => {
                    let placement = self.placement(pose, part);
                    out.extend(piece.morphed(weights).into_iter().map(|p| placement.apply(p)));
                }
            }
        }
    }

    /// Where the mesh of a part without a skin is in a pose of this model: mesh to world.
    pub fn placement(&self, pose: &ScenePose, part: &AnimatedPart) -> Placement {
        pose.node(part.node).after(&part.instance)
    }

    /// The part as it stands in a pose; `notes` get what is flat.
    fn placed(&self, pose: &ScenePose, part: &AnimatedPart, notes: &mut Vec<String>) -> Result<Part, String> {
        let weights = pose.weights(part.node);
        let finite = |vertices: Vec<DVec3>| match vertices.iter().position(|p| !p.is_finite()) {
            Some(vertex) => Err(format!("vertex {vertex} overflows when it is displaced")),
            None => Ok(vertices),
        };
        let mut pieces = Vec::with_capacity(part.pieces.len());
        for piece in &part.pieces {
            let scale = [1.0; 3];
            if let Some(skin) = part.skin {
                let joints = pose.joints(skin);
                let vertices = finite(piece.skinned(weights, joints))?;
                let mut triangles = piece.rest.triangles.clone();
                // A mesh that all joints mirror is turned over, so that outside stays outside.
                if joints.iter().all(|joint| joint.determinant() < 0.0) {
                    triangles.iter_mut().for_each(|t| t.swap(1, 2));
                }
                let mesh = Arc::new(RawMesh { vertices, triangles });
                pieces.push(Piece { mesh, scale, placement: Placement::IDENTITY });
                continue;
            }
            let placement = Placement::affine(self.placement(pose, part).0)?;
            let mesh = if weights.iter().all(|weight| *weight == 0.0) {
                piece.rest.clone()
            } else {
                let vertices = finite(piece.morphed(weights))?;
                Arc::new(RawMesh { vertices, triangles: piece.rest.triangles.clone() })
            };
            let piece = Piece { mesh, scale, placement };
            match piece.flattening() {
                Flattening::None => {}
                Flattening::Harmless => {
                    let called = self.nodes[part.node].called();
                    push_note(notes, format!("{called}: a flat mesh is scaled by 0 across its plane"));
                }
                Flattening::Collapses(t) => {
                    let reason = "the matrix flattens: its determinant is 0";
                    return Err(format!("{reason}, and triangle {t} loses its area"));
                }
            }
            pieces.push(piece);
        }
        Ok(Part { name: part.name.clone(), pieces })
    }

    /// The model in a pose. A part that cannot stand so ends it, with the name of its node; or it
    /// is listed as unread, if the reader keeps going.
    pub(crate) fn into_model(
        mut self,
        pose: &ScenePose,
        keep_going: bool,
    ) -> Result<Model, (String, String)> {
        let mut model = Model { unit: Some("m"), up: Some("y"), ..Model::new(Vec::new()) };
        model.notes = core::mem::take(&mut self.notes);
        model.unread = core::mem::take(&mut self.unread);
        for part in &self.parts {
            match self.placed(pose, part, &mut model.notes) {
                Ok(part) => model.parts.push(part),
                Err(e) => {
                    let called = self.nodes[part.node].called();
                    if !keep_going {
                        return Err((called, e));
                    }
                    push_note(&mut model.unread, format!("{called}: {e}"));
                }
            }
        }
        Ok(model)
    }
}
