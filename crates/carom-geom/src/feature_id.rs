//! Identifiers of the features of a surface.
//!
//! Reference: E. Catto, Contact Manifolds, Game Developers Conference, 2007 (feature ids that match
//! points from frame to frame).

/// A feature of a shape's surface: a vertex, an edge or a face. Ids match the contacts of one time
/// step with those of the next.
///
/// An id has two bits for the kind and thirty for the number. Equal ids of one shape mean the same
/// feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FeatureId(pub u32);

impl FeatureId {
    /// An unknown feature; also the feature of a wholly round shape.
    pub const UNKNOWN: FeatureId = FeatureId(0);

    /// Creates the id of a vertex. The number is below 2^30.
    #[inline]
    pub const fn vertex(number: u32) -> FeatureId {
        FeatureId(1 << 30 | number & 0x3fff_ffff)
    }

    /// Creates the id of an edge. The number is below 2^30.
    #[inline]
    pub const fn edge(number: u32) -> FeatureId {
        FeatureId(2 << 30 | number & 0x3fff_ffff)
    }

    /// Creates the id of a face. The number is below 2^30.
    #[inline]
    pub const fn face(number: u32) -> FeatureId {
        FeatureId(3 << 30 | number & 0x3fff_ffff)
    }

    /// Returns the kind of the feature and its number.
    #[inline]
    pub const fn kind(self) -> FeatureKind {
        let number = self.0 & 0x3fff_ffff;
        match self.0 >> 30 {
            1 => FeatureKind::Vertex(number),
            2 => FeatureKind::Edge(number),
            3 => FeatureKind::Face(number),
            _ => FeatureKind::Unknown,
        }
    }
}

/// A decoded [`FeatureId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeatureKind {
    /// Nothing is known.
    Unknown,
    /// A vertex and its number.
    Vertex(u32),
    /// An edge and its number.
    Edge(u32),
    /// A face and its number.
    Face(u32),
}
