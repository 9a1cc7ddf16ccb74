//! Scenes with moving parts: nodes, skins, morph targets and the animations that drive them.
//!
//! 1. A pose is the state at one time: the transform of each node, a matrix for each joint of a
//!    skin, and the weights of morph targets.
//! 2. The morph targets displace a vertex first. Then the joints of its skin transform it, or its
//!    node if there is no skin. A skin ignores the transform of the node that has its mesh.
//! 3. The model of a file is this scene in one pose: at rest, or at [`Options::time`].
//!
//! Reference: Khronos Group, glTF 2.0 Specification, 2021, 3.5, 3.7.2, 3.7.3 and 3.11.
//! Differs: the transformed positions of a vertex are blended, not the matrices of its joints.
//!
//! [`Options::time`]: crate::Options::time

use crate::animation::{Animation, Property, unit_rotation};
use crate::model::Model;
use crate::part::{Flattening, Part, Piece, Placement, RawMesh, push_note};
use glam::{DMat4, DQuat, DVec3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A glTF scene with its skins, morph targets and animations. Lengths are in metres, and y is up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimatedModel {
    pub(crate) nodes: Vec<SceneNode>,
    pub(crate) skins: Vec<Skin>,
    pub(crate) parts: Vec<AnimatedPart>,
    pub(crate) animations: Vec<Animation>,
    /// Indices of the animations that play together. No two drive the same property of a node.
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
    /// Returns its index in the file.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the index of its parent in [`AnimatedModel::nodes`]; `None` for a root.
    pub fn parent(&self) -> Option<usize> {
        self.parent.map(|parent| parent as usize)
    }

    /// Returns its name in messages.
    pub(crate) fn called(&self) -> String {
        called("nodes", self.number, self.name())
    }
}

/// Returns how messages name an item of a list: its index, and its own name if it has one.
pub(crate) fn called(list: &str, number: usize, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{list}[{number}] ({name})"),
        None => format!("{list}[{number}]"),
    }
}

/// The transform of a node relative to its parent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Local {
    /// No channel drives such a node.
    Matrix(Placement),
    Steps(Trs),
}

/// The error of the length of a rotation that is not noted. Rotations may be stored in bytes, with
/// 127 for 1.
const ROTATION_ROUNDING: f64 = 1.0 / 127.0;

/// A transform that applies scale, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trs {
    pub(crate) translation: [f64; 3],
    /// x, y, z, w.
    pub(crate) rotation: [f64; 4],
    pub(crate) scale: [f64; 3],
}

impl Trs {
    pub(crate) const IDENTITY: Trs =
        Trs { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };

    /// Returns the transform. An error if its rotation is zero, which is none.
    pub(crate) fn checked(self) -> Result<Trs, String> {
        match DQuat::from_array(self.rotation).length() {
            0.0 => Err(format!("the rotation {:?} has no length", self.rotation)),
            _ => Ok(self),
        }
    }

    /// Returns a note on a rotation that is no unit quaternion.
    pub(crate) fn note(&self) -> Option<String> {
        let length = DQuat::from_array(self.rotation).length();
        let is_unit = (length - 1.0).abs() <= ROTATION_ROUNDING;
        (!is_unit).then(|| format!("the rotation {:?} is normalized: its length is not 1", self.rotation))
    }

    /// Returns the transform as a matrix. The rotation is normalized first.
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
    /// Indices of nodes of the scene.
    pub(crate) joints: Vec<usize>,
    /// The transform from the mesh's frame to that of each joint at rest; empty if all are the
    /// identity.
    pub(crate) inverse_bind: Vec<Placement>,
}

impl Skin {
    /// Returns its index in the file.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the indices of its joints in [`AnimatedModel::nodes`].
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }
}

/// A mesh with its morph targets and joint weights, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct MovingMesh {
    pub(crate) rest: Arc<RawMesh>,
    /// For each target the displaced vertices and their displacements, by ascending vertex.
    pub(crate) targets: Vec<Vec<(u32, DVec3)>>,
    pub(crate) influences: Option<Influences>,
}

/// The joints of each vertex.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Influences {
    /// The index of each vertex's first entry; one more at the end.
    pub(crate) starts: Vec<u32>,
    /// Index in the skin's joints and weight. Weights are above 0, and those of a vertex sum to 1.
    pub(crate) entries: Vec<(u32, f64)>,
    /// The highest joint index, and the first vertex in the file that has it.
    pub(crate) highest: (u32, u32),
}

impl MovingMesh {
    /// Returns the mesh at rest: no vertex is displaced.
    pub fn rest(&self) -> &RawMesh {
        &self.rest
    }

    /// Returns for each morph target the displacements that are not 0, by ascending vertex.
    pub fn targets(&self) -> &[Vec<(u32, DVec3)>] {
        &self.targets
    }

    /// Returns the joints of a vertex by their indices in the skin. Weights are above 0 and sum to
    /// 1. The slice is empty without a skin.
    pub fn influences(&self, vertex: u32) -> &[(u32, f64)] {
        let Some(influences) = &self.influences else { return &[] };
        let vertex = vertex as usize;
        &influences.entries[influences.starts[vertex] as usize..influences.starts[vertex + 1] as usize]
    }

    /// Returns the number of products that are summed for one pose.
    pub(crate) fn n_terms(&self) -> u64 {
        let displacements: usize = self.targets.iter().map(Vec::len).sum();
        let influences = self.influences.as_ref().map_or(0, |influences| influences.entries.len());
        displacements as u64 + influences as u64
    }

    /// Returns the vertices, displaced by the morph targets.
    fn morphed(&self, weights: &[f64]) -> Vec<DVec3> {
        let mut vertices = self.rest.vertices.clone();
        for (target, weight) in self.targets.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
            for (vertex, displacement) in target {
                vertices[*vertex as usize] += *displacement * *weight;
            }
        }
        vertices
    }

    /// Returns the displaced vertices, transformed by the joints.
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

/// The mesh of a node: one part of an assembly.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimatedPart {
    pub(crate) name: String,
    pub(crate) node: usize,
    /// From the mesh's frame to the node's frame.
    pub(crate) instance: Placement,
    pub(crate) skin: Option<usize>,
    pub(crate) pieces: Vec<Arc<MovingMesh>>,
}

impl AnimatedPart {
    /// Returns the name. It is unique within the model and the same as in [`Model::parts`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the index of its node in [`AnimatedModel::nodes`].
    pub fn node(&self) -> usize {
        self.node
    }

    /// Returns the index of its skin in [`AnimatedModel::skins`]; `None` without a skin.
    pub fn skin(&self) -> Option<usize> {
        self.skin
    }

    /// Returns the primitives of its mesh, at least one.
    pub fn pieces(&self) -> &[Arc<MovingMesh>] {
        &self.pieces
    }

    /// Returns the triangles of all pieces. The vertices of a piece are numbered after those of the
    /// pieces before it.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let (mut triangles, mut first) = (Vec::new(), 0);
        for piece in &self.pieces {
            triangles.extend(piece.rest.triangles.iter().map(|t| t.map(|v| v + first)));
            first += piece.rest.vertices.len() as u32;
        }
        triangles
    }
}

/// The state of a model at one time: transforms of nodes and joints, and weights of morph targets.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenePose {
    nodes: Vec<Placement>,
    joints: Vec<Vec<Placement>>,
    weights: BTreeMap<usize, Vec<f64>>,
}

impl ScenePose {
    /// Returns the transform from the frame of a node to the world. `node` is an index in
    /// [`AnimatedModel::nodes`].
    pub fn node(&self, node: usize) -> &Placement {
        &self.nodes[node]
    }

    /// Returns a transform for each joint of a skin: from the mesh's frame to the world, for a
    /// vertex that follows this joint alone.
    pub fn joints(&self, skin: usize) -> &[Placement] {
        &self.joints[skin]
    }

    /// Returns the weights of the morph targets of a node's mesh; empty if it has none.
    pub fn weights(&self, node: usize) -> &[f64] {
        self.weights.get(&node).map_or(&[], Vec::as_slice)
    }
}

impl AnimatedModel {
    /// Returns the nodes of the scene; a parent comes before its children.
    pub fn nodes(&self) -> &[SceneNode] {
        &self.nodes
    }

    /// Returns the skins of the parts.
    pub fn skins(&self) -> &[Skin] {
        &self.skins
    }

    /// Returns the parts in the order of the file.
    pub fn parts(&self) -> &[AnimatedPart] {
        &self.parts
    }

    /// Returns the animations in the order of the file.
    pub fn animations(&self) -> &[Animation] {
        &self.animations
    }

    /// Returns the indices in [`AnimatedModel::animations`] of those that play together. An
    /// animation that drives a property which an earlier one drives is left out with a note.
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

    /// Returns the time of the last key of the played animations, in seconds; 0 without an
    /// animation.
    pub fn end(&self) -> f64 {
        self.played.iter().map(|animation| self.animations[*animation].end()).fold(0.0, f64::max)
    }

    /// Returns the pose without animations.
    pub fn rest_pose(&self) -> ScenePose {
        self.pose_of(&[], 0.0)
    }

    /// Returns the pose at a time in seconds under all [played](AnimatedModel::played) animations.
    pub fn pose_at(&self, seconds: f64) -> ScenePose {
        self.pose_of(&self.played, seconds)
    }

    /// Returns the pose of some animations at a time in seconds. If several drive the same
    /// property, the last one counts. Indices beyond [`AnimatedModel::animations`] are ignored.
    pub fn pose_of(&self, animations: &[usize], seconds: f64) -> ScenePose {
        let at_rest = |node: &SceneNode| match node.local.as_deref() {
            Some(Local::Steps(steps)) => *steps,
            _ => Trs::IDENTITY,
        };
        let mut driven: BTreeMap<usize, Trs> = BTreeMap::new();
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

    /// Sets `out` to the world positions of a part's vertices, piece after piece, as in
    /// [`AnimatedPart::triangles`]. The pose must be one of this model.
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

    /// Returns the transform from mesh to world for a part without a skin, in a pose of this model.
    pub fn placement(&self, pose: &ScenePose, part: &AnimatedPart) -> Placement {
        pose.node(part.node).after(&part.instance)
    }

    /// Returns the part in a pose. Adds a note for each flat mesh that is scaled by 0 across its
    /// plane.
    ///
    /// Errors: a vertex or a matrix overflows, or the transform takes the area from a triangle.
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
                // If all joints mirror, the triangles are flipped, so that their outsides stay
                // outside.
                if joints.iter().all(|joint| joint.determinant() < 0.0) {
                    triangles.iter_mut().for_each(|t| t.swap(1, 2));
                }
                let mesh = Arc::new(RawMesh { vertices, triangles });
                pieces.push(Piece { mesh, scale, placement: Placement::IDENTITY, solid: 0 });
                continue;
            }
            let placement = Placement::affine(self.placement(pose, part).0)?;
            let mesh = if weights.iter().all(|weight| *weight == 0.0) {
                piece.rest.clone()
            } else {
                let vertices = finite(piece.morphed(weights))?;
                Arc::new(RawMesh { vertices, triangles: piece.rest.triangles.clone() })
            };
            let piece = Piece { mesh, scale, placement, solid: 0 };
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

    /// Returns the model in a pose. A part without a valid pose is an error with the name of its
    /// node. If `keep_going`, such a part is listed as unread.
    pub(crate) fn into_model(
        mut self,
        pose: &ScenePose,
        keep_going: bool,
    ) -> Result<Model, (String, String)> {
        let mut model = Model { unit: Some("m"), metres: Some(1.0), up: Some("y"), ..Model::new(Vec::new()) };
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
