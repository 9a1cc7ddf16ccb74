//! Shapes in the questions of `batch`, and a cache for those from files.
//!
//! The last files and the last trees are kept. A mesh has a tree for each scale and pose that a
//! question gives it. Trees of octrees and point clouds do not depend on the pose.

use crate::remarks::Remarks;
use crate::solid::{self, ShapeSpec, Solid, Winding};
use carom_io::scene_json::{read_matrix, read_numbers, read_rows};
use carom_io::{Options, Placement, RawMesh};
use carom_query::f64::VoxelBox;
use glam::DVec3;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most baked meshes that are kept: questions about one pair in many poses need two at a time.
const MAX_BAKED: usize = 8;

/// The most files that are kept.
const MAX_FILES: usize = 64;

/// File, scale and placement by their bits.
type Key = (PathBuf, u64, [u64; 16]);

/// A cache of the shapes that were read from files.
pub(crate) struct Shapes {
    winding: Winding,
    files: Vec<(PathBuf, Arc<RawMesh>, Remarks)>,
    /// The most recently used is last.
    baked: Vec<(Key, Solid)>,
    /// Octrees and point clouds, by what they were read from and the scale. The most recently used
    /// is last.
    clusters: Vec<(ShapeSpec, f64, Solid)>,
}

impl Shapes {
    /// Returns an empty cache. `winding` applies to all meshes.
    pub(crate) fn new(winding: Winding) -> Shapes {
        Shapes { winding, files: Vec::new(), baked: Vec::new(), clusters: Vec::new() }
    }

    /// Returns the shape `key` of a question, placed by its member `pose_key` or `matrix_key`.
    pub(crate) fn read(&mut self, question: &Value, key: &str) -> Result<Solid, String> {
        let shape = question.get(key).ok_or_else(|| format!("no shape {key:?}"))?;
        let named = |e: String| format!("{key:?}: {e}");
        let placement = read_placement(question, key)?;
        let scale = match shape.get("scale") {
            None => 1.0,
            Some(scale) => scale
                .as_f64()
                .filter(|s| 0.0 < *s && s.is_finite())
                .ok_or_else(|| named(format!("a scale of {scale}")))?,
        };
        if let Some(path) = shape.get("file") {
            check_members(shape, &["file", "scale"]).map_err(named)?;
            let path = path.as_str().ok_or_else(|| named("\"file\" is not a string".to_owned()))?;
            return match solid::spec_of_file(Path::new(path)) {
                spec @ ShapeSpec::Octree(_) => self.cluster(spec, scale, &placement).map_err(named),
                _ => self.file(Path::new(path), scale, &placement).map_err(named),
            };
        }
        let spec = read_shape(shape).map_err(named)?;
        if matches!(spec, ShapeSpec::Octree(_) | ShapeSpec::Points(..)) {
            return self.cluster(spec, scale, &placement).map_err(named);
        }
        let mut solid = solid::build(&spec, scale, &placement, self.winding).map_err(named)?;
        solid.remarks.notes.iter_mut().for_each(|note| *note = format!("{key:?}: {note}"));
        solid.name = format!("{key:?}: {}", solid.name);
        Ok(solid)
    }

    fn cluster(&mut self, spec: ShapeSpec, scale: f64, placement: &Placement) -> Result<Solid, String> {
        let known = self.clusters.iter().position(|(kept, at, _)| *kept == spec && *at == scale);
        let entry = match known {
            Some(at) => self.clusters.remove(at),
            None => {
                let solid = solid::build(&spec, scale, &Placement::IDENTITY, self.winding)?;
                (spec, scale, solid)
            }
        };
        let solid = Solid { pose: placement.pose(), ..entry.2.clone() };
        if self.clusters.len() == MAX_BAKED {
            self.clusters.remove(0);
        }
        self.clusters.push(entry);
        Ok(solid)
    }

    fn file(&mut self, path: &Path, scale: f64, placement: &Placement) -> Result<Solid, String> {
        let key = (path.to_path_buf(), scale.to_bits(), placement.0.map(f64::to_bits));
        if let Some(at) = self.baked.iter().position(|(k, _)| *k == key) {
            let entry = self.baked.remove(at);
            let solid = entry.1.clone();
            self.baked.push(entry);
            return Ok(solid);
        }
        let (mesh, remarks) = match self.files.iter().find(|(p, _, _)| p == path) {
            Some((_, mesh, remarks)) => (mesh.clone(), remarks.clone()),
            None => {
                let (mesh, remarks) = solid::read_file(path, &Options::default())?;
                let mesh = Arc::new(mesh);
                if self.files.len() == MAX_FILES {
                    self.files.remove(0);
                }
                self.files.push((path.to_path_buf(), mesh.clone(), remarks.clone()));
                (mesh, remarks)
            }
        };
        let solid = solid::bake(&path.display().to_string(), mesh, scale, placement, self.winding)?;
        let mut remarks = remarks.placed(scale, placement);
        remarks.add(&solid.remarks);
        let solid = Solid { remarks, ..solid };
        if self.baked.len() == MAX_BAKED {
            self.baked.remove(0);
        }
        self.baked.push((key, solid.clone()));
        Ok(solid)
    }
}

/// Reads `pose_a` or `matrix_a` for the shape `a`; the identity if there is neither.
fn read_placement(question: &Value, key: &str) -> Result<Placement, String> {
    let (pose_key, matrix_key) = (format!("pose_{key}"), format!("matrix_{key}"));
    match (question.get(&pose_key), question.get(&matrix_key)) {
        (None, None) => Ok(Placement::IDENTITY),
        (Some(_), Some(_)) => Err(format!("both {pose_key:?} and {matrix_key:?}")),
        (Some(pose), None) => {
            let numbers = read_numbers(pose).map_err(|e| format!("{pose_key:?}: {e}"))?;
            let seven = <[f64; 7]>::try_from(numbers.as_slice())
                .map_err(|_| format!("{pose_key:?}: {} numbers; 7 are needed", numbers.len()))?;
            solid::placement_of_pose(&seven).map_err(|e| format!("{pose_key:?}: {e}"))
        }
        (None, Some(matrix)) => {
            let placement = read_matrix(matrix).map_err(|e| format!("{matrix_key:?}: {e}"))?;
            solid::rigid_placement(&placement.0).map_err(|e| format!("{matrix_key:?}: {e}"))
        }
    }
}

/// Reads any shape but a file.
fn read_shape(value: &Value) -> Result<ShapeSpec, String> {
    let members = value.as_object().ok_or("not an object")?;
    let mut known = members.iter().filter(|(key, _)| *key != "scale");
    let (Some((kind, value)), None) = (known.next(), known.next()) else {
        return Err("one member, the kind of shape, is needed".to_owned());
    };
    let in_kind = |e: String| format!("{kind}: {e}");
    match kind.as_str() {
        "sphere" => {
            let radius = value.as_f64().map(|r| [r]).or_else(|| exactly(value).ok());
            let [radius] = radius.ok_or_else(|| in_kind("a radius is needed".to_owned()))?;
            Ok(ShapeSpec::Sphere(radius))
        }
        "box" => Ok(ShapeSpec::Box(exactly(value).map_err(in_kind)?)),
        "capsule" => Ok(ShapeSpec::Capsule(exactly(value).map_err(in_kind)?)),
        "tapered" => Ok(ShapeSpec::Tapered(exactly(value).map_err(in_kind)?)),
        "round-box" => Ok(ShapeSpec::RoundBox(exactly(value).map_err(in_kind)?)),
        "cylinder" => Ok(ShapeSpec::Cylinder(exactly(value).map_err(in_kind)?)),
        "cone" => Ok(ShapeSpec::Cone(exactly(value).map_err(in_kind)?)),
        "torus" => Ok(ShapeSpec::Torus(exactly(value).map_err(in_kind)?)),
        "ellipsoid" => Ok(ShapeSpec::Ellipsoid(exactly(value).map_err(in_kind)?)),
        "hull" => Ok(ShapeSpec::Hull(points(value).map_err(in_kind)?)),
        "mesh" => {
            let member = |key: &str| value.get(key).ok_or_else(|| in_kind(format!("no {key:?}")));
            check_members(value, &["vertices", "triangles"]).map_err(in_kind)?;
            let vertices = points(member("vertices")?).map_err(in_kind)?;
            let mut triangles = Vec::new();
            let in_triangles = |e: String| in_kind(format!("triangles: {e}"));
            for (i, corners) in read_rows::<3>(member("triangles")?).map_err(in_triangles)?.iter().enumerate()
            {
                let is_vertex = |x: &f64| 0.0 <= *x && *x < vertices.len() as f64 && x.fract() == 0.0;
                if let Some(x) = corners.iter().find(|x| !is_vertex(x)) {
                    return Err(in_kind(format!("triangle {i}: {x} is no vertex of {}", vertices.len())));
                }
                triangles.push(corners.map(|x| x as u32));
            }
            Ok(ShapeSpec::Mesh(RawMesh { vertices, triangles }))
        }
        "octree" => {
            let path = value.as_str().ok_or_else(|| in_kind("not the name of a file".to_owned()))?;
            Ok(ShapeSpec::Octree(path.into()))
        }
        "points" => {
            check_members(value, &["radius", "file", "at"]).map_err(in_kind)?;
            let radius = value.get("radius").and_then(Value::as_f64);
            let radius = radius.ok_or_else(|| in_kind("a \"radius\" is needed".to_owned()))?;
            match (value.get("file"), value.get("at")) {
                (Some(Value::String(file)), None) => Ok(ShapeSpec::Points(radius, file.into())),
                (None, Some(at)) => Ok(ShapeSpec::PointList(radius, points(at).map_err(in_kind)?)),
                _ => Err(in_kind("a \"file\", or points \"at\", are needed".to_owned())),
            }
        }
        "voxels" => {
            check_members(value, &["cell", "origin", "boxes"]).map_err(in_kind)?;
            let member = |key: &str| value.get(key).ok_or_else(|| in_kind(format!("no {key:?}")));
            let cell = member("cell")?;
            let one = cell.as_f64().map(DVec3::splat);
            let cell = one.map_or_else(|| exactly(cell).map(DVec3::from_array), Ok).map_err(in_kind)?;
            let origin = value.get("origin").map_or(Ok([0.0; 3]), exactly).map_err(in_kind)?;
            let boxes = voxel_boxes(member("boxes")?).map_err(in_kind)?;
            Ok(ShapeSpec::Voxels(DVec3::from_array(origin), cell, boxes))
        }
        _ => Err(format!(
            "unknown shape {kind:?}; known are sphere box round-box capsule tapered cylinder cone torus ellipsoid hull mesh \
             octree points voxels file"
        )),
    }
}

/// Reads a list of `N` numbers.
fn exactly<const N: usize>(value: &Value) -> Result<[f64; N], String> {
    let numbers = read_numbers(value)?;
    numbers.as_slice().try_into().map_err(|_| format!("{} numbers; {N} are needed", numbers.len()))
}

/// Reads boxes of cells: the first and the last cell of each, six numbers, flat or in lists.
fn voxel_boxes(value: &Value) -> Result<Vec<VoxelBox>, String> {
    let boxes = read_rows::<6>(value).map_err(|e| format!("boxes: {e}"))?;
    let is_cell = |x: &f64| (0.0..=65535.0).contains(x) && x.fract() == 0.0;
    if let Some(x) = boxes.as_flattened().iter().find(|x| !is_cell(x)) {
        return Err(format!("{x} is no cell from 0 to 65535"));
    }
    let cells = |row: &[f64; 6], from: usize| core::array::from_fn(|k| row[from + k] as u16);
    Ok(boxes.iter().map(|row| VoxelBox { first: cells(row, 0), last: cells(row, 3) }).collect())
}

/// Reads points, three numbers each, flat or in lists.
fn points(value: &Value) -> Result<Vec<DVec3>, String> {
    let rows = read_rows::<3>(value).map_err(|e| format!("points: {e}"))?;
    Ok(rows.into_iter().map(DVec3::from_array).collect())
}

/// Returns an error if an object has a member that is not `known`. Other values have no members.
pub(crate) fn check_members(value: &Value, known: &[&str]) -> Result<(), String> {
    let members = value.as_object().into_iter().flat_map(|members| members.keys());
    match members.into_iter().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown member {key:?}; known are {}", known.join(" "))),
        None => Ok(()),
    }
}
