//! Merges the vertices of the parts of a model.
//!
//! The vertices of a solid may be those of several pieces, such as the materials of one mesh. So
//! its pieces become one, in the frame of the link, or of the world.
//!
//! Degenerate: a solid of which no triangle would remain is kept.
//!
//! Reference: none needed; see [`TriMesh::merged`].

use crate::error::{Location, ReadError};
use crate::model::Model;
use crate::part::{Part, Piece, Placement, RawMesh};
use carom_geom::f64::{MeshError, TriMesh};
use std::path::Path;
use std::sync::Arc;

/// The changes to all parts.
#[derive(Default)]
struct Changes {
    n_moved: usize,
    largest_move: f64,
    n_dropped: usize,
    n_kept_solids: usize,
}

/// Merges the vertices of all parts that are at most `tolerance` apart, and adds a note.
///
/// Errors: a tolerance that [`TriMesh::merged`] refuses, or a coordinate that overflows.
pub(crate) fn merge_vertices(model: &mut Model, tolerance: f64, path: &Path) -> Result<(), ReadError> {
    let mut changes = Changes::default();
    let parts = if model.robot.is_some() { model.parts_on_links() } else { model.parts.clone() };
    let merged = |part: &Part| {
        let at = |e: String| ReadError::at(path, Location::Item(part.name.clone()), e);
        merged(part, tolerance, &mut changes).map_err(at)
    };
    model.parts = parts.iter().map(merged).collect::<Result<_, _>>()?;
    if let Some(robot) = &mut model.robot {
        robot.replace_pieces(model.parts.iter().map(|part| vec![Placement::IDENTITY; part.pieces.len()]));
        let mut values = vec![0.0; robot.joints().len()];
        robot.set_followers(&mut values);
        model.set_joints(&values).map_err(|e| ReadError::at(path, Location::File, e.to_string()))?;
    }
    model.notes.push(changes.note());
    Ok(())
}

/// Returns a part whose solids are merged, each one piece.
fn merged(part: &Part, tolerance: f64, changes: &mut Changes) -> Result<Part, String> {
    let solids = part.pieces.chunk_by(|a, b| a.solid == b.solid).map(|pieces| pieces[0].solid);
    let piece = |(solid, raw): (u32, RawMesh)| {
        let mesh = TriMesh::new(raw.vertices.clone(), raw.triangles.clone());
        let mesh = match mesh.and_then(|mesh| mesh.merged(tolerance)) {
            Ok((mesh, report)) => {
                changes.n_moved += report.n_moved;
                changes.largest_move = changes.largest_move.max(report.largest_move);
                changes.n_dropped += report.n_dropped;
                RawMesh { vertices: mesh.vertices().to_vec(), triangles: mesh.indices().to_vec() }
            }
            Err(MeshError::Empty) => {
                changes.n_kept_solids += 1;
                raw
            }
            Err(e @ MeshError::BadTolerance) => return Err(e.to_string()),
            // Other faults of a mesh are refused by those that use the part.
            Err(_) => raw,
        };
        Ok(Piece { mesh: Arc::new(mesh), scale: [1.0; 3], placement: Placement::IDENTITY, solid })
    };
    let pieces: Result<Vec<Piece>, String> = solids.zip(part.solid_meshes()?).map(piece).collect();
    Ok(Part { name: part.name.clone(), pieces: pieces? })
}

impl Changes {
    fn note(&self) -> String {
        let Changes { n_moved, largest_move, n_dropped, n_kept_solids } = *self;
        let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let mut note = count(n_moved, "vertex was merged", "vertices were merged");
        note.push_str(" with an earlier one");
        if 0 < n_moved {
            note.push_str(&format!(", at most {largest_move:.2e} away"));
        }
        if 0 < n_dropped {
            note.push_str("; ");
            note.push_str(&count(n_dropped, "triangle that collapsed was", "triangles that collapsed were"));
            note.push_str(" dropped");
        }
        if 0 < n_kept_solids {
            note.push_str("; ");
            note.push_str(&count(n_kept_solids, "solid is kept as it is", "solids are kept as they are"));
            note.push_str(", because no triangle would remain");
        }
        note
    }
}
