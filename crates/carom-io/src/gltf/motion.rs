//! Reads the motion of a glTF scene: skins, morph targets and animations.
//!
//! 1. The joint weights of a vertex are divided by their sum, with a note if it is not near 1. The
//!    index of a joint with weight 0 is not checked.
//! 2. Only displacements that are not 0 are kept, and only for vertices that triangles use.
//! 3. All numbers in memory count against the size of the files, because meshes may share
//!    accessors.
//! 4. Channels of nodes outside of the scene, and of unknown properties, are left out with a note.
//!
//! Reference: Khronos Group, glTF 2.0 Specification, 2021, 3.7.2.2, 3.7.3 and 3.11.

use super::{Loader, MeshParts, Node, check_weights};
use crate::accessor::Elements;
use crate::animated::{AnimatedModel, Influences, Local, Skin, called};
use crate::animation::{Animation, Channel, Interpolation, Property, unit_rotation};
use crate::error::ReadError;
use crate::limits::MAX_NAME_CHARS;
use crate::part::{Placement, push_note};
use carom_math::tol;
use glam::DVec3;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SkinItem {
    inverse_bind_matrices: Option<usize>,
    joints: Vec<usize>,
}

#[derive(Deserialize)]
struct Target {
    #[serde(rename = "POSITION")]
    position: Option<usize>,
}

#[derive(Deserialize)]
struct AnimationItem<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    channels: Vec<ChannelItem<'a>>,
    #[serde(borrow)]
    samplers: Vec<Sampler<'a>>,
}

#[derive(Deserialize)]
struct ChannelItem<'a> {
    sampler: usize,
    #[serde(borrow)]
    target: Driven<'a>,
}

#[derive(Deserialize)]
struct Driven<'a> {
    node: Option<usize>,
    #[serde(borrow)]
    path: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Sampler<'a> {
    input: usize,
    output: usize,
    #[serde(borrow)]
    interpolation: Option<Cow<'a, str>>,
}

/// The numbers of each accessor, shared by all channels. The flag says whether they are unit
/// rotations.
type Numbers = HashMap<(usize, bool), Arc<Vec<f64>>>;

/// Returns the accessors of joints and weights of a primitive, by ascending set.
pub(super) fn joint_sets(attributes: &BTreeMap<Cow<'_, str>, usize>) -> Result<Vec<[usize; 2]>, String> {
    let mut sets: BTreeMap<usize, [Option<usize>; 2]> = BTreeMap::new();
    for (name, accessor) in attributes {
        for (k, start) in ["JOINTS_", "WEIGHTS_"].into_iter().enumerate() {
            if let Some(set) = name.strip_prefix(start).and_then(|set| set.parse().ok()) {
                sets.entry(set).or_default()[k] = Some(*accessor);
            }
        }
    }
    if sets.is_empty() {
        return Err("a skin, and no JOINTS_0".to_owned());
    }
    let both = |(set, accessors): (usize, [Option<usize>; 2])| match accessors {
        [Some(joints), Some(weights)] => Ok([joints, weights]),
        [None, _] => Err(format!("WEIGHTS_{set} without JOINTS_{set}")),
        [_, None] => Err(format!("JOINTS_{set} without WEIGHTS_{set}")),
    };
    sets.into_iter().map(both).collect()
}

impl<'a> Loader<'a, '_, '_> {
    /// Returns the index in the model of a skin of the document; each skin is read once. Its joints
    /// are still indices in the document.
    pub(super) fn skin(
        &mut self,
        number: usize,
        known: &mut HashMap<usize, usize>,
        model: &mut AnimatedModel,
    ) -> Result<usize, String> {
        if let Some(skin) = known.get(&number) {
            return Ok(*skin);
        }
        let list = &self.document.skins;
        let text = list.get(number).ok_or_else(|| format!("skins[{number}] of {}", list.len()))?;
        let said = |e: String| format!("skins[{number}]: {e}");
        let item: SkinItem = serde_json::from_str(text.get()).map_err(|e| said(e.to_string()))?;
        let n = item.joints.len();
        // Each joint has an inverse bind matrix here, and another matrix in each pose.
        self.files.count_numbers(32 * n).map_err(said)?;
        let mut sorted = item.joints.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(said(format!("the joint nodes[{}] is listed twice", twice[0])));
        }
        let inverse_bind = match item.inverse_bind_matrices {
            None => Vec::new(),
            Some(accessor) => self.matrices(accessor, n).map_err(said)?,
        };
        let skin = model.skins.len();
        model.skins.push(Skin { number, joints: item.joints, inverse_bind });
        known.insert(number, skin);
        Ok(skin)
    }

    /// Returns the first `n` matrices of an accessor.
    fn matrices(&mut self, accessor: usize, n: usize) -> Result<Vec<Placement>, String> {
        let elements = self.elements(accessor)?;
        if elements.n_components() != 16 || !elements.is_float() {
            return Err(format!("accessors[{accessor}] has no matrices of 16 floats"));
        }
        if elements.len() < n {
            return Err(format!("accessors[{accessor}] has {} matrices for {n} joints", elements.len()));
        }
        let matrix = |i: usize| {
            let m: [f64; 16] = elements.numbers(i);
            Placement::of_columns(&m).map_err(|e| format!("accessors[{accessor}]: matrix {i}: {e}"))
        };
        (0..n).map(matrix).collect()
    }

    /// Replaces the joints of all skins by indices of scene nodes. A skin with a joint outside of
    /// the scene is an error, or listed as unread if the reader keeps going.
    pub(super) fn find_joints(&mut self, model: &mut AnimatedModel) -> Result<(), ReadError> {
        let mut refused = HashSet::new();
        for i in 0..model.skins.len() {
            let skin = &mut model.skins[i];
            let bad = skin.joints.iter_mut().find_map(|joint| match self.scene_nodes.get(joint) {
                Some(node) => {
                    *joint = *node;
                    None
                }
                None => Some(*joint),
            });
            let Some(joint) = bad else { continue };
            let item = format!("skins[{}]", skin.number);
            skin.joints.clear();
            self.refuse_or_list(&item, &format!("the joint nodes[{joint}] is not in the scene"), model)?;
            refused.insert(i);
        }
        model.parts.retain(|part| part.skin.is_none_or(|skin| !refused.contains(&skin)));
        Ok(())
    }

    /// Returns the weights of the morph targets of a node at rest.
    pub(super) fn node_weights(
        &mut self,
        node: &Node<'a>,
        mesh: &MeshParts,
    ) -> Result<Option<Arc<[f64]>>, String> {
        let Some(usual) = &mesh.weights else { return Ok(None) };
        // Counted for each node, because each pose has a copy.
        self.files.count_numbers(usual.len())?;
        let Some(weights) = &node.weights else { return Ok(Some(usual.clone())) };
        check_weights(weights, usual.len())?;
        Ok(Some(weights.as_slice().into()))
    }

    /// Returns for each target the displacements of the `used` vertices of a primitive with `n`
    /// vertices.
    pub(super) fn targets(
        &mut self,
        text: &'a str,
        used: &[u32],
        n: usize,
    ) -> Result<Vec<Vec<(u32, DVec3)>>, String> {
        let list: Vec<Target> = serde_json::from_str(text).map_err(|e| format!("targets: {e}"))?;
        let mut targets = Vec::with_capacity(list.len());
        for (number, target) in list.iter().enumerate() {
            let displacements = match target.position {
                None => Ok(Vec::new()),
                Some(position) => self.displacements(position, used, n),
            };
            targets.push(displacements.map_err(|e| format!("targets[{number}]: {e}"))?);
        }
        Ok(targets)
    }

    fn displacements(
        &mut self,
        accessor: usize,
        used: &[u32],
        n: usize,
    ) -> Result<Vec<(u32, DVec3)>, String> {
        let elements = self.elements(accessor)?;
        check_shape(&elements, accessor, 3, n)?;
        // In an accessor without data, only the sparse values can differ from 0.
        let replaced = elements.replaced_zeros();
        let vertices: Vec<(u32, u32)> = match &replaced {
            Some(replaced) => {
                let place = |v: &usize| {
                    let v = u32::try_from(*v).ok()?;
                    Some((used.binary_search(&v).ok()? as u32, v))
                };
                replaced.iter().filter_map(place).collect()
            }
            None => {
                self.files.count_numbers(3 * used.len())?;
                (0..).zip(used.iter().copied()).collect()
            }
        };
        let mut displacements = Vec::with_capacity(vertices.len());
        for (index, vertex) in vertices {
            let displacement = DVec3::from_array(elements.numbers(vertex as usize));
            if !displacement.is_finite() {
                return Err(format!("accessors[{accessor}]: vertex {vertex}: {displacement} is not finite"));
            }
            if displacement != DVec3::ZERO {
                displacements.push((index, displacement));
            }
        }
        displacements.shrink_to_fit();
        Ok(displacements)
    }

    /// Returns the joints of the `used` vertices of a primitive with `n` vertices. `item` is its
    /// name.
    pub(super) fn influences(
        &mut self,
        sets: &[[usize; 2]],
        used: &[u32],
        n: usize,
        item: &str,
        model: &mut AnimatedModel,
    ) -> Result<Influences, String> {
        let mut columns = Vec::with_capacity(sets.len());
        for [joints, weights] in sets {
            let (joint, weight) = (self.elements(*joints)?, self.elements(*weights)?);
            check_shape(&joint, *joints, 4, n)?;
            check_shape(&weight, *weights, 4, n)?;
            if !joint.is_whole() {
                return Err(format!("accessors[{joints}]: joints are not whole numbers"));
            }
            let weight = if weight.is_float() { weight } else { weight.normalized() };
            columns.push((joint, weight));
        }
        self.files.count_numbers(used.len().saturating_mul(8 * sets.len()))?;
        let mut influences =
            Influences { starts: Vec::with_capacity(used.len() + 1), entries: Vec::new(), highest: (0, 0) };
        influences.starts.push(0);
        let mut n_off = 0_usize;
        for &vertex in used {
            let first = influences.entries.len();
            let mut sum = 0.0;
            for (joints, weights) in &columns {
                let (joints, weights) = (joints.get(vertex as usize), weights.get(vertex as usize));
                for (joint, weight) in joints.into_iter().zip(weights) {
                    if !(0.0 <= weight && weight.is_finite()) {
                        return Err(format!("vertex {vertex} has the weight {weight}"));
                    }
                    if weight == 0.0 {
                        continue;
                    }
                    let joint = joint as u32;
                    sum += weight;
                    influences.entries.push((joint, weight));
                    if influences.highest.0 < joint || influences.entries.len() == 1 {
                        influences.highest = (joint, vertex);
                    }
                }
            }
            if sum == 0.0 {
                return Err(format!("vertex {vertex} has no joint with a weight above 0"));
            }
            n_off += usize::from(tol::WEIGHT_SUM < (sum - 1.0).abs());
            influences.entries[first..].iter_mut().for_each(|(_, weight)| *weight /= sum);
            let end = u32::try_from(influences.entries.len()).map_err(|_| "too many joints".to_owned())?;
            influences.starts.push(end);
        }
        influences.entries.shrink_to_fit();
        if 0 < n_off {
            let note = format!(
                "{item}: the joints of {n_off} vertices have weights whose sum is not 1, and are divided by it"
            );
            push_note(&mut model.notes, note);
        }
        Ok(influences)
    }

    /// Reads the animations of the document, and selects those that play together.
    pub(super) fn read_animations(&mut self, model: &mut AnimatedModel) -> Result<(), ReadError> {
        let mut numbers = Numbers::new();
        for number in 0..self.document.animations.len() {
            match self.animation(number, &mut numbers, model) {
                Ok(animation) => model.animations.push(animation),
                Err(e) => self.refuse_or_list(&format!("animations[{number}]"), &e, model)?,
            }
        }
        let mut driven: HashMap<(usize, Property), usize> = HashMap::new();
        for (i, animation) in model.animations.iter().enumerate() {
            let key = |channel: &Channel| (channel.node, channel.property);
            let name = |i: usize| {
                let animation: &Animation = &model.animations[i];
                called("animations", animation.number, animation.name())
            };
            if let Some(earlier) = animation.channels.iter().find_map(|channel| driven.get(&key(channel))) {
                let note = format!("{} drives what {} drives, and is not played", name(i), name(*earlier));
                push_note(&mut model.notes, note);
                continue;
            }
            driven.extend(animation.channels.iter().map(|channel| (key(channel), i)));
            model.played.push(i);
        }
        Ok(())
    }

    fn animation(
        &mut self,
        number: usize,
        numbers: &mut Numbers,
        model: &mut AnimatedModel,
    ) -> Result<Animation, String> {
        let text = self.document.animations[number].get();
        let item: AnimationItem<'a> = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let mut animation =
            Animation { number, name: None, channels: Vec::with_capacity(item.channels.len()) };
        animation.name = item.name.map(|name| name.chars().take(MAX_NAME_CHARS).collect());
        let (mut seen, mut n_outside) = (HashSet::new(), 0_usize);
        for (i, channel) in item.channels.iter().enumerate() {
            let said = |e: String| format!("channels[{i}]: {e}");
            let property = match &*channel.target.path {
                "translation" => Property::Translation,
                "rotation" => Property::Rotation,
                "scale" => Property::Scale,
                "weights" => Property::Weights,
                other => {
                    let path: String = other.chars().take(80).collect();
                    let note = format!("animations[{number}].channels[{i}]: the path {path:?} is not read");
                    push_note(&mut model.notes, note);
                    continue;
                }
            };
            let Some(&node) = channel.target.node.and_then(|node| self.scene_nodes.get(&node)) else {
                n_outside += 1;
                continue;
            };
            let called = model.nodes[node].called();
            if !seen.insert((node, property)) {
                return Err(said(format!("drives the {} of {called} once more", property.name())));
            }
            let width = match property {
                Property::Rotation => 4,
                Property::Weights => {
                    let weights = model.nodes[node].weights.as_deref();
                    weights.ok_or_else(|| said(format!("{called} has no morph targets")))?.len()
                }
                Property::Translation | Property::Scale => 3,
            };
            if property != Property::Weights
                && let Some(Local::Matrix(_)) = model.nodes[node].local.as_deref()
            {
                return Err(said(format!("drives {called}, which has a matrix")));
            }
            let sampler = item.samplers.get(channel.sampler);
            let sampler = sampler
                .ok_or_else(|| said(format!("samplers[{}] of {}", channel.sampler, item.samplers.len())))?;
            let (interpolation, times, values) =
                self.keys(sampler, property, width, numbers).map_err(said)?;
            animation.channels.push(Channel { node, property, interpolation, times, values });
        }
        if 0 < n_outside {
            let called = called("animations", number, animation.name());
            let note = format!("{called}: {n_outside} channels drive no node of the scene and are left out");
            push_note(&mut model.notes, note);
        }
        Ok(animation)
    }

    /// Returns the keys of a sampler. Each value has `width` numbers.
    #[expect(clippy::type_complexity, reason = "the members of a channel")]
    fn keys(
        &mut self,
        sampler: &Sampler<'_>,
        property: Property,
        width: usize,
        numbers: &mut Numbers,
    ) -> Result<(Interpolation, Arc<Vec<f64>>, Arc<Vec<f64>>), String> {
        let interpolation = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicSpline,
            Some(other) => return Err(format!("the interpolation {other:?} is not known")),
        };
        let (input, output) = (sampler.input, sampler.output);
        let times = self.numbers(input, 1, false, numbers)?;
        if let Some(key) = times.windows(2).position(|pair| pair[1] < pair[0]) {
            let key = key + 1;
            return Err(format!("accessors[{input}]: key {key} at {} is before the last one", times[key]));
        }
        let n_components = if property == Property::Weights { 1 } else { width };
        let is_spline = interpolation == Interpolation::CubicSpline;
        // Keys of a spline are not normalized, because their tangents belong to the lengths as
        // given.
        let is_unit = property == Property::Rotation && !is_spline;
        let values = self.numbers(output, n_components, is_unit, numbers)?;
        let n = times.len().saturating_mul(width).saturating_mul(if is_spline { 3 } else { 1 });
        if values.len() != n {
            return Err(format!(
                "accessors[{output}] has {} numbers for {} keys, which need {n}",
                values.len(),
                times.len()
            ));
        }
        Ok((interpolation, times, values))
    }

    /// Returns all numbers of an accessor; each is read once. If `is_unit`, rotations are
    /// normalized.
    fn numbers(
        &mut self,
        accessor: usize,
        n_components: usize,
        is_unit: bool,
        known: &mut Numbers,
    ) -> Result<Arc<Vec<f64>>, String> {
        if let Some(numbers) = known.get(&(accessor, is_unit)) {
            return Ok(numbers.clone());
        }
        let elements = self.elements(accessor)?;
        check_shape(&elements, accessor, n_components, elements.len())?;
        let elements = if elements.is_float() { elements } else { elements.normalized() };
        let n = elements.len();
        self.files.count_numbers(n.saturating_mul(n_components))?;
        let mut numbers = Vec::with_capacity(n * n_components);
        for i in 0..n {
            let element = elements.get(i);
            if let Some(x) = element.iter().find(|x| !x.is_finite()) {
                return Err(format!("accessors[{accessor}]: {x} of element {i} is not finite"));
            }
            if is_unit && element == [0.0; 4] {
                return Err(format!("accessors[{accessor}]: the rotation of element {i} is 0"));
            }
            let element = if is_unit { unit_rotation(element) } else { element };
            numbers.extend_from_slice(&element[..n_components]);
        }
        let numbers = Arc::new(numbers);
        known.insert((accessor, is_unit), numbers.clone());
        Ok(numbers)
    }
}

/// Returns an error unless an accessor has `n` elements of `n_components` numbers each.
fn check_shape(elements: &Elements, accessor: usize, n_components: usize, n: usize) -> Result<(), String> {
    if elements.n_components() != n_components {
        let there = elements.n_components();
        return Err(format!("accessors[{accessor}] has elements of {there} numbers, not {n_components}"));
    }
    if elements.len() != n {
        return Err(format!("accessors[{accessor}] has {} elements, not {n}", elements.len()));
    }
    Ok(())
}
