//! The memory of queries on pairs of meshes.
//!
//! Reference: none needed.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use carom_bvh::PairSearch;
use carom_ccd::TimeOfImpact;
use carom_geom::FeatureId;
use core::cmp::Ordering;
use glam::DVec3;

/// The memory of searches for nearest triangles: keep one, and queries do not allocate once it has
/// grown. Answers do not depend on what was asked before.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub(crate) search: PairSearch,
    pub(crate) near: Vec<NearPair>,
    pub(crate) casts: CastMemory,
    pub(crate) contacts: ContactMemory,
    pub(crate) touches: Vec<FieldTouch>,
}

/// A place of a shape at a field. In the field's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldTouch {
    /// Margin included; negative is penetration.
    pub(crate) distance: f64,
    /// The point of the shape's core.
    pub(crate) core: DVec3,
    /// Unit vector out of the field.
    pub(crate) normal: DVec3,
    pub(crate) feature: FeatureId,
}

/// The memory of casts against meshes.
#[derive(Clone, Debug, Default)]
pub(crate) struct CastMemory {
    /// Stretches of time still to be looked at, the earliest last.
    pub(crate) spans: Vec<(f64, f64)>,
    /// Triangles that may be touched during one.
    pub(crate) triangles: Vec<u32>,
    /// Parts of a tree, each with a stretch of time.
    pub(crate) parts: Vec<(TreePart, f64, f64)>,
    /// Parts of compounds, by when they may be touched: lists that are free.
    pub(crate) orders: Vec<Vec<(f64, u32)>>,
    /// Pairs of bodies that wait for their turn, the earliest first.
    pub(crate) waiting: BinaryHeap<Waiting>,
    /// Impacts of pairs that were found and wait to be told.
    pub(crate) found: Vec<TimeOfImpact>,
}

/// A pair of bodies in a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// It is apart before.
    pub(crate) from: f64,
    /// And after this time.
    pub(crate) end: f64,
    pub(crate) pair: u32,
    /// Its place in the list of impacts that were found; `u32::MAX`: none was.
    pub(crate) found: u32,
}

impl Ord for Waiting {
    /// The greatest comes first: the earliest, what was found before what is still to be looked at,
    /// and by number.
    fn cmp(&self, other: &Waiting) -> Ordering {
        let later = other.from.total_cmp(&self.from);
        later.then(other.found.cmp(&self.found)).then(other.pair.cmp(&self.pair))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

/// A node or a leaf of a tree, by number, with its reference where it has one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TreePart {
    Root,
    Node { number: u32, reference: usize },
    Leaf { number: u32, reference: usize },
}

/// Two triangles that may be the nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearPair {
    /// They are not nearer.
    pub(crate) at_least: f64,
    pub(crate) triangle_a: u32,
    pub(crate) triangle_b: u32,
}

/// The memory of contacts of meshes with meshes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactMemory {
    pub(crate) found: Vec<MeshContact>,
    /// Numbers of contacts, those of one patch side by side, and for each contact its patch.
    pub(crate) order: Vec<u32>,
    pub(crate) patch_of: Vec<u32>,
    pub(crate) patches: Vec<Patch>,
    /// The contacts of one patch: distance, place, number.
    pub(crate) points: Vec<(f64, DVec3, u32)>,
}

/// Contacts of two meshes in about one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    /// Of its deepest contact.
    pub(crate) normal: DVec3,
    /// Along the normal: no point on A is farther up, no point on B farther down.
    pub(crate) top_a: f64,
    pub(crate) low_b: f64,
    /// Its deepest contact is.
    pub(crate) is_strict: bool,
    /// Of its contacts in the order.
    pub(crate) first: u32,
    pub(crate) n: u32,
}

/// Which features of two meshes face each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Facing {
    /// A corner of A and a face of B.
    CornerOfA,
    /// A corner of B and a face of A.
    CornerOfB,
    /// Two edges that cross.
    Edges,
    /// A corner that is nearest to an edge or a corner.
    Apart,
}

/// Two features of two meshes and how far apart they are. In the frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshContact {
    /// Unit vector from A to B.
    pub(crate) normal: DVec3,
    pub(crate) point_a: DVec3,
    pub(crate) point_b: DVec3,
    /// Along the normal; negative is penetration.
    pub(crate) distance: f64,
    pub(crate) part_a: u32,
    pub(crate) part_b: u32,
    pub(crate) feature_a: FeatureId,
    pub(crate) feature_b: FeatureId,
    pub(crate) facing: Facing,
    /// The corner is not over the face, but beyond an edge into which the surface bends.
    pub(crate) is_beyond: bool,
    /// The normal is in the cones of both features, not only nearly.
    pub(crate) is_strict: bool,
}
