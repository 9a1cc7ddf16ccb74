//! Pairs of features: which vertex and face, or which two edges, by their numbers; and the answers
//! about them.
//!
//! Reference: X. Provot, Collision and Self-Collision Handling in Cloth Model Dedicated to Design
//! Garments, 1997 (surfaces touch with a vertex on a face, or with two edges).

use carom_ccd::TimeOfImpact;
use glam::DVec3;

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

/// The kinds of pairs with which two surfaces touch.
pub(crate) const SURFACE_KINDS: [PairKind; 3] =
    [PairKind::VertexFace, PairKind::FaceVertex, PairKind::EdgeEdge];

/// Two features that are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearPair {
    /// The features.
    pub pair: FeaturePair,
    /// The distance between the features, without subtracting the thickness: a length. Its error
    /// is about 1e-15 of the size of the pair.
    pub distance: f64,
    /// A nearest point of the first feature.
    pub point_a: DVec3,
    /// A nearest point of the second feature.
    pub point_b: DVec3,
}

/// Two features that touch, or may touch, during the step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FeatureImpact {
    /// The features.
    pub pair: FeaturePair,
    /// The time at which they touch, in parts of the step: [`TimeOfImpact::Hit`].
    /// [`TimeOfImpact::Undecided`] if they come so near that neither contact nor separation can be
    /// proved. In a pair of a vertex and a face the vertex is A, in either order.
    pub time: TimeOfImpact,
}
