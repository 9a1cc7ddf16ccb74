//! The memory of queries.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use carom_bvh::PairSearch;
use carom_ccd::TimeOfImpact;
use carom_geom::FeatureId;
use core::cmp::Ordering;
use glam::DVec3;

/// Reusable memory of queries. If it is kept, queries do not allocate once it has grown. Answers do
/// not depend on earlier queries.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub(crate) search: PairSearch,
    pub(crate) near: Vec<NearPair>,
    pub(crate) casts: CastMemory,
    pub(crate) contacts: ContactMemory,
    pub(crate) touches: Vec<FieldTouch>,
}

/// A touch of a shape with a field, in the field's frame.
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

/// The memory of casts and of the queue of impacts.
#[derive(Clone, Debug, Default)]
pub(crate) struct CastMemory {
    /// Time intervals still to be searched, the earliest last.
    pub(crate) spans: Vec<(f64, f64)>,
    /// Triangles that may be touched during one interval.
    pub(crate) triangles: Vec<u32>,
    /// Nodes of a tree, each with a time interval.
    pub(crate) parts: Vec<(TreePart, f64, f64)>,
    /// Unused lists for parts of compounds and clusters, by the time at which they may be touched.
    pub(crate) orders: Vec<Vec<(f64, u32)>>,
    /// Pairs of bodies in the queue, the earliest first.
    pub(crate) waiting: BinaryHeap<Waiting>,
    /// Impacts that were found but not yet returned.
    pub(crate) found: Vec<TimeOfImpact>,
}

/// A pair of bodies in a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// The pair is apart before this time.
    pub(crate) from: f64,
    /// The pair is not searched after this time.
    pub(crate) end: f64,
    pub(crate) pair: u32,
    /// Index of its impact in the list of those found; `u32::MAX` if there is none.
    pub(crate) found: u32,
}

impl Ord for Waiting {
    /// The greatest comes first: the pair with the earliest time. Among equal times an impact that
    /// was found comes before a pair that was not searched, then the lower index.
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

/// A node or a leaf of a tree, by index, with its reference if it has one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TreePart {
    Root,
    Node { number: u32, reference: usize },
    Leaf { number: u32, reference: usize },
}

/// Two triangles that may be the nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearPair {
    /// A lower bound of their distance.
    pub(crate) at_least: f64,
    pub(crate) triangle_a: u32,
    pub(crate) triangle_b: u32,
}

/// The memory of contacts of meshes with meshes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactMemory {
    pub(crate) found: Vec<MeshContact>,
    /// Indices of contacts grouped by patch, and for each contact its patch.
    pub(crate) order: Vec<u32>,
    pub(crate) patch_of: Vec<u32>,
    pub(crate) patches: Vec<Patch>,
    /// The contacts of one patch: distance, position, index.
    pub(crate) points: Vec<(f64, DVec3, u32)>,
}

/// Contacts of two meshes in similar directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    /// Normal of its deepest contact.
    pub(crate) normal: DVec3,
    /// Coordinates along the normal: the highest point on A, the lowest point on B.
    pub(crate) top_a: f64,
    pub(crate) low_b: f64,
    /// The flag of its deepest contact.
    pub(crate) is_strict: bool,
    /// Its range of contacts in the order.
    pub(crate) first: u32,
    pub(crate) n: u32,
}

/// The kinds of features of two meshes that face each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Facing {
    /// A corner of A and a face of B.
    CornerOfA,
    /// A corner of B and a face of A.
    CornerOfB,
    /// Two edges that cross.
    Edges,
    /// A corner and the edge or corner nearest to it.
    Apart,
}

/// Two features of two meshes and their distance, in the frame of A.
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
    /// Whether the corner is not over the face, but beyond an edge at which the surface bends up.
    pub(crate) is_beyond: bool,
    /// Whether the normal is strictly in the cones of both features, without slack.
    pub(crate) is_strict: bool,
}
