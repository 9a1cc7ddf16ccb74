//! glTF 2.0, text and binary. Each node with a mesh is a part, placed by its ancestors; so is each
//! instance of a node.
//!
//! 1. Lists of the document stay text, and an item is parsed on use. So memory is in proportion to
//!    the size of the file.
//! 2. Every range of a buffer is checked. Primitives with equal accessors share their triangles. A
//!    primitive that repeats another one of its mesh is left out.
//! 3. `EXT_mesh_gpu_instancing` and `KHR_mesh_quantization` are read. An unknown extension that the
//!    file requires is an error. One that the file uses is noted, and listed as unread at each node
//!    or mesh with it.
//! 4. Points and lines have no surface; they are left out with a note. A node with nothing else is
//!    listed as unread.
//! 5. Skins and morph targets are applied at rest, or at the
//!    [`Options::time`](crate::Options::time) of the animations; see `gltf/motion.rs`.
//!
//! Reference: Khronos Group, glTF 2.0 Specification, 2021, 3.5, 3.6 and 4.4;
//! EXT_mesh_gpu_instancing.
//! Differs: `serde_json` parses, not the crate `gltf`. That crate builds a structure for each item,
//! trusts counts and offsets, and does not support instancing.

mod motion;

use crate::accessor::{Accessor, AccessorItem, BufferView, Elements};
use crate::animated::{AnimatedModel, AnimatedPart, Local, MovingMesh, SceneNode, Skin, Trs, called};
use crate::error::{Location, ReadError};
use crate::files::Files;
use crate::limits::{MAX_ITEM_CHARS, MAX_NAME_CHARS, TRIANGLES_PER_PART};
use crate::model::Model;
use crate::part::{Placement, RawMesh, push_note, renumber, used_vertices};
use base64::Engine;
use glam::DVec3;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Extensions that are supported.
const SUPPORTED_EXTENSIONS: [&str; 2] = ["EXT_mesh_gpu_instancing", "KHR_mesh_quantization"];

/// Prefixes of extensions without influence on geometry.
const APPEARANCE_PREFIXES: [&str; 15] = [
    "FB_ngon_encoding",
    "EXT_mesh_features",
    "EXT_instance_features",
    "EXT_structural_metadata",
    "CESIUM_primitive_outline",
    "GODOT_single_root",
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_xmp",
    "KHR_animation_",
    "EXT_texture_",
    "EXT_lights_",
    "MSFT_texture_",
    "ADOBE_materials_",
];

/// The document. Items stay text until they are used.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    asset: Asset<'a>,
    scene: Option<usize>,
    #[serde(borrow, default)]
    scenes: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    nodes: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    meshes: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    skins: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    animations: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    accessors: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    buffer_views: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    buffers: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    extensions_used: Vec<Cow<'a, str>>,
    #[serde(borrow, default)]
    extensions_required: Vec<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Asset<'a> {
    #[serde(borrow)]
    version: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Scene {
    #[serde(default)]
    nodes: Vec<usize>,
}

/// By name.
type Extensions<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

#[derive(Deserialize)]
struct Node<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    mesh: Option<usize>,
    skin: Option<usize>,
    #[serde(default)]
    children: Vec<usize>,
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
    weights: Option<Vec<f64>>,
    #[serde(borrow, default)]
    extensions: Extensions<'a>,
}

#[derive(Deserialize)]
struct Instancing {
    #[serde(default)]
    attributes: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
struct Mesh<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    primitives: Vec<Primitive<'a>>,
    weights: Option<Vec<f64>>,
    #[serde(borrow, default)]
    extensions: Extensions<'a>,
}

#[derive(Deserialize)]
struct Primitive<'a> {
    #[serde(borrow)]
    attributes: BTreeMap<Cow<'a, str>, usize>,
    indices: Option<usize>,
    mode: Option<u64>,
    #[serde(borrow)]
    targets: Option<&'a RawValue>,
    #[serde(borrow)]
    extensions: Option<Extensions<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BufferItem<'a> {
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
    byte_length: u64,
}

/// The identity of a primitive: position accessor, index accessor, mode, accessors of joints and
/// weights, and the text of its targets.
type Key<'a> = (usize, Option<usize>, u64, Vec<[usize; 2]>, &'a str);

/// A mesh of the document.
struct MeshParts {
    name: Option<String>,
    /// Shared by all nodes with this mesh.
    pieces: Vec<Arc<MovingMesh>>,
    /// The weights of its targets at rest.
    weights: Option<Arc<[f64]>>,
    /// The number of primitives without a surface.
    n_thin: usize,
}

/// Reads the bytes of a .gltf or .glb file, and buffers in files beside it.
pub(crate) fn parse(bytes: &[u8], path: &Path, files: &mut Files<'_>) -> Result<Model, ReadError> {
    let time = files.options.time;
    let scene = parse_animated(bytes, path, files, time.is_some())?;
    let pose = time.map_or_else(|| scene.rest_pose(), |seconds| scene.pose_at(seconds));
    let model = scene.into_model(&pose, files.options.keep_going);
    let model = model.map_err(|(item, reason)| ReadError::at(path, Location::Item(item), reason))?;
    check_parts(model.parts.is_empty(), &model.unread, path)?;
    Ok(model)
}

/// Returns an error if there is no part. Its reason is the first of `unread`.
fn check_parts(is_empty: bool, unread: &[String], path: &Path) -> Result<(), ReadError> {
    if !is_empty {
        return Ok(());
    }
    let why = unread.first().map_or(String::new(), |why| format!(": {why}"));
    Err(ReadError::at(path, Location::File, format!("no node with triangles{why}")))
}

/// Reads the same bytes as a scene that can be posed. Without `with_animations`, animations are
/// only noted.
pub(crate) fn parse_animated(
    bytes: &[u8],
    path: &Path,
    files: &mut Files<'_>,
    with_animations: bool,
) -> Result<AnimatedModel, ReadError> {
    let whole = |reason: String| ReadError::at(path, Location::File, reason);
    let (json, blob) = chunks(bytes).map_err(whole)?;
    let document: Document<'_> =
        serde_json::from_slice(json).map_err(|e| whole(format!("not a valid glTF file: {e}")))?;
    if !document.asset.version.starts_with("2.") {
        return Err(whole(format!("glTF version {:?}; 2.0 is read", document.asset.version)));
    }
    let mut model = AnimatedModel::default();
    let name_of = |e: &Cow<'_, str>| e.chars().take(80).collect::<String>();
    if let Some(extension) = document.extensions_required.iter().find(|e| !is_understood(e)) {
        let advice = if extension.contains("draco") || extension.contains("meshopt") {
            ": the geometry is compressed; export it uncompressed"
        } else {
            ""
        };
        return Err(whole(format!(
            "the extension {} is required and not understood{advice}",
            name_of(extension)
        )));
    }
    for extension in document.extensions_used.iter().filter(|e| !is_understood(e)) {
        push_note(
            &mut model.notes,
            format!("the extension {} is used and not understood", name_of(extension)),
        );
    }
    let mut reader = Loader {
        document,
        blob,
        path,
        files,
        buffers: HashMap::new(),
        views: HashMap::new(),
        accessors: HashMap::new(),
        scene_nodes: HashMap::new(),
    };
    reader.read(&mut model)?;
    let n_animations = reader.document.animations.len();
    if with_animations {
        reader.read_animations(&mut model)?;
    } else if 0 < n_animations {
        let note = "the file has animations: its nodes stand as at rest; check --time poses them";
        model.notes.push(note.to_owned());
    }
    check_parts(model.parts.is_empty(), &model.unread, path)?;
    Ok(model)
}

/// Whether an extension is supported, or has no influence on surfaces.
fn is_understood(extension: &str) -> bool {
    SUPPORTED_EXTENSIONS.contains(&extension)
        || APPEARANCE_PREFIXES.iter().any(|start| extension.starts_with(start))
}

/// Returns the JSON text, and the binary chunk if there is one.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let word = |bytes: &[u8], at: usize| {
        bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
    };
    let total = word(bytes, 8).ok_or("truncated header")?;
    if bytes.len() < total {
        return Err(format!("truncated: {total} bytes announced, {} there", bytes.len()));
    }
    if total < bytes.len() {
        return Err(format!("{} bytes behind the {total} that are announced", bytes.len() - total));
    }
    let mut rest = bytes.get(12..).ok_or("truncated header")?;
    let mut found: Vec<(&[u8], &[u8])> = Vec::new();
    // Further chunks belong to extensions.
    while !rest.is_empty() && found.len() < 2 {
        let length = word(rest, 0).ok_or("truncated chunk")?;
        let kind = rest.get(4..8).ok_or("truncated chunk")?;
        let end = length.checked_add(8).filter(|end| *end <= rest.len());
        let end = end.ok_or_else(|| format!("a chunk of {length} bytes does not fit into the file"))?;
        found.push((kind, &rest[8..end]));
        rest = &rest[end..];
    }
    match found.as_slice() {
        [(b"JSON", json)] => Ok((json, None)),
        [(b"JSON", json), (b"BIN\0", blob)] => Ok((json, Some(blob))),
        [(b"JSON", json), _] => Ok((json, None)),
        _ => Err("no JSON chunk".to_owned()),
    }
}

/// A document that is being read.
struct Loader<'a, 'f, 'o> {
    document: Document<'a>,
    blob: Option<&'a [u8]>,
    path: &'a Path,
    files: &'f mut Files<'o>,
    /// Includes broken buffers, so that each is read once.
    buffers: HashMap<usize, Result<Arc<Vec<u8>>, String>>,
    views: HashMap<usize, BufferView>,
    accessors: HashMap<usize, Rc<AccessorItem>>,
    /// From the index of a node in the document to its index in the scene.
    scene_nodes: HashMap<usize, usize>,
}

impl<'a> Loader<'a, '_, '_> {
    fn at(&self, item: impl Into<String>, reason: impl Into<String>) -> ReadError {
        ReadError::at(self.path, Location::Item(item.into()), reason)
    }

    fn read(&mut self, model: &mut AnimatedModel) -> Result<(), ReadError> {
        let scene_number = self.document.scene.unwrap_or(0);
        let no_scene = ReadError::at(self.path, Location::File, "no scene");
        let scene = *self.document.scenes.get(scene_number).ok_or(no_scene)?;
        let scene: Scene = self.item(scene, "scenes", scene_number)?;
        // The flag of a key says whether the node has a skin. Then the mesh is read with the
        // joints of its vertices.
        let mut meshes: HashMap<(usize, bool), Result<Rc<MeshParts>, String>> = HashMap::new();
        let mut skins: HashMap<usize, usize> = HashMap::new();
        // Depth first in the order of the file. A node that is reached twice would make a cycle or
        // a DAG.
        let mut visited = HashSet::new();
        // With its parent, and whether it hangs on a node that has no placement.
        let mut stack: Vec<(usize, Option<u32>, bool)> =
            scene.nodes.into_iter().rev().map(|n| (n, None, false)).collect();
        while let Some((number, parent, is_lost)) = stack.pop() {
            let text = self.document.nodes.get(number).copied();
            let text = text.ok_or_else(|| self.at("nodes", format!("there is no node {number}")))?;
            if !visited.insert(number) {
                return Err(self.at(format!("nodes[{number}]"), "is the child of two nodes"));
            }
            let node: Node<'a> = match serde_json::from_str(text.get()) {
                Ok(node) => node,
                Err(e) => {
                    self.refuse_or_list(&format!("nodes[{number}]"), &e.to_string(), model)?;
                    continue;
                }
            };
            let called = called("nodes", number, node.name.as_deref());
            let placed =
                if is_lost { Err("it hangs on a node without a placement".to_owned()) } else { local(&node) };
            let local = match placed {
                Ok(local) => local,
                Err(e) => {
                    if node.mesh.is_some() || !is_lost {
                        self.refuse_or_list(&called, &e, model)?;
                    }
                    // Its children cannot be placed either.
                    stack.extend(node.children.into_iter().rev().map(|child| (child, None, true)));
                    continue;
                }
            };
            if let Some(Local::Steps(steps)) = &local
                && let Some(note) = steps.note()
            {
                push_note(&mut model.notes, format!("{called}: {note}"));
            }
            let index = model.nodes.len();
            self.scene_nodes.insert(number, index);
            model.nodes.push(SceneNode {
                number,
                name: node.name.as_deref().map(Box::from),
                parent,
                local: local.map(Box::new),
                weights: None,
            });
            for extension in node.extensions.keys().filter(|e| !is_understood(e)) {
                push_note(
                    &mut model.unread,
                    format!("{called}: the extension {extension} is not understood"),
                );
            }
            if let Some(mesh) = node.mesh {
                let key = (mesh, node.skin.is_some());
                let known = match meshes.get(&key) {
                    Some(known) => known.clone(),
                    None => {
                        let read = self.mesh(mesh, key.1, model).map(Rc::new).map_err(|e| e.to_string());
                        meshes.insert(key, read.clone());
                        read
                    }
                };
                let made = known.and_then(|mesh| {
                    let skin = match node.skin {
                        Some(skin) => Some(self.skin(skin, &mut skins, model)?),
                        None => None,
                    };
                    self.node_parts(&node, index, &mesh, skin, &called, model)
                });
                if let Err(e) = made {
                    self.refuse_or_list(&called, &e, model)?;
                }
            }
            let parent = u32::try_from(index).map_err(|_| self.at("nodes", "too many"))?;
            stack.extend(node.children.into_iter().rev().map(|child| (child, Some(parent), false)));
        }
        let n_outside = self.document.nodes.len() - visited.len();
        if 0 < n_outside {
            model
                .notes
                .push(format!("{n_outside} nodes are not in the scene {scene_number} and are left out"));
        }
        self.find_joints(model)
    }

    /// Returns an error about this item. If `keep_going`, lists it as unread instead.
    fn refuse_or_list(&self, item: &str, reason: &str, model: &mut AnimatedModel) -> Result<(), ReadError> {
        let own = format!("{}: ", self.path.display());
        let bare = reason.strip_prefix(&own);
        if self.files.options.keep_going {
            push_note(&mut model.unread, format!("{item}: {}", bare.unwrap_or(reason)));
            return Ok(());
        }
        Err(match bare {
            Some(reason) => ReadError::at(self.path, Location::File, reason),
            None => self.at(item, reason),
        })
    }

    /// Parses an item of a list.
    fn item<T: Deserialize<'a>>(
        &self,
        text: &'a RawValue,
        list: &str,
        number: usize,
    ) -> Result<T, ReadError> {
        serde_json::from_str(text.get()).map_err(|e| self.at(format!("{list}[{number}]"), e.to_string()))
    }

    /// Parses an item of a list. An error if it is longer than [`MAX_ITEM_CHARS`], buffers
    /// excepted.
    fn short_item<T: Deserialize<'a>>(list: &[&'a RawValue], name: &str, number: usize) -> Result<T, String> {
        let text = list.get(number).ok_or_else(|| format!("{name}[{number}] of {}", list.len()))?.get();
        if MAX_ITEM_CHARS < text.len() && name != "buffers" {
            let n = text.len();
            return Err(format!("{name}[{number}]: {n} characters: more than the limit of {MAX_ITEM_CHARS}"));
        }
        serde_json::from_str(text).map_err(|e| format!("{name}[{number}]: {e}"))
    }

    /// Adds a node's mesh as a part, or one part for each instance. `index` is the index of the
    /// node in the scene.
    fn node_parts(
        &mut self,
        node: &Node<'a>,
        index: usize,
        mesh: &MeshParts,
        skin: Option<usize>,
        called: &str,
        model: &mut AnimatedModel,
    ) -> Result<(), String> {
        if mesh.pieces.is_empty() {
            let what = if 0 < mesh.n_thin { "points or lines alone" } else { "no primitive" };
            push_note(&mut model.unread, format!("{called}: {what}: no triangle to collide with"));
            return Ok(());
        }
        if 0 < mesh.n_thin {
            push_note(&mut model.notes, format!("{called}: points or lines are left out: no surface"));
        }
        let number = model.nodes[index].number;
        let name = match node.name.as_deref().or(mesh.name.as_deref()) {
            None => format!("node{number}"),
            Some(name) => {
                let start: String = name.chars().take(MAX_NAME_CHARS).collect();
                if start.len() < name.len() {
                    let note = format!(
                        "nodes[{number}]: the name has more than {MAX_NAME_CHARS} characters and is cut"
                    );
                    push_note(&mut model.notes, note);
                }
                start
            }
        };
        if let Some(skin) = skin {
            check_joints(mesh, &model.skins[skin])?;
        }
        model.nodes[index].weights = self.node_weights(node, mesh)?;
        let instances = match node.extensions.get(SUPPORTED_EXTENSIONS[0]) {
            None => vec![Trs::IDENTITY],
            Some(_) if skin.is_some() => {
                // A skin ignores the transform of its node, and so that of each instance.
                push_note(&mut model.unread, format!("{called}: instances of a skinned mesh are not read"));
                vec![Trs::IDENTITY]
            }
            Some(text) => self.instances(text)?,
        };
        if instances.is_empty() {
            push_note(&mut model.unread, format!("{called}: instancing without instances"));
        }
        let n_triangles: usize = mesh.pieces.iter().map(|piece| piece.rest.triangles.len()).sum();
        let n_terms: u64 = mesh.pieces.iter().map(|piece| piece.n_terms()).sum();
        for instance in instances {
            self.files.count_placed(n_triangles + TRIANGLES_PER_PART as usize)?;
            self.files.count_terms(n_terms)?;
            if let Some(note) = instance.note() {
                push_note(&mut model.notes, format!("{called}: an instance: {note}"));
            }
            let (name, pieces, instance) = (name.clone(), mesh.pieces.clone(), instance.placement());
            model.parts.push(AnimatedPart { name, node: index, instance, skin, pieces });
        }
        Ok(())
    }

    /// Returns the transforms of the instances of a node, in its frame.
    fn instances(&mut self, text: &RawValue) -> Result<Vec<Trs>, String> {
        let instancing: Instancing =
            serde_json::from_str(text.get()).map_err(|e| format!("{}: {e}", SUPPORTED_EXTENSIONS[0]))?;
        let mut count = None;
        let mut columns: [Option<Vec<[f64; 4]>>; 3] = [None, None, None];
        for ((column, name), size) in
            columns.iter_mut().zip(["TRANSLATION", "ROTATION", "SCALE"]).zip([3, 4, 3])
        {
            let Some(accessor) = instancing.attributes.get(name) else { continue };
            let elements = self.elements(*accessor)?;
            if elements.n_components() != size {
                return Err(format!("{}: {name} is not {size} numbers", SUPPORTED_EXTENSIONS[0]));
            }
            if count.replace(elements.len()).is_some_and(|n| n != elements.len()) {
                return Err(format!("{}: attributes of different lengths", SUPPORTED_EXTENSIONS[0]));
            }
            *column = Some((0..elements.len()).map(|i| elements.get(i)).collect());
        }
        let [translations, rotations, scales] = columns;
        let one = |i: usize| {
            let three = |column: &Option<Vec<[f64; 4]>>, usual: f64| {
                column.as_ref().map_or([usual; 3], |c| [c[i][0], c[i][1], c[i][2]])
            };
            let rotation = rotations.as_ref().map_or([0.0, 0.0, 0.0, 1.0], |c| c[i]);
            let (translation, scale) = (three(&translations, 0.0), three(&scales, 1.0));
            let said = |e: String| format!("{}: instance {i}: {e}", SUPPORTED_EXTENSIONS[0]);
            Trs { translation, rotation, scale }.checked().map_err(said)
        };
        (0..count.unwrap_or(0)).map(one).collect()
    }

    /// Reads the triangles of a mesh, with the joints of their vertices if it is skinned.
    fn mesh(
        &mut self,
        number: usize,
        is_skinned: bool,
        model: &mut AnimatedModel,
    ) -> Result<MeshParts, String> {
        let list = &self.document.meshes;
        let text = list.get(number).ok_or_else(|| format!("meshes[{number}] of {}", list.len()))?;
        let mesh: Mesh<'a> =
            serde_json::from_str(text.get()).map_err(|e| format!("meshes[{number}]: {e}"))?;
        for extension in mesh.extensions.keys().filter(|e| !is_understood(e)) {
            push_note(
                &mut model.unread,
                format!("meshes[{number}]: the extension {extension} is not understood"),
            );
        }
        let name = mesh.name.map(Cow::into_owned);
        let mut parts = MeshParts { name, pieces: Vec::new(), weights: None, n_thin: 0 };
        let mut seen: HashSet<Key<'a>> = HashSet::new();
        let mut n_repeated = 0_usize;
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let item = || format!("meshes[{number}].primitives[{i}]");
            let extensions = primitive.extensions.iter().flat_map(BTreeMap::keys);
            for extension in extensions.filter(|e| !is_understood(e)) {
                push_note(
                    &mut model.unread,
                    format!("{}: the extension {extension} is not understood", item()),
                );
            }
            let mode = primitive.mode.unwrap_or(4);
            match mode {
                4..=6 => {}
                0..=3 => {
                    parts.n_thin += 1;
                    continue;
                }
                _ => {
                    push_note(&mut model.unread, format!("{}: the mode {mode} is not understood", item()));
                    continue;
                }
            }
            let position = primitive.attributes.get("POSITION").copied();
            let position = position.ok_or_else(|| format!("{}: no POSITION", item()))?;
            let said = |e: String| format!("{}: {e}", item());
            let joints = if is_skinned { motion::joint_sets(&primitive.attributes) } else { Ok(Vec::new()) };
            let joints = joints.map_err(said)?;
            let targets = primitive.targets.map_or("[]", |targets| targets.get());
            if !seen.insert((position, primitive.indices, mode, joints.clone(), targets)) {
                n_repeated += 1;
                continue;
            }
            let (mesh, used) = self.primitive((position, primitive.indices, mode)).map_err(said)?;
            let rest = Arc::new(mesh.checked_at(self.path, &item()).map_err(|e| e.to_string())?);
            let n = self.elements(position)?.len();
            let targets = self.targets(targets, &used, n).map_err(said)?;
            let influences = match is_skinned {
                true => Some(self.influences(&joints, &used, n, &item(), model).map_err(said)?),
                false => None,
            };
            let first = parts.pieces.first().map_or(targets.len(), |piece| piece.targets.len());
            if targets.len() != first {
                return Err(said(format!("{} morph targets, and {first} in the first one", targets.len())));
            }
            parts.pieces.push(Arc::new(MovingMesh { rest, targets, influences }));
        }
        if 0 < n_repeated {
            push_note(
                &mut model.notes,
                format!(
                    "meshes[{number}]: {n_repeated} primitives repeat others of the mesh and are read once"
                ),
            );
        }
        if let Some(piece) = parts.pieces.first().filter(|piece| !piece.targets.is_empty()) {
            let weights = mesh.weights.unwrap_or_else(|| vec![0.0; piece.targets.len()]);
            check_weights(&weights, piece.targets.len()).map_err(|e| format!("meshes[{number}]: {e}"))?;
            parts.weights = Some(weights.into());
        }
        Ok(parts)
    }

    /// Reads the triangles of a primitive with the vertices that they use. Returns the indices of
    /// these vertices too.
    fn primitive(
        &mut self,
        (position, indices, mode): (usize, Option<usize>, u64),
    ) -> Result<(RawMesh, Vec<u32>), String> {
        let positions = self.elements(position)?;
        if positions.n_components() != 3 {
            return Err("POSITION is not three numbers".to_owned());
        }
        let n = positions.len();
        let corners: Vec<u32> = match indices {
            None => {
                self.files.count_triangles(n / 3)?;
                (0..u32::try_from(n).map_err(|_| "too many vertices".to_owned())?).collect()
            }
            Some(indices) => {
                let indices = self.elements(indices)?;
                if indices.n_components() != 1 || !indices.is_whole() {
                    return Err("indices are not whole numbers".to_owned());
                }
                self.files.count_triangles(indices.len() / 3)?;
                (0..indices.len()).map(|i| indices.get(i)[0] as u32).collect()
            }
        };
        if let Some(v) = corners.iter().find(|v| n <= **v as usize) {
            return Err(format!("vertex {v} of {n}, counted from 0"));
        }
        let mut mesh = RawMesh::default();
        match mode {
            5 => mesh.push_strip(&corners),
            6 => mesh.push_polygon(&corners),
            _ => {
                let (triangles, rest) = corners.as_chunks::<3>();
                if !rest.is_empty() {
                    return Err(format!("{} corners are no whole number of triangles", corners.len()));
                }
                mesh.triangles = triangles.to_vec();
            }
        }
        let used = used_vertices(&mesh.triangles);
        renumber(&used, &mut mesh.triangles);
        let vertex = |v: &u32| {
            let [x, y, z, _] = positions.get(*v as usize);
            DVec3::new(x, y, z)
        };
        mesh.vertices = used.iter().map(vertex).collect();
        Ok((mesh, used))
    }

    /// Returns the elements of an accessor, with all ranges checked.
    fn elements(&mut self, number: usize) -> Result<Elements, String> {
        let item = match self.accessors.get(&number) {
            Some(item) => item.clone(),
            None => {
                let item: Accessor<'a> = Self::short_item(&self.document.accessors, "accessors", number)?;
                let item = Rc::new(item.checked(number)?);
                self.accessors.insert(number, item.clone());
                item
            }
        };
        let n_bytes = self.files.n_bytes();
        self.files.count_sparse(item.n_sparse())?;
        let mut view = |number: usize| -> Result<(Arc<Vec<u8>>, BufferView), String> {
            let view = match self.views.get(&number) {
                Some(view) => *view,
                None => Self::short_item(&self.document.buffer_views, "bufferViews", number)?,
            };
            self.views.insert(number, view);
            Ok((self.buffer(view.buffer)?, view))
        };
        item.elements(number, n_bytes, &mut view)
    }

    /// Returns a buffer; each is read once.
    fn buffer(&mut self, number: usize) -> Result<Arc<Vec<u8>>, String> {
        if let Some(buffer) = self.buffers.get(&number) {
            return buffer.clone();
        }
        let read = self.read_buffer(number);
        self.buffers.insert(number, read.clone());
        read
    }

    fn read_buffer(&mut self, number: usize) -> Result<Arc<Vec<u8>>, String> {
        let item: BufferItem<'a> = Self::short_item(&self.document.buffers, "buffers", number)?;
        let data = match &item.uri {
            None => {
                let blob = self.blob.filter(|_| number == 0);
                let blob = blob.ok_or("no binary chunk, but a buffer that asks for it")?;
                Arc::new(blob.to_vec())
            }
            Some(uri) => self.uri(uri, item.byte_length)?,
        };
        if (data.len() as u64) < item.byte_length {
            let (n, there) = (item.byte_length, data.len());
            return Err(format!("buffers[{number}]: truncated: {n} bytes announced, {there} there"));
        }
        Ok(data)
    }

    /// Reads a buffer from a file beside the document, or from a data URI.
    fn uri(&mut self, uri: &str, n: u64) -> Result<Arc<Vec<u8>>, String> {
        if let Some(data) = uri.strip_prefix("data:") {
            let (_, encoded) = data.split_once(";base64,").ok_or("a data URI that is not base64")?;
            let data = base64::engine::general_purpose::STANDARD.decode(encoded);
            return data.map(Arc::new).map_err(|e| format!("a data URI: {e}"));
        }
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let file = self.files.inside(folder.join(percent_decoded(uri)?), folder)?;
        self.files.buffer(&file, n).map_err(|e| e.to_string())
    }
}

/// Returns a node's own transform; `None` is the identity.
///
/// Errors: a matrix whose last row is not 0 0 0 1, or a rotation of length 0.
fn local(node: &Node<'_>) -> Result<Option<Local>, String> {
    if let Some(matrix) = &node.matrix {
        return Ok(Some(Local::Matrix(Placement::of_columns(matrix)?)));
    }
    if let (None, None, None) = (node.translation, node.rotation, node.scale) {
        return Ok(None);
    }
    let usual = Trs::IDENTITY;
    let steps = Trs {
        translation: node.translation.unwrap_or(usual.translation),
        rotation: node.rotation.unwrap_or(usual.rotation),
        scale: node.scale.unwrap_or(usual.scale),
    };
    Ok(Some(Local::Steps(steps.checked()?)))
}

/// Returns an error unless there is a weight for each target.
fn check_weights(weights: &[f64], n_targets: usize) -> Result<(), String> {
    if weights.len() == n_targets {
        return Ok(());
    }
    Err(format!("{} weights for {n_targets} morph targets", weights.len()))
}

/// Returns an error if a joint index of the mesh is beyond the skin's joints.
fn check_joints(mesh: &MeshParts, skin: &Skin) -> Result<(), String> {
    for influences in mesh.pieces.iter().filter_map(|piece| piece.influences.as_ref()) {
        let (joint, vertex) = influences.highest;
        if skin.joints.len() <= joint as usize {
            let n = skin.joints.len();
            return Err(format!("vertex {vertex} has the joint {joint} of {n} of skins[{}]", skin.number));
        }
    }
    Ok(())
}

/// Returns `uri` with percent encodings such as `%20` decoded. A percent sign without two digits
/// stays as it is.
///
/// Errors: the bytes are no UTF-8.
fn percent_decoded(uri: &str) -> Result<String, String> {
    let bytes = uri.as_bytes();
    let digit = |i: usize| bytes.get(i).and_then(|c| char::from(*c).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        match (bytes[i], digit(i + 1), digit(i + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((16 * high + low) as u8);
                i += 3;
            }
            (byte, ..) => {
                out.push(byte);
                i += 1;
            }
        }
    }
    String::from_utf8(out).map_err(|_| format!("the name {uri:?} is no UTF-8 when it is decoded"))
}
