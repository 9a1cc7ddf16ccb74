//! Planes that faces of many brushes share. Faces in one plane, whichever way they face, lead to
//! one split.
//!
//! Reference: H. Fuchs, Z. Kedem, B. Naylor, On Visible Surface Generation by A Priori Tree
//! Structures, 1980 (coplanar polygons in one node).

use alloc::vec::Vec;
use carom_math::tol;
use glam::DVec3;
use hashbrown::HashMap;

/// All points x with `normal . x = offset`; the side that the normal points to is in front.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SplitPlane {
    /// The normal, of length 1.
    pub normal: DVec3,
    /// The signed distance from the origin along the normal.
    pub offset: f64,
}

impl SplitPlane {
    /// Returns the signed distance of a point, positive in front.
    #[inline]
    pub fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// Returns the same plane with the opposite normal.
    #[inline]
    pub fn flipped(&self) -> SplitPlane {
        SplitPlane { normal: -self.normal, offset: -self.offset }
    }
}

/// The index of a plane in the table, and one of its two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SidedPlane {
    pub(crate) plane: u32,
    /// Whether the face looks in the direction opposite to the plane's normal.
    pub(crate) is_flipped: bool,
}

/// Planes without repetition.
pub(crate) struct PlaneTable {
    pub(crate) planes: Vec<SplitPlane>,
    by_offset: HashMap<i64, Vec<u32>>,
    /// A length: parallel planes whose offsets differ by no more than this are one.
    thin: f64,
}

impl PlaneTable {
    pub(crate) fn new(thin: f64) -> PlaneTable {
        PlaneTable { planes: Vec::new(), by_offset: HashMap::new(), thin }
    }

    /// Returns the plane of the table that is the same as this one to within the tolerance. If
    /// there is none, adds this one.
    pub(crate) fn find_or_add(&mut self, plane: &SplitPlane) -> SidedPlane {
        let n = plane.normal;
        // The canonical one of two opposite normals has a positive largest coordinate.
        let largest = if n.x.abs() >= n.y.abs() && n.x.abs() >= n.z.abs() {
            n.x
        } else if n.y.abs() >= n.z.abs() {
            n.y
        } else {
            n.z
        };
        let is_flipped = largest < 0.0;
        let canonical = if is_flipped { plane.flipped() } else { *plane };
        let bucket = (canonical.offset / (4.0 * self.thin)) as i64;
        for near in bucket.saturating_sub(1)..=bucket.saturating_add(1) {
            for &old in self.by_offset.get(&near).into_iter().flatten() {
                let other = &self.planes[old as usize];
                let turn = (canonical.normal - other.normal).length_squared();
                let is_flat = turn <= tol::BSP_SAME_NORMAL * tol::BSP_SAME_NORMAL;
                if is_flat && (canonical.offset - other.offset).abs() <= self.thin {
                    return SidedPlane { plane: old, is_flipped };
                }
            }
        }
        let plane = self.planes.len() as u32;
        self.planes.push(canonical);
        self.by_offset.entry(bucket).or_default().push(plane);
        SidedPlane { plane, is_flipped }
    }

    /// Returns the plane with the normal of the face.
    pub(crate) fn outward(&self, sided: SidedPlane) -> SplitPlane {
        let plane = self.planes[sided.plane as usize];
        if sided.is_flipped { plane.flipped() } else { plane }
    }
}
