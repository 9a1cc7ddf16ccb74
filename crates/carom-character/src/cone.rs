//! The velocity nearest to a wish among those that go into none of some planes: its projection on
//! the cone that the planes leave.
//!
//! That projection lies inside, on one plane, in the crease of two, or is zero; with few planes all
//! are tried. It is never longer than the wish and never against it, and with every plane more it
//! can only get shorter: who slides gains no speed.
//!
//! Degenerate cases: planes that are parallel have no crease; a plane and its opposite leave what
//! is along them.
//!
//! Reference: J.-J. Moreau, Decomposition orthogonale d'un espace hilbertien selon deux cones
//! mutuellement polaires, 1962; K. Fauerby, Improved Collision Detection and Response, 2003 (one
//! plane, crease, corner).

use carom_math::{scaling, tol};
use glam::DVec3;

/// The vector nearest to `wish` that points into none of the planes with these unit normals (out of
/// the solid); exact to rounding. Zero where only that is left, and for a wish with a NaN.
pub fn nearest_allowed(wish: DVec3, normals: &[DVec3]) -> DVec3 {
    let slack = -tol::CHARACTER_INTO * scaling::length(wish);
    // Not so for NaN.
    let is_allowed = |v: DVec3| normals.iter().all(|n| slack <= n.dot(v));
    if is_allowed(wish) {
        return if wish.is_finite() { wish } else { DVec3::ZERO };
    }
    // What is shorter than the slack would pass as allowed whatever its direction: it is nothing
    // but rounding.
    let mut best = (slack * slack, DVec3::ZERO);
    let mut offer = |v: DVec3| {
        // Of projections the longest is the nearest, and this is the square of its length.
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
