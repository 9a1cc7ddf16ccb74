//! Meshes that change their shape: positions are refused or followed, and two kinds of trees give
//! the same answers.

use crate::bytes::Bytes;
use carom_deform::{
    AutoTree, DeformError, DeformableMesh, FeatureSearch, FollowingTree, MAX_POSITION, RefitTree,
};
use glam::Vec3;

/// Vertices of a mesh.
const MAX_VERTICES: usize = 12;

/// Makes a few steps and queries with a mesh of triangles, segments or tetrahedra with any
/// numbers.
pub fn deform(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let n = 1 + bytes.below(MAX_VERTICES);
    let positions: Vec<Vec3> = (0..n).map(|_| bytes.point_f32()).collect();
    let n_elements = bytes.below(16);
    // Sometimes a vertex does not exist.
    let vertex = |bytes: &mut Bytes<'_>| {
        let n_beyond = usize::from(bytes.byte() == 0);
        bytes.below(n + n_beyond) as u32
    };
    let made = match bytes.below(3) {
        0 => {
            let elements = (0..n_elements).map(|_| [(); 3].map(|()| vertex(&mut bytes))).collect();
            DeformableMesh::from_triangles(&positions, elements)
        }
        1 => {
            let elements = (0..n_elements).map(|_| [(); 2].map(|()| vertex(&mut bytes))).collect();
            DeformableMesh::from_segments(&positions, elements)
        }
        _ => {
            let elements: Vec<_> = (0..n_elements).map(|_| [(); 4].map(|()| vertex(&mut bytes))).collect();
            DeformableMesh::from_tetrahedra(&positions, &elements)
        }
    };
    let is_sound = |p: &Vec3| p.is_finite() && p.abs().max_element() <= MAX_POSITION;
    let mesh = match made {
        Ok(mesh) => mesh,
        Err(DeformError::NoSuchVertex { .. }) => return,
        Err(_) => return assert!(!positions.iter().all(is_sound), "{positions:?} were refused"),
    };
    let Ok(mesh) = mesh.with_thickness(bytes.size() as f32) else { return };
    let mut one: DeformableMesh<RefitTree> = mesh.clone().with_trees();
    let mut other: DeformableMesh<AutoTree> = mesh.with_trees();
    let mut search = FeatureSearch::default();
    for _ in 0..8 {
        if bytes.is_empty() {
            break;
        }
        let wanted: Vec<Vec3> = one
            .positions()
            .to_vec()
            .into_iter()
            .map(|p| if bytes.byte() < 128 { p } else { bytes.point_f32() })
            .collect();
        let moved = one.set_positions(&wanted);
        assert_eq!(moved.is_ok(), wanted.iter().all(is_sound));
        assert_eq!(moved, other.set_positions(&wanted));
        let distance = bytes.size() as f32;
        let found = run_queries(&mut search, &mut one, distance);
        assert_eq!(found, run_queries(&mut search, &mut other, distance));
    }
}

/// Returns the answers to all queries, including the distances and times of pairs.
fn run_queries<T: FollowingTree>(
    search: &mut FeatureSearch,
    mesh: &mut DeformableMesh<T>,
    distance: f32,
) -> String {
    let near = search.within(&mut *mesh, distance).finish().pairs.to_vec();
    let impacts = search.impacts(&mut *mesh).finish();
    let (free, impacts) = (impacts.free_step(), impacts.pairs.to_vec());
    assert!((0.0..=1.0).contains(&free.fraction), "{free:?}");
    let crossings = search.crossings(mesh).finish().pairs.to_vec();
    format!("{near:?} {impacts:?} {crossings:?}")
}
