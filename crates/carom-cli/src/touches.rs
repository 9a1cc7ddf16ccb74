//! The faces of a mesh that touch: pairs of near features, and pairs of faces that cross, give each
//! face a state.
//!
//! If a vertex or an edge touches, all its faces count as touching.

use crate::player::FaceState;
use carom_deform::{DeformableMesh, FeaturePair, FeatureSearch, NearPair, PairKind, RefitTree};

/// A vertex, an edge or a face, by the indices of its corners.
#[derive(Clone, Copy, Debug)]
struct Feature {
    corners: [u32; 3],
    n: usize,
}

impl Feature {
    fn of(corners: &[u32]) -> Feature {
        let mut all = [0; 3];
        all[..corners.len()].copy_from_slice(corners);
        Feature { corners: all, n: corners.len() }
    }

    fn corners(&self) -> &[u32] {
        &self.corners[..self.n]
    }
}

/// Returns the two features of a pair of two meshes, or of one mesh that is both.
fn features_of(
    pair: &FeaturePair,
    a: &DeformableMesh<RefitTree>,
    b: &DeformableMesh<RefitTree>,
) -> [Feature; 2] {
    let (i, j) = (pair.a as usize, pair.b as usize);
    match pair.kind {
        PairKind::VertexFace => [Feature::of(&[pair.a]), Feature::of(&b.faces()[j])],
        PairKind::FaceVertex => [Feature::of(&a.faces()[i]), Feature::of(&[pair.b])],
        PairKind::EdgeEdge => [Feature::of(&a.edges()[i]), Feature::of(&b.edges()[j])],
        PairKind::FaceFace => [Feature::of(&a.faces()[i]), Feature::of(&b.faces()[j])],
    }
}

/// The states of the faces of one mesh.
pub(crate) struct Touches {
    /// The faces at each vertex.
    faces_at: Vec<Vec<u32>>,
    near: Vec<NearPair>,
    states: Vec<FaceState>,
}

impl Touches {
    /// Returns the states for a mesh whose faces touch nothing yet.
    pub(crate) fn new(mesh: &DeformableMesh<RefitTree>) -> Touches {
        let mut faces_at = vec![Vec::new(); mesh.positions().len()];
        for (face, corners) in (0..).zip(mesh.faces()) {
            for corner in corners {
                faces_at[*corner as usize].push(face);
            }
        }
        let states = vec![FaceState::Free; mesh.faces().len()];
        Touches { faces_at, near: Vec::new(), states }
    }

    /// Returns the highest state so far of each face, and resets all states.
    pub(crate) fn take(&mut self) -> Vec<FaceState> {
        let n = self.states.len();
        core::mem::replace(&mut self.states, vec![FaceState::Free; n])
    }

    /// Marks faces that are at most `reach` from another part of the mesh.
    pub(crate) fn add_own(
        &mut self,
        search: &mut FeatureSearch,
        mesh: &mut DeformableMesh<RefitTree>,
        reach: f32,
    ) {
        self.near.clear();
        self.near.extend_from_slice(search.within(&mut *mesh, reach).finish().pairs);
        for i in 0..self.near.len() {
            for feature in features_of(&self.near[i].pair, mesh, mesh) {
                self.mark(&feature, FaceState::TouchesItself, mesh.faces());
            }
        }
    }

    /// Marks faces that are at most `reach` from another mesh.
    pub(crate) fn add_other(
        &mut self,
        search: &mut FeatureSearch,
        mesh: &mut DeformableMesh<RefitTree>,
        other: &mut DeformableMesh<RefitTree>,
        reach: f32,
    ) {
        self.near.clear();
        self.near.extend_from_slice(search.within((&mut *mesh, &mut *other), reach).finish().pairs);
        for i in 0..self.near.len() {
            let [feature, _] = features_of(&self.near[i].pair, mesh, other);
            self.mark(&feature, FaceState::TouchesOther, mesh.faces());
        }
    }

    /// Marks faces that cross others of the mesh. Returns how many pairs cross.
    pub(crate) fn add_own_crossings(
        &mut self,
        search: &mut FeatureSearch,
        mesh: &mut DeformableMesh<RefitTree>,
    ) -> usize {
        let crossing = search.crossings(mesh).finish().pairs;
        for pair in crossing {
            self.states[pair.a as usize] = FaceState::Crosses;
            self.states[pair.b as usize] = FaceState::Crosses;
        }
        crossing.len()
    }

    /// Raises the state of a face to at least this one.
    pub(crate) fn mark_face(&mut self, face: u32, state: FaceState) {
        let known = &mut self.states[face as usize];
        *known = state.max(*known);
    }

    fn mark(&mut self, feature: &Feature, state: FaceState, faces: &[[u32; 3]]) {
        let corners = feature.corners();
        for &face in &self.faces_at[corners[0] as usize] {
            let face = face as usize;
            if corners.iter().all(|corner| faces[face].contains(corner)) {
                self.states[face] = self.states[face].max(state);
            }
        }
    }
}
