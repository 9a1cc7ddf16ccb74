//! Planes that faces of many brushes share: faces in one plane, whichever way they look, are split
//! by once.
//!
//! Reference: H. Fuchs, Z. Kedem, B. Naylor, On Visible Surface Generation by A Priori Tree
//! Structures, 1980 (coplanar polygons in one node).

use alloc::vec::Vec;
use carom_math::tol;
use glam::DVec3;
use hashbrown::HashMap;

/// All points x with `normal . x = offset`; in front is where the normal points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SplitPlane {
    /// Of length 1.
    pub normal: DVec3,
    /// Distance from the origin along the normal.
    pub offset: f64,
}

impl SplitPlane {
    /// How far a point is in front.
    #[inline]
    pub fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The same plane, seen from behind.
    #[inline]
    pub fn flipped(&self) -> SplitPlane {
        SplitPlane { normal: -self.normal, offset: -self.offset }
    }
}

/// A plane of the table, and the side of it that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SidedPlane {
    pub(crate) plane: u32,
    /// The face looks against the plane's normal.
    pub(crate) is_flipped: bool,
}

/// Planes without repetition.
pub(crate) struct PlaneTable {
    pub(crate) planes: Vec<SplitPlane>,
    by_offset: HashMap<i64, Vec<u32>>,
    /// A length: planes whose offsets differ by less are one, if they are parallel.
    thin: f64,
}

impl PlaneTable {
    pub(crate) fn new(thin: f64) -> PlaneTable {
        PlaneTable { planes: Vec::new(), by_offset: HashMap::new(), thin }
    }

    /// The plane, or one that was there and is the same to within the tolerance.
    pub(crate) fn find_or_add(&mut self, plane: &SplitPlane) -> SidedPlane {
        let n = plane.normal;
        // Of two normals that are opposite, the one whose largest coordinate is positive.
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

    /// The plane as it looks out of the brush.
    pub(crate) fn outward(&self, sided: SidedPlane) -> SplitPlane {
        let plane = self.planes[sided.plane as usize];
        if sided.is_flipped { plane.flipped() } else { plane }
    }
}
