//! The velocity nearest to a wish that goes into none of some planes: the projection of the wish
//! on the cone that the planes leave.
//!
//! The projection lies inside, on one plane, in the crease of two, or is zero. There are few
//! planes, so all candidates are tried. The projection is not longer than the wish and not against
//! it, and further planes only shorten it. So sliding gains no speed.
//!
//! Degenerate: parallel planes have no crease. A plane and its opposite leave the directions along
//! them.
//!
//! Reference: J.-J. Moreau, Decomposition orthogonale d'un espace hilbertien selon deux cones
//! mutuellement polaires, 1962; K. Fauerby, Improved Collision Detection and Response, 2003 (one
//! plane, crease, corner).

use carom_math::{scaling, tol};
use glam::DVec3;

/// Returns the vector nearest to `wish` that points into none of the planes with these unit
/// normals, which point out of the solid. It is exact to rounding. It is zero if the planes leave
/// no direction, and for a wish with a NaN.
pub fn nearest_allowed(wish: DVec3, normals: &[DVec3]) -> DVec3 {
    let slack = -tol::CHARACTER_INTO * scaling::length(wish);
    // A NaN is not allowed.
    let is_allowed = |v: DVec3| normals.iter().all(|n| slack <= n.dot(v));
    if is_allowed(wish) {
        return if wish.is_finite() { wish } else { DVec3::ZERO };
    }
    // A vector shorter than the slack would pass in any direction, and is only rounding.
    let mut best = (slack * slack, DVec3::ZERO);
    let mut offer = |v: DVec3| {
        // The longest projection is the nearest one, and this is the square of its length.
        let along = v.dot(wish);
        if best.0 < along && is_allowed(v) {
            best = (along, v);
        }
    };
    for (i, n) in normals.iter().enumerate() {
        let into = n.dot(wish);
        if into < 0.0 {
            offer(wish - *n * into);
        }
        for other in &normals[i + 1..] {
            if let Some(crease) = scaling::unit(n.cross(*other)) {
                offer(crease * crease.dot(wish));
            }
        }
    }
    best.1
}
