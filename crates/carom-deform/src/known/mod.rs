//! Known deformations: trees whose volumes follow from the parameters of the deformation, on
//! demand.
//!
//! A mesh whose vertices are a known function of a few parameters needs no refit. The volume of a
//! node is computed from the parameters when a query comes to the node, in O(k) for k parameters
//! that reach it. Vertices are computed in the leaves that a query comes to. The walk is written
//! once, in `tree.rs`. A [`Deformation`] gives it two things: a volume of a node that holds the
//! node's vertices, and the exact position of a vertex.
//! - [`MorphTree`]: weighted sums of displacements, weights of any sign, boxes.
//! - [`MorphKDopTree`]: the same sums, k-DOPs, and queries that are k-DOPs.
//! - [`ModalTree`]: the same sums, spheres; weights are called amplitudes, as those of modes.
//! - [`LinearSkinTree`]: linear blend skinning, boxes.
//! - [`DualQuaternionTree`]: dual quaternion skinning, boxes.

mod affine;
mod bone_weights;
mod displacements;
mod dual_quaternion;
mod error;
mod linear_skin;
mod modal;
mod morph;
mod morph_kdop;
mod node_lists;
mod query;
mod tree;

pub use bone_weights::BoneWeights;
pub use dual_quaternion::{DualQuaternionSkin, DualQuaternionTree};
pub use error::KnownError;
pub use linear_skin::{LinearSkin, LinearSkinTree};
pub use modal::{ModalTree, Modes};
pub use morph::{Morph, MorphTree};
pub use morph_kdop::{MorphKDop, MorphKDopTree};
pub use query::QueryVolume;
pub use tree::{KnownTree, KnownWork};

use carom_bounds::BoundingVolume;
use glam::Vec3;
use sealed::Sealed;

pub(crate) mod sealed {
    /// Answers rely on volumes that hold the vertices of their nodes, so the trait is sealed.
    pub trait Sealed {}
}

/// A deformation with parameters. The trait is sealed: choose one of the five of this crate.
pub trait Deformation: Sealed {
    /// The volume of a node.
    type Volume: BoundingVolume;

    /// The volume of a query. A face is an answer if its own volume of this kind touches the
    /// query.
    type Query: QueryVolume;

    /// The vertices before any deformation.
    fn rest(&self) -> &[Vec3];

    /// Adds a node with these vertices, in ascending order. Nodes are numbered from 0 in the order
    /// of the calls.
    fn add_node(&mut self, vertices: &[u32]);

    /// The volume of a node for the present parameters. It holds [`Deformation::position`] of each
    /// vertex of the node, in exact arithmetic.
    fn volume(&self, node: usize) -> Self::Volume;

    /// The volume that is tested against a query: it holds the query volume of each face of the
    /// node. A ball around three vertices need not hold their box, so balls are tested by their
    /// boxes.
    fn tested(volume: &Self::Volume) -> Self::Query;

    /// The position of a vertex for the present parameters, computed in `f64` and rounded once.
    fn position(&self, vertex: u32) -> Vec3;
}
