//! The part of a brush that is in a cell, and how a plane cuts it in two.
//!
//! Reference: B. Naylor, J. Amanatides, W. Thibault, Merging BSP Trees Yields Polyhedral Set
//! Operations, 1990 (parts of polyhedra in cells).

use crate::brush::Brush;
use crate::planes::{PlaneTable, SidedPlane, SplitPlane};
use crate::tree::Contents;
use alloc::vec::Vec;
use carom_math::ops;
use glam::DVec3;

/// A polygon around a fragment.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) plane: SidedPlane,
    /// Whether the side is in the boundary of the cell. Its plane then splits the cell no further.
    pub(crate) is_boundary: bool,
    /// Counter-clockwise seen from outside.
    pub(crate) corners: Vec<DVec3>,
}

/// The part of a brush that is in a cell.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    pub(crate) contents: Contents,
    pub(crate) sides: Vec<Side>,
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
}

/// The position of a fragment relative to a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaneSide {
    Front,
    Behind,
    Both,
}

/// Returns the side of the plane that the points are on. Points beyond the plane by no more than
/// `thin` do not count.
pub(crate) fn side_of_points<'a>(
    corners: impl IntoIterator<Item = &'a DVec3>,
    plane: &SplitPlane,
    thin: f64,
) -> PlaneSide {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for &corner in corners {
        let height = plane.height(corner);
        (least, most) = (least.min(height), most.max(height));
    }
    if thin < most && least < -thin {
        PlaneSide::Both
    } else if thin < most {
        PlaneSide::Front
    } else if least < -thin {
        PlaneSide::Behind
    } else if 0.0 <= most + least {
        // All points are within `thin` of the plane.
        PlaneSide::Front
    } else {
        PlaneSide::Behind
    }
}

/// The part of a face of a mesh that is in a cell or in its boundary.
#[derive(Clone, Debug)]
pub(crate) struct Polygon {
    pub(crate) plane: SidedPlane,
    /// Counter-clockwise seen from in front.
    pub(crate) corners: Vec<DVec3>,
}

impl Polygon {
    /// Assigns the polygon to this plane, in which it lies to within the tolerance.
    pub(crate) fn assign_plane(&mut self, plane: u32, table: &PlaneTable) {
        if self.plane.plane != plane {
            let own_normal = table.outward(self.plane).normal;
            let is_flipped = own_normal.dot(table.planes[plane as usize].normal) < 0.0;
            self.plane = SidedPlane { plane, is_flipped };
        }
    }

    /// Returns the parts in front of the plane and behind it.
    pub(crate) fn cut(&self, plane: &SplitPlane, thin: f64) -> [Option<Polygon>; 2] {
        cut_polygon(&self.corners, plane, thin, &mut Vec::new())
            .map(|corners| (corners.len() >= 3).then_some(Polygon { plane: self.plane, corners }))
    }
}

impl Fragment {
    pub(crate) fn of_brush(brush: &Brush, table: &mut PlaneTable) -> Fragment {
        let sides = brush.faces().iter().map(|face| Side {
            plane: table.find_or_add(&face.plane),
            is_boundary: false,
            corners: face.corners.clone(),
        });
        Fragment::new(brush.contents(), sides.collect())
    }

    pub(crate) fn new(contents: Contents, sides: Vec<Side>) -> Fragment {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &corner in sides.iter().flat_map(|side| &side.corners) {
            (low, high) = (low.min(corner), high.max(corner));
        }
        Fragment { contents, sides, low, high }
    }

    /// Returns whether the brush contains all of the cell.
    pub(crate) fn fills_cell(&self) -> bool {
        self.sides.iter().all(|side| side.is_boundary)
    }

    /// Returns the side of the plane that the fragment is on. Parts beyond the plane by no more
    /// than `thin` do not count.
    pub(crate) fn side_of(&self, plane: &SplitPlane, thin: f64) -> PlaneSide {
        let (middle, half) = ((self.low + self.high) * 0.5, (self.high - self.low) * 0.5);
        let (height, reach) = (plane.height(middle), plane.normal.abs().dot(half));
        if thin < height - reach {
            return PlaneSide::Front;
        }
        if height + reach < -thin {
            return PlaneSide::Behind;
        }
        side_of_points(self.sides.iter().flat_map(|side| &side.corners), plane, thin)
    }

    /// Makes this plane a boundary of the cell, which is behind it or in front of it. Returns
    /// false if a side in the plane faces into the cell. The fragment is then no thicker than the
    /// tolerance and counts as nothing.
    #[must_use]
    pub(crate) fn bound(&mut self, plane: u32, is_behind: bool) -> bool {
        for side in self.sides.iter_mut().filter(|side| side.plane.plane == plane) {
            if side.plane.is_flipped == is_behind {
                return false;
            }
            side.is_boundary = true;
        }
        true
    }

    /// Returns the parts in front of the plane and behind it; `None` for a part without four
    /// sides.
    pub(crate) fn cut(&self, number: u32, plane: &SplitPlane, thin: f64) -> [Option<Fragment>; 2] {
        let mut parts = [Vec::new(), Vec::new()];
        let mut rim: Vec<DVec3> = Vec::new();
        for side in &self.sides {
            let cuts = cut_polygon(&side.corners, plane, thin, &mut rim);
            for (part, corners) in parts.iter_mut().zip(cuts) {
                if corners.len() >= 3 {
                    part.push(Side { corners, ..side.clone() });
                }
            }
        }
        let lid = sort_around(rim, plane.normal, thin);
        // The lid closes both parts. That of the part behind faces along the plane's normal.
        let mut back = 0;
        parts.map(|mut sides| {
            let is_front = back == 0;
            back += 1;
            if lid.len() >= 3 {
                let mut corners = lid.clone();
                if is_front {
                    corners.reverse();
                }
                let plane = SidedPlane { plane: number, is_flipped: is_front };
                sides.push(Side { plane, is_boundary: true, corners });
            }
            (sides.len() >= 4).then(|| Fragment::new(self.contents, sides))
        })
    }
}

/// Returns the parts of a convex polygon in front of a plane and behind it. Corners in the plane
/// belong to both parts, and to the rim.
fn cut_polygon(corners: &[DVec3], plane: &SplitPlane, thin: f64, rim: &mut Vec<DVec3>) -> [Vec<DVec3>; 2] {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for (i, &corner) in corners.iter().enumerate() {
        let next = corners[(i + 1) % corners.len()];
        let (here, there) = (plane.height(corner), plane.height(next));
        if -thin <= here && here <= thin {
            front.push(corner);
            back.push(corner);
            rim.push(corner);
            continue;
        }
        if 0.0 < here {
            front.push(corner)
        } else {
            back.push(corner)
        }
        if (thin < here && there < -thin) || (here < -thin && thin < there) {
            // Always computed from the end in front, so both polygons that share the edge find the
            // same point.
            let (from, to, above, below) =
                if 0.0 < here { (corner, next, here, there) } else { (next, corner, there, here) };
            let crossing = from + (to - from) * (above / (above - below));
            front.push(crossing);
            back.push(crossing);
            rim.push(crossing);
        }
    }
    // A polygon that only touches the plane is on one side.
    let is_off = |polygon: &[DVec3], sign: f64| polygon.iter().any(|&p| thin < sign * plane.height(p));
    let (is_front, is_back) = (is_off(&front, 1.0), is_off(&back, -1.0));
    [if is_front { front } else { Vec::new() }, if is_back { back } else { Vec::new() }]
}

/// Returns points of a plane in counter-clockwise order, seen from the tip of the normal. Points
/// closer than `thin` to an earlier one are left out.
fn sort_around(points: Vec<DVec3>, normal: DVec3, thin: f64) -> Vec<DVec3> {
    let mut rim: Vec<DVec3> = Vec::with_capacity(points.len());
    for point in points {
        if rim.iter().all(|old| thin < (*old - point).length()) {
            rim.push(point);
        }
    }
    if rim.len() < 3 {
        return Vec::new();
    }
    let middle = rim.iter().fold(DVec3::ZERO, |sum, &p| sum + p) / rim.len() as f64;
    let (u, v) = normal.any_orthonormal_pair();
    let mut turns: Vec<(f64, DVec3)> =
        rim.into_iter().map(|p| (ops::atan2((p - middle).dot(v), (p - middle).dot(u)), p)).collect();
    turns.sort_by(|a, b| a.0.total_cmp(&b.0));
    turns.into_iter().map(|(_, p)| p).collect()
}

/// Returns twice the area of a polygon.
pub(crate) fn double_area(corners: &[DVec3]) -> f64 {
    let mut sum = DVec3::ZERO;
    for i in 1..corners.len().saturating_sub(1) {
        sum += (corners[i] - corners[0]).cross(corners[i + 1] - corners[0]);
    }
    sum.length()
}
