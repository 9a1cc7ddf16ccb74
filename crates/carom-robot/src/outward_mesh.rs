//! The mesh of a part whose triangles face outwards.
//!
//! The solids of a part may overlap, share faces, or lie in each other: the part is their union. So
//! each is turned by itself. A point is in the union if it is in one of them, and then the winding
//! number around it is above 0.
//!
//! Degenerate: if one of the solids has no inside, all are turned as one mesh. Together they may
//! have an inside, such as two halves of a shell.
//!
//! Reference: none needed.

use carom_geom::Orientation;
use carom_geom::f64::TriMesh;
use carom_io::Part;
use carom_query::f64::MeshShape;

/// Returns the mesh of a part in its frame, and the number of triangles that were turned.
///
/// Errors: a mesh that [`TriMesh::new`] or [`MeshShape::new`] refuses, and coordinates that
/// overflow.
pub fn outward_mesh(part: &Part) -> Result<(MeshShape, usize), String> {
    let mut whole = part.world_mesh()?;
    let solids = part.solid_meshes()?;
    let turned = if 1 < solids.len() { turned_alone(solids) } else { None };
    for &t in turned.iter().flatten() {
        whole.triangles[t as usize].swap(1, 2);
    }
    let mesh = TriMesh::new(whole.vertices, whole.triangles).map_err(|e| e.to_string())?;
    if let Some(turned) = turned {
        let mesh = MeshShape::new(mesh).map_err(|e| e.to_string())?;
        return Ok((mesh.with_kept_orientation(), turned.len()));
    }
    let (mesh, orientation) = mesh.oriented();
    let n_turned = orientation.turned().map_or(0, <[u32]>::len);
    Ok((MeshShape::new(mesh).map_err(|e| e.to_string())?, n_turned))
}

/// Returns the triangles of solids in a row that are turned if each is turned by itself. `None` if
/// one has no inside.
fn turned_alone(solids: Vec<carom_io::RawMesh>) -> Option<Vec<u32>> {
    let (mut all, mut first) = (Vec::new(), 0);
    for solid in solids {
        let mesh = TriMesh::new(solid.vertices, solid.triangles).ok()?;
        let Orientation::Known { turned } = mesh.orientation() else { return None };
        all.extend(turned.iter().map(|t| t + first));
        first += mesh.n_triangles() as u32;
    }
    Some(all)
}
