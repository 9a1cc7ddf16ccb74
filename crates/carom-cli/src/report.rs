//! The output of a command: lines for people, one JSON document for programs.

use crate::remarks::Remarks;
use crate::solid::Solid;
use carom_math::f64::Pose;
use carom_query::f64::{
    MeshShape, SolidOverlap, SolidRelation, contact_counted, distance, distance_counted, holds_component,
    intersects_counted, separating_plane, solid_overlap, solid_relation, triangle_pairs_counted,
};
use carom_query::{QueryCost, Workspace};
use glam::DVec3;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;

/// The outcome of a command that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was found, such as a collision or a hit.
    Nothing,
    /// Something was found.
    Something,
    /// Some input could not be read, although the command went on.
    BadInput,
}

/// Returns an error as the text with which a command ends.
pub(crate) fn text(error: impl core::fmt::Display) -> String {
    error.to_string()
}

/// Writes a JSON document, or text, to standard output; a closed pipe is not an error.
pub fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("standard output: {e}")),
        _ => Ok(()),
    }
}

/// Returns a vector as a list.
pub fn list(v: DVec3) -> Value {
    // Adding 0 removes the sign of a zero.
    json!((v + 0.0).to_array())
}

/// Formats a number for people: rounded to nine significant digits, without trailing zeros. Very
/// small and very large numbers have an exponent.
pub fn number(x: f64) -> String {
    // Rounded in decimal, not in binary.
    let rounded: f64 = format!("{:.*e}", MAX_DIGITS - 1, x + 0.0).parse().unwrap_or(x);
    let size = rounded.abs();
    if size == 0.0 || (1e-5 <= size && size < 1e15) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// Significant digits of numbers for people. JSON has the shortest form that reads back to the same
/// number.
const MAX_DIGITS: usize = 9;

/// Formats a vector for people.
pub fn spaced(v: DVec3) -> String {
    format!("{} {} {}", number(v.x), number(v.y), number(v.z))
}

/// Returns the end of a sentence about pairs: how many are not known, and how many things were not
/// read. Empty if there are none.
pub(crate) fn open_questions(n_unknown: usize, remarks: &Remarks) -> String {
    let unknown = if n_unknown == 0 { String::new() } else { format!(", {n_unknown} not known") };
    match remarks.unread.len() {
        0 => unknown,
        n => format!("{unknown}; not clear: {} not read", counted(n, "thing was", "things were")),
    }
}

/// Formats a count of things for people.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

/// Writes a file beside its target and renames it, so that a full disk leaves the old file as it
/// was.
pub fn write_file(path: &Path, text: &[u8]) -> Result<(), String> {
    let said = |e: std::io::Error| format!("{}: {e}", path.display());
    // A device or a pipe is written directly; a link is followed.
    let target = match path.metadata() {
        Ok(data) if !data.is_file() => return std::fs::write(path, text).map_err(said),
        Ok(_) => path.canonicalize().map_err(said)?,
        Err(_) => path.to_path_buf(),
    };
    let folder = target.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The file gets the permissions of any new file, and errors do not name it: the user does not
    // know it.
    let open = |at: &Path| std::fs::OpenOptions::new().write(true).create_new(true).open(at);
    let mut file = tempfile::Builder::new().prefix(".carom-").make_in(folder, open).map_err(said)?;
    file.as_file_mut().write_all(text).and_then(|()| file.as_file().sync_all()).map_err(said)?;
    file.persist(&target).map_err(|e| said(e.error))?;
    Ok(())
}

/// Prints the report as lines or as a document. Returns the outcome.
pub(crate) fn finish(
    is_json: bool,
    lines: &[String],
    remarks: &Remarks,
    document: Value,
) -> Result<Outcome, String> {
    match document {
        Value::Object(mut document) if is_json => {
            remarks.add_to(&mut document);
            print(&Value::Object(document).to_string())?;
        }
        _ => print(&lines.join("\n"))?,
    }
    Ok(remarks.outcome(false))
}

/// Returns the counts of a query's cost by their names.
pub fn cost_members(cost: &QueryCost) -> Value {
    json!({
        "nodes": cost.nodes,
        "volume_tests": cost.volume_tests,
        "leaves": cost.leaves,
        "primitives": cost.primitives,
        "pair_tests": cost.pair_tests,
        "axes": cost.axes,
        "feature_pairs": cost.feature_pairs,
        "iterations": cost.iterations,
        "depth_iterations": cost.depth_iterations,
        "supports": cost.supports,
        "samples": cost.samples,
    })
}

/// Returns a line with the counts in the member `cost` of a document, if it has one.
pub fn cost_line(document: &Map<String, Value>) -> Option<String> {
    let counts = document.get("cost")?.as_object()?.iter();
    let counts: Vec<String> =
        counts.map(|(name, count)| format!("{} {count}", name.replace('_', " "))).collect();
    Some(format!("cost: {}", counts.join(", ")))
}

/// Returns the plane between two solids, if one is found: the proof that they do not meet.
pub fn plane_members(a: &Solid, b: &Solid) -> Option<Value> {
    let plane = separating_plane(&a.shape, &a.pose, &b.shape, &b.pose)?;
    Some(json!({
        "normal": list(plane.normal), "end_of_a": plane.end_of_a, "start_of_b": plane.start_of_b,
    }))
}

/// Returns the proof that two solids do not meet: a plane, if one is found, and a lower bound of
/// their distance.
pub fn proof_members(a: &Solid, b: &Solid) -> Map<String, Value> {
    let mut members = Map::new();
    if let Some(plane) = plane_members(a, b) {
        members.insert("plane".to_owned(), plane);
    }
    let near = distance(&a.shape, &a.pose, &b.shape, &b.pose);
    if let Some(bound) = near.at_least() {
        members.insert("distance_at_least".to_owned(), json!(bound));
    }
    members
}

/// Returns how many pairs of triangles of two meshes in world coordinates share a point, by exact
/// tests. Adds the cost to `cost`.
pub fn count_pairs(a: &MeshShape, b: &MeshShape, cost: &mut QueryCost) -> usize {
    let mut pairs = Vec::new();
    triangle_pairs_counted(a, &Pose::IDENTITY, b, &Pose::IDENTITY, &mut pairs, cost);
    pairs.len()
}

/// Returns the answer of `distance` about two solids, in the order of the documentation, without
/// the schema.
///
/// With `is_contact`, it has depth, normal and deepest points also if meshes are involved. Adds the
/// cost to `cost`, except that of [`Contact::of`].
pub fn distance_members(a: &Solid, b: &Solid, is_contact: bool, cost: &mut QueryCost) -> Map<String, Value> {
    let (mut members, mut memory) = (Map::new(), Workspace::default());
    let n_pairs = match (a.mesh(), b.mesh()) {
        (Some(mesh_a), Some(mesh_b)) => Some(count_pairs(mesh_a, mesh_b, cost)),
        _ => None,
    };
    let is_intersecting = match n_pairs {
        Some(n) => 0 < n,
        None => intersects_counted(&a.shape, &a.pose, &b.shape, &b.pose, cost),
    };
    members.insert("intersects".to_owned(), json!(is_intersecting));
    if let Some(n) = n_pairs {
        members.insert("triangle_pairs".to_owned(), json!(n));
    }
    let are_convex = a.shape.is_convex() && b.shape.is_convex();
    let deep = if is_intersecting && (are_convex || is_contact) {
        contact_counted(&a.shape, &a.pose, &b.shape, &b.pose, 0.0, &mut memory, cost)
    } else {
        None
    };
    let d = distance_counted(&a.shape, &a.pose, &b.shape, &b.pose, &mut memory, cost);
    members.insert("distance".to_owned(), json!(if is_intersecting { 0.0 } else { d.distance }));
    if let Some(bound) = d.at_least().filter(|_| !is_intersecting) {
        members.insert("distance_at_least".to_owned(), json!(bound));
    }
    let overlap = match (a.mesh(), b.mesh(), is_contact) {
        (Some(mesh_a), Some(mesh_b), true) => {
            let contact = Contact::of(mesh_a, mesh_b);
            members.insert("contact".to_owned(), json!(contact.name()));
            contact.overlap
        }
        _ => None,
    };
    match deep {
        Some(_) if overlap.is_some() => {
            members.insert("point_a".to_owned(), list(d.point_a));
            members.insert("point_b".to_owned(), list(d.point_b));
        }
        Some(deep) => {
            members.insert("point_a".to_owned(), list(deep.contact.point_a));
            members.insert("point_b".to_owned(), list(deep.contact.point_b));
            members.insert("depth".to_owned(), json!((-deep.contact.distance).max(0.0)));
            members.insert("normal".to_owned(), list(deep.contact.normal));
        }
        None => {
            members.insert("point_a".to_owned(), list(d.point_a));
            members.insert("point_b".to_owned(), list(d.point_b));
            if is_contact && !is_intersecting && overlap.is_none() {
                members.insert("normal".to_owned(), list(d.normal));
            }
        }
    }
    if let Some(overlap) = overlap {
        members.insert("depth".to_owned(), json!(overlap.at_most));
        members.insert("normal".to_owned(), list(overlap.separation / overlap.at_most));
        members.extend(overlap_members(&overlap));
    }
    members
}

/// The contact of two meshes as solids.
pub struct Contact {
    /// The relation of the solids; `None` if one of the meshes does not tell inside from outside.
    pub relation: Option<SolidRelation>,
    /// Bounds of the depth, if the solids overlap.
    pub overlap: Option<SolidOverlap>,
}

impl Contact {
    /// Finds the contact of two meshes in world coordinates.
    pub fn of(a: &MeshShape, b: &MeshShape) -> Contact {
        let here = Pose::IDENTITY;
        let relation = solid_relation(a, &here, b, &here);
        let overlap = match relation {
            Some(SolidRelation::Overlapping) => solid_overlap(a, &here, b, &here),
            _ => None,
        };
        Contact { relation, overlap }
    }

    /// Whether one of two meshes in world coordinates lies in the other, at least in part. Their
    /// surfaces must not meet. Returns `None` if the answer is not known.
    pub fn is_nested(&self, a: &MeshShape, b: &MeshShape) -> Option<bool> {
        let here = Pose::IDENTITY;
        match self.relation {
            Some(relation) => Some(relation == SolidRelation::Overlapping),
            None => match (holds_component(a, &here, b, &here), holds_component(b, &here, a, &here)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        }
    }

    /// Returns the relation in a word; `None` if it is not known.
    pub fn name(&self) -> Option<&'static str> {
        match self.relation? {
            SolidRelation::Clear => Some("clear"),
            SolidRelation::Touching => Some("touching"),
            SolidRelation::Overlapping => Some("overlapping"),
            _ => None,
        }
    }
}

/// Returns the bounds of a depth as JSON members.
pub fn overlap_members(overlap: &SolidOverlap) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("depth_at_least".to_owned(), json!(overlap.at_least));
    members.insert("depth_at_most".to_owned(), json!(overlap.at_most));
    members.insert("separation".to_owned(), list(overlap.separation));
    members
}
