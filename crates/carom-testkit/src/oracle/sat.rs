//! Overlap of two convex point sets along given axes, by projecting every point, as a reference
//! for separating axes.
//!
//! Reference: S. Gottschalk, Separating Axis Theorem, TR96-024, UNC Chapel Hill, 1996.

use glam::DVec3;

/// Returns the least overlap over the given axes, and its axis, a unit vector from A to B. A
/// negative overlap is a gap.
///
/// Axes may have any length and sign; those too short to have a direction are skipped. Returns
/// `None` if no axis is left.
pub fn least_overlap(
    a: &[DVec3],
    b: &[DVec3],
    axes: impl IntoIterator<Item = DVec3>,
) -> Option<(f64, DVec3)> {
    let mut best: Option<(f64, DVec3)> = None;
    for axis in axes {
        let Some(unit) = axis.try_normalize() else { continue };
        for n in [unit, -unit] {
            let overlap = overlap_along(a, b, n);
            if best.is_none_or(|(least, _)| overlap < least) {
                best = Some((overlap, n));
            }
        }
    }
    best
}

/// Returns how far B must move along the unit vector `n` to lie wholly beyond A.
pub fn overlap_along(a: &[DVec3], b: &[DVec3], n: DVec3) -> f64 {
    let max_a = a.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max);
    let min_b = b.iter().map(|p| p.dot(n)).fold(f64::INFINITY, f64::min);
    max_a - min_b
}

/// Returns the corners of a box, transformed by `position_of`.
pub fn box_corners(half: DVec3, position_of: impl Fn(DVec3) -> DVec3) -> Vec<DVec3> {
    (0..8)
        .map(|k| {
            let sign = |bit: u32| if k & bit == 0 { -1.0 } else { 1.0 };
            position_of(half * DVec3::new(sign(1), sign(2), sign(4)))
        })
        .collect()
}

/// Returns every axis that can separate two polytopes with these face normals and edge directions,
/// all in one frame.
pub fn all_axes(
    normals_a: &[DVec3],
    edges_a: &[DVec3],
    normals_b: &[DVec3],
    edges_b: &[DVec3],
) -> Vec<DVec3> {
    let mut axes: Vec<DVec3> = normals_a.iter().chain(normals_b).copied().collect();
    for a in edges_a {
        for b in edges_b {
            axes.push(a.normalize_or_zero().cross(b.normalize_or_zero()));
        }
    }
    axes
}
