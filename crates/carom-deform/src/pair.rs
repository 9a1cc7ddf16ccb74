//! Pairs of features: which vertex and face, or which two edges, by their numbers.
//!
//! Reference: X. Provot, Collision and Self-Collision Handling in Cloth Model Dedicated to Design
//! Garments, 1997 (surfaces touch with a vertex on a face, or with two edges).

/// The kinds of the two features of a pair. With two meshes, the first feature is of the first
/// mesh and the second of the second. `FaceVertex` does not occur within one mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// A vertex and a face.
    VertexFace,
    /// A face and a vertex.
    FaceVertex,
    /// An edge and an edge; of one mesh the lower number comes first.
    EdgeEdge,
    /// A face and a face; of one mesh the lower number comes first.
    FaceFace,
}

/// Two features, by their numbers in their meshes:
/// [`positions`](crate::DeformableMesh::positions), [`edges`](crate::DeformableMesh::edges),
/// [`faces`](crate::DeformableMesh::faces).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeaturePair {
    /// The kinds of the features.
    pub kind: PairKind,
    /// The number of the first.
    pub a: u32,
    /// The number of the second.
    pub b: u32,
}
