//! Penetration depth of two convex point sets by trying every facet direction of their Minkowski
//! difference, in `f64`.
//!
//! The normals of its facets are those of A's faces, the reversed ones of B's faces, and cross
//! products of an edge of each. Each direction gives an upper bound of the depth, so superfluous
//! ones do no harm.
//!
//! Reference: S. Cameron, R. Culley, Determining the Minimum Translational Distance Between Two
//! Convex Polyhedra, IEEE ICRA 1986.

use super::convex::BruteHull;
use super::sat::least_overlap;
use glam::DVec3;

/// Returns the least overlap over all facet directions, and its direction from A to B. It is the
/// depth if it is not negative. It is negative exactly if the hulls are apart, up to rounding.
pub fn depth(a: &BruteHull, b: &BruteHull) -> (f64, DVec3) {
    let mut axes: Vec<DVec3> = a.normals.iter().chain(&b.normals).copied().collect();
    let directions = |hull: &BruteHull| -> Vec<DVec3> {
        let mut directions: Vec<DVec3> = Vec::new();
        for edge in &hull.edges {
            let Some(d) = (hull.points[edge[1]] - hull.points[edge[0]]).try_normalize() else { continue };
            if directions.iter().all(|old| old.cross(d).length_squared() > 1e-30) {
                directions.push(d);
            }
        }
        directions
    };
    let (of_a, of_b) = (directions(a), directions(b));
    for x in &of_a {
        for y in &of_b {
            let n = x.cross(*y);
            if n.length_squared() > 1e-24 {
                axes.push(n);
            }
        }
    }
    // A flat set has sides without a face normal.
    if a.is_flat() || b.is_flat() {
        for (hull, along) in [(a, &of_a), (b, &of_b)] {
            axes.extend(along.iter().flat_map(|e| hull.normals.iter().map(|n| e.cross(*n))));
            axes.extend(along.iter().map(|e| e.any_orthonormal_vector()));
        }
        for x in &of_a {
            for y in &of_b {
                let n = x.cross(*y);
                axes.extend([x.cross(n), y.cross(n)]);
            }
        }
        for p in &a.points {
            for q in &b.points {
                let d = *p - *q;
                axes.push(d);
                axes.extend(of_a.iter().chain(&of_b).map(|e| d - *e * e.dot(d)));
            }
        }
    }
    least_overlap(&a.points, &b.points, axes).unwrap_or((0.0, DVec3::X))
}
