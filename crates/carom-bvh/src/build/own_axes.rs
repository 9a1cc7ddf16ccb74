//! Splits triangles along the axes of the box that is fitted to them, not along those of the
//! coordinates.
//!
//! A range is split across the longest axis of its own box. If all centres fall on one side, the
//! second axis is tried, then the third. If no axis separates them, the range is halved in its
//! order. The axes come from the covariance of the surface.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 4 (at the mean point of the
//! surface); Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.4 (equal halves, for a
//! balanced tree).

use super::rows::Row;
use super::top_down::{around, part_by};
use crate::scale::inverse_power_of_two;
use carom_bounds::{BoundingVolume, Moments};
use glam::{DVec3, Vec3};

/// The position on an axis at which a range of triangles is split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SplitAt {
    /// At the mean point of the surface, as RAPID does.
    #[default]
    Mean,
    /// At the median of the centres: two equal halves, so the tree is balanced.
    Median,
}

/// How [`Bvh::along_own_axes`](crate::Bvh::along_own_axes) splits, and when it stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnAxes {
    /// The position on the axis.
    pub at: SplitAt,
    /// A range of at most this many triangles becomes a leaf; at least 1.
    pub max_leaf: u32,
    /// The maximum depth of the binary tree. A range at this depth becomes a leaf of any size.
    /// With 0 the whole tree is one leaf.
    pub max_depth: u32,
}

impl Default for OwnAxes {
    fn default() -> OwnAxes {
        OwnAxes { at: SplitAt::Mean, max_leaf: 4, max_depth: u32::MAX }
    }
}

impl OwnAxes {
    /// Sets the split position.
    #[must_use]
    pub fn with_split(self, at: SplitAt) -> OwnAxes {
        OwnAxes { at, ..self }
    }

    /// Sets the leaf size.
    #[must_use]
    pub fn with_max_leaf(self, max_leaf: u32) -> OwnAxes {
        OwnAxes { max_leaf, ..self }
    }

    /// Sets the maximum depth.
    #[must_use]
    pub fn with_max_depth(self, max_depth: u32) -> OwnAxes {
        OwnAxes { max_depth, ..self }
    }
}

/// Partitions rows in place; their tags are numbers of triangles. Returns the number of rows on
/// the left, or `None` if no axis separates them.
pub(crate) fn part(rows: &mut [Row], triangle: &impl Fn(u32) -> [Vec3; 3], at: SplitAt) -> Option<usize> {
    let all = around(rows).aabb();
    let origin = all.center().as_dvec3();
    let scale = inverse_power_of_two(f64::from(all.extents().max_element()));
    let corners = |row: &Row| triangle(row.tag()).map(|p| (p.as_dvec3() - origin) * scale);
    let mut moments = Moments::default();
    for row in rows.iter() {
        let [a, b, c] = corners(row);
        moments.add_triangle(a, b, c);
    }
    let frame = moments.surface_frame();
    let to_frame = frame.transpose();
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for p in rows.iter().flat_map(corners) {
        let along = to_frame * p;
        (low, high) = (low.min(along), high.max(along));
    }
    let lengths = high - low;
    // A surface without area has no mean point; the centres of its triangles have one.
    let mean = if 0.0 < moments.weight {
        moments.first / moments.weight
    } else {
        rows.iter().flat_map(corners).sum::<DVec3>() / (3.0 * rows.len() as f64)
    };
    let mut axes = [0, 1, 2];
    axes.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
    for axis in axes {
        let axis = frame.col(axis);
        // Three times the centre of a triangle along the axis.
        let center3 = |row: &Row| corners(row).into_iter().sum::<DVec3>().dot(axis);
        match at {
            SplitAt::Mean => {
                let n = part_by(rows, |row| center3(row) < 3.0 * mean.dot(axis));
                if 0 < n && n < rows.len() {
                    return Some(n);
                }
            }
            SplitAt::Median => {
                let first = center3(rows.first()?);
                if rows.iter().any(|row| center3(row) != first) {
                    let half = rows.len() / 2;
                    rows.select_nth_unstable_by(half, |a, b| {
                        center3(a).total_cmp(&center3(b)).then(a.tag().cmp(&b.tag()))
                    });
                    return Some(half);
                }
            }
        }
    }
    None
}
