//! COLLADA 1.4 and 1.5: each node of the scene with geometry is a part, placed by its ancestors.
//!
//! 1. Triangles, strips, fans, polygons and lists of polygons are read; lines are left out with a
//!    note. Equal instances share one mesh.
//! 2. Coordinates stay in the unit and the frame of the file, as [`Model::metres`] and
//!    [`Model::up`] say. A robot's meshes are scaled to metres.
//! 3. Instances of nodes are followed. Their depth is limited, and so is the number of nodes, in
//!    proportion to the file (test: `collada::instances_of_instances_are_limited`).
//! 4. Skins, morphs, splines, holes of polygons and references to other files are an error, or are
//!    listed as unread with `keep_going`.
//!
//! Reference: Khronos Group, COLLADA - Digital Asset Schema Release 1.4.1, 2008, chapter 5.

mod geometry;

use crate::error::{Location, ReadError};
use crate::files::Files;
use crate::limits::{FREE_NODES, MAX_COLLADA_DEPTH, MAX_NAME_CHARS, NODES_PER_ELEMENT, TRIANGLES_PER_PART};
use crate::model::Model;
use crate::part::{Flattening, Part, Piece, Placement, RawMesh, push_note};
use crate::polygon::Quirks;
use crate::xml_tree::{Node, Tree};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Units that have a name: the length in metres, and the name.
const UNITS: [(f64, &str); 6] =
    [(1.0, "m"), (0.01, "cm"), (0.001, "mm"), (1e-6, "um"), (0.0254, "in"), (0.3048, "ft")];

/// Elements of a node without a surface.
const NO_GEOMETRY: [&str; 4] = ["asset", "extra", "instance_camera", "instance_light"];

/// Reads the bytes of a COLLADA file.
pub(crate) fn parse(bytes: &[u8], path: &Path, files: &mut Files<'_>) -> Result<Model, ReadError> {
    let whole = |reason: String| ReadError::at(path, Location::File, reason);
    // Names may have any encoding; numbers are ASCII.
    let text = String::from_utf8_lossy(bytes);
    let tree = Tree::parse(&text).map_err(|e| whole(format!("not a valid COLLADA file: {e}")))?;
    let root = tree.root();
    if root.name() != "COLLADA" {
        return Err(whole(format!("{}: not a COLLADA file", shown(root.name()))));
    }
    let mut model = Model::new(Vec::new());
    read_asset(&tree, &mut model).map_err(whole)?;
    let mut scene = Scene {
        geometries: by_id(&tree, "geometry").map_err(whole)?,
        nodes: by_id(&tree, "node").map_err(whole)?,
        meshes: HashMap::new(),
        quirks: Quirks::default(),
        max_nodes: FREE_NODES + NODES_PER_ELEMENT * tree.len(),
        path,
        files,
        model,
    };
    let n_geometries = scene.geometries.len();
    match scene_of(root).map_err(whole)? {
        Some(node) => scene.read(node)?,
        None => {
            scene.model.notes.push("no scene: each geometry is a part where it is".to_owned());
            let all: Vec<Node<'_, '_>> =
                root.all("library_geometries").flat_map(|library| library.all("geometry")).collect();
            for geometry in all {
                let mesh = scene.mesh_of(geometry);
                let name = called(geometry, "geometry");
                match mesh {
                    Ok(mesh) => scene.push(name, vec![identity(mesh)])?,
                    Err(e) => scene.refuse_or_list(&name, &e)?,
                }
            }
        }
    }
    let n_outside = n_geometries.saturating_sub(scene.meshes.len());
    let mut model = scene.model;
    for note in scene.quirks.notes() {
        push_note(&mut model.notes, note);
    }
    if 0 < n_outside {
        push_note(&mut model.notes, format!("{n_outside} geometries are not in the scene and are left out"));
    }
    if root.all("library_animations").any(|library| library.child("animation").is_some()) {
        push_note(&mut model.notes, "the file has animations: its nodes stand as the scene says".to_owned());
    }
    let scene = root.child("scene");
    for other in ["instance_physics_scene", "instance_kinematics_scene"] {
        if scene.is_some_and(|scene| scene.child(other).is_some()) {
            push_note(&mut model.notes, format!("{other} is not read: the visual scene is"));
        }
    }
    if model.parts.is_empty() {
        let why = model.unread.first().map_or(String::new(), |why| format!(": {why}"));
        return Err(whole(format!("no node with triangles{why}")));
    }
    Ok(model)
}

fn identity(mesh: Arc<RawMesh>) -> Piece {
    Piece { mesh, scale: [1.0; 3], placement: Placement::IDENTITY, solid: 0 }
}

/// Returns a word of the file for a message.
fn shown(word: &str) -> String {
    word.chars().take(40).collect()
}

/// Returns the name of an element: its own, else its id.
fn called(node: Node<'_, '_>, usual: &str) -> String {
    let name = node.get("name").filter(|name| !name.trim().is_empty()).or(node.get("id"));
    name.unwrap_or(usual).chars().take(MAX_NAME_CHARS).collect()
}

/// Reads the unit and the axes of the document.
fn read_asset(tree: &Tree<'_>, model: &mut Model) -> Result<(), String> {
    let root = tree.root();
    let (mut metres, mut up) = (1.0, "y");
    if let Some(asset) = root.child("asset") {
        if let Some(text) = asset.child("unit").and_then(|unit| unit.get("meter")) {
            let number: f64 =
                text.trim().parse().map_err(|_| format!("a unit of {:?} metres", shown(text)))?;
            if !(0.0 < number && number.is_finite()) {
                return Err(format!("a unit of {number} metres"));
            }
            metres = number;
        }
        up = match asset.child("up_axis").map_or("Y_UP", |axis| axis.text().trim()) {
            "X_UP" => "x",
            "Y_UP" => "y",
            "Z_UP" => "z",
            other => return Err(format!("the up axis {:?} is not known", shown(other))),
        };
    }
    let is_close = |(known, _): &&(f64, &str)| (known - metres).abs() <= 1e-9 * known;
    model.unit = UNITS.iter().find(is_close).map(|(_, name)| *name);
    model.metres = Some(metres);
    model.up = Some(up);
    if model.unit.is_none() {
        model.notes.push(format!("the unit is {metres} metres"));
    }
    // Parts of the document may have a unit and axes of their own.
    let is_inner = |asset: &Node<'_, '_>| {
        asset.name() == "asset" && Some(asset.index()) != root.child("asset").map(Node::index)
    };
    let n_inner = tree
        .nodes()
        .filter(is_inner)
        .filter(|asset| asset.child("unit").is_some() || asset.child("up_axis").is_some())
        .count();
    if 0 < n_inner {
        let what = format!(
            "{n_inner} assets inside of the document have units or axes: that of the document counts"
        );
        model.notes.push(what);
    }
    Ok(())
}

/// Returns the elements of this name by their ids. An error if two have the same id.
fn by_id<'t, 'a>(tree: &'t Tree<'a>, name: &str) -> Result<HashMap<&'t str, Node<'t, 'a>>, String> {
    let mut all = HashMap::new();
    for node in tree.nodes().filter(|node| node.name() == name) {
        if let Some(id) = node.get("id")
            && all.insert(id, node).is_some()
        {
            return Err(format!("two elements {name} have the id {:?}", shown(id)));
        }
    }
    Ok(all)
}

/// Returns the visual scene that is shown, if the document has one.
fn scene_of<'t, 'a>(root: Node<'t, 'a>) -> Result<Option<Node<'t, 'a>>, String> {
    let mut scenes = root.all("library_visual_scenes").flat_map(|library| library.all("visual_scene"));
    let wanted = root.child("scene").and_then(|scene| scene.child("instance_visual_scene"));
    let Some(url) = wanted.and_then(|instance| instance.get("url")) else {
        return match (scenes.next(), scenes.next()) {
            (Some(_), Some(_)) => Err("several visual scenes, and none is shown".to_owned()),
            (only, _) => Ok(only),
        };
    };
    let id = local(url)?;
    let found = scenes.find(|scene| scene.get("id") == Some(id));
    found.map(Some).ok_or_else(|| format!("there is no visual scene {:?}", shown(id)))
}

/// Returns the id of a reference within the document.
fn local(url: &str) -> Result<&str, String> {
    url.strip_prefix('#').ok_or_else(|| format!("{:?} refers to another file, which is not read", shown(url)))
}

/// The document that is being read.
struct Scene<'t, 'a, 'f, 'o> {
    geometries: HashMap<&'t str, Node<'t, 'a>>,
    nodes: HashMap<&'t str, Node<'t, 'a>>,
    /// By the index of the geometry.
    meshes: HashMap<u32, Result<Arc<RawMesh>, String>>,
    quirks: Quirks,
    max_nodes: usize,
    path: &'f Path,
    files: &'f mut Files<'o>,
    model: Model,
}

impl<'t, 'a> Scene<'t, 'a, '_, '_> {
    /// Returns an error about an item. If `keep_going`, lists it as unread instead.
    fn refuse_or_list(&mut self, item: &str, reason: &str) -> Result<(), ReadError> {
        if self.files.options.keep_going {
            push_note(&mut self.model.unread, format!("{item}: {reason}"));
            return Ok(());
        }
        Err(ReadError::at(self.path, Location::Item(item.to_owned()), reason))
    }

    /// Reads the nodes of a visual scene, depth first, in the order of the file.
    fn read(&mut self, scene: Node<'t, 'a>) -> Result<(), ReadError> {
        let mut stack: Vec<(Node<'t, 'a>, Placement, usize)> = Vec::new();
        let push_nodes = |stack: &mut Vec<_>, parent: Node<'t, 'a>, placement: Placement, depth: usize| {
            let first = stack.len();
            stack.extend(parent.all("node").map(|node| (node, placement, depth)));
            stack[first..].reverse();
        };
        push_nodes(&mut stack, scene, Placement::IDENTITY, 1);
        let mut n_nodes = 0;
        while let Some((node, parent, depth)) = stack.pop() {
            let name = called(node, "node");
            n_nodes += 1;
            if self.max_nodes < n_nodes {
                let reason =
                    format!("the scene has more than {} nodes, with those of instances", self.max_nodes);
                return Err(ReadError::at(self.path, Location::File, reason));
            }
            if MAX_COLLADA_DEPTH < depth {
                let reason = format!(
                    "nodes are nested deeper than {MAX_COLLADA_DEPTH}, or are instances of themselves"
                );
                return Err(ReadError::at(self.path, Location::Item(name), reason));
            }
            let placed = transform(node).and_then(|own| Placement::affine(parent.after(&own).0));
            let placement = match placed {
                Ok(placement) => placement,
                Err(e) => {
                    // Its children cannot be placed either.
                    self.refuse_or_list(&name, &e)?;
                    continue;
                }
            };
            self.node_part(node, name, &placement)?;
            push_nodes(&mut stack, node, placement, depth + 1);
            let first = stack.len();
            for instance in node.all("instance_node") {
                let url = instance.get("url").unwrap_or_default();
                let found = local(url).and_then(|id| {
                    self.nodes.get(id).copied().ok_or_else(|| format!("there is no node {:?}", shown(id)))
                });
                match found {
                    Ok(inner) => stack.push((inner, placement, depth + 1)),
                    Err(e) => self.refuse_or_list(&called(node, "node"), &e)?,
                }
            }
            stack[first..].reverse();
        }
        Ok(())
    }

    /// Adds the geometry of a node as a part.
    fn node_part(
        &mut self,
        node: Node<'t, 'a>,
        name: String,
        placement: &Placement,
    ) -> Result<(), ReadError> {
        let mut pieces = Vec::new();
        for element in node.children() {
            let read = match element.name() {
                "instance_geometry" => {
                    let url = element.get("url").unwrap_or_default();
                    let found = local(url).and_then(|id| {
                        let known = self.geometries.get(id).copied();
                        known.ok_or_else(|| format!("there is no geometry {:?}", shown(id)))
                    });
                    found.and_then(|geometry| self.mesh_of(geometry)).and_then(|mesh| {
                        let piece = Piece { mesh, scale: [1.0; 3], placement: *placement, solid: 0 };
                        match piece.flattening() {
                            Flattening::None => Ok(Some(piece)),
                            Flattening::Harmless => {
                                let note = format!("{name}: a flat mesh is scaled by 0 across its plane");
                                push_note(&mut self.model.notes, note);
                                Ok(Some(piece))
                            }
                            Flattening::Collapses(t) => {
                                Err(format!("the transforms take the area from triangle {t}"))
                            }
                        }
                    })
                }
                "instance_controller" => Err("a skin or morph is not read: export the mesh alone".to_owned()),
                "node" | "instance_node" => Ok(None),
                kind if TRANSFORMS.contains(&kind) || NO_GEOMETRY.contains(&kind) => Ok(None),
                other => Err(format!("{} is not understood", shown(other))),
            };
            match read {
                Ok(piece) => pieces.extend(piece),
                Err(e) => self.refuse_or_list(&name, &e)?,
            }
        }
        if pieces.is_empty() { Ok(()) } else { self.push(name, pieces) }
    }

    fn push(&mut self, name: String, pieces: Vec<Piece>) -> Result<(), ReadError> {
        let n: usize = pieces.iter().map(|piece| piece.mesh.triangles.len()).sum();
        let counted = self.files.count_placed(n + TRIANGLES_PER_PART as usize);
        counted.map_err(|e| ReadError::at(self.path, Location::File, e))?;
        self.model.parts.push(Part { name, pieces });
        Ok(())
    }

    /// Returns the mesh of a geometry, which is read once.
    fn mesh_of(&mut self, geometry: Node<'t, 'a>) -> Result<Arc<RawMesh>, String> {
        if let Some(known) = self.meshes.get(&geometry.index()) {
            return known.clone();
        }
        let name = called(geometry, "geometry");
        let read = geometry::read(geometry, &name, self.files, &mut self.quirks, &mut self.model.notes);
        let mesh = read.map(Arc::new).map_err(|e| format!("geometry {name}: {e}"));
        self.meshes.insert(geometry.index(), mesh.clone());
        mesh
    }
}

/// The elements that transform a node.
const TRANSFORMS: [&str; 6] = ["matrix", "translate", "rotate", "scale", "lookat", "skew"];

/// Returns the product of the transforms of a node, the first outermost.
fn transform(node: Node<'_, '_>) -> Result<Placement, String> {
    let mut placement = Placement::IDENTITY;
    for element in node.children() {
        let inner = match element.name() {
            "matrix" => Placement::affine(numbers(element)?)?,
            "translate" => {
                let [x, y, z] = numbers(element)?;
                let mut placement = Placement::IDENTITY;
                (placement.0[3], placement.0[7], placement.0[11]) = (x, y, z);
                placement
            }
            "rotate" => rotation(numbers(element)?)?,
            "scale" => Placement::scaling(numbers(element)?),
            name @ ("lookat" | "skew") => return Err(format!("the transform {name} is not read")),
            _ => continue,
        };
        placement = placement.after(&inner);
    }
    Ok(placement)
}

/// Returns the `N` finite numbers of an element.
fn numbers<const N: usize>(element: Node<'_, '_>) -> Result<[f64; N], String> {
    let name = element.name();
    let mut numbers = [0.0; N];
    let mut n = 0;
    for word in element.text().split_whitespace() {
        let x: f64 = word.parse().map_err(|_| format!("{name}: {:?} is not a number", shown(word)))?;
        if !x.is_finite() {
            return Err(format!("{name}: {x} is not finite"));
        }
        if let Some(number) = numbers.get_mut(n) {
            *number = x;
        }
        n += 1;
    }
    if n == N { Ok(numbers) } else { Err(format!("{name}: {n} numbers; {N} are needed")) }
}

/// Returns the rotation about an axis by an angle in degrees. Right angles are exact.
fn rotation([x, y, z, degrees]: [f64; 4]) -> Result<Placement, String> {
    let largest = x.abs().max(y.abs()).max(z.abs());
    if largest == 0.0 {
        return if degrees == 0.0 {
            Ok(Placement::IDENTITY)
        } else {
            Err("rotate: the axis is 0".to_owned())
        };
    }
    // The axis is divided by its largest number first, because squares could overflow.
    let [x, y, z] = [x, y, z].map(|c| c / largest);
    let length = (x * x + y * y + z * z).sqrt();
    let [x, y, z] = [x, y, z].map(|c| c / length);
    let angle = degrees % 360.0;
    let (sin, cos) = match angle.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => angle.to_radians().sin_cos(),
    };
    let rest = 1.0 - cos;
    #[rustfmt::skip]
    let matrix = [
        x * x * rest + cos, x * y * rest - z * sin, x * z * rest + y * sin, 0.0,
        y * x * rest + z * sin, y * y * rest + cos, y * z * rest - x * sin, 0.0,
        z * x * rest - y * sin, z * y * rest + x * sin, z * z * rest + cos, 0.0,
        0.0, 0.0, 0.0, 1.0,
    ];
    Placement::affine(matrix)
}
