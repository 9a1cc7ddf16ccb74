//! The mesh of a COLLADA geometry: positions, and the corners of its primitives.
//!
//! 1. A primitive has tuples of indices; the one at the offset of its input `VERTEX` is the corner.
//! 2. The counts of the elements must be those of the numbers (test:
//!    `collada::counts_are_those_of_the_file`).
//!
//! Reference: Khronos Group, COLLADA - Digital Asset Schema Release 1.4.1, 2008, chapter 5,
//! elements mesh, accessor, polylist and polygons.

use super::{local, shown};
use crate::files::Files;
use crate::part::{RawMesh, push_note};
use crate::polygon::{Quirks, triangulate};
use crate::xml_tree::Node;
use glam::DVec3;
use std::path::Path;

/// Reads the mesh of a geometry; `name` is its name in notes.
pub(super) fn read(
    geometry: Node<'_, '_>,
    name: &str,
    files: &mut Files<'_>,
    quirks: &mut Quirks,
    notes: &mut Vec<String>,
) -> Result<RawMesh, String> {
    let shape = geometry.children().find(|child| !matches!(child.name(), "asset" | "extra"));
    let shape = shape.ok_or_else(|| "no mesh".to_owned())?;
    if shape.name() != "mesh" {
        return Err(format!("{} is not read; mesh is", shown(shape.name())));
    }
    let mut mesh = RawMesh { vertices: positions(shape)?, triangles: Vec::new() };
    let vertices = shape.child("vertices").and_then(|vertices| vertices.get("id"));
    let n_vertices = mesh.vertices.len();
    let mut n_thin = 0;
    for element in shape.children() {
        let kind = element.name();
        match kind {
            "source" | "vertices" | "extra" => continue,
            "lines" | "linestrips" => {
                n_thin += 1;
                continue;
            }
            "triangles" | "tristrips" | "trifans" | "polylist" | "polygons" => {}
            other => return Err(format!("{} is not understood", shown(other))),
        }
        let count = count_of(element)?;
        // An element of no primitives may have no input.
        if count == Some(0) && element.child("p").is_none() {
            continue;
        }
        let tuples = Tuples::new(element, vertices, n_vertices)?;
        let runs = tuples.runs(element)?;
        let at = |e: String| format!("{kind}: {e}");
        add(element, &runs, count, &mut mesh, quirks, name).map_err(at)?;
        files.check_mesh(&mesh)?;
    }
    if 0 < n_thin {
        push_note(notes, format!("geometry {name}: lines are left out: no surface"));
    }
    files.count_triangles(mesh.triangles.len())?;
    let checked = mesh.checked_at(Path::new(""), "");
    checked.map_err(|e| e.to_string().trim_start_matches(": ").to_owned())
}

/// Returns the attribute `count`.
fn count_of(element: Node<'_, '_>) -> Result<Option<usize>, String> {
    let Some(text) = element.get("count") else { return Ok(None) };
    let number = text.trim().parse();
    number.map(Some).map_err(|_| format!("{}: count is {:?}", element.name(), shown(text)))
}

/// Returns an attribute that is a number; `usual` if it is missing.
fn attribute(element: Node<'_, '_>, name: &str, usual: Option<usize>) -> Result<usize, String> {
    let Some(text) = element.get(name) else {
        return usual.ok_or_else(|| format!("{} without {name}", element.name()));
    };
    text.trim().parse().map_err(|_| format!("{}: {name} is {:?}", element.name(), shown(text)))
}

/// Returns the positions of the vertices.
fn positions(mesh: Node<'_, '_>) -> Result<Vec<DVec3>, String> {
    let vertices = mesh.child("vertices").ok_or("no element vertices")?;
    let mut inputs = vertices.all("input");
    let input = inputs.find(|input| input.get("semantic") == Some("POSITION"));
    let input = input.ok_or("vertices without an input POSITION")?;
    let id = local(input.get("source").unwrap_or_default())?;
    let source = mesh.all("source").find(|source| source.get("id") == Some(id));
    let source = source.ok_or_else(|| format!("there is no source {:?}", shown(id)))?;
    let array = source.child("float_array").ok_or_else(|| format!("source {}: no float_array", shown(id)))?;
    let mut numbers = Vec::new();
    for word in array.text().split_whitespace() {
        let number: f64 = word.parse().map_err(|_| format!("{:?} is not a number", shown(word)))?;
        numbers.push(number);
    }
    if let Some(count) = count_of(array)?
        && count != numbers.len()
    {
        return Err(format!("float_array: {count} numbers announced, {} there", numbers.len()));
    }
    let accessor = source.child("technique_common").and_then(|common| common.child("accessor"));
    let accessor = accessor.ok_or_else(|| format!("source {}: no accessor", shown(id)))?;
    let array_id = local(accessor.get("source").unwrap_or_default())?;
    if array.get("id") != Some(array_id) {
        return Err(format!("the accessor of source {} names no array of it", shown(id)));
    }
    let axes = axes(accessor)?;
    let stride = attribute(accessor, "stride", Some(1))?;
    let offset = attribute(accessor, "offset", Some(0))?;
    let count = attribute(accessor, "count", None)?;
    if stride <= axes.into_iter().max().unwrap_or(0) {
        return Err(format!("accessor: a stride of {stride} is too short for X, Y and Z"));
    }
    let end = count.checked_mul(stride).and_then(|n| n.checked_add(offset));
    if end.is_none_or(|end| numbers.len() < end) {
        return Err(format!("accessor: {count} times {stride} numbers, {} there", numbers.len()));
    }
    let at = |i: usize, axis: usize| numbers[offset + i * stride + axes[axis]];
    Ok((0..count).map(|i| DVec3::new(at(i, 0), at(i, 1), at(i, 2))).collect())
}

/// Returns the indices of X, Y and Z in a tuple. A parameter without a name is skipped.
fn axes(accessor: Node<'_, '_>) -> Result<[usize; 3], String> {
    let names: Vec<&str> = accessor.all("param").map(|param| param.get("name").unwrap_or("")).collect();
    let find = |axis: &str| names.iter().position(|name| name.eq_ignore_ascii_case(axis));
    if let (Some(x), Some(y), Some(z)) = (find("X"), find("Y"), find("Z")) {
        return Ok([x, y, z]);
    }
    let mut named: Vec<usize> = (0..names.len()).filter(|i| !names[*i].is_empty()).collect();
    if named.is_empty() {
        named = (0..names.len()).collect();
    }
    match named[..] {
        [x, y, z] => Ok([x, y, z]),
        _ => Err(format!("accessor: {} parameters, not X, Y and Z", named.len())),
    }
}

/// The tuples of indices of a primitive.
struct Tuples {
    /// The number of indices of a tuple.
    stride: usize,
    /// The index of the corner in a tuple.
    corner: usize,
    n_vertices: usize,
}

impl Tuples {
    fn new(element: Node<'_, '_>, vertices: Option<&str>, n_vertices: usize) -> Result<Tuples, String> {
        // Inputs may share offsets; each offset is one index.
        const MAX_OFFSET: usize = 255;
        let kind = element.name();
        let mut corner = None;
        let mut stride = 0;
        for input in element.all("input") {
            let offset = attribute(input, "offset", Some(0))?;
            if MAX_OFFSET < offset {
                return Err(format!("{kind}: an input with offset {offset}"));
            }
            stride = stride.max(offset + 1);
            if input.get("semantic") == Some("VERTEX") {
                let id = local(input.get("source").unwrap_or_default())?;
                if vertices != Some(id) {
                    return Err(format!("{kind}: there are no vertices {:?}", shown(id)));
                }
                corner.get_or_insert(offset);
            }
        }
        let corner = corner.ok_or_else(|| format!("{kind}: no input VERTEX"))?;
        Ok(Tuples { stride, corner, n_vertices })
    }

    /// Returns the corners of each element `p`.
    fn runs(&self, element: Node<'_, '_>) -> Result<Vec<Vec<u32>>, String> {
        let kind = element.name();
        if element.child("ph").is_some() {
            return Err(format!("{kind}: polygons with holes are not read: export triangles"));
        }
        element.all("p").map(|p| self.corners(p).map_err(|e| format!("{kind}: {e}"))).collect()
    }

    fn corners(&self, p: Node<'_, '_>) -> Result<Vec<u32>, String> {
        let mut corners = Vec::new();
        let mut n = 0;
        for word in p.text().split_whitespace() {
            let number: i64 = word.parse().map_err(|_| format!("{:?} is not an index", shown(word)))?;
            if n % self.stride == self.corner {
                match usize::try_from(number) {
                    Ok(vertex) if vertex < self.n_vertices => corners.push(vertex as u32),
                    _ => return Err(format!("vertex {number} of {}, counted from 0", self.n_vertices)),
                }
            }
            n += 1;
        }
        if n % self.stride != 0 {
            return Err(format!("{n} indices, not a multiple of {}", self.stride));
        }
        Ok(corners)
    }
}

/// Adds the triangles of a primitive element.
fn add(
    element: Node<'_, '_>,
    runs: &[Vec<u32>],
    count: Option<usize>,
    mesh: &mut RawMesh,
    quirks: &mut Quirks,
    name: &str,
) -> Result<(), String> {
    let announced = |n: usize| match count {
        Some(count) if count != n => Err(format!("{count} announced, {n} there")),
        _ => Ok(()),
    };
    match element.name() {
        "triangles" => {
            let corners: Vec<u32> = runs.concat();
            if !corners.len().is_multiple_of(3) {
                return Err(format!("{} corners, not a multiple of 3", corners.len()));
            }
            announced(corners.len() / 3)?;
            mesh.triangles.extend(corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]));
        }
        "tristrips" => {
            announced(runs.len())?;
            runs.iter().for_each(|run| mesh.push_strip(run));
        }
        "trifans" => {
            announced(runs.len())?;
            runs.iter().for_each(|run| mesh.push_polygon(run));
        }
        "polygons" => {
            announced(runs.len())?;
            for (i, run) in runs.iter().enumerate() {
                polygon(run, i, mesh, quirks, name)?;
            }
        }
        _ => {
            let corners: Vec<u32> = runs.concat();
            let words = element.all("vcount").flat_map(|vcount| vcount.text().split_whitespace());
            let (mut start, mut n) = (0_usize, 0);
            for word in words {
                let size: usize = word.parse().map_err(|_| format!("vcount: {:?}", shown(word)))?;
                let run = start.checked_add(size).and_then(|end| corners.get(start..end));
                let run =
                    run.ok_or_else(|| format!("vcount: more corners than the {} there", corners.len()))?;
                polygon(run, n, mesh, quirks, name)?;
                start += size;
                n += 1;
            }
            announced(n)?;
            if start != corners.len() {
                return Err(format!("vcount: {start} corners, {} there", corners.len()));
            }
        }
    }
    Ok(())
}

fn polygon(
    corners: &[u32],
    number: usize,
    mesh: &mut RawMesh,
    quirks: &mut Quirks,
    name: &str,
) -> Result<(), String> {
    if corners.len() < 3 {
        return Err(format!("polygon {number} with {} corners", corners.len()));
    }
    triangulate(mesh, corners, quirks, || format!("polygon {number} of {name}"))
}
