//! One step of Sutherland-Hodgman: a convex polygon cut by one plane.
//!
//! A corner stores the two edges that it lies between, the polygon's own or cutting planes. The
//! feature ids of contacts come from them.
//!
//! Reference: I. E. Sutherland, G. W. Hodgman, Reentrant Polygon Clipping, CACM 17(1), 1974.
//! Differs: a corner within rounding of the plane lies on it.

use glam::DVec3;

/// A corner of a polygon that is clipped.
#[derive(Clone, Copy)]
pub(crate) struct Corner {
    pub(crate) point: DVec3,
    /// The edge or plane that ends here, and the one that starts here. The numbers are the
    /// caller's.
    pub(crate) edge_in: u8,
    pub(crate) edge_out: u8,
}

impl Corner {
    pub(crate) const NONE: Corner = Corner { point: DVec3::ZERO, edge_in: 0, edge_out: 0 };
}

/// Clips the first `n` corners to `height <= 0`, where a height up to `on_plane` counts as 0.
///
/// Returns the number of corners written to `clipped`, or `None` if nothing is cut off. Corners
/// for which there is no room are left out. `plane` is the number of the new edge.
#[inline(always)]
pub(crate) fn clip_side<const N: usize>(
    corners: &[Corner; N],
    n: usize,
    plane: u8,
    on_plane: f64,
    height: impl Fn(DVec3) -> f64,
    clipped: &mut [Corner; N],
) -> Option<usize> {
    let mut heights = [0.0; N];
    let mut is_any_outside = false;
    for k in 0..n {
        heights[k] = height(corners[k].point);
        if heights[k].abs() <= on_plane {
            heights[k] = 0.0;
        }
        is_any_outside |= 0.0 < heights[k];
    }
    if !is_any_outside {
        return None;
    }
    let mut n_clipped = 0;
    let mut push = |corner: Corner| {
        if n_clipped < N {
            clipped[n_clipped] = corner;
            n_clipped += 1;
        }
    };
    for k in 0..n {
        let m = if k + 1 == n { 0 } else { k + 1 };
        let (p, q) = (&corners[k], &corners[m]);
        if heights[k] <= 0.0 {
            push(*p);
        }
        if (heights[k] < 0.0 && 0.0 < heights[m]) || (0.0 < heights[k] && heights[m] < 0.0) {
            let s = heights[k] / (heights[k] - heights[m]);
            let (edge_in, edge_out) =
                if heights[k] < 0.0 { (p.edge_out, plane) } else { (plane, p.edge_out) };
            push(Corner { point: p.point + (q.point - p.point) * s, edge_in, edge_out });
        }
    }
    Some(n_clipped)
}
