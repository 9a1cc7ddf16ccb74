//! The page of `check`: the parts as they stand, those that collide in red, those too close in
//! yellow.

use crate::command::check::PairReport;
use crate::player::{BodyState, FrameStats, PlayerMesh, PlayerShape, Recording};
use crate::remarks::Remarks;
use crate::report::counted;
use crate::solid::Solid;
use carom_math::{Pose, Vec3};
use glam::DVec3;
use serde_json::{Value, json};

/// Returns the page. Coordinates are moved and scaled to a box of size 10 around the origin,
/// because single precision is finer there.
///
/// Its title says clear only if no pair is listed and nothing is unread. Remarks stand below the
/// table. The page shows y up; parts whose `up` is z are turned.
pub(crate) fn page(
    names: &[String],
    solids: &[Solid],
    listed: &[PairReport],
    remarks: &Remarks,
    up: Option<&str>,
) -> Result<String, String> {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for mesh in solids.iter().filter_map(Solid::mesh) {
        let (low, high) = mesh.mesh().wide_bounds();
        (min, max) = (min.min(low), max.max(high));
    }
    let middle = min * 0.5 + max * 0.5;
    let size = (max - min).max_element();
    let factor = if 0.0 < size { 10.0 / size } else { 1.0 };
    let shown = |p: DVec3| -> Vec3 {
        let p = ((p - middle) * factor).as_vec3();
        if up == Some("z") { Vec3::new(p.x, p.z, -p.y) } else { p }
    };
    let shapes = solids
        .iter()
        .map(|solid| {
            let Some(shape) = solid.mesh() else { return PlayerShape::Mesh(PlayerMesh::default()) };
            let mesh = shape.mesh();
            PlayerShape::Mesh(PlayerMesh {
                vertices: mesh.vertices().iter().map(|v| shown(*v)).collect(),
                triangles: mesh.indices().to_vec(),
            })
        })
        .collect();
    let mut states = vec![BodyState::Fixed; solids.len()];
    for pair in listed {
        let is_hit = pair.is_collision();
        for part in [pair.a, pair.b] {
            states[part] = match (states[part], is_hit) {
                (_, true) | (BodyState::Colliding, _) => BodyState::Colliding,
                _ => BodyState::Near,
            };
        }
    }
    let points: Vec<Vec3> = listed.iter().map(|p| shown(p.point)).collect();
    let rows: Vec<Value> = listed
        .iter()
        .map(|p| {
            let depth = p.depth.map_or(json!(""), |d| json!(d));
            let contact = p.contact.name().unwrap_or("not known");
            json!([names[p.a], names[p.b], contact, p.triangle_pairs, p.distance, depth])
        })
        .collect();
    let columns = ["part", "and part", "contact", "triangle pairs", "distance", "depth"];
    let title = title(listed, remarks.unread.len());
    let bodies = (0..solids.len() as u32).collect();
    let mut recording = Recording::new(&title, 1.0, shapes, bodies)
        .with_names(names.to_vec())
        .with_notes(remarks.lines().collect());
    if !rows.is_empty() {
        recording = recording.with_table(json!({"columns": columns, "rows": rows}));
    }
    recording.push(vec![Pose::IDENTITY; solids.len()], states, &points, FrameStats::default());
    recording.to_html()
}

/// Returns the result in a few words.
fn title(listed: &[PairReport], n_unread: usize) -> String {
    let n_hits = listed.iter().filter(|pair| pair.is_collision()).count();
    let n_near = listed.len() - n_hits;
    let mut found = Vec::new();
    if 0 < n_hits {
        found.push(format!(
            "{} {}",
            counted(n_hits, "pair", "pairs"),
            if n_hits == 1 { "collides" } else { "collide" }
        ));
    }
    if 0 < n_near {
        found.push(format!("{} too close", counted(n_near, "pair", "pairs")));
    }
    if 0 < n_unread {
        found.push(format!("{} not read", counted(n_unread, "thing", "things")));
    }
    match (listed.len(), n_unread) {
        (0, 0) => "All clear".to_owned(),
        (0, _) => format!("Not clear: {}", found.join(", ")),
        _ => found.join(", "),
    }
}
