//! What a command says: lines for people, one JSON document for programs.

use crate::solid::Solid;
use carom_math::f64::Pose;
use carom_query::f64::{MeshShape, contact, distance, intersects, triangle_pairs};
use glam::DVec3;
use serde_json::{Map, Value, json};
use std::io::Write;

/// How a command ended, when it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing collides.
    Nothing,
    /// Something does.
    Something,
    /// Some input could not be read, although the command went on.
    BadInput,
}

/// Writes a JSON document, or text, to standard output; a reader that has gone away is not an error.
pub fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("standard output: {e}")),
        _ => Ok(()),
    }
}

/// A vector as a list.
pub fn list(v: DVec3) -> Value {
    // Zero has no sign here.
    json!((v + 0.0).to_array())
}

/// A vector for people.
pub fn spaced(v: DVec3) -> String {
    let v = v + 0.0;
    format!("{} {} {}", v.x, v.y, v.z)
}

/// How many pairs of triangles of two meshes in world coordinates share a point; exact.
pub fn count_pairs(a: &MeshShape, b: &MeshShape) -> usize {
    let mut pairs = Vec::new();
    triangle_pairs(a, &Pose::IDENTITY, b, &Pose::IDENTITY, &mut pairs);
    pairs.len()
}

/// What `distance` answers about two solids, in the order of the documentation, without the schema.
///
/// With `is_contact` also depth, normal and deepest points where meshes are involved.
pub fn distance_members(a: &Solid, b: &Solid, is_contact: bool) -> Map<String, Value> {
    let mut members = Map::new();
    let n_pairs = match (a.mesh(), b.mesh()) {
        (Some(mesh_a), Some(mesh_b)) => Some(count_pairs(mesh_a, mesh_b)),
        _ => None,
    };
    let is_intersecting = match n_pairs {
        Some(n) => 0 < n,
        None => intersects(&a.shape, &a.pose, &b.shape, &b.pose),
    };
    members.insert("intersects".to_owned(), json!(is_intersecting));
    if let Some(n) = n_pairs {
        members.insert("triangle_pairs".to_owned(), json!(n));
    }
    let are_convex = a.shape.is_convex() && b.shape.is_convex();
    let deep = if is_intersecting && (are_convex || is_contact) {
        contact(&a.shape, &a.pose, &b.shape, &b.pose, 0.0)
    } else {
        None
    };
    let d = distance(&a.shape, &a.pose, &b.shape, &b.pose);
    members.insert("distance".to_owned(), json!(if is_intersecting { 0.0 } else { d.distance }));
    match deep {
        Some(deep) => {
            members.insert("point_a".to_owned(), list(deep.contact.point_a));
            members.insert("point_b".to_owned(), list(deep.contact.point_b));
            members.insert("depth".to_owned(), json!((-deep.contact.distance).max(0.0)));
            members.insert("normal".to_owned(), list(deep.contact.normal));
        }
        None => {
            members.insert("point_a".to_owned(), list(d.point_a));
            members.insert("point_b".to_owned(), list(d.point_b));
            if is_contact && !is_intersecting {
                members.insert("normal".to_owned(), list(d.normal));
            }
        }
    }
    members
}
